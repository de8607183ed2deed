/**
 * The clock of a game in words, for players and for people who may sit down; and the form that chooses one.
 * @module
 */

/**
 * @import { Problem } from "../state/api.js"
 * @import { Body, Clock } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { PRESETS, atZero, besides, nameOf, timeOf } from "./clocks.js";
import { textIn } from "./given.js";

/** @typedef {NonNullable<Body<"/v1/games/{game}/clock", "put">["clock"]>} Wanted */

/** @type {(keyof typeof PRESETS)[]} */
const NAMES = ["live", "fast", "slow"];
const AT_ZERO = {
  answer: "the usual answer is given; from the 3rd time on, the seat is open",
  vacate: "the usual answer is given, and the seat is open",
  claim: "nothing, until somebody asks for the usual answer",
  end: "the other player wins (two players only)",
};
const KINDS = {
  bank: "one time for the whole game, and more after each turn",
  decision: "a new time for each decision",
};
/** @type {[string, number][]} */
const UNITS = [
  ["days", 86_400],
  ["hours", 3600],
  ["minutes", 60],
  ["seconds", 1],
];

/** The settings of a clock in words; nothing without a clock. @param {Clock | null} clock */
export function settings(clock) {
  if (!clock) return nothing;
  return html`<p class="clock-settings"><strong>Each player has ${timeOf(clock)}.</strong> ${atZero(clock)} ${besides(clock)}</p>`;
}

/** The sentence that says when a game ends as abandoned. @param {number} days without any event */
export function stillness(days) {
  return html`<p class="quiet">When nothing happens for ${days} days, the game ends as abandoned, without a winner.</p>`;
}

/**
 * The fields in which a clock is chosen: a preset, or one with its own times. The stylesheet hides the fields that the
 * choice does not need.
 * @param {Clock | null} clock the one that was chosen before
 * @param {Problem | null} problem why the last choice was refused
 */
export function clockFields(clock, problem) {
  const chosen = clock ? nameOf({ ...clock, at_zero: PRESETS.live.at_zero }) : "";
  const own = clock ?? PRESETS.fast;
  /** @param {string} name @param {string} label @param {number} value */
  const number = (name, label, value) =>
    field(
      name,
      label,
      problem,
      (aria) =>
        html`<input id="clock-${name}" name=${name} inputmode="numeric" autocomplete="off" .value=${`${value}`} aria-invalid=${aria.invalid} aria-describedby=${aria.describedBy} />`,
    );
  /** @param {string} name @param {string} label @param {number} seconds */
  const span = (name, label, seconds) => {
    const [unit, size] = UNITS.find((each) => seconds && seconds % each[1] === 0) ?? UNITS[1];
    return field(
      name,
      label,
      problem,
      (
        aria,
      ) => html`<span class="pair"><input id="clock-${name}" name=${name} inputmode="decimal" autocomplete="off" .value=${`${seconds / size}`} aria-invalid=${aria.invalid} aria-describedby=${aria.describedBy} />
      <select name="${name}_unit" aria-label="${label}: unit">${UNITS.map(([words, each]) => html`<option value=${each} ?selected=${words === unit}>${words}</option>`)}</select></span>`,
    );
  };
  return html`<div class="clock-fields">
    <label for="clock-name">Clock</label>
    <select id="clock-name" name="clock">
      <option value="" ?selected=${!chosen}>none: everybody takes the time they need</option>
      ${NAMES.map((name) => html`<option value=${name} ?selected=${name === chosen}>${name}: ${timeOf(PRESETS[name])}</option>`)}
      <option value="own" ?selected=${chosen === "own"}>another: you choose the times</option>
    </select>
    <div class="own">
      <label for="clock-kind">Each player has</label>
      <select id="clock-kind" name="kind">${Object.entries(KINDS).map(([kind, words]) => html`<option value=${kind} ?selected=${kind === own.kind}>${words}</option>`)}</select>
      ${span("time", "Time", own.time)}
      <div class="bank">${span("increment", "More after each turn", own.increment ?? 0)} ${span("cap", "Never more than", own.cap ?? own.time)}</div>
      ${span("grace", "After zero an answer still counts for", own.grace ?? 2)}
      ${number("days_off", "Days off that each player may take", own.days_off ?? 0)}
      ${field(
        "quiet",
        "Quiet hours each day, in UTC",
        problem,
        (
          aria,
        ) => html`<span class="pair"><input id="clock-quiet" name="quiet_from" type="time" .value=${timeAt(own.quiet?.begins)} aria-invalid=${aria.invalid} aria-describedby=${aria.describedBy} />
        <span>to</span> <input name="quiet_to" type="time" aria-label="Quiet hours: until, in UTC" .value=${timeAt(own.quiet?.ends)} aria-invalid=${aria.invalid} aria-describedby=${aria.describedBy} /></span>`,
      )}
    </div>
    <div class="timed">${field(
      "at_zero",
      "At zero",
      problem,
      (
        aria,
      ) => html`<select id="clock-at_zero" name="at_zero" aria-invalid=${aria.invalid} aria-describedby=${aria.describedBy}>
      ${Object.entries(AT_ZERO).map(([zero, words]) => html`<option value=${zero} ?selected=${zero === (clock?.at_zero ?? "answer")}>${words}</option>`)}</select>`,
    )}</div>
    <div class="own"><div class="often">${number("vacate_after", "Flags after which the seat is open; 0 for never", own.vacate_after ?? 3)}</div></div>
  </div>`;
}

