/**
 * What can be pointed at: the gestures of options, as `x-gesture` in their schemas says.
 * `domain/kernel/rules/gesture.py` says what that means.
 * @module
 */

/** @import { Field, IntegerField, JsonObject, Option } from "../types.js" */

import { choicesOf, isFixed, isPlain } from "../forms/schema.js";

/**
 * A gesture: from an area to another, or at one area alone.
 * @typedef {object} Move
 * @property {Option} option that it gives
 * @property {string} start the area where it begins, or the only one
 * @property {string | null} end the area where it ends; null when it points at one area only
 * @property {JsonObject} fix the fields that it decides
 */

/**
 * What is meant: an option, and the fields that pointing decided.
 * @typedef {Pick<Move, "option" | "fix">} Meant
 */

/** Return the gesture keywords of an option; an empty object for one without a gesture. @param {Pick<Option, "schema">} option */
export function gestureOf(option) {
  return option.schema["x-gesture"] ?? {};
}

/** The fields of an option that pointing at areas decides. @param {Pick<Option, "schema">} option */
export function pointedFields(option) {
  const { from, to, between } = gestureOf(option);
  return [from, to, between].flatMap((name) => name ?? []);
}

/** Tell whether an option has a place on the map. @param {Option} option */
export function isOnMap(option) {
  return pointedFields(option).length > 0;
}

/** Tell whether an option only declines, and leaves nothing to choose. @param {Option} option */
export function isQuiet(option) {
  return Boolean(gestureOf(option).quiet) && isPlain(option);
}

/** The fields of an option that are chosen besides where it is done. @param {Option} option */
export function chosenIn(option) {
  const places = new Set([...pointedFields(option), "type"]);
  return Object.keys(option.schema.properties).filter((name) => !places.has(name));
}

/** Tell whether there is anything to take along: then one click takes all of it or none. @param {Option} option */
export function hasAlong(option) {
  const { counts = [], pieces = [], as } = gestureOf(option);
  if (as) return false;
  const names = new Set([...counts, ...pieces]);
  return chosenIn(option).some((name) => names.has(name) && !isFixed(option.schema.properties[name]));
}

/**
 * Return the gestures of an option.
 * @param {Option} option
 * @returns {Move[]}
 */
export function movesOf(option) {
  const { from, to, between, places = {} } = gestureOf(option);
  const { properties } = option.schema;
  /** @param {string} value */
  const place = (value) => places[value] ?? value;
  /** @param {string} name */
  const values = (name) => valuesOf(properties[name]);
  /**
   * @param {string} name
   * @param {string} value
   */
  const fixed = (name, value) => ({ [name]: fixedTo(properties[name], value) });
  if (between) {
    return values(between).flatMap((value) => {
      const [one, other] = value.split("|");
      return [
        [one, other],
        [other, one],
      ].map(([start, end]) => ({ option, start, end, fix: fixed(between, value) }));
    });
  }
  if (from && to) {
    return values(from).flatMap((start) =>
      values(to)
        // A start and an end in the same area are one point, such as when units board a galley there.
        .map((end) => ({
          option,
          start: place(start),
          end: place(end),
          fix: { ...fixed(from, start), ...fixed(to, end) },
        }))
        .map((move) => (move.start === move.end ? { ...move, end: null } : move)),
    );
  }
  const only = from ?? to;
  return only ? values(only).map((value) => ({ option, start: place(value), end: null, fix: fixed(only, value) })) : [];
}

/** @param {Field} field */
function valuesOf(field) {
  if (field.type === "object") return Object.keys(field.properties);
  return /** @type {string[]} */ (choicesOf(field.type === "array" ? field.items : field));
}

/**
 * @param {Field} field
 * @param {string} value
 */
function fixedTo(field, value) {
  if (field.type === "array") return [value];
  if (field.type === "object") return { [value]: /** @type {IntegerField} */ (field.properties[value]).maximum };
  return value;
}
