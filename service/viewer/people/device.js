/**
 * The page on which somebody enters the code that a device shows, and lets the app on it in.
 * @module
 */

/**
 * @import { Problem } from "../state/api.js"
 * @import { AppRequest, Submitted } from "../types.js"
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { accountForms } from "../parts/account-forms.js";
import { question } from "./app.js";
import { textIn } from "../parts/given.js";
import { wayBack } from "./way-back.js";
import { Account } from "../state/account.js";
import { Api, problemOf } from "../state/api.js";

const api = new Api();
const account = new Account(api);
const place = /** @type {HTMLElement} */ (document.getElementById("people"));
/**
 * The state of the page: the code; the request of the app on the device, once it was read; the last problem; whether
 * the service is being asked; whether the account is a guest's, which cannot allow anything yet; the decision, null
 * before it; and the recovery codes that were made just now.
 * @type {{code: string, asked: AppRequest | null, problem: Problem | null, isBusy: boolean, isGuest: boolean, isAllowed: boolean | null, codes: string[]}}
 */
const page = {
  code: new URLSearchParams(location.search).get("user_code") ?? "",
  asked: null,
  problem: null,
  isBusy: false,
  isGuest: false,
  isAllowed: null,
  codes: [],
};

function draw() {
  const { problem } = page;
  const alert =
    problem && !page.isGuest
      ? html`<p class="problem" role="alert">${problem.message} ${problem.problem?.allowed ?? ""}</p>`
      : nothing;
  render(
    html`<h1>${page.asked ? "An app on a device wants to use your account" : "Sign in on a device"}</h1>${alert}${content()}`,
    place,
  );
}

function content() {
  const { asked, isAllowed } = page;
  if (isAllowed !== null)
    return html`<p class="lead" role="status">${isAllowed ? "The app is let in. Go on at the device: it notices within some seconds." : "The app was not let in."}</p>
      <p><a href="/account">Your account</a></p>`;
  if (account.isUnknown) return html`<p class="quiet">…</p>`;
  if (!account.me) return html`<p class="lead">Sign in to Tabularium here first.</p>${accountForms(account)}`;
  if (!asked) return entering();
  return html`<p>The code: <strong>${page.code.toUpperCase()}</strong></p>
    ${page.isGuest || page.codes.length ? wayBack(account, page.codes, perform) : nothing}
    ${page.isGuest ? nothing : question(asked, account.me, page.isBusy, decide)}`;
}

function entering() {
  return html`<form @submit=${(/** @type {Submitted} */ event) => {
    event.preventDefault();
    readRequest(textIn(new FormData(event.target), "code"));
  }}>
    <label for="code">The code that the device shows</label>
    <div class="line"><input id="code" name="code" required maxlength="20" autocomplete="off" autocapitalize="characters" spellcheck="false" .value=${page.code} /><button class="strong" ?disabled=${page.isBusy}>Go on</button></div>
  </form>`;
}

/** Read what the app on the device asks for. @param {string} code */
const readRequest = (code) =>
  ask(async () => {
    page.code = code;
    page.asked = await api.post("/v1/authorization/device", { code });
  });

/** @param {boolean} allow @param {AppRequest["scopes"]} [scopes] those that are allowed; all that the app asks for, if absent */
const decide = (allow, scopes) =>
  ask(async () => {
    const { allowed } = await api.post("/v1/authorization/device/decision", { code: page.code, allow, scopes });
    page.isAllowed = allowed;
  });

/** Send a request, and show what went wrong. @param {() => Promise<unknown>} what */
async function ask(what) {
  page.isBusy = true;
  page.problem = null;
  draw();
  try {
    await what();
  } catch (error) {
    page.problem = problemOf(error);
    page.isGuest = page.problem.problem?.type === "/problems/guest-account";
  }
  page.isBusy = false;
  draw();
}

/** Make a passkey or recovery codes for a guest's account. @param {() => Promise<unknown>} what */
async function perform(what) {
  page.isGuest = false;
  await ask(what);
  await account.read();
}

account.addEventListener("change", draw);
await account.read();
