/**
 * A list of the areas with what is in them, for a screen that shows little of the board. A click on an area here
 * chooses it as a tap on the board does.
 * @module
 */

/**
 * @import { Room } from "../state/room.js"
 * @import { Entered } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { repeat } from "../vendor/directives/repeat.js";

/**
 * An area. Its first line is its name; the others are what is in it.
 * @typedef {{area: string, lines: string[]}} Place
 */

/** @param {Room} room */
export function wherePanel(room) {
  const { board, moves } = room;
  if (!room.isEntered() || !board?.svg) return html`<p class="quiet">There is no map of this board.</p>`;
  const open = moves?.isOpen ? (moves.start === null ? moves.starts : moves.ends) : new Set();
  const role = moves?.start ? "a move can end here" : "can act";
  const all = board.areas
    .map((area) => ({ area, lines: board.content(area) }))
    .sort((one, other) => nameOf(one).localeCompare(nameOf(other)));
  const first = all.filter(({ area }) => open.has(area) || moves?.start === area);
  const others = all.filter((each) => !first.includes(each));
  const [full, empty] = [
    others.filter(({ lines }) => lines.length > 1),
    others.filter(({ lines }) => lines.length < 2),
  ];
  /** @param {Place[]} some */
  const list = (some) =>
    html`<ul class="where-list">${repeat(
      some,
      ({ area }) => area,
      (each) => entry(room, each, open.has(each.area) ? role : ""),
    )}</ul>`;
  return html`<h2>Where</h2>
    ${list([...first, ...full])}
    ${empty.length ? html`<details><summary>Empty areas <span class="quiet">${empty.length}</span></summary>${list(empty)}</details>` : nothing}`;
}

/**
 * @param {Entered} room
 * @param {Place} place
 * @param {string} role what the area can be in a move; empty for nothing
 */
function entry(room, { area, lines }, role) {
  const [name, ...inside] = lines;
  const isChosen = room.area === area || room.moves?.start === area;
  return html`<li><button aria-pressed=${String(isChosen)} @click=${() => room.board.select(area)}>
    <strong>${name ?? area}</strong>${role ? html` <span class="tag now">${role}</span>` : nothing}
    ${inside.length ? html`<span class="inside">${inside.join(", ")}</span>` : nothing}</button></li>`;
}

/** @param {Place} place */
function nameOf({ area, lines }) {
  return lines[0] ?? area;
}
