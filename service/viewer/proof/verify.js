/**
 * The proof of a game in the browser, from its public export (`domain/kernel/proof/export.py`): every line canonical, the
 * hash chain unbroken, the header true to the first event, times in order, every act by an account that may do it
 * (`acts.js`), and what is opened true to its commitment. After the end also every roll, shuffle and salt, drawn again
 * from the published secret (`draws.js`).
 *
 * Not checked here: that commands were lawful and events followed from them. `tabularium verify` does that.
 * `openapi/verification.md` lists every field, and what is checked of it.
 * @module
 */
import { faultOfActs, faultOfCause, faultOfTime } from "./acts.js";
import { canonical, commitmentOf, hex, joined, sha256, unhex, utf8 } from "./canonical.js";
import { Draws } from "./draws.js";

const FORMAT = "tabularium-export/1";
const TOGETHER = 250; // So many hashes are asked for at once.

/** What no export can show, in sentences. */
export const BEYOND = [
  "Who an account is: the log has only ids, and one person may have two.",
  "Whether clocks were right: times are only valid and in order.",
  "Whether the log goes on: compare its head with one that you noted later.",
];

const SHAPES = {
  header: ["board", "format", "game", "ruleset", "ruleset_version"],
  row: ["at", "draws", "event", "game", "hash", "schema", "version"],
  secret: ["commitment", "readers", "salt", "value"],
  end: ["digest", "head", "secrets", "status", "version"],
};

/** What is wrong with an export, and where. */
export class Fault extends Error {
  /** @param {{line?: number, version?: number}} where */
  constructor(problem, where = {}) {
    super(`${problem[0].toUpperCase()}${problem.slice(1)}.`);
    this.line = where.line;
    this.version = where.version;
  }
}

/**
 * Check an export.
 * @param {string} text the whole file
 * @param {object} [options]
 * @param {object} [options.ruleset] the answer of `GET /v1/rulesets/{id}`, which says where events show chance
 * @param {(done: number, total: number) => void} [options.progress]
 * @returns {Promise<Verdict>}
 *
 * @typedef {object} Verdict
 * @property {boolean} ok nothing is wrong
 * @property {string} [problem] what is wrong, in a sentence
 * @property {number} [version] the first version that is wrong
 * @property {number} [line] the line of the export that is wrong
 * @property {string} [game]
 * @property {string} [ruleset]
 * @property {"gathering" | "running" | "over" | "cancelled"} [status]
 * @property {number} versions how many there are, as far as they could be read
 * @property {string} [head] the hash of the last version: it stands for all of the log
 * @property {string} [commitment] the SHA-256 of the secret behind the dice
 * @property {string[]} checked what was checked, in sentences
 * @property {string[]} unchecked what was not, in sentences
 */
export async function verify(text, { ruleset = undefined, progress = () => {} } = {}) {
  const log = new Log(text, progress);
  try {
    await log.check(ruleset);
    return { ok: true, ...log.told(), checked: log.checked, unchecked: log.unchecked };
  } catch (error) {
    // Whatever hostile content trips over, it is no proof.
    const fault = error instanceof Fault ? error : new Fault(`this cannot be read: ${error.message}`);
    const { message: problem, version, line } = fault;
    return { ok: false, problem, version, line, ...log.told(), checked: [], unchecked: [] };
  }
}

class Log {
  constructor(text, progress) {
    this.text = text;
    this.progress = progress;
    this.rows = [];
    this.secrets = [];
    this.checked = [];
    this.unchecked = [];
  }

  told() {
    return {
      game: this.header?.game,
      ruleset: this.header?.ruleset,
      status: this.status,
      versions: this.rows.length,
      head: this.rows.at(-1)?.hash,
      commitment: this.rows[0]?.event?.commitment,
    };
  }

