/**
 * The page to which an app sends a person: it shows what the app wants, and asks whether it may. The app's request is
 * in the address, and the service reads it.
 * @module
 */

/**
 * @import { Problem } from "../state/api.js"
 * @import { AppRequest } from "../types.js"
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { accountForms } from "../parts/account-forms.js";
import { placeOf, question } from "./app.js";
import { wayBack } from "./way-back.js";
import { Account } from "../state/account.js";
import { Api, problemOf } from "../state/api.js";

const api = new Api();
const account = new Account(api);
const place = /** @type {HTMLElement} */ (document.getElementById("people"));
const query = location.search.slice(1);
/**
 * The state of the page: the app's request, once it was read; the last problem; whether the service is deciding;
 * whether the account is a guest's, which cannot allow anything yet; whether the browser was sent back to the app; and
 * the recovery codes that were made just now.
 * @type {{asked: AppRequest | null, problem: Problem | null, isBusy: boolean, isGuest: boolean, isSent: boolean, codes: string[]}}
 */
const page = { asked: null, problem: null, isBusy: false, isGuest: false, isSent: false, codes: [] };

const title = () => {
  if (!page.asked) return page.problem ? "This link leads nowhere" : "An app asks";
  const name = placeOf(page.asked);
  const start = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  return `${page.asked.kind === "web" ? name : start} wants to use your account`;
};

function draw() {
  const { asked, problem } = page;
  const alert =
    problem && !page.isGuest
      ? html`<p class="problem" role="alert">${problem.message} ${problem.problem?.allowed ?? ""}</p>`
      : nothing;
  render(html`<h1>${title()}</h1>${alert}${asked ? request(asked) : nowhere()}`, place);
  document.title = `${title()} · Tabularium`;
}

function nowhere() {
  return page.problem
    ? html`<p>You were not sent anywhere, and nothing was changed. The makers of the app can fix this.</p><p><a href="/">To the lobby</a></p>`
    : html`<p class="quiet">Reading what it asks for …</p>`;
}

/** @param {AppRequest} asked */
function request(asked) {
  if (page.isSent)
    return html`<p role="status">You are on your way back to ${placeOf(asked)}. You can close this page.</p>`;
  if (asked.error)
    return html`<p class="problem" role="alert">The app's request is wrong: ${asked.error}</p>
      <p>Nothing was changed.</p>
      <div class="buttons"><button type="button" @click=${() => goTo(asked.address)}>Go back to ${placeOf(asked)}</button><a href="/">To the lobby</a></div>`;
  if (account.isUnknown) return html`<p class="quiet">…</p>`;
  if (!account.me)
    return html`<p class="lead">Sign in to Tabularium here, on this page. <strong>${placeOf(asked)}</strong> does not see how.</p>${accountForms(account)}`;
  return html`${page.isGuest || page.codes.length ? wayBack(account, page.codes, perform) : nothing}
    ${page.isGuest ? nothing : question(asked, account.me, page.isBusy, decide)}`;
}

/** @param {boolean} allow @param {AppRequest["scopes"]} [scopes] those that are allowed; all that the app asks for, if absent */
async function decide(allow, scopes) {
  page.isBusy = true;
  draw();
  try {
    const { address } = await api.post("/v1/authorization/decision", { query, allow, scopes });
    goTo(address);
  } catch (error) {
    page.problem = problemOf(error);
    page.isGuest = page.problem.problem?.type === "/problems/guest-account";
  }
  page.isBusy = false;
  draw();
}

/** Go back to the app. The service has checked that the address runs no script here. @param {string} address */
function goTo(address) {
  page.isSent = true;
  draw();
  location.assign(address);
}

/** Make a passkey or recovery codes for a guest's account. @param {() => Promise<unknown>} what */
async function perform(what) {
  try {
    await what();
    page.isGuest = false;
    page.problem = null;
  } catch (error) {
    page.problem = problemOf(error);
    page.isGuest = false;
  }
  await account.read();
}

async function read() {
  try {
    page.asked = await api.post("/v1/authorization", { query });
    if (page.asked.remembered && account.me) await decide(true);
  } catch (error) {
    page.problem = problemOf(error);
  }
  draw();
}

account.addEventListener("entered", () => {
  page.problem = null;
  read();
});
account.addEventListener("change", draw);
await account.read();
await read();
