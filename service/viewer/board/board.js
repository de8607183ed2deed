/**
 * The board: the bare map, put into the page once, and on it what lies in each area at the version that is shown.
 *
 * What lies there comes as pieces of SVG from the service, made and escaped there; this module has no layout of its
 * own, and puts in only what differs from what is there.
 * @module
 */

import { partPiles } from "./apart.js";
import { Camera } from "./camera.js";
import { fitNames } from "./names.js";

const NOTHING = { areas: {}, links: "" };
const BUDGET = 5; // Milliseconds of a frame in which areas are put in; to lay them out and paint them takes as long again.

const REST = 80; // Milliseconds without a change before names are written and piles parted anew.

const TINTED = ["can", "open", "picked"];

/** The board of a room, in an element of the page. */
export class Board extends EventTarget {
  #areas = new Map();
  #drawn = new Map();
  #read = new Map();
  #links = null;
  #happened = null;
  #ground = null;
  #tints = null;
  #arrow = null;
  #compared = "";
  #focused = null;
  #isBegun = false;
  #pressed = null;
  #resting = 0;

  /**
   * @param {HTMLElement} place where it goes
   * @param {import("../state/room.js").Room} room
   */
  constructor(place, room) {
    super();
    this.place = place;
    this.room = room;
    /** The area that is pointed at or has the focus; null when there is none. */
    this.pointed = null;
    /** Whether there is no map of the board: then nothing is drawn, and the rest of the page does without. */
    this.isMissing = false;
  }

  /** Fetch the bare board and put it into the page. */
  async open() {
    if (this.svg || this.isMissing) return;
    const text = await this.room.api.text(`/v1/rulesets/${this.room.game.ruleset}/board.svg`).catch((problem) => {
      if (problem.status !== 404) throw problem;
      this.isMissing = true;
    });
    if (this.svg || this.isMissing) return;
    const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    this.svg = document.importNode(root, true);
    this.svg.removeAttribute("width");
    this.svg.removeAttribute("height");
    this.svg.setAttribute("class", "board");
    // Reached before its areas: there the arrows move the board, in an area they lead to the next one.
    this.svg.setAttribute("tabindex", "0");
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", "The board: arrows move it, plus and minus draw it nearer and farther, 0 shows all of it");
    this.#shapePlace();
    this.place.prepend(this.svg);
    this.camera = new Camera(this.place, this.svg);
    this.#links = this.svg.querySelector("#links");
    this.#happened = this.svg.querySelector("#happened");
    // The story says the same in words.
    this.#happened?.setAttribute("aria-hidden", "true");
    this.#tints = layer(this.svg, "tints");
    this.#ground = layer(this.svg, "compared");
    this.#arrow = this.svg.appendChild(layer(this.svg, "aim"));
    this.svg.querySelector("#areas").before(this.#tints, this.#ground);
    for (const group of this.svg.querySelectorAll("[data-area]")) this.#areas.set(group.dataset.area, group);
    this.#listen();
    this.#keepNamesReadable();
    performance.mark("board-open");
  }

  /** Give its place the proportions of the board: as wide as its height asks for, and what is beside it has the rest. */
  #shapePlace() {
    const { width, height } = this.svg.viewBox.baseVal;
    const { body } = document;
    body.style.setProperty("--shape", width / height);
    body.classList.toggle("tall", height > width);
    // A thing beside the place that has its height and no width: what follows from its size does not change it.
    const gauge = this.place.parentNode.insertBefore(document.createElement("div"), this.place);
    gauge.className = "gauge";
    new ResizeObserver(() => body.style.setProperty("--board", `${(gauge.clientHeight * width) / height}px`)).observe(gauge);
  }

