/**
 * The page on which somebody chooses their notifications: on this device, by e-mail, and about what.
 * @module
 */

/** @import { Answer, At, InboxSettings, Submitted } from "../types.js" */

import { html, nothing, render } from "../vendor/lit-html.js";
import { live } from "../vendor/directives/live.js";
import { accountForms } from "../parts/account-forms.js";
import { ago, clock } from "../parts/format.js";
import { textIn } from "../parts/given.js";
import { KINDS } from "../parts/notifications.js";
import { Account } from "../state/account.js";
import { Api, Newest, problemOf } from "../state/api.js";
import { canBeTold, devicesOf, remove, switchOff, switchOn } from "../state/devices.js";

const SETTINGS = "/v1/notifications/settings";
const ARRIVAL = 3000; // Milliseconds in which a first notification reaches a device.
const EMAIL = "/v1/notifications/email";

const api = new Api();
const account = new Account(api);
const newest = new Newest();
const place = /** @type {HTMLElement} */ (document.getElementById("people"));

/** The state of the page: the account's settings, devices and e-mail address, the last problem, and the last success. */
const page = {
  settings: /** @type {InboxSettings} */ ({ off: [], games: {} }),
  devices: /** @type {Awaited<ReturnType<typeof devicesOf>>} */ ({ key: null, items: [], own: null }),
  email: /** @type {Answer<"/v1/notifications/email", "get"> | null} */ (null),
  problem: "",
  done: "",
};

function draw() {
  const { me } = account;
  const mayGet = me?.scopes.includes("notify");
  render(
    html`<h1>Your notifications</h1>
      ${page.problem ? html`<p class="problem" role="alert">${page.problem}</p>` : nothing}
      <p class="hidden" role="status">${page.done}</p>
      ${mayGet ? [device(), devices(), email(), kinds(), games()] : account.isUnknown ? html`<p class="quiet">…</p>` : me ? html`<p>Your account may not get notifications. The operators of this service can change that.</p>` : html`<p>Nobody is signed in in this tab.</p>${accountForms(account)}`}
      <p><a href="/account">Your account</a></p>`,
    place,
  );
}

function device() {
  const { key, own } = page.devices;
  const isDenied = globalThis.Notification?.permission === "denied";
  return html`<section aria-labelledby="device-title"><h2 id="device-title">On this device</h2>
    <p>This browser can notify you when it is your turn, even when no page of Tabularium is open.</p>
    ${
      own
        ? html`<p>${own.active ? "This device gets notifications." : "This device gets notifications as soon as a first one has reached it."}</p>
          <button @click=${() => perform("This device gets no more notifications", () => switchOff(api))}>Switch off</button>`
        : key === null
          ? html`<p class="hint">This service sends no notifications to browsers.</p>`
          : !canBeTold()
            ? html`<p class="hint">This browser cannot get notifications. They need HTTPS and, on an iPhone, this page on the home screen.</p>`
            : html`<button class="strong" ?disabled=${isDenied} @click=${() => begin(key)}>Switch on</button>
              ${isDenied ? html`<p class="hint">Your browser does not let this page show notifications. Its settings can change that.</p>` : nothing}`
    }</section>`;
}

/** Switch notifications on for this device. A little later, look whether a first one has reached it. @param {string} key */
async function begin(key) {
  await perform("This device gets notifications", () => switchOn(api, key));
  setTimeout(read, ARRIVAL);
}

function devices() {
  const others = page.devices.items.filter((each) => each !== page.devices.own);
  return others.length
    ? html`<section aria-labelledby="devices-title"><h2 id="devices-title">Other devices</h2>
      <ul aria-label="Other devices">${others.map(
        (each) => html`<li><strong>${each.service}</strong>
        <span class="quiet">since <time datetime=${each.created} title=${clock(each.created)}>${ago(each.created)}</time>${each.active ? "" : ", not reached yet"}</span>
        <button aria-label="Switch off the device of ${clock(each.created)}" @click=${() => perform("That device gets no more notifications", () => remove(api, each.id))}>Switch off</button></li>`,
      )}</ul></section>`
    : nothing;
}

