/**
 * What can be pointed at: the gestures of options, as `x-gesture` in their schemas says. `domain/kernel/rules/gesture.py`
 * says what that means.
 * @module
 */

import { choicesOf, isPlain } from "../forms/schema.js";

/**
 * A gesture: from an area to another, or at one area alone.
 * @typedef {object} Move
 * @property {object} option that it gives
 * @property {string} start the area where it begins
 * @property {string | null} end the area where it ends; null when it points at one area only
 * @property {Record<string, unknown>} fix the fields that it decides
 */

/** Return what an option says of itself; nothing for an option without a gesture. */
export function gestureOf(option) {
  return option.schema["x-gesture"] ?? {};
}

/** Tell whether an option has a place on the map. */
export function isOnMap(option) {
  const { from, to, between } = gestureOf(option);
  return Boolean(from ?? to ?? between);
}

/** Tell whether an option only declines, and leaves nothing to choose. */
export function isQuiet(option) {
  return Boolean(gestureOf(option).quiet) && isPlain(option);
}

/** The fields of an option that are chosen besides where it is done. */
export function chosenIn({ schema }) {
  const { from, to, between } = schema["x-gesture"] ?? {};
  const places = new Set([from, to, between, "type"]);
  return Object.keys(schema.properties).filter((name) => !places.has(name));
}

/** Return the gestures of an option. @returns {Move[]} */
export function movesOf(option) {
  const { from, to, between, places = {} } = gestureOf(option);
  const { properties } = option.schema;
  const place = (value) => places[value] ?? value;
  const values = (name) => valuesOf(properties[name]);
  const fixed = (name, value) => ({ [name]: fixedTo(properties[name], value) });
  if (between) {
    return values(between).flatMap((value) => {
      const [one, other] = value.split("|");
      return [[one, other], [other, one]].map(([start, end]) => ({ option, start, end, fix: fixed(between, value) }));
    });
  }
  if (from && to) {
    return values(from).flatMap((start) =>
      values(to)
        // What lies in one place is one gesture: galleys of the same sea go aboard or ashore there.
        .map((end) => ({ option, start: place(start), end: place(end), fix: { ...fixed(from, start), ...fixed(to, end) } }))
        .map((move) => (move.start === move.end ? { ...move, end: null } : move)),
    );
  }
  const only = from ?? to;
  return only ? values(only).map((value) => ({ option, start: place(value), end: null, fix: fixed(only, value) })) : [];
}

function valuesOf(field) {
  if (field.type === "array") return choicesOf(field.items) ?? [];
  if (field.type === "object") return Object.keys(field.properties);
  return choicesOf(field) ?? [];
}

function fixedTo(field, value) {
  if (field.type === "array") return [value];
  if (field.type === "object") return { [value]: field.properties[value].maximum };
  return value;
}
