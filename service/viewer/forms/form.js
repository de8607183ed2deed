/**
 * A form for an option: fields made from its schema, the value that they make, and what is still wrong with it.
 * @module
 */

import { html } from "../vendor/lit-html.js";
import { Fields } from "./fields.js";
import { choicesOf, faults, given, initial, isSubset, toggled } from "./schema.js";

/** A form being filled in. */
export class Form {
  #focused = "";

  /**
   * @param {object} schema of an option
   * @param {string} id a prefix for the ids of its elements
   * @param {import("./labels.js").Labels} labels
   * @param {() => void} changed is called when the value or the form has changed
   */
  constructor(schema, id, labels, changed) {
    this.schema = schema;
    this.id = id;
    this.labels = labels;
    this.changed = changed;
    this.value = initial(schema);
    /** Whether somebody wanted to send it: from then on each field says what is wrong with it. */
    this.asked = false;
    /** The name of the field that was changed last. */
    this.latest = "";
  }

  /** The command as it stands. */
  get command() {
    return given(this.value);
  }

  /** @returns {import("./schema.js").Fault[]} what is wrong with it, the first thing first */
  get faults() {
    return [...faults(this.schema, this.command, this.labels)];
  }

  /** Say what is wrong beside each field; return whether nothing is. */
  ask() {
    this.asked = true;
    this.changed();
    return !this.faults.length;
  }

  get(path) {
    return path.reduce((value, name) => value?.[name], this.value);
  }

  set(path, value) {
    const holder = this.get(path.slice(0, -1));
    const name = path.at(-1);
    this.latest = name;
    if (value === undefined && !Array.isArray(holder)) delete holder[name];
    else holder[name] = value;
    this.changed();
  }

  /** The fields in which areas are chosen. @returns {{path: (string | number)[], schema: object}[]} */
  get areaFields() {
    return [...this.#areaFields(this.schema, [])];
  }

  *#areaFields(schema, path) {
    const choices = isSubset(schema) ? choicesOf(schema.items) : (schema.enum ?? []);
    if (choices.length > 1 && choices.every(this.labels.isArea)) yield { path, schema };
    for (const [name, field] of Object.entries(schema.properties ?? {})) yield* this.#areaFields(field, [...path, name]);
    if (schema.type !== "array" || isSubset(schema)) return;
    for (const index of (this.get(path) ?? []).keys()) yield* this.#areaFields(schema.items, [...path, index]);
  }

  /** Choose an area, as if it was chosen in the field that it belongs to. Returns whether there was one. */
  pick(area) {
    const fitting = this.areaFields.filter(({ schema }) => choicesOf(schema.items ?? schema).includes(area));
    const chosen =
      fitting.find(({ path }) => path.join("/") === this.#focused) ??
      fitting.find(({ path }) => this.get(path) === undefined) ??
      fitting.at(-1);
    if (!chosen) return false;
    this.set(chosen.path, isSubset(chosen.schema) ? toggled(chosen.schema, this.get(chosen.path) ?? [], area) : area);
    return true;
  }

  /** The fields. @returns {import("../vendor/lit-html.js").TemplateResult} */
  render() {
    const fields = new Fields(this, this.asked ? this.faults : []);
    return html`<div
      class="fields"
      @focusin=${(event) => (this.#focused = event.target.closest("[data-field]")?.dataset.field ?? "")}
    >
      ${fields.members(this.schema, [])}
    </div>`;
  }
}
