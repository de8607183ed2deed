/**
 * The page of an account's webhooks: making, testing, changing and deleting them, and the deliveries to each.
 * @module
 */

/**
 * @import { Problem } from "../state/api.js"
 * @import { At, Body, Me, Submitted, Webhook } from "../types.js"
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { repeat } from "../vendor/directives/repeat.js";
import { accountForms } from "../parts/account-forms.js";
import { clock } from "../parts/format.js";
import { gameIn, textIn, tournamentIn } from "../parts/given.js";
import { save } from "../parts/save.js";
import { Account } from "../state/account.js";
import { Api, newKey, problemOf } from "../state/api.js";
import { Hooks } from "../state/hooks.js";
import { log, moment } from "./deliveries.js";

const DAY = 86_400;
const NEW = "new";

/** @type {Record<Webhook["form"], string>} */
const FORMS = {
  standard: "a program, by Standard Webhooks",
  discord: "a Discord channel",
  slack: "a Slack channel",
};
/** @type {Record<Webhook["about"], string>} */
const ABOUT = {
  account: "my games and tournaments",
  game: "one game",
  tournament: "one tournament",
  service: "all that everybody may read",
};
/** @type {Record<NonNullable<Webhook["why"]>, string>} */
const WHY = {
  gone: "Switched off: it answered 410, so it is gone.",
  failing: "Switched off: it failed for five days.",
  owner: "You switched it off.",
};
/** The field of the form that a kind of problem is about. @type {Record<string, string>} */
const FIELDS = {
  "/problems/bad-target": "url",
  "/problems/unknown-game": "game",
  "/problems/unknown-tournament": "tournament",
  "/problems/private": "game",
  "/problems/withheld": "game",
};

const api = new Api();
const account = new Account(api);
const hooks = new Hooks(api);
const place = /** @type {HTMLElement} */ (document.getElementById("people"));

/**
 * The state of the page: the secret that was made just now, the last message or problem, and what the form for a new
 * webhook has.
 */
const page = {
  /** The secret that was made just now and is shown only once, and the id of its webhook. */
  secret: { webhook: "", value: "" },
  /** The selector of what gets the focus after the next action. */
  fresh: "",
  problem: /** @type {Problem | null} */ (null),
  /** The part of the page that the problem is about: the id of a webhook, NEW for the form, or "" for the top. */
  about: "",
  done: "",
  /** What is chosen in the form for a new webhook: the receiver, the subject, and the game in the address. */
  form: /** @type {Webhook["form"]} */ ("standard"),
  subject: /** @type {Webhook["about"]} */ ("account"),
  game: "",
};

function draw() {
  const { me } = account;
  render(
    html`<p class="quiet"><a href="/account">Your account</a></p>
      <h1>Webhooks</h1>
      <p class="hidden" role="status">${page.done}</p>
      ${me ? ofAccount(me) : account.isUnknown ? html`<p class="quiet">…</p>` : html`<p>Nobody is signed in in this tab.</p>${accountForms(account)}`}`,
    place,
  );
}

/** @param {Me} me */
function ofAccount(me) {
  if (!me.scopes.includes("notify"))
    return html`<p class="problem">The token of this tab may not do that. Use one with the scope notify.</p>`;
  if (!hooks.sent)
    return html`<p class="problem">This service sends no webhooks: its operators have not given it a key for their secrets.
      Ask them. Until then, a program can <a href="/docs/guides/client#streams">follow a stream</a>.</p>`;
  const items = hooks.items ?? [];
  return html`<p>A webhook tells a program or a chat channel what happens in games, without anything hidden.
      <a href="/docs/guides/webhooks">How to receive one</a></p>
    ${problemIn("")}
    ${repeat(
      items,
      (each) => each.id,
      (each) => hook(me, each),
    )}
    ${!hooks.items ? html`<p class="quiet">…</p>` : items.length < hooks.most ? making(me) : html`<p>You have ${hooks.most} webhooks. Delete one to make another.</p>`}`;
}

