/**
 * The outcome of the last command, and how to take it back: undo, or ask the others.
 * @module
 */

/**
 * @import { Commands } from "../state/commands.js"
 * @import { Option, Table } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { choicesOf } from "../forms/schema.js";
import { takeBacksOf } from "../state/take-backs.js";

/** Return why the viewer's seat is out of the game; undefined while it is not. @param {Table} room */
export function outOf({ currentScene, seat, following, commands }) {
  return following && !commands?.isAsked
    ? currentScene?.standings?.find((standing) => standing.seat === seat)?.out
    : undefined;
}

/** @param {Commands} commands */
export function lastOutcome(commands) {
  const { outcome, undo, busy, done } = commands;
  if (outOf(commands.room)) return nothing;
  const what = done && uncapitalized(done.title);
  return html`${done ? html`<span>${done.title}: done.</span>` : nothing}
    ${undo && done ? html`<button ?disabled=${busy} @click=${() => takeBack(commands, undo)}>Undo ${what}</button>` : askBack(commands)}
    ${outcome?.kind === "refused" && !commands.form ? html`<span role="alert">${outcome.problem.message}</span>` : nothing}`;
}

/** A title in the middle of a sentence. @param {string} title */
function uncapitalized(title) {
  return `${title.slice(0, 1).toLowerCase()}${title.slice(1)}`;
}

/** A button for what cannot be undone: it can be taken back when all others agree. @param {Commands} commands */
function askBack(commands) {
  const { room, done, version, busy } = commands;
  const requests = takeBacksOf(room);
  if (!done?.isMove || version < done.version || commands.canUndo(done.after) || !requests.mayAsk) return nothing;
  const ask = () => requests.ask(done.after);
  return html`<button ?disabled=${busy || requests.busy} title="It happens when all others agree" @click=${ask}>Ask to take it back</button>
    ${requests.problem ? html`<span role="alert">${requests.problem.message}</span>` : nothing}`;
}

/**
 * @param {Commands} commands
 * @param {Option} undo
 */
export async function takeBack(commands, undo) {
  if (!commands.done) return;
  const { after, title } = commands.done;
  commands.choose(undo, null, "bar");
  if (!commands.form) return;
  // Commands that were sent together are taken back together.
  if (choicesOf(undo.schema.properties.to).includes(after)) commands.form.value.to = after;
  await commands.send(`Undo ${uncapitalized(title)}`);
}
