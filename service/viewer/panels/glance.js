/**
 * What is under way, such as an auction, a vote, an offer or a battle. It stands beside the board, to cover nothing
 * there.
 * @module
 */

/** @import { Table } from "../types.js" */

import { html, nothing } from "../vendor/lit-html.js";
import { shelf } from "../parts/shelf.js";
import { battleCard } from "./battle.js";

const wide = matchMedia("(min-width: 56rem)");

/** @param {Table} room */
export function underWay(room) {
  return html`<div class="under-way">${glance(room)} ${battleCard(room)}</div>`;
}

/** @param {Table} room */
function glance(room) {
  const shelves = (room.currentScene?.shelves ?? []).filter(({ now }) => now);
  if (!shelves.length) return nothing;
  return html`<details class="glance" ?open=${wide.matches}>
    <summary>${shelves.map(({ title }) => title.split(":")[0]).join(", ")}</summary>
    ${shelves.map((each) => shelf(room, each))}
  </details>`;
}
