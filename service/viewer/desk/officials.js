/**
 * Who may rule in a game; its organizer names and releases them.
 * @module
 */

import { html, nothing } from "../vendor/lit-html.js";
import { named } from "../parts/format.js";
import { lookAlike } from "../parts/look-alike.js";
import { refusal } from "../parts/rule.js";

const ID = /^(?:.*\/players\/)?(p[0-9a-z]{12,})$/;

/** @param {import("./desk.js").Desk} desk */
export function officials(desk) {
  const { game } = desk;
  const mayName = desk.isOrganizer && ["gathering", "running"].includes(game.status);
  return html`<section aria-labelledby="officials">
    <h2 id="officials">Who may rule</h2>
    ${game.officials.length
      ? html`<ul class="officials">${game.officials.map(({ player, name, looks_alike }) => html`<li><a href="/players/${player}">${name ?? player}</a> ${looks_alike ? lookAlike : nothing}
          ${mayName ? release(desk, player, name) : nothing}</li>`)}</ul>`
      : html`<p>Nobody yet. ${mayName ? nothing : "The organizer can name officials until the game has ended."}</p>`}
    ${mayName ? naming(desk) : nothing}
    ${desk.problem && desk.about === "officials" ? refusal(desk, desk.problem) : nothing}
  </section>`;
}

function release(desk, player, name) {
  const submit = (event) => {
    event.preventDefault();
    return desk.send(event.target, `/v1/games/${desk.game.id}/officials/${player}`, null, `${name ?? player} is no official any more.`, "officials");
  };
  return html`<form @submit=${submit}><button aria-label="Release ${name ?? player}">Release</button></form>`;
}

function naming(desk) {
  const submit = (event) => {
    event.preventDefault();
    return name(desk, event.target, new FormData(event.target).get("official").trim());
  };
  return html`<form @submit=${submit} aria-label="Name an official">
      <label for="official">Name of the player, or the address of their page</label>
      <div class="line"><input id="official" name="official" required maxlength="200" autocomplete="off" spellcheck="false" />
        <button class="strong">Name as official</button></div>
      <p class="quiet">An official sees everything in this game, hidden hands too, and may rule on disputes. Nobody who plays in it can be one.</p>
    </form>
    ${desk.found.length
      ? html`<p>Several players are called so. Which one?</p>
        <ul class="officials">${desk.found.map((each) => html`<li><a href="/players/${each.id}">${each.name}</a> <code>${each.id}</code>
          <form @submit=${(event) => (event.preventDefault(), put(desk, event.target, each))}><button>Name ${named(each.name)}, ${each.id}</button></form></li>`)}</ul>`
      : nothing}`;
}

/** Name whom a text means: an account's id, the address of a player's page, or the name of one who can be found. */
async function name(desk, form, text) {
  const id = ID.exec(text)?.[1];
  if (id) return put(desk, form, { id, name: id });
  const found = await desk.search(text);
  if (found?.length === 1) return put(desk, form, found[0]);
  return undefined;
}

function put(desk, form, { id, name }) {
  return desk.send(form, `/v1/games/${desk.game.id}/officials/${id}`, {}, `${name} is an official now.`, "officials", "put");
}
