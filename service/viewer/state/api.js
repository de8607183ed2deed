/**
 * The service's API, as the page uses it: requests, problems as errors, a token, and streams of events.
 * @module
 */

/** @import { Answer, Body, EventRow, InboxState, ProblemBody, Query, TournamentEvent } from "../types.js" */

import { lastUsed } from "./device.js";

const TOKEN = "tabularium-token";
const SILENCE = 45_000; // A stream sends something every 15 seconds: after 45 seconds of silence it is lost.
const PATIENCE = 30_000; // The longest wait before a stream is requested again, give or take 30%.

/** A problem (RFC 9457): the answer of the service when it does not do what it was asked. */
export class Problem extends Error {
  /**
   * @param {Partial<ProblemBody>} problem the document
   * @param {number} status the HTTP status; 0 when the service was not reached
   */
  constructor(problem, status) {
    super(problem.detail ?? problem.title ?? `The service answered ${status}.`);
    this.name = "Problem";
    this.problem = problem;
    this.status = status;
    /** What has changed since the request was made, in a sentence. @type {string | undefined} */
    this.changed = undefined;
  }
}

/** Return anything that was thrown as a problem. @param {unknown} error */
export function problemOf(error) {
  return error instanceof Problem
    ? error
    : new Problem({ title: error instanceof Error ? error.message : `${error}` }, 0);
}

/** The caller of the API: the session of this browser, or, in this tab only, a token's owner or a spectator. */
export class Api {
  constructor() {
    // A token that an earlier version of this page kept; `Account` makes it the session.
    this.token ??= lastUsed();
  }

  /**
   * The token of this tab. Null is the session of the browser, a cookie that it sends by itself. A text is a token,
   * sent in no other way than the Authorization header; empty for a spectator.
   */
  get token() {
    return sessionStorage.getItem(TOKEN);
  }

  set token(token) {
    if (token === null) sessionStorage.removeItem(TOKEN);
    else sessionStorage.setItem(TOKEN, token);
  }

