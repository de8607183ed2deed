/**
 * What gestures mean: which of several moves is the usual one, what it leaves to ask, and how the form of a command
 * begins.
 * @module
 */

/**
 * @import { Command, Field, JsonObject, Option } from "../types.js"
 * @import { Move } from "./gestures.js"
 */

import { amount, choicesOf, initial, isFixed } from "../forms/schema.js";
import { alongIn, begun, isKnown, isUsual } from "./along.js";
import { filled, isForced } from "./filling.js";
import { chosenIn, gestureOf } from "./gestures.js";
import { openNumbers } from "./numbers.js";

/**
 * Tell whether an option can move on what a command moved: it gives the same command and, if pieces were named, can
 * move one of them.
 * @param {Option} option
 * @param {Command} before
 */
export function goesOn({ command, schema }, before) {
  if (command !== before.type) return false;
  const { pieces = [] } = schema["x-gesture"] ?? {};
  const moved = pieces.flatMap((/** @type {string} */ name) => before[name] ?? []);
  const movable = pieces.flatMap((name) => choicesIn(schema.properties[name]));
  return !moved.length || moved.some((piece) => movable.includes(piece));
}

/**
 * Return the usual one of several moves: of a command that was given before, if possible with the same fields as then;
 * otherwise the first.
 * @param {Move[]} moves
 */
export function usual(moves) {
  const known = moves.find(({ option }) => isKnown(option.command)) ?? moves[0];
  return (
    moves.find(({ option }) => option.command === known.option.command && isUsual(option, chosenIn(option))) ?? known
  );
}

/** Return how much can come along with a command. @param {Option} option */
export function mostAlong(option) {
  const most = filled(option.schema, /** @type {JsonObject} */ (initial(option.schema)), chosenIn(option), true);
  return Object.values(alongIn(option, most))
    .map(amount)
    .reduce((sum, each) => sum + each, 0);
}

/**
 * Tell whether a gesture leaves nothing to ask: all that it does not decide comes along, or allows only one value.
 * @param {Pick<Move, "option" | "end" | "fix">} move
 */
export function isClear({ option, end, fix }) {
  const { as, pieces = [], counts = [] } = gestureOf(option);
  const along = end === null || as ? [] : [...pieces, ...counts];
  const open = chosenIn(option).filter((name) => !(name in fix) && !isFixed(option.schema.properties[name]));
  return (
    open.every((name) => along.includes(name)) ||
    isForced(option.schema, { .../** @type {JsonObject} */ (initial(option.schema)), ...fix }, open)
  );
}

/**
 * Return the value with which the control of an option begins. A bid begins as low as it may be; with few numbers from
 * 0 it begins empty.
 * @param {Option} option
 */
export function beginning(option) {
  const value = /** @type {JsonObject} */ (initial(option.schema));
  const { as, counts = [] } = gestureOf(option);
  if (as === "bid") for (const name of counts) value[name] ??= firstOf(option.schema.properties[name]);
  const open = Object.fromEntries(openNumbers(option).map((name) => [name, undefined]));
  return { ...begun(option, value, chosenIn(option)), ...open };
}

/** What can be chosen in a field, be it one value or a list of them. @param {Field | undefined} field */
export function choicesIn(field) {
  return field ? choicesOf(field.type === "array" ? field.items : field) : [];
}

/**
 * The most that a count of an option may be.
 * @param {Option} option
 * @param {string} name
 */
export function mostOf(option, name) {
  const field = option.schema.properties[name];
  return field?.type === "integer" ? field.maximum : 0;
}

/** The first value of an enumeration; undefined for any other field. @param {Field} schema */
export function firstOf(schema) {
  return "enum" in schema ? schema.enum[0] : undefined;
}

/**
 * Return one move of each option. Moves of one option at one place differ only in a piece, which is chosen afterwards.
 * @param {Move[]} moves
 */
export function oneOfEach(moves) {
  const seen = new Set();
  return moves.filter(({ option }) => !seen.has(option) && seen.add(option));
}
