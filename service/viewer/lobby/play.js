/**
 * The two ways into a game that take one click: against bots, and with friends.
 * @module
 */

import { html, nothing } from "../vendor/lit-html.js";
import { levels } from "../parts/levels.js";
import { invite } from "../state/invitations.js";
import { easiest, fewPlayers, setUp } from "./tables.js";

const LONG = 24; // Letters of a title that every list has room for.

const LAST = "tabularium-last-game";

const asked = Object.fromEntries(new URLSearchParams(location.search));
/** What is chosen at first: what the address asks for, or what this browser played last against bots. */
const wish = { bots: { ...last(), ...asked }, friends: { ...asked } };
const state = { busy: "", problem: null, failed: "" };

/**
 * @param {import("../state/api.js").Api} api
 * @param {import("../state/account.js").Account} account
 * @param {object[]} rulesets those that can be played
 * @param {() => void} draw draws the page again
 */
export function ways(api, account, rulesets, draw) {
  if (!rulesets.length) return nothing;
  const go = (way, begin) => async (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    Object.assign(state, { busy: way, problem: null });
    if (way === "bots") remember(given);
    draw();
    try {
      if (!account.me && !(await account.open(given.name?.trim()))) throw new Error(account.said);
      location.assign(`/games/${await begin(api, account, { ...given, players: Number(given.players) })}`);
    } catch (problem) {
      Object.assign(state, { busy: "", problem, failed: way });
      draw();
    }
  };
  return html`<section class="way" aria-labelledby="bots-title">
      <h2 id="bots-title">Play against bots</h2>
      <form aria-labelledby="bots-title" @submit=${go("bots", againstBots)}>
        ${game("bots", rulesets, draw)} ${level(rulesets)} ${name(account)}
        <button class="strong" ?disabled=${state.busy}>${state.busy === "bots" ? "Setting up the table …" : "Play now"}</button>
        <p class="hint">New to the game? ${inAMinute(api, chosen("bots", rulesets).id)} · <a href="/learn/${chosen("bots", rulesets).id}">Learn it in ten minutes</a></p>
        ${problem("bots")}
      </form>
    </section>
    <section class="way" aria-labelledby="friends-title">
      <h2 id="friends-title">Invite friends</h2>
      <form aria-labelledby="friends-title" @submit=${go("friends", withFriends)}>
        ${game("friends", rulesets, draw)} ${name(account)}
        <button class="strong" ?disabled=${state.busy}>${state.busy === "friends" ? "Setting up the table …" : "Open a table"}</button>
        <p class="hint">You get a link to send to your friends. <a href="/new">All choices</a></p>
        ${problem("friends")}
      </form>
    </section>`;
}

/** What opens the card of a game. It is fetched when somebody asks for it. */
function inAMinute(api, ruleset) {
  const open = async () => (await import("../parts/briefing.js")).openBriefing(api, ruleset);
  return html`<button type="button" class="inline" aria-haspopup="dialog" @click=${open}>The game in a minute</button>`;
}

function game(way, rulesets, draw) {
  const ruleset = chosen(way, rulesets);
  const few = ruleset.players.includes(Number(wish[way].players)) ? Number(wish[way].players) : fewPlayers(ruleset);
  const choose = (event) => {
    wish[way] = { ruleset: event.target.value };
    draw();
  };
  return html`<label>Game <select name="ruleset" @change=${choose}>
      ${rulesets.map(({ id, title }) => html`<option value=${id} ?selected=${id === ruleset.id}>${title}</option>`)}</select></label>
    ${ruleset.title.length > LONG ? html`<p class="whole quiet" aria-hidden="true">${ruleset.title}</p>` : nothing}
    <label>Players <select name="players">
      ${ruleset.players.map((players) => html`<option ?selected=${players === few}>${players}</option>`)}</select></label>`;
}

function chosen(way, rulesets) {
  return rulesets.find(({ id }) => id === wish[way].ruleset) ?? easiest(rulesets);
}

function last() {
  try {
    return JSON.parse(localStorage.getItem(LAST)) ?? {};
  } catch {
    return {};
  }
}

function remember({ ruleset, players, level }) {
  try {
    localStorage.setItem(LAST, JSON.stringify({ ruleset, players, level }));
  } catch {
    // Without a storage it is chosen anew.
  }
}

function level(rulesets) {
  return html`<label>Bots <select name="level">${levels(chosen("bots", rulesets).bots, wish.bots.level)}</select></label>`;
}

function name(account) {
  if (account.me) return html`<p class="hint">You play as ${account.me.name}.</p>`;
  return html`<label>Name <input name="name" autocomplete="nickname" maxlength="80" placeholder="optional" /></label>`;
}

function problem(way) {
  if (!state.problem || state.failed !== way) return nothing;
  return html`<p class="problem" role="alert">${state.problem.message} ${state.problem.problem?.allowed ?? ""}</p>`;
}

/** Begin a game in which bots have the other seats. */
async function againstBots(api, account, { ruleset, players, level }) {
  return setUp(api, { ruleset, players, title: `${account.me.name} against bots` }, true, level);
}

/** Create a game that is in no list, sit down, and make a link for the friends, which the game's page shows. */
async function withFriends(api, account, { ruleset, players }) {
  const id = await setUp(api, { ruleset, players, title: `${account.me.name} and friends`, listed: false });
  await invite(api, id);
  return id;
}
