/**
 * What happened since the last move of the viewer's seat: the moves of all others, in their order.
 * @module
 */

/** @import { Frame, Table } from "../types.js" */

import { NO_MOVES } from "./take-backs.js";

const BEGAN = "game-started";

/** @type {WeakMap<Table, Since>} */
const byRoom = new WeakMap();

/** Return what happened in a room. @param {Table} room */
export function sinceOf(room) {
  const since = byRoom.get(room) ?? new Since(room);
  byRoom.set(room, since);
  return since;
}

/**
 * One command of a seat, or of nobody: its version, the last version that followed from it, and the frames.
 * @typedef {{seat: string | null | undefined, from: number, to: number, frames: Frame[]}} SeatMove
 */

export class Since {
  /** @type {{key: string, moves: SeatMove[], hasMoved: boolean}} */
  #known = { key: "", moves: [], hasMoved: false };
  #isOpen = false;

  /** @param {Table} room */
  constructor(room) {
    this.room = room;
  }

  /**
   * The moves, each with its frames; those since the game began if the seat has not moved yet. None while the frames
   * are being fetched.
   */
  get moves() {
    const { room } = this;
    const key = `${room.seat} ${room.head} ${room.id}`;
    if (this.#known.key !== key) {
      const read = this.#read();
      if (!read) return [];
      this.#known = { key, ...read };
      this.#tell();
    }
    return this.#known.moves;
  }

  /** Whether the viewer's seat has moved before these. */
  get hasMoved() {
    return this.#known.hasMoved;
  }

  #read() {
    const { room } = this;
    /** @type {SeatMove[]} */
    const moves = [];
    if (!room.isGame || !room.seat || !room.head) return { moves, hasMoved: false };
    /** @type {Frame[]} */
    let frames = [];
    for (let version = room.head; version > 1; version -= 1) {
      const frame = room.frame(version);
      if (!frame) {
        room.frames?.want(version).then(
          () => room.redraw(),
          () => {},
        );
        return null;
      }
      frames.unshift(/** @type {Frame} */ (frame));
      if (!frame.command) continue;
      // What happened before the start is no news.
      if (frame.type === BEGAN) return { moves, hasMoved: false };
      const isMine = frame.seat === room.seat;
      if (isMine && !NO_MOVES.has(frame.type)) return { moves, hasMoved: true };
      if (!isMine) moves.unshift({ seat: frame.seat, from: version, to: frames[frames.length - 1].version, frames });
      frames = [];
    }
    return { moves: [], hasMoved: false };
  }

  /** Whether all of these moves are shown, and marked on the board. */
  get isOpen() {
    return this.#isOpen;
  }

  /** @param {boolean} isOpen */
  open(isOpen) {
    if (this.#isOpen === isOpen) return;
    this.#isOpen = isOpen;
    this.#tell();
  }

  #tell() {
    const { room } = this;
    room.overview = this.#isOpen ? this.#known.moves.flatMap(({ frames }) => frames) : null;
    room.redraw();
  }

  /**
   * Go on: first to all moves together, then from move to move, and after the last one back to now.
   * @returns {boolean} whether anything happened since
   */
  step() {
    const { room, moves } = this;
    if (!moves.length) return false;
    const next = room.following ? moves[0] : moves.find(({ to }) => to > room.version);
    room.show((this.#isOpen && next?.to) || room.head);
    this.open(true);
    return true;
  }
}
