/**
 * A tutorial as its page shows it: a room whose positions are those of lessons. What is sent in it is decided by the
 * service and forgotten, so there is nothing to follow and no past: each position has a number of its own.
 * @module
 */

import { Problem } from "./api.js";
import { commandsOf } from "./commands.js";
import { noteDone } from "./progress.js";

const ANOTHER = 422; // The status of what was refused: here by the lesson.

/** The lessons of a ruleset. Says "change" as a room does. */
export class Lessons extends EventTarget {
  #drawing = 0;
  #entering = 0;

  /**
   * @param {import("./api.js").Api} api
   * @param {string} ruleset
   */
  constructor(api, ruleset) {
    super();
    this.api = api;
    this.id = ruleset;
    /** Its ruleset; null until it was read. */
    this.ruleset = null;
    /** The tutorial, as `GET /v1/rulesets/{id}/tutorial` shows it; null until it was read. */
    this.tutorial = null;
    /** The lesson that is shown, and its position; null until they were read. */
    this.lesson = null;
    this.position = null;
    /** What came of the command that the lesson asks for; null before. */
    this.outcome = null;
    /** The position as a game, for all that shows games. */
    this.game = null;
    this.seat = null;
    this.version = 0;
    this.against = null;
    /** What everybody may read besides; null until the position was read. The one that was opened last. */
    this.papers = null;
    this.paper = null;
    this.area = null;
    /** What went wrong last; null when all is well. */
    this.problem = null;
  }

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
    return this.tutorial.lessons.indexOf(this.lesson);
  }

  /** The lesson after this one; undefined after the last. */
  get next() {
    return this.tutorial.lessons[this.at + 1];
  }

  /** The position that is shown. */
  get shown() {
    const scene = this.outcome?.scene ?? this.position?.scene;
    return scene && { ...scene, version: this.version };
  }

  scene(version) {
    return version === this.version ? this.shown : undefined;
  }

  battle(version) {
    return this.scene(version)?.battle;
  }

  frame(version) {
    return version === this.version ? { command: true, rolls: this.outcome?.rolls ?? [] } : undefined;
  }

  /** Where the command made things happen, drawn. */
  get happened() {
    return this.outcome?.drawn ?? [];
  }

  get #address() {
    return `/v1/rulesets/${this.id}/tutorial/${this.lesson.id}`;
  }

  /** Read the tutorial, and enter a lesson: the one that is named, or the first. */
  async open(lesson) {
    [this.tutorial, this.ruleset] = await Promise.all([
      this.api.get(`/v1/rulesets/${this.id}/tutorial`),
      this.api.get(`/v1/rulesets/${this.id}`),
    ]);
    if (this.tutorial.lessons.length) await this.enter(lesson);
  }

  /** Enter a lesson; the first when there is none of that name. */
  async enter(name) {
    const { lessons } = this.tutorial;
    const entering = (this.#entering += 1);
    this.lesson = lessons.find(({ id }) => id === name) ?? lessons[0];
    this.problem = null;
    try {
      const position = await this.api.get(this.#address);
      if (entering !== this.#entering) return;
      this.position = position;
      this.outcome = null;
      this.seat = position.seat;
      this.papers = position.papers;
      this.#become("running", position.decisions);
      commandsOf(this).forget();
      this.choose(null);
      this.dispatchEvent(new Event("entered"));
    } catch (problem) {
      this.problem = problem;
      this.redraw();
    }
  }

  #become(status, decisions) {
    const { words, scene } = this.position;
    const played = scene.standings.filter(({ figures, nations }) => Object.keys(figures).length || nations?.length);
    this.version += 1;
    this.game = {
      ruleset: this.id,
      status,
      decisions,
      words,
      version: this.version,
      documents: {},
      seats: played.map(({ seat }) => ({ seat, name: "" })),
    };
  }

  /** Choose an area; null for none. */
  choose(area) {
    this.area = area;
    this.redraw();
  }

  /** What the learner may do now. */
  async options() {
    const { decisions, options } = this.outcome ? { decisions: [], options: [] } : this.position;
    return { version: this.version, decisions, options };
  }

  async check({ command, commands = [command] }) {
    await this.api.post(this.#address, { command: commands[0] });
    return { commands: 1 };
  }

  /** Try a command. Throws a problem for one that is refused, and for one that is not what the lesson asks for. */
  async give({ body }) {
    const outcome = await this.api.post(this.#address, { command: body.command });
    if (!outcome.done) {
      const title = "The rules allow that, but this lesson asks for something else";
      throw new Problem({ title, detail: `It would do this: ${outcome.told.join(" ")}`, allowed: `The lesson asks for this: ${this.lesson.ask}` }, ANOTHER);
    }
    this.outcome = outcome;
    return { after: this.version, version: this.version + 1 };
  }

  /** Show what came of the right command. */
  goOn() {
    this.#become("over", []);
    noteDone(this.id, this.lesson.id);
    this.dispatchEvent(new Event("done"));
  }

  refresh() {
    this.redraw();
  }

  /** Do what the lesson asks for. */
  async solve() {
    try {
      await this.give({ body: { command: this.position.command } });
      this.goOn();
      commandsOf(this).forget();
    } catch (problem) {
      this.problem = problem;
    }
    this.redraw();
  }

  show() {
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