/**
 * A field with its label, and below it why its value was refused.
 * @param {string} name the member of the clock
 * @param {string} label
 * @param {Problem | null} problem
 * @param {(aria: {invalid: "true" | "false", describedBy: string}) => unknown} input draws the field with these attributes
 */
function field(name, label, problem, input) {
  const id = `clock-${name}`;
  const isWrong = problem?.problem.path === `$.clock.${name}`;
  return html`<label for=${id}>${label}</label>
    ${input({ invalid: isWrong ? "true" : "false", describedBy: `${id}-problem` })}
    ${beside(`${id}-problem`, isWrong ? problem : null)}`;
}

/** The paragraph beside a field that says why its value was refused; hidden without a problem. @param {string} id @param {Problem | null} problem */
export function beside(id, problem) {
  const { rule, allowed = "" } = problem?.problem ?? {};
  // A problem that names no rule has a message for programs: show only what would be allowed.
  const words = problem && (rule || !allowed ? `${problem.message} ${allowed}` : allowed);
  return html`<p id=${id} class="problem beside" role="alert" ?hidden=${!problem}>${words ?? nothing}</p>`;
}

/** Tell whether a problem is about a field of the clock, which then shows it. @param {Problem | null} problem */
export function isShown(problem) {
  return Boolean(problem?.problem.path?.startsWith("$.clock."));
}

/**
 * Return the clock that was chosen in the fields, for a request body; null for none.
 * @param {FormData} given
 * @returns {Wanted | null}
 */
export function clockFrom(given) {
  const chosen = textIn(given, "clock");
  const zero = /** @type {NonNullable<Clock["at_zero"]>} */ (textIn(given, "at_zero"));
  const name = NAMES.find((each) => each === chosen);
  if (name) return zero === "answer" ? name : { ...PRESETS[name], at_zero: zero };
  if (chosen !== "own") return null;
  const kind = /** @type {Clock["kind"]} */ (textIn(given, "kind"));
  /** @param {string} field */
  const number = (field) => numberIn(textIn(given, field));
  /** @param {string} field */
  const seconds = (field) => Math.round(number(field) * Number(textIn(given, `${field}_unit`)));
  const [begins, ends] = ["quiet_from", "quiet_to"].map((field) => minuteIn(textIn(given, field)));
  return {
    kind,
    time: seconds("time"),
    ...(kind === "bank" ? { increment: seconds("increment"), cap: seconds("cap") } : {}),
    grace: seconds("grace"),
    at_zero: zero,
    vacate_after: number("vacate_after"),
    days_off: number("days_off"),
    // If one end is missing, both ends are the same minute, which the service refuses.
    quiet: begins === null && ends === null ? null : { begins: begins ?? ends ?? 0, ends: ends ?? begins ?? 0 },
  };
}

/**
 * Return a number that somebody typed; if it is no number, return -1, which the service refuses.
 * @param {string} text
 */
export function numberIn(text) {
  return text && Number.isFinite(Number(text)) ? Number(text) : -1;
}

/** Return the minute of the day for a time such as 07:30; null for an empty text. @param {string} text */
function minuteIn(text) {
  const [hours, minutes] = text.split(":").map(Number);
  return text ? hours * 60 + minutes : null;
}

/** Return a minute of the day as the value of a field for times: 450 is "07:30". @param {number} [minute] */
function timeAt(minute) {
  return minute === undefined ? "" : new Date(minute * 60_000).toISOString().slice(11, 16);
}
