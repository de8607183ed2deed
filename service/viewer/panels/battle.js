/**
 * The battle at the version that is shown, or the one that the last command ended: both sides with their pieces, their
 * rolls of this round and how likely those were, the hits that they still have to take, and who else decides now.
 * @module
 */

/** @import { Battle, Fighter, Mark, Roll, Table, Throw } from "../types.js" */

import { html, nothing } from "../vendor/lit-html.js";
import { chip } from "../parts/chip.js";
import { dieFaces } from "../parts/die.js";
import { count, named, plain } from "../parts/format.js";
import { glyph } from "../parts/shelf.js";

/**
 * A roll, its version, and the dice and chances before it.
 * @typedef {Roll & {version: number, throwing: Throw | null | undefined}} Rolled
 */

const FAR = 60; // The most versions that are searched for a battle, or for the rolls of a round.

const wide = matchMedia("(min-width: 56rem)");

/** @param {Table} room */
export function battleCard(room) {
  const at = versionOf(room);
  if (!at) return nothing;
  const battle = at ? room.battle(at) : null;
  if (!battle) return nothing;
  const rolls = rollsOf(room, at, battle);
  const isOver = at !== room.version;
  const name = room.board.content(battle.place)[0]?.split(",")[0] ?? plain(battle.place);
  const isAsked = room.following && room.game.decisions.some(({ seats }) => seats.includes(room.seat));
  return html`<details class="battle-card" ?open=${wide.matches || isAsked}>
    <summary>${isOver ? "Battle over" : `Battle, round ${battle.round}`}: ${name}</summary>
    ${side(room, battle.attacker, "attacking", rolls)} ${side(room, battle.defender, "defending", rolls)}
    ${isOver ? nothing : waiting(room)}
  </details>`;
}

/**
 * Return the version whose battle to show: the one that is shown, or an earlier one of the same command; 0 for none.
 * @param {Table} room
 */
function versionOf(room) {
  for (let version = room.version; version >= 1 && version > room.version - FAR; version -= 1) {
    if (room.battle(version)) return version;
    if (room.frame(version)?.command ?? true) return 0;
  }
  return 0;
}

/**
 * Return each side's last roll in the round, by side.
 * @param {Table} room
 * @param {number} at
 * @param {Battle} battle
 */
function rollsOf(room, at, { place, round }) {
  /** @type {Map<string, Rolled>} */
  const rolls = new Map();
  for (let version = at; version > Math.max(1, at - FAR); version -= 1) {
    const [now, before] = [room.battle(version), room.battle(version - 1)];
    if (now?.place !== place || now.round !== round) break;
    for (const roll of room.frame(version)?.rolls ?? []) {
      if (roll.hits === null || rolls.has(sideOf(roll))) continue;
      const throwing = [before?.attacker, before?.defender].find(
        (each) => each && sideOf(each) === sideOf(roll),
      )?.throw;
      rolls.set(sideOf(roll), { ...roll, version, throwing });
    }
  }
  return rolls;
}

/** Return the id of a side: its nation, or else its seat. @param {{seat?: string | null, nation?: string}} side */
function sideOf({ seat, nation }) {
  return nation || seat || "";
}

/**
 * @param {Table} room
 * @param {Fighter} fighter
 * @param {string} role "attacking" or "defending"
 * @param {Map<string, Rolled>} rolls
 */
function side(room, fighter, role, rolls) {
  const { seat, words, marks, due } = fighter;
  const roll = rolls.get(sideOf(fighter));
  return html`<section>
    <h3>${chip(room, seat)} ${words} <span class="quiet">${role}</span></h3>
    <ul class="pieces">${marks.map((mark) => piece(room, mark, seat))}</ul>
    ${roll ? lastRoll(room, roll) : fighter.throw ? html`<p class="quiet">${toRoll(fighter.throw)}</p>` : nothing}
    ${due ? html`<p><strong>${count(due, "hit")} to take</strong></p>` : nothing}
  </section>`;
}

/**
 * Pieces of one kind: their number or name, and the sign of their seat if it is not the side's.
 * @param {Table} room
 * @param {Mark} mark
 * @param {string | null} own the seat of the side
 */
function piece(room, { kind, count: number = 1, label = "", seat = null, words }, own) {
  const figure = label ? `${number > 1 ? `${number} ` : ""}${label}` : `${number}`;
  return html`<li title=${words}>${seat && seat !== own ? chip(room, seat) : nothing}${glyph(kind)}<span aria-hidden="true">${figure}</span><span class="hidden">${words}</span></li>`;
}

/**
 * @param {Table} room
 * @param {Rolled} roll
 */
function lastRoll(room, roll) {
  const { version, throwing } = roll;
  const hits = roll.hits ?? 0;
  return html`${dieFaces(room, roll)}
    <p><strong>${count(hits, "hit")}</strong> ${throwing ? html`<span class="quiet">(${odds(throwing, hits)})</span>` : nothing}
      ${room.isGame ? html`<button class="link" @click=${() => prove(room, version)}>Proof<span class="hidden"> of this roll</span></button>` : nothing}</p>`;
}

/**
 * Say how likely that many hits or more were before the roll, or that many or fewer, whichever was less likely.
 * @param {Throw} throwing
 * @param {number} hits
 */
function odds({ chances }, hits) {
  /** @param {number[]} some */
  const sum = (some) => some.reduce((total, each) => total + each, 0);
  const [many, few] = [sum(chances.slice(hits)), sum(chances.slice(0, hits + 1))];
  return many <= few ? `chance of ${hits} or more: ${percent(many)}` : `chance of ${hits} or fewer: ${percent(few)}`;
}

/** @param {Throw} throwing */
function toRoll({ dice, chances }) {
  const mean = chances.reduce((total, each, hits) => total + each * hits, 0);
  return `${dice === 1 ? "1 die" : `${dice} dice`} to roll, ${mean.toFixed(1)} hits on average`;
}

/** @param {number} share */
function percent(share) {
  return share < 0.01 ? "under 1 %" : `${Math.round(share * 100)} %`;
}

/**
 * Show the panel of a roll's event, which says how its dice follow from the game's secret.
 * @param {Table} room
 * @param {number} version
 */
function prove(room, version) {
  room.show(version);
  room.dispatchEvent(new Event("inspect"));
}

/** Who else decides; the question to the viewer's own seat is in the bar. @param {Table} room */
function waiting({ game, seat, following }) {
  if (!following) return nothing;
  const others = game.decisions.filter(({ seats }) => !seats.includes(seat));
  return others.map(({ seats, title }) => html`<p class="quiet">${seats.map(named).join(", ")}: ${title}</p>`);
}
