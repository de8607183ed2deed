/**
 * The page of a tournament: where everybody stands and why, its rounds and tables, its regulations, and what you can do.
 * @module
 */

/** @import { CrosstableView, RoundView, TournamentDetail, TournamentStandings } from "../types.js" */

import { html, nothing, render } from "../vendor/lit-html.js";
import { ago, clock, count } from "../parts/format.js";
import { Account } from "../state/account.js";
import { Api, newKey, problemOf } from "../state/api.js";
import { takeToken } from "../state/token.js";
import { sentences } from "./regulations.js";
import { roundOf } from "./rounds.js";
import { crosstableOf, standingsTable } from "./standings.js";

const PATIENCE = 15_000; // Milliseconds until it is asked again whether something happened.

/** @type {Record<string, string>} */
const STATUSES = { open: "Open for entries", running: "Being played", closed: "Over", cancelled: "Cancelled" };

const api = new Api();
takeToken(api);
const account = new Account(api);
const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const path = /** @type {const} */ (`/v1/tournaments/${encodeURIComponent(id)}`);
const place = /** @type {HTMLElement} */ (document.getElementById("tournament"));

/**
 * What the page knows.
 * @type {{detail: TournamentDetail | null, standings: TournamentStandings | null, crosstable: CrosstableView | null,
 *   rounds: RoundView[], titles: Map<string, string>, said: string, wrong: string}}
 */
const page = { detail: null, standings: null, crosstable: null, rounds: [], titles: new Map(), said: "", wrong: "" };

function draw() {
  const { detail, standings, crosstable, rounds } = page;
  if (!detail || !standings || !crosstable) return;
  const { summary, regulations } = detail;
  const names = new Map(detail.players.map((each) => [each.player, each.name]));
  const name = (/** @type {string} */ player) => names.get(player) ?? player;
  const published = rounds.filter((each) => each.status === "published").map((each) => each.number);
  const ruleset = page.titles.get(summary.ruleset) ?? summary.ruleset;
  document.title = `${summary.title || "A tournament"} · Tabularium`;
  render(
    html`<h1>${summary.title || "A tournament"}</h1>
      <p class="lead">${ruleset}. <span class="status ${summary.status}">${STATUSES[summary.status]}</span></p>
      <p class="quiet">${count(summary.entrants, "player")}, ${published.length} of ${count(
        regulations.stages.reduce((sum, each) => sum + each.rounds, 0),
        "round",
      )} published. Announced <time datetime=${summary.created} title=${clock(summary.created)}>${ago(summary.created)}</time>.</p>
      ${detail.announcements.map((each) => html`<p class="announcement"><time datetime=${each.at} title=${clock(each.at)}>${ago(each.at)}</time> ${each.text}</p>`)}
      ${acts(detail)}
      <section aria-labelledby="standings-title"><h2 id="standings-title">${summary.status === "closed" ? "Final standings" : "Standings"}</h2>${standingsTable(standings, name)}</section>
      ${[...rounds].reverse().map((each) => roundOf(each, name))}
      ${crosstableOf(crosstable, published, name)}
      ${penalties(detail, name)}
      <section aria-labelledby="regulations-title"><h2 id="regulations-title">Regulations</h2>
        <ul class="sentences">${sentences(regulations, ruleset).map((each) => html`<li>${each}</li>`)}</ul></section>
      <section aria-labelledby="proof-title"><h2 id="proof-title">Check it yourself</h2>
        <p>The lots come from secrets to which <code>${detail.commitment}</code> was the commitment. <a href="${path}/export" download>The whole log</a> can be verified offline with <code>tabularium verify</code>, with the exports of its games beside it.</p></section>`,
    place,
  );
}

/**
 * What the viewer of the page can do.
 * @param {TournamentDetail} detail
 */
function acts({ summary, regulations, players, rounds }) {
  const me = account.me?.id;
  const over = summary.status === "closed" || summary.status === "cancelled";
  const said = html`<p role="status">${page.said}</p>${page.wrong ? html`<p class="problem" role="alert">${page.wrong}</p>` : nothing}`;
  if (over) return nothing;
  if (!me) return html`<p><a href="/account">Sign in</a> to enter.</p>`;
  const own = players.find((each) => each.player === me);
  const next = rounds.length + 1;
  const checked = own && (regulations.check_in === "each round" ? own.checked_in >= next : own.checked_in > 0);
  const canEnter = (!own || own.out) && summary.rounds < (regulations.late ?? 1);
  return html`<div class="acts">
    ${canEnter ? html`<button @click=${enter}>Enter</button>` : nothing}
    ${own && !own.out && !checked ? html`<button @click=${checkIn}>Check in</button>` : nothing}
    ${own && !own.out ? html`<button class="quiet" @click=${withdraw}>Withdraw</button>` : nothing}
  </div>${said}`;
}

/**
 * @param {TournamentDetail} detail
 * @param {(player: string) => string} name
 */
function penalties(detail, name) {
  if (!detail.penalties.length) return nothing;
  return html`<section aria-labelledby="penalties-title"><h2 id="penalties-title">Penalties</h2>
    <ul>${detail.penalties.map((each) => html`<li><span>${name(each.player)}</span> <span>${each.sort === "points" ? `${each.points} minus points` : each.sort}</span> <span class="quiet">${each.reason}</span></li>`)}</ul></section>`;
}

async function enter() {
  const said = "You have entered. Check in before the round is drawn.";
  await tried(() => api.post(`${path}/entries`, {}, { "Idempotency-Key": newKey() }), said);
}

async function checkIn() {
  await tried(() => api.post(`${path}/check-in`, {}, { "Idempotency-Key": newKey() }), "You have checked in.");
}

async function withdraw() {
  await tried(() => api.delete(`${path}/entries/me`, { "Idempotency-Key": newKey() }), "You have withdrawn.");
}

/**
 * Do something, and show what came of it.
 * @param {() => Promise<unknown>} request
 * @param {string} said
 */
async function tried(request, said) {
  page.said = page.wrong = "";
  try {
    await request();
    page.said = said;
  } catch (error) {
    page.wrong = problemOf(error).message;
  }
  await read();
}

/** Read what has changed. */
async function read() {
  const detail = await api.get(path);
  if (detail.summary.version !== page.detail?.summary.version) {
    const [standings, crosstable, ...rounds] = await Promise.all([
      api.get(`${path}/standings`),
      api.get(`${path}/crosstable`),
      ...detail.rounds.map((each) => api.get(`${path}/rounds/${each.number}`)),
    ]);
    Object.assign(page, { detail, standings, crosstable, rounds });
  }
  draw();
}

try {
  const [rulesets] = await Promise.all([api.get("/v1/rulesets", { limit: 100 }), account.read().catch(() => null)]);
  for (const each of rulesets.items) page.titles.set(each.id, each.title);
  await read();
  setInterval(() => read().catch(() => null), PATIENCE);
} catch (error) {
  render(
    html`<h1>No such tournament</h1><p class="problem" role="alert">${problemOf(error).message}</p><p><a href="/tournaments">To the tournaments</a></p>`,
    place,
  );
}
