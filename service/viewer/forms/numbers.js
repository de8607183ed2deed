/**
 * A number as buttons: one click is enough.
 * @module
 */

/**
 * @import { At, Path } from "../types.js"
 * @import { Form } from "./form.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { live } from "../vendor/directives/live.js";

/**
 * Return radio buttons for the numbers: arrow keys change the number, a digit sets it.
 * @param {Form} form
 * @param {Path} path of the field
 * @param {number[]} numbers that it can be
 * @param {string} label
 * @param {{isPlaced?: boolean, described?: unknown, fault?: unknown}} [more] whether the buttons have the indexes of
 *   the numbers as their values, as in an enumeration; the ids of the notes on the field, and the notes
 */
export function numberButtons(
  form,
  path,
  numbers,
  label,
  { isPlaced = false, described = /** @type {unknown} */ (nothing), fault = /** @type {unknown} */ (nothing) } = {},
) {
  const [id, now] = [`${form.id}-${path.join("-")}`, form.get(path)];
  /** @param {number} number */
  const place = (number) => (isPlaced ? numbers.indexOf(number) : number);
  /** @param {number} number */
  const set = (number) => form.set(path, number);
  /** @param {At<HTMLElement, KeyboardEvent>} event */
  const key = (event) => {
    const number = Number(event.key);
    if (!/^\d$/.test(event.key) || !numbers.includes(number) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    set(number);
    event.currentTarget.querySelector(/** @type {"input"} */ (`[value="${place(number)}"]`))?.focus();
  };
  return html`<div class="line numbers" role="radiogroup" data-field=${path.join("/")} aria-labelledby="${id}-name" aria-describedby=${described} @keydown=${key}>
    <span class="name" id="${id}-name">${label}</span>
    <span class="row">${numbers.map(
      (number) => html`<label
      ><input type="radio" name=${id} value=${place(number)} .checked=${live(number === now)} @change=${() => set(number)} /><span>${number}</span></label>`,
    )}</span>
    ${fault}
  </div>`;
}
