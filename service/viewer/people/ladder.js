/**
 * The page with the ratings of a ruleset, of players or of bots, the best first.
 * @module
 */

/** @import { RatedPlayer } from "../types.js" */

import { html, nothing, render } from "../vendor/lit-html.js";
import { moreButton } from "../parts/more.js";
import { Api, problemOf } from "../state/api.js";
import { Pages } from "../state/pages.js";
import { figure } from "./ratings.js";

const api = new Api();
const place = /** @type {HTMLElement} */ (document.getElementById("people"));
const asked = new URLSearchParams(location.search);
const bots = asked.get("bots") === "true" ? "true" : "false";

/**
 * @param {string} ruleset
 * @param {readonly {id: string, title: string}[]} rulesets
 * @param {Pages<RatedPlayer>} ranked
 */
function draw(ruleset, rulesets, ranked) {
  /** @param {string} id @param {string} isBots */
  const address = (id, isBots) => `/ratings?ruleset=${encodeURIComponent(id)}${isBots === "true" ? "&bots=true" : ""}`;
  render(
    html`<h1>Ratings</h1>
      <nav aria-label="Rulesets"><ul>${rulesets.map(({ id, title }) => html`<li><a href=${address(id, bots)} aria-current=${id === ruleset ? "page" : nothing}>${title}</a></li>`)}</ul></nav>
      <p>${bots === "true" ? html`Bots among themselves. <a href=${address(ruleset, "false")}>Players</a>` : html`Players among themselves. <a href=${address(ruleset, "true")}>Bots</a>`}</p>
      ${ranked.items.length ? table(ranked.items) : html`<p>No game has counted yet. <a href="/rules#text=TAB-RAT">The rules</a> say which games do.</p>`}
      ${moreButton(ranked, () => draw(ruleset, rulesets, ranked))}`,
    place,
  );
}

/** @param {readonly RatedPlayer[]} ranked */
function table(ranked) {
  return html`<table aria-label="Ratings"><thead><tr><th scope="col" class="number">Rank</th><th scope="col">Player</th><th scope="col" class="number">Rating</th><th scope="col" class="number">Games</th></tr></thead>
    <tbody>${ranked.map(
      ({
        rank,
        player,
        name,
        rating,
      }) => html`<tr><td class="number">${rank}</td><th scope="row"><a href="/players/${player}">${name}</a></th>
      <td class="number">${figure(rating)}</td><td class="number">${rating.games}${rating.provisional ? html` <span class="quiet">provisional</span>` : nothing}</td></tr>`,
    )}</tbody></table>`;
}

try {
  const { items } = await api.get("/v1/rulesets", { limit: 100 });
  const ruleset = asked.get("ruleset") ?? items[0].id;
  const ranked = new Pages((cursor) => api.get("/v1/ratings", { ruleset, bots, limit: 50, cursor }));
  await ranked.more();
  draw(ruleset, items, ranked);
} catch (error) {
  render(html`<h1>Ratings</h1><p class="problem" role="alert">${problemOf(error).message}</p>`, place);
}
