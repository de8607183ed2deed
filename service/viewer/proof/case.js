/**
 * The proof of a case in the browser, from its export (`domain/judging/proof.py`): the same chain as that of a game,
 * every statement true to its commitment, and every act possible as the case stood. With the export of its game it also
 * checks who held the seats and who was an official, and that the game has exactly the changes that the case ordered.
 * @module
 */

/**
 * @import { CaseEvent, CaseRow, Cause, Json, Row } from "../types.js"
 * @import { Around } from "./around.js"
 * @import { Part } from "./part.js"
 */

import { faultOfCause, faultOfTime } from "./acts.js";
import { canonical } from "./canonical.js";
import { TYPES_IN_CASES, faultOfFields, isOf } from "./fields.js";
import { Fault, checkEnd, isGenuine, readLine, readRows, requireShape, split } from "./lines.js";
import { aroundAt, isReason } from "./around.js";

/**
 * The first line of an export.
 * @typedef {{case: string, format: string, game: string}} CaseHeader
 *
 * What somebody wrote, as it was committed to.
 * @typedef {{commitment: string, salt: string, version: number, written: {text: string, command?: Json}}} Written
 */

const FORMAT = "tabularium-case/1";
const MOST_CITED = 20;
const KINDS = ["move", "refusal", "slip", "dice", "time", "conduct", "result"];
const DECISIONS = ["dismissed", "stands", "back", "continue", "result", "pause", "resume"];
const IN_A_RUNNING_GAME = ["back", "pause", "resume"];
const WAITING = ["open", "appealed"];
const CLOSED = ["withdrawn", "settled", "final"];
/** The first event that a decision brings about in a running game. @type {Record<string, string>} */
const EFFECTS = { back: "moves-retracted", result: "game-adjudicated", pause: "game-paused", resume: "game-resumed" };

/** @type {[string[], string[]]} */
const RULING = [
  ["cited", "decision", "hash", "reason", "type", "version"],
  ["order", "to"],
];
/** The required and the optional members of each event. @type {Record<string, [string[], string[]]>} */
const EVENTS = {
  "case-opened": [
    ["about", "cited", "game", "hash", "kind", "number", "statement", "type", "version"],
    ["command", "seat"],
  ],
  "statement-made": [["seat", "statement", "type"], []],
  "case-answered": [["seat", "statement", "type"], []],
  "case-withdrawn": [["type"], ["seat"]],
  "consent-given": [["seat", "type"], ["asks"]],
  ruled: RULING,
  appealed: [["seat", "statement", "type"], []],
  "ruled-finally": RULING,
  settled: [["type"], []],
};

/** Tell whether an export is of a case, not of a game. @param {string} text */
export function isCase(text) {
  return text.startsWith('{"case":');
}

/** The export of a case. */
export class CaseLog {
  /**
   * @param {string} text
   * @param {(done: number, total: number) => void} progress
   */
  constructor(text, progress) {
    this.text = text;
    this.progress = progress;
    /** @type {CaseHeader | undefined} */
    this.header = undefined;
    this.status = "";
    /** @type {CaseRow[]} */
    this.rows = [];
    /** @type {string[]} */
    this.checked = [];
    /** @type {string[]} */
    this.unchecked = [];
  }

  summary() {
    const { header, rows } = this;
    const status = this.status || undefined;
    return { case: header?.case, game: header?.game, status, rows, versions: rows.length, head: rows.at(-1)?.hash };
  }

