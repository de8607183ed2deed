/**
 * Who may cause which event: what the cause of every act must contain. `verify` in Python checks logs against the same
 * table (`domain/kernel/proof/origin.py`). Of a ruleset's own events, this file knows only that commands cause them.
 * @module
 */

/** By whose account, whether for a seat, whether by a command; `early` acts happen only before the start. */
const AROUND_THE_TABLE = {
  "game-created": { act: "the creation of a game", by: "anybody", early: true },
  "seat-taken": { act: "the taking of a seat", by: "newcomer", seat: true, early: true },
  "seat-left": { act: "the leaving of a seat", by: "holder", seat: true, early: true },
  "game-started": { act: "the start", by: "participant", early: true },
  "game-cancelled": { act: "the cancellation", by: "organizer" },
  "rules-upgraded": { act: "a move to newer rules", by: "organizer" },
  "answer-left": { act: "the leaving of an answer", by: "holder", seat: true },
  "answer-revoked": { act: "the revoking of an answer", by: "holder", seat: true },
  "answer-given": { act: "an answer given in advance", by: "holder", seat: true, command: true },
};
const ABOUT_A_SEAT = ["seat-taken", "seat-left", "answer-left", "answer-revoked", "answer-given"];
const UNDO = { act: "an undo", by: "holder", seat: true, command: true };
const RULING = { act: "a ruling", by: "organizer" };
const COMMAND = { act: "a command", by: "holder", seat: true, command: true };

/** Tell whether an event is about the game as such; all others happen at its table. */
export function isAroundTheTable({ type }) {
  return Object.hasOwn(AROUND_THE_TABLE, type) || ["seats-moved", "moves-retracted", "game-ended"].includes(type);
}

function given({ player, seat, command, key }, at) {
  return JSON.stringify([player, seat, command, key, at]);
}

function originOf(event) {
  if (event.type === "moves-retracted") return event.by === "undo" ? UNDO : RULING;
  return isAroundTheTable(event) ? AROUND_THE_TABLE[event.type] : COMMAND;
}

/** A game as far as its events around the table tell it: who organizes it, who holds which seat, whether it runs. */
export class Around {
  /** The commands that an undo gives again next. */
  #again = [];

  /** @param {{organizer: string, seats: string[]}} created the first event */
  constructor(created) {
    this.organizer = created.organizer;
    this.players = new Map(created.seats.map((seat) => [seat, undefined]));
    this.started = false;
    /** The seats of the answers left in advance, by the version at which each was left. */
    this.answers = new Map();
  }

  /**
   * Return what is wrong with an act, as words that follow its version; nothing when all is right.
   * @param {{version: number, event: object, cause?: object}} row the act's first
   * @param {object[]} rows the whole log
   */
  objection(row, rows) {
    const { event, cause = {} } = row;
    const origin = originOf(event);
    const due = this.#again.shift();
    if (due !== undefined && due !== given(cause, row.at)) return "is not the command that the undo before it gives again";
    if (event.type === "moves-retracted" && Array.isArray(event.again)) {
      this.#again = event.again.map((version) => given({ ...rows[version - 1]?.cause, key: undefined }, row.at));
    }
    if (!origin) return `cannot have happened: ${event.type} follows from nothing`;
    if (event.type === "game-created" && row.version > 1) return "creates the game a second time";
    const { act } = origin;
    if (!cause.player) return `names no account: ${act} always comes from one`;
    if (origin.seat && cause.seat === undefined) return `names no seat: ${act} is always for one`;
    if (!origin.seat && cause.seat !== undefined) return `acts for the seat ${cause.seat}; ${act} is for no seat`;
    if (ABOUT_A_SEAT.includes(event.type) && cause.seat !== event.seat) {
      return `acts for the seat ${cause.seat}, but is about ${event.seat}`;
    }
    if (["answer-revoked", "answer-given"].includes(event.type) && this.answers.get(event.left) !== event.seat) {
      return `is about an answer left at version ${event.left}, where ${event.seat} has none`;
    }
    if (origin.command && cause.command === undefined) {
      return `has no command that it could come from: ${act} always has one`;
    }
    if (!origin.command && cause.command !== undefined) return `has a command in its cause; ${act} comes from none`;
    return this.#unentitled(origin, event, cause) ?? this.#untimely(origin, row, rows) ?? this.#unfit(row);
  }

