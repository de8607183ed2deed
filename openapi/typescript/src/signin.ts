/**
 * Signing somebody in from an app (OAuth 2.1): by the browser or by a code, and staying so. Access tokens last an hour.
 * A refresh token that is used twice ends the sign-in, so one tab or part of the app at a time refreshes.
 */

import { repeated, type TokenSource } from "./client.js";
import { NotSignedIn } from "./problems.js";
import { jittered, rest } from "./streams.js";

/** Where a sign-in is kept, by names: `localStorage`, or anything like it. */
export interface Store {
  getItem(name: string): string | null | Promise<string | null>;
  setItem(name: string, value: string): void | Promise<void>;
  removeItem(name: string): void | Promise<void>;
}

/** An app that signs people in. */
export interface App {
  /** Where the service is. It must be the address that the service has for itself, its issuer. */
  url: string;
  /** What the app calls itself. */
  client: string;
  /** What it wants to do, such as `play notify`. Without, it learns who somebody is. */
  scope?: string;
  /** Where the person comes back to; the page without its query, if absent. */
  redirect?: string;
  /** Where the sign-in is kept; `localStorage`, or without one the memory of the program, if absent. */
  store?: Store;
  fetch?: typeof fetch;
}

/** What a device shows to its person. */
export interface DeviceCode {
  user_code: string;
  verification_uri: string;
  /** The same address with the code in it, for a QR code. */
  verification_uri_complete: string;
  /** Seconds until the code ends. */
  expires_in: number;
}

type Tokens = { access_token: string; refresh_token: string; expires_in: number };
type Kept = { access: string; refresh: string; ends: number };

const EARLY = 60_000; // A token that ends so soon may end before its request arrives.
const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";
const ANSWER = ["code", "state", "iss", "error", "error_description", "error_uri"];

const memory = new Map<string, string>();
const MEMORY: Store = { getItem: (name) => memory.get(name) ?? null, setItem: (name, value) => void memory.set(name, value), removeItem: (name) => void memory.delete(name) };

/** Send the browser to the service, which asks its person. It comes back to a page that calls `signedIn`. */
export async function signIn(app: App): Promise<void> {
  const redirect = app.redirect ?? location.origin + location.pathname;
  const begun = { state: random(), verifier: random(), redirect };
  sessionStorage.setItem(nameOf(app), JSON.stringify(begun));
  const challenge = text(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(begun.verifier)));
  const asked = { response_type: "code", client_id: app.client, redirect_uri: redirect, scope: app.scope ?? "", state: begun.state };
  location.assign(`${urlOf(app)}/authorize?${new URLSearchParams({ ...asked, code_challenge: challenge, code_challenge_method: "S256" })}`);
}

/**
 * Return what gives the tokens of a `Client` for the person who is signed in; undefined when nobody is. Takes up the answer
 * with which the browser comes back from `signIn`, and removes it from the address.
 * @throws NotSignedIn when the person said no, or when the answer is to no `signIn` of this tab or by another service
 */
export async function signedIn(app: App): Promise<TokenSource | undefined> {
  const address = globalThis.location && new URL(location.href);
  const said = address?.searchParams;
  if (address && said?.has("state") && (said.has("code") || said.has("error"))) {
    const [code, state, iss, error, detail] = ["code", "state", "iss", "error", "error_description"].map((name) => said.get(name) ?? "");
    for (const name of ANSWER) said.delete(name);
    history.replaceState(history.state, "", address);
    const begun = JSON.parse(sessionStorage.getItem(nameOf(app)) ?? "{}");
    if (begun.state !== state) throw new NotSignedIn("wrong_state", "The answer is to no sign-in that began in this tab. Sign in again.");
    if (iss !== urlOf(app)) throw new NotSignedIn("wrong_issuer", `The answer is by ${iss || "nobody"}. Expected it from ${urlOf(app)}.`);
    sessionStorage.removeItem(nameOf(app));
    if (error) throw new NotSignedIn(error, detail || error);
    const form = { grant_type: "authorization_code", code: `${code}`, redirect_uri: begun.redirect, code_verifier: begun.verifier };
    await keep(app, await ask<Tokens>(app, "token", form));
  }
  return (await keptBy(app)) && sourceOf(app);
}

/**
 * Sign somebody in without a browser: `show` tells them to enter a code at an address. Resolves when they have said yes.
 * @throws NotSignedIn when they said no, or nothing in time
 */
