/**
 * A rule that is named where it matters, and unfolds to its text; and a refusal, which may name a rule.
 * @module
 */

/**
 * @import { Labels } from "../forms/labels.js"
 * @import { Api, Problem } from "../state/api.js"
 * @import { At, Game, RuleView } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { capital } from "./format.js";

/** Rules that were read, by address; null while they are being read. @type {Map<string, RuleView | null>} */
const read = new Map();

/**
 * The page that shows a rule: of a game, or one with the ruleset of a game that may be created.
 * @typedef {{api: Api, game: Pick<Game, "ruleset">, redraw: () => void, labels?: Labels | null}} RuleReader
 */

/**
 * A rule to be unfolded.
 * @param {RuleReader} room
 * @param {string} id such as `CC-MOV-09`
 * @param {string} [title] if it is known; without it, the rule is fetched at once
 */
export function ruleOf(room, id, title = undefined) {
  const address = `/v1/rulesets/${room.game.ruleset}/rules/${id}`;
  const rule = read.get(address);
  const fetch = () => {
    if (read.has(address)) return;
    read.set(address, null);
    room.api.get(address).then(
      (found) => {
        read.set(address, found);
        room.redraw();
      },
      () => read.delete(address),
    );
  };
  /** @param {At<HTMLDetailsElement>} event */
  const unfold = (event) => event.target.open && fetch();
  if (!title) fetch();
  return html`<details class="rule" @toggle=${unfold}>
    <summary>Rule ${id}${(title ?? rule?.title) ? `: ${title ?? rule?.title}` : nothing}</summary>
    ${
      rule
        ? html`${rule.standing ? html`<p class="quiet">${capital(rule.standing)}</p>` : nothing}
          <p>${rule.text}</p>
          ${rule.ruling ? html`<p class="ruling">Ruled${rule.ours ? " by this project" : ""}: ${rule.ruling}</p>` : nothing}
          <p class="quiet">${rule.source}. <a href=${address}>As data</a></p>`
        : html`<p class="quiet">…</p>`
    }
  </details>`;
}

/**
 * A refusal: the problem with which the service answered a request.
 * @param {RuleReader} room
 * @param {Problem} problem
 */
export function refusal(room, { problem, message }) {
  const sentence = room.labels?.sentence ?? ((text) => text);
  return html`<div class="outcome refused" role="alert">
    <p><strong>${problem.title ?? "Refused"}.</strong> ${sentence(message)}</p>
    ${problem.allowed ? html`<p>${sentence(problem.allowed)}</p>` : nothing}
    ${problem.rule ? ruleOf(room, problem.rule, problem.rule_title) : nothing}
    ${problem.source ? html`<p class="quiet">${problem.source}</p>` : nothing}
    ${problem.type ? html`<p><a href=${problem.type}>What this kind of problem means</a></p>` : nothing}
  </div>`;
}
