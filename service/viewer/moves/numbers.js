/**
 * Which numbers of a bid are buttons, and which of them begin without a choice.
 * @module
 */

/** @import { Field, Json, Option } from "../types.js" */

import { gestureOf } from "./gestures.js";

const MOST = 13; // So many numbers are buttons; of more, a slider chooses.

/**
 * The numbers that a field can be, when they are few; undefined otherwise.
 * @param {{enum?: Json[], minimum?: number, maximum?: number}} field
 */
export function fewNumbers({ enum: values, minimum, maximum }) {
  const number = values?.length ?? maximum - minimum + 1;
  return number > MOST ? undefined : (values ?? Array.from({ length: number }, (_, at) => minimum + at));
}

/**
 * The fields of a bid of which nothing is the lowest of a few numbers: none of them is meant before one was chosen.
 * @param {Option} option
 */
export function openNumbers(option) {
  const { as, counts = [] } = gestureOf(option);
  /** @param {Field} field */
  const isOpen = ({ type, minimum, maximum }) => type === "integer" && minimum === 0 && maximum > 0 && fewNumbers({ minimum, maximum });
  return as === "bid" ? counts.filter((name) => isOpen(option.schema.properties[name])) : [];
}
