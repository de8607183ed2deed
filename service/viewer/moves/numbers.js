/**
 * Which numbers of a bid are buttons, and which of them begin without a choice.
 * @module
 */

/** @import { Field, Option } from "../types.js" */

import { gestureOf } from "./gestures.js";

const MOST = 13; // So many numbers are buttons; of more, a slider chooses.

/** The numbers that a field can be. @param {Field} field @returns {number[]} */
export function numbersOf(field) {
  if ("enum" in field) return /** @type {number[]} */ (field.enum);
  if (field.type !== "integer") return [];
  return Array.from({ length: field.maximum - field.minimum + 1 }, (_, at) => field.minimum + at);
}

/** The numbers that a field can be, when they are few; undefined otherwise. @param {Field} field */
export function fewNumbers(field) {
  const numbers = numbersOf(field);
  return numbers.length > MOST ? undefined : numbers;
}

/**
 * The fields of a bid of which nothing is the lowest of a few numbers: none of them is meant before one was chosen.
 * @param {Option} option
 */
export function openNumbers(option) {
  const { as, counts = [] } = gestureOf(option);
  /** @param {Field} field */
  const isOpen = (field) => field.type === "integer" && field.minimum === 0 && field.maximum > 0 && fewNumbers(field);
  return as === "bid" ? counts.filter((name) => isOpen(option.schema.properties[name])) : [];
}