  /** Write the names anew when the board has come nearer or gone farther, or has another place. */
  #keepNamesReadable() {
    const fit = () => {
      // Before it is painted for the first time there is nobody who moves it.
      if (!this.#resting) fitNames(this.svg);
      this.#rest();
    };
    new ResizeObserver(fit).observe(this.svg);
    new MutationObserver(() => this.#resting && fit()).observe(this.svg, { attributeFilter: ["viewBox"] });
  }

  /** Write names and part piles anew once nothing has changed for a moment. */
  #rest() {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      if (!this.svg) return;
      fitNames(this.svg);
      partPiles(this.svg);
    }, REST);
  }

  #close() {
    this.svg?.remove();
    this.svg = null;
    this.#areas.clear();
    this.isMissing = true;
  }

  /** The ids of all areas. */
  get areas() {
    return [...this.#areas.keys()];
  }

  /** Return everything that lies in an area, in lines of words; the first is its name. */
  content(area) {
    const fragment = this.#drawn.get(area) ?? "";
    if (this.#read.get(area)?.fragment !== fragment) this.#read.set(area, { fragment, lines: contentOf(fragment) });
    return this.#read.get(area).lines;
  }

  /** Choose an area from elsewhere on the page, and show it. */
  select(area) {
    this.#choose(area, { pointerType: "touch" });
    this.follow([area]);
  }

  /**
   * Show a scene: only what differs is touched. What takes longer than a frame has is left for the next one: while
   * somebody drags through a game the slider goes first, and the board catches up. The first scene comes in one piece.
   * @returns {{changed: number, isWhole: boolean}} how many areas changed, and whether none is left
   */
  show(scene = NOTHING) {
    // Frames draw all areas, or none of a board that is on no map: its ruleset's own may be another.
    if (scene !== NOTHING && !Object.keys(scene.areas).length) this.#close();
    if (!this.svg) return { changed: 0, isWhole: this.isMissing };
    const until = this.#isBegun ? performance.now() + BUDGET : Infinity;
    let changed = 0;
    let isWhole = true;
    for (const [area, group] of this.#areas) {
      const fragment = scene.areas[area] ?? "";
      if ((this.#drawn.get(area) ?? "") === fragment) continue;
      // A browser knows of no click on what was replaced while it was pressed.
      if (area === this.#pressed) {
        isWhole = false;
        continue;
      }
      if (changed && performance.now() > until) return { changed, isWhole: false };
      group.innerHTML = fragment;
      this.#drawn.set(area, fragment);
      changed += 1;
    }
    if (this.#links && this.#drawn.get("") !== scene.links) {
      this.#links.innerHTML = scene.links ?? "";
      this.#drawn.set("", scene.links);
    }
    this.#isBegun = scene !== NOTHING;
    if (changed) this.#rest();
    return { changed, isWhole };
  }

  /** Show where things happened: pieces of SVG from the service, each once. */
  tell(drawn) {
    const all = [...new Set(drawn)].join("");
    if (!this.#happened || this.#drawn.get("#happened") === all) return;
    this.#happened.innerHTML = all;
    this.#drawn.set("#happened", all);
  }

  /** Mark areas, and no others, with a class: "changed", "chosen". */
  mark(name, areas) {
    const wanted = new Set(areas);
    for (const [area, group] of this.#areas) group.classList.toggle(name, wanted.has(area));
    if (TINTED.includes(name)) this.#tint(name, [...wanted].filter((area) => this.#areas.has(area)));
  }

  /** Tint marked areas below all pieces: those that lie partly in a neighbour keep their colours. */
  #tint(name, areas) {
    if (!this.#tints) return;
    const tint = this.#tints.querySelector(`.${name}`) ?? this.#tints.appendChild(layer(this.svg, name));
    tint.innerHTML = shapesOf(areas);
  }

  /** Frame what changed and put everything else in the shade; below the pieces, so that these are seen as ever. */
  compare(areas) {
    const compared = areas.join();
    if (!this.svg || compared === this.#compared) return;
    this.#compared = compared;
    this.mark("changed", areas);
    const shapes = (kind, some) => `<g class="${kind}">${shapesOf(some)}</g>`;
    const same = [...this.#areas.keys()].filter((area) => !areas.includes(area));
    this.#ground.innerHTML = areas.length ? shapes("shade", same) + shapes("frames", areas) : "";
  }

  /** Bring an area into view and give it the focus. */
  focus(area) {
    const group = this.#areas.get(area);
    if (!group) return;
    this.#rove(group);
    group.focus({ preventScroll: true });
    this.camera.include(boxOf(group));
  }

  /**
   * Move the board so that areas are seen: all of them, or where that is too much at least one. Whoever moves it now
   * is left alone.
   */
  follow(areas) {
    const boxes = areas.filter((area) => this.#areas.has(area)).map((area) => boxOf(this.#areas.get(area)));
    if (!boxes.length || this.camera.isBusy) return;
    const all = aroundAll(boxes);
    if (this.camera.holds(all)) this.camera.include(all);
    else if (!boxes.some((box) => this.camera.sees(box))) this.camera.include(boxes[0]);
  }

  /** Let the Tab key reach these areas, besides the one that has the focus or had it last. */
  reach(areas) {
    const reached = new Set(areas);
    const left = this.#focused ?? (reached.size ? null : this.#first);
    for (const [area, group] of this.#areas) group.setAttribute("tabindex", reached.has(area) || group === left ? "0" : "-1");
  }

  /** Draw an arrow from an area to another, or to where a pointer is; null takes it away. */
  arrow(ends) {
    if (!this.#arrow) return;
    const [start, end] = ends ?? [];
    const from = this.#areas.has(start) && middleOf(boxOf(this.#areas.get(start)));
    if (!from) return this.#arrow.replaceChildren();
    const to = this.#areas.has(end) ? middleOf(boxOf(this.#areas.get(end))) : this.camera.pointOf(end);
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const length = Math.hypot(dx, dy) || 1;
    const head = Math.min(26, length / 2);
    const at = (along, aside) => `${from.x + (dx * along - dy * aside) / length},${from.y + (dy * along + dx * aside) / length}`;
    const line = `M${at(0, 0)}L${at(length - head, 0)}`;
    const tip = `M${at(length, 0)}L${at(length - head, head * 0.55)}L${at(length - head, -head * 0.55)}Z`;
    this.#arrow.innerHTML = `<path class="line" d="${line}"/><path class="tip" d="${tip}"/>`;
  }

  /** Take note of the area that is pointed at. */
  point(area) {
    if (this.pointed === area) return;
    this.#areas.get(this.pointed)?.removeAttribute("data-pointed");
    this.#areas.get(area)?.setAttribute("data-pointed", "");
    this.pointed = area;
    this.dispatchEvent(new Event("pointed"));
  }

  /** The area at a place on the screen: a piece belongs to its own, whichever area it lies over. Null where none is. */
  areaAt({ clientX, clientY }) {
    const under = document.elementsFromPoint(clientX, clientY);
    if (!this.svg?.contains(under[0])) return null;
    const there = under.find((each) => each.closest(".pile")) ?? under[0];
    return there.closest("[data-area]")?.dataset.area ?? null;
  }

  /** Choose an area: as part of a move, or to look at it. A finger did not see before what it chooses. */
  #choose(area, { pointerType, shiftKey }) {
    if (!this.room.moves?.point(area, pointerType !== "touch" && !shiftKey)) this.room.choose(area);
  }

  #listen() {
    for (const [index, group] of [...this.#areas.values()].entries()) {
      group.setAttribute("tabindex", index ? "-1" : "0");
      group.setAttribute("role", "img");
    }
    const areaOf = (event) => event.target.closest?.("[data-area]")?.dataset.area ?? null;
    const at = (event) => this.areaAt(event) ?? areaOf(event);
    // A browser takes a tap to what it thinks was meant, which can be the neighbour of what the finger lies on.
    let tapped = null;
    this.svg.addEventListener("pointerdown", (event) => (this.#pressed = tapped = at(event)));
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (this.#pressed = null));
    this.svg.addEventListener("pointerover", (event) => {
      // Some browsers do not tell where a button was let go, as in a menu of theirs.
      if (!event.buttons) this.#pressed = null;
      this.point(at(event));
    });
    // A piece that lies under another area is entered without a word.
    this.svg.addEventListener("pointermove", (event) => event.buttons || this.point(at(event)));
    this.svg.addEventListener("pointerleave", () => this.point(null));
    this.svg.addEventListener("focusin", (event) => this.point(areaOf(event)));
    this.svg.addEventListener("focusout", () => this.point(null));
    this.svg.addEventListener("click", (event) => {
      if (!this.camera.dragged) this.#choose(event.pointerType === "touch" ? tapped : at(event), event);
    });
    this.svg.addEventListener("keydown", (event) => this.#key(event));
  }

  #key(event) {
    const group = event.target.closest("[data-area]");
    if (!group || event.altKey || event.ctrlKey || event.metaKey || (event.shiftKey && event.key !== "Enter")) return;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) this.focus(this.#neighbour(group, way));
    else if (event.key === "Enter" || event.key === " ") this.#choose(group.dataset.area, event);
    else if (event.key === "Escape") this.#choose(null, event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Return the area nearest in a direction: what lies aside counts twice. */
  #neighbour(from, [x, y]) {
    const here = middleOf(boxOf(from));
    let [best, nearest] = [from.dataset.area, Infinity];
    for (const [area, group] of this.#areas) {
      const there = middleOf(boxOf(group));
      const [dx, dy] = [there.x - here.x, there.y - here.y];
      const ahead = dx * x + dy * y;
      const distance = ahead + 2 * Math.abs(dx * y - dy * x);
      if (group !== from && ahead > 1 && distance < nearest) [best, nearest] = [area, distance];
    }
    return best;
  }

  get #first() {
    return this.#areas.values().next().value;
  }

  #rove(group) {
    (this.#focused ?? this.#first).setAttribute("tabindex", "-1");
    group.setAttribute("tabindex", "0");
    this.#focused = group;
  }
}

/** Return what a fragment says of its area, line by line: the words of its title. */
export function contentOf(fragment) {
  const title = /^<title>([^<]*)<\/title>/.exec(fragment)?.[1] ?? "";
  const plain = new DOMParser().parseFromString(title, "text/html").documentElement.textContent;
  return plain.split("; ").map((line) => line.trim()).filter(Boolean);
}

function layer(svg, name) {
  const group = document.createElementNS(svg.namespaceURI, "g");
  group.setAttribute("class", name);
  group.setAttribute("pointer-events", "none");
  return group;
}

function shapesOf(areas) {
  return areas.map((area) => `<use href="#shape-${area}"/>`).join("");
}

function boxOf(group) {
  return group.getBBox();
}

function aroundAll(boxes) {
  const [left, top] = ["x", "y"].map((side) => Math.min(...boxes.map((box) => box[side])));
  const [right, bottom] = [["x", "width"], ["y", "height"]].map(([side, length]) => Math.max(...boxes.map((box) => box[side] + box[length])));
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function middleOf(box) {
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
