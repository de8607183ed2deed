/**
 * The forms of an account: who is signed in in this tab, signing in and out, and the accounts whose tokens an earlier
 * version of this page kept here.
 * @module
 */

/**
 * @import { Account } from "../state/account.js"
 * @import { Kept } from "../state/device.js"
 * @import { Submitted } from "../types.js"
 */

import { textIn } from "./given.js";
import { save } from "./save.js";
import { html, nothing } from "../vendor/lit-html.js";

/** @param {Account} account */
export function accountForms(account) {
  const { me, message, removing } = account;
  const alert = message ? html`<p class="problem" role="alert">${message}</p>` : nothing;
  const leaving = account.others.find(({ token }) => token === removing);
  return html`${alert} ${leaving ? removal(account, leaving) : nothing}
    ${me ? signedIn(account) : nothing} ${others(account)} ${me ? nothing : signIn(account)}`;
}

/** @param {Account} account */
function signedIn(account) {
  const { me, home, api } = account;
  if (api.token) {
    return html`<p>In this tab you are <strong>${me?.name}</strong>, by a token. ${home ? html`This browser is signed in as ${home.name}.` : nothing}</p>
      ${home ? html`<button type="button" @click=${() => account.goHome()}>Sign in as ${home.name}</button>` : nothing}`;
  }
  return html`<p>You are signed in as <strong>${me?.name}</strong>. <a href="/account">Your account</a></p>
    ${account.lasting ? nothing : html`<p class="hint">Only this browser keeps it. <a href="/account">Make it lasting</a>.</p>`}
    ${
      account.isLeaving
        ? leave(account)
        : html`<button type="button" @click=${() => askFirst(() => account.askToLeave(), ".leaving .keep")}>${account.lasting ? "Sign out" : "Sign out …"}</button>`
    }`;
}

/** The ways to sign in again later: links to make them, and a new token. @param {Account} account */
function wayBack(account) {
  const { me, fresh } = account;
  return html`<p>Make a <a href="/account">passkey or recovery codes</a> first, or a token. Keep a token as you keep a
      password: nobody can show it to you again.</p>
    ${
      fresh
        ? html`<code class="token" tabindex="0">${fresh}</code> ${copies(account, { token: fresh, name: me?.name ?? "" })}`
        : html`<button type="button" @click=${() => makeToken(account)}>Make a token</button>`
    }`;
}

/** @param {Account} account */
async function makeToken(account) {
  await account.makeToken();
  requestAnimationFrame(() => requestAnimationFrame(() => focusOn(".token")));
}

/** @param {Account} account */
function leave(account) {
  return html`<div class="problem leaving" role="group" aria-label="Sign out">
    <p><strong>Sign out of ${account.me?.name} in this browser?</strong> Without a token of the account you cannot sign in
      again: then it is lost for good, and its games with it.</p>
    ${wayBack(account)}
    <div class="buttons">
      <button type="button" class="keep" @click=${() => account.askToLeave(false)}>Stay signed in</button>
      <button type="button" class="strong" @click=${() => account.leave()}>Sign out</button>
    </div>
  </div>`;
}

/** The accounts whose tokens this browser still has. @param {Account} account */
function others(account) {
  if (!account.others.length) return nothing;
  return html`<ul class="kept" aria-label="Accounts in this browser">
    ${account.others.map(
      ({ token, name, refused }) => html`<li>
      <button type="button" @click=${() => account.use(token)}>Sign in as ${name}</button>
      ${refused ? html`<span class="quiet">not known here when last used</span>` : nothing}
      <button type="button" class="link" aria-label="Remove ${name} from this browser"
        @click=${() => askFirst(() => account.askToRemove(token), ".removal .keep")}>Remove …</button>
    </li>`,
    )}
  </ul>`;
}

/** Give the focus to an element, if it is there. @param {string} selector */
function focusOn(selector) {
  /** @type {HTMLElement | null} */
  const found = document.querySelector(selector);
  found?.focus();
}

/**
 * Show a question, and focus its harmless answer.
 * @param {() => unknown} ask shows the question
 * @param {string} answer the selector of the button
 */
function askFirst(ask, answer) {
  ask();
  // The question is drawn in the next frame.
  requestAnimationFrame(() => requestAnimationFrame(() => focusOn(answer)));
}

/**
 * @param {Account} account
 * @param {Kept} kept
 */
function removal(account, { token, name }) {
  return html`<div class="problem removal" role="group" aria-label="Remove ${name} from this browser">
    <p><strong>Remove the token of ${name} from this browser?</strong> Without a copy of it the account is lost for good:
      you cannot sign in again, nor play on in its games, and nobody can make you another token.</p>
    ${copies(account, { token, name })}
    <div class="buttons">
      <button type="button" class="keep" @click=${() => account.askToRemove("")}>Keep it</button>
      <button type="button" class="strong" @click=${() => account.remove()}>Remove it</button>
    </div>
  </div>`;
}

/**
 * @param {Account} account
 * @param {{token: string, name: string}} kept
 */
function copies(account, { token, name }) {
  return html`<div class="buttons">
    <button type="button" @click=${() => account.copy(token)}>Copy the token</button>
    <button type="button" @click=${() => download(token, name)}>Download it</button>
    <span role="status">${account.copied}</span>
  </div>`;
}

/**
 * Save a token as a file that says what it is for.
 * @param {string} token
 * @param {string} name
 */
function download(token, name) {
  const text = `Account: ${name}\nService: ${location.origin}\nToken: ${token}\n\nWith this link you are signed in:\n${location.origin}/#token=${token}\n`;
  save(text, "tabularium-account.txt");
}

/** @param {Account} account */
function signIn(account) {
  /** @param {(given: string) => unknown} act */
  const submit = (act) => (/** @type {Submitted} */ event) => {
    event.preventDefault();
    act(textIn(new FormData(event.target), "given"));
  };
  const { home } = account;
  return html`${
    home
      ? html`<button type="button" @click=${() => account.goHome()}>Sign in as ${home.name}</button>`
      : html`<form @submit=${submit((name) => account.open(name))}>
          <label for="name">Your name</label>
          <div class="line"><input id="name" name="given" autocomplete="nickname" maxlength="80" placeholder="optional" />
            <button type="submit">Open an account</button></div>
        </form>
        <div class="buttons"><span>or</span> <button type="button" @click=${() => account.usePasskey()}>Sign in with a passkey</button>
          ${account.provider ? html`<button type="button" @click=${() => account.useProvider()}>Sign in with ${account.provider.name}</button>` : nothing}</div>`
  }
    <form @submit=${submit((token) => account.use(token))}>
      <label for="token">or the token you have</label>
      <div class="line"><input id="token" name="given" type="password" autocomplete="off" spellcheck="false" required />
        <button type="submit">Use this token</button></div>
      <p class="hint">${home ? "It is used in this tab only." : "It signs this browser in, and is not stored."}</p>
    </form>
    ${
      home
        ? nothing
        : html`<details><summary>I have a recovery code</summary>
      <form @submit=${submit((code) => account.useCode(code))}>
        <label for="code">Recovery code</label>
        <div class="line"><input id="code" name="given" autocomplete="off" spellcheck="false" maxlength="40" required />
          <button type="submit">Use this code</button></div>
      </form>
    </details>`
    }`;
}
