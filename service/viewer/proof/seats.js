/**
 * The checks of acts about seats: assigned, offered or taken over (TAB-SEAT), or of a rematch (TAB-REM). Each function
 * returns what is wrong, as words that follow the version of the act; undefined when nothing is.
 * @module
 */

/** @import { LoggedEvent } from "../types.js" */
/** @import { Act, Around } from "./around.js" */

/**
 * Return what is wrong with an act in a rematch that has not started.
 * @param {Around} around
 * @param {Act} row
 */
export function faultOfRematch(around, { at, event, cause }) {
  if (around.offeredUntil === undefined || around.started) return undefined;
  if (event.type === "game-started" && around.assigned.size)
    return `starts the rematch while ${[...around.assigned].join(", ")} has not agreed`;
  if (event.type === "seat-confirmed" && at >= around.offeredUntil) return "agrees to a rematch that had expired";
  if (event.type === "game-cancelled" && cause.by === "clock" && at < around.offeredUntil)
    return "ends the offer of a rematch before its time";
  if (event.type === "seat-assigned" && around.players.get(event.seat) !== undefined)
    return `gives ${event.seat} of a rematch to somebody else`;
  if (event.type === "clock-set") return "changes the clock of a rematch";
  return undefined;
}

/**
 * Return what is wrong with assigning a seat, or with confirming it.
 * @param {Around} around
 * @param {LoggedEvent} event
 */
export function faultOfAssignment(around, { type, seat, player }) {
  if (type === "seat-confirmed" && !around.assigned.has(seat)) return `confirms ${seat}, which does not wait for that`;
  if (type !== "seat-assigned") return undefined;
  if (around.isFork) return `assigns ${seat} in a fork, whose seats are reserved`;
  if (!around.players.has(seat)) return `seats somebody on ${seat}, which is no seat of this game`;
  if (around.players.get(seat) !== undefined && !around.assigned.has(seat))
    return `assigns ${seat}, whose player took or confirmed it`;
  if ([...around.players.values()].includes(player)) return `seats ${player} a second time`;
  return around.officials.has(player) ? `seats ${player}, who is or was an official of the game` : undefined;
}

/**
 * Return what is wrong with the offer of a seat, or with taking one over.
 * @param {Around} around
 * @param {LoggedEvent} event
 */
export function faultOfTakeover(around, { type, seat, player, to }) {
  if (["seat-offered", "offer-withdrawn"].includes(type) && !around.players.has(seat)) {
    return `is about ${seat}, which is no seat of this game`;
  }
  if (type === "seat-offered" && around.offers.has(seat)) return `offers ${seat} a second time`;
  if (type === "offer-withdrawn" && !around.offers.has(seat)) return `ends an offer of ${seat}, which is not offered`;
  if (type === "seat-offered" && to !== undefined) return faultOfNewPlayer(around, seat, `${to}`, "offers a seat to");
  if (type !== "seat-taken-over") return undefined;
  if (!around.givenUp.has(seat) && !around.offers.has(seat))
    return `takes over ${seat}, which is neither open nor offered`;
  const kept = around.offers.get(seat);
  if (kept !== undefined && kept !== player) return `takes over ${seat}, which is offered to ${kept}`;
  if (around.players.get(seat) !== player) return faultOfNewPlayer(around, seat, player, "seats");
  if (around.resigned.has(seat)) return `takes back ${seat}, which has resigned`;
  return around.vacated.has(seat) ? undefined : `takes back ${seat}, which its clock did not leave open`;
}

/**
 * Return why an account cannot get a seat of another player: it plays, or may have seen more than the seat sees.
 * @param {Around} around
 * @param {string} seat
 * @param {string} player
 * @param {string} does what the act does to the account, in words
 */
function faultOfNewPlayer(around, seat, player, does) {
  if ([...around.players.values()].includes(player)) return `${does} ${player}, who holds a seat`;
  if (around.officials.has(player)) return `${does} ${player}, who is or was an official of the game`;
  if (around.seesAll && [around.organizer, around.firstOrganizer].includes(player)) {
    return `${does} ${player}, who organizes the game and sees all of it`;
  }
  const other = [...around.held].find(([each, held]) => each !== seat && held.has(player));
  return other && `${does} ${player}, who held ${other[0]} before`;
}
