/** The client. It repeats lost requests, decides commands again when a game has moved on, and resumes streams. */

import type { GameEvent, UnknownEvent } from "./events.js";
import { Gap, Lost, Problem, Stale } from "./problems.js";
import { frames, jittered, rest, type Following, type Frame } from "./streams.js";
import type { Answer, Body, Command, Given, Item, ListPath, Method, Options, Path, Played, Waiting } from "./types.js";

/** Returns the token for a request. If the service has `refused` a token, it returns another one. `signedIn` makes such a source. */
export type TokenSource = (refused?: string) => Promise<string>;

/** How a client works. Times are in milliseconds. */
export interface Settings {
  /** A token, or a source of tokens. Without one, the client is a spectator. */
  token?: string | TokenSource | undefined;
  /** The most times that a request is sent. */
  attempts?: number;
  /** The wait before a request is sent again; it doubles each time. */
  pause?: number;
  /** The longest wait. `Retry-After` adds at most as much again. */
  longest?: number;
  /** How long the service may take to answer. */
  patience?: number;
  /** After how long without any data a stream counts as lost. */
  silence?: number;
  fetch?: typeof fetch;
}

/** Settings of a single request. */
export interface Sent {
  /** The version at which the game must be. At any other, the request fails with `Stale`. */
  version?: number | undefined;
  /** The idempotency key; by default, a new one for each request. All attempts of a request have the same key. */
  key?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** What a seat does when it is asked: one command, several of which all happen or none, or nothing. */
export type Choice = Command | Command[] | undefined;

type Names = { [name: string]: unknown };
type Request = Sent & { names?: Names | undefined; body?: unknown };

const AGAIN = new Set([429, 502, 503, 504]); // With these statuses the service has done nothing yet.
const USUAL = { attempts: 5, pause: 500, longest: 30_000, patience: 30_000, silence: 45_000, fetch: (...given: Parameters<typeof fetch>) => fetch(...given) };

export class Client {
  readonly #url: string;
  readonly #settings: Required<Omit<Settings, "token">>;
  readonly #token: Settings["token"];

  /** @param url where the service is, such as `https://service.example` */
  constructor(url: string, { token, ...settings }: Settings = {}) {
    if (!isAddress(url)) throw new TypeError(`${url} is no address of a service. Expected one such as https://service.example.`);
    if (typeof token === "string" && !/^[!-~]+$/.test(token)) throw new TypeError("This is no token. Expected visible ASCII characters without blanks.");
    this.#url = url.replace(/\/+$/, "");
    this.#token = token;
    this.#settings = { ...USUAL, ...settings };
  }

  /** Send a GET request and return its answer. `given` has the parameters of the path and of the query. */
  get<P extends Path<"get">>(path: P, given?: Given<P, "get">, sent?: Sent): Promise<Answer<P, "get">> {
    return this.#json("get", path, { ...sent, names: given as Names });
  }

  /** Yield all items of a list, page by page. */
  async *items<P extends ListPath>(path: P, given?: Given<P, "get">, sent?: Sent): AsyncGenerator<Item<P>, void> {
    let last: string | number | null | undefined;
    for (let next: typeof last; next !== null; ) {
      const asked = next === undefined ? given : { ...given, [typeof next === "number" ? "after" : "cursor"]: next };
      const page = (await this.get(path, asked as Given<P, "get">, sent)) as { items: Item<P>[]; next: string | number | null };
      yield* page.items;
      [last, next] = [next, page.next];
      if (next === last) return; // The log of all games always names a next page.
    }
  }

  post<P extends Path<"post">>(path: P, given: Given<P, "post">, body?: Body<P, "post">, sent?: Sent): Promise<Answer<P, "post">> {
    return this.#json("post", path, { ...sent, names: given as Names, body: body ?? {} });
  }

  put<P extends Path<"put">>(path: P, given: Given<P, "put">, body?: Body<P, "put">, sent?: Sent): Promise<Answer<P, "put">> {
    return this.#json("put", path, { ...sent, names: given as Names, body: body ?? {} });
  }

  patch<P extends Path<"patch">>(path: P, given: Given<P, "patch">, body: Body<P, "patch">, sent?: Sent): Promise<Answer<P, "patch">> {
    return this.#json("patch", path, { ...sent, names: given as Names, body });
  }

  delete<P extends Path<"delete">>(path: P, given: Given<P, "delete">, sent?: Sent): Promise<Answer<P, "delete">> {
    return this.#json("delete", path, { ...sent, names: given as Names });
  }

