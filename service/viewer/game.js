/**
 * The page of a game: the room and its board. They come first, and alone: the panels around the board follow.
 * @module
 */

import { Board } from "./board/board.js";
import { Api } from "./state/api.js";
import { linked } from "./state/link.js";
import { Room } from "./state/room.js";
import { takeToken } from "./state/token.js";

const api = new Api();
takeToken(api);
const room = new Room(api, decodeURIComponent(location.pathname.split("/")[2] ?? ""));
const place = document.getElementById("board");
const board = new Board(place, room);
room.board = board;

function draw() {
  const scene = room.shown;
  const isThere = show(scene) && scene?.version === room.version;
  tell(isThere);
  place.setAttribute("aria-busy", String(!isThere));
  if (isThere) place.dataset.version = room.version;
}

let resting = 0;

/** Show what happened, once the version rests. A comparison shows something else. */
function tell(isThere) {
  clearTimeout(resting);
  if (room.isHurried) resting = setTimeout(() => room.redraw(), 150);
  board.tell(isThere && !room.isHurried && !room.isComparing ? room.happened : []);
}

/** Show as much of a scene on the board as fits into this frame. Returns whether all of it is shown. */
function show(scene) {
  const began = performance.now();
  const { changed, isWhole } = board.show(scene);
  if (changed) performance.measure("scrub", { start: began, end: performance.now(), detail: { version: scene?.version } });
  if (board.svg && !isWhole) room.redraw();
  if (scene && isWhole && !performance.getEntriesByName("first-board").length) {
    performance.measure("first-board", { start: 0 });
    // When the board has been painted.
    requestAnimationFrame(() => setTimeout(fetchRest));
  }
  return isWhole;
}

let rest = null;

/** Fetch what nobody misses before the board is there, once. */
function fetchRest() {
  rest ??= panels.then((each) => each.fetchRest());
}

room.addEventListener("change", draw);
room.addEventListener("entered", async () => {
  const { against, area } = linked();
  if (against) room.compare(against);
  await board.open().catch((problem) => (room.problem = problem));
  if (area) room.choose(area);
  room.redraw();
  setTimeout(() => room.frames.wantAll(room.version), 1000);
  // Where the positions cannot be had, the rest of the page works all the same.
  setTimeout(fetchRest, 3000);
});
room.enter(linked().version);
const panels = import("./panels/panels.js").then(({ Panels }) => new Panels(room));