  /** @param {Part} [game] the game that it is about, when its export was checked */
  async check(game = undefined) {
    const lines = split(this.text);
    const header = /** @type {CaseHeader} */ (readLine(lines[0], 1, ["case", "format", "game"]));
    const { case: id, format } = header;
    this.header = header;
    if (format !== FORMAT) throw new Fault(`this is not an export of the form ${FORMAT}`, { line: 1 });
    if (!/^c[0-9a-z]+$/.test(id)) throw new Fault(`${id} is no id of a case`, { line: 1 });
    const after = lines.findIndex((line) => /^\{"(statement|end)":/.test(line));
    await readRows(this.rows, lines.slice(1, after < 0 ? undefined : after), id, 1, (done) =>
      this.progress(done, lines.length),
    );
    if (!this.rows.length) throw new Fault("the case has no events", { line: 2 });
    if (game && game.header.game !== header.game) {
      throw new Fault(`the case is about game ${header.game}, not about ${game.header.game}`, { line: 1 });
    }
    const court = new Court(header, this.rows, game);
    court.run();
    this.status = court.status;
    const statements = await this.#statements(lines.slice(this.rows.length + 1, -1), court);
    const right = {
      head: this.rows[this.rows.length - 1].hash,
      statements,
      status: court.status,
      version: this.rows.length,
    };
    await checkEnd(this.text, lines[lines.length - 1], lines.length, right);
    if (game) court.checkEffects();
    this.#tell(court, statements, game);
  }

  /**
   * Check what somebody wrote: in the order of its events, and true to the commitments. Returns how many there are.
   * @param {string[]} lines
   * @param {Court} court
   */
  async #statements(lines, { commitments }) {
    let before = 0;
    for (const [index, line] of lines.entries()) {
      const number = this.rows.length + 2 + index;
      const { statement } = /** @type {{statement: Written}} */ (readLine(line, number, ["statement"]));
      requireShape(statement, ["commitment", "salt", "version", "written"], [], number);
      const { commitment, salt, version, written } = statement;
      if (!isOf("number", version)) throw new Fault(`line ${number} is not of the known shape`, { line: number });
      requireShape(written, ["text"], ["command"], number);
      const where = { line: number, version };
      if (!(await isGenuine(salt, written, commitment)))
        throw new Fault(`the statement of version ${version} does not fit its commitment`, where);
      if (version <= before) throw new Fault(`the statement of version ${version} is not in its place`, where);
      if (commitments.get(version) !== commitment)
        throw new Fault(`the statement of version ${version} is not the one of the case`, where);
      before = version;
    }
    return lines.length;
  }

  /**
   * @param {Court} court
   * @param {number} statements
   * @param {Part | undefined} game
   */
  #tell({ commitments, rulings, isUnsure }, statements, game) {
    this.checked.push(
      `The chain of ${this.rows.length} versions is unbroken, and every line is in its canonical form.`,
    );
    this.checked.push("Every act was possible as the case stood, and no time is before that of the last event.");
    if (statements) this.checked.push(`${statements} statements fit their commitments.`);
    if (game) {
      this.checked.push(
        "Seats, officials and versions are those of the game.",
        "The rulings changed the game exactly as they say.",
      );
      this.unchecked.push(
        "Whether the cited rules exist, and whether the game goes back to before a command that counts: `tabularium verify` checks both.",
      );
    } else {
      this.unchecked.push(
        "Who held the seats and who was an official: verify the case together with the export of its game.",
      );
    }
    if (isUnsure)
      this.unchecked.push(
        "Whether all who had a say consented: seats that are out of the game are not waited for, and only the rules know them.",
      );
    for (const { decision, to } of rulings) {
      if (decision === "continue")
        this.unchecked.push(`That ${to} is a fork of ${this.header?.game} and goes on: verify its export.`);
    }
    const missing = commitments.size - statements;
    if (missing)
      this.unchecked.push(`What ${missing} statements say: they were erased, or are hidden from this reader.`);
    if (this.rows[0].event.kind === "refusal")
      this.unchecked.push("Whether the command is refused: the service decides it again, and shows the refusal.");
  }
}

/** A case as it stands between two of its rows. */
class Court {
  /**
   * @param {CaseRow[]} rows
   * @param {Part | undefined} game
   * @param {CaseHeader} header
   */
  constructor(header, rows, game) {
    this.header = header;
    this.rows = rows;
    this.game = game;
    this.status = "";
    /** @type {Set<string>} */
    this.answered = new Set();
    /** @type {Set<string>} */
    this.consents = new Set();
    /** The commitments to what was written, by version. @type {Map<number, string>} */
    this.commitments = new Map();
    /** @type {CaseEvent[]} */
    this.rulings = [];
    /** The event that opened the case. @type {CaseEvent | undefined} */
    this.opened = undefined;
    /** The account that opened the case. @type {string | undefined} */
    this.player = undefined;
    /** The account that ruled last. @type {string | undefined} */
    this.judge = undefined;
    /** The newest version of the game that the case has named so far. */
    this.named = 0;
    /** Whether it was settled without the consent of all seats: some may have been out of the game. */
    this.isUnsure = false;
  }

