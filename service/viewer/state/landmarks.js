/**
 * What the service's timeline marks in a game: where rounds, turns and phases begin, battles, and what officials did.
 * @module
 */

/**
 * @import { TimelineEntry } from "../types.js"
 * @import { Api } from "./api.js"
 */

const OFFICIAL = ["pause", "resumption", "adjudication"];
const AROUND = new Set(["phase", "start", "end", "retraction", ...OFFICIAL]);

/** The entries of a game's timeline, as far as they were read. */
export class Landmarks {
  /** @type {string | null} */
  #cursor = null;
  /** Version and kind of each entry that was read. @type {Set<string>} */
  #known = new Set();
  /** Where phases begin. @type {TimelineEntry[]} */
  phases = [];
  /** Where turns begin: a heading names the turn before its colon. @type {TimelineEntry[]} */
  turns = [];
  /** Where rounds begin. @type {TimelineEntry[]} */
  rounds = [];
  /** Where battles begin. @type {TimelineEntry[]} */
  battles = [];
  /** Everything else that a ruleset marks, such as conquests and falls. @type {TimelineEntry[]} */
  others = [];
  /** Where moves were taken back. @type {TimelineEntry[]} */
  retractions = [];
  /** Where officials stopped the game, let it go on, or ended it. @type {TimelineEntry[]} */
  rulings = [];

  /**
   * @param {Api} api
   * @param {string} game
   */
  constructor(api, game) {
    this.api = api;
    this.game = game;
    /** All entries, in order. @type {TimelineEntry[]} */
    this.entries = [];
  }

  /** Read the entries that were added since. @returns {Promise<boolean>} whether there were any */
  async read() {
    const before = this.entries.length;
    for (let more = true; more; ) {
      const page = await this.api.get(`/v1/games/${this.game}/timeline`, { cursor: this.#cursor, limit: 500 });
      for (const entry of page.items) {
        const id = `${entry.version} ${entry.kind}`;
        if (this.#known.has(id)) continue;
        this.#known.add(id);
        this.entries.push(entry);
      }
      more = page.next !== null;
      if (more) this.#cursor = page.next; // The last page is read again: it grows.
    }
    if (this.entries.length > before) this.#sort();
    return this.entries.length > before;
  }

  #sort() {
    this.phases = this.entries.filter((entry) => entry.kind === "phase");
    const { phases } = this;
    this.turns = this.phases.filter((entry, at) => turnOf(entry) !== turnOf(phases[at - 1]));
    this.rounds = this.phases.filter((entry, at) => entry.round !== phases[at - 1]?.round);
    this.battles = this.entries.filter(({ kind }) => kind === "battle" || kind.endsWith("-battle"));
    this.others = this.entries.filter(
      (entry) => !AROUND.has(entry.kind) && !entry.kind.endsWith("battle") && !entry.kind.endsWith("-end"),
    );
    this.retractions = this.entries.filter((entry) => entry.kind === "retraction");
    this.rulings = this.entries.filter((entry) => OFFICIAL.includes(entry.kind));
  }

  /** Return the phase that a version belongs to. @param {number} version */
  phaseAt(version) {
    return this.phases.findLast((entry) => entry.version <= version);
  }
}

/** @param {TimelineEntry} entry */
function turnOf(entry) {
  return entry && `${entry.round} ${entry.heading.split(":")[0]}`;
}

/**
 * Return the version of the nearest of these entries before or after a version; undefined when there is none.
 * @param {TimelineEntry[]} entries in order
 * @param {number} version
 * @param {1 | -1} way
 * @returns {number | undefined}
 */
export function beside(entries, version, way) {
  if (way > 0) return entries.find((entry) => entry.version > version)?.version;
  return entries.findLast((entry) => entry.version < version)?.version;
}
