/**
 * What this browser saw of the service's transparency log and of its games, compared with what the service shows now.
 * A service that rewrites history has to hope that nobody comes back.
 * @module
 */

/** @import { Room } from "../state/room.js" */

import { clock } from "../parts/format.js";
import { hex } from "./canonical.js";
import { readCheckpoint, readNote, readPolicy, signedBy } from "./note.js";
import { continues } from "./tree.js";

/**
 * What was seen of the service's log: the policy that names its keys, its signed checkpoint, and when it was seen first
 * and last.
 * @typedef {{policy: string, note: string, size: number, root: string, since: string, at: string}} SeenLog
 *
 * What was seen of a game: its newest version.
 * @typedef {{version: number, hash: string, at: string}} SeenHead
 */

const KEPT = "tabularium-seen";
const MOST = 200; // Games whose heads are kept: those that were seen last.
const NOT_FOUND = 404;

/** What the service shows does not fit what this browser saw. */
class Doubt extends Error {}

/** @type {WeakMap<Room, Memory>} */
const byRoom = new WeakMap();

/** Return the memory of a room. @param {Room} room */
export function memoryOf(room) {
  const memory = byRoom.get(room) ?? new Memory(room);
  byRoom.set(room, memory);
  return memory;
}

export class Memory {
  /** @param {Room} room */
  constructor(room) {
    this.room = room;
    /** What was compared, in sentences. */
    this.sentences = /** @type {string[]} */ ([]);
    /** What does not fit, in a sentence. */
    this.problem = "";
    /** The address of a file with the evidence: what was seen, and what is shown now; empty without a problem. */
    this.evidence = "";
    this.hasLooked = false;
  }

  /** Compare once, and remember what the service shows now if it fits. A request that fails hides no other doubt. */
  async look() {
    if (this.hasLooked || !globalThis.crypto?.subtle) return;
    this.hasLooked = true;
    const before = read();
    const seen = { log: before.log, head: before.heads[this.room.id] };
    /** @type {Doubt[]} */
    const doubts = [];
    /**
     * @template Seen
     * @param {string} what
     * @param {Promise<Seen | null>} comparing
     */
    const compared = (what, comparing) =>
      comparing.catch((error) => {
        if (error instanceof Doubt) doubts.push(error);
        else this.sentences.push(`${what} could not be compared now: ${error.message}.`);
        return null;
      });
    const now = {
      log: await compared("The service's log", this.#log(seen.log)),
      head: await compared("This game", this.#head(seen.head)),
    };
    if (doubts.length) {
      this.problem = doubts.map((doubt) => doubt.message).join(" ");
      const current = Object.assign({}, ...doubts.map((doubt) => doubt.cause), { at: new Date().toISOString() });
      const evidence = { game: this.room.id, before: seen, now: current };
      this.evidence = URL.createObjectURL(new Blob([JSON.stringify(evidence, null, 2)], { type: "application/json" }));
    } else {
      remember(this.room.id, now);
    }
    this.room.redraw();
  }

  forget() {
    localStorage.removeItem(KEPT);
    Object.assign(this, { sentences: [], problem: "", evidence: "", hasLooked: false });
    return this.look();
  }

  /**
   * Compare the log: it must be signed by the key that was shown first, and go on from what was seen.
   * @param {SeenLog | null} before
   */
  async #log(before) {
    const text = await fetchAsStranger("/transparency/checkpoint");
    if (text === null && !before) return null;
    if (text === null)
      throw new Doubt(`The service shows no log any more. This browser saw one on ${clock(before?.at ?? "")}.`);
    const policy = before?.policy ?? JSON.parse((await fetchAsStranger("/v1/transparency/key")) ?? "null")?.policy;
    if (!policy) return null; // This process does not sign, and does not know the key.
    /** @param {string} sentence */
    const fail = (sentence) => {
      throw new Doubt(sentence, { cause: { checkpoint: text } });
    };
    const { note, checkpoint } = parsed(text) ?? fail("The service shows something that is no checkpoint of a log.");
    const known = before ? `, which this browser knows since ${clock(before.since)}` : " that the service shows";
    const times = [];
    for (const key of (await readPolicy(policy)).logs) {
      if (key.name === checkpoint.origin) times.push(await signedBy(key, note).catch(() => undefined));
    }
    if (times.every((time) => time === undefined)) fail(`The service's log is not signed with the key${known}.`);
    const unchecked = times.every((time) => time === undefined || time === null)
      ? " Its signature was not checked: this browser has no Ed25519."
      : "";
    if (before) {
      const old = readCheckpoint(readNote(before.note).text);
      const seen = `than this browser saw on ${clock(before.at)}`;
      if (checkpoint.size < old.size)
        fail(`The service shows an older log ${seen}: ${entries(checkpoint.size)} now, ${old.size} then.`);
      if (!(await continues(old, checkpoint, tile)))
        fail(
          `The service shows another log ${seen}: what it had then, ${entries(old.size)}, is not the same any more.`,
        );
      this.sentences.push(
        `The service's log goes on from the one that this browser saw on ${clock(before.at)}: ${entries(old.size)} then, ${checkpoint.size} now.${unchecked}`,
      );
    }
    const at = new Date().toISOString();
    return { policy, note: text, size: checkpoint.size, root: hex(checkpoint.root), since: before?.since ?? at, at };
  }

  /** Compare this game at the version that was seen last. @param {SeenHead | undefined} before */
  async #head(before) {
    const { id, game } = this.room;
    const at = new Date().toISOString();
    if (!game) {
      if (!before) return null;
      throw new Doubt(
        `The service does not show this game any more. This browser saw version ${before.version} of it on ${clock(before.at)}.`,
      );
    }
    /** @param {number} version */
    const hashOf = async (version) => {
      const page = JSON.parse((await fetchAsStranger(`/v1/games/${id}/events?after=${version - 1}&limit=1`)) ?? "null");
      return page.items[0]?.hash;
    };
    if (before) {
      const hash = await hashOf(before.version);
      if (hash !== before.hash) {
        const what = hash ? "is another one" : "is gone";
        throw new Doubt(`Version ${before.version} of this game ${what}: this browser saw it on ${clock(before.at)}.`, {
          cause: { version: before.version, hash },
        });
      }
      this.sentences.push(
        `Version ${before.version} of this game is the one that this browser saw on ${clock(before.at)}.`,
      );
    }
    return { version: game.version, hash: await hashOf(game.version), at };
  }
}

