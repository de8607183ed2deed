/**
 * The clocks of a game on its page: what each seat has left, which changes by the second, and when that is said aloud.
 * @module
 */

/**
 * @import { Shown } from "./clocks.js"
 * @import { Table } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { capital, seatName } from "./format.js";
import { MEANS, changesIn, short, shownAt } from "../parts/clocks.js";

/** The timer of the page, and the states of the clocks that it showed last. */
const ticking = { timer: 0, states: "" };

/** The service's time. @param {Table} room */
const now = (room) => Date.now() + room.ahead;

/** What the clocks of a game in progress show now. @param {Table} room */
export function shown(room) {
  return room.isGame && room.game?.status === "running" ? shownAt(room.game, now(room)) : [];
}

/**
 * Let the clocks of a page run. Each second changes only their digits. The page is drawn again when the state of a
 * clock changes.
 * @param {Table} room
 */
export function tick(room) {
  clearTimeout(ticking.timer);
  const all = shown(room);
  for (const place of document.querySelectorAll("[data-clock]")) {
    const text = short(all.find(({ seat }) => seat === place.getAttribute("data-clock"))?.left ?? 0);
    if (place.textContent !== text) place.textContent = text;
  }
  const states = all.map(({ state: each }) => each).join();
  if (states !== ticking.states) room.redraw();
  ticking.states = states;
  const next = changesIn(all);
  if (next) ticking.timer = setTimeout(() => tick(room), next);
}

/**
 * The clock of a seat, for the row of the players. Its digits are put there by `tick`.
 * @param {Table} room
 * @param {string | null} seat
 */
export function clockOf(room, seat) {
  const found = shown(room).find((each) => each.seat === seat);
  if (!found || isOpen(room, found)) return nothing;
  const { state: what } = found;
  return html`<span class="clock ${what}" title="Time left"><span class="hidden">Time left${what && what !== "off" && what !== "quiet" ? ", running" : ""}: </span><b role="timer" data-clock=${seat}></b>${MEANS[what] ? html` <span class="means">${MEANS[what]}</span>` : nothing}</span>`;
}

/** Whether a seat has no time of its own, for its clock has left it open. @param {Table} room @param {Shown} of */
function isOpen({ game }, { seat, left }) {
  return left <= 0 && Boolean(game.given_up?.includes(seat));
}

/** What is said aloud, once: that a clock has little time left, or none. @param {Table} room */
export function warning(room) {
  const said = shown(room).filter((each) => ["low", "grace", "due"].includes(each.state) && !isOpen(room, each));
  return said.map(({ seat, state: what }) => {
    const whose = seat === room.seat ? "you have" : `${seatName(room.game, seat)} has`;
    return `${capital(whose)} ${what === "low" ? "less than a tenth of the time left" : "no time left"}. `;
  });
}
