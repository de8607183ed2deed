/**
 * Reading what somebody typed into a form.
 * @module
 */

/**
 * Return the text of a form's field, without blanks around it; empty if there is no such field.
 * @param {FormData} given
 * @param {string} name
 */
export function textIn(given, name) {
  return `${given.get(name) ?? ""}`.trim();
}

/**
 * Return the id of a game that somebody typed, or whose page's address they typed; otherwise the text itself.
 * @param {string} text
 */
export function gameIn(text) {
  return /^(?:.*\/games\/)?([0-9a-z]+)(?:[#?/].*)?$/.exec(text)?.[1] ?? text;
}

/**
 * Return the id of a tournament that somebody typed, or whose page's address they typed; otherwise the text itself.
 * @param {string} text
 */
export function tournamentIn(text) {
  return /^(?:.*\/tournaments\/)?([0-9a-z]+)(?:[#?/].*)?$/.exec(text)?.[1] ?? text;
}

/**
 * Return the id of a player that somebody typed, or whose page's address they typed; otherwise undefined.
 * @param {string} text
 */
export function playerIn(text) {
  return /^(?:.*\/players\/)?(p[0-9a-z]{12,})$/.exec(text)?.[1];
}
