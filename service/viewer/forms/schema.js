/**
 * Options as JSON Schema: whether a value fits, what is wrong with it, and how a form begins. The keywords mean exactly
 * what they mean in `domain/kernel/rules/schema.py`, `x-total`, `x-cost` and `x-sum` included; a test compares the two.
 * @module
 */

/**
 * @import { ArrayField, EnumField, Field, Json, JsonObject, ObjectField, Option, Path, Subset } from "../types.js"
 * @import { Labels } from "./labels.js"
 */

/**
 * @typedef {object} Fault
 * @property {Path} path where in the value
 * @property {string} message what would be right, in a sentence
 */

/**
 * A sum in an object, which its schema bounds.
 * @typedef {object} Sum
 * @property {string[]} names of the members that are added up
 * @property {number} amount of the value now
 * @property {number} minimum
 * @property {number} maximum
 * @property {boolean} cost whether it is a price
 * @property {string} [times] the list whose length multiplies the maximum
 * @property {number} [each] the maximum for each item of that list
 * @property {string} range what it may be, in words
 * @property {string} message what would be right, in a sentence; empty when the sum is within its bounds
 */

/**
 * Tell whether a value is an instance of a schema.
 * @param {Field} schema
 * @param {Json} value
 */
export function matches(schema, value) {
  return faults(schema, value).next().done === true;
}

/** Tell whether nothing is left to choose in an option. @param {Pick<Option, "schema">} option */
export function isPlain({ schema }) {
  return Object.values(schema.properties).every(isFixed);
}

/**
 * Tell whether a field can have only one value, if it is not left out.
 * @param {Field} field
 * @returns {boolean}
 */
export function isFixed(field) {
  if ("const" in field) return true;
  if ("enum" in field) return field.enum.length === 1;
  if (field.type === "integer") return field.minimum === field.maximum;
  if (field.type === "object") return Object.values(field.properties).every(isFixed);
  if (field.type !== "array") return false;
  return field.maxItems === 0 || (isSubset(field) && field.minItems >= choicesOf(field.items).length);
}

const TOTAL = "Total";

/** Labels for a caller without any: ids. @type {Pick<Labels, "field" | "value">} */
const PLAIN = { field: (name) => name, value: (value) => `${value}` };

/**
 * Yield what is wrong with a value.
 * @param {Field} schema
 * @param {Json} value undefined for what was not chosen yet
 * @param {Pick<Labels, "field" | "value">} [labels]
 * @param {Path} [path] where the value is
 * @returns {Generator<Fault, void>}
 * @throws {TypeError} for a keyword or type that options do not have
 */
export function* faults(schema, value, labels = PLAIN, path = []) {
  if ("const" in schema) {
    if (!isSame(value, schema.const)) yield { path, message: "Only one value is possible here." };
    return;
  }
  if ("enum" in schema) {
    if (!schema.enum.some((allowed) => isSame(value, allowed))) yield { path, message: "Choose one." };
    return;
  }
  switch (schema.type) {
    case "integer":
      if (typeof value !== "number" || !Number.isInteger(value)) yield { path, message: "Enter a whole number." };
      else if (value < schema.minimum || value > schema.maximum)
        yield { path, message: `Enter ${between(schema.minimum, schema.maximum)}.` };
      return;
    case "boolean":
      if (typeof value !== "boolean") yield { path, message: "Choose yes or no." };
      return;
    case "string":
      if (typeof value !== "string") yield { path, message: "Enter a text." };
      else if ([...value].length > schema.maxLength)
        yield { path, message: `Enter at most ${schema.maxLength} characters.` };
      return;
    case "array":
      yield* faultsOfList(schema, value, labels, path);
      return;
    case "object":
      yield* faultsOfObject(schema, value, labels, path);
      return;
    default:
      throw new TypeError(`an option's schema cannot have the type ${/** @type {Field} */ (schema).type}`);
  }
}

/**
 * @param {ArrayField} schema
 * @param {Json} value
 * @param {Pick<Labels, "field" | "value">} labels
 * @param {Path} path
 * @returns {Generator<Fault, void>}
 */
function* faultsOfList(schema, value, labels, path) {
  if (!Array.isArray(value)) {
    yield { path, message: "Choose from the list." };
    return;
  }
  const { minItems, maxItems, contains, minContains = 1 } = schema;
  if (value.length < minItems || value.length > maxItems) {
    yield { path, message: `Choose ${between(minItems, maxItems)}; you chose ${value.length}.` };
  }
  if (schema.uniqueItems && value.some((item, index) => value.slice(0, index).some((other) => isSame(item, other)))) {
    yield { path, message: "Choose each only once." };
  }
  if (contains && value.filter((item) => matches(contains, item)).length < minContains) {
    yield { path, message: `Choose ${contains.enum.map(labels.value).join(" and ")}, too.` };
  }
  for (const [index, item] of value.entries()) yield* faults(schema.items, item, labels, [...path, index]);
}

