/**
 * The page of a tournament: its announcements, standings, rounds, crosstable, penalties and regulations, and what the
 * viewer can do.
 * @module
 */

/**
 * @import { Submitted, TournamentDetail } from "../types.js"
 * @import { Director } from "./director.js"
 * @import { Read } from "./followed.js"
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { accountForms } from "../parts/account-forms.js";
import { entropy } from "../parts/entropy.js";
import { ago, clock, count } from "../parts/format.js";
import { textIn } from "../parts/given.js";
import { Account } from "../state/account.js";
import { Api, newKey, problemOf } from "../state/api.js";
import { takeToken } from "../state/token.js";
import { renewBoards } from "./boards.js";
import { Followed } from "./followed.js";
import { sentences } from "./regulations.js";
import { roundOf } from "./rounds.js";
import { crosstableOf, standingsTable } from "./standings.js";

/** @type {Record<string, string>} */
const STATUSES = { open: "Open for entries", running: "Being played", closed: "Over", cancelled: "Cancelled" };

const api = new Api();
takeToken(api);
const account = new Account(api);
const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const place = /** @type {HTMLElement} */ (document.getElementById("tournament"));
const tournament = new Followed(api, account, id, draw);

/** The titles of rulesets by id, and the directors' part of the page, whose code only directors fetch. @type {{titles: Map<string, string>, director: Director | null}} */
const page = { titles: new Map(), director: null };

function draw() {
  if (!tournament.isRead()) return;
  if (tournament.isDirector && !page.director) fetchDirector();
  const director = tournament.isDirector ? page.director : null;
  const { detail, standings, crosstable, rounds } = tournament;
  const { summary, regulations } = detail;
  const name = (/** @type {string} */ player) => tournament.name(player);
  const published = rounds.filter((each) => each.status === "published").map((each) => each.number);
  const ruleset = page.titles.get(summary.ruleset) ?? summary.ruleset;
  document.title = `${summary.title || "A tournament"} · Tabularium`;
  render(
    html`<h1>${summary.title || "A tournament"}</h1>
      <p class="lead">${ruleset}. <span class="status ${summary.status}">${STATUSES[summary.status]}</span></p>
      <p class="quiet">${count(summary.entrants, "player")}, ${published.length} of ${count(tournament.most, "round")} published.
        Announced <time datetime=${summary.created} title=${clock(summary.created)}>${ago(summary.created)}</time>.
        ${tournament.isOver ? nothing : html`<span class="stream ${tournament.isLive ? "live" : "lost"}"><span class="dot" aria-hidden="true"></span>${tournament.isLive ? "Live" : "Connecting again …"}</span>`}</p>
      ${regulations.league ? html`<p>It counts in <a href="/leagues/${regulations.league.league}?season=${regulations.league.season}">season ${regulations.league.season} of a league</a>, in division ${regulations.league.division}, once that league has added it.</p>` : nothing}
      ${detail.announcements.map((each) => html`<p class="announcement"><time datetime=${each.at} title=${clock(each.at)}>${ago(each.at)}</time> ${each.text}</p>`)}
      ${acts(tournament)}
      ${director ? director.panel(tournament) : nothing}
      <section aria-labelledby="standings-title"><h2 id="standings-title">${summary.status === "closed" ? "Final standings" : "Standings"}</h2>${standingsTable(standings, name)}</section>
      ${[...rounds].reverse().map((each) => roundOf(each, name, (table) => (director ? director.tools(tournament, each, table) : nothing)))}
      ${crosstableOf(crosstable, published, name)}
      ${penalties(detail, name)}
      <section aria-labelledby="regulations-title"><h2 id="regulations-title">Regulations</h2>
        <ul class="sentences">${sentences(regulations, ruleset).map((each) => html`<li>${each}</li>`)}</ul></section>
      <section aria-labelledby="proof-title"><h2 id="proof-title">Check it yourself</h2>
        <p>The lots come from secrets to which <code>${detail.commitment}</code> was the commitment. <a href="${tournament.path}/export" download>The whole log</a> can be verified offline with <code>tabularium verify</code>, with the exports of its games beside it.</p></section>`,
    place,
  );
}

/** Fetch the directors' part of the page, and draw it. */
async function fetchDirector() {
  const { Director } = await import("./director.js");
  page.director ??= new Director();
  draw();
}

