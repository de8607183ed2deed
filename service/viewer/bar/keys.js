/**
 * The keys of the bar, and the list that names them.
 * @module
 */

/**
 * @import { Commands } from "../state/commands.js"
 * @import { At, Table } from "../types.js"
 * @import { Moves } from "../moves/moves.js"
 */

import { html } from "../vendor/lit-html.js";
import { live } from "../vendor/directives/live.js";
import { commandsOf } from "../state/commands.js";
import { sinceOf } from "../state/since.js";
import { MANY, answersOf } from "./answers.js";
import { hasAlong } from "../moves/gestures.js";
import { movesIn } from "../moves/moves.js";
import { openedIn } from "./opened.js";
import { takeBack } from "./outcome.js";
import { planned } from "./turn.js";

const KEYS = "tabularium-keys";

/** Show or hide the list of keys. @param {Table} room */
export function help(room) {
  const opened = openedIn(room);
  opened.isHelp = !opened.isHelp;
  room.redraw();
}

/** @param {Table} room */
export function helpTray(room) {
  /** @param {At<HTMLInputElement>} event */
  const change = (event) => {
    localStorage.setItem(KEYS, event.target.checked ? "on" : "off");
    room.redraw();
  };
  const rows = [
    ["Tab, Shift+Tab", "on the board: to the next or previous area that can act or be pointed at"],
    ["arrows", "to the area beside"],
    ["Enter", "begin there; end there, which sends it if it can be taken back; send what is shown"],
    ["Shift+Enter", "end there, and choose what comes along"],
    ["c", "to what comes along, and back to the board"],
    ["0 … 9, arrows", "in a row of numbers: choose the number"],
    ["a, n", "take all along, or as little as possible"],
    ["Esc", "take back one step of the move"],
    ["←, →", "anywhere else: back and on in the game"],
    ["s", "what happened since your last move: all of it, then move by move, then back to now"],
    ["u", "take back what you sent last"],
    ["1 … 9", "the answers, in their order"],
    [".", "the answer that changes nothing"],
    ["e", "done with my turn: shows what it does, and Enter or e does it"],
  ];
  return html`<div class="tray help"><h3>Keys</h3>
    <dl>${rows.map(([name, does]) => html`<div><dt><kbd>${name}</kbd></dt><dd>${does}</dd></div>`)}</dl>
    <label><input type="checkbox" .checked=${live(hasKeys())} @change=${change} /> Letters, digits and the dot work wherever you are on the page</label>
    <p class="quiet">With a mouse: click where it begins and where it ends, or drag. That sends it where you can take it back; with Shift you choose first what comes along. Every answer is also a form under Decide.</p></div>`;
}

function hasKeys() {
  try {
    return localStorage.getItem(KEYS) !== "off";
  } catch {
    return true;
  }
}

/**
 * @param {Table} room
 * @param {At<Element, KeyboardEvent>} event
 */
export function key(event, room) {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  const commands = commandsOf(room);
  const moves = movesIn(room);
  const opened = openedIn(room);
  if (!commands.isOpen || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    if (!opened.close() && !moves.back() && !opened.fold()) return;
    room.redraw();
    return event.preventDefault();
  }
  if (event.target.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]")) return;
  if (hasKeys() && keyAlong(event, room, commands, moves)) return event.preventDefault();
  if (event.target.closest("input")) return;
  if (
    (event.key === "Enter" || (event.key === "e" && hasKeys())) &&
    opened.plan?.words &&
    !event.target.closest("button, a, summary")
  ) {
    /** @type {HTMLElement | null} */ (document.querySelector("#turn .plan .strong"))?.click();
    return event.preventDefault();
  }
  if (event.key === "Enter" && moves.isReady && !event.target.closest("button, a, summary, [data-area]")) {
    moves.sending.send();
    return event.preventDefault();
  }
  if (event.key === "?" && hasKeys()) {
    help(room);
    return event.preventDefault();
  }
  if (event.key === "s" && hasKeys() && sinceOf(room).step()) return event.preventDefault();
  if (!hasKeys() || !room.following || commands.busy || moves.isReady || commands.place === "form") return;
  if (event.key === "u" && commands.undo && commands.done) {
    takeBack(commands, commands.undo);
    return event.preventDefault();
  }
  if (!commands.isAsked) return;
  const all = answersOf(commands, moves);
  const quiet = all.find((answer) => answer.quiet);
  const answer = event.key === "." ? quiet : all.slice(0, MANY)[Number(event.key) - 1];
  if (event.key === "e" && quiet && room.isGame) planned(room, commands);
  else if (answer) answer.act();
  else return;
  event.preventDefault();
}

/**
 * Handle a key that chooses what comes along.
 * @param {At<Element, KeyboardEvent>} event
 * @param {Table} room
 * @param {Commands} commands
 * @param {Moves} moves
 * @returns {boolean} whether it was such a key
 */
function keyAlong({ key, target }, room, commands, moves) {
  const { start } = moves;
  if (key === "c" && start !== null && target.closest("#turn .tray")) {
    room.board.focus(start);
    return true;
  }
  if (key === "c" && start !== null && !commands.form) moves.prepare();
  if (commands.place !== "bar" || !commands.order || !hasAlong(commands.order.option)) return false;
  if (key === "a" || key === "n") moves.take(key === "a");
  // The control may be drawn only in the next frame.
  else if (key === "c")
    requestAnimationFrame(() =>
      /** @type {HTMLElement | null} */ (
        document.querySelector("#turn .tray .controls :is(input:checked, input)")
      )?.focus(),
    );
  else return false;
  return true;
}
