/**
 * A steady hand: a button that comes to lie under a resting pointer is held for a moment, so that the second half of a
 * double click does not do what nobody has read.
 * @module
 */

const HOLD = 600; // Milliseconds.
const MOVED = 6; // Pixels: whoever moves the pointer has seen what is there.

/** Where the pointer was pressed last and rests since, and the button that was there. */
let rest = null;

/** Hold buttons in a place of the page. @param {HTMLElement} place */
export function steady(place) {
  addEventListener("click", ({ detail, target, clientX, clientY }) => {
    // Whoever presses a key has the focus on a button, which no other takes over.
    const button = target.closest?.("button");
    rest = detail ? { x: clientX, y: clientY, button, words: button?.textContent } : null;
  }, true);
  addEventListener("pointermove", ({ clientX, clientY }) => {
    if (rest && Math.hypot(clientX - rest.x, clientY - rest.y) > MOVED) rest = null;
  });
  new MutationObserver(() => hold(place)).observe(place, { childList: true, subtree: true, characterData: true });
}

/** @param {HTMLElement} place */
function hold(place) {
  const button = rest && document.elementFromPoint(rest.x, rest.y)?.closest("button");
  if (!button || !place.contains(button) || (button === rest.button && button.textContent === rest.words)) return;
  Object.assign(rest, { button, words: button.textContent });
  button.inert = true;
  setTimeout(() => (button.inert = false), HOLD);
}
