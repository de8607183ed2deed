/**
 * Every draw of chance of a finished game, repeated from its secret and compared with what its events show.
 *
 * Which event shows which roll or shuffle is data of the ruleset (`domain/kernel/chance/evidence.py`). Draws that no
 * event shows are salts, in the order in which secrets were sealed, or lots that only the position explains.
 * @module
 */

/** @import { Json, JsonObject, Path, Row, Ruleset } from "../types.js" */

import { Chance } from "./chance.js";

/**
 * Where an event shows chance.
 * @typedef {Ruleset["chance"][string][number]} Shown
 * @typedef {Extract<Shown, {die: string}>} ShownDice
 * @typedef {Exclude<Shown, {die: string}>} ShownLots
 */

const TOGETHER = 250; // Versions that are drawn again at once.

/** The draws of a game that is over. */
export class Draws {
  #rolls = 0;
  #shuffles = 0;
  #salts = 0;
  /** The versions whose lots cannot be checked here. @type {number[]} */
  #untold = [];

  /**
   * Use `Draws.of`.
   * @param {Chance} chance
   * @param {Row[]} rows
   * @param {Ruleset} ruleset
   */
  constructor(chance, rows, ruleset) {
    this.chance = chance;
    this.rows = rows;
    this.ruleset = ruleset;
    this.seats = rows[0].event.seats;
  }

  /**
   * @param {string} game its id
   * @param {Row[]} rows the whole log, of a game that is over
   * @param {Ruleset} ruleset as `GET /v1/rulesets/{id}` shows it
   * @param {string} secret behind its chance, in hex
   */
  static async of(game, rows, ruleset, secret) {
    const entropy = entropyOf(rows);
    return new Draws(await Chance.of(secret, game, entropy), rows, ruleset);
  }

  /**
   * Draw all again.
   * @param {{salt: string, commitment: string}[]} secrets the published ones, in the order of sealing
   * @param {boolean} isOpen whether these are all: otherwise a draw may be the salt of a value that is hidden here
   * @param {(done: number, total: number) => void} [progress]
   * @returns {Promise<{problem: string, version?: number} | undefined>} the first thing that is wrong
   */
  async check(secrets, isOpen, progress = () => {}) {
    const salts = secrets.map((secret) => secret.salt);
    for (let start = 0; start < this.rows.length; start += TOGETHER) {
      const batch = this.rows.slice(start, start + TOGETHER);
      const found = await Promise.all(batch.map((row, index) => this.#row(row, start + index)));
      for (const { fault, unshown, row } of found) {
        const wrong = fault ?? (isOpen ? this.#account(row, unshown, salts) : undefined);
        if (wrong) return { problem: `version ${row.version} ${wrong}`, version: row.version };
      }
      progress(start + batch.length, this.rows.length);
    }
    if (!isOpen) return undefined;
    this.#salts = secrets.length - salts.length;
    return salts.length ? { problem: `${salts.length} salts of secrets follow from no draw of chance` } : undefined;
  }

  /**
   * Draw again what one version drew; return what is wrong, and the salts of the draws that it does not show.
   * @param {Row} row
   * @param {number} index
   */
  async #row(row, index) {
    const before = index ? this.rows[index - 1].draws : 0;
    /** @type {Map<number, string | undefined>} */
    const unshown = new Map();
    for (let draw = before + 1; draw <= row.draws; draw += 1) unshown.set(draw, undefined);
    /** @type {string | undefined} */
    let fault;
    for (const place of this.ruleset.chance[row.event.type] ?? []) {
      const holder = /** @type {{draw: number, faces: Json[]} | undefined} */ (memberAt(row.event, place.at));
      const draw = /** @type {number | null} */ (holder?.draw ?? null);
      if (draw === null) continue;
      if (!unshown.delete(draw)) fault ??= `shows draw ${draw}, which is not one of its own`;
      else if (place.type === "dice")
        fault ??= await this.#dice(place, /** @type {{draw: number, faces: Json[]}} */ (holder));
      else if (place.outcome) fault ??= await this.#lots(row, place, draw);
      else this.#untold.push(row.version);
    }
    for (const draw of unshown.keys()) unshown.set(draw, await this.chance.salt(draw));
    return { fault, unshown, row };
  }

  /**
   * @param {ShownDice} shown
   * @param {{draw: number, faces: Json[]}} roll
   */
  async #dice({ die }, { draw, faces }) {
    const sides = this.ruleset.dice[die];
    const { numbers } = await this.chance.dice(draw, faces.length, sides.length);
    const right = numbers.map((number) => sides[number - 1]);
    this.#rolls += 1;
    if (isSame(right, faces)) return undefined;
    return `shows ${faces.join(", ")}; draw ${draw} comes to ${right.join(", ")}`;
  }

  /**
   * @param {Row} row
   * @param {ShownLots} shown
   * @param {number} draw
   */
  async #lots(row, { outcome, items, stock }, draw) {
    const unshuffled = stock
      ? singly(/** @type {Record<string, number>} */ (memberAt(row.event, stock) ?? {}))
      : (items[this.seats.length] ?? this.seats);
    const found = /** @type {Json[] | JsonObject | undefined} */ (outcome ? memberAt(row.event, outcome) : undefined);
    const lots = Array.isArray(found) ? found : this.seats.map((seat) => found?.[seat]);
    const order = (await this.chance.order(draw, unshuffled.length)).map((index) => unshuffled[index]);
    const right = stock ? order.slice(0, lots.length) : order;
    this.#shuffles += 1;
    if (isSame(right, lots)) return undefined;
    return `shows the lots ${lots.join(", ")}; draw ${draw} comes to ${right.join(", ")}`;
  }

