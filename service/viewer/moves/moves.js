/**
 * Moves on the map: which areas can be pointed at, what was pointed at so far, and what that means.
 *
 * A gesture that is complete is a form that was filled in by pointing: it is sent, checked and refused as any other.
 * @module
 */

/**
 * @import { Done, Outcome } from "../state/commands.js"
 * @import { Option, Table } from "../types.js"
 * @import { Step } from "./gesture.js"
 * @import { Meant, Move } from "./gestures.js"
 */

import { areasOf } from "../forms/schema.js";
import { commandsOf } from "../state/commands.js";
import { titleOf } from "../state/options.js";
import { alongIn } from "./along.js";
import { Beforehand } from "./beforehand.js";
import { completed, takesExactly, taken } from "./completing.js";
import { limited } from "./filling.js";
import { Gesture } from "./gesture.js";
import { chosenIn, gestureOf, hasAlong, isOnMap, movesOf } from "./gestures.js";
import { Marks } from "./marks.js";
import { beginning, isClear, mostAlong, oneOfEach, usual } from "./meaning.js";
import { NextMove } from "./onward.js";
import { Sending } from "./sending.js";
import { sentence } from "./words.js";

/** A phone has room for what comes along only when the player asks for it. */
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

/** The moves of a seat, and the gesture with which it makes one. */
export class Moves {
  /** The options that were taken up, at their version. @type {Option[] | null} */
  #options = null;
  #version = 0;
  /** The command that was accepted before them. @type {Done | null} */
  #done = null;
  /** All moves that are open. @type {Move[]} */
  all = [];
  /** What was pointed at so far. */
  gesture = new Gesture();
  /** Where the next move begins. */
  next = new NextMove();
  /** The options whose control was closed: it does not open by itself again. @type {Option[] | null} */
  closed = null;
  /** Whether a pointer is dragging: then the arrow follows the pointer. */
  isDragged = false;

  /** @param {Table} room */
  constructor(room) {
    this.room = room;
    this.commands = commandsOf(room);
    /** What comes along, chosen before the end. */
    this.beforehand = new Beforehand(this.commands);
    this.sending = new Sending(this);
    this.marks = new Marks(this);
  }

  // --- what can be pointed at, and what was ---

  /** The area where the gesture began. */
  get start() {
    return this.gesture.start;
  }

  /** The area where it ended, once it is complete. */
  get end() {
    return this.gesture.end;
  }

  /** The commands that are meant: several when one gesture can mean several. */
  get meant() {
    return this.gesture.meant;
  }

  /** Whether the gesture began by itself: then any other gesture can still begin. */
  get isGuess() {
    return this.gesture.isGuess;
  }

  /** Whether the gesture is being sent: nothing was left to ask. */
  get isSending() {
    return this.gesture.isSending;
  }

  /** Whether pointing does anything: the seat has moves, the newest version is shown, and no form of the list is open. */
  get isOpen() {
    return this.commands.isAsked && this.room.following && this.commands.place !== "form" && this.all.length > 0;
  }

  /** Whether the gesture is complete: what it means is shown, and can be sent. */
  get isComplete() {
    return this.start !== null && this.meant.length > 0 && this.commands.place === "bar" && Boolean(this.commands.form);
  }

  /** Whether the form in the bar can be sent. While a gesture has no end yet, it shows only what comes along. */
  get isReady() {
    return (
      this.commands.place === "bar" && Boolean(this.commands.form) && (this.start === null || this.meant.length > 0)
    );
  }

  /** The areas where a gesture can begin. */
  get starts() {
    return new Set(this.all.map((move) => move.start));
  }

  /** The areas where the gesture that began can end. */
  get ends() {
    return new Set(this.from(this.start).flatMap(({ end }) => end ?? []));
  }

  /** The moves that begin in an area. @param {string | null} area */
  from(area) {
    return this.all.filter((move) => move.start === area);
  }

  /** The moves that the area under the pointer would complete. */
  get previewed() {
    const { pointed } = this.room.board;
    if (!this.isOpen || this.isComplete || !pointed) return [];
    if (this.start !== null && this.start !== pointed)
      return this.beforehand.fitting(this.from(this.start).filter(({ end }) => end === pointed));
    const here = this.from(pointed);
    return this.start === null && here.every(({ end }) => end === null) ? here : [];
  }

