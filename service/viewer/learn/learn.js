/**
 * The tutorials of all games, with the reader's progress on this device.
 * @module
 */

/** @import { Tutorial } from "../state/lessons.js" */

import { html, nothing, render } from "../vendor/lit-html.js";
import { count } from "../parts/format.js";
import { Api, problemOf } from "../state/api.js";
import { doneIn } from "../state/progress.js";

const api = new Api();
const place = /** @type {HTMLElement} */ (document.getElementById("tutorials"));

/** @param {Tutorial} tutorial */
function entry({ ruleset, title, lessons }) {
  const done = doneIn(ruleset);
  const number = lessons.filter(({ id }) => done.has(id)).length;
  const next = lessons.find(({ id }) => !done.has(id)) ?? lessons[0];
  return html`<article class="entry" aria-label=${title}>
    <h2><a href="/learn/${ruleset}#${next.id}">${title}</a></h2>
    <p>${lessons.map((lesson) => lesson.title).join(" · ")}</p>
    <p class="quiet">${number ? `${number} of ${count(lessons.length, "lesson")} done` : count(lessons.length, "lesson")}${number === lessons.length ? nothing : number ? html`. Goes on with “${next.title}”.` : nothing}</p>
  </article>`;
}

try {
  const { items } = await api.get("/v1/rulesets", { limit: 100 });
  const tutorials = await Promise.all(items.map(({ id }) => api.get(`/v1/rulesets/${id}/tutorial`)));
  const found = tutorials.filter(({ lessons }) => lessons.length);
  place.replaceChildren(); // The text that the page shows until its scripts have loaded.
  render(found.length ? found.map(entry) : html`<p>No game has a tutorial yet.</p>`, place);
} catch (error) {
  const problem = problemOf(error);
  place.replaceChildren();
  render(
    html`<p class="problem" role="alert">The tutorials could not be loaded: ${problem.message} Reload the page.</p>`,
    place,
  );
}
