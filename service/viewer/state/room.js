/**
 * A game as the page shows it: the version, the viewer, and what was read of the game. Panels read the room and call its
 * methods. It says "change" when the page is to be drawn.
 * @module
 */

/**
 * @import { Board } from "../board/board.js"
 * @import { Labels } from "../forms/labels.js"
 * @import { Moves } from "../moves/moves.js"
 * @import { Battle, Body, Checked, Entered, Frame, Game, Options, Orders, Paper, Papers, Ruleset, Scene } from "../types.js"
 * @import { Api, Problem } from "./api.js"
 * @import { Attempt, Commands } from "./commands.js"
 */

import { Newest, problemOf } from "./api.js";
import { aheadOf } from "../parts/clocks.js";
import { Frames } from "./frames.js";
import { Landmarks, beside } from "./landmarks.js";

/** How far one step goes. */
export const STRIDES = ["event", "command", "phase", "turn", "battle"];
/** How many steps a second, at each speed. */
export const SPEEDS = [0.5, 1, 2, 4, 8];

/** The state of a game's page. */
export class Room extends EventTarget {
  #drawing = 0;
  #shownAt = [0, 0];
  #timer = 0;
  #reading = 0;
  #refreshing = 0;
  #newest = new Newest();
  #visit = new AbortController();
  #isRead = false;

  /**
   * @param {Api} api
   * @param {string} id the game's id
   */
  constructor(api, id) {
    super();
    this.api = api;
    this.id = id;
    /** The game, as `GET /v1/games/{id}` shows it; null until it was read. @type {Game | null} */
    this.game = null;
    /** By how many milliseconds the service's time is ahead of this device's. */
    this.ahead = 0;
    /** Its ruleset; null until it was read. @type {Ruleset | null} */
    this.ruleset = null;
    /**
     * The papers that everybody may read, as `GET /v1/games/{id}/papers` shows them; null until they were read.
     * @type {Papers | null}
     */
    this.papers = null;
    /** The paper that was opened last; null before. @type {Paper | null} */
    this.paper = null;
    /** What ids are called, once the board was read for a form; null before. @type {Labels | null} */
    this.labels = null;
    /** The seat of the viewer of the page; null for a spectator. @type {string | null} */
    this.seat = null;
    /** Whether the viewer of the page may see everything. */
    this.everything = false;
    /** The version that is shown. */
    this.version = 0;
    /** A version to compare it with; null for none. @type {number | null} */
    this.against = null;
    /** The frames of the game; null until the room was entered. @type {Frames | null} */
    this.frames = null;
    /** What the timeline of the game marks; null until the room was entered. @type {Landmarks | null} */
    this.landmarks = null;
    /** The frames of the parent of a fork while the two are compared; null otherwise. @type {Frames | null} */
    this.beside = null;
    /** The area that was chosen on the board; null when there is none. @type {string | null} */
    this.area = null;
    /**
     * The frames whose events the board marks while the newest version is shown; null for those of the last command.
     * @type {Frame[] | null}
     */
    this.overview = null;
    /** The board of the page. @type {Board | null} */
    this.board = null;
    /** What the seat may do; null until a bar or a list of options was drawn. @type {Commands | null} */
    this.commands = null;
    /** The gesture of the seat on the board; null until a bar was drawn. @type {Moves | null} */
    this.moves = null;
    this.playing = false;
    this.stride = "command";
    this.speed = 1;
    /** The state of the live stream; "" before it is opened. @type {"" | "live" | "lost" | "ended" | "refused"} */
    this.stream = "";
    /** What went wrong last; null when all is well. @type {Problem | null} */
    this.problem = null;
  }

  /** Tell whether the game is known, and where it stands. @returns {this is Entered} */
  isEntered() {
    return this.game !== null && this.head > 0;
  }

  /** The newest version of the game. */
  get head() {
    return this.frames?.head ?? 0;
  }

  /** Whether the page goes on with the game by itself: it does while the newest version is shown. */
  get following() {
    return this.version === this.head;
  }

