/**
 * Options that are called the same: what each of them has that the others have not.
 * @module
 */

import { isSame } from "../forms/schema.js";
import { titleOf } from "../state/commands.js";

/**
 * Return what an option is called among others that can be chosen in its place: its title, and where others have the
 * same one, the pieces and places that tell it from them.
 * @param {object} option
 * @param {object[]} options
 * @param {import("../forms/labels.js").Labels} labels
 */
export function titleAmong(option, options, labels) {
  const title = titleOf(option);
  const others = options.filter((other) => other !== option && titleOf(other) === title);
  const own = Object.entries(option.schema.properties)
    .filter(([name, field]) => others.some(({ schema }) => !isSame(valuesOf(schema.properties[name]), valuesOf(field))))
    .flatMap(([, field]) => valuesOf(field));
  const words = own.map((value) => (typeof value === "object" ? amountOf(value, labels) : labels.value(value)));
  return words.length ? `${title}: ${words.join(", ")}` : title;
}

/** What can be chosen in a field; a number of pieces as `{name, maximum}`. */
function valuesOf(field) {
  if (!field) return [];
  const { type, items, properties = {}, maximum } = field;
  if ("const" in field) return [field.const];
  if (type === "array") return valuesOf(items);
  if (type === "integer") return maximum ? [{ maximum }] : [];
  if (type === "object") return Object.entries(properties).flatMap(([name, each]) => valuesOf(each).map((value) => ({ name, ...value })));
  return field.enum ?? [];
}

function amountOf({ name, maximum }, labels) {
  return name ? `up to ${labels.amount(maximum, name)}` : `up to ${maximum}`;
}
