/**
 * How the seats of a game finished, in words, and the order that a player chooses for them.
 * @module
 */

/** @import { Game } from "../types.js" */

/** @typedef {NonNullable<Game["result"]>} Result */

/**
 * Return the groups of an order, each with its place: after two seats that share first place comes place 3.
 * @template T
 * @param {T[][]} order
 * @returns {{place: number, seats: T[]}[]}
 */
export function placesOf(order) {
  let before = 0;
  return order.map((seats) => {
    const place = before + 1;
    before += seats.length;
    return { place, seats };
  });
}

/**
 * Return the seats grouped by their places, the best first. Seats with the same place tie.
 * @param {[seat: string, place: number][]} places
 * @returns {string[][]}
 */
export function orderBy(places) {
  const numbers = [...new Set(places.map(([, place]) => place))].sort((one, other) => one - other);
  return numbers.map((number) => places.filter(([, place]) => place === number).map(([seat]) => seat));
}

/**
 * Return an order in words: "1. Blue; 2. Red and Green"; "all tie" for a single group.
 * @param {string[][]} order
 * @param {(seat: string) => string} named
 */
export function inWords(order, named) {
  const each = placesOf(order).map(({ place, seats }) => `${place}. ${seats.map(named).join(" and ")}`);
  return order.length === 1 ? "all tie" : each.join("; ");
}

/** What is added when the winner did not win by the rule book. @type {Record<string, string>} */
const BY = { flag: " on time", resigned: " by resignation" };

/**
 * Return how a game ended, as a sentence.
 * @param {Result | null | undefined} result
 * @param {(seat: string) => string} named
 */
export function endedAs(result, named) {
  if (result?.how === "agreed") return `Ended by agreement: ${inWords(result.order, named)}.`;
  if (result?.how === "abandoned") return "Abandoned: nobody played any more.";
  if (!result?.winners.length) return "Nobody won.";
  const won = `Won by ${result.winners.map(named).join(" and ")}${BY[result.how] ?? ""}.`;
  // Where all others tie, the order says no more than who won.
  return result.order.length > 2 ? `${won} In order: ${inWords(result.order, named)}.` : won;
}
