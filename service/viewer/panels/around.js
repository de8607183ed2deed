/**
 * What goes on around the table, for everybody to see: how it ended, a pause, seats that were given up, and
 * requests to take moves back with their answers.
 * @module
 */

import { html, nothing } from "../vendor/lit-html.js";
import { chip } from "../parts/chip.js";
import { seatName } from "../parts/format.js";
import { refusal } from "../parts/rule.js";
import { docketOf } from "../state/docket.js";
import { takeBacksOf } from "../state/take-backs.js";
import { givenUp } from "./leaving.js";
import { won } from "./standings.js";

/**
 * @param {import("../state/room.js").Room} room
 * @param {import("../state/account.js").Account} account
 */
export function aroundPanel(room, account) {
  const { game } = room;
  const requests = takeBacksOf(room);
  const waiting = casesFor(room, account);
  if (!game || (!waiting.length && !requests.open.length && !requests.problem && (game.paused ?? null) === null && !game.given_up?.length && !isOver(room))) return nothing;
  return html`${isOver(room) ? ending(room) : nothing} ${game.paused === null ? nothing : pause(room, account)} ${givenUp(room, account)}
    ${waiting.map((each) => dispute(room, each))}
    ${requests.open.map((request) => oneRequest(room, requests, request))}
    ${requests.problem
      ? html`<div class="request">${refusal(room, requests.problem)}<button @click=${() => requests.close()}>Close</button></div>`
      : nothing}`;
}

/** The cases that wait for a ruling, for who has a say in them: a seat or an official. */
function casesFor(room, account) {
  const { game } = room;
  const hasSay = game && room.isGame && (game.you !== null || game.officials.some(({ player }) => player === account.me?.id));
  return hasSay ? docketOf(room).waiting : [];
}

function dispute({ id, game }, { number, about, seat, status }) {
  const who = seat === null ? "An official disputes" : seat === game.you ? "You dispute" : `${seatName(game, seat)} disputes`;
  return html`<div class="request" role="group" aria-label="A dispute">
    <p><strong>${who} version ${about}.</strong> The case waits for ${status === "appealed" ? "a final ruling" : "a ruling"}.</p>
    <div class="buttons"><a href="/games/${id}/desk#v=${about}">Case ${number} at the desk</a></div></div>`;
}

/** Whether the end of a game is shown; a tutorial has none. */
function isOver(room) {
  return room.isGame && room.game.status === "over" && Boolean(room.game.result) && room.following;
}

/** How the game ended, and what can be done now. */
function ending(room) {
  return html`<div class="request" role="group" aria-label="The end of the game">
    <p><strong>Game over. ${won(room)}</strong> Everything is revealed, and the dice can be derived again.</p>
    <div class="buttons"><button @click=${() => room.dispatchEvent(new Event("verify"))}>See the proof</button>
      <a href=${again(room)}>Play again</a></div>
  </div>`;
}

/** The lobby, with the same game chosen. */
function again({ game }) {
  const level = game.seats.find((seat) => seat.bot)?.level;
  return `/?${new URLSearchParams({ ruleset: game.ruleset, players: game.seats.length, ...(level ? { level } : {}) })}`;
}

/** A pause, which every official ends, or the organizer while there is no official. */
function pause(room, account) {
  const { game } = room;
  const me = account.me?.id;
  const mayResume = me && (game.officials.length ? game.officials.some(({ player }) => player === me) : game.organizer === me);
  return html`<div class="request" role="group" aria-label="A pause">
    <p><strong>An official paused the game.</strong> Until it goes on, it takes no commands. Reason: ${game.paused}</p>
    ${mayResume ? html`<div class="buttons"><button @click=${() => resume(room)}>Resume the game</button></div>` : nothing}
    ${resuming.problem ? refusal(room, resuming.problem) : nothing}</div>`;
}

/** What was refused when somebody was to end a pause. */
const resuming = { problem: null };

async function resume(room) {
  resuming.problem = null;
  try {
    await room.api.delete(`/v1/games/${room.id}/pause`);
  } catch (problem) {
    resuming.problem = problem;
  }
  await room.refresh();
}

function oneRequest(room, requests, request) {
  const { game, seat } = room;
  const isMine = request.seat === seat;
  const isAsked = request.waits_for.includes(seat);
  const waits = request.waits_for.map((each) => seatName(game, each)).join(", ");
  return html`<div class="request ${isAsked ? "asked" : ""}" role="group" aria-label="A request to take moves back" data-asked=${request.asked}>
    <p>${chip(room, request.seat)} <strong>${isMine ? "You ask" : `${seatName(game, request.seat)} asks`}
        to go back to <button class="inline" @click=${() => room.show(request.to)}>version ${request.to}</button></strong>${before(room, request.to + 1)}.
      <span class="quiet">${waits ? `Still to answer: ${waits}.` : nothing} What everybody did since then would be taken back.</span></p>
    ${isAsked ? answers(requests, request) : nothing}
    ${isMine ? html`<div class="buttons"><button ?disabled=${requests.busy} @click=${() => requests.answer(request, false)}>Withdraw it</button></div>` : nothing}
  </div>`;
}

function answers(requests, request) {
  return html`<div class="buttons">
    <button class="strong" ?disabled=${requests.busy} @click=${() => requests.answer(request, true)}>Agree</button>
    <button ?disabled=${requests.busy} @click=${() => requests.answer(request, false)}>Refuse</button>
  </div>`;
}

/** What the game would go back before, in words, once that is known. */
function before(room, version) {
  const frame = room.frame(version);
  if (!frame) room.frames?.want(version).then(() => room.redraw(), () => {});
  return frame ? html`, before <q>${frame.text.replace(/\.$/, "")}</q>` : nothing;
}
