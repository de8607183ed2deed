/**
 * Shows a gesture on the board: marks the areas where it can begin or end, draws its arrow, and brings those areas into
 * view.
 * @module
 */

/** @import { Moves } from "./moves.js" */

import { areasOf } from "../forms/schema.js";

/**
 * Areas to be marked: `can`, where a gesture can begin; `open`, where it can end, or which it can take in as well;
 * `picked`, which the player has picked. `aimed` is the area to which its arrow leads, if it has one.
 * @typedef {{can: string[], open: string[], picked: string[], aimed: string | null | undefined}} Marked
 */

/**
 * Return which areas are to be marked.
 * @param {Pick<Moves, "isOpen" | "start" | "end" | "starts" | "ends" | "previewed" | "commands">} moves
 * @returns {Marked}
 */
export function marked({ isOpen, start, end, starts, ends, previewed, commands: { form } }) {
  const listFields = form?.areaFields.filter(({ schema }) => schema.type === "array") ?? [];
  const chosen = listFields.flatMap(({ path }) => /** @type {string[] | undefined} */ (form?.get(path)) ?? []);
  return {
    can: isOpen && start === null && !form ? [...starts] : [],
    open: [...(isOpen && start !== null ? ends : []), ...listFields.flatMap(areasOf)],
    picked: [start, end, ...chosen].flatMap((area) => area || []),
    aimed: end ?? (start !== null ? previewed[0]?.end : null),
  };
}

/** Marks a seat's gesture on the board. */
export class Marks {
  #moves;
  /** The marks on the board, as JSON: they are drawn anew only when they change. */
  #drawn = "";
  /** The question and the guessed start for which the board was moved last, as JSON. */
  #followed = "";

  /** @param {Moves} moves */
  constructor(moves) {
    this.#moves = moves;
  }

  /** Mark on the board the areas that the player can pick, and those that they have picked. */
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
   * Bring into view the areas that the question names. If it names none, show where a gesture can begin or, once it has
   * begun, its start and where it can end. Move the board only once for each question and each start that was guessed.
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
