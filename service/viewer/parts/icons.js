/**
 * The icons of buttons. They are SVG paths, because no font that is on all devices has all of them.
 * @module
 */

import { html } from "../vendor/lit-html.js";

/** The path of each icon. `on` goes one step forward on the timeline, and `back` one step back. */
const PATHS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M11 3v10L4 8z",
  play: "M4 2.5v11L13 8z",
  pause: "M3.5 3h3v10h-3zM9.5 3h3v10h-3z",
  on: "M5 3v10l7-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
  nearer: "M7 2h2v5h5v2H9v5H7V9H2V7h5z",
  farther: "M2 7h12v2H2z",
  whole: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
  bell: "M8 1a4.5 4.5 0 0 1 4.5 4.5V9L14 11.5H2L3.5 9V5.5A4.5 4.5 0 0 1 8 1zM6 12.5h4a2 2 0 0 1-4 0z",
  close: "M3.4 2 8 6.6 12.6 2 14 3.4 9.4 8 14 12.6 12.6 14 8 9.4 3.4 14 2 12.6 6.6 8 2 3.4z",
};

/** @typedef {keyof typeof PATHS} Sign */

/** Return an icon as SVG. @param {Sign} name */
export function icon(name) {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
}
