/**
 * The page of all rules, which are browsed and searched by game, chapter, words and id.
 * @module
 */

/**
 * @import { Problem } from "../state/api.js"
 * @import { At, RuleAtWork, RuleView, RulesetSummary, ScenarioView } from "../types.js"
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { live } from "../vendor/directives/live.js";
import { ago, capital, clock, count, gameTitle, plain } from "../parts/format.js";
import { Api, problemOf } from "../state/api.js";

const api = new Api();
const place = /** @type {HTMLElement} */ (document.getElementById("rules"));
place.replaceChildren(); // The text that the page shows until its scripts have loaded.
const PATIENCE = 150; // Milliseconds from the last typed letter to the search.
const PAGE = 100;

/**
 * What the page searches for, where an empty text matches everything. `rule` is the id of a rule to show, from a link.
 * @typedef {{game: string, chapter: string, text: string, rule: string}} Wish
 *
 * An item of a list under a rule.
 * @typedef {RuleAtWork | ScenarioView} Item
 *
 * The address of such a list.
 * @typedef {`/v1/rulesets/${string}/rules/${string}/games` | `/v1/rulesets/${string}/rules/${string}/scenarios`} Address
 */

/** The state of the page. */
const state = {
  rulesets: /** @type {RulesetSummary[]} */ ([]),
  rules: /** @type {RuleView[]} */ ([]),
  /** How many commands each rule has refused. @type {Map<string, number>} */
  refusals: new Map(),
  isRead: false,
  problem: /** @type {Problem | null} */ (null),
  /** By address: the items of a list, or the message why it could not be read. @type {Map<string, Item[] | string>} */
  lists: new Map(),
  /** The addresses of the lists that are unfolded. @type {Set<string>} */
  open: new Set(),
  /** The rules of other games, by ruleset; an empty list while they are read. @type {Map<string, RuleView[]>} */
  elsewhere: new Map(),
  wish: read(),
  /** The timer of the search. */
  typing: 0,
};

/** Return the search that the address of the page describes. */
function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  /** @param {string} name */
  const text = (name) => given.get(name) ?? "";
  return { game: text("game"), chapter: text("chapter"), text: text("text"), rule: text("rule") };
}

/** Change the search, and write it into the address. @param {Partial<Wish>} changes */
function seek(changes) {
  const before = state.wish.game;
  state.wish = { ...state.wish, rule: "", ...changes };
  const address = new URLSearchParams(Object.entries(state.wish).filter(([, value]) => value));
  history.replaceState(null, "", `#${address}`);
  if (state.wish.game === before) draw();
  else load();
}

async function load() {
  Object.assign(state, { rules: [], refusals: new Map(), isRead: false, problem: null });
  draw();
  const id = ruleset().id;
  try {
    const [rules, tallies] = await Promise.all([rulesOf(id), refusalsOf(id).catch(() => [])]);
    if (id !== ruleset().id) return;
    Object.assign(state, {
      rules,
      refusals: new Map(tallies.map(({ rule, refusals }) => [rule, refusals])),
      isRead: true,
    });
  } catch (error) {
    state.problem = problemOf(error);
  }
  draw();
  document.getElementById(state.wish.rule)?.scrollIntoView({ block: "center" });
}

/** Read all rules of a game. @param {string} ruleset */
function rulesOf(ruleset) {
  return all((page) => api.get(`/v1/rulesets/${ruleset}/rules`, page));
}

/** Read how often each rule of a game has refused a command. @param {string} ruleset */
function refusalsOf(ruleset) {
  return all((page) => api.get("/v1/statistics/rules", { ruleset, ...page }));
}

/**
 * Read all pages of a list, and return the items of them all.
 * @template Each
 * @param {(page: {limit: number, cursor?: string}) => Promise<{items: Each[], next: string | null}>} readPage
 */
async function all(readPage) {
  /** @type {Each[]} */
  const found = [];
  for (let cursor = ""; ; ) {
    const { items, next } = await readPage({ limit: PAGE, ...(cursor ? { cursor } : {}) });
    found.push(...items);
    if (!next) return found;
    cursor = next;
  }
}

