/**
 * The deliveries to a webhook: what was sent, every attempt, and buttons that send again.
 * @module
 */

/**
 * @import { Filter, Hooks } from "../state/hooks.js"
 * @import { At, Delivery } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { span } from "../parts/clocks.js";
import { ago, amount, clock, count } from "../parts/format.js";

/** @type {[Filter, string][]} */
const STATUSES = [
  ["", "all"],
  ["waiting", "waiting"],
  ["delivered", "delivered"],
  ["failed", "failed"],
];

/** A time in words, such as "3 minutes ago", with the exact time as its title. @param {string} time */
export const moment = (time) => html`<time datetime=${time} title=${clock(time)}>${ago(time)}</time>`;

/**
 * @param {Hooks} hooks
 * @param {(act: () => Promise<string>) => void} perform does something, and shows the outcome
 */
export function log(hooks, perform) {
  const { deliveries, shown, filter } = hooks;
  /** @param {At<HTMLSelectElement>} event */
  const choose = ({ target }) => perform(() => hooks.show(shown, /** @type {Filter} */ (target.value)).then(() => ""));
  const sendFailed = async () => {
    const number = await hooks.allAgain(shown);
    return number ? `${amount(number, "delivery")} will be sent again` : "Nothing has failed";
  };
  return html`<section class="log" aria-label="Deliveries">
    <div class="buttons"><label>Show <select @change=${choose}>
      ${STATUSES.map(([status, words]) => html`<option value=${status} ?selected=${status === filter}>${words}</option>`)}
    </select></label>
    <button @click=${() => perform(sendFailed)}>Send all that failed again</button></div>
    ${
      !deliveries
        ? html`<p class="quiet">…</p>`
        : deliveries.length
          ? html`<ol class="deliveries" aria-label="Deliveries">${deliveries.map((each) => line(each, () => perform(() => hooks.again(each.id).then(() => "It will be sent again"))))}</ol>`
          : html`<p class="quiet">There are none. Deliveries are kept for 30 days.</p>`
    }
    ${hooks.older ? html`<button @click=${() => perform(() => hooks.more().then(() => ""))}>Show older ones</button>` : nothing}
  </section>`;
}

/**
 * @param {Delivery} delivery
 * @param {() => void} again
 */
function line({ type, body, made, status, next, attempts }, again) {
  const last = attempts.at(-1);
  return html`<li>
    <p><strong>${type}</strong> <span class="status ${status}">${status}</span> <span class="quiet">${moment(made)}</span></p>
    <p class="quiet">${last ? html`${count(attempts.length, "attempt")}, the last ${moment(last.at)}: ${answered(last)}. ` : nothing}${next ? nextAttempt(next) : nothing}</p>
    <details><summary>What was sent, and every attempt</summary>
      <ol class="attempts">${attempts.map((each) => html`<li>${clock(each.at)}: ${answered(each)}${each.answer ? html` <code>${each.answer}</code>` : nothing}</li>`)}</ol>
      <pre tabindex="0" aria-label="What was sent">${pretty(body)}</pre></details>
    ${status === "waiting" ? nothing : html`<button aria-label="Send ${type} of ${clock(made)} again" @click=${again}>Send again</button>`}
  </li>`;
}

/** @param {Delivery["attempts"][number]} attempt */
function answered({ status }) {
  return status === null ? "no answer" : `answered ${status}`;
}

/** Say when a delivery is sent next. @param {string} next */
function nextAttempt(next) {
  const seconds = Math.round((Date.parse(next) - Date.now()) / 1000);
  return seconds < 5
    ? "It is sent now."
    : html`It is sent again in <time datetime=${next} title=${clock(next)}>${span(seconds)}</time>.`;
}

/** @param {string} body */
function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
