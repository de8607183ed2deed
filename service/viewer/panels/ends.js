/**
 * Ends that no rule book provides (TAB-END): proposing one, answering a proposal, and a warning before a game is
 * abandoned.
 * @module
 */

/**
 * @import { Room } from "../state/room.js"
 * @import { EndProposal, Entered, Submitted } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { newKey } from "../state/api.js";
import { textIn } from "../parts/given.js";
import { chip } from "../parts/chip.js";
import { clock, seatName } from "../parts/format.js";
import { inWords, orderBy } from "../parts/order.js";
import { PanelRequest } from "./request.js";

/** How many milliseconds before the end of an abandoned game the page warns: a week. */
const WARNING = 7 * 24 * 60 * 60_000;
const PROPOSE = "propose";

const request = new PanelRequest();

/** Whether a game has proposals to end it, or will be abandoned within a week. @param {Entered} room */
export function showsEnds({ game, isGame }) {
  return isGame && (game.end_proposals.length > 0 || isAbandonedSoon(game.abandoned_at));
}

/** The open proposals to end the game, and the warning before it is abandoned. @param {Entered} room */
export function endsPanel(room) {
  const { game } = room;
  if (!showsEnds(room)) return nothing;
  return html`${isAbandonedSoon(game.abandoned_at) ? warning(game.abandoned_at ?? "") : nothing}
    ${game.end_proposals.map((each) => proposal(room, each))}`;
}

/** @param {string | null} at */
function isAbandonedSoon(at) {
  return at !== null && Date.parse(at) - Date.now() < WARNING;
}

/** @param {string} at */
function warning(at) {
  return html`<div class="request" role="group" aria-label="The game will be abandoned">
    <p><strong>Nothing has happened here for long.</strong> The game ends as abandoned, without a winner, from
      <time datetime=${at}>${clock(at)}</time> on, unless something happens before.</p></div>`;
}

/**
 * @param {Entered} room
 * @param {EndProposal} one
 */
function proposal(room, { proposed, seat, order, waits_for: waits }) {
  const { game } = room;
  /** @param {string} each */
  const named = (each) => seatName(game, each);
  const isMine = seat === room.seat;
  const isAsked = waits.includes(room.seat);
  /** @param {boolean} agrees */
  const answer = (agrees) => () =>
    request.send(room, `${proposed}`, () =>
      room.api.post(
        `/v1/games/${room.id}/end-proposals/${proposed}/answer`,
        { agrees },
        { "Idempotency-Key": newKey() },
      ),
    );
  return html`<div class="request ${isAsked ? "asked" : ""}" role="group" aria-label="A proposal to end the game" data-proposed=${proposed}>
    <p>${chip(room, seat)} <strong>${isMine ? "You propose" : `${named(seat)} proposes`} to end the game: ${inWords(order, named)}.</strong>
      <span class="quiet">Still to answer: ${waits.map(named).join(", ")}. Nobody wins a game that ends by agreement. The proposal lapses at the end of the round.</span></p>
    ${
      isAsked
        ? html`<div class="buttons"><button class="strong" ?disabled=${request.busy} @click=${answer(true)}>Agree to end the game</button>
      <button ?disabled=${request.busy} @click=${answer(false)}>Refuse</button></div>`
        : nothing
    }
    ${isMine ? html`<div class="buttons"><button ?disabled=${request.busy} @click=${answer(false)}>Withdraw it</button></div>` : nothing}
    ${request.refusalIn(room, `${proposed}`)}</div>`;
}

/** The form in which a player proposes an end, with a place for each seat. @param {Room} room */
export function proposing(room) {
  const { game, seat } = room;
  if (
    !room.isEntered() ||
    !seat ||
    game?.status !== "running" ||
    game.paused !== null ||
    game.fork?.purpose === "analysis" ||
    game.given_up.includes(seat) ||
    game.end_proposals.some((each) => each.seat === seat)
  )
    return nothing;
  const places = game.seats.map((_, index) => index + 1);
  return html`<details class="leaving"><summary>Propose to end the game</summary>
    <p>When all other players agree, the game ends in this order, and everything is revealed. Nobody has won then. Seats with
      the same place tie. You have one proposal in each round.</p>
    <form @submit=${(/** @type {Submitted} */ event) => propose(event, room)}>
      ${game.seats.map(
        (each) => html`<label>${chip(room, each.seat)} ${seatName(game, each.seat)}
        <select name=${each.seat}>${places.map((place) => html`<option value=${place}>${place}.</option>`)}</select></label> `,
      )}
      <button ?disabled=${request.busy}>Propose this end</button></form>
    ${request.refusalIn(room, PROPOSE)}</details>`;
}

/**
 * @param {Submitted} event
 * @param {Entered} room
 */
function propose(event, room) {
  event.preventDefault();
  const given = new FormData(event.target);
  const order = orderBy(room.game.seats.map(({ seat }) => [seat, Number(textIn(given, seat))]));
  request.send(room, PROPOSE, () =>
    room.api.post(`/v1/games/${room.id}/end-proposals`, { order }, { "Idempotency-Key": newKey() }),
  );
}
