/**
 * The page of a league: the tables of a season with the reasons for the places and who goes up or down, the tournaments
 * and penalties of the season, and the regulations.
 * @module
 */

/** @import { LeagueDetail, LeagueSeason } from "../types.js" */

import { html, nothing, render } from "../vendor/lit-html.js";
import { ago, clock, count } from "../parts/format.js";
import { Account } from "../state/account.js";
import { Api, newKey, problemOf } from "../state/api.js";
import { takeToken } from "../state/token.js";
import { shownPoints } from "./standings.js";

/** @type {Record<string, string>} */
const TIE_BREAKS = {
  played: "a result in the season",
  points: "points",
  wins: "tournaments won alone",
  places: "first places, then second, and so on",
  meetings: "points of the tournaments in which all who tie have a result",
  all: "points of all results",
  last: "points of the last tournament, then of the one before it",
};
/** @type {Record<string, string>} */
const STATUSES = { open: "open for entries", running: "being played", closed: "over", cancelled: "cancelled" };
const MOVES = { up: "▲ up", down: "▼ down" };

const api = new Api();
takeToken(api);
const account = new Account(api);
const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const path = /** @type {const} */ (`/v1/leagues/${encodeURIComponent(id)}`);
const wantedSeason = new URLSearchParams(location.search).get("season");
const place = /** @type {HTMLElement} */ (document.getElementById("league"));

/** @typedef {import("../state/api.js").Problem} Problem */
/** The league, the name of its organizer, and the outcome of the last request. @type {{detail: LeagueDetail | null, organizer: string, done: string, problem: Problem | null}} */
const page = { detail: null, organizer: "", done: "", problem: null };

function draw() {
  const { detail } = page;
  if (!detail) return;
  const { summary, season } = detail;
  const title = summary.title || "A league";
  document.title = `${title} · Tabularium`;
  render(
    html`<h1>${title}</h1>
      <p class="lead">${count(summary.divisions, "division")}. <span class="status ${summary.status}">${summary.status === "running" ? `Season ${summary.seasons} runs` : "Between seasons"}</span></p>
      <p class="quiet">Organized by <a href="/players/${summary.organizer}">${page.organizer || "a closed account"}</a>.
        Founded <time datetime=${summary.created} title=${clock(summary.created)}>${ago(summary.created)}</time>.</p>
      ${acts(detail)}
      ${seasons(detail)}
      ${season ? seasonPart(season) : html`<p>No season has begun.</p>`}
      <section aria-labelledby="regulations-title"><h2 id="regulations-title">Regulations</h2>
        <ul class="sentences">${sentences(season?.regulations ?? detail.regulations).map((each) => html`<li>${each}</li>`)}</ul></section>
      <section aria-labelledby="proof-title"><h2 id="proof-title">Check it yourself</h2>
        <p><a href="${path}/export" download>The whole log of the league</a> says which tournaments count. With their exports beside it, <code>tabularium verify</code> computes every table anew.
        ${season ? html`<a href="${path}/table.csv?season=${season.number}" download>The tables for a spreadsheet</a>.` : nothing}</p></section>`,
    place,
  );
}

/** Links to the seasons, when there are several. @param {LeagueDetail} detail */
function seasons({ summary, season }) {
  if (summary.seasons < 2) return nothing;
  const all = Array.from({ length: summary.seasons }, (_, at) => at + 1);
  return html`<nav aria-label="Seasons" class="buttons">${all.map(
    (each) =>
      html`<a href="?season=${each}" aria-current=${each === season?.number ? "page" : "false"}>Season ${each}</a>`,
  )}</nav>`;
}

/** @param {LeagueSeason} season */
function seasonPart(season) {
  const final = season.closed ? "Final table" : "Table so far";
  return html`${season.tables.map((_, at) => tableOf(season, at, final))}
    ${season.closed ? nothing : html`<p class="quiet">The tables are provisional until the season is closed. * A tournament that still runs is in it.</p>`}
    <section aria-labelledby="held-title"><h2 id="held-title">Tournaments</h2>
      ${season.tournaments.length ? nothing : html`<p>None was added yet.</p>`}
      <ul>${season.tournaments.map(
        (each, at) => html`<li><a href="/tournaments/${each.tournament}">${at + 1}. ${each.title || "A tournament"}</a>
        <span>Division ${each.division}</span> <span class="quiet">${STATUSES[each.status]}</span></li>`,
      )}</ul></section>
    ${penalties(season)}`;
}

/**
 * @param {LeagueSeason} season
 * @param {number} at the index of the division, from 0
 * @param {string} final what the table is called
 */
