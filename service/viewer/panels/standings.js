/**
 * The panel Scores: the standings and shelves at the version that is shown, the result, luck, clocks, what a player can
 * do about the end and their seat, and charts.
 * @module
 */

/**
 * @import { Room } from "../state/room.js"
 * @import { Entered, Nation, Standing } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { chip, signOf } from "../parts/chip.js";
import { plain, scored, seatName } from "../parts/format.js";
import { endedAs } from "../parts/order.js";
import { link, linked } from "../parts/papers.js";
import { remarks } from "../parts/remarks.js";
import { shelf } from "../parts/shelf.js";
import { chartsPanel } from "./charts.js";
import { proposing } from "./ends.js";
import { clocksPart } from "./giving-time.js";
import { leaving } from "./leaving.js";
import { luckPart } from "./luck.js";

/** @param {Room} room */
export function standingsPanel(room) {
  const standings = room.currentScene?.standings ?? [];
  return html`<h2>Scores</h2>
    ${room.isEntered() && standings.length ? table(room, standings) : html`<p class="quiet">Nobody has anything yet.</p>`}
    ${room.isEntered() ? (room.currentScene?.shelves ?? []).map((each) => shelf(room, each)) : nothing}
    ${room.game?.result ? html`<p><strong>${endSentence(room)}</strong>${room.game.ruled_by ? " An official ruled so." : nothing}</p>` : nothing}
    ${room.game?.continued_in ? html`<p>By a ruling it goes on in <a href="/games/${room.game.continued_in}">another game</a>.</p>` : nothing}
    ${room.isEntered() ? luckPart(room) : nothing}
    ${clocksPart(room)} ${proposing(room)} ${leaving(room)}
    ${chartsPanel(room)}
    ${room.game ? remarks(room.game) : nothing}`;
}

/**
 * @param {Entered} room
 * @param {Standing[]} standings
 */
function table(room, standings) {
  const names = [...new Set(standings.flatMap((standing) => Object.keys(standing.figures)))];
  const played = standings.filter((standing) => Object.keys(standing.figures).length);
  const before = room.against === null ? undefined : room.scene(room.against)?.standings;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Scores"><table>
      <thead><tr><td></td>${played.map(
        (standing) => html`<th scope="col" class=${isOut(room, standing) ? "out" : ""}>
        ${chip(room, standing.seat)} ${standing.name}</th>`,
      )}</tr></thead>
      <tbody>${names.map(
        (name) => html`<tr><th scope="row">${plain(name)}</th>
        ${played.map((standing) => html`<td>${figure(standing, name, before)}</td>`)}</tr>`,
      )}</tbody>
    </table></div>
    <ul class="seats">${standings.map((standing) => seat(room, standing))}</ul>`;
}

/**
 * Whether a player is out of the game. A neutral side holds no seat, so it is never out.
 * @param {Entered} room
 * @param {Standing} standing
 */
function isOut(room, standing) {
  return standing.out && room.game.seats.some(({ seat }) => seat === standing.seat);
}

/**
 * @param {Entered} room
 * @param {Standing} standing
 */
function seat(room, standing) {
  const facts = [standing.out, ...(standing.items ?? []).map((item) => item.words)].filter(Boolean);
  return html`<li>${chip(room, standing.seat)} ${seatName(room.game, standing.seat)}
    ${standing.won ? html`<span class="active">won the game</span>` : nothing}
    ${standing.active ? html`<span class="active">to move</span>` : nothing}
    ${facts.length ? html`<span class="quiet">${facts.join(", ")}</span>` : nothing}
    ${standing.nations?.length ? html`<ul>${standing.nations.map((each) => nation(room, standing, each))}</ul>` : nothing}</li>`;
}

/**
 * @param {Entered} room
 * @param {Standing} standing
 * @param {Nation} nation
 */
function nation(room, standing, { name, sign, figures, items, words, absent, active }) {
  const had = Object.entries(figures).map(([figure, value]) => `${plain(figure)} ${scored(value)}`);
  const facts = [...had, ...items.map((item) => item.words), words].filter(Boolean);
  return html`<li class=${absent ? "out" : ""}>
    ${signOf(standing, sign)} ${link(room, name)}
    ${active ? html`<span class="active">to move</span>` : nothing}
    ${facts.length ? html`<span class="quiet">${linked(room, facts.join(", "))}</span>` : nothing}</li>`;
}

/**
 * Return a figure of a seat, with the difference to the version that it is compared with.
 * @param {Standing} standing
 * @param {string} name
 * @param {Standing[] | undefined} before the standings of that version
 */
function figure(standing, name, before) {
  const value = standing.figures[name];
  const was = before?.find((other) => other.seat === standing.seat)?.figures[name];
  if (value === undefined) return "";
  return was === undefined || was === value
    ? scored(value)
    : html`${scored(value)} <span class="quiet">(${value > was ? "+" : "−"}${scored(Math.abs(value - was))})</span>`;
}

/** Return how the game ended, as a sentence. @param {Room} room */
export function endSentence(room) {
  return endedAs(room.game?.result, (seat) => seatName(room.game, seat));
}
