/**
 * Signed notes, their keys, and policies, as C2SP writes them (`domain/transparency/note.py`, `checkpoint.py`,
 * `policy.py`).
 * @module
 */

import { hex, joined, sha256, utf8 } from "./canonical.js";

const ED25519 = 1;
const ED25519_COSIGNATURE = 4;

/**
 * A key: the name of its owner, the digest by which signatures name it, its kind, and its bytes.
 * @typedef {{name: string, id: string, kind: number, public: Uint8Array<ArrayBuffer>}} Key
 *
 * @typedef {{text: string, signatures: {name: string, id: string, value: Uint8Array<ArrayBuffer>}[]}} Note
 *
 * The head of a tree.
 * @typedef {{origin: string, size: number, root: Uint8Array}} Checkpoint
 *
 * Which logs and witnesses are believed, and how many of these are enough.
 * @typedef {object} Policy
 * @property {Key[]} logs
 * @property {Map<string, Key>} witnesses
 * @property {Map<string, {least: number, members: string[]}>} groups
 * @property {string | undefined} quorum
 */

/** Return the bytes that base64 stands for; undefined when it is not exactly what encoding would give. @param {string} text */
export function unbase64(text) {
  try {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return btoa(String.fromCharCode(...bytes)) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Read a key as it is written in a policy. @param {string} text @returns {Promise<Key>} @throws {Error} */
export async function readKey(text) {
  const [, name, id, rest] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  const bytes = rest && unbase64(rest);
  if (!bytes || bytes.length < 2) throw new Error(`${text.slice(0, 60)} is not a key`);
  const right = hex((await sha256(joined(utf8(`${name}\n`), bytes))).subarray(0, 4));
  if (id !== right) throw new Error(`the key of ${name} was copied wrongly`);
  return { name, id, kind: bytes[0], public: bytes.subarray(1) };
}

/** Return the text of a note and its signatures. @param {string} text @returns {Note} @throws {Error} */
export function readNote(text) {
  const at = text.lastIndexOf("\n\n");
  if (at < 0 || !text.endsWith("\n")) throw new Error("a note ends with an empty line and signature lines after it");
  const signatures = text
    .slice(at + 2, -1)
    .split("\n")
    .map((line) => {
      const [, name, value] = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
      const bytes = value && unbase64(value);
      if (!bytes || bytes.length < 5) throw new Error("a line after a note is not a signature");
      return { name, id: hex(bytes.subarray(0, 4)), value: bytes.subarray(4) };
    });
  return { text: text.slice(0, at + 1), signatures };
}

/** Read the head of a tree from the text of a note. @param {string} text @returns {Checkpoint} @throws {Error} */
export function readCheckpoint(text) {
  const [origin, size, root] = text.split("\n");
  const bytes = root && unbase64(root);
  if (!origin || !/^(0|[1-9]\d{0,14})$/.test(size) || !bytes || bytes.length !== 32)
    throw new Error("this is no checkpoint");
  return { origin, size: Number(size), root: bytes };
}

/**
 * Return the time at which a key signed a note, 0 for a key that says none.
 * @param {Key} key
 * @param {Note} note
 * @returns {Promise<number | null | undefined>} undefined when it did not sign; null when this browser cannot tell
 * @throws {Error} a signature that says it is by the key is wrong: then the whole note is worth nothing
 */
export async function signedBy(key, note) {
  const found = note.signatures.find(({ name, id }) => name === key.name && id === key.id);
  if (!found) return undefined;
  if (key.kind !== ED25519 && key.kind !== ED25519_COSIGNATURE) return null;
  const cosigns = key.kind === ED25519_COSIGNATURE;
  const stamp = cosigns ? new DataView(found.value.buffer, found.value.byteOffset, 8).getBigUint64(0) : 0n;
  const message = cosigns ? `cosignature/v1\ntime ${stamp}\n${note.text}` : note.text;
  let imported;
  try {
    imported = await crypto.subtle.importKey("raw", key.public, { name: "Ed25519" }, false, ["verify"]);
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotSupportedError") return null;
    throw error;
  }
  const isRight = await crypto.subtle.verify(
    { name: "Ed25519" },
    imported,
    cosigns ? found.value.subarray(8) : found.value,
    utf8(message),
  );
  if (!isRight) throw new Error(`the signature of ${key.name} is wrong`);
  return Number(stamp);
}

/** Return the policy that a file contains. @param {string} text @throws {Error} */
export async function readPolicy(text) {
  /** @type {Policy} */
  const policy = { logs: [], witnesses: new Map(), groups: new Map(), quorum: undefined };
  for (const [index, line] of text.split("\n").entries()) {
    const [word, ...rest] = line.trim().split(/[ \t]+/);
    if (!word || word.startsWith("#")) continue;
    try {
      if (word === "log") policy.logs.push(await readKey(rest[0] ?? ""));
      else if (word === "witness") policy.witnesses.set(rest[0], await readKey(rest[1] ?? ""));
      else if (word === "group" && rest.length > 2)
        policy.groups.set(rest[0], { least: least(rest[1], rest.length - 2), members: rest.slice(2) });
      else if (word === "quorum" && rest.length === 1 && policy.quorum === undefined) [policy.quorum] = rest;
      else throw new Error(`${word} does not belong here`);
    } catch (error) {
      throw new Error(`line ${index + 1} of the policy: ${/** @type {Error} */ (error).message}`);
    }
  }
  if (policy.quorum === undefined) throw new Error("the policy has no quorum line");
  return policy;
}

/**
 * @param {string} word
 * @param {number} members
 */
function least(word, members) {
  const number = { any: 1, all: members }[word] ?? Number(word);
  if (!(Number.isInteger(number) && number >= 1 && number <= members))
    throw new Error(`${word} of ${members} is no group`);
  return number;
}

/**
 * Tell whether these witnesses are enough for a policy.
 * @param {Pick<Policy, "quorum" | "groups">} policy
 * @param {Set<string>} seen
 * @param {string} [name] of a group or a witness
 * @returns {boolean}
 */
export function isEnough({ quorum, groups }, seen, name = quorum) {
  if (name === "none") return true;
  const group = groups.get(name ?? "");
  if (!group) return seen.has(name ?? "");
  return group.members.filter((member) => isEnough({ quorum, groups }, seen, member)).length >= group.least;
}
