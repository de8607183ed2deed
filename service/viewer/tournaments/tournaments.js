/**
 * The list of tournaments: first those open for entries, then those being played, then those that are over. Below the
 * list is a form that announces one.
 * @module
 */

/** @import { RulesetSummary, TournamentSummary } from "../types.js" */

import { html, nothing, render } from "../vendor/lit-html.js";
import { ago, clock, count } from "../parts/format.js";
import { moreButton } from "../parts/more.js";
import { Account } from "../state/account.js";
import { Api, problemOf } from "../state/api.js";
import { Pages } from "../state/pages.js";
import { takeToken } from "../state/token.js";
import { Announcing } from "./announcing.js";

const api = new Api();
takeToken(api);
const account = new Account(api);
const announcing = new Announcing(api, account, draw);
const place = /** @type {HTMLElement} */ (document.getElementById("tournaments"));
/** @typedef {TournamentSummary["status"]} Status */

/** @type {[Status, string][]} */
const GROUPS = [
  ["open", "Open for entries"],
  ["running", "Being played"],
  ["closed", "Over"],
];
/** The rulesets of the service, and their titles by id. @type {{rulesets: readonly RulesetSummary[], titles: Map<string, string>}} */
const page = { rulesets: [], titles: new Map() };
/** The tournaments of each status. @type {Map<Status, Pages<TournamentSummary>>} */
const tournaments = new Map(
  GROUPS.map(([status]) => [status, new Pages((cursor) => api.get("/v1/tournaments", { status, limit: 20, cursor }))]),
);

function draw() {
  const hasAny = GROUPS.some(([status]) => tournaments.get(status)?.items.length);
  render(
    html`<h1>Tournaments</h1>
      <p class="lead">Who meets whom is drawn from lots that nobody can choose, and a stranger can check every draw, result and standing.</p>
      ${GROUPS.map(([status, title]) => group(status, title))}
      ${hasAny ? nothing : html`<p>There are none yet.</p>`}
      <section aria-labelledby="announce-title"><h2 id="announce-title">Announce a tournament</h2>
        ${announcing.form(page.rulesets)}
        <p class="quiet">With regulations of your own: <a href="/docs/guides/tournaments">a club evening by the API</a>.</p></section>`,
    place,
  );
}

/**
 * @param {Status} status
 * @param {string} title
 */
function group(status, title) {
  const pages = tournaments.get(status);
  if (!pages?.items.length) return nothing;
  return html`<section aria-labelledby=${status}><h2 id=${status}>${title}</h2>
    <ul>${pages.items.map(
      (each) => html`<li><a href="/tournaments/${each.tournament}">${each.title || "A tournament"}</a>
      <span>${page.titles.get(each.ruleset) ?? each.ruleset}</span>
      <span class="quiet">${count(each.entrants, "player")}; <time datetime=${each.changed} title=${clock(each.changed)}>${ago(each.changed)}</time></span></li>`,
    )}</ul>
    ${moreButton(pages, draw)}</section>`;
}

try {
  const [rulesets] = await Promise.all([
    api.get("/v1/rulesets", { limit: 100 }),
    account.read().catch(() => null),
    ...Array.from(tournaments.values(), (each) => each.more()),
  ]);
  Object.assign(page, {
    rulesets: rulesets.items,
    titles: new Map(rulesets.items.map((each) => [each.id, each.title])),
  });
  account.addEventListener("change", draw);
  draw();
} catch (error) {
  render(html`<h1>Tournaments</h1><p class="problem" role="alert">${problemOf(error).message}</p>`, place);
}
