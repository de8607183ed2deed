/**
 * Options with the same title, and how each of them differs from the others.
 * @module
 */

/**
 * @import { Labels } from "../forms/labels.js"
 * @import { Field, Json, JsonObject, Option } from "../types.js"
 */

import { isSame } from "../forms/schema.js";
import { titleOf } from "../state/options.js";

/**
 * Return what an option is called among others that can be chosen in its place: its title, and where others have the
 * same one, the pieces and places that tell it from them.
 * @param {Option} option
 * @param {Option[]} options
 * @param {Labels} labels
 */
export function titleAmong(option, options, labels) {
  const title = titleOf(option);
  const others = options.filter((other) => other !== option && titleOf(other) === title);
  const own = Object.entries(option.schema.properties)
    .filter(([name, field]) => others.some(({ schema }) => !isSame(valuesOf(schema.properties[name]), valuesOf(field))))
    .flatMap(([, field]) => valuesOf(field));
  const words = own.map((value) =>
    typeof value === "object" ? amountOf(/** @type {Many} */ (value), labels) : labels.value(value),
  );
  return words.length ? `${title}: ${words.join(", ")}` : title;
}

/**
 * How many there can be of something.
 * @typedef {{name?: string, maximum: number}} Many
 */

/** What can be chosen in a field; a number of pieces as `{name, maximum}`. @param {Field | undefined} field @returns {Json[]} */
function valuesOf(field) {
  if (!field) return [];
  if ("const" in field) return [field.const];
  if ("enum" in field) return field.enum;
  if (field.type === "array") return valuesOf(field.items);
  if (field.type === "integer") return field.maximum ? [{ maximum: field.maximum }] : [];
  if (field.type !== "object") return [];
  const members = Object.entries(field.properties);
  return members.flatMap(([name, each]) =>
    valuesOf(each).map((value) => ({ name, .../** @type {JsonObject} */ (value) })),
  );
}

/**
 * @param {Many} many
 * @param {Labels} labels
 */
function amountOf({ name, maximum }, labels) {
  return name ? `up to ${labels.amount(maximum, name)}` : `up to ${maximum}`;
}
