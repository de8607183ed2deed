/**
 * One event in full: its JSON, who caused it and how, its dice, its hash, and the rules that it concerns.
 * @module
 */

import { html, nothing } from "./vendor/lit-html.js";
import { chip } from "./chip.js";
import { clock, plain, seatName } from "./words.js";

const REST = 120; // Milliseconds that a version must be shown before its event is fetched: a drag passes many.

/** Events and rules that were fetched, by what fetched them: another viewer's frames are others. */
const fetched = new WeakMap();
const rules = new Map();
let timer = 0;

/** @param {import("./room.js").Room} room */
export function inspectorPanel(room) {
  const frame = room.frame(room.version);
  const event = eventAt(room, room.version);
  if (!event) return html`<h2>${frame ? plain(frame.type) : `Version ${room.version}`}</h2><p class="quiet">…</p>`;
  const { cause } = event;
  return html`<h2>${plain(event.type)} <span class="quiet">version ${event.version}</span></h2>
    <dl class="facts">
      ${frame ? fact("what", frame.text) : nothing}
      ${fact("when", html`<time datetime=${event.at}>${clock(event.at)}</time>`)}
      ${cause?.seat
        ? fact("seat", html`${chip(room, cause.seat)} ${seatName(room.game, cause.seat)}`)
        : fact("cause", cause ? "around the table" : "follows of itself from the event before")}
      ${dice(frame, event, eventAt(room, room.version - 1, false))}
      ${fact("hash", html`<code class="hash">${event.hash}</code>`)}
    </dl>
    ${concerning(room, event)}
    ${cause?.command ? json("The command", cause.command) : nothing}
    ${json("The event", event.event)}
    ${event.secrets?.length ? json("What it hides from others and shows to you", event.secrets) : nothing}
    ${json("Its whole row of the log", event)}`;
}

function fact(name, value) {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function json(title, value) {
  return html`<details ?open=${title === "The event"}><summary>${title}</summary>
    <pre tabindex="0">${JSON.stringify(value, null, 2)}</pre></details>`;
}

function dice(frame, event, before) {
  const from = before?.version === event.version - 1 ? before.draws : event.version === 1 ? 0 : undefined;
  const drawn = from === undefined || event.draws === from ? "" : numbers(from, event.draws);
  if (!frame?.rolls?.length && !drawn) return nothing;
  return html`${frame?.rolls?.map((roll) =>
      fact(`${roll.die} dice`, html`${roll.seat ? `${plain(roll.seat)}: ` : ""}${roll.faces.map((face) => html`<span class="face">${plain(face)}</span>`)}`))}
    ${drawn ? fact("chance", drawn) : nothing}`;
}

/** Draws are numbered from 0 over the whole log; `draws` says how many there were. */
function numbers(from, to) {
  return to - from === 1 ? `draw ${from}` : `draws ${from} to ${to - 1}`;
}

// --- what is fetched ---

function eventAt(room, version, wanted = true) {
  if (!room.frames || version < 1) return undefined;
  if (!fetched.has(room.frames)) fetched.set(room.frames, new Map());
  const known = fetched.get(room.frames);
  if (!known.has(version) && wanted) {
    clearTimeout(timer);
    timer = setTimeout(() => fetchAround(room, known), REST);
  }
  return known.get(version);
}

/** Fetch the event that is shown, the one before it, whose draws and hash it goes on from, and some that follow. */
async function fetchAround(room, known) {
  const { version } = room;
  if (known.has(version)) return;
  const page = await room.api.get(`/v1/games/${room.id}/events`, { after: Math.max(0, version - 2), limit: 12 })
    .catch((problem) => ((room.problem = problem), { items: [] }));
  for (const event of page.items) known.set(event.version, event);
  room.redraw();
}

function concerning(room, event) {
  const named = [];
  for (const id of named) ruleText(room, id);
  return nothing;
}

function ruleText(room, id) {
  const url = `/v1/rulesets/${room.game.ruleset}/rules/${id}`;
  if (!rules.has(url)) {
    rules.set(url, null);
    room.api.get(url).then((rule) => rules.set(url, rule)).finally(() => room.redraw());
  }
  return rules.get(url);
}
