/**
 * The part of the board that is in view. Mouse, wheel, touch and keys move and zoom it.
 * @module
 */

/** @import { At } from "../types.js" */

const NEAREST = 8; // The nearest view shows this fraction of the board's width: an eighth.
const READABLE = 0.36; // Pixels for each unit of the board: with fewer, its figures cannot be read (board/names.js).
/** @type {Record<string, [number, number]>} */
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** A phone has no room to show the whole board large enough to be read. */
const narrow = matchMedia("(max-width: 55.99rem)");

/**
 * A rectangle of the board, in its units.
 * @typedef {Pick<DOMRect, "x" | "y" | "width" | "height">} Rectangle
 */

/** The camera over an SVG: it sets the viewBox. */
export class Camera {
  /** @type {Map<number, PointerEvent>} */
  #pointers = new Map();
  #moved = 0;

  /**
   * @param {HTMLElement} place takes the keys
   * @param {SVGSVGElement} svg
   */
  constructor(place, svg) {
    const { x, y, width, height } = svg.viewBox.baseVal;
    this.svg = svg;
    this.whole = { x, y, width, height };
    this.view = { ...this.whole };
    /**
     * What stays in view when its place changes size: as much as can be read ("home"), or the "whole"; empty when
     * somebody has moved it.
     * @type {"home" | "whole" | ""}
     */
    this.kept = "home";
    /** Whether it keeps still, since a drag now moves a piece, not the board. */
    this.held = false;
    svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.#down(event));
    svg.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
      svg.addEventListener(end, (event) => this.#pointers.delete(/** @type {PointerEvent} */ (event).pointerId));
    }
    place.onkeydown = (event) => this.#key(/** @type {At<Element, KeyboardEvent>} */ (event));
    new ResizeObserver(() => this.#fill()).observe(svg);
  }

  /** Whether somebody is moving it, or something on it. */
  get isBusy() {
    return this.held || this.#pointers.size > 0;
  }

  /** The width of the place divided by its height. */
  get #shape() {
    const { width, height } = this.svg.getBoundingClientRect();
    return width && height ? width / height : this.whole.width / this.whole.height;
  }

  /** Whether it may be moved to where something happens: nobody has moved it, and not all is seen. */
  get isFree() {
    return this.kept === "home" && this.view.width < this.whole.width - 1;
  }

