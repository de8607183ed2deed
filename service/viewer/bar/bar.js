/**
 * The bar of the viewer's seat: its question, its answers, the outcome of its last command, and how to take that back.
 * @module
 */

/**
 * @import { Labels } from "../forms/labels.js"
 * @import { Commands } from "../state/commands.js"
 * @import { At, Table } from "../types.js"
 * @import { Answered } from "./answers.js"
 * @import { Moves } from "../moves/moves.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { repeat } from "../vendor/directives/repeat.js";
import { plain, seatName } from "../parts/format.js";
import { linked } from "../parts/papers.js";
import { clockOf } from "../parts/ticking.js";
import { commandsOf } from "../state/commands.js";
import { MANY, answersOf } from "./answers.js";
import { help, key } from "./keys.js";
import { movesIn } from "../moves/moves.js";
import { openedIn } from "./opened.js";
import { lastOutcome, outOf } from "./outcome.js";
import { listen } from "../moves/pointer.js";
import { steady } from "./steady.js";
import { tray } from "./tray.js";
import { endOrShow, passBy, passOver } from "./turn.js";
import { sentence, summary } from "../moves/words.js";

/** The rooms whose keys are listened to. @type {WeakSet<Table>} */
const listening = new WeakSet();

/** @param {Table} room */
export function turnBar(room) {
  const commands = commandsOf(room);
  commands.look();
  const moves = movesIn(room);
  moves.look();
  listen(moves);
  if (!listening.has(room)) {
    listening.add(room);
    steady(/** @type {HTMLElement} */ (document.getElementById("turn")));
    addEventListener("keydown", (event) => key(/** @type {At<Element, KeyboardEvent>} */ (event), room));
  }
  if (!commands.isOpen) return nothing;
  const opened = openedIn(room);
  if (opened.plan?.version !== commands.version) opened.plan = null;
  const { isAsked } = commands;
  return html`<div class="turn ${isAsked ? "asked" : ""} ${room.following ? "now" : "past"}">
    ${tray(room, commands, moves)}
    <div class="bar">
      <div class="asking">
        ${question(room, commands, moves)}
        <button class="help-button" aria-expanded=${String(opened.isHelp)} aria-label="Keys" title="Keys" @click=${() => help(room)}>?</button>
      </div>
      ${isAsked && room.following && commands.version ? html`<div class="answers" role="group" aria-label="Answers">${choices(room, commands, moves)}</div>` : nothing}
      <div class="came" data-version=${commands.done?.version ?? nothing} aria-live=${commands.place === "form" ? "off" : "polite"}>${lastOutcome(commands)}</div>
    </div>
  </div>`;
}

/**
 * @param {Table} room
 * @param {Commands} commands
 * @param {Moves} moves
 */
function question(room, commands, moves) {
  const { game, seat } = room;
  const mine = game.decisions.filter((decision) => decision.seats.includes(seat));
  const out = outOf(room);
  if (out)
    return html`<p class="question"><strong>You are out of the game</strong> (${out}). Watch how it ends, or <a href="/">play another one</a>.</p>`;
  if (!mine.length) {
    const others = game.decisions.flatMap((decision) => decision.seats.map((each) => seatName(game, each)));
    const clocks = game.decisions.flatMap((decision) => decision.seats.map((each) => clockOf(room, each)));
    return html`<p class="question quiet">${others.length ? `Waiting for ${others.join(", ")}.` : "Nothing to decide now."} ${clocks}</p>`;
  }
  if (!room.following) {
    return html`<p class="question">${clockOf(room, seat)} It is your turn: <strong>${linked(room, mine[0].title)}</strong> You are looking at version ${room.version}.
      <button class="strong" @click=${() => room.show(room.head)}>Go to now</button></p>`;
  }
  // The decisions that were read with the options are newer than those of the game.
  const read = commands.decisions.filter((decision) => decision.seats.includes(seat));
  const questions = read.length ? read : mine;
  return html`<p class="question">${clockOf(room, seat)} <strong>${questions.map(({ title }) => linked(room, title))}</strong> ${hint(commands, moves)}</p>`;
}

