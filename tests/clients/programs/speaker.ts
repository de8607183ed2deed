// A program in an empty project with @tabularium/client: it does what each line of its input says.
//
//   node speaker.ts HOURS

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { Client, Forged, Gap, Lost, NotSignedIn, Problem, Refusal, apply, delivery, every, fault, isKnown, sample, signIn, signInByDevice, signOut, signedIn } from "@tabularium/client";
import { Chain, certify, verify } from "@tabularium/client/proof";
import type { App, Choice, GameEvent, Options, Scene, Schema, UnknownEvent } from "@tabularium/client";

type Asked = { [name: string]: any };

const now = Date.now;
Date.now = () => now() + 3_600_000 * Number(process.argv[2]);

/** Answer a decision at random, and count how often it was asked. */
function chooser(counts: number[]): (options: Options) => Choice {
  return ({ version, options }) => {
    counts.push(version);
    const asked = options.filter((option) => option.decision);
    const option = asked[Math.floor(Math.random() * asked.length)];
    return option && sample(option.schema);
  };
}

/** Yield what a client gives for an action: one value, or several. */
async function* given(client: any, asked: Asked): AsyncGenerator<unknown, void> {
  const { action, path, game, version, key, after, last, body, choice, given = {} } = asked;
  if (action === "get") yield await client.get(path, given);
  else if (action === "text") yield await client.text(path, given);
  else if (action === "content") yield Buffer.from(await client.content(path, given)).toString("base64");
  else if (action === "post") yield await client.post(path, given, body, { version, key });
  else if (action === "command") yield await client.command(game, choice, { version, key });
  else if (action === "items") yield* client.items(path, given);
  else if (action === "events") yield* client.events(game, after);
  else if (action === "waiting") yield* client.waiting();
  else if (action === "stream") yield* client.stream(path, given, { after: last });
  else throw new Error(action);
}

function spoken(error: unknown): object {
  if (!(error instanceof Problem || error instanceof Lost || error instanceof Gap)) throw error;
  const { name, message } = error;
  if (error instanceof NotSignedIn) return { error: name, message, why: error.error };
  if (!(error instanceof Problem)) return { error: name, message };
  const { status, type, title, allowed = null } = error;
  const more = error instanceof Refusal ? { rule: error.rule, source: error.source ?? null } : {};
  return { error: name, message, status, type, title, allowed, ...more };
}

/** An app whose sign-in is kept in a file. */
function appOf({ url, file, scope = "play" }: Asked, sent: typeof fetch = fetch): App {
  const store = {
    getItem: () => (existsSync(file) ? readFileSync(file, "utf8") : null),
    setItem: (_: string, value: string) => writeFileSync(file, value),
    removeItem: () => rmSync(file, { force: true }),
  };
  return { url, client: "Board Room", scope, store, fetch: sent };
}