  /**
   * Read the game as the viewer may see it, and show a version of it. Called again when the viewer changes.
   * @param {number} [version] the newest when absent
   */
  async enter(version = undefined) {
    this.#visit.abort();
    this.frames?.close();
    this.#leaveParent();
    const visit = new AbortController();
    this.#visit = visit;
    this.problem = null;
    try {
      const [game, first] = await Promise.all([
        this.api.get(`/v1/games/${this.id}`),
        // Version 1 has no position yet. It is read for `everything`: whether the viewer may see everything.
        this.api.get(`/v1/games/${this.id}/state`, { version: 1 }),
      ]);
      // The viewer may have changed meanwhile: then the answer must not be shown.
      if (visit.signal.aborted) return;
      Object.assign(this, { game, seat: game.you, everything: first.everything, ahead: aheadOf(game, this.ahead) });
    } catch (error) {
      const problem = problemOf(error);
      if (visit.signal.aborted) return;
      this.stream = "refused";
      this.#fail(problem);
      return;
    }
    this.frames = new Frames(this.api, this.id);
    this.frames.head = this.game?.version ?? 0;
    this.frames.addEventListener("loaded", () => this.redraw());
    this.landmarks = new Landmarks(this.api, this.id);
    if (this.#isRead) this.readRest();
    this.version = 0;
    this.show(version ?? this.head);
    this.frames.glance(this.version);
    this.#follow(visit.signal);
    this.dispatchEvent(new Event("entered"));
  }

  /** Read what the board does not need: the ruleset, the papers, the timeline. */
  readRest() {
    this.#isRead = true;
    if (!this.game) return;
    this.#readRuleset();
    this.#readPapers();
    this.#readLandmarks();
  }

  async #readRuleset() {
    this.ruleset ??= await this.api
      .get(`/v1/rulesets/${this.game?.ruleset}`)
      .catch((error) => this.#fail(problemOf(error)));
    this.redraw();
  }

  /** Read the papers that everybody may read: cards, and texts from the documents of the game. */
  async #readPapers() {
    this.papers ??= await this.api.get(`/v1/games/${this.id}/papers`).catch((error) => this.#fail(problemOf(error)));
    this.redraw();
  }

  /** Whether the shown version changes quickly, as while somebody drags the slider. */
  get isHurried() {
    const [before, last] = this.#shownAt;
    return last - before < 150 && performance.now() - last < 100;
  }

  /** Whether this is a game of this service; false for an import and for a lesson. */
  get isGame() {
    return true;
  }

  /** Read what the seat may do now. */
  options() {
    return /** @type {Promise<Options>} */ (this.api.get(`/v1/games/${this.id}/options`));
  }

  /** Read the answers that the seat left in advance. */
  answers() {
    return this.api.get(`/v1/games/${this.id}/answers`);
  }

  /**
   * Ask whether commands would be accepted; with `next`, also which options the seat would have then.
   * @param {Orders} body
   * @param {Record<string, string>} [headers]
   * @param {boolean} [next]
   */
  check(body, headers = {}, next = false) {
    return /** @type {Promise<Checked>} */ (
      this.api.post(`/v1/games/${this.id}/commands/check${next ? "?next=true" : ""}`, body, headers)
    );
  }

  /**
   * Send what a seat does.
   * @param {Attempt} attempt
   * @returns {Promise<{after: number, version: number}>}
   */
  give({ path, method = "post", body, headers }) {
    if (method === "delete")
      return this.api.delete(`/v1/games/${this.id}/${/** @type {`answers/${number}`} */ (path)}`, headers);
    if (path === "answers")
      return this.api.post(
        `/v1/games/${this.id}/answers`,
        /** @type {Body<"/v1/games/{game}/answers", "post">} */ (body),
        headers,
      );
    return this.api.post(`/v1/games/${this.id}/commands`, /** @type {Orders} */ (body), headers);
  }

  /** Take note of a new version before the stream brings it. @param {number} version */
  goOn(version) {
    const follows = this.following;
    if (this.frames) this.frames.head = Math.max(this.head, version);
    if (follows) this.version = this.head;
  }

  /** Show a version; one that is out of range becomes the first or the newest. @param {number} version */
  show(version) {
    const target = Math.min(Math.max(Math.round(version) || 1, 1), this.head);
    if (target === this.version) return;
    this.#shownAt = [this.#shownAt[1], performance.now()];
    this.version = target;
    this.redraw();
  }

  /** Compare the version that is shown with another; null ends it. @param {number | null} version */
  compare(version) {
    this.#leaveParent();
    this.against = version === null ? null : Math.min(Math.max(version, 1), this.head);
    this.redraw();
  }

  /** Compare a fork with its parent, version by version from where it began, or no longer. @param {boolean} wanted */
  async compareWithParent(wanted) {
    this.compare(null);
    if (!wanted) return;
    const parent = this.game?.fork?.parent;
    if (!parent) return;
    const beside = new Frames(this.api, parent);
    beside.addEventListener("loaded", () => this.redraw());
    try {
      beside.head = (await this.api.get(`/v1/games/${parent}`)).version;
      this.beside = beside;
    } catch (error) {
      const problem = problemOf(error);
      this.#fail(problem);
    }
    this.redraw();
  }

  #leaveParent() {
    this.beside?.close();
    this.beside = null;
  }

