/**
 * How an organizer invites others: by links that give a seat, and by showing the game in lists.
 * @module
 */

/**
 * @import { Room } from "../state/room.js"
 * @import { At, Entered, Invitation } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { count } from "../parts/format.js";
import { invite, linkOf } from "../state/invitations.js";

/**
 * A link that was made in this tab.
 * @typedef {{id: string, address: string}} Link
 */

/**
 * Does something and shows the outcome.
 * @typedef {(act: () => Promise<unknown>) => void} Act
 */

/**
 * The invitations that were not revoked, null until they are read; and the message beside the link.
 * @typedef {{invitations: Invitation[] | null, message: string}} Known
 */

/** @type {WeakMap<Room, Known>} */
const byRoom = new WeakMap();

/** Return what is known of a game's invitations. The first call reads them. @param {Entered} room */
function knownOf(room) {
  const known = byRoom.get(room);
  if (known) return known;
  const none = { invitations: null, message: "" };
  byRoom.set(room, none);
  read(room).then(
    () => room.redraw(),
    () => {},
  );
  return none;
}

/**
 * @param {Entered} room
 * @param {boolean} isFull whether no seat is free
 * @param {Act} act
 */
export function inviting(room, isFull, act) {
  const known = knownOf(room);
  const { game } = room;
  /** @param {At<HTMLInputElement>} event */
  const setListed = (event) =>
    act(() => room.api.put(`/v1/games/${room.id}/listing`, { listed: event.target.checked }));
  return html`${isFull || !known.invitations ? nothing : links(room, act)}
    ${
      game.readers === "invited"
        ? html`<p class="hint">This game is private: only those who take part in it read it.</p>`
        : html`
      <p><label class="check"><input type="checkbox" .checked=${game.listed} @change=${setListed} /> Lists show this game to everybody</label></p>`
    }
    <p class="hint"><a href="/account/webhooks#game=${room.id}">Send messages about this game to a chat channel</a></p>`;
}

/**
 * @param {Entered} room
 * @param {Act} act
 */
function links(room, act) {
  const invitations = knownOf(room).invitations ?? [];
  const link = linkOf(room.id, invitations);
  const others = invitations.filter(({ id }) => id !== link?.id);
  const make = () =>
    act(async () => {
      await invite(room.api, room.id);
      await read(room);
      knownOf(room).message = "";
      room.focusOn("invitation");
    });
  return html`${link ? linkForm(room, link, act) : html`<p><button @click=${make}>Invite friends by a link</button></p>`}
    ${
      others.length
        ? html`<p class="hint">${count(others.length, link ? "other link" : "link")} to this game ${others.length === 1 ? "is" : "are"} still good.
      <button class="inline" @click=${() => act(() => revoke(room, others))}>Revoke ${others.length === 1 ? "it" : "them"}</button></p>`
        : nothing
    }`;
}

/**
 * @param {Entered} room
 * @param {Link} link
 * @param {Act} act
 */
function linkForm(room, link, act) {
  return html`<div class="invite">
    <label for="invitation">Each friend who opens this link gets a free seat</label>
    <div class="line"><input id="invitation" readonly .value=${link.address} @focus=${(/** @type {At<HTMLInputElement>} */ event) => event.target.select()} />
      <button @click=${() => copy(room, link)}>Copy</button>
      <button @click=${() => act(() => revoke(room, [link]))}>Revoke</button></div>
    <p class="hint" role="status">${knownOf(room).message || "The link is good until the game begins. It is shown in this tab only."}</p>
  </div>`;
}

/** @param {Entered} room */
async function read(room) {
  const { items } = await room.api.get(`/v1/games/${room.id}/invitations`);
  knownOf(room).invitations = items.filter(({ revoked }) => !revoked);
}

/**
 * @param {Entered} room
 * @param {{id: string}[]} invitations
 */
async function revoke(room, invitations) {
  for (const { id } of invitations) await room.api.delete(`/v1/games/${room.id}/invitations/${id}`);
  await read(room);
}

/**
 * Put the link on the clipboard. Browsers give a page the clipboard only on HTTPS; otherwise ask the user to copy.
 * @param {Entered} room
 * @param {Link} link
 */
async function copy(room, { address }) {
  const isCopied = await (async () => navigator.clipboard.writeText(address))().then(
    () => true,
    () => false,
  );
  knownOf(room).message = isCopied ? "Copied" : "Select the link and copy it";
  room.redraw();
}
