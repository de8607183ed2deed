/**
 * Where the next move begins by itself: where the last one ended, where it began, or nowhere, whichever would have taken
 * the player the fewest clicks of late.
 * @module
 */

/** By command: how many clicks each guess would have taken of late. */
const taken = new Map();

/** In the order in which they are tried where they did equally well. */
const GUESSES = ["end", "nowhere", "start"];
const FORGET = 0.6; // How much an older move counts beside the one after it.

/**
 * Where moves can go on after one of a command: by guess, where it would begin and where it could end from there.
 * @typedef {{command: string, places: Record<string, {area: string, ends: Set<string>}>}} Onward
 */

/**
 * Return where the next move begins by itself, and whether that was right the last time; null where it does not.
 * @param {Onward} onward
 */
export function guessed({ command, places }) {
  const { clicks = {}, right = null } = taken.get(command) ?? {};
  const [best] = GUESSES.filter((guess) => guess === "nowhere" || guess in places).sort(
    (one, other) => (clicks[one] ?? 0) - (clicks[other] ?? 0),
  );
  return best === "nowhere" ? null : { area: places[best].area, isSure: best === right };
}

/** Remember where the next move did begin. @param {Onward} onward @param {string} area */
export function noteBegun({ command, places }, area) {
  const before = taken.get(command)?.clicks ?? {};
  const clicks = Object.fromEntries(
    GUESSES.map((guess) => [guess, FORGET * (before[guess] ?? 0) + clicksFor(places[guess], area)]),
  );
  taken.set(command, { clicks, right: GUESSES.find((guess) => places[guess]?.area === area) });
}

/**
 * A guess saves the click that begins a move; where it was wrong and could end there, it has to be taken back first.
 * @param {string} area
 * @param {{area: string, ends: Set<string>} | undefined} place
 */
function clicksFor(place, area) {
  if (place?.area === area) return 0;
  return place?.ends.has(area) ? 2 : 1;
}
