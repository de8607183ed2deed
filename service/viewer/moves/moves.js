/**
 * Moves on the map: which areas can be pointed at, what was pointed at so far, and what that means.
 *
 * A gesture that is complete is a form that was filled in by pointing: it is sent, checked and refused as any other.
 * @module
 */

/**
 * @import { Form } from "../forms/form.js"
 * @import { Problem } from "../state/api.js"
 * @import { Done, Foreseen, Said, Tried } from "../state/commands.js"
 * @import { Command, Json, JsonObject, Option, Table } from "../types.js"
 * @import { Step } from "./gesture.js"
 * @import { Move } from "./gestures.js"
 * @import { Onward } from "./onward.js"
 */

import { areasOf, choicesOf, given, initial, isFixed, isSame, matches } from "../forms/schema.js";
import { commandsOf, titleOf } from "../state/commands.js";
import { alongIn, begun, filled, lately, limited, remember, something } from "./along.js";
import { hasAlong } from "./controls.js";
import { chosenIn, gestureOf, isOnMap, movesOf } from "./gestures.js";
import { openNumbers } from "./numbers.js";
import { guessed, noteBegun } from "./onward.js";
import { goesOn, usual, mostAlong, isClear, beginning, mostOf, firstOf, oneOfEach } from "./meaning.js";
import { Gesture } from "./gesture.js";

const FEW = 6; // So many values of the last field are buttons that send.
const UNSEEN = 500; // Milliseconds in which nobody has read what has just opened.

/** On a phone there is no room for what comes along before it is asked for. */
const wide = matchMedia("(min-width: 56rem)");

/** @type {WeakMap<Table, Moves>} */
const byRoom = new WeakMap();

/** Return the moves of a room. @param {Table} room */
export function movesIn(room) {
  const moves = byRoom.get(room) ?? new Moves(room);
  byRoom.set(room, moves);
  room.moves = moves;
  return moves;
}

/**
 * What is meant: an option, and the fields that pointing decided.
 * @typedef {Pick<Move, "option" | "fix">} Meant
 */

/**
 * A command that was given, and where its gesture began and ended.
 * @typedef {{start: string | null, end: string | null, command: Command}} Given
 */

/** The gesture of a seat. */
export class Moves {
  /** @type {Option[] | null} */
  #options = null;
  #version = 0;
  /** @type {Done | null} */
  #done = null;
  #asked = "";
  /** @type {Given | null} */
  #hope = null;
  /** Where moves could go on after the last command, to remember where the next one did begin. @type {Onward | null} */
  #onward = null;
  #marked = "";
  /** All gestures that are open. @type {Move[]} */
  all = [];
  /** What was pointed at so far. */
  #gesture = new Gesture();
  /** Why a gesture means nothing: a problem of the API; null when there was none. @type {Problem | null} */
  refused = null;
  /** What that gesture would have been. @type {Tried | undefined} */
  tried = undefined;
  /** The options whose control was closed: it does not open by itself again. @type {Option[] | null} */
  closed = null;
  /** When a control opened by itself: what is pressed twice must not send what was not seen yet. */
  #openedAt = -Infinity;
  /** Whether a pointer is dragging: then the arrow is its own. */
  isDragged = false;
  /** @type {(Foreseen & {command: Command}) | null} */
  #foreseen = null;
  /**
   * The form of what comes along while there is no end yet, with the value it began with.
   * @type {{form: Form, value: JsonObject, isChosen: boolean} | null}
   */
  #before = null;
  /** What was chosen in it. @type {JsonObject | null} */
  #kept = null;

  /** @param {Table} room */
  constructor(room) {
    this.room = room;
    this.commands = commandsOf(room);
  }

  /** The area where the gesture began. */
  get start() {
    return this.#gesture.start;
  }

  /** The area where it ended, once it is complete. */
  get end() {
    return this.#gesture.end;
  }

  /** The commands that are meant: several when one gesture can mean several. */
  get meant() {
    return this.#gesture.meant;
  }

