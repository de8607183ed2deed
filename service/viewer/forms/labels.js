/**
 * Labels for the fields and values of a form: an area's name on the board, the ruleset's words for one of its ids;
 * otherwise the id made readable.
 * @module
 */

import { amount, capital, named } from "../parts/format.js";

/** The labels of one game. */
export class Labels {
  #areas;
  #words;

  /**
   * @param {{id: string, name: string}[]} areas of the board
   * @param {Record<string, string>} [words] what the ruleset calls its own ids
   * @param {{ruleset?: object, papers?: object}} [room] what these ids look like, and what is to be read of them
   */
  constructor(areas, words = {}, room = {}) {
    this.#areas = new Map(areas.map(({ id, name }) => [id, name]));
    this.#words = new Map([...Object.entries(words), ...this.#areas]);
    /** Whether a value is an area of the board. */
    this.isArea = (value) => this.#areas.has(value);
    /** The label of a value: an area, a seat, a piece, yes or no. */
    this.value = (value) => this.#value(value);
    /** The kind of mark that shows an id; empty where there is none. */
    this.kind = (id) => room.ruleset?.kinds?.[id] ?? "";
    /** The paper about an id; undefined where there is none. */
    this.paper = (id) => room.papers?.papers.find((paper) => paper.id === id);
    /** A sentence of the rules, in which ids stand for names: "egypt is adjacent to arabia-petraea." */
    this.sentence = (text) => text.replaceAll(/[a-z\d]+(?:-[a-z\d]+)*/g, (id) => this.#areas.get(id) ?? (id.includes("-") ? this.#words.get(id) : undefined) ?? id);
    /** The label of a property. What has several parts, such as the galleys of a seat in a zone, is called after all. */
    this.field = (name) => capital(this.#word(name));
    /** How many of what a property counts, inside a sentence: "2 infantry"; what has a name, of which there is one, by that. */
    this.amount = (number, name) => {
      const word = this.#word(name);
      return number === 1 && word === capital(word) ? word : amount(number, word);
    };
  }

  #word(name) {
    return this.#words.get(name) ?? name.split("/").map((part) => this.#words.get(part) ?? part.replaceAll(/[-_]/g, " ")).join(" ");
  }

  #value(value) {
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (Array.isArray(value)) return counted(value).map(([item, times]) => this.#times(item, times)).join(", ") || "nothing";
    if (typeof value === "object" && value !== null) {
      return Object.entries(value).map(([name, each]) => `${this.field(name)} ${this.#value(each)}`).join(", ") || "nothing";
    }
    if (typeof value !== "string") return `${value}`;
    // What joins two areas, such as a road, is called after both.
    return this.#words.get(value) ?? value.split("|").map((part) => this.#words.get(part) ?? named(part)).join(" – ");
  }

  #times(item, times) {
    return times > 1 ? `${times} × ${this.#value(item)}` : this.#value(item);
  }
}

function counted(items) {
  const counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts];
}