  /** Send a GET request and return its answer as text, such as an export or a certificate. */
  text(path: Path<"get">, given: Names = {}): Promise<string> {
    return this.#call("get", path, { names: given }, (response) => response.text());
  }

  /** Send a GET request and return its answer as bytes, such as a picture or a table. */
  content(path: Path<"get">, given: Names = {}): Promise<ArrayBuffer> {
    return this.#call("get", path, { names: given }, (response) => response.arrayBuffer());
  }

  /** Return what a seat may do; by default, the seat of the account. */
  options(game: string, seat?: string): Promise<Options> {
    return this.get("/v1/games/{game}/options", { game, ...(seat && { seat }) });
  }

  /** Give a command, or several that all happen or none. Throws `Refusal` with the rule, or `Stale`. */
  command(game: string, choice: NonNullable<Choice>, sent?: Sent): Promise<Played> {
    const body = Array.isArray(choice) ? { commands: choice } : { command: choice };
    return this.post("/v1/games/{game}/commands", { game }, body as Body<"/v1/games/{game}/commands", "post">, sent);
  }

  /**
   * Send what `choose` picks from the seat's options. If the game has moved on meanwhile, it picks again from the new
   * options. Returns undefined if it picks nothing.
   */
  async decide(game: string, choose: (options: Options) => Choice | Promise<Choice>): Promise<Played | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      const options = await this.options(game);
      const choice = await choose(options);
      if (choice === undefined) return undefined;
      try {
        return await this.command(game, choice, { version: options.version });
      } catch (error) {
        if (!(error instanceof Stale) || attempt === this.#settings.attempts) throw error;
      }
    }
  }

  /** Yield the events of a game after a version, each once and in order; by default, those from now on. */
  async *events(game: string, after?: number, signal?: AbortSignal): AsyncGenerator<GameEvent | UnknownEvent, void> {
    let last = after;
    const missed = async (id: string | undefined): Promise<Frame[]> => {
      if (id === undefined) {
        const { version } = await this.get("/v1/games/{game}", { game }, { signal });
        return [{ id: `${version}`, type: "", data: "" }];
      }
      const { items } = await this.get("/v1/games/{game}/events", { game, after: Number(id) }, { signal });
      return items.map((event) => ({ id: `${event.version}`, type: event.type, data: JSON.stringify(event) }));
    };
    for (let gaps = 0; ; gaps += 1) {
      let gap = 0;
      for await (const { data } of this.stream("/v1/games/{game}/events/stream", { game }, { after: last, signal, missed })) {
        const event: GameEvent | UnknownEvent = JSON.parse(data);
        if (last !== undefined && event.version <= last) continue;
        if (last !== undefined && event.version > last + 1) {
          gap = event.version;
          break;
        }
        [last, gaps] = [event.version, 0];
        yield event;
      }
      if (!gap) return;
      if (gaps) throw new Gap(`The stream of ${game} goes from version ${last} to ${gap}.`);
    }
  }

  /** Yield what waits for the account: first all of it, then each change. */
  async *waiting(signal?: AbortSignal): AsyncGenerator<Waiting, void> {
    const path = "/v1/players/me/waiting/stream";
    const missed = () => this.#heldWaiting(signal);
    for await (const { type, data } of this.stream(path, {}, { signal, missed, resumes: false })) {
      if (type === "waiting") yield JSON.parse(data);
    }
  }

