/**
 * Everything around the board of a game. It is drawn when something has changed, at most once a frame.
 * @module
 */

/**
 * @import { Board } from "../board/board.js"
 * @import { Memory } from "../proof/memory.js"
 * @import { Room } from "../state/room.js"
 * @import { At, Entered } from "../types.js"
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { Account } from "../state/account.js";
import { paper } from "../parts/papers.js";
import { waiting } from "../parts/notifications.js";
import { Inbox } from "../state/inbox.js";
import { tick } from "../parts/ticking.js";
import { Address, linked } from "../state/link.js";
import { takeToken } from "../state/token.js";
import { boardPanel, boardWaits } from "./board.js";
import { comparePanel, differences } from "./compare.js";
import { underWay } from "./glance.js";
import { header } from "./header.js";
import { notice, noticesDialog, showInTab } from "./notices.js";
import { enterAs, signIn } from "./sign-in.js";
import { sinceLine } from "./since.js";
import { followStory, storyPanel } from "./story.js";
import { strip } from "./strip.js";
import { stepByKeys, timelinePanel } from "./timeline.js";

/**
 * Draws a part of the page of a room.
 * @typedef {(room: Entered, account: Account) => unknown} Draw
 *
 * A panel beside the board. A `narrow` panel is a tab on narrow pages only: a wide page has a place of its own for it,
 * or does without. `rest` fetches the code of a panel that is not needed at first.
 * @typedef {object} Panel
 * @property {string} id
 * @property {string} title
 * @property {(room: Room) => unknown} [panel]
 * @property {() => Promise<(room: Room) => unknown>} [rest]
 * @property {boolean} [narrow]
 * @property {(room: Room) => number | ""} [badge] the number beside its title; empty for none
 */

/** The parts below the board. Their code is fetched once the board is drawn. @type {{place: string, draw: Draw | null, rest: () => Promise<Draw>}[]} */
const BELOW = [
  { place: "around", draw: null, rest: async () => (await import("./around.js")).aroundPanel },
  // The bar of the viewer's seat.
  { place: "turn", draw: null, rest: async () => (await import("../bar/bar.js")).turnBar },
];

/** The seats of a game that waits for players. The code is fetched when such a game is shown. @type {{draw: Draw | null, rest: () => Promise<Draw>}} */
const SEATS = { draw: null, rest: async () => (await import("./seats.js")).seatsPanel };

const QUIET = 3000; // Milliseconds from drawing the board to the comparison with earlier visits.
const READABLE = 120; // Milliseconds between two drawings of the panels during a drag.

const wide = matchMedia("(min-width: 56rem)");
/** @param {string} id */
const place = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * The panels beside the board. On a wide page the story is always shown, and the others are tabs below it. The list of
 * areas is left out there, because the board is large enough.
 * @type {Panel[]}
 */
const PANELS = [
  { id: "story", title: "Story", panel: storyPanel, narrow: true },
  { id: "event", title: "Event", rest: async () => (await import("./inspector.js")).inspectorPanel },
  { id: "scores", title: "Scores", rest: async () => (await import("./standings.js")).standingsPanel },
  { id: "changes", title: "Changes", panel: comparePanel },
  {
    id: "decide",
    title: "Decide",
    rest: async () => whenEntered((await import("./decide.js")).decidePanel),
    badge: decisions,
  },
  { id: "places", title: "Where", rest: async () => (await import("./where.js")).wherePanel, narrow: true },
  { id: "verify", title: "Verify", rest: async () => (await import("./verify.js")).verifyPanel },
];

/** Return a panel that is empty until the room was entered. @param {(room: Entered) => unknown} panel @returns {(room: Room) => unknown} */
function whenEntered(panel) {
  return (room) => (room.isEntered() ? panel(room) : nothing);
}

/** Return how many decisions wait for the viewer's seat; an empty text for none. @param {Room} room */
export function decisions({ game, seat }) {
  return game?.decisions.filter((decision) => decision.seats.includes(seat)).length || "";
}

