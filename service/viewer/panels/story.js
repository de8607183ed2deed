/**
 * The history in sentences, in step with the board. Only what is near the version is in the page.
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

const NEAR = 14;
const MOST = 400;
const REST = 150; // Milliseconds without a change before another part is drawn: sooner, it would slow down the slider.

/**
 * A version in the page: what happened, once that is known, and the heading that it stands under.
 * @typedef {{version: number, frame: Frame | undefined, heading: string}} Sentence
 *
 * Which versions are in the page, which one was brought into view last, and whether another part is to be shown.
 * @typedef {{from: number, to: number, followed: string, isLeft?: boolean, timer?: number}} Window
 */

/** @type {WeakMap<Room, Window>} */
const windows = new WeakMap();
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
 * The papers that the sentence of the version names. They stand below it: a button cannot contain others.
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
 * Links for what happened: to dispute it, and for the seat that did it, to ask to take it back.
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

/** @param {Entered} room */
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
 * Go elsewhere as soon as the version rests.
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
 * Put more into the page when its end comes near; what is read stays where it is.
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

/** Bring the sentence of the version into view, once, when it is another than before. @param {Room} room */
export function followStory(room) {
  const part = windows.get(room);
  const list = document.getElementById("sentences");
  if (!part || !list) return;
  if (!watched.has(list)) {
    watched.add(list);
    // With another size it shows other sentences.
    new ResizeObserver(() => {
      part.followed = "";
      followStory(room);
    }).observe(list);
  }
  // Sentences that come later push this one away: then it is brought back.
  const state = `${room.version} ${list.querySelectorAll(".coming").length}`;
  /** @type {HTMLElement | null} */
  const row = list.querySelector(`[data-version="${room.version}"]`);
  if (!row || part.followed === state) return;
  part.followed = state;
  const [top, bottom] = [row.offsetTop - list.offsetTop, row.offsetTop - list.offsetTop + row.offsetHeight];
  const [above, below] = [list.scrollTop + list.clientHeight * 0.2, list.scrollTop + list.clientHeight * 0.8];
  if (top < above || bottom > below) list.scrollTop = top - list.clientHeight * 0.45;
}
