/**
 * The list of games as the lobby shows it: searched, and kept up to date while the page is visible.
 * @module
 */

/**
 * @import { Api, Problem } from "../state/api.js"
 * @import { Answer, CaseSummary, Game, GameSummary, Me, Query } from "../types.js"
 */

import { Newest, problemOf } from "../state/api.js";

const OFTEN = 4000; // Milliseconds between two readings while something changes.
const SELDOM = 20_000; // The same when nothing has changed for a while, or after a problem.
const SHOWN = 3; // Running games that are shown with a picture.
const PAGE = 20;
const MINE = 10; // The most of the reader's games, and disputes of a status, that are read.

/**
 * A game of a list, with its details if they were read.
 * @typedef {GameSummary & Partial<Game>} Shown
 */

/** The games that were read so far; the service may have more. Dispatches "change" after each reading. */
export class Games extends EventTarget {
  #timer = 0;
  #newest = new Newest();
  /** The id of the reader's account; null for a spectator. @type {string | null} */
  #owner = null;
  /** How many readings in a row found no change. */
  #still = 0;

  /** @param {Api} api */
  constructor(api) {
    super();
    this.api = api;
    /** What the list is searched for. */
    this.query = { text: "", status: "", ruleset: "", clock: "" };
    /** @type {GameSummary[]} */
    this.items = [];
    /** The cursor of the next page; null after the last. @type {string | null} */
    this.next = null;
    /** The games with a picture, with details: running games of others, or else one of the list that is over. @type {Shown[]} */
    this.pictured = [];
    /** The games that wait for the reader, with details. @type {Shown[]} */
    this.waiting = [];
    /** The reader's games that gather players or run. @type {GameSummary[]} */
    this.own = [];
    /** The disputes that wait for a ruling in games that the reader plays or judges. */
    /** @type {CaseSummary[]} */
    this.cases = [];
    /** @type {Problem | null} */
    this.problem = null;
    this.isRead = false;
    document.addEventListener("visibilitychange", () => document.hidden || this.read());
  }

  /** Show the games of somebody; null for nobody. @param {Me | null} player */
  belongTo(player) {
    if ((player?.id ?? null) === this.#owner) return;
    this.#owner = player?.id ?? null;
    this.read();
  }

  /** Change the search, and read again. @param {{text?: string, status?: string, ruleset?: string, clock?: string}} query */
  seek(query) {
    Object.assign(this.query, query);
    return this.read();
  }

  /** Read everything again: as much of the list as was read, the running games, and the reader's games and disputes. */
  async read() {
    clearTimeout(this.#timer);
    const isNewest = this.#newest.begin();
    try {
      const [page, running, waiting, own, opened, appealed] = await Promise.all([
        this.api.get("/v1/games", { ...this.query, limit: Math.max(PAGE, this.items.length) }),
        this.api.get("/v1/games", { status: "running", limit: SHOWN + MINE }),
        this.#mine({ waiting: "true" }),
        this.#mine({}, ({ status }) => status === "running" || status === "gathering"),
        this.#cases("open"),
        this.#cases("appealed"),
      ]);
      if (!isNewest()) return;
      const before = this.#state();
      Object.assign(this, { items: page.items, next: page.next, problem: null, isRead: true });
      this.own = own;
      this.cases = [...opened, ...appealed];
      /** @param {GameSummary} game */
      const isMine = ({ organizer, seats }) =>
        [organizer, ...seats.map(({ player }) => player)].includes(this.#owner ?? "");
      const others = running.items.filter((game) => !isMine(game)).slice(0, SHOWN);
      const last = others.length ? [] : page.items.filter((game) => game.status === "over").slice(0, 1);
      /** @param {GameSummary[]} some */
      const details = (some) => Promise.all(some.map((game) => this.#detail(game)));
      const [pictured, mine] = await Promise.all([details([...others, ...last]), details(waiting)]);
      if (!isNewest()) return;
      Object.assign(this, { pictured, waiting: mine });
      this.#still = before === this.#state() ? this.#still + 1 : 0;
    } catch (error) {
      if (!isNewest()) return;
      this.problem = problemOf(error);
    }
    this.#timer = setTimeout(() => document.hidden || this.read(), this.#still > 5 || this.problem ? SELDOM : OFTEN);
    this.dispatchEvent(new Event("change"));
  }

  /** Read the next page, too. */
  async more() {
    const { next } = this;
    try {
      /** @type {Answer<"/v1/games", "get">} */
      const page = await this.api.get("/v1/games", { ...this.query, limit: PAGE, cursor: next });
      if (next !== this.next) return; // Meanwhile the list was read again, or already has this page.
      Object.assign(this, { items: [...this.items, ...page.items], next: page.next, problem: null });
    } catch (error) {
      this.problem = problemOf(error);
    }
    this.dispatchEvent(new Event("change"));
  }

  /**
   * Return the reader's newest games for which `holds` is true. A page may have none of them, so several may be read.
   * @param {Query<"/v1/players/me/games">} query
   */
  async #mine(query, holds = (/** @type {GameSummary} */ _game) => true) {
    if (!this.#owner) return [];
    /** @type {GameSummary[]} */
    const found = [];
    /** @type {string | null} */
    let cursor = "";
    do {
      /** @type {Answer<"/v1/players/me/games", "get">} */
      const page = await this.api.get("/v1/players/me/games", { ...query, limit: PAGE, cursor });
      found.push(...page.items.filter(holds));
      cursor = page.next;
    } while (cursor && found.length < MINE);
    return found.slice(0, MINE);
  }

  /** The newest disputes of a status about the games that the reader plays or judges. @param {string} status */
  async #cases(status) {
    if (!this.#owner) return [];
    return (await this.api.get("/v1/cases", { for: "me", status, limit: MINE })).items;
  }

  /** Return a game with its details. They are read again only if its version is a new one. @param {GameSummary} game */
  async #detail(game) {
    const known = [...this.pictured, ...this.waiting].find((other) => other.id === game.id);
    return known?.version === game.version ? known : this.api.get(`/v1/games/${game.id}`).catch(() => game);
  }

  /** Return a text that differs whenever a game or dispute on the page has changed. */
  #state() {
    const disputes = this.cases.map(({ case: id, version }) => `${id} ${version}`);
    return [...this.items, ...this.pictured, ...this.waiting, ...this.own]
      .map((game) => `${game.id} ${game.version} ${game.status}`)
      .concat(disputes)
      .join();
  }
}