/** The panels of a room. */
export class Panels {
  /** When the panels were drawn last. */
  #drawn = 0;
  /** The timer of the next drawing during a drag. */
  #later = 0;
  /** The id of the panel that is shown. */
  #chosen = wide.matches ? "event" : "story";
  /** The status of the game at the last drawing. */
  #status = "";
  /** Whether a decision waited for the viewer at the last drawing. */
  #isAsked = true;
  /** Whether to open the panel Decide as soon as the newest version is shown. */
  #mustOpen = false;
  #address;

  /** What this browser saw at earlier visits; null until it is read. */
  memory = /** @type {Memory | null} */ (null);

  /** @param {Room & {board: Board}} room */
  constructor(room) {
    this.room = room;
    this.account = new Account(room.api);
    this.inbox = new Inbox(room.api);
    this.#address = new Address(room);
    // The text that the page shows until its scripts have loaded.
    for (const id of ["page-header", "board-panel"]) place(id).replaceChildren();
    room.addEventListener("change", () => this.#draw());
    room.addEventListener("entered", () => this.#sit());
    room.addEventListener("inspect", () => this.#select("event"));
    room.addEventListener("verify", async () => {
      this.#select("verify");
      (await import("./verify.js")).verifyGame(room);
    });
    this.account.addEventListener("change", () => this.inbox.belongTo(this.account.me));
    this.inbox.addEventListener("change", () => room.redraw());
    stepByKeys(room);
    room.board.addEventListener("pointed", () => room.redraw());
    wide.addEventListener("change", () => room.redraw());
    addEventListener("hashchange", () => this.#go());
    enterAs(room, this.account);
    this.#sit();
    room.redraw();
  }

  /** Fetch the code that is not needed before the board is drawn. */
  fetchRest() {
    setTimeout(() => this.#remember(), QUIET);
    for (const each of BELOW) {
      each.rest().then((draw) => {
        each.draw = draw;
        this.room.redraw();
      });
    }
    for (const each of PANELS.filter(({ panel, rest }) => rest && !panel)) {
      each
        .rest?.()
        .then(
          (panel) => (each.panel = panel),
          () =>
            (each.panel = () =>
              html`<p class="problem" role="alert">This panel could not be loaded. Reload the page.</p>`),
        )
        .then(() => this.room.redraw());
    }
  }

  /** Compare the game with what this browser saw at earlier visits. */
  async #remember() {
    const { memoryOf } = await import("../proof/memory.js");
    const memory = memoryOf(this.room);
    this.memory = memory;
    await memory.look();
  }

  /** Show the panel Decide to a player of a running game. */
  #sit() {
    if (this.room.seat && this.room.game?.status === "running") this.#chosen = "decide";
  }

  /** Follow a change of the address: use its token, and show the versions that it names. */
  #go() {
    if (takeToken(this.room.api)) this.account.use(this.room.api.token ?? "");
    const { version, against } = linked();
    if (version) this.room.show(version);
    this.room.compare(against ?? null);
  }

  #draw() {
    const { room, account } = this;
    room.board.compare(!room.isComparing ? [] : differences(room).areas.map((each) => each.area));
    room.board.mark("chosen", room.area ? [room.area] : []);
    // The player entered the room before the game began.
    if (this.#status === "gathering" && room.game?.status === "running") this.#sit();
    // When the game is over, there is nothing to decide: show the result.
    if (this.#status === "running" && room.game?.status === "over" && this.#chosen === "decide")
      this.#chosen = "scores";
    this.#status = room.game?.status ?? this.#status;
    if (room.game) this.inbox.look(room.id, room.game.version);
    this.#ask(Boolean(decisions(room)));
    // The service does not know the game, but this browser may have seen it.
    if (room.problem?.status === 404 && !room.game && !this.memory) this.#remember();
    render(timelinePanel(room), place("timeline"));
    render(signIn(room, account), place("sign-in"));
    // Only while it is open, because reading the permission for notifications takes as long as drawing everything else.
    if (/** @type {HTMLDialogElement} */ (place("notices")).open) render(noticesDialog(room), place("notices"));
    if (room.isEntered()) render(paper(room), place("paper"));
    this.#drawAround();
    this.#address.update();
  }

  /**
   * Give notice of a new decision, and open the panel Decide. If an earlier version is shown, the panel opens when the
   * player goes back to the newest.
   * @param {boolean} isAsked
   */
  #ask(isAsked) {
    const { room } = this;
    showInTab(room, isAsked, this.#elsewhere);
    // No notice when the page opens: the player sees the decision anyway.
    if (isAsked && !this.#isAsked) {
      notice(room);
      this.#mustOpen = true;
    }
    if (!isAsked) this.#mustOpen = false;
    if (this.#mustOpen && room.following) {
      this.#chosen = "decide";
      this.#mustOpen = false;
    }
    this.#isAsked = room.game ? isAsked : true;
  }

  /** How many things wait for the viewer outside this game. */
  get #elsewhere() {
    return waiting(this.inbox.state, this.inbox.unread, this.room.id);
  }

  /** Draw what is around the board. During a drag, draw only as often as somebody can read. */
  #drawAround() {
    clearTimeout(this.#later);
    const { room, account } = this;
    const wait = room.isHurried ? READABLE - (performance.now() - this.#drawn) : 0;
    if (wait > 0) {
      this.#later = setTimeout(() => this.#drawAround(), wait);
      return;
    }
    this.#drawn = performance.now();
    const isAsked = Boolean(decisions(room));
    const decide = this.#chosen === "decide" ? null : () => this.#select("decide");
    render(header(room, account, isAsked, decide, this.memory, this.#elsewhere), place("page-header"));
    if (room.isEntered()) {
      render(strip(room), place("strip"));
      for (const each of BELOW) if (each.draw) render(each.draw(room, account), place(each.place));
    }
    render([room.isEntered() ? boardPanel(room) : boardWaits(room), this.#seats()], place("board-panel"));
    render(this.#side(), place("side"));
    place("side").className = this.#chosen;
    if (room.isEntered()) {
      followStory(room);
      tick(room);
    }
  }

  #seats() {
    const { room, account } = this;
    if (!room.isEntered() || room.game.status !== "gathering") return nothing;
    if (SEATS.draw) return SEATS.draw(room, account);
    SEATS.rest().then((draw) => {
      SEATS.draw = draw;
      room.redraw();
    });
    return nothing;
  }

  #side() {
    if (!wide.matches) return this.#tabs(PANELS, this.#chosen);
    const below = PANELS.filter(({ narrow }) => !narrow);
    const now = below.some((panel) => panel.id === this.#chosen) ? this.#chosen : "event";
    return html`<section class="panel story" aria-label="Story">${sinceLine(this.room)} ${this.#underWay()} ${storyPanel(this.room)}</section>
      ${this.#tabs(below, now)}`;
  }

  /**
   * @param {Panel[]} panels
   * @param {string} now
   */
  #tabs(panels, now) {
    const panel = panels.find(({ id }) => id === now)?.panel;
    return html`<div class="tabbed">
      ${wide.matches ? nothing : [sinceLine(this.room), this.#underWay()]}
      <div class="tabs" role="tablist" aria-label="Panels" @keydown=${(/** @type {At<HTMLElement, KeyboardEvent>} */ event) => this.#moveFocus(event, panels, now)}>
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

  #underWay() {
    return this.room.isEntered() ? underWay(this.room) : nothing;
  }

  /** @param {string} id */
  #select(id) {
    this.#chosen = id;
    this.room.redraw();
  }

  /**
   * Go to another tab by arrow keys, Home or End.
   * @param {At<HTMLElement, KeyboardEvent>} event
   * @param {Panel[]} panels
   * @param {string} now the id of the panel that is shown
   */
  #moveFocus(event, panels, now) {
    const at = panels.findIndex((panel) => panel.id === now);
    const to = new Map([
      ["ArrowLeft", at - 1],
      ["ArrowRight", at + 1],
      ["Home", 0],
      ["End", panels.length - 1],
    ]).get(event.key);
    if (to === undefined) return;
    event.preventDefault();
    const next = panels[(to + panels.length) % panels.length].id;
    this.#select(next);
    place(`tab-${next}`).focus();
  }
}
