/**
 * One event in full: its JSON, who caused it and how, its dice, its hash, and the rules that it concerns.
 * @module
 */

/**
 * @import { Room } from "../state/room.js"
 * @import { Entered, EventRow } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { chip } from "../parts/chip.js";
import { clock, count, named, plain, seatName } from "../parts/format.js";
import { linked } from "../parts/papers.js";
import { ruleOf } from "../parts/rule.js";
import { eventsOf } from "../state/events.js";
import { dice } from "./dice.js";

const SHORT = 6; // Lines of JSON that are shown at once.

/** @param {Room} room */
export function inspectorPanel(room) {
  if (!room.isEntered()) return nothing;
  const events = eventsOf(room);
  const frame = room.frame(room.version);
  const event = events.at(room.version);
  if (!event) return html`<h2>${frame ? named(frame.type) : `Version ${room.version}`}</h2><p class="quiet">…</p>`;
  const giver = events.causeOf(room.version);
  return html`<h2>${named(event.type)} <span class="quiet">version ${event.version}</span></h2>
    <dl class="facts">
      ${frame ? fact("what", linked(room, frame.text)) : nothing}
      ${fact("when", html`<time datetime=${event.at}>${clock(event.at)}</time>`)}
      ${fact("cause", cause(room, event, giver))}
    </dl>
    <p><a href="/games/${room.game.id}/desk#v=${event.version}">Look at it on the judge's desk, or dispute it</a></p>
    ${dice(room, event, events.at(room.version - 1))}
    ${rules(room, event, giver)}
    <dl class="facts">${fact("hash", html`<code class="hash">${event.hash}</code>`)}</dl>
    ${json("The event", event.event)}
    ${event.cause?.command ? json("The command", event.cause.command) : nothing}
    ${event.secrets?.length ? json("What it hides from others and shows to you", event.secrets) : nothing}
    ${json("Its whole row of the log", event)}`;
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function fact(name, value) {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** Say who acted without a seat. @param {NonNullable<EventRow["cause"]>} cause */
function actor({ by }) {
  if (by === "clock") return "the service's clock";
  return by === "house" ? "the service" : "an account, without a seat";
}

/**
 * Say what caused an event.
 * @param {Entered} room
 * @param {EventRow} event
 * @param {EventRow | undefined} giver the event with the command that caused it
 */
function cause(room, event, giver) {
  if (!giver?.cause?.seat) return event.cause ? actor(event.cause) : "what happened before";
  const { command, seat } = giver.cause;
  const what = command?.sealed ? "a sealed command" : html`the command <em>${plain(command?.type ?? "")}</em>`;
  return html`${chip(room, seat)} ${what} of ${seatName(room.game, seat)}
    ${
      giver === event
        ? nothing
        : html`at <button class="inline" @click=${() => room.show(giver.version)}>version ${giver.version}</button>; this event follows from it`
    }`;
}

/**
 * The rules that the event concerns, and then those of the command behind it, which may stand in an earlier event.
 * @param {Entered} room
 * @param {EventRow} event
 * @param {EventRow | undefined} giver
 */
function rules(room, event, giver) {
  const { concerns = {} } = room.ruleset ?? {};
  const own = new Set([...(concerns[event.type] ?? []), ...(event.event.rule ? [event.event.rule] : [])]);
  const others = (concerns[giver?.cause?.command?.type ?? ""] ?? []).filter((/** @type {string} */ id) => !own.has(id));
  return html`${ruleList(room, "Rules that it concerns", [...own])} ${ruleList(room, "Rules of the command behind it", others)}`;
}

/**
 * @param {Entered} room
 * @param {string} title
 * @param {string[]} ids
 */
function ruleList(room, title, ids) {
  return ids.length
    ? html`<section class="rules"><h3>${title}</h3>${ids.map((id) => ruleOf(room, id))}</section>`
    : nothing;
}

/**
 * A value as JSON. More than a few lines are folded up, so that the sentence, the dice and the rules stay in sight.
 * @param {string} title
 * @param {unknown} value
 */
function json(title, value) {
  const text = JSON.stringify(value, null, 2);
  const lines = text.split("\n").length;
  return html`<details ?open=${lines <= SHORT}><summary>${title} <span class="quiet">as JSON, ${count(lines, "line")}</span></summary><pre tabindex="0">${text}</pre></details>`;
}
