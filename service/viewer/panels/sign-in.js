/**
 * The dialog in which somebody signs in, opens an account, signs out, or becomes a spectator.
 * @module
 */

/**
 * @import { Account } from "../state/account.js"
 * @import { Room } from "../state/room.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { accountForms } from "../parts/account-forms.js";
import { seatName } from "../parts/format.js";

const dialog = () => /** @type {HTMLDialogElement} */ (document.getElementById("sign-in"));

/** Open the dialog. */
export function openSignIn() {
  dialog().showModal();
}

/**
 * Read the account. Whenever it changes, close the dialog, which gives the focus back, and enter the room again.
 * @param {Room} room
 * @param {Account} account
 */
export function enterAs(room, account) {
  account.addEventListener("entered", () => {
    dialog().close();
    room.enter(room.following ? undefined : room.version);
  });
  account.addEventListener("change", () => room.redraw());
  account.read();
}

/**
 * The dialog's content.
 * @param {Room} room
 * @param {Account} account
 */
export function signIn(room, account) {
  return html`<h2 id="sign-in-title">${account.me ? "Account" : "Sign in"}</h2>
    <p>${viewerName(room, account)}. A seat answers only to its player. An organizer without a seat sees ${room.game?.organizer_sees === "all" ? "everything, hidden hands too" : "what a spectator sees"}.</p>
    ${accountForms(account)}
    <form method="dialog" class="buttons">
      ${account.me ? html`<button type="button" @click=${() => account.use("")}>Look as a spectator</button>` : nothing}
      <button>Close</button>
    </form>`;
}

/**
 * Return whose view the page shows: a seat's, an official's, the organizer's or a spectator's, with the account's name
 * if given.
 * @param {Room} room
 * @param {Account} [account]
 */
export function viewerName(room, account = undefined) {
  if (room.seat) return `Seat: ${seatName(room.game, room.seat)}`;
  const me = account?.me;
  const name = account?.me ? ` (${account.me.name})` : "";
  if (room.game?.status === "over") return `${room.following ? "Game over" : "Replay"}: everything is revealed${name}`;
  if (me && room.game?.officials?.some(({ player }) => player === me.id)) return `Official${name}`;
  const organizes = account?.me && account.me.id === room.game?.organizer;
  return `${organizes || room.everything ? "Organizer" : "Spectator"}${name}`;
}
