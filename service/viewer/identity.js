/**
 * Who looks: a dialog to take a token, to open an account, or to look as a spectator again.
 * @module
 */

import { html, nothing } from "./vendor/lit-html.js";
import { accountForms } from "./account.js";
import { whoLooks } from "./masthead.js";

/** Open the dialog. */
export function openIdentity() {
  document.getElementById("identity").showModal();
}

/**
 * Let a room be seen by whoever the account is: with another token the game is read anew.
 * @param {import("./room.js").Room} room
 * @param {import("./account.js").Account} account
 */
export function lookAs(room, account) {
  let seenWith = account.api.token;
  account.addEventListener("change", () => {
    const { token } = account.api;
    if (token !== seenWith && (account.me || !token)) {
      seenWith = token;
      room.enter(room.following ? undefined : room.version);
    }
    room.redraw();
  });
  account.read();
}

/**
 * The dialog's content.
 * @param {import("./room.js").Room} room
 * @param {import("./account.js").Account} account
 */
export function identity(room, account) {
  return html`<h2 id="identity-title">Who looks?</h2>
    <p>${whoLooks(room)}. A seat answers only to its player; an organizer without a seat sees everything.</p>
    ${accountForms(account)}
    <form method="dialog" class="buttons">
      ${account.me ? html`<button type="button" @click=${() => account.use("")}>Look as a spectator</button>` : nothing}
      <button>Close</button>
    </form>`;
}
