/**
 * The webhooks of an account, and the deliveries to the one that is shown.
 * @module
 */

/**
 * @import { Body, Delivery, Webhook } from "../types.js"
 * @import { Api } from "./api.js"
 */

import { Newest, newKey } from "./api.js";

const SOON = 60_000; // While a delivery is due within these milliseconds, the page reads again.
const AGAIN = 2000; // Milliseconds between two readings then.
const PAGE = 20;

/** The statuses of deliveries; empty for any. @typedef {"" | Delivery["status"]} Filter */

/** The webhooks of an account. Says "change". Methods that ask the service throw a `Problem`. */
export class Hooks extends EventTarget {
  #timer = 0;
  #newest = new Newest();

  /** @param {Api} api */
  constructor(api) {
    super();
    this.api = api;
    /** The newest first; null until they are read. @type {Webhook[] | null} */
    this.items = null;
    /** How many webhooks an account can have. */
    this.most = 0;
    /** Whether this service sends any. */
    this.sent = true;
    /** The webhook whose deliveries are shown; empty for none. */
    this.shown = "";
    /** @type {Filter} */
    this.filter = "";
    /** @type {Delivery[] | null} */
    this.deliveries = null;
    /** The cursor of older deliveries. @type {string | null} */
    this.older = null;
    document.addEventListener("visibilitychange", () => document.hidden || this.#look());
  }

  /** Forget everything: somebody else has signed in. */
  forget() {
    clearTimeout(this.#timer);
    this.#newest.begin();
    Object.assign(this, { items: null, shown: "", filter: "", deliveries: null, older: null });
  }

  /** Read the webhooks, and the newest deliveries to the one that is shown. */
  async read() {
    clearTimeout(this.#timer);
    const isNewest = this.#newest.begin();
    const { shown, filter } = this;
    const [{ items, most, sent }, page] = await Promise.all([
      this.api.get("/v1/webhooks"),
      shown ? this.api.get(`/v1/webhooks/${shown}/deliveries`, { status: filter, limit: PAGE }) : null,
    ]);
    if (!isNewest()) return;
    Object.assign(this, { items, most, sent, deliveries: page?.items ?? null, older: page?.next ?? null });
    if (this.#waits()) this.#timer = setTimeout(() => this.#look(), AGAIN);
    this.dispatchEvent(new Event("change"));
  }

  /** Read again if the page is visible and a delivery is due soon. */
  async #look() {
    if (document.hidden || !this.#waits()) return;
    try {
      await this.read();
    } catch {
      // The next request of the person says what is wrong.
    }
  }

  #waits() {
    const until = Date.now() + SOON;
    return Boolean(this.deliveries?.some(({ next }) => next && Date.parse(next) < until));
  }

  /** Show what was sent to a webhook; empty for none. @param {string} id @param {Filter} [filter] */
  async show(id, filter = "") {
    Object.assign(this, { shown: id, filter, deliveries: null, older: null });
    await this.read();
  }

  /** Read older deliveries, too. */
  async more() {
    const { shown, filter, older } = this;
    const page = await this.api.get(`/v1/webhooks/${shown}/deliveries`, { status: filter, limit: PAGE, cursor: older });
    if (shown !== this.shown || older !== this.older) return; // The list is another one now, or has this page.
    this.deliveries = [...(this.deliveries ?? []), ...page.items];
    this.older = page.next;
    clearTimeout(this.#timer); // Reading again would leave the older ones out.
    this.dispatchEvent(new Event("change"));
  }

  /**
   * Make a webhook, and show its ping; return it with its secret.
   * @param {Body<"/v1/webhooks", "post">} wish
   * @param {string} key with which a repeated request makes no second one
   */
  async make(wish, key) {
    const made = await this.api.post("/v1/webhooks", wish, { "Idempotency-Key": key });
    await this.show(made.webhook.id);
    return made;
  }

  /** @param {string} id @param {Body<"/v1/webhooks/{webhook}", "put">} wish */
  async change(id, wish) {
    await this.api.put(`/v1/webhooks/${id}`, wish);
    await this.show(id);
  }

  /** @param {string} id */
  async ping(id) {
    await this.api.post(`/v1/webhooks/${id}/ping`);
    await this.show(id);
  }

  /** Replace the secret; return the new one. @param {string} id @param {number} overlap seconds for which the old one signs, too */
  async renew(id, overlap) {
    const made = await this.api.post(`/v1/webhooks/${id}/secret`, { overlap }, { "Idempotency-Key": newKey() });
    await this.read();
    return made;
  }

  /** @param {string} id */
  async remove(id) {
    await this.api.delete(`/v1/webhooks/${id}`);
    if (this.shown === id) this.shown = "";
    await this.read();
  }

  /** Send a delivery again. @param {string} delivery */
  async again(delivery) {
    await this.api.post(`/v1/webhooks/${this.shown}/deliveries/${delivery}/replay`);
    await this.read();
  }

  /** Send all failed deliveries again; return how many there are. @param {string} id */
  async allAgain(id) {
    const { deliveries } = await this.api.post(`/v1/webhooks/${id}/replay`, { failed: true });
    await this.show(id);
    return deliveries;
  }
}
