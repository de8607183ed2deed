/**
 * The luck in a game that is over: what the dice of each seat were worth, and what was expected.
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

/** The luck in each room; null while it is being read. @type {WeakMap<Room, GameLuck | null>} */
const byRoom = new WeakMap();

/** @param {Entered} room */
export function luckPart(room) {
  if (!room.game.result || room.game.fork) return nothing;
  if (!byRoom.has(room)) {
    byRoom.set(room, null);
    room.api.get(`/v1/games/${room.id}/luck`).then(
      (luck) => {
        byRoom.set(room, luck);
        room.redraw();
      },
      () => byRoom.delete(room),
    );
  }
  const seats = Object.entries(byRoom.get(room)?.seats ?? {});
  if (!seats.length) return nothing;
  return html`<h3>Luck of the dice</h3>
    <ul class="luck">${seats.map(([seat, dice]) => html`<li>${chip(room, seat)} ${seatName(room.game, seat)} <span class="quiet">${dice.map(lucky).join("; ")}</span></li>`)}</ul>`;
}
