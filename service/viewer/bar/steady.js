/**
 * Protection from a double click: a button that appears under a resting pointer does nothing for a moment, since nobody
 * can have read it yet.
 * @module
 */

const HOLD = 600; // Milliseconds.
const MOVED = 6; // Pixels: a player who moves the pointer has seen what is there.

/**
 * Where the pointer has rested since the last click, and the button that was there, with its words.
 * @typedef {{x: number, y: number, button: HTMLElement | null | undefined, words: string | null | undefined}} Rest
 */

/** Protect the buttons in a place of the page. @param {HTMLElement} place */
export function steady(place) {
  /** @type {Rest | null} */
  let rest = null;
  addEventListener(
    "click",
    ({ detail, target, clientX, clientY }) => {
      // A key presses the button that has the focus: no other button can take its place.
      const button = target instanceof Element ? target.closest("button") : null;
      rest = detail ? { x: clientX, y: clientY, button, words: button?.textContent } : null;
    },
    true,
  );
  addEventListener("pointermove", ({ clientX, clientY }) => {
    if (rest && Math.hypot(clientX - rest.x, clientY - rest.y) > MOVED) rest = null;
  });
  new MutationObserver(() => rest && hold(place, rest)).observe(place, {
    childList: true,
    subtree: true,
    characterData: true,
  });
}

/**
 * Make a button that has just appeared under the pointer do nothing for a moment.
 * @param {HTMLElement} place
 * @param {Rest} rest
 */
function hold(place, rest) {
  const button = document.elementFromPoint(rest.x, rest.y)?.closest("button");
  if (!button || !place.contains(button) || (button === rest.button && button.textContent === rest.words)) return;
  Object.assign(rest, { button, words: button.textContent });
  button.inert = true;
  setTimeout(() => (button.inert = false), HOLD);
}
