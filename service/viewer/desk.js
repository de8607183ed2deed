/**
 * What the seat may do that looks: its open decisions, the options with their forms, and sending what was chosen.
 * @module
 */

import { Problem } from "./api.js";
import { Form } from "./forms.js";
import { choicesOf, isSame } from "./schema.js";
import { Wording } from "./wording.js";

const REST = 150; // Milliseconds in which further events may come before the options are read again.

const desks = new WeakMap();

/** Return the desk of a room. @param {import("./room.js").Room} room */
export function deskOf(room) {
  if (!desks.has(room)) desks.set(room, new Desk(room));
  return desks.get(room);
}

/**
 * One seat's desk. `said` is what came of the last thing that was asked:
 * `{kind: "done", after, version}`, `{kind: "fine", commands}` for a check, `{kind: "refused", problem}`,
 * `{kind: "stale"}`, `{kind: "lost"}`; null before.
 */
export class Desk {
  #timer = 0;
  #wanted = "";
  #area = null;
  #attempt = null;

  constructor(room) {
    this.room = room;
    this.wording = null;
    this.decisions = [];
    this.options = [];
    /** The version at which the options hold; 0 before they were read. */
    this.version = 0;
    /** The option whose form is open, and the form. */
    this.option = null;
    this.form = null;
    this.busy = false;
    this.said = null;
  }

  /** Whether there is anything to do at this desk: a seat looks at a game that runs. */
  get isOpen() {
    return Boolean(this.room.seat) && this.room.game?.status === "running";
  }

  /** Whether a decision of this seat is open. */
  get isAsked() {
    const { seat, game } = this.room;
    return this.isOpen && game.decisions.some((decision) => decision.seats.includes(seat));
  }

  /** Read the options again when they are no longer those of the newest version; take up what was chosen on the board. */
  look() {
    const { room } = this;
    const wanted = this.isOpen ? `${room.seat}/${Math.max(room.head, room.game.version)}` : "";
    if (wanted !== this.#wanted) {
      this.#wanted = wanted;
      clearTimeout(this.#timer);
      if (wanted) this.#timer = setTimeout(() => this.read(), this.version ? REST : 0);
      else this.#clear();
    }
    if (room.area !== this.#area) {
      this.#area = room.area;
      if (room.area && this.form) this.form.pick(room.area);
    }
  }

  /** Read the options. */
  async read() {
    const { room } = this;
    const seat = room.seat;
    try {
      if (!this.wording) {
        const { board } = await room.api.get(`/v1/rulesets/${room.game.ruleset}/board`);
        this.wording = new Wording(board.areas);
      }
      const view = await room.api.get(`/v1/games/${room.id}/options`);
      if (seat !== room.seat || view.version < this.version) return;
      this.decisions = view.decisions;
      this.options = view.options;
      this.version = view.version;
      // A form is kept while its option is there, whatever else happened.
      const same = this.option && this.options.find((option) => isSame(option, this.option));
      if (same) this.option = same;
      else if (this.option) this.choose(null, this.said);
    } catch (problem) {
      this.said = { kind: "refused", problem };
    }
    room.redraw();
  }

  #clear() {
    this.decisions = [];
    this.options = [];
    this.version = 0;
    this.choose(null);
  }

  /** Open the form of an option; null closes it. `said` is what goes on being said. */
  choose(option, said = null) {
    // What was clicked on may have been drawn before the options were read again.
    this.option = (option && this.options.find((each) => isSame(each, option))) ?? null;
    this.form = this.option && new Form(this.option.schema, "order", this.wording, () => this.#changed());
    this.said = said;
    if (said?.kind !== "lost") this.#attempt = null;
    if (this.option?.command === "undo") this.form.value.to = Math.max(...choicesOf(option.schema.properties.to));
    if (this.option && this.room.area) this.form.pick(this.room.area);
    this.#mark();
    this.room.redraw();
  }

  #changed() {
    if (!["stale", "lost"].includes(this.said?.kind)) this.said = null;
    this.#mark();
    this.room.redraw();
  }

  /** Mark on the board the areas that may be chosen, and those that are. */
  #mark() {
    const fields = this.form?.areaFields ?? [];
    const chosen = fields.flatMap(({ path }) => this.form.get(path) ?? []);
    this.room.board?.mark("open", fields.flatMap(({ schema }) => (schema.items ?? schema).enum));
    this.room.board?.mark("picked", chosen);
  }

  /** Options that answer a decision of a kind; without one, those that may be given at any time. */
  optionsFor(kind) {
    return this.options.filter((option) => (option.decision ?? "") === kind);
  }

  /** Ask whether the command would be accepted; nothing happens. */
  async check() {
    if (!this.form.ask()) return;
    const { command } = this.form;
    await this.#ask(async () => {
      const headers = { "If-Match": `"${this.version}"` };
      const { commands } = await this.room.api.post(`/v1/games/${this.room.id}/commands/check`, { command }, headers);
      this.said = { kind: "fine", commands };
    });
  }

  /** Send the command, for the version that it was made for, with a key of its own. */
  async send() {
    if (!this.form.ask()) return;
    this.#attempt = { command: this.form.command, version: this.version, key: newKey() };
    await this.again();
  }

  /** Send once more what no answer came to: the same with the same key, so that it happens once in any case. */
  async again() {
    const { command, version: known, key } = this.#attempt;
    await this.#ask(async () => {
      const headers = { "If-Match": `"${known}"`, "Idempotency-Key": key };
      const { after, version } = await this.room.api.post(`/v1/games/${this.room.id}/commands`, { command }, headers);
      this.choose(null, { kind: "done", after, version });
      this.#goOn(version);
    });
  }

  /** Let the page know of a version before the stream tells of it. */
  #goOn(version) {
    const { room } = this;
    const follows = room.following;
    room.frames.head = Math.max(room.head, version);
    if (follows) room.version = room.head;
    this.#wanted = `${room.seat}/${room.head}`;
    this.read();
    room.refresh();
  }

  async #ask(act) {
    if (this.busy) return;
    this.busy = true;
    this.room.redraw();
    try {
      await act();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.said = { kind: kindOf(problem), problem };
      if (this.said.kind === "stale") await this.read();
    } finally {
      this.busy = false;
      this.room.redraw();
    }
  }
}

function kindOf({ status }) {
  if (status === 412) return "stale";
  return status === 0 || status >= 500 ? "lost" : "refused";
}

/** Return a key that nobody used yet. Not `randomUUID`, which pages have on HTTPS only. */
function newKey() {
  return `room-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
