/**
 * The links that this tab made for games, so that a reload does not lose what the service shows only once.
 * @module
 */

/**
 * @import { Invitation } from "../types.js"
 * @import { Api } from "./api.js"
 */

const MADE = "tabularium-invitation";

/**
 * Make a link that gives a free seat to everybody who follows it. Throws a `Problem`.
 * @param {Api} api
 * @param {string} game
 */
export async function invite(api, game) {
  const { token, details } = await api.post(`/v1/games/${game}/invitations`);
  sessionStorage.setItem(`${MADE}-${game}`, JSON.stringify({ token, id: details.id }));
}

/**
 * Return the link that was made here last, if it is still good; null for none.
 * @param {Invitation[]} valid invitations
 * @param {string} game
 */
export function linkOf(game, valid) {
  const { token, id } = JSON.parse(sessionStorage.getItem(`${MADE}-${game}`) ?? "{}");
  return valid.some((each) => each.id === id) ? { id, address: `${location.origin}/join#${token}` } : null;
}
