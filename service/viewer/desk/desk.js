/**
 * The judge's desk: one step of a game with all that is known of it, and the cases about it.
 * @module
 */

/** @import { CaseDetail, CaseSummary, Game, GameSummary, Inspection, Player, Submitted } from "../types.js" */

import { html, nothing, render } from "../vendor/lit-html.js";
import { accountForms } from "../parts/account-forms.js";
import { gameTitle } from "../parts/format.js";
import { refusal } from "../parts/rule.js";
import { Account } from "../state/account.js";
import { Api, Problem, newKey } from "../state/api.js";
import { linked } from "../state/link.js";
import { takeToken } from "../state/token.js";
import { cases } from "./cases.js";
import { officials } from "./officials.js";
import { step } from "./step.js";

/**
 * A desk whose game and step were read.
 * @typedef {Desk & {game: Game, seen: Inspection}} OpenDesk
 */

/** The state of the page, and its requests. */
export class Desk {
  constructor() {
    this.api = new Api();
    takeToken(this.api);
    this.account = new Account(this.api);
    this.id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
    /** The version that the address names; undefined for the newest. */
    this.version = linked().version;
    /** The game; null before it is loaded. @type {Game | null} */
    this.game = null;
    /** The step that is shown, as the service sees it; null before it is loaded. @type {Inspection | null} */
    this.seen = null;
    /** The newest version of the game and its hash, on which a ruling rests. @type {{version: number, hash: string} | null} */
    this.head = null;
    /** The forks that were made to continue the game. @type {GameSummary[]} */
    this.continuations = [];
    /** Cases in full, by id. @type {Map<string, CaseDetail>} */
    this.details = new Map();
    /** The decision that is chosen in each form for a ruling, by the id of the case. @type {Map<string, string>} */
    this.decision = new Map();
    /** All cases of the game. @type {CaseSummary[]} */
    this.all = [];
    /** The players who have the name that was searched for, when there are several. @type {Player[]} */
    this.found = [];
    /** The last refusal. @type {Problem | null} */
    this.problem = null;
    /** Where the page shows the refusal: the id of a case, "dispute" or "officials"; "" for the top of the page. */
    this.about = "";
    /** What was done last, for the top of the page. */
    this.message = "";
    /** The number of the last reading: what an earlier one finds is dropped. */
    this.reading = 0;
  }

  /** Tell whether there is a step to be shown. @returns {this is OpenDesk} */
  isOpen() {
    return this.game !== null && this.seen !== null;
  }

  /** Whether the viewer of the page may open a case here. */
  get mayDispute() {
    const { me } = this.account;
    return Boolean(me) && (this.isOfficial || this.seat !== null);
  }

  /** The seat of the viewer of the page. */
  get seat() {
    const { me } = this.account;
    return (me && this.game?.seats.find(({ player }) => player === me.id)?.seat) ?? null;
  }

  get isOrganizer() {
    const { me } = this.account;
    return me !== null && this.game?.organizer === me.id;
  }

  /** Whether the viewer of the page may remove the text of a statement. */
  get mayErase() {
    return this.isOfficial || Boolean(this.account.me?.scopes.includes("admin"));
  }

  get isOfficial() {
    const { me } = this.account;
    return me !== null && Boolean(this.game?.officials.some(({ player }) => player === me.id));
  }

  /** Show the step in the address. An address without a version (a link to a section) keeps the current step. */
  go() {
    this.version = linked().version ?? this.version;
    this.message = "";
    this.read();
  }

  /** Read the step, and the cases about it. */
  async read() {
    const mine = ++this.reading;
    try {
      const { api, id } = this;
      const game = await api.get(`/v1/games/${id}`);
      const seen = await api.get(`/v1/games/${id}/inspection`, { version: this.version });
      const { items } = await api.get(`/v1/games/${id}/events`, { after: game.version - 1, limit: 1 });
      const { items: all } = await api.get(`/v1/games/${id}/cases`, { limit: 100 });
      const found = await Promise.all(seen.cases.map((each) => this.detail(each.case)));
      const forks = game.status === "over" ? (await api.get(`/v1/games/${id}/forks`)).items : [];
      if (mine !== this.reading) return;
      this.problem = null;
      this.game = game;
      this.all = all;
      this.seen = seen;
      this.head = items.length ? { version: items[0].version, hash: items[0].hash } : null;
      this.continuations = forks.filter(
        ({ fork, status }) => fork?.purpose === "continuation" && status !== "cancelled",
      );
      this.details = new Map(found.map((/** @type {CaseDetail} */ detail) => [detail.summary.case, detail]));
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (mine !== this.reading) return;
      this.problem = problem;
      this.about = "";
    }
    this.redraw();
  }

