/**
 * The Merkle tree of RFC 6962 and its proofs, as RFC 9162 checks them and C2SP `tlog-tiles` serves them
 * (`domain/transparency/tree.py`, `tiles.py`).
 * @module
 */

import { hex, joined, sha256 } from "./canonical.js";

const HASH = 32;
const HEIGHT = 8; // Levels of the tree in a tile.
const WIDTH = 2 ** HEIGHT;

/**
 * Reads the hashes of a tile of the tree, given its path below `tile/`.
 * @typedef {(path: string) => Promise<Uint8Array>} Tiles
 */

const node = (/** @type {Uint8Array} */ left, /** @type {Uint8Array} */ right) => sha256(joined([1], left, right));

/**
 * Tell whether a leaf is at its place in a tree (RFC 9162, 2.1.3.2).
 * @param {Uint8Array} leaf its content
 * @param {number} index
 * @param {{size: number, root: Uint8Array}} tree
 * @param {Uint8Array[]} path
 */
export async function includes(leaf, index, { size, root }, path) {
  if (index >= size) return false;
  let [at, last, hash] = [index, size - 1, await sha256(joined([0], leaf))];
  for (const beside of path) {
    if (last === 0) return false;
    if (at % 2 || at === last) {
      hash = await node(beside, hash);
      while (at % 2 === 0 && at) [at, last] = [half(at), half(last)];
    } else {
      hash = await node(hash, beside);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && hex(hash) === hex(root);
}

/**
 * Tell whether one tree goes on from another (RFC 9162, 2.1.4.2), by a proof made of the tiles of the later one.
 * @param {{size: number, root: Uint8Array}} before
 * @param {{size: number, root: Uint8Array}} after
 * @param {Tiles} tile
 */
export async function continues(before, after, tile) {
  if (before.size > after.size) return false;
  if (before.size === after.size) return hex(before.root) === hex(after.root);
  if (before.size === 0) return true;
  /** @type {Uint8Array[]} */
  const proof = [];
  for (const leaves of consistency(before.size, after.size)) proof.push(await hashOf(leaves, after.size, tile));
  let [at, last] = [before.size - 1, after.size - 1];
  while (at % 2) [at, last] = [half(at), half(last)];
  // The old root is a node of the new tree when the old tree is a perfect one; the proof leaves it out then.
  let old = largestPower(before.size) === before.size ? before.root : (proof.shift() ?? new Uint8Array());
  let now = old;
  for (const each of proof) {
    if (last === 0) return false;
    if (at % 2 || at === last) {
      [old, now] = [await node(each, old), await node(each, now)];
      while (at % 2 === 0 && at) [at, last] = [half(at), half(last)];
    } else {
      now = await node(now, each);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && hex(old) === hex(before.root) && hex(now) === hex(after.root);
}

/**
 * Return the ranges of leaves whose hashes prove that the tree of size `after` goes on from that of size `before`.
 * @param {number} before
 * @param {number} after
 * @returns {[number, number][]}
 */
function consistency(before, after) {
  /** @type {[number, number][]} */
  const found = [];
  let [start, stop] = [0, after];
  while (stop !== before) {
    const middle = start + largestPower(stop - start - 1);
    if (before <= middle) {
      found.push([middle, stop]);
      stop = middle;
    } else {
      found.push([start, middle]);
      start = middle;
    }
  }
  found.reverse();
  return start ? [[start, stop], ...found] : found;
}

/**
 * Return the hash of a range of leaves. It is made from the perfect subtrees that make up the range, the largest first.
 * @param {[number, number]} leaves
 * @param {number} size
 * @param {Tiles} tile
 */
async function hashOf([start, stop], size, tile) {
  /** @type {Uint8Array[]} */
  const hashes = [];
  for (let at = start; at < stop; ) {
    const leaves = largestPower(stop - at);
    hashes.push(await subtree(at, leaves, size, tile));
    at += leaves;
  }
  const [last, ...others] = hashes.reverse();
  let hash = last;
  for (const left of others) hash = await node(left, hash);
  return hash;
}

/**
 * Return the hash of a perfect subtree, from the hashes of the tile that has them.
 * @param {number} size
 * @param {number} start
 * @param {number} leaves
 * @param {Tiles} tile
 */
async function subtree(start, leaves, size, tile) {
  let [level, unit] = [0, 1];
  while (unit * WIDTH <= leaves) [level, unit] = [level + 1, unit * WIDTH];
  const number = Math.floor(start / unit / WIDTH);
  const width = Math.min(WIDTH, Math.floor(size / unit) - number * WIDTH);
  const bytes = await tile(`${level}/${numbered(number, width)}`);
  const first = start / unit - number * WIDTH;
  let hashes = Array.from({ length: leaves / unit }, (_, index) =>
    bytes.subarray((first + index) * HASH, (first + index + 1) * HASH),
  );
  while (hashes.length > 1) {
    hashes = await Promise.all(
      hashes.filter((_, index) => index % 2 === 0).map((left, index) => node(left, hashes[2 * index + 1])),
    );
  }
  return hashes[0];
}

/**
 * Return the end of a tile's path: its number in groups of three digits, and its width when it is not full.
 * @param {number} number
 * @param {number} width
 */
function numbered(number, width) {
  const groups =
    String(number)
      .padStart(Math.ceil(String(number).length / 3) * 3, "0")
      .match(/\d{3}/g) ?? [];
  const path = groups.map((digits, index) => (index < groups.length - 1 ? `x${digits}` : digits)).join("/");
  return width === WIDTH ? path : `${path}.p/${width}`;
}

/**
 * Return the largest power of two that is not above a number. Bits would not do: sizes may have more than 32 of them.
 * @param {number} number
 */
function largestPower(number) {
  let power = 1;
  while (power * 2 <= number) power *= 2;
  return power;
}

/** @param {number} number */
function half(number) {
  return Math.floor(number / 2);
}
