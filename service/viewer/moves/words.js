/**
 * What comes along with a command, in words.
 * @module
 */

/**
 * @import { Labels } from "../forms/labels.js"
 * @import { JsonObject, Option } from "../types.js"
 */

import { gestureOf } from "./gestures.js";

/**
 * What comes along, in words after a title; empty where nothing does.
 * @param {Option} option
 * @param {Labels} labels
 * @param {JsonObject} values
 */
export function summary(option, values, labels) {
  const said = things(option, values, labels);
  return said.length ? `: ${said.join(", ")}` : "";
}

/**
 * @param {Option} option
 * @param {Labels} labels
 * @param {JsonObject} values
 */
export function things(option, values, labels) {
  const { pieces = [], counts = [], cards = [] } = gestureOf(option);
  return [...cards, ...pieces, ...counts].flatMap((name) => {
    const value = values[name];
    if (value === undefined || value === 0 || Number.isNaN(value)) return [];
    if (Array.isArray(value)) return value.map((item) => labels.value(item));
    if (typeof value === "object" && value !== null) {
      return Object.entries(value)
        .filter(([, number]) => Number(number) > 0)
        .map(([kind, number]) => labels.amount(Number(number), kind));
    }
    if (typeof value === "string") return [labels.value(value)];
    return typeof value === "number" ? [labels.amount(value, name)] : [];
  });
}