  /** Fill the place with what `kept` says: as much as can be read, the whole board, or the same width as before. */
  #fill() {
    const { view } = this;
    const readable = narrow.matches ? this.svg.clientWidth / READABLE : Infinity;
    const width = { home: Math.min(this.#widest, readable), whole: this.#widest, "": view.width }[this.kept];
    const [x, y] = [view.x + view.width / 2, view.y + view.height / 2];
    this.#set(x - width / 2, y - width / this.#shape / 2, width);
  }

  /** Whether the pointer that is down, or was down last, moves the board, instead of choosing something on it. */
  get dragged() {
    return this.#moved > 4;
  }

  /**
   * Zoom in by a factor, towards a point of the board; by default the middle of the view.
   * @param {number} factor
   * @param {{x: number, y: number}} [at]
   * @param {[number, number]} [by] how many pixels that point goes to the right and down meanwhile
   */
  zoom(
    factor,
    at = { x: this.view.x + this.view.width / 2, y: this.view.y + this.view.height / 2 },
    [right, down] = [0, 0],
  ) {
    const narrowest = this.whole.width / NEAREST;
    const width = Math.min(Math.max(this.view.width / factor, narrowest), this.#widest);
    this.kept = "";
    const scale = width / this.view.width;
    const pixel = scale / (this.svg.getScreenCTM()?.a ?? 1);
    this.#set(
      at.x - (at.x - this.view.x) * scale - right * pixel,
      at.y - (at.y - this.view.y) * scale - down * pixel,
      width,
    );
  }

  /** The width of a view that shows the whole board. */
  get #widest() {
    return Math.max(this.whole.width, this.whole.height * this.#shape);
  }

  /**
   * Move the view by fractions of its width and height.
   * @param {number} x
   * @param {number} y
   */
  pan(x, y) {
    this.kept = "";
    this.#set(this.view.x + x * this.view.width, this.view.y + y * this.view.height, this.view.width);
  }

  /** Show the whole board. */
  reset() {
    this.kept = "whole";
    this.#set(this.whole.x, this.whole.y, this.#widest);
  }

  /** Tell whether the middle of a box is seen. @param {Rectangle} box */
  sees(box) {
    const { x, y, width, height } = this.view;
    const [right, down] = [box.x + box.width / 2 - x, box.y + box.height / 2 - y];
    return right >= 0 && right <= width && down >= 0 && down <= height;
  }

  /** Tell whether a box fits into the view without zooming out. @param {Rectangle} box */
  holds(box) {
    return box.width <= this.view.width && box.height <= this.view.height;
  }

  /**
   * Move as little as needed to show a box, and what is around it unless somebody has moved the board.
   * @param {Rectangle} box
   */
  include(box) {
    const { whole, view } = this;
    const around = this.isFree ? view.width / 8 : 0;
    const [x, y] = /** @type {const} */ ([
      ["x", "width"],
      ["y", "height"],
    ]).map(([side, length]) => {
      const low = Math.min(box[side], Math.max(box[side] - around, whole[side]));
      const high = Math.max(
        box[side] + box[length],
        Math.min(box[side] + box[length] + around, whole[side] + whole[length]),
      );
      return Math.min(Math.max(view[side], high - view[length]), low);
    });
    this.#set(x, y, view.width);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} width
   */
  #set(x, y, width) {
    const { whole } = this;
    const height = width / this.#shape;
    // The edge of the board goes no farther than the middle of the view. A side that fits into the view stays centred.
    /**
     * @param {number} value
     * @param {number} low
     * @param {number} length
     * @param {number} whole
     */
    const within = (value, low, length, whole) =>
      length >= whole
        ? low - (length - whole) / 2
        : Math.min(Math.max(value, low - length / 2), low + whole - length / 2);
    this.view = {
      x: within(x, whole.x, width, whole.width),
      y: within(y, whole.y, height, whole.height),
      width,
      height,
    };
    this.svg.setAttribute(
      "viewBox",
      Object.values(this.view)
        .map((value) => Number(value.toFixed(1)))
        .join(" "),
    );
  }

  /** Return the point of the board below a pointer. @param {{clientX: number, clientY: number}} event */
  pointOf(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM()?.inverse());
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), this.pointOf(event));
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.pointerType === "mouse" && event.button !== 0) return;
    // A second finger moves the board: then neither chooses an area.
    this.#moved = this.#pointers.size ? Infinity : 0;
    this.#pointers.set(event.pointerId, event);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    const other = [...this.#pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
    // A finger that trembles moves nothing. One that moves is followed from where it was put down.
    this.#moved = Math.max(this.#moved, Math.hypot(dx, dy));
    if (!this.dragged || this.held) return;
    if (!this.svg.hasPointerCapture(event.pointerId)) this.svg.setPointerCapture(event.pointerId);
    if (other) {
      // The part of the board between the fingers stays there.
      /** @param {{clientX: number, clientY: number}} one */
      const spread = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      const middle = { clientX: (before.clientX + other.clientX) / 2, clientY: (before.clientY + other.clientY) / 2 };
      this.zoom(spread(event) / Math.max(1, spread(before)), this.pointOf(middle), [dx / 2, dy / 2]);
    } else {
      this.zoom(1, undefined, [dx, dy]);
    }
    this.#pointers.set(event.pointerId, event);
  }

  /** @param {At<Element, KeyboardEvent>} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    const way = KEYS[event.key];
    if (way) this.pan(way[0] / 8, way[1] / 8);
    else if (event.key === "+" || event.key === "=") this.zoom(1.3);
    else if (event.key === "-") this.zoom(1 / 1.3);
    else if (event.key === "0") this.reset();
    else return;
    event.preventDefault();
  }
}
