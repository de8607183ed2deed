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
  /** The part of the panel that the last request came from. */
  #part = "";

  /**
   * Send a request, and read the game again when it is answered.
   * @param {Entered} room
   * @param {string} part the part of the panel that it comes from, where a refusal is shown
   * @param {() => Promise<unknown>} act
   */
  async send(room, part, act) {
    this.busy = true;
    this.problem = null;
    this.#part = part;
    room.redraw();
    try {
      await act();
    } catch (error) {
      this.problem = problemOf(error);
    }
    this.busy = false;
    await room.refresh();
  }

  /**
   * The refusal of the last request, if the request came from this part.
   * @param {Entered} room
   * @param {string} part
   */
  refusalIn(room, part) {
    return this.problem && this.#part === part ? refusal(room, this.problem) : nothing;
  }
}
