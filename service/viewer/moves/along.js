/**
 * With what a command begins. What comes along: all that can, as little as can, what came the last time, or all but what
 * stayed then. What is given up: nothing, until somebody chooses it.
 * @module
 */

/** @import { Field, IntegerField, Json, JsonObject, ObjectField, Option } from "../types.js" */

import { choicesOf, given, initial, isSame, isSubset, matches, sums } from "../forms/schema.js";
import { gestureOf, isOnMap } from "./gestures.js";

const KEPT = `tabularium-along ${location.pathname}`;

/**
 * By command: what came along the last time, what stayed, how wrong each way to guess it was of late, and what else came
 * lately. A tab remembers it for each game.
 */
const known = new Map(/** @type {[string, Habit][]} */ (kept()));

/**
 * The ways to guess what comes along, in the order in which they are tried where they did equally well.
 * @type {Record<"same" | "rest" | "most" | "least", Guess>}
 */
const WAYS = {
  same: (schema, value, names, before) => again(schema, value, names, before?.taken ?? {}, likewise),
  rest: (schema, value, names, before) => again(schema, value, names, before?.left ?? {}, allBut),
  most: (schema, value, names) => filled(schema, value, names, true),
  least: (schema, value, names) => filled(schema, value, names, false),
};
/**
 * A way to guess what comes along with a command.
 * @typedef {(schema: ObjectField, value: JsonObject, names: string[], before?: Habit) => JsonObject | undefined} Guess
 *
 * How a value of a field follows from what was before, and from what it is now.
 * @typedef {(schema: Field, before: Json, now: Json) => Json} Follow
 *
 * A count of a kind, in the object that holds it.
 * @typedef {{holder: JsonObject, name: string, field: IntegerField}} Count
 *
 * What was chosen with the last commands of a kind: what came along, what stayed, how wrong each way to guess it was, which
 * fields the command had, and what else came along lately.
 * @typedef {{taken: JsonObject, left: JsonObject, wrong: Record<string, number>, fields: string[], lately: JsonObject[]}} Habit
 *
 * Something that can be chosen one by one: a count, or an item of a list.
 * @typedef {{path: string[], field?: IntegerField, item?: Json}} Single
 */

const FORGET = 0.6; // How much an older miss counts beside the one after it.
const LATELY = 3; // So many different choices of a command are remembered.

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  } catch {
    return [];
  }
}

/** Tell whether a command of this kind was sent before. @param {string} command */
export function isKnown(command) {
  return known.has(command);
}

/**
 * Tell whether a command of this kind that had the named fields was sent last.
 * @param {Option} option
 * @param {string[]} names
 */
export function isUsual({ command, schema }, names) {
  return isSame(known.get(command)?.fields, fieldsOf(schema, names));
}

/**
 * @param {ObjectField} schema
 * @param {string[]} names
 */
function fieldsOf(schema, names) {
  return names.filter((name) => name in schema.properties).sort();
}

/**
 * Remember what was chosen in the named fields, and which way would have guessed it.
 * @param {Option} option
 * @param {JsonObject} value
 * @param {string[]} names
 */
export function remember({ command, schema }, value, names) {
  const before = known.get(command);
  const named = names.filter((name) => name in schema.properties);
  const wrong = Object.fromEntries(
    Object.entries(WAYS).map(([way, guess]) => {
      const guessed = before || way === "most" || way === "least" ? guess(schema, value, named, before) : undefined;
      const missed = guessed ? named.reduce((sum, name) => sum + apart(guessed[name], value[name]), 0) : 0;
      return [way, FORGET * (before?.wrong[way] ?? 0) + missed];
    }),
  );
  // Who left a general behind and sends the last one on still sends one.
  const isNews = !before || named.some((name) => apart(WAYS.same(schema, value, named, before)?.[name], value[name]));
  const taken = Object.fromEntries(
    named.filter((name) => name in value).map((name) => [name, structuredClone(value[name])]),
  );
  const left = Object.fromEntries(named.map((name) => [name, leftOf(schema.properties[name], value[name])]));
  const along = /** @type {JsonObject} */ (something(alongIn({ schema }, value)) ?? {});
  const lately = [along, ...(before?.lately ?? []).filter((each) => !isSame(each, along))].slice(0, LATELY);
  known.set(command, { taken: isNews ? taken : before.taken, left, wrong, fields: fieldsOf(schema, names), lately });
  try {
    sessionStorage.setItem(KEPT, JSON.stringify([...known]));
  } catch {
    // Without a storage the page forgets it when it is left.
  }
}

/**
 * What comes along with a command; its other fields say what it is.
 * @param {Pick<Option, "schema">} option
 * @param {JsonObject} value
 * @returns {JsonObject}
 */