  /**
   * Return the JSON of a GET.
   * @template {string} Address
   * @param {Address} path such as `/v1/games`
   * @param {Query<Address>} [query] what is undefined, null or empty is left out
   * @param {AbortSignal} [signal]
   * @returns {Promise<Answer<Address, "get">>}
   */
  async get(path, query = undefined, signal = undefined) {
    return (await this.#call("GET", withQuery(path, query), { signal })).json();
  }

  /**
   * Return a GET's body as text, such as a picture.
   * @template {string} Address
   * @param {Address} path
   * @param {Query<Address>} [query]
   */
  async text(path, query = undefined) {
    return (await this.#call("GET", withQuery(path, query))).text();
  }

  /**
   * Return the JSON of a POST.
   * @template {string} Address
   * @param {Address} path
   * @param {Body<Address, "post">} [body]
   * @param {Record<string, string>} [headers] such as `If-Match` and `Idempotency-Key`
   * @returns {Promise<Answer<Address, "post">>}
   */
  async post(path, body = undefined, headers = {}) {
    return (await this.#call("POST", path, { body: body ?? {}, headers })).json();
  }

  /**
   * Return the JSON of a PATCH.
   * @template {string} Address
   * @param {Address} path
   * @param {Body<Address, "patch">} body
   * @returns {Promise<Answer<Address, "patch">>}
   */
  async patch(path, body) {
    return (await this.#call("PATCH", path, { body })).json();
  }

  /**
   * Return the JSON of a PUT.
   * @template {string} Address
   * @param {Address} path
   * @param {Body<Address, "put">} [body]
   * @param {Record<string, string>} [headers]
   * @returns {Promise<Answer<Address, "put">>}
   */
  async put(path, body = undefined, headers = {}) {
    return (await this.#call("PUT", path, { body: body ?? {}, headers })).json();
  }

  /**
   * Return the JSON of a DELETE.
   * @template {string} Address
   * @param {Address} path
   * @param {Record<string, string>} [headers]
   * @returns {Promise<Answer<Address, "delete">>}
   */
  async delete(path, headers = {}) {
    return (await this.#call("DELETE", path, { headers })).json();
  }

  /**
   * Read, begin or end the session of this browser, or take a step of signing in. Returns the JSON of the answer.
   * @template {"GET" | "POST" | "DELETE"} [Method="GET"]
   * @template {string} [Way=""]
   * @param {Method} [method]
   * @param {Body<`/v1/session${Way}`, Lowercase<Method>>} [body] a new guest's name, or what proves who somebody is
   * @param {string | null} [token] of the account for which the session begins
   * @param {Way} [way] the rest of the path, such as "/passkey/challenge", "/recovery-code" or "/provider"
   * @returns {Promise<Answer<`/v1/session${Way}`, Lowercase<Method>>>}
   */
  async session(method, body, token = null, way) {
    return (await this.#call(method ?? "GET", `/v1/session${way ?? ""}`, { body }, token, true)).json();
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{body?: unknown, headers?: Record<string, string>, signal?: AbortSignal}} [request]
   * @param {string | null} [token]
   * @param {boolean} [session] whether the session of the browser is sent
   */
  async #call(
    method,
    path,
    { body = undefined, headers = {}, signal = undefined } = {},
    token = this.token,
    session = token === null,
  ) {
    /** @type {Record<string, string>} */
    const allHeaders = {
      Accept: "application/json, */*",
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...headers,
    };
    if (body !== undefined) allHeaders["Content-Type"] = "application/json";
    // Except for a GET, the service accepts the session only with a header that no other site can send.
    if (session && method !== "GET") allHeaders["Tabularium-Page"] = "1";
    const ask = () =>
      fetch(path, {
        method,
        headers: allHeaders,
        body: body ? JSON.stringify(body) : undefined,
        signal,
        credentials: session ? "same-origin" : "omit",
      });
    let response;
    try {
      response = await ask();
      // With this answer the browser forgets a session that has ended: ask again without one.
      if (response.status === 401 && session && !token && method === "GET") response = await ask();
    } catch (error) {
      if (error instanceof Error && error.name === "AbortError") throw error;
      throw new Problem({ title: "The service does not answer.", allowed: "Is it running?" }, 0);
    }
    if (response.ok) return response;
    throw new Problem(await response.json().catch(() => ({ title: response.statusText })), response.status);
  }

  /**
   * Follow a game's events as they happen, by `fetch`, since EventSource can send no token. Connects again by itself,
   * after the last event.
   * @param {string} game its id
   * @param {number} after a version: only later events come
   * @param {(event: EventRow) => void} onEvent gets each event as the caller may see it
   * @param {(state: "live" | "lost" | "ended" | "refused") => void} onState hears when the stream begins or ends
   * @param {AbortSignal} signal ends it
   */
  async follow(game, after, onEvent, onState, signal) {
    await this.#followEvents(`/v1/games/${game}/events/stream`, after, onEvent, onState, signal);
  }

  /**
   * Follow the events of a tournament in the same way.
   * @param {string} tournament its id
   * @param {number} after
   * @param {(event: TournamentEvent) => void} onEvent
   * @param {(state: "live" | "lost" | "ended" | "refused") => void} onState
   * @param {AbortSignal} signal
   */
  async followTournament(tournament, after, onEvent, onState, signal) {
    await this.#followEvents(`/v1/tournaments/${tournament}/stream`, after, onEvent, onState, signal);
  }

  /**
   * @template {{version: number}} Event
   * @param {string} path
   * @param {number} after
   * @param {(event: Event) => void} onEvent
   * @param {(state: "live" | "lost" | "ended" | "refused") => void} onState
   * @param {AbortSignal} signal
   */
  async #followEvents(path, after, onEvent, onState, signal) {
    let last = after;
    await this.#follow(
      () => ({ path, headers: { "Last-Event-ID": `${last}` } }),
      (data) => {
        const event = JSON.parse(data);
        last = event.version;
        onEvent(event);
      },
      onState,
      signal,
    );
  }

  /**
   * Follow the inbox of the caller: what waits, at once and whenever it changes. Connects again by itself.
   * @param {(state: InboxState) => void} onInbox
   * @param {() => void} onSign is called for everything that the stream sends, at least every 15 seconds
   * @param {AbortSignal} signal ends it
   */
  async followInbox(onInbox, onSign, signal) {
    const request = () => ({ path: "/v1/notifications/stream", headers: {} });
    await this.#follow(
      request,
      (data) => onInbox(JSON.parse(data)),
      () => {},
      signal,
      onSign,
    );
  }

  /**
   * Follow a stream until it ends for good.
   * @param {() => {path: string, headers: Record<string, string>}} request what to ask for next
   * @param {(data: string) => void} onData
   * @param {(state: "live" | "lost" | "ended" | "refused") => void} onState
   * @param {AbortSignal} signal
   * @param {() => void} [onSign]
   */
  async #follow(request, onData, onState, signal, onSign = () => {}) {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const onOpen = () => {
          failures = 0;
          onState("live");
        };
        if (await this.#read(request(), signal, onOpen, onData, onSign)) return onState("ended");
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Problem && [401, 403, 404].includes(error.status)) return onState("refused");
      }
      if (!signal.aborted) onState("lost");
      await pause(Math.min(PATIENCE, 500 * 2 ** failures) * (0.7 + 0.6 * Math.random()), signal);
    }
  }

  /**
   * Read a stream until it breaks off; return whether there is no more to come.
   * @param {{path: string, headers: Record<string, string>}} request
   * @param {AbortSignal} signal
   * @param {() => void} onOpen
   * @param {(data: string) => void} onData
   * @param {() => void} onSign
   */
  async #read({ path, headers: extra }, signal, onOpen, onData, onSign) {
    const silence = new AbortController();
    const stop = AbortSignal.any([signal, silence.signal]);
    let timer = setTimeout(() => silence.abort(), SILENCE);
    const headers = { Accept: "text/event-stream", ...extra };
    try {
      const response = await this.#call("GET", path, { headers, signal: stop });
      if (response.status === 204 || !response.body) return true;
      onOpen();
      let text = "";
      for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE);
        onSign();
        const blocks = (text + piece).split("\n\n");
        text = blocks.pop() ?? "";
        for (const data of blocks.flatMap(dataOf)) onData(data);
      }
      return false;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Return the data of a block of the stream, in a list; an empty list for a comment. @param {string} block */
