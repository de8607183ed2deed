/**
 * Whether every act of a log could have come from the account that it names, at its time, as far as this can be told
 * without the rules. A fault is a text that follows the version: "version 5 names no account".
 * @module
 */

/** @import { Cause, Row } from "../types.js" */

import { Around } from "./around.js";
import { isAroundTheTable } from "./origin.js";

const KEY_LIFE = 24 * 60 * 60 * 1000; // Milliseconds for which an idempotency key stands for one request, at least.

/**
 * Return what is wrong with a time, given the one before it; undefined when nothing is.
 * @param {string} at
 * @param {string} [before]
 */
export function faultOfTime(at, before) {
  if (at === before) return undefined;
  if (!isMoment(at)) return `has the time ${at}; expected a time in UTC with microseconds`;
  return before !== undefined && at < before
    ? `has the time ${at}, which is earlier than the one before, ${before}`
    : undefined;
}

/**
 * Tell whether a text is a valid time in UTC with microseconds. Times in this form sort as texts.
 * @param {string} at
 */
function isMoment(at) {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(at)) return false;
  const moment = new Date(at);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 23) === at.slice(0, 23);
}

/** Return what is wrong with the shape of a cause; undefined when nothing is. @param {Cause | null} [cause] */
export function faultOfCause(cause) {
  if (cause === undefined) return undefined;
  const { command = {}, ...texts } = cause ?? {};
  const known = Object.keys(texts).every((name) =>
    ["by", "case", "key", "player", "seat", "tournament"].includes(name),
  );
  const isObject = typeof command === "object" && command !== null && !Array.isArray(command);
  if (!cause || !known || !isObject || !Object.values(texts).every((text) => typeof text === "string")) {
    return "has a cause that is not of the known shape";
  }
  if (cause.by !== undefined && !["clock", "house"].includes(cause.by))
    return "has a cause that is not of the known shape";
  if (cause.key === undefined || /^[0-9a-f]{32}$/.test(cause.key)) return undefined;
  return "has a key that is not a digest of 32 hex digits";
}

/**
 * Return the first event that follows from no act, or whose act is wrong; undefined when there is none.
 * @param {Row[]} rows the whole log; its first row creates the game
 * @param {Around} [past] for a fork: the state around its parent at the version where it forks
 * @returns {{version: number, problem: string} | undefined}
 */
export function faultOfActs(rows, past = undefined) {
  const around = new Around(rows[0].event, past);
  /** @type {Row | undefined} */
  let act;
  /** @type {Row | undefined} */
  let request;
  for (const row of rows) {
    const problem =
      row.cause || !act
        ? (around.objection(row, rows) ?? otherRequest(row, request))
        : unfollowed(row, act, rows, around);
    if (problem) return { version: row.version, problem };
    if (row.cause) [act, request] = [row, row.cause.command && row.cause.key ? row : undefined];
    around.happen(row);
  }
  return undefined;
}

/**
 * Return what is wrong with an event that should follow from the act before it.
 * @param {Row} row
 * @param {Row} act
 * @param {Row[]} rows
 * @param {Around} around
 */
function unfollowed(row, act, rows, around) {
  const ends = row.event.type === "game-ended" && row === rows.at(-1) && around.endsAs(row, act);
  const deals = row.event.type === "seats-moved" && act.event.type === "game-started" && around.couldMove(row.event);
  const ran = row.event.type === "clocks-ran" && around.couldRun(row, rows);
  const follows =
    ran ||
    around.cameWithItsClock(row, act) ||
    around.pausesAsNobodyAnswers(row, act) ||
    ends ||
    deals ||
    around.requests.goesBack(row, act) ||
    around.goesOnAsAgreed(row, act);
  if (isAroundTheTable(row.event) && !follows) return `cannot have happened: ${row.event.type} follows from nothing`;
  return row.at === act.at ? undefined : "has another time than the act that it follows from";
}

/**
 * Return what is wrong with a command that has the key of the one before it: one key stands for one request.
 * @param {Row} row
 * @param {Row} [before]
 */
function otherRequest({ at, cause }, before) {
  if (!cause?.command || !before?.cause || before.cause.key !== cause.key) return undefined;
  if (new Date(at).getTime() - new Date(before.at).getTime() >= KEY_LIFE) return undefined;
  const same = at === before.at && cause.player === before.cause.player && cause.seat === before.cause.seat;
  return same ? undefined : "has the same key as the command before it, but another time, seat or account";
}
