/**
 * A number as buttons: one click is enough, and nothing is chosen before.
 * @module
 */

import { html, nothing } from "../vendor/lit-html.js";
import { live } from "../vendor/directives/live.js";
import { gestureOf } from "./gestures.js";

const MOST = 13; // So many numbers are buttons; of more, a slider chooses.

/** The numbers that a field can be, when they are few; undefined otherwise. */
export function fewNumbers({ enum: values, minimum, maximum }) {
  const number = values?.length ?? maximum - minimum + 1;
  return number > MOST ? undefined : (values ?? Array.from({ length: number }, (_, at) => minimum + at));
}

/** The fields of a bid of which nothing is the lowest of a few numbers: none of them is meant before one was chosen. */
export function openNumbers(option) {
  const { as, counts = [] } = gestureOf(option);
  const isOpen = ({ type, minimum, maximum }) => type === "integer" && minimum === 0 && maximum > 0 && fewNumbers({ minimum, maximum });
  return as === "bid" ? counts.filter((name) => isOpen(option.schema.properties[name])) : [];
}

/** Radio buttons, so arrows change the number; they have the name of the field, as those of a form do. */
export function numbers(form, field, name) {
  const label = form.labels.field(name);
  const now = form.get([name]);
  // Of an enumeration, a form has the places.
  const place = (number, at) => (field.enum ? at : number);
  return html`<div class="line numbers" role="radiogroup" data-field=${name} aria-label=${label}>
    <span class="name" aria-hidden="true">${label}</span>
    <span class="row">${fewNumbers(field).map((number, at) => html`<label
      ><input type="radio" name="number-${name}" value=${place(number, at)} .checked=${live(number === now)} @change=${() => form.set([name], number)} /><span>${number}</span></label>`)}</span>
    ${now === undefined && form.asked ? html`<span class="fault">Choose a number.</span>` : nothing}
  </div>`;
}
