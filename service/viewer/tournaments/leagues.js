/**
 * The list of leagues, the newest first; with `?organizer=…` those of one player.
 * @module
 */

/** @import { LeagueSummary } from "../types.js" */

import { html, nothing, render } from "../vendor/lit-html.js";
import { ago, clock, count } from "../parts/format.js";
import { Api, problemOf } from "../state/api.js";

const api = new Api();
const organizer = new URLSearchParams(location.search).get("organizer");
const place = /** @type {HTMLElement} */ (document.getElementById("leagues"));
/** What was read. @type {{items: LeagueSummary[], next: string | null}} */
const found = { items: [], next: null };

function draw() {
  render(
    html`<h1>Leagues</h1>
      <p class="lead">A league is a series of tournaments that share a table. Anybody can compute every table again from its log.</p>
      ${found.items.length ? nothing : html`<p>There are none yet.</p>`}
      <ul>${found.items.map(
        (each) => html`<li><a href="/leagues/${each.league}">${each.title || "A league"}</a>
        <span>${each.status === "running" ? `Season ${each.seasons} runs` : "Between seasons"}</span>
        <span class="quiet">${count(each.divisions, "division")}; <time datetime=${each.changed} title=${clock(each.changed)}>${ago(each.changed)}</time></span></li>`,
      )}</ul>
      ${found.next ? html`<button @click=${() => more().then(draw)}>Show more</button>` : nothing}
      <p class="quiet">Found one: <a href="/docs/guides/tournaments">a season by the API</a>.</p>`,
    place,
  );
}

async function more() {
  const page = await api.get("/v1/leagues", { organizer, limit: 20, cursor: found.next });
  Object.assign(found, { items: [...found.items, ...page.items], next: page.next });
}

try {
  await more();
  draw();
} catch (error) {
  render(html`<h1>Leagues</h1><p class="problem" role="alert">${problemOf(error).message}</p>`, place);
}