/**
 * @param {ObjectField} schema
 * @param {Json} value
 * @param {Pick<Labels, "field" | "value">} labels
 * @param {Path} path
 * @returns {Generator<Fault, void>}
 */
function* faultsOfObject(schema, value, labels, path) {
  if (!isObject(value)) {
    yield { path, message: "Fill this in." };
    return;
  }
  let sound = true;
  for (const name of new Set([...schema.required, ...Object.keys(value)])) {
    const field = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    const inner = [...path, name];
    const wrong = field
      ? faults(field, Object.hasOwn(value, name) ? value[name] : undefined, labels, inner)
      : [{ path: inner, message: "Leave this out." }];
    for (const fault of wrong) {
      sound = false;
      yield fault;
    }
  }
  // There is no sum while a member is not a number yet.
  if (!sound) return;
  for (const { message } of sums(schema, value, labels.field)) if (message) yield { path, message };
}

/**
 * Return the sums of an object, and whether they are within their bounds.
 * @param {ObjectField} schema
 * @param {JsonObject} value
 * @param {(name: string) => string} [word] what a member is called
 * @returns {Sum[]}
 */
export function sums(schema, value, word = (name) => name) {
  /** @type {Omit<Sum, "range" | "message">[]} */
  const found = [];
  const of = (/** @type {string} */ name) => amount(Object.hasOwn(value, name) ? value[name] : 0);
  for (const total of [schema["x-total"] ?? []].flat()) {
    const { times, maximum: each = Infinity } = total;
    const maximum = times === undefined ? each : each * lengthOf(value[times]);
    const spent = total.of.reduce((all, name) => all + of(name), 0);
    found.push({ names: total.of, amount: spent, minimum: total.minimum ?? 0, maximum, cost: false, times, each });
  }
  if (schema["x-cost"]) {
    const { prices, minimum = -Infinity, maximum = Infinity } = schema["x-cost"];
    const names = Object.keys(prices);
    const spent = names.reduce((all, name) => all + prices[name] * of(name), 0);
    found.push({ names, amount: spent, minimum, maximum, cost: true });
  }
  if (schema["x-sum"]) {
    const all = /** @type {number[]} */ (Object.values(value)).reduce((sum, count) => sum + count, 0);
    found.push({ names: Object.keys(schema.properties), amount: all, ...schema["x-sum"], cost: false });
  }
  return found.map((sum) => {
    const { times, each, minimum, maximum } = sum;
    const range =
      times === undefined
        ? between(minimum, maximum)
        : `at most ${maximum} (${each} for each of the ${word(times).toLowerCase()} you choose)`;
    return { ...sum, range, message: sumMessage(schema, { ...sum, range }, word) };
  });
}

/** @param {Json} list */
function lengthOf(list) {
  return Array.isArray(list) ? list.length : 0;
}

/**
 * @param {ObjectField} schema
 * @param {Omit<Sum, "message">} sum
 * @param {(name: string) => string} word
 */
function sumMessage(schema, { names, amount: is, minimum, maximum, cost, range }, word) {
  if (is >= minimum && is <= maximum) return "";
  if (cost)
    return is < minimum
      ? `This comes to ${is}; it takes at least ${minimum}.`
      : `This costs ${is}; you can pay at most ${maximum}.`;
  const what = summed(schema, names, word);
  return `Choose ${range} ${what === TOTAL ? "in total" : `of ${what}`}; you chose ${is}.`;
}

/**
 * Say what a sum adds up: "Infantry", "Infantry and Cavalry together"; all that is counted is the "Total".
 * @param {ObjectField} schema
 * @param {string[]} names
 * @param {(name: string) => string} word
 */
