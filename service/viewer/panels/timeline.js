/**
 * The timeline: a slider over all versions with rounds, phases and battles marked, and the controls of the replay.
 * @module
 */

/**
 * @import { Sign } from "../parts/icons.js"
 * @import { Room } from "../state/room.js"
 * @import { At, Entered, TimelineEntry } from "../types.js"
 */

import { html, nothing, svg } from "../vendor/lit-html.js";
import { guard } from "../vendor/directives/guard.js";
import { live } from "../vendor/directives/live.js";
import { count, plain } from "../parts/format.js";
import { icon } from "../parts/icons.js";
import { linkTo } from "../state/link.js";
import { whatIf } from "./forks.js";
import { SPEEDS, STRIDES } from "../state/room.js";

const LABEL = 26; // Pixels at least between the numbers of two rounds.
const NEAR = 6; // A pointer points at a mark that is at most this many pixels away.

/** The keys that step through the game from anywhere on the page, and the way they go. @type {Record<string, 1 | -1>} */
const SIDEWAYS = { ArrowLeft: -1, ArrowRight: 1 };
/** The keys of the slider, and the way they go. @type {Record<string, 1 | -1>} */
const WAYS = { ...SIDEWAYS, ArrowDown: -1, PageDown: -1, ArrowUp: 1, PageUp: 1 };

/** What the button that copies the link says for two seconds. */
const copied = { message: "", timer: 0 };

/** @param {Room} room */
export function timelinePanel(room) {
  if (!room.isEntered()) return nothing;
  return html`<div class="controls" role="group" aria-label="Replay">
      <div class="steps">
        ${button("First version", "first", () => room.show(1), room.version === 1)}
        ${button(`Back one ${room.stride}`, "back", () => room.step(-1), room.version === 1)}
        <button class="play strong" aria-label=${room.playing ? "Pause" : "Replay"} @click=${() => room.play()}>
          ${icon(room.playing ? "pause" : "play")}<span> ${room.playing ? "Pause" : "Replay"}</span>
        </button>
        ${button(`On one ${room.stride}`, "on", () => room.step(1), room.following)}
        ${button("Newest version", "last", () => room.show(room.head), room.following)}
      </div>
      <label class="stride"><span>by </span><select aria-label="Step by" .value=${live(room.stride)} @change=${(/** @type {At<HTMLSelectElement>} */ event) => room.pace({ stride: event.target.value })}>
        ${STRIDES.slice(0, room.isGame ? undefined : 2).map((stride) => html`<option value=${stride}>${stride}</option>`)}
      </select></label>
      <label class="speed">speed <select .value=${live(`${room.speed}`)} @change=${(/** @type {At<HTMLSelectElement>} */ event) => room.pace({ speed: Number(event.target.value) })}>
        ${SPEEDS.map((speed) => html`<option value=${speed}>${speed}×</option>`)}
      </select></label>
      <p class="where" id="where">${headingOf(room)}</p>
      <label class="version">version
        <input type="number" min="1" max=${room.head} .value=${live(`${room.version}`)}
          @change=${(/** @type {At<HTMLInputElement>} */ event) => room.show(Number(event.target.value))} />
        of ${room.head.toLocaleString("en")}</label>
      <button class="link" @click=${(/** @type {At<HTMLElement, MouseEvent>} */ event) => copy(room, event)}>${copied.message || "Copy link"}</button>
      ${room.isGame ? whatIf(room) : nothing}
    </div>
    <div class="track" @keydown=${(/** @type {At<HTMLElement, KeyboardEvent>} */ event) => key(room, event)} @click=${(/** @type {At<HTMLElement, MouseEvent>} */ event) => point(room, event)} @pointermove=${(/** @type {At<HTMLElement, PointerEvent>} */ event) => hint(room, event)}>
      ${guard([room.landmarks.entries.length, room.head, innerWidth], () => marks(room))}
      <input type="range" id="slider" aria-label="Version" min="1" max=${room.head} step="1"
        .value=${live(`${room.version}`)} aria-valuetext=${`Version ${room.version} of ${room.head}: ${headingOf(room)}`}
        @input=${(/** @type {At<HTMLInputElement>} */ event) => room.show(Number(event.target.value))} />
    </div>`;
}

/**
 * @param {string} words
 * @param {Sign} sign
 * @param {() => void} act
 * @param {boolean} disabled
 */
function button(words, sign, act, disabled) {
  return html`<button title=${words} aria-label=${words} ?disabled=${disabled} @click=${act}>
    ${icon(sign)}</button>`;
}

/** Return the heading of the version that is shown: its round and phase in words. @param {Room} room */
export function headingOf(room) {
  return (
    room.scene(room.version)?.heading || room.landmarks?.phaseAt(room.version)?.heading || "Before the first round"
  );
}

/**
 * @param {Entered} room
 * @param {At<HTMLElement>} event
 */
async function copy(room, event) {
  const { target } = event;
  const link = linkTo(room);
  // Without HTTPS a page has no clipboard. The link is also put into the address, from where it can be copied.
  const isCopied = await (async () => navigator.clipboard.writeText(link))().then(
    () => true,
    () => false,
  );
  history.replaceState(null, "", link);
  copied.message = isCopied ? "Copied" : "It is in the address";
  clearTimeout(copied.timer);
  copied.timer = setTimeout(() => {
    copied.message = "";
    room.redraw();
  }, 2000);
  target.focus();
  room.redraw();
}

