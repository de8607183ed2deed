/**
 * Reading what somebody typed into a form.
 * @module
 */

/**
 * Return what a form says in a field, without blanks around it; empty where there is no such field.
 * @param {FormData} given
 * @param {string} name
 */
export function textIn(given, name) {
  return `${given.get(name) ?? ""}`.trim();
}

/**
 * Return the id of a game in what somebody typed: the address of the game's page, or the id alone.
 * @param {string} text
 */
export function gameIn(text) {
  return /^(?:.*\/games\/)?([0-9a-z]+)(?:[#?/].*)?$/.exec(text)?.[1] ?? text;
}

/**
 * Return the id of a tournament in what somebody typed: the id alone, or the address of its page.
 * @param {string} text
 */
export function tournamentIn(text) {
  return /^(?:.*\/tournaments\/)?([0-9a-z]+)(?:[#?/].*)?$/.exec(text)?.[1] ?? text;
}

/**
 * Return the id of a player in what somebody typed: the id alone, or the address of the player's page.
 * @param {string} text
 */
export function playerIn(text) {
  return /^(?:.*\/players\/)?(p[0-9a-z]{12,})$/.exec(text)?.[1];
}