  /**
   * Take the salts out of `unshown` and `salts`, as far as they match. Returns what is wrong with a draw that is left.
   * @param {Row} row
   * @param {Map<number, string | undefined>} unshown
   * @param {string[]} salts
   */
  #account(row, unshown, salts) {
    for (const [draw, salt] of unshown) {
      if (salt !== salts[0]) continue;
      salts.shift();
      unshown.delete(draw);
    }
    if (!unshown.size) return undefined;
    const hidden = (this.ruleset.chance[row.event.type] ?? []).some((each) => each.type === "lots" && !each.outcome);
    if (!hidden)
      return `uses draw ${unshown.keys().next().value}, which is no roll, no shuffle and no salt of a secret`;
    if (!this.#untold.includes(row.version)) this.#untold.push(row.version);
    return undefined;
  }

  checked() {
    const counts = [
      [this.#rolls, "rolls of dice", "drawn again from the secret: the faces are those of the log."],
      [this.#shuffles, "shuffles", "done again from the secret: they come out as the log says."],
      [this.#salts, "salts of hidden values", "derived again from the secret: all are right."],
    ];
    return counts.filter(([count]) => count).map(([count, what, how]) => `${count} ${what} ${how}`);
  }

  unchecked() {
    const versions = this.#untold.join(", ");
    return versions ? [`The lots behind version ${versions}: what was shuffled depends on the position.`] : [];
  }
}

/** Return what seats added to the chance of a game, as it stood when it began. @param {Pick<Row, "event">[]} rows */
export function entropyOf(rows) {
  /** @type {Record<string, string>} */
  const entropy = {};
  for (const { event } of rows) {
    if (["seat-taken", "seat-confirmed"].includes(event.type) && event.entropy) entropy[event.seat] = event.entropy;
    if (event.type === "seat-left") delete entropy[event.seat];
    if (event.type === "game-started") break;
  }
  return entropy;
}

/**
 * @param {unknown} value
 * @param {Path} way
 */
export function memberAt(value, way) {
  let inner = value;
  for (const name of way) inner = /** @type {Record<string, unknown> | undefined} */ (inner)?.[name];
  return inner;
}

/**
 * @param {string[]} right
 * @param {Json[]} shown
 */
function isSame(right, shown) {
  return right.length === shown.length && right.every((face, index) => face === String(shown[index]));
}

/** The items of a stock, which says how many there are of each, in the order of their names. @param {Record<string, number>} stock */
function singly(stock) {
  return Object.keys(stock)
    .sort()
    .flatMap((name) => new Array(stock[name]).fill(name));
}
