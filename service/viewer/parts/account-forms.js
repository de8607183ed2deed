/**
 * The account of this tab, forms to open one or to use a token, and the other accounts that this browser keeps.
 * @module
 */

import { html, nothing } from "../vendor/lit-html.js";

/** @param {import("../state/account.js").Account} account */
export function accountForms(account) {
  const { me, said, removing } = account;
  const alert = said ? html`<p class="problem" role="alert">${said}</p>` : nothing;
  const all = [...(me ? [{ token: account.api.token, name: me.name }] : []), ...account.others];
  const leaving = all.find(({ token }) => token === removing);
  return html`${alert} ${leaving ? removal(account, leaving) : nothing}
    ${me ? signedIn(account) : nothing} ${others(account)} ${me ? nothing : signIn(account)}`;
}

function signedIn(account) {
  const { me, fresh, api } = account;
  return html`<p>You are signed in as <strong>${me.name}</strong> in this tab.</p>
    <details class="save" ?open=${Boolean(fresh)}>
      <summary>Your token</summary>
      <p>It is the only key to your account, and nobody can show it to you again.
        ${account.isKept ? "This browser keeps it until you remove it." : "This browser keeps it for this tab only."} Save a copy elsewhere.</p>
      <code class="token" tabindex="0">${api.token}</code>
      ${copies(account, { token: api.token, name: me.name })}
      <button type="button" @click=${() => ask(account, api.token)}>Remove from this browser …</button>
    </details>`;
}

/** The other accounts of this browser. */
function others(account) {
  if (!account.others.length) return nothing;
  return html`<ul class="kept" aria-label="Accounts in this browser">
    ${account.others.map(({ token, name, refused }) => html`<li>
      <button type="button" @click=${() => account.use(token)}>Sign in as ${name}</button>
      ${refused ? html`<span class="quiet">not known here when last used</span>` : nothing}
      <button type="button" class="link" aria-label="Remove ${name} from this browser" @click=${() => ask(account, token)}>Remove …</button>
    </li>`)}
  </ul>`;
}

/** Ask whether a token is to be removed, and let the answer be given at once by keyboard. */
function ask(account, token) {
  account.askToRemove(token);
  // The question is drawn in the next frame.
  requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector(".removal .keep")?.focus()));
}

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

function copies(account, { token, name }) {
  return html`<div class="buttons">
    <button type="button" @click=${() => account.copy(token)}>Copy the token</button>
    <button type="button" @click=${() => download(token, name)}>Download it</button>
    <span role="status">${account.copied}</span>
  </div>`;
}

/** Save a token as a file that says what it is for. */
function download(token, name) {
  const text = `Account: ${name}\nService: ${location.origin}\nToken: ${token}\n\nWith this link you are signed in:\n${location.origin}/#token=${token}\n`;
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  Object.assign(document.createElement("a"), { href: address, download: "tabularium-account.txt" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function signIn(account) {
  const submit = (act) => (event) => {
    event.preventDefault();
    act(new FormData(event.target).get("given").trim());
  };
  return html`<form @submit=${submit((name) => account.open(name))}>
      <label for="name">Your name</label>
      <div class="line"><input id="name" name="given" autocomplete="nickname" maxlength="80" required />
        <button type="submit">Open an account</button></div>
    </form>
    <form @submit=${submit((token) => account.use(token))}>
      <label for="token">or the token you have</label>
      <div class="line"><input id="token" name="given" type="password" autocomplete="off" spellcheck="false" required />
        <button type="submit">Use this token</button></div>
      <p class="hint">This browser keeps it until you remove it, and sends it to this service only.</p>
    </form>`;
}
