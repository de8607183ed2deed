/**
 * Options are JSON Schemas of exactly the commands that would be accepted now, with three keywords of our own
 * (`openapi/README.md`): test a command against them, list the small ones, draw from the large ones.
 */

import type { Command, Option, Schema } from "./types.js";

type Value = unknown;
type Members = { [name: string]: Value };
type Of<Type> = Extract<Schema, { type: Type }>;
type Holder = { holder: { [name: string]: number }; name: string; minimum: number; maximum: number };

const STEPS = 2_000; // An option counts as large when it has more values than this.

/** Tell whether a value fits a schema. */
export function fits(schema: Schema, value: Value): boolean {
  return fault(schema, value) === undefined;
}

/** Return the option that a command fits; undefined if it fits none and would be refused. */
export function accepting(options: readonly Option[], command: Value): Option | undefined {
  return options.find(({ schema }) => fits(schema, command));
}

/** Return a sentence that says which part of a value does not fit a schema; undefined if all of it fits. */
export function fault(schema: Schema, value: Value, at = "$"): string | undefined {
  if ("const" in schema) return same(value, schema.const) ? undefined : `${at}: expected ${JSON.stringify(schema.const)}`;
  if ("enum" in schema) {
    return schema.enum.some((each) => same(value, each)) ? undefined : `${at}: expected one of ${JSON.stringify(schema.enum)}`;
  }
  switch (schema.type) {
    case "integer": {
      const { minimum, maximum } = schema;
      if (typeof value === "number" && Number.isInteger(value) && minimum <= value && value <= maximum) return undefined;
      return `${at}: expected a whole number from ${minimum} to ${maximum}`;
    }
    case "boolean":
      return typeof value === "boolean" ? undefined : `${at}: expected true or false`;
    case "string":
      if (typeof value === "string" && [...value].length <= schema.maxLength) return undefined;
      return `${at}: expected a text of at most ${schema.maxLength} characters`;
    case "array":
      return faultOfArray(schema, value, at);
    case "object":
      return faultOfObject(schema, value, at);
  }
}

function faultOfArray(schema: Of<"array">, value: Value, at: string): string | undefined {
  const { minItems, maxItems, uniqueItems, contains, minContains = 1, items } = schema;
  if (!Array.isArray(value)) return `${at}: expected a list`;
  if (value.length < minItems || value.length > maxItems) return `${at}: expected ${minItems} to ${maxItems} items`;
  if (uniqueItems && value.some((item, index) => value.slice(0, index).some((other) => same(item, other)))) {
    return `${at}: expected each item once`;
  }
  if (contains && value.filter((item) => fits(contains, item)).length < minContains) {
    return `${at}: expected ${JSON.stringify(contains.enum)} among the items`;
  }
  return first(value, (item, index) => fault(items, item, `${at}[${index}]`));
}

