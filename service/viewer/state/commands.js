/**
 * What your seat may do: its open decisions and options, the form of an option, and sending the command.
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
 * An accepted request: its title, and the versions before and after it. `isMove` is false for an undo, for an answer left
 * in advance, and for revoking one.
 * @typedef {{title: string, after: number, version: number, isMove: boolean}} Done
 */

/**
 * A command that failed, and the version of the options when it did.
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
 * What would follow from commands: whether they could be taken back, which pieces the seat would lose, and its next
 * options. `problem` says why the commands would be refused.
 * @typedef {{canUndo: boolean, gone: Record<string, number>, options: Option[], problem?: Problem}} Foreseen
 */

/** The commands of the seat that a page shows. */
export class Commands {
  #timer = 0;
  /** The seat and version for which the options were last read, or are about to be; "" for none. */
  #readFor = "";
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
     * Until when the command also answers this question whenever it is asked again ("": only now), and under which
     * conditions.
     * @type {{until: string, when: Record<string, string>}}
     */
    this.advance = { until: "", when: {} };
    /** The answers that the seat left in advance; null before they were read. @type {LeftAnswer[] | null} */
    this.answers = null;
    this.busy = false;
    /** The outcome of the last request; null without one. @type {Outcome | null} */
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

  /**
   * Schedule reading the options if the seat or the version has changed; forget them if the seat can do nothing now. Put a
   * newly chosen area into the form that is open in the list of options.
   */
  look() {
    const { room } = this;
    // A command that has been taken back cannot be taken back again.
    const { done } = this;
    if (done && room.landmarks?.retractions?.some(({ version }) => version > done.version)) this.done = null;
    const current = this.isOpen ? `${room.seat}/${Math.max(room.head, room.game.version)}` : "";
    if (current !== this.#readFor) {
      this.#readFor = current;
      clearTimeout(this.#timer);
      if (current) this.#timer = setTimeout(() => this.read(), this.version ? REST : 0);
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
    this.#readFor = "";
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
   * Return the options that answer decisions of a kind; for "", the options that answer no decision.
   * @param {string} kind
   */
  optionsFor(kind) {
    return this.options.filter((option) => (option.decision ?? "") === kind);
  }

  /** The option to undo the command that was accepted last; undefined if the game went on or it cannot be undone. */
  get undo() {
    return this.done?.version === this.version ? this.options.find(({ command }) => command === "undo") : undefined;
  }

  /** Whether exactly one option answers an open decision or undoes commands, and it leaves nothing to choose. */
  get isOnly() {
    const kinds = new Set(this.decisions.map(({ kind }) => kind));
    const offered = this.options.filter(({ decision, command }) => kinds.has(decision ?? "") || command === "undo");
    return offered.length === 1 && isPlain(offered[0]);
  }

  /** Tell whether the seat can go back to a version by itself. @param {number} to */
  canUndo(to) {
    const undo = this.options.find(({ command }) => command === "undo");
    return undo !== undefined && versionsOf(undo).includes(to);
  }

  /** Ask the service whether it would accept the command. This changes nothing in the game. */
  async check() {
    if (!this.form?.validate()) return;
    const { command } = this.form;
    await this.#request(() =>
      this.#retryIfUnchanged(async () => {
        const headers = { "If-Match": `"${this.version}"` };
        const { commands } = await this.room.check(/** @type {Orders} */ ({ command: this.sent(command) }), headers);
        this.outcome = { kind: "fine", commands };
      }),
    );
  }

  /**
   * Ask the service what would follow from commands at the version of the options; with `next`, also the next options.
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
   * Return what the decision of an option is about, as names and values. An answer in advance can depend on these only:
   * texts, numbers and booleans.
   * @param {Option} option
   */
  aboutOf({ decision }) {
    const { about = {} } = this.decisions.find(({ kind }) => kind === decision) ?? {};
    return Object.entries(about).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  }

  /**
   * Change one or both parts of `advance`: until when the command answers later questions, and under which conditions.
   * @param {Partial<Commands["advance"]>} changes
   */
  ahead(changes) {
    Object.assign(this.advance, changes);
    this.#changed();
  }

