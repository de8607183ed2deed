/**
 * A game in a minute, for whoever meets it for the first time: its goal, its end, its length and its pieces.
 * @module
 */

import { html, nothing, render } from "../vendor/lit-html.js";

/** What was read, by ruleset: `{title, briefing, symbols}`. */
const known = new Map();

/**
 * Show a ruleset in a dialog of its own.
 * @param {import("../state/api.js").Api} api
 * @param {string} ruleset its id
 */
export async function openBriefing(api, ruleset) {
  const dialog = document.getElementById("briefing") ?? made();
  const show = (content) => render(html`${content}<form method="dialog" class="buttons"><button class="strong">Close</button></form>`, dialog);
  try {
    if (!known.has(ruleset)) known.set(ruleset, await read(api, ruleset));
    show(card(ruleset, known.get(ruleset)));
  } catch (problem) {
    show(html`<h2 id="briefing-title">The game in a minute</h2><p class="problem" role="alert">${problem.message}</p>`);
  }
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function made() {
  const dialog = document.createElement("dialog");
  dialog.id = "briefing";
  dialog.setAttribute("aria-labelledby", "briefing-title");
  return document.body.appendChild(dialog);
}

/** Pages without a board have no signs of pieces: the bare board has them all. */
async function read(api, ruleset) {
  const { title, players, briefing } = await api.get(`/v1/rulesets/${ruleset}`);
  const isDrawn = document.querySelector("svg.board symbol");
  const board = isDrawn ? "" : await api.text(`/v1/rulesets/${ruleset}/board.svg`).catch(() => "");
  const symbols = board && new DOMParser().parseFromString(board, "image/svg+xml").querySelectorAll("symbol");
  return { title, players, briefing, symbols: [...symbols].map((each) => document.importNode(each, true)) };
}

function card(ruleset, { title, players, briefing, symbols }) {
  const many = players.length > 1 ? `${players[0]} to ${players.at(-1)}` : players[0];
  return html`<h2 id="briefing-title">${title}</h2>
    ${briefing ? told(briefing, many) : html`<p>Nobody has told this game in a minute yet.</p>`}
    <p><a href="/learn/${ruleset}">Learn it in ten minutes</a> · <a href="/rules#game=${ruleset}">All rules</a></p>
    ${symbols.length ? html`<svg class="hidden" aria-hidden="true">${symbols}</svg>` : nothing}`;
}

function told({ goal, ending, rounds, time, pieces }, players) {
  const facts = { Goal: goal, End: ending, Players: players, Rounds: rounds, Time: time };
  return html`<dl class="facts">${Object.entries(facts).map(([name, words]) => html`<div><dt>${name}</dt><dd>${words}</dd></div>`)}</dl>
    <h3>On the board</h3>
    <ul class="legend">${Object.entries(pieces).map(([kind, words]) => html`<li>
      <svg class="chip" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><use href="#glyph-${kind}" /></svg> ${words}</li>`)}</ul>`;
}
