/**
 * What happens around the table: the end of the game with its rematch, a pause, seats that are open or offered, clocks
 * that ran out, proposals to end the game, disputes, and requests to take moves back. Only seats and officials see the
 * disputes.
 * @module
 */

/**
 * @import { Account } from "../state/account.js"
 * @import { Problem } from "../state/api.js"
 * @import { Room } from "../state/room.js"
 * @import { TakeBacks } from "../state/take-backs.js"
 * @import { CaseSummary, Entered, TakeBack } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { chip } from "../parts/chip.js";
import { seatName } from "../parts/format.js";
import { refusal } from "../parts/rule.js";
import { problemOf } from "../state/api.js";
import { docketOf } from "../state/docket.js";
import { takeBacksOf } from "../state/take-backs.js";
import { endsPanel, showsEnds } from "./ends.js";
import { claims } from "./giving-time.js";
import { givenUp } from "./leaving.js";
import { rematchButton, rematchPanel } from "./rematch.js";
import { endSentence } from "./standings.js";

/**
 * @param {Room} room
 * @param {Account} account
 */
export function aroundPanel(room, account) {
  const { game } = room;
  if (!room.isEntered() || !game) return nothing;
  const requests = takeBacksOf(room);
  const disputes = casesFor(room, account);
  const claimed = claims(room, account);
  if (
    !disputes.length &&
    !requests.open.length &&
    !requests.problem &&
    (game.paused ?? null) === null &&
    !game.given_up?.length &&
    !claimed.length &&
    !game.offers?.length &&
    !showsEnds(room) &&
    !showsEnd(room)
  )
    return nothing;
  return html`${showsEnd(room) ? ending(room) : nothing} ${game.paused === null ? nothing : pause(room, account)} ${givenUp(room, account)} ${claimed}
    ${endsPanel(room)}
    ${disputes.map((each) => dispute(room, each))}
    ${requests.open.map((request) => oneRequest(room, requests, request))}
    ${
      requests.problem
        ? html`<div class="request">${refusal(room, requests.problem)}<button @click=${() => requests.close()}>Close</button></div>`
        : nothing
    }`;
}

/**
 * Return the cases that wait for a ruling; none for a viewer without a seat who is no official.
 * @param {Entered} room
 * @param {Account} account
 */
function casesFor(room, account) {
  const { game } = room;
  const mayKnow =
    game && room.isGame && (game.you !== null || game.officials.some(({ player }) => player === account.me?.id));
  return mayKnow ? docketOf(room).waiting : [];
}

/**
 * @param {Entered} room
 * @param {CaseSummary} summary
 */
function dispute({ id, game }, { number, about, seat, status }) {
  const who =
    seat === null ? "An official disputes" : seat === game.you ? "You dispute" : `${seatName(game, seat)} disputes`;
  return html`<div class="request" role="group" aria-label="A dispute">
    <p><strong>${who} version ${about}.</strong> The case waits for ${status === "appealed" ? "a final ruling" : "a ruling"}.</p>
    <div class="buttons"><a href="/games/${id}/desk#v=${about}">Case ${number} at the desk</a></div></div>`;
}

/** Whether to show the end of the game: it is over, and the newest version is shown. A tutorial has no end. @param {Entered} room */
function showsEnd(room) {
  return room.isGame && room.game.status === "over" && Boolean(room.game.result) && room.following;
}

/** How the game ended, and what can be done now. @param {Entered} room */
function ending(room) {
  return html`<div class="request" role="group" aria-label="The end of the game">
    <p><strong>Game over. ${endSentence(room)}</strong> Everything is revealed, and the dice can be derived again.</p>
    <div class="buttons">${rematchButton(room)} <button @click=${() => room.dispatchEvent(new Event("verify"))}>See the proof</button>
      <a href=${lobbyFor(room)}>Play again</a></div>
  </div>${rematchPanel(room)}`;
}

/** Return the address of the lobby, with the same ruleset, number of players and level of bots. @param {Entered} room */
function lobbyFor({ game }) {
  const level = game.seats.find((seat) => seat.bot)?.level;
  return `/?${new URLSearchParams({ ruleset: game.ruleset, players: `${game.seats.length}`, ...(level ? { level } : {}) })}`;
}

/**
 * A pause, with a button for those who may end it: the officials, or the organizer while there are none.
 * @param {Entered} room
 * @param {Account} account
 */
function pause(room, account) {
  const { game } = room;
  const me = account.me?.id;
  const mayResume =
    me && (game.officials.length ? game.officials.some(({ player }) => player === me) : game.organizer === me);
  return html`<div class="request" role="group" aria-label="A pause">
    <p><strong>The game is paused.</strong> Until it goes on, it takes no commands. Reason: ${game.paused}</p>
    ${mayResume ? html`<div class="buttons"><button @click=${() => resume(room)}>Resume the game</button></div>` : nothing}
    ${resuming.problem ? refusal(room, resuming.problem) : nothing}</div>`;
}

/** The refusal of the last try to end a pause. @type {{problem: Problem | null}} */
const resuming = { problem: null };

/** @param {Entered} room */
async function resume(room) {
  resuming.problem = null;
  try {
    await room.api.delete(`/v1/games/${room.id}/pause`);
  } catch (error) {
    resuming.problem = problemOf(error);
  }
  await room.refresh();
}

/**
 * @param {Entered} room
 * @param {TakeBacks} requests
 * @param {TakeBack} request
 */
function oneRequest(room, requests, request) {
  const { game, seat } = room;
  const isMine = request.seat === seat;
  const isAsked = request.waits_for.includes(seat);
  const waits = request.waits_for.map((each) => seatName(game, each)).join(", ");
  return html`<div class="request ${isAsked ? "asked" : ""}" role="group" aria-label="A request to take moves back" data-asked=${request.asked}>
    <p>${chip(room, request.seat)} <strong>${isMine ? "You ask" : `${seatName(game, request.seat)} asks`}
        to go back to <button class="inline" @click=${() => room.show(request.to)}>version ${request.to}</button></strong>${beforeEvent(room, request.to + 1)}.
      <span class="quiet">${waits ? `Still to answer: ${waits}.` : nothing} What everybody did since then would be taken back.</span></p>
    ${isAsked ? answers(requests, request) : nothing}
    ${isMine ? html`<div class="buttons"><button ?disabled=${requests.busy} @click=${() => requests.answer(request, false)}>Withdraw it</button></div>` : nothing}
  </div>`;
}

/**
 * @param {TakeBacks} requests
 * @param {TakeBack} request
 */
function answers(requests, request) {
  return html`<div class="buttons">
    <button class="strong" ?disabled=${requests.busy} @click=${() => requests.answer(request, true)}>Agree</button>
    <button ?disabled=${requests.busy} @click=${() => requests.answer(request, false)}>Refuse</button>
  </div>`;
}

/**
 * Say before which event the game would go back, once that event is loaded.
 * @param {Entered} room
 * @param {number} version
 */
function beforeEvent(room, version) {
  const frame = room.frame(version);
  if (!frame)
    room.frames?.want(version).then(
      () => room.redraw(),
      () => {},
    );
  return frame ? html`, before <q>${frame.text.replace(/\.$/, "")}</q>` : nothing;
}
