/**
 * The fields of a form: a widget for each kind of value, with its label, its bounds and what is wrong with it.
 * @module
 */

/**
 * @import { ArrayField, At, Field, IntegerField, Json, JsonObject, ObjectField, Path, StringField } from "../types.js"
 * @import { Form } from "./form.js"
 * @import { Fault, Sum } from "./schema.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { live } from "../vendor/directives/live.js";
import { numberButtons } from "./numbers.js";
import {
  between,
  choicesOf,
  withoutUndefined,
  initial,
  isSame,
  isSubset,
  matches,
  summed,
  sums,
  toggled,
} from "./schema.js";

const FEW = 6; // Up to this many choices are shown side by side; more make a list to select from.
const LINE = 80; // A text that may be longer gets several lines.
const NUMBERS = 21; // In a quick form, up to this many numbers are buttons, such as 0 to 20.

/** Draws the fields of a form once. */
export class Fields {
  /**
   * @param {Form} form
   * @param {Fault[]} wrong the faults that are shown beside the fields
   * @param {boolean} [isQuick] whether a few numbers are buttons, which take one click but more room
   */
  constructor(form, wrong, isQuick = false) {
    this.form = form;
    this.isQuick = isQuick;
    this.wrong = new Map(wrong.toReversed().map(({ path, message }) => [path.join("/"), message]));
    /** The descriptions of fields, by path. Schemas of options have none. @type {Map<string, string>} */
    this.hints = new Map();
  }

  /**
   * The fields of an object, and its sums as they stand.
   * @param {ObjectField} schema
   * @param {Path} path
   * @returns {unknown}
   */
  members(schema, path) {
    const prices = schema["x-cost"]?.prices ?? {};
    return html`${Object.entries(schema.properties).map(([name, field]) =>
      this.field(field, [...path, name], this.form.labels.field(name), {
        required: schema.required.includes(name),
        price: prices[name],
      }),
    )}
      ${this.#sums(schema, path)} ${this.#fault(path)}`;
  }

  /**
   * One property, item or text.
   * @param {Field} schema
   * @param {Path} path
   * @param {string} label
   * @param {{required?: boolean, price?: number}} [more]
   * @returns {unknown}
   */
  field(schema, path, label, { required = true, price = undefined } = {}) {
    if (schema.description) this.hints.set(path.join("/"), schema.description);
    if ("const" in schema) return this.#fact(schema.const, path, label, required);
    if ("enum" in schema) return this.#choice(schema.enum, path, label, required);
    switch (schema.type) {
      case "boolean":
        return this.#choice([true, false], path, label, required);
      case "integer":
        return this.#count(schema, path, label, price);
      case "string":
        return this.#text(schema, path, label);
      case "array":
        return isSubset(schema) ? this.#subset(schema, path, label) : this.#list(schema, path, label);
      default:
        return this.#object(schema, path, priced(label, price), required);
    }
  }

  // --- one value ---

