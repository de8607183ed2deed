/**
 * The page of an invitation: it shows the game, and one click takes a seat in it. The invitation is the part of the
 * address after the #, which browsers send to no server.
 * @module
 */

/**
 * @import { Problem } from "../state/api.js"
 * @import { Answer, GameSummary, Ruleset, Submitted } from "../types.js"
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { accountForms } from "../parts/account-forms.js";
import { entropy } from "../parts/entropy.js";
import { count, gameTitle, named } from "../parts/format.js";
import { settings, stillness } from "../parts/clock-settings.js";
import { lookAlike } from "../parts/look-alike.js";
import { Account } from "../state/account.js";
import { textIn } from "../parts/given.js";
import { Api, problemOf } from "../state/api.js";

const api = new Api();
const account = new Account(api);
const place = /** @type {HTMLElement} */ (document.getElementById("people"));
/**
 * The state of the page: the invitation and the ruleset of its game, once they were read; the last problem; and whether
 * a seat is being taken.
 * @type {{invited: Answer<`/v1/invitations/${string}`, "get"> | null, ruleset: Ruleset | null, problem: Problem | null, isBusy: boolean}}
 */
const page = { invited: null, ruleset: null, problem: null, isBusy: false };

/** Return the API's address of the invitation. */
const address = () =>
  /** @type {`/v1/invitations/${string}`} */ (`/v1/invitations/${encodeURIComponent(location.hash.slice(1))}`);

function draw() {
  const { invited, problem } = page;
  const alert = problem
    ? html`<p class="problem" role="alert">${problem.message} ${problem.problem?.allowed ?? ""}</p>`
    : nothing;
  render(
    html`<h1>${invited ? "You are invited" : problem ? "This link leads nowhere" : "An invitation"}</h1>
      ${alert} ${invited ? invitation(invited) : problem ? html`<p><a href="/">To the lobby</a></p>` : html`<p class="quiet">Reading the invitation …</p>`}`,
    place,
  );
  document.title = `${invited ? gameTitle(invited.game) : "An invitation"} · Tabularium`;
}

/** @param {NonNullable<typeof page.invited>} invited */
function invitation({ game, organizer, abandoned_after: days, free, you }) {
  const { ruleset } = page;
  return html`<p class="lead"><strong>${organizer || "Somebody"}</strong> invites you to play
      <strong>${game.title || ruleset?.title || game.ruleset}</strong>${game.title ? html`, by ${ruleset?.title ?? game.ruleset}` : nothing}.</p>
    <ul class="seats" aria-label="Seats">${game.seats.map(
      ({ seat, player, name, bot, looks_alike }) => html`<li><strong>${named(seat)}</strong>
      <span class=${player ? "" : "quiet"}>${player ? (bot ? `${name} (a bot)` : name) : "free"}</span> ${looks_alike ? lookAlike : nothing}</li>`,
    )}</ul>
    ${settings(game.clock)} ${stillness(days)}
    ${you ? html`<p>You have a seat in this game: ${named(you)}. <a class="strong" href="/games/${game.id}">Go to the game</a></p>` : freeSeats(game, free)}`;
}

/**
 * The way into the game for somebody without a seat in it.
 * @param {GameSummary} game
 * @param {number} free how many seats are
 */
function freeSeats(game, free) {
  const watch = html`<a href="/games/${game.id}">Watch it</a>`;
  if (game.status !== "gathering") return html`<p>The game has begun without you. ${watch}</p>`;
  if (!free) return html`<p>All seats are taken. ${watch}</p>`;
  return html`<p>${count(free, "seat")} ${free === 1 ? "is" : "are"} free. ${watch}</p> ${account.me ? asMe() : asGuest()}`;
}

/** The button for somebody who is signed in. */
function asMe() {
  return html`<button class="strong" ?disabled=${page.isBusy} @click=${join}>Join as ${account.me?.name}</button>
    <details><summary>Somebody else?</summary>${accountForms(account)}</details>`;
}

/** The form for somebody who is not, which opens an account. */
function asGuest() {
  /** @param {Submitted} event */
  const submit = async (event) => {
    event.preventDefault();
    if (await account.open(textIn(new FormData(event.target), "name"))) await join();
  };
  return html`<form @submit=${submit}>
      <label for="guest">Your name</label>
      <div class="line"><input id="guest" name="name" autocomplete="nickname" maxlength="80" placeholder="optional" />
        <button class="strong" ?disabled=${page.isBusy || account.isUnknown}>Join</button></div>
      <p class="hint">This browser keeps your account. You can make it lasting at any time.</p>
    </form>
    <details><summary>I have an account</summary>${accountForms(account)}</details>`;
}

async function join() {
  page.isBusy = true;
  page.problem = null;
  draw();
  try {
    const { game } = await api.post(address(), { entropy: entropy() });
    location.assign(`/games/${game}`);
  } catch (error) {
    page.isBusy = false;
    await read();
    page.problem = problemOf(error);
    draw();
  }
}

async function read() {
  page.problem = null;
  try {
    const invited = await api.get(address());
    page.invited = invited;
    page.ruleset ??= await api.get(`/v1/rulesets/${invited.game.ruleset}`);
  } catch (error) {
    page.invited = null;
    page.problem = problemOf(error);
  }
  draw();
}

account.addEventListener("entered", () => page.isBusy || read());
account.addEventListener("change", draw);
addEventListener("hashchange", read);
await account.read();
await read();
