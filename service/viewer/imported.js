/**
 * The page of a game that another service recorded: its board and story, and where it comes from. Nobody can act here.
 * @module
 */

import { html, nothing, render } from "./vendor/lit-html.js";
import { Board } from "./board/board.js";
import { boardPanel, boardWaits } from "./panels/board.js";
import { underWay } from "./panels/glance.js";
import { followStory, storyPanel } from "./panels/story.js";
import { strip } from "./panels/strip.js";
import { stepByKeys, timelinePanel } from "./panels/timeline.js";
import { clock, named } from "./parts/format.js";
import { endedAs } from "./parts/order.js";
import { Api } from "./state/api.js";
import { Address, linked } from "./state/link.js";
import { Recorded } from "./state/recorded.js";

/** @param {string} id */
const place = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const room = new Recorded(new Api(), decodeURIComponent(location.pathname.split("/")[2] ?? ""));
const board = new Board(place("board"), room);
Object.assign(room, { board });
const address = new Address(room);

function draw() {
  const drawn = board.show(room.currentScene);
  board.tell(drawn.isWhole && !room.isHurried ? room.happened : []);
  board.mark("chosen", room.area ? [room.area] : []);
  if (board.svg && !drawn.isWhole) room.redraw();
  place("board").setAttribute("aria-busy", String(!drawn.isWhole));
  render(room.isEntered() ? boardPanel(room) : boardWaits({ board, problem: room.problem }), place("board-panel"));
  render(timelinePanel(room), place("timeline"));
  render(side(), place("side"));
  if (room.isEntered()) {
    render(strip(room), place("strip"));
    followStory(room);
  }
  address.update();
}

function side() {
  const { problem } = room;
  return html`<section class="panel story" aria-label="Story">
    ${problem ? html`<p class="problem" role="alert">${problem.message} <a href="/imports">All imports</a></p>` : provenance()}
    ${room.isEntered() ? underWay(room) : nothing} ${storyPanel(room)}
  </section>`;
}

/** Where the game comes from. `<bdi>` keeps texts of the other service apart from the text around them. */
function provenance() {
  const detail = room.import;
  if (!detail) return html`<p class="quiet">Loading …</p>`;
  const { issuer, finish } = detail;
  document.title = `Game ${detail.game} of another service · Tabularium`;
  place("title").textContent = `An imported game of ${room.ruleset?.title ?? detail.ruleset}`;
  return html`<div class="imported" role="note">
    <p><strong>Imported from ${detail.origin ? html`<bdi>${detail.origin}</bdi>` : "another service"}, not played here.</strong>
      ${detail.provenance}</p>
    <p>${endedAs(finish, named)} It counts in no list, record or rating of this service (TAB-IMP-06).</p>
    <details><summary>Verified when it was imported, <time datetime=${detail.imported}>${clock(detail.imported)}</time></summary>
      <ul>${[...detail.proved, ...(issuer?.said ?? [])].map((sentence) => html`<li>${sentence}</li>`)}</ul>
      <p>Game <bdi>${detail.game}</bdi>, ${detail.ruleset} version ${detail.ruleset_version}. Its head is <code>${detail.head}</code>.
        ${issuer ? html`The key that signed is <code>${issuer.key}</code>.` : nothing}</p>
      <p>Accounts are called as its own service calls them. <a href="/players/${detail.player}">An account of this service</a>
        brought the game.</p>
    </details>
    <p><a href="/v1/imports/${detail.id}/export" download>The export, as it came</a>: <code>tabularium verify</code> checks it
      again. <a href="/imports">All imports</a></p>
  </div>`;
}

room.addEventListener("change", draw);
room.addEventListener("entered", async () => {
  await board.open().catch((problem) => (room.problem = problem));
  room.redraw();
  setTimeout(() => room.frames?.wantAll(room.version), 1000);
});
board.addEventListener("pointed", () => room.redraw());
addEventListener("hashchange", () => room.show(linked().version ?? room.head));
stepByKeys(room);
place("board-panel").replaceChildren(); // The text that the page shows until its scripts have loaded.
draw();
room.enter(linked().version);