/**
 * Go to the mark that was clicked on, or else to the version at that place.
 * @param {Entered} room
 * @param {At<HTMLElement, MouseEvent>} event
 */
function point(room, event) {
  if (event.target.id === "slider") return;
  const { at, mark } = pointed(room, event);
  room.show(mark?.version ?? at);
}

/**
 * Show the text of the mark under the pointer as a tooltip.
 * @param {Entered} room
 * @param {At<HTMLElement, PointerEvent>} event
 */
function hint(room, event) {
  event.currentTarget.title = pointed(room, event).mark?.text ?? "";
}

/**
 * Return the place of the pointer as a version, which may be a fraction, and the mark there, if any. Of several marks,
 * rulings come first, then battles, retractions, and all others.
 * @param {Entered} room
 * @param {At<HTMLElement, MouseEvent>} event
 */
function pointed(room, event) {
  const { left, width } = /** @type {Element} */ (event.currentTarget.querySelector(".marks")).getBoundingClientRect();
  const at = 1 + ((event.clientX - left) / width) * (room.head - 1);
  const reach = (NEAR / width) * room.head;
  /** @param {TimelineEntry} entry */
  const distance = (entry) => Math.abs(entry.version - at);
  /** @param {TimelineEntry[]} entries */
  const nearest = (entries) =>
    entries.reduce((one, other) => (distance(other) < distance(one) ? other : one), entries[0]) ?? [];
  const { battles, retractions, rulings, others, turns } = room.landmarks;
  const mark = [rulings, battles, retractions, [...others, ...turns]]
    .flatMap(nearest)
    .find((entry) => entry && distance(entry) <= reach);
  return { at, mark };
}

/** Let arrow keys step through the game where nothing else uses them. @param {Room} room */
export function stepByKeys(room) {
  addEventListener("keydown", (event) => {
    const way = SIDEWAYS[event.key];
    if (
      !way ||
      event.target !== document.body ||
      event.defaultPrevented ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      !room.head
    )
      return;
    room.step(way);
    event.preventDefault();
  });
}

/**
 * Handle Space, PageUp, PageDown, and arrows with Shift or Ctrl on the slider. Other keys do what they do on every
 * slider.
 * @param {Entered} room
 * @param {KeyboardEvent} event
 */
function key(room, event) {
  const way = WAYS[event.key];
  if (event.key === " ") room.play();
  else if (way && event.key.startsWith("Page")) room.step(way, "turn");
  else if (way && event.shiftKey) room.step(way, "command");
  else if (way && event.ctrlKey) room.step(way, "battle");
  else return;
  event.preventDefault();
}

/** @param {Entered} room */
function marks(room) {
  const { landmarks, head } = room;
  // The service may list rounds that the stream has not sent yet.
  const rounds = landmarks.rounds.filter(({ version }) => version <= head);
  /** @param {number} version */
  const x = (version) => ((version - 1) / Math.max(1, head - 1)) * 1000;
  /**
   * @param {TimelineEntry[]} entries
   * @param {number} top
   * @param {number} bottom
   */
  const path = (entries, top, bottom) =>
    entries.map((each) => `M${x(each.version).toFixed(2)} ${top}V${bottom}`).join("");
  const apart = (LABEL / Math.max(300, innerWidth)) * 1000;
  const words = [
    count(rounds.length, "round"),
    count(landmarks.battles.length, "battle"),
    count(landmarks.retractions.length, "retraction"),
    ...[...Map.groupBy([...landmarks.rulings, ...landmarks.others], ({ kind }) => kind)].map(([kind, some]) =>
      count(some.length, plain(kind)),
    ),
  ].join(", ");
  return html`<svg class="marks" role="img" aria-label="Marked: ${words}">
    ${bands(rounds, x)}
    <svg viewBox="0 0 1000 30" preserveAspectRatio="none" width="100%" height="30" y="14">
      <path class="phases" d=${path(landmarks.turns, 24, 30)} />
      <path class="others" d=${path(landmarks.others, 17, 22)} />
      <path class="battles" d=${path(landmarks.battles, 2, 15)} />
      <path class="retractions" d=${path(landmarks.retractions, 0, 30)} />
      <path class="rulings" d=${path(landmarks.rulings, 0, 30)} />
    </svg>
    ${numberedRounds(rounds, x, apart).map((each) => svg`<text x="${x(each.version) / 10}%" y="10" dx="2">${each.round}</text>`)}
  </svg>`;
}

/**
 * Return the rounds whose number is written: those that are far enough from the last one written.
 * @param {TimelineEntry[]} rounds
 * @param {(version: number) => number} x
 * @param {number} apart the least distance
 */
function numberedRounds(rounds, x, apart) {
  let last = -Infinity;
  return rounds.filter((each) => {
    const hasRoom = each.round && x(each.version) - last >= apart;
    if (hasRoom) last = x(each.version);
    return hasRoom;
  });
}

/**
 * The background of every other round.
 * @param {TimelineEntry[]} rounds
 * @param {(version: number) => number} x
 */
function bands(rounds, x) {
  return rounds.map((each, at) => {
    if (at % 2) return nothing;
    const [from, to] = [x(each.version), rounds[at + 1] ? x(rounds[at + 1].version) : 1000];
    return svg`<rect x="${from / 10}%" width="${(to - from) / 10}%" y="0" height="100%" />`;
  });
}
