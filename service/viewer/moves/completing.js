/**
 * What a gesture leaves open of a command: the value with which its control begins, and the choices that one click
 * makes.
 * @module
 */

/**
 * @import { Json, JsonObject, Option } from "../types.js"
 * @import { Meant } from "./gestures.js"
 */

import { choicesOf, withoutUndefined, initial, isFixed, isSame, matches } from "../forms/schema.js";
import { alongIn, begun, lately, something } from "./along.js";
import { filled, limited } from "./filling.js";
import { chosenIn, gestureOf, pointedFields } from "./gestures.js";
import { firstOf, mostOf } from "./meaning.js";

const FEW = 6; // The last field has a button for each value if there are no more than this.

/**
 * Return the command that a gesture means, as its control begins with it.
 * @param {Meant} meant
 * @param {JsonObject | null} chosen what comes along, where the player chose it before
 */
export function completed({ option, fix }, chosen) {
  const { schema } = option;
  const names = chosenIn(option).filter((name) => !(name in fix));
  if (chosen) {
    const value = {
      .../** @type {JsonObject} */ (initial(schema)),
      ...structuredClone(fix),
      ...Object.fromEntries(
        names.filter((name) => name in schema.properties && name in chosen).map((name) => [name, chosen[name]]),
      ),
    };
    if (matches(schema, withoutUndefined(value))) return value;
  }
  const value = { .../** @type {JsonObject} */ (initial(schema)), ...structuredClone(fix) };
  for (const name of names) value[name] ??= firstOf(schema.properties[name]);
  return limited(schema, begun(option, value, names), chosenIn(option));
}

/**
 * Tell whether a command takes along exactly what was chosen.
 * @param {JsonObject} value of the command
 * @param {JsonObject} chosen
 */
export function takesExactly(value, chosen) {
  const sent = withoutUndefined(value);
  return Object.keys(chosen).every((name) => isSame(something(sent[name]), something(chosen[name])));
}

/**
 * Return a value that takes along all that can come, or as little as must.
 * @param {Option} option
 * @param {JsonObject} value
 * @param {Meant[]} meant what the gesture can mean: the fields that it decides stay as they are
 * @param {boolean} all
 */
export function taken(option, value, meant, all) {
  const decided = new Set(meant.flatMap(({ fix }) => Object.keys(fix)));
  return filled(
    option.schema,
    value,
    chosenIn(option).filter((name) => !decided.has(name)),
    all,
  );
}

/**
 * Return the kinds of things that can come along alone, each with a value in which nothing else does.
 * @param {Option} option
 * @param {JsonObject} value
 */
export function alone(option, value) {
  const { counts = [] } = gestureOf(option);
  const names = counts.filter((name) => mostOf(option, name) > 0);
  if (names.length < 2) return [];
  const least = filled(option.schema, value, names, false);
  const choices = names.map((name) => ({
    name,
    value: { ...least, ...Object.fromEntries(names.map((other) => [other, 0])), [name]: mostOf(option, name) },
  }));
  return choices.filter((choice) => matches(option.schema, withoutUndefined(ended(option, choice.value))));
}

/**
 * Return the values that take along again what came lately, if that differs from `value`, from all and from the least.
 * @param {Option} option
 * @param {JsonObject} value
 * @param {Meant[]} meant as in `taken`
 */
export function again(option, value, meant) {
  const others = [value, taken(option, value, meant, true), taken(option, value, meant, false)].map((each) =>
    something(alongIn(option, each)),
  );
  return lately(option, ended(option, value))
    .map((along) => ({ ...value, ...along }))
    .filter((each) => !others.some((other) => isSame(other, something(alongIn(option, each)))));
}

/**
 * Return the value of a gesture as if it had ended: if the command still needs an end, it gets the first possible one.
 * @param {Option} option
 * @param {JsonObject} value
 */
function ended(option, value) {
  const { schema } = option;
  const { to } = gestureOf(option);
  return to && to in schema.properties ? { ...value, [to]: value[to] ?? choicesOf(schema.properties[to])?.[0] } : value;
}

/**
 * Return the only field that is still open when pointing and what comes along are decided, with its values; null when
 * there is no such field, or when one button for each value would be too many.
 * @param {Option} option
 * @param {string[]} areas where the gesture begins and ends: only pieces that are there can be chosen
 */
export function lastField(option, areas) {
  const { as, pieces = [], counts = [], cards = [], places = {} } = gestureOf(option);
  if (as) return null;
  const { properties, required } = option.schema;
  /** @param {string} name */
  const isPiece = (name) => choicesOf(properties[name]).some((value) => `${value}` in places);
  const decided = [
    ...pointedFields(option).filter((name) => name in properties && !isPiece(name)),
    ...pieces,
    ...counts,
    "type",
  ];
  const open = Object.keys(properties).filter((name) => !decided.includes(name) && !isFixed(properties[name]));
  const [name] = open;
  if (open.length !== 1 || cards.includes(name)) return null;
  const field = properties[name];
  // A field that may be left out has one more value: nothing. Of a boolean, that is the same as no.
  if (!required.includes(name) && field.type !== "boolean") return null;
  const isThere = (/** @type {Json} */ value) => !(`${value}` in places) || areas.includes(places[`${value}`]);
  const values = field.type === "boolean" ? [true, false] : "enum" in field ? field.enum.filter(isThere) : [];
  return values.length > 1 && values.length <= FEW ? { name, values } : null;
}
