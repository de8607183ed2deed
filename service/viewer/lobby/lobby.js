/**
 * The lobby: the games that are played now, all others, and how to begin one.
 * @module
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { live } from "../vendor/directives/live.js";
import { accountForms } from "../parts/account-forms.js";
import { ago, clock, count, named } from "../parts/format.js";
import { Account } from "../state/account.js";
import { Api } from "../state/api.js";
import { takeToken } from "../state/token.js";
import { Games } from "./games.js";
import { newGame } from "./new-game.js";

const STATUSES = { gathering: "Waiting for players", running: "In progress", over: "Game over", cancelled: "Cancelled" };
const PATIENCE = 250; // Milliseconds after the last letter before it is searched.

const api = new Api();
takeToken(api);
const games = new Games(api);
const account = new Account(api);
const place = (id) => document.getElementById(id);
let rulesets = [];
let typing = 0;

function draw() {
  if (!games.isRead && !games.problem) return;
  place("games").querySelector(":scope > .coming")?.remove();
  render(games.shown.map(table), place("stage"));
  render(
    html`${games.problem ? html`<p class="problem" role="alert">${games.problem.message}</p>` : nothing}
      <h2 id="games-title">Games</h2>${search()} ${list()}`,
    place("games"),
  );
  render(
    html`<section aria-labelledby="begin-title"><h2 id="begin-title">Begin a game</h2>
        ${account.me ? newGame(api, rulesets, draw) : html`<p>To play you need an account: a name, and a token that proves it is you.</p>`}
        ${accountForms(account)}
        ${account.me ? html`<button @click=${() => account.use("")}>Look as a spectator</button>` : nothing}
      </section>
      ${watch()}`,
    place("begin"),
  );
}

function titleOf(game) {
  return game.title || `Game ${game.id}`;
}

function rulesetOf(game) {
  return rulesets.find((ruleset) => ruleset.id === game.ruleset)?.title ?? game.ruleset;
}

/** A game with its picture. */
function table(game) {
  const isNow = game.status === "running";
  return html`<article class="table">
    <a href="/games/${game.id}">
      <img src="/v1/games/${game.id}/board.svg?version=${game.version}" alt="" width="1600" height="1250" loading="lazy" />
      <strong>${titleOf(game)}</strong>
    </a>
    <p class="stream ${isNow ? "live" : ""}"><span class="dot" aria-hidden="true"></span>${isNow ? `In progress. ${game.heading || "It begins"}` : ending(game)}</p>
    <p class="quiet">${rulesetOf(game)}; ${count(game.version, "event")}, the last ${ago(game.changed)}.</p>
  </article>`;
}

function ending({ result }) {
  return result?.winners.length ? `Won by ${result.winners.map(named).join(" and ")}` : "Nobody won";
}

function search() {
  const typed = (event) => {
    clearTimeout(typing);
    const text = event.target.value.trim();
    typing = setTimeout(() => games.seek({ text }), PATIENCE);
  };
  return html`<form class="search" role="search" @submit=${(event) => event.preventDefault()}>
    <label>Search <input type="search" .value=${live(games.query.text)} @input=${typed} placeholder="words of a title, a game's id" maxlength="80" /></label>
    <label>Status <select @change=${(event) => games.seek({ status: event.target.value })}>
      <option value="">any</option>
      ${Object.entries(STATUSES).map(([status, words]) => html`<option value=${status}>${words}</option>`)}
    </select></label>
    <label>Rules <select @change=${(event) => games.seek({ ruleset: event.target.value })}>
      <option value="">any</option>
      ${rulesets.map((ruleset) => html`<option value=${ruleset.id}>${ruleset.title}</option>`)}
    </select></label>
  </form>`;
}

function list() {
  if (!games.isRead) return nothing;
  const { text, status, ruleset } = games.query;
  const found = games.items.length;
  return html`<p class="hidden" role="status">${games.next ? `More than ${found}` : found} games</p>
    ${found ? nothing : html`<p>${text || status || ruleset ? "No game matches." : "There is no game yet. Begin the first one!"}</p>`}
    <ol class="games">
      ${games.items.map((game) => html`<li>
        <a href="/games/${game.id}">${titleOf(game)}</a>
        <span class="status ${game.status}">${STATUSES[game.status]}</span>
        <p class="quiet">${rulesetOf(game)}: ${game.seats.map((place) => (place.name ? `${named(place.seat)} (${place.name})` : `${named(place.seat)} (free)`)).join(", ")}</p>
        <p class="quiet">${count(game.version, "event")}; <time datetime=${game.changed} title=${clock(game.changed)}>${ago(game.changed)}</time></p>
      </li>`)}
    </ol>
    ${games.next ? html`<button @click=${() => games.more()}>Show more</button>` : nothing}`;
}

function watch() {
  return html`<section aria-labelledby="watch-title"><h2 id="watch-title">Or watch bots play one</h2>
    <p>In the directory of the service:</p>
    <pre tabindex="0">.venv/bin/tabularium play --url ${location.origin}</pre>
    <p>It appears above as soon as it begins. Programs play through <a href="/docs">the API</a>, as this page does.</p>
  </section>`;
}

games.addEventListener("change", draw);
account.addEventListener("change", draw);
account.read();
const [page] = await Promise.all([api.get("/v1/rulesets", { limit: 100 }).catch(() => ({ items: [] })), games.read()]);
rulesets = page.items;
draw();
