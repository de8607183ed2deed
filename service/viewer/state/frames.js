/**
 * The scenes of a game, in chunks of 250 versions that are fetched when they are wanted.
 *
 * A chunk holds the whole scene before its first version and what each version changed. The scene of any version in it
 * is put together from the last change of each area: no scene is ever copied, and going back is as quick as going on.
 * @module
 */

/**
 * @import { Battle, Frame, Scene } from "../types.js"
 * @import { Api } from "./api.js"
 */

/** How many versions are fetched at once. */
export const CHUNK = 250;
const TOGETHER = 2; // Requests at a time.
const FEW = 25; // Up to this many frames are drawn as quickly as one scene.

/** What a scene has besides its areas. */
const PLAIN = /** @type {const} */ (["links", "standings", "shelves", "battle", "round", "heading"]);

/**
 * Changes of one thing, in order: what it was after each version.
 * @template Value
 */
class Track {
  /** @type {number[]} */
  #versions = [];
  /** @type {Value[]} */
  #values = [];

  /**
   * @param {number} version
   * @param {Value} value
   */
  constructor(version, value) {
    this.put(version, value);
  }

  /**
   * @param {number} version
   * @param {Value} value
   */
  put(version, value) {
    this.#versions.push(version);
    this.#values.push(value);
  }

  /** Return what it was at a version: after the last change that is no later. @param {number} version */
  at(version) {
    let [low, high] = [0, this.#versions.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#versions[middle] <= version) low = middle;
      else high = middle - 1;
    }
    return this.#values[low];
  }
}

/** @typedef {typeof PLAIN[number]} Plain */

/** The frames of up to 250 versions after `start`. */
class Chunk {
  /** @type {Scene | null} */
  #scene = null;

  /**
   * @param {number} start
   * @param {Scene} key the scene at `start`
   */
  constructor(start, key) {
    this.start = start;
    /** @type {Frame[]} */
    this.frames = [];
    /** @type {Map<string, Track<string>>} */
    this.areas = new Map(Object.entries(key.areas).map(([area, drawn]) => [area, new Track(start, drawn)]));
    /** @type {Map<Plain, Track<Scene[Plain]>>} */
    this.plain = new Map(PLAIN.map((name) => [name, new Track(start, key[name])]));
  }

  /** The battle under way after each version. */
  get battles() {
    return /** @type {Track<Scene["battle"]>} */ (this.plain.get("battle"));
  }

  get last() {
    return this.start + this.frames.length;
  }

  /** @param {Frame} frame */
  add(frame) {
    if (frame.version !== this.last + 1) return;
    this.frames.push(frame);
    for (const [area, drawn] of Object.entries(frame.areas ?? {})) {
      const track = this.areas.get(area) ?? new Track(this.start, "");
      this.areas.set(area, track);
      track.put(frame.version, drawn);
    }
    for (const name of PLAIN)
      if (name in frame) this.plain.get(name)?.put(frame.version, /** @type {Scene} */ (frame)[name]);
  }

  /**
   * @param {number} version
   * @returns {Scene} the scene at a version; the last one is kept, for many ask for it
   */
  scene(version) {
    if (this.#scene?.version === version) return this.#scene;
    const areas = Object.fromEntries([...this.areas].map(([area, track]) => [area, track.at(version)]));
    const plain = Object.fromEntries([...this.plain].map(([name, track]) => [name, track.at(version)]));
    const scene = /** @type {Scene} */ ({ version, areas, ...plain });
    this.#scene = scene;
    return scene;
  }
}

/** All frames of a game that were fetched so far, for one viewer. Says "loaded" when there are more. */
export class Frames extends EventTarget {
  /** By their first version. @type {Map<number, Chunk>} */
  #chunks = new Map();
  /** @type {Map<number, PromiseWithResolvers<void>>} */
  #waiting = new Map();
  /** @type {number[]} */
  #queue = [];
  #open = 0;
  #stop = new AbortController();
  /** @type {Scene | null} */
  #glance = null;
  /** @type {Promise<void> | null} */
  #glanced = null;

  /**
   * @param {Api} api
   * @param {string} game
   * @param {"games" | "imports"} kind whether it is a game of this service or an imported one
   */
  constructor(api, game, kind = "games") {
    super();
    this.api = api;
    this.game = game;
    this.kind = kind;
    /** The newest version that is known of. */
    this.head = 0;
  }

  /** Abort all requests: the frames are not needed any more. */
  close() {
    this.#stop.abort();
  }

  /** @param {number} version @returns {Frame | undefined} what a version changed, if that was fetched */
  frame(version) {
    const chunk = this.#chunks.get(startOf(version));
    return chunk?.frames[version - chunk.start - 1];
  }

