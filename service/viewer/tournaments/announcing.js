/**
 * The form that announces a tournament. Its regulations are a preset of the service, with a chosen number of rounds.
 * @module
 */

/**
 * @import { Account } from "../state/account.js"
 * @import { Api, Problem } from "../state/api.js"
 * @import { At, RulesetSummary, Submitted, TournamentPreset } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { accountForms } from "../parts/account-forms.js";
import { capital } from "../parts/format.js";
import { textIn } from "../parts/given.js";
import { refusal } from "../parts/rule.js";
import { newKey, problemOf } from "../state/api.js";
import { sentences } from "./regulations.js";

/** The form, what is chosen in it, and the presets of the service. */
export class Announcing {
  /** The presets of rulesets, by id; null while they are being read. @type {Map<string, readonly TournamentPreset[] | null>} */
  #presets = new Map();
  ruleset = "";
  preset = "";
  /** The chosen number of rounds; 0 for as many as the preset has. */
  rounds = 0;
  isBusy = false;
  /** Why the tournament was not announced. @type {Problem | null} */
  problem = null;

  /**
   * @param {Api} api
   * @param {Account} account
   * @param {() => void} redraw
   */
  constructor(api, account, redraw) {
    /** The season and division of a league that the address names, or null. The page of a league links here. */
    this.league = leagueIn(new URLSearchParams(location.search));
    this.api = api;
    this.account = account;
    this.redraw = redraw;
  }

  /** The presets of the chosen ruleset. The first call fetches them; until then there are none. */
  get presets() {
    const { api, ruleset } = this;
    if (ruleset && !this.#presets.has(ruleset)) {
      this.#presets.set(ruleset, null);
      api.get(`/v1/rulesets/${ruleset}/tournament-presets`).then(
        ({ items }) => {
          this.#presets.set(ruleset, items);
          this.redraw();
        },
        () => this.#presets.delete(ruleset),
      );
    }
    return this.#presets.get(ruleset) ?? [];
  }

  /** The regulations of the chosen preset, with the chosen rounds and league; null while there are no presets. */
  get regulations() {
    const chosen = this.presets.find((each) => each.name === this.preset) ?? this.presets[0];
    if (!chosen) return null;
    const { stages } = chosen.regulations;
    const rounds = this.rounds || stages[0].rounds;
    const adapted = { ...chosen.regulations, stages: stages.map((each) => ({ ...each, rounds })) };
    return this.league ? { ...adapted, league: this.league } : adapted;
  }

  /** @param {readonly RulesetSummary[]} rulesets */
  form(rulesets) {
    this.ruleset ||= rulesets[0]?.id ?? "";
    const { account, isBusy, presets, problem, regulations, ruleset } = this;
    const { me } = account;
    const title = rulesets.find((each) => each.id === ruleset)?.title ?? ruleset;
    return html`<form @submit=${(/** @type {Submitted} */ event) => this.#submit(event)} @change=${(/** @type {At<HTMLFormElement>} */ event) => this.#choose(event)}>
      ${this.league ? html`<p>It is for division ${this.league.division} in <a href="/leagues/${this.league.league}">season ${this.league.season} of a league</a>.</p>` : nothing}
      <label for="ruleset">Rules</label>
      <select id="ruleset" name="ruleset">${rulesets.map((each) => html`<option value=${each.id} ?selected=${each.id === ruleset}>${each.title}</option>`)}</select>
      <fieldset><legend>Begin with</legend>${presets.map(
        (each, at) =>
          html`<label><input type="radio" name="preset" value=${each.name} .checked=${this.preset ? each.name === this.preset : !at} /> ${capital(each.name)}. <span class="quiet">${each.what}</span></label>`,
      )}</fieldset>
      <label for="rounds">Rounds</label>
      <input id="rounds" name="rounds" type="number" min="1" max="30" required .value=${`${regulations?.stages[0].rounds ?? 1}`} />
      <label for="title">Title</label>
      <input id="title" name="title" maxlength="120" placeholder="Thursday's tournament" />
      ${
        me
          ? nothing
          : html`<label for="your-name">Your name</label>
      <input id="your-name" name="name" autocomplete="nickname" maxlength="80" placeholder="optional" />`
      }
      ${regulations ? html`<details><summary>The regulations in sentences</summary><ul class="sentences">${sentences(regulations, title).map((each) => html`<li>${each}</li>`)}</ul></details>` : nothing}
      ${problem ? refusal({ api: this.api, game: { ruleset }, redraw: this.redraw }, problem) : nothing}
      <div class="buttons"><button class="strong" ?disabled=${isBusy || !regulations || account.isUnknown}>Announce the tournament</button></div>
      <p class="hint">You direct it. Everybody who has its address can enter.</p>
    </form>
    ${me ? nothing : html`<details><summary>I have an account</summary>${accountForms(account)}</details>`}`;
  }

  /** @param {At<HTMLFormElement>} event */
  #choose({ currentTarget, target }) {
    const given = new FormData(currentTarget);
    this.ruleset = textIn(given, "ruleset");
    this.preset = textIn(given, "preset");
    const { name } = /** @type {HTMLInputElement} */ (/** @type {EventTarget} */ (target));
    if (name === "rounds") this.rounds = Number(given.get("rounds"));
    // Another ruleset or preset brings its own number of rounds.
    else if (name === "ruleset" || name === "preset") this.rounds = 0;
    this.redraw();
  }

  /** @param {Submitted} event */
  async #submit(event) {
    event.preventDefault();
    const form = event.target;
    const given = new FormData(form);
    const { account, api, regulations } = this;
    if (!regulations) return;
    form.dataset.key ??= newKey();
    Object.assign(this, { isBusy: true, problem: null });
    this.redraw();
    try {
      if (account.me || (await account.open(textIn(given, "name")))) {
        const wish = { regulations, title: textIn(given, "title") };
        const { summary } = await api.post("/v1/tournaments", wish, { "Idempotency-Key": form.dataset.key });
        if (this.league) {
          const body = { tournament: summary.tournament };
          // If somebody else organizes the league, this is refused, but the tournament is announced all the same.
          await api.post(`/v1/leagues/${this.league.league}/tournaments`, body).catch(() => null);
        }
        location.assign(`/tournaments/${summary.tournament}`);
        return;
      }
    } catch (error) {
      this.problem = problemOf(error);
      // Without an answer the request may have arrived: sending it again with the same key is safe.
      if (this.problem.status) delete form.dataset.key;
    }
    this.isBusy = false;
    this.redraw();
  }
}

/**
 * Return the season of a league that an address names; null when it names none.
 * @param {URLSearchParams} query
 */
function leagueIn(query) {
  const [league, season, division] = ["league", "season", "division"].map((each) => query.get(each));
  return league ? { league, season: Number(season) || 1, division: Number(division) || 1 } : null;
}
