/**
 * A draft that a director changes: who is picked up, where everybody sits now, and what that costs.
 * @module
 */

/**
 * @import { Problem } from "../state/api.js"
 * @import { Drawn, PricedTables, RoundView } from "../types.js"
 * @import { Target } from "./moving.js"
 */

import { problemOf } from "../state/api.js";
import { changes, moved, tableOf } from "./moving.js";

const REST = 120; // Milliseconds without another change before the service is asked what the tables cost.

/** The tables of a draft as a director changes them. */
export class Drafting {
  /** The number of the last question for a price: answers to earlier ones are dropped. */
  #asked = 0;

  /**
   * @param {RoundView} round
   * @param {(body: {draft: number, drawn: Drawn}) => Promise<PricedTables>} price asks what tables would cost
   * @param {() => void} redraw
   */
  constructor(round, price, redraw) {
    this.round = round;
    this.price = price;
    this.redraw = redraw;
    /** The number of the draft that the tables come from. */
    this.number = 0;
    /** The tables as they are now. @type {Drawn} */
    this.drawn = { tables: [], byes: [] };
    /** The tables before each change, the oldest first. @type {Drawn[]} */
    this.before = [];
    /** The player who is picked up; null for nobody. @type {string | null} */
    this.picked = null;
    /** The place that is being priced for them; null for none. @type {Target | null} */
    this.aim = null;
    /**
     * What the tables cost, as they would be after the aim if there is one; null until that is known.
     * @type {PricedTables | null}
     */
    this.priced = null;
    /** The button that had the focus last, which the Tab key reaches: a player, or `#` and a table; empty at first. */
    this.reached = "";
    /** Why a rule forbids to publish these tables; null if none does. @type {Problem | null} */
    this.refused = null;
    this.take(round.drafts.length);
  }

  /** Show the tables of a draft, without the changes that were made. @param {number} number */
  take(number) {
    this.number = number;
    this.drawn = this.round.drafts[number - 1].drawn;
    this.before = [];
    this.picked = null;
    this.aim = null;
    this.#ask();
  }

  /** Take the round as it is now. Show a new draft, unless the director has changed the tables. @param {RoundView} round */
  goOn(round) {
    const showsNew = round.drafts.length > this.round.drafts.length && !this.isChanged;
    this.round = round;
    if (showsNew) this.take(round.drafts.length);
    else this.#ask();
  }

  /** Note the button that has the focus. @param {string} button */
  reach(button) {
    if (button === this.reached) return;
    this.reached = button;
    this.redraw();
  }

  /** Whether the tables differ from the draft that they come from. */
  get isChanged() {
    return changes(this.draft.drawn, this.drawn) > 0;
  }

  /** The draft that the tables come from. */
  get draft() {
    return this.round.drafts[this.number - 1];
  }

  /** Pick up a player; or put them down, if they are picked up. @param {string} player */
  pick(player) {
    this.picked = this.picked === player ? null : player;
    this.#setAim(null);
  }

  /** Put down the player who is picked up, at their own place. */
  release() {
    if (this.picked) this.pick(this.picked);
  }

  /** Set the place that is priced for the player who is picked up; null for none. @param {Target | null} target */
  look(target) {
    const aim = this.picked && target && this.#moves(target) ? target : null;
    if (JSON.stringify(aim) !== JSON.stringify(this.aim)) this.#setAim(aim);
  }

  /** Tell whether a target is another place than that of the player who is picked up. @param {Target} target */
  #moves(target) {
    if ("player" in target) return target.player !== this.picked;
    return target.table !== tableOf(this.drawn, /** @type {string} */ (this.picked));
  }

  /** Put the player who is picked up at a place. @param {Target} target */
  put(target) {
    const { picked } = this;
    if (!picked) return;
    this.picked = null;
    if (!("player" in target && target.player === picked)) {
      this.before.push(this.drawn);
      this.drawn = moved(this.drawn, picked, target);
    }
    this.#setAim(null);
  }

  /** Take the last change back. */
  undo() {
    this.drawn = this.before.pop() ?? this.drawn;
    this.picked = null;
    this.#setAim(null);
  }

  /** Set the aim, ask what it costs, and draw the page. @param {Target | null} target */
  #setAim(target) {
    this.aim = target;
    this.#ask();
    this.redraw();
  }

  /** Drop the questions that are open: the tables are being published. */
  stop() {
    this.#asked += 1;
  }

  /** Ask what the tables cost, after the aim if there is one. Only the answer to the last question counts. */
  #ask() {
    const mine = ++this.#asked;
    const drawn = this.picked && this.aim ? moved(this.drawn, this.picked, this.aim) : this.drawn;
    setTimeout(async () => {
      if (mine !== this.#asked) return;
      /** @type {[PricedTables | null, Problem | null]} */
      const [priced, refused] = await this.price({ draft: this.number, drawn }).then(
        (found) => [found, null],
        (error) => [null, problemOf(error).problem.rule ? problemOf(error) : null],
      );
      if (mine !== this.#asked) return;
      this.priced = priced;
      this.refused = refused;
      this.redraw();
    }, REST);
  }
}
