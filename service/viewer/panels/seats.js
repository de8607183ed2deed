/**
 * The seats of a game that waits for players: who sits where, taking a seat, bots for free seats, the clock,
 * invitations, and starting the game.
 * @module
 */

/**
 * @import { Account } from "../state/account.js"
 * @import { Problem } from "../state/api.js"
 * @import { Room } from "../state/room.js"
 * @import { At, Entered, SeatView, Submitted } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { problemOf } from "../state/api.js";
import { entropy } from "../parts/entropy.js";
import { levels, usual } from "../parts/levels.js";
import { count, named } from "../parts/format.js";
import { lookAlike } from "../parts/look-alike.js";
import { link } from "../parts/papers.js";
import { remarks } from "../parts/remarks.js";
import { clockFields, clockFrom, isShown, settings, stillness } from "../parts/clock-settings.js";
import { inviting } from "./inviting.js";
import { rematchPanel } from "./rematch.js";
import { openSignIn } from "./sign-in.js";

const FEW = 12; // Up to this many papers are listed unfolded.

/**
 * The last refusal, and the level of the next bots, which is empty for the usual one.
 * @type {WeakMap<Room, {problem: Problem | null, level: string}>}
 */
const byRoom = new WeakMap();

/** @param {Room} room */
function stateOf(room) {
  const state = byRoom.get(room) ?? { problem: null, level: "" };
  byRoom.set(room, state);
  return state;
}

/**
 * @param {Room} room
 * @param {Account} account
 */
export function seatsPanel(room, account) {
  const { game } = room;
  if (!room.isEntered() || game?.status !== "gathering") return nothing;
  if (game.rematch_of)
    return html`<section class="open-seats" aria-label="The rematch">${rematchPanel(room)} ${toRead(room)}</section>`;
  const mine = game.seats.find((place) => place.player && place.player === account.me?.id);
  const isFull = game.seats.every((place) => place.player);
  const organizes = Boolean(account.me) && game.organizer === account.me?.id;
  const { problem } = stateOf(room);
  return html`<section class="open-seats" aria-labelledby="seats-title">
    <h2 id="seats-title">${isFull ? "Everybody is here" : "Waiting for players"}</h2>
    <ul>${game.seats.map(
      (place) => html`<li><strong>${named(place.seat)}</strong>
      ${place.player ? holder(place) : nothing}
      <span class="buttons">${buttons(room, account, place, mine, organizes)}</span></li>`,
    )}</ul>
    ${organizes ? clockChoice(room) : nothing} ${settings(game.clock)} ${stillness(game.abandoned_after)}
    ${organizes && !isFull && room.ruleset ? bots(room, mine) : nothing}
    ${
      isFull && (mine || organizes)
        ? html`<button class="strong" @click=${() => act(room, () => room.api.post(`/v1/games/${room.id}/start`))}>Begin the game</button>`
        : html`<p class="quiet">${isFull ? "A player or the organizer can begin the game." : organizes ? nothing : "The game can begin when every seat is taken."}</p>`
    }
    ${organizes ? inviting(room, isFull, (change) => act(room, change)) : nothing}
    <p class="quiet">${
      game.organizer_sees === "all"
        ? "While the game runs, its organizer sees everything, hidden hands too, unless they hold a seat."
        : "The organizer of this game sees what a spectator sees."
    }</p>
    ${remarks(game)}
    ${toRead(room)}
    ${problem && !isShown(problem) ? html`<p class="problem" role="alert">${problem.message} ${problem.problem.allowed ?? ""}</p>` : nothing}
  </section>`;
}

/** The papers of the game, to be read before it begins. @param {Entered} room */
function toRead(room) {
  const papers = room.papers?.papers ?? [];
  const links = papers.map(({ title }) => html` ${link(room, title)}`);
  if (papers.length <= FEW) return papers.length ? html`<p class="quiet">Read: ${links}</p>` : nothing;
  return html`<details><summary>${count(papers.length, "paper")} to read</summary><p class="quiet">${links}</p></details>`;
}

