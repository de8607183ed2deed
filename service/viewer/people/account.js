/**
 * The page of your account: its name, ways to sign in, browsers, apps, tokens and data, and signing out, joining or
 * closing it.
 * @module
 */

/** @import { Answer, At, Me, Submitted } from "../types.js" */

import { html, nothing, render } from "../vendor/lit-html.js";
import { live } from "../vendor/directives/live.js";
import { repeat } from "../vendor/directives/repeat.js";
import { accountForms } from "../parts/account-forms.js";
import { mayDo, placeOf } from "./app.js";
import { Joining } from "./joining.js";
import { ago, clock, count } from "../parts/format.js";
import { Account } from "../state/account.js";
import { textIn } from "../parts/given.js";
import { save } from "../parts/save.js";
import { Api, Newest, problemOf } from "../state/api.js";
import { canHavePasskeys, makePasskey } from "../state/passkeys.js";

const SCOPES = {
  play: "take seats and give commands",
  organize: "create and organize games",
  judge: "rule in games, as an official",
  notify: "make webhooks, which tell a program of your games",
  account: "do everything, and make tokens; not for programs",
};

/** The warning before the last way back into an account is removed. */
const LOST = "You have no other way back. Without one the account is lost for good when this browser forgets you.";

const api = new Api();
const account = new Account(api);
const place = /** @type {HTMLElement} */ (document.getElementById("people"));
/** What the service has of the account: passkeys, tokens, apps, and how many recovery codes are left. */
const EMPTY = {
  passkeys: /** @type {Answer<"/v1/passkeys", "get">["items"]} */ ([]),
  tokens: /** @type {Answer<"/v1/tokens", "get">["items"]} */ ([]),
  apps: /** @type {Answer<"/v1/apps", "get">["items"]} */ ([]),
  left: 0,
};

/**
 * The state of the page: the account's data, secrets that were made just now and are shown only once, and the last
 * message or problem.
 */
const page = {
  kept: EMPTY,
  madeNow: { codes: /** @type {string[]} */ ([]), token: "" },
  /** The selector of a new secret, until it has the focus. */
  fresh: "",
  problem: "",
  done: "",
};

const newest = new Newest();
const joining = new Joining(account, act);

function draw() {
  const { me } = account;
  const alert = page.problem ? html`<p class="problem" role="alert">${page.problem}</p>` : nothing;
  render(
    html`<h1>${me ? me.name : "Your account"}</h1>
      ${alert}
      <p class="hidden" role="status">${page.done}</p>
      ${me ? [lasting(), naming(me), passkeys(), provider(), codes(), signedIn(me), letIn(), tokens(me), webhooks(me), leaving(), data(me), joining.part(me), closing(me)] : account.isUnknown ? html`<p class="quiet">…</p>` : html`<p>${page.done ? `${page.done}. ` : ""}Nobody is signed in in this tab.</p>${accountForms(account)}`}`,
    place,
  );
  document.title = `${me ? me.name : "Your account"} · Tabularium`;
}

function lasting() {
  if (account.api.token) return html`<p class="hint">This tab is signed in with a token.</p>`;
  return account.lasting
    ? html`<p>You can come back to this account from any device.</p>`
    : html`<p class="problem">Only this browser keeps your account. When it forgets you, the account is lost. Make a
        passkey or recovery codes${account.provider ? html`, or link it with ${account.provider.name}` : nothing}: then you can come back from any device.</p>`;
}

/** @param {Me} me */
function naming(me) {
  return html`<section aria-labelledby="name-title"><h2 id="name-title">Name</h2>
    <form @submit=${act(async (given) => {
      await api.patch("/v1/players/me", { name: textIn(given, "name") });
      await account.read();
      return "Saved";
    })}>
      <label for="own-name">The name that others see</label>
      <div class="line"><input id="own-name" name="name" maxlength="80" required .value=${me.name} autocomplete="nickname" /><button>Save</button></div>
      <p class="hint"><a href="/players/${me.id}">What others see of you</a></p>
    </form>
    <label class="check"><input type="checkbox" .checked=${live(me.findable)} @change=${(/** @type {At<HTMLInputElement>} */ { target }) => perform(() => setFindable(target.checked))} /> Others can find me by it</label>
    <p class="hint">${me.findable ? "Saved: whoever searches for your name finds you." : "Saved: nobody finds you by your name."}</p></section>`;
}

