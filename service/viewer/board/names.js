/**
 * Keeps the writing on the board readable: names, and the figures of pieces and areas. When the board is far away, the
 * writing is enlarged; figures only up to a limit. Where two names would then overlap, one is hidden until the board is
 * nearer: the name of a sea rather than that of a land, else that of the smaller area. The card of an area always shows
 * its name.
 * @module
 */

/** @import { Box } from "./apart.js" */

const LEAST = 11; // The smallest size that can be read, in pixels.
// Font sizes in units of the map: of names, of the figures on pieces, and of what is printed below names.
const AS_DRAWN = 13.5;
const ON_PIECES = 13;
const PRINTED = 11;
// Figures that are enlarged more than this would hide most of the map. So a phone opens the map nearer
// (board/camera.js).
const MOST_PIECES = 2.4;
const MOST_PRINTED = 2.8;
const STEPS = 25; // Enlargements are multiples of 1/25.

/** Fit the sizes of all writing on a board to how near the board is now. @param {SVGSVGElement} svg */
export function fitNames(svg) {
  /** @type {SVGGElement | null} */
  const names = svg.querySelector("#names");
  /** @type {SVGGElement | null} */
  const areas = svg.querySelector("#areas");
  const frame = svg.querySelector("#earth > rect")?.getBoundingClientRect();
  const scale = svg.getScreenCTM()?.a;
  if (!names || !areas || !frame || !scale) return;
  // Where there is room, the service already draws pieces larger, by this factor.
  const larger = Number(areas.dataset.larger);
  enlarge(svg, "--pieces", ON_PIECES * scale, MOST_PIECES);
  enlarge(svg, "--large", ON_PIECES * scale * larger, MOST_PIECES / larger);
  enlarge(svg, "--printed", PRINTED * scale, MOST_PRINTED);
  const size = Math.max(AS_DRAWN, LEAST / scale);
  if (Math.abs(size - Number(names.dataset.size ?? AS_DRAWN)) < size / 50) return;
  names.dataset.size = `${size}`;
  for (const group of names.children) group.setAttribute("font-size", size.toFixed(1));
  // Enlarged names go below the pieces, whose figures matter more.
  areas[size > AS_DRAWN ? "before" : "after"](names);
  const texts = [...names.querySelectorAll("text")];
  for (const text of texts) for (const each of ["visibility", "dx"]) text.removeAttribute(each);
  if (size === AS_DRAWN) return;
  /** @type {Map<SVGTextElement, Box>} */
  const boxes = new Map(texts.map((text) => [text, text.getBoundingClientRect()]));
  for (const [text, { left, right, top, bottom }] of boxes) {
    // A name that would cross the edge of the board is moved in.
    const aside = Math.max(0, frame.left - left) + Math.min(0, frame.right - right);
    if (!aside) continue;
    text.setAttribute("dx", (aside / scale).toFixed(1));
    boxes.set(text, { left: left + aside, right: right + aside, top, bottom });
  }
  /** @type {Box[]} */
  const kept = [];
  // Of lands, and of seas, the service sends the names of larger areas first. Names of lands are kept before those of
  // seas, which can be guessed.
  /** @param {SVGTextElement} text */
  const isSea = (text) => Number(text.parentElement?.hasAttribute("font-style") ?? false);
  for (const text of texts.sort((one, other) => isSea(one) - isSea(other))) {
    const box = boxes.get(text);
    if (!box || kept.some((other) => overlap(box, other))) text.setAttribute("visibility", "hidden");
    else kept.push(box);
  }
}

/**
 * Set a CSS property to the enlargement that makes some writing readable. It has few steps, so that it seldom changes.
 * @param {SVGSVGElement} svg
 * @param {string} name of the CSS property
 * @param {number} pixels the size of the writing on the screen without enlargement
 * @param {number} most the largest enlargement
 */
function enlarge(svg, name, pixels, most) {
  const factor = (Math.ceil(Math.min(Math.max(1, LEAST / pixels), most) * STEPS) / STEPS).toFixed(2);
  if (svg.style.getPropertyValue(name) !== factor) svg.style.setProperty(name, factor);
}

/**
 * @param {Box} one
 * @param {Box} other
 */
function overlap(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
