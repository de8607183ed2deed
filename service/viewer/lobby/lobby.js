/**
 * The lobby: two ways to play at once, the games that wait for you, your inbox, your games, games to watch, and a list
 * of games.
 * @module
 */

/**
 * @import { At, Game, GameSummary, RulesetSummary } from "../types.js"
 * @import { Shown } from "./games.js"
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { live } from "../vendor/directives/live.js";
import { accountForms } from "../parts/account-forms.js";
import { ago, clock, count, gameTitle, named } from "../parts/format.js";
import { lookAlike } from "../parts/look-alike.js";
import { endedAs } from "../parts/order.js";
import { aheadOf, short, timeOf } from "../parts/clocks.js";
import { iconOf, inOrder, leftOf, pageOf, sentence, titled, waiting } from "../parts/notifications.js";
import { showIcon } from "../parts/icon.js";
import { Account } from "../state/account.js";
import { Api } from "../state/api.js";
import { Inbox } from "../state/inbox.js";
import { takeToken } from "../state/token.js";
import { Games } from "./games.js";
import { ways } from "./play.js";

/** @type {Record<string, string>} */
const STATUSES = {
  gathering: "Waiting for players",
  running: "In progress",
  over: "Game over",
  cancelled: "Cancelled",
};
/** @type {Record<string, string>} */
const PACES = { none: "none", live: "live", fast: "fast", slow: "slow", own: "another" };
const PATIENCE = 250; // Milliseconds from the last typed letter to the search.

const api = new Api();
takeToken(api);
const games = new Games(api);
const account = new Account(api);
const inbox = new Inbox(api);
/** @param {string} id */
const place = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** The rulesets of the service, and the timer of the search. @type {{rulesets: RulesetSummary[], typing: number}} */
const page = { rulesets: [], typing: 0 };

function draw() {
  render(ways(api, account, page.rulesets, draw), place("ways"));
  if (!games.isRead && !games.problem) return;
  place("games").querySelector(":scope > .coming")?.remove();
  render(games.pictured.map(table), place("stage"));
  render(
    html`${games.problem ? html`<p class="problem" role="alert">${games.problem.message}</p>` : nothing}
      <h2 id="games-title">Games</h2>${search()} ${list()}`,
    place("games"),
  );
  render(mine(), place("mine"));
  const waits = waiting(inbox.state, inbox.unread);
  document.title = titled("Tabularium", waits);
  showIcon(iconOf(waits));
  render(
    account.me
      ? html`<a href="#inbox">Inbox${waits ? html` <span class="badge">${waits}</span>` : nothing}</a>`
      : nothing,
    place("inbox-link"),
  );
  render(
    html`<section aria-labelledby="account-title"><h2 id="account-title">${account.me ? "Your account" : "Sign in"}</h2>
      ${accountForms(account)}
      ${account.me ? html`<button @click=${() => account.use("")}>Look as a spectator</button>` : nothing}
    </section>`,
    place("account"),
  );
}

/** The reader's games, those that wait for them first, their inbox, and disputes. */
function mine() {
  const { own } = games;
  const turns = inOrder(games.waiting, inbox.state?.turns ?? []);
  const rest = own.filter((game) => !turns.some(({ id }) => id === game.id));
  /**
   * @param {string} title
   * @param {Shown[]} some
   */
  const section = (title, some) =>
    some.length
      ? html`<section aria-label=${title}><h2>${title}</h2><ol class="games">${some.map((game) => line(game, picture(game)))}</ol></section>`
      : nothing;
  return [section("Your turn", turns), inboxSection(), disputes(), section("Your games", rest)];
}

/** The notifications that the reader has not read. */
function inboxSection() {
  if (!account.me) return nothing;
  const { unread, state } = inbox;
  const older = (state?.unread ?? 0) - unread.length;
  return html`<section id="inbox" aria-labelledby="inbox-title" tabindex="-1"><h2 id="inbox-title">Inbox</h2>
    ${(state?.webhooks_off ?? []).map((each) => html`<p class="notice">Your webhook ${each} was switched off because it failed for five days or answered 410.</p>`)}
    ${state?.apps_reused.length ? html`<p class="notice">A key of an app that you let in was used twice, so somebody may have copied it. <a href="/account">Look at your apps</a></p>` : nothing}
    ${
      unread.length
        ? html`<ul class="inbox">${unread.map(
            (each) => html`<li>
        <a href=${pageOf(each)} @click=${() => void inbox.readOne(each).catch(() => {})}>${each.game ? gameTitle({ id: each.game, title: each.title }) : each.title || "A tournament"}</a>:
        ${sentence(each)} <time class="quiet" datetime=${each.at} title=${clock(each.at)}>${ago(each.at)}</time></li>`,
          )}</ul>
      ${older > 0 ? html`<p class="quiet">And ${count(older, "older notification")}.</p>` : nothing}
      <button @click=${() => inbox.readAll()}>Mark all as read</button>`
        : html`<p class="quiet">You have read everything.</p>`
    }</section>`;
}

/** The time that the reader's clock has left in a game that waits for them. @param {Shown} game */
function timeLeft(game) {
  const turn = inbox.state?.turns.find((each) => each.game === game.id);
  const left = leftOf(turn, Date.now() + aheadOf(game.now ? { now: game.now } : null));
  return left === null ? nothing : html`<p class="left">${short(left)} left</p>`;
}

/** The disputes that wait for a ruling in games that the reader plays or judges. */
function disputes() {
  if (!games.cases.length) return nothing;
  return html`<section aria-label="Disputes"><h2>Disputes</h2><ul>${games.cases.map(
    ({ game, number, about, changed }) => html`<li>
    <a href="/games/${game}/desk#v=${about}">Case ${number} of ${gameTitle(games.own.find(({ id }) => id === game) ?? { id: game })}</a>
    waits for a ruling. <span class="quiet">Last changed ${ago(changed)}.</span></li>`,
  )}</ul></section>`;
}

