/**
 * The control of a command: a division, a shop, a bid or a hand, as `as` in `x-gesture` says, otherwise fields. All of
 * them fill in the same form.
 * @module
 */

/**
 * @import { Form } from "../forms/form.js"
 * @import { At, Field, IntegerField, Json, JsonObject, ObjectField, Option, Path, Subset } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { Fields } from "../forms/fields.js";
import { numberButtons } from "../forms/numbers.js";
import { choicesOf, withoutUndefined, isFixed, isSame, isSubset, sums, toggled } from "../forms/schema.js";
import { gestureOf } from "../moves/gestures.js";
import { hand } from "./hand.js";
import { fewNumbers, numbersOf } from "../moves/numbers.js";
import { shop } from "./shop.js";

/**
 * The control of the form that is open.
 * @param {Form} form
 * @param {Option} option
 * @param {Set<string>} decided the fields that were decided by pointing
 */
export function control(form, option, decided) {
  const { as, cards = [] } = gestureOf(option);
  const names = Object.keys(option.schema.properties).filter((name) => name !== "type" && !decided.has(name));
  const open = names.filter(
    (name) => !isFixed(option.schema.properties[name]) || !option.schema.required.includes(name),
  );
  const drawn = { division, purchase, bid, hand: undefined }[as ?? "hand"];
  if (drawn) return drawn(form, option, open);
  return html`${open.filter((name) => cards.includes(name)).map((name) => hand(form, option.schema.properties[name], [name], put))}
    ${others(
      form,
      option,
      open.filter((name) => !cards.includes(name)),
    )}`;
}

/**
 * @param {Form} form
 * @param {Option} option
 * @param {string[]} names
 */
function others(form, option, names) {
  const fields = new Fields(form, form.isValidated ? form.faults : [], true);
  const price = option.schema["x-cost"]?.prices ?? {};
  const { required, properties } = option.schema;
  const drawn = names.map((name) =>
    fields.field(properties[name], [name], form.labels.field(name), {
      required: required.includes(name),
      price: price[name],
    }),
  );
  return drawn.length ? html`<div class="fields">${drawn}</div>` : nothing;
}

/**
 * The counts among some fields, those of objects as well.
 * @param {ObjectField} schema
 * @param {string[]} names
 * @param {string[]} [path] of the object that has them
 * @returns {{path: string[], name: string, field: IntegerField}[]}
 */
function countsOf(schema, names, path = []) {
  return names.flatMap((name) => {
    const field = schema.properties[name];
    if (field?.type === "integer") return [{ path: [...path, name], name, field }];
    return field?.type === "object" ? countsOf(field, Object.keys(field.properties), [...path, name]) : [];
  });
}

/**
 * Set a count. Objects that hold it and are missing are made.
 * @param {Form} form
 * @param {Path} path
 * @param {number} value
 */
function put(form, path, value) {
  for (let at = 1; at < path.length; at += 1)
    if (form.get(path.slice(0, at)) === undefined) form.set(path.slice(0, at), {});
  form.set(path, value);
}

// --- a division: tokens on two sides ---

/**
 * @param {Form} form
 * @param {Option} option
 * @param {string[]} names
 */
function division(form, option, names) {
  const counts = countsOf(option.schema, names).filter(({ field }) => field.maximum > 0);
  const sets = names.filter((name) => isSubset(option.schema.properties[name]));
  const rest = names.filter((name) => !sets.includes(name) && !counts.some(({ path }) => path[0] === name));
  /** @param {boolean} chosen */
  const side = (chosen) => html`<div class="side" role="group" aria-label=${chosen ? "Chosen" : "Not chosen"}>
    <h4>${chosen ? "Chosen" : "Not chosen"}</h4>
    ${counts.map(({ path, name, field }) => {
      const now = /** @type {number} */ (form.get(path) ?? 0);
      const label = form.labels.field(name);
      const isHeld = chosen && now <= field.minimum;
      return tokens(path, chosen ? now : field.maximum - now, label, chosen, isHeld, () =>
        put(form, path, now + (chosen ? -1 : 1)),
      );
    })}
    ${sets.map((name) => {
      const field = /** @type {Subset} */ (option.schema.properties[name]);
      const now = /** @type {Json[]} */ (form.get([name]) ?? []);
      return choicesOf(field.items)
        .filter((item) => now.some((other) => isSame(other, item)) === chosen)
        .map((item) =>
          tokens([name, `${item}`], 1, form.labels.value(item), chosen, false, () =>
            form.set([name], toggled(field, now, item)),
          ),
        );
    })}
  </div>`;
  return html`<div class="division">${side(false)}${side(true)}</div>
    ${totals(form, option)} ${others(form, option, rest)}`;
}

