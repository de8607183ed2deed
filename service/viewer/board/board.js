/**
 * The board: the bare map, put into the page once, and on it what lies in each area at the version that is shown.
 *
 * The service makes and escapes what lies in an area, as fragments of SVG. This module has no layout of its own, and
 * replaces only fragments that have changed.
 * @module
 */

/**
 * @import { At, Game, Scene, Table } from "../types.js"
 * @import { Rectangle } from "./camera.js"
 */

import { partPiles } from "./apart.js";
import { Camera } from "./camera.js";
import { fitNames } from "./names.js";

/** @type {Pick<Scene, "areas" | "links">} */
const NOTHING = { areas: {}, links: "" };
const BUDGET = 5; // Milliseconds for replacing areas in one frame; layout and paint take as long again.

const REST = 80; // Milliseconds without a change before names are written and piles parted anew.

/** @type {Record<string, [x: number, y: number]>} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const TINTED = ["can", "open", "picked"];

/** The board of a room, in an element of the page. */
export class Board extends EventTarget {
  /** The groups of areas, by id. @type {Map<string, SVGGElement>} */
  #areas = new Map();
  /** What is drawn in each area; in "" the links. @type {Map<string, string>} */
  #drawn = new Map();
  /** What was drawn in each area when its lines were read. @type {Map<string, {fragment: string, lines: string[]}>} */
  #read = new Map();
  /** @type {Element | null} */
  #links = null;
  /** @type {Element | null} */
  #happened = null;
  /** @type {Element | null} */
  #ground = null;
  /** @type {Element | null} */
  #tints = null;
  /** @type {Element | null} */
  #arrow = null;
  #compared = "";
  /** @type {SVGGElement | null} */
  #focused = null;
  #isBegun = false;
  /** @type {string | null} */
  #pressed = null;
  #resting = 0;
  /** The map; null before it is loaded, and where there is none. @type {SVGSVGElement | null} */
  svg = null;
  /** The part of the map that is in view; null before the map is loaded. @type {Camera | null} */
  camera = null;

  /**
   * @param {HTMLElement} place where it goes
   * @param {Pick<Table, "api" | "moves" | "choose"> & {game: Game | null}} room
   */
  constructor(place, room) {
    super();
    this.place = place;
    this.room = room;
    /** The area that is pointed at or has the focus; null when there is none. @type {string | null} */
    this.pointed = null;
    /** Whether there is no map of the board: then nothing is drawn, and the rest of the page does without. */
    this.isMissing = false;
  }

  /** Fetch the bare board and put it into the page. */
  async open() {
    if (this.svg || this.isMissing) return;
    const text = await this.room.api.text(`/v1/rulesets/${this.room.game?.ruleset}/board.svg`).catch((problem) => {
      if (problem.status !== 404) throw problem;
      this.isMissing = true;
    });
    if (this.svg || typeof text !== "string") return;
    const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const svg = /** @type {SVGSVGElement} */ (/** @type {Element} */ (document.importNode(root, true)));
    this.svg = svg;
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.setAttribute("class", "board");
    // Tab reaches the board before its areas. On the board, arrow keys move it; in an area, they lead to the next one.
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "group");
    svg.setAttribute(
      "aria-label",
      "The board: arrows move it, plus and minus draw it nearer and farther, 0 shows all of it",
    );
    this.#shapePlace(svg);
    this.place.prepend(svg);
    this.camera = new Camera(this.place, svg);
    this.#links = svg.querySelector("#links");
    this.#happened = svg.querySelector("#happened");
    // The story says the same in words.
    this.#happened?.setAttribute("aria-hidden", "true");
    this.#tints = layer(svg, "tints");
    this.#ground = layer(svg, "compared");
    this.#arrow = svg.appendChild(layer(svg, "aim"));
    svg.querySelector("#areas")?.before(this.#tints, this.#ground);
    const groups = /** @type {NodeListOf<SVGGElement>} */ (svg.querySelectorAll("[data-area]"));
    for (const group of groups) this.#areas.set(areaOf(group) ?? "", group);
    this.#listen(svg);
    this.#keepNamesReadable(svg);
    performance.mark("board-open");
  }

