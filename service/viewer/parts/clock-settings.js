/**
 * The clock of a game in words, for who thinks about sitting down and for who plays; and the choice of one.
 * @module
 */

/** @import { At, Body, Clock } from "../types.js" */

import { html, nothing } from "../vendor/lit-html.js";
import { PRESETS, atZero, besides, nameOf, timeOf } from "./clocks.js";

/** @type {(keyof typeof PRESETS)[]} */
const NAMES = ["live", "fast", "slow"];
const AT_ZERO = {
  answer: "the usual answer is given; from the 3rd time on, the seat is open",
  vacate: "the usual answer is given, and the seat is open",
  claim: "nothing, until somebody asks for the usual answer",
  end: "the other player wins (two players only)",
};

/** What was chosen, and what happens at zero. @param {Clock | null} clock */
export function settings(clock) {
  if (!clock) return nothing;
  return html`<p class="clock-settings"><strong>Each player has ${timeOf(clock)}.</strong> ${atZero(clock)} ${besides(clock)}</p>`;
}

/**
 * The fields in which a clock is chosen, and what happens at zero.
 * @param {Clock | null} clock that was chosen before
 * @param {((clock: Body<"/v1/games/{game}/clock", "put">["clock"]) => void)} [change] hears of a choice at once
 */
export function clockFields(clock, change) {
  const chosen = clock ? nameOf({ ...clock, at_zero: PRESETS.live.at_zero }) : "";
  const then = clock?.at_zero ?? "answer";
  /** @param {At<HTMLSelectElement>} event */
  const tell = ({ currentTarget }) => {
    const form = /** @type {HTMLElement} */ (currentTarget.closest(".clock-fields"));
    const [name, zero] = [...form.querySelectorAll("select")].map(({ value }) => value);
    change?.(clockFrom(name, zero));
  };
  return html`<div class="clock-fields">
    <label>Clock <select name="clock" @change=${tell}>
      <option value="" ?selected=${!chosen}>none: everybody takes the time they need</option>
      ${NAMES.map((name) => html`<option value=${name} ?selected=${name === chosen}>${name}: ${timeOf(PRESETS[name])}</option>`)}
      ${chosen === "own" ? html`<option value="own" selected disabled>another clock, chosen elsewhere</option>` : nothing}
    </select></label>
    <label ?hidden=${change && !clock}>At zero <select name="at_zero" ?disabled=${chosen === "own"} @change=${tell}>
      ${Object.entries(AT_ZERO).map(([zero, words]) => html`<option value=${zero} ?selected=${zero === then}>${words}</option>`)}
    </select></label></div>`;
}

/**
 * Return what the service takes for the choice of a clock and of what happens at zero.
 * @param {string} chosen
 * @param {string} zero
 */
export function clockFrom(chosen, zero) {
  const name = NAMES.find((each) => each === chosen);
  if (!name) return null;
  return zero === "answer" ? name : { ...PRESETS[name], at_zero: /** @type {Clock["at_zero"]} */ (zero) };
}
