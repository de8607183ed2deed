/**
 * Random digits of the browser's own, which a seat adds to the dice: then nobody can have chosen them alone.
 * @module
 */

/** Return 32 random hexadecimal digits. */
export function entropy() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
