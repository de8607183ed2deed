/**
 * The button below a list that is read in pages.
 * @module
 */

/** @import { Pages } from "../state/pages.js" */

import { html, nothing } from "../vendor/lit-html.js";

/**
 * Return the button that reads the next page; nothing after the last page. An error of the last reading stands below.
 * @param {Pages<any>} pages
 * @param {() => void} draw draws the page anew
 */
export function moreButton(pages, draw) {
  const more = () => pages.more().then(draw, draw);
  return html`${pages.next ? html`<button @click=${more}>Show more</button>` : nothing}
    ${pages.problem ? html`<p class="problem" role="alert">${pages.problem.message}</p>` : nothing}`;
}
