/**
 * What somebody typed into a form.
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
 * Return the id of a player in what somebody typed: the id alone, or the address of the player's page.
 * @param {string} text
 */
export function playerIn(text) {
  return /^(?:.*\/players\/)?(p[0-9a-z]{12,})$/.exec(text)?.[1];
}
