/**
 * The one byte form that is hashed: RFC 8785, for what the log holds: texts, booleans, null and whole numbers.
 * @module
 */

/** @import { Json } from "../types.js" */

const encoder = new TextEncoder();
const SURROGATE = /\p{Surrogate}/u; // Matches only a surrogate without its partner, which UTF-8 cannot encode.

/**
 * Return the RFC 8785 form of a JSON value.
 * @param {unknown} value
 * @returns {string}
 * @throws {RangeError} for a number that is not whole or not exact, and for a surrogate without its partner
 */
export function canonical(value) {
  if (typeof value === "string") return text(value);
  if (typeof value === "number") return number(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const object = /** @type {Record<string, unknown>} */ (value);
  const members = Object.keys(object).sort();
  return `{${members.map((name) => `${text(name)}:${canonical(object[name])}`).join(",")}}`;
}

/** @param {string} value */
function text(value) {
  if (SURROGATE.test(value)) throw new RangeError("a text holds half a character");
  return JSON.stringify(value);
}

/** @param {number} value */
function number(value) {
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${value} is not a whole number that all programs read exactly`);
  return JSON.stringify(value);
}

/** Return the UTF-8 bytes of a text. @param {string} value */
export function utf8(value) {
  return encoder.encode(value);
}

/** Concatenate bytes. @param {(Uint8Array | number[])[]} parts */
export function joined(...parts) {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Return bytes in hex. @param {Iterable<number>} bytes */
export function hex(bytes) {
  let digits = "";
  for (const byte of bytes) digits += DIGITS[byte];
  return digits;
}

/** Decode hex. @param {string} digits @throws {RangeError} for anything but pairs of lower-case hex digits */
export function unhex(digits) {
  if (!/^([0-9a-f]{2})*$/.test(digits)) throw new RangeError(`${digits} is not hex`);
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Return the SHA-256 of bytes. @param {Uint8Array<ArrayBuffer>} bytes */
export async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/**
 * Return the hex commitment to a value under a salt (`domain/kernel/chance/secret.py`).
 * @param {string} salt
 * @param {Json} value
 */
export async function commitmentOf(salt, value) {
  return hex(await sha256(joined(unhex(salt), utf8(canonical(value)))));
}
