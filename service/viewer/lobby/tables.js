/**
 * Setting up a game: creating it, taking a seat, and letting bots have the free ones.
 * @module
 */

/**
 * @import { Api } from "../state/api.js"
 * @import { Body, RulesetSummary } from "../types.js"
 */

import { entropy } from "../parts/entropy.js";

const LONGEST = 120; // Letters that a title may have.

/**
 * Create a game. If a later step of the set-up fails, cancel the game. Throws a `Problem`.
 * @param {Api} api
 * @param {Body<"/v1/games", "post">} wish the request body of `POST /v1/games`
 * @param {boolean} [sits] whether its creator takes a seat, with random digits of this browser for the dice
 * @param {string} [level] of the bots that get all free seats, after which the game starts; empty for no bots
 * @returns {Promise<string>} its id
 */
export async function setUp(api, wish, sits = true, level = "") {
  const { id } = await api.post("/v1/games", { ...wish, title: wish.title?.slice(0, LONGEST) });
  try {
    if (sits) await api.post(`/v1/games/${id}/seats`, { entropy: entropy() });
    if (level) await seatBots(api, id, level);
  } catch (problem) {
    await api.delete(`/v1/games/${id}`).catch(() => {});
    throw problem;
  }
  return id;
}

/**
 * @param {Api} api
 * @param {string} id
 * @param {string} level
 */
async function seatBots(api, id, level) {
  const { seats } = await api.get(`/v1/games/${id}`);
  for (const { seat, player } of seats) if (!player) await api.put(`/v1/games/${id}/seats/${seat}/bot`, { level });
  await api.post(`/v1/games/${id}/start`);
}

/**
 * Return the game that somebody new may like to begin with: the one with the fewest rules.
 * @param {RulesetSummary[]} rulesets
 */
export function easiest(rulesets) {
  return rulesets.reduce((one, other) => (other.rules < one.rules ? other : one));
}

/**
 * Return the number of players that a form proposes: 3 if the rules allow it, otherwise the first that they list.
 * @param {Pick<RulesetSummary, "players">} ruleset
 */
export function fewPlayers({ players }) {
  return players.includes(3) ? 3 : players[0];
}