  /** Tell whether the scene of a version was fetched. @param {number} version */
  has(version) {
    return this.frame(version) !== undefined;
  }

  /** @param {number} version @returns {Scene | undefined} the whole scene at a version, if that was fetched */
  scene(version) {
    if (this.has(version)) return this.#chunks.get(startOf(version))?.scene(version);
    return this.#glance?.version === version ? this.#glance : undefined;
  }

  /**
   * Fetch the scene of the first version that is shown before the frames around it, which the service takes much longer
   * to draw.
   * @param {number} version
   */
  glance(version) {
    if (version - startOf(version) <= FEW) return;
    this.#glanced = this.#read({ after: version, limit: 1 }).then(
      ({ key }) => {
        this.#glance = key;
        this.dispatchEvent(new Event("loaded"));
      },
      () => {}, // The request for the frames will say what is wrong.
    );
  }

  /** @param {number} version @returns {Battle | null | undefined} the battle at a version, without putting together its scene */
  battle(version) {
    return this.has(version) ? this.#chunks.get(startOf(version))?.battles.at(version) : undefined;
  }

  /** @param {number} version @returns {number | undefined} the version nearest to this one of which there is a scene */
  nearest(version) {
    if (this.scene(version)) return version;
    /** @type {number | undefined} */
    let best;
    for (const chunk of this.#chunks.values()) {
      if (!chunk.frames.length) continue;
      const found = Math.min(Math.max(version, chunk.start + 1), chunk.last);
      if (best === undefined || Math.abs(found - version) < Math.abs(best - version)) best = found;
    }
    return best;
  }

  /**
   * Fetch the frames around a version, before those that were asked for earlier.
   * @param {number} version
   * @returns {Promise<void>} settled when they are there
   */
  want(version) {
    if (this.has(version)) return Promise.resolve();
    const start = startOf(version);
    const waiting = this.#waiting.get(start);
    if (this.#queue.includes(start)) this.#queue = this.#queue.filter((other) => other !== start);
    else if (waiting) return waiting.promise;
    this.#queue.unshift(start);
    const { promise } = this.#promise(start);
    this.#next();
    return promise;
  }

  /** Fetch all the rest when there is nothing better to do, from a version outwards. @param {number} version */
  wantAll(version) {
    const starts = [];
    for (let start = 0; start < this.head; start += CHUNK) {
      if (!this.#waiting.has(start) && !this.has(Math.min(start + CHUNK, this.head))) starts.push(start);
    }
    starts.sort((one, other) => Math.abs(one - version) - Math.abs(other - version));
    this.#queue.push(...starts);
    for (const start of starts) this.#promise(start);
    this.#next();
  }

  /** @param {number} start */
  #promise(start) {
    const waiting = this.#waiting.get(start);
    if (waiting) return waiting;
    /** @type {PromiseWithResolvers<void>} */
    const wanted = Promise.withResolvers();
    wanted.promise.catch(() => {}); // Only the callers of `want` need to know.
    this.#waiting.set(start, wanted);
    return wanted;
  }

  #next() {
    while (this.#open < TOGETHER) {
      const start = this.#queue.shift();
      if (start === undefined) return;
      const { resolve, reject } = this.#promise(start);
      this.#open += 1;
      this.#fetch(start)
        .then(resolve, reject)
        .finally(() => {
          this.#open -= 1;
          this.#waiting.delete(start);
          this.#next();
        });
    }
  }

  /** @param {{after: number, limit: number}} query */
  #read(query) {
    if (this.kind === "imports") return this.api.get(`/v1/imports/${this.game}/frames`, query, this.#stop.signal);
    return this.api.get(`/v1/games/${this.game}/frames`, query, this.#stop.signal);
  }

  /** @param {number} start */
  async #fetch(start) {
    // Of the newest chunk, fetch only the frames that are missing.
    const existing = this.#chunks.get(start);
    const after = existing?.last ?? start;
    await this.#glanced;
    const page = await this.#read({ after, limit: CHUNK });
    const chunk = existing ?? new Chunk(start, page.key);
    this.#chunks.set(start, chunk);
    let current = chunk;
    for (const frame of page.frames) {
      if (frame.version > current.start + CHUNK) {
        const next = current.start + CHUNK;
        current = this.#chunks.get(next) ?? new Chunk(next, current.scene(next));
        this.#chunks.set(next, current);
      }
      current.add(frame);
    }
    // `page.head` may be newer than `this.head`. Only the room moves that on: it knows whether it follows the game.
    this.dispatchEvent(new Event("loaded"));
  }
}

/** @param {number} version */
function startOf(version) {
  return Math.floor((Math.max(version, 1) - 1) / CHUNK) * CHUNK;
}