export function summed(schema, names, word) {
  const isEmpty = (/** @type {Field} */ field) => field.type === "object" && !Object.keys(field.properties).length;
  const known = names.filter((name) => schema.properties[name] && !isEmpty(schema.properties[name]));
  const counted = Object.entries(schema.properties).filter(([, { type }]) =>
    ["integer", "array", "object"].includes(type ?? ""),
  );
  if (known.length === 1) return word(known[0]);
  if (!known.length || counted.every(([name]) => known.includes(name))) return TOTAL;
  const words = known.map(word);
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)} together`;
}

/**
 * Return what a value counts in a sum: an integer itself, a list or text its length, an object the sum of its integers.
 * @param {Json} value
 * @returns {number}
 */
export function amount(value) {
  if (Array.isArray(value) || typeof value === "string") return value.length;
  if (isObject(value)) return /** @type {number[]} */ (Object.values(value)).reduce((sum, count) => sum + count, 0);
  return Number(value);
}

/**
 * Return a range in words: "exactly 2", "from 2 to 4", "at least 2", "at most 4".
 * @param {number} minimum
 * @param {number} maximum
 */
export function between(minimum, maximum) {
  if (minimum === maximum) return `exactly ${minimum}`;
  if (maximum === Infinity) return `at least ${minimum}`;
  return minimum > 0 ? `from ${minimum} to ${maximum}` : `at most ${maximum}`;
}

/**
 * Compare as JSON does: true is not 1.
 * @param {unknown} one
 * @param {unknown} other
 * @returns {boolean}
 */
export function isSame(one, other) {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  }
  if (isObject(one) && isObject(other)) {
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
    );
  }
  return one === other;
}

/** @param {unknown} value @returns {value is JsonObject} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Return the value with which a form begins: the `default` of the schema, as in set-ups; otherwise the only possible
 * value, counts as low as they may be, and undefined for what has to be chosen.
 * @param {Field} schema
 * @returns {Json}
 */
export function initial(schema) {
  if ("default" in schema) return structuredClone(schema.default);
  if ("const" in schema) return structuredClone(schema.const);
  if ("enum" in schema) return schema.enum.length === 1 ? structuredClone(schema.enum[0]) : undefined;
  switch (schema.type) {
    case "integer":
      return Math.min(Math.max(0, schema.minimum), schema.maximum);
    case "string":
      return "";
    case "array":
      return initialItems(schema);
    case "object":
      return initialMembers(schema);
    default:
      return undefined;
  }
}

/** @param {ArrayField} schema */
function initialItems(schema) {
  if (!isSubset(schema)) return Array.from({ length: schema.minItems }, () => initial(schema.items));
  const choices = choicesOf(schema.items);
  if (schema.minItems >= choices.length) return structuredClone(choices);
  return structuredClone(schema.contains?.enum ?? []);
}

/** @param {ObjectField} schema */
function initialMembers(schema) {
  /** @type {JsonObject} */
  const value = {};
  for (const [name, field] of Object.entries(schema.properties)) {
    const first = initial(field);
    // A field that may be left out, and has no valid value to begin with, is left out until the player wants it.
    if (schema.required.includes(name) || matches(field, first)) value[name] = first;
  }
  return value;
}

/**
 * Tell whether a field is a choice of some values out of a list.
 * @param {Field} schema
 * @returns {schema is Subset}
 */
export function isSubset(schema) {
  return schema.type === "array" && Boolean(schema.uniqueItems) && ("enum" in schema.items || "const" in schema.items);
}

/** Return the values of an enumeration or a constant; an empty list for any other field. @param {Field} schema */
export function choicesOf(schema) {
  if ("const" in schema) return [schema.const];
  return "enum" in schema ? schema.enum : [];
}

/** The areas that can be chosen in a field. @param {{schema: EnumField | ArrayField}} field */
export function areasOf({ schema }) {
  return /** @type {string[]} */ (choicesOf(schema.type === "array" ? schema.items : schema));
}

/**
 * Return a choice of some values with an item added, or removed if it was chosen; in the order of the schema.
 * @param {ArrayField} schema
 * @param {Json[]} chosen
 * @param {Json} item
 */
export function toggled(schema, chosen, item) {
  const others = chosen.filter((other) => !isSame(other, item));
  const now = others.length < chosen.length ? others : [...chosen, item];
  return choicesOf(schema.items).filter((choice) => now.some((other) => isSame(other, choice)));
}

/**
 * Return a value without its undefined members, which were not chosen.
 * @template {Json} Value
 * @param {Value} value
 * @returns {Value}
 */
export function withoutUndefined(value) {
  if (Array.isArray(value)) return /** @type {Value} */ (value.map(withoutUndefined));
  if (!isObject(value)) return value;
  const chosen = Object.entries(value).filter(([, each]) => each !== undefined);
  return /** @type {Value} */ (Object.fromEntries(chosen.map(([name, each]) => [name, withoutUndefined(each)])));
}

/**
 * Return a schema as forms show it: a count from 1 that may be left out may also be 0; `withoutNothing` leaves it out.
 * @template {Field} Schema
 * @param {Schema} schema
 * @returns {Schema}
 */
export function fromNothing(schema) {
  if (schema.type === "array") return { ...schema, items: fromNothing(schema.items) };
  if (schema.type !== "object") return schema;
  const { required } = schema;
  /** @type {(name: string, field: Field) => Field} */
  const asShown = (name, field) => {
    const isCount =
      field.type === "integer" && field.minimum === 1 && !("default" in field) && !required.includes(name);
    return isCount ? { ...field, minimum: 0 } : fromNothing(field);
  };
  const fields = Object.entries(schema.properties).map(([name, field]) => [name, asShown(name, field)]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

/**
 * Return a value without its counts of 0, in nested objects as well. Its own fields in `needed` stay.
 * @template {Json} Value
 * @param {Value} value
 * @param {string[]} [needed]
 * @returns {Value}
 */
export function withoutNothing(value, needed = []) {
  if (Array.isArray(value)) return /** @type {Value} */ (value.map((each) => withoutNothing(each)));
  if (!isObject(value)) return value;
  const named = Object.entries(value).filter(([name, each]) => each !== 0 || needed.includes(name));
  return /** @type {Value} */ (Object.fromEntries(named.map(([name, each]) => [name, withoutNothing(each)])));
}
