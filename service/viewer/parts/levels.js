/**
 * The levels of bots to choose from.
 * @module
 */

import { html } from "../vendor/lit-html.js";
import { named } from "./format.js";

/** Return the options of a choice: the best is chosen first. @param {string[]} bots the levels, the best last */
export function levels(bots) {
  return bots.map((each, at) => html`<option value=${each} ?selected=${at === bots.length - 1}>${named(each)}</option>`);
}
