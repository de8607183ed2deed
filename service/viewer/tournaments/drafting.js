/**
 * A draft that a director works on: who was picked up, where everybody sits now, and what that costs.
 * @module
 */

/**
 * @import { Problem } from "../state/api.js"
 * @import { Drawn, PricedTables, RoundView } from "../types.js"
 * @import { Target } from "./moving.js"
 */

import { problemOf } from "../state/api.js";
import { changes, moved, tableOf } from "./moving.js";

const REST = 120; // Milliseconds without another wish before the service is asked what tables cost.

/** The tables of a draft as a director changes them. */
export class Drafting {
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
    /** The tables as they are now, and as they were before each change. @type {Drawn} */
    this.drawn = { tables: [], byes: [] };
    /** @type {Drawn[]} */
    this.before = [];
    /** Who was picked up; null for nobody. @type {string | null} */
    this.picked = null;
    /** The place that is being priced for them; null for none. @type {Target | null} */
    this.aim = null;
    /**
     * What the tables cost, as they would be after the aim if there is one; null until that is known.
     * @type {PricedTables | null}
     */
    this.priced = null;
    /** The button at which the tabulator comes to the tables: a player, or `#` and a table; empty for the first. */
    this.reached = "";
    /** The refusal of a rule to publish such tables. @type {Problem | null} */
    this.refused = null;
    this.take(round.drafts.length);
  }

  /** Begin with a draft. @param {number} number */
  take(number) {
    this.number = number;
    this.drawn = this.round.drafts[number - 1].drawn;
    this.before = [];
    this.picked = null;
    this.aim = null;
    this.#ask();
  }

  /** Go on with the round as it is now. @param {RoundView} round */
  goOn(round) {
    const isNew = round.drafts.length > this.round.drafts.length && !this.isChanged;
    this.round = round;
    if (isNew) this.take(round.drafts.length);
    else this.#ask();
  }

  /** Note the button that has the focus. @param {string} button */
  reach(button) {
    if (button === this.reached) return;
    this.reached = button;
    this.redraw();
  }

  get isChanged() {
    return changes(this.draft.drawn, this.drawn) > 0;
  }

  /** The draft that the tables come from. */
  get draft() {
    return this.round.drafts[this.number - 1];
  }

  /** Pick up a player, or put them down where they are. @param {string} player */
  pick(player) {
    this.picked = this.picked === player ? null : player;
    this.#look(null);
  }

  /** Put down who was picked up, where they are. */
  release() {
    if (this.picked) this.pick(this.picked);
  }

  /** Say where the player who was picked up would go, to see what that costs. @param {Target | null} target */
  look(target) {
    const goes = this.picked && target && this.#leads(target) ? target : null;
    if (JSON.stringify(goes) !== JSON.stringify(this.aim)) this.#look(goes);
  }

  /** Whether a player who is picked up would come to another place by a target. @param {Target} target */
  #leads(target) {
    if ("player" in target) return target.player !== this.picked;
    return target.table !== tableOf(this.drawn, /** @type {string} */ (this.picked));
  }

  /** Let the player who was picked up go somewhere. @param {Target} target */
  put(target) {
    const { picked } = this;
    if (!picked) return;
    this.picked = null;
    if (!("player" in target && target.player === picked)) {
      this.before.push(this.drawn);
      this.drawn = moved(this.drawn, picked, target);
    }
    this.#look(null);
  }

  /** Take the last change back. */
  undo() {
    this.drawn = this.before.pop() ?? this.drawn;
    this.picked = null;
    this.#look(null);
  }

  /** @param {Target | null} target */
  #look(target) {
    this.aim = target;
    this.#ask();
    this.redraw();
  }

  /** Ask nothing any more: the tables are being published. */
  stop() {
    this.#asked += 1;
  }

  /** Ask what the tables cost that are to be seen. Only the last answer counts. */
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