function tableOf(season, at, final) {
  const lines = season.tables[at];
  const held = season.tournaments.filter((each) => each.division === at + 1 && each.status !== "cancelled");
  const number = (/** @type {string} */ each) => season.tournaments.findIndex((one) => one.tournament === each) + 1;
  const heading = `table-${at + 1}`;
  return html`<section aria-labelledby=${heading}><h2 id=${heading}>Division ${at + 1}: ${final.toLowerCase()}</h2>
    ${
      lines.length
        ? html`<div class="wide" tabindex="0" role="region" aria-labelledby=${heading}><table><thead><tr>
      <th scope="col" class="number">Place</th><th scope="col">Player</th><th scope="col" class="number">Points</th>
      ${held.map((each) => html`<th scope="col" class="number"><abbr title=${each.title || "A tournament"}>${number(each.tournament)}</abbr></th>`)}
      <th scope="col">Above the next by</th><th scope="col">Next season</th></tr></thead>
      <tbody>${lines.map(
        (line, row) => html`<tr><td class="number">${line.place}</td>
        <th scope="row"><a href="/players/${line.player}">${line.name ?? "A closed account"}</a></th>
        <td class="number">${shownPoints(line.points)}${line.results.some((each) => each.provisional) ? html`<abbr title="A tournament that still runs is in it.">*</abbr>` : nothing}</td>
        ${held.map((each) => {
          const result = line.results.find((one) => one.tournament === each.tournament);
          if (!result) return html`<td class="number quiet">–</td>`;
          const points = shownPoints(result.points);
          return html`<td class="number" title="Place ${result.place}">${result.counts ? points : html`<s>${points}</s>`}</td>`;
        })}
        <td class="quiet">${why(lines, row)}</td><td>${line.moves ? MOVES[line.moves] : nothing}</td></tr>`,
      )}</tbody></table></div>`
        : html`<p class="quiet">Nobody is listed yet.</p>`
    }</section>`;
}

/**
 * Say why a player stands above the next one; empty for the last.
 * @param {LeagueSeason["tables"][number]} lines
 * @param {number} at the index of the player
 */
function why(lines, at) {
  const [one, next] = [lines[at], lines[at + 1]];
  if (next === undefined) return nothing;
  const { above } = one;
  if (above === null) return "They tie.";
  if (above === "played" || above === "points") return TIE_BREAKS[above];
  const counted = [one, next].map((line) => {
    const values = /** @type {Record<string, readonly string[]>} */ (line.tie_breaks)[above] ?? [];
    return values.map(shownPoints).join(", ");
  });
  return `${TIE_BREAKS[above]}: ${counted.join(" to ")}`;
}

/** @param {LeagueSeason} season */
function penalties(season) {
  if (!season.penalties.length) return nothing;
  const names = new Map(season.tables.flat().map((line) => [line.player, line.name]));
  return html`<section aria-labelledby="penalties-title"><h2 id="penalties-title">Penalties</h2>
    <ul>${season.penalties.map((each) => html`<li><span>${names.get(each.player) ?? each.player}</span> <span>${count(each.points, "point")} less</span> <span class="quiet">${each.reason}</span></li>`)}</ul></section>`;
}

/**
 * Return the regulations in sentences.
 * @param {LeagueDetail["regulations"]} regulations
 */
function sentences({ points, best, divisions = 1, up = 0, down = 0, entry, tie_breaks: breaks = [] }) {
  return [
    `The places of a tournament earn ${points.join("–")}; later places earn nothing. Those who tie share the points of their places.`,
    best === 1 ? "Of a player's results the best one counts." : `Of a player's results the best ${best} count.`,
    breaks.length
      ? `These decide between players with the same points, in this order: ${breaks.map((each) => TIE_BREAKS[each]).join("; ")}.`
      : "Players with the same points share the place.",
    divisions > 1
      ? `After a season, ${up} go up and ${down} go down over each border between divisions. Those who tie over the border stay.`
      : "There is one division.",
    entry === "everybody"
      ? "Everybody may enter each tournament. Only results in a player's own division count."
      : "Only those who belong to a division enter its tournaments. A player without a division belongs to the lowest.",
  ];
}

/** What the organizer can do. @param {LeagueDetail} detail */
function acts({ summary, season }) {
  const outcome = html`<p role="status">${page.done}</p>
    ${page.problem ? html`<p class="problem" role="alert">${page.problem.message} ${page.problem.problem.allowed ?? nothing}</p>` : nothing}`;
  if (account.me?.id !== summary.organizer) return nothing;
  if (summary.status === "resting")
    return html`<div class="acts"><button class="strong" @click=${() => act(`${path}/seasons`, "The season has begun.")}>Begin season ${summary.seasons + 1}</button></div>${outcome}`;
  if (season?.number !== summary.seasons) return nothing;
  const divisions = Array.from({ length: season.regulations.divisions ?? 1 }, (_, at) => at + 1);
  return html`<div class="acts">${divisions.map(
    (each) =>
      html`<a href="/tournaments?league=${id}&season=${season.number}&division=${each}#announce-title">Announce a tournament of division ${each}</a>`,
  )}
    <button @click=${() => act(`${path}/seasons/${season.number}/closing`, "The season is closed.")}>Close the season</button></div>${outcome}`;
}

/**
 * @param {`/v1/leagues/${string}/seasons` | `/v1/leagues/${string}/seasons/${string}/closing`} address
 * @param {string} done
 */
async function act(address, done) {
  Object.assign(page, { done: "", problem: null });
  try {
    await api.post(address, undefined, { "Idempotency-Key": newKey() });
    await read();
    page.done = done;
  } catch (error) {
    page.problem = problemOf(error);
  }
  draw();
}

async function read() {
  page.detail = await api.get(path, { season: wantedSeason ? Number(wantedSeason) : null });
  const organizer = encodeURIComponent(page.detail.summary.organizer);
  page.organizer ||= (await api.get(`/v1/players/${organizer}`).catch(() => null))?.name ?? "";
}

try {
  await Promise.all([read(), account.read().catch(() => null)]);
  account.addEventListener("change", draw);
  draw();
} catch (error) {
  render(
    html`<h1>No such league</h1><p class="problem" role="alert">${problemOf(error).message}</p><p><a href="/leagues">To the leagues</a></p>`,
    place,
  );
}
