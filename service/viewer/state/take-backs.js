/**
 * Taking moves back by consent: a seat asks to go back to a version before a command of its own, and the others answer.
 * @module
 */

import { newKey, Problem } from "./api.js";

/** What a seat does around the table is no move. */
export const NO_MOVES = new Set(["moves-retracted", "answer-left", "answer-revoked", "take-back-asked", "take-back-answered", "seat-given-up", "seat-taken-over"]);

const byRoom = new WeakMap();

/** Return the requests of a room. @param {import("./room.js").Room} room */
export function takeBacksOf(room) {
  if (!byRoom.has(room)) byRoom.set(room, new TakeBacks(room));
  return byRoom.get(room);
}

class TakeBacks {
  #keys = new Map();

  constructor(room) {
    this.room = room;
    this.busy = false;
    /** Why the service did not do what it was asked last; null when it did. */
    this.problem = null;
  }

  /** The requests that are open: `{asked, seat, to, waits_for}`. */
  get open() {
    return this.room.game?.take_backs ?? [];
  }

  /** Whether the seat that looks may ask: it has no open request, and the game goes on. An analysis needs no consent. */
  get mayAsk() {
    const { game, seat } = this.room;
    const isAlone = game?.fork?.purpose === "analysis";
    return Boolean(seat) && game.status === "running" && game.paused === null && !isAlone && !this.open.some((each) => each.seat === seat);
  }

  /** Return the version before the command of the seat that looks that brought a version about; undefined for others'. */
  before(version) {
    for (let at = version; at > 1; at -= 1) {
      const frame = this.room.frame(at);
      if (!frame || NO_MOVES.has(frame.type)) return undefined;
      if (frame.command) return frame.seat === this.room.seat ? at - 1 : undefined;
    }
    return undefined;
  }

  /** Ask the others to go back to a version. */
  ask(to) {
    return this.#send("take-backs", { to });
  }

  /** Answer a request; whoever refuses their own withdraws it. */
  answer({ asked }, agrees) {
    return this.#send(`take-backs/${asked}/answer`, { agrees });
  }

  /** Forget what was refused. */
  close() {
    this.problem = null;
    this.room.redraw();
  }

  async #send(path, body) {
    if (this.busy) return;
    const { room } = this;
    const what = JSON.stringify([path, body]);
    if (!this.#keys.has(what)) this.#keys.set(what, newKey());
    this.busy = true;
    this.problem = null;
    room.redraw();
    try {
      await room.api.post(`/v1/games/${room.id}/${path}`, body, { "Idempotency-Key": this.#keys.get(what) });
      this.#keys.delete(what);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      // Without an answer it may have happened: the same key finds out.
      if (problem.status && problem.status < 500) this.#keys.delete(what);
      this.problem = problem;
    }
    this.busy = false;
    await room.refresh();
  }
}
