/**
 * What the board shows of a gesture: marks for the areas where it can begin or end, an arrow, and the part of the map
 * where that is.
 * @module
 */

/** @import { Moves } from "./moves.js" */

import { areasOf } from "../forms/schema.js";

/**
 * Areas to be marked: where a gesture can begin, where it can end or take in more, and what was pointed at; and the
 * area to which its arrow leads.
 * @typedef {{can: string[], open: string[], picked: string[], aimed: string | null | undefined}} Marked
 */

/**
 * Return what is to be marked.
 * @param {Pick<Moves, "isOpen" | "start" | "end" | "starts" | "ends" | "previewed" | "commands">} moves
 * @returns {Marked}
 */
export function marked({ isOpen, start, end, starts, ends, previewed, commands: { form } }) {
  const further = form?.areaFields.filter(({ schema }) => schema.type === "array") ?? [];
  const chosen = further.flatMap(({ path }) => /** @type {string[] | undefined} */ (form?.get(path)) ?? []);
  return {
    can: isOpen && start === null && !form ? [...starts] : [],
    open: [...(isOpen && start !== null ? ends : []), ...further.flatMap(areasOf)],
    picked: [start, end, ...chosen].flatMap((area) => area || []),
    aimed: end ?? (start !== null ? previewed[0]?.end : null),
  };
}

/** The marks of a seat's gesture on the board. */
export class Marks {
  #moves;
  /** What the board shows, as text: it is drawn anew only when that changes. */
  #drawn = "";
  /** The question and the start for which the board was moved last, as text. */
  #followed = "";

  /** @param {Moves} moves */
  constructor(moves) {
    this.#moves = moves;
  }

  /** Mark on the board what can be pointed at, and what was. */
  draw() {
    const { room, commands, start, isDragged } = this.#moves;
    const { board } = room;
    if (!board?.svg) return;
    if (commands.place === "form") {
      this.#drawn = "";
      board.arrow(null);
      return;
    }
    const marks = marked(this.#moves);
    const { can, open, picked, aimed } = marks;
    const drawn = JSON.stringify(marks);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    board.mark("can", can);
    board.mark("open", open);
    board.mark("picked", picked);
    board.reach([...new Set([...can, ...open, ...picked])]);
    if (!isDragged) board.arrow(start && aimed ? [start, aimed] : null);
  }

  /**
   * Bring into view the areas that a new question is about, or else those where a gesture can begin. When a gesture
   * goes on by itself, show where it can end.
   */
  follow() {
    const { room, commands, start, starts, ends, isGuess } = this.#moves;
    if (!commands.version || !commands.isAsked || !room.following || !room.board?.svg) return;
    const followed = JSON.stringify([commands.decisions, isGuess && start]);
    if (followed === this.#followed) return;
    this.#followed = followed;
    const { labels } = commands;
    const values = /** @type {string[]} */ (commands.decisions.flatMap(({ about = {} }) => Object.values(about)));
    const about = values.filter((value) => labels?.isArea(value));
    room.board.follow(about.length ? about : [...(start === null ? starts : [start, ...ends])]);
  }
}