function faultOfObject(schema: Of<"object">, value: Value, at: string): string | undefined {
  if (!isObject(value)) return `${at}: expected an object`;
  const missing = schema.required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at}: expected ${missing}`;
  const wrong = first(Object.entries(value), ([name, each]) =>
    Object.hasOwn(schema.properties, name) ? fault(schema.properties[name]!, each, `${at}.${name}`) : `${at}: expected no ${name}`,
  );
  if (wrong) return wrong;
  return first(sums(schema, value), ({ names, amount, minimum, maximum }) =>
    minimum <= amount && amount <= maximum ? undefined : `${at}: ${names.join(" + ")} come to ${amount}, expected ${minimum} to ${maximum}`,
  );
}

/** Return the sums that the schema bounds, each with its amount in `value`. */
function sums({ properties, ...schema }: Of<"object">, value: Members) {
  const { "x-total": totals = [], "x-cost": cost, "x-sum": sum } = schema;
  const counted = (names: string[], prices: { [name: string]: number } = {}) =>
    names.reduce((all, name) => all + (prices[name] ?? 1) * amountOf(value[name]), 0);
  const found = [totals].flat().map(({ of, minimum = 0, maximum = Infinity, times }) => {
    return { names: of, prices: {}, amount: counted(of), minimum, maximum: times ? maximum * amountOf(value[times]) : maximum };
  });
  if (sum) found.push({ names: Object.keys(properties), prices: {}, amount: counted(Object.keys(value)), ...sum });
  if (cost) {
    const { prices, minimum = 0, maximum = Infinity } = cost;
    found.push({ names: Object.keys(prices), prices, amount: counted(Object.keys(prices), prices), minimum, maximum });
  }
  return found;
}

/** Return what a value counts in a sum: itself, its items, or the sum of its members. */
function amountOf(value: Value): number {
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.values(value).reduce<number>((sum, each) => sum + amountOf(each), 0);
  return typeof value === "number" ? value : 0;
}

// --- all values, and one at random ---

/** Return all values that fit a schema; undefined if there are more than `most`, or finding them takes too long. */
export function every(schema: Schema, most = 500): Command[] | undefined {
  const found: Value[] = [];
  const left = { steps: STEPS };
  for (const value of values(schema, left)) {
    if (found.length === most) return undefined;
    found.push(value);
  }
  return left.steps > 0 ? (found as Command[]) : undefined;
}

/** Return a random value that fits a schema. Of a small schema, all values are equally likely. */
export function sample(schema: Schema, random: () => number = Math.random): Command {
  const all = every(schema);
  if (all?.length) return all[below(all.length, random)]!;
  for (let tries = 0; tries < 200; tries += 1) {
    const value = withoutNothing(schema, drawn(schema, random));
    if (fits(schema, value)) return value as Command;
  }
  throw new Error(`no value was found that fits ${JSON.stringify(schema)}`);
}

/** Yield the values that fit, until `left.steps` reaches 0. */
function* values(schema: Schema, left: { steps: number }): Generator<Value, void> {
  if ("const" in schema) yield schema.const;
  else if ("enum" in schema) yield* schema.enum;
  else if (schema.type === "boolean") yield* [true, false];
  else if (schema.type === "integer") {
    for (let value = schema.minimum; value <= schema.maximum && left.steps-- > 0; value += 1) yield value;
  } else if (schema.type === "string") {
    if (schema.maxLength > 0) left.steps = 0; // There are more texts than can be listed.
    else yield "";
  } else if (schema.type === "array") yield* lists(schema, left);
  else yield* objects(schema, Object.entries(schema.properties), {}, left);
}

function* objects(schema: Of<"object">, rest: [string, Schema][], begun: Members, left: { steps: number }): Generator<Members, void> {
  const [next, ...others] = rest;
  if (left.steps-- <= 0) return;
  if (!next) {
    if (fits(schema, begun)) yield begun;
    return;
  }
  const [name, field] = next;
  if (!schema.required.includes(name)) yield* objects(schema, others, begun, left);
  for (const value of values(field, left)) yield* objects(schema, others, { ...begun, [name]: value }, left);
}

/** Yield the lists of a schema. Where no item may come twice, their order means nothing: each set is yielded once. */
function* lists(schema: Of<"array">, left: { steps: number }, begun: Value[] = [], from = 0): Generator<Value[], void> {
  if (left.steps-- <= 0) return;
  if (begun.length >= schema.minItems && fits(schema, begun)) yield begun;
  if (begun.length >= schema.maxItems) return;
  const items = [...values(schema.items, left)];
  for (let index = schema.uniqueItems ? from : 0; index < items.length; index += 1) {
    yield* lists(schema, left, [...begun, items[index]], index + 1);
  }
}

function drawn(schema: Schema, random: () => number): Value {
  if ("const" in schema) return schema.const;
  if ("enum" in schema) return schema.enum[below(schema.enum.length, random)];
  switch (schema.type) {
    case "integer":
      return schema.minimum + below(schema.maximum - schema.minimum + 1, random);
    case "boolean":
      return random() < 0.5;
    case "string":
      return "";
    case "array":
      return drawnList(schema, random);
    case "object":
      return drawnObject(schema, random);
  }
}

function drawnList({ items, minItems, maxItems, uniqueItems, contains }: Of<"array">, random: () => number): Value[] {
  const list: Value[] = [...(contains?.enum ?? [])];
  const choices = uniqueItems && "enum" in items ? items.enum.filter((each) => !list.some((other) => same(each, other))) : undefined;
  const most = choices ? Math.min(maxItems, list.length + choices.length) : maxItems;
  let length = minItems + below(most - minItems + 1, random);
  while (list.length < length) {
    if (choices) list.push(...choices.splice(below(choices.length, random), 1));
    else {
      const item = drawn(items, random);
      if (uniqueItems && list.some((other) => same(item, other))) length -= 1;
      else list.push(item);
    }
  }
  return list;
}

/** Draw the members, then change counts one by one until the sums hold. */
function drawnObject(schema: Of<"object">, random: () => number): Members {
  const value = Object.fromEntries(Object.entries(fromNothing(schema)).map(([name, each]) => [name, drawn(each, random)]));
  for (let index = 0; index < sums(schema, value).length; index += 1) {
    for (let tries = 0; tries < STEPS; tries += 1) {
      const { names, amount, minimum, maximum } = sums(schema, value)[index]!;
      if (minimum <= amount && amount <= maximum) break;
      const up = amount < minimum;
      const movable = [...counts(schema, value, names)].filter((each) => (up ? each.holder[each.name]! < each.maximum : each.holder[each.name]! > each.minimum));
      const longer = up ? [] : names.filter((name) => Array.isArray(value[name]) && amountOf(value[name]) > (schema.properties[name] as Of<"array">).minItems);
      if (movable.length) {
        const { holder, name } = movable[below(movable.length, random)]!;
        holder[name]! += up ? 1 : -1;
      } else if (longer.length) (value[longer[below(longer.length, random)]!] as Value[]).pop();
      else break;
    }
  }
  return value;
}

/** Return the properties of an object. While they are drawn, counts that may be left out begin at 0. */
function fromNothing({ properties, required }: Of<"object">): { [name: string]: Schema } {
  const begun = Object.entries(properties).map(([name, field]): [string, Schema] => {
    const isLeft = "type" in field && field.type === "integer" && field.minimum === 1 && field.default === undefined;
    return [name, isLeft && !required.includes(name) ? { ...field, minimum: 0 } : field];
  });
  return Object.fromEntries(begun);
}

/** Remove the counts that were drawn as 0 and may be left out. */
function withoutNothing(schema: Schema, value: Value): Value {
  if (Array.isArray(value)) return "items" in schema ? value.map((item) => withoutNothing(schema.items, item)) : value;
  if (!isObject(value) || !("properties" in schema)) return value;
  const kept = Object.entries(value).filter(([name, each]) => each !== 0 || schema.required.includes(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutNothing(schema.properties[name]!, each)]));
}

/** Yield the counts in the named properties. */
function* counts(schema: Of<"object">, value: Members, names: string[]): Generator<Holder, void> {
  const fields = fromNothing(schema);
  for (const name of names) {
    const [each, field] = [value[name], fields[name]];
    if (!field || !("type" in field)) continue;
    if (field.type === "object" && isObject(each)) yield* counts(field, each, Object.keys(each));
    if (field.type === "integer") yield { holder: value as Holder["holder"], name, minimum: field.minimum, maximum: field.maximum };
  }
}

function below(limit: number, random: () => number): number {
  return Math.floor(random() * limit);
}

/** Compare as JSON does: the order of members means nothing. */
function same(one: Value, other: Value): boolean {
  if (Array.isArray(one) && Array.isArray(other)) return one.length === other.length && one.every((each, index) => same(each, other[index]));
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && same(one[name], other[name]));
}

function isObject(value: Value): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function first<T>(several: readonly T[], look: (each: T, index: number) => string | undefined): string | undefined {
  for (const [index, each] of several.entries()) {
    const found = look(each, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
