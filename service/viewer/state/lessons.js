/**
 * A tutorial as its page shows it: a room whose positions are those of lessons. The service decides a command of a
 * lesson and stores nothing, so there is no stream and no past. The page numbers the positions itself.
 * @module
 */

/**
 * @import { Board } from "../board/board.js"
 * @import { Labels } from "../forms/labels.js"
 * @import { Moves } from "../moves/moves.js"
 * @import { Answer, Command, Decision, Game, JsonObject, Options, Orders, Paper, Papers, Ruleset } from "../types.js"
 * @import { Api } from "./api.js"
 * @import { Commands } from "./commands.js"
 */

import { Problem, problemOf } from "./api.js";
import { commandsOf } from "./commands.js";
import { noteDone } from "./progress.js";

const ANOTHER = 422; // The status of a refusal: here the lesson refuses.

/**
 * @typedef {Answer<`/v1/rulesets/${string}/tutorial`, "get">} Tutorial
 * @typedef {Tutorial["lessons"][number]} Lesson
 * @typedef {Answer<`/v1/rulesets/${string}/tutorial/${string}`, "get">} Position
 * @typedef {Answer<`/v1/rulesets/${string}/tutorial/${string}`, "post">} Outcome
 */

/** The lessons of a ruleset. Says "change" as a room does. */
export class Lessons extends EventTarget {
  #drawing = 0;
  #entering = 0;

  /**
   * @param {Api} api
   * @param {string} ruleset
   */
  constructor(api, ruleset) {
    super();
    this.api = api;
    this.id = ruleset;
    /** Its ruleset; null until it was read. @type {Ruleset | null} */
    this.ruleset = null;
    /** The tutorial, as `GET /v1/rulesets/{id}/tutorial` shows it; null until it was read. @type {Tutorial | null} */
    this.tutorial = null;
    /** The lesson that is shown; null until the tutorial was read. @type {Lesson | null} */
    this.lesson = null;
    /** The position of the lesson; null until it was read. @type {Position | null} */
    this.position = null;
    /** The outcome of the command that the lesson asks for; null before. @type {Outcome | null} */
    this.outcome = null;
    /** The position in the form of a game, for components that show games. @type {Game | null} */
    this.game = null;
    /** @type {string | null} */
    this.seat = null;
    this.version = 0;
    /** @type {number | null} */
    this.against = null;
    /** The papers that everybody may read; null until the position was read. @type {Papers | null} */
    this.papers = null;
    /** The paper that was opened last. @type {Paper | null} */
    this.paper = null;
    /** @type {string | null} */
    this.area = null;
    /** @type {Labels | null} */
    this.labels = null;
    /** @type {Board | null} */
    this.board = null;
    /** @type {Commands | null} */
    this.commands = null;
    /** @type {Moves | null} */
    this.moves = null;
    /** What went wrong last; null when all is well. @type {Problem | null} */
    this.problem = null;
  }

  /** A tutorial has no timeline. */
  get landmarks() {
    return null;
  }

  /** Tell whether a lesson can be shown. @returns {this is Lessons & {game: Game, board: Board}} */
  isEntered() {
    return this.game !== null;
  }

  get ahead() {
    return 0;
  }

  /** Whether it shows a game, which has clocks, cases and a log; a lesson has none. */
  get isGame() {
    return false;
  }

  get head() {
    return this.version;
  }

  get following() {
    return true;
  }

  /** The number of the lesson, from 0. */
  get at() {
    return this.tutorial?.lessons.findIndex(({ id }) => id === this.lesson?.id) ?? -1;
  }

  /** The lesson after this one; undefined after the last. */
  get next() {
    return this.tutorial?.lessons[this.at + 1];
  }

  /** The position that is shown. */
  get currentScene() {
    const scene = this.outcome?.scene ?? this.position?.scene;
    return scene && { ...scene, version: this.version };
  }

  /** @param {number} version */
  scene(version) {
    return version === this.version ? this.currentScene : undefined;
  }

  /** @param {number} version */
  battle(version) {
    return this.scene(version)?.battle;
  }

  /** @param {number} version */
  frame(version) {
    return version === this.version ? { command: true, rolls: this.outcome?.rolls ?? [] } : undefined;
  }

  /** Drawings of what the command made happen, for the board. */
  get happened() {
    return this.outcome?.drawn ?? [];
  }