/** Return a signed note and the checkpoint in it; undefined for any other text. @param {string} text */
function parsed(text) {
  try {
    const note = readNote(text);
    return { note, checkpoint: readCheckpoint(note.text) };
  } catch {
    return undefined;
  }
}

/** @param {number} number */
function entries(number) {
  return number === 1 ? "1 entry" : `${number.toLocaleString("en")} entries`;
}

/** Return what the service shows to a stranger; null when it has nothing there. @param {string} path */
async function fetchAsStranger(path) {
  const answer = await fetch(path, { credentials: "omit" });
  if (answer.status === NOT_FOUND) return null;
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
  return answer.text();
}

/** @param {string} path */
async function tile(path) {
  const answer = await fetch(`/transparency/tile/${path}`, { credentials: "omit" });
  if (answer.status === NOT_FOUND) return new Uint8Array();
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

function read() {
  try {
    const { log = null, heads = {} } = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    return { log, heads };
  } catch {
    return { log: null, heads: {} };
  }
}

/**
 * Store what the service showed. Another tab may have stored a newer log meanwhile.
 * @param {string} id
 * @param {{log: SeenLog | null, head: SeenHead | null}} now
 */
function remember(id, { log, head }) {
  const kept = read();
  if (log && !(kept.log?.size > log.size)) kept.log = log;
  if (head && !(kept.heads[id]?.version > head.version)) kept.heads[id] = head;
  const newest = Object.entries(kept.heads)
    .sort(([, one], [, other]) => other.at.localeCompare(one.at))
    .slice(0, MOST);
  try {
    localStorage.setItem(KEPT, JSON.stringify({ log: kept.log, heads: Object.fromEntries(newest) }));
  } catch {
    // Without a storage there is no memory, and the page works without it.
  }
}
