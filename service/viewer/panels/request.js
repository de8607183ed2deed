/**
 * The state of a panel's requests: whether one is running (the panel disables its buttons then), and why the last one
 * was refused.
 * @module
 */

/**
 * @import { Problem } from "../state/api.js"
 * @import { Entered } from "../types.js"
 */

import { nothing } from "../vendor/lit-html.js";
import { problemOf } from "../state/api.js";
import { refusal } from "../parts/rule.js";

export class PanelRequest {
  busy = false;
  /** Why the last request was refused. @type {Problem | null} */
  problem = null;
  /** The part of the panel that it came from. */
  #part = "";

  /**
   * Send a request, and read the game again when it is answered.
   * @param {Entered} room
   * @param {string} part the part of the panel that it comes from, where a refusal is shown
   * @param {() => Promise<unknown>} does
   */
  async send(room, part, does) {
    this.busy = true;
    this.problem = null;
    this.#part = part;
    room.redraw();
    try {
      await does();
    } catch (error) {
      this.problem = problemOf(error);
    }
    this.busy = false;
    await room.refresh();
  }

  /**
   * The refusal of the last request, if it came from this part.
   * @param {Entered} room
   * @param {string} part
   */
  refusalIn(room, part) {
    return this.problem && this.#part === part ? refusal(room, this.problem) : nothing;
  }
}
