/**
 * A shop: each thing with its sign, its price and how many are left, those that are sold out as well.
 * @module
 */

/**
 * @import { Form } from "../forms/form.js"
 * @import { Labels } from "../forms/labels.js"
 * @import { At, IntegerField, Path } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { live } from "../vendor/directives/live.js";
import { glyph } from "../parts/shelf.js";

/**
 * @param {Form} form
 * @param {{path: string[], name: string, field: IntegerField}[]} counts
 * @param {{prices?: Record<string, number>, unit?: string, left?: Record<string, number>}} cost as `x-cost` says it
 * @param {number} remains how much the seat can still pay
 * @param {(form: Form, path: Path, value: number) => void} put sets a count
 */
export function shop(form, counts, { prices = {}, unit = "", left = {} }, remains, put) {
  const offered = new Set(counts.map(({ path }) => path[0]));
  const gone = Object.keys(left).filter((name) => !left[name] && !offered.has(name));
  return html`<ul class="shop">
    ${counts.map(({ path, name, field }) => {
      const now = /** @type {number} */ (form.get(path) ?? 0);
      const label = form.labels.field(name);
      const price = prices[path[0]];
      const isOut = now >= field.maximum || (price ?? 0) > remains;
      return html`<li class=${now ? "bought" : ""} data-goods=${path.join("/")}>
        <span class="what">${sign(form.labels, path[0])}${label}</span>
        <span class="quiet">${price === undefined ? nothing : html`${unit ? form.labels.counted(price, unit) : price}, `}${(left[path[0]] ?? field.maximum) - now} left</span>
        <span class="stepper"><button type="button" class="step" aria-label="One less of ${label}" ?disabled=${now <= field.minimum} @click=${() => put(form, path, now - 1)}>−</button
          ><input type="number" inputmode="numeric" aria-label=${label} min=${field.minimum} max=${field.maximum} .value=${live(`${now}`)}
            @change=${(/** @type {At<HTMLInputElement>} */ event) => put(form, path, Math.min(Math.max(Math.round(Number(event.target.value)) || 0, field.minimum), field.maximum))} /
          ><button type="button" class="step" aria-label="One more of ${label}" ?disabled=${isOut} @click=${() => put(form, path, now + 1)}>+</button></span>
      </li>`;
    })}
    ${gone.map((name) => html`<li class="sold-out" data-sold-out=${name}><span class="what">${sign(form.labels, name)}${form.labels.field(name)}</span> <span class="quiet">sold out</span></li>`)}
  </ul>`;
}

/**
 * @param {Labels} labels
 * @param {string} name
 */
function sign(labels, name) {
  const kind = labels.kind(name);
  return kind ? html`${glyph(kind)} ` : nothing;
}
