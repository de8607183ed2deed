/**
 * The inbox of the account of this tab: asked for now and then. Not by its stream, because a browser lends all tabs of a
 * service six connections together, and a game takes one.
 * @module
 */

/**
 * @import { InboxState, Me, Notification } from "../types.js"
 * @import { Api } from "./api.js"
 */

const AGAIN = 20_000; // Milliseconds between two requests of a page that is looked at.
const HIDDEN = 60_000; // And of one that is not: its tab shows the count.
const SHOWN = 20;

/** What waits for an account. Says "change". */
export class Inbox extends EventTarget {
  #timer = 0;
  #readings = 0;
  /** @type {string | null} */
  #owner = null;
  /** The game that is looked at, and up to which version; what is told of it is read. */
  #looked = { game: "", version: 0 };

  /** @param {Api} api */
  constructor(api) {
    super();
    this.api = api;
    /** @type {InboxState | null} */
    this.state = null;
    /** What is not read, the newest first. @type {Notification[]} */
    this.unread = [];
    document.addEventListener("visibilitychange", () => document.hidden || this.read());
  }

  /** Show the inbox of somebody; null for nobody. @param {Me | null} player */
  belongTo(player) {
    const owner = player?.scopes.includes("notify") ? player.id : null;
    if (owner === this.#owner) return;
    this.#owner = owner;
    Object.assign(this, { state: null, unread: [] });
    this.read();
  }

  /** Note that somebody looks at a game. @param {string} game @param {number} version */
  look(game, version) {
    this.#looked = { game, version };
    this.#readLooked();
  }

  /** Ask again. */
  async read() {
    clearTimeout(this.#timer);
    this.#readings += 1;
    const reading = this.#readings;
    if (this.#owner) {
      try {
        const page = await this.api.get("/v1/notifications", { unread: "true", limit: SHOWN });
        if (reading !== this.#readings) return;
        Object.assign(this, { state: page.state, unread: page.items });
        if (await this.#readLooked()) return;
      } catch {
        // Then it stays as it is until the next time.
      }
    }
    if (reading !== this.#readings) return;
    this.#timer = setTimeout(() => this.read(), document.hidden ? HIDDEN : AGAIN);
    this.dispatchEvent(new Event("change"));
  }

  /** Mark as read what is told, up to the newest that is shown. */
  async readAll() {
    if (!this.unread.length) return;
    await this.api.post("/v1/notifications/read", { upto: this.unread[0].id });
    await this.read();
  }

  /** Mark as read what is told of one case, or of one game. @param {Notification} told */
  async readOne({ game, case: id, version }) {
    await this.api.post("/v1/notifications/read", id ? { case: id, version } : { game, version });
    await this.read();
  }

  /** Mark as read what is told of the game that is looked at; tell whether there was something. */
  async #readLooked() {
    const { game, version } = this.#looked;
    const isTold = this.unread.some((told) => told.game === game && !told.case && told.version <= version);
    if (document.hidden || !isTold) return false;
    this.unread = this.unread.filter((told) => told.game !== game || told.case || told.version > version);
    await this.api.post("/v1/notifications/read", { game, version });
    await this.read();
    return true;
  }
}