  /** What can be done in the area where the gesture began: a move of each option. */
  get stays() {
    return oneOfEach(this.from(this.start).filter(({ end }) => end === null));
  }

  /** The ways in which the gesture can go on and take things along: for each title the move that takes most. */
  get ways() {
    const able = this.from(this.start).filter(({ option, end }) => end && hasAlong(option));
    /** @param {Move[]} moves */
    const largest = (moves) =>
      moves.reduce((best, move) => (mostAlong(move.option) > mostAlong(best.option) ? move : best));
    return [...Map.groupBy(able, ({ option }) => titleOf(option)).values()].map((moves) => largest(oneOfEach(moves)));
  }

  // --- taking up the options ---

  /** Take up the options as they are now. */
  look() {
    const { commands } = this;
    if (this.#options !== commands.options || this.#version !== commands.version) {
      this.#options = commands.options;
      this.#version = commands.version;
      const kinds = new Set(commands.decisions.map(({ kind }) => kind));
      this.all = commands.options.filter((option) => kinds.has(option.decision) && isOnMap(option)).flatMap(movesOf);
      this.gesture.meant = this.meant.filter(({ option }) => commands.options.includes(option));
      if (!commands.form) this.#goOn(commands.done !== this.#done);
      this.#done = commands.done;
    }
    if (commands.place === "form" || (this.meant.length && !commands.form)) this.forget();
    if (this.start && !this.starts.has(this.start)) this.forget();
    const { order } = commands;
    if (this.start !== null && order && commands.place === "bar") {
      order.form.value = limited(order.option.schema, order.form.value, chosenIn(order.option), order.form.latest);
    }
    this.marks.draw();
    this.marks.follow();
  }

