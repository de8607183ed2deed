/**
 * Signing somebody in from an app (OAuth 2.1), by the browser or by a code, and keeping them signed in. Access tokens
 * last an hour. A refresh token that is used twice ends the sign-in, so one tab or part of the app at a time refreshes.
 */

import { repeated, type TokenSource } from "./client.js";
import { NotSignedIn } from "./problems.js";
import { jittered, rest } from "./streams.js";

/** Where sign-ins are kept, each under a name: `localStorage`, or an object with the same methods. */
export interface Store {
  getItem(name: string): string | null | Promise<string | null>;
  setItem(name: string, value: string): void | Promise<void>;
  removeItem(name: string): void | Promise<void>;
}

/** An app that signs people in. */
export interface App {
  /** The address of the service. It must be its issuer, the address that the service itself uses. */
  url: string;
  /** What the app calls itself. */
  client: string;
  /** The scopes that it asks for, such as `play notify`. Without a scope, it only learns who somebody is. */
  scope?: string;
  /** The address to which the person comes back; by default, the page without its query. */
  redirect?: string;
  /** Where the sign-in is kept; by default in `localStorage`, or in memory where that is missing. */
  store?: Store;
  fetch?: typeof fetch;
}

/** The code that a device shows. */
export interface DeviceCode {
  user_code: string;
  verification_uri: string;
  /** The same address with the code in it, for a QR code. */
  verification_uri_complete: string;
  /** Seconds until the code expires. */
  expires_in: number;
}

type Tokens = { access_token: string; refresh_token: string; expires_in: number };
type Kept = { access: string; refresh: string; ends: number };

const EARLY = 60_000; // A token that ends sooner than this is refreshed: it may end before its request arrives.
const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";
const ANSWER = ["code", "state", "iss", "error", "error_description", "error_uri"];

const memory = new Map<string, string>();
const MEMORY: Store = { getItem: (name) => memory.get(name) ?? null, setItem: (name, value) => void memory.set(name, value), removeItem: (name) => void memory.delete(name) };

/** Send the browser to the service, which asks the person there. It comes back to a page that calls `signedIn`. */
export async function signIn(app: App): Promise<void> {
  const redirect = app.redirect ?? location.origin + location.pathname;
  const begun = { state: random(), verifier: random(), redirect };
  sessionStorage.setItem(nameOf(app), JSON.stringify(begun));
  const challenge = text(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(begun.verifier)));
  const asked = { response_type: "code", client_id: app.client, redirect_uri: redirect, scope: app.scope ?? "", state: begun.state };
  location.assign(`${urlOf(app)}/authorize?${new URLSearchParams({ ...asked, code_challenge: challenge, code_challenge_method: "S256" })}`);
}

/**
 * Return a source of tokens for the person who is signed in; undefined if nobody is. When the browser comes back from
 * `signIn`, this reads the answer in the address and removes it.
 * @throws NotSignedIn if the person refused, or if the answer belongs to no `signIn` of this tab or came from another
 * service
 */
export async function signedIn(app: App): Promise<TokenSource | undefined> {
  const address = globalThis.location && new URL(location.href);
  const query = address?.searchParams;
  if (address && query?.has("state") && (query.has("code") || query.has("error"))) {
    const [code, state, iss, error, detail] = ["code", "state", "iss", "error", "error_description"].map((name) => query.get(name) ?? "");
    for (const name of ANSWER) query.delete(name);
    history.replaceState(history.state, "", address);
    const begun = JSON.parse(sessionStorage.getItem(nameOf(app)) ?? "{}");
    if (begun.state !== state) throw new NotSignedIn("wrong_state", "The answer belongs to no sign-in that began in this tab. Sign in again.");
    if (iss !== urlOf(app)) throw new NotSignedIn("wrong_issuer", `The answer is by ${iss || "nobody"}. Expected it from ${urlOf(app)}.`);
    sessionStorage.removeItem(nameOf(app));
    if (error) throw new NotSignedIn(error, detail || error);
    const form = { grant_type: "authorization_code", code: `${code}`, redirect_uri: begun.redirect, code_verifier: begun.verifier };
    await keep(app, await ask<Tokens>(app, "token", form));
  }
  return (await keptBy(app)) && sourceOf(app);
}

/**
 * Sign somebody in without a browser: `show` asks them to enter a code at an address. Resolves when they have agreed.
 * @throws NotSignedIn if they refused, or did not answer in time
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

/** Forget the sign-in, and end it at the service. Throws `Lost` if the service could not be reached. */
export async function signOut(app: App): Promise<void> {
  await alone(nameOf(app), async () => {
    const kept = await keptBy(app);
    await storeOf(app).removeItem(nameOf(app));
    if (kept) await ask(app, "revoke", { token: kept.refresh });
  });
}

/** Return the source of tokens of a sign-in. Requests that need a token while it refreshes all get the new one. */
function sourceOf(app: App): TokenSource {
  let refreshing: Promise<string> | undefined;
  return async (refused) => {
    const kept = await keptBy(app);
    if (kept && isGood(kept, refused)) return kept.access;
    return (refreshing ??= alone(nameOf(app), () => refreshed(app, refused)).finally(() => (refreshing = undefined)));
  };
}

/** Return a new access token, or the one that another tab got meanwhile. */
async function refreshed(app: App, refused: string | undefined): Promise<string> {
  const kept = await keptBy(app);
  if (!kept) throw new NotSignedIn("signed_out", "Nobody is signed in any more. Sign in again.");
  if (isGood(kept, refused)) return kept.access;
  try {
    // If no answer arrives, `ask` repeats the request. If the service had received it, the next token is lost in any case.
    return await keep(app, await ask<Tokens>(app, "token", { grant_type: "refresh_token", refresh_token: kept.refresh }));
  } catch (error) {
    if (error instanceof NotSignedIn && error.error === "invalid_grant") await storeOf(app).removeItem(nameOf(app));
    throw error;
  }
}

const isGood = ({ access, ends }: Kept, refused: string | undefined) => access !== refused && Date.now() < ends - EARLY;

/** Call an endpoint of OAuth. Throws `NotSignedIn` if it refuses, or `Lost`. */
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
    return undefined; // Another program has written there.
  }
}

const urlOf = ({ url }: App) => url.replace(/\/+$/, "");
const nameOf = (app: App) => `${app.client} at ${urlOf(app)}`;
const storeOf = ({ store }: App): Store => store ?? (typeof globalThis.localStorage?.getItem === "function" ? localStorage : MEMORY); // Node 25 has a `localStorage` that does not work.

const queues = new Map<string, Promise<unknown>>();

/** Do something while no other tab does it under the same name. Without locks, only this program is held back. */
async function alone<T>(name: string, act: () => Promise<T>): Promise<T> {
  if (globalThis.navigator?.locks) return await navigator.locks.request(name, act);
  const next = (queues.get(name) ?? Promise.resolve()).catch(() => {}).then(act);
  queues.set(name, next);
  return next;
}

const text = (bytes: ArrayBuffer | Uint8Array) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/[+/=]/g, (letter) => ({ "+": "-", "/": "_" })[letter] ?? "");
const random = () => text(crypto.getRandomValues(new Uint8Array(32)));
