/**
 * The tray above the bar: what a gesture means before it is sent, cards, what ends the turn, or the list of keys.
 * @module
 */

/**
 * @import { Form } from "../forms/form.js"
 * @import { Labels } from "../forms/labels.js"
 * @import { Commands } from "../state/commands.js"
 * @import { At, Json, Option, Table } from "../types.js"
 * @import { Meant } from "../moves/gestures.js"
 * @import { Moves } from "../moves/moves.js"
 * @import { Sending } from "../moves/sending.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { live } from "../vendor/directives/live.js";
import { titleOf } from "../state/options.js";
import { alongIn } from "../moves/along.js";
import { titleAmong } from "../moves/alike.js";
import { MANY, answersOf } from "./answers.js";
import { again, alone, lastField } from "../moves/completing.js";
import { control } from "./controls.js";
import { refused } from "./dispute.js";
import { gestureOf, hasAlong, pointedFields } from "../moves/gestures.js";
import { deal } from "./hand.js";
import { helpTray } from "./keys.js";
import { openedIn } from "./opened.js";
import { planTray } from "./turn.js";
import { summary, things } from "../moves/words.js";

/**
 * @param {Table} room
 * @param {Commands} commands
 * @param {Moves} moves
 */
export function tray(room, commands, moves) {
  const { plan, isHelp } = openedIn(room);
  if (plan) return planTray(room, commands, plan);
  const { sending } = moves;
  if (sending.refused) {
    return html`<div class="tray">${refused(room, sending.refused, sending.tried)}
      <p class="quiet">Nothing was sent.</p>
      <div class="buttons"><button @click=${() => sending.forgive()}>Close</button></div></div>`;
  }
  if (commands.place === "bar" && commands.form && !moves.isSending)
    return moves.isReady ? picker(room, commands, moves) : beforehand(commands, moves);
  if (isHelp) return helpTray(room);
  return cardTray(room, commands, moves);
}

/**
 * Cards that are answers: a click gives one.
 * @param {Table} room
 * @param {Commands} commands
 * @param {Moves} moves
 */
function cardTray(room, commands, moves) {
  if (!commands.isAsked || !room.following || commands.form) return nothing;
  const cards = answersOf(commands, moves)
    .map((answer, at) => ({ ...answer, key: at < MANY ? at + 1 : 0 }))
    .filter(({ dealt }) => dealt);
  return cards.length ? html`<div class="tray picker">${deal(room, commands, cards)}</div>` : nothing;
}

/**
 * The control for what comes along, while the gesture has no end yet.
 * @param {Commands} commands
 * @param {Moves} moves
 */
function beforehand(commands, moves) {
  const { order } = commands;
  if (!order) return nothing;
  const { form, option, labels } = order;
  const { ways } = moves;
  return html`<div class="tray picker before" role="group" aria-label="What comes along" data-before=${commands.options.indexOf(option)}>
    <p class="means" role="status"><strong>From ${labels.value(moves.start)}</strong>${summary(option, form.value, labels)}</p>
    <div class="buttons">${allOrNone(moves)}</div>
    ${ways.length > 1 ? html`<div class="meant" role="group" aria-label="What you do">${ways.map((way) => radio("way", way, titleOf(way.option), titleOf(way.option) === titleOf(option), commands, () => moves.prepare(way, true)))}</div>` : nothing}
    <div class="controls">${control(form, option, decided(option, true))}</div>
  </div>`;
}

/** Buttons that choose what comes along by one click: all, none, one kind alone, or what came lately. @param {Moves} moves */
function allOrNone(moves) {
  const { order } = moves.commands;
  if (!order) return nothing;
  const { form, labels, option } = order;
  return html`<button type="button" @click=${() => moves.take(true)}>All</button><button type="button" @click=${() => moves.take(false)}>None</button>
    ${alone(option, form.value).map(({ name, value }) => html`<button type="button" data-only=${name} @click=${() => form.fill(value)}>Only ${labels.field(name)}</button>`)}
    ${again(option, form.value, moves.meant).map((value) => html`<button type="button" data-again=${JSON.stringify(alongIn(option, value))} @click=${() => form.fill(value)}>Again ${things(option, value, labels).join(", ")}</button>`)}`;
}

/**
 * Return the fields that pointing decides. A piece is not one, since others may be in the same place, nor is an object
 * with a count for each area, since the player can choose more areas.
 * @param {Option} option
 * @param {boolean} isPointed
 */
function decided(option, isPointed) {
  const { places = {} } = gestureOf(option);
  /** @param {string} name */
  const isOpen = (name) => {
    const field = option.schema.properties[name];
    return field.type === "object" || ("enum" in field && field.enum.some((value) => `${value}` in places));
  };
  return new Set(isPointed ? pointedFields(option).filter((name) => !isOpen(name)) : []);
}

