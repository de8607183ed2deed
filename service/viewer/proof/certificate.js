/**
 * Checks the certificate of a verified export: that a version of it is in the log which the service signs (C2SP
 * `tlog-proof`, `domain/transparency/certificate.py`). Signatures are Ed25519; a browser without it says what it could
 * not check.
 * @module
 */

/**
 * @import { CaseRow, LoggedEvent, Row } from "../types.js"
 * @import { Checkpoint, Note, Policy } from "./note.js"
 * @import { Verdict } from "./verify.js"
 */

import { canonical } from "./canonical.js";
import { isEnough, readCheckpoint, readNote, readPolicy, signedBy, unbase64 } from "./note.js";
import { includes } from "./tree.js";

/**
 * An entry of the log: a version of a stream.
 * @typedef {{at: string, hash: string, id: string, kind: "game" | "case", status: string, version: number}} LogEntry
 *
 * What a certificate says, in sentences.
 * @typedef {{ok: boolean, problem?: string, sentences: string[], unchecked: string[]}} Certified
 */

const HEAD = /^c2sp\.org\/tlog-proof@v1\n(?:extra (\S+)\n)?index (0|[1-9]\d{0,14})\n((?:\S+\n){0,63})\n/;
const CLOCKS_APART = 300; // Seconds by which the clocks of a service and of a witness may differ.
const NAMES = ["at", "hash", "id", "kind", "status", "version"];

/** The status that a stream has after its last event of one of these types. @type {Record<string, string>} */
const STATUS = {
  "game-created": "gathering",
  "game-started": "running",
  "game-cancelled": "cancelled",
  "game-ended": "over",
  "case-opened": "open",
  "case-withdrawn": "withdrawn",
  ruled: "ruled",
  appealed: "appealed",
  "ruled-finally": "final",
  settled: "settled",
};

/**
 * Check a certificate against the export that it belongs to.
 * @param {string} text the certificate
 * @param {string} policy which log and which witnesses are believed
 * @param {Verdict} verdict of the export
 * @returns {Promise<Certified>}
 */
export async function certify(text, policy, verdict) {
  try {
    return { ok: true, ...(await certified(text, await readPolicy(policy), verdict)) };
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    return { ok: false, problem: `${message[0].toUpperCase()}${message.slice(1)}.`, sentences: [], unchecked: [] };
  }
}

/**
 * @param {string} text
 * @param {Verdict} verdict
 * @param {Policy} policy
 */
async function certified(text, policy, verdict) {
  const [head, extra, index, hashes] = HEAD.exec(text) ?? [];
  if (head === undefined) throw new Error("this is no certificate");
  const note = readNote(text.slice(head.length));
  const checkpoint = readCheckpoint(note.text);
  const { unchecked, witnesses } = await checkSigners(policy, note, checkpoint);
  const content = extra && unbase64(extra);
  const path = hashes
    .split("\n")
    .slice(0, -1)
    .map((line) => unbase64(line) ?? new Uint8Array());
  const isIncluded =
    content && path.every((hash) => hash.length === 32) && (await includes(content, Number(index), checkpoint, path));
  if (!isIncluded) throw new Error("the certificate does not lead from its entry to the root that was signed");
  const entry = entryOf(content);
  compare(entry, verdict);
  for (const [name, time] of witnesses) {
    const latest = new Date((time + CLOCKS_APART) * 1000).toISOString();
    if (entry.at.slice(0, 19) > latest.slice(0, 19))
      throw new Error(`version ${entry.version} is dated ${entry.at}, and ${name} had seen it before`);
  }
  return { sentences: sentencesOf(checkpoint, index, entry, witnesses, verdict), unchecked };
}

/**
 * Check who signed the checkpoint and who saw it.
 * @param {Policy} policy
 * @param {Note} note
 * @param {Checkpoint} checkpoint
 */
