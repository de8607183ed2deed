/**
 * Accounts: who the token of this tab belongs to, and how to open an account.
 * @module
 */

import { html, nothing } from "./vendor/lit-html.js";

/** Whose token it is. Says "change" when that changes. */
export class Account extends EventTarget {
  /** @param {import("./api.js").Api} api */
  constructor(api) {
    super();
    this.api = api;
    /** Who it is, as `GET /v1/players/me` says: null for nobody. */
    this.me = null;
    /** Whether that is still to be seen: a token is there, and whose it is was not answered yet. */
    this.isUnknown = Boolean(api.token);
    /** A token that was made just now: it is shown this once. */
    this.fresh = "";
    this.said = "";
  }

  /** Ask whose the token is. @returns {Promise<boolean>} whether it is anybody's */
  async read() {
    this.me = null;
    this.isUnknown = Boolean(this.api.token);
    this.said = "";
    try {
      if (this.api.token) this.me = await this.api.get("/v1/players/me");
    } catch (problem) {
      this.said = problem.message;
      if (problem.status === 401) this.api.token = "";
    }
    this.isUnknown = false;
    this.dispatchEvent(new Event("change"));
    return this.me !== null;
  }

  /** Use a token from now on; the one before stays when this is nobody's. */
  async use(token) {
    const before = this.api.token;
    this.api.token = token;
    if (token !== this.fresh) this.fresh = "";
    if ((await this.read()) || !token) return true;
    const { said } = this;
    this.api.token = before;
    await this.read();
    this.#say(said);
    return false;
  }

  /** Open an account, and use its token. */
  async open(name) {
    try {
      const { token } = await this.api.post("/v1/players", { name });
      this.fresh = token;
      return await this.use(token);
    } catch (problem) {
      this.#say(`${problem.message} ${problem.problem?.allowed ?? ""}`);
      return false;
    }
  }

  #say(words) {
    this.said = words;
    this.dispatchEvent(new Event("change"));
  }
}

/**
 * Forms for whoever has no token in this tab, and what there is to say to whoever has one.
 * @param {Account} account
 */
export function accountForms(account) {
  const { me, fresh, said } = account;
  const alert = said ? html`<p class="problem" role="alert">${said}</p>` : nothing;
  if (me) {
    return html`<p>You are <strong>${me.name}</strong> in this tab.</p>
      ${fresh ? html`<p>Your token, shown this once. Keep it: nobody can give it to you again.
        <code class="token" tabindex="0">${fresh}</code></p>` : nothing} ${alert}`;
  }
  const submit = (act) => (event) => {
    event.preventDefault();
    act(new FormData(event.target).get("given").trim());
  };
  return html`${alert}
    <form @submit=${submit((name) => account.open(name))}>
      <label for="name">Your name</label>
      <div class="line"><input id="name" name="given" autocomplete="nickname" maxlength="80" required />
        <button type="submit">Open an account</button></div>
    </form>
    <form @submit=${submit((token) => account.use(token))}>
      <label for="token">or the token you have</label>
      <div class="line"><input id="token" name="given" type="password" autocomplete="off" spellcheck="false" required />
        <button type="submit">Use this token</button></div>
      <p class="hint">It stays in this tab, and is sent to this service only.</p>
    </form>`;
}