/** Return the chosen ruleset; the first one when none is chosen. */
function ruleset() {
  return state.rulesets.find(({ id }) => id === state.wish.game) ?? state.rulesets[0];
}

/** Whether a rule is in the chosen chapter and has all the words of the search. @param {RuleView} rule */
function fits(rule) {
  return (!state.wish.chapter || rule.chapter === state.wish.chapter) && hasWords(rule);
}

/**
 * Whether a rule has all the words of the search: in its id, title, text, ambiguity, ruling or source.
 * @param {RuleView} rule
 */
function hasWords(rule) {
  const words = [rule.id, rule.title, rule.text, rule.ambiguity, rule.ruling, rule.source].join(" ").toLowerCase();
  return state.wish.text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}

function draw() {
  if (!state.rulesets.length) return;
  const found = state.rules.filter(fits);
  render(
    html`${form()}
    ${state.problem ? html`<p class="problem" role="alert">${state.problem.message}</p>` : nothing}
    <p><a href="/learn/${ruleset().id}">Learn ${ruleset().title} by playing</a></p>
    <p class="quiet" role="status">${state.isRead ? `${count(found.length, "rule")} of ${state.rules.length}` : state.problem ? nothing : "Loading the rules …"}</p>
    ${state.isRead && !found.length ? elsewhere() : nothing}
    ${chapters(found).map(([title, rules]) => html`<section><h2>${capital(title)}</h2>${rules.map(article)}</section>`)}`,
    place,
  );
}

/** List the other games with rules that fit the words of the search. The first time, read the rules of those games. */
function elsewhere() {
  const others = state.rulesets.filter(({ id }) => id !== ruleset().id);
  for (const { id } of others.filter((each) => !state.elsewhere.has(each.id))) {
    state.elsewhere.set(id, []);
    rulesOf(id).then(
      (rules) => {
        state.elsewhere.set(id, rules);
        draw();
      },
      () => state.elsewhere.delete(id),
    );
  }
  const found = others.map(({ id, title }) => ({
    id,
    title,
    rules: (state.elsewhere.get(id) ?? []).filter(hasWords).length,
  }));
  return html`<ul aria-label="In other games">${found
    .filter(({ rules }) => rules)
    .map(
      ({ id, title, rules }) => html`<li>
    <button class="inline" @click=${() => seek({ game: id, chapter: "" })}>${title}</button>: ${count(rules, "rule")}</li>`,
    )}</ul>`;
}

function form() {
  /** @param {At<HTMLInputElement>} event */
  const typed = (event) => {
    clearTimeout(state.typing);
    const text = event.target.value.trim();
    state.typing = setTimeout(() => seek({ text }), PATIENCE);
  };
  const chapters = new Map(state.rules.map((rule) => [rule.chapter, rule.chapter_title]));
  return html`<form class="search" role="search" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
    <label>Search <input type="search" .value=${live(state.wish.text)} @input=${typed} placeholder="words, or an id such as CC-MOV-09" maxlength="80" /></label>
    <label>Game <select @change=${(/** @type {At<HTMLSelectElement>} */ event) => seek({ game: event.target.value, chapter: "" })}>
      ${state.rulesets.map(({ id, title }) => html`<option value=${id} ?selected=${id === ruleset().id}>${title}</option>`)}</select></label>
    <label>Chapter <select .value=${live(state.wish.chapter)} @change=${(/** @type {At<HTMLSelectElement>} */ event) => seek({ chapter: event.target.value })}>
      <option value="">all</option>
      ${[...chapters].map(([id, title]) => html`<option value=${id} ?selected=${id === state.wish.chapter}>${title}</option>`)}</select></label>
  </form>`;
}

/**
 * Read a list under a rule when it is opened. Note that it is open, so that it stays open when a search moves the rule.
 * @param {Address} address
 * @param {boolean} isOpen
 */
function toggle(address, isOpen) {
  if (isOpen) readList(address);
  state.open[isOpen ? "add" : "delete"](address);
}

/** Read a list under a rule, unless it was read before. @param {Address} address */
async function readList(address) {
  if (Array.isArray(state.lists.get(address))) return;
  state.lists.set(
    address,
    await api.get(address).then(
      ({ items }) => items,
      (problem) => problem.message,
    ),
  );
  draw();
}

