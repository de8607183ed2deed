/**
 * What changed between two versions, or between a fork and its parent: area by area in words, and what each seat has.
 * @module
 */

/**
 * @import { Frames } from "../state/frames.js"
 * @import { Room } from "../state/room.js"
 * @import { At, Entered, Scene } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { contentOf } from "../board/board.js";
import { chip } from "../parts/chip.js";
import { capital, plain, scored, seatName } from "../parts/format.js";
import { besideParent } from "./forks.js";

/**
 * The lines of an area that were removed and added.
 * @typedef {{area: string, name: string, removed: string[], added: string[]}} AreaDiffers
 *
 * The figures of a seat, or of a nation that it leads, that changed.
 * @typedef {{seat: string, nation?: string, figures: {name: string, was: number, is: number}[]}} SeatDiffers
 */

/** The last result, and what it was computed for. @type {{versions: string, frames: Frames | null, result: {areas: AreaDiffers[], seats: SeatDiffers[]}}} */
const last = { versions: "", frames: null, result: { areas: [], seats: [] } };

/** @param {Room} room */
export function comparePanel(room) {
  return html`<h2>What changed</h2>
    <form class="versions" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <label>from version <input type="number" min="1" max=${room.head} .value=${`${room.against ?? ""}`}
        @change=${(/** @type {At<HTMLInputElement>} */ event) => room.compare(event.target.value === "" ? null : Number(event.target.value))} /></label>
      <span>to version ${room.version}</span>
    </form>
    <div class="choice" role="group" aria-label="Compare with">
      ${["event", "command", "turn"].map((stride) => html`<button @click=${() => room.isEntered() && compareBack(room, stride)}>one ${stride} before</button>`)}
      <button @click=${() => room.compare(room.version)}>Compare from here</button>
      ${room.against === null ? nothing : html`<button @click=${() => room.compare(null)}>Stop comparing</button>`}
    </div>
    ${besideParent(room)}
    ${!room.isEntered() || !room.isComparing ? html`<p class="quiet">Choose a version to compare with: what is different is framed on the board and listed here.</p>` : list(room)}`;
}

/**
 * Compare with the version that is one stride before.
 * @param {Entered} room
 * @param {string} stride
 */
async function compareBack(room, stride) {
  room.compare((await room.beyond(-1, stride)) ?? 1);
}

/** @param {Entered} room */
function list(room) {
  if (!room.before || !room.scene(room.version)) return html`<p class="quiet">…</p>`;
  const { areas, seats } = differences(room);
  const other = room.beside ? `version ${room.parallel} of the other game` : `version ${room.against}`;
  if (!areas.length && !seats.length) return html`<p>Nothing differs between ${other} and version ${room.version}.</p>`;
  return html`<p class="quiet" role="status">${areas.length} ${areas.length === 1 ? "area differs" : "areas differ"}.</p>
    <ul class="differences">
      ${seats.map(
        ({
          seat,
          nation,
          figures,
        }) => html`<li>${chip(room, seat)} <strong>${nation ?? seatName(room.game, seat)}</strong>
        ${figures.map(({ name, was, is }) => html`<span class="figure">${plain(name)} ${scored(was)} → ${scored(is)}</span>`)}</li>`,
      )}
      ${areas.map(
        ({ area, name, removed, added }) => html`<li>
        <button class="area" @click=${() => go(room, area)}>${name}</button>
        <ul>
          ${removed.map((line) => html`<li class="gone"><del><span class="hidden">gone: </span>${line}</del></li>`)}
          ${added.map((line) => html`<li class="come"><ins><span class="hidden">new: </span>${line}</ins></li>`)}
        </ul></li>`,
      )}
    </ul>`;
}

/**
 * Choose an area, and bring it into view.
 * @param {Entered} room
 * @param {string} area
 */
function go(room, area) {
  room.choose(area);
  room.board.focus(area);
}

/**
 * Return what differs between the version that is shown and the one it is compared with.
 * @param {Room} room
 * @returns {{areas: AreaDiffers[], seats: SeatDiffers[]}} empty until both scenes are loaded
 */
export function differences(room) {
  const [before, after] = [room.before, room.scene(room.version)];
  if (!before || !after) return { areas: [], seats: [] };
  const versions = `${room.beside ? `parent ${room.parallel}` : room.against} ${room.version}`;
  if (last.versions === versions && last.frames === room.frames) return last.result;
  const result = { areas: [...areasOf(before, after)], seats: [...seatsOf(before, after)] };
  Object.assign(last, { versions, frames: room.frames, result });
  return result;
}

/**
 * @param {Scene} before
 * @param {Scene} after
 */
function* areasOf(before, after) {
  for (const area of Object.keys({ ...before.areas, ...after.areas })) {
    const [old, now] = [before.areas[area] ?? "", after.areas[area] ?? ""];
    if (old === now) continue;
    const [was, is] = [contentOf(old), contentOf(now)];
    const name = (is[0] ?? was[0] ?? capital(plain(area))).split(",")[0];
    yield { area, name, removed: without(was, is), added: without(is, was) };
  }
}

/**
 * Return the lines that another list lacks. Of equal lines, those that are too many are returned.
 * @param {string[]} lines
 * @param {string[]} others
 */
function without(lines, others) {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/**
 * @param {Scene} before
 * @param {Scene} after
 */
function* seatsOf(before, after) {
  for (const standing of after.standings ?? []) {
    const was = before.standings?.find((other) => other.seat === standing.seat);
    yield* figuresOf({ seat: standing.seat }, was, standing);
    for (const each of standing.nations ?? []) {
      const had = was?.nations?.find((other) => other.nation === each.nation);
      yield* figuresOf({ seat: standing.seat, nation: each.name }, had, each);
    }
  }
}

/**
 * @param {{seat: string, nation?: string}} whose
 * @param {{figures: Record<string, number>} | undefined} was
 * @param {{figures: Record<string, number>}} now
 */
function* figuresOf(whose, was, now) {
  const figures = Object.entries(now.figures)
    .filter(([name, is]) => was?.figures[name] !== is)
    .map(([name, is]) => ({ name, was: was?.figures[name] ?? 0, is }));
  if (figures.length) yield { ...whose, figures };
}
