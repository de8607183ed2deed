/**
 * The list of leagues, the newest first; with `?organizer=…` only those of one player.
 * @module
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { ago, clock, count } from "../parts/format.js";
import { moreButton } from "../parts/more.js";
import { Api, problemOf } from "../state/api.js";
import { Pages } from "../state/pages.js";

const api = new Api();
const organizer = new URLSearchParams(location.search).get("organizer");
const place = /** @type {HTMLElement} */ (document.getElementById("leagues"));
const leagues = new Pages((cursor) => api.get("/v1/leagues", { organizer, limit: 20, cursor }));

function draw() {
  render(
    html`<h1>Leagues</h1>
      <p class="lead">A league is a series of tournaments that share a table. Anybody can compute every table again from its log.</p>
      ${leagues.items.length ? nothing : html`<p>There are none yet.</p>`}
      <ul>${leagues.items.map(
        (each) => html`<li><a href="/leagues/${each.league}">${each.title || "A league"}</a>
        <span>${each.status === "running" ? `Season ${each.seasons} runs` : "Between seasons"}</span>
        <span class="quiet">${count(each.divisions, "division")}; <time datetime=${each.changed} title=${clock(each.changed)}>${ago(each.changed)}</time></span></li>`,
      )}</ul>
      ${moreButton(leagues, draw)}
      <p class="quiet">To found a league, see <a href="/docs/guides/tournaments">a season by the API</a>.</p>`,
    place,
  );
}

try {
  await leagues.more();
  draw();
} catch (error) {
  render(html`<h1>Leagues</h1><p class="problem" role="alert">${problemOf(error).message}</p>`, place);
}
