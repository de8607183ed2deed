/**
 * The documents that a game needs besides its board, such as cards, each with a remark and the start of its hash.
 * @module
 */

import { html } from "../vendor/lit-html.js";

/** @param {{remarks?: Record<string, string>, documents: Record<string, string> | string[]}} of a game, or a ruleset */
export function remarks({ remarks = {}, documents }) {
  return Object.entries(remarks).map(
    ([name, words]) => html`<p class="quiet">Played with the ${name}
    ${Array.isArray(documents) ? "" : html`<code>${documents[name].slice(7, 15)}</code>`}: ${words}</p>`,
  );
}
