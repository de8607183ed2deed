/**
 * Rematches of a game that is over: a button that offers one, who has agreed, and a link to the new game. The page of
 * the new game shows the same until the game starts.
 * @module
 */

/** @import { Entered, Rematch, Rematches } from "../types.js" */

import { html, nothing } from "../vendor/lit-html.js";
import { entropy } from "../parts/entropy.js";
import { clock, named } from "../parts/format.js";
import { PanelRequest } from "./request.js";

const SOON = 4000; // Milliseconds between two looks at an offer that waits for players.
const LATER = 15_000; // Milliseconds between two looks while there is no offer.

/** The rematches of one game, as far as they are known. */
class Offers {
  /** @type {Rematches | null} */
  known = null;
  request = new PanelRequest();
  #looking = false;

  /** @param {Entered} room */
  constructor(room) {
    this.room = room;
    this.game = room.game.rematch_of ?? room.id;
  }

  /** Read the rematches now, and again for as long as they may change for the viewer. */
  async look() {
    if (this.#looking) return;
    this.#looking = true;
    while (await this.#mayChange()) {
      const wait = this.known?.items.some(({ status }) => status === "offered") ? SOON : LATER;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
    this.#looking = false;
  }

  /** Read the rematches, unless the page is hidden. Return whether they may still change for the viewer. */
  async #mayChange() {
    if (document.hidden) return true;
    const before = JSON.stringify(this.known);
    this.known = await this.room.api.get(`/v1/games/${this.game}/rematches`).catch(() => this.known);
    if (JSON.stringify(this.known) !== before) this.room.redraw();
    const last = this.known?.items.at(-1);
    return (
      Boolean(this.room.game.you) &&
      last?.status !== "started" &&
      (!last || last.number < 5 || last.status === "offered")
    );
  }

  /**
   * @param {number} number
   * @param {boolean} agrees
   */
  answer(number, agrees) {
    const { api } = this.room;
    return this.request.send(this.room, "", async () => {
      if (agrees) await api.put(`/v1/games/${this.game}/rematches/${number}`, { entropy: entropy() });
      else await api.delete(`/v1/games/${this.game}/rematches/${number}`);
      this.known = await api.get(`/v1/games/${this.game}/rematches`);
      this.look();
    });
  }
}

/** The offers of a room, for the seat of the viewer who read them. @type {WeakMap<Entered, {you: string | null, offers: Offers}>} */
const byRoom = new WeakMap();

/** @param {Entered} room */
function offersOf(room) {
  const { you } = room.game;
  const known = byRoom.get(room);
  if (known?.you === you) return known.offers;
  const offers = new Offers(room);
  byRoom.set(room, { you, offers });
  offers.look();
  return offers;
}

/** The button that offers a rematch; empty if the viewer may offer none. @param {Entered} room */
export function rematchButton(room) {
  const offers = offersOf(room);
  const { next } = offers.known ?? {};
  if (!next) return nothing;
  return html`<button class="strong rematch" ?disabled=${offers.request.busy} @click=${() => offers.answer(next, true)}>Rematch</button>`;
}

/** The newest rematch of a game that is over; on the page of a rematch, that one. @param {Entered} room */
export function rematchPanel(room) {
  const offers = offersOf(room);
  const items = offers.known?.items ?? [];
  const offer = room.game.rematch_of ? items.find(({ game }) => game === room.id) : items.at(-1);
  return html`${offer ? offerPart(room, offers, offer) : nothing}${offers.request.refusalIn(room, "")}`;
}

/**
 * @param {Entered} room
 * @param {Offers} offers
 * @param {Rematch} offer
 */
function offerPart(room, offers, { number, game, status, until, players }) {
  const mine = players.find(({ player }) => player === holder(room));
  if (status === "started") return html`<p class="rematch"><a href="/games/${game}">Go to the rematch</a></p>`;
  if (status === "cancelled")
    return html`<p class="rematch quiet">A rematch was declined, or not agreed to in time.</p>`;
  const open = mine && !mine.agreed;
  return html`<div class="request rematch ${open ? "asked" : ""}" role="group" aria-label="A rematch">
    <p><strong>A rematch is offered</strong> until <time datetime=${until}>${clock(until)}</time>. It starts when everybody has agreed.</p>
    <ul>${players.map(
      (each) => html`<li>${named(each.seat)}: <a href="/players/${each.player}">${each.name}</a>
      <span class=${each.agreed ? "" : "quiet"}>${each.agreed ? "agrees" : "has not answered"}</span></li>`,
    )}</ul>
    ${
      mine
        ? html`<div class="buttons">${open ? html`<button class="strong" ?disabled=${offers.request.busy} @click=${() => offers.answer(number, true)}>Agree</button>` : nothing}
          <button ?disabled=${offers.request.busy} @click=${() => offers.answer(number, false)}>${open ? "Decline" : "Withdraw"}</button></div>`
        : nothing
    }</div>`;
}

/** Return the id of the account that holds the viewer's seat. @param {Entered} room */
function holder({ game }) {
  return game.seats.find(({ seat }) => seat === game.you)?.player;
}
