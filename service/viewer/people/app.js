/**
 * The texts about an app that asks for access to your account: where it runs and what it may do. And the form that asks
 * you whether to allow it.
 * @module
 */

/** @import { AppRequest, Me, Submitted } from "../types.js" */

import { html, nothing } from "../vendor/lit-html.js";

/** What each scope lets an app do. @type {Record<string, string>} */
const ABILITIES = {
  play: "Play for you: take seats, make moves, and see what is hidden from the others",
  organize: "Organize games in your name: create, start and cancel them, and see what their organizer sees",
  judge: "Rule for you in games that made you an official, and see everything in them",
  notify: "Read your notices, and have them sent to programs and addresses that it chooses",
};

/** Return where an app runs, in words. @param {Pick<AppRequest, "kind" | "site">} app */
export function placeOf({ kind, site }) {
  if (kind === "web") return site;
  if (kind === "app") return `the app ${site}`;
  return kind === "device" ? "an app on a device" : "a program on this computer";
}

/** Return what an app may do, as a list. @param {readonly string[]} scopes */
export function mayDo(scopes) {
  return html`<ul class="may"><li>See who you are: your name, and the id of your account</li>
    ${scopes.map((scope) => html`<li>${ABILITIES[scope] ?? scope}</li>`)}</ul>`;
}

/** A warning for each kind of app whose origin the service cannot check. @type {Record<string, string>} */
const WARNINGS = {
  app: "Allow it only if you have just begun to sign in there: another app can use this name, too.",
  program: "Allow it only if you have just started that program yourself.",
  device:
    "Allow it only if you see the device, and it shows the same code. Somebody else who sent you here would get in.",
};

/**
 * Return the form in which you allow an app what it asks for, or refuse.
 * @param {AppRequest} request
 * @param {Me} me
 * @param {boolean} isBusy whether the buttons are disabled
 * @param {(allow: boolean, scopes?: AppRequest["scopes"]) => unknown} decide gets the answer, and the ticked scopes if it is true
 */
export function question(request, me, isBusy, decide) {
  const { kind, name } = request;
  const place = placeOf(request);
  const submit = (/** @type {Submitted} */ event) => {
    event.preventDefault();
    const chosen = new FormData(event.target).getAll("scope");
    decide(
      true,
      request.scopes.filter((scope) => chosen.includes(scope)),
    );
  };
  return html`<form @submit=${submit}>
    <p class="lead">You are signed in as <strong>${me.name}</strong>. If you allow it, <strong>${place}</strong> can:</p>
    ${request.scopes.length ? scopeBoxes(request.scopes) : mayDo([])}
    <p>It never learns how you sign in. It cannot change your account, or keep you out of it. You can shut it out at any time on
      the page of <a href="/account">your account</a>.</p>
    <p class="hint">It calls itself “${name}”. ${kind === "web" ? html`Nobody has checked that name: go by the address, <strong>${place}</strong>.` : "Nobody has checked that name."}</p>
    ${WARNINGS[kind] ? html`<p class="problem">${WARNINGS[kind]}</p>` : nothing}
    <div class="buttons">
      <button class="strong" ?disabled=${isBusy}>Allow</button>
      <button type="button" ?disabled=${isBusy} @click=${() => decide(false)}>Do not allow</button>
    </div></form>`;
}

/**
 * Return the scopes that an app asks for, as ticked boxes. You may untick the scopes that you do not want to give.
 * @param {AppRequest["scopes"]} scopes
 */
function scopeBoxes(scopes) {
  return html`<fieldset class="may"><legend>See who you are: your name, and the id of your account; and</legend>
    ${scopes.map((scope) => html`<label class="check"><input type="checkbox" name="scope" value=${scope} checked /> ${ABILITIES[scope] ?? scope}</label>`)}
    </fieldset>
    <p class="hint">Take a tick away from what you do not want. The app may then do less.</p>`;
}