export function alongIn(option, value) {
  const { pieces = [], counts = [] } = gestureOf(option);
  return given(
    Object.fromEntries(
      [...pieces, ...counts].filter((name) => name in option.schema.properties).map((name) => [name, value[name]]),
    ),
  );
}

/**
 * Return what came along with a command of this kind lately and exactly so can come along again, the last first.
 * @param {Option} option
 * @param {JsonObject} value
 * @returns {JsonObject[]}
 */
export function lately({ command, schema }, value) {
  const { pieces = [], counts = [] } = gestureOf({ schema });
  const names = [...pieces, ...counts].filter((name) => name in schema.properties);
  const choices = (known.get(command)?.lately ?? []).map((along) => ({
    ...along,
    ...Object.fromEntries(names.map((name) => [name, whole(schema.properties[name], along[name])])),
  }));
  return choices.filter((along) => matches(schema, given({ ...value, ...along })));
}

/**
 * Return a choice with zeros for what was not chosen of it.
 * @param {Field} schema
 * @param {Json} value
 * @returns {Json}
 */
function whole(schema, value) {
  if (schema.type === "integer") return value ?? 0;
  if (schema.type === "array") return value ?? [];
  if (schema.type !== "object") return value;
  return {
    .../** @type {JsonObject} */ (value),
    ...Object.fromEntries(
      Object.entries(schema.properties).map(([name, field]) => [name, whole(field, memberOf(value, name))]),
    ),
  };
}

/**
 * Tell whether only one value is possible in the named fields: none that is a step or an exchange away from it fits.
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
  const fits = (each) => each && matches(schema, given(each));
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
 * Whatever can be chosen one by one in a field: counts, and items of a list.
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
 * A value with one more or less of something; null where there can be no such.
 * @param {JsonObject} value
 * @param {Single} single
 * @param {1 | -1} step
 * @returns {JsonObject | null}
 */
function stepped(value, { path, field, item }, step) {
  const made = structuredClone(value);
  /** @type {JsonObject} */
  let holder = made;
  for (const each of path.slice(0, -1)) holder = /** @type {JsonObject} */ ((holder[each] ??= {}));
  const name = path[path.length - 1];
  if (field) {
    const count = Number(holder[name] ?? 0) + step;
    holder[name] = count;
    return count >= field.minimum && count <= field.maximum ? made : null;
  }
  const items = /** @type {Json[]} */ (holder[name] ?? []);
  if (items.some((each) => isSame(each, item)) === step > 0) return null;
  holder[name] = step > 0 ? [...items, item] : items.filter((each) => !isSame(each, item));
  return made;
}

/** Return a value without what is nothing: 0 of a kind, an empty list. @param {Json} value @returns {Json} */
export function something(value) {
  if (typeof value !== "object" || value === null) return value || undefined;
  if (Array.isArray(value)) return value.length ? [...value].sort() : undefined;
  const parts = Object.entries(value)
    .map(([name, part]) => /** @type {const} */ ([name, something(part)]))
    .filter(([, part]) => part !== undefined);
  return parts.length ? Object.fromEntries(parts) : undefined;
}

/**
 * Return a value with which the named fields begin. What is kept is as much as can be, and nothing is given up or bought
 * that nobody has chosen, unless there is no choice; what comes along from one area to another is guessed.
 * @param {Option} option
 * @param {JsonObject} value
 * @param {string[]} names
 * @returns {JsonObject}
 */
export function begun(option, value, names) {
  const { as, keeps = [] } = gestureOf(option);
  if (!as && isOnMap(option)) return recalled(option, value, names);
  if (isForced(option.schema, value, names)) return filled(option.schema, value, names, false);
  return filled(
    option.schema,
    value,
    names.filter((name) => keeps.includes(name)),
    true,
  );
}

/**
 * Return a value with what comes along as it was guessed best so far; with all of it at first.
 * @param {Option} option
 * @param {JsonObject} value
 * @param {string[]} names
 * @returns {JsonObject}
 */
function recalled({ command, schema }, value, names) {
  const before = known.get(command);
  if (!before) return filled(schema, value, names, true);
  const ways = /** @type {(keyof typeof WAYS)[]} */ (Object.keys(WAYS)).sort(
    (one, other) => before.wrong[one] - before.wrong[other],
  );
  const guesses = ways.map((way) => WAYS[way](schema, value, names, before));
  return (
    guesses.find((guess) => guess && matches(schema, given(guess))) ??
    guesses.find(Boolean) ??
    filled(schema, value, names, true)
  );
}

/**
 * In how many choices two values differ.
 * @param {Json} one
 * @param {Json} other
 * @returns {number}
 */
function apart(one, other) {
  if (Array.isArray(one ?? other)) {
    const [these, those] = [/** @type {Json[]} */ (one ?? []), /** @type {Json[]} */ (other ?? [])];
    return (
      these.filter((item) => !those.some((each) => isSame(each, item))).length +
      those.filter((item) => !these.some((each) => isSame(each, item))).length
    );
  }
  if (typeof (one ?? other) === "object") {
    const names = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]);
    return [...names].reduce((sum, name) => sum + apart(memberOf(one, name), memberOf(other, name)), 0);
  }
  return Number((one || 0) !== (other || 0));
}