function email() {
  const known = page.email;
  if (!known?.available) return nothing;
  const state = {
    new: "We have sent you an e-mail. Open its link to confirm the address.",
    on: "The address is confirmed.",
    off: "Its mail server refuses our e-mails, so none are sent. Check the address.",
  };
  return html`<section aria-labelledby="email-title"><h2 id="email-title">By e-mail</h2>
    ${known.status ? html`<p class=${known.status === "off" ? "problem" : ""}><strong>${known.address}</strong> ${state[known.status]}</p>` : nothing}
    <form @submit=${saveEmail}>
      <label for="email-address">${known.status ? "Another address" : "Your address"}</label>
      <input id="email-address" name="address" type="email" maxlength="254" autocomplete="email" ?required=${!known.status} />
      <label class="check"><input type="checkbox" name="turns" ?checked=${known.status ? known.turns : true} /> When it is my turn</label>
      <label class="check"><input type="checkbox" name="daily" ?checked=${known.daily} /> Once a day, what waits for me</label>
      <p class="hint">You get an e-mail ten minutes after your turn begins, if it is still your turn, and at most one an hour for each game.</p>
      <button>Save</button>
      ${known.status ? html`<button type="button" @click=${() => perform("Your address is forgotten", () => api.delete(EMAIL))}>Forget my address</button>` : nothing}
    </form></section>`;
}

/** @param {Submitted} event */
function saveEmail(event) {
  event.preventDefault();
  const given = new FormData(event.target);
  const address = textIn(given, "address");
  const wish = { turns: given.has("turns"), daily: given.has("daily"), ...(address ? { address } : {}) };
  perform("Saved", async () => {
    await api.put(EMAIL, wish);
    event.target.reset();
  });
}

function kinds() {
  return html`<section aria-labelledby="kinds-title"><h2 id="kinds-title">What about</h2>
    <p>This applies to the inbox, all devices and e-mail.</p>
    <fieldset><legend>Tell me that</legend>${Object.entries(KINDS).map(
      ([kind, words]) => html`<label><input type="checkbox" .checked=${live(!page.settings.off.includes(kind))}
        @change=${(/** @type {At<HTMLInputElement>} */ { target }) => setKind(kind, target.checked)} /> ${words}</label>`,
    )}</fieldset></section>`;
}

/**
 * Save at once whether the account gets notifications of a kind.
 * @param {string} kind
 * @param {boolean} isOn
 */
function setKind(kind, isOn) {
  const off = /** @type {InboxSettings["off"]} */ (
    isOn ? page.settings.off.filter((each) => each !== kind) : [...page.settings.off, kind]
  );
  perform("Saved", () => api.put(SETTINGS, { ...page.settings, off }));
}

/** The games and tournaments with settings of their own. */
function games() {
  const quieter = Object.entries(page.settings.games);
  return quieter.length
    ? html`<section aria-labelledby="games-title"><h2 id="games-title">Single games and tournaments</h2>
      <p>You get fewer notifications about these. The bell on the page of a game changes that.</p>
      <ul aria-label="Single games">${quieter.map(
        ([
          game,
          off,
        ]) => html`<li><a href="/${game.startsWith("t") ? "tournaments" : "games"}/${game}">${game}</a> <span class="quiet">not: ${off.map((kind) => KINDS[kind]).join(", ")}</span>
        <button aria-label="Tell me everything of ${game}" @click=${() => perform("Saved", () => api.put(SETTINGS, { ...page.settings, games: Object.fromEntries(quieter.filter(([other]) => other !== game)) }))}>Tell me everything</button></li>`,
      )}</ul></section>`
    : nothing;
}

/**
 * Do something, and show the new state.
 * @param {string} done the message after success
 * @param {() => Promise<unknown>} what
 */
async function perform(done, what) {
  page.problem = page.done = "";
  try {
    await what();
    page.done = done;
  } catch (error) {
    const problem = problemOf(error);
    page.problem = `${problem.message} ${problem.problem?.allowed ?? ""}`.trim();
  }
  await read();
}

async function read() {
  const isNewest = newest.begin();
  if (account.me?.scopes.includes("notify")) {
    try {
      const [settings, devices, email] = await Promise.all([api.get(SETTINGS), devicesOf(api), api.get(EMAIL)]);
      if (isNewest()) Object.assign(page, { settings, devices, email });
    } catch (error) {
      if (isNewest()) page.problem ||= problemOf(error).message;
    }
  }
  draw();
}

account.addEventListener("entered", read);
account.addEventListener("change", draw);
await account.read();
await read();