  /** Give the place the proportions of the board; the panels get the rest of the width. @param {SVGSVGElement} svg */
  #shapePlace(svg) {
    const { width, height } = svg.viewBox.baseVal;
    const { body } = document;
    body.style.setProperty("--shape", `${width / height}`);
    body.classList.toggle("tall", height > width);
    // An element of the same height without a width: changing the place does not change what it measures.
    const gauge = document.createElement("div");
    this.place.before(gauge);
    gauge.className = "gauge";
    new ResizeObserver(() => body.style.setProperty("--board", `${(gauge.clientHeight * width) / height}px`)).observe(
      gauge,
    );
  }

  /** Write the names anew when the board has changed its size or its view. @param {SVGSVGElement} svg */
  #keepNamesReadable(svg) {
    const fit = () => {
      // Before the first paint nobody can be moving the board.
      if (!this.#resting) fitNames(svg);
      this.#rest();
    };
    new ResizeObserver(fit).observe(svg);
    new MutationObserver(() => this.#resting && fit()).observe(svg, { attributeFilter: ["viewBox"] });
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

  /** Return everything that lies in an area, in lines of words; the first is its name. @param {string} area */
  content(area) {
    const fragment = this.#drawn.get(area) ?? "";
    const read = this.#read.get(area);
    if (read?.fragment === fragment) return read.lines;
    const lines = contentOf(fragment);
    this.#read.set(area, { fragment, lines });
    return lines;
  }

  /** Choose an area from elsewhere on the page, and show it. @param {string} area */
  select(area) {
    this.#choose(area, { pointerType: "touch" });
    this.follow([area]);
  }

  /**
   * Show a scene: change only what differs, and leave for the next frame what takes too long for this one. While
   * somebody drags through a game, the slider comes first and the board catches up. The first scene is drawn in one
   * piece.
   * @returns {{changed: number, isWhole: boolean}} how many areas changed, and whether none is left
   */
  show(scene = NOTHING) {
    // A scene draws all areas, or none if there is no map of the game's board, which may not be the ruleset's own.
    if (scene !== NOTHING && !Object.keys(scene.areas).length) this.#close();
    if (!this.svg) return { changed: 0, isWhole: this.isMissing };
    const until = this.#isBegun ? performance.now() + BUDGET : Infinity;
    let changed = 0;
    let isWhole = true;
    for (const [area, group] of this.#areas) {
      const fragment = scene.areas[area] ?? "";
      if ((this.#drawn.get(area) ?? "") === fragment) continue;
      // A browser reports no click on an element that is replaced while it is pressed.
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

  /** Show where things happened: fragments of SVG from the service, each once. @param {string[]} drawn */
  tell(drawn) {
    const all = [...new Set(drawn)].join("");
    if (!this.#happened || this.#drawn.get("#happened") === all) return;
    this.#happened.innerHTML = all;
    this.#drawn.set("#happened", all);
  }

  /**
   * Mark areas, and no others, with a class: "changed", "chosen".
   * @param {string} name
   * @param {string[]} areas
   */
  mark(name, areas) {
    const wanted = new Set(areas);
    for (const [area, group] of this.#areas) group.classList.toggle(name, wanted.has(area));
    if (TINTED.includes(name))
      this.#tint(
        name,
        [...wanted].filter((area) => this.#areas.has(area)),
      );
  }

  /**
   * Tint marked areas below all pieces, so that pieces which lie partly in another area keep their colours.
   * @param {string} name
   * @param {string[]} areas
   */
  #tint(name, areas) {
    if (!this.#tints || !this.svg) return;
    const tint = this.#tints.querySelector(`.${name}`) ?? this.#tints.appendChild(layer(this.svg, name));
    tint.innerHTML = shapesOf(areas);
  }

  /**
   * Frame the areas that changed and shade all others, below the pieces, which look as before.
   * @param {string[]} areas
   */
  compare(areas) {
    const compared = areas.join();
    if (!this.svg || !this.#ground || compared === this.#compared) return;
    this.#compared = compared;
    this.mark("changed", areas);
    /**
     * @param {string} kind
     * @param {string[]} some
     */
    const shapes = (kind, some) => `<g class="${kind}">${shapesOf(some)}</g>`;
    const same = [...this.#areas.keys()].filter((area) => !areas.includes(area));
    this.#ground.innerHTML = areas.length ? shapes("shade", same) + shapes("frames", areas) : "";
  }

  /** Bring an area into view and give it the focus. @param {string} area */
  focus(area) {
    const group = this.#areas.get(area);
    if (!group) return;
    this.#rove(group);
    group.focus({ preventScroll: true });
    this.camera?.include(boxOf(group));
  }

  /**
   * Move the board so that areas are seen: all of them, or where that is too much at least one. While somebody is
   * moving the board, it stays with them.
   * @param {string[]} areas
   */
  follow(areas) {
    const { camera } = this;
    const boxes = areas.flatMap((area) => this.#areas.get(area) ?? []).map(boxOf);
    if (!boxes.length || !camera || camera.isBusy) return;
    const all = aroundAll(boxes);
    if (camera.holds(all)) camera.include(all);
    else if (!boxes.some((box) => camera.sees(box))) camera.include(boxes[0]);
  }

  /** Let the Tab key reach these areas, besides the one that has the focus or had it last. @param {string[]} areas */
  reach(areas) {
    const reached = new Set(areas);
    const tabStop = this.#focused ?? (reached.size ? null : this.#first);
    for (const [area, group] of this.#areas)
      group.setAttribute("tabindex", reached.has(area) || group === tabStop ? "0" : "-1");
  }

  /**
   * Draw an arrow from an area to another, or to where a pointer is; null takes it away.
   * @param {[string, string | PointerEvent] | null} ends
   */
  arrow(ends) {
    if (!this.#arrow) return;
    const [start, end] = ends ?? [];
    const group = this.#areas.get(start ?? "");
    if (!group || end === undefined) return this.#arrow.replaceChildren();
    const from = middleOf(boxOf(group));
    const aimed = typeof end === "string" ? this.#areas.get(end) : undefined;
    const to = aimed ? middleOf(boxOf(aimed)) : typeof end === "string" ? undefined : this.camera?.pointOf(end);
    if (!to) return this.#arrow.replaceChildren();
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const length = Math.hypot(dx, dy) || 1;
    const head = Math.min(26, length / 2);
    /**
     * @param {number} along
     * @param {number} aside
     */
    const at = (along, aside) =>
      `${from.x + (dx * along - dy * aside) / length},${from.y + (dy * along + dx * aside) / length}`;
    const line = `M${at(0, 0)}L${at(length - head, 0)}`;
    const tip = `M${at(length, 0)}L${at(length - head, head * 0.55)}L${at(length - head, -head * 0.55)}Z`;
    this.#arrow.innerHTML = `<path class="line" d="${line}"/><path class="tip" d="${tip}"/>`;
  }

  /** Take note of the area that is pointed at. @param {string | null} area */
  point(area) {
    if (this.pointed === area) return;
    this.#areas.get(this.pointed ?? "")?.removeAttribute("data-pointed");
    this.#areas.get(area ?? "")?.setAttribute("data-pointed", "");
    this.pointed = area;
    this.dispatchEvent(new Event("pointed"));
  }

  /**
   * The area at a place on the screen; null where there is none. A piece belongs to its own area, even over another
   * one.
   * @param {{clientX: number, clientY: number}} point
   */
  areaAt({ clientX, clientY }) {
    const under = document.elementsFromPoint(clientX, clientY);
    if (!this.svg?.contains(under[0])) return null;
    const top = under.find((each) => each.closest(".pile")) ?? under[0];
    return areaOf(top);
  }

  /**
   * Choose an area: as part of a move, or to look at it. With a finger, the player has seen no preview of the move.
   * @param {string | null} area
   * @param {{pointerType?: string, shiftKey?: boolean}} event
   */
  #choose(area, { pointerType, shiftKey }) {
    if (!this.room.moves?.point(area, pointerType !== "touch" && !shiftKey)) this.room.choose(area);
  }

  /** @param {SVGSVGElement} svg */
  #listen(svg) {
    for (const [index, group] of [...this.#areas.values()].entries()) {
      group.setAttribute("tabindex", index ? "-1" : "0");
      group.setAttribute("role", "img");
    }
    /** @param {MouseEvent} event */
    const at = (event) => this.areaAt(event) ?? areaOf(event.target);
    // A browser may move a tap to what it thinks was meant: a neighbour of the area under the finger.
    /** @type {string | null} */
    let tapped = null;
    svg.addEventListener("pointerdown", (event) => {
      tapped = at(event);
      this.#pressed = tapped;
    });
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (this.#pressed = null));
    /**
     * Point where the pointer hovers. A finger does not hover: what is shown of its area could appear below the finger
     * and take the tap.
     * @param {PointerEvent} event
     * @param {string | null} area
     */
    const hover = (event, area) => event.pointerType === "touch" || this.point(area);
    svg.addEventListener("pointerover", (event) => {
      // Some browsers report no pointerup where it happens in a menu of theirs.
      if (!event.buttons) this.#pressed = null;
      hover(event, at(event));
    });
    // No event says that the pointer enters a piece which lies under another area.
    svg.addEventListener("pointermove", (event) => event.buttons || hover(event, at(event)));
    svg.addEventListener("pointerleave", (event) => hover(event, null));
    svg.addEventListener("focusin", (event) => this.point(areaOf(event.target)));
    svg.addEventListener("focusout", () => this.point(null));
    svg.addEventListener("click", (event) => {
      const isTap = event instanceof PointerEvent && event.pointerType === "touch";
      if (!this.camera?.dragged) this.#choose(isTap ? tapped : at(event), event);
    });
    svg.addEventListener("keydown", (event) => this.#key(/** @type {At<Element, KeyboardEvent>} */ (event)));
  }

  /** @param {At<Element, KeyboardEvent>} event */
  #key(event) {
    const group = /** @type {SVGGElement | null} */ (event.target.closest("[data-area]"));
    if (!group || event.altKey || event.ctrlKey || event.metaKey || (event.shiftKey && event.key !== "Enter")) return;
    const way = WAYS[event.key];
    if (way) this.focus(this.#neighbour(group, way));
    else if (event.key === "Enter" || event.key === " ") this.#choose(areaOf(group), event);
    else if (event.key === "Escape") this.#choose(null, event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Return the nearest area in a direction; a distance to the side counts twice.
   * @param {SVGGElement} from
   * @param {[number, number]} way
   */
  #neighbour(from, [x, y]) {
    const here = middleOf(boxOf(from));
    let [best, nearest] = [areaOf(from) ?? "", Infinity];
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

  /** Make an area the one that Tab reaches. @param {SVGGElement} group */
  #rove(group) {
    (this.#focused ?? this.#first)?.setAttribute("tabindex", "-1");
    group.setAttribute("tabindex", "0");
    this.#focused = group;
  }
}

/** The area that an element belongs to; null where it belongs to none. @param {EventTarget | null} element */
function areaOf(element) {
  return element instanceof Element ? (element.closest("[data-area]")?.getAttribute("data-area") ?? null) : null;
}

/** Return the lines of a fragment's title, which say what lies in its area. @param {string} fragment */
export function contentOf(fragment) {
  const title = /^<title>([^<]*)<\/title>/.exec(fragment)?.[1] ?? "";
  const plain = new DOMParser().parseFromString(title, "text/html").documentElement.textContent;
  return plain
    .split("; ")
    .map((line) => line.trim())
    .filter(Boolean);
}

/**
 * @param {SVGSVGElement} svg
 * @param {string} name
 */
function layer(svg, name) {
  const group = document.createElementNS(svg.namespaceURI, "g");
  group.setAttribute("class", name);
  group.setAttribute("pointer-events", "none");
  return group;
}

/** @param {string[]} areas */
function shapesOf(areas) {
  return areas.map((area) => `<use href="#shape-${area}"/>`).join("");
}

/** @param {SVGGElement} group */
function boxOf(group) {
  return group.getBBox();
}

/** @param {DOMRect[]} boxes */
function aroundAll(boxes) {
  const [left, top] = [boxes.map((box) => box.x), boxes.map((box) => box.y)].map((sides) => Math.min(...sides));
  const [right, bottom] = [boxes.map((box) => box.x + box.width), boxes.map((box) => box.y + box.height)].map((sides) =>
    Math.max(...sides),
  );
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** @param {Rectangle} box */
function middleOf(box) {
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
