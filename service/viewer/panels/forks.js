/**
 * Forks: making one from the version that is shown, where a fork comes from, and a fork beside its parent.
 * @module
 */

/**
 * @import { Room } from "../state/room.js"
 * @import { Entered, Game, GameSummary } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { gameTitle } from "../parts/format.js";
import { problemOf } from "../state/api.js";
import { openSignIn } from "./sign-in.js";

/** The forks of the game that was read last. @type {{game: string, forks: GameSummary[]}} */
const known = { game: "", forks: [] };

/** The button that makes an analysis from the version that is shown, and opens it. @param {Room} room */
export function whatIf(room) {
  if (!room.isEntered() || room.game.status === "gathering") return nothing;
  return html`<button class="what-if" title="Play on from this version by yourself, with all seats" @click=${() => fork(room)}>What if?</button>`;
}

/** @param {Entered} room */
async function fork(room) {
  try {
    const made = await room.api.post(`/v1/games/${room.id}/forks`, { version: await betweenCommands(room) });
    location.href = `/games/${made.id}`;
  } catch (error) {
    const problem = problemOf(error);
    if (problem.status === 401) return openSignIn();
    room.problem = problem;
    room.redraw();
  }
}

/** Return the last version up to the one that is shown that is not in the middle of a command. @param {Entered} room */
async function betweenCommands(room) {
  let at = room.game.status === "over" ? Math.min(room.version, room.head - 1) : room.version;
  for (; at > 1 && at < room.head; at -= 1) {
    await room.frames.want(at + 1);
    if (room.frame(at + 1)?.command) break;
  }
  return at;
}

/** Say where a fork comes from; empty for other games. @param {Room} room */
export function origin({ game }) {
  if (!game?.fork) return nothing;
  const { parent, version, purpose, withheld } = game.fork;
  return html`<p class="fork-of">${purpose === "analysis" ? "An analysis" : "A continuation"} of
    <a href="/games/${parent}#v=${version}">another game at version ${version}</a>${withheld ? html`. Only officials are shown it until <a href="/games/${withheld}">that game</a> is over.` : nothing}</p>`;
}

/** The comparison of a fork with its parent, and the forks of the game. @param {Room} room */
export function besideParent(room) {
  return room.isEntered() ? [room.game.fork ? parentOf(room, room.game.fork) : nothing, forksOf(room)] : nothing;
}

/**
 * @param {Entered} room
 * @param {NonNullable<Game["fork"]>} fork
 */
function parentOf(room, { parent }) {
  if (!room.beside)
    return html`<p><button @click=${() => room.compareWithParent(true)}>Compare with the game it forks from</button></p>`;
  const at = room.parallel;
  const picture = `/v1/games/${parent}/board.svg?version=${at}`;
  return html`<figure class="parent">
      <a href="/games/${parent}#v=${at}"><img src=${picture} alt="The board of the other game at version ${at}" /></a>
      <figcaption>The other game at version ${at}, as spectators see it</figcaption>
    </figure>
    <p><button @click=${() => room.compareWithParent(false)}>Stop comparing with the other game</button></p>`;
}

/** @param {Entered} room */
function forksOf(room) {
  if (known.game !== room.id) {
    Object.assign(known, { game: room.id, forks: [] });
    room.api.get(`/v1/games/${room.id}/forks`).then(
      ({ items }) => {
        known.forks = items;
        room.redraw();
      },
      () => {},
    );
  }
  const open = known.forks.filter(({ status }) => status !== "cancelled");
  if (!open.length) return nothing;
  return html`<h3>Forks of this game</h3>
    <ul class="forks">${open.map((each) => html`<li><a href="/games/${each.id}">${gameTitle(each)}</a>${each.title ? ` from version ${each.fork?.version}` : nothing}</li>`)}</ul>`;
}
