/**
 * What is around the board of a game, drawn once a frame when something changed.
 * @module
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { Account } from "../state/account.js";
import { paper } from "../parts/papers.js";
import { address, linked } from "../state/link.js";
import { takeToken } from "../state/token.js";
import { boardPanel } from "./board.js";
import { comparePanel, differences } from "./compare.js";
import { header } from "./header.js";
import { seatsPanel } from "./seats.js";
import { enterAs, signIn } from "./sign-in.js";
import { followStory, storyPanel } from "./story.js";
import { timelinePanel } from "./timeline.js";

const READABLE = 120; // Milliseconds between two drawings of the panels during a drag.

const wide = matchMedia("(min-width: 56rem)");
const place = (id) => document.getElementById(id);

/** The panels beside the board. On a wide page the story is always there, and the others share the room below it. */
const PANELS = [
  { id: "story", title: "Story", panel: storyPanel },
  { id: "event", title: "Event", rest: async () => (await import("./inspector.js")).inspectorPanel },
  { id: "scores", title: "Scores", rest: async () => (await import("./standings.js")).standingsPanel },
  { id: "changes", title: "Changes", panel: comparePanel },
  { id: "decide", title: "Decide", rest: async () => (await import("./decide.js")).decidePanel, badge: decisions },
  { id: "verify", title: "Verify", rest: async () => (await import("./verify.js")).verifyPanel },
];

/** Say how many decisions wait for the seat that looks. */
function decisions({ game, seat }) {
  return game?.decisions.filter((decision) => decision.seats.includes(seat)).length || "";
}

/** The panels of a room. */
export class Panels {
  #drawn = 0;
  #later = 0;
  #chosen = wide.matches ? "event" : "story";
  #status = "";

  /** @param {import("../state/room.js").Room} room */
  constructor(room) {
    this.room = room;
    this.account = new Account(room.api);
    // What the page said before there was anything to say it with.
    for (const id of ["page-header", "board-panel"]) place(id).replaceChildren();
    room.addEventListener("change", () => this.#draw());
    room.addEventListener("entered", () => this.#sit());
    room.board.addEventListener("pointed", () => room.redraw());
    wide.addEventListener("change", () => room.redraw());
    addEventListener("hashchange", () => this.#go());
    enterAs(room, this.account);
    this.#sit();
    room.redraw();
  }

  /** Fetch the panels that nobody misses before the board is there. */
  fetchRest() {
    for (const each of PANELS.filter(({ panel, rest }) => rest && !panel)) {
      each.rest().then(
        (panel) => (each.panel = panel),
        () => (each.panel = () => html`<p class="problem" role="alert">This panel could not be loaded. Reload the page.</p>`),
      ).then(() => this.room.redraw());
    }
  }

  /** Show players what they have to decide. */
  #sit() {
    if (this.room.seat && this.room.game.status === "running") this.#chosen = "decide";
  }

  /** Go where the address leads. */
  #go() {
    if (takeToken(this.room.api)) this.account.read();
    const { version, against } = linked();
    if (version) this.room.show(version);
    this.room.compare(against ?? null);
  }

  #draw() {
    const { room, account } = this;
    room.board.compare(room.against === null ? [] : differences(room).areas.map((each) => each.area));
    room.board.mark("chosen", room.area ? [room.area] : []);
    // Whoever sat down before the game began did not enter a running one.
    if (this.#status === "gathering" && room.game.status === "running") this.#sit();
    this.#status = room.game?.status ?? this.#status;
    const decide = this.#chosen === "decide" ? null : () => this.#select("decide");
    render(header(room, account, Boolean(decisions(room)), decide), place("page-header"));
    render([boardPanel(room), seatsPanel(room, account)], place("board-panel"));
    render(timelinePanel(room), place("timeline"));
    render(signIn(room, account), place("sign-in"));
    render(paper(room), place("paper"));
    document.title = `${decisions(room) ? "Your turn · " : ""}${room.game?.title || "A game"} · Tabularium`;
    this.#drawSide();
    address(room);
  }

  /** Draw the panels beside the board; of what passes by in a drag only so much as can be read. */
  #drawSide() {
    clearTimeout(this.#later);
    const wait = this.room.isHurried ? READABLE - (performance.now() - this.#drawn) : 0;
    if (wait > 0) {
      this.#later = setTimeout(() => this.#drawSide(), wait);
      return;
    }
    this.#drawn = performance.now();
    render(this.#side(), place("side"));
    place("side").className = this.#chosen;
    followStory(this.room);
  }

  #side() {
    if (!wide.matches) return this.#tabs(PANELS, this.#chosen);
    const below = PANELS.filter((panel) => panel.id !== "story");
    const now = below.some((panel) => panel.id === this.#chosen) ? this.#chosen : "event";
    return html`<section class="panel story" aria-label="Story">${storyPanel(this.room)}</section>
      ${this.#tabs(below, now)}`;
  }

  #tabs(panels, now) {
    const { panel } = panels.find(({ id }) => id === now);
    return html`<div class="tabbed">
      <div class="tabs" role="tablist" aria-label="Panels" @keydown=${(event) => this.#turn(event, panels, now)}>
        ${panels.map(
          ({ id, title, badge }) =>
            html`<button
              role="tab"
              id="tab-${id}"
              aria-controls="panel"
              aria-selected=${String(id === now)}
              tabindex=${id === now ? 0 : -1}
              @click=${() => this.#select(id)}
            >${title}${badge?.(this.room) ? html` <span class="badge">${badge(this.room)}</span>` : nothing}</button>`,
        )}
      </div>
      <section class="panel ${now}" role="tabpanel" id="panel" aria-labelledby="tab-${now}" tabindex="0">
        ${panel ? panel(this.room) : html`<p class="quiet">…</p>`}
      </section>
    </div>`;
  }

  #select(id) {
    this.#chosen = id;
    this.room.redraw();
  }

  #turn(event, panels, now) {
    const at = panels.findIndex((panel) => panel.id === now);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: panels.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = panels[(to + panels.length) % panels.length].id;
    this.#select(next);
    event.currentTarget.querySelector(`#tab-${next}`).focus();
  }
}
