/**
 * The head of a game's page: which game, where it stands, who looks.
 * @module
 */

import { html, nothing } from "./vendor/lit-html.js";
import { openIdentity } from "./identity.js";
import { seatName } from "./words.js";

const STREAMS = {
  "": ["", "connecting"],
  live: ["live", "live"],
  lost: ["lost", "connection lost, trying again"],
  ended: ["over", "over"],
  refused: ["lost", "no stream"],
};

/** @param {import("./room.js").Room} room */
export function masthead(room) {
  const { game } = room;
  const [kind, words] = STREAMS[room.stream];
  return html`<a class="home" href="/"><img src="/favicon.ico" alt="" width="22" height="22" /><span>Tabularium</span></a>
    <h1>${game ? game.title || "A game without a title" : "A game"}</h1>
    <p class="of">${room.ruleset?.title ?? nothing}</p>
    <p class="stream ${kind}" role="status"><span class="dot" aria-hidden="true"></span>${words}</p>
    <button class="who" aria-haspopup="dialog" @click=${openIdentity}>${whoLooks(room)}</button>
    <a class="docs" href="/docs">API</a>
    ${room.problem ? html`<p class="problem" role="alert">${room.problem.message} ${room.problem.problem?.allowed ?? ""}</p>` : nothing}`;
}

/** Return through whose eyes the page looks. */
export function whoLooks(room) {
  if (room.seat) return `Seat: ${seatName(room.game, room.seat)}`;
  if (room.game?.status === "over") return "All is open";
  return room.everything ? "Organizer" : "Spectator";
}