  #unentitled({ act, by }, event, { player, seat }) {
    const said = `is ${act} by ${player}`;
    const mayAct = {
      anybody: true,
      newcomer: player === event.player,
      holder: this.players.get(seat) === player,
      participant: player === this.organizer || [...this.players.values()].includes(player),
      organizer: player === this.organizer,
    };
    if (mayAct[by]) return undefined;
    return {
      newcomer: `${said}, but seats ${event.player}`,
      holder: `${said}, who does not hold ${seat}`,
      participant: `${said}, who neither organizes the game nor holds a seat`,
      organizer: `${said}, who is not the organizer`,
    }[by];
  }

  #untimely({ early }, row, rows) {
    const { version, event } = row;
    if (early && this.started) return "cannot have happened: the game had begun";
    if (!early && !this.started) return "cannot have happened: the game had not begun";
    if (event.type === "seat-taken") {
      if (!this.players.has(event.seat)) return `seats somebody on ${event.seat}, which is no seat of this game`;
      if (this.players.get(event.seat) !== undefined) return `seats somebody on ${event.seat}, which is taken`;
      if ([...this.players.values()].includes(event.player)) return `seats ${event.player} a second time`;
    }
    if (event.type === "answer-given" && row.at !== rows[version - 2].at) {
      return "gives an answer left in advance later than it was called for";
    }
    const free = [...this.players].filter(([, player]) => player === undefined).map(([seat]) => seat);
    if (event.type === "game-started" && free.length) return `starts the game while ${free.join(", ")} is free`;
    const again = event.type === "moves-retracted" && event.to < version - 1 ? rows[event.to] : undefined;
    if (event.type === "moves-retracted" && again?.cause?.command === undefined) {
      return `goes back to version ${event.to}, after which no command follows`;
    }
    return undefined;
  }

  /** Return what is wrong with the command of an act, as far as that needs no rules. */
  #unfit({ event, cause }) {
    const { command, seat } = cause;
    if (event.type === "answer-left") {
      const readers = [event.answer?.readers ?? []].flat();
      if (readers.join() !== seat) return `seals an answer for ${readers.join(", ") || "nobody"}, not for ${seat}, who left it`;
    }
    if (event.type === "moves-retracted" && event.by === "undo") {
      if (event.reason) return "is an undo that gives a reason; only a ruling has one";
      if (command.type !== "undo" || command.to !== event.to) return "is an undo to another version than was asked for";
    }
    if (command?.sealed === undefined) return undefined;
    const names = [...Object.keys(command), ...Object.keys(command.sealed)].sort().join();
    if (names !== "commitment,readers,sealed,type") return "seals a command in an unknown shape";
    const { readers } = command.sealed;
    if (readers.length === 1 && readers[0] === seat) return undefined;
    return `seals a command for ${readers.join(", ") || "nobody"}, not for ${seat}, who sent it`;
  }

  /** Tell whether players could have moved so: everybody who held a seat holds one, as a set-up may deal them out. */
  couldMove({ players }) {
    const sorted = (values) => [...values].sort().join("\n");
    return (
      sorted(Object.keys(players)) === sorted(this.players.keys()) &&
      sorted(Object.values(players)) === sorted(this.players.values())
    );
  }

  /** Change what an event changes. */
  happen({ version, event }) {
    if (event.type === "answer-left") this.answers.set(version, event.seat);
    if (event.type === "answer-revoked") this.answers.delete(event.left);
    if (event.type === "moves-retracted" && event.by === "ruling") this.answers.clear();
    if (event.type === "seat-taken") this.players.set(event.seat, event.player);
    if (event.type === "seat-left") this.players.set(event.seat, undefined);
    if (event.type === "game-started") this.started = true;
    if (event.type === "seats-moved") this.players = new Map(Object.entries(event.players));
  }
}