  /**
   * Begin by itself where the seat's last command ended or began, if moves can go on there. A gesture that the player
   * has begun goes on, if it still can.
   * @param {boolean} isOwn whether the options are those after a command of the seat
   */
  #goOn(isOwn) {
    if (!isOwn || (this.start !== null && !this.isGuess)) {
      this.next.forget();
      return this.#keep();
    }
    this.forget();
    const guess = this.next.guess((area) => this.from(area));
    if (!guess) return;
    this.gesture.begin(guess.area, { isGuess: true, isSure: guess.isSure });
    if (guess.isSure && wide.matches) this.prepare();
  }

  /** Begin again where the gesture began, with the options as they are now. */
  #keep() {
    const { start, isGuess, isSure, isPrepared } = this.gesture;
    this.forget();
    if (!this.from(start).some(({ end }) => end)) return;
    this.gesture.begin(start, { isGuess, isSure });
    if (isPrepared) this.prepare();
  }

  /** Forget what was pointed at. */
  forget() {
    this.gesture.forget();
    this.beforehand.forget();
    this.sending.forget();
  }

  // --- pointing ---

  /**
   * Point at an area. A gesture that this completes is sent at once when nothing is left to ask and it does no harm.
   * @param {string | null} area
   * @param {boolean} [isSeen] whether the player saw before what it means; a finger sees nothing
   * @returns {boolean} whether this is part of a gesture; otherwise the player only looks at the area
   */
  point(area, isSeen = true) {
    if (!this.isOpen) return false;
    const { starts, ends, isComplete } = this;
    const takes = (/** @type {string} */ each) => this.#chooses(each);
    const step = this.gesture.pointed(area, isSeen, { starts, ends, isComplete, takes });
    if (step === "wait") return true;
    if (area === null) return this.back();
    this.sending.refused = null;
    if (step === "look") return false;
    this.#take(step, area, isSeen);
    this.#redraw();
    return true;
  }

  /** Draw the page anew; what Tab and a pointer find on the board follows at once, not with the next frame. */
  #redraw() {
    this.marks.draw();
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
        return this.sending.send();
      case "explain":
        return this.sending.explain(area);
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

  /** Begin a gesture in an area; `isSeen` as in `point`. @param {string} area */
  begin(area, isSeen = false) {
    this.forget();
    this.next.forget();
    if (this.commands.form) this.commands.choose(null, null, "bar");
    this.gesture.begin(area);
    const moves = this.from(area);
    // Moves that end nowhere else are complete.
    if (moves.every(({ end }) => end === null)) this.#complete(moves, isSeen);
    else if (wide.matches && !this.isDragged) this.prepare();
    this.#redraw();
  }

  /** Let the player choose what comes along before they point at an end, for one of the ways to go on. */
  prepare(way = usual(this.ways), isWayChosen = false) {
    if (!way) return;
    const { commands } = this;
    commands.choose(way.option, null, "bar");
    const { form } = commands;
    if (!form) return;
    form.value = this.valueOf(way);
    const { to } = gestureOf(way.option);
    if (to) delete form.value[to];
    this.beforehand.open(form, alongIn(way.option, form.value), isWayChosen);
    this.gesture.isPrepared = true;
    this.room.redraw();
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

  /** Take back one step of the gesture. @returns {boolean} whether there was one */
  back() {
    const isBegun = this.start !== null || (this.commands.place === "bar" && this.commands.form);
    const { before } = this.gesture;
    if (this.commands.form && this.commands.place === "bar") this.commands.choose(null);
    this.forget();
    this.next.forget();
    this.closed = this.#options;
    this.gesture.begin(before);
    this.#redraw();
    return Boolean(isBegun);
  }

  // --- what it means ---

  /**
   * End the gesture: choose what it means, and send that when nothing is left to ask.
   * @param {Move[]} all the moves that it can be
   * @param {boolean} isMeant whether the player knows what it means
   */
  #complete(all, isMeant) {
    let moves = this.beforehand.fitting(all);
    this.gesture.endAt(all[0].end, oneOfEach(all));
    // A player who chose a way that does not lead there is asked once more.
    const { order } = this.commands;
    if (this.beforehand.isWayChosen && order && !moves.some(({ option }) => titleOf(option) === titleOf(order.option)))
      isMeant = false;
    // Of several ways to go there, keep those that can take along what was chosen.
    const chosen = this.beforehand.keep();
    if (chosen) {
      const able = moves.filter((move) => takesExactly(this.valueOf(move), chosen));
      if (able.length) {
        moves = able;
        this.gesture.meant = oneOfEach(moves);
      } else isMeant = false;
    }
    this.mean(usual(oneOfEach(moves)));
    if (isMeant && moves.length === 1 && isClear(moves[0]) && this.isComplete) this.sending.sendIfHarmless();
  }

  /**
   * Choose one of the commands that the gesture can mean.
   * @param {Meant} move
   * @param {Outcome | null} [outcome] of the last request, which the page goes on showing
   */
  mean(move, outcome = null) {
    const { commands } = this;
    this.sending.refused = null;
    commands.choose(move.option, outcome, "bar");
    // The options may have been read again since.
    if (!commands.form) return this.forget();
    commands.form.value = this.start === null ? beginning(move.option) : this.valueOf(move);
    this.room.redraw();
  }

  /** Open the control of an option that has no place on the map. @param {Option} option */
  open(option) {
    this.#show(option, [option]);
  }

  /**
   * Open the control of an option without a click.
   * @param {Option} option
   * @param {Option[]} others what can be done instead
   * @param {Outcome | null} outcome as in `mean`
   */
  present(option, others, outcome) {
    this.#show(option, others, outcome);
    this.sending.wait();
  }

  /**
   * @param {Option} option
   * @param {Option[]} others
   * @param {Outcome | null} [outcome]
   */
  #show(option, others, outcome = null) {
    this.forget();
    this.next.forget();
    this.gesture.meant = others.map((option) => ({ option, fix: {} }));
    this.mean({ option, fix: {} }, outcome);
  }

  /** The command that a gesture means, as its control begins with it. @param {Meant} meant */
  valueOf(meant) {
    return completed(meant, this.beforehand.chosen);
  }

  /** Take all that can come along, or as little as must. @param {boolean} all */
  take(all) {
    const { order } = this.commands;
    order?.form.fill(taken(order.option, order.form.value, this.meant, all));
  }

  /** What the gesture means, in words. */
  get sentence() {
    const { order } = this.commands;
    return order ? sentence(order.option, order.form.value, this.end, order.labels) : "";
  }
}