/** Decide on the pages of the service, as the person who is asked. */
async function decide({ url, person, allow }: Asked, path: string, body: object): Promise<any> {
  const headers = { Authorization: `Bearer ${person}`, "Content-Type": "application/json" };
  const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify({ ...body, allow }) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** What the app needs of a browser: the service answers it at once. */
function browser(asked: Asked): Promise<void> {
  const address = new URL("http://127.0.0.1:9/app?page=2");
  const kept = new Map<string, string>();
  return new Promise((gone, failed) => {
    const assign = async (to: string) => {
      const { address: back } = await decide(asked, "/v1/authorization/decision", { query: new URL(to).search.slice(1) });
      address.href = back;
      for (const [name, value] of Object.entries(asked.changed ?? {})) address.searchParams.set(name, `${value}`);
    };
    const replaceState = (_: unknown, __: string, to: URL) => void (address.href = to.href);
    const location = { get href() { return address.href; }, origin: address.origin, pathname: address.pathname, assign: (to: string) => assign(to).then(gone, failed) };
    const sessionStorage = { getItem: (name: string) => kept.get(name) ?? null, setItem: (name: string, value: string) => kept.set(name, value), removeItem: (name: string) => kept.delete(name) };
    Object.assign(globalThis, { location, sessionStorage, history: { state: null, replaceState } });
  });
}

/** Sign somebody in or out, who decides at once; return how long was waited. */
async function signing(asked: Asked): Promise<unknown> {
  const app = appOf(asked);
  const waits: number[] = [];
  const later = globalThis.setTimeout;
  try {
    if (asked.action === "sign-out") {
      await signOut(app);
      return null;
    }
    if (asked.action === "sign-in") {
      const gone = browser(asked);
      await signIn(app);
      await gone;
      try {
        await signedIn(app);
      } finally {
        const { searchParams } = new URL(location.href);
        if (searchParams.size) throw new Error(`${searchParams} is still in the address`);
      }
    } else {
      const isOurs = (wait: number, more: unknown[]) => !more.length && wait > 0 && wait % 1000 === 0; // `fetch` waits, too.
      const setTimeout = (act: () => void, wait: number, ...more: unknown[]) =>
        isOurs(wait, more) ? (waits.push(wait / 1000), later(act, 0)) : later(act, wait, ...more);
      Object.assign(globalThis, { setTimeout });
      await signInByDevice(app, ({ user_code: code }) => asked.person && decide(asked, "/v1/authorization/device/decision", { code }));
    }
    return { waits };
  } catch (error) {
    return spoken(error);
  } finally {
    Object.assign(globalThis, { setTimeout: later, location: undefined });
  }
}

/** Ask many times at once who is signed in, by several clients; count how often tokens were asked for. */
async function together(asked: Asked): Promise<unknown> {
  let refreshed = 0;
  const counting: typeof fetch = (to, sent) => {
    refreshed += Number(`${to}`.endsWith("/oauth/token"));
    return fetch(to, sent);
  };
  const made = async () => new Client(asked.url, { token: (await signedIn(appOf(asked, counting)))! });
  const clients = await Promise.all(Array.from({ length: asked.clients }, made));
  const name = (_: unknown, number: number) => clients[number % clients.length]!.get("/v1/players/me").then((me) => me.name, spoken);
  if (asked.locks === false) Object.defineProperty(navigator, "locks", { value: undefined, configurable: true });
  const names = await Promise.all(Array.from({ length: asked.many }, name));
  Reflect.deleteProperty(navigator, "locks"); // What is its own: the inherited ones are there again.
  return { names, refreshed };
}

/** Do what is asked of the client. */
async function acted(asked: Asked): Promise<unknown> {
  const { url, settings = {}, most = Infinity, action } = asked;
  const token = asked.file ? await signedIn(appOf(asked)) : asked.token;
  const milliseconds = Object.entries(settings).map(([name, value]) => [name, name === "attempts" ? value : 1000 * Number(value)]);
  const client = new Client(url, { pause: 10, ...(token && { token }), ...Object.fromEntries(milliseconds) });
  const got: unknown[] = [];
  const counts: number[] = [];
  try {
    if (action === "decide") return { played: (await client.decide(asked.game, chooser(counts))) ?? null, asked: counts };
    for await (const each of given(client, asked)) if (got.push(each) === most) break;
    return ["events", "items", "waiting", "stream"].includes(action) ? got : got[0];
  } catch (error) {
    return { ...spoken(error), ...(got.length && { got }) };
  }
}

/** Answer for all seats of a game until it is over, or until `most` commands were given, and follow its chain. */
async function play({ url, game, tokens, most }: Asked): Promise<unknown> {
  const stop = new AbortController();
  const chain = new Chain(game);
  let commands = 0;
  const answer = async (token: string) => {
    const client = new Client(url, { token });
    for await (const { decisions } of client.waiting(stop.signal)) {
      if (decisions.length && (await client.decide(game, chooser([])))) commands += 1;
    }
  };
  const seats = tokens.map(answer);
  const follow = async () => {
    for await (const event of new Client(url).events(game, 0)) {
      await chain.take(event);
      if (commands >= (most || Infinity)) break;
    }
  };
  await Promise.race([follow(), Promise.all(seats)]);
  stop.abort();
  await Promise.all(seats);
  const { version, head } = chain;
  return { commands, version, head };
}

/** Numbers at random that come again from the same seed (mulberry32). */
function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

let scene: Scene;

/** Do what needs no service; undefined for what needs one. */
const computed: { [action: string]: (asked: Asked) => unknown } = {
  fault: ({ schema, values }) => values.map((value: unknown) => fault(schema, value) ?? null),
  every: ({ schemas }) => schemas.map((schema: Schema) => every(schema) ?? null),
  sample: ({ schemas, seed }) => schemas.map((schema: Schema, index: number) => sample(schema, seeded(seed + index))),
  verify: async ({ text, ruleset, played }) => {
    const { rows: _, ...verdict } = await verify(text, { ruleset, game: played ?? undefined });
    return { problem: null, version: null, line: null, ...verdict };
  },
  certify: async ({ text, played, certificates }) => {
    const verdict = await verify(text, { game: played ?? undefined });
    return Promise.all(certificates.map(([each, policy]: [string, string]) => certify(each, policy, verdict)));
  },
  scene: ({ scene: whole }) => void (scene = whole),
  apply: ({ scene: before = scene, frame, expected }) => {
    try {
      scene = apply(before, frame);
    } catch (error) {
      return { error: (error as Error).message };
    }
    return isDeepStrictEqual(scene, expected);
  },
  delivery: async ({ secret, headers, body, named }) => {
    try {
      return await delivery(secret, headers, body, named);
    } catch (error) {
      if (error instanceof Forged) return { error: error.message };
      throw error;
    }
  },
  client: ({ url, token }) => {
    try {
      new Client(url, { token });
    } catch (error) {
      return (error as Error).message;
    }
    return null;
  },
  chain: async ({ game, events }) => {
    const chain = new Chain(game);
    try {
      for (const event of events) await chain.take(event);
    } catch (error) {
      return [chain.version, chain.head, (error as Error).message];
    }
    return [chain.version, chain.head, null];
  },
  play,
  together,
  "sign-in": signing,
  "sign-in-by-device": signing,
  "sign-out": signing,
  known: ({ events }) => events.map((event: GameEvent | UnknownEvent) => isKnown(event)),
};

for await (const line of createInterface({ input: process.stdin })) {
  const asked: Asked = JSON.parse(line);
  const said = await (computed[asked.action] ?? acted)(asked);
  process.stdout.write(`${JSON.stringify(said ?? null)}\n`);
}