/**
 * @param {Table} room
 * @param {Commands} commands
 * @param {Moves} moves
 */
function picker(room, commands, moves) {
  const { order } = commands;
  if (!order) return nothing;
  const { form, option, labels } = order;
  const [fault] = form.faults;
  const { start, end } = moves;
  const last = start !== null && moves.meant.length ? lastField(option, [start, end ?? start]) : null;
  const hidden = new Set([...decided(option, moves.meant.length > 0), ...(last ? [last.name] : [])]);
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    moves.sending.send();
  };
  return html`<form class="tray picker" novalidate aria-label=${titleOf(option)} @submit=${submit}>
    <p class="means" role="status"><strong>${moves.sentence}</strong>${summary(option, form.value, labels)}</p>
    ${cost(labels, moves.sending)}
    <div class="buttons">
      ${last ? valueButtons(order, commands.busy, moves, last) : html`<button type="submit" class="strong" ?disabled=${commands.busy}>Send <kbd aria-hidden="true">↵</kbd></button>`}
      ${hasAlong(option) ? allOrNone(moves) : nothing}
      <button type="button" @click=${() => moves.back()}>Cancel <kbd aria-hidden="true">Esc</kbd></button>
      <span class="hint" role="status">${fault && form.isValidated ? `Not yet: ${fault.message}` : nothing}</span>
    </div>
    ${
      moves.meant.length > 1
        ? html`<div class="meant" role="group" aria-label="What you do">${moves.meant.map((move) =>
            radio(
              "meant",
              move,
              titleAmong(
                move.option,
                moves.meant.map((each) => each.option),
                labels,
              ),
              move.option === option,
              commands,
              () => moves.mean(move),
            ),
          )}</div>`
        : nothing
    }
    <div class="controls">${control(form, option, hidden)}</div>
    ${failure(room, commands)}
  </form>`;
}

/**
 * Why a command was not sent at once.
 * @param {Labels} labels
 * @param {Sending} sending
 */
function cost(labels, { foreseen }) {
  if (!foreseen) return nothing;
  const gone = Object.entries(foreseen.gone).map(([kind, number]) => labels.amount(number, kind));
  return html`<p class="cost" role="alert">${gone.length ? `You lose ${gone.join(", ")}.` : nothing} ${foreseen.canUndo ? nothing : "You cannot take this back."}</p>`;
}

/**
 * Buttons for the values of the last field, which send the command. Enter sends the value that is chosen already.
 * @param {{form: Form, labels: Labels}} order
 * @param {boolean} busy
 * @param {Moves} moves
 * @param {{name: string, values: Json[]}} last
 */
function valueButtons({ form, labels }, busy, moves, { name, values }) {
  return values.map((value) => {
    const isChosen = (form.get([name]) ?? false) === value;
    return html`<button type=${isChosen ? "submit" : "button"} class="strong" data-last=${`${name}/${value}`} ?disabled=${busy} @click=${(
      /** @type {At<HTMLElement, MouseEvent>} */ event,
    ) => {
      event.preventDefault();
      moves.sending.finish(name, value);
    }}>${labels.field(name)}: ${labels.value(value)} ${isChosen ? html`<kbd aria-hidden="true">↵</kbd>` : nothing}</button>`;
  });
}

/**
 * One of several things that a gesture can mean, or of several ways to go on.
 * @param {string} name
 * @param {Meant} meant
 * @param {string} title
 * @param {boolean} isChosen
 * @param {Commands} commands
 * @param {() => void} choose
 */
function radio(name, { option }, title, isChosen, { options }, choose) {
  return html`<label class="choice"><input type="radio" name=${name} .checked=${live(isChosen)} data-meant=${name === "meant" ? options.indexOf(option) : nothing} data-way=${name === "way" ? options.indexOf(option) : nothing} @change=${choose} />${title}</label>`;
}

/**
 * Why the command that was sent from here was not done.
 * @param {Table} room
 * @param {Commands} commands
 */
function failure(room, commands) {
  const { outcome } = commands;
  if (outcome?.kind === "refused") return refused(room, outcome.problem, outcome.tried);
  if (outcome?.kind === "stale")
    return html`<p role="alert">Nothing was done: the game went on before your command arrived. ${outcome.why || "Send it again."}</p>`;
  if (outcome?.kind === "lost") {
    return html`<p role="alert">No answer came. Send it again: if it was done already, it does not happen twice.
      <button type="button" ?disabled=${commands.busy} @click=${() => commands.again()}>Send again</button></p>`;
  }
  return nothing;
}
