/**
 * The numbers of a bid: which are buttons, and which have to be chosen.
 * @module
 */

/** @import { Field, Option } from "../types.js" */

import { gestureOf } from "./gestures.js";

const MOST = 13; // Up to this many numbers are buttons; more have a slider.

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
 * Return the fields of a bid that have few numbers, from 0. They begin empty: the player has to choose even 0.
 * @param {Option} option
 */
export function openNumbers(option) {
  const { as, counts = [] } = gestureOf(option);
  /** @param {Field} field */
  const isOpen = (field) => field.type === "integer" && field.minimum === 0 && field.maximum > 0 && fewNumbers(field);
  return as === "bid" ? counts.filter((name) => isOpen(option.schema.properties[name])) : [];
}
