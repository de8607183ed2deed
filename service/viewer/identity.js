/**
 * Who looks: a dialog that takes a token, or opens an account; and the seats of a game that gathers players.
 * @module
 */

import { html, nothing } from "./vendor/lit-html.js";
import { whoLooks } from "./masthead.js";

let said = null;

/** Open the dialog. @param {import("./room.js").Room} room */
export function openIdentity(room) {
  said = null;
  document.getElementById("identity").showModal();
  room.redraw();
}

/** The dialog's content. @param {import("./room.js").Room} room */
export function identity(room) {
  const close = () => document.getElementById("identity").close();
  const become = async (token) => {
    const before = room.api.token;
    room.api.token = token;
    try {
      if (token) await room.api.get(`/v1/games/${room.id}`);
    } catch (problem) {
      room.api.token = before;
      said = problem.message;
      return room.redraw();
    }
    close();
    await room.enter(room.version || undefined);
  };
  const submit = (event) => {
    event.preventDefault();
    become(new FormData(event.target).get("token").trim());
  };
  return html`<h2 id="identity-title">Who looks?</h2>
    <p>${whoLooks(room)}. A seat answers only to its player; an organizer without a seat sees everything.</p>
    <form @submit=${submit}>
      <label for="token">Your token</label>
      <input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required />
      <p class="hint">It stays in this tab, and is sent to this service only.</p>
      ${said ? html`<p class="problem" role="alert">${said}</p>` : nothing}
      <div class="buttons">
        <button type="submit" class="strong">Look with this token</button>
        ${room.api.token ? html`<button type="button" @click=${() => become("")}>Look as a spectator</button>` : nothing}
        <button type="button" @click=${close}>Close</button>
      </div>
    </form>`;
}
