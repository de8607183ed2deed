/**
 * Papers that everybody may read, such as the cards of nations: their names in a text are buttons that open them.
 * @module
 */

/** @import { Paper, PaperLine, Papers, Table } from "../types.js" */

import { html, nothing } from "../vendor/lit-html.js";

const dialog = () => /** @type {HTMLDialogElement} */ (document.getElementById("paper"));
/** @type {WeakMap<object, RegExp>} */
const patterns = new WeakMap();

/**
 * Return a text in which each name of a paper is a button that opens it.
 * @param {Table} room
 * @param {string} text
 */
export function linked(room, text) {
  const pattern = text && patternOf(room.papers);
  return pattern ? text.split(pattern).map((part, at) => (at % 2 ? link(room, part) : part)) : text;
}

/**
 * Return a button that opens the paper with this name; the plain name if there is no such paper.
 * @param {Table} room
 * @param {string} name
 */
export function link(room, name) {
  const paper = room.papers?.papers.find(({ title }) => title === name);
  if (!paper) return name;
  return html`<button type="button" class="paper-link" aria-haspopup="dialog" @click=${() => open(room, paper)}>${name}</button>`;
}

/**
 * Return the papers that a text names, each once.
 * @param {Table} room
 * @param {string} text
 */
export function namedIn(room, text) {
  const pattern = patternOf(room.papers);
  return pattern ? [...new Set(text.split(pattern).filter((_, at) => at % 2))] : [];
}

/** Return a pattern for the titles of all papers, the longest first; null without papers. @param {Pick<Papers, "papers"> | null} papers */
function patternOf(papers) {
  if (!papers?.papers.length) return null;
  const known = patterns.get(papers);
  if (known) return known;
  const titles = papers.papers.map(({ title }) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const longest = titles.toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(`(?<!\\p{L})(${longest.join("|")})(?!\\p{L})`, "u");
  patterns.set(papers, pattern);
  return pattern;
}

/**
 * @param {Table} room
 * @param {Paper} paper
 */
function open(room, paper) {
  room.paper = paper;
  // The dialog opens after it has its content, so that its title is announced and it can be scrolled to the top.
  const show = () => {
    dialog().showModal();
    dialog().scrollTop = 0;
  };
  room.addEventListener("change", show, { once: true });
  room.redraw();
}

/** The content of the dialog: the paper that was opened last. @param {Table} room */
export function paper(room) {
  const { paper, papers } = room;
  if (!paper || !papers) return nothing;
  const { origins, sources } = papers;
  const lines = paper.sections.flatMap((section) => section.lines);
  const cited = Object.entries(sources).filter(([key]) =>
    lines.some(({ source = "" }) => bracketed(source).includes(key)),
  );
  return html`<h2 id="paper-title">${paper.title}</h2>
    ${counted(lines, origins).map((words) => html`<p class="note">${words}</p>`)}
    ${paper.sections.map(
      ({ title, lines }) => html`<h3>${title}</h3>
      <ul class="lines">${lines.map(
        (each) => html`<li>${each.words}
        ${each.origin ? html`<span class="origin">${each.origin}</span>` : nothing}
        ${each.source ? html`<span class="quiet">${each.source}</span>` : nothing}</li>`,
      )}</ul>`,
    )}
    ${cited.length ? html`<h3>Sources</h3>` : nothing}
    <dl class="facts">${cited.map(([key, words]) => html`<div><dt>${key}</dt><dd>${words}</dd></div>`)}</dl>
    <form method="dialog" class="buttons"><button class="strong">Close</button></form>`;
}

/**
 * Return a sentence for each origin that says how many lines are from there.
 * @param {PaperLine[]} lines
 * @param {Record<string, string>} origins
 */
function counted(lines, origins) {
  return Object.entries(origins)
    .map(([origin, words]) => ({ number: lines.filter((line) => line.origin === origin).length, origin, words }))
    .filter(({ number }) => number)
    .map(({ number, origin, words }) => `${number} of ${lines.length} lines are marked ${origin}: ${words}.`);
}

/** Return the keys in the brackets of a text: "[A, B]" has A and B. @param {string} text */
function bracketed(text) {
  return [...text.matchAll(/\[([^\]]+)\]/g)].flatMap(([, keys]) => keys.split(", "));
}
