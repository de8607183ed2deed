/**
 * What your seat may do: its open decisions, the options with their forms, and sending the command you chose.
 * @module
 */

/** @import { Command, Decision, JsonObject, LeftAnswer, Option, Orders, Table } from "../types.js" */

import { Form } from "../forms/form.js";
import { Labels } from "../forms/labels.js";
import { areasOf, isPlain, isSame, withoutNothing } from "../forms/schema.js";
import { Problem, newKey, problemOf } from "./api.js";
import { asBefore, changes, questionsOf, forForm, titleOf, versionsOf } from "./options.js";

const STALE = 412; // The HTTP status for a request that was made for an older version.
const REST = 150; // Milliseconds in which further events may come before the options are read again.

/** @type {WeakMap<Table, Commands>} */
const byRoom = new WeakMap();

/** Return the commands of a room. @param {Table} room */
export function commandsOf(room) {
  const commands = byRoom.get(room) ?? new Commands(room);
  byRoom.set(room, commands);
  room.commands = commands;
  return commands;
}

/**
 * What was accepted: its title, and the versions before and after it. An undo is no move, nor is an answer left in
 * advance or revoked.
 * @typedef {{title: string, after: number, version: number, isMove: boolean}} Done
 */

/**
 * What was not accepted, and at which version it was tried.
 * @typedef {{command: Command, version: number}} Tried
 */

/**
 * The outcome of a request: it was done, would be accepted (`fine`), was refused, was made for an older version
 * (`stale`), or was not answered (`lost`).
 * @typedef {({kind: "done"} & Done)
 *   | {kind: "fine", commands: number}
 *   | {kind: "refused" | "stale" | "lost", problem: Problem, why?: string, tried?: Tried}} Outcome
 */

/**
 * A request that is being sent, with the key that makes it happen only once.
 * @typedef {{path: "commands" | "answers" | `answers/${number}`, method?: "post" | "delete", body?: JsonObject, title: string, headers: Record<string, string>}} Attempt
 */

/**
 * What commands would bring about: whether they could be taken back, which of the seat's pieces would be gone, the
 * options then, or why they would be refused.
 * @typedef {{canUndo: boolean, gone: Record<string, number>, options: Option[], problem?: Problem}} Foreseen
 */

/** The commands of the seat that a page shows. */
export class Commands {
  #timer = 0;
  #wanted = "";
  /** @type {string | null} */
  #area = null;
  /** @type {Attempt | null} */
  #attempt = null;

  /** @param {Table} room */
  constructor(room) {
    this.room = room;
    /** What ids are called; null before the options were read. @type {Labels | null} */
    this.labels = null;
    /** @type {Decision[]} */
    this.decisions = [];
    /** @type {Option[]} */
    this.options = [];
    /** The version at which the options hold; 0 before they were read. */
    this.version = 0;
    /** The option whose form is open, and the form. @type {Option | null} */
    this.option = null;
    /** @type {Form | null} */
    this.form = null;
    /** Where that form is filled in: in the list of options, or by pointing. @type {"" | "form" | "bar"} */
    this.place = "";
    /**
     * Until when the command also answers this question in advance ("": only now), and under which conditions.
     * @type {{until: string, when: Record<string, string>}}
     */
    this.advance = { until: "", when: {} };
    /** The answers that the seat left in advance; null before they were read. @type {LeftAnswer[] | null} */
    this.answers = null;
    this.busy = false;
    /** The outcome of the last request; null before. @type {Outcome | null} */
    this.outcome = null;
    /** What was accepted last; null before. @type {Done | null} */
    this.done = null;
  }

  /** Whether there is anything to do: the page shows a seat, and the game is running. */
  get isOpen() {
    return Boolean(this.room.seat) && this.room.game?.status === "running";
  }

  /** What is being filled in: an option, its form, and what ids are called; null where no form is open. */
  get order() {
    const { option, form, labels } = this;
    return option && form && labels ? { option, form, labels } : null;
  }