/** The form for a new webhook. @param {Me} me */
function making(me) {
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    const given = new FormData(form);
    form.dataset.key ??= newKey();
    const key = form.dataset.key;
    perform(NEW, async () => {
      const { secret, webhook } = await hooks.make({ ...wish(given), ...subjectOf(given) }, key);
      form.reset();
      delete form.dataset.key;
      page.game = "";
      Object.assign(page, { subject: "account", form: "standard" });
      showSecret(webhook.id, secret);
      return "Your webhook is made, and a ping is sent to it. Its secret is shown";
    }).then(() => page.problem?.status && delete form.dataset.key);
  };
  const subjects = /** @type {Webhook["about"][]} */ (Object.keys(ABOUT)).filter(
    (each) => each !== "service" || me.scopes.includes("audit"),
  );
  return html`<section aria-labelledby="new-title"><h2 id="new-title">A new webhook</h2>
    <form id="new-webhook" @submit=${submit}>
      <label for="new-about">Tell of</label>
      <select id="new-about" name="about" .value=${page.subject} @change=${(
        /** @type {At<HTMLSelectElement>} */ { target },
      ) => {
        page.subject = /** @type {Webhook["about"]} */ (target.value);
        draw();
      }}>${subjects.map((each) => html`<option value=${each} ?selected=${each === page.subject}>${ABOUT[each]}</option>`)}</select>
      ${
        page.subject === "game"
          ? html`<label for="new-game">The game: its address, or its id</label>
        <input id="new-game" name="game" required maxlength="200" autocomplete="off" spellcheck="false" .value=${page.game} aria-describedby="new-game-problem" aria-invalid=${String(isWrong(NEW, "game"))} />
        ${fieldProblem(NEW, "game")}`
          : page.subject === "tournament"
            ? html`<label for="new-tournament">The tournament: its address, or its id</label>
        <input id="new-tournament" name="tournament" required maxlength="200" autocomplete="off" spellcheck="false" aria-describedby="new-tournament-problem" aria-invalid=${String(isWrong(NEW, "tournament"))} />
        ${fieldProblem(NEW, "tournament")}`
            : nothing
      }
      ${fields(NEW, null)}
      <div class="buttons"><button class="strong">Make the webhook</button></div>
      <p class="hint">A ping is sent at once. The webhook is on as soon as it is answered with 2xx.</p>
      ${problemIn(NEW)}
    </form></section>`;
}

/**
 * The fields that the forms for a new webhook and for a change have in common.
 * @param {string} id of the webhook, or NEW
 * @param {Webhook | null} known the webhook; null for a new one
 */
function fields(id, known) {
  const form = known?.form ?? page.form;
  return html`<label for="${id}-form">Send it to</label>
    <select id="${id}-form" name="form" @change=${(/** @type {At<HTMLSelectElement>} */ { target }) => {
      if (known) return;
      page.form = /** @type {Webhook["form"]} */ (target.value);
      draw();
    }}>${Object.entries(FORMS).map(([each, words]) => html`<option value=${each} ?selected=${each === form}>${words}</option>`)}</select>
    <label for="${id}-url">Address</label>
    <input id="${id}-url" name="url" type="url" required maxlength="2048" autocomplete="off" spellcheck="false" .value=${known?.url ?? ""}
      placeholder=${form === "standard" ? "https://example.org/hooks/7" : form === "discord" ? "https://discord.com/api/webhooks/…" : "https://hooks.slack.com/services/…"}
      aria-describedby="${id}-url-problem" aria-invalid=${String(isWrong(id, "url"))} />
    ${fieldProblem(id, "url")}
    <label for="${id}-events">Events, with blanks between them; leave it empty for the usual ones</label>
    <input id="${id}-events" name="events" maxlength="2000" autocomplete="off" spellcheck="false" .value=${known ? known.events.join(" ") : ""} placeholder="seat.awaited case.*"
      aria-describedby="${id}-events-problem" aria-invalid=${String(isWrong(id, "events"))} />
    ${fieldProblem(id, "events")}`;
}

