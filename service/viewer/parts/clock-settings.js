/**
 * The clock of a game in words, for who thinks about sitting down and for who plays; and the choice of one.
 * @module
 */

/** @import { Clock } from "../types.js" */

import { html, nothing } from "../vendor/lit-html.js";
import { PRESETS, atZero, besides, timeOf } from "./clocks.js";

/** @type {(keyof typeof PRESETS)[]} */
const NAMES = ["live", "fast", "slow"];

/** What was chosen, and what happens at zero. @param {Clock | null} clock */
export function settings(clock) {
  if (!clock) return nothing;
  return html`<p class="clock-settings"><strong>Each player has ${timeOf(clock)}.</strong> ${atZero(clock)} ${besides(clock)}</p>`;
}

/** The clocks to choose from. @param {string} chosen a preset, "own" for another clock, empty for none */
export function clockOptions(chosen) {
  return html`<option value="" ?selected=${!chosen}>none: everybody takes the time they need</option>
    ${NAMES.map((name) => html`<option value=${name} ?selected=${name === chosen}>${name}: ${timeOf(PRESETS[name])}</option>`)}
    ${chosen === "own" ? html`<option value="own" selected disabled>another clock, chosen elsewhere</option>` : nothing}`;
}

/** Return what the service takes for the choice. @param {string} chosen */
export function presetOf(chosen) {
  return NAMES.find((name) => name === chosen) ?? null;
}