/** Save whether others can find the account by its name. @param {boolean} findable */
async function setFindable(findable) {
  await api.patch("/v1/players/me", { findable });
  await account.read();
  return "Saved";
}

function passkeys() {
  const isLast = page.kept.passkeys.length === 1 && !page.kept.left && !account.provider?.linked;
  return html`<section aria-labelledby="passkeys-title"><h2 id="passkeys-title">Passkeys</h2>
    <p>A passkey lives in your device or password manager. It signs you in by a fingerprint, a face or a PIN.</p>
    ${
      page.kept.passkeys.length
        ? html`<ul aria-label="Passkeys">${repeat(
            page.kept.passkeys,
            (each) => each.id,
            (each) => html`<li><strong>${each.name}</strong>
          <span class="quiet">made ${moment(each.created)}${each.used ? html`, used ${moment(each.used)}` : nothing}</span>
          ${sure(`Remove ${each.name}`, "Remove", () => api.delete(`/v1/passkeys/${each.id}`), isLast ? LOST : "")}</li>`,
          )}</ul>`
        : html`<p class="quiet">You have none yet.</p>`
    }
    ${canHavePasskeys() ? newPasskey() : html`<p class="hint">Browsers make passkeys only for an address that is a name, with HTTPS or on localhost.</p>`}</section>`;
}

function newPasskey() {
  return html`<form @submit=${act(async (given) => {
    await makePasskey(api, textIn(given, "name"));
    await account.read();
    return "Your passkey is registered";
  })}>
      <label for="passkey-name">A name for a new one</label>
      <div class="line"><input id="passkey-name" name="name" maxlength="80" required value="This device" /><button class=${account.lasting ? "" : "strong"}>Make a passkey</button></div>
    </form>`;
}

/** The link with the provider, which can sign in to this account. */
function provider() {
  if (!account.provider || account.api.token) return nothing;
  const { name, linked } = account.provider;
  const others = page.kept.passkeys.length || page.kept.left;
  const warning = others ? `You cannot sign in with ${name} any more.` : LOST;
  return html`<section aria-labelledby="provider-title"><h2 id="provider-title">${name}</h2>
    ${
      linked
        ? html`<p>You can sign in to this account with ${name}. ${sure(`Remove the link with ${name}`, "Remove the link", () => account.unlink(), warning)}</p>`
        : html`<p>Sign in with ${name} on any device. You are asked there who you are.</p>
          <button class=${account.lasting ? "" : "strong"} @click=${() => perform(() => account.goToProvider().then(() => ""))}>Link with ${name}</button>`
    }</section>`;
}

function codes() {
  return html`<section aria-labelledby="codes-title"><h2 id="codes-title">Recovery codes</h2>
    <p>Each code signs you in once. Keep them on paper. ${page.kept.left ? `${count(page.kept.left, "code")} left.` : "You have none."}</p>
    ${
      page.madeNow.codes.length
        ? html`<pre class="token" tabindex="0" aria-label="Your recovery codes">${page.madeNow.codes.join("\n")}</pre>
          <p class="hint">They are shown only now. ${download(() => `Recovery codes of ${account.me?.name} at ${location.origin}\n\n${page.madeNow.codes.join("\n")}\n`, "tabularium-recovery-codes.txt")}</p>`
        : nothing
    }
    ${
      page.kept.left
        ? sure(
            "Make new recovery codes",
            "Make new codes",
            makeCodes,
            "The codes that you have will sign nobody in any more.",
          )
        : html`<button @click=${() => perform(makeCodes)}>Make recovery codes</button>`
    }</section>`;
}

async function makeCodes() {
  page.madeNow.codes = (await api.post("/v1/recovery-codes")).codes;
  await account.read();
  page.fresh = "pre.token";
  return "Your recovery codes are shown";
}

/** The browsers that are signed in. @param {Me} me */
function signedIn(me) {
  const sessions = page.kept.tokens.filter((each) => each.session);
  return html`<section aria-labelledby="sessions-title"><h2 id="sessions-title">Signed in</h2>
    <ul aria-label="Browsers">${repeat(
      sessions,
      (each) => each.id,
      (each) => html`<li><strong>${each.id === me.token ? "This browser" : "Another browser"}</strong>
      <span class="quiet">since ${moment(each.created)}${each.used ? html`, last here ${moment(each.used)}` : nothing}</span>
      ${each.id === me.token ? nothing : sure(`Sign out the browser of ${clock(each.created)}`, "Sign out", () => api.delete(`/v1/tokens/${each.id}`))}</li>`,
    )}</ul>
    ${me.scopes.includes("notify") ? html`<p><a href="/account/notices">Notifications on your devices and by e-mail</a></p>` : nothing}</section>`;
}