export async function signInByDevice(app: App, show: (code: DeviceCode) => unknown, signal?: AbortSignal): Promise<TokenSource> {
  const asked = await ask<DeviceCode & { device_code: string; interval?: number }>(app, "device", { scope: app.scope ?? "" });
  await show(asked);
  for (let pause = asked.interval ?? 5; ; await rest(1000 * pause, signal)) {
    signal?.throwIfAborted();
    try {
      await keep(app, await ask<Tokens>(app, "token", { grant_type: DEVICE, device_code: asked.device_code }));
      return sourceOf(app);
    } catch (error) {
      if (!(error instanceof NotSignedIn)) throw error;
      if (error.error === "slow_down") pause += 5;
      else if (error.error !== "authorization_pending") throw error;
    }
  }
}

/** Forget the sign-in, and end it at the service. Throws `Lost` when only the first could be done. */
export async function signOut(app: App): Promise<void> {
  await alone(nameOf(app), async () => {
    const kept = await keptBy(app);
    await storeOf(app).removeItem(nameOf(app));
    if (kept) await ask(app, "revoke", { token: kept.refresh });
  });
}

/** Return what gives the tokens of a sign-in: all who ask while it refreshes get what that gives. */
function sourceOf(app: App): TokenSource {
  let refreshing: Promise<string> | undefined;
  return async (refused) => {
    const kept = await keptBy(app);
    if (kept && isGood(kept, refused)) return kept.access;
    return (refreshing ??= alone(nameOf(app), () => refreshed(app, refused)).finally(() => (refreshing = undefined)));
  };
}

/** Return a new access token, or the one that another tab has got meanwhile. */
async function refreshed(app: App, refused: string | undefined): Promise<string> {
  const kept = await keptBy(app);
  if (!kept) throw new NotSignedIn("signed_out", "Nobody is signed in any more. Sign in again.");
  if (isGood(kept, refused)) return kept.access;
  try {
    // Sent again when no answer arrives: if the service had got it, the next token would be lost in any case.
    return await keep(app, await ask<Tokens>(app, "token", { grant_type: "refresh_token", refresh_token: kept.refresh }));
  } catch (error) {
    if (error instanceof NotSignedIn && error.error === "invalid_grant") await storeOf(app).removeItem(nameOf(app));
    throw error;
  }
}

const isGood = ({ access, ends }: Kept, refused: string | undefined) => access !== refused && Date.now() < ends - EARLY;

/** Ask an endpoint of OAuth. Throws `NotSignedIn` with what it refuses, or `Lost`. */
function ask<T>(app: App, what: string, form: { [name: string]: string }): Promise<T> {
  const body = new URLSearchParams({ client_id: app.client, ...form });
  const send = (signal: AbortSignal) => (app.fetch ?? fetch)(`${urlOf(app)}/oauth/${what}`, { method: "POST", body, signal });
  return repeated<T>(urlOf(app), send, (response) => response.json());
}

async function keep(app: App, { access_token: access, refresh_token: refresh, expires_in }: Tokens): Promise<string> {
  const kept: Kept = { access, refresh, ends: Date.now() + 1000 * expires_in };
  await storeOf(app).setItem(nameOf(app), JSON.stringify(kept));
  return access;
}

async function keptBy(app: App): Promise<Kept | undefined> {
  const value = await storeOf(app).getItem(nameOf(app));
  try {
    return JSON.parse(value ?? "null") ?? undefined;
  } catch {
    return undefined; // Somebody else has written there.
  }
}

const urlOf = ({ url }: App) => url.replace(/\/+$/, "");
const nameOf = (app: App) => `${app.client} at ${urlOf(app)}`;
const storeOf = ({ store }: App): Store => store ?? (typeof globalThis.localStorage?.getItem === "function" ? localStorage : MEMORY); // Node 25 has one that is none.

const queues = new Map<string, Promise<unknown>>();

/** Do something while nobody else does it under the same name: no other tab; without locks, no other part of the program. */
async function alone<T>(name: string, act: () => Promise<T>): Promise<T> {
  if (globalThis.navigator?.locks) return await navigator.locks.request(name, act);
  const next = (queues.get(name) ?? Promise.resolve()).catch(() => {}).then(act);
  queues.set(name, next);
  return next;
}

const text = (bytes: ArrayBuffer | Uint8Array) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/[+/=]/g, (letter) => ({ "+": "-", "/": "_" })[letter] ?? "");
const random = () => text(crypto.getRandomValues(new Uint8Array(32)));
