// A program in an empty project with @tabularium/client: it does what each line of its input says.
//
//   node speaker.ts HOURS

import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { Client, Forged, Gap, Lost, Problem, Refusal, apply, delivery, every, fault, isKnown, sample } from "@tabularium/client";
import { Chain, certify, verify } from "@tabularium/client/proof";
import type { Choice, GameEvent, Options, Scene, Schema, UnknownEvent } from "@tabularium/client";

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
  else if (action === "post") yield await client.post(path, given, body, { version, key });
  else if (action === "command") yield await client.command(game, choice, { version, key });
  else if (action === "events") yield* client.events(game, after);
  else if (action === "waiting") yield* client.waiting();
  else if (action === "stream") yield* client.stream(path, given, { after: last });
  else throw new Error(action);
}

function spoken(error: unknown): object {
  if (!(error instanceof Problem || error instanceof Lost || error instanceof Gap)) throw error;
  const { name, message } = error;
  if (!(error instanceof Problem)) return { error: name, message };
  const { status, type, title, allowed = null } = error;
  const more = error instanceof Refusal ? { rule: error.rule, source: error.source ?? null } : {};
  return { error: name, message, status, type, title, allowed, ...more };
}

/** Do what is asked of the client. */
async function acted(asked: Asked): Promise<unknown> {
  const { url, token, settings = {}, most = Infinity, action } = asked;
  const milliseconds = Object.entries(settings).map(([name, value]) => [name, name === "attempts" ? value : 1000 * Number(value)]);
  const client = new Client(url, { pause: 10, ...(token && { token }), ...Object.fromEntries(milliseconds) });
  const got: unknown[] = [];
  const counts: number[] = [];
  try {
    if (action === "decide") return { played: (await client.decide(asked.game, chooser(counts))) ?? null, asked: counts };
    for await (const each of given(client, asked)) if (got.push(each) === most) break;
    return ["events", "waiting", "stream"].includes(action) ? got : got[0];
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
  known: ({ events }) => events.map((event: GameEvent | UnknownEvent) => isKnown(event)),
};

for await (const line of createInterface({ input: process.stdin })) {
  const asked: Asked = JSON.parse(line);
  const said = await (computed[asked.action] ?? acted)(asked);
  process.stdout.write(`${JSON.stringify(said ?? null)}\n`);
}
