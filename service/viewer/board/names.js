/**
 * What is written on the board: names, and the figures of pieces and areas. It is never too small to be read. When the
 * board is far away, it is larger than the map meant. Where two names would overlap, that of the smaller area is hidden
 * until the board is nearer; the card of an area always shows its name.
 * @module
 */

/** @import { Box } from "./apart.js" */

const LEAST = 11; // Pixels.
const AS_DRAWN = 13.5; // As the map has names, in its own units.
const ON_PIECES = 13; // The figures on pieces.
const PRINTED = 11; // What is printed below names.
// Enlarged more than this, they hide most of the map: so a phone opens it nearer (board/camera.js).
const MOST_PIECES = 2.4;
const MOST_PRINTED = 2.8;
const STEPS = 25; // Steps between a size and twice that size.

/** Write everything on a board anew for how near it is now. @param {SVGSVGElement} svg */
export function fitNames(svg) {
  /** @type {SVGGElement | null} */
  const names = svg.querySelector("#names");
  /** @type {SVGGElement | null} */
  const areas = svg.querySelector("#areas");
  const frame = svg.querySelector("#earth > rect")?.getBoundingClientRect();
  const scale = svg.getScreenCTM()?.a;
  if (!names || !areas || !frame || !scale) return;
  // Where there is room, the service draws pieces larger already.
  const larger = Number(areas.dataset.larger);
  enlarge(svg, "--pieces", ON_PIECES * scale, MOST_PIECES);
  enlarge(svg, "--large", ON_PIECES * scale * larger, MOST_PIECES / larger);
  enlarge(svg, "--printed", PRINTED * scale, MOST_PRINTED);
  const size = Math.max(AS_DRAWN, LEAST / scale);
  if (Math.abs(size - Number(names.dataset.size ?? AS_DRAWN)) < size / 50) return;
  names.dataset.size = `${size}`;
  for (const group of names.children) group.setAttribute("font-size", size.toFixed(1));
  // What stands on the board is larger too, and its figures matter more.
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
  // The texts are in the order of the room that their areas have. Land goes before sea, whose names can be guessed.
  /** @param {SVGTextElement} text */
  const isSea = (text) => Number(text.parentElement?.hasAttribute("font-style") ?? false);
  for (const text of texts.sort((one, other) => isSea(one) - isSea(other))) {
    const box = boxes.get(text);
    if (!box || kept.some((other) => overlap(box, other))) text.setAttribute("visibility", "hidden");
    else kept.push(box);
  }
}

/**
 * Draw something larger, so that writing of a size in pixels can be read. It grows in steps: not for every pixel.
 * @param {SVGSVGElement} svg
 * @param {string} name
 * @param {number} most
 * @param {number} pixels
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
