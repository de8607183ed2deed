/**
 * What is written on the board: names, and the figures of pieces and areas. It is never smaller than can be read. Drawn
 * from afar it is larger than the map meant, and where two names would overlap, the smaller area's waits until the board
 * is nearer; the card of an area always has it.
 * @module
 */

const LEAST = 11; // Pixels.
const AS_DRAWN = 13.5; // As the map has names, in its own units.
const ON_PIECES = 13; // The figures on pieces.
const PRINTED = 11; // What is printed below names.
// More times as large as drawn, they hide most of the map: on a phone it is drawn nearer.
const MOST_PIECES = 2.1;
const MOST_PRINTED = 2.5;

/** Write everything on a board anew for how near it is now. @param {SVGSVGElement} svg */
export function fitNames(svg) {
  const names = svg.querySelector("#names");
  const scale = svg.getScreenCTM()?.a;
  if (!names || !scale) return;
  enlarge(svg, "--pieces", ON_PIECES * scale, MOST_PIECES);
  enlarge(svg, "--printed", PRINTED * scale, MOST_PRINTED);
  const size = Math.max(AS_DRAWN, LEAST / scale);
  if (Math.abs(size - Number(names.dataset.size ?? AS_DRAWN)) < size / 50) return;
  names.dataset.size = size;
  for (const group of names.children) group.setAttribute("font-size", size.toFixed(1));
  // What stands on the board is larger too, and its figures matter more.
  svg.querySelector("#areas")[size > AS_DRAWN ? "before" : "after"](names);
  const texts = [...names.querySelectorAll("text")];
  for (const text of texts) text.removeAttribute("visibility");
  if (size === AS_DRAWN) return;
  const boxes = new Map(texts.map((text) => [text, text.getBoundingClientRect()]));
  const kept = [];
  for (const text of texts.sort((one, other) => roomOf(svg, other) - roomOf(svg, one))) {
    const box = boxes.get(text);
    if (kept.some((other) => overlap(box, other))) text.setAttribute("visibility", "hidden");
    else kept.push(box);
  }
}

/** Draw something larger whose writing would have so many pixels. */
function enlarge(svg, name, pixels, most) {
  const factor = Math.min(Math.max(1, LEAST / pixels), most);
  const before = Number(svg.style.getPropertyValue(name)) || 1;
  // A little larger than needed, so that not every pixel counts.
  if (Math.abs(factor - before) > before / 50) svg.style.setProperty(name, (factor * 1.02).toFixed(2));
}

const rooms = new WeakMap();

/** How large the area is that a name belongs to; land goes before sea, whose names can be guessed. */
function roomOf(svg, text) {
  if (!rooms.has(text)) {
    const { width, height } = svg.querySelector(`#shape-${text.dataset.name}`).getBBox();
    const isSea = text.parentNode.hasAttribute("font-style");
    rooms.set(text, isSea ? -1 / (width * height) : width * height);
  }
  return rooms.get(text);
}

function overlap(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