  /** @returns {`/v1/rulesets/${string}/tutorial/${string}`} */
  get #address() {
    return `/v1/rulesets/${this.id}/tutorial/${this.lesson?.id}`;
  }

  /** Read the tutorial, and enter a lesson: the one that is named, or the first. @param {string} lesson */
  async open(lesson) {
    [this.tutorial, this.ruleset] = await Promise.all([
      this.api.get(`/v1/rulesets/${this.id}/tutorial`),
      this.api.get(`/v1/rulesets/${this.id}`),
    ]);
    if (this.tutorial.lessons.length) await this.enter(lesson);
  }

  /** Enter a lesson; the first when there is none of that name. @param {string} name */
  async enter(name) {
    if (!this.tutorial) return;
    const { lessons } = this.tutorial;
    this.#entering += 1;
    const entering = this.#entering;
    this.lesson = lessons.find(({ id }) => id === name) ?? lessons[0];
    this.problem = null;
    try {
      const position = await this.api.get(this.#address);
      if (entering !== this.#entering) return;
      this.position = position;
      this.outcome = null;
      this.seat = position.seat;
      this.papers = /** @type {Papers} */ ({ game: "", ...position.papers });
      this.#become("running", position, position.decisions);
      if (this.isEntered()) commandsOf(this).forget();
      this.choose(null);
      this.dispatchEvent(new Event("entered"));
    } catch (error) {
      const problem = problemOf(error);
      this.problem = problem;
      this.redraw();
    }
  }

  /**
   * @param {Game["status"]} status
   * @param {Position} position
   * @param {Decision[]} decisions
   */
  #become(status, position, decisions) {
    const { words, mass_nouns, scene } = position;
    const played = scene.standings.filter(({ figures, nations }) => Object.keys(figures).length || nations?.length);
    this.version += 1;
    const game = {
      ruleset: this.id,
      status,
      decisions,
      words,
      mass_nouns,
      version: this.version,
      documents: {},
      seats: played.map(({ seat }) => ({ seat, name: "" })),
    };
    // The page of a lesson uses no other members of a game.
    this.game = /** @type {Game} */ (/** @type {Partial<Game>} */ (game));
  }

  /** Choose an area; null for none. @param {string | null} area */
  choose(area) {
    this.area = area;
    this.redraw();
  }

  /** What the learner may do now. */
  async options() {
    const { decisions, options } = this.outcome || !this.position ? { decisions: [], options: [] } : this.position;
    return /** @type {Options} */ ({ version: this.version, decisions, options });
  }

  /** In a lesson nothing is answered in advance. */
  async answers() {
    return { answers: [] };
  }

  /** Ask whether a command would be accepted. @param {Orders} orders */
  async check(orders) {
    const command = "command" in orders ? orders.command : orders.commands[0];
    await this.api.post(this.#address, { command });
    return { commands: 1 };
  }

  /**
   * Try a command. Throws a problem for one that is refused, and for one that is not what the lesson asks for.
   * @param {{body?: JsonObject}} attempt
   */
  async give({ body }) {
    const outcome = await this.api.post(this.#address, {
      command: /** @type {Extract<Orders, {command: unknown}>} */ (body).command,
    });
    if (!outcome.done) {
      const title = "The rules allow that, but this lesson asks for something else";
      throw new Problem(
        {
          title,
          detail: `It would do this: ${outcome.told.join(" ")}`,
          allowed: `The lesson asks for this: ${this.lesson?.ask}`,
        },
        ANOTHER,
      );
    }
    this.outcome = outcome;
    return { after: this.version, version: this.version + 1 };
  }

  /** Show the outcome of the right command. */
  goOn() {
    if (!this.position || !this.lesson) return;
    this.#become("over", this.position, []);
    noteDone(this.id, this.lesson.id);
    this.dispatchEvent(new Event("done"));
  }

  refresh() {
    this.redraw();
  }

  /** Do what the lesson asks for. */
  async solve() {
    try {
      await this.give({ body: { command: /** @type {Command} */ (this.position?.command) } });
      this.goOn();
      if (this.isEntered()) commandsOf(this).forget();
    } catch (error) {
      const problem = problemOf(error);
      this.problem = problem;
    }
    this.redraw();
  }

  show() {
    this.redraw();
  }

  /** Give the focus to an element once it is drawn. @param {string} id */
  focusOn(id) {
    this.addEventListener("change", () => document.getElementById(id)?.focus(), { once: true });
    this.redraw();
  }

  /** Ask for the page to be drawn in the next frame. */
  redraw() {
    if (this.#drawing) return;
    this.#drawing = requestAnimationFrame(() => {
      this.#drawing = 0;
      this.dispatchEvent(new Event("change"));
    });
  }
}