  /** Fetch, by plain requests, the decisions that wait for the account. */
  async #heldWaiting(signal?: AbortSignal): Promise<Frame[]> {
    const { items } = await this.get("/v1/players/me/games", { waiting: "true" }, { signal });
    const frame = async ({ id, title }: (typeof items)[number]): Promise<Frame> => {
      const { ruleset, version, seat, decisions } = await this.options(id);
      const own = decisions.filter(({ seats }) => seats.includes(seat));
      const waiting: Waiting = { game: id, title, ruleset, version, seat, decisions: own, take_backs: [], end_proposals: [] };
      return { id: "", type: "waiting", data: JSON.stringify(waiting) };
    };
    return Promise.all(items.map(frame));
  }

  /** Yield the frames of any stream of the contract. It resumes where it broke off. */
  stream(
    path: Path<"get">,
    given: Names = {},
    { after, signal, missed, resumes = true }: { after?: number | string | undefined; signal?: AbortSignal | undefined; missed?: Following["missed"]; resumes?: boolean } = {},
  ): AsyncGenerator<Frame, void> {
    const { silence, pause, longest } = this.#settings;
    const open = async (last: string | undefined, stop: AbortSignal): Promise<Response> => {
      const headers = { Accept: "text/event-stream", ...(resumes && last && { "Last-Event-ID": last }) };
      const response = await this.#send(filled(path, given), { headers, signal: stop });
      if (response.ok) return response;
      const problem = Problem.of(response.status, await problemIn(response));
      if (AGAIN.has(response.status) || response.status >= 500) throw new Lost(problem.message);
      throw problem;
    };
    return frames({ open, last: after === undefined ? undefined : `${after}`, silence, pause, longest, signal, ...(missed && { missed }) });
  }

  #json<T>(method: Method, path: string, request: Request): Promise<T> {
    return this.#call(method, path, request, (response) => (response.status === 204 ? undefined : response.json()) as Promise<T>);
  }

  async #call<T>(method: Method, path: string, request: Request, read: (response: Response) => T | Promise<T>): Promise<T> {
    const { names = {}, body, version, signal } = request;
    const headers = {
      ...(method !== "get" && { "Idempotency-Key": request.key ?? newKey() }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(version !== undefined && { "If-Match": `"${version}"` }),
    };
    const sent = { method: method.toUpperCase(), headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const send = (stop: AbortSignal) => this.#send(filled(path, names), { ...sent, signal: stop });
    return repeated(this.#url, send, read, this.#settings, signal);
  }

  /** Send a request with the token. If the service refuses it and there is another, send the request once more. */
  async #send(path: string, { headers, ...sent }: { headers: { [name: string]: string }; signal: AbortSignal }): Promise<Response> {
    const [{ fetch }, url, source] = [this.#settings, this.#url + path, this.#token];
    const token = typeof source === "function" ? await source() : source;
    const given = (value: string | undefined) => ({ ...sent, headers: value ? { ...headers, Authorization: `Bearer ${value}` } : headers });
    const response = await fetch(url, given(token));
    if (response.status !== 401 || typeof source !== "function") return response;
    response.body?.cancel().catch(() => {});
    return fetch(url, given(await source(token)));
  }
}

/** Send a request, and repeat it until a whole answer arrives. Throws the `Problem` that the service answers, or `Lost`. */
export async function repeated<T>(
  url: string,
  send: (stop: AbortSignal) => Promise<Response>,
  read: (response: Response) => T | Promise<T>,
  { attempts, pause, longest, patience }: { attempts: number; pause: number; longest: number; patience: number } = USUAL,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    let wait = jittered(Math.min(longest, pause * 2 ** (attempt - 1)));
    try {
      const timeout = AbortSignal.timeout(patience);
      const response = await send(signal ? AbortSignal.any([signal, timeout]) : timeout);
      if (response.ok) return await read(response); // A body that was cut off is no answer.
      const problem = Problem.of(response.status, await problemIn(response));
      if (!AGAIN.has(response.status) || attempt === attempts) throw problem;
      wait += Math.min(longest, 1000 * Number(response.headers.get("Retry-After")) || 0);
    } catch (error) {
      if (error instanceof Problem || error instanceof Lost || signal?.aborted) throw error;
      if (attempt === attempts) throw new Lost(`${url} gave no whole answer: ${reason(error as Error)}`);
    }
    await rest(wait, signal);
  }
}

/** Return why no answer arrived. Node gives the reason in `cause`. */
function reason({ message, cause }: Error): string {
  return cause instanceof Error && cause.message ? `${message}, ${cause.message}` : message;
}

function isAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Return the problem in an answer; an empty object for the answer of a proxy, which is no JSON. Throws if the answer was cut off. */
async function problemIn(response: Response): Promise<object> {
  const text = await response.text();
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    if (response.headers.get("Content-Type")?.includes("json")) throw error;
  }
  return typeof document === "object" && document !== null ? document : {};
}

/** Return a path with the values of its parameters. All other values become its query. */
function filled(path: string, given: Names): string {
  const query = new URLSearchParams();
  const names = new Map(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
  const filledPath = path.replace(/{(\w+)}/g, (_, name: string) => {
    const value = names.get(name);
    if (value === undefined) throw new TypeError(`${path} needs ${name}`);
    names.delete(name);
    return encodeURIComponent(`${value}`);
  });
  for (const [name, value] of names) for (const each of [value].flat()) query.append(name, `${each}`);
  return names.size ? `${filledPath}${filledPath.includes("?") ? "&" : "?"}${query}` : filledPath;
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