/**
 * A list under a rule, to be unfolded.
 * @template {Item} Each
 * @param {string} id of the rule
 * @param {"games" | "scenarios"} name
 * @param {string} title
 * @param {string} none what the page says of an empty list
 * @param {(each: Each) => unknown} item
 */
function list(id, name, title, none, item) {
  const address = /** @type {Address} */ (`/v1/rulesets/${ruleset().id}/rules/${id}/${name}`);
  const found = state.lists.get(address);
  const content = !found
    ? html`<p class="quiet">Loading …</p>`
    : !Array.isArray(found)
      ? html`<p class="problem" role="alert">${found}</p>`
      : !found.length
        ? html`<p class="quiet">${none}</p>`
        : html`<ul>${/** @type {Each[]} */ (found).map((each) => html`<li>${item(each)}</li>`)}</ul>`;
  return html`<details class="listed" ?open=${live(state.open.has(address))} @toggle=${(/** @type {At<HTMLDetailsElement>} */ event) => event.target === event.currentTarget && toggle(address, event.target.open)}>
    <summary>${title}<span class="hidden">: ${id}</span></summary>${content}</details>`;
}

/** A scenario that tests a rule: a position, commands, and what must happen. @param {ScenarioView} scenario */
function scenario({ title, file, text }) {
  return html`<details><summary>${title}</summary>
    <pre tabindex="0" aria-label="Scenario: ${title}">${text}</pre><p class="quiet">${file}</p></details>`;
}

/** A game that shows a rule at work, with a link to the version at which it does. @param {RuleAtWork} seen */
function sighting({ game, title, status, created, version, event }) {
  return html`<a href="/games/${game}#v=${version}">${gameTitle({ id: game, title })}</a>
    <span class="quiet">Version ${version}: ${plain(event)}. ${status === "over" ? "Game over" : "In progress"}, created <time datetime=${created} title=${clock(created)}>${ago(created)}</time></span>`;
}

/** Group rules by the titles of their chapters, in the given order. @param {RuleView[]} rules */
function chapters(rules) {
  const found = new Map();
  for (const rule of rules) found.set(rule.chapter_title, [...(found.get(rule.chapter_title) ?? []), rule]);
  return [...found];
}

/** @param {RuleView} rule */
function article(rule) {
  const { id, title, text, source, standing, ambiguity, ruling, ours } = rule;
  const refused = state.refusals.get(id);
  const link = new URLSearchParams({ game: ruleset().id, rule: id });
  return html`<article class="entry ${id === state.wish.rule ? "chosen" : ""}" id=${id} aria-label=${id}>
    <h3><a href="#${link}" title="Link to this rule"><code>${id}</code></a> ${title}</h3>
    ${standing ? html`<p class="quiet">${capital(standing)}</p>` : nothing}
    <p>${text}</p>
    ${ambiguity ? html`<p><b>Left open:</b> ${ambiguity}</p>` : nothing}
    ${ruling ? html`<p><b>Ruled${ours ? " by this project" : ""}:</b> ${ours ? ruling.replace(/^Ours: /, "") : ruling}</p>` : nothing}
    <p class="quiet">${source}. ${refused ? html`Has refused ${count(refused, "command")}. ` : nothing}<a href="/v1/rulesets/${ruleset().id}/rules/${id}">As data<span class="hidden">: ${id}</span></a></p>
    ${list(id, "games", "Seen at work", "No listed game has shown this rule at work yet.", sighting)}
    ${list(id, "scenarios", "Scenarios", "No scenario tests this rule.", scenario)}
  </article>`;
}

addEventListener("hashchange", () => {
  const { game } = state.wish;
  state.wish = read();
  if (state.wish.game !== game) load();
  else {
    draw();
    document.getElementById(state.wish.rule)?.scrollIntoView({ block: "center" });
  }
});

state.rulesets = await api.get("/v1/rulesets", { limit: 100 }).then(
  ({ items }) => items,
  () => [],
);
if (state.rulesets.length) load();
else render(html`<p class="problem" role="alert">The rules could not be loaded. Reload the page.</p>`, place);
