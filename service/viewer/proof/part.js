/**
 * A game in an export: the whole of it, or the past of a fork, which ends where the fork begins. Its lines are read and
 * checked one kind after another.
 * @module
 */

/**
 * @import { Json, LoggedEvent, Opened, Row, Ruleset, Sealed } from "../types.js"
 * @import { Around } from "./around.js"
 */

import { faultOfActs, faultOfCause, faultOfTime } from "./acts.js";
import { canonical, hex, sha256, unhex, utf8 } from "./canonical.js";
import { Draws } from "./draws.js";
import { TYPES_AROUND_THE_TABLE, faultOfFields, isOf } from "./fields.js";
import { Fault, checkEnd, hasExactly, isGenuine, objects, readLine, readRows, requireShape } from "./lines.js";
import { aroundAt } from "./around.js";
import { isAroundTheTable } from "./origin.js";

const FORMAT = "tabularium-export/1";
const DEEPEST = 8; // Forks of forks, at most.

const SHAPES = {
  header: ["board", "format", "game", "ruleset", "ruleset_version"],
  secret: ["commitment", "readers", "salt", "value"],
  past: ["head", "secrets", "version"],
};

/**
 * The first line of an export.
 * @typedef {object} Header
 * @property {Json} board
 * @property {Record<string, Json>} [documents] what the game is played with besides its board
 * @property {string} format
 * @property {string} game
 * @property {string} ruleset
 * @property {number} ruleset_version
 */

/**
 * The line that ends the past of a fork.
 * @typedef {{head: string, secrets: number, version: number, secret?: string}} PastEnd
 */

