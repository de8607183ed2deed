/**
 * The row of all players, always in sight: colour and emblem, name, possessions, clock, and whether the game waits for
 * them. The items and the hand of the viewer's own seat are written out in words.
 * @module
 */

/** @import { Mark, Standing, Table } from "../types.js" */

import { html, nothing } from "../vendor/lit-html.js";
import { chip } from "../parts/chip.js";
import { count, plain, scored } from "../parts/format.js";
import { lookAlike } from "../parts/look-alike.js";
import { glyph } from "../parts/shelf.js";
import { clockOf, warning } from "../parts/ticking.js";
import { noticesButton } from "./notices.js";

/** @param {Table} room */
export function strip(room) {
  const { game } = room;
  const standings = room.currentScene?.standings ?? [];
  const awaited = new Set(room.following ? game?.decisions.flatMap(({ seats }) => seats) : []);
  /** @param {Standing} standing */
  const isPlayed = (standing) => game?.seats.some(({ seat }) => seat === standing.seat);
  const played = standings.filter(isPlayed);
  if (!played.length) return nothing;
  return html`<ul tabindex="0" aria-label="Players">${played.map((standing) => player(room, standing, awaited.has(standing.seat)))}</ul>
    <p class="hidden" role="status">${warning(room)}</p>
    ${room.isGame && room.seat && game?.status === "running" ? noticesButton(room) : nothing}`;
}

/**
 * @param {Table} room
 * @param {Standing} standing
 * @param {boolean} isAwaited
 */
function player(room, standing, isAwaited) {
  const { seat, name, active, out, won, nations = [] } = standing;
  const place = room.game.seats.find((each) => each.seat === seat);
  const isMine = seat === room.seat;
  const acting = nations
    .filter((nation) => nation.active)
    .map((nation) => nation.name)
    .join(", ");
  return html`<li class="${isMine ? "mine" : ""} ${out ? "out" : ""} ${isAwaited ? "awaited" : ""}">
    <p class="person">${chip(room, seat)} <strong class="name">${name}</strong>
      <span class="player">${isMine ? "you" : (place?.name ?? "nobody")}</span>
      ${place?.looks_alike ? lookAlike : nothing}
      ${place?.bot ? html`<span class="tag" title=${place.level ?? nothing}>bot</span>` : nothing}
      ${room.game.given_up?.includes(seat) ? html`<span class="tag">gone</span>` : nothing}
      ${isAwaited ? html`<span class="tag now">to decide</span>` : nothing}
      ${active && (acting || !isAwaited) ? html`<span class="tag">${acting ? `${acting} to move` : "to move"}</span>` : nothing}
      ${clockOf(room, seat)}
      ${won ? html`<span class="tag now">won</span>` : nothing}
      ${out ? html`<span class="tag">${out}</span>` : nothing}</p>
    ${figures(standing)} ${items(room, standing, isMine)}
  </li>`;
}

/** @param {Standing} standing */
function figures({ figures, nations = [] }) {
  const had = Object.entries(figures).map(([name, value]) => html`<span>${plain(name)} <b>${scored(value)}</b></span>`);
  const led = nations.filter(({ absent }) => !absent).map(({ name }) => name);
  return html`<p class="figures">${had}${had.length || !led.length ? nothing : led.join(", ")}</p>`;
}

/**
 * The items of a seat: the viewer's own in words, those of others as signs with a tooltip.
 * @param {Table} room
 * @param {Standing} standing
 * @param {boolean} isMine
 */
function items(room, { items = [] }, isMine) {
  if (!items.length) return nothing;
  /** @param {Mark} item */
  const sign = (item) => (item.seat ? chip(room, item.seat) : glyph(item.kind));
  if (isMine)
    return html`<p class="figures hand">${items.map((item) => html`<span>${sign(item)}<b class="many">${(item.count ?? 1) > 1 ? item.count : nothing}</b> <span class="words">${item.words || count(item.count ?? 1, plain(item.kind))}</span></span>`)}</p>`;
  return html`<p class="figures">${items.map((item) => html`<span title=${item.words}>${sign(item)}${(item.count ?? 1) > 1 ? item.count : nothing}<span class="hidden">${item.words}</span></span>`)}</p>`;
}
