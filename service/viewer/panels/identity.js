/**
 * Sign in: a dialog to open an account, to use a token, to change between accounts, or to look as a spectator.
 * @module
 */

import { html, nothing } from "../vendor/lit-html.js";
import { accountForms } from "../parts/account-forms.js";
import { seatName } from "../parts/format.js";

const dialog = () => document.getElementById("identity");

/** Open the dialog. */
export function openIdentity() {
  dialog().showModal();
}

/**
 * Let a room be seen by whoever the account is: with another token the game is read anew, and the dialog has done its
 * work. It closes, which gives the focus back to where it came from; but a new token is shown first, to be saved.
 * @param {import("../state/room.js").Room} room
 * @param {import("../state/account.js").Account} account
 */
export function lookAs(room, account) {
  let seenWith = account.api.token;
  account.addEventListener("change", () => {
    const { token } = account.api;
    if (token !== seenWith && (account.me || !token)) {
      seenWith = token;
      if (account.fresh) room.addEventListener("change", () => dialog().querySelector(".token")?.focus(), { once: true });
      else dialog().close();
      room.enter(room.following ? undefined : room.version);
    }
    room.redraw();
  });
  account.read();
}

/**
 * The dialog's content.
 * @param {import("../state/room.js").Room} room
 * @param {import("../state/account.js").Account} account
 */
export function identity(room, account) {
  return html`<h2 id="identity-title">${account.me ? "Account" : "Sign in"}</h2>
    <p>${whoLooks(room, account)}. A seat answers only to its player. An organizer without a seat sees ${room.game?.organizer_sees === "all" ? "everything, hidden hands too" : "what a spectator sees"}.</p>
    ${accountForms(account)}
    <form method="dialog" class="buttons">
      ${account.me ? html`<button type="button" @click=${() => account.use("")}>Look as a spectator</button>` : nothing}
      <button>Close</button>
    </form>`;
}

/** Return through whose eyes the page looks; and whose they are, where an account is given and no seat tells. */
export function whoLooks(room, account) {
  if (room.seat) return `Seat: ${seatName(room.game, room.seat)}`;
  const name = account?.me ? ` (${account.me.name})` : "";
  if (room.game?.status === "over") return `All is open${name}`;
  const organizes = account?.me && account.me.id === room.game?.organizer;
  return `${organizes || room.everything ? "Organizer" : "Spectator"}${name}`;
}
