/**
 * Accounts: who is signed in in this tab, how a browser is signed in and out, and the ways back into an account.
 * @module
 */

/**
 * @import { Body, Me, Session } from "../types.js"
 * @import { Api } from "./api.js"
 * @import { Kept } from "./device.js"
 */

import { problemOf } from "./api.js";
import { kept, noteSession, onChange, refuse, remove } from "./device.js";

/** The account of this tab. Says "entered" when it is another one than before, and "change" when anything has changed. */
export class Account extends EventTarget {
  /** @param {Api} api */
  constructor(api) {
    super();
    this.api = api;
    /** The account in this tab, as `GET /v1/players/me` shows it; null for a spectator. @type {Me | null} */
    this.me = null;
    /** The account of this browser's session; null for none. This tab may use a token, or be a spectator, instead. @type {Me | null} */
    this.home = null;
    /** Whether the account of this browser has a way back besides tokens, such as a passkey or recovery codes. */
    this.lasting = false;
    /**
     * The provider through which people can sign in here, and whether it knows the account of this browser; or null.
     * @type {Session["provider"]}
     */
    this.provider = null;
    /** Whether the service has not answered yet who is signed in. */
    this.isUnknown = true;
    /** A token that was made just now, to be kept elsewhere: nobody has a copy of it yet. */
    this.fresh = "";
    /** A token that an earlier version of this page kept, and that is removed when somebody confirms it. */
    this.removing = "";
    /** Whether somebody wants to sign out and has not confirmed it yet. */
    this.isLeaving = false;
    this.message = "";
    this.copied = "";
    onChange((isSession) => (isSession && this.api.token === null ? this.#become(null) : this.#say(this.message)));
  }

  /** The accounts whose tokens an earlier version of this page kept here. @returns {Kept[]} */
  get others() {
    return kept().filter(({ token }) => token !== this.api.token);
  }

  /** Ask the service who is signed in. A token that it does not know is not used any more. */
  async read() {
    const { token } = this.api;
    if ((await this.#look()) || !token || this.api.token === token) return;
    this.dispatchEvent(new Event("entered"));
    this.#say(this.message);
  }

  /** Ask the service who is signed in. @returns {Promise<boolean>} false when that failed: `message` says why */
  async #look() {
    const { api } = this;
    // A visitor stays a visitor while signing in: a button that is disabled meanwhile could not get the focus back.
    this.isUnknown ||= this.me !== null;
    this.me = null;
    this.message = "";
    try {
      const session = await api.session();
      this.#note(session);
      noteSession(session.player?.id ?? null);
      if (api.token) this.me = await api.get("/v1/players/me");
      if (this.me) await this.#settle();
      if (api.token === null) this.me = this.home;
    } catch (error) {
      const problem = problemOf(error);
      this.message = problem.message;
      if (problem.status === 401) {
        if (api.token) refuse(api.token);
        api.token = null;
        this.me = this.home;
      }
    }
    this.isUnknown = false;
    this.dispatchEvent(new Event("change"));
    return !this.message;
  }

  /** Make the tab's token the browser's session, unless the browser has a session or the token may not begin one. */
  async #settle() {
    const { api, me } = this;
    if (this.home || !me?.scopes.includes("account")) return;
    const session = await api.session("POST", {}, api.token);
    this.#note(session);
    if (api.token) remove(api.token);
    api.token = null;
    noteSession(session.player?.id ?? null);
  }

  /** @param {Session} session */
  #note({ player, lasting, provider }) {
    Object.assign(this, { home: player, lasting, provider });
  }

  /**
   * Use a token from now on; an empty one makes a spectator. When that fails, the tab goes back to its token of before.
   * @param {string} token
   */
  async use(token) {
    const before = this.api.token;
    if (await this.#become(token)) return true;
    const { message } = this;
    this.api.token = before;
    await this.#look();
    this.#say(message);
    return false;
  }

  /** Use the session of this browser. */
  async goHome() {
    await this.#become(null);
  }

  /** @param {string | null} token */
  async #become(token) {
    this.api.token = token;
    this.removing = this.fresh = this.copied = "";
    this.isLeaving = false;
    if (!(await this.#look())) return false;
    this.dispatchEvent(new Event("entered"));
    this.dispatchEvent(new Event("change"));
    return true;
  }

  /** Open an account for a guest, and sign this browser in to it. A name is optional. @param {string} name */
  async open(name) {
    return this.#signIn(() => this.api.session("POST", name ? { name } : {}));
  }

  /** Sign this browser in by a passkey of this device. */
  async usePasskey() {
    return this.#signIn(async () => (await import("./passkeys.js")).signIn(this.api));
  }

  /** Sign this browser in by a recovery code, which is then used up. @param {string} code */
  async useCode(code) {
    return this.#signIn(() => this.api.session("POST", { code }, null, "/recovery-code"));
  }

  /**
   * Leave for the provider, to sign in there, or to let it sign in to the account of this browser from now on. Throws a
   * `Problem`.
   * @param {boolean} leave whether the session of this browser may end if the person has another account
   */
  async goToProvider(leave = false) {
    const { address } = await this.api.session("POST", { leave }, null, "/provider");
    (await import("./return.js")).keepPlace();
    location.assign(address);
  }

  /** Leave for the provider to sign in there, or say why that is not possible. */
  async useProvider() {
    try {
      await this.goToProvider();
    } catch (error) {
      const problem = problemOf(error);
      this.#say(problem.message);
    }
  }

  /**
   * Bring the provider's answer to the service, which signs this browser in. Throws a `Problem`.
   * @param {Body<"/v1/session/provider/answer", "post">} given
   */
  async finishAtProvider(given) {
    const { player } = await this.api.session("POST", given, null, "/provider/answer");
    this.api.token = null;
    noteSession(player?.id ?? null);
  }

  /** Let the provider no longer sign in to the account of this browser. Throws a `Problem`. */
  async unlink() {
    await this.api.delete("/v1/session/provider");
    await this.read();
  }

  /** @param {() => Promise<Session>} ask */
  async #signIn(ask) {
    try {
      const { player } = await ask();
      noteSession(player?.id ?? null);
      await this.goHome();
      return true;
    } catch (error) {
      const problem = problemOf(error);
      this.#say(`${problem.message} ${problem.problem?.allowed ?? ""}`.trim());
      return false;
    }
  }

  /** Make a token with all scopes that this tab has, for the person to keep elsewhere. */
  async makeToken() {
    try {
      const { token } = await this.api.post("/v1/tokens", { name: "kept by me", scopes: this.me?.scopes ?? [] });
      this.fresh = token;
      this.copied = "";
      this.#say("");
    } catch (error) {
      const problem = problemOf(error);
      this.#say(problem.message);
    }
  }

  /** Sign out; first ask a player who may have no way back whether they are sure. `false` ends the question. */
  askToLeave(isLeaving = true) {
    if (isLeaving && this.lasting) return this.leave();
    this.isLeaving = isLeaving;
    this.#say("");
  }

  /** Sign this browser out. An account without another way back is lost. */
  async leave() {
    try {
      // This comes first: a person who closes the page at once is signed out, too.
      await this.api.session("DELETE");
      // With the session, the service forgets this browser's subscription. The browser forgets it, too.
      await import("./devices.js").then(({ unsubscribe }) => unsubscribe()).catch(() => {});
    } catch (error) {
      const problem = problemOf(error);
      this.#say(problem.message);
      return;
    }
    noteSession(null);
    await this.goHome();
  }

  /** Ask whether to remove a token that is kept here; an empty text ends the question. @param {string} token */
  askToRemove(token) {
    this.removing = token;
    this.#say("");
  }

  /** Remove the token that `askToRemove` asked about. */
  async remove() {
    const token = this.removing;
    this.removing = "";
    remove(token);
    this.#say("");
  }

  /** Put a token on the clipboard. Browsers allow that only on HTTPS and localhost. @param {string} token */
  async copy(token) {
    const isCopied = await (async () => navigator.clipboard.writeText(token))().then(
      () => true,
      () => false,
    );
    this.copied = isCopied ? "Copied" : "Select the token and copy it";
    this.#say(this.message);
  }

  /** @param {string} words */
  #say(words) {
    this.message = words;
    this.dispatchEvent(new Event("change"));
  }
}
