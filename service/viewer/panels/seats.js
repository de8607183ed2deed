/**
 * The seats of a game that waits for players: who sits where, taking a seat, and starting the game.
 * @module
 */

import { html, nothing } from "../vendor/lit-html.js";
import { named } from "../parts/format.js";
import { link } from "../parts/papers.js";
import { remarks } from "../parts/remarks.js";
import { openSignIn } from "./sign-in.js";

let said = "";

/**
 * @param {import("../state/room.js").Room} room
 * @param {import("../state/account.js").Account} account
 */
export function seatsPanel(room, account) {
  const { game } = room;
  if (game?.status !== "gathering") return nothing;
  const mine = game.seats.find((place) => place.player && place.player === account.me?.id);
  const isFull = game.seats.every((place) => place.player);
  const mayStart = mine || game.organizer === account.me?.id;
  return html`<section class="open-seats" aria-labelledby="seats-title">
    <h2 id="seats-title">${isFull ? "Everybody is here" : "Waiting for players"}</h2>
    <ul>
      ${game.seats.map((place) => html`<li><strong>${named(place.seat)}</strong>
        ${place.player ? html`<span>${place.name}</span>` : seatButton(room, account, place, mine)}
        ${place === mine ? html`<button @click=${() => act(room, "delete", `seats/${place.seat}`)}>Leave</button>` : nothing}</li>`)}
    </ul>
    ${isFull && mayStart
      ? html`<button class="strong" @click=${() => act(room, "post", "start")}>Begin the game</button>`
      : html`<p class="quiet">${isFull ? "A player or the organizer can begin the game." : "Send this page's address to the other players."}</p>`}
    <p class="quiet">${game.organizer_sees === "all"
      ? "While the game runs, its organizer sees everything, hidden hands too, unless they hold a seat."
      : "The organizer of this game sees what a spectator sees."}</p>
    ${remarks(game)}
    ${room.papers?.papers.length ? html`<p class="quiet">Read: ${room.papers.papers.map(({ title }) => html` ${link(room, title)}`)}</p>` : nothing}
    ${said ? html`<p class="problem" role="alert">${said}</p>` : nothing}
  </section>`;
}

function seatButton(room, account, { seat }, mine) {
  if (mine) return html`<span class="quiet">free</span>`;
  // Chance of the browser's own: with it no one but the players of all seats together could have chosen the dice.
  const entropy = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const sit = () => act(room, "post", "seats", { seat, entropy: entropy() });
  const stranger = !account.me && !account.isUnknown;
  // The same button before and after: the dialog gives the focus back to it.
  return html`<button ?disabled=${account.isUnknown} aria-haspopup=${stranger ? "dialog" : nothing}
    @click=${stranger ? openSignIn : sit}>${stranger ? "Sign in to sit here" : "Sit here"}</button>`;
}

async function act(room, method, what, body) {
  said = "";
  try {
    await room.api[method](`/v1/games/${room.id}/${what}`, body);
    await room.enter();
  } catch (problem) {
    said = `${problem.message} ${problem.problem?.allowed ?? ""}`;
    room.redraw();
  }
}
