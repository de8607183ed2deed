/**
 * Charts over the rounds of a game, as the service draws them from its scoreboard.
 * @module
 */

/** @import { Room } from "../state/room.js" */

import { html, nothing } from "../vendor/lit-html.js";
import { capital, plain } from "../parts/format.js";

const DICE = "dice";

/** @type {WeakMap<Room, Charts>} */
const byRoom = new WeakMap();

/** @param {Room} room */
export function chartsPanel(room) {
  const charts = byRoom.get(room) ?? new Charts(room);
  byRoom.set(room, charts);
  charts.look();
  if (!charts.names.length) return nothing;
  return html`<figure class="chart">
    <div class="choice" role="group" aria-label="Charts">
      ${charts.names.map((name) => html`<button aria-pressed=${String(charts.chosen === name)} @click=${() => charts.choose(name)}>${capital(plain(name))}</button>`)}
    </div>
    ${charts.source ? html`<img src=${charts.source} alt=${charts.words} width="720" height="380" />` : nothing}
  </figure>`;
}

/** The charts of a game, and the one that is shown. */
class Charts {
  /** What the chart was fetched for: its name, the number of rounds, and the status of the game. */
  #fetched = "";

  /** @param {Room} room */
  constructor(room) {
    this.room = room;
    /** @type {string[]} */
    this.names = [];
    this.chosen = "";
    /** The address of the picture; empty before it is fetched. */
    this.source = "";
    /** The picture in words. */
    this.words = "";
  }

  /** @param {string} name */
  choose(name) {
    this.chosen = name;
    this.look();
  }

  /** Fetch the chart, if another one was chosen, a round was added, or the game has another status. */
  look() {
    const { room } = this;
    const state = `${this.chosen} ${room.landmarks?.rounds.length} ${room.game?.status}`;
    if (!room.landmarks || state === this.#fetched) return;
    this.#fetched = state;
    this.#fetch(state).then(
      () => room.redraw(),
      () => room.redraw(),
    );
  }

  /** @param {string} state */
  async #fetch(state) {
    const { api, id } = this.room;
    const { rounds } = await api.get(`/v1/games/${id}/scoreboard`);
    const { scores = {}, nations = {} } = rounds.at(-1) ?? {};
    const [score] = Object.values(scores);
    if (!score) return;
    const [nation = {}] = Object.values(nations).flatMap((led) => Object.values(led));
    this.names = [...Object.keys(score), ...Object.keys(nation).map((name) => `${name}-by-nation`), DICE];
    if (!this.chosen) {
      [this.chosen] = this.names;
      return this.look();
    }
    const drawn = await api.text(`/v1/games/${id}/charts/${this.chosen}.svg`);
    if (state !== this.#fetched) return;
    URL.revokeObjectURL(this.source);
    this.source = URL.createObjectURL(new Blob([drawn], { type: "image/svg+xml" }));
    this.words = [...drawn.matchAll(/<(title|desc)[^>]*>([^<]*)</g)]
      .slice(0, 2)
      .map(([, , words]) => words)
      .join(". ");
  }
}