  /** Whether the gesture began by itself: then nothing else is out of reach. */
  get isGuess() {
    return this.#gesture.isGuess;
  }

  /** Whether what was pointed at is on its way: it had nothing left to ask. */
  get isSending() {
    return this.#gesture.isSending;
  }

  /** Whether pointing does anything: the seat is asked, and the page shows the newest version. */
  get isOpen() {
    return this.commands.isAsked && this.room.following && this.commands.place !== "form" && this.all.length > 0;
  }

  /** Whether the gesture is complete: what it means is shown, and can be sent. */
  get isComplete() {
    return this.start !== null && this.meant.length > 0 && this.commands.place === "bar" && Boolean(this.commands.form);
  }

  /** The gestures that the area that is pointed at would complete. */
  get shown() {
    const { pointed } = this.room.board;
    if (!this.isOpen || this.isComplete || !pointed) return [];
    if (this.start !== null && this.start !== pointed)
      return this.#withShownPiece(this.#asShown(this.from(this.start).filter(({ end }) => end === pointed)));
    const here = this.from(pointed);
    return this.start === null && here.every(({ end }) => end === null) ? here : [];
  }

  /** Whether what is open in the bar can be sent: where a gesture has no end yet, it says only what comes along. */
  get isReady() {
    return (
      this.commands.place === "bar" && Boolean(this.commands.form) && (this.start === null || this.meant.length > 0)
    );
  }

  /** The areas where a gesture can begin. */
  get starts() {
    return new Set(this.all.map((move) => move.start));
  }

  /** The areas where one that began can end. */
  get ends() {
    return new Set(this.from(this.start).flatMap(({ end }) => end ?? []));
  }

  /** The gestures that begin in an area. @param {string | null} area */
  from(area) {
    return this.all.filter((move) => move.start === area);
  }

  /** Take up the options as they are now. */
  look() {
    const { commands } = this;
    if (this.#options !== commands.options || this.#version !== commands.version) {
      this.#options = commands.options;
      this.#version = commands.version;
      const asked = new Set(commands.decisions.map(({ kind }) => kind));
      this.all = commands.options
        .filter((/** @type {Option} */ option) => asked.has(option.decision) && isOnMap(option))
        .flatMap(movesOf);
      this.#gesture.meant = this.meant.filter(({ option }) => commands.options.includes(option));
      if (!commands.form) this.#goOn(commands.done !== this.#done);
      this.#done = commands.done;
    }
    if (commands.place === "form" || (this.meant.length && !commands.form)) this.#forget();
    if (this.start && !this.starts.has(this.start)) this.#forget();
    const { order } = commands;
    if (this.start !== null && order && commands.place === "bar") {
      order.form.value = limited(order.option.schema, order.form.value, chosenIn(order.option), order.form.latest);
    }
    this.#mark();
    this.#follow();
  }

  /** Bring into view what is newly asked about, or else where a gesture can begin; of one that goes on, where it can end. */
  #follow() {
    const { commands, room } = this;
    if (!commands.version || !commands.isAsked || !room.following || !room.board?.svg) return;
    const asked = JSON.stringify([commands.decisions, this.isGuess && this.start]);
    if (asked === this.#asked) return;
    this.#asked = asked;
    const { labels } = commands;
    const values = /** @type {string[]} */ (commands.decisions.flatMap(({ about = {} }) => Object.values(about)));
    const about = values.filter((value) => labels?.isArea(value));
    room.board.follow(about.length ? about : [...(this.start === null ? this.starts : [this.start, ...this.ends])]);
  }

