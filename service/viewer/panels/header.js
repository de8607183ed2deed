/**
 * The header of a page of a game: its title and ruleset, whether its stream is live, and whose view it shows.
 * @module
 */

import { html, nothing } from "../vendor/lit-html.js";
import { openSignIn, viewerName } from "./sign-in.js";

const STREAMS = {
  "": ["", "connecting"],
  live: ["live", "live"],
  lost: ["lost", "connection lost, trying again"],
  ended: ["over", "over"],
  refused: ["lost", "no stream"],
};

/**
 * @param {import("../state/room.js").Room} room
 * @param {import("../state/account.js").Account} account
 * @param {boolean} isAsked whether a decision waits for whoever looks
 * @param {(() => void) | null} decide leads there; null when it is shown
 */
export function header(room, account, isAsked, decide) {
  const { game } = room;
  const [kind, words] = STREAMS[room.stream];
  return html`<a class="home" href="/"><img src="/favicon.ico" alt="" width="22" height="22" /><span>Tabularium</span></a>
    <h1>${game ? game.title || "A game without a title" : "A game"}</h1>
    <p class="of">${room.ruleset && game ? html`${room.ruleset.title}, version ${game.upgraded_to ?? game.ruleset_version}` : nothing}</p>
    <p class="stream ${kind}" role="status"><span class="dot" aria-hidden="true"></span>${words}</p>
    <span class="hidden" role="status">${isAsked ? "It is your turn." : nothing}</span>
    ${isAsked && decide ? html`<button class="strong" @click=${decide}>Your turn</button>` : nothing}
    <button class="who" aria-haspopup="dialog" @click=${openSignIn}>${viewerName(room, account)}</button>
    <span class="hidden" role="status">${account.me ? `You are ${account.me.name}. ${viewerName(room)}.` : nothing}</span>
    <a class="docs" href="/docs">API</a>
    ${room.problem ? html`<p class="problem" role="alert">${room.problem.message} ${room.problem.problem?.allowed ?? ""}</p>` : nothing}`;
}
