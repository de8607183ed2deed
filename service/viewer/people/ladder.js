/**
 * The page with the ratings in a ruleset: who plays how strongly, players and bots apart.
 * @module
 */

/** @import { RatedPlayer } from "../types.js" */

import { html, nothing, render } from "../vendor/lit-html.js";
import { Api, problemOf } from "../state/api.js";
import { figure } from "./ratings.js";

const api = new Api();
const place = /** @type {HTMLElement} */ (document.getElementById("people"));
const asked = new URLSearchParams(location.search);
const bots = asked.get("bots") === "true" ? "true" : "false";
/** @type {{items: RatedPlayer[], next: string | null}} */
let found = { items: [], next: null };

/**
 * @param {string} ruleset
 * @param {readonly {id: string, title: string}[]} rulesets
 */
function draw(ruleset, rulesets) {
  /** @param {string} id @param {string} of */
  const address = (id, of) => `/ratings?ruleset=${encodeURIComponent(id)}${of === "true" ? "&bots=true" : ""}`;
  render(
    html`<h1>Ratings</h1>
      <nav aria-label="Rulesets"><ul>${rulesets.map(({ id, title }) => html`<li><a href=${address(id, bots)} aria-current=${id === ruleset ? "page" : nothing}>${title}</a></li>`)}</ul></nav>
      <p>${bots === "true" ? html`Bots among themselves. <a href=${address(ruleset, "false")}>Players</a>` : html`Players among themselves. <a href=${address(ruleset, "true")}>Bots</a>`}</p>
      ${found.items.length ? table() : html`<p>No game has counted yet. <a href="/rules?q=TAB-RAT">The rules</a> say which games do.</p>`}
      ${found.next ? html`<button @click=${() => more(ruleset).then(() => draw(ruleset, rulesets))}>Show more</button>` : nothing}`,
    place,
  );
}

function table() {
  return html`<table aria-label="Ratings"><thead><tr><th scope="col" class="number">Rank</th><th scope="col">Player</th><th scope="col" class="number">Rating</th><th scope="col" class="number">Games</th></tr></thead>
    <tbody>${found.items.map(
      ({
        rank,
        player,
        name,
        rating,
      }) => html`<tr><td class="number">${rank}</td><th scope="row"><a href="/players/${player}">${name}</a></th>
      <td class="number">${figure(rating)}</td><td class="number">${rating.games}${rating.provisional ? html` <span class="quiet">provisional</span>` : nothing}</td></tr>`,
    )}</tbody></table>`;
}

/** @param {string} ruleset */
async function more(ruleset) {
  const page = await api.get("/v1/ratings", { ruleset, bots, limit: 50, cursor: found.next ?? undefined });
  found = { items: [...found.items, ...page.items], next: page.next };
}

try {
  const { items } = await api.get("/v1/rulesets", { limit: 100 });
  const ruleset = asked.get("ruleset") ?? items[0].id;
  await more(ruleset);
  draw(ruleset, items);
} catch (error) {
  render(html`<h1>Ratings</h1><p class="problem" role="alert">${problemOf(error).message}</p>`, place);
}