/**
 * What can be done on the board, in words.
 * @param {Commands} commands
 * @param {Moves} moves
 */
function hint(commands, moves) {
  if (!moves.isOpen) return nothing;
  const { labels, order } = commands;
  if (!labels) return nothing;
  if (moves.isSending)
    return html`<span class="quiet">${moves.sentence}${order ? summary(order.option, order.form.value, labels) : nothing} …</span>`;
  if (moves.isComplete) return nothing;
  if (moves.previewed.length) return html`<span class="shown">${preview(labels, moves)}</span>`;
  if (moves.start === null) {
    const kinds = new Set(moves.all.map(({ option }) => plain(option.command)));
    return html`<span class="quiet">Point at an outlined area: ${[...kinds].join(", ")}.</span>`;
  }
  return html`<span class="quiet">From ${labels.value(moves.start)}: point at where it ends.</span>`;
}

/**
 * What the area that is pointed at would mean.
 * @param {Labels} labels
 * @param {Moves} moves
 */
function preview(labels, moves) {
  const meanings = new Map(
    moves.previewed.map((move) => {
      const value = moves.valueOf(move);
      return [sentence(move.option, value, move.end, labels), summary(move.option, value, labels)];
    }),
  );
  return [...meanings].slice(0, 2).map(([words, along], at) => html`${at ? ", or " : nothing}${words}${along}`);
}

/**
 * @param {Table} room
 * @param {Commands} commands
 * @param {Moves} moves
 */
function choices(room, commands, moves) {
  const all = answersOf(commands, moves);
  const buttons = all.filter(({ dealt }) => !dealt).slice(0, MANY);
  const quiet = all.filter((answer) => answer.quiet);
  // When the only question is one command with something to fill in, its form opens at once.
  const loud = all.filter((answer) => !answer.quiet);
  const isOne = loud.length && loud.every(({ option }) => option?.command === loud[0].option?.command && option);
  // Not in a lesson: on a phone the form would cover the text of the lesson.
  if (isOne && room.isGame && !moves.all.length && !commands.form && moves.closed !== commands.options) {
    const options = loud.flatMap(({ option }) => option ?? []);
    queueMicrotask(() => moves.present(options[0], options, commands.outcome));
  }
  // Each answer keeps its button: a click while the answers change must not give another one.
  return html`${repeat(
    buttons,
    ({ value = "", label }) => `${value} ${label}`,
    (
      answer,
    ) => html`<button class="answer-button" data-answer=${answer.value ?? nothing} aria-expanded=${"isOpen" in answer ? String(answer.isOpen) : nothing}
      ?disabled=${commands.busy} @click=${answer.act}>${answer.label} ${keyOf(answer, all, quiet)}</button>`,
  )}
    ${all.length > MANY && !all[0].dealt ? html`<span class="quiet">and ${all.length - MANY} more in the list under Decide</span>` : nothing}
    ${
      room.isGame && quiet.length && (moves.start === null || moves.isGuess)
        ? html`<button class="answer-button" ?disabled=${commands.busy} @pointerenter=${(/** @type {At<HTMLElement, PointerEvent>} */ { pointerType }) => passOver(room, commands, pointerType)}
      @pointerleave=${() => passBy(room)} @click=${() => endOrShow(room, commands)}>Done with my turn … <kbd aria-hidden="true">e</kbd></button>`
        : nothing
    }`;
}

/**
 * @param {Answered} answer
 * @param {Answered[]} all
 * @param {Answered[]} quiet
 */
function keyOf(answer, all, [quiet]) {
  const at = all.indexOf(answer);
  if (answer !== quiet && at >= MANY) return nothing;
  return html`<kbd aria-hidden="true">${answer === quiet ? "." : (answer.key ?? at + 1)}</kbd>`;
}
