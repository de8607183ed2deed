/**
 * What lies over the board: buttons that zoom, the content of the area that is pointed at or chosen, and a note while
 * something is loading.
 * @module
 */

/**
 * @import { Board } from "../board/board.js"
 * @import { Table } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { icon } from "../parts/icons.js";
import { linked } from "../parts/papers.js";

/** @param {Table} room */
export function boardPanel(room) {
  const { board } = room;
  if (!board.svg) return boardWaits(room);
  // While a move is being made, the card would cover areas where the move can end.
  const area = room.moves?.isComplete || room.moves?.start ? null : (board.pointed ?? room.area);
  return html`<div class="lens" role="group" aria-label="The view of the board">
      <button title="Nearer (+)" aria-label="Nearer" @click=${() => board.camera?.zoom(1.4)}>${icon("nearer")}</button>
      <button title="Farther (−)" aria-label="Farther" @click=${() => board.camera?.zoom(1 / 1.4)}>${icon("farther")}</button>
      <button title="The whole board (0)" aria-label="The whole board" @click=${() => board.camera?.reset()}>${icon("whole")}</button>
    </div>
    ${area ? areaCard(room, area) : nothing}
    ${room.scene(room.version) ? nothing : html`<p class="waiting" role="status">Loading version ${room.version} …</p>`}`;
}

/** The text in place of a map. @param {{board: Board, problem: unknown}} room */
export function boardWaits({ board, problem }) {
  if (board.isMissing) return html`<p class="waiting">There is no map of this board.</p>`;
  return html`<p class="waiting">${problem ? "The board could not be loaded." : "Loading the board …"}</p>`;
}

/**
 * @param {Table} room
 * @param {string} area
 */
function areaCard(room, area) {
  const [name, ...lines] = room.board.content(area);
  const isChosen = room.area === area && !room.board.pointed;
  // Before an area is chosen, the card goes when the pointer leaves the board, so the card must not catch the pointer.
  return html`<div class="area-card ${room.area ? "" : "passing"}" role="status" aria-label="In this area" tabindex="0">
    <h2>${linked(room, name ?? area)}</h2>
    ${lines.length ? html`<ul>${lines.map((line) => html`<li>${linked(room, line)}</li>`)}</ul>` : html`<p>Nothing is here.</p>`}
    ${isChosen ? html`<button class="close" aria-label="Close" @click=${() => room.choose(null)}>${icon("close")}</button>` : nothing}
  </div>`;
}
