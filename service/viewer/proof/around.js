/**
 * The state around the table of a game, read from its events without the rules, and what is wrong with an act: who may
 * cause it, and when.
 * @module
 */

/**
 * @import { Cause, LoggedEvent, Row } from "../types.js"
 * @import { Origin } from "./origin.js"
 */

import { Ends } from "./ends.js";
import { isOf } from "./fields.js";
import { AROUND_THE_TABLE, originOf, stays } from "./origin.js";
import { Requests } from "./requests.js";
import { faultOfRematch, faultOfAssignment, faultOfTakeover } from "./seats.js";

/**
 * The row with which an act begins: it has a cause.
 * @typedef {Row & {cause: Cause}} Act
 */

const BY_RULING = "TAB-RUL-04";
const BY_FLAG = "TAB-CLK-06";
const BY_RESIGNATION = "TAB-SEAT-06";
const NOBODY_PLAYS = "All players have resigned: nobody plays.";
const OWES = ["answer", "vacate"];

/**
 * @param {Partial<Cause>} cause
 * @param {string} at
 */
function signature({ player, seat, command, key }, at) {
  return JSON.stringify([player, seat, command, key, at]);
}

/** The state around the table of a game: who organizes it, who holds which seat, whether it runs. */
export class Around {
  /** The signatures of the commands that an undo gives again next. @type {string[]} */
  #again = [];
  /** The players by seat. @type {Map<string, string | undefined>} */
  players;

  /**
   * @param {{organizer: string, seats: string[], purpose?: string, abandoned_after?: number, organizer_sees?: string,
   *   rematch_of?: string, offered_until?: string}} created the first event
   * @param {Around} [past] for a fork: the state around its parent at the version where it forks
   */
  constructor(created, past = undefined) {
    this.organizer = created.organizer;
    this.isAnalysis = created.purpose === "analysis";
    /** Until when this rematch is offered; undefined for any other game. */
    this.offeredUntil = created.rematch_of === undefined ? undefined : created.offered_until;
    // In an analysis one account plays all seats; a continuation keeps each for the player who held it.
    this.players = new Map(created.seats.map((seat) => [seat, this.isAnalysis ? created.organizer : undefined]));
    this.kept = created.purpose === "continuation" && past ? new Map(past.players) : undefined;
    this.started = false;
    this.cancelled = false;
    /** The seats of the answers left in advance, by the version at which each was left. @type {Map<number, string>} */
    this.answers = new Map();
    /** The accounts that ever held a seat. */
    this.seated = new Set(this.isAnalysis ? [created.organizer] : this.kept && past?.seated);
    /** @type {Set<string>} */
    this.givenUp = new Set();
    /** @type {Set<string>} */
    this.resigned = new Set();
    /** The seats that their clocks left open. @type {Set<string>} */
    this.vacated = new Set();
    /** The open offers of seats: by seat, the account, or undefined for all. @type {Map<string, string | undefined>} */
    this.offers = new Map();
    /** The seats that were assigned and not confirmed. @type {Set<string>} */
    this.assigned = new Set();
    this.isFork = created.purpose !== undefined;
    /** Who held each seat of the running game before its player. @type {Map<string, Set<string | undefined>>} */
    this.held = new Map();
    this.seesAll = created.organizer_sees === "all";
    this.firstOrganizer = created.organizer;
    /** The accounts that were ever officials, and whether they still are. @type {Map<string, boolean>} */
    this.officials = new Map();
    this.paused = false;
    this.clocked = false;
    /** The seat whose default answer has to follow at once, and when its flag fell. @type {[string, string] | undefined} */
    this.owed = undefined;
    this.requests = new Requests();
    this.ends = new Ends(created);
  }

