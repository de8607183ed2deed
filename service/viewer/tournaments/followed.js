/**
 * A tournament that a page follows: its data, which are read again after each event, and the requests of the viewer.
 * @module
 */

/**
 * @import { Account } from "../state/account.js"
 * @import { Api, Problem } from "../state/api.js"
 * @import { Agenda, CrosstableView, RoundView, TournamentDetail, TournamentEvent, TournamentStandings } from "../types.js"
 */

import { newKey, problemOf } from "../state/api.js";

const REST = 150; // Milliseconds without another event before the page reads again.
const LOOK = 60_000; // Milliseconds between two readings of the agenda: flags and cases are no events of the tournament.

/** A tournament that was read. @typedef {Followed & {detail: TournamentDetail, standings: TournamentStandings, crosstable: CrosstableView}} Read */

export class Followed {
  /** The numbers of rounds with an event since they were read. @type {Set<number>} */
  #changed = new Set();
  #timer = 0;
  /** The reading that is under way; the next one begins after it. @type {Promise<void>} */
  #reading = Promise.resolve();

  /**
   * @param {Api} api
   * @param {Account} account
   * @param {string} id
   * @param {() => void} redraw
   */
  constructor(api, account, id, redraw) {
    this.api = api;
    this.account = account;
    this.id = id;
    this.path = /** @type {const} */ (`/v1/tournaments/${encodeURIComponent(id)}`);
    this.redraw = redraw;
    /** @type {TournamentDetail | null} */
    this.detail = null;
    /** @type {TournamentStandings | null} */
    this.standings = null;
    /** @type {CrosstableView | null} */
    this.crosstable = null;
    /** The rounds, in their order. @type {RoundView[]} */
    this.rounds = [];
    /** What waits for directors; null if the viewer is none. @type {Agenda | null} */
    this.agenda = null;
    /** Whether the stream of events is connected. */
    this.isLive = false;
    /** The message of the last request that succeeded. */
    this.done = "";
    /** Why the last request was refused. @type {Problem | null} */
    this.problem = null;
    /** The part of the page that shows the message or the problem. */
    this.about = "";
  }

  /** Tell whether everything was read. @returns {this is Read} */
  isRead() {
    return this.detail !== null && this.standings !== null && this.crosstable !== null;
  }

  get me() {
    return this.account.me?.id ?? null;
  }

  get isOver() {
    return this.detail?.summary.status === "closed" || this.detail?.summary.status === "cancelled";
  }

  get isDirector() {
    return this.me !== null && !this.isOver && Boolean(this.detail?.directors.includes(this.me));
  }

  /** The round whose lots were drawn and whose tables are not published. */
  get drawing() {
    return this.rounds.findLast((each) => each.status === "drawn") ?? null;
  }

  /** The number of rounds that the regulations have. */
  get most() {
    return this.detail?.regulations.stages.reduce((sum, each) => sum + each.rounds, 0) ?? 0;
  }

  /** Return the name of a player; the id of somebody who has not entered. @param {string} player */
  name(player) {
    return this.detail?.players.find((each) => each.player === player)?.name ?? player;
  }

  /** Read what has changed. If a reading is under way, wait for it first. */
  read() {
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#read());
    return this.#reading;
  }

  async #read() {
    const { api, path } = this;
    const changed = this.#changed;
    this.#changed = new Set();
    try {
      const detail = await api.get(path);
      const isNew = detail.summary.version !== this.detail?.summary.version;
      const known = new Map(this.rounds.map((each) => [each.number, each]));
      const [standings, crosstable, ...rounds] = await Promise.all([
        isNew || !this.standings ? api.get(`${path}/standings`) : this.standings,
        isNew || !this.crosstable ? api.get(`${path}/crosstable`) : this.crosstable,
        ...detail.rounds.map(({ number, status }) => {
          const round = known.get(number);
          const isSame = !isNew || (round?.status === status && number < detail.rounds.length);
          return round && isSame && !changed.has(number) ? round : api.get(`${path}/rounds/${number}`);
        }),
      ]);
      Object.assign(this, { detail, standings, crosstable, rounds });
      await this.look();
    } catch (error) {
      for (const each of changed) this.#changed.add(each);
      throw error;
    }
    this.redraw();
  }

  /** Read the agenda, if the viewer is a director. */
  async look() {
    this.agenda = this.isDirector ? await this.api.get(`${this.path}/agenda`).catch(() => this.agenda) : null;
  }

  /** Follow the events until the page is left. After a break, the stream goes on where it broke off. */
  follow() {
    const after = this.detail?.summary.version ?? 0;
    this.api.followTournament(
      this.id,
      after,
      (event) => this.#happened(event),
      (state) => {
        this.isLive = state === "live";
        this.redraw();
      },
      new AbortController().signal,
    );
    setInterval(() => document.hidden || !this.agenda || this.look().then(this.redraw), LOOK);
  }

  /** @param {TournamentEvent} event */
  #happened({ event, version }) {
    if ("round" in event) this.#changed.add(event.round);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const isBehind = version > (this.detail?.summary.version ?? 0) || this.#changed.size;
      if (isBehind) this.read().catch(() => undefined);
    }, REST);
  }

  /**
   * Send a request, and show the outcome. If the button that asked for it is gone, the outcome gets the focus.
   * @param {string} about the part of the page that shows the outcome
   * @param {string} done the message after success
   * @param {(headers: Record<string, string>) => Promise<unknown>} request
   * @param {HTMLFormElement} [form] that asked for it. If no answer comes, it keeps its key for the next try
   */
  async act(about, done, request, form) {
    const button = document.activeElement;
    const key = form?.dataset.key ?? newKey();
    if (form) form.dataset.key = key;
    Object.assign(this, { about, done: "", problem: null });
    try {
      await request({ "Idempotency-Key": key });
      this.done = done;
      form?.reset();
      form?.closest("details")?.removeAttribute("open");
    } catch (error) {
      this.problem = problemOf(error);
    }
    if (form && this.problem?.status !== 0) delete form.dataset.key;
    await this.read().catch(() => undefined);
    this.redraw();
    const isGone = !button?.isConnected || button.closest("details:not([open])");
    if (isGone) document.getElementById(`did-${about}`)?.focus();
  }
}