/**
 * @param {Path} path
 * @param {number} number
 * @param {string} label
 * @param {boolean} isChosen
 * @param {boolean} isHeld
 * @param {() => void} move
 */
function tokens(path, number, label, isChosen, isHeld, move) {
  if (number < 1) return nothing;
  return html`<button type="button" class="token-button" data-token=${path.join("/")} data-number=${number} ?disabled=${isHeld} @click=${move}
    aria-label="${isChosen ? "Put back" : "Choose"} one ${label}; ${number} here">${number > 1 ? html`<strong>${number}</strong> ` : nothing}${label} ${isChosen ? "←" : "→"}</button>`;
}

/**
 * @param {Form} form
 * @param {Option} option
 */
function totals(form, option) {
  const value = withoutUndefined(form.value);
  /** @type {[ObjectField, JsonObject][]} */
  const objects = [[option.schema, value]];
  for (const [name, field] of Object.entries(option.schema.properties)) {
    if (field.type === "object" && value[name]) objects.push([field, /** @type {JsonObject} */ (value[name])]);
  }
  return objects.flatMap(([schema, part]) =>
    sums(schema, part, form.labels.field)
      .filter(({ cost }) => !cost)
      .map(
        ({ amount, range, message }) =>
          html`<p class="sum ${message && (amount || form.isValidated) ? "off" : ""}">${amount} chosen, ${range}</p>`,
      ),
  );
}

// --- a purchase: a shop ---

/**
 * @param {Form} form
 * @param {Option} option
 * @param {string[]} names
 */
function purchase(form, option, names) {
  const counts = countsOf(option.schema, names).filter(({ field }) => field.maximum > 0);
  const rest = names.filter(
    (name) => !counts.some(({ path }) => path[0] === name) && option.schema.properties[name].type !== "integer",
  );
  const cost = sums(option.schema, withoutUndefined(form.value), form.labels.field).find((sum) => sum.cost);
  const price = option.schema["x-cost"] ?? { prices: {} };
  const left = cost && cost.maximum !== Infinity ? cost.maximum - cost.amount : Infinity;
  return html`${shop(form, counts, price, left, put)}
    ${others(form, option, rest)}
    ${cost ? html`<p class="sum ${cost.message ? "off" : ""}">Costs ${cost.amount}${left === Infinity ? nothing : html` of ${cost.maximum}`}${price.unit ? ` ${price.unit}` : ""}${left === Infinity ? nothing : `: ${left} left`}</p>` : nothing}
    ${totals(form, option).length ? totals(form, option) : nothing}`;
}

// --- a bid ---

/**
 * @param {Form} form
 * @param {Option} option
 * @param {string[]} names
 */
function bid(form, option, names) {
  /** @param {Field} field */
  const isNumber = (field) => field.type === "integer" || ("enum" in field && field.enum.every(Number.isInteger));
  const numbers = names.filter((name) => isNumber(option.schema.properties[name]));
  return html`${numbers.map((name) => {
    const field = option.schema.properties[name];
    const few = fewNumbers(field);
    if (few) {
      const fault =
        form.get([name]) === undefined && form.isValidated
          ? html`<span class="fault">Choose a number.</span>`
          : nothing;
      return numberButtons(form, [name], few, form.labels.field(name), { isPlaced: "enum" in field, fault });
    }
    const steps = numbersOf(field);
    const at = Math.max(steps.indexOf(/** @type {number} */ (form.get([name]))), 0);
    const label = form.labels.field(name);
    return html`<label class="bid" data-bid=${name}>${label}
        <input type="range" min="0" max=${steps.length - 1} .value=${`${at}`} aria-valuetext=${`${steps[at]}`}
          @input=${(/** @type {At<HTMLInputElement>} */ event) => form.set([name], steps[Number(event.target.value)])} />
        <output>${steps[at]}</output> <span class="quiet">from ${steps[0]} to ${steps.at(-1)}</span></label>`;
  })}
    ${others(
      form,
      option,
      names.filter((name) => !numbers.includes(name)),
    )}`;
}
