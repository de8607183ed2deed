/**
 * "Done with my turn": the commands that only decline, one after the other, as far as the service would accept them
 * now. Nothing is sent before the player has seen them.
 * @module
 */

/**
 * @import { Commands } from "../state/commands.js"
 * @import { Command, Option, Table } from "../types.js"
 * @import { Plan } from "./opened.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { titleOf } from "../state/options.js";
import { isQuiet } from "../moves/gestures.js";
import { openedIn } from "./opened.js";

const LONGEST = 8; // Commands at most.

/**
 * Find what ends the turn.
 * @param {Commands} commands
 * @returns {Promise<Pick<Plan, "commands" | "words" | "canUndo">>}
 */
async function ending(commands) {
  /** @type {Command[]} */
  const chain = [];
  /** @type {string[]} */
  const words = [];
  /** @param {string} type */
  const isTwice = (type) => chain.filter((command) => command.type === type).length > 1;
  let { options } = commands;
  let canUndo = true;
  // A command that cannot be taken back is the last one.
  while (canUndo && chain.length < LONGEST) {
    const option = options.find((each) => each.decision && isQuiet(each) && !isTwice(each.command));
    if (!option) break;
    const foreseen = await commands.foresee([...chain, { type: option.command, ...fixed(option) }], true);
    if (foreseen.problem) break;
    ({ canUndo, options } = foreseen);
    chain.push({ type: option.command, ...fixed(option) });
    words.push(titleOf(option));
  }
  return { commands: chain, words, canUndo: chain.length > 0 && canUndo };
}

/** Return the fixed fields of an option's command. @param {Option} option */
function fixed({ schema }) {
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, field]) => ("const" in field ? [[name, field.const]] : [])),
  );
}

/**
 * Show what ends the turn: while a mouse is over the button, or until the player closes it.
 * @param {Table} room
 * @param {Commands} commands
 */
export async function planned(room, commands, isPassing = false) {
  const opened = openedIn(room);
  /** @type {Plan} */
  const begun = { version: commands.version, words: null, commands: [], canUndo: false, isPassing };
  opened.plan = begun;
  room.redraw();
  const found = await ending(commands).catch(() => null);
  if (opened.plan === begun) opened.plan = found?.commands.length ? Object.assign(begun, found) : null;
  room.redraw();
}

/**
 * Send what the mouse over the button shows, if it can be taken back or is the only thing to do. Otherwise show it until
 * the player answers.
 * @param {Table} room
 * @param {Commands} commands
 */
export function endOrShow(room, commands) {
  const { plan } = openedIn(room);
  if (plan?.words && plan.isPassing && (plan.canUndo || commands.isOnly)) return endTurn(commands, plan);
  if (plan) plan.isPassing = false;
  else planned(room, commands);
  room.redraw();
}

/**
 * Show what the button does while a mouse is over it. Not while something is being chosen: the button may have moved
 * under the mouse by itself.
 * @param {Table} room
 * @param {Commands} commands
 * @param {string} pointerType
 */
export function passOver(room, commands, pointerType) {
  if (pointerType === "mouse" && !commands.form) planned(room, commands, true);
}

/** @param {Table} room */
export function passBy(room) {
  const opened = openedIn(room);
  if (opened.plan?.isPassing) opened.plan = null;
  room.redraw();
}

/**
 * Send what was shown. If the game has moved on since, do nothing.
 * @param {Commands} commands
 * @param {Plan} shown
 */
function endTurn(commands, shown) {
  if (shown.version !== commands.version) return;
  openedIn(commands.room).plan = null;
  commands.giveAll(shown.commands, (shown.words ?? []).join(", "));
}

/**
 * @param {Table} room
 * @param {Commands} commands
 * @param {Plan} shown
 */
export function planTray(room, commands, shown) {
  const close = () => {
    openedIn(room).plan = null;
    room.redraw();
  };
  return html`<div class="tray plan" role="group" aria-label="Done with my turn">
    <p role="status">${shown.words ? html`<strong>This does, in one step:</strong>` : "Looking at what ends your turn …"}</p>
    ${shown.words ? html`<ol>${shown.words.map((word) => html`<li>${word}</li>`)}</ol>` : nothing}
    <div class="buttons">
      ${shown.words ? html`<button class="strong" ?disabled=${commands.busy} @click=${() => endTurn(commands, shown)}>Do this <kbd aria-hidden="true">↵</kbd></button>` : nothing}
      <button @click=${close}>Cancel <kbd aria-hidden="true">Esc</kbd></button>
    </div>
  </div>`;
}