/**
 * How much of what could be chosen was not.
 * @param {Field} schema
 * @param {Json} value
 * @returns {Json}
 */
function leftOf(schema, value) {
  if (schema.type === "integer") return schema.maximum - Number(value ?? 0);
  if (schema.type === "object")
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, field]) => [name, leftOf(field, memberOf(value, name))]),
    );
  const chosen = /** @type {Json[] | undefined} */ (value);
  return isSubset(schema) ? schema.maxItems - (chosen?.length ?? 0) : 0;
}

/**
 * All but so much as was left before.
 * @param {Field} schema
 * @param {Json} left
 * @param {Json} now
 * @returns {Json}
 */
function allBut(schema, left, now) {
  if (schema.type === "integer")
    return Math.max(schema.maximum - Number(left ?? 0), Math.min(schema.minimum, schema.maximum));
  if (schema.type === "object")
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, field]) => [
        name,
        allBut(field, memberOf(left, name), memberOf(now, name)),
      ]),
    );
  if (!isSubset(schema)) return now;
  const many = Math.max(schema.maxItems - Number(left ?? 0), schema.minItems);
  return many ? choicesOf(schema.items).slice(-many) : [];
}

/**
 * Return a value with as much as can be chosen in the named fields, or with as little as must be.
 * @param {ObjectField} schema
 * @param {JsonObject} value
 * @param {string[]} names
 * @param {boolean} most
 * @returns {JsonObject}
 */
export function filled(schema, value, names, most) {
  const made = structuredClone(value);
  for (const name of names) {
    if (!(name in schema.properties)) continue;
    const field = schema.properties[name];
    const value = extreme(field, most, made[name]);
    // What may be left out is left out where as little as possible would be wrong.
    if (most || schema.required.includes(name) || matches(field, given(value))) made[name] = value;
    else delete made[name];
  }
  fit(schema, made, names);
  return made;
}

/**
 * Return a value of which so much was left out that it is not too much: without a leader, fewer units can come along.
 * What was chosen last, `kept`, is left out last.
 * @param {ObjectField} schema
 * @param {JsonObject} value
 * @param {string[]} names
 * @returns {JsonObject}
 */
export function limited(schema, value, names, kept = "") {
  if (!sums(schema, given(value)).some(({ amount, maximum }) => amount > maximum)) return value;
  const made = structuredClone(value);
  fit(schema, made, names, kept);
  return made;
}

/**
 * @param {ObjectField} schema
 * @param {JsonObject} value
 * @param {string[]} names
 * @param {JsonObject} before
 * @param {Follow} how
 * @returns {JsonObject | undefined}
 */
function again(schema, value, names, before, how) {
  const made = structuredClone(value);
  for (const name of names) {
    if (!(name in schema.properties)) continue;
    made[name] = how(schema.properties[name], before[name], value[name]);
    if (made[name] === undefined) delete made[name];
  }
  fit(schema, made, names);
  return matches(schema, given(made)) ? made : undefined;
}

/**
 * A choice like the one before: the same, or as many, of the last ones listed, since the first is mostly the dearest.
 * @param {Field} schema
 * @param {Json} before
 * @param {Json} now
 * @returns {Json}
 */
function likewise(schema, before, now) {
  if (before === undefined || matches(schema, before)) return structuredClone(before ?? now);
  if (schema.type === "integer") return Math.min(Math.max(Number(before), schema.minimum), schema.maximum);
  if (schema.type === "object") {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, field]) => [
        name,
        likewise(field, memberOf(before, name) ?? 0, memberOf(now, name)),
      ]),
    );
  }
  if (!isSubset(schema)) return now;
  const many = Math.min(Math.max(/** @type {Json[]} */ (before).length, schema.minItems), schema.maxItems);
  return many ? choicesOf(schema.items).slice(-many) : [];
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
 * Change counts one by one until the sums of an object, and of those in it, are within their bounds.
 * @param {ObjectField} schema
 * @param {JsonObject} value
 * @param {string[]} names
 */
function fit(schema, value, names, kept = "") {
  for (const [name, field] of Object.entries(schema.properties)) {
    if (field.type === "object" && value[name] !== undefined && names.includes(name))
      fit(field, /** @type {JsonObject} */ (value[name]), Object.keys(field.properties), kept);
  }
  for (let tries = 0; tries < 500; tries += 1) {
    const wrong = sums(schema, given(value)).find(
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

/** A member of a value; undefined where the value has none. @param {Json} value @param {string} name */
function memberOf(value, name) {
  return /** @type {JsonObject | undefined} */ (value)?.[name];
}
