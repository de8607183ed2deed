/**
 * Accounts: who the token of this tab belongs to, how to open an account, and the tokens that this browser keeps.
 * @module
 */

import { keep, kept, onChange, refuse, remove } from "./device.js";

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
    /** A token that was made just now: nobody has a copy of it yet. */
    this.fresh = "";
    /** A token that somebody wants to remove from this browser, and has not yet said that they are sure. */
    this.removing = "";
    /** Whether this browser keeps the token. */
    this.isKept = false;
    this.said = "";
    this.copied = "";
    onChange(() => this.#isGone() ? this.use("") : this.#say(this.said));
  }

  /** The accounts that this browser keeps, besides the one that is used. @returns {import("./device.js").Kept[]} */
  get others() {
    return kept().filter(({ token }) => token !== this.api.token);
  }

  /** Ask whose the token is. @returns {Promise<boolean>} whether it is anybody's */
  async read() {
    this.me = null;
    this.isUnknown = Boolean(this.api.token);
    this.said = "";
    try {
      if (this.api.token) this.me = await this.api.get("/v1/players/me");
      if (this.me) this.isKept = keep({ token: this.api.token, name: this.me.name });
    } catch (problem) {
      this.said = problem.message;
      if (problem.status === 401) {
        refuse(this.api.token);
        this.api.token = "";
      }
    }
    this.isUnknown = false;
    this.dispatchEvent(new Event("change"));
    return this.me !== null;
  }

  /** Use a token from now on; the one before stays when this is nobody's. */
  async use(token) {
    const before = this.api.token;
    this.api.token = token;
    this.removing = "";
    this.copied = "";
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

  /** Ask whether a token is really to be removed from this browser; empty for no. */
  askToRemove(token) {
    this.removing = token;
    this.#say("");
  }

  /** Remove the token that was asked for. Whoever has no copy of it has lost it. */
  async remove() {
    const token = this.removing;
    this.removing = "";
    remove(token);
    if (token === this.api.token) await this.use("");
    else this.#say("");
  }

  /** Put a token on the clipboard, which pages have on HTTPS only. */
  async copy(token) {
    const isCopied = await (async () => navigator.clipboard.writeText(token))().then(() => true, () => false);
    this.copied = isCopied ? "Copied" : "Select the token and copy it";
    this.#say(this.said);
  }

  /** Whether another tab has removed the token that this tab looks with. */
  #isGone() {
    return this.isKept && this.me !== null && !kept().some(({ token }) => token === this.api.token);
  }

  #say(words) {
    this.said = words;
    this.dispatchEvent(new Event("change"));
  }
}
