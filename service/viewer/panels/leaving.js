/**
 * Seats that change hands in a running game: a player gives theirs up, and the organizer puts a bot on it (TAB-LIFE-05,
 * TAB-BOT-01).
 * @module
 */

/**
 * @import { Account } from "../state/account.js"
 * @import { Problem } from "../state/api.js"
 * @import { Room } from "../state/room.js"
 * @import { Entered, Submitted } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { problemOf } from "../state/api.js";
import { textIn } from "../parts/given.js";
import { chip } from "../parts/chip.js";
import { seatName } from "../parts/format.js";
import { levels } from "../parts/levels.js";
import { refusal } from "../parts/rule.js";

const LEAVE = "leave";

/** Whether a request is being sent; the last refusal, and what it was of: `LEAVE`, or the seat for a bot. @type {{busy: boolean, problem: Problem | null, of: string}} */
const state = { busy: false, problem: null, of: "" };

/**
 * Say which seats were given up, and let the organizer put bots on them.
 * @param {Room} room
 * @param {Account} account
 */
export function givenUp(room, account) {
  const { game, seat } = room;
  if (!room.isEntered() || game?.status !== "running") return nothing;
  const isGone = game.seats.some((place) => place.player === game.organizer && game.given_up.includes(place.seat));
  const mayChoose =
    account.me && (game.organizer === account.me.id || (isGone && seat && !game.given_up.includes(seat)));
  return game.given_up.map(
    (each) => html`<div class="request" role="group" aria-label="A seat that was given up">
    <p>${chip(room, each)} <strong>${each === seat ? "You gave up your seat." : `${seatName(game, each)} gave up their seat.`}</strong>
      ${mayChoose ? "You can let a bot play on." : `${isGone ? "The players who are left" : "The organizer"} can let a bot play on.`} Until then, the game waits for the player as before.</p>
    ${
      mayChoose && room.ruleset
        ? html`<form class="buttons" @submit=${(/** @type {Submitted} */ event) => takeOver(event, room, each)}>
      <label>Bot <select name="level">${levels(room.ruleset.bots)}</select></label>
      <button class="strong" ?disabled=${state.busy}>Let it play on</button></form>`
        : nothing
    }
    ${refused(room, each)}</div>`,
  );
}

/** Let a player give up their seat, once they know what that means. @param {Room} room */
export function leaving(room) {
  const { game, seat } = room;
  if (
    !room.isEntered() ||
    !seat ||
    game?.status !== "running" ||
    game.fork?.purpose === "analysis" ||
    game.given_up.includes(seat)
  )
    return nothing;
  const leave = () => act(room, LEAVE, () => room.api.delete(`/v1/games/${room.id}/seats/${seat}`));
  return html`<details class="leaving"><summary>Give up your seat</summary>
    <p>You cannot take this back. The game waits for you as before until its organizer lets a bot play on. From then on you see
      what a spectator sees.</p>
    <p><button ?disabled=${state.busy} @click=${leave}>Give up my seat</button></p>
    ${refused(room, LEAVE)}</details>`;
}

/**
 * @param {Entered} room
 * @param {string} of
 */
function refused(room, of) {
  return state.problem && state.of === of ? refusal(room, state.problem) : nothing;
}

/**
 * @param {Entered} room
 * @param {string} seat
 * @param {Submitted} event
 */
function takeOver(event, room, seat) {
  event.preventDefault();
  const level = textIn(new FormData(event.target), "level");
  act(room, seat, () => room.api.put(`/v1/games/${room.id}/seats/${seat}/bot`, { level }));
}

/**
 * @param {Entered} room
 * @param {string} of
 * @param {() => Promise<unknown>} does
 */
async function act(room, of, does) {
  Object.assign(state, { busy: true, problem: null, of });
  room.redraw();
  try {
    await does();
  } catch (error) {
    state.problem = problemOf(error);
  }
  state.busy = false;
  await room.refresh();
}