/** @param {SeatView} place */
function holder({ player, name, bot, looks_alike }) {
  return html`<span><a href="/players/${player}">${name}</a>${looks_alike ? html` ${lookAlike}` : nothing}${bot ? html` <span class="tag">bot</span>` : nothing}</span>`;
}

/**
 * @param {Entered} room
 * @param {Account} account
 * @param {SeatView} place
 * @param {SeatView | undefined} mine
 * @param {boolean} organizes
 */
function buttons(room, account, place, mine, organizes) {
  const { seat } = place;
  if (place === mine)
    return html`<button @click=${() => act(room, () => room.api.delete(`/v1/games/${room.id}/seats/${seat}`))}>Leave</button>`;
  if (place.level && organizes) {
    return html`<button aria-label="Take the bot away from ${named(seat)}" @click=${() => act(room, () => room.api.delete(`/v1/games/${room.id}/seats/${seat}/bot`))}>Take away</button>`;
  }
  if (place.player) return nothing;
  return html`${mine ? html`<span class="quiet">free</span>` : seatButton(room, account, seat)}
    ${organizes && room.ruleset ? html`<button aria-label="Seat a bot as ${named(seat)}" @click=${() => act(room, () => seatBot(room, seat))}>Seat a bot</button>` : nothing}`;
}

/**
 * @param {Entered} room
 * @param {Account} account
 * @param {string} seat
 */
function seatButton(room, account, seat) {
  const sit = () => act(room, () => room.api.post(`/v1/games/${room.id}/seats`, { seat, entropy: entropy() }));
  const mustSignIn = !account.me && !account.isUnknown;
  // One button before and after signing in, because the dialog gives the focus back to it.
  return html`<button ?disabled=${account.isUnknown} aria-haspopup=${mustSignIn ? "dialog" : nothing}
    @click=${mustSignIn ? openSignIn : sit}>${mustSignIn ? "Sign in to sit here" : "Sit here"}</button>`;
}

/** The form that chooses the clock. A preset is chosen at once; a clock with its own times by the button. @param {Entered} room */
function clockChoice(room) {
  /** @param {HTMLFormElement} form */
  const choose = (form) => {
    const clock = clockFrom(new FormData(form));
    return act(room, () => room.api.put(`/v1/games/${room.id}/clock`, { clock }));
  };
  /** @param {At<HTMLFormElement>} event */
  const change = ({ currentTarget: form }) => new FormData(form).get("clock") !== "own" && choose(form);
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    choose(event.target);
  };
  return html`<form class="clock-choice" @change=${change} @submit=${submit}>
    ${clockFields(room.game.clock, stateOf(room).problem)}<button class="own-clock">Choose this clock</button></form>`;
}

/**
 * The level of the bots, and a button that puts bots on all free seats. If the organizer has no seat, one stays free.
 * @param {Entered} room
 * @param {SeatView | undefined} mine
 */
function bots(room, mine) {
  const free = room.game.seats.filter(({ player }) => !player).slice(mine ? 0 : 1);
  const fill = async () => {
    for (const { seat } of free) await seatBot(room, seat);
  };
  return html`<div class="line">
    <label>Bots <select @change=${(/** @type {At<HTMLSelectElement>} */ event) => (stateOf(room).level = event.target.value)}>${levels(room.ruleset?.bots ?? [])}</select></label>
    <button ?disabled=${!free.length} @click=${() => act(room, fill)}>Fill the ${mine ? "" : "other "}free seats with bots</button></div>`;
}

/**
 * @param {Entered} room
 * @param {string} seat
 */
function seatBot(room, seat) {
  return room.api.put(`/v1/games/${room.id}/seats/${seat}/bot`, {
    level: stateOf(room).level || usual(room.ruleset?.bots ?? []),
  });
}

/**
 * Change the game, and note why a change was refused. Then read the game again.
 * @param {Entered} room
 * @param {() => Promise<unknown>} change
 */
async function act(room, change) {
  const state = stateOf(room);
  state.problem = null;
  try {
    await change();
  } catch (error) {
    state.problem = problemOf(error);
  }
  await room.enter();
}
