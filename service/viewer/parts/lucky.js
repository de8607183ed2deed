/**
 * The luck of dice, in words.
 * @module
 */

/** @import { Luck } from "../types.js" */

import { count } from "./format.js";

const USUAL = 1; // Standard deviations within which two of three games lie.
const RARE = 2; // Standard deviations within which 19 of 20 games lie.

/**
 * Return how many dice were rolled, what they were worth, and what was expected: "34 dice worth 21, 17.0 expected:
 * lucky".
 * @param {Luck} luck
 */
export function lucky({ rolled, worth, expected, deviations }) {
  const far = Math.abs(deviations);
  const way = deviations > 0 ? "lucky" : "unlucky";
  const words = far < USUAL ? "as usual" : far < RARE ? way : `very ${way}`;
  return `${rolled === 1 ? "1 die" : count(rolled, "dice").replace(/dices$/, "dice")} worth ${worth}, ${expected.toFixed(1)} expected: ${words}`;
}
