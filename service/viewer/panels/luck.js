/**
 * The luck in a game that is over: what the dice of each seat were worth, and what was expected of them.
 * @module
 */

/**
 * @import { Room } from "../state/room.js"
 * @import { Entered, GameLuck } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { chip } from "../parts/chip.js";
import { seatName } from "../parts/format.js";
import { lucky } from "../parts/lucky.js";

/** The luck in each room; null while the service is asked for it. @type {WeakMap<Room, GameLuck | null>} */
const told = new WeakMap();

/** @param {Entered} room */
export function luckPart(room) {
  if (!room.game.result || room.game.fork) return nothing;
  if (!told.has(room)) {
    told.set(room, null);
    room.api.get(`/v1/games/${room.id}/luck`).then(
      (luck) => {
        told.set(room, luck);
        room.redraw();
      },
      () => told.delete(room),
    );
  }
  const seats = Object.entries(told.get(room)?.seats ?? {});
  if (!seats.length) return nothing;
  return html`<h3>Luck of the dice</h3>
    <ul class="luck">${seats.map(([seat, dice]) => html`<li>${chip(room, seat)} ${seatName(room.game, seat)} <span class="quiet">${dice.map(lucky).join("; ")}</span></li>`)}</ul>`;
}
