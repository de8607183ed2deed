/**
 * How the things of a game are called: areas by their names on the board, everything else by its id made readable.
 * @module
 */

import { capital, named } from "./words.js";

/** The words of one game. @implements {import("./forms.js").Wording} */
export class Wording {
  #areas;

  /** @param {{id: string, name: string}[]} areas of the board */
  constructor(areas) {
    this.#areas = new Map(areas.map(({ id, name }) => [id, name]));
    this.isArea = (value) => this.#areas.has(value);
    this.value = (value) => this.#value(value);
    this.field = (name) => this.#areas.get(name) ?? capital(name.replaceAll(/[-_]/g, " "));
  }

  /** Return a sentence with areas by their names: "March from lusitania" is "March from Lusitania". */
  sentence(text) {
    return text.replace(/[a-z]+(?:-[a-z]+)*/g, (word) => this.#areas.get(word) ?? word);
  }

  #value(value) {
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (Array.isArray(value)) return counted(value).map(([item, times]) => this.#times(item, times)).join(", ") || "nothing";
    if (typeof value === "object" && value !== null) {
      return Object.entries(value).map(([name, each]) => `${this.field(name)} ${this.#value(each)}`).join(", ") || "nothing";
    }
    return typeof value === "string" ? (this.#areas.get(value) ?? named(value)) : `${value}`;
  }

  #times(item, times) {
    return times > 1 ? `${times} ${this.#value(item)}` : this.#value(item);
  }
}

function counted(items) {
  const counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts];
}