  /**
   * Return what is wrong with an act, as words that follow its version; undefined when nothing is.
   * @param {Row} row the first of the act
   * @param {Row[]} rows the whole log
   */
  objection(row, rows) {
    const { event } = row;
    const cause = row.cause ?? /** @type {Partial<Cause>} */ ({});
    const origin = originOf(event, cause);
    const expected = this.#again.shift();
    if (expected !== undefined && expected !== signature(cause, row.at))
      return "is not the command that the undo before it gives again";
    if (event.type === "moves-retracted" && Array.isArray(event.again)) {
      this.#again = event.again.map((version) => signature({ ...rows[version - 1]?.cause, key: undefined }, row.at));
    }
    const [owed, fell] = this.owed ?? [];
    if (owed !== undefined && (event.type !== "default-given" || row.at !== fell)) {
      return `comes before the default answer of ${owed}, whose flag fell`;
    }
    if (event.type === "default-given" && owed !== event.seat) {
      return `gives the default answer of ${event.seat}, whose flag did not fall`;
    }
    if (!origin && cause.by !== undefined) return `says that the ${cause.by} did it, which never causes ${event.type}`;
    if (!origin) return `cannot have happened: ${event.type} follows from nothing`;
    if (["game-created", "game-forked"].includes(event.type) && row.version > 1)
      return "creates the game a second time";
    const { act } = origin;
    const byItself = origin.by === "clock" || origin.by === "house";
    if (byItself && (cause.player || cause.key)) {
      return `names an account or a request: ${act} always comes from the ${origin.by}`;
    }
    if (!byItself && !cause.player) return `names no account: ${act} always comes from one`;
    if (origin.seat && cause.seat === undefined) return `names no seat: ${act} is always for one`;
    if (!origin.seat && cause.seat !== undefined) return `acts for the seat ${cause.seat}; ${act} is for no seat`;
    const names = (AROUND_THE_TABLE[event.type]?.seat && origin.seat) || (byItself && origin.seat);
    if (names && cause.seat !== event.seat) {
      return `acts for the seat ${cause.seat}, but is about ${event.seat}`;
    }
    if (["answer-revoked", "answer-given"].includes(event.type) && this.answers.get(event.left) !== event.seat) {
      return `is about an answer left at version ${event.left}, where ${event.seat} has none`;
    }
    if (origin.command && cause.command === undefined) {
      return `has no command that it could come from: ${act} always has one`;
    }
    if (!origin.command && cause.command !== undefined) return `has a command in its cause; ${act} comes from none`;
    if (origin.onCase && !/^c[0-9a-z]+$/.test(cause.case ?? "")) {
      return `names no case: ${act} always carries out the ruling on one`;
    }
    if (!origin.onCase && cause.case !== undefined) return `names the case ${cause.case}; ${act} carries out no ruling`;
    const caused = /** @type {Act} */ (row);
    return (
      this.#unentitled(origin, event, cause) ??
      this.#wrongTournament(origin, row, rows) ??
      this.#untimely(origin, caused, rows) ??
      this.#unfit(caused) ??
      this.#unofficial(caused, rows) ??
      this.requests.objection(row, rows, this) ??
      this.ends.objection(row, rows, this)
    );
  }

