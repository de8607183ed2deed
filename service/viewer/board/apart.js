/**
 * Moves piles of pieces a little when they are enlarged (board/names.js), so that they cover fewer names and less of
 * other piles.
 * @module
 */

/**
 * A rectangle, in pixels.
 * @typedef {Pick<DOMRect, "left" | "top" | "right" | "bottom">} Box
 *
 * How far something is moved.
 * @typedef {[x: number, y: number]} Shift
 *
 * The pieces of an area. `parts`: their boxes where they lie unmoved; `near`: the box that they can reach when moved;
 * `at`: how far the pile is moved.
 * @typedef {{area: SVGGElement, parts: Box[], near: Box, at: Shift}} Pile
 */

const STEPS = [0, 4, -4, 8, -8, 12, -12, 16, -16]; // Pixels.
const ASIDE = 6; // Moving a pile by one pixel is as bad as hiding this many square pixels.
const ROUNDS = 2; // A pile that moved may have made room for others, or taken it.

/** How far a pile may be moved, the shortest way first. @type {Shift[]} */
const PLACES = STEPS.flatMap((x) => STEPS.map((y) => /** @type {Shift} */ ([x, y]))).sort(
  (one, other) => Math.hypot(...one) - Math.hypot(...other),
);

/** @type {WeakMap<Element, Shift>} How far the pile of an area is moved, in units of the board. */
const aside = new WeakMap();

/** Move piles apart, at the size that they are drawn in now. @param {SVGSVGElement} svg */
export function partPiles(svg) {
  const scale = svg.getScreenCTM()?.a;
  const isLarger = Number(svg.style.getPropertyValue("--pieces")) > 1;
  const areas = /** @type {NodeListOf<SVGGElement>} */ (svg.querySelectorAll("[data-area]:has(> .pile)"));
  if (!scale) return;
  const piles = [...areas].map((area) => {
    const [x, y] = (aside.get(area) ?? [0, 0]).map((each) => -each * scale);
    const parts = [...area.querySelectorAll(":scope > .pile > *")].map((part) =>
      moved(part.getBoundingClientRect(), x, y),
    );
    return { area, parts, near: reachOf(parts), at: /** @type {Shift} */ ([0, 0]) };
  });
  const names = [...svg.querySelectorAll('#names text:not([visibility="hidden"])')].map((name) =>
    name.getBoundingClientRect(),
  );
  const frame = svg.querySelector("#earth > rect")?.getBoundingClientRect();
  if (!frame) return;
  for (let round = 0; isLarger && round < ROUNDS; round += 1)
    for (const pile of piles) movePile(pile, piles, names, frame);
  for (const { area, at } of piles) put(area, [at[0] / scale, at[1] / scale]);
}

/**
 * Move one pile to where it hides least of names and of other piles.
 * @param {Box[]} names
 * @param {Box} frame
 * @param {Pile} pile
 * @param {Pile[]} piles
 */
function movePile(pile, piles, names, frame) {
  const others = piles
    .filter((other) => other !== pile)
    .flatMap(({ parts, at }) => parts.map((box) => moved(box, ...at)));
  const nearby = [...names, ...others].filter((box) => overlap(pile.near, box));
  /** @param {Shift} at */
  const hides = (at) =>
    pile.parts.reduce(
      (sum, box) => sum + nearby.reduce((more, other) => more + overlap(moved(box, ...at), other), 0),
      0,
    );
  pile.at = PLACES[0];
  if (!hides(pile.at)) return;
  let least = Infinity;
  for (const at of PLACES) {
    const isOnBoard = pile.parts.every((box) => isIn(frame, moved(box, ...at)));
    const cost = hides(at) + ASIDE * Math.hypot(...at);
    if (cost < least && (isOnBoard || at === PLACES[0])) [least, pile.at] = [cost, at];
  }
}

/**
 * @param {SVGGElement} area
 * @param {Shift} at
 */
function put(area, [x, y]) {
  const before = aside.get(area) ?? [0, 0];
  /** @type {Shift} */
  const after = [Math.round(x), Math.round(y)];
  if (before.join() === after.join()) return;
  aside.set(area, after);
  // Set on the area, not on the pile, so it stays when the pieces of the area change.
  area.style.setProperty("--aside", after.map((each) => `${each}px`).join(" "));
}

/**
 * @param {Box} box
 * @param {number} x
 * @param {number} y
 */
function moved({ left, top, right, bottom }, x, y) {
  return { left: left + x, top: top + y, right: right + x, bottom: bottom + y };
}

/** Return the box that boxes can reach when they are moved. @param {Box[]} boxes */
function reachOf(boxes) {
  const reach = Math.max(...STEPS);
  const [left, top] = [boxes.map((box) => box.left), boxes.map((box) => box.top)].map(
    (sides) => Math.min(...sides) - reach,
  );
  const [right, bottom] = [boxes.map((box) => box.right), boxes.map((box) => box.bottom)].map(
    (sides) => Math.max(...sides) + reach,
  );
  return { left, top, right, bottom };
}

/**
 * How many square pixels lie in both.
 * @param {Box} one
 * @param {Box} other
 */
function overlap(one, other) {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return width > 0 && height > 0 ? width * height : 0;
}

/**
 * @param {Box} frame
 * @param {Box} box
 */
function isIn(frame, box) {
  return frame.left <= box.left && frame.top <= box.top && box.right <= frame.right && box.bottom <= frame.bottom;
}
