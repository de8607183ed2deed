/**
 * The types of the fields of events around the table, and of events of cases. Only the rules know the types of the
 * fields of other events.
 * @module
 */

/**
 * The types of fields of events around the table, by the name of the field; by event and field, if the field has
 * another type in that event. After a type, `[]` means a list of it, `{}` an object whose members all have it, and `?`
 * that the value may be null. A `number` is an integer.
 * @type {Record<string, string>}
 */
export const TYPES_AROUND_THE_TABLE = {
  abandoned_after: "number",
  absent: "text[]",
  again: "number[]",
  agrees: "truth",
  answer: "sealed",
  asked: "number",
  asks: "text[]",
  "take-back-asked.asks": "text",
  at: "text",
  board: "text",
  by: "text",
  clock: "any{}?",
  commitment: "text",
  depth: "number",
  documents: "text{}",
  earned: "number{}",
  ends: "text",
  entropy: "text",
  forks: "text",
  from: "number",
  hash: "text",
  left: "number",
  "clocks-ran.left": "number{}",
  offered_until: "text",
  order: "text[][]",
  organizer: "text",
  organizer_sees: "text",
  parent: "text",
  player: "text",
  players: "text{}",
  proposed: "number",
  purpose: "text",
  readers: "text",
  reason: "text",
  rematch_of: "text",
  round: "number",
  rule: "text",
  ruleset: "text",
  ruleset_version: "number",
  runs: "text[]",
  seat: "text",
  seats: "text[]",
  seconds: "number",
  secret: "text",
  setup: "any{}",
  since: "text",
  "clock-expired.then": "text",
  to: "number",
  "seat-offered.to": "text",
  "time-credited.to": "text",
  "time-given.to": "text",
  version: "number",
  winners: "text[]",
  withheld: "text",
};

/**
 * The types of fields of events of cases, by the name of the field. `to` is not here: in a ruling it is a version (a
 * number) or the id of a game.
 * @type {Record<string, string>}
 */
export const TYPES_IN_CASES = {
  about: "number",
  asks: "text",
  cited: "text[]",
  decision: "text",
  game: "text",
  hash: "text",
  kind: "text",
  number: "number",
  order: "text[][]",
  reason: "text",
  seat: "text",
  statement: "text",
  version: "number",
};

/**
 * Return what is wrong with the types of an event's fields; undefined when nothing is.
 * @param {{type: string}} event
 * @param {Record<string, string>} types by field, as above; a field that is not among them may have any value
 */
export function faultOfFields(event, types) {
  for (const [name, value] of Object.entries(event)) {
    const key = [`${event.type}.${name}`, name].find((each) => Object.hasOwn(types, each));
    if (key && !isOf(types[key], value)) return `has a field ${name} that is not of the known shape`;
  }
  return undefined;
}

/**
 * Tell whether a JSON value is of a type. Every value is of the type `any`.
 * @param {string} kind
 * @param {unknown} value
 * @returns {boolean}
 */
export function isOf(kind, value) {
  const inner = kind.slice(0, -2);
  const object = typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  if (kind.endsWith("?")) return value === null || isOf(kind.slice(0, -1), value);
  if (kind.endsWith("[]")) return Array.isArray(value) && value.every((each) => isOf(inner, each));
  if (kind.endsWith("{}")) return object !== undefined && Object.values(object).every((each) => isOf(inner, each));
  if (kind === "text") return typeof value === "string";
  if (kind === "number") return Number.isSafeInteger(value);
  if (kind === "truth") return typeof value === "boolean";
  if (kind !== "sealed") return true;
  const { commitment, readers, ...others } = /** @type {Record<string, unknown>} */ (object ?? {});
  return !Object.keys(others).length && isOf("text", commitment) && isOf("text[]", readers);
}
