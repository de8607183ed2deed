/**
 * A die as it fell: numbers as pips or numerals, faces that show a kind of piece with its glyph. Screen readers get the
 * name of the face.
 * @module
 */

/** @import { Table } from "../types.js" */

import { html, nothing, svg } from "../vendor/lit-html.js";
import { capital, plain } from "./format.js";

/** The coordinates of the pips' centres on a face that is 24 wide. */
const [FIRST, MIDDLE, LAST] = [6.5, 12, 17.5];
/** @type {Record<string, number[][]>} */
const PIPS = {
  1: [[MIDDLE, MIDDLE]],
  2: [
    [FIRST, FIRST],
    [LAST, LAST],
  ],
  3: [
    [FIRST, FIRST],
    [MIDDLE, MIDDLE],
    [LAST, LAST],
  ],
  4: [
    [FIRST, FIRST],
    [LAST, FIRST],
    [FIRST, LAST],
    [LAST, LAST],
  ],
  5: [
    [FIRST, FIRST],
    [LAST, FIRST],
    [MIDDLE, MIDDLE],
    [FIRST, LAST],
    [LAST, LAST],
  ],
  6: [
    [FIRST, FIRST],
    [FIRST, MIDDLE],
    [FIRST, LAST],
    [LAST, FIRST],
    [LAST, MIDDLE],
    [LAST, LAST],
  ],
};

/**
 * The dice of a roll, in their order.
 * @param {Table} room
 * @param {{die: string, faces: string[], struck?: boolean[]}} roll `struck` says which dice hit; empty or absent without hits
 */
export function dieFaces(room, { die, faces, struck = [] }) {
  const { dice = {}, kinds = {} } = room.ruleset ?? {};
  const hasPips = (dice[die] ?? faces).every((face) => face in PIPS);
  return html`<ul class="faces">${faces.map((face, at) => {
    const word = `${capital(plain(face))}${struck.length ? (struck[at] ? ", hits" : ", misses") : ""}`;
    return html`<li class="die-face ${struck.length ? (struck[at] ? "struck" : "missed") : ""}" title=${word}>
      ${drawnFace(face, hasPips, kinds[face])}<span class="hidden">${word}</span></li>`;
  })}</ul>`;
}

/**
 * @param {string} face
 * @param {boolean} hasPips
 * @param {string} kind of piece that the face shows; empty for a blank face
 */
function drawnFace(face, hasPips, kind) {
  if (hasPips)
    return svg`<svg viewBox="0 0 24 24" aria-hidden="true">${PIPS[face].map(([x, y]) => svg`<circle cx=${x} cy=${y} r="2.4" />`)}</svg>`;
  if (kind)
    return html`<svg viewBox="-4 -4 32 32" aria-hidden="true"><use href="#glyph-${kind}" width="24" height="24" /></svg>`;
  return kind === "" ? nothing : html`<span aria-hidden="true">${plain(face)}</span>`;
}