function dataOf(block) {
  const lines = block.split("\n").filter((line) => line.startsWith("data:"));
  return lines.length ? [lines.map((line) => line.slice(5).trimStart()).join("\n")] : [];
}

/** Tells the answer to the newest request from those to earlier ones, which may come later. */
export class Newest {
  #requests = 0;

  /** Begin a request. Returns a function that tells whether it is still the newest. */
  begin() {
    this.#requests += 1;
    const request = this.#requests;
    return () => request === this.#requests;
  }
}

/** Return a new idempotency key. Not `randomUUID`, which pages have only on HTTPS or localhost. */
export function newKey() {
  return `page-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * @param {string} path
 * @param {object} [query]
 */
function withQuery(path, query = {}) {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return entries.length ? `${path}?${new URLSearchParams(entries)}` : path;
}

/**
 * Wait. The wait ends early when the network comes back, when the page becomes visible, or when `signal` aborts.
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 */
export function pause(milliseconds, signal) {
  return /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      const done = new AbortController();
      const timer = setTimeout(() => done.abort(), milliseconds);
      done.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
      const once = { signal: done.signal };
      addEventListener("online", () => done.abort(), once);
      document.addEventListener("visibilitychange", () => document.hidden || done.abort(), once);
      signal.addEventListener("abort", () => done.abort(), once);
    })
  );
}