/** Apps of other people that the account let in. */
function letIn() {
  const { apps } = page.kept;
  return html`<section aria-labelledby="apps-title"><h2 id="apps-title">Apps</h2>
    <p>Apps of other people that you let use your account.</p>
    ${
      apps.length
        ? html`<ul aria-label="Apps">${repeat(
            apps,
            (each) => each.id,
            (each) => {
              const name = placeOf(each);
              return html`<li><strong>${name}</strong> <span>“${each.name}”</span>
          <span class="quiet">let in ${moment(each.given)}, ${each.used ? html`used ${moment(each.used)}` : "never used"}${each.sign_ins ? nothing : ", signed out"}</span>
          ${sure(`Shut out ${each.name} at ${name}`, "Shut out", () => api.delete(`/v1/apps/${each.id}`), "It is signed out everywhere, and has to ask you again.")}
          ${each.reused ? html`<p class="problem">${clock(each.reused)}: a key of this app was used twice, so somebody may have copied it. That sign-in was ended. Shut the app out if you do not trust it.</p>` : nothing}
          <details><summary>What it may do</summary>${mayDo(each.scopes)}</details></li>`;
            },
          )}</ul>`
        : html`<p class="quiet">You have let no app in.</p>`
    }</section>`;
}

/** @param {Me} me */
function tokens(me) {
  const mine = page.kept.tokens.filter((each) => !each.session && !each.app);
  return html`<section aria-labelledby="tokens-title"><h2 id="tokens-title">Tokens</h2>
    <p>Programs and bots of yours use <a href="/docs">the API</a> with a token. Give each one of its own.</p>
    ${
      mine.length
        ? html`<ul aria-label="Tokens">${repeat(
            mine,
            (each) => each.id,
            (each) => html`<li><strong>${each.name}</strong> <span>${each.scopes.join(", ")}</span>
          <span class="quiet">made ${moment(each.created)}, ${each.used ? html`used ${moment(each.used)}` : "never used"}${each.expires ? html`, ends ${clock(each.expires)}` : nothing}</span>
          ${sure(`Revoke ${each.name}`, "Revoke", () => api.delete(`/v1/tokens/${each.id}`), "Programs that use this token stop working.")}</li>`,
          )}</ul>`
        : html`<p class="quiet">You have none.</p>`
    }
    ${me.bot ? html`<p>A program plays this account. Everybody sees that it is a bot.</p>` : nothing}
    ${
      page.madeNow.token
        ? html`<code class="token" tabindex="0" aria-label="The new token">${page.madeNow.token}</code>
          <p class="hint">It is shown only now. ${download(() => `Account: ${me.name}\nService: ${location.origin}\nToken: ${page.madeNow.token}\n`, "tabularium-token.txt")}</p>`
        : nothing
    }
    <details><summary>Make a token</summary>
      <form @submit=${act(async (given) => {
        page.madeNow.token = (
          await api.post("/v1/tokens", {
            name: textIn(given, "name"),
            scopes: /** @type {Me["scopes"]} */ (given.getAll("scope")),
          })
        ).token;
        page.fresh = "section > code.token";
        return "Your token is shown";
      })}>
        <label for="token-name">What is it for?</label>
        <input id="token-name" name="name" maxlength="80" required placeholder="my bot" />
        <fieldset><legend>It may</legend>${Object.entries(SCOPES)
          .filter(([scope]) => me.scopes.includes(scope))
          .map(
            ([scope, words]) => html`<label>
          <input type="checkbox" name="scope" value=${scope} ?checked=${scope === "play"} /> ${words}</label>`,
          )}</fieldset>
        <button>Make the token</button>
      </form></details>
    ${
      me.bot
        ? nothing
        : sure(
            "Say that a program plays this account",
            "A program plays this account",
            becomeBot,
            "Everybody then sees that it is a bot, and you cannot take that back. For a bot beside yourself, make another account.",
          )
    }</section>`;
}

async function becomeBot() {
  await api.put("/v1/players/me/bot");
  await account.read();
  return "Everybody sees that a program plays this account";
}

