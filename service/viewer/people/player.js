/**
 * The page of a player: their results, ratings and luck, the leagues that they organize, and their games.
 * @module
 */

/** @import { GameSummary, LeagueSummary, Player, PlayerLuck, PlayerRatings, PlayerRecord } from "../types.js" */

import { html, nothing, render } from "../vendor/lit-html.js";
import { ago, clock, count, gameTitle, named } from "../parts/format.js";
import { moreButton } from "../parts/more.js";
import { Api, problemOf } from "../state/api.js";
import { Pages } from "../state/pages.js";
import { luckPart, ratingsPart } from "./ratings.js";

const api = new Api();
const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const place = /** @type {HTMLElement} */ (document.getElementById("people"));
/** @typedef {"running" | "gathering" | "over"} Status */

/** What the service counts of the player; null while it cannot say. @typedef {{record: PlayerRecord | null, ratings: PlayerRatings | null, luck: PlayerLuck | null, leagues: readonly LeagueSummary[]}} Facts */

/** @type {[Status, string][]} */
const GROUPS = [
  ["running", "Playing now"],
  ["gathering", "Waiting for players"],
  ["over", "Finished"],
];
/** The titles of rulesets, by id. @type {Map<string, string>} */
const titles = new Map();
/** The games of each status. @type {Record<string, Pages<GameSummary>>} */
const games = Object.fromEntries(
  GROUPS.map(([status]) => [
    status,
    new Pages((cursor) => api.get("/v1/games", { player: id, status, limit: 20, cursor })),
  ]),
);

/**
 * @param {Player} player
 * @param {Facts} facts
 */
function draw(player, facts) {
  const { record, ratings, luck, leagues } = facts;
  /** @param {string} ruleset */
  const title = (ruleset) => titles.get(ruleset) ?? ruleset;
  const results = record?.rulesets.filter((each) => each.finished || each.running) ?? [];
  render(
    html`<h1>${player.name}</h1>
      <p class="quiet">${player.level ? `A bot, which the service plays (${player.level}). ` : player.bot ? "A bot. " : nothing}Here since ${clock(player.created)}.</p>
      ${player.joined ? html`<p>This account was joined with <a href="/players/${player.joined}">another one of the same person</a>, and plays no more.</p>` : nothing}
      ${record && results.length ? table(record, results) : nothing}
      ${ratings ? ratingsPart(ratings.ratings, title) : nothing}
      ${luck ? luckPart(luck, title) : nothing}
      ${leagues.length ? html`<section aria-labelledby="leagues-title"><h2 id="leagues-title">Organizes</h2><ul>${leagues.map((each) => html`<li><a href="/leagues/${each.league}">${each.title || "A league"}</a></li>`)}</ul></section>` : nothing}
      ${GROUPS.map(([status, name]) => list(status, name, player, facts))}
      ${GROUPS.every(([status]) => !games[status].items.length) ? html`<p>No game of theirs is listed.</p>` : nothing}`,
    place,
  );
  document.title = `${player.name} · Tabularium`;
}

/**
 * @param {PlayerRecord} record
 * @param {PlayerRecord["rulesets"]} results
 */
function table(record, results) {
  return html`<section aria-labelledby="results-title"><h2 id="results-title">Results</h2>
    <p>${count(record.finished, "finished game")}, ${record.won} won.</p>
    <table><thead><tr><th scope="col">Rules</th><th scope="col" class="number">Finished</th><th scope="col" class="number">Won</th><th scope="col" class="number">In progress</th></tr></thead>
      <tbody>${results.map(
        (each) => html`<tr><th scope="row">${titles.get(each.ruleset) ?? each.ruleset}</th>
        <td class="number">${each.finished}</td><td class="number">${each.won}</td><td class="number">${each.running}</td></tr>`,
      )}</tbody></table></section>`;
}

/**
 * @param {string} status
 * @param {string} title
 * @param {Player} player
 * @param {Facts} facts
 */
function list(status, title, player, facts) {
  const pages = games[status];
  if (!pages.items.length) return nothing;
  return html`<section aria-labelledby=${status}><h2 id=${status}>${title}</h2>
    <ul>${pages.items.map(
      (game) => html`<li><a href="/games/${game.id}">${gameTitle(game)}</a>
      <span>${named(game.seats.find((each) => each.player === player.id)?.seat ?? "")}</span>
      <span class="quiet">${titles.get(game.ruleset) ?? game.ruleset}; <time datetime=${game.changed} title=${clock(game.changed)}>${ago(game.changed)}</time></span></li>`,
    )}</ul>
    ${moreButton(pages, () => draw(player, facts))}</section>`;
}

try {
  const [player, record, ratings, luck, leagues, rulesets] = await Promise.all([
    api.get(`/v1/players/${encodeURIComponent(id)}`),
    // While the service is still building one of these projections, the page leaves it out.
    api.get(`/v1/players/${encodeURIComponent(id)}/record`).catch(() => null),
    api.get(`/v1/players/${encodeURIComponent(id)}/ratings`).catch(() => null),
    api.get(`/v1/players/${encodeURIComponent(id)}/luck`).catch(() => null),
    api.get("/v1/leagues", { organizer: id, limit: 20 }),
    api.get("/v1/rulesets", { limit: 100 }),
    ...Object.values(games).map((each) => each.more()),
  ]);
  for (const each of rulesets.items) titles.set(each.id, each.title);
  draw(player, { record, ratings, luck, leagues: leagues.items });
} catch (error) {
  const problem = problemOf(error);
  render(
    html`<h1>No such player</h1><p class="problem" role="alert">${problem.message}</p><p><a href="/">To the lobby</a></p>`,
    place,
  );
}
