/**
 * Every draw of chance of a finished game, repeated from its secret and compared with what its events show.
 *
 * Which event shows which roll or shuffle is data of the ruleset (`domain/kernel/chance/evidence.py`); what a version drew and did
 * not show are salts, which come in the order in which secrets were sealed.
 * @module
 */
import { Chance } from "./chance.js";

const TOGETHER = 250; // So many versions are drawn again at once.

/** The draws of a game that is over. */
export class Draws {
  #rolls = 0;
  #shuffles = 0;
  #salts = 0;
  #untold = [];

  /** Use `Draws.of`. */
  constructor(chance, rows, ruleset) {
    this.chance = chance;
    this.rows = rows;
    this.ruleset = ruleset;
    this.seats = rows[0].event.seats;
  }

  /**
   * @param {string} game its id
   * @param {object[]} rows the whole log, of a game that is over
   * @param {object} ruleset as `GET /v1/rulesets/{id}` shows it
   * @param {string} secret that of its chance, in hex
   */
  static async of(game, rows, ruleset, secret) {
    const entropy = entropyOf(rows);
    return new Draws(await Chance.of(secret, game, entropy), rows, ruleset);
  }

  /**
   * Draw all again.
   * @param {{salt: string, commitment: string}[]} secrets those that were published, in the order of sealing
   * @param {boolean} isOpen whether these are all: otherwise a draw may be the salt of what the reader may not see
   * @returns {Promise<{problem: string, version?: number} | undefined>} the first thing that is wrong
   */
  async check(secrets, isOpen, progress = () => {}) {
    const salts = secrets.map((secret) => secret.salt);
    for (let start = 0; start < this.rows.length; start += TOGETHER) {
      const batch = this.rows.slice(start, start + TOGETHER);
      const found = await Promise.all(batch.map((row, index) => this.#row(row, start + index)));
      for (const { fault, left, row } of found) {
        const wrong = fault ?? (isOpen ? this.#account(row, left, salts) : undefined);
        if (wrong) return { problem: `version ${row.version} ${wrong}`, version: row.version };
      }
      progress(start + batch.length, this.rows.length);
    }
    if (!isOpen) return undefined;
    this.#salts = secrets.length - salts.length;
    return salts.length ? { problem: `${salts.length} salts of secrets follow from no draw of chance` } : undefined;
  }

  /** Draw again what one version drew; return what is wrong, and the salts of the draws that it does not show. */
  async #row(row, index) {
    const before = index ? this.rows[index - 1].draws : 0;
    const left = new Map();
    for (let draw = before + 1; draw <= row.draws; draw += 1) left.set(draw, undefined);
    let fault;
    for (const shown of this.ruleset.chance[row.event.type] ?? []) {
      const holder = at(row.event, shown.at);
      const draw = holder?.draw ?? null;
      if (draw === null) continue;
      if (!left.delete(draw)) fault ??= `shows draw ${draw}, which is not one of its own`;
      else if (shown.type === "dice") fault ??= await this.#dice(row, shown, holder);
      else if (shown.outcome) fault ??= await this.#lots(row, shown, draw);
      else this.#untold.push(row.version);
    }
    for (const draw of left.keys()) left.set(draw, await this.chance.salt(draw));
    return { fault, left, row };
  }

  async #dice(row, { die }, { draw, faces }) {
    const sides = this.ruleset.dice[die];
    const { numbers } = await this.chance.dice(draw, faces.length, sides.length);
    const right = numbers.map((number) => sides[number - 1]);
    this.#rolls += 1;
    if (isSame(right, faces)) return undefined;
    return `shows ${faces.join(", ")}; draw ${draw} comes to ${right.join(", ")}`;
  }

  async #lots(row, { outcome, items, stock }, draw) {
    const given = stock ? singly(at(row.event, stock) ?? {}) : (items[this.seats.length] ?? this.seats);
    const found = at(row.event, outcome);
    const shown = Array.isArray(found) ? found : this.seats.map((seat) => found?.[seat]);
    const order = (await this.chance.order(draw, given.length)).map((index) => given[index]);
    const right = stock ? order.slice(0, shown.length) : order;
    this.#shuffles += 1;
    if (isSame(right, shown)) return undefined;
    return `shows the lots ${shown.join(", ")}; draw ${draw} comes to ${right.join(", ")}`;
  }

  /** Find the salts among the draws that a version does not show. Returns what is wrong when something is left. */
  #account(row, left, salts) {
    for (const [draw, salt] of left) {
      if (salt !== salts[0]) continue;
      salts.shift();
      left.delete(draw);
    }
    if (!left.size) return undefined;
    const hidden = (this.ruleset.chance[row.event.type] ?? []).some((each) => each.type === "lots" && !each.outcome);
    if (!hidden) return `uses draw ${left.keys().next().value}, which is no roll, no shuffle and no salt of a secret`;
    if (!this.#untold.includes(row.version)) this.#untold.push(row.version);
    return undefined;
  }

  checked() {
    const said = [
      [this.#rolls, "rolls of dice", "drawn again from the secret: the faces are those of the log."],
      [this.#shuffles, "shuffles", "done again from the secret: they come out as the log says."],
      [this.#salts, "salts of hidden values", "derived again from the secret: all are right."],
    ];
    return said.filter(([count]) => count).map(([count, what, how]) => `${count} ${what} ${how}`);
  }

  unchecked() {
    const versions = this.#untold.join(", ");
    return versions ? [`The lots behind version ${versions}: what was shuffled depends on the position.`] : [];
  }
}

/** Return what seats added to the chance of a game, as it stood when it began. */
export function entropyOf(rows) {
  const entropy = {};
  for (const { event } of rows) {
    if (event.type === "seat-taken" && event.entropy) entropy[event.seat] = event.entropy;
    if (event.type === "seat-left") delete entropy[event.seat];
    if (event.type === "game-started") break;
  }
  return entropy;
}

function at(value, way) {
  return way.reduce((inner, name) => inner?.[name], value);
}

function isSame(right, shown) {
  return right.length === shown.length && right.every((face, index) => face === String(shown[index]));
}

/** The items of a stock, which says how many there are of each, in the order of their names. */
function singly(stock) {
  return Object.keys(stock).sort().flatMap((name) => new Array(stock[name]).fill(name));
}
