/**
 * What is under way, over a corner of the board: an auction, a vote, an offer.
 * @module
 */

import { html, nothing } from "../vendor/lit-html.js";
import { shelf } from "../parts/shelf.js";

const wide = matchMedia("(min-width: 56rem)");

/** @param {import("../state/room.js").Room} room */
export function glance(room) {
  const shelves = (room.shown?.shelves ?? []).filter(({ now }) => now);
  if (!shelves.length) return nothing;
  return html`<details class="glance" ?open=${wide.matches}>
    <summary>${shelves.map(({ title }) => title.split(":")[0]).join(", ")}</summary>
    ${shelves.map((each) => shelf(room, each))}
  </details>`;
}
