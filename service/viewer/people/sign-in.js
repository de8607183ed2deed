/**
 * The page to which the provider sends a browser back: it brings the answer to the service, and goes on to where
 * somebody began to sign in.
 * @module
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { Account } from "../state/account.js";
import { Api } from "../state/api.js";
import { placeBefore } from "../state/return.js";

const PARAMETERS = ["state", "code", "error", "iss"];

const api = new Api();
const account = new Account(api);
const place = document.getElementById("people");
const given = Object.fromEntries([...new URLSearchParams(location.search)].filter(([name, value]) => PARAMETERS.includes(name) && value));
// What was in the address is good once. It is neither kept nor shown.
history.replaceState(null, "", location.pathname);
let problem = null;
let isBusy = Boolean(given.state);

const provider = () => account.provider?.name ?? "the provider";

function draw() {
  const content = isBusy ? html`<h1>Signing in</h1><p class="quiet" role="status">One moment …</p>` : isOther() ? question() : refusal();
  render(content, place);
  document.title = `${isBusy ? "Signing in" : isOther() ? "Another account" : "Not signed in"} · Tabularium`;
}

const isOther = () => problem?.problem?.type === "/problems/other-account";

function said() {
  return problem ? html`<p class="problem" role="alert">${problem.message}</p>` : nothing;
}

/** The person has an account already, and this browser is signed in to another. */
function question() {
  const { me, lasting } = account;
  return html`<h1>You have another account</h1>
    ${said()}
    <p>Two accounts cannot be joined. Nothing was changed.</p>
    ${lasting
      ? html`<p>You can come back to ${me?.name} by its own passkey, recovery codes or provider.</p>`
      : html`<p class="problem"><strong>Only this browser keeps ${me?.name}.</strong> If you leave it, the account is lost
          for good, and its games with it. <a href="/account">Make recovery codes or a passkey for it</a> first.</p>`}
    <div class="buttons">
      <button type="button" class="keep" @click=${goBack}>Stay ${me?.name}</button>
      <button type="button" class=${lasting ? "strong" : ""} @click=${() => begin(true)}>Leave ${me?.name}, and sign in through ${provider()}</button>
    </div>`;
}

function refusal() {
  return html`<h1>${problem ? "You are not signed in" : "Nothing to sign in with"}</h1>
    ${account.me && problem ? html`<p>Nothing was changed: this browser is still signed in as ${account.me.name}.</p>` : nothing}
    ${said()}
    <div class="buttons">
      ${account.provider ? html`<button type="button" class="strong" @click=${() => begin(false)}>Try again</button>` : nothing}
      <button type="button" @click=${goBack}>Go back</button>
    </div>`;
}

const goBack = () => location.assign(placeBefore());

async function begin(leave) {
  isBusy = true;
  draw();
  try {
    await account.goToProvider(leave);
  } catch (refused) {
    problem = refused;
    isBusy = false;
    draw();
  }
}

draw();
if (given.state) {
  try {
    await account.finishAtProvider(given);
    location.replace(placeBefore());
  } catch (refused) {
    problem = refused;
  }
}
if (!given.state || problem) {
  await account.read();
  isBusy = false;
  draw();
}
