// A text client in the terminal: it prints a game in sentences and the decisions of your seat, and plays what you choose.
//
//   npm install @tabularium/client
//   node terminal.ts https://service.example GAME [TOKEN]
//
// It shows how one stream drives everything: after each event it fetches the news, and what your seat may do now.
// Without a token you watch. A number plays the command beside it, Enter draws other commands, JSON is sent as it is.

import { createInterface } from "node:readline";
import { Client, Problem, Refusal, every, sample } from "@tabularium/client";
import type { Answer, Command, Option } from "@tabularium/client";

const MOST = 12; // Commands of one option that are shown.
const [url = "", game = "", token] = process.argv.slice(2);
const client = new Client(url, token ? { token } : {});

let printed = 0; // The last version that was printed.
let offered: Command[] = [];
let version = 0; // The version that the offers are for.

/** Print what happened since the last version that was printed. */
async function printNews(): Promise<void> {
  let after: number | null = printed;
  while (after !== null) {
    const { items, next } = await page(after);
    for (const { heading, sentences } of items) {
      if (sentences.length) console.log(`\n${heading}`);
      for (const { version, text } of sentences) {
        console.log(`  ${version}. ${text}`);
        printed = Math.max(printed, version);
      }
    }
    after = next;
  }
}

function page(after: number): Promise<Answer<"/v1/games/{game}/history", "get">> {
  return client.get("/v1/games/{game}/history", { game, after });
}

/** Return commands that an option takes: all of a small one, some of a large one. */
function commands({ schema }: Option): Command[] {
  const all = (every(schema) ?? []) as Command[];
  if (all.length) return all.slice(0, MOST);
  const drawn = Array.from({ length: MOST }, () => JSON.stringify(sample(schema)));
  return [...new Set(drawn)].map((text) => JSON.parse(text));
}

/** Print the decisions of the seat, and commands that answer them. */
async function offer(): Promise<void> {
  if (!token) return;
  const { decisions, options, seat, version: at } = await client.options(game);
  [offered, version] = [[], at];
  const own = decisions.filter(({ seats }) => seats.includes(seat));
  for (const { title } of own) console.log(`\n${seat}: ${title}`);
  for (const option of options.filter(({ decision }) => decision)) {
    console.log(`  ${option.title} (${option.rule})`);
    for (const command of commands(option)) console.log(`    [${offered.push(command)}] ${JSON.stringify(command)}`);
  }
}

/** Play what the player typed. */
async function play(line: string): Promise<void> {
  if (line === "") return offer();
  const command = /^\d+$/.test(line) ? offered[Number(line) - 1] : (JSON.parse(line) as Command);
  if (!command) return console.log(`There is no [${line}]. Give a number from 1 to ${offered.length}.`);
  await client.command(game, command, { version });
}

/** Print what was wrong, and the rule that decided. */
function complain(error: unknown): void {
  if (error instanceof Refusal) return console.log(`${error.message} (${error.rule}, ${error.source})`);
  if (error instanceof Problem || error instanceof SyntaxError) return console.log(error.message);
  throw error;
}

async function follow(): Promise<void> {
  const { status, ruleset } = await client.get("/v1/games/{game}", { game });
  console.log(`${ruleset}, ${status}`);
  await printNews();
  await offer();
  for await (const event of client.events(game, printed)) {
    if (event.version <= printed) continue; // It was printed together with one before it.
    await printNews();
    await offer().catch(complain);
  }
  console.log("\nThe game is over.");
}

const following = follow().then(() => process.exit(0));
following.catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
for await (const line of createInterface({ input: process.stdin })) await play(line.trim()).catch(complain);
await following;
