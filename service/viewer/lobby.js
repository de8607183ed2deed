/**
 * The lobby: what this is, the games, and how to begin one.
 * @module
 */

import { html, render } from "./vendor/lit-html.js";
import { Api } from "./api.js";
import { ago, count } from "./words.js";

const api = new Api();
const { items } = await api.get("/v1/games");
render(
  html`<h1>Tabularium</h1>
    <ul>${items.map((game) => html`<li><a href="/games/${game.id}">${game.title || game.id}</a> ${game.ruleset},
      ${game.status}, ${count(game.version, "event")}, ${ago(game.changed)}</li>`)}</ul>`,
  document.getElementById("lobby"),
);
