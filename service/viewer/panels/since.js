/**
 * What happened since the last move of the viewer's seat: a line that opens to a summary, with marks on the board.
 * @module
 */

/**
 * @import { Room } from "../state/room.js"
 * @import { SeatMove } from "../state/since.js"
 * @import { At, Entered } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { chip } from "../parts/chip.js";
import { count, named } from "../parts/format.js";
import { sinceOf } from "../state/since.js";

/**
 * A sentence for one or more moves of the same kind by a seat: the first and the last version, and how many more there
 * are.
 * @typedef {{type: string, seat: string | null | undefined, text: string, from: number, to: number, more: number}} Line
 */

/** @param {Room} room */
export function sinceLine(room) {
  if (!room.isEntered()) return nothing;
  const since = sinceOf(room);
  const { moves } = since;
  if (!moves.length) return nothing;
  const seats = [...new Set(moves.flatMap(({ seat }) => seat ?? []))];
  return html`<details class="since" .open=${since.isOpen} @toggle=${(/** @type {At<HTMLDetailsElement>} */ { target }) => since.open(target.open)}>
    <summary>${count(moves.length, "move")} ${since.hasMoved ? "since yours" : "so far"}${seats.length ? html`: ${seats.map((seat) => html`${chip(room, seat)}<span class="hidden">${named(seat)} </span>`)}` : nothing}</summary>
    <button class="inline" @click=${() => since.step()}>Step through <kbd aria-hidden="true">s</kbd></button>
    <ol>${summary(moves).map((line) => sentence(room, line))}</ol>
  </details>`;
}

/**
 * @param {Entered} room
 * @param {Line} line
 */
function sentence(room, { seat, text, from, to, more }) {
  const isShown = !room.following && room.version >= from && room.version <= to;
  return html`<li aria-current=${isShown ? "step" : nothing}><button class="sentence" @click=${() => room.show(to)}>
    ${seat ? html`${chip(room, seat)}<span class="hidden">${named(seat)}: </span>` : html`<span class="chip"></span>`}
    <span>${text}${more ? html` <span class="quiet">and ${more} more like it</span>` : nothing}</span></button></li>`;
}

/**
 * Return the moves in sentences: the commands, and the events that changed the board or rolled dice. When a seat does
 * the same several times in a row, the first has its sentence and the others are counted.
 * @param {SeatMove[]} moves
 */
function summary(moves) {
  /** @type {Line[]} */
  const lines = [];
  for (const { seat, to, frames } of moves) {
    for (const { type, text, version, command, happened, rolls } of frames) {
      if (!command && !happened && !rolls?.length) continue;
      const last = lines.at(-1);
      if (last && last.type === type && last.seat === seat) Object.assign(last, { to, more: last.more + 1 });
      else lines.push({ type, seat, text, from: version, to, more: 0 });
    }
  }
  return lines;
}
