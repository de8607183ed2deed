/**
 * What the service's timeline marks in a game: where rounds, turns and phases begin, battles, and what officials did.
 * @module
 */

const OFFICIAL = ["pause", "resumption", "adjudication"];
const AROUND = new Set(["phase", "start", "end", "retraction", ...OFFICIAL]);

/** The entries of a game's timeline, as far as the service has told them. */
export class Landmarks {
  #cursor = null;
  #versions = new Set();

  /**
   * @param {import("./api.js").Api} api
   * @param {string} game
   */
  constructor(api, game) {
    this.api = api;
    this.game = game;
    /** All entries, in order: `{version, kind, round, heading, text, at}`. */
    this.entries = [];
    this.#sort();
  }

  /** Read what has been added. @returns {Promise<boolean>} whether there was anything */
  async read() {
    const before = this.entries.length;
    for (let more = true; more; ) {
      const page = await this.api.get(`/v1/games/${this.game}/timeline`, { cursor: this.#cursor, limit: 500 });
      for (const entry of page.items) {
        const id = `${entry.version} ${entry.kind}`;
        if (this.#versions.has(id)) continue;
        this.#versions.add(id);
        this.entries.push(entry);
      }
      more = page.next !== null;
      if (more) this.#cursor = page.next; // The last page is read again: it grows.
    }
    if (this.entries.length > before) this.#sort();
    return this.entries.length > before;
  }

  #sort() {
    /** Where phases begin. */
    this.phases = this.entries.filter((entry) => entry.kind === "phase");
    /** Where turns begin: what a heading says before its colon is the turn. */
    this.turns = this.phases.filter((entry, at) => turnOf(entry) !== turnOf(this.phases[at - 1]));
    /** Where rounds begin. */
    this.rounds = this.phases.filter((entry, at) => entry.round !== this.phases[at - 1]?.round);
    /** Where battles begin. */
    this.battles = this.entries.filter(({ kind }) => kind === "battle" || kind.endsWith("-battle"));
    /** Everything else that is worth a mark: conquests, falls, the end. */
    this.others = this.entries.filter(
      (entry) => !AROUND.has(entry.kind) && !entry.kind.endsWith("battle") && !entry.kind.endsWith("-end"),
    );
    /** Where moves were taken back. */
    this.retractions = this.entries.filter((entry) => entry.kind === "retraction");
    /** Where officials stopped the game, let it go on, or ended it. */
    this.rulings = this.entries.filter((entry) => OFFICIAL.includes(entry.kind));
  }

  /** Return the phase that a version belongs to. */
  phaseAt(version) {
    return this.phases.findLast((entry) => entry.version <= version);
  }
}

function turnOf(entry) {
  return entry && `${entry.round} ${entry.heading.split(":")[0]}`;
}

/**
 * Return the version before or after another at which one of these entries is.
 * @param {object[]} entries in order
 * @param {number} version
 * @param {1 | -1} way
 * @returns {number | undefined}
 */
export function beside(entries, version, way) {
  if (way > 0) return entries.find((entry) => entry.version > version)?.version;
  return entries.findLast((entry) => entry.version < version)?.version;
}
