/**
 * Creating a game: by which rules, for how many, under which title.
 * @module
 */

import { html, nothing } from "./vendor/lit-html.js";

const wish = { ruleset: "", said: "" };

/**
 * The form. It leads to the game's page, where seats are taken.
 * @param {import("./api.js").Api} api
 * @param {object[]} rulesets those that can be played
 * @param {() => void} draw draws the page again
 */
export function newGame(api, rulesets, draw) {
  const ruleset = rulesets.find((each) => each.id === wish.ruleset) ?? rulesets[0];
  if (!ruleset) return nothing;
  const choose = (event) => {
    wish.ruleset = event.target.value;
    draw();
  };
  const submit = async (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    const body = { ruleset: given.get("ruleset"), players: Number(given.get("players")), title: given.get("title").trim() };
    try {
      const game = await api.post("/v1/games", body);
      location.assign(`/games/${game.id}`);
    } catch (problem) {
      wish.said = `${problem.message} ${problem.problem?.allowed ?? ""}`;
      draw();
    }
  };
  return html`<form @submit=${submit}>
    <label for="ruleset">Rules</label>
    <select id="ruleset" name="ruleset" @change=${choose}>${rulesets.map((each) => html`<option value=${each.id}>${each.title}</option>`)}</select>
    <label for="players">Players</label>
    <select id="players" name="players">${ruleset.players.map((players) => html`<option>${players}</option>`)}</select>
    <label for="title">Title</label>
    <input id="title" name="title" maxlength="120" placeholder="Thursday's game" />
    ${wish.said ? html`<p class="problem" role="alert">${wish.said}</p>` : nothing}
    <div class="buttons"><button class="strong">Create the game</button></div>
    <p class="hint">You organize it. Take a seat on its page, and send the others its address.</p>
  </form>`;
}