/** @param {Me} me */
function webhooks(me) {
  return me.scopes.includes("notify")
    ? html`<section aria-labelledby="webhooks-title"><h2 id="webhooks-title">Webhooks</h2>
      <p>A webhook tells a program or a chat channel what happens in your games. <a href="/account/webhooks">Your webhooks</a></p></section>`
    : nothing;
}

function leaving() {
  return html`<section aria-labelledby="leaving-title"><h2 id="leaving-title">Sign out</h2>${accountForms(account)}</section>`;
}

/** A plain link to the data. It works only with the session of this browser: a link cannot send the token of a tab. @param {Me} me */
function data(me) {
  if (account.api.token || !me.scopes.includes("account")) return nothing;
  return html`<section aria-labelledby="data-title"><h2 id="data-title">Your data</h2>
    <p>Everything that the service keeps about you beside the public logs, in a file of JSON Lines.
      <a href="/v1/players/me/data" download>Download my data</a></p></section>`;
}

/** @param {Me} me */
function closing(me) {
  return html`<section aria-labelledby="closing-title"><h2 id="closing-title">Close this account</h2>
    <details class="sure"><summary>Close this account …</summary>
      <p>This is final. You give up your seats, others organize your games, and your name gives way to a pseudonym. What
        you played stays, so that it can be proved.</p>
      <form @submit=${act(close)}>
        <label for="closing-name">To confirm, type the name ${me.name}</label>
        <div class="line"><input id="closing-name" name="name" required autocomplete="off" /><button>Close this account</button></div>
      </form></details></section>`;
}

/** @param {FormData} given */
async function close(given) {
  if (textIn(given, "name") !== account.me?.name)
    throw new Error(`The account is called ${account.me?.name}. Type this name to close it.`);
  await api.delete(`/v1/players/me?confirm=${account.me?.id}`);
  await (api.token ? account.goHome() : account.leave());
  return "Your account is closed";
}

/** @param {string} time */
const moment = (time) => html`<time datetime=${time} title=${clock(time)}>${ago(time)}</time>`;

/**
 * A button that asks once more before it does what cannot be undone.
 * @param {string} label what a screen reader says
 * @param {string} words on the button
 * @param {() => Promise<unknown>} what does it
 */
function sure(label, words, what, warning = "") {
  return html`<details class="sure"><summary aria-label=${label}>${words} …</summary>
    ${warning ? html`<p>${warning}</p>` : nothing}<button @click=${(/** @type {At<HTMLElement>} */ { target }) => perform(() => what().then(() => "Done"), target)}>${words}</button></details>`;
}

/**
 * @param {() => string} content
 * @param {string} name
 */
function download(content, name) {
  return html`<button type="button" @click=${() => save(content(), name)}>Download</button>`;
}

/** Return a handler for a form that performs `what` with the data of the form. @param {(given: FormData) => Promise<string>} what */
function act(what) {
  return (/** @type {Submitted} */ event) => {
    event.preventDefault();
    const form = event.target;
    perform(async () => what(new FormData(form)), form);
  };
}

/**
 * Do something, and show the message that it returns, or the problem. After success, the question around the control
 * closes.
 * @param {() => Promise<string>} what
 * @param {HTMLElement} [control] the button or form that asked for it
 */
async function perform(what, control) {
  page.problem = page.done = "";
  try {
    page.done = await what();
    control?.closest("details.sure")?.removeAttribute("open");
  } catch (error) {
    const problem = problemOf(error);
    page.problem = `${problem.message} ${problem.problem?.allowed ?? ""}`;
  }
  await read();
  if (page.fresh) /** @type {HTMLElement | null} */ (document.querySelector(page.fresh))?.focus();
  page.fresh = "";
}

async function read() {
  const isNewest = newest.begin();
  if (account.me?.scopes.includes("account")) {
    try {
      const [keys, all, apps, { left }] = await Promise.all([
        api.get("/v1/passkeys"),
        api.get("/v1/tokens"),
        api.get("/v1/apps"),
        api.get("/v1/recovery-codes"),
        joining.read(),
      ]);
      if (isNewest()) page.kept = { passkeys: keys.items, tokens: all.items, apps: apps.items, left };
    } catch (error) {
      if (isNewest()) page.problem = problemOf(error).message;
    }
  }
  draw();
}

account.addEventListener("entered", () => {
  page.madeNow = { codes: [], token: "" };
  page.problem = "";
  joining.forget();
  read();
});
account.addEventListener("change", draw);
await account.read();
await read();
