/**
 * Fills fields of a command at once: with as much as can be chosen, or as little as must be, within the sums that the
 * option's schema allows.
 * @module
 */

/** @import { Field, IntegerField, Json, JsonObject, ObjectField } from "../types.js" */

import { choicesOf, withoutUndefined, initial, isSame, isSubset, matches, sums } from "../forms/schema.js";

/**
 * A count of a kind, in the object that holds it.
 * @typedef {{holder: JsonObject, name: string, field: IntegerField}} Count
 *
 * Something that can be chosen one by one: a count, or an item of a list.
 * @typedef {{path: string[], field?: IntegerField, item?: Json}} Single
 */

/**
 * Return a value with as much as can be chosen in the named fields, or with as little as must be.
 * @param {ObjectField} schema
 * @param {JsonObject} value
 * @param {string[]} names
 * @param {boolean} most
 * @returns {JsonObject}
 */
export function filled(schema, value, names, most) {
  const copy = structuredClone(value);
  for (const name of names) {
    if (!(name in schema.properties)) continue;
    const field = schema.properties[name];
    const value = extreme(field, most, copy[name]);
    // An optional field is left out where the least that it can be would not fit.
    if (most || schema.required.includes(name) || matches(field, withoutUndefined(value))) copy[name] = value;
    else delete copy[name];
  }
  fit(schema, copy, names);
  return copy;
}

/**
 * Return a value that is reduced until it fits the sums: without a leader, fewer units can come along. The count that was
 * chosen last, `kept`, is reduced last.
 * @param {ObjectField} schema
 * @param {JsonObject} value
 * @param {string[]} names
 * @returns {JsonObject}
 */
export function limited(schema, value, names, kept = "") {
  if (!sums(schema, withoutUndefined(value)).some(({ amount, maximum }) => amount > maximum)) return value;
  const copy = structuredClone(value);
  fit(schema, copy, names, kept);
  return copy;
}

/**
 * @param {Field} schema
 * @param {boolean} most
 * @param {Json} now
 * @returns {Json}
 */
function extreme(schema, most, now) {
  if ("const" in schema || "enum" in schema) return now ?? initial(schema);
  switch (schema.type) {
    case "integer":
      return most ? schema.maximum : Math.min(Math.max(0, schema.minimum), schema.maximum);
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties).map(([name, field]) => [name, extreme(field, most, memberOf(now, name))]),
      );
    case "array":
      if (!isSubset(schema)) return now ?? initial(schema);
      return chosen(choicesOf(schema.items), most ? schema.maxItems : schema.minItems, schema.contains?.enum ?? []);
    default:
      return now ?? initial(schema);
  }
}

/**
 * @param {Json[]} choices
 * @param {number} number
 * @param {Json[]} needed
 */
function chosen(choices, number, needed) {
  const others = choices.filter((choice) => !needed.includes(choice));
  const taken = new Set([...needed, ...others].slice(0, number));
  return choices.filter((choice) => taken.has(choice));
}

/**
 * Change counts one by one until the sums of an object, and of the objects in it, are within their bounds, or until no
 * count can change. It changes `value`.
 * @param {ObjectField} schema
 * @param {JsonObject} value
 * @param {string[]} names
 */
export function fit(schema, value, names, kept = "") {
  for (const [name, field] of Object.entries(schema.properties)) {
    if (field.type === "object" && value[name] !== undefined && names.includes(name))
      fit(field, /** @type {JsonObject} */ (value[name]), Object.keys(field.properties), kept);
  }
  for (let tries = 0; tries < 500; tries += 1) {
    const wrong = sums(schema, withoutUndefined(value)).find(
      ({ amount, minimum, maximum }) => amount < minimum || amount > maximum,
    );
    if (!wrong) return;
    const step = wrong.amount < wrong.minimum ? 1 : -1;
    const counts = wrong.names
      .filter((name) => names.includes(name))
      .flatMap((name) => countsIn(schema.properties[name], value, name));
    const isKept = (/** @type {Count} */ { name }) => Number(name === kept);
    const movable = counts
      .sort((one, other) => isKept(one) - isKept(other))
      .find((count) => (step > 0 ? amountOf(count) < count.field.maximum : amountOf(count) > count.field.minimum));
    if (!movable) return;
    movable.holder[movable.name] = amountOf(movable) + step;
  }
}

/**
 * @param {Field | undefined} field
 * @param {string} name
 * @param {JsonObject} holder
 * @returns {Count[]}
 */
function countsIn(field, holder, name) {
  if (field?.type === "integer") return [{ holder, name, field }];
  if (field?.type !== "object") return [];
  holder[name] ??= {};
  return Object.entries(field.properties).flatMap(([inner, each]) =>
    countsIn(each, /** @type {JsonObject} */ (holder[name]), inner),
  );
}

/** How many there are of a kind. @param {Count} count */
function amountOf({ holder, name }) {
  return Number(holder[name] ?? 0);
}

/**
 * Tell whether only one value is possible in the named fields: the least one fits, and no value that differs from it by
 * one more, one less, or an exchange of one for another.
 * @param {ObjectField} schema
 * @param {JsonObject} value
 * @param {string[]} names
 */
export function isForced(schema, value, names) {
  const fields = names.map((name) => schema.properties[name]);
  if (!fields.every((field) => field.type === "integer" || field.type === "object" || isSubset(field))) return false;
  const least = filled(schema, value, names, false);
  const single = names.flatMap((name, at) => singleIn(fields[at], [name]));
  /** @param {JsonObject | null} each */
  const fits = (each) => each && matches(schema, withoutUndefined(each));
  return (
    fits(least) &&
    !single.some((one) => {
      const less = stepped(least, one, -1);
      return (
        [stepped(least, one, 1), less].some(fits) ||
        (less && single.some((other) => other !== one && fits(stepped(less, other, 1))))
      );
    })
  );
}

/**
 * Return what can be chosen one by one in a field: counts, and items of a list.
 * @param {Field} field
 * @param {string[]} path
 * @returns {Single[]}
 */
function singleIn(field, path) {
  if (field.type === "integer") return [{ path, field }];
  if (field.type === "object")
    return Object.entries(field.properties).flatMap(([name, each]) => singleIn(each, [...path, name]));
  return isSubset(field) ? choicesOf(field.items).map((item) => ({ path, item })) : [];
}

/**
 * Return a value with one more or less of something; null where that is not possible.
 * @param {JsonObject} value
 * @param {Single} single
 * @param {1 | -1} step
 * @returns {JsonObject | null}
 */
function stepped(value, { path, field, item }, step) {
  const copy = structuredClone(value);
  /** @type {JsonObject} */
  let holder = copy;
  for (const each of path.slice(0, -1)) holder = /** @type {JsonObject} */ ((holder[each] ??= {}));
  const name = path[path.length - 1];
  if (field) {
    const count = Number(holder[name] ?? 0) + step;
    holder[name] = count;
    return count >= field.minimum && count <= field.maximum ? copy : null;
  }
  const items = /** @type {Json[]} */ (holder[name] ?? []);
  if (items.some((each) => isSame(each, item)) === step > 0) return null;
  holder[name] = step > 0 ? [...items, item] : items.filter((each) => !isSame(each, item));
  return copy;
}

/** A member of a value; undefined where the value has none. @param {Json} value @param {string} name */
export function memberOf(value, name) {
  return /** @type {JsonObject | undefined} */ (value)?.[name];
}