  /** Whether a decision of this seat is open. */
  get isAsked() {
    const { seat, game } = this.room;
    return this.isOpen && game.decisions.some((decision) => seat !== null && decision.seats.includes(seat));
  }

  /** Read the options again when the game or the seat has changed; put a chosen area into the open form. */
  look() {
    const { room } = this;
    // A command that was taken back since cannot be taken back again.
    const { done } = this;
    if (done && room.landmarks?.retractions?.some(({ version }) => version > done.version)) this.done = null;
    const wanted = this.isOpen ? `${room.seat}/${Math.max(room.head, room.game.version)}` : "";
    if (wanted !== this.#wanted) {
      this.#wanted = wanted;
      clearTimeout(this.#timer);
      if (wanted) this.#timer = setTimeout(() => this.read(), this.version ? REST : 0);
      else this.#clear();
    }
    if (room.area !== this.#area) {
      this.#area = room.area;
      if (room.area && this.place === "form") this.form?.pick(room.area);
    }
  }

  /** Read the options. */
  async read() {
    const { room } = this;
    const seat = room.seat;
    try {
      if (!this.labels) {
        const { board } = await room.api.get(`/v1/rulesets/${room.game.ruleset}/board`);
        const { words, mass_nouns } = room.game;
        this.labels = room.labels = new Labels(board.areas, words, room, mass_nouns);
      }
      // A seat that has left no answers has none at the next version either.
      const readsAnswers = room.isGame && (this.answers === null || this.answers.length > 0);
      const [view, left] = await Promise.all([room.options(), readsAnswers ? room.answers() : { answers: [] }]);
      if (seat !== room.seat || view.version < this.version) return;
      this.answers = left.answers;
      this.decisions = view.decisions;
      this.options = asBefore(view.options.map(forForm), this.options);
      this.version = view.version;
      // A form is kept while its option is there, whatever else happened.
      const same = this.option && this.options.find((option) => isSame(option, this.option));
      if (same) this.option = same;
      else if (this.option) this.choose(null, this.outcome);
    } catch (error) {
      const problem = problemOf(error);
      this.outcome = { kind: "refused", problem };
    }
    room.redraw();
  }

  #clear() {
    this.decisions = [];
    this.options = [];
    this.version = 0;
    this.answers = null;
    this.choose(null);
  }

  /** Forget the options and what was done last: the room shows another position. */
  forget() {
    this.#wanted = "";
    this.done = null;
    this.#clear();
  }

  /**
   * Open the form of an option, or close it with null.
   * @param {Option | null} option
   * @param {Outcome | null} [outcome] of the last request, which the page goes on showing
   * @param {"form" | "bar"} [place] where it is filled in
   */
  choose(option, outcome = null, place = "form") {
    // The button may have been drawn before the options were read again.
    this.option = (option && this.options.find((each) => isSame(each, option))) ?? null;
    this.form = this.option && this.labels && new Form(this.option.schema, "order", this.labels, () => this.#changed());
    this.place = this.form ? place : "";
    this.advance = { until: "", when: {} };
    this.outcome = outcome;
    if (outcome?.kind !== "lost") this.#attempt = null;
    if (this.form && this.option?.command === "undo") this.form.value.to = Math.max(...versionsOf(this.option));
    if (this.place === "form" && this.room.area) this.form?.pick(this.room.area);
    this.#mark();
    this.room.redraw();
  }

  #changed() {
    if (this.outcome?.kind !== "stale" && this.outcome?.kind !== "lost") this.outcome = null;
    this.#mark();
    this.room.redraw();
  }

