/**
 * Moving players between the tables of a draft. Everything here gives new tables and leaves the old ones as they are.
 * @module
 */

/** @import { Drawn } from "../types.js" */

/**
 * Where a player can go. Either they change places with another player, or they go to the end of a table, to the byes,
 * or to a new table.
 * @typedef {{player: string} | {table: number | "byes" | "new"}} Target
 */

/**
 * Return the tables after a player has gone somewhere. A table without players is removed.
 * @param {Drawn} drawn
 * @param {string} player
 * @param {Target} target
 * @returns {Drawn}
 */
export function moved(drawn, player, target) {
  if ("player" in target) return exchanged(drawn, player, target.player);
  const left = drawn.tables.map((table) => table.filter((each) => each !== player));
  const byes = drawn.byes.filter((each) => each !== player);
  if (target.table === "byes") byes.push(player);
  else if (target.table === "new") left.push([player]);
  else left[target.table].push(player);
  return { tables: left.filter((table) => table.length), byes };
}

/**
 * @param {Drawn} drawn
 * @param {string} one
 * @param {string} other
 */
function exchanged({ tables, byes }, one, other) {
  /** @param {readonly string[]} players */
  const swapped = (players) => players.map((each) => (each === one ? other : each === other ? one : each));
  return { tables: tables.map(swapped), byes: swapped(byes) };
}

/**
 * Return where a player sits: the number of the table from 0, or the byes.
 * @param {Drawn} drawn
 * @param {string} player
 */
export function tableOf({ tables }, player) {
  const at = tables.findIndex((table) => table.includes(player));
  return at < 0 ? "byes" : at;
}

/**
 * Return how many players have another table or place than before.
 * @param {Drawn} before
 * @param {Drawn} after
 */
export function changes(before, after) {
  const places = new Map(placesOf(before));
  return placesOf(after).filter(([player, place]) => places.get(player) !== place).length;
}

/** @param {Drawn} drawn @returns {[string, string][]} */
function placesOf({ tables, byes }) {
  return [
    ...tables.flatMap((table, at) =>
      table.map((player, place) => /** @type {[string, string]} */ ([player, `${at}/${place}`])),
    ),
    ...byes.map((player) => /** @type {[string, string]} */ ([player, "bye"])),
  ];
}
