/**
 * The ratings of a player, each with its history as a graph and as a table, and the luck of their dice.
 * @module
 */

/** @import { PlayerLuck, Rating, RatingHistory } from "../types.js" */

import { html, nothing, svg } from "../vendor/lit-html.js";
import { clock, count } from "../parts/format.js";
import { lucky } from "../parts/lucky.js";

const MILLION = 1_000_000;
const [WIDTH, HEIGHT, LEFT, MARGIN] = [640, 170, 44, 18];
const DAY = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

/**
 * Return a rating as text, with one decimal. The API gives it in millionths.
 * @param {Rating} rating
 */
export function figure(rating) {
  return (rating.shown / MILLION).toFixed(1);
}

/**
 * @param {readonly RatingHistory[]} ratings
 * @param {(ruleset: string) => string} title
 */
export function ratingsPart(ratings, title) {
  if (!ratings.length) return nothing;
  return html`<section aria-labelledby="ratings-title"><h2 id="ratings-title">Ratings</h2>
    ${ratings.map((each) => one(each, title(each.ruleset)))}
    <p class="quiet">A rating says how strong a player is at least, as far as their games show. <a href="/rules#text=TAB-RAT">The rules</a> say which games count.</p></section>`;
}

/**
 * @param {RatingHistory} history
 * @param {string} title
 */
function one({ ruleset, list, rating, points }, title) {
  const of = list === "bots" ? "&bots=true" : "";
  return html`<h3><a href=${`/ratings?ruleset=${encodeURIComponent(ruleset)}${of}`}>${title}</a></h3>
    <p><strong>${figure(rating)}</strong>, from ${count(rating.games, "game")}${rating.provisional ? "; provisional" : ""}.</p>
    ${points.length > 1 ? plot(points, title) : nothing}
    <details><summary>${points.length === 1 ? "The game" : `The last ${points.length} games`}</summary>
      <table><thead><tr><th scope="col">When</th><th scope="col" class="number">Place</th><th scope="col" class="number">Rating</th></tr></thead>
      <tbody>${points.toReversed().map(row)}</tbody></table></details>`;
}

/** @param {RatingHistory["points"][number]} point */
function row({ at, game, place, players, rating }) {
  const when = html`<time datetime=${at}>${clock(at)}</time>`;
  return html`<tr><th scope="row">${game ? html`<a href="/games/${game}">${when}</a>` : when}</th>
    <td class="number">${place === null ? "counts no more" : `${place} of ${players}`}</td><td class="number">${figure(rating)}</td></tr>`;
}

/**
 * @param {RatingHistory["points"]} points
 * @param {string} title
 */
function plot(points, title) {
  const values = points.map(({ rating }) => rating.shown / MILLION);
  const times = points.map(({ at }) => Date.parse(at));
  const [low, high] = [Math.floor(Math.min(...values)), Math.ceil(Math.max(...values))];
  const x = scale(times[0], times[times.length - 1], LEFT, WIDTH - MARGIN);
  const y = scale(low, high, HEIGHT - MARGIN, MARGIN / 2);
  const line = values.map((value, index) => `${x(times[index])},${y(value)}`).join(" ");
  const label = `${title}: from ${values[0].toFixed(1)} on ${DAY.format(times[0])} to ${values[values.length - 1].toFixed(1)} on ${DAY.format(times[times.length - 1])}`;
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${label}>
    ${[low, high].map((value) => svg`<path class="grid" d=${`M${LEFT} ${y(value)}H${WIDTH - MARGIN}`} /><text x=${LEFT - 8} y=${y(value) + 4} text-anchor="end">${value}</text>`)}
    <text x=${LEFT} y=${HEIGHT - 2}>${DAY.format(times[0])}</text>
    <text x=${WIDTH - MARGIN} y=${HEIGHT - 2} text-anchor="end">${DAY.format(times[times.length - 1])}</text>
    <polyline points=${line} /></svg>`;
}

/**
 * Return a function that maps the values from `low` to `high` to coordinates from `start` to `end`, rounded to tenths.
 * @param {number} low
 * @param {number} high
 * @param {number} start
 * @param {number} end
 */
function scale(low, high, start, end) {
  /** @param {number} value */
  return (value) => Math.round((start + ((value - low) / (high - low || 1)) * (end - start)) * 10) / 10;
}

/**
 * @param {PlayerLuck} luck
 * @param {(ruleset: string) => string} title
 */
export function luckPart({ games, dice }, title) {
  if (!dice.length) return nothing;
  return html`<section aria-labelledby="luck-title"><h2 id="luck-title">Luck</h2>
    <p>The dice of ${count(games, "finished game")}. No rating knows of them.</p>
    <ul>${dice.map((each) => html`<li><span>${title(each.ruleset)}</span> <span class="quiet">${lucky(each)}</span></li>`)}</ul></section>`;
}
