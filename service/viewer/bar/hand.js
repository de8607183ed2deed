/**
 * Cards as buttons: each with its sign, its name, its number and what it does. A hand lets the player choose some.
 * Where one card is the whole answer, a click gives it.
 * @module
 */

/**
 * @import { Form } from "../forms/form.js"
 * @import { Labels } from "../forms/labels.js"
 * @import { Commands } from "../state/commands.js"
 * @import { Field, Json, Option, Path, Table } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { Fields } from "../forms/fields.js";
import { choicesOf, isFixed, isSame, isSubset, toggled } from "../forms/schema.js";
import { chip } from "../parts/chip.js";
import { glyph } from "../parts/shelf.js";
import { titleOf } from "../state/options.js";
import { gestureOf } from "../moves/gestures.js";

const SECTIONS = 1; // Sections of a card's paper that are printed on it: what it does.

/**
 * What is printed on a card.
 * @param {Labels} labels
 * @param {string} card
 */
function faceOf(labels, card, number = "") {
  const kind = labels.kind(card);
  const [does] = labels.paper(card)?.sections.slice(0, SECTIONS) ?? [];
  return html`${kind ? glyph(kind) : nothing}<span class="what">${labels.value(card)}</span>${number ? html` <span class="quiet">${number}</span>` : nothing}
    ${does ? html`<span class="does">${does.lines.map(({ words }) => words).join(" ")}</span>` : nothing}`;
}

/**
 * The field of a form in which cards are chosen; `put` sets a count.
 * @param {Form} form
 * @param {Field} field
 * @param {Path} path
 * @param {(form: Form, path: Path, value: number) => void} put
 */
export function hand(form, field, path, put) {
  const label = form.labels.field(`${path.at(-1)}`);
  /**
   * @param {Json} value
   * @param {boolean} isChosen
   * @param {() => void} act
   */
  const card = (
    value,
    isChosen,
    act,
    number = "",
  ) => html`<button type="button" class="card-button" data-card=${[...path, value].join("/")} aria-pressed=${String(isChosen)} @click=${act}>
    ${faceOf(form.labels, `${value}`, number)}</button>`;
  const now = form.get(path);
  /** @type {unknown} */
  let cards = nothing;
  if ("enum" in field) cards = field.enum.map((value) => card(value, isSame(now, value), () => form.set(path, value)));
  else if (isSubset(field)) {
    const items = /** @type {Json[]} */ (now ?? []);
    cards = choicesOf(field.items).map((value) =>
      card(
        value,
        items.some((item) => isSame(item, value)),
        () => form.set(path, toggled(field, items, value)),
      ),
    );
  } else if (field.type === "object") {
    cards = Object.entries(field.properties).map(([name, field]) => {
      const { minimum, maximum } = field.type === "integer" ? field : { minimum: 0, maximum: 0 };
      const chosen = /** @type {number} */ (form.get([...path, name]) ?? 0);
      return card(
        name,
        chosen > 0,
        () => put(form, [...path, name], chosen < maximum ? chosen + 1 : minimum),
        maximum > 1 ? `${chosen} of ${maximum}` : "",
      );
    });
  } else {
    return html`<div class="fields">${new Fields(form, []).field(field, path, label)}</div>`;
  }
  return html`<div class="hand" role="group" aria-label=${label}><h4>${label}</h4>${cards}</div>`;
}

// --- one card is all that is asked ---

/**
 * Return the cards of an option that asks for one card, and whether there are several (`isOpen`); null for any other
 * option.
 * @param {Option} option
 */
export function cardsOf(option) {
  const { as, cards = [] } = gestureOf(option);
  const { properties } = option.schema;
  const free = Object.keys(properties).filter((name) => !isFixed(properties[name]));
  const name = free[0] ?? cards.find((each) => "const" in (properties[each] ?? {}));
  if (as !== "hand" || free.length > 1 || !cards.includes(name)) return null;
  const choices = choicesOf(properties[name]);
  const isText = (/** @type {Json} */ card) => typeof card === "string";
  return choices.length && choices.every(isText)
    ? { name, cards: /** @type {string[]} */ (choices), isOpen: free.length > 0 }
    : null;
}

/**
 * A card that is an answer: what a click does, and the key that does the same.
 * @typedef {{value?: string, dealt?: {option: Option, card: string}, act: () => void, key: number}} Dealt
 */

/**
 * The cards that are answers, grouped by what is done with them and whose they are.
 * @param {Table} room
 * @param {Commands} commands
 * @param {Dealt[]} answers
 */
export function deal(room, { labels, busy }, answers) {
  return html`<div class="deal">${[
    ...Map.groupBy(
      answers.flatMap(({ dealt, ...answer }) => (dealt ? [{ ...answer, ...dealt }] : [])),
      ({ option }) => option,
    ),
  ].map(
    ([option, cards]) => html`<section class="hand" role="group" aria-label=${titleOf(option)}>
    <h4>${owner(room, option)}${titleOf(option)}</h4>
    ${cards.map(
      ({
        value,
        card,
        act,
        key,
      }) => html`<button type="button" class="card-button answer-button" data-answer=${value} ?disabled=${busy} @click=${act}>
      ${labels ? faceOf(labels, card) : card}${key ? html` <kbd aria-hidden="true">${key}</kbd>` : nothing}</button>`,
    )}
  </section>`,
  )}</div>`;
}

/**
 * The sign of the seat whose cards they are, where an option names one.
 * @param {Table} room
 * @param {Option} option
 */
function owner(room, option) {
  const { targets = [] } = gestureOf(option);
  const seat = targets
    .flatMap((name) => fixedIn(option.schema.properties[name]))
    .find((each) => room.game.seats.some((place) => place.seat === each));
  return seat ? html`${chip(room, seat)} ` : nothing;
}

/** Return the value of a constant field, in a list; an empty list for any other. @param {Field | undefined} field */
function fixedIn(field) {
  return field && "const" in field ? [/** @type {string} */ (field.const)] : [];
}
