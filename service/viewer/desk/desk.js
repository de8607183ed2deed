/**
 * The judge's desk: one step of a game with all that is known of it, and the cases about it.
 * @module
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { accountForms } from "../parts/account-forms.js";
import { refusal } from "../parts/rule.js";
import { Account } from "../state/account.js";
import { Api, Problem } from "../state/api.js";
import { linked } from "../state/link.js";
import { takeToken } from "../state/token.js";
import { cases } from "./cases.js";
import { step } from "./step.js";

/** What the page shows, and what it can do. */
export class Desk {
  constructor() {
    this.api = new Api();
    takeToken(this.api);
    this.account = new Account(this.api);
    this.id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
    /** The version that the address names; undefined for the newest. */
    this.version = linked().version;
    /** The game, and the inspection of a step of it; null before they came. */
    this.game = null;
    this.seen = null;
    /** The newest version of the game and its hash, on which a ruling rests. */
    this.head = null;
    /** Cases in full, by id. */
    this.details = new Map();
    /** The decision that is chosen in the form of a case, by its id. */
    this.decision = new Map();
    this.problem = null;
    this.said = "";
    this.reading = 0;
  }

  /** Whether whoever looks may open a case here. */
  get mayDispute() {
    const { me } = this.account;
    return Boolean(me) && (this.isOfficial || this.game.seats.some(({ player }) => player === me.id));
  }

  get isOfficial() {
    const { me } = this.account;
    return Boolean(me) && this.game.officials.some(({ player }) => player === me.id);
  }

  /** Show the step that the address names, if it names one: a link to a part of the page does not. */
  go() {
    this.version = linked().version ?? this.version;
    this.said = "";
    this.read();
  }

  /** Read the step, and the cases about it. */
  async read() {
    const mine = ++this.reading;
    try {
      const path = `/v1/games/${this.id}`;
      const game = await this.api.get(path);
      const seen = await this.api.get(`${path}/inspection`, { version: this.version });
      const { items } = await this.api.get(`${path}/events`, { after: game.version - 1, limit: 1 });
      const found = await Promise.all(seen.cases.map((each) => this.api.get(`/v1/cases/${each.case}`)));
      if (mine !== this.reading) return;
      this.problem = null;
      this.game = game;
      this.seen = seen;
      this.head = items.length ? { version: items[0].version, hash: items[0].hash } : null;
      this.details = new Map(found.map((detail) => [detail.summary.case, detail]));
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (mine !== this.reading) return;
      this.problem = problem;
    }
    this.redraw();
  }

  decide(id, decision) {
    this.decision.set(id, decision);
    this.redraw();
  }

  /** Send a form, and read all anew. */
  async send(form, path, body, said) {
    try {
      await this.api.post(path, body, { "Idempotency-Key": (form.dataset.key ??= key()) });
      delete form.dataset.key;
      form.reset();
      this.said = said;
      await this.read();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.status) delete form.dataset.key; // else it may have arrived: the same key finds out
      this.said = "";
      this.problem = problem;
      this.redraw();
    }
  }

  redraw() {
    const { game, seen, problem } = this;
    document.title = `${game?.title || "A game"} · the desk · Tabularium`;
    render(header(this), document.getElementById("page-header"));
    render(
      html`<div aria-live="polite">${this.said ? html`<p class="outcome">${this.said}</p>` : nothing}</div>
        ${problem ? (game ? refusal(this, problem) : html`<p class="problem" role="alert">${problem.message}</p>`) : nothing}
        ${seen ? html`<div class="step">${step(this)}</div><div class="court">${cases(this)} ${who(this)}</div>` : nothing}`,
      document.getElementById("desk"),
    );
  }
}

function header({ game, seen, id }) {
  return html`<a class="home" href="/"><img src="/favicon.ico" alt="" width="22" height="22" /><span>Tabularium</span></a>
    <h1>The desk: ${game?.title || "a game"}</h1>
    ${seen
      ? html`<nav aria-label="Steps">
          ${seen.before ? html`<a href="#v=${seen.before}" rel="prev">Step before</a>` : nothing}
          <form @submit=${goTo}><label>Version <input name="version" type="number" min="1" max=${game.version} .value=${`${seen.version}`} required /></label> <button>Show</button></form>
          ${seen.after < game.version ? html`<a href="#v=${seen.after + 1}" rel="next">Step after</a>` : nothing}
        </nav>`
      : nothing}
    <a class="docs" href="/games/${id}${seen ? `#v=${seen.version}` : ""}">To the game</a>`;
}

function goTo(event) {
  event.preventDefault();
  location.hash = `v=${new FormData(event.target).get("version")}`;
}

function who({ account, game, seen }) {
  const hides = game.status === "running" && seen.command && !seen.alternatives;
  return html`<section aria-labelledby="account">
    <h2 id="account">Who looks</h2>
    ${hides ? html`<p>You see what your seat or a spectator may see. Officials see everything.</p>` : nothing}
    ${accountForms(account)}
  </section>`;
}

function key() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const desk = new Desk();
let token = desk.api.token;
desk.account.addEventListener("change", () => {
  if (desk.api.token !== token) desk.read();
  token = desk.api.token;
  desk.redraw();
});
addEventListener("hashchange", () => desk.go());
desk.account.read();
desk.read();