/**
 * What the viewer of the page can do as a player.
 * @param {Read} tournament
 */
function acts(tournament) {
  const { about, detail, done, isOver, me, problem, path } = tournament;
  const { summary, regulations, players, rounds } = detail;
  if (isOver) return nothing;
  const own = players.find((each) => each.player === me);
  const next = rounds.length + 1;
  const mayEnter = summary.rounds < (regulations.late ?? 1);
  const checked = own && (regulations.check_in === "each round" ? own.checked_in >= next : own.checked_in > 0);
  /** @param {Record<string, string>} headers @param {string} club */
  const enter = (headers, club) => api.post(`${path}/entries`, { club: club || null }, headers);
  /** @param {Record<string, string>} headers */
  const checkIn = (headers) => api.post(`${path}/check-in`, { entropy: entropy() }, headers);
  /** @param {string} club */
  const both = (club) =>
    tournament.act("", "You have entered and checked in.", (headers) =>
      enter(headers, club).then(() => checkIn({ "Idempotency-Key": newKey() })),
    );
  /** @param {string} message @param {(headers: Record<string, string>) => Promise<unknown>} request */
  const doing = (message, request) => () => tournament.act("", message, request);
  const outcome = html`<p role="status" id="did-" tabindex="-1">${about ? nothing : done}</p>
    ${problem && !about ? html`<p class="problem" role="alert">${problem.message} ${problem.problem.allowed ?? nothing}</p>` : nothing}`;
  if (!me) return mayEnter ? html`${guest(both)}${outcome}` : nothing;
  return html`<div class="acts">
    ${
      (!own || own.out) && mayEnter
        ? html`${clubField}<button class="strong" @click=${() => both(clubGiven())}>Enter and check in</button>
          <button @click=${doing("You have entered. Check in before the round is drawn.", (headers) => enter(headers, clubGiven()))}>Enter</button>`
        : nothing
    }
    ${own && !own.out && !checked ? html`<button class="strong" @click=${doing("You have checked in.", checkIn)}>Check in</button>` : nothing}
    ${own && !own.out ? html`<button class="quiet" @click=${doing("You have withdrawn.", (headers) => api.delete(`${path}/entries/me`, headers))}>Withdraw</button>` : nothing}
  </div>${outcome}`;
}

/** Return what is typed into the field for a club. */
function clubGiven() {
  return /** @type {HTMLInputElement | null} */ (document.getElementById("club"))?.value.trim() ?? "";
}

/** The field for a club: a draw costs more if players of one club meet. */
const clubField = html`<span class="field"><label for="club">Your club</label> <input id="club" name="club" autocomplete="organization" maxlength="60" placeholder="optional" /></span>`;

/**
 * The form for somebody who is not signed in: it opens an account, and enters.
 * @param {(club: string) => Promise<unknown>} enter
 */
function guest(enter) {
  /** @param {Submitted} event */
  const submit = async (event) => {
    event.preventDefault();
    // Read the form now: once there is an account, the page replaces it.
    const given = new FormData(event.target);
    if (await account.open(textIn(given, "name"))) await enter(textIn(given, "club"));
  };
  return html`<form @submit=${submit}>
      <label for="guest">Your name</label>
      <div class="line"><input id="guest" name="name" autocomplete="nickname" maxlength="80" placeholder="optional" />
        ${clubField}
        <button class="strong" ?disabled=${account.isUnknown}>Enter and check in</button></div>
      <p class="hint">This browser keeps your account. You can make it lasting at any time.</p>
    </form>
    <details><summary>I have an account</summary>${accountForms(account)}</details>`;
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

try {
  const [rulesets] = await Promise.all([api.get("/v1/rulesets", { limit: 100 }), account.read().catch(() => null)]);
  for (const each of rulesets.items) page.titles.set(each.id, each.title);
  await tournament.read();
  tournament.follow();
  renewBoards(place);
  account.addEventListener("entered", () => tournament.read().catch(() => null));
  account.addEventListener("change", draw);
} catch (error) {
  render(
    html`<h1>No such tournament</h1><p class="problem" role="alert">${problemOf(error).message}</p><p><a href="/tournaments">To the tournaments</a></p>`,
    place,
  );
}
