/**
 * The part of the account page that joins two accounts of one person. The account that stays gets a code. The person
 * enters it in the other account, sees what will happen, and confirms it there.
 * @module
 */

/** @import { Answer, Me, Player, Submitted } from "../types.js" */

import { html, nothing } from "../vendor/lit-html.js";
import { clock, count } from "../parts/format.js";
import { textIn } from "../parts/given.js";

/** @typedef {import("../state/account.js").Account} Account */
/** @typedef {Answer<"/v1/joinings/plan", "post">} Plan */
/** @typedef {Answer<"/v1/joinings/code", "post">} Code */
/** @typedef {(what: (given: FormData) => Promise<string>) => (event: Submitted) => void} Act */

/** The section of the account page, and its state. */
export class Joining {
  /** The accounts that were joined with this one. @type {{at: string, player: Player}[]} */
  joined = [];
  /** The code that this account got; null before. @type {Code | null} */
  code = null;
  /** What joining this account would do, by the code that was entered. @type {{code: string, plan: Plan} | null} */
  planned = null;

  /**
   * @param {Account} account
   * @param {Act} act
   */
  constructor(account, act) {
    this.account = account;
    this.act = act;
  }

  /** Read which accounts were joined with this one. */
  async read() {
    const api = this.account.api;
    const { items } = await api.get("/v1/joinings");
    const mine = items.filter((each) => each.kept === this.account.me?.id);
    this.joined = await Promise.all(
      mine.map(async ({ at, account }) => ({ at, player: await api.get(`/v1/players/${account}`) })),
    );
  }

  /** Forget everything: another account has signed in. */
  forget() {
    this.code = this.planned = null;
    this.joined = [];
  }

  /** The section of the account page for joining. @param {Me} me */
  part(me) {
    if (this.account.api.token || me.bot || !me.scopes.includes("account")) return nothing;
    return html`<section aria-labelledby="joining-title"><h2 id="joining-title">Two accounts of yours</h2>
      ${this.joined.length ? html`<ul aria-label="Joined accounts">${this.joined.map(({ at, player }) => html`<li><a href="/players/${player.id}">${player.name}</a> <span class="quiet">joined with this account ${clock(at)}</span> <a href="/v1/players/me/data?account=${player.id}" download>Download its data</a></li>`)}</ul>` : nothing}
      <p>If you have another account here, you can join the two. One stays. The other does nothing more.</p>
      ${this.codePart()}
      <details class="sure"><summary>Keep this account …</summary>${this.keep(me)}</details>
      <details class="sure" ?open=${this.planned !== null}><summary>Keep the other account …</summary>${this.planned ? this.confirm(me, this.planned) : this.enter(me)}</details></section>`;
  }

  codePart() {
    return this.code
      ? html`<code class="token" tabindex="0" aria-label="Your code">${this.code.code}</code>
        <p class="hint">Good once, until ${clock(this.code.ends)}. Sign in to your other account, here or in another browser, and
          enter it on its account page. Give it to nobody.</p>`
      : nothing;
  }

  /** @param {Me} me */
  keep(me) {
    return html`<p>You get a code for ten minutes, which you enter in your other account. Its seats in games that
        are not over pass to ${me.name}.</p>
      <form @submit=${this.act(async () => {
        this.code = await this.account.api.post("/v1/joinings/code");
        return "Your code is shown";
      })}><button>Get a code</button></form>`;
  }

  /** @param {Me} me */
  enter(me) {
    return html`<p>Enter the code that you got in your other account. <strong>If somebody else gave you a code, do not enter
        it:</strong> they would get what ${me.name} plays.</p>
      <form @submit=${this.act(async (given) => {
        const code = textIn(given, "code");
        this.planned = { code, plan: await this.account.api.post("/v1/joinings/plan", { code }) };
        return "See what would happen";
      })}>
        <label for="joining-code">The code</label>
        <div class="line"><input id="joining-code" name="code" maxlength="100" required autocomplete="off" /><button>See what happens</button></div>
      </form>`;
  }

  /**
   * @param {Me} me
   * @param {{code: string, plan: Plan}} planned
   */
  confirm(me, { code, plan }) {
    const { kept, games } = plan;
    const seats = games.filter((each) => each.seat !== null);
    return html`<p><strong>${kept.name}</strong> stays. <strong>${me.name}</strong> does nothing more, for good:</p>
      <ul>
        <li>Nobody signs in to ${me.name} any more. Its passkeys, recovery codes, tokens, apps and webhooks end.</li>
        <li>${seats.length ? html`${kept.name} takes over ${count(seats.length, "seat")}: ${seats.map((each, at) => html`${at ? ", " : ""}<a href="/games/${each.id}">${each.title || "a game"}</a>`)}.` : html`No seat passes: ${me.name} holds none in a game that goes on.`}</li>
        <li>What ${me.name} played, and its ratings, stay where they are. They are not added to those of ${kept.name}.</li>
        <li>Everybody sees that ${me.name} was joined with ${kept.name}.</li>
      </ul>
      <p><strong>Is <a href="/players/${kept.id}">${kept.name}</a> not yours? Then stop here.</strong> You could not take it back.</p>
      <form @submit=${this.act((given) => this.join(me, given, code, kept))}>
        <label for="joining-name">To confirm, type the name ${me.name}</label>
        <div class="line"><input id="joining-name" name="name" required autocomplete="off" /><button>Join ${me.name} with ${kept.name}</button></div>
      </form>
      <form @submit=${this.act(async () => {
        this.planned = null;
        return "Nothing happened";
      })}><button>Stop</button></form>`;
  }

  /**
   * @param {Me} me
   * @param {FormData} given
   * @param {string} code
   * @param {Player} kept
   */
  async join(me, given, code, kept) {
    if (textIn(given, "name") !== me.name)
      throw new Error(`The account is called ${me.name}. Type this name to join it.`);
    await this.account.api.post("/v1/joinings", { code, confirm: me.id });
    await this.account.leave();
    return `${me.name} was joined with ${kept.name}. Sign in to ${kept.name}`;
  }
}
