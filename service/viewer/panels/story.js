/**
 * The history in sentences, which follows the version of the board. Only sentences near that version are in the page.
 * @module
 */

/**
 * @import { Room } from "../state/room.js"
 * @import { At, Entered, Frame } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { repeat } from "../vendor/directives/repeat.js";
import { chip } from "../parts/chip.js";
import { named } from "../parts/format.js";
import { link, namedIn } from "../parts/papers.js";
import { takeBacksOf } from "../state/take-backs.js";

const NEAR = 14; // Sentences before and after the version; and how many are added at an end of the list.
const MOST = 400; // Sentences that stay in the page.
const REST = 150; // Milliseconds without a change before another part is drawn. Drawing sooner would slow down the slider.

/**
 * A version in the page: its frame, once it is loaded, and the heading above it.
 * @typedef {{version: number, frame: Frame | undefined, heading: string}} Sentence
 *
 * The part of the history that is in the page: its first and last version, what was scrolled into view last, and
 * whether another part is to replace it.
 * @typedef {{from: number, to: number, followed: string, isLeft?: boolean, timer?: number}} Window
 */

/** @type {WeakMap<Room, Window>} */
const windows = new WeakMap();
/** The lists whose size is watched. */
const watched = new WeakSet();

/** @param {Room} room */
export function storyPanel(room) {
  if (!room.isEntered()) return nothing;
  const part = windowOf(room);
  /** @type {Sentence[]} */
  const rows = [];
  let heading = headingBefore(room, part.from);
  for (let version = part.from; version <= part.to; version += 1) {
    const frame = room.frame(version);
    if (frame?.heading !== undefined) heading = frame.heading;
    rows.push({ version, frame, heading });
  }
  return html`<h2 class="hidden">The story</h2>
    <ol class="sentences" id="sentences" tabindex="0" aria-label="What happened" @scroll=${(/** @type {At<HTMLElement>} */ event) => more(room, event.target)}>
      ${repeat(
        rows,
        (row) => row.version,
        (row, at) => sentence(room, row, rows[at - 1]),
      )}
    </ol>`;
}

/**
 * @param {Entered} room
 * @param {Sentence} row
 * @param {Sentence | undefined} before
 */
function sentence(room, { version, frame, heading }, before) {
  const begins = before?.heading !== heading && heading;
  if (!frame) return html`<li class="coming" data-version=${version}>…</li>`;
  const now = version === room.version;
  return html`<li data-version=${version} class=${frame.command ? "command" : "follows"} aria-current=${now ? "step" : nothing}>
    ${begins ? html`<h3>${heading}</h3>` : nothing}
    <button @click=${() => room.show(version)}>
      ${frame.seat ? html`${chip(room, frame.seat)}<span class="hidden">${named(frame.seat)}: </span>` : html`<span class="chip"></span>`}
      <span class="text">${frame.text}</span>
      <span class="number" aria-hidden="true">${version}</span>
    </button>
    ${now ? [papers(room, frame.text), room.isGame ? acts(room, version) : nothing] : nothing}
  </li>`;
}

/**
 * The papers that a sentence names. They stand below it, because the sentence is a button, and a button cannot contain
 * buttons.
 * @param {Entered} room
 * @param {string} text
 */
function papers(room, text) {
  const names = namedIn(room, text);
  return names.length
    ? html`<p class="papers quiet">Read: ${names.map((name) => html` ${link(room, name)}`)}</p>`
    : nothing;
}

/**
 * The link that inspects or disputes a version, and a button that asks to take a move of the viewer's seat back.
 * @param {Entered} room
 * @param {number} version
 */
function acts(room, version) {
  const requests = takeBacksOf(room);
  const to = requests.mayAsk ? requests.before(version) : undefined;
  const mayAsk = to !== undefined && !room.commands?.canUndo(to);
  const ask = () => to !== undefined && requests.ask(to);
  return html`<p class="papers acts quiet"><a href="/games/${room.id}/desk#v=${version}">Inspect or dispute this</a>
    ${mayAsk ? html`<button class="inline" ?disabled=${requests.busy} @click=${ask}>Ask to take this back</button>` : nothing}</p>`;
}

/** Return the part of the history to show. It follows the version. @param {Entered} room */
function windowOf(room) {
  let part = windows.get(room);
  if (!part || room.version < part.from || room.version > part.to || part.to > room.head) {
    if (part && part.to <= room.head && !part.isLeft) return leave(room, part);
    part = { from: Math.max(1, room.version - NEAR), to: Math.min(room.head, room.version + NEAR), followed: "" };
    windows.set(room, part);
  } else if (room.version > part.to - NEAR / 2 && part.to < room.head) {
    part.to = Math.min(room.head, room.version + NEAR);
    part.from = Math.max(part.from, part.to - MOST);
  }
  return part;
}

/**
 * Show another part once nothing has been drawn for a moment. Until then, return the old one.
 * @param {Entered} room
 * @param {Window} part
 */
function leave(room, part) {
  clearTimeout(part.timer);
  part.timer = setTimeout(() => {
    part.isLeft = true;
    room.redraw();
  }, REST);
  return part;
}

/**
 * @param {Entered} room
 * @param {number} version
 */
function headingBefore(room, version) {
  return room.landmarks.phaseAt(version)?.heading ?? "";
}

/**
 * Add sentences when the reader comes near an end of the list. The sentences that they read stay in place.
 * @param {Entered} room
 * @param {HTMLElement} list
 */
function more(room, list) {
  const part = windows.get(room);
  if (!part) return;
  if (list.scrollTop < 200 && part.from > 1) {
    const below = list.scrollHeight - list.scrollTop;
    part.from = Math.max(1, part.from - NEAR);
    part.to = Math.min(part.to, part.from + MOST);
    room.frames.want(part.from).catch(() => {});
    room.redraw();
    room.addEventListener("change", () => (list.scrollTop = list.scrollHeight - below), { once: true });
  } else if (list.scrollHeight - list.scrollTop - list.clientHeight < 200 && part.to < room.head) {
    part.to = Math.min(room.head, part.to + NEAR);
    part.from = Math.max(part.from, part.to - MOST);
    room.frames.want(part.to).catch(() => {});
    room.redraw();
  }
}

/** Scroll to the sentence of the version, unless that was done already. @param {Room} room */
export function followStory(room) {
  const part = windows.get(room);
  const list = document.getElementById("sentences");
  if (!part || !list) return;
  if (!watched.has(list)) {
    watched.add(list);
    // In another size the list shows other sentences: scroll again.
    new ResizeObserver(() => {
      part.followed = "";
      followStory(room);
    }).observe(list);
  }
  // Sentences that are loaded later push this one away: then scroll again.
  const state = `${room.version} ${list.querySelectorAll(".coming").length}`;
  /** @type {HTMLElement | null} */
  const row = list.querySelector(`[data-version="${room.version}"]`);
  if (!row || part.followed === state) return;
  part.followed = state;
  const [top, bottom] = [row.offsetTop - list.offsetTop, row.offsetTop - list.offsetTop + row.offsetHeight];
  const [above, below] = [list.scrollTop + list.clientHeight * 0.2, list.scrollTop + list.clientHeight * 0.8];
  if (top < above || bottom > below) list.scrollTop = top - list.clientHeight * 0.45;
}
