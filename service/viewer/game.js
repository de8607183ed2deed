/**
 * The page of a game: the room and its board. They are loaded first; the panels around the board follow.
 * @module
 */

/**
 * @import { Panels } from "./panels/panels.js"
 * @import { Scene } from "./types.js"
 */

import { Board } from "./board/board.js";
import { Api } from "./state/api.js";
import { linked } from "./state/link.js";
import { Room } from "./state/room.js";
import { takeToken } from "./state/token.js";

/** The page: draws the board, and then fetches and draws the panels. */
class GamePage {
  #resting = 0;
  /** The version for which the board was moved last. */
  #followed = 0;
  /** @type {Promise<typeof Panels> | null} */
  #fetched = null;
  /** @type {Promise<Panels> | null} */
  #panels = null;

  /**
   * @param {Room} room
   * @param {HTMLElement} place of the board
   */
  constructor(room, place) {
    this.board = new Board(place, room);
    this.room = Object.assign(room, { board: this.board });
    this.place = place;
    room.addEventListener("change", () => this.#draw());
    // When something is wrong before the board is drawn, the panels say it.
    room.addEventListener("change", () => room.problem && this.#drawPanels());
    room.addEventListener("entered", () => this.#open());
  }

  async #open() {
    const { room, board } = this;
    const { against, area } = linked();
    if (against) room.compare(against);
    const opened = board.open().catch((problem) => (room.problem = problem));
    // Only now: the board's own requests go first.
    this.#fetchPanels();
    await opened;
    if (area) room.choose(area);
    room.redraw();
    setTimeout(() => room.frames?.wantAll(room.version), 1000);
    // When the positions cannot be loaded, the rest of the page works without them.
    setTimeout(() => this.#drawPanels(), 3000);
  }

  #draw() {
    const { room, place } = this;
    const scene = room.currentScene;
    const isThere = this.#show(scene) && scene?.version === room.version;
    this.#tell(isThere);
    place.setAttribute("aria-busy", String(!isThere));
    if (isThere) place.dataset.version = `${room.version}`;
  }

  /** Mark what happened on the board, once the version rests, except in a comparison. @param {boolean} isThere */
  #tell(isThere) {
    const { room, board } = this;
    clearTimeout(this.#resting);
    if (room.isHurried) this.#resting = setTimeout(() => room.redraw(), 150);
    const showsEvents = isThere && !room.isHurried && !room.isComparing;
    board.tell(showsEvents ? room.happened : []);
    if (showsEvents && this.#followed !== room.version && board.camera?.isFree) this.#follow(room.scenes);
  }

  /**
   * Move the board to where something happened, once for each version; after that, questions and the person move it.
   * @param {string[]} areas
   */
  #follow(areas) {
    if (!areas.length) return;
    this.#followed = this.room.version;
    this.board.follow(areas);
  }

  /**
   * Show as much of a scene on the board as fits into this frame. Returns whether all of it is shown.
   * @param {Scene | undefined} scene
   */
  #show(scene) {
    const { room, board } = this;
    const began = performance.now();
    const { changed, isWhole } = board.show(scene);
    if (changed)
      performance.measure("scrub", { start: began, end: performance.now(), detail: { version: scene?.version } });
    if (board.svg && !isWhole) room.redraw();
    if (scene && isWhole && !performance.getEntriesByName("first-board").length) {
      performance.measure("first-board", { start: 0 });
      this.#drawPanels();
    }
    return isWhole;
  }

  /** Fetch the panels around the board, once. The page lists all their files, so that none waits for another. */
  #fetchPanels() {
    if (this.#fetched) return this.#fetched;
    const { content } = /** @type {HTMLTemplateElement} */ (document.getElementById("later"));
    const styles = [.../** @type {NodeListOf<HTMLLinkElement>} */ (content.querySelectorAll("[rel=stylesheet]"))];
    const styled = styles.map((link) => new Promise((done) => (link.onload = link.onerror = done)));
    document.head.append(content);
    this.#fetched = Promise.all([import("./panels/panels.js"), ...styled]).then(([{ Panels }]) => Panels);
    return this.#fetched;
  }

  /** Draw the panels around the board, once, and then fetch those that are not needed at first. */
  #drawPanels() {
    const { room } = this;
    if (this.#panels) return;
    room.readRest();
    this.#panels = this.#fetchPanels().then((Panels) => new Panels(room));
    this.#panels.then((each) => requestAnimationFrame(() => setTimeout(() => each.fetchRest())));
  }
}

const api = new Api();
takeToken(api);
const room = new Room(api, decodeURIComponent(location.pathname.split("/")[2] ?? ""));
new GamePage(room, /** @type {HTMLElement} */ (document.getElementById("board")));
room.enter(linked().version);