/** @param {Shown} game */
function rulesetOf(game) {
  return page.rulesets.find((ruleset) => ruleset.id === game.ruleset)?.title ?? game.ruleset;
}

/** A game with a large picture. @param {Shown} game */
function table(game) {
  const isNow = game.status === "running";
  return html`<article class="table">
    <a href="/games/${game.id}">
      <img src="/v1/games/${game.id}/board.svg?version=${game.version}" alt="" width="1600" height="1250" loading="lazy" />
      <strong>${gameTitle(game)}</strong>
    </a>
    <p class="stream ${isNow ? "live" : ""}"><span class="dot" aria-hidden="true"></span>${isNow ? `In progress. ${game.heading || "It begins"}` : ending(game)}</p>
    <p class="quiet">${rulesetOf(game)}; ${count(game.version, "event")}, the last ${ago(game.changed)}.</p>
  </article>`;
}

/** @param {Shown} shown */
function ending({ result, continued_in: next }) {
  if (next) return html`By a ruling it goes on in <a href="/games/${next}">another game</a>`;
  return endedAs(result, named).replace(/\.$/, "");
}

function search() {
  /** @param {At<HTMLInputElement>} event */
  const typed = (event) => {
    clearTimeout(page.typing);
    const text = event.target.value.trim();
    page.typing = setTimeout(() => games.seek({ text }), PATIENCE);
  };
  return html`<form class="search" role="search" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
    <label>Search <input type="search" .value=${live(games.query.text)} @input=${typed} placeholder="words of a title, a game's id" maxlength="80" /></label>
    <label>Status <select @change=${(/** @type {At<HTMLSelectElement>} */ event) => games.seek({ status: event.target.value })}>
      <option value="">any</option>
      ${Object.entries(STATUSES).map(([status, words]) => html`<option value=${status}>${words}</option>`)}
    </select></label>
    <label>Rules <select @change=${(/** @type {At<HTMLSelectElement>} */ event) => games.seek({ ruleset: event.target.value })}>
      <option value="">any</option>
      ${page.rulesets.map((ruleset) => html`<option value=${ruleset.id}>${ruleset.title}</option>`)}
    </select></label>
    <label>Clock <select @change=${(/** @type {At<HTMLSelectElement>} */ event) => games.seek({ clock: event.target.value })}>
      <option value="">any</option>
      ${Object.entries(PACES).map(([pace, words]) => html`<option value=${pace}>${words}</option>`)}
    </select></label>
  </form>`;
}

function list() {
  if (!games.isRead) return nothing;
  const { text, status, ruleset, clock: pace } = games.query;
  // The reader's games stand above. The list repeats them only in a search.
  /** @param {GameSummary} game */
  const isAbove = ({ id }) =>
    !text && !status && !ruleset && !pace && [...games.waiting, ...games.own].some((game) => game.id === id);
  const items = games.items.filter((game) => !isAbove(game));
  const found = items.length;
  return html`<p class="hidden" role="status">${games.next ? `More than ${count(found, "game")}` : count(found, "game")}</p>
    ${found || games.items.length ? nothing : html`<p>${text || status || ruleset || pace ? "No game matches." : "There is no game yet. Begin the first one!"}</p>`}
    <ol class="games">
      ${items.map((game) => line(game))}
    </ol>
    ${games.next ? html`<button @click=${() => games.more()}>Show more</button>` : nothing}`;
}

/** The decision that waits for the reader in a game, with their seat. @param {Shown} shown */
function questionOf({ you, decisions = [] }) {
  const question = you && decisions.find(({ seats }) => seats.includes(you));
  return question ? html`<p><strong>${named(you)}</strong>: ${question.title}</p>` : nothing;
}

/** The small picture of a game's board; nothing before the game begins. @param {GameSummary} game */
function picture({ id, version, status }) {
  if (status === "gathering") return nothing;
  return html`<a class="picture" href="/games/${id}" tabindex="-1" aria-hidden="true"><img src="/v1/games/${id}/board.png?width=320&version=${version}" alt="" width="160" height="125" loading="lazy" /></a>`;
}

/** @param {Shown} game */
function line(game, beside = /** @type {unknown} */ (nothing)) {
  const seats = game.seats.map(
    ({ seat, name, looks_alike }, index) =>
      html`${index ? ", " : ""}${named(seat)} (${name ?? "free"}${looks_alike ? html` ${lookAlike}` : nothing})`,
  );
  return html`<li>
    ${beside}
    <a href="/games/${game.id}">${gameTitle(game)}</a>
    <span class="status ${game.status}">${STATUSES[game.status]}</span>
    ${questionOf(game)} ${timeLeft(game)}
    <p class="quiet">${rulesetOf(game)}: ${seats}</p>
    ${game.clock ? html`<p class="quiet">Clock: ${timeOf(game.clock)}</p>` : nothing}
    <p class="quiet">${count(game.version, "event")}; <time datetime=${game.changed} title=${clock(game.changed)}>${ago(game.changed)}</time></p>
  </li>`;
}

games.addEventListener("change", draw);
account.addEventListener("change", () => {
  draw();
  games.belongTo(account.me);
  inbox.belongTo(account.me);
});
inbox.addEventListener("change", draw);
account.read();
const [found] = await Promise.all([api.get("/v1/rulesets", { limit: 100 }).catch(() => ({ items: [] })), games.read()]);
page.rulesets = found.items;
draw();
