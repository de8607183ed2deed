/**
 * The page to which the provider sends a browser back. It gives the provider's answer to the service, and then goes
 * back to the page where the person began to sign in.
 * @module
 */

/** @import { Problem } from "../state/api.js" */

import { html, nothing, render } from "../vendor/lit-html.js";
import { Account } from "../state/account.js";
import { Api, problemOf } from "../state/api.js";
import { placeBefore } from "../state/return.js";

const PARAMETERS = ["state", "code", "error", "iss"];

const api = new Api();
const account = new Account(api);
const element = /** @type {HTMLElement} */ (document.getElementById("people"));
const given = Object.fromEntries(
  [...new URLSearchParams(location.search)].filter(([name, value]) => PARAMETERS.includes(name) && value),
);
// The answer in the address can be used only once. Remove it, so that the history does not have it.
history.replaceState(null, "", location.pathname);
/** The state of the page: the last problem, and whether the service is being asked. @type {{problem: Problem | null, isBusy: boolean}} */
const page = { problem: null, isBusy: Boolean(given.state) };

const provider = () => account.provider?.name ?? "the provider";

function draw() {
  const content = page.isBusy
    ? html`<h1>Signing in</h1><p class="quiet" role="status">One moment …</p>`
    : hasOtherAccount()
      ? question()
      : refusal();
  render(content, element);
  document.title = `${page.isBusy ? "Signing in" : hasOtherAccount() ? "Another account" : "Not signed in"} · Tabularium`;
}

const hasOtherAccount = () => page.problem?.problem?.type === "/problems/other-account";

function alert() {
  return page.problem ? html`<p class="problem" role="alert">${page.problem.message}</p>` : nothing;
}

/** The question for a person who has an account already, while this browser is signed in to another. */
function question() {
  const { me, lasting } = account;
  return html`<h1>You have another account</h1>
    ${alert()}
    <p>Nothing was changed. Signing in does not join two accounts: the page of <a href="/account">your account</a> can.</p>
    ${
      lasting
        ? html`<p>You can come back to ${me?.name} by its own passkey, recovery codes or provider.</p>`
        : html`<p class="problem"><strong>Only this browser keeps ${me?.name}.</strong> If you leave it, the account is lost
          for good, and its games with it. <a href="/account">Make recovery codes or a passkey for it</a> first.</p>`
    }
    <div class="buttons">
      <button type="button" class="keep" @click=${goBack}>Stay ${me?.name}</button>
      <button type="button" class=${lasting ? "strong" : ""} @click=${() => begin(true)}>Leave ${me?.name}, and sign in through ${provider()}</button>
    </div>`;
}

function refusal() {
  return html`<h1>${page.problem ? "You are not signed in" : "Nothing to sign in with"}</h1>
    ${account.me && page.problem ? html`<p>Nothing was changed: this browser is still signed in as ${account.me.name}.</p>` : nothing}
    ${alert()}
    <div class="buttons">
      ${account.provider ? html`<button type="button" class="strong" @click=${() => begin(false)}>Try again</button>` : nothing}
      <button type="button" @click=${goBack}>Go back</button>
    </div>`;
}

const goBack = () => location.assign(placeBefore());

/** Go to the provider. @param {boolean} leave whether to leave the account of this browser for the person's own */
async function begin(leave) {
  page.isBusy = true;
  draw();
  try {
    await account.goToProvider(leave);
  } catch (error) {
    page.problem = problemOf(error);
    page.isBusy = false;
    draw();
  }
}

draw();
if (given.state) {
  try {
    await account.finishAtProvider({ ...given, state: given.state });
    location.replace(placeBefore());
  } catch (error) {
    page.problem = problemOf(error);
  }
}
if (!given.state || page.problem) {
  await account.read();
  page.isBusy = false;
  draw();
}
