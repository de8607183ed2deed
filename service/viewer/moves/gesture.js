/**
 * A gesture on the map, as a small state machine: what was pointed at so far, and what pointing at an area means next.
 *
 *     idle ──begin──▶ from ──end──▶ to ──send──▶ confirmed
 *                      │
 *                   prepare        along: what comes along is chosen before the end
 *                      ▼
 *                     along ──end──▶ to
 *
 * Pointing at nothing goes back: from `to` to `from` when the gesture ended in another area, otherwise to `idle`. So does
 * pointing at the start again, unless it completes the gesture. Nothing here knows of a board, a form or the service.
 * @module
 */

/** @import { Meant } from "./gestures.js" */

/**
 * @typedef {"idle" | "from" | "along" | "to" | "confirmed"} State
 *
 * What can be pointed at: where gestures can begin, where the one that began can end, whether it is complete, and
 * whether its command takes several areas and can take a given one.
 * @typedef {{starts: Set<string>, ends: Set<string>, isComplete: boolean, takes: (area: string) => boolean}} Reach
 *
 * What pointing means. "end, meant" is an end that the player foresaw: it is sent at once when nothing is left to ask.
 * @typedef {"wait" | "cancel" | "back" | "begin" | "end" | "end, meant" | "pick" | "send" | "explain" | "look"} Step
 */

/** What was pointed at so far. */
export class Gesture {
  /** The area where it began; null before. @type {string | null} */
  start = null;
  /** The area where it ended; null before, and if it points at its start only. @type {string | null} */
  end = null;
  /** The commands that are meant: several when one gesture can mean several. @type {Meant[]} */
  meant = [];
  /** Whether it began by itself: then any other gesture can still begin. */
  isGuess = false;
  /** Whether that guess was right the last time: then pointing at an end ends it as if the player had begun it. */
  isSure = false;
  /** Whether what comes along is being chosen while there is no end yet. */
  isPrepared = false;
  /** Whether it is being sent: nothing was left to ask. */
  isSending = false;

  /** @returns {State} */
  get state() {
    if (this.isSending) return "confirmed";
    if (this.start === null) return "idle";
    if (this.meant.length) return "to";
    return this.isPrepared ? "along" : "from";
  }

  /** Begin in an area; by itself, where that was guessed. @param {string | null} area @param {{isGuess?: boolean, isSure?: boolean}} [how] */
  begin(area, { isGuess = false, isSure = false } = {}) {
    Object.assign(this, { start: area, end: null, meant: [], isGuess, isSure, isPrepared: false });
  }

  /** Come to an end: in an area, or with null where it began. @param {string | null} area @param {Meant[]} meant */
  endAt(area, meant) {
    Object.assign(this, { end: area, meant });
  }

  /** Where the gesture begins after one step back: its start if it has ended in another area, otherwise null. */
  get before() {
    return this.end === null ? null : this.start;
  }

  /** Forget all of it. What is being sent goes on. */
  forget() {
    this.begin(null);
  }

  /**
   * Return what pointing at an area means.
   * @param {string | null} area null for nothing
   * @param {boolean} isSeen whether the player saw before what it means; a finger sees nothing
   * @param {Reach} reach
   * @returns {Step}
   */
  pointed(area, isSeen, { starts, ends, isComplete, takes }) {
    const { start } = this;
    if (this.isSending) return "wait";
    if (area === null) return "cancel";
    if (isComplete && area === (this.end ?? start)) return "send";
    if (isComplete && takes(area)) return "pick";
    if (start !== null && area !== start && ends.has(area)) {
      // Where a gesture began by itself, pointing at another start may mean that one.
      return isSeen && !(this.isGuess && !this.isSure && starts.has(area)) ? "end, meant" : "end";
    }
    if (start === area && !this.isGuess) return "back";
    if (starts.has(area)) return "begin";
    return start === null ? "look" : "explain";
  }
}