  /** Read a case with all pages of its statements. @param {string} id */
  async detail(id) {
    const found = await this.api.get(`/v1/cases/${id}`);
    for (let { next } = found; next; ) {
      const more = await this.api.get(`/v1/cases/${id}`, { after: next });
      found.statements.push(...more.statements);
      next = more.next;
    }
    return found;
  }

  /**
   * @param {string} id
   * @param {string} decision
   */
  decide(id, decision) {
    this.decision.set(id, decision);
    this.redraw();
  }

  /** Make a fork in which the game can go on from before the step. */
  async makeContinuation() {
    try {
      await this.api.post(
        `/v1/games/${this.id}/forks`,
        { version: this.seen?.before ?? 1, purpose: "continuation" },
        { "Idempotency-Key": newKey() },
      );
      await this.read();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.problem = problem;
      this.about = "";
      this.redraw();
    }
  }

  /** Return the players of a name, and show them if there are several; null if none was found or the search failed. @param {string} name */
  async search(name) {
    this.found = [];
    this.problem = null;
    this.about = "officials";
    try {
      const { items } = await this.api.get("/v1/players/search", { name });
      if (!items.length)
        throw new Problem(
          {
            title: "Nobody was found",
            detail: `No player who can be found is called ${name}.`,
            allowed: "Ask them for the address of their page: it is on /account.",
          },
          404,
        );
      this.found = items.length > 1 ? items : [];
      this.redraw();
      return items;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.problem = problem;
      this.redraw();
      return null;
    }
  }

  /**
   * Send a form, and read the whole page again.
   * @param {HTMLFormElement} form
   * @param {(headers: Record<string, string>) => Promise<unknown>} act
   * @param {string} message what the page says after success
   * @param {string} about where on the page a refusal is shown
   */
  async send(form, act, message, about) {
    form.dataset.key ??= newKey();
    const headers = { "Idempotency-Key": form.dataset.key };
    this.about = about;
    try {
      await act(headers);
      delete form.dataset.key;
      form.reset();
      form.closest("details.writing")?.removeAttribute("open");
      this.message = message;
      this.found = [];
      await this.read();
      // The button may be gone. Move the focus to the message, so that keyboard users keep their place.
      document.getElementById("said")?.focus();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      // Without an answer the request may have arrived: sending it again with the same key is safe.
      if (problem.status) delete form.dataset.key;
      this.message = "";
      this.problem = problem;
      this.redraw();
    }
  }

  redraw() {
    const { game, problem } = this;
    document.title = `${game ? gameTitle(game) : "A game"} · the desk · Tabularium`;
    render(header(this), /** @type {HTMLElement} */ (document.getElementById("page-header")));
    render(
      html`<div aria-live="polite">${this.message ? html`<p class="outcome done" id="said" tabindex="-1">${this.message}</p>` : nothing}</div>
        ${problem && !this.about ? (this.isOpen() ? refusal(this, problem) : html`<p class="problem" role="alert">${problem.message}</p>`) : nothing}
        ${this.isOpen() ? html`<div class="step">${step(this)}</div><div class="court">${cases(this)} ${officials(this)} ${yourAccount(this)}</div>` : nothing}`,
      /** @type {HTMLElement} */ (document.getElementById("desk")),
    );
  }
}

/** @param {Desk} desk */
function header({ game, seen, id }) {
  return html`<a class="home" href="/"><img src="/favicon.ico" alt="" width="22" height="22" /><span>Tabularium</span></a>
    <h1>The desk: ${game ? gameTitle(game) : "a game"}</h1>
    ${
      seen
        ? html`<nav aria-label="Steps">
          ${seen.before ? html`<a href="#v=${seen.before}" rel="prev">Step before</a>` : nothing}
          <form @submit=${goTo}><label>Version <input name="version" type="number" min="1" max=${game?.version} .value=${`${seen.version}`} required /></label> <button>Show</button></form>
          ${seen.after < (game?.version ?? 0) ? html`<a href="#v=${seen.after + 1}" rel="next">Step after</a>` : nothing}
        </nav>`
        : nothing
    }
    <a class="docs" href="/games/${id}${seen ? `#v=${seen.version}` : ""}">To the game</a>`;
}

/** @param {Submitted} event */
function goTo(event) {
  event.preventDefault();
  location.hash = `v=${new FormData(event.target).get("version")}`;
}

/** @param {OpenDesk} desk */
function yourAccount({ account, game, seen }) {
  const hides = game.status === "running" && seen.command && !seen.alternatives;
  return html`<section aria-labelledby="account">
    <h2 id="account">Your account</h2>
    ${hides ? html`<p>You see what your seat or a spectator may see. Officials see everything.</p>` : nothing}
    ${accountForms(account)}
  </section>`;
}

const desk = new Desk();
desk.account.addEventListener("entered", () => desk.read());
desk.account.addEventListener("change", () => desk.redraw());
addEventListener("hashchange", () => desk.go());
desk.account.read();
desk.read();
