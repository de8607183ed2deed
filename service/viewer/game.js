/**
 * The page of a game: the room and its board. They come first, and alone: the panels around the board follow.
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

const api = new Api();
takeToken(api);
const room = new Room(api, decodeURIComponent(location.pathname.split("/")[2] ?? ""));
const place = /** @type {HTMLElement} */ (document.getElementById("board"));
const board = new Board(place, room);
room.board = board;
const placed = Object.assign(room, { board });

function draw() {
  const scene = room.shown;
  const isThere = show(scene) && scene?.version === room.version;
  tell(isThere);
  place.setAttribute("aria-busy", String(!isThere));
  if (isThere) place.dataset.version = `${room.version}`;
}

let resting = 0;

/** Show what happened, once the version rests. A comparison shows something else. @param {boolean} isThere */
function tell(isThere) {
  clearTimeout(resting);
  if (room.isHurried) resting = setTimeout(() => room.redraw(), 150);
  const isTold = isThere && !room.isHurried && !room.isComparing;
  board.tell(isTold ? room.happened : []);
  if (isTold && followed !== room.version && board.camera?.isFree) follow(room.scenes);
}

let followed = 0;

/**
 * Show where something happened, once for each version; after that, questions and the reader move the board.
 * @param {string[]} areas
 */
function follow(areas) {
  if (!areas.length) return;
  followed = room.version;
  board.follow(areas);
}

/**
 * Show as much of a scene on the board as fits into this frame. Returns whether all of it is shown.
 * @param {Scene | undefined} scene
 */
function show(scene) {
  const began = performance.now();
  const { changed, isWhole } = board.show(scene);
  if (changed) performance.measure("scrub", { start: began, end: performance.now(), detail: { version: scene?.version } });
  if (board.svg && !isWhole) room.redraw();
  if (scene && isWhole && !performance.getEntriesByName("first-board").length) {
    performance.measure("first-board", { start: 0 });
    drawPanels();
  }
  return isWhole;
}

/** @type {Promise<typeof Panels> | null} */
let fetched = null;

/** Fetch the panels around the board, once. The page names all that they consist of, so that none waits for another. */
function fetchPanels() {
  if (fetched) return fetched;
  const { content } = /** @type {HTMLTemplateElement} */ (document.getElementById("later"));
  const styles = [.../** @type {NodeListOf<HTMLLinkElement>} */ (content.querySelectorAll("[rel=stylesheet]"))];
  const styled = styles.map((link) => new Promise((done) => (link.onload = link.onerror = done)));
  document.head.append(content);
  fetched = Promise.all([import("./panels/panels.js"), ...styled]).then(([{ Panels }]) => Panels);
  return fetched;
}

/** @type {Promise<Panels> | null} */
let panels = null;

/** Draw the panels around the board, and then fetch what nobody misses before; once. */
function drawPanels() {
  if (panels) return;
  room.readRest();
  panels = fetchPanels().then((Panels) => new Panels(placed));
  panels.then((each) => requestAnimationFrame(() => setTimeout(() => each.fetchRest())));
}

room.addEventListener("change", draw);
// Without a board the panels say what is wrong.
room.addEventListener("change", () => room.problem && drawPanels());
room.addEventListener("entered", async () => {
  const { against, area } = linked();
  if (against) room.compare(against);
  const opened = board.open().catch((problem) => (room.problem = problem));
  // After what the board needs, which would come later for it.
  fetchPanels();
  await opened;
  if (area) room.choose(area);
  room.redraw();
  setTimeout(() => room.frames?.wantAll(room.version), 1000);
  // Where the positions cannot be had, the rest of the page works all the same.
  setTimeout(drawPanels, 3000);
});
room.enter(linked().version);
