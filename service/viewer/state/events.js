/**
 * The events of a game as rows of its log, fetched around the version that is shown.
 * @module
 */

/**
 * @import { Entered, EventRow } from "../types.js"
 * @import { Frames } from "./frames.js"
 */

import { problemOf } from "./api.js";

const REST = 120; // Milliseconds that a version must be shown before its event is fetched: a drag passes many.
const BEFORE = 30; // The command that brought an event about is seldom farther back.
const TOGETHER = 60; // Rows that are fetched at once.

/** @type {WeakMap<Frames, Events>} */
const known = new WeakMap();

/** Return the events that the viewer of the page may see now. @param {Entered} room */
export function eventsOf(room) {
  const { frames } = room;
  const events = known.get(frames) ?? new Events(room);
  known.set(frames, events);
  return events;
}

class Events {
  /** @type {Map<number, EventRow>} */
  #rows = new Map();
  #timer = 0;

  /** @param {Entered} room */
  constructor(room) {
    this.room = room;
  }

  /**
   * @param {number} version
   * @returns {EventRow | undefined} the row of a version; undefined until it is fetched, as the version shown is soon
   */
  at(version) {
    if (version === this.room.version && !this.#rows.has(version)) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#fetch(), REST);
    }
    return this.#rows.get(version);
  }

  /**
   * @param {number} version
   * @returns {EventRow | undefined} the row whose command brought a version about, if it was fetched
   */
  causeOf(version) {
    for (let row = this.#rows.get(version); row; row = this.#rows.get(row.version - 1)) if (row.cause) return row;
    return undefined;
  }

  async #fetch() {
    const { room } = this;
    const after = Math.max(0, room.version - BEFORE);
    if (this.#rows.has(room.version) || known.get(room.frames) !== this) return;
    try {
      const page = await room.api.get(`/v1/games/${room.id}/events`, { after, limit: TOGETHER });
      for (const row of /** @type {{items: EventRow[]}} */ (/** @type {unknown} */ (page)).items)
        this.#rows.set(row.version, row);
    } catch (error) {
      const problem = problemOf(error);
      room.problem = problem;
    }
    room.redraw();
  }
}