  async check(ruleset) {
    const lines = this.text.split("\n");
    if (lines.length === 1) throw new Fault("the export is empty", { line: 1 });
    if (lines.pop() !== "") throw new Fault("the export is cut off", { line: lines.length + 1 });
    this.header = this.#read(lines[0], 1, SHAPES.header, ["documents"]);
    if (this.header.format !== FORMAT) throw new Fault(`this is not an export of the form ${FORMAT}`, { line: 1 });
    await this.#readRows(lines);
    await this.#readSecrets(lines);
    await this.#readEnd(lines);
    this.checked.push(
      `The chain of ${this.rows.length} versions is unbroken, every line is in its canonical form, and the board is the` +
        " one that the game was created on.",
    );
    this.#checkActs();
    await this.#checkOpened();
    if (this.status === "over") await this.#drawAgain(ruleset);
    else if (this.status !== "cancelled") this.unchecked.push("Dice and hidden values: the secret behind them is published when the game is over.");
    this.unchecked.push(
      "Whether every command was lawful and every event followed from it: `tabularium verify` decides all of them again.",
    );
  }

  // --- the chain ---

  async #readRows(lines) {
    const previous = [await sha256(utf8(`tabularium/1 ${this.header.game}`))];
    const after = lines.findIndex((line) => line.startsWith('{"secret":') || line.startsWith('{"end":'));
    const rows = after < 0 ? lines : lines.slice(0, after);
    for (let start = 1; start < rows.length; start += TOGETHER) {
      const batch = rows.slice(start, start + TOGETHER);
      const hashes = await Promise.all(batch.map((line, index) => this.#row(line, start + index, previous)));
      const broken = hashes.findIndex((hash, index) => hash !== this.rows[start + index - 1].hash);
      if (broken >= 0) {
        const version = start + broken;
        throw new Fault(`the hash of version ${version} does not continue the chain`, { line: version + 1, version });
      }
      this.progress(start + batch.length - 1, lines.length);
    }
    if (!this.rows.length) throw new Fault("the log is empty", { line: 2, version: 1 });
    await this.#checkCreation(this.rows[0].event);
  }

  /** Read a row and return, some time later, the hash that it should have. */
  #row(line, version, previous) {
    const where = { line: version + 1, version };
    const row = this.#read(line, version + 1, SHAPES.row, ["cause"], version);
    if (row.version !== version) throw new Fault(`expected version ${version}, found version ${row.version}`, where);
    if (row.game !== this.header.game) throw new Fault(`version ${version} is of another game`, where);
    if (row.draws < (this.rows.at(-1)?.draws ?? 0)) {
      throw new Fault(`version ${version} counts fewer draws of chance than the version before it`, where);
    }
    // The line is canonical, and `hash` is followed by two numbers only: so this is it, and not one inside the event.
    const own = line.lastIndexOf('"hash":"');
    const bytes = utf8(line.slice(0, own) + line.slice(own + '"hash":"",'.length + row.hash.length));
    const before = previous.pop();
    previous.push(hashBytes(row, where));
    this.rows.push(row);
    return sha256(joined(before, bytes)).then(hex);
  }

