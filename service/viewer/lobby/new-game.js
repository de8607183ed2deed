/**
 * The form that creates a game: its rules, players, title, clock and readers, and the set-up that the rules let one
 * choose.
 * @module
 */

/**
 * @import { Account } from "../state/account.js"
 * @import { Api, Problem } from "../state/api.js"
 * @import { At, Body, Field, Game, Json, JsonObject, ObjectField, Ruleset, RulesetSummary, Submitted } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { Form } from "../forms/form.js";
import { Labels } from "../forms/labels.js";
import { named } from "../parts/format.js";
import { beside, clockFields, clockFrom, isShown, numberIn } from "../parts/clock-settings.js";
import { remarks } from "../parts/remarks.js";
import { refusal } from "../parts/rule.js";
import { textIn } from "../parts/given.js";
import { problemOf } from "../state/api.js";
import { easiest, fewPlayers, setUp } from "./tables.js";

/** The ruleset that is chosen, and the last refusal. @type {{ruleset: string, problem: Problem | null}} */
const wish = { ruleset: "", problem: null };
const LABELS = new Labels([]);
const ABANDONED_AFTER = "$.abandoned_after"; // The path of this field in the request body.
/** The fields of the request for each choice of readers. @type {Record<string, Partial<Body<"/v1/games", "post">>>} */
const READERS = { listed: { listed: true }, unlisted: { listed: false }, private: { readers: "invited" } };

/** The form of the set-up and the details of each ruleset, by its id; null while they are being read. */
/** @type {Map<string, {form: Form, detail: Ruleset} | null>} */
const setups = new Map();

/**
 * Draw the form. After creating the game it opens the game's page.
 * @param {Api} api
 * @param {Account} account of the creator; a visitor without one gets one
 * @param {RulesetSummary[]} rulesets those that can be played
 * @param {() => void} draw draws the page again
 */
export function newGame(api, account, rulesets, draw) {
  if (!rulesets.length) return nothing;
  const ruleset = rulesets.find((each) => each.id === wish.ruleset) ?? easiest(rulesets);
  const { form: setup, detail } = setupOf(api, ruleset.id, draw) ?? {};
  /** @param {Problem | null} problem */
  const show = (problem) => {
    wish.problem = problem;
    draw();
  };
  /** @param {At<HTMLSelectElement>} event */
  const choose = (event) => {
    wish.ruleset = event.target.value;
    show(null);
  };
  /** @param {Submitted} event */
  const submit = async (event) => {
    event.preventDefault();
    if (setup && !setup.validate()) return;
    const form = event.target;
    const given = new FormData(form);
    const days = textIn(given, "abandoned_after");
    const game = {
      ruleset: ruleset.id,
      players: Number(given.get("players")),
      title: textIn(given, "title"),
      ...READERS[textIn(given, "shown")],
      organizer_sees: /** @type {Game["organizer_sees"]} */ (textIn(given, "organizer_sees")),
      clock: clockFrom(given),
      abandoned_after: days ? numberIn(days) : null,
      setup: chosen(setup?.command ?? {}),
    };
    try {
      if (!account.me && !(await account.open(textIn(given, "name")))) return;
      location.assign(`/games/${await setUp(api, game, given.has("sits"), textIn(given, "level"))}`);
    } catch (error) {
      show(problemOf(error));
      /** @type {HTMLElement | null} */ (form.querySelector("[aria-invalid=true]"))?.focus();
    }
  };
  const isAboutDays = wish.problem?.problem.path === ABANDONED_AFTER;
  return html`<form @submit=${submit}>
    <label for="ruleset">Rules</label>
    <select id="ruleset" name="ruleset" @change=${choose}>${rulesets.map((each) => html`<option value=${each.id} ?selected=${each === ruleset}>${each.title}</option>`)}</select>
    <p class="hint"><a href="/learn/${ruleset.id}">Learn this game in ten minutes</a></p>
    <label for="players">Players</label>
    <select id="players" name="players">${ruleset.players.map((players) => html`<option ?selected=${players === fewPlayers(ruleset)}>${players}</option>`)}</select>
    <label for="title">Title</label>
    <input id="title" name="title" maxlength="120" placeholder="Thursday's game" />
    ${
      account.me
        ? nothing
        : html`<label for="your-name">Your name</label>
      <input id="your-name" name="name" autocomplete="nickname" maxlength="80" placeholder="optional" />`
    }
    <p><label class="check"><input type="checkbox" name="sits" checked /> I play, too</label></p>
    <label for="level">The other seats</label>
    <select id="level" name="level"><option value="">are for people</option>${ruleset.bots.map((level) => html`<option value=${level}>are for bots: ${named(level)}</option>`)}</select>
    ${clockFields(null, wish.problem)}
    <p class="hint">With a clock, a player who vanishes does not stop the game.</p>
    <label for="abandoned-after">Days without any move, after which the game ends as abandoned</label>
    <input id="abandoned-after" name="abandoned_after" inputmode="numeric" autocomplete="off" placeholder="90"
      aria-invalid=${isAboutDays ? "true" : "false"} aria-describedby="abandoned-after-problem" />
    ${beside("abandoned-after-problem", isAboutDays ? wish.problem : null)}
    <label for="shown">Who reads this game</label>
    <select id="shown" name="shown">
      <option value="listed">everybody: lists show it</option>
      <option value="unlisted">everybody who knows its address (unlisted)</option>
      <option value="private">only those who play or are invited (private; this is final)</option>
    </select>
    <label for="organizer-sees">While you hold no seat, you see</label>
    <select id="organizer-sees" name="organizer_sees">
      <option value="spectator">what spectators see</option>
      <option value="all">everything, hidden hands too; the players can see that you do</option>
    </select>
    ${setup && detail ? [setup.render(), remarks(detail)] : nothing}
    ${wish.problem && !isShown(wish.problem) && !isAboutDays ? refusal({ api, game: { ruleset: ruleset.id }, redraw: draw }, wish.problem) : nothing}
    <div class="buttons"><button class="strong">Create the game</button></div>
    <p class="hint">You organize it. On its page you can invite others by a link and seat bots.</p>
  </form>`;
}

