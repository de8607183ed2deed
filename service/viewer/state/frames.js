/**
 * The scenes of a game, in chunks of 250 versions that are fetched when they are wanted.
 *
 * A chunk holds the whole scene before its first version and what each version changed. The scene of any version in
 * it is put together from the last change of each area: no scene is ever copied, and going back is as quick as going on.
 * @module
 */

/** So many versions are fetched at once. */
export const CHUNK = 250;
const TOGETHER = 2; // So many requests at a time.
const FEW = 25; // So many frames are drawn as quickly as one scene.

const PLAIN = ["links", "standings", "shelves", "battle", "round", "heading"];

/** Changes of one thing, in order: what it was after each version. */
class Track {
  #versions = [];
  #values = [];

  constructor(version, value) {
    this.put(version, value);
  }

  put(version, value) {
    this.#versions.push(version);
    this.#values.push(value);
  }

  /** Return what it was at a version: after the last change that is no later. */
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

/** The frames of up to 250 versions after `start`. */
class Chunk {
  #scene = null;

  /** @param {object} key the scene at `start` */
  constructor(start, key) {
    this.start = start;
    this.frames = [];
    this.areas = new Map(Object.entries(key.areas).map(([area, drawn]) => [area, new Track(start, drawn)]));
    this.plain = new Map(PLAIN.map((name) => [name, new Track(start, key[name])]));
  }

  get last() {
    return this.start + this.frames.length;
  }

  add(frame) {
    if (frame.version !== this.last + 1) return;
    this.frames.push(frame);
    for (const [area, drawn] of Object.entries(frame.areas ?? {})) {
      if (!this.areas.has(area)) this.areas.set(area, new Track(this.start, ""));
      this.areas.get(area).put(frame.version, drawn);
    }
    for (const name of PLAIN) if (name in frame) this.plain.get(name).put(frame.version, frame[name]);
  }

  /** @returns {object} the scene at a version; the last one is kept, for many ask for it */
  scene(version) {
    if (this.#scene?.version === version) return this.#scene;
    const areas = {};
    for (const [area, track] of this.areas) areas[area] = track.at(version);
    this.#scene = { version, areas };
    for (const [name, track] of this.plain) this.#scene[name] = track.at(version);
    return this.#scene;
  }
}

/** All frames of a game that were fetched so far, for one viewer. Says "loaded" when there are more. */
export class Frames extends EventTarget {
  #chunks = new Map();
  #waiting = new Map();
  #queue = [];
  #open = 0;
  #stop = new AbortController();
  #glance = null;
  #glanced = null;

  /**
   * @param {import("./api.js").Api} api
   * @param {string} game
   */
  constructor(api, game) {
    super();
    this.api = api;
    this.game = game;
    /** The newest version that is known of. */
    this.head = 0;
  }

  /** Forget everything that is still under way: nobody looks any more. */
  close() {
    this.#stop.abort();
  }

  /** @returns {object | undefined} what a version changed, if that was fetched */
  frame(version) {
    const chunk = this.#chunks.get(startOf(version));
    return chunk?.frames[version - chunk.start - 1];
  }

  /** Tell whether the scene of a version was fetched. */
  has(version) {
    return this.frame(version) !== undefined;
  }

  /** @returns {object | undefined} the whole scene at a version, if that was fetched */
  scene(version) {
    if (this.has(version)) return this.#chunks.get(startOf(version)).scene(version);
    return this.#glance?.version === version ? this.#glance : undefined;
  }

  /**
   * Fetch the scene of the version that is shown first, and only then the frames around it: to draw all these takes the
   * service much longer.
   */
  glance(version) {
    if (version - startOf(version) <= FEW) return;
    this.#glanced = this.#read({ after: version, limit: 1 }).then(
      ({ key }) => {
        this.#glance = key;
        this.dispatchEvent(new Event("loaded"));
      },
      () => {}, // The frames are asked for all the same, and say what is wrong.
    );
  }

  /** @returns {object | undefined} the battle at a version, without putting together its scene */
  battle(version) {
    return this.has(version) ? this.#chunks.get(startOf(version)).plain.get("battle").at(version) : undefined;
  }

  /** @returns {number | undefined} the version nearest to this one of which there is a scene */
  nearest(version) {
    if (this.scene(version)) return version;
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
   * @returns {Promise<void>} settled when they are there
   */
  want(version) {
    if (this.has(version)) return Promise.resolve();
    const start = startOf(version);
    if (this.#queue.includes(start)) this.#queue = this.#queue.filter((other) => other !== start);
    else if (this.#waiting.has(start)) return this.#waiting.get(start).promise;
    this.#queue.unshift(start);
    const { promise } = this.#promise(start);
    this.#next();
    return promise;
  }

  /** Fetch all the rest when there is nothing better to do, from a version outwards. */
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

  #promise(start) {
    if (!this.#waiting.has(start)) {
      const wanted = Promise.withResolvers();
      wanted.promise.catch(() => {}); // Whoever asked has been told; nobody else needs to hear of it.
      this.#waiting.set(start, wanted);
    }
    return this.#waiting.get(start);
  }

  #next() {
    while (this.#open < TOGETHER && this.#queue.length) {
      const start = this.#queue.shift();
      this.#open += 1;
      this.#fetch(start)
        .then(this.#waiting.get(start).resolve, this.#waiting.get(start).reject)
        .finally(() => {
          this.#open -= 1;
          this.#waiting.delete(start);
          this.#next();
        });
    }
  }

  #read(asked) {
    return this.api.get(`/v1/games/${this.game}/frames`, asked, this.#stop.signal);
  }

  async #fetch(start) {
    // What is there already of the newest chunk need not come again.
    const have = this.#chunks.get(start);
    const after = have?.last ?? start;
    await this.#glanced;
    const page = await this.#read({ after, limit: CHUNK });
    const chunk = have ?? new Chunk(start, page.key);
    this.#chunks.set(start, chunk);
    let current = chunk;
    for (const frame of page.frames) {
      if (frame.version > current.start + CHUNK) {
        const next = current.start + CHUNK;
        if (!this.#chunks.has(next)) this.#chunks.set(next, new Chunk(next, current.scene(next)));
        current = this.#chunks.get(next);
      }
      current.add(frame);
    }
    this.head = Math.max(this.head, page.head);
    this.dispatchEvent(new Event("loaded"));
  }
}

function startOf(version) {
  return Math.floor((Math.max(version, 1) - 1) / CHUNK) * CHUNK;
}
