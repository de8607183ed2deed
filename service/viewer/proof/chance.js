/**
 * Chance drawn again from the secret that a finished game publishes, exactly as `domain/kernel/chance/draws.py` says:
 *
 *     HMAC-SHA256(secret, SHA-256(canonical {"entropy", "game"}) ‖ draw as 8 bytes ‖ block as 4 bytes), block = 0, 1, …
 *
 * A die of s sides takes a byte b, the next one while b >= 256 - 256 mod s, and shows b mod s + 1; a shuffle of n runs
 * i from n-1 down to 1 and swaps i with u mod (i+1), u being four bytes, taken again while u is too large to be fair; a
 * salt is the first 16 bytes.
 * @module
 */
import { canonical, hex, joined, sha256, unhex, utf8 } from "./canonical.js";

/** The chance of one game. */
export class Chance {
  #key;
  #context;

  /**
   * @param {CryptoKey} key
   * @param {Uint8Array<ArrayBuffer>} context
   */
  constructor(key, context) {
    this.#key = key;
    this.#context = context;
  }

  /**
   * @param {string} secret in hex
   * @param {string} game its id
   * @param {Record<string, string>} entropy what seats added, by seat; a seat that added nothing is not in it
   */
  static async of(secret, game, entropy) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", unhex(secret), algorithm, false, ["sign"]);
    return new Chance(key, await sha256(utf8(canonical({ entropy, game }))));
  }

  /**
   * Return the message whose HMAC is a block of a draw's bytes.
   * @param {number} draw
   * @param {number} [block]
   */
  message(draw, block = 0) {
    const counters = new DataView(new ArrayBuffer(12));
    counters.setBigUint64(0, BigInt(draw));
    counters.setUint32(8, block);
    return joined(this.#context, new Uint8Array(counters.buffer));
  }

  /**
   * Return a block of 32 bytes of a draw.
   * @param {number} draw
   * @param {number} [block]
   */
  async block(draw, block = 0) {
    return new Uint8Array(await crypto.subtle.sign("HMAC", this.#key, this.message(draw, block)));
  }

  /**
   * Return the first bytes of a draw: at least `count`, in whole blocks.
   * @param {number} draw
   * @param {number} count
   */
  async bytes(draw, count) {
    const blocks = Array.from({ length: Math.ceil(count / 32) }, (_, block) => this.block(draw, block));
    return joined(...(await Promise.all(blocks)));
  }

  /**
   * Roll again.
   * @param {number} draw
   * @param {number} count
   * @param {number} sides
   * @returns {Promise<{numbers: number[], used: {byte: number, number: number | null}[]}>} the numbers, each 1 to
   *   `sides`, and every byte that was used: one that would favour a face has no number and was thrown away
   */
  async dice(draw, count, sides) {
    const fair = 256 - (256 % sides);
    for (let length = count + 16; ; length *= 2) {
      /** @type {{byte: number, number: number | null}[]} */
      const used = [];
      /** @type {number[]} */
      const numbers = [];
      for (const byte of await this.bytes(draw, length)) {
        if (numbers.length === count) return { numbers, used };
        const number = byte < fair ? (byte % sides) + 1 : null;
        used.push({ byte, number });
        if (number !== null) numbers.push(number);
      }
      if (numbers.length === count) return { numbers, used };
    }
  }

  /**
   * Shuffle again.
   * @param {number} draw
   * @param {number} length
   * @returns {Promise<number[]>} a permutation of 0 to length - 1
   */
  async order(draw, length) {
    for (let size = 4 * length + 32; ; size *= 2) {
      const order = shuffled(await this.bytes(draw, size), length);
      if (order) return order;
    }
  }

  /** Return the salt of a draw, in hex. @param {number} draw */
  async salt(draw) {
    return hex((await this.block(draw)).subarray(0, 16));
  }
}

/**
 * Return the permutation that bytes make; undefined when they are too few.
 * @param {Uint8Array} bytes
 * @param {number} length
 */
function shuffled(bytes, length) {
  const numbers = new DataView(bytes.buffer);
  const items = Array.from({ length }, (_, index) => index);
  let at = 0;
  for (let last = length - 1; last > 0; last -= 1) {
    const fair = 2 ** 32 - (2 ** 32 % (last + 1));
    let number = fair;
    while (number >= fair) {
      if (at + 4 > bytes.length) return undefined;
      number = numbers.getUint32(at);
      at += 4;
    }
    const chosen = number % (last + 1);
    [items[last], items[chosen]] = [items[chosen], items[last]];
  }
  return items;
}

/**
 * Say in words how dice came about: "Draw 17: HMAC-SHA256 of 5b0e…0000 begins 7f 22 → 2, 5".
 * @param {Chance} chance
 * @param {{draw: number, numbers: number[], used: {byte: number, number: number | null}[]}} drawn
 */
export function derivation(chance, { draw, numbers, used }) {
  const bytes = used.map(({ byte, number }) => hex([byte]) + (number === null ? " (thrown away)" : "")).join(" ");
  return `Draw ${draw}: HMAC-SHA256 of ${hex(chance.message(draw))} begins ${bytes} → ${numbers.join(", ")}`;
}
