/**
 * The levels of bots to choose from.
 * @module
 */

import { html } from "../vendor/lit-html.js";
import { named } from "./format.js";

/**
 * Return the level for somebody who does not choose: the middle one.
 * @param {string[]} bots the levels, the best last
 */
export function usual(bots) {
  return bots[Math.floor(bots.length / 2)];
}

/**
 * Return the options of a list in which a level is chosen.
 * @param {string[]} bots the levels, the best last
 * @param {string} [wanted] the level that is chosen at first, if it is one of them
 */
export function levels(bots, wanted = usual(bots)) {
  const first = bots.includes(wanted) ? wanted : usual(bots);
  return bots.map((each) => html`<option value=${each} ?selected=${each === first}>${named(each)}</option>`);
}