  /**
   * @param {Origin} origin
   * @param {Row} row
   * @param {Row[]} rows
   */
  #wrongTournament({ act, inTournament }, { version, cause }, rows) {
    const tournament = cause?.tournament;
    if (tournament === undefined) return undefined;
    const named = `names the tournament ${tournament}`;
    if (!inTournament) return `${named}; ${act} is for none`;
    if (!/^t[0-9a-z]+$/.test(tournament)) return `${named}, which is no id of one`;
    if (version === 1) return undefined;
    const belongsTo = rows[0].cause?.tournament;
    if (tournament !== belongsTo) return `${named}, but the game belongs to ${belongsTo ?? "none"}`;
    return cause?.player === this.organizer ? undefined : `${named}, and is not by the organizer`;
  }

  /**
   * @param {Origin} origin
   * @param {LoggedEvent} event
   * @param {Partial<Cause>} cause
   */
  #unentitled({ act, by }, event, { player, seat }) {
    const begins = `is ${act} by ${player}`;
    const cancelsRematch = this.offeredUntil !== undefined && event.type === "game-cancelled";
    const mayAct = {
      anybody: true,
      newcomer: player === event.player,
      holder: this.players.get(`${seat}`) === player,
      participant: player === this.organizer || [...this.players.values()].includes(player),
      organizer: player === this.organizer || (cancelsRematch && [...this.players.values()].includes(player)),
      official: this.officials.get(`${player}`) === true,
      clock: this.clocked || event.type === "game-abandoned" || cancelsRematch,
      house: this.resigned.size > 0,
    };
    if (by === "holder" && mayAct.holder && this.resigned.has(`${seat}`)) return `${begins}, who has resigned`;
    if (mayAct[by]) return undefined;
    return {
      anybody: undefined,
      newcomer: `${begins}, but seats ${event.player}`,
      holder: `${begins}, who does not hold ${seat}`,
      participant: `${begins}, who neither organizes the game nor holds a seat`,
      organizer: `${begins}, who is not the organizer`,
      official: `${begins}, who is no official of the game`,
      clock: `is ${act}, in a game without a clock`,
      house: `is ${act}, where nobody has resigned`,
    }[by];
  }

  /**
   * @param {Origin} origin
   * @param {Act} row
   * @param {Row[]} rows
   */
  #untimely({ early, whenever }, row, rows) {
    const { version, event } = row;
    if (this.cancelled) return "cannot have happened: the game was cancelled";
    const closes = this.isAnalysis && event.type === "game-cancelled";
    if (early && this.started && !closes) return "cannot have happened: the game had begun";
    if (!early && !whenever && !this.started) return "cannot have happened: the game had not begun";
    const isRuling = event.type === "moves-retracted" && event.by === "ruling";
    const goesOn = AROUND_THE_TABLE[event.type]?.inPause || event.type === "game-abandoned";
    if (this.paused && !isRuling && !goesOn) {
      return "cannot have happened: the game was paused";
    }
    if (event.type === "game-resumed" && !this.paused) return "cannot have happened: the game was not paused";
    if (event.type === "seat-taken") {
      if (!this.players.has(event.seat)) return `seats somebody on ${event.seat}, which is no seat of this game`;
      if (this.players.get(event.seat) !== undefined) return `seats somebody on ${event.seat}, which is taken`;
      if ([...this.players.values()].includes(event.player)) return `seats ${event.player} a second time`;
      if (this.officials.has(event.player)) return `seats ${event.player}, who is or was an official of the game`;
    }
    const assigned = faultOfAssignment(this, event);
    if (assigned) return assigned;
    const keeper = event.type === "seat-taken" ? this.kept?.get(event.seat) : undefined;
    if (keeper !== undefined && keeper !== event.player)
      return `seats ${event.player} on ${event.seat}, which is kept for ${keeper}`;
    if (event.type === "seat-taken" && this.#isLastToConfirm(event.seat) && !this.goesOnAsAgreed(rows[version], row)) {
      return "is the last confirmation, and the game does not go on";
    }
    if (event.type === "seat-given-up" && this.givenUp.has(event.seat)) return `gives up ${event.seat} a second time`;
    const seats = faultOfTakeover(this, event);
    if (seats) return seats;
    if (event.type === "answered-by-house" && !this.resigned.has(event.seat)) {
      return `is an answer of the house for ${event.seat}, which has not resigned`;
    }
    if (row.cause.by === "house" && row.at !== rows[version - 2].at) {
      return "is an act of the house later than it was called for";
    }
    if (event.type === "game-paused" && row.cause.by === "house" && event.reason !== NOBODY_PLAYS) {
      return "is a pause by the house for another reason than that nobody plays";
    }
    const ended = rows[version]?.event;
    if (event.type === "seat-resigned" && this.players.size === 2 && ended?.type !== "game-ended") {
      return "is a resignation in a game of two seats, and the game does not end";
    }
    if (event.type === "answer-given" && row.at !== rows[version - 2].at) {
      return "gives an answer left in advance later than it was called for";
    }
    const rematch = faultOfRematch(this, row);
    if (rematch) return rematch;
    const free = [...this.players].filter(([, player]) => player === undefined).map(([seat]) => seat);
    if (event.type === "game-started" && row.cause.case !== undefined && !this.kept)
      return "cannot have happened: this is no continuation";
    if (event.type === "game-started" && row.cause.case === undefined && free.length)
      return `starts the game while ${free.join(", ")} is free`;
    const again = event.type === "moves-retracted" && event.to < version - 1 ? rows[event.to] : undefined;
    if (event.type === "moves-retracted" && again?.cause?.command === undefined) {
      return `goes back to version ${event.to}, after which no command follows`;
    }
    return undefined;
  }

  /** Return what is wrong with the command of an act, as far as this can be told without the rules. @param {Act} row */
  #unfit({ event, cause }) {
    const { command, seat } = cause;
    if (event.type === "answer-left") {
      const readers = [event.answer?.readers ?? []].flat();
      if (readers.join() !== seat)
        return `seals an answer for ${readers.join(", ") || "nobody"}, not for ${seat}, who left it`;
    }
    if (event.type === "moves-retracted" && event.by === "undo") {
      if (event.reason) return "is an undo that gives a reason; only a ruling has one";
      if (command?.type !== "undo" || command.to !== event.to)
        return "is an undo to another version than was asked for";
    }
    if (command?.sealed === undefined) return undefined;
    const names = Object.keys(command).sort().join();
    if (names !== "sealed,type" || !isOf("sealed", command.sealed)) return "seals a command in an unknown shape";
    const { readers } = command.sealed;
    if (readers.length === 1 && readers[0] === seat) return undefined;
    return `seals a command for ${readers.join(", ") || "nobody"}, not for ${seat}, who sent it`;
  }

  /**
   * Return what is wrong with an act about officials, or with their ruling.
   * @param {Act} row
   * @param {Row[]} rows
   */
  #unofficial({ version, event, cause }, rows) {
    const { player } = event;
    if (event.type === "official-named") {
      if (this.officials.get(player)) return `names ${player} an official a second time`;
      if (this.seated.has(player)) return `names ${player} an official, who has or had a seat of the game`;
    }
    if (event.type === "organizer-changed" && !this.#heirs().includes(player)) {
      return `passes the game on to ${player}, who is neither an official of it nor plays in it`;
    }
    if (event.type === "official-released" && !this.officials.get(player)) {
      return `releases ${player}, who is no official`;
    }
    const judges = [...this.officials.values()].includes(true);
    const mayResume = this.officials.get(cause.player) || (cause.player === this.organizer && !judges);
    if (event.type === "game-resumed" && cause.case === undefined && !mayResume)
      return `is the end of a pause by ${cause.player}, who may not resume the game`;
    const gives = !["game-resumed", "game-started", "time-credited"].includes(event.type);
    if (cause.case !== undefined && gives && !isReason(event.reason)) {
      return "gives a reason that is not a line of 1 to 2,000 characters";
    }
    if (event.type !== "game-adjudicated") return undefined;
    const named = event.order.flat();
    const isWhole =
      named.length === this.players.size && [...this.players.keys()].every((seat) => named.includes(seat));
    if (!isWhole || !event.order.every((group) => group.length)) return "does not name each seat of the game once";
    const ended = rows[version]?.event;
    const follows = ended?.type === "game-ended" && ended.rule === BY_RULING;
    return follows && ended.winners.join() === event.order[0].join() ? undefined : "does not end the game as it says";
  }

  /** The accounts that may organize the game next: its officials, and the players who have not given up their seats. */
  #heirs() {
    const officials = [...this.officials].filter(([, holds]) => holds).map(([player]) => player);
    const players = [...this.players].filter(([seat]) => !this.givenUp.has(seat)).map(([, player]) => player);
    return [...officials, ...players].filter((player) => player !== this.organizer);
  }

  /** Tell whether all other seats of a continuation have confirmed. @param {string} seat */
  #isLastToConfirm(seat) {
    return (
      this.kept !== undefined && [...this.players].every(([each, player]) => each === seat || player !== undefined)
    );
  }

  /**
   * Tell whether a continuation goes on because the last seat was taken: all have confirmed.
   * @param {Row} row
   * @param {Row} act
   */
  goesOnAsAgreed(row, act) {
    const isNext = row?.event.type === "game-started" && !row.cause && row.version === act.version + 1;
    return (
      isNext && act.event.type === "seat-taken" && this.kept !== undefined && this.#isLastToConfirm(act.event.seat)
    );
  }

  /**
   * Tell whether the end of the game fits the act before it. A flag, a resignation, a ruling, an agreement and an
   * abandonment each end a game under a rule of their own, which no other end has.
   * @param {Row} row
   * @param {Row} act
   */
  endsAs({ event }, act) {
    const byFlag = act.event.type === "clock-expired" && act.event.then === "end";
    const resigns = act.event.type === "seat-resigned" && this.players.size === 2;
    if (byFlag || resigns || [BY_FLAG, BY_RESIGNATION].includes(event.rule)) {
      const others = [...this.players.keys()].filter((seat) => seat !== act.event.seat);
      const right = byFlag ? BY_FLAG : resigns ? BY_RESIGNATION : undefined;
      return event.rule === right && others.join() === event.winners.join();
    }
    const otherwise = this.ends.endsAs(event, act.event);
    return otherwise ?? (event.rule === BY_RULING) === (act.event.type === "game-adjudicated");
  }

  /**
   * Tell whether the clocks of a game could have run so after an act. Only the rules know for whom the game waits.
   * @param {Row} row
   * @param {Row[]} rows
   */
  couldRun({ version, event, at }, rows) {
    const next = rows[version];
    const known = [...event.runs, ...event.absent, ...Object.keys(event.left), ...Object.keys(event.earned)];
    return (
      this.clocked && event.at === at && (!next || Boolean(next.cause)) && known.every((seat) => this.players.has(seat))
    );
  }

  /**
   * Tell whether a clock was chosen with the game: it follows from its creation.
   * @param {Row} row
   * @param {Row} act
   */
  cameWithItsClock({ event, version }, act) {
    return event.type === "clock-set" && event.clock !== null && version === 2 && act.event.type === "game-created";
  }

  /**
   * Tell whether a pause follows from a flag: the clock has answered for all others.
   * @param {Row} row
   * @param {Row} act
   */
  pausesAsNobodyAnswers({ event }, act) {
    return event.type === "game-paused" && act.event.type === "clock-expired" && act.event.then === "pause";
  }

  /**
   * Tell whether a set-up could have dealt the seats out so: the same seats, held by the same players in any order.
   * @param {LoggedEvent} event
   */
  couldMove({ players }) {
    /** @param {Iterable<string | undefined>} values */
    const sorted = (values) => [...values].sort().join("\n");
    return (
      sorted(Object.keys(players)) === sorted(this.players.keys()) &&
      sorted(Object.values(players)) === sorted(this.players.values())
    );
  }

  /** Apply an event to this state. @param {Row} row */
  happen(row) {
    const { version, event, at } = row;
    this.ends.happen(row);
    if (event.type === "answer-left") this.answers.set(version, event.seat);
    if (event.type === "answer-revoked") this.answers.delete(event.left);
    if (event.type === "moves-retracted" && event.by !== "undo") this.answers.clear();
    if (event.type === "seat-taken") {
      this.players.set(event.seat, event.player);
      this.seated.add(event.player);
    }
    if (event.type === "seat-assigned") {
      this.players.set(event.seat, event.player);
      this.seated.add(event.player);
      this.assigned.add(event.seat);
    }
    if (["seat-confirmed", "seat-left"].includes(event.type)) this.assigned.delete(event.seat);
    if (event.type === "seat-given-up") this.givenUp.add(event.seat);
    if (event.type === "seat-offered") this.offers.set(event.seat, event.to ? `${event.to}` : undefined);
    if (event.type === "offer-withdrawn") this.offers.delete(event.seat);
    if (event.type === "seat-resigned") {
      this.givenUp.add(event.seat);
      this.resigned.add(event.seat);
      this.offers.delete(event.seat);
      for (const [left, seat] of this.answers) if (seat === event.seat) this.answers.delete(left);
    }
    if (event.type === "seat-taken-over") {
      const before = this.players.get(event.seat);
      if (before !== event.player) this.held.set(event.seat, new Set([...(this.held.get(event.seat) ?? []), before]));
      this.vacated.delete(event.seat);
      this.resigned.delete(event.seat);
      this.offers.delete(event.seat);
      this.players.set(event.seat, event.player);
      this.seated.add(event.player);
      this.givenUp.delete(event.seat);
      for (const [left, seat] of this.answers) if (seat === event.seat) this.answers.delete(left);
    }
    if (event.type === "official-named") this.officials.set(event.player, true);
    if (event.type === "official-released") this.officials.set(event.player, false);
    if (event.type === "organizer-changed") this.organizer = event.player;
    if (event.type === "game-paused") this.paused = true;
    if (event.type === "game-resumed") this.paused = false;
    if (event.type === "clock-set") this.clocked = event.clock !== null;
    if (event.type === "clock-expired" && event.then === "vacate") {
      this.givenUp.add(event.seat);
      this.vacated.add(event.seat);
    }
    if (event.type === "clock-expired") this.owed = OWES.includes(event.then) ? [event.seat, at] : undefined;
    else if (event.type !== "clocks-ran") this.owed = undefined;
    if (!stays(event.type)) this.requests.lapse();
    this.requests.happen(row);
    if (event.type === "seat-left") this.players.set(event.seat, undefined);
    if (event.type === "game-started") {
      this.started = true;
      // If a ruling starts a continuation, players who have not confirmed play on as well.
      for (const [seat, player] of this.players) if (player === undefined) this.players.set(seat, this.kept?.get(seat));
    }
    if (event.type === "game-forked" && this.isAnalysis) this.started = true;
    if (event.type === "game-cancelled") this.cancelled = true;
    if (event.type === "seats-moved") this.players = new Map(Object.entries(event.players));
  }
}

/**
 * Return the state around the table of a game at a version. `past` as in `Around`.
 * @param {Row[]} rows
 * @param {number} version
 * @param {Around} [past]
 */
export function aroundAt(rows, version, past = undefined) {
  const around = new Around(rows[0].event, past);
  for (const row of rows.slice(0, version)) around.happen(row);
  return around;
}

/**
 * Tell whether a text can be the reason of a ruling: a line of 1 to 2,000 characters, not only white space. As in
 * Python, U+FEFF is no white space.
 * @param {string} text
 */
export function isReason(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a reason must have none
  const isLine = /^[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+$/u.test(text);
  return isLine && [...text].length <= 2_000 && text.replaceAll("\ufeff", "x").trim() !== "";
}
