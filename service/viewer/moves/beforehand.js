/**
 * What comes along with a move, chosen before the player points at where it ends.
 * @module
 */

/**
 * @import { Form } from "../forms/form.js"
 * @import { Commands } from "../state/commands.js"
 * @import { JsonObject } from "../types.js"
 * @import { Move } from "./gestures.js"
 */

import { isSame } from "../forms/schema.js";
import { titleOf } from "../state/options.js";
import { alongIn } from "./along.js";
import { gestureOf, hasAlong } from "./gestures.js";

/** The choice of what comes along, while the gesture has no end yet. */
export class Beforehand {
  /** The form in which it is chosen. @type {Form | null} */
  #form = null;
  /** What the form had when it was opened. @type {JsonObject} */
  #usual = {};
  /** What was chosen, once the gesture has ended; null if it is the usual. @type {JsonObject | null} */
  #kept = null;
  /** Whether the player chose one of several ways to go on. */
  isWayChosen = false;

  /** @param {Pick<Commands, "form" | "option" | "order">} commands */
  constructor(commands) {
    this.commands = commands;
  }

  /**
   * Let the player choose in a form, which has what usually comes along.
   * @param {Form} form
   * @param {JsonObject} usual
   * @param {boolean} isWayChosen
   */
  open(form, usual, isWayChosen) {
    Object.assign(this, { isWayChosen });
    this.#form = form;
    this.#usual = usual;
  }

  /** Forget what was chosen. */
  forget() {
    this.#form = null;
    this.#kept = null;
    this.isWayChosen = false;
  }

  /** Whether the form in which it is chosen is the one that is open. */
  get isOpen() {
    return this.#form !== null && this.commands.form === this.#form;
  }

  /** What comes along as the player chose it; null while it is the usual. */
  get chosen() {
    return this.#kept ?? this.#changed;
  }

  /** What the open form has; null while it is the usual. */
  get #changed() {
    const { order } = this.commands;
    if (!this.isOpen || !order) return null;
    const now = alongIn(order.option, order.form.value);
    return isSame(now, this.#usual) ? null : now;
  }

  /** Keep what was chosen for the command with which the gesture ends, whose form is another one; return it. */
  keep() {
    this.#kept = this.#changed;
    return this.#kept;
  }

  /** Return the moves that go the way and take the piece that the form shows, if any do. @param {Move[]} moves */
  fitting(moves) {
    return this.#withShownPiece(this.#inShownWay(moves));
  }

  /** @param {Move[]} moves */
  #inShownWay(moves) {
    const { order } = this.commands;
    if (!this.isOpen || !order) return moves;
    const title = titleOf(order.option);
    if (!moves.some(({ option }) => titleOf(option) === title)) return moves;
    return moves.filter(({ option }) => titleOf(option) === title || !hasAlong(option));
  }

  /** Of several pieces in one place, return the moves of the one that is chosen in the form. @param {Move[]} moves */
  #withShownPiece(moves) {
    const { order } = this.commands;
    if (!this.isOpen || !order) return moves;
    const { form, option } = order;
    const { places = {} } = gestureOf(option);
    /** @param {Move} move */
    const isShown = ({ fix }) =>
      Object.entries(fix).every(([name, piece]) => !(`${piece}` in places) || form.value[name] === piece);
    if (!moves.some((move) => move.option === option && isShown(move))) return moves;
    return moves.filter((move) => move.option !== option || isShown(move));
  }
}
