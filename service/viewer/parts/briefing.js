/**
 * A game in a minute, for somebody who meets it for the first time: its goal, its end, its length and its pieces.
 * @module
 */

/**
 * @import { Api } from "../state/api.js"
 * @import { Ruleset } from "../types.js"
 * @import { TemplateResult } from "../vendor/lit-html.js"
 */

import { html, nothing, render } from "../vendor/lit-html.js";

/**
 * The parts of a ruleset that the dialog shows, and the drawings of its pieces.
 * @typedef {Pick<Ruleset, "title" | "players" | "briefing"> & {symbols: Node[]}} Card
 */

/** The rulesets that were read, by id. @type {Map<string, Card>} */
const known = new Map();

/**
 * Open a dialog that introduces a ruleset, or says why it could not be loaded.
 * @param {Api} api
 * @param {string} ruleset its id
 */
export async function openBriefing(api, ruleset) {
  const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById("briefing")) ?? newDialog();
  /** @param {TemplateResult} content */
  const show = (content) =>
    render(html`${content}<form method="dialog" class="buttons"><button class="strong">Close</button></form>`, dialog);
  try {
    const content = known.get(ruleset) ?? (await read(api, ruleset));
    known.set(ruleset, content);
    show(card(ruleset, content));
  } catch (error) {
    const problem = /** @type {Error} */ (error);
    show(html`<h2 id="briefing-title">The game in a minute</h2><p class="problem" role="alert">${problem.message}</p>`);
  }
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function newDialog() {
  const dialog = document.createElement("dialog");
  dialog.id = "briefing";
  dialog.setAttribute("aria-labelledby", "briefing-title");
  return document.body.appendChild(dialog);
}

/**
 * Read a ruleset. On a page without a board, the drawings of its pieces come from the picture of the empty board.
 * @param {Api} api
 * @param {string} ruleset
 */
async function read(api, ruleset) {
  const { title, players, briefing } = await api.get(`/v1/rulesets/${ruleset}`);
  const hasBoard = document.querySelector("svg.board symbol");
  const board = hasBoard ? "" : await api.text(`/v1/rulesets/${ruleset}/board.svg`).catch(() => "");
  const symbols = board ? new DOMParser().parseFromString(board, "image/svg+xml").querySelectorAll("symbol") : [];
  return { title, players, briefing, symbols: [...symbols].map((each) => document.importNode(each, true)) };
}

/**
 * @param {string} ruleset
 * @param {Card} card
 */
function card(ruleset, { title, players, briefing, symbols }) {
  const many = players.length > 1 ? `${players[0]} to ${players.at(-1)}` : players[0];
  return html`<h2 id="briefing-title">${title}</h2>
    ${briefing ? factsOf(briefing, many) : html`<p>This game has no summary yet.</p>`}
    <p><a href="/learn/${ruleset}">Learn it in ten minutes</a> · <a href="/rules#game=${ruleset}">All rules</a></p>
    ${symbols.length ? html`<svg class="hidden" aria-hidden="true">${symbols}</svg>` : nothing}`;
}

/**
 * @param {NonNullable<Ruleset["briefing"]>} briefing
 * @param {string | number} players
 */
function factsOf({ goal, ending, rounds, time, pieces }, players) {
  const facts = { Goal: goal, End: ending, Players: players, Rounds: rounds, Time: time };
  return html`<dl class="facts">${Object.entries(facts).map(([name, words]) => html`<div><dt>${name}</dt><dd>${words}</dd></div>`)}</dl>
    <h3>On the board</h3>
    <ul class="legend">${Object.entries(pieces).map(
      ([kind, words]) => html`<li>
      <svg class="chip" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><use href="#glyph-${kind}" /></svg> ${words}</li>`,
    )}</ul>`;
}