  /**
   * Send the command of the open form, or leave it as an answer in advance if `advance` says so.
   * @param {string} [title] what the outcome calls the command
   */
  async send(title = undefined) {
    const { option } = this;
    if (!option || !this.form?.validate()) return;
    const command = this.sent(this.form.command);
    const name = title ?? titleOf(option);
    const attempt = this.advance.until
      ? this.#answerInAdvance(option, command, name)
      : commandRequest({ command }, name);
    await this.#request(() =>
      this.#retryIfUnchanged(() => {
        this.#attempt = { ...attempt, headers: { "If-Match": `"${this.version}"`, "Idempotency-Key": newKey() } };
        return this.#post();
      }),
    );
  }

  /**
   * Return the request that leaves a command as an answer in advance. If the seat is asked this question now, the service
   * uses the answer at once.
   * @param {Option} option
   * @param {Command} command
   * @param {string} title
   */
  #answerInAdvance(option, command, title) {
    const { decision } = option;
    const { until, when } = this.advance;
    const required = this.aboutOf(option).filter(([name]) => when[name]);
    const conditions = Object.fromEntries(required.map(([name, value]) => [name, { [when[name]]: value }]));
    const body = { decision: decision ?? null, command, until, when: conditions };
    return {
      path: /** @type {const} */ ("answers"),
      body: /** @type {JsonObject} */ (body),
      title: `${title}, whenever you are asked this`,
    };
  }

  /**
   * Send several commands that need no form. The service accepts all of them, or none.
   * @param {Command[]} commands
   * @param {string} title
   */
  async giveAll(commands, title) {
    const headers = { "If-Match": `"${this.version}"`, "Idempotency-Key": newKey() };
    this.#attempt = { ...commandRequest({ commands: commands.map((each) => this.sent(each)) }, title), headers };
    await this.#request(() => this.#post());
  }

  /** Revoke an answer that was left in advance. @param {LeftAnswer} answer */
  async revoke({ version }) {
    const headers = { "Idempotency-Key": newKey() };
    this.#attempt = { path: `answers/${version}`, method: "delete", title: "Revoke the answer", headers };
    await this.#request(() => this.#post());
  }

  /** Send a request again that got no answer, with the same key, so that it happens only once. */
  async again() {
    await this.#request(() => this.#post());
  }

  /** Return a command as it is sent: without counts of 0, except in required fields (TAB-CMD-02). @param {Command} command */
  sent(command) {
    const option = this.options.find((option) => option.command === command.type);
    return option ? withoutNothing(command, option.schema.required) : command;
  }

  async #post() {
    const attempt = this.#attempt;
    if (!attempt) return;
    const { path, body, title } = attempt;
    const { after, version } = await this.room.give(attempt).catch((problem) => {
      // If the live stream brought the new version first, that closed the form and discarded the attempt.
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
    this.#advanceTo(version);
  }

  /**
   * Run `act`, a request for the version of the options. If the game has moved on, read the options and run `act` again,
   * provided that the question and the option are the same. Otherwise throw a problem that says what has changed.
   * @param {() => Promise<void>} act
   */
  async #retryIfUnchanged(act) {
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

  /** Take note of a new version before the live stream brings it, and read its options. @param {number} version */
  #advanceTo(version) {
    const { room } = this;
    room.goOn(version);
    this.#readFor = `${room.seat}/${room.head}`;
    this.read();
    room.refresh();
  }

  /** The command of the open form, and its version; undefined without a form, and for an answer in advance. */
  #tried() {
    const command = this.form?.command;
    return command && !this.advance.until ? { command: this.sent(command), version: this.version } : undefined;
  }

  /** @param {() => Promise<void>} act */
  async #request(act) {
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

/** Return the request that sends commands. @param {JsonObject} body @param {string} title */
function commandRequest(body, title) {
  return { path: /** @type {const} */ ("commands"), body, title };
}

/** @param {Problem} problem */
function kindOf({ status }) {
  if (status === STALE) return "stale";
  return status === 0 || status >= 500 ? "lost" : "refused";
}