/** Return what was filled into the fields that both forms have. @param {FormData} given */
function wish(given) {
  const events = textIn(given, "events");
  return {
    url: textIn(given, "url"),
    form: /** @type {Webhook["form"]} */ (textIn(given, "form")),
    ...(events ? { events: events.split(/[\s,]+/) } : {}),
  };
}

/**
 * Return what a new webhook is about.
 * @param {FormData} given
 * @returns {Pick<Body<"/v1/webhooks", "post">, "about" | "game" | "tournament">}
 */
function subjectOf(given) {
  const about = /** @type {Webhook["about"]} */ (textIn(given, "about"));
  if (about === "game") return { about, game: gameIn(textIn(given, "game")) };
  return about === "tournament" ? { about, tournament: tournamentIn(textIn(given, "tournament")) } : { about };
}

/**
 * @param {Me} me
 * @param {Webhook} each
 */
function hook(me, each) {
  const { id, url } = each;
  const isShown = hooks.shown === id;
  const ready =
    each.status === "off"
      ? nothing
      : html`<button @click=${() => perform(id, () => hooks.ping(id).then(() => "A ping is sent"))}>Send a ping</button>`;
  return html`<article class="hook" aria-labelledby=${id} data-game=${each.game ?? nothing} tabindex="-1">
    <h2 id=${id}>${url.replace(/^https:\/\//, "")}</h2>
    <p><span class="status ${each.status}">${{ new: "Waits for a ping to be answered", on: "On", off: "Off" }[each.status]}</span></p>
    ${each.why ? html`<p>${WHY[each.why]}</p>` : nothing}
    ${each.failing_since ? html`<p class="problem">It fails since ${moment(each.failing_since)}.</p>` : nothing}
    <p class="quiet">Tells of ${each.game ? html`<a href="/games/${each.game}">one game</a>` : each.tournament ? html`<a href="/tournaments/${each.tournament}">one tournament</a>` : ABOUT[each.about]}, to ${FORMS[each.form]}: ${each.events.join(", ")}.</p>
    ${secretOf(me, each)}
    <div class="buttons">${ready}
      <button aria-expanded=${String(isShown)} @click=${() => perform(id, () => hooks.show(isShown ? "" : id).then(() => ""))}>Deliveries</button></div>
    ${problemIn(id)}
    ${isShown ? log(hooks, (act) => perform(id, act)) : nothing}
    ${changing(each)} ${renewing(each)} ${deleting(each)}
  </article>`;
}

/**
 * The secret, if it was made just now, and until when the old one also signs.
 * @param {Me} me
 * @param {Webhook} each
 */
function secretOf(me, { id, url, old_secret_until: until }) {
  const { value } = page.secret;
  const old = until ? html`<p class="hint">Until ${clock(until)} the old secret signs as well.</p>` : nothing;
  if (page.secret.webhook !== id) return old;
  return html`<code class="token" tabindex="0" aria-label="The secret">${value}</code>
    <p class="hint">The receiver verifies messages with it. It is shown only now.
    <button type="button" @click=${() => save(`Webhook of ${me.name} at ${location.origin}\nAddress: ${url}\nSecret: ${value}\n`, "tabularium-webhook.txt")}>Download</button></p>${old}`;
}

/** @param {Webhook} each */
function changing(each) {
  const { id } = each;
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    const change = async () => {
      await hooks.change(id, { ...wish(given), active: given.has("active") });
      return "Changed";
    };
    perform(id, change, event.target);
  };
  return html`<details class="sure"><summary>Change …</summary>
    <form @submit=${submit}>${fields(id, each)}
      <p><label class="check"><input type="checkbox" name="active" ?checked=${each.status !== "off"} /> It gets what happens</label></p>
      <div class="buttons"><button>Save</button></div>
      <p class="hint">One that goes to another address, or is switched on again, has to answer a ping first.</p>
    </form></details>`;
}

