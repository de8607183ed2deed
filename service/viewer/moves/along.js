/**
 * The value with which the control of a command begins. What comes along is guessed: all that can, as little as must,
 * what came the last time, or all but what stayed behind then. Nothing is given up until the player chooses it.
 * @module
 */

/** @import { Field, Json, JsonObject, ObjectField, Option } from "../types.js" */

import { choicesOf, withoutUndefined, isSame, isSubset, matches } from "../forms/schema.js";
import { filled, fit, isForced, memberOf } from "./filling.js";
import { gestureOf, isOnMap } from "./gestures.js";

const KEPT = `tabularium-along ${location.pathname}`;

/**
 * The habit of the player, by command. A tab remembers it for each game.
 */
const habits = new Map(/** @type {[string, Habit][]} */ (storedHabits()));

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
 * How to guess the value of a field from what was chosen or left before, and from its value now.
 * @typedef {(schema: Field, before: Json, now: Json) => Json} Follow
 *
 * What was chosen with the last commands of a kind: what came along, what stayed, how far off each way to guess was,
 * which fields the command had, and what else came along lately.
 * @typedef {{taken: JsonObject, left: JsonObject, wrong: Record<string, number>, fields: string[], lately: JsonObject[]}} Habit
 */

const FORGET = 0.6; // How much an older miss counts beside the one after it.
const LATELY = 3; // Different choices of a command that are remembered.

function storedHabits() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  } catch {
    return [];
  }
}

/** Tell whether a command of this kind was sent before. @param {string} command */
export function isKnown(command) {
  return habits.has(command);
}

/**
 * Tell whether the last command of this kind had the same fields, of those that are named, as this option.
 * @param {Option} option
 * @param {string[]} names
 */
export function isUsual({ command, schema }, names) {
  return isSame(habits.get(command)?.fields, fieldsOf(schema, names));
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
  const before = habits.get(command);
  const named = names.filter((name) => name in schema.properties);
  const wrong = Object.fromEntries(
    Object.entries(WAYS).map(([way, guess]) => {
      const guessed = before || way === "most" || way === "least" ? guess(schema, value, named, before) : undefined;
      const missed = guessed ? named.reduce((sum, name) => sum + apart(guessed[name], value[name]), 0) : 0;
      return [way, FORGET * (before?.wrong[way] ?? 0) + missed];
    }),
  );
  // What `same` guessed right is no news: a player who sends another general than last time still sends "one general".
  const isNews = !before || named.some((name) => apart(WAYS.same(schema, value, named, before)?.[name], value[name]));
  const taken = Object.fromEntries(
    named.filter((name) => name in value).map((name) => [name, structuredClone(value[name])]),
  );
  const left = Object.fromEntries(named.map((name) => [name, leftOf(schema.properties[name], value[name])]));
  const along = /** @type {JsonObject} */ (something(alongIn({ schema }, value)) ?? {});
  const lately = [along, ...(before?.lately ?? []).filter((each) => !isSame(each, along))].slice(0, LATELY);
  habits.set(command, { taken: isNews ? taken : before.taken, left, wrong, fields: fieldsOf(schema, names), lately });
  try {
    sessionStorage.setItem(KEPT, JSON.stringify([...habits]));
  } catch {
    // Without a storage the page forgets it when it is closed.
  }
}

/**
 * Return what comes along in the value of a command, without its other fields.
 * @param {Pick<Option, "schema">} option
 * @param {JsonObject} value
 * @returns {JsonObject}
 */
export function alongIn(option, value) {
  const { pieces = [], counts = [] } = gestureOf(option);
  return withoutUndefined(
    Object.fromEntries(
      [...pieces, ...counts].filter((name) => name in option.schema.properties).map((name) => [name, value[name]]),
    ),
  );
}

/**
 * Return the last choices of what comes along with a command of this kind that can be repeated exactly, the newest first.
 * @param {Option} option
 * @param {JsonObject} value
 * @returns {JsonObject[]}
 */
export function lately({ command, schema }, value) {
  const { pieces = [], counts = [] } = gestureOf({ schema });
  const names = [...pieces, ...counts].filter((name) => name in schema.properties);
  const choices = (habits.get(command)?.lately ?? []).map((along) => ({
    ...along,
    ...Object.fromEntries(names.map((name) => [name, withZeros(schema.properties[name], along[name])])),
  }));
  return choices.filter((along) => matches(schema, withoutUndefined({ ...value, ...along })));
}

/**
 * Return a choice with 0 or an empty list for each part that was not chosen.
 * @param {Field} schema
 * @param {Json} value
 * @returns {Json}
 */
function withZeros(schema, value) {
  if (schema.type === "integer") return value ?? 0;
  if (schema.type === "array") return value ?? [];
  if (schema.type !== "object") return value;
  return {
    .../** @type {JsonObject} */ (value),
    ...Object.fromEntries(
      Object.entries(schema.properties).map(([name, field]) => [name, withZeros(field, memberOf(value, name))]),
    ),
  };
}

/** Return a value without its empty parts, and with sorted lists, to compare it. @param {Json} value @returns {Json} */
export function something(value) {
  if (typeof value !== "object" || value === null) return value || undefined;
  if (Array.isArray(value)) return value.length ? [...value].sort() : undefined;
  const parts = Object.entries(value)
    .map(([name, part]) => /** @type {const} */ ([name, something(part)]))
    .filter(([, part]) => part !== undefined);
  return parts.length ? Object.fromEntries(parts) : undefined;
}

/**
 * Return a value with which the named fields begin. The player keeps as much as possible, and gives up or buys nothing
 * unless there is no choice. What comes along from one area to another is guessed.
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
 * Return a value with what comes along, by the guess that did best so far; at first with all of it.
 * @param {Option} option
 * @param {JsonObject} value
 * @param {string[]} names
 * @returns {JsonObject}
 */
function recalled({ command, schema }, value, names) {
  const before = habits.get(command);
  if (!before) return filled(schema, value, names, true);
  const ways = /** @type {(keyof typeof WAYS)[]} */ (Object.keys(WAYS)).sort(
    (one, other) => before.wrong[one] - before.wrong[other],
  );
  const guesses = ways.map((way) => WAYS[way](schema, value, names, before));
  return (
    guesses.find((guess) => guess && matches(schema, withoutUndefined(guess))) ??
    guesses.find(Boolean) ??
    filled(schema, value, names, true)
  );
}

/**
 * Return in how many choices two values differ.
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
 * Return how much could have been chosen and was not: a number for a count or a list, numbers by name for an object.
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
 * Return a choice of all but as much as was left behind before.
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
 * Return a value whose named fields follow from what was before; undefined when the schema does not allow it.
 * @param {ObjectField} schema
 * @param {JsonObject} value
 * @param {string[]} names
 * @param {JsonObject} before
 * @param {Follow} how
 * @returns {JsonObject | undefined}
 */
function again(schema, value, names, before, how) {
  const copy = structuredClone(value);
  for (const name of names) {
    if (!(name in schema.properties)) continue;
    copy[name] = how(schema.properties[name], before[name], value[name]);
    if (copy[name] === undefined) delete copy[name];
  }
  fit(schema, copy, names);
  return matches(schema, withoutUndefined(copy)) ? copy : undefined;
}

/**
 * Return a choice like the one before: the same, or otherwise as many. Of a list these are the last, since the first are
 * mostly the most valuable.
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