  /** The version of the parent that is compared with the version that is shown: as many events after the fork. */
  get parallel() {
    return Math.min((this.game?.fork?.version ?? 1) + this.version - 1, this.beside?.head ?? 0);
  }

  /** Whether the version that is shown is compared with anything. */
  get isComparing() {
    return this.against !== null || this.beside !== null;
  }

  /** The scene that the version that is shown is compared with, if it is known yet. */
  get before() {
    return this.beside ? this.beside.scene(this.parallel) : this.scene(this.against);
  }

  /** Choose how far one step goes, and how many steps a second. @param {Partial<Pick<Room, "stride" | "speed">>} pace */
  pace(pace) {
    Object.assign(this, pace);
    this.redraw();
  }

  /** Choose an area; null for none. @param {string | null} area */
  choose(area) {
    this.area = area;
    this.redraw();
  }

  /** @param {number} version @returns {Frame | undefined} what a version changed, if it is known yet */
  frame(version) {
    return this.frames?.frame(version);
  }

  /** @param {number | null} version @returns {Scene | undefined} the scene at a version, if it is known yet */
  scene(version) {
    return version === null ? undefined : this.frames?.scene(version);
  }

  /** @param {number} version @returns {Battle | null | undefined} the battle under way at a version; cheap, for many versions are looked through */
  battle(version) {
    return this.frames?.battle(version);
  }

  /** The scene to show now: that of the version, or the nearest one that was fetched. */
  get currentScene() {
    const nearest = this.frames?.nearest(this.version);
    return nearest === undefined ? undefined : this.frames?.scene(nearest);
  }