/** @param {Webhook} each */
function renewing({ id }) {
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    const overlap = Number(new FormData(event.target).get("overlap"));
    const renew = async () => {
      showSecret(id, (await hooks.renew(id, overlap)).secret);
      return "The new secret is shown";
    };
    perform(id, renew, event.target);
  };
  return html`<details class="sure"><summary>Replace the secret …</summary>
    <form @submit=${submit}><label for="${id}-overlap">The old one signs as well</label>
      <select id="${id}-overlap" name="overlap">
        <option value=${DAY}>for a day</option><option value=${7 * DAY}>for a week</option><option value="0">not any more</option>
      </select>
      <div class="buttons"><button>Make a new secret</button></div></form></details>`;
}

/** @param {Webhook} each */
function deleting({ id }) {
  return html`<details class="sure"><summary>Delete …</summary>
    <p>What was sent to it is deleted as well. This is final.</p>
    <button @click=${() =>
      perform("", async () => {
        await hooks.remove(id);
        page.fresh = "h1";
        return "Deleted";
      })}>Delete the webhook</button></details>`;
}

/** @param {string} webhook @param {string} value */
function showSecret(webhook, value) {
  page.secret = { webhook, value };
  page.fresh = ".hook code.token";
}

/** Return the field of a form that the problem is about; empty if it is about none. */
function wrongField() {
  const { path, type } = page.problem?.problem ?? {};
  return FIELDS[type ?? ""] ?? /^\$\.(url|game|tournament|events)\b/.exec(path ?? "")?.[1] ?? "";
}

/** @param {string} id @param {string} field */
function isWrong(id, field) {
  return page.about === id && wrongField() === field;
}

/** @param {string} id @param {string} field */
function fieldProblem(id, field) {
  return html`<p id="${id}-${field}-problem" class=${isWrong(id, field) ? "problem" : "hint"} role=${isWrong(id, field) ? "alert" : nothing}>${isWrong(id, field) ? words() : nothing}</p>`;
}

/** The problem of a part of the page, unless a field shows it. @param {string} id */
function problemIn(id) {
  return page.problem && page.about === id && !wrongField()
    ? html`<p class="problem" role="alert">${words()}</p>`
    : nothing;
}

function words() {
  return `${page.problem?.message ?? ""} ${page.problem?.problem?.allowed ?? ""}`.trim();
}

/**
 * Do something, and show the message that it returns, or the problem. After success, the form around the control
 * closes.
 * @param {string} about the part of the page that shows the problem: see `page.about`
 * @param {() => Promise<string>} act
 * @param {HTMLElement} [control] the form that asked for it
 */
async function perform(about, act, control) {
  Object.assign(page, { problem: null, about, done: "" });
  try {
    page.done = await act();
    control?.closest("details.sure")?.removeAttribute("open");
  } catch (error) {
    page.problem = problemOf(error);
  }
  draw();
  if (page.fresh) /** @type {HTMLElement | null} */ (document.querySelector(page.fresh))?.focus();
  page.fresh = "";
}

/** Focus the webhook about the game that the address names. If there is none, fill in the form for one. */
function goToGame() {
  const game = new URLSearchParams(location.hash.slice(1)).get("game");
  if (!game || !hooks.items) return;
  const known = hooks.items.some((each) => each.game === game);
  if (!known) Object.assign(page, { game, subject: "game" });
  draw();
  const found = known ? `.hook[data-game="${CSS.escape(game)}"]` : "#new-form";
  /** @type {HTMLElement | null} */ (document.querySelector(found))?.focus();
}

account.addEventListener("entered", read);
account.addEventListener("change", draw);
hooks.addEventListener("change", draw);
addEventListener("hashchange", goToGame);
await account.read();

async function read() {
  hooks.forget();
  page.secret = { webhook: "", value: "" };
  if (account.me?.scopes.includes("notify")) await perform("", () => hooks.read().then(() => ""));
  else draw();
  goToGame();
}

await read();
