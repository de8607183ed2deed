/**
 * Who may cause which event: what the cause of every act must contain. `verify` in Python checks logs against the same
 * table (`domain/kernel/proof/origin.py`). Of a ruleset's own events, this file knows only that commands cause them.
 * @module
 */

/** @import { Cause, LoggedEvent } from "../types.js" */

/**
 * What an act must come from, and when it may happen.
 * @typedef {object} Origin
 * @property {string} act what it is called
 * @property {"anybody" | "newcomer" | "holder" | "participant" | "organizer" | "official" | "clock" | "house"} by
 * @property {boolean} [seat] whether its cause names a seat
 * @property {boolean} [command] whether its cause has a command
 * @property {boolean} [onCase] whether it carries out the ruling on a case
 * @property {boolean} [early] whether it happens only before the start; other acts happen only after it
 * @property {boolean} [whenever] whether it may happen before and after the start
 * @property {boolean} [stays] whether no retraction takes it back
 * @property {boolean} [inPause] whether it may happen during a pause
 * @property {boolean} [inTournament] whether it may be for the tournament to which the game belongs
 */

/** @type {Record<string, Origin>} */
export const AROUND_THE_TABLE = {
  "game-created": { act: "the creation of a game", by: "anybody", early: true, inTournament: true },
  "game-forked": { act: "the making of a fork", by: "anybody", early: true },
  "seat-taken": { act: "the taking of a seat", by: "newcomer", seat: true, early: true },
  "seat-left": { act: "the leaving of a seat", by: "holder", seat: true, early: true },
  "seat-assigned": { act: "the assignment of a seat", by: "organizer", early: true, inTournament: true },
  "seat-confirmed": { act: "the confirmation of a seat", by: "holder", seat: true, early: true },
  "game-started": { act: "the start", by: "participant", early: true, inTournament: true },
  "game-cancelled": { act: "the cancellation", by: "organizer", early: true, inTournament: true },
  "rules-upgraded": { act: "a move to newer rules", by: "organizer" },
  "answer-left": { act: "the leaving of an answer", by: "holder", seat: true },
  "answer-revoked": { act: "the revoking of an answer", by: "holder", seat: true, inPause: true },
  "answer-given": { act: "an answer given in advance", by: "holder", seat: true, command: true },
  "official-named": { act: "the naming of an official", by: "organizer", whenever: true, stays: true, inPause: true },
  "official-released": {
    act: "the release of an official",
    by: "organizer",
    whenever: true,
    stays: true,
    inPause: true,
  },
  "organizer-changed": { act: "the passing on of a game", by: "organizer", whenever: true, stays: true, inPause: true },
  "game-paused": { act: "a pause", by: "official", onCase: true, stays: true },
  "game-resumed": { act: "the end of a pause", by: "official", onCase: true, stays: true, inPause: true },
  "take-back-asked": { act: "a request to take moves back", by: "holder", seat: true, stays: true },
  "take-back-answered": { act: "an answer to a request", by: "holder", seat: true, stays: true },
  "end-proposed": { act: "a proposal to end the game", by: "holder", seat: true, stays: true },
  "end-answered": { act: "an answer to a proposal to end the game", by: "holder", seat: true, stays: true },
  "seat-given-up": { act: "the giving up of a seat", by: "holder", seat: true, stays: true, inPause: true },
  "clock-set": { act: "the choice of a clock", by: "organizer", early: true, stays: true },
  "time-given": { act: "a gift of time", by: "holder", seat: true, stays: true },
  "time-credited": { act: "a credit of time", by: "official", stays: true, inPause: true },
  "day-off-taken": { act: "a day off", by: "holder", seat: true, stays: true },
  "seat-taken-over": { act: "the taking over of a seat", by: "newcomer", seat: true, stays: true, inPause: true },
  "seat-offered": { act: "the offer of a seat", by: "holder", seat: true, stays: true, inPause: true },
  "offer-withdrawn": { act: "the end of an offer", by: "holder", seat: true, stays: true, inPause: true },
  "seat-resigned": { act: "a resignation", by: "holder", seat: true, stays: true, inPause: true },
  "game-adjudicated": { act: "a ruling on the result", by: "official", onCase: true, inPause: true },
};
/** Events that the clock itself may cause. Only the rules know whether it was time. @type {Record<string, Origin>} */
const BY_CLOCK = {
  "clock-expired": { act: "the fall of a flag", by: "clock", stays: true },
  "default-given": { act: "a default answer", by: "clock", seat: true, command: true },
  "outage-credited": { act: "the credit of an outage", by: "clock", stays: true },
  "game-abandoned": { act: "the end of an abandoned game", by: "clock" },
  "game-cancelled": { act: "the end of an offer of a rematch", by: "clock", early: true },
};
/**
 * Events that the house may cause because players resigned. Only the rules know for whom it answers.
 * @type {Record<string, Origin>}
 */
