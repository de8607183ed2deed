/**
 * Chance of the browser's own: with it only the players of all seats together could have chosen the dice.
 * @module
 */

/** Return 32 random hexadecimal digits. */
export function entropy() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