/**
 * @param {Api} api
 * @param {string} ruleset
 * @param {() => void} draw
 */
function setupOf(api, ruleset, draw) {
  if (!setups.has(ruleset)) {
    setups.set(ruleset, null);
    api.get(`/v1/rulesets/${ruleset}`).then(
      (detail) => {
        const form = new Form(
          /** @type {ObjectField} */ (asOption(/** @type {Loose} */ (detail.setup))),
          `setup-${ruleset}`,
          LABELS,
          draw,
        );
        setups.set(ruleset, { form, detail });
        draw();
      },
      () => setups.delete(ruleset),
    );
  }
  return setups.get(ruleset);
}

/**
 * Return what was chosen in a set-up. A list or a group of fields that is left empty is left out.
 * @param {JsonObject} setup
 */
function chosen(setup) {
  /** @param {Json} value */
  const isEmpty = (value) => typeof value === "object" && value !== null && !Object.keys(value).length;
  return Object.fromEntries(Object.entries(setup).filter(([, value]) => !isEmpty(value)));
}

/**
 * A JSON Schema of the contract: most members may be absent, and a `$ref` leads to a shape in `$defs`.
 * @typedef {object} Loose
 * @property {string} [type]
 * @property {string} [$ref]
 * @property {Record<string, Loose>} [$defs]
 * @property {Loose} [items]
 * @property {Json[]} [enum]
 * @property {Record<string, Loose>} [properties]
 * @property {string[]} [required]
 * @property {string} [description]
 */

/**
 * Return a schema of the contract in the form of an option's schema: without `$ref`, and with each field that has a
 * default among the required ones.
 * @param {Loose} schema
 * @param {Record<string, Loose>} [shapes]
 * @returns {Field}
 */
function asOption(schema, shapes = schema.$defs ?? {}) {
  const { $ref, type, items, description } = schema;
  if ($ref) return { ...asOption(shapes[$ref.split("/").at(-1) ?? ""], shapes), description };
  if (type === "array" && items) {
    const limits = { minItems: 0, maxItems: items.enum?.length ?? Infinity };
    return /** @type {Field} */ ({ ...limits, ...schema, items: asOption(items, shapes) });
  }
  if (type !== "object") return /** @type {Field} */ (schema);
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => /** @type {const} */ ([name, asOption(field, shapes)]),
  );
  const required = properties
    .filter(([name, field]) => "default" in field || schema.required?.includes(name))
    .map(([name]) => name);
  return /** @type {Field} */ (
    /** @type {unknown} */ ({ ...schema, properties: Object.fromEntries(properties), required })
  );
}
