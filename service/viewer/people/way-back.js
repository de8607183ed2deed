/**
 * A guest must have a passkey or recovery codes before they can let an app in. They make them here, without leaving the
 * page.
 * @module
 */

/** @import { Account } from "../state/account.js" */

import { html, nothing } from "../vendor/lit-html.js";
import { save } from "../parts/save.js";
import { canHavePasskeys, makePasskey } from "../state/passkeys.js";

/**
 * @param {Account} account
 * @param {string[]} codes the recovery codes that were made just now
 * @param {(what: () => Promise<unknown>) => unknown} perform does something, and shows what went wrong
 */
export function wayBack(account, codes, perform) {
  const { me, api } = account;
  if (codes.length)
    return html`<h2>Your recovery codes</h2>
      <p>Each signs you in once. They are shown only now. Keep them on paper, then go on.</p>
      <pre class="token" tabindex="0" aria-label="Your recovery codes">${codes.join("\n")}</pre>
      <button type="button" @click=${() => save(`Recovery codes of ${me?.name} at ${location.origin}\n\n${codes.join("\n")}\n`, "tabularium-recovery-codes.txt")}>Download</button>`;
  return html`<h2>First make your account last</h2>
    <p>Only this browser keeps ${me?.name}. When it forgets the account, the app would go on, and you could not end that. So
      make a way back to it.</p>
    <div class="buttons">
      ${canHavePasskeys() ? html`<button type="button" class="strong" @click=${() => perform(() => makePasskey(api, "This device"))}>Make a passkey</button>` : nothing}
      <button type="button" @click=${() => perform(async () => codes.push(...(await api.post("/v1/recovery-codes")).codes))}>Make recovery codes</button>
    </div>`;
}
