/**
 * The clocks of a game on its page: the time that each seat has left, second by second, and a warning for screen
 * readers.
 * @module
 */

/**
 * @import { Shown } from "./clocks.js"
 * @import { Table } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { capital, seatName } from "./format.js";
import { MEANS, changesIn, short, shownAt } from "../parts/clocks.js";

/** The timer of the page, and the states of the clocks at its last tick. */
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
  const { state } = found;
  return html`<span class="clock ${state}" title="Time left"><span class="hidden">Time left${state && state !== "off" && state !== "quiet" ? ", running" : ""}: </span><b role="timer" data-clock=${seat}></b>${MEANS[state] ? html` <span class="means">${MEANS[state]}</span>` : nothing}</span>`;
}

/** Whether a seat has no time left and is open to a substitute. Then no clock is shown. @param {Table} room @param {Shown} of */
function isOpen({ game }, { seat, left }) {
  return left <= 0 && Boolean(game.given_up?.includes(seat));
}

/** The sentences for screen readers: which clocks have little time left, or none. @param {Table} room */
export function warning(room) {
  const ending = shown(room).filter((each) => ["low", "grace", "due"].includes(each.state) && !isOpen(room, each));
  return ending.map(({ seat, state }) => {
    const whose = seat === room.seat ? "you have" : `${seatName(room.game, seat)} has`;
    return `${capital(whose)} ${state === "low" ? "less than a tenth of the time left" : "no time left"}. `;
  });
}