  async #checkCreation(created) {
    const where = { line: 2, version: 1 };
    if (created.type !== "game-created") throw new Fault("version 1 does not create a game", where);
    if (!created.organizer) throw new Fault("version 1 names no organizer", where);
    if (!/^[0-9a-f]{64}$/.test(created.commitment)) {
      throw new Fault("version 1 has a commitment that is no SHA-256 in hex", where);
    }
    const board = `sha256:${hex(await sha256(utf8(canonical(this.header.board))))}`;
    const { ruleset, ruleset_version: version } = this.header;
    if (board !== created.board || ruleset !== created.ruleset || version !== created.ruleset_version) {
      throw new Fault("the first line names another ruleset or board than the game was created with", { line: 1 });
    }
    await this.#checkDocuments(created.documents ?? {}, this.header.documents ?? {});
    const ends = this.rows.findIndex((row) => row.event.type === "game-ended");
    if (ends >= 0 && ends < this.rows.length - 1) {
      throw new Fault("something follows the end of the game", { line: ends + 3, version: ends + 2 });
    }
    const has = (type) => this.rows.some((row) => row.event.type === type);
    this.status = ends >= 0 ? "over" : has("game-cancelled") ? "cancelled" : has("game-started") ? "running" : "gathering";
  }

  /** Check that each document is the one whose digest the first event names, and that none is missing. */
  async #checkDocuments(named, documents) {
    for (const name of Object.keys({ ...named, ...documents }).sort()) {
      const given = name in documents && `sha256:${hex(await sha256(utf8(canonical(documents[name]))))}`;
      if (given !== named[name]) {
        throw new Fault(`the ${name} in the first line are not those that the game was created with`, { line: 1 });
      }
    }
  }

  #checkActs() {
    for (const [index, row] of this.rows.entries()) {
      const wrong = faultOfTime(row.at, this.rows[index - 1]?.at) ?? faultOfCause(row.cause);
      const { version } = row;
      if (wrong) throw new Fault(`version ${version} ${wrong}`, { line: version + 1, version });
    }
    const fault = faultOfActs(this.rows);
    if (fault) throw new Fault(`version ${fault.version} ${fault.problem}`, { line: fault.version + 1, ...fault });
    this.checked.push(
      "Every act names an account that may do it: a seat's commands come from whoever holds the seat, the start from" +
        " the organizer or a player, and rulings from an official on a case, or from the organizer.",
      "No time is before that of the last event.",
    );
  }

  // --- the lines after it ---

  async #readSecrets(lines) {
    const first = this.rows.length + 1;
    const found = lines.slice(first, -1).map((line, index) => {
      const { secret } = this.#read(line, first + index + 1, ["secret"]);
      this.#shape(secret, SHAPES.secret, [], first + index + 1);
      return secret;
    });
    await Promise.all(found.map((secret, index) => this.#checkGenuine(secret, { line: first + index + 1 })));
    this.secrets = found;
  }

  async #readEnd(lines) {
    const line = lines.length;
    const last = lines[line - 1];
    if (!last.startsWith('{"end":')) throw new Fault("the last line is missing", { line: line + 1 });
    const { end } = this.#read(last, line, ["end"]);
    this.#shape(end, SHAPES.end, [], line);
    const digest = await sha256(utf8(this.text.slice(0, this.text.length - last.length - 1)));
    const right = {
      digest: `sha256:${hex(digest)}`,
      head: this.rows.at(-1).hash,
      secrets: this.secrets.length,
      status: this.status,
      version: this.rows.length,
    };
    for (const name of SHAPES.end) {
      const [said, is] = [end[name], right[name]];
      if (said !== is) throw new Fault(`the last line has ${name} ${said}; expected ${is}`, { line });
    }
  }

  // --- what is opened ---

  async #checkOpened() {
    const sealed = new Set();
    const opened = [];
    for (const { version, event, cause } of this.rows) {
      for (const part of objects([event, cause])) {
        if (hasExactly(part, ["commitment", "readers"])) sealed.add(canonical(part));
        if (hasExactly(part, ["commitment", "salt", "value"])) opened.push([part, { version, line: version + 1 }]);
      }
    }
    await Promise.all(opened.map(([part, where]) => this.#checkGenuine(part, where)));
    if (this.status !== "over") this.#checkReader([...sealed].map((text) => JSON.parse(text)));
    for (const [index, { commitment, readers }] of this.secrets.entries()) {
      if (sealed.delete(canonical({ commitment, readers }))) continue;
      throw new Fault(`the log has no secret of ${commitment}`, { line: this.rows.length + 2 + index });
    }
    const left = [...sealed].map((text) => JSON.parse(text).commitment);
    if (this.status === "over" && left.length) throw new Fault(`the secret of ${left[0]} was not published`);
    const shown = this.secrets.length + opened.length;
    if (shown) this.checked.push(`${shown} hidden values that were published fit their commitments.`);
  }

  /** A running game's export has the secrets of one reader: none, all, or all of one seat. */
  #checkReader(sealed) {
    const shown = new Set(this.secrets.map(({ commitment }) => commitment));
    if (!shown.size || shown.size === sealed.length) return;
    const isWhole = (seat) =>
      sealed.every(({ commitment, readers }) => readers.includes(seat) === shown.has(commitment));
    if (this.rows[0].event.seats.some(isWhole)) return;
    const line = this.rows.length + 2;
    throw new Fault("the secrets in the export are not those of one reader: none, all, or exactly those of one seat", {
      line,
    });
  }

  async #checkGenuine(secret, where) {
    const right = /^[0-9a-f]{32}$/.test(secret.salt) && (await commitmentOf(secret.salt, secret.value));
    if (right === secret.commitment) return;
    const place = where.version ? `version ${where.version} opens a secret that` : `the secret of ${secret.commitment}`;
    throw new Fault(`${place} does not fit its commitment`, where);
  }

  // --- after the end ---

  async #drawAgain(ruleset) {
    const [{ event: created }, last] = [this.rows[0], this.rows.at(-1)];
    const where = { line: last.version + 1, version: last.version };
    const { secret } = last.event;
    if (!/^[0-9a-f]{64}$/.test(secret)) throw new Fault("the last version does not publish the secret", where);
    if (hex(await sha256(unhex(secret))) !== created.commitment) {
      throw new Fault("the secret of the dice does not fit the commitment of version 1", where);
    }
    this.checked.push("The secret behind the dice is the one that was committed to before the game.");
    if (ruleset?.id !== this.header.ruleset || ruleset.version !== this.header.ruleset_version) {
      const known = `${this.header.ruleset}, version ${this.header.ruleset_version}`;
      this.unchecked.push(`Dice: this service does not say where events of ${known} show them.`);
      return;
    }
    const draws = await Draws.of(this.header.game, this.rows, ruleset);
    const fault = await draws.check(this.secrets, this.progress);
    if (fault) throw new Fault(fault.problem, { version: fault.version, line: fault.version && fault.version + 1 });
    this.checked.push(...draws.checked());
    this.unchecked.push(...draws.unchecked());
  }

  // --- lines ---

  #read(line, number, names, optional = [], version = undefined) {
    const where = { line: number, version };
    const whose = version ? `version ${version}` : `line ${number}`;
    let value;
    try {
      value = JSON.parse(line);
    } catch {
      throw new Fault(`${whose} is not JSON`, where);
    }
    this.#shape(value, names, optional, number, version);
    let exact = false;
    try {
      exact = canonical(value) === line;
    } catch (error) {
      throw new Fault(`${whose} is not in the canonical form of RFC 8785: ${error.message}`, where);
    }
    if (!exact) throw new Fault(`${whose} is not in the canonical form of RFC 8785`, where);
    return value;
  }

  #shape(value, names, optional, line, version = undefined) {
    if (hasExactly(value, names) || hasExactly(value, [...names, ...optional].sort())) return;
    throw new Fault(`${version ? `version ${version}` : `line ${line}`} is not of the known shape`, { line, version });
  }
}

function hashBytes(row, where) {
  if (!/^[0-9a-f]{64}$/.test(row.hash)) throw new Fault(`the hash of version ${row.version} is not 64 hex digits`, where);
  return unhex(row.hash);
}

/** Tell whether a value is an object with these members and no others. `names` are sorted. */
function hasExactly(value, names) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const own = Object.keys(value);
  return own.length === names.length && names.every((name) => Object.hasOwn(value, name));
}

/** Yield every object in a JSON value. */
function* objects(value) {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value;
  for (const part of Object.values(value)) yield* objects(part);
}
