/**
 * The two ways into a game that take one click: against bots, and with friends.
 * @module
 */

/**
 * @import { Account } from "../state/account.js"
 * @import { Api, Problem } from "../state/api.js"
 * @import { At, RulesetSummary, Submitted } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { levels } from "../parts/levels.js";
import { invite } from "../state/invitations.js";
import { textIn } from "../parts/given.js";
import { problemOf } from "../state/api.js";
import { easiest, fewPlayers, setUp } from "./tables.js";

const LONG = 24; // A longer title is written out below its list, which may have no room for it.

const LAST = "tabularium-last-game";

/**
 * The two ways: against bots, or with friends.
 * @typedef {"bots" | "friends"} Way
 *
 * What the player has chosen so far.
 * @typedef {{ruleset?: string, players?: string, level?: string}} Wish
 *
 * What a form was filled in with.
 * @typedef {{ruleset: string, players: number, level?: string}} Chosen
 */

const query = Object.fromEntries(new URLSearchParams(location.search));
/** What is chosen at first: what the address asks for, or what this browser played last against bots. @type {Record<Way, Wish>} */
const wish = { bots: { ...last(), ...query }, friends: { ...query } };
/** The way that is being set up, the last problem, and the way that had it. @type {{busy: Way | "", problem: Problem | null, failed: Way | ""}} */
const state = { busy: "", problem: null, failed: "" };

/**
 * @param {Api} api
 * @param {Account} account
 * @param {RulesetSummary[]} rulesets those that can be played
 * @param {() => void} draw draws the page again
 */
export function ways(api, account, rulesets, draw) {
  if (!rulesets.length) return nothing;
  /**
   * @param {Way} way
   * @param {(api: Api, account: Account, chosen: Chosen) => Promise<string>} begin
   */
  const submit = (way, begin) => async (/** @type {Submitted} */ event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const given = {
      ruleset: textIn(form, "ruleset"),
      players: textIn(form, "players"),
      ...(form.has("level") ? { level: textIn(form, "level") } : {}),
    };
    Object.assign(state, { busy: way, problem: null });
    if (way === "bots") remember(given);
    draw();
    try {
      if (!account.me && !(await account.open(textIn(form, "name")))) throw new Error(account.message);
      location.assign(`/games/${await begin(api, account, { ...given, players: Number(given.players) })}`);
    } catch (error) {
      Object.assign(state, { busy: "", problem: problemOf(error), failed: way });
      draw();
    }
  };
  return html`<section class="way" aria-labelledby="bots-title">
      <h2 id="bots-title">Play against bots</h2>
      <form aria-labelledby="bots-title" @submit=${submit("bots", againstBots)}>
        ${game("bots", rulesets, draw)} ${level(rulesets)} ${name(account)}
        <button class="strong" ?disabled=${state.busy}>${state.busy === "bots" ? "Setting up the table …" : "Play now"}</button>
        <p class="hint">New to the game? ${inAMinute(api, chosen("bots", rulesets).id)} · <a href="/learn/${chosen("bots", rulesets).id}">Learn it in ten minutes</a></p>
        ${problem("bots")}
      </form>
    </section>
    <section class="way" aria-labelledby="friends-title">
      <h2 id="friends-title">Invite friends</h2>
      <form aria-labelledby="friends-title" @submit=${submit("friends", withFriends)}>
        ${game("friends", rulesets, draw)} ${name(account)}
        <button class="strong" ?disabled=${state.busy}>${state.busy === "friends" ? "Setting up the table …" : "Open a table"}</button>
        <p class="hint">You get a link to send to your friends. <a href="/new">All choices</a></p>
        ${problem("friends")}
      </form>
    </section>`;
}

/**
 * The button that opens the briefing of a game. The code of the briefing is fetched on the first click.
 * @param {Api} api
 * @param {string} ruleset
 */
function inAMinute(api, ruleset) {
  const open = async () => (await import("../parts/briefing.js")).openBriefing(api, ruleset);
  return html`<button type="button" class="inline" aria-haspopup="dialog" @click=${open}>The game in a minute</button>`;
}

/**
 * The fields for a ruleset and a number of players.
 * @param {Way} way
 * @param {RulesetSummary[]} rulesets
 * @param {() => void} draw
 */
function game(way, rulesets, draw) {
  const ruleset = chosen(way, rulesets);
  const proposed = ruleset.players.includes(Number(wish[way].players))
    ? Number(wish[way].players)
    : fewPlayers(ruleset);
  /** @param {At<HTMLSelectElement>} event */
  const choose = (event) => {
    wish[way] = { ruleset: event.target.value };
    draw();
  };
  return html`<label>Game <select name="ruleset" @change=${choose}>
      ${rulesets.map(({ id, title }) => html`<option value=${id} ?selected=${id === ruleset.id}>${title}</option>`)}</select></label>
    ${ruleset.title.length > LONG ? html`<p class="whole quiet" aria-hidden="true">${ruleset.title}</p>` : nothing}
    <label>Players <select name="players">
      ${ruleset.players.map((players) => html`<option ?selected=${players === proposed}>${players}</option>`)}</select></label>`;
}

/**
 * Return the ruleset that is chosen, or the easiest one.
 * @param {Way} way
 * @param {RulesetSummary[]} rulesets
 */
function chosen(way, rulesets) {
  return rulesets.find(({ id }) => id === wish[way].ruleset) ?? easiest(rulesets);
}

/** Return what this browser played last against bots; an empty wish for nothing. */
function last() {
  try {
    return JSON.parse(localStorage.getItem(LAST) ?? "null") ?? {};
  } catch {
    return {};
  }
}

/** @param {Wish} wish */
function remember({ ruleset, players, level }) {
  try {
    localStorage.setItem(LAST, JSON.stringify({ ruleset, players, level }));
  } catch {
    // Without a storage the player chooses again.
  }
}

/** @param {RulesetSummary[]} rulesets */
function level(rulesets) {
  return html`<label>Bots <select name="level">${levels(chosen("bots", rulesets).bots, wish.bots.level)}</select></label>`;
}

/** @param {Account} account */
function name(account) {
  if (account.me) return html`<p class="hint">You play as ${account.me?.name}.</p>`;
  return html`<label>Name <input name="name" autocomplete="nickname" maxlength="80" placeholder="optional" /></label>`;
}

/** @param {Way} way */
function problem(way) {
  if (!state.problem || state.failed !== way) return nothing;
  return html`<p class="problem" role="alert">${state.problem.message} ${state.problem.problem?.allowed ?? ""}</p>`;
}

/**
 * Begin a game in which bots have the other seats.
 * @param {Api} api
 * @param {Account} account
 * @param {Chosen} chosen
 */
async function againstBots(api, account, { ruleset, players, level }) {
  return setUp(api, { ruleset, players, title: `${account.me?.name} against bots` }, true, level);
}

/**
 * Create a game that is in no list, sit down, and make a link for the friends, which the game's page shows.
 * @param {Api} api
 * @param {Account} account
 * @param {Chosen} chosen
 */
async function withFriends(api, account, { ruleset, players }) {
  const id = await setUp(api, { ruleset, players, title: `${account.me?.name} and friends`, listed: false });
  await invite(api, id);
  return id;
}
