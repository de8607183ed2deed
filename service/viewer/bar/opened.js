/**
 * What a player has opened in the bar of a room: what ends the turn, the answers of one command, the keys.
 * @module
 */

/** @import { Command, Option, Table } from "../types.js" */

/**
 * What ends the turn, at a version: the commands and their labels, which are null until the service has answered;
 * whether they can be taken back; and whether it is shown only while a mouse is over the button.
 * @typedef {{version: number, commands: Command[], words: string[] | null, canUndo: boolean, isPassing: boolean}} Plan
 */

/** @type {WeakMap<Table, OpenedInBar>} */
const byRoom = new WeakMap();

/** Return what is open in the bar of a room. @param {Table} room */
export function openedIn(room) {
  const opened = byRoom.get(room) ?? new OpenedInBar();
  byRoom.set(room, opened);
  return opened;
}

/** What is open in a bar. */
export class OpenedInBar {
  /** What ends the turn; null until the player asks for it. @type {Plan | null} */
  plan = null;
  /** The command whose answers are unfolded, and the options then. @type {{command: string, options: Option[]} | null} */
  unfolded = null;
  /** Whether the list of keys is shown. */
  isHelp = false;

  /** Close what is open above the bar; return whether anything was. */
  close() {
    const isOpen = Boolean(this.plan) || this.isHelp;
    this.plan = null;
    this.isHelp = false;
    return isOpen;
  }

  /** Fold the answers of a command again; return whether any were unfolded. */
  fold() {
    const isUnfolded = this.unfolded !== null;
    this.unfolded = null;
    return isUnfolded;
  }
}