/** A game, with the lines that belong to it. */
export class Part {
  /**
   * @param {string[]} lines its lines, from the header to the line that ends it
   * @param {number} first the number of the first of them in the file
   * @param {Part} [past] for a fork: its parent, which was read before
   */
  constructor(lines, first, past = undefined) {
    this.lines = lines;
    this.first = first;
    this.past = past;
    /** The first line, once it was read. @type {Header} */
    this.header = { board: null, format: "", game: "", ruleset: "", ruleset_version: 0 };
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Opened[]} */
    this.secrets = [];
    /** The commitments to all that is hidden in it and in its past. @type {Set<string>} */
    this.sealed = new Set();
    /** The secret behind the dice, where it is published. @type {string | undefined} */
    this.secret = undefined;
    /** Whether nothing of it is hidden from the reader. */
    this.isOpen = false;
    /** @type {"" | "gathering" | "running" | "over" | "cancelled"} */
    this.status = "";
    /** @type {string[]} */
    this.checked = [];
    /** @type {string[]} */
    this.unchecked = [];
  }

  /** The number of the last line. */
  get last() {
    return this.first + this.lines.length - 1;
  }

  /** The state around the table after the last row. @returns {Around} */
  get around() {
    return aroundAt(this.rows, this.rows.length, this.past?.around);
  }

  /** The last row. */
  get #end() {
    return this.rows[this.rows.length - 1];
  }

  /** @param {number} version */
  #at(version) {
    return { line: this.first + version, version };
  }

  // --- the chain ---

  /** Read all lines but the one that ends it. @param {(done: number) => void} progress */
  async read(progress) {
    const [header] = this.lines;
    this.header = /** @type {Header} */ (readLine(header, this.first, SHAPES.header, ["documents"]));
    const { format, game, ruleset, ruleset_version: version } = this.header;
    if (!isOf("text[]", [game, ruleset]) || !isOf("number", version)) {
      throw new Fault(`line ${this.first} is not of the known shape`, { line: this.first });
    }
    if (format !== FORMAT) throw new Fault(`this is not an export of the form ${FORMAT}`, { line: this.first });
    const after = this.lines.findIndex((line) => /^\{"(secret|end|past)":/.test(line));
    await readRows(this.rows, this.lines.slice(1, after < 0 ? undefined : after), game, this.first, progress);
    if (!this.rows.length) throw new Fault("the log is empty", this.#at(1));
    for (const { version, event } of this.rows) {
      const wrong = isAroundTheTable(event) && faultOfFields(event, TYPES_AROUND_THE_TABLE);
      if (wrong) throw new Fault(`version ${version} ${wrong}`, this.#at(version));
    }
    await this.#checkCreation(this.rows[0]);
    await this.#readSecrets();
  }

  /** Check the first row against the header, and find the status of the game. @param {Row} row */
  async #checkCreation({ at, event: created }) {
    const where = this.#at(1);
    if (!["game-created", "game-forked"].includes(created.type))
      throw new Fault("version 1 does not create a game", where);
    if (!created.organizer) throw new Fault("version 1 names no organizer", where);
    if (!/^[0-9a-f]{64}$/.test(created.commitment)) {
      throw new Fault("version 1 has a commitment that is no SHA-256 in hex", where);
    }
    this.#checkOrigin(created, at);
    const board = `sha256:${hex(await sha256(utf8(canonical(this.header.board))))}`;
    const { ruleset, ruleset_version: version } = this.header;
    if (board !== created.board || ruleset !== created.ruleset || version !== created.ruleset_version) {
      throw new Fault("the first line names another ruleset or board than the game was created with", {
        line: this.first,
      });
    }
    await this.#checkDocuments(created.documents ?? {}, this.header.documents ?? {});
    const ends = this.rows.findIndex((row) => row.event.type === "game-ended");
    if (ends >= 0 && ends < this.rows.length - 1)
      throw new Fault("something follows the end of the game", this.#at(ends + 2));
    /** @param {string} type */
    const has = (type) => this.rows.some((row) => row.event.type === type);
    const began = has("game-started") || created.purpose === "analysis";
    this.status = ends >= 0 ? "over" : has("game-cancelled") ? "cancelled" : began ? "running" : "gathering";
  }

  /**
   * Check that only a fork has a past, and that it begins exactly where that ends, with the same ruleset and set-up.
   * @param {LoggedEvent} created
   * @param {string} at
   */
  #checkOrigin(created, at) {
    const { past, header } = this;
    const where = this.#at(1);
    if (created.type === "game-created") {
      if (past) throw new Fault(`${header.game} is no fork, but a past stands before it`, where);
      return;
    }
    if (!past) throw new Fault(`${header.game} is a fork of ${created.parent}, whose log is missing`, where);
    const [parent, parentCreated] = [past.header.game, past.rows[0].event];
    const last = past.rows[past.rows.length - 1];
    if (created.parent !== parent) {
      throw new Fault(
        `${header.game} is a fork of ${created.parent}, but the log before it is that of ${parent}`,
        where,
      );
    }
    if (created.version !== last.version || created.hash !== last.hash) {
      throw new Fault(
        `${header.game} forks at version ${created.version} with the hash ${created.hash}, but the log of ${parent}` +
          ` before it ends at version ${last.version} with the hash ${last.hash}`,
        where,
      );
    }
    if (at < last.at)
      throw new Fault(`version 1 has the time ${at}, before the version of ${parent} at which it forks`, where);
    const depth = (parentCreated.depth ?? 0) + 1;
    const isAnalysis = created.purpose === "analysis";
    if (!isAnalysis && created.purpose !== "continuation")
      throw new Fault(`version 1 has the purpose ${created.purpose}`, where);
    const right = {
      depth,
      ruleset: past.header.ruleset,
      ruleset_version: past.plays,
      board: parentCreated.board,
      documents: parentCreated.documents,
      seats: parentCreated.seats,
      setup: parentCreated.setup,
      organizer: isAnalysis ? this.rows[0].cause?.player : past.around.organizer,
      organizer_sees: isAnalysis ? "all" : parentCreated.organizer_sees,
      forks: isAnalysis ? undefined : parentCreated.forks,
      readers: parentCreated.readers,
      withheld: parentCreated.withheld ?? (created.withheld && parent),
    };
    for (const [name, expected] of Object.entries(right)) {
      if (written(created[/** @type {keyof typeof right} */ (name)]) === written(expected)) continue;
      throw new Fault(
        `version 1 forks with ${name} ${written(created[/** @type {keyof typeof right} */ (name)])}; of ${parent} there follows ${written(expected)}`,
        where,
      );
    }
    if (depth > DEEPEST)
      throw new Fault(`version 1 is the fork number ${depth} in a row; at most ${DEEPEST} follow one another`, where);
    if (!isAnalysis && !past.secret) {
      throw new Fault(`version 1 continues ${parent}, whose secret is missing: only what is over is continued`, where);
    }
    if (past.commitments.has(created.commitment)) {
      throw new Fault("version 1 has a commitment of its past: a fork has a secret of its own", where);
    }
  }

  /** The version of the ruleset by which the game is played at its last row. */
  get plays() {
    const upgraded = this.rows.findLast(({ event }) => event.type === "rules-upgraded");
    return upgraded?.event.to ?? this.header.ruleset_version;
  }

  /** The commitments to the secrets of dice, of this game and its past. @returns {Set<string>} */
  get commitments() {
    return new Set([this.rows[0].event.commitment, ...(this.past?.commitments ?? [])]);
  }

  /**
   * Check that each document is the one whose digest the first event names, and that none is missing.
   * @param {Record<string, string>} named
   * @param {Record<string, Json>} documents
   */
  async #checkDocuments(named, documents) {
    for (const name of Object.keys({ ...named, ...documents }).sort()) {
      const digest = name in documents && `sha256:${hex(await sha256(utf8(canonical(documents[name]))))}`;
      if (digest !== named[name]) {
        throw new Fault(`the ${name} in the first line are not those that the game was created with`, {
          line: this.first,
        });
      }
    }
  }

  // --- the lines after it ---

  async #readSecrets() {
    const before = this.rows.length + 1;
    const secrets = this.lines.slice(before, -1).map((line, index) => {
      const number = this.first + before + index;
      const { secret } = /** @type {{secret: Opened}} */ (readLine(line, number, ["secret"]));
      requireShape(secret, SHAPES.secret, [], number);
      return secret;
    });
    await Promise.all(
      secrets.map(async ({ salt, value, commitment }, index) => {
        if (await isGenuine(salt, value, commitment)) return;
        throw new Fault(`the secret of ${commitment} does not fit its commitment`, {
          line: this.first + before + index,
        });
      }),
    );
    this.secrets = secrets;
  }

  /** Read the line that ends a whole export. @param {string} text */
  async readEnd(text) {
    const right = {
      head: this.#end.hash,
      secrets: this.secrets.length,
      status: this.status,
      version: this.rows.length,
    };
    await checkEnd(text, this.lines[this.lines.length - 1], this.last, right);
    if (this.status === "over") this.secret = this.#end.event.secret;
  }

  /** Read the line that ends the past of a fork. */
  async readPast() {
    const { past: end } = /** @type {{past: PastEnd}} */ (
      readLine(this.lines[this.lines.length - 1], this.last, ["past"])
    );
    requireShape(end, SHAPES.past, ["secret"], this.last);
    const where = { line: this.last };
    const { game } = this.header;
    const { version, hash } = this.#end;
    if (end.version !== version || end.head !== hash) {
      throw new Fault(`the past does not end at version ${end.version} of ${game} with the hash that is named`, where);
    }
    if (end.secrets !== this.secrets.length) {
      throw new Fault(`the past has ${this.secrets.length} secrets of ${game}, not ${end.secrets}`, where);
    }
    if (this.status !== "running")
      throw new Fault(`the past ends at version ${version}, where ${game} does not run`, where);
    this.secret = end.secret;
  }

  // --- what is in it ---

  /** Check what needs no secret of the dice: who did what and when, and that opened values fit their commitments. */
  async check() {
    this.#checkActs();
    await this.#checkOpened();
  }

  #checkActs() {
    for (const [index, row] of this.rows.entries()) {
      const wrong = faultOfTime(row.at, this.rows[index - 1]?.at) ?? faultOfCause(row.cause);
      if (wrong) throw new Fault(`version ${row.version} ${wrong}`, this.#at(row.version));
    }
    const fault = faultOfActs(this.rows, this.past?.around);
    if (fault) throw new Fault(`version ${fault.version} ${fault.problem}`, this.#at(fault.version));
  }

  async #checkOpened() {
    /** @type {Set<string>} */
    const sealed = new Set();
    /** @type {[Opened, number][]} */
    const opened = [];
    const before = this.past?.sealed ?? new Set();
    this.sealed = new Set(before);
    for (const { version, event, cause } of this.rows) {
      for (const part of objects([event, cause])) {
        if (hasExactly(part, ["commitment", "readers"])) {
          if (!isOf("sealed", part)) {
            throw new Fault(`version ${version} seals something in an unknown shape`, this.#at(version));
          }
          const { commitment } = /** @type {Sealed} */ (part);
          this.sealed.add(commitment);
          if (!before.has(commitment)) sealed.add(canonical(part));
        }
        if (hasExactly(part, ["commitment", "salt", "value"])) opened.push([/** @type {Opened} */ (part), version]);
      }
    }
    await Promise.all(
      opened.map(async ([{ salt, value, commitment }, version]) => {
        if (await isGenuine(salt, value, commitment)) return;
        throw new Fault(`version ${version} opens a secret that does not fit its commitment`, this.#at(version));
      }),
    );
    const isOver = this.status === "over";
    if (!isOver) this.#checkReader([...sealed].map((text) => JSON.parse(text)));
    for (const [index, { commitment, readers }] of this.secrets.entries()) {
      if (sealed.delete(canonical({ commitment, readers }))) continue;
      throw new Fault(`the log has no secret of ${commitment}`, { line: this.first + this.rows.length + 1 + index });
    }
    const left = [...sealed].map((text) => JSON.parse(text).commitment);
    if (isOver && left.length) throw new Fault(`the secret of ${left[0]} was not published`);
    this.isOpen = !left.length;
    const published = this.secrets.length + opened.length;
    if (published) this.checked.push(`${published} hidden values that were published fit their commitments.`);
  }

  /** Check that the secrets are those of one reader: none, all, or all of one seat. @param {Sealed[]} sealed */
  #checkReader(sealed) {
    const published = new Set(this.secrets.map(({ commitment }) => commitment));
    if (!published.size || published.size === sealed.length) return;
    /** @param {string} seat */
    const isWhole = (seat) =>
      sealed.every(({ commitment, readers }) => readers.includes(seat) === published.has(commitment));
    if (this.rows[0].event.seats.some(isWhole)) return;
    throw new Fault("the secrets in the export are not those of one reader: none, all, or exactly those of one seat", {
      line: this.first + this.rows.length + 1,
    });
  }

  /**
   * Draw all again from the secret that was published.
   * @param {Ruleset | undefined} ruleset
   * @param {(done: number, total: number) => void} progress
   */
  async drawAgain(ruleset, progress) {
    const { secret, header } = this;
    const where = this.status === "over" ? this.#at(this.rows.length) : { line: this.last };
    if (!secret || !/^[0-9a-f]{64}$/.test(secret))
      throw new Fault("the last version does not publish the secret", where);
    if (hex(await sha256(unhex(secret))) !== this.rows[0].event.commitment) {
      throw new Fault("the secret of the dice does not fit the commitment of version 1", where);
    }
    this.checked.push("The secret behind the dice is the one that was committed to before the game.");
    if (ruleset?.id !== header.ruleset || ruleset.version !== header.ruleset_version) {
      this.unchecked.push(
        `Dice: this service does not say where events of ${header.ruleset}, version ${header.ruleset_version} show them.`,
      );
      return;
    }
    const draws = await Draws.of(header.game, this.rows, ruleset, secret);
    const fault = await draws.check(this.secrets, this.isOpen, progress);
    if (fault) throw new Fault(fault.problem, fault.version ? this.#at(fault.version) : {});
    this.checked.push(...draws.checked());
    this.unchecked.push(...draws.unchecked());
    if (!this.isOpen) this.unchecked.push(`Salts of what ${header.game} hides from this reader.`);
  }
}

/** @param {Json} value */
function written(value) {
  return value === undefined ? "nothing" : canonical(value);
}