  /** Mark on the board the areas that may be chosen, and those that are. */
  #mark() {
    if (this.place === "bar") return;
    const { form } = this;
    const fields = form?.areaFields ?? [];
    const chosen = fields.flatMap(({ path }) => /** @type {string[] | string | undefined} */ (form?.get(path)) ?? []);
    this.room.board?.mark("open", fields.flatMap(areasOf));
    this.room.board?.mark("picked", chosen);
  }

  /**
   * Options that answer a decision of a kind; without one, those that may be given at any time.
   * @param {string} kind
   */
  optionsFor(kind) {
    return this.options.filter((option) => (option.decision ?? "") === kind);
  }

  /** The option to undo the command that was accepted last; undefined if the game went on or it cannot be undone. */
  get undo() {
    return this.done?.version === this.version ? this.options.find(({ command }) => command === "undo") : undefined;
  }

  /** Whether there is nothing to choose: one answer that leaves nothing open, and no undo that it would end. */
  get isOnly() {
    const kinds = new Set(this.decisions.map(({ kind }) => kind));
    const open = this.options.filter(({ decision, command }) => kinds.has(decision ?? "") || command === "undo");
    return open.length === 1 && isPlain(open[0]);
  }

  /** Tell whether the seat can go back to a version by itself. @param {number} to */
  canUndo(to) {
    const undo = this.options.find(({ command }) => command === "undo");
    return undo !== undefined && versionsOf(undo).includes(to);
  }

  /** Ask whether the command would be accepted; nothing happens. */
  async check() {
    if (!this.form?.validate()) return;
    const { command } = this.form;
    await this.#ask(() =>
      this.#asLongAsItStands(async () => {
        const headers = { "If-Match": `"${this.version}"` };
        const { commands } = await this.room.check(/** @type {Orders} */ ({ command: this.sent(command) }), headers);
        this.outcome = { kind: "fine", commands };
      }),
    );
  }

  /**
   * Ask what commands would bring about at the version of the options; with `next` also the options then.
   * @param {Command[]} commands
   * @returns {Promise<Foreseen>}
   */
  async foresee(commands, next = false) {
    const headers = { "If-Match": `"${this.version}"` };
    try {
      const checked = await this.room.check(
        /** @type {Orders} */ ({ commands: commands.map((each) => this.sent(each)) }),
        headers,
        next,
      );
      const options = (checked.next?.options ?? []).map(forForm);
      return { canUndo: checked.can_undo ?? false, gone: checked.gone ?? {}, options };
    } catch (error) {
      const problem = problemOf(error);
      if (!(problem instanceof Problem)) throw problem;
      return { canUndo: false, gone: {}, options: [], problem };
    }
  }

  /**
   * Return what the decision of an option is about, as names and values, if an answer in advance can depend on them:
   * texts, numbers and booleans.
   * @param {Option} option
   */
  aboutOf({ decision }) {
    const { about = {} } = this.decisions.find(({ kind }) => kind === decision) ?? {};
    return Object.entries(about).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  }

  /**
   * Change until when the command answers this question in advance, or under which conditions.
   * @param {Partial<Commands["advance"]>} changes
   */
  ahead(changes) {
    Object.assign(this.advance, changes);
    this.#changed();
  }

  /**
   * Send the command, for the version that it was made for, with a key of its own; or leave it as an answer in advance.
   * @param {string} [title] what the outcome calls it
   */
  async send(title = undefined) {
    const { option } = this;
    if (!option || !this.form?.validate()) return;
    const command = this.sent(this.form.command);
    const name = title ?? titleOf(option);
    const attempt = this.advance.until ? this.#leaving(option, command, name) : commanding({ command }, name);
    await this.#ask(() =>
      this.#asLongAsItStands(() => {
        this.#attempt = { ...attempt, headers: { "If-Match": `"${this.version}"`, "Idempotency-Key": newKey() } };
        return this.#post();
      }),
    );
  }

  /**
   * Return a request that leaves an answer in advance. If the seat is asked that now, the service answers at once.
   * @param {Option} option
   * @param {Command} command
   * @param {string} title
   */
  #leaving(option, command, title) {
    const { decision } = option;
    const { until, when } = this.advance;
    const chosen = this.aboutOf(option).filter(([name]) => when[name]);
    const conditions = Object.fromEntries(chosen.map(([name, value]) => [name, { [when[name]]: value }]));
    const body = { decision: decision ?? null, command, until, when: conditions };
    return {
      path: /** @type {const} */ ("answers"),
      body: /** @type {JsonObject} */ (body),
      title: `${title}, whenever you are asked this`,
    };
  }

  /**
   * Send several commands that need no form: all of them happen, or none.
   * @param {Command[]} commands
   * @param {string} title
   */
  async giveAll(commands, title) {
    const headers = { "If-Match": `"${this.version}"`, "Idempotency-Key": newKey() };
    this.#attempt = { ...commanding({ commands: commands.map((each) => this.sent(each)) }, title), headers };
    await this.#ask(() => this.#post());
  }

  /** Revoke an answer that was left in advance. @param {LeftAnswer} answer */
  async revoke({ version }) {
    const headers = { "Idempotency-Key": newKey() };
    this.#attempt = { path: `answers/${version}`, method: "delete", title: "Revoke the answer", headers };
    await this.#ask(() => this.#post());
  }

  /** Send a request again that got no answer, with the same key, so that it happens only once. */
  async again() {
    await this.#ask(() => this.#post());
  }

  /** A command as it is sent: without the counts of 0 that may be left out (TAB-CMD-02). @param {Command} command */
  sent(command) {
    const option = this.options.find((option) => option.command === command.type);
    return option ? withoutNothing(command, option.schema.required) : command;
  }

  async #post() {
    const attempt = this.#attempt;
    if (!attempt) return;
    const { path, body, title } = attempt;
    const { after, version } = await this.room.give(attempt).catch((problem) => {
      // If the stream was quicker than the answer, it has closed the form, which forgets the attempt.
      this.#attempt = attempt;
      throw problem;
    });
    if (path !== "commands") this.answers = null;
    this.done = {
      title,
      after,
      version,
      isMove: path === "commands" && /** @type {Command | undefined} */ (body?.command)?.type !== "undo",
    };
    this.choose(null, { kind: /** @type {const} */ ("done"), ...this.done });
    // The area was chosen for this move.
    this.room.choose(null);
    this.#goOn(version);
  }

  /**
   * Do something at the version of the form. If the game has moved on since, do it again at the new version, provided
   * that the question and the option are the same; otherwise say what has changed.
   * @param {() => Promise<void>} act
   */
  async #asLongAsItStands(act) {
    const { option } = this;
    if (!option) return;
    const before = questionsOf(option, this.decisions);
    try {
      await act();
    } catch (error) {
      const problem = problemOf(error);
      if (problem.status !== STALE) throw problem;
      await this.read();
      problem.changed = changes(option, before, this);
      if (problem.changed) throw problem;
      await act();
    }
  }

  /** Go on to a version before the stream brings it. @param {number} version */
  #goOn(version) {
    const { room } = this;
    room.goOn(version);
    this.#wanted = `${room.seat}/${room.head}`;
    this.read();
    room.refresh();
  }

  /** The command of the open form, and its version; undefined without a form, and for an answer in advance. */
  #tried() {
    const command = this.form?.command;
    return command && !this.advance.until ? { command: this.sent(command), version: this.version } : undefined;
  }

  /** @param {() => Promise<void>} act */
  async #ask(act) {
    if (this.busy) return;
    this.busy = true;
    this.room.redraw();
    try {
      await act();
    } catch (error) {
      const problem = problemOf(error);
      if (!(problem instanceof Problem)) throw problem;
      this.outcome = { kind: kindOf(problem), problem, why: problem.changed, tried: this.#tried() };
      if (this.outcome.kind === "stale" && !problem.changed) await this.read();
    } finally {
      this.busy = false;
      this.room.redraw();
    }
  }
}

/** Return the request that gives commands. @param {JsonObject} body @param {string} title */
function commanding(body, title) {
  return { path: /** @type {const} */ ("commands"), body, title };
}

/** @param {Problem} problem */
function kindOf({ status }) {
  if (status === STALE) return "stale";
  return status === 0 || status >= 500 ? "lost" : "refused";
}