async function checkSigners(policy, note, { origin }) {
  /** @type {string[]} */
  const unchecked = [];
  const logs = policy.logs.filter(({ name }) => name === origin);
  if (!logs.length) throw new Error(`the policy does not know the log ${origin}`);
  /** @type {(number | null | undefined)[]} */
  const times = [];
  for (const key of logs) times.push(await signedBy(key, note));
  if (times.every((time) => time === undefined))
    throw new Error(`the checkpoint is not signed by a key that the policy has for ${origin}`);
  if (times.every((time) => time === undefined || time === null)) {
    unchecked.push("The signature of the service: this browser has no Ed25519.");
  }
  /** @type {Map<string, number>} */
  const witnesses = new Map();
  /** @type {Set<string>} */
  const seen = new Set();
  for (const [name, key] of policy.witnesses) {
    const time = await signedBy(key, note);
    if (time === undefined) continue;
    seen.add(name);
    if (time === null) unchecked.push(`The cosignature of ${name}: this browser cannot check it.`);
    else witnesses.set(name, time);
  }
  if (!isEnough(policy, seen))
    throw new Error(
      `the quorum ${policy.quorum} is not reached: of the policy's witnesses it was seen by ${[...seen].join(", ") || "none"}`,
    );
  return { unchecked, witnesses };
}

/** @param {Uint8Array} content */
function entryOf(content) {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
  const entry = JSON.parse(text);
  if (Object.keys(entry).sort().join() !== NAMES.join() || canonical(entry) !== text)
    throw new Error("the certificate is of something else");
  return entry;
}

/**
 * @param {LogEntry} entry
 * @param {Verdict} verdict
 */
function compare({ kind, id, version, hash, at, status }, verdict) {
  const stream = verdict.case ?? verdict.game;
  if (kind !== (verdict.case ? "case" : "game") || id !== stream)
    throw new Error(`the certificate is of ${kind} ${id}, and the export of ${stream}`);
  const row = verdict.rows[version - 1];
  if (!row)
    throw new Error(
      `the certificate is of version ${version}, and the export ends at version ${verdict.versions}: it was cut short, or is older than the certificate`,
    );
  if (row.hash !== hash)
    throw new Error(
      `the service stood by the hash ${hash} at version ${version}, and the export has ${row.hash} there: it is another log`,
    );
  if (row.at !== at) throw new Error(`version ${version} was signed as of ${at}, and the export dates it ${row.at}`);
  const created = /** @type {LoggedEvent} */ (verdict.rows[0].event);
  if (status === "withheld" && version === 1 && created.withheld) return;
  if (status === "private" && (kind === "case" || created.readers)) return;
  const expected = statusAt(verdict.rows, version);
  if (expected !== status)
    throw new Error(`version ${version} was signed as ${status}, and the export leads to ${expected} there`);
}

/**
 * @param {(Row | CaseRow)[]} rows
 * @param {number} version
 */
function statusAt(rows, version) {
  const last = rows
    .slice(0, version)
    .findLast(({ event }) => event.type in STATUS || event.type === "game-forked")?.event;
  if (!last) return undefined;
  if (last.type === "game-forked")
    return /** @type {LoggedEvent} */ (last).purpose === "analysis" ? "running" : "gathering";
  return STATUS[last.type];
}

/**
 * @param {Checkpoint} checkpoint
 * @param {string} index
 * @param {LogEntry} entry
 * @param {Map<string, number>} witnesses
 * @param {Verdict} verdict
 */
function sentencesOf({ origin, size }, index, { version, status }, witnesses, { versions }) {
  const sentences = [`The log ${origin} has version ${version} as its entry ${index}, of ${size} then.`];
  const seen = [...witnesses].map(([name, time]) => `${name} (${new Date(time * 1000).toISOString().slice(0, 19)}Z)`);
  sentences.push(
    seen.length
      ? `That log was seen by ${seen.join(", ")}, so version ${version} existed by then.`
      : "No witness of the policy saw that log: the service could show others another one.",
  );
  if (status === "withheld")
    sentences.push("It was withheld then, to be shown to everybody when the game that it forks from was over.");
  if (status === "private") sentences.push("It is private: others are shown its hashes alone.");
  if (versions > version)
    sentences.push(
      `The export has ${versions - version} more versions after it, for which a newer certificate speaks.`,
    );
  else if (["over", "cancelled"].includes(status))
    sentences.push(`It was ${status} then: the result of the game cannot change.`);
  else sentences.push("Whether versions after it exist is not known.");
  return sentences;
}
