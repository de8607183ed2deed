/**
 * Sending what a gesture means: at once where that does no harm, otherwise when the player has seen what it costs.
 * @module
 */

/**
 * @import { Foreseen, Tried } from "../state/commands.js"
 * @import { Problem } from "../state/api.js"
 * @import { Command, Json, Option } from "../types.js"
 * @import { Moves } from "./moves.js"
 */

import { withoutUndefined, isSame } from "../forms/schema.js";
import { remember } from "./along.js";
import { chosenIn, gestureOf } from "./gestures.js";
import { openNumbers } from "./numbers.js";

const UNREAD = 500; // Milliseconds in which nobody can have read what has just opened.

/** Sends what a seat's gesture means to the service. */
export class Sending {
  #moves;
  /** What the command that is shown would bring about, where it was not sent because of that. @type {(Foreseen & {command: Command}) | null} */
  #foreseen = null;
  /** When a control opened by itself: a double click must not send what the player has not seen yet. */
  #openedAt = -Infinity;
  /** Why the service refuses the area that was pointed at; null when it does not. @type {Problem | null} */
  refused = null;
  /** The command that it refuses. @type {Tried | undefined} */
  tried = undefined;

  /** @param {Moves} moves */
  constructor(moves) {
    this.#moves = moves;
  }

  /** Forget what is known of a gesture. */
  forget() {
    this.#foreseen = null;
    this.#openedAt = -Infinity;
    this.refused = null;
  }

  /** Send nothing for a moment: a control has just opened by itself. */
  wait() {
    this.#openedAt = performance.now();
  }

  /** What the command that is shown would bring about, if it was not sent because of that; null otherwise. */
  get foreseen() {
    const command = this.#moves.commands.form?.command;
    return this.#foreseen && isSame(this.#foreseen.command, command) ? this.#foreseen : null;
  }

  /** Send what the gesture means. */
  async send() {
    const moves = this.#moves;
    const { commands, next, start, end } = moves;
    const { order } = commands;
    if (!order || !moves.isReady || commands.busy || performance.now() - this.#openedAt < UNREAD) return;
    const { option, form } = order;
    if (openNumbers(option).some((name) => form.get([name]) === undefined)) return void form.validate();
    const { command } = form;
    const { onward } = next;
    await commands.send(moves.sentence);
    if (commands.outcome?.kind !== "done") return;
    moves.forget();
    remember(option, command, chosenIn(option));
    next.accepted({ start, end, command }, onward);
  }

  /** Send the command if it can be taken back and costs the seat no pieces; otherwise its control asks once more. */
  async sendIfHarmless() {
    const { commands, gesture, room } = this.#moves;
    const { form } = commands;
    if (!form || form.faults.length) return;
    const { command } = form;
    gesture.isSending = true;
    try {
      const foreseen = await commands.foresee([command]);
      // Meanwhile it may have been taken back.
      if (commands.form !== form) return;
      if (foreseen.canUndo && !Object.keys(foreseen.gone).length) await this.send();
      else if (!foreseen.problem) this.#foreseen = { ...foreseen, command };
    } finally {
      gesture.isSending = false;
      room.redraw();
    }
  }

  /**
   * Send the gesture with a value of the field that was open.
   * @param {string} name
   * @param {Json} value
   */
  async finish(name, value) {
    this.#moves.commands.form?.set([name], value);
    await this.#sendClicked();
  }

  /**
   * Give an option in which nothing is left to choose, or which `value` decides; what is not harmless asks once more.
   * @param {Option} option
   */
  async give(option, value = {}) {
    const { commands } = this.#moves;
    // Forget a gesture that began by itself.
    this.#moves.forget();
    commands.choose(option, null, "bar");
    if (!commands.form) return;
    Object.assign(commands.form.value, value);
    await this.#sendClicked();
  }

  /** Send what one click chose: at once in a lesson, if it is harmless, the only choice, or was asked about before. */
  async #sendClicked() {
    const { room, commands } = this.#moves;
    if (!room.isGame || commands.isOnly || this.foreseen) await this.send();
    else if (commands.form?.validate()) await this.sendIfHarmless();
  }

  /**
   * Find out why an area is no end of the gesture, from the API: nothing is sent, and nothing happens.
   * @param {string} area
   */
  async explain(area) {
    const moves = this.#moves;
    const { commands, room } = moves;
    const move = moves.from(moves.start).find(({ end }) => end !== null);
    const to = move && gestureOf(move.option).to;
    if (!move || !to) return;
    const command = commands.sent(/** @type {Command} */ ({ ...withoutUndefined(moves.valueOf(move)), [to]: area }));
    const { version } = commands;
    const { problem = null } = await commands
      .foresee([command])
      .catch((/** @type {Problem} */ problem) => ({ problem }));
    this.refused = problem;
    this.tried = { command, version };
    room.redraw();
  }

  /** Forget why the service refused the area. */
  forgive() {
    this.refused = null;
    this.#moves.room.redraw();
  }
}