  /**
   * Begin where the seat's last command ended or began, when the same can be done from there. What the player has begun
   * goes on, if it still can.
   * @param {boolean} isOwn
   */
  #goOn(isOwn) {
    const hope = this.#hope;
    this.#hope = null;
    if (!isOwn || (this.start !== null && !this.isGuess)) return this.#keep();
    this.#forget();
    this.#onward = hope?.end ? this.#onwardFrom(hope) : null;
    const guess = this.#onward && guessed(this.#onward);
    if (!guess) return;
    this.#gesture.begin(guess.area, { isGuess: true, isSure: guess.isSure });
    if (guess.isSure && wide.matches) this.prepare();
  }

  /**
   * What moved can go on where it ended; what stayed, where it began.
   * @param {Given} given
   * @returns {Onward}
   */
  #onwardFrom({ start, end, command }) {
    /** @type {[string, string | null, (option: Option) => boolean][]} */
    const able = [
      ["end", end, (option) => goesOn(option, command)],
      ["start", start, (option) => option.command === command.type],
    ];
    const places = able.filter(([, area, isAble]) => this.from(area).some((move) => move.end && isAble(move.option)));
    return {
      command: command.type,
      places: Object.fromEntries(
        places.map(([guess, area]) => [
          guess,
          { area: area ?? "", ends: new Set(this.from(area).flatMap((move) => move.end ?? [])) },
        ]),
      ),
    };
  }

  #keep() {
    const { start, isGuess, isSure, isPrepared } = this.#gesture;
    this.#forget();
    if (!this.from(start).some(({ end }) => end)) return;
    this.#gesture.begin(start, { isGuess, isSure });
    if (isPrepared) this.prepare();
  }

  #forget() {
    this.#gesture.forget();
    this.refused = null;
    this.#foreseen = null;
    this.#before = null;
    this.#kept = null;
    this.#openedAt = -Infinity;
  }

  /**
   * Point at an area. What that completes is sent at once when nothing is left to ask and it can be taken back.
   * @param {string | null} area
   * @param {boolean} [isSeen] whether the player saw before what it means; a finger sees nothing
   * @returns {boolean} whether that is part of a gesture; otherwise whoever points there looks at the area only
   */
  point(area, isSeen = true) {
    if (!this.isOpen) return false;
    const { starts, ends, isComplete } = this;
    const takes = (/** @type {string} */ each) => this.#chooses(each);
    const step = this.#gesture.pointed(area, isSeen, { starts, ends, isComplete, takes });
    if (step === "wait") return true;
    if (area === null) return this.back();
    this.refused = null;
    if (step === "look") return false;
    this.#take(step, area, isSeen);
    this.#redraw();
    return true;
  }

  /** Draw the page anew; what Tab and a pointer find on the board follows at once, not with the next frame. */
  #redraw() {
    this.#mark();
    this.room.redraw();
  }

  /**
   * Take a step of the gesture.
   * @param {Step} step
   * @param {string} area
   * @param {boolean} isSeen
   */
  #take(step, area, isSeen) {
    switch (step) {
      case "begin":
        return this.begin(area, isSeen);
      case "end":
      case "end, meant":
        return this.#complete(
          this.from(this.start).filter(({ end }) => end === area),
          step === "end, meant",
        );
      case "pick":
        return this.commands.form?.pick(area);
      case "send":
        return this.send();
      case "explain":
        return this.explain(area);
      default:
        return this.back();
    }
  }

  /** Whether an area is another one of several that the command takes. @param {string} area */
  #chooses(area) {
    const { option, form } = this.commands;
    if (!option || !form) return false;
    const { to, areas = [] } = gestureOf(option);
    return form.areaFields.some(
      ({ path, schema }) =>
        [to, ...areas].includes(path[0]) && schema.type === "array" && areasOf({ schema }).includes(area),
    );
  }

  /** What comes along with a gesture that has not ended yet, as it was chosen; null while it is the usual. */
  get #chosen() {
    const { order, place } = this.commands;
    if (!this.#before || place !== "bar" || order?.form !== this.#before.form) return null;
    const now = alongIn(order.option, order.form.value);
    return isSame(now, this.#before.value) ? null : now;
  }

  /** How what was begun can go on, where things come along: a move of each title, the one that takes most along. */
  get ways() {
    const able = this.from(this.start).filter(({ option, end }) => end && hasAlong(option));
    /** @param {Move[]} moves */
    const mostOf = (moves) =>
      moves.reduce((best, move) => (mostAlong(move.option) > mostAlong(best.option) ? move : best));
    return [...Map.groupBy(able, ({ option }) => titleOf(option)).values()].map((moves) => mostOf(oneOfEach(moves)));
  }

  /** Let the player choose what comes along before they point at an end; in one of several ways, which goes on then. */
  prepare(way = usual(this.ways), isChosen = false) {
    if (!way) return;
    const { commands } = this;
    commands.choose(way.option, null, "bar");
    const { form } = commands;
    if (!form) return;
    form.value = this.valueOf(way);
    const { to } = gestureOf(way.option);
    if (to) delete form.value[to];
    this.#before = { form, value: alongIn(way.option, form.value), isChosen };
    this.#gesture.isPrepared = true;
    this.room.redraw();
  }

  /** Of several moves, those in the way that the bar shows; all where none is. @param {Move[]} moves */
  #asShown(moves) {
    const { order } = this.commands;
    if (!this.#before || order?.form !== this.#before.form) return moves;
    const title = titleOf(order.option);
    if (!moves.some(({ option }) => titleOf(option) === title)) return moves;
    return moves.filter(({ option }) => titleOf(option) === title || !hasAlong(option));
  }

  /** Of several pieces that lie in one place, the one that the bar shows as chosen. @param {Move[]} moves */
  #withShownPiece(moves) {
    const { form, option, place } = this.commands;
    if (!this.#before || place !== "bar" || form !== this.#before.form) return moves;
    const { places = {} } = option ? gestureOf(option) : {};
    /** @param {Move} move */
    const isShown = ({ fix }) =>
      Object.entries(fix).every(([name, piece]) => !(`${piece}` in places) || form?.value[name] === piece);
    if (!moves.some((move) => move.option === option && isShown(move))) return moves;
    return moves.filter((move) => move.option !== option || isShown(move));
  }

  /** Begin a gesture in an area; `isSeen` as in `point`. @param {string} area */
  begin(area, isSeen = false) {
    this.#forget();
    this.#hope = null;
    if (this.commands.form) this.commands.choose(null, null, "bar");
    this.#gesture.begin(area);
    const moves = this.from(area);
    // What ends nowhere else is complete.
    if (moves.every(({ end }) => end === null)) this.#complete(moves, isSeen);
    else if (wide.matches && !this.isDragged) this.prepare();
    this.#redraw();
  }

  /** Forget why the gesture meant nothing. */
  forgive() {
    this.refused = null;
    this.room.redraw();
  }

  /** What can be done in the area where the gesture began: a move of each option. */
  get stays() {
    return oneOfEach(this.from(this.start).filter(({ end }) => end === null));
  }

  /**
   * Choose what is done in the area where the gesture began.
   * @param {Option | null} [option] one of several; without it the player chooses then
   */
  stay(option = null) {
    this.#complete(
      this.from(this.start).filter((move) => move.end === null && move.option === (option ?? move.option)),
      !this.isGuess,
    );
  }

  /**
   * @param {Move[]} all
   * @param {boolean} isMeant
   */
  #complete(all, isMeant) {
    let moves = this.#withShownPiece(this.#asShown(all));
    this.#gesture.endAt(all[0].end, oneOfEach(all));
    // Somebody who chose another way is asked once more.
    const { order } = this.commands;
    if (this.#before?.isChosen && order && !moves.some(({ option }) => titleOf(option) === titleOf(order.option)))
      isMeant = false;
    // Of several ways to go there, those that what was chosen can go.
    const chosen = this.#chosen;
    this.#kept = chosen;
    if (chosen) {
      const fitting = moves.filter((move) => this.#takes(move, chosen));
      if (fitting.length) {
        moves = fitting;
        this.#gesture.meant = oneOfEach(moves);
      } else isMeant = false;
    }
    this.mean(usual(oneOfEach(moves)));
    if (isMeant && moves.length === 1 && isClear(moves[0]) && this.isComplete) this.#sendIfHarmless();
  }

  /**
   * Whether a gesture can take along exactly what was chosen.
   * @param {Move} move
   * @param {JsonObject} chosen
   */
  #takes(move, chosen) {
    const value = given(this.valueOf(move));
    return Object.keys(chosen).every((name) => isSame(something(value[name]), something(chosen[name])));
  }

  /** What would come of the command that is shown, where it was not sent because of that; null for any other. */
  get foreseen() {
    return this.#foreseen && isSame(this.#foreseen.command, this.commands.form?.command) ? this.#foreseen : null;
  }

  /** Send the command if it can be taken back and takes nothing of one's own away; otherwise its control asks once more. */
  async #sendIfHarmless() {
    const { commands } = this;
    const { form } = commands;
    if (!form || form.faults.length) return;
    const { command } = form;
    this.#gesture.isSending = true;
    try {
      const foreseen = await commands.foresee([command]);
      // Meanwhile it may have been taken back.
      if (commands.form !== form) return;
      if (foreseen.canUndo && !Object.keys(foreseen.gone).length) await this.send();
      else if (!foreseen.problem) this.#foreseen = { ...foreseen, command };
    } finally {
      this.#gesture.isSending = false;
      this.room.redraw();
    }
  }

  /**
   * Choose one of the commands that the gesture can mean.
   * @param {Meant} move
   * @param {Said | null} [said] what goes on being said
   */
  mean(move, said = null) {
    const { commands } = this;
    this.refused = null;
    commands.choose(move.option, said, "bar");
    // The options may have been read again since.
    if (!commands.form) return this.#forget();
    commands.form.value = this.start === null ? beginning(move.option) : this.valueOf(move);
    this.room.redraw();
  }

  /** Open the control of an option that has no place on the map. @param {Option} option */
  open(option) {
    this.#show(option, [option]);
  }

  /**
   * Open it by itself; `others` are what can be done instead, `said` goes on being said.
   * @param {Option} option
   * @param {Option[]} others
   * @param {Said | null} said
   */
  present(option, others, said) {
    this.#show(option, others, said);
    this.#openedAt = performance.now();
  }

  /**
   * @param {Option} option
   * @param {Option[]} others
   * @param {Said | null} [said]
   */
  #show(option, others, said = null) {
    this.#forget();
    this.#hope = null;
    this.#gesture.meant = others.map((option) => ({ option, fix: {} }));
    this.mean({ option, fix: {} }, said);
  }

  /** The command that a gesture means, as its control begins with it. @param {Meant} meant */
  valueOf({ option, fix }) {
    const { schema } = option;
    const names = chosenIn(option).filter((name) => !(name in fix));
    const chosen = this.#kept ?? this.#chosen;
    if (chosen) {
      const value = {
        .../** @type {JsonObject} */ (initial(schema)),
        ...structuredClone(fix),
        ...Object.fromEntries(
          names.filter((name) => name in schema.properties && name in chosen).map((name) => [name, chosen[name]]),
        ),
      };
      if (matches(schema, given(value))) return value;
    }
    const value = { .../** @type {JsonObject} */ (initial(schema)), ...structuredClone(fix) };
    for (const name of names) value[name] ??= firstOf(schema.properties[name]);
    return limited(schema, begun(option, value, names), chosenIn(option));
  }

  /** Take all that can come along, or as little as must. @param {boolean} all */
  take(all) {
    const { order } = this.commands;
    if (order) this.put(this.#taken(order, all));
  }

  /**
   * @param {{form: Form, option: Option}} order
   * @param {boolean} all
   */
  #taken({ form, option }, all) {
    const decided = new Set(this.meant.flatMap(({ fix }) => Object.keys(fix)));
    return filled(
      option.schema,
      form.value,
      chosenIn(option).filter((name) => !decided.has(name)),
      all,
    );
  }

  /** What can come along alone, of one kind: the fields that say how many do, as long as these are few. */
  get alone() {
    const { order } = this.commands;
    if (!order) return [];
    const { form, option } = order;
    const { counts = [] } = gestureOf(option);
    const names = counts.filter((name) => mostOf(option, name) > 0);
    if (names.length < 2) return [];
    const least = filled(option.schema, form.value, names, false);
    const values = names.map((name) => ({
      word: name,
      value: { ...least, ...Object.fromEntries(names.map((other) => [other, 0])), [name]: mostOf(option, name) },
    }));
    return values.filter(({ value }) => matches(option.schema, given(this.#ended(option, value))));
  }

  /** What came along lately and can come along again, besides all, none and what is shown. */
  get lately() {
    const { order } = this.commands;
    if (!order) return [];
    const { form, option } = order;
    const shown = [form.value, this.#taken(order, true), this.#taken(order, false)].map((value) =>
      something(alongIn(option, value)),
    );
    const values = lately(option, this.#ended(option, form.value)).map((along) => ({ ...form.value, ...along }));
    return values.filter((value) => !shown.some((each) => isSame(each, something(alongIn(option, value)))));
  }

  /**
   * The value of a gesture as if it had ended; one that has not could end anywhere, and some have no end on the board.
   * @param {Option} option
   * @param {JsonObject} value
   */
  #ended(option, value) {
    const { schema } = option;
    const { to } = gestureOf(option);
    return to && to in schema.properties
      ? { ...value, [to]: value[to] ?? choicesOf(schema.properties[to])?.[0] }
      : value;
  }

  /** The only field that is still open when it is decided where and what comes along, and its values when they are few. */
  get last() {
    const { option } = this.commands;
    if (!option) return null;
    const { as, from, to, between, pieces = [], counts = [], cards = [], places = {} } = gestureOf(option);
    if (as || this.start === null || !this.meant.length) return null;
    const { properties } = option.schema;
    /** @param {string} name */
    const isPiece = (name) => choicesOf(properties[name]).some((value) => `${value}` in places);
    const decided = [
      ...[from, to, between].filter((name) => name && name in properties && !isPiece(name)),
      ...pieces,
      ...counts,
      "type",
    ];
    const open = Object.keys(properties).filter((name) => !decided.includes(name) && !isFixed(properties[name]));
    const [name] = open;
    if (open.length !== 1 || cards.includes(name)) return null;
    // What may be left out has one value more, but for yes and no.
    if (!option.schema.required.includes(name) && properties[name].type !== "boolean") return null;
    const there = [this.start, this.end ?? this.start];
    const field = properties[name];
    const isThere = (/** @type {Json} */ value) => !(`${value}` in places) || there.includes(places[`${value}`]);
    const values = field.type === "boolean" ? [true, false] : "enum" in field ? field.enum.filter(isThere) : [];
    return values.length > 1 && values.length <= FEW ? { name, values } : null;
  }

  /**
   * Send the gesture with a value of the field that was open.
   * @param {string} name
   * @param {Json} value
   */
  async finish(name, value) {
    this.commands.form?.set([name], value);
    await this.#sendAsked();
  }

  /**
   * Fill in what comes along. The button may be there a moment longer than the form that it was drawn for.
   * @param {JsonObject} value
   */
  put(value) {
    const { form } = this.commands;
    if (!form) return;
    form.value = value;
    form.changed();
  }

  /** Take back one step of the gesture. @returns {boolean} whether there was one */
  back() {
    const was = this.start !== null || (this.commands.place === "bar" && this.commands.form);
    const { before } = this.#gesture;
    if (this.commands.form && this.commands.place === "bar") this.commands.choose(null);
    this.#forget();
    this.#hope = null;
    this.closed = this.#options;
    this.#gesture.begin(before);
    this.#redraw();
    return Boolean(was);
  }

  /** Send what the gesture means. */
  async send() {
    const { commands } = this;
    const { order } = commands;
    if (!order || !this.isReady || commands.busy || performance.now() - this.#openedAt < UNSEEN) return;
    const { option, form } = order;
    if (openNumbers(option).some((name) => form.get([name]) === undefined)) return void form.ask();
    const { command } = form;
    const hope = { start: this.start, end: this.end, command };
    const onward = this.#onward;
    await commands.send(this.told());
    if (commands.said?.kind !== "done") return;
    this.#forget();
    remember(option, command, chosenIn(option));
    if (onward?.command === command.type && hope.end) noteBegun(onward, hope.start ?? "");
    this.#hope = hope;
  }

  /** Send what was chosen by one click: at once if it is harmless or the only thing to do, and when it was asked already. */
  async #sendAsked() {
    if (!this.room.isGame || this.commands.isOnly || this.foreseen) await this.send();
    else if (this.commands.form?.ask()) await this.#sendIfHarmless();
  }

  /**
   * Give an option in which nothing is left to choose, or which `value` decides; what is not harmless asks once more.
   * @param {Option} option
   */
  async give(option, value = {}) {
    const { commands } = this;
    // A gesture that began by itself is none.
    this.#forget();
    commands.choose(option, null, "bar");
    if (!commands.form) return;
    Object.assign(commands.form.value, value);
    await this.#sendAsked();
  }

  /**
   * Find out why an area is no end of the gesture, from the API: nothing is sent, and nothing happens.
   * @param {string} area
   */
  async explain(area) {
    const [move] = this.from(this.start).filter(({ end }) => end !== null);
    if (!move) return;
    const { to } = gestureOf(move.option);
    if (!to) return;
    const command = this.commands.sent(/** @type {Command} */ ({ ...given(this.valueOf(move)), [to]: area }));
    const { version } = this.commands;
    const { problem = null } = await this.commands
      .foresee([command])
      .catch((/** @type {Problem} */ problem) => ({ problem }));
    this.refused = problem;
    this.tried = { command, version };
    this.room.redraw();
  }

  /** Say what the gesture means. */
  told() {
    const { order } = this.commands;
    return order ? this.say(order.option, order.form.value, this.end) : "";
  }

  /**
   * Say what a command means that a gesture gives which ends in an area.
   * @param {Option} option
   * @param {JsonObject} value
   * @param {string | null} end
   */
  say(option, value, end) {
    const { labels } = this.commands;
    const title = option.title || option.command;
    const { to, between } = gestureOf(option);
    const named = [to, between]
      .flatMap((name) => (name ? [value[name]] : []))
      .filter((each) => each !== undefined && !isSame(each, []));
    const where = end && !named.length ? [end] : named;
    const told = where.map((each) => labels?.value(each) ?? `${each}`).filter((word) => !title.includes(word));
    return told.length ? `${title} ${end ? "to" : "in"} ${told.join(", ")}` : title;
  }

  /** Mark on the board what can be pointed at, and what was. */
  #mark() {
    const { board } = this.room;
    if (!board?.svg) return;
    const isOpen = this.isOpen;
    if (this.commands.place === "form") {
      this.#marked = "";
      board.arrow(null);
      return;
    }
    const can = isOpen && this.start === null && !this.commands.form ? [...this.starts] : [];
    const ends = isOpen && this.start !== null ? [...this.ends] : [];
    const further = this.commands.form?.areaFields.filter(({ schema }) => schema.type === "array") ?? [];
    const open = [...ends, ...further.flatMap(areasOf)];
    const chosen = further.flatMap(
      ({ path }) => /** @type {string[] | undefined} */ (this.commands.form?.get(path)) ?? [],
    );
    const picked = [this.start, this.end, ...chosen].flatMap((area) => area || []);
    const aimed = this.end ?? (this.start !== null ? this.shown[0]?.end : null);
    const marks = JSON.stringify([can, open, picked, aimed]);
    if (marks === this.#marked) return;
    this.#marked = marks;
    board.mark("can", can);
    board.mark("open", open);
    board.mark("picked", picked);
    board.reach([...new Set([...can, ...open, ...picked])]);
    if (!this.isDragged) board.arrow(this.start && aimed ? [this.start, aimed] : null);
  }
}
