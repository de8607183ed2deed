/**
 * The cases of a game, as its page counts them. A case makes no event in the game, so the page asks for them now and
 * then.
 * @module
 */

/**
 * @import { CaseSummary } from "../types.js"
 * @import { Room } from "./room.js"
 */

const FIRST = 500; // Milliseconds after which the cases are asked for: the board comes first.
const REST = 2000; // Milliseconds between two requests, at least.
const AGAIN = 20_000; // Milliseconds between the requests of a page whose viewer may have to answer or rule.
const WAITING = ["open", "appealed"];

/** @type {WeakMap<Room, Docket>} */
const byRoom = new WeakMap();

/** Return the docket of a room. @param {Room} room */
export function docketOf(room) {
  const docket = byRoom.get(room) ?? new Docket(room);
  byRoom.set(room, docket);
  return docket;
}

export class Docket {
  #wanted = "";
  #isPending = false;
  #wait = FIRST;

  /** @param {Room} room */
  constructor(room) {
    this.room = room;
    /** All cases, the newest first. @type {CaseSummary[]} */
    this.all = [];
    addEventListener("focus", () => this.readSoon());
    room.addEventListener("disputed", () => this.readSoon());
    setInterval(() => document.hidden || !this.#mayWait || this.readSoon(), AGAIN);
  }

  /** Whether a case may wait for the viewer: a seat, or an official of a running game. */
  get #mayWait() {
    const { game, everything } = this.room;
    return game !== null && (game.you !== null || (everything && game.status !== "over"));
  }

  /** The cases that wait for a ruling. */
  get waiting() {
    return this.all.filter(({ status }) => WAITING.includes(status));
  }

  /** Read the cases again when the game has moved on, or the viewer has another seat. */
  look() {
    const { game, seat } = this.room;
    const wanted = game ? `${game.version}/${seat}` : "";
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.readSoon();
  }

  /** Read the cases in a moment, once for all calls until then. */
  readSoon() {
    if (this.#isPending) return;
    this.#isPending = true;
    setTimeout(() => this.#read(), this.#wait);
    this.#wait = REST;
  }

  async #read() {
    this.#isPending = false;
    const { room } = this;
    try {
      const { items } = await room.api.get(`/v1/games/${room.id}/cases`, { limit: 100 });
      this.all = items;
      room.redraw();
    } catch {
      // Then the badge stays as it is until the next time.
    }
  }
}
