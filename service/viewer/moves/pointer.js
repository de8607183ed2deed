/**
 * Gestures by mouse, pen and finger: dragging from an area to another. Clicks and keys come from the board itself.
 * @module
 */

/** @import { Moves } from "./moves.js" */

const FAR = 6; // A pointer that moves farther than these pixels drags; it does not click.

/** Listen to drags on the board. @param {Moves} moves */
export function listen(moves) {
  const { board } = moves.room;
  if (!board?.svg || board.svg.dataset.dragged !== undefined) return;
  board.svg.dataset.dragged = "";
  /** Where a pointer went down, and whether it drags. @type {{area: string, x: number, y: number, began: boolean} | null} */
  let held = null;
  let hasDropped = false;
  /** @param {PointerEvent} event */
  const drop = ({ pointerType }) => {
    held = null;
    // A finger points only while it drags.
    if (moves.isDragged && pointerType === "touch") board.point(null);
    if (board.camera) board.camera.held = false;
    moves.isDragged = false;
  };
  board.place.addEventListener(
    "pointerdown",
    (event) => {
      const area = board.areaAt(event);
      if (!event.isPrimary) return drop(event);
      const isReady = event.pointerType !== "touch" || moves.start === area;
      if (event.button || !area || !isReady || !moves.isOpen || !moves.from(area).some(({ end }) => end)) return;
      held = { area, x: event.clientX, y: event.clientY, began: false };
      // The drag moves a piece, not the board.
      if (board.camera) board.camera.held = true;
    },
    { capture: true },
  );
  board.place.addEventListener("pointermove", (event) => {
    if (!held) return;
    if (!held.began && Math.hypot(event.clientX - held.x, event.clientY - held.y) < FAR) return;
    if (!held.began) {
      held.began = moves.isDragged = true;
      moves.begin(held.area);
    }
    board.arrow([held.area, event]);
    board.point(board.areaAt(event));
  });
  addEventListener("pointerup", (event) => {
    if (!held) return;
    const { began, area } = held;
    drop(event);
    if (!began) return;
    hasDropped = true;
    setTimeout(() => (hasDropped = false));
    board.arrow(null);
    const end = board.areaAt(event);
    if (end !== null && end !== area) moves.point(end);
  });
  addEventListener("pointercancel", drop);
  // A browser reports the end of a drag as a click, which must choose nothing.
  board.place.addEventListener(
    "click",
    (event) => {
      if (hasDropped) event.stopPropagation();
    },
    { capture: true },
  );
}
