/**
 * The standings of a tournament with the reason for each place, and the crosstable.
 * @module
 */

/** @import { CrosstableView, TournamentStandings } from "../types.js" */

import { html, nothing } from "../vendor/lit-html.js";
import { TIE_BREAKS } from "./regulations.js";

/** Fractions that have a sign of their own. @type {Record<string, string>} */
const GLYPHS = { "1/2": "½", "1/3": "⅓", "2/3": "⅔", "1/4": "¼", "3/4": "¾" };

/** Return points, which may be a fraction, as people write them: 131/2 is 65½. @param {string} points */
export function shownPoints(points) {
  const [whole, part] = points.split("/").map(Number);
  if (!part) return points.replace("-", "−");
  const [sign, size] = [whole < 0 ? "−" : "", Math.abs(whole)];
  const rest = size % part;
  const glyph = GLYPHS[`${rest}/${part}`];
  return `${sign}${Math.floor(size / part) || (glyph ? "" : 0)}${glyph ?? ` ${rest}/${part}`}`;
}

/**
 * @param {TournamentStandings} standings
 * @param {(player: string) => string} name
 */
export function standingsTable(standings, name) {
  if (!standings.items.length) return html`<p class="quiet">Nobody has entered yet.</p>`;
  return html`<table class="standings"><thead><tr>
      <th scope="col" class="number">Place</th><th scope="col">Player</th><th scope="col" class="number">Points</th>
      <th scope="col" class="number">Tables</th><th scope="col">Above the next by</th></tr></thead>
    <tbody>${standings.items.map(
      (each, at) => html`<tr><td class="number">${each.place}</td>
        <th scope="row"><a href="/players/${each.player}">${name(each.player)}</a></th>
        <td class="number">${shownPoints(each.points)}${each.provisional ? html`<abbr title="A result that does not count yet is in it.">*</abbr>` : nothing}</td>
        <td class="number">${each.played}</td>
        <td class="quiet">${why(standings.items, at)}</td></tr>`,
    )}</tbody></table>
    ${standings.items.some((each) => each.provisional) ? html`<p class="quiet">* A result that does not count yet is in it.</p>` : nothing}`;
}

/**
 * Say why a player stands above the next one; empty for the last.
 * @param {TournamentStandings["items"]} items
 * @param {number} at the index of the player
 */
function why(items, at) {
  const [one, next] = [items[at], items[at + 1]];
  if (next === undefined) return nothing;
  if (one.above === null) return "They tie.";
  if (one.above === "points" || one.above === "stage") return TIE_BREAKS[one.above];
  const counted = [one, next].map((each) => values(each, /** @type {string} */ (one.above)));
  return one.above === "lot" ? TIE_BREAKS.lot : `${TIE_BREAKS[one.above]}: ${counted.join(" to ")}`;
}

/**
 * Return what a player has of a tie-break, as text.
 * @param {TournamentStandings["items"][number]} standing
 * @param {string} name of a tie-break
 */
function values(standing, name) {
  const counted = /** @type {Record<string, readonly string[]>} */ (standing.tie_breaks)[name] ?? [];
  return counted.map((each) => shownPoints(name === "penalties" ? each.replace("-", "") : each)).join(", ");
}

/**
 * @param {CrosstableView} crosstable
 * @param {readonly number[]} rounds the numbers of the rounds that count
 * @param {(player: string) => string} name
 */
export function crosstableOf(crosstable, rounds, name) {
  if (!rounds.length) return nothing;
  return html`<section aria-labelledby="crosstable-title"><h2 id="crosstable-title">Crosstable</h2>
    <div class="wide" tabindex="0" role="region" aria-labelledby="crosstable-title"><table><thead><tr><th scope="col">Player</th>
      ${rounds.map((round) => html`<th scope="col" class="number">Round ${round}</th>`)}<th scope="col" class="number">Points</th></tr></thead>
    <tbody>${crosstable.items.map(
      (line) =>
        html`<tr><th scope="row">${name(line.player)}</th>${rounds.map((round) => {
          const cell = line.cells.find((each) => each.round === round);
          if (!cell) return html`<td class="number quiet">–</td>`;
          const met = cell.opponents.map(name).join(", ");
          const earned = cell.points === null ? "…" : shownPoints(cell.points);
          return html`<td class="number" title=${cell.table ? `Table ${cell.table}, with ${met}` : "A bye"}>${cell.counts ? earned : html`<s>${earned}</s>`}${cell.table ? nothing : html` <span class="quiet">bye</span>`}</td>`;
        })}<td class="number">${shownPoints(line.points)}</td></tr>`,
    )}</tbody></table></div></section>`;
}
