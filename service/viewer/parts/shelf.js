/**
 * A shelf shows what lies beside the board, such as a bank, an offer or a vote: each item with its sign and in words.
 * @module
 */

/** @import { Shelf, Table } from "../types.js" */

import { html } from "../vendor/lit-html.js";
import { chip } from "./chip.js";
import { linked } from "./papers.js";

/**
 * @param {Table} room
 * @param {Shelf} shelf
 */
export function shelf(room, { title, items }) {
  return html`<section class="shelf"><h3>${linked(room, title)}</h3>
    <ul>${items.map((item) => html`<li>${item.seat ? chip(room, item.seat) : glyph(item.kind)} ${linked(room, item.words ?? "")}</li>`)}</ul>
  </section>`;
}

/** The sign of a kind of mark. It uses a symbol of the board in the page. @param {string} kind */
export function glyph(kind) {
  return html`<svg class="chip" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><use href="#glyph-${kind}" /></svg>`;
}
