/**
 * The header of a page of a game: its title and ruleset, whether its stream is live, and whose view it shows.
 * @module
 */

/**
 * @import { Memory } from "../proof/memory.js"
 * @import { Account } from "../state/account.js"
 * @import { Api } from "../state/api.js"
 * @import { Room } from "../state/room.js"
 * @import { Entered } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { count, gameTitle } from "../parts/format.js";
import { docketOf } from "../state/docket.js";
import { origin } from "./forks.js";
import { openSignIn, viewerName } from "./sign-in.js";

const STREAMS = {
  "": ["", "connecting"],
  live: ["live", "live"],
  lost: ["lost", "connection lost, trying again"],
  ended: ["over", "over"],
  refused: ["lost", "no stream"],
};

/**
 * @param {Room} room
 * @param {Account} account
 * @param {boolean} isAsked whether a decision waits for the viewer of the page
 * @param {(() => void) | null} decide opens the panel Decide; null while it is open
 * @param {Memory | null} memory what this browser saw before
 * @param {number} elsewhere how many things wait for the viewer outside this game
 */
export function header(room, account, isAsked, decide, memory, elsewhere) {
  const { game } = room;
  // An earlier version of a game whose stream has ended is a replay.
  const [kind, words] = room.stream === "ended" && !room.following ? ["over", "replay"] : STREAMS[room.stream];
  return html`<a class="home" href="/"><img src="/favicon.ico" alt="" width="22" height="22" /><span>Tabularium</span></a>
    <h1>${game ? gameTitle(game) : "A game"}</h1>
    <p class="of">${room.ruleset && game ? html`${room.ruleset.title}, version ${game.upgraded_to ?? game.ruleset_version}` : nothing}</p>
    ${origin(room)}
    <p class="stream ${kind}" role="status"><span class="dot" aria-hidden="true"></span>${words}</p>
    <span class="hidden" role="status">${isAsked ? "It is your turn." : nothing}</span>
    ${isAsked && decide ? html`<button class="strong" @click=${decide}>Your turn</button>` : nothing}
    ${room.isEntered() ? desk(room) : nothing}
    ${account.me ? html`<a class="inbox" href="/#inbox"><span>Inbox</span>${elsewhere ? html` <span class="badge">${elsewhere}</span>` : nothing}</a>` : nothing}
    <button class="who" aria-haspopup="dialog" @click=${openSignIn}>${viewerName(room, account)}</button>
    <span class="hidden" role="status">${account.me ? `You are ${account.me.name}. ${viewerName(room)}.` : nothing}</span>
    ${
      game
        ? html`<button class="about" aria-haspopup="dialog" title="The game in a minute" @click=${() => about(room.api, game.ruleset)}>About</button>
      <a class="docs" href="/rules#game=${game.ruleset}">Rules</a>`
        : nothing
    }
    ${memory?.problem ? html`<p class="problem" role="alert">${memory.problem} The panel Verify has the evidence.</p>` : nothing}
    ${room.problem ? html`<p class="problem" role="alert">${room.problem.message} ${room.problem.status === 404 ? html`<a href="/">To the games</a>` : (room.problem.problem?.allowed ?? "")}</p>` : nothing}`;
}

/**
 * Open the briefing of a ruleset.
 * @param {Api} api
 * @param {string} ruleset
 */
async function about(api, ruleset) {
  (await import("../parts/briefing.js")).openBriefing(api, ruleset);
}

/** The link to the judge's desk, with the number of cases that wait for a ruling. @param {Entered} room */
function desk(room) {
  const docket = docketOf(room);
  docket.look();
  const { waiting } = docket;
  const [first] = waiting;
  return html`<a class="to-desk ${first ? "open" : ""}" href="/games/${room.id}/desk#v=${first?.about ?? room.version}"
    >Desk${first ? html` <span class="badge">${waiting.length}</span><span class="hidden"> ${count(waiting.length, "open case")}</span>` : nothing}</a>`;
}
