/**
 * The directors of a tournament. Its organizer names and releases directors, and a director can resign.
 * @module
 */

/**
 * @import { Submitted } from "../types.js"
 * @import { Read } from "./followed.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { playerIn, textIn } from "../parts/given.js";

const MOST_DIRECTORS = 10;

/** The list of directors in the directors' part of the page. */
export class Directors {
  /** The names of directors who do not play, by id; the id while the name is not known. @type {Map<string, string>} */
  #names = new Map();

  /**
   * @param {Read} tournament
   * @param {string} about the part of the page that shows the outcome
   */
  panel(tournament, about) {
    const { directors, summary } = tournament.detail;
    const organizes = tournament.me === summary.organizer;
    this.#read(tournament);
    return html`<details class="writing directors"><summary>Directors</summary>
      <ul>${directors.map(
        (each) => html`<li><a href="/players/${each}">${this.#name(tournament, each)}</a>
        ${each === summary.organizer ? html`<span class="quiet">organizes the tournament</span>` : nothing}
        ${each !== summary.organizer && (organizes || each === tournament.me) ? this.#release(tournament, each, about) : nothing}</li>`,
      )}</ul>
      ${organizes && directors.length < MOST_DIRECTORS ? this.#naming(tournament, about) : nothing}</details>`;
  }

  /** @param {Read} tournament @param {string} player */
  #name(tournament, player) {
    const own = tournament.name(player);
    return own === player ? (this.#names.get(player) ?? player) : own;
  }

  /** Read the names of directors who do not play, each once. @param {Read} tournament */
  #read(tournament) {
    for (const each of tournament.detail.directors) {
      if (this.#names.has(each) || tournament.name(each) !== each) continue;
      this.#names.set(each, each);
      tournament.api.get(`/v1/players/${each}`).then(
        ({ name }) => {
          this.#names.set(each, name ?? each);
          tournament.redraw();
        },
        () => {},
      );
    }
  }

  /**
   * @param {Read} tournament
   * @param {string} player
   * @param {string} about
   */
  #release(tournament, player, about) {
    const name = this.#name(tournament, player);
    const release = () =>
      tournament.act(about, `${name} does not direct any more.`, (headers) =>
        tournament.api.delete(`/v1/tournaments/${tournament.id}/directors/${player}`, headers),
      );
    return html`<button aria-label="Release ${name}" @click=${release}>Release</button>`;
  }

  /**
   * @param {Read} tournament
   * @param {string} about
   */
  #naming(tournament, about) {
    /** @param {Submitted} event */
    const submit = (event) => {
      event.preventDefault();
      const text = textIn(new FormData(event.target), "director");
      return tournament.act(
        about,
        `${text} directs now.`,
        async (headers) => {
          const player = playerIn(text) ?? (await findPlayer(tournament, text));
          return tournament.api.post(`/v1/tournaments/${tournament.id}/directors/${player}`, undefined, headers);
        },
        event.target,
      );
    };
    return html`<form @submit=${submit} aria-label="Name a director">
      <p class="quiet">A director draws and publishes rounds and decides about results, but not about those of their own table.</p>
      <label for="director">Name of the player, or the address of their page</label>
      <input id="director" name="director" required maxlength="200" autocomplete="off" spellcheck="false" />
      <div class="buttons"><button class="strong">Name a director</button></div></form>`;
  }
}

/**
 * Return the id of the player with this name. Throw an error if none can be found, or several.
 * @param {Read} tournament
 * @param {string} name
 */
async function findPlayer(tournament, name) {
  const { items } = await tournament.api.get("/v1/players/search", { name });
  if (items.length === 1) return items[0].id;
  const how = items.length ? "Several players are" : "No player who can be found is";
  throw new Error(`${how} called ${name}. Ask them for the address of their page: it is on /account.`);
}
