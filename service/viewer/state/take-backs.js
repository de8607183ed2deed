/**
 * Taking moves back by consent: a seat asks to go back to a version before a command of its own, and the others answer.
 * @module
 */

/** @import { Table, TakeBack } from "../types.js" */

import { newKey, Problem } from "./api.js";

/** Events around the table, which are no moves. */
export const NO_MOVES = new Set([
  "moves-retracted",
  "answer-left",
  "answer-revoked",
  "take-back-asked",
  "take-back-answered",
  "end-proposed",
  "end-answered",
  "seat-given-up",
  "seat-taken-over",
  "seat-assigned",
  "seat-confirmed",
  "seat-offered",
  "offer-withdrawn",
  "seat-resigned",
  "answered-by-house",
]);

/** @type {WeakMap<Table, TakeBacks>} */
const byRoom = new WeakMap();

/** Return the requests of a room. @param {Table} room */
export function takeBacksOf(room) {
  const requests = byRoom.get(room) ?? new TakeBacks(room);
  byRoom.set(room, requests);
  return requests;
}

export class TakeBacks {
  /** The idempotency keys of requests that may not have arrived. @type {Map<string, string>} */
  #keys = new Map();

  /** @param {Table} room */
  constructor(room) {
    this.room = room;
    this.busy = false;
    /** Why the last request failed; null when it did not. @type {Problem | null} */
    this.problem = null;
  }

  /** The requests that are open. */
  get open() {
    return this.room.game?.take_backs ?? [];
  }

  /** Whether the viewer's seat may ask: it has no open request, and the game runs, not paused and no analysis. */
  get mayAsk() {
    const { game, seat } = this.room;
    const isAlone = game?.fork?.purpose === "analysis";
    return (
      game !== null &&
      seat !== null &&
      game.status === "running" &&
      game.paused === null &&
      !isAlone &&
      !this.open.some((each) => each.seat === seat)
    );
  }

  /**
   * Return the version before the command that led to a version; undefined unless it is a move of the viewer's seat.
   * @param {number} version
   */
  before(version) {
    for (let at = version; at > 1; at -= 1) {
      const frame = this.room.frame(at);
      if (!frame || NO_MOVES.has(frame.type)) return undefined;
      if (frame.command) return frame.seat === this.room.seat ? at - 1 : undefined;
    }
    return undefined;
  }

  /** Ask the others to go back to a version. @param {number} to */
  ask(to) {
    const { room } = this;
    return this.#send(`${to}`, (key) =>
      room.api.post(`/v1/games/${room.id}/take-backs`, { to }, { "Idempotency-Key": key }),
    );
  }

  /**
   * Answer a request. A seat that refuses its own request withdraws it.
   * @param {TakeBack} request
   * @param {boolean} agrees
   */
  answer({ asked }, agrees) {
    const { room } = this;
    return this.#send(`${asked} ${agrees}`, (key) =>
      room.api.post(`/v1/games/${room.id}/take-backs/${asked}/answer`, { agrees }, { "Idempotency-Key": key }),
    );
  }

  /** Forget why the last request failed. */
  close() {
    this.problem = null;
    this.room.redraw();
  }

  /**
   * @param {string} what names the request: until it is answered, the same name has the same key
   * @param {(key: string) => Promise<unknown>} send
   */
  async #send(what, send) {
    if (this.busy) return;
    const { room } = this;
    if (!this.#keys.has(what)) this.#keys.set(what, newKey());
    this.busy = true;
    this.problem = null;
    room.redraw();
    try {
      await send(this.#keys.get(what) ?? "");
      this.#keys.delete(what);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      // Without an answer the request may have arrived: sending it again with the same key is safe.
      if (problem.status && problem.status < 500) this.#keys.delete(what);
      this.problem = problem;
    }
    this.busy = false;
    await room.refresh();
  }
}