  /**
   * @param {Json} value
   * @param {Path} path
   * @param {string} label
   * @param {boolean} required
   */
  #fact(value, path, label, required) {
    if (path.at(-1) === "type" || isNothing(value)) return nothing;
    const fact = html`<span class="name">${label}</span> <span class="value">${this.form.labels.value(value)}</span>`;
    if (required) return html`<p class="fact" data-field=${path.join("/")}>${fact}</p>`;
    const isGiven = this.form.get(path) !== undefined;
    return html`<p class="fact" data-field=${path.join("/")}>
      <label>${this.#box(isGiven, () => this.form.set(path, isGiven ? undefined : structuredClone(value)))} ${fact}</label>
    </p>`;
  }

  /**
   * @param {Json[]} choices
   * @param {Path} path
   * @param {string} label
   * @param {boolean} required
   */
  #choice(choices, path, label, required) {
    const now = this.form.get(path);
    const at = choices.findIndex((choice) => isSame(choice, now));
    /** @param {number} index */
    const choose = (index) => this.form.set(path, index < 0 ? undefined : choices[index]);
    const all = required ? choices.keys() : [-1, ...choices.keys()];
    /** @param {number} index */
    const word = (index) => (index < 0 ? "none" : this.form.labels.value(choices[index]));
    if (choices.length > FEW) return this.#select([...all], at, word, choose, path, label, required);
    const id = this.#id(path);
    return html`<fieldset data-field=${path.join("/")} aria-describedby=${this.#described(path)}>
      <legend>${label}</legend>
      <div class="choices">
        ${[...all].map(
          (index) => html`<label class="choice"
            ><input
              type="radio"
              name=${id}
              value=${index}
              .checked=${live(index === at && (index >= 0 || now === undefined))}
              @change=${() => choose(index)}
            />${word(index)}</label
          >`,
        )}
      </div>
      ${this.#fault(path)}
    </fieldset>`;
  }

  /**
   * @param {Path} path
   * @param {string} label
   * @param {number[]} all
   * @param {number} at
   * @param {(index: number) => string} word
   * @param {(index: number) => void} choose
   * @param {boolean} required
   */
  #select(all, at, word, choose, path, label, required) {
    const id = this.#id(path);
    const sorted = all.toSorted((one, other) => (one < 0 ? -1 : word(one).localeCompare(word(other))));
    return html`<div class="line" data-field=${path.join("/")}>
      <label for=${id}>${label}</label>
      <select
        id=${id}
        .value=${live(`${at}`)}
        aria-invalid=${String(this.wrong.has(path.join("/")))}
        aria-describedby=${this.#described(path)}
        @change=${(/** @type {At<HTMLSelectElement>} */ event) => choose(Number(event.target.value))}
      >
        ${required ? html`<option value="-1" disabled ?selected=${at < 0}>choose …</option>` : nothing}
        ${sorted.map((index) => html`<option value=${index} ?selected=${index === at}>${word(index)}</option>`)}
      </select>
      ${this.#fault(path)}
    </div>`;
  }

  /**
   * @param {IntegerField} field
   * @param {Path} path
   * @param {string} label
   * @param {number | undefined} price
   */
  #count({ minimum, maximum }, path, label, price) {
    const id = this.#id(path);
    const now = /** @type {number | undefined} */ (this.form.get(path));
    const named = priced(label, price);
    if (minimum === maximum) return minimum ? this.#fact(minimum, path, label, true) : nothing;
    if (this.isQuick && maximum - minimum < NUMBERS) {
      const numbers = Array.from({ length: maximum - minimum + 1 }, (_, at) => minimum + at);
      return numberButtons(this.form, path, numbers, named, {
        described: this.#described(path),
        fault: this.#fault(path),
      });
    }
    /**
     * @param {number} to
     * @param {string} sign
     * @param {string} says
     */
    const step = (to, sign, says) => html`<button
      type="button"
      class="step"
      aria-label="${says} ${label}"
      ?disabled=${to < minimum || to > maximum}
      @click=${() => this.form.set(path, to)}
    >${sign}</button>`;
    return html`<div class="line" data-field=${path.join("/")}>
      <label for=${id}>${named}</label>
      <span class="stepper"
        >${step((now ?? 0) - 1, "−", "One less of")}<input
          id=${id}
          type="number"
          inputmode="numeric"
          min=${minimum}
          max=${maximum}
          .value=${live(`${now ?? ""}`)}
          aria-invalid=${String(this.wrong.has(path.join("/")))}
          aria-describedby="${id}-range ${this.#described(path)}"
          @input=${(/** @type {At<HTMLInputElement>} */ event) => this.form.set(path, wholeNumber(event.target))}
        />${step((now ?? 0) + 1, "+", "One more of")}</span
      >
      <span class="quiet" id="${id}-range">of ${maximum}${minimum > 0 ? `, at least ${minimum}` : ""}</span>
      ${this.#fault(path)}
    </div>`;
  }

  /**
   * @param {StringField} field
   * @param {Path} path
   * @param {string} label
   */
  #text({ maxLength }, path, label) {
    const id = this.#id(path);
    const now = /** @type {string} */ (this.form.get(path) ?? "");
    /** @param {At<HTMLInputElement>} event */
    const typed = (event) => this.form.set(path, event.target.value);
    const described = `${id}-left ${this.#described(path)}`;
    return html`<div class="line text" data-field=${path.join("/")}>
      <label for=${id}>${label}</label>
      ${
        maxLength > LINE
          ? html`<textarea id=${id} rows="3" .value=${live(now)} aria-describedby=${described} @input=${typed}></textarea>`
          : html`<input id=${id} type="text" .value=${live(now)} aria-describedby=${described} @input=${typed} />`
      }
      <span class="quiet" id="${id}-left">${[...now].length} of ${maxLength} characters</span>
      ${this.#fault(path)}
    </div>`;
  }

  // --- several ---

  /**
   * @param {ArrayField} schema
   * @param {Path} path
   * @param {string} label
   */
  #subset(schema, path, label) {
    const now = /** @type {Json[]} */ (this.form.get(path) ?? []);
    const choices = choicesOf(schema.items);
    const needed = schema.contains?.enum ?? [];
    /**
     * @param {Json} item
     * @param {Json[]} list
     */
    const isIn = (list, item) => list.some((other) => isSame(other, item));
    if (!choices.length) return nothing;
    return html`<fieldset data-field=${path.join("/")} aria-describedby=${this.#described(path)}>
      <legend>${label} <span class="quiet">${now.length} chosen, ${between(schema.minItems, schema.maxItems)}</span></legend>
      <div class="choices">
        ${choices.map((item, index) => {
          const fixed = isIn(needed, item) && isIn(now, item);
          const toggle = () => this.form.set(path, toggled(schema, now, item));
          return html`<label class="choice">${this.#box(isIn(now, item), toggle, `${index}`, fixed)}${this.form.labels.value(item)}</label>`;
        })}
      </div>
      ${this.#fault(path)}
    </fieldset>`;
  }

  /**
   * @param {ArrayField} schema
   * @param {Path} path
   * @param {string} label
   */
  #list(schema, path, label) {
    const now = /** @type {Json[]} */ (this.form.get(path) ?? []);
    /** @param {Json[]} items */
    const put = (items) => this.form.set(path, items);
    return html`<fieldset data-field=${path.join("/")}>
      <legend>${label}</legend>
      ${now.map((_, index) => this.field(schema.items, [...path, index], `${label} ${index + 1}`))}
      <div class="buttons">
        ${
          now.length < schema.maxItems
            ? html`<button type="button" @click=${() => put([...now, initial(schema.items)])}>Add one</button>`
            : nothing
        }
        ${
          now.length > schema.minItems
            ? html`<button type="button" @click=${() => put(now.slice(0, -1))}>Remove the last</button>`
            : nothing
        }
      </div>
      ${this.#fault(path)}
    </fieldset>`;
  }

  /**
   * @param {ObjectField} schema
   * @param {Path} path
   * @param {string} label
   * @param {boolean} required
   * @returns {unknown}
   */
  #object(schema, path, label, required) {
    const isGiven = this.form.get(path) !== undefined;
    if (required && !Object.keys(schema.properties).length) return nothing;
    if (!required && !Object.keys(schema.properties).length && isGiven) return nothing;
    const put = () => this.form.set(path, isGiven ? undefined : (initial(schema) ?? {}));
    return html`<fieldset data-field=${path.join("/")}>
      <legend>${required || isPlain(schema) ? label : html`<label>${this.#box(isGiven, put)} ${label}</label>`}</legend>
      ${isGiven ? this.members(schema, path) : this.#fault(path)}
    </fieldset>`;
  }

  /**
   * @param {boolean} checked
   * @param {() => void} toggle
   */
  #box(checked, toggle, value = "on", disabled = false) {
    return html`<input type="checkbox" value=${value} .checked=${live(checked)} ?disabled=${disabled} @change=${toggle} />`;
  }

  // --- notes on a field ---

  /**
   * @param {ObjectField} schema
   * @param {Path} path
   */
  #sums(schema, path) {
    const value = /** @type {JsonObject} */ (withoutUndefined(this.form.get(path)));
    if (!["x-total", "x-cost", "x-sum"].some((name) => name in schema)) return nothing;
    return sums(schema, value, this.form.labels.field).map(
      (sum) => html`<p class="sum ${sum.message ? "off" : ""}">${this.#sum(schema, sum)}</p>`,
    );
  }

  /**
   * @param {ObjectField} schema
   * @param {Sum} sum
   */
  #sum(schema, { amount, maximum, cost, names, range }) {
    if (cost) return maximum === Infinity ? `Worth: ${amount}, ${range}` : `Cost: ${amount} of ${maximum}`;
    return `${summed(schema, names, this.form.labels.field)}: ${amount}, ${range}`;
  }

  /** @param {Path} path */
  #fault(path) {
    const [id, hint] = [this.#id(path), this.hints.get(path.join("/"))];
    return html`${hint ? html`<span class="hint" id="${id}-hint">${hint}</span>` : nothing}
      <span class="fault" id="${id}-fault">${this.wrong.get(path.join("/")) ?? ""}</span>`;
  }

  /** The ids of the notes on a field. @param {Path} path */
  #described(path) {
    const id = this.#id(path);
    return this.hints.has(path.join("/")) ? `${id}-hint ${id}-fault` : `${id}-fault`;
  }

  /** @param {Path} path */
  #id(path) {
    return `${this.form.id}-${path.join("-")}`;
  }
}

/**
 * Tell whether the value with which a form begins is valid for an object: then it has no box to leave it out.
 * @param {Field} schema
 */
function isPlain(schema) {
  return matches(schema, withoutUndefined(initial(schema)));
}

/**
 * @param {string} label
 * @param {number | undefined} price
 */
function priced(label, price) {
  return price === undefined ? label : `${label}, ${price} each`;
}

/** @param {Json} value */
function isNothing(value) {
  return value === 0 || value === "" || (typeof value === "object" && value !== null && !Object.keys(value).length);
}

/** Return the whole number in an input; undefined while there is none. @param {HTMLInputElement} input */
function wholeNumber(input) {
  return /^-?\d+$/.test(input.value) ? Number(input.value) : undefined;
}