  run() {
    for (const [index, row] of this.rows.entries()) {
      const problem = this.#objection(row, this.rows[index - 1]);
      if (problem)
        throw new Fault(`version ${row.version} ${problem}`, { line: row.version + 1, version: row.version });
      this.#happen(row);
    }
  }

  /**
   * @param {CaseRow} row
   * @param {CaseRow | undefined} before
   */
  #objection(row, before) {
    const { event, cause, version } = row;
    const [has, may] = EVENTS[event?.type] ?? [];
    if (!has) return `has an event of the type ${event?.type}, which no case has`;
    if (
      !Object.keys(event).every((name) => has.includes(name) || may.includes(name)) ||
      !has.every((name) => name in event)
    )
      return "is not of the known shape";
    const other = faultOfFields(event, TYPES_IN_CASES);
    if (other) return other;
    if (row.schema !== 1 || row.draws !== 0) return "has another shape or draws dice";
    const wrong = faultOfTime(row.at, before?.at) ?? faultOfCause(cause);
    if (wrong) return wrong;
    if (event.type === "settled") return this.#unsettled(row, before);
    if (!cause?.player) return "names no account";
    if (cause.command !== undefined || cause.case !== undefined)
      return "has more in its cause than an account and a seat";
    if (cause.seat !== event.seat) return `acts for ${cause.seat ?? "no seat"}, but is about ${event.seat ?? "none"}`;
    if ((event.type === "case-opened") !== (version === 1))
      return version === 1 ? "does not open the case" : "opens the case a second time";
    if ("statement" in event && !/^[0-9a-f]{64}$/.test(`${event.statement}`))
      return "has a commitment that is no SHA-256 in hex";
    if (CLOSED.includes(this.status)) return `cannot have happened: the case was ${this.status}`;
    return this.#unfit(event, cause) ?? this.#unnamed(row) ?? this.#unknown(row) ?? this.#unheeded(row);
  }

  /**
   * Return what is wrong with an act as the case stands.
   * @param {CaseEvent} event
   * @param {Cause} cause
   */
  #unfit(event, { player }) {
    const { seat } = event;
    switch (event.type) {
      case "case-opened":
        return this.#misopened(event);
      case "statement-made":
        return WAITING.includes(this.status) ? undefined : "is a statement after the ruling";
      case "case-answered":
        if (!WAITING.includes(this.status)) return "is an answer after the ruling";
        if (seat === this.opened?.seat) return `answers for ${seat}, which opened the case`;
        return this.answered.has(`${seat}`) ? `answers for ${seat} a second time` : undefined;
      case "case-withdrawn":
        if (this.status !== "open") return `withdraws a case that is ${this.status}`;
        return player === this.player && seat === this.opened?.seat ? undefined : "withdraws the case of another";
      case "consent-given":
        if (this.status === "appealed") return "consents to a ruling that was appealed against";
        if (this.status === "open" && seat === this.opened?.seat) return "consents to its own complaint";
        return undefined;
      case "appealed":
        return this.status === "ruled" ? undefined : `appeals in a case that is ${this.status}`;
      default:
        return this.#misruled(event, player);
    }
  }

  /** @param {CaseEvent} event */
  #misopened({ game, kind, about, version, number, hash, command, seat, cited }) {
    if (game !== this.header.game) return "is about another game than the first line names";
    if (!KINDS.includes(kind)) return `is about ${kind}, which no case is about`;
    if (!(Number.isInteger(number) && number >= 1)) return "has no number";
    if (!(about >= 1 && about <= (version ?? 0))) return `is about version ${about}, and the game stood at ${version}`;
    if (!/^[0-9a-f]{64}$/.test(`${hash}`)) return "has a hash that is not 64 hex digits";
    if ((command !== undefined) !== (kind === "refusal"))
      return "has a command, or lacks one: exactly a case about a refusal has it";
    if (kind === "refusal" && seat === undefined) return "disputes a refusal of no seat";
    return isCited(cited, 0) ? undefined : "cites rules twice, or too many";
  }

  /**
   * @param {CaseEvent} event
   * @param {string} player
   */
  #misruled({ type, decision, cited, reason, to, order, hash }, player) {
    if (this.status === "ruled") return "rules on a case that is ruled on";
    if ((type === "ruled-finally") !== (this.status === "appealed"))
      return `is told as ${type}, and the case was ${this.status}`;
    if (player === this.player) return `is a ruling by ${player}, who opened the case`;
    if (this.status === "appealed" && player === this.judge)
      return `decides an appeal against a ruling of ${player} themselves`;
    if (!DECISIONS.includes(`${decision}`)) return `decides ${decision}, which is not possible`;
    if (!isCited(cited, 1)) return "cites no rule, one twice, or too many";
    if (typeof reason !== "string" || !isReason(reason))
      return "gives a reason that is not a line of 1 to 2,000 characters";
    if (!/^[0-9a-f]{64}$/.test(`${hash}`)) return "has a hash that is not 64 hex digits";
    if ((to !== undefined) !== ["back", "continue"].includes(`${decision}`))
      return `decides ${decision}, which does not go with its way`;
    if (decision === "back" ? !Number.isInteger(to) : decision === "continue" && typeof to !== "string")
      return `decides ${decision} to ${to}`;
    if ((order !== undefined) !== (decision === "result"))
      return `decides ${decision}, which does not go with an order of seats`;
    const placed = order?.flat() ?? [];
    const isOrder =
      !order || (order.length && order.every((tied) => tied.length) && new Set(placed).size === placed.length);
    return isOrder ? undefined : "does not name each seat once";
  }

  /** Return what is wrong with the version of the game that an act names. @param {CaseRow} row */
  #unnamed({ event }) {
    if (event.version === undefined) return undefined;
    if (!(Number.isInteger(event.version) && event.version >= this.named))
      return "names an earlier version of the game than one before it";
    return undefined;
  }

  /** Return what is wrong with an act by the log of the game. @param {CaseRow} row */
  #unknown({ event, cause, at }) {
    const { game } = this;
    if (!game || !cause) return undefined;
    const named = Math.max(this.named, event.version ?? 0);
    if (named > game.rows.length)
      return `was decided at version ${named} of the game, whose export ends at version ${game.rows.length}`;
    const seen = event.version ?? Math.max(named, game.rows.filter((row) => row.at <= at).length);
    const around = aroundAt(game.rows, seen, game.past?.around);
    if (event.hash !== undefined && game.rows[seen - 1].hash !== event.hash) {
      return `names version ${event.version} of the game with another hash than it has`;
    }
    if (cause.seat !== undefined && around.players.get(cause.seat) !== cause.player)
      return `is by ${cause.player}, who does not hold ${cause.seat}`;
    const isRuling = event.decision !== undefined;
    if (
      cause.seat === undefined &&
      (isRuling || event.type === "case-opened") &&
      around.officials.get(cause.player) !== true
    ) {
      return `is by ${cause.player}, who is no official of the game`;
    }
    if (isRuling && around.seated.has(cause.player))
      return `is a ruling by ${cause.player}, who has or had a seat of the game`;
    return this.#impossible(event, around, game.rows.slice(0, seen));
  }

  /**
   * Return why an act was not possible in the game as it stood.
   * @param {CaseEvent} event
   * @param {Around} around
   * @param {Row[]} rows
   */
  #impossible({ type, kind, decision, to, order, asks, seat }, around, rows) {
    if (type === "consent-given" && asks === "present" && around.givenUp.has(`${seat}`))
      return `consents for ${seat}, which was given up`;
    const isOver = rows.some(({ event }) => event.type === "game-ended");
    const isRunning = around.started && !isOver && !around.cancelled;
    if (type === "case-opened")
      return kind === "result" && !isOver ? "disputes the result of a game that is not over" : undefined;
    if (IN_A_RUNNING_GAME.includes(`${decision}`) && !isRunning)
      return `decides ${decision} in a game that does not run`;
    if (decision === "pause" && around.paused) return "pauses a game that was paused";
    if (decision === "resume" && !around.paused) return "resumes a game that was not paused";
    if (decision === "back" && rows[Number(to)]?.cause?.command === undefined)
      return `goes back to version ${to}, after which no command follows`;
    if (decision === "continue" && !isOver) return "continues a game that is not over";
    if (decision !== "result") return undefined;
    const seats = [...around.players.keys()].sort().join();
    return order?.flat().sort().join() === seats && (isRunning || isOver)
      ? undefined
      : "does not name each seat of the game once";
  }

  /** Return what is wrong with a consent: it is a second one, or does not settle the case. @param {CaseRow} row */
  #unheeded({ event, version }) {
    if (event.type !== "consent-given") return undefined;
    const after = this.rows[version]?.event;
    // A seat may consent again if that settles the case: the seats that had not consented were given up meanwhile.
    const mayRepeat = event.asks === "present" && after?.type === "settled";
    if (this.consents.has(`${event.seat}`) && !mayRepeat) return `consents for ${event.seat} a second time`;
    if (!this.game) return undefined;
    return this.#missing(event.seat).length || after?.type === "settled"
      ? undefined
      : "is the last consent, and the case is not settled";
  }

  /**
   * @param {CaseRow} row
   * @param {CaseRow | undefined} before
   */
  #unsettled({ cause, at }, before) {
    if (cause) return "settles the case by an act, and it follows from consent";
    if (before?.event.type !== "consent-given") return "settles the case without consent";
    return at === before.at ? undefined : "has another time than the act that it follows from";
  }

  /** The seats whose consent is missing besides `seat`; none without the game. @param {string | undefined} [seat] */
  #missing(seat = undefined) {
    if (!this.game) return [];
    const { players } = aroundAt(this.game.rows, this.game.rows.length, this.game.past?.around);
    const own = this.status === "open" ? this.opened?.seat : undefined;
    return [...players.keys()].filter((each) => each !== own && each !== seat && !this.consents.has(each));
  }

  /** @param {CaseRow} row */
  #happen({ version, event, cause }) {
    if (event.statement !== undefined) this.commitments.set(version, event.statement);
    if (event.version !== undefined) this.named = event.version;
    switch (event.type) {
      case "case-opened":
        Object.assign(this, { opened: event, player: cause?.player, status: "open" });
        break;
      case "case-answered":
        if (event.seat) this.answered.add(event.seat);
        break;
      case "case-withdrawn":
        this.status = "withdrawn";
        break;
      case "consent-given":
        if (event.seat) this.consents.add(event.seat);
        break;
      case "appealed":
        this.status = "appealed";
        break;
      case "settled":
        this.isUnsure = !this.game || this.#missing().length > 0;
        this.status = "settled";
        break;
      case "ruled":
      case "ruled-finally":
        Object.assign(this, {
          status: event.type === "ruled" ? "ruled" : "final",
          judge: cause?.player,
          consents: new Set(),
        });
        this.rulings.push(event);
    }
  }

  /** Check that the rulings, and nothing else in the name of the case, changed the game. */
  checkEffects() {
    const { rows = [] } = this.game ?? {};
    const ends = rows.findIndex(({ event }) => event.type === "game-ended");
    // A game that is over stays as it is, and the ruling alone has the result.
    const effective = this.rulings.filter(
      ({ decision, version }) => EFFECTS[`${decision}`] && (ends < 0 || Number(version) <= ends),
    );
    for (const ruling of effective) {
      const version = Number(ruling.version);
      const row = rows[version];
      if (!row || !this.#isEffect(row, ruling))
        throw new Fault(`version ${version + 1} of the game is not what the ruling on version ${version} ordered`);
    }
    for (const { version, cause } of rows) {
      if (cause?.case !== this.header.case || effective.some((ruling) => Number(ruling.version) + 1 === version))
        continue;
      throw new Fault(`version ${version} of the game names this case, which did not order it`);
    }
  }

  /**
   * @param {Row} row
   * @param {CaseEvent} ruling
   */
  #isEffect({ event, cause }, { decision, to, order, reason }) {
    if (cause?.case !== this.header.case || event.type !== EFFECTS[`${decision}`]) return false;
    if (decision === "back" && (event.to !== to || event.by !== "ruling")) return false;
    if (decision === "result" && canonical(event.order) !== canonical(order)) return false;
    return decision === "resume" || event.reason === reason;
  }
}

/**
 * Tell whether these are at least `least` rules, each only once, and not too many.
 * @param {string[]} cited
 * @param {number} least
 */
function isCited(cited, least) {
  return (
    Array.isArray(cited) && cited.length >= least && cited.length <= MOST_CITED && new Set(cited).size === cited.length
  );
}
