/**
 * The inbox of the account of this tab. All tabs of a browser share one stream, because a browser gives them six
 * connections together, and each game takes one. The tab that holds a lock has the stream, and tells the others. A
 * browser has locks only on HTTPS and localhost. Without them, each tab asks now and then.
 * @module
 */

/**
 * @import { InboxState, Me, Notification } from "../types.js"
 * @import { Api } from "./api.js"
 */

import { Newest, pause } from "./api.js";

const AGAIN = 20_000; // Milliseconds between two requests of a visible page without locks.
const HIDDEN = 60_000; // The same for a hidden page, whose tab shows the count.
const SILENT = 60_000; // A tab that has heard nothing for so long asks: the tab with the stream may be asleep.
const HELLO = 1000; // A new tab waits so long for the others to answer.
const SHOWN = 20;
const GAME = "tabularium-game"; // Each tab with a game holds this lock, together with the others.
const GAMES = 3; // Up to this many tabs with a game leave connections for the stream and for requests.

/**
 * A message between tabs: what waits, "here" from the tab with the stream, or "new" from a new tab.
 * @typedef {{state: InboxState, unread: Notification[]} | "here" | "new"} Message
 */

/** What waits for an account. Says "change". */
export class Inbox extends EventTarget {
  #timer = 0;
  #newest = new Newest();
  /** @type {string | null} */
  #owner = null;
  /**
   * The game that somebody looks at, and the version up to which they have seen it. Notifications about it count as
   * read.
   */
  #looked = { game: "", version: 0 };
  #isMarking = false;
  /** Ends all requests for the owner. */
  #end = new AbortController();
  /** @type {BroadcastChannel | null} */
  #others = null;
  /** Whether this tab leads: it has the stream, or would open it if a connection were free. */
  #leads = false;
  /** Ends the stream while games need the connections. */
  #stream = new AbortController();

  /** @param {Api} api */
  constructor(api) {
    super();
    this.api = api;
    /** @type {InboxState | null} */
    this.state = null;
    /** What is not read, the newest first. @type {Notification[]} */
    this.unread = [];
    document.addEventListener("visibilitychange", () => document.hidden || this.#wake());
  }

  /** Show the inbox of somebody; null for nobody. @param {Me | null} player */
  belongTo(player) {
    const owner = player?.scopes.includes("notify") ? player.id : null;
    if (owner === this.#owner) return;
    this.#end.abort();
    this.#others?.close();
    clearTimeout(this.#timer);
    this.#newest.begin();
    this.#owner = owner;
    this.#end = new AbortController();
    this.#leads = false;
    Object.assign(this, { state: null, unread: [] });
    if (owner) this.#join(owner, this.#end.signal);
    this.dispatchEvent(new Event("change"));
  }

  /** Note that somebody looks at a game. @param {string} game @param {number} version */
  look(game, version) {
    if (!this.#looked.game) {
      navigator.locks?.request(GAME, { mode: "shared" }, () => new Promise(() => {}));
      this.#others?.postMessage("new");
    }
    this.#looked = { game, version };
    this.#readLooked();
  }

  /** Ask the service, and tell the other tabs. */
  async read() {
    const isNewest = this.#newest.begin();
    if (!this.#owner) return;
    try {
      const page = await this.api.get("/v1/notifications", { unread: "true", limit: SHOWN });
      if (!isNewest()) return;
      this.#share({ state: page.state, unread: page.items });
    } catch {
      // Then it stays as it is until the next time.
    }
    if (isNewest()) this.#later();
  }

  /** Mark all notifications as read, up to the newest that is shown. */
  async readAll() {
    if (!this.unread.length) return;
    await this.api.post("/v1/notifications/read", { upto: this.unread[0].id });
    await this.read();
  }

  /** Mark the notifications about the same case, tournament or game as read. @param {Notification} notification */
  async readOne({ game, case: id, tournament, version }) {
    const about = id ? { case: id } : tournament ? { tournament } : game ? { game } : {};
    await this.api.post("/v1/notifications/read", { ...about, version });
    await this.read();
  }

  /** Share the inbox of an account with the other tabs. @param {string} owner @param {AbortSignal} signal */
  #join(owner, signal) {
    this.#others = new BroadcastChannel(`tabularium-inbox-${owner}`);
    this.#others.onmessage = (/** @type {MessageEvent<Message>} */ { data }) => this.#hear(data);
    if (!navigator.locks) {
      this.read();
      return;
    }
    this.#others.postMessage("new");
    this.#later(HELLO);
    // Rejects when the account leaves before this tab gets the lock.
    navigator.locks.request(`tabularium-inbox-${owner}`, { signal }, () => this.#lead(signal)).catch(() => {});
  }

  /** Keep the stream open until the account leaves. @param {AbortSignal} signal */
  async #lead(signal) {
    clearTimeout(this.#timer);
    this.#leads = true;
    while (!signal.aborted) {
      this.#stream = new AbortController();
      if (await isCrowded()) await this.read();
      else {
        const stop = AbortSignal.any([signal, this.#stream.signal]);
        await this.api.followInbox(
          (state) => this.#receive(state),
          () => this.#others?.postMessage("here"),
          stop,
        );
        if (this.#stream.signal.aborted) continue; // Games need the connections: look again.
      }
      await pause(AGAIN, signal);
    }
  }

  /** Take in a state that the stream sent. @param {InboxState} state */
  #receive(state) {
    const before = this.state;
    const isSame = before?.unread === state.unread && before.newest === state.newest;
    if (state.unread && !isSame) this.read();
    else this.#share({ state, unread: state.unread ? this.unread : [] });
  }

  /** Take in a message of another tab. @param {Message} message */
  #hear(message) {
    if (message === "new") {
      if (this.state && this.#leads) this.#others?.postMessage({ state: this.state, unread: this.unread });
      if (this.#leads) isCrowded().then((crowded) => crowded && this.#stream.abort());
    } else {
      if (message !== "here") {
        this.#newest.begin(); // An answer to an earlier request is older than this.
        this.#take(message);
      }
      this.#later();
    }
  }

  /** Take in what waits, and tell the other tabs. @param {Exclude<Message, string>} known */
  #share(known) {
    this.#others?.postMessage(known);
    this.#take(known);
  }

  /** @param {Exclude<Message, string>} known */
  #take(known) {
    Object.assign(this, known);
    this.#readLooked();
    this.dispatchEvent(new Event("change"));
  }

  /** Ask the service after a while, unless another tab shares the answer before. @param {number} [milliseconds] */
  #later(milliseconds = navigator.locks ? SILENT : document.hidden ? HIDDEN : AGAIN) {
    clearTimeout(this.#timer);
    if (!this.#leads) this.#timer = setTimeout(() => this.read(), milliseconds);
  }

  /** Catch up when somebody looks at this tab again. */
  #wake() {
    if (!navigator.locks) this.read();
    else this.#readLooked();
  }

  /** Mark the notifications about the game that somebody looks at as read. */
  async #readLooked() {
    const { game, version } = this.#looked;
    const isUnread = this.unread.some((each) => each.game === game && !each.case && each.version <= version);
    if (document.hidden || !isUnread || this.#isMarking) return;
    this.#isMarking = true;
    try {
      await this.api.post("/v1/notifications/read", { game, version });
      this.#isMarking = false;
      await this.read();
    } catch {
      this.#isMarking = false; // Then it is marked with the next change.
    }
  }
}

/** Tell whether so many games are open that a stream would leave no connection for requests. */
async function isCrowded() {
  const { held } = await navigator.locks.query();
  return (held ?? []).filter(({ name }) => name === GAME).length > GAMES;
}
