/**
 * Where the next move begins by itself: where the last one ended, where it began, or nowhere. The guess is what would
 * have saved the player the most clicks of late.
 * @module
 */

/**
 * @import { Command, Option } from "../types.js"
 * @import { Move } from "./gestures.js"
 */

import { goesOn } from "./meaning.js";

/** By command: how many clicks each guess would have taken of late, and which was right the last time. */
const records = new Map();

/** In the order in which they are tried when they did equally well. */
const GUESSES = ["end", "nowhere", "start"];
const FORGET = 0.6; // How much an older move counts beside the one after it.

/**
 * Where moves can go on after a command: for each guess, the area where the next begins and the areas where it can end.
 * @typedef {{command: string, places: Record<string, {area: string, ends: Set<string>}>}} Onward
 */

/**
 * A command that was accepted, and where its gesture began and ended.
 * @typedef {{start: string | null, end: string | null, command: Command}} Given
 *
 * The moves that begin in an area.
 * @typedef {(area: string | null) => Move[]} MovesFrom
 */

/** Where the next move of a seat begins. */
export class NextMove {
  /** The command that was accepted last, until the options after it are known. @type {Given | null} */
  #given = null;
  /** Where moves could go on after it. @type {Onward | null} */
  onward = null;

  /**
   * Take note of a command that was accepted. Where it began shows how good the guess before it was.
   * @param {Given} given
   * @param {Onward | null} onward where moves could go on when it was sent
   */
  accepted(given, onward) {
    if (onward?.command === given.command.type && given.end) noteBegun(onward, given.start ?? "");
    this.#given = given;
  }

  /** Guess nothing after the last command: the player goes on elsewhere. */
  forget() {
    this.#given = null;
  }

  /** Return where the next move begins by itself, now that the options are known; null where it does not. @param {MovesFrom} from */
  guess(from) {
    this.onward = this.#given?.end ? onwardFrom(this.#given, from) : null;
    this.#given = null;
    return this.onward && guessed(this.onward);
  }
}

/**
 * Return where moves can go on after a command: what moved can go on where it ended, what stayed, where it began.
 * @param {Given} given
 * @param {MovesFrom} from
 * @returns {Onward}
 */
export function onwardFrom({ start, end, command }, from) {
  /** @type {[string, string | null, (option: Option) => boolean][]} */
  const able = [
    ["end", end, (option) => goesOn(option, command)],
    ["start", start, (option) => option.command === command.type],
  ];
  const places = able.filter(([, area, isAble]) => from(area).some((move) => move.end && isAble(move.option)));
  return {
    command: command.type,
    places: Object.fromEntries(
      places.map(([guess, area]) => [
        guess,
        { area: area ?? "", ends: new Set(from(area).flatMap((move) => move.end ?? [])) },
      ]),
    ),
  };
}

/**
 * Return where the next move begins by itself, and whether that was right the last time; null where it does not.
 * @param {Onward} onward
 */
export function guessed({ command, places }) {
  const { clicks = {}, right = null } = records.get(command) ?? {};
  const [best] = GUESSES.filter((guess) => guess === "nowhere" || guess in places).sort(
    (one, other) => (clicks[one] ?? 0) - (clicks[other] ?? 0),
  );
  return best === "nowhere" ? null : { area: places[best].area, isSure: best === right };
}

/** Remember where the next move did begin. @param {Onward} onward @param {string} area */
export function noteBegun({ command, places }, area) {
  const before = records.get(command)?.clicks ?? {};
  const clicks = Object.fromEntries(
    GUESSES.map((guess) => [guess, FORGET * (before[guess] ?? 0) + clicksFor(places[guess], area)]),
  );
  records.set(command, { clicks, right: GUESSES.find((guess) => places[guess]?.area === area) });
}

/**
 * Return how many clicks it takes to begin at an area after a guess. A right guess takes none. A wrong one, or none, takes
 * one; but two if the guessed move could end at that area, since the player has to take it back first.
 * @param {string} area
 * @param {{area: string, ends: Set<string>} | undefined} place
 */
function clicksFor(place, area) {
  if (place?.area === area) return 0;
  return place?.ends.has(area) ? 2 : 1;
}
