/**
 * Checks the public export of a game in the browser (`domain/kernel/proof/export.py`): every line is canonical, the
 * hash chain is unbroken, the header fits the first event, times are in order, every act is by an account that may do
 * it (`acts.js`), and opened values fit their commitments. When a game is over, it draws every roll, shuffle and salt
 * again from the published secret (`draws.js`). For a fork it checks all of that in its past, too, and that the fork
 * begins exactly where the past ends. An export of a case is checked in `case.js`.
 *
 * Not checked here: that commands were lawful and events followed from them. `tabularium verify` does that.
 * `openapi/verification.md` lists every field, and what is checked of it.
 * @module
 */

/** @import { CaseRow, Row, Ruleset } from "../types.js" */

import { CaseLog, isCase } from "./case.js";
import { Fault, split } from "./lines.js";
import { Part } from "./part.js";

/** What no export can show, in sentences. */
export const BEYOND = [
  "Who an account is: the log has only ids, and one person may have two.",
  "Whether clocks were right: the times are checked only for their form and their order.",
  "Whether the log goes on after its last version: compare its head with one that you noted later.",
];

/**
 * Check an export.
 * @param {string} text the whole file
 * @param {object} [options]
 * @param {Ruleset} [options.ruleset] the answer of `GET /v1/rulesets/{id}`, which says where events show chance
 * @param {string} [options.game] of a case: the export of its game, which is checked as well
 * @param {(done: number, total: number) => void} [options.progress]
 * @returns {Promise<Verdict>}
 *
 * @typedef {object} Verdict
 * @property {boolean} ok nothing is wrong
 * @property {string} [problem] what is wrong, in a sentence
 * @property {number} [version] the first version that is wrong
 * @property {number} [line] the line of the export that is wrong
 * @property {string} [game]
 * @property {string} [case] the id of the case, for its export
 * @property {string} [ruleset]
 * @property {string} [status] of the game, or of the case
 * @property {(Row | CaseRow)[]} rows the log, as far as it could be read
 * @property {number} versions how many there are
 * @property {string} [head] the hash of the last version: it stands for all of the log
 * @property {string} [commitment] the SHA-256 of the secret behind the dice
 * @property {string[]} checked what was checked, in sentences
 * @property {string[]} unchecked what was not, in sentences
 */
export async function verify(text, { ruleset = undefined, game = undefined, progress = () => {} } = {}) {
  const log = isCase(text) ? new CaseLog(text, progress) : new GameLog(text, progress, ruleset);
  try {
    await log.check(game ? await played(game) : undefined);
    return { ok: true, ...log.summary(), checked: log.checked, unchecked: log.unchecked };
  } catch (error) {
    // A hostile export may cause any error. Whatever the error is, the export proves nothing.
    const fault =
      error instanceof Fault ? error : new Fault(`this cannot be read: ${/** @type {Error} */ (error).message}`);
    const { message: problem, version, line } = fault;
    return { ok: false, problem, version, line, ...log.summary(), checked: [], unchecked: [] };
  }
}

/** Check the export of the game that a case is about, and return that game. @param {string} text */
async function played(text) {
  const log = new GameLog(text, () => {});
  try {
    await log.check();
  } catch (error) {
    throw new Fault(`the export of the game is wrong: ${/** @type {Error} */ (error).message.replace(/\.$/, "")}`);
  }
  return log.part;
}

/** The export of a game. */
class GameLog {
  /**
   * @param {string} text
   * @param {(done: number, total: number) => void} progress
   * @param {Ruleset} [ruleset]
   */
  constructor(text, progress, ruleset = undefined) {
    this.text = text;
    this.progress = progress;
    this.ruleset = ruleset;
    /** The game; while the past of a fork is checked, its parent. @type {Part | undefined} */
    this.part = undefined;
    /** @type {string[]} */
    this.checked = [];
    /** @type {string[]} */
    this.unchecked = [];
  }

  summary() {
    const { header, status, rows = [] } = this.part ?? {};
    return {
      game: header?.game || undefined,
      ruleset: header?.ruleset || undefined,
      status: status || undefined,
      rows,
      versions: rows.length,
      head: rows.at(-1)?.hash,
      commitment: rows[0]?.event?.commitment,
    };
  }

  async check() {
    const lines = split(this.text);
    const pastEnds = [...lines.keys()].filter((index) => lines[index].startsWith('{"past":'));
    /** @type {Part | undefined} */
    let past;
    let begin = 0;
    for (const end of pastEnds) {
      const part = new Part(lines.slice(begin, end + 1), begin + 1, past);
      this.part = part;
      await this.#inPast(part, () => this.#read(part, lines.length, () => part.readPast()));
      await this.#inPast(part, () => this.#draw(part, Boolean(part.secret)));
      [past, begin] = [part, end + 1];
      this.#tellPast(part);
    }
    if (begin === lines.length) throw new Fault("the last line is missing", { line: lines.length + 1 });
    const part = new Part(lines.slice(begin), begin + 1, past);
    this.part = part;
    await this.#read(part, lines.length, () => part.readEnd(this.text));
    this.checked.push(
      `The chain of ${part.rows.length} versions is unbroken, every line is in its canonical form, and the board is the` +
        " one that the game was created on.",
      "Every act names an account that may do it: a seat's commands come from the player who holds it, the start from" +
        " the organizer or a player, and rulings from an official on a case, or from the organizer.",
      "No time is before that of the last event.",
    );
    await this.#draw(part, part.status === "over");
    this.checked.push(...part.checked);
    this.unchecked.push(...part.unchecked);
    if (!["over", "cancelled"].includes(part.status)) {
      this.unchecked.push("Dice and hidden values: the secret behind them is published when the game is over.");
    }
    this.unchecked.push(
      "Whether every command was lawful and every event followed from it: `tabularium verify` decides all of them again.",
    );
  }

  /**
   * @param {Part} part
   * @param {number} total
   * @param {() => Promise<void>} readLast reads the line that ends the part
   */
  async #read(part, total, readLast) {
    await part.read((done) => this.progress(part.first + done, total));
    await readLast();
    await part.check();
  }

  /**
   * @param {Part} part
   * @param {boolean} isPublished whether the secret of its dice has to be in the export
   */
  async #draw(part, isPublished) {
    if (isPublished) await part.drawAgain(this.ruleset, this.progress);
  }

  /**
   * Run a check of a fork's past. Its fault names the parent game and has no version, since that would be read as a
   * version of the fork.
   * @param {Part} part
   * @param {() => Promise<unknown>} check
   */
  async #inPast(part, check) {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new Fault(
        `in the past of the fork, ${part.header.game || "which cannot be read"}: ${error.message.replace(/\.$/, "")}`,
        { line: error.line },
      );
    }
  }

  /** @param {Part} part */
  #tellPast({ header: { game }, rows, secret, checked, unchecked }) {
    this.checked.push(
      `The log of ${game} up to version ${rows.length} is unbroken, and the fork begins exactly there.`,
    );
    /** @param {string} line */
    const withGame = (line) => `${game}: ${line}`;
    this.checked.push(...checked.map(withGame));
    this.unchecked.push(...unchecked.map(withGame));
    if (!secret)
      this.unchecked.push(
        `Dice and hidden values of the past: they wait for the secret of ${game}, until that game is over.`,
      );
  }
}
