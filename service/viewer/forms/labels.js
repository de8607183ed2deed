/**
 * Labels for the fields and values of a form: an area's name on the board, the ruleset's words for one of its ids;
 * otherwise the id made readable.
 * @module
 */

/** @import { Json, Papers, Ruleset } from "../types.js" */

import { amount, capital, named } from "../parts/format.js";

/** The labels of one game. */
export class Labels {
  /** @type {Map<string, string>} */
  #areas;
  /** @type {Map<string, string>} */
  #words;

  /**
   * @param {{id: string, name: string}[]} areas of the board
   * @param {Record<string, string>} [words] what the ruleset calls its own ids
   * @param {{ruleset?: Ruleset | null, papers?: Pick<Papers, "papers"> | null}} [room] the marks and the papers of ids
   * @param {string[]} [massNouns] the ruleset's words without a plural
   */
  constructor(areas, words = {}, room = {}, massNouns = []) {
    this.#areas = new Map(areas.map(({ id, name }) => [id, name]));
    this.#words = new Map([...Object.entries(words), ...this.#areas]);
    /** Whether a value is an area of the board. */
    this.isArea = (/** @type {Json} */ value) => this.#areas.has(/** @type {string} */ (value));
    /** The label of a value: an area, a seat, a piece, yes or no. */
    this.value = (/** @type {Json} */ value) => this.#value(value);
    /** The kind of mark that shows an id; empty where there is none. */
    this.kind = (/** @type {string} */ id) => room.ruleset?.kinds?.[id] ?? "";
    /** The paper about an id; undefined where there is none. */
    this.paper = (/** @type {string} */ id) => room.papers?.papers.find((paper) => paper.id === id);
    /** A sentence of the rules, in which ids stand for names: "egypt is adjacent to arabia-petraea." */
    this.sentence = (/** @type {string} */ text) =>
      text.replaceAll(
        /[a-z\d]+(?:-[a-z\d]+)*/g,
        (id) => this.#areas.get(id) ?? (id.includes("-") ? this.#words.get(id) : undefined) ?? id,
      );
    /** The label of a property. One with several parts, such as the galleys of a seat in a zone, names them all. */
    this.field = (/** @type {string} */ name) => capital(this.#word(name));
    /** A number of something, inside a sentence: "2 infantry", "1 talent". */
    this.counted = (/** @type {number} */ number, /** @type {string} */ noun) => amount(number, noun, massNouns);
    /** A number of what a property counts, inside a sentence: "2 infantry"; one piece with a name is just its name. */
    this.amount = (/** @type {number} */ number, /** @type {string} */ name) => {
      const word = this.#word(name);
      return number === 1 && word === capital(word) ? word : this.counted(number, word);
    };
  }

  /** @param {string} name */
  #word(name) {
    return (
      this.#words.get(name) ??
      name
        .split("/")
        .map((part) => this.#words.get(part) ?? part.replaceAll(/[-_]/g, " "))
        .join(" ")
    );
  }

  /** @param {Json} value @returns {string} */
  #value(value) {
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (Array.isArray(value))
      return (
        counted(value)
          .map(([item, times]) => this.#times(item, times))
          .join(", ") || "nothing"
      );
    if (typeof value === "object" && value !== null) {
      return (
        Object.entries(value)
          .map(([name, each]) => `${this.field(name)} ${this.#value(each)}`)
          .join(", ") || "nothing"
      );
    }
    if (typeof value !== "string") return `${value}`;
    // A value that joins two areas, such as a road, has the names of both.
    return (
      this.#words.get(value) ??
      value
        .split("|")
        .map((part) => this.#words.get(part) ?? named(part))
        .join(" – ")
    );
  }

  /**
   * @param {Json} item
   * @param {number} times
   */
  #times(item, times) {
    return times > 1 ? `${times} × ${this.#value(item)}` : this.#value(item);
  }
}

/** @param {Json[]} items */
function counted(items) {
  /** @type {Map<Json, number>} */
  const counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts];
}
