/**
 * The sign of a seat: its colour and its emblem, as on the board. Not everybody can tell colours apart.
 * @module
 */

/** @import { Table } from "../types.js" */

import { html } from "../vendor/lit-html.js";

/** The sign of a seat that has no standing in the scene. */
const NOBODY = { colour: "#6d6459", ink: "#fffdf6", emblem: "" };

/**
 * @param {Table} room
 * @param {string | null} seat
 */
export function chip(room, seat) {
  const { colour, ink, emblem } = room.currentScene?.standings?.find((standing) => standing.seat === seat) ?? NOBODY;
  return html`<svg class="chip" viewBox="0 0 16 16" aria-hidden="true">
    <circle cx="8" cy="8" r="8" fill=${colour} />
    <use href="#${emblem}" x="4" y="4" width="8" height="8" fill=${ink} />
  </svg>`;
}

/**
 * The letters that mark the pieces of a nation, in the colour of its seat.
 * @param {{colour: string, ink: string}} seat
 * @param {string} letters
 */
export function signOf({ colour, ink }, letters) {
  const wide = 8 + 9 * letters.length;
  return html`<svg class="sign" viewBox="0 0 ${wide} 16" aria-hidden="true">
    <rect width=${wide} height="16" rx="4" fill=${colour} />
    <text x=${wide / 2} y="12" text-anchor="middle" font-size="12" font-weight="700" fill=${ink}>${letters}</text>
  </svg>`;
}
