/**
 * Moving players between the tables of a draft. These functions return new tables and do not change the old ones.
 * @module
 */

/** @import { Drawn } from "../types.js" */

/**
 * Where a player can go. Either they change places with another player, or they go to the end of a table, to the byes,
 * or to a new table.
 * @typedef {{player: string} | {table: number | "byes" | "new"}} Target
 */

/**
 * Return the tables after a player has moved. A table without players is removed.
 * @param {Drawn} drawn
 * @param {string} player
 * @param {Target} target
 * @returns {Drawn}
 */
export function moved(drawn, player, target) {
  if ("player" in target) return exchanged(drawn, player, target.player);
  const tables = drawn.tables.map((table) => table.filter((each) => each !== player));
  const byes = drawn.byes.filter((each) => each !== player);
  if (target.table === "byes") byes.push(player);
  else if (target.table === "new") tables.push([player]);
  else tables[target.table].push(player);
  return { tables: tables.filter((table) => table.length), byes };
}

/**
 * Return the tables after two players have changed places.
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
 * Return where a player sits: the number of their table, from 0, or "byes".
 * @param {Drawn} drawn
 * @param {string} player
 */
export function tableOf({ tables }, player) {
  const at = tables.findIndex((table) => table.includes(player));
  return at < 0 ? "byes" : at;
}

/**
 * Return how many players have another table, or another place at it, than before.
 * @param {Drawn} before
 * @param {Drawn} after
 */
export function changes(before, after) {
  const places = new Map(placesOf(before));
  return placesOf(after).filter(([player, place]) => places.get(player) !== place).length;
}

/** Return the place of each player. @param {Drawn} drawn @returns {[player: string, place: string][]} */
function placesOf({ tables, byes }) {
  return [
    ...tables.flatMap((table, at) =>
      table.map((player, place) => /** @type {[string, string]} */ ([player, `${at}/${place}`])),
    ),
    ...byes.map((player) => /** @type {[string, string]} */ ([player, "bye"])),
  ];
}
