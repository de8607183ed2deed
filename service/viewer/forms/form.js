/**
 * A form for an option: fields made from its schema, the value that they make, and what is still wrong with it.
 * @module
 */

/**
 * @import { ArrayField, At, Command, EnumField, Field, Json, JsonObject, ObjectField, Path } from "../types.js"
 * @import { TemplateResult } from "../vendor/lit-html.js"
 * @import { Labels } from "./labels.js"
 * @import { Fault } from "./schema.js"
 */

import { html } from "../vendor/lit-html.js";
import { Fields } from "./fields.js";
import { areasOf, faults, withoutUndefined, initial, isSubset, toggled } from "./schema.js";

/** A form being filled in. */
export class Form {
  #focused = "";

  /**
   * @param {ObjectField} schema of an option
   * @param {string} id a prefix for the ids of its elements
   * @param {Labels} labels
   * @param {() => void} changed is called when the value or the form has changed
   */
  constructor(schema, id, labels, changed) {
    this.schema = schema;
    this.id = id;
    this.labels = labels;
    this.changed = changed;
    this.value = /** @type {JsonObject} */ (initial(schema));
    /** Whether the player has tried to send it: from then on each field says what is wrong with it. */
    this.isValidated = false;
    /** The name of the field that was changed last. */
    this.latest = "";
  }

  /** The command as it is filled in now. */
  get command() {
    return /** @type {Command} */ (withoutUndefined(this.value));
  }

  /** @returns {Fault[]} what is wrong with it, the first thing first */
  get faults() {
    return [...faults(this.schema, this.command, this.labels)];
  }

  /** Show what is wrong beside each field; return whether nothing is. */
  validate() {
    this.isValidated = true;
    this.changed();
    return !this.faults.length;
  }

  /** @param {Path} path */
  get(path) {
    /** @type {Json} */
    let value = this.value;
    for (const name of path) value = /** @type {JsonObject | undefined} */ (value)?.[name];
    return value;
  }

  /**
   * @param {Path} path
   * @param {Json} value
   */
  set(path, value) {
    const holder = /** @type {JsonObject} */ (this.get(path.slice(0, -1)));
    const name = path[path.length - 1];
    this.latest = `${name}`;
    if (value === undefined && !Array.isArray(holder)) delete holder[name];
    else holder[name] = value;
    this.changed();
  }

  /** Replace the whole value. @param {JsonObject} value */
  fill(value) {
    this.value = value;
    this.changed();
  }

  /** The fields in which areas are chosen. @returns {{path: Path, schema: EnumField | ArrayField}[]} */
  get areaFields() {
    return [...this.#areaFields(this.schema, [])];
  }

  /**
   * @param {Field} schema
   * @param {Path} path
   * @returns {Generator<{path: Path, schema: EnumField | ArrayField}, void>}
   */
  *#areaFields(schema, path) {
    if ("enum" in schema || isSubset(schema)) {
      const choices = areasOf({ schema });
      if (choices.length > 1 && choices.every(this.labels.isArea)) yield { path, schema };
    } else if (schema.type === "object") {
      for (const [name, field] of Object.entries(schema.properties)) yield* this.#areaFields(field, [...path, name]);
    } else if (schema.type === "array") {
      const items = /** @type {Json[] | undefined} */ (this.get(path)) ?? [];
      for (const index of items.keys()) yield* this.#areaFields(schema.items, [...path, index]);
    }
  }

  /**
   * Choose an area in a field that offers it: the focused one, else one without a value, else the last. Returns whether
   * any field offers it.
   * @param {string} area
   */
  pick(area) {
    const fitting = this.areaFields.filter(({ schema }) => areasOf({ schema }).includes(area));
    const chosen =
      fitting.find(({ path }) => path.join("/") === this.#focused) ??
      fitting.find(({ path }) => this.get(path) === undefined) ??
      fitting.at(-1);
    if (!chosen) return false;
    this.set(
      chosen.path,
      isSubset(chosen.schema)
        ? toggled(chosen.schema, /** @type {Json[] | undefined} */ (this.get(chosen.path)) ?? [], area)
        : area,
    );
    return true;
  }

  /** The fields. @returns {TemplateResult} */
  render() {
    const fields = new Fields(this, this.isValidated ? this.faults : []);
    return html`<div
      class="fields"
      @focusin=${(/** @type {At<Element>} */ event) => (this.#focused = event.target.closest("[data-field]")?.getAttribute("data-field") ?? "")}
    >
      ${fields.members(this.schema, [])}
    </div>`;
  }
}