const BY_HOUSE = {
  "answered-by-house": { act: "an answer of the house", by: "house", seat: true, command: true },
  "game-paused": { act: "a pause by the house", by: "house", stays: true },
};
/** Offers of seats by an official. @type {Record<string, Origin>} */
const OFFERS = {
  "seat-offered": { act: "the offer of a seat by an official", by: "official" },
  "offer-withdrawn": { act: "the end of an offer by an official", by: "official" },
};
/** Offers of seats by the organizer, for the tournament to which the game belongs. @type {Record<string, Origin>} */
const OFFERS_FOR_TOURNAMENT = {
  "seat-offered": { act: "the offer of a seat for a tournament", by: "organizer", inTournament: true },
  "offer-withdrawn": { act: "the end of an offer for a tournament", by: "organizer", inTournament: true },
};
/** @type {Origin} */
const CLAIM = { act: "the fall of a flag that a seat asked for", by: "holder", seat: true };
/** @type {Origin} */
const CLAIM_OF_OFFICIAL = { act: "the fall of a flag that an official asked for", by: "official" };
/** @type {Origin} */
const CREDIT_BY_RULING = { act: "a credit of time", by: "official", onCase: true };
const FOLLOWING = ["seats-moved", "moves-retracted", "game-ended", "clocks-ran"];
/** @type {Origin} */
const UNDO = { act: "an undo", by: "holder", seat: true, command: true };
/** @type {Origin} */
const RULING = { act: "a ruling", by: "official", onCase: true };
/** For a continuation. The log of its parent, to which the case belongs, says who its officials are. @type {Origin} */
const START_BY_RULING = { act: "a start by a ruling", by: "anybody", onCase: true, early: true };
/** @type {Origin} */
const RULING_WITHOUT_CASE = { act: "a ruling", by: "organizer" };
/** `Around` checks whether the account may do it. @type {Origin} */
const RESUMED_WITHOUT_CASE = { act: "the end of a pause", by: "anybody" };
/** @type {Origin} */
const OFFICE_LAID_DOWN = { act: "the laying down of an office", by: "official", whenever: true };
/** @type {Origin} */
const COMMAND = { act: "a command", by: "holder", seat: true, command: true };

/** Tell whether an event is around the table; all others are events of a ruleset. @param {{type: string}} event */
export function isAroundTheTable({ type }) {
  return [AROUND_THE_TABLE, BY_CLOCK, BY_HOUSE].some((known) => Object.hasOwn(known, type)) || FOLLOWING.includes(type);
}

/** Tell whether no retraction takes an event back. @param {string} type */
export function stays(type) {
  return Boolean((AROUND_THE_TABLE[type] ?? BY_CLOCK[type])?.stays) || type === "clocks-ran";
}

/**
 * Return what an act must come from; undefined for an event that follows from nothing.
 * @param {LoggedEvent} event
 * @param {Partial<Cause>} cause
 * @returns {Origin | undefined}
 */
export function originOf(event, cause) {
  if (cause.by === "clock") return Object.hasOwn(BY_CLOCK, event.type) ? BY_CLOCK[event.type] : undefined;
  if (cause.by === "house") return Object.hasOwn(BY_HOUSE, event.type) ? BY_HOUSE[event.type] : undefined;
  if (Object.hasOwn(OFFERS, event.type) && cause.seat === undefined)
    return (cause.tournament === undefined ? OFFERS : OFFERS_FOR_TOURNAMENT)[event.type];
  if (event.type === "clock-expired") return cause.seat === undefined ? CLAIM_OF_OFFICIAL : CLAIM;
  if (event.type === "time-credited" && cause.case !== undefined) return CREDIT_BY_RULING;
  const ruling = cause.case === undefined ? RULING_WITHOUT_CASE : RULING;
  if (event.type === "moves-retracted") return { undo: UNDO, ruling }[/** @type {"undo" | "ruling"} */ (event.by)];
  if (event.type === "game-started" && cause.case !== undefined) return START_BY_RULING;
  if (event.type === "game-resumed" && cause.case === undefined) return RESUMED_WITHOUT_CASE;
  if (event.type === "official-released" && cause.player === event.player) return OFFICE_LAID_DOWN;
  return isAroundTheTable(event) ? AROUND_THE_TABLE[event.type] : COMMAND;
}
