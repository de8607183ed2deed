/**
 * The seats of a game that waits for players: who sits where, taking a seat, and starting the game.
 * @module
 */

import { html, nothing } from "../vendor/lit-html.js";
import { entropy } from "../parts/entropy.js";
import { named } from "../parts/format.js";
import { link } from "../parts/papers.js";
import { remarks } from "../parts/remarks.js";
import { openSignIn } from "./sign-in.js";

let said = "";
/** The link that was made just now, with what it leads to. */
let invitation = { game: "", link: "", said: "" };

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
        ${place.player ? html`<span><a href="/players/${place.player}">${place.name}</a></span>` : seatButton(room, account, place, mine)}
        ${place === mine ? html`<button @click=${() => act(room, "delete", `seats/${place.seat}`)}>Leave</button>` : nothing}</li>`)}
    </ul>
    ${isFull && mayStart
      ? html`<button class="strong" @click=${() => act(room, "post", "start")}>Begin the game</button>`
      : html`<p class="quiet">${isFull ? "A player or the organizer can begin the game." : "Send this page's address to the other players."}</p>`}
    ${!isFull && account.me && game.organizer === account.me.id ? inviting(room) : nothing}
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
  const sit = () => act(room, "post", "seats", { seat, entropy: entropy() });
  const stranger = !account.me && !account.isUnknown;
  // The same button before and after: the dialog gives the focus back to it.
  return html`<button ?disabled=${account.isUnknown} aria-haspopup=${stranger ? "dialog" : nothing}
    @click=${stranger ? openSignIn : sit}>${stranger ? "Sign in to sit here" : "Sit here"}</button>`;
}

/** A link that seats those who follow it. */
function inviting(room) {
  if (invitation.game !== room.id) return html`<p><button @click=${() => invite(room)}>Invite friends by a link</button></p>`;
  const { link, said: copied } = invitation;
  return html`<div class="invite">
    <label for="invitation">Each friend who opens this link gets a free seat</label>
    <div class="line"><input id="invitation" readonly .value=${link} @focus=${(event) => event.target.select()} />
      <button @click=${() => copy(room)}>Copy</button></div>
    <p class="hint" role="status">${copied || "It is shown only now. You can make another one."}</p>
  </div>`;
}

async function invite(room) {
  try {
    const { token } = await room.api.post(`/v1/games/${room.id}/invitations`);
    invitation = { game: room.id, link: `${location.origin}/join#${token}`, said: "" };
    room.addEventListener("change", () => document.getElementById("invitation")?.focus(), { once: true });
  } catch (problem) {
    said = `${problem.message} ${problem.problem?.allowed ?? ""}`;
  }
  room.redraw();
}

/** Put the link on the clipboard, which pages have on HTTPS only. */
async function copy(room) {
  const isCopied = await (async () => navigator.clipboard.writeText(invitation.link))().then(() => true, () => false);
  invitation.said = isCopied ? "Copied" : "Select the link and copy it";
  room.redraw();
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