  /** The frames of the last command up to the version that is shown. */
  get #latestFrames() {
    const frames = [];
    for (let version = this.version; version >= 1; version -= 1) {
      const frame = this.frame(version);
      if (!frame) break;
      frames.unshift(frame);
      if (frame.command) break;
    }
    return frames;
  }

  /** Drawings of what happened, for the board: in the overview if there is one, otherwise by the last command. */
  get happened() {
    return ((this.following && this.overview) || this.#latestFrames).flatMap(({ drawn }) => drawn || []);
  }

  /** The areas in which the last command made things happen. */
  get scenes() {
    const happened = this.#latestFrames.flatMap((frame) => frame.happened ?? []);
    return [...new Set(happened.flatMap(({ moves = [], at = [], lost = [] }) => [...moves.flat(), ...at, ...lost]))];
  }

  /**
   * Return the version one step away. Fetches the frames that this needs.
   * @param {1 | -1} way
   * @param {string} [stride] one of STRIDES
   * @returns {Promise<number | undefined>} undefined when there is none
   */
  async beyond(way, stride = this.stride) {
    const { phases = [], turns = [], battles = [] } = this.landmarks ?? {};
    const marked = { phase: phases, turn: turns, battle: battles }[stride];
    if (marked) return beside(marked, this.version, way);
    for (let to = this.version + way; to >= 1 && to <= this.head; to += way) {
      // A step by commands stops before the next command, so that the whole effect of one command is seen.
      if (stride === "event" || to === this.head || to === 1) return to;
      await this.frames?.want(to + 1);
      if (this.frame(to + 1)?.command) return to;
    }
    return undefined;
  }

  /**
   * Go one step on or back.
   * @param {1 | -1} way
   * @returns {Promise<boolean>} whether there was one
   */
  async step(way, stride = this.stride) {
    const to = await this.beyond(way, stride);
    if (to !== undefined) this.show(to);
    return to !== undefined;
  }

  /** Replay from here, or stop. At the end it starts again from the beginning. */
  play(playing = !this.playing) {
    clearTimeout(this.#timer);
    if (playing && this.following) this.show(1);
    this.playing = playing;
    if (playing) this.#tick();
    this.redraw();
  }

  #tick() {
    this.#timer = setTimeout(async () => {
      // Wait for what is not loaded yet: otherwise the replay would run unseen.
      await this.frames?.want(this.version).catch(() => {});
      const hasMoved = await this.step(1).catch(() => false);
      if (!this.playing) return;
      if (hasMoved && !this.following) this.#tick();
      else this.play(false);
    }, 1000 / this.speed);
  }

  /** Ask for the page to be drawn in the next frame. */
  redraw() {
    if (this.#drawing) return;
    this.#drawing = requestAnimationFrame(() => {
      this.#drawing = 0;
      this.#fetch();
      this.dispatchEvent(new Event("change"));
    });
  }

  /**
   * Give the focus to an element once it is drawn. That may take several changes: panels are not drawn at each.
   * @param {string} id
   */
  focusOn(id) {
    const drawn = () => {
      const element = document.getElementById(id);
      if (element) this.removeEventListener("change", drawn);
      element?.focus();
    };
    this.addEventListener("change", drawn);
  }

  #fetch() {
    this.#want(this.frames, this.version);
    this.#want(this.frames, this.against);
    if (this.beside) this.#want(this.beside, this.parallel);
  }

  /**
   * @param {Frames | null} frames
   * @param {number | null} version
   */
  #want(frames, version) {
    if (!frames || !version || frames.has(version)) return;
    frames.want(version).catch((problem) => {
      if (problem.name !== "AbortError") this.#fail(problem, () => this.redraw());
    });
  }

  /**
   * @param {Problem} problem
   * @param {() => void} [again]
   */
  #fail(problem, again) {
    this.problem = problem;
    if (again) setTimeout(again, 2000);
    this.dispatchEvent(new Event("change"));
    return null;
  }

  /** @param {AbortSignal} signal */
  #follow(signal) {
    /** @param {Room["stream"]} state */
    const onState = (state) => {
      this.stream = state;
      if (state === "live") this.problem = null;
      this.redraw();
    };
    this.api.follow(this.id, this.head, (event) => this.#happened(event.version), onState, signal);
  }

  /** @param {number} version */
  #happened(version) {
    const follows = this.following && !this.playing;
    if (this.frames) this.frames.head = Math.max(this.head, version);
    if (follows) this.version = this.head;
    this.redraw();
    clearTimeout(this.#refreshing);
    this.#refreshing = setTimeout(() => this.refresh(), 200);
  }

  /** Read again what the game waits for and where it stands. */
  async refresh() {
    const { signal } = this.#visit;
    const isNewest = this.#newest.begin();
    try {
      const game = await this.api.get(`/v1/games/${this.id}`);
      // A later request was made, or the viewer has changed: this answer is out of date.
      if (signal.aborted || !isNewest()) return;
      const hasEnded = game.status === "over" && this.game?.status !== "over";
      // In an analysis one account plays all seats: `you` is the one that is asked.
      Object.assign(this, { game, seat: game.you, ahead: aheadOf(game, this.ahead) });
      // When a game ends, everybody may see everything of its past.
      if (hasEnded) await this.enter(this.following ? undefined : this.version);
      else await this.#readLandmarks();
    } catch (error) {
      const problem = problemOf(error);
      if (signal.aborted || !isNewest()) return;
      this.#fail(problem, () => this.refresh());
    }
    this.redraw();
  }

  /** Read the timeline, and up to `tries` times more later: it is a moment behind the log. */
  async #readLandmarks(tries = 3) {
    clearTimeout(this.#reading);
    // While it is being built, the page does without it.
    if (await this.landmarks?.read().catch(() => false)) this.redraw();
    const signal = this.#visit.signal;
    const isComplete = this.game?.status === "over" && this.landmarks?.entries.at(-1)?.version === this.head;
    if (!isComplete && tries) this.#reading = setTimeout(() => signal.aborted || this.#readLandmarks(tries - 1), 2000);
  }
}
