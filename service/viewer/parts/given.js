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
