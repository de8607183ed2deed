/**
 * What a gesture means, in words: what is done, where, and what comes along.
 * @module
 */

/**
 * @import { Labels } from "../forms/labels.js"
 * @import { JsonObject, Option } from "../types.js"
 */

import { isSame } from "../forms/schema.js";
import { gestureOf, pointedFields } from "./gestures.js";

/**
 * Return what a command does and where: "March to Ostia".
 * @param {Option} option
 * @param {JsonObject} value
 * @param {string | null} end the area where its gesture ends
 * @param {Labels | null} labels
 */
export function sentence(option, value, end, labels) {
  const title = option.title || option.command;
  const { from } = gestureOf(option);
  const named = pointedFields(option)
    .flatMap((name) => (name !== from ? [value[name]] : []))
    .filter((each) => each !== undefined && !isSame(each, []));
  const where = end && !named.length ? [end] : named;
  const words = where.map((each) => labels?.value(each) ?? `${each}`).filter((word) => !title.includes(word));
  return words.length ? `${title} ${end ? "to" : "in"} ${words.join(", ")}` : title;
}

/**
 * Return what comes along, and cards, as words that follow a title; an empty text when there is nothing.
 * @param {Option} option
 * @param {Labels} labels
 * @param {JsonObject} values
 */
export function summary(option, values, labels) {
  const words = things(option, values, labels);
  return words.length ? `: ${words.join(", ")}` : "";
}

/**
 * Return the things that come along, and cards, each in words.
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
