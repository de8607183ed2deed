/**
 * The page on which a tutorial is played: the board, the forms and the gestures of a game, and the lesson beside them.
 * @module
 */

/**
 * @import { Lesson, Outcome, Tutorial } from "../state/lessons.js"
 * @import { Table } from "../types.js"
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { Board } from "../board/board.js";
import { turnBar } from "../bar/bar.js";
import { boardPanel } from "../panels/board.js";
import { decidePanel } from "../panels/decide.js";
import { underWay } from "../panels/glance.js";
import { strip } from "../panels/strip.js";
import { linked, paper } from "../parts/papers.js";
import { Api } from "../state/api.js";
import { Lessons } from "../state/lessons.js";
import { doneIn } from "../state/progress.js";

/** @param {string} id */
const place = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const ruleset = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const room = new Lessons(new Api(), ruleset);
const board = new Board(place("board"), room);
room.board = board;
place("board-panel").replaceChildren(); // The text that the page shows until its scripts have loaded.

function draw() {
  const drawn = board.show(room.currentScene);
  board.tell(room.happened);
  board.mark("chosen", room.area ? [room.area] : []);
  if (board.svg && !drawn.isWhole) room.redraw();
  place("board").setAttribute("aria-busy", String(!drawn.isWhole));
  const { tutorial, lesson } = room;
  if (lesson && tutorial) document.title = `${lesson.title} · Learn ${tutorial.title} · Tabularium`;
  if (tutorial) place("title").textContent = `Learn ${tutorial.title}`;
  if (room.isEntered()) {
    render(strip(room), place("strip"));
    render(boardPanel(room), place("board-panel"));
    render(turnBar(room), place("turn"));
    render(paper(room), place("paper"));
  }
  render(side(), place("side"));
}

function side() {
  const entered = room.isEntered() ? room : null;
  const { problem, tutorial, lesson } = room;
  if (problem) {
    return html`<div class="lesson"><p class="problem" role="alert">${problem.message}</p>
      <p>${problem.problem?.allowed ?? nothing} <a href="/learn">All tutorials</a></p></div>`;
  }
  if (!tutorial) return html`<p class="lesson quiet">Loading the tutorial …</p>`;
  if (!lesson)
    return html`<p class="lesson">${tutorial.title} has no tutorial yet. <a href="/learn">All tutorials</a></p>`;
  return html`<section class="lesson" aria-labelledby="lesson-title">
      <p class="quiet">Lesson ${room.at + 1} of ${tutorial.lessons.length}</p>
      <h2 id="lesson-title" tabindex="-1">${lesson.title}</h2>
      <p>${entered ? linked(entered, lesson.text) : lesson.text}</p>
      <div aria-live="polite">${entered && room.outcome ? result(entered, lesson, room.outcome) : task(tutorial, lesson)}</div>
    </section>
    ${entered ? underWay(entered) : nothing}
    ${room.outcome || !entered ? nothing : html`<section class="panel decide" aria-label="Your answer">${decidePanel(entered)}</section>`}
    ${contents(tutorial, lesson)}`;
}

/**
 * @param {Tutorial} tutorial
 * @param {Lesson} lesson
 */
function task(tutorial, lesson) {
  return html`<p class="ask"><strong>${room.isEntered() ? linked(room, lesson.ask) : lesson.ask}</strong></p>
    <p class="quiet">${tutorial.remark} <button class="link" @click=${() => room.solve()}>Show me</button></p>`;
}

/**
 * @param {Table} table
 * @param {Lesson} lesson
 * @param {Outcome} outcome
 */
function result(table, lesson, outcome) {
  const { next } = room;
  return html`<div class="learned" tabindex="-1" id="learned">
      <h3>Done</h3>
      <ul class="told">${outcome.told.map((sentence) => html`<li>${linked(table, sentence)}</li>`)}</ul>
      <p>${linked(table, lesson.teaches)}</p>
    </div>
    <p class="rules">Rules: ${lesson.rules.map((rule) => html`<a href="/rules#${new URLSearchParams({ game: ruleset, rule })}">${rule}</a> `)}</p>
    <div class="buttons">${
      next
        ? html`<button class="strong" id="next" @click=${() => go(next.id)}>Next: ${next.title}</button>`
        : html`<p>That was the last lesson. You know enough to play.</p><a class="strong" href="/">Play now</a> <a href="/learn">All tutorials</a>`
    }
      <button @click=${() => room.enter(lesson.id)}>Once more</button></div>`;
}

/**
 * The list of all lessons.
 * @param {Tutorial} tutorial
 * @param {Lesson} current
 */
function contents(tutorial, current) {
  const done = doneIn(ruleset);
  return html`<nav class="contents" aria-label="Lessons"><ol>
    ${tutorial.lessons.map(
      ({ id, title }) => html`<li><a href="#${id}" aria-current=${id === current.id ? "step" : nothing}>${title}</a>
      ${done.has(id) ? html`<span class="come">✓<span class="hidden"> done</span></span>` : nothing}</li>`,
    )}
  </ol></nav>`;
}

/** Go to a lesson; the address names it. @param {string} lesson */
function go(lesson) {
  location.hash = lesson;
}

/** Draw the page, and then focus an element, so that a player with a keyboard goes on from there. @param {string} id */
function focusOn(id) {
  room.addEventListener("change", () => place(id)?.focus(), { once: true });
  room.redraw();
}

room.addEventListener("change", draw);
room.addEventListener("done", () => focusOn("learned"));
room.addEventListener("entered", async () => {
  place("side").scrollTop = 0;
  await board.open().catch((problem) => (room.problem = problem));
  room.redraw();
});
// The first lesson does not take the focus; later ones do.
room.addEventListener("entered", () => room.addEventListener("entered", () => focusOn("lesson-title")), { once: true });
board.addEventListener("pointed", () => room.redraw());
addEventListener("hashchange", () => room.enter(location.hash.slice(1)));
draw();
room
  .open(location.hash.slice(1))
  .catch((problem) => (room.problem = problem))
  .finally(() => room.redraw());
