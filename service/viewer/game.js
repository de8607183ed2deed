/**
 * The page of a game: the room, its board, and the panels around it, drawn once a frame when something changed.
 * @module
 */

import { html, nothing, render } from "./vendor/lit-html.js";
import { Account } from "./account.js";
import { Api } from "./api.js";
import { Board } from "./board.js";
import { boardPanel } from "./board-panel.js";
import { comparePanel, differences } from "./compare.js";
import { decideBadge, decidePanel } from "./decide.js";
import { gatheringPanel } from "./gathering.js";
import { identity, lookAs } from "./identity.js";
import { inspectorPanel } from "./inspector.js";
import { address, linked } from "./link.js";
import { masthead } from "./masthead.js";
import { Room } from "./room.js";
import { standingsPanel } from "./standings.js";
import { followStory, storyPanel } from "./story.js";
import { timelinePanel } from "./timeline.js";
import { takeToken } from "./token.js";
import { verifyPanel } from "./verify-panel.js";

/** The panels beside the board. On a wide page the story is always there, and the others share the room below it. */
const PANELS = [
  { id: "story", title: "Story", panel: storyPanel },
  { id: "event", title: "Event", panel: inspectorPanel },
  { id: "scores", title: "Scores", panel: standingsPanel },
  { id: "changes", title: "Changes", panel: comparePanel },
  { id: "decide", title: "Decide", panel: decidePanel, badge: decideBadge },
  { id: "verify", title: "Verify", panel: verifyPanel },
];

const wide = matchMedia("(min-width: 56rem)");
const place = (id) => document.getElementById(id);
const api = new Api();
takeToken(api);
const room = new Room(api, decodeURIComponent(location.pathname.split("/")[2] ?? ""));
const account = new Account(api);
const board = new Board(place("board"), room);
room.board = board;
const READABLE = 120; // Milliseconds between two drawings of the panels during a drag.
let drawn = 0;
let later = 0;
let chosen = wide.matches ? "event" : "story";

function draw() {
  const scene = room.shown;
  const isThere = showBoard(scene) && scene?.version === room.version;
  place("board").setAttribute("aria-busy", String(!isThere));
  if (isThere) place("board").dataset.version = room.version;
  board.mark("changed", room.against === null ? [] : differences(room).areas.map((each) => each.area));
  board.mark("chosen", room.area ? [room.area] : []);
  render(masthead(room), place("masthead"));
  render([boardPanel(room), gatheringPanel(room, account)], place("board-panel"));
  render(timelinePanel(room), place("timeline"));
  render(identity(room, account), place("identity"));
  document.title = `${room.game?.title || "A game"} · Tabularium`;
  drawSide();
  address(room);
}

/** Show as much of a scene on the board as fits into this frame. Returns whether all of it is shown. */
function showBoard(scene) {
  const began = performance.now();
  const { changed, isWhole } = board.show(scene);
  if (changed) performance.measure("scrub", { start: began, end: performance.now(), detail: { version: scene?.version } });
  if (board.svg && !isWhole) room.redraw();
  if (scene && isWhole && !performance.getEntriesByName("first-board").length) performance.measure("first-board", { start: 0 });
  return isWhole;
}

/** Draw the panels; of what passes by in a drag only so much as can be read. */
function drawSide() {
  clearTimeout(later);
  const wait = room.isHurried ? READABLE - (performance.now() - drawn) : 0;
  if (wait > 0) {
    later = setTimeout(drawSide, wait);
    return;
  }
  drawn = performance.now();
  render(side(), place("side"));
  place("side").className = chosen;
  followStory(room);
}

function side() {
  if (!wide.matches) return tabs(PANELS, chosen);
  const below = PANELS.filter((panel) => panel.id !== "story");
  const now = below.some((panel) => panel.id === chosen) ? chosen : "event";
  return html`<section class="panel story" aria-label="Story">${storyPanel(room)}</section>
    ${tabs(below, now)}`;
}

function tabs(panels, now) {
  const select = (id) => {
    chosen = id;
    room.redraw();
  };
  return html`<div class="tabbed">
    <div class="tabs" role="tablist" aria-label="Panels" @keydown=${(event) => turn(event, panels, now, select)}>
      ${panels.map(
        ({ id, title, badge }) =>
          html`<button
            role="tab"
            id="tab-${id}"
            aria-controls="panel"
            aria-selected=${String(id === now)}
            tabindex=${id === now ? 0 : -1}
            @click=${() => select(id)}
          >${title}${badge?.(room) ? html` <span class="badge">${badge(room)}</span>` : nothing}</button>`,
      )}
    </div>
    <section class="panel ${now}" role="tabpanel" id="panel" aria-labelledby="tab-${now}" tabindex="0">
      ${panels.find((panel) => panel.id === now).panel(room)}
    </section>
  </div>`;
}

function turn(event, panels, now, select) {
  const at = panels.findIndex((panel) => panel.id === now);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: panels.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = panels[(to + panels.length) % panels.length].id;
  select(next);
  event.currentTarget.querySelector(`#tab-${next}`).focus();
}

room.addEventListener("change", draw);
board.addEventListener("pointed", () => room.redraw());
wide.addEventListener("change", () => room.redraw());
addEventListener("hashchange", () => {
  if (takeToken(api)) account.read();
  const { version, against } = linked();
  if (version) room.show(version);
  room.compare(against ?? null);
});
room.addEventListener("entered", async () => {
  if (room.seat && room.game.status === "running") chosen = "decide";
  const { against, area } = linked();
  if (against) room.compare(against);
  if (!board.svg) await board.open().catch((problem) => (room.problem = problem));
  if (area) room.choose(area);
  room.redraw();
  setTimeout(() => room.frames.wantAll(room.version), 1000);
});
lookAs(room, account);
await room.enter(linked().version);
