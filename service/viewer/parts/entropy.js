/**
 * Random digits from this browser. A seat adds them to the dice, so that the service cannot choose the rolls alone.
 * @module
 */

/** Return 32 random hexadecimal digits. */
export function entropy() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
