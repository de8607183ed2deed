/**
 * The game at a glance, over a corner of the board: the seats in their order, whose turn it is, and what is under way.
 * @module
 */

import { html, nothing } from "../vendor/lit-html.js";
import { chip } from "../parts/chip.js";
import { shelf } from "../parts/shelf.js";

const wide = matchMedia("(min-width: 56rem)");

/** @param {import("../state/room.js").Room} room */
export function glance(room) {
  const { standings = [], shelves = [] } = room.shown ?? {};
  const playing = standings.filter((standing) => !standing.out);
  if (!playing.length) return nothing;
  return html`<details class="glance" ?open=${wide.matches}>
    <summary><span class="hidden">At a glance: </span>${playing.map((standing) => seat(room, standing))}</summary>
    ${shelves.filter(({ now }) => now).map((each) => shelf(room, each))}
  </details>`;
}

function seat(room, { seat, name, active, won, nations = [] }) {
  const acting = nations.filter((nation) => nation.active).map((nation) => nation.name);
  return html`<span class="seat">${chip(room, seat)} <span class="name">${name}</span>
    ${active ? html`<span class="active">${acting.length ? `${acting.join(", ")} to move` : "to move"}</span>` : nothing}
    ${won ? html`<span class="active">won</span>` : nothing}</span>`;
}
