/**
 * A list that the service sends in pages: what was read of it, and how the next page is read.
 * @module
 */

/** @import { Problem } from "./api.js" */

import { problemOf } from "./api.js";

/** @template Item */
export class Pages {
  /** @type {(cursor: string | undefined) => Promise<{items: readonly Item[], next: string | null}>} */
  #read;
  /** The page that is being read. @type {Promise<void> | null} */
  #reading = null;

  /** @param {(cursor: string | undefined) => Promise<{items: readonly Item[], next: string | null}>} read reads a page */
  constructor(read) {
    this.#read = read;
    /** What was read so far. @type {readonly Item[]} */
    this.items = [];
    /** The cursor of the next page; null after the last page. @type {string | null} */
    this.next = null;
    /** Why the last reading failed; null when it did not. @type {Problem | null} */
    this.problem = null;
  }

  /** Read the next page. A second call while it is read starts no other request. Throws a `Problem`. */
  more() {
    this.#reading ??= this.#append().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #append() {
    try {
      const { items, next } = await this.#read(this.next ?? undefined);
      Object.assign(this, { items: [...this.items, ...items], next, problem: null });
    } catch (error) {
      this.problem = problemOf(error);
      throw this.problem;
    }
  }
}
