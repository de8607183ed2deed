/**
 * The officials of a game, who may rule in it. The organizer of the game names and releases them.
 * @module
 */

/**
 * @import { Submitted } from "../types.js"
 * @import { OpenDesk } from "./desk.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { named } from "../parts/format.js";
import { playerIn, textIn } from "../parts/given.js";
import { lookAlike } from "../parts/look-alike.js";
import { refusal } from "../parts/rule.js";

/** @param {OpenDesk} desk */
export function officials(desk) {
  const { game } = desk;
  const mayName = desk.isOrganizer && ["gathering", "running"].includes(game.status);
  return html`<section aria-labelledby="officials">
    <h2 id="officials">Who may rule</h2>
    ${
      game.officials.length
        ? html`<ul class="officials">${game.officials.map(
            ({
              player,
              name,
              looks_alike,
            }) => html`<li><a href="/players/${player}">${name ?? player}</a> ${looks_alike ? lookAlike : nothing}
          ${mayName ? release(desk, player, name) : nothing}</li>`,
          )}</ul>`
        : html`<p>Nobody yet. ${mayName ? nothing : "The organizer can name officials until the game has ended."}</p>`
    }
    ${mayName ? naming(desk) : nothing}
    ${desk.problem && desk.about === "officials" ? refusal(desk, desk.problem) : nothing}
    ${desk.isOrganizer ? html`<p class="hint"><a href="/account/webhooks#game=${desk.game.id}">Send messages about this game to a chat channel</a></p>` : nothing}
  </section>`;
}

/**
 * @param {OpenDesk} desk
 * @param {string} player
 * @param {string | null} name
 */
function release(desk, player, name) {
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    const act = (/** @type {Record<string, string>} */ headers) =>
      desk.api.delete(`/v1/games/${desk.game.id}/officials/${player}`, headers);
    return desk.send(event.target, act, `${name ?? player} is no official any more.`, "officials");
  };
  return html`<form @submit=${submit}><button aria-label="Release ${name ?? player}">Release</button></form>`;
}

/** @param {OpenDesk} desk */
function naming(desk) {
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    return nameByText(desk, event.target, textIn(new FormData(event.target), "official"));
  };
  return html`<form @submit=${submit} aria-label="Name an official">
      <label for="official">Name of the player, or the address of their page</label>
      <div class="line"><input id="official" name="official" required maxlength="200" autocomplete="off" spellcheck="false" />
        <button class="strong">Name as official</button></div>
      <p class="quiet">An official sees everything in this game, hidden hands too, and may rule on disputes. Nobody who plays in it can be one.</p>
    </form>
    ${
      desk.found.length
        ? html`<p>Several players are called so. Which one?</p>
        <ul class="officials">${desk.found.map(
          (each) => html`<li><a href="/players/${each.id}">${each.name}</a> <code>${each.id}</code>
          <form @submit=${(/** @type {Submitted} */ event) => choose(desk, event, each)}><button>Name ${named(each.name)}, ${each.id}</button></form></li>`,
        )}</ul>`
        : nothing
    }`;
}

/**
 * Name the player of a text: an id, the address of a player's page, or the name of a player who can be found. If
 * several have the name, the page asks which.
 * @param {OpenDesk} desk
 * @param {HTMLFormElement} form
 * @param {string} text
 */
async function nameByText(desk, form, text) {
  const id = playerIn(text);
  if (id) return send(desk, form, { id, name: id });
  const found = await desk.search(text);
  if (found?.length === 1) return send(desk, form, found[0]);
  return undefined;
}

/**
 * @param {OpenDesk} desk
 * @param {HTMLFormElement} form
 * @param {{id: string, name: string}} player
 */
function send(desk, form, { id, name }) {
  const act = (/** @type {Record<string, string>} */ headers) =>
    desk.api.put(`/v1/games/${desk.game.id}/officials/${id}`, undefined, headers);
  return desk.send(form, act, `${name} is an official now.`, "officials");
}

/**
 * Name the player who was chosen from several with the same name.
 * @param {OpenDesk} desk
 * @param {Submitted} event
 * @param {{id: string, name: string}} player
 */
function choose(desk, event, player) {
  event.preventDefault();
  return send(desk, event.target, player);
}
