// A bot for any ruleset, in TypeScript: it answers every decision of its account with a random command.
//
//   npm install @tabularium/client
//   node bot.ts https://service.example TOKEN
//
// The token needs the scope `play`. Seat the account in games; the bot plays them until you stop it.

import { Client, Problem, sample } from "@tabularium/client";
import type { Choice, Options, Waiting } from "@tabularium/client";

const [url = "", token = ""] = process.argv.slice(2);
const client = new Client(url, { token });

/** Return a command that answers a decision; undefined when nothing is asked any more. */
function choose({ options }: Options): Choice {
  const asked = options.filter(({ decision }) => decision);
  const option = asked[Math.floor(Math.random() * asked.length)];
  return option && sample(option.schema);
}

/** Agree to requests to take moves back, and answer the decisions. */
async function act({ game, decisions, take_backs }: Waiting): Promise<void> {
  for (const { asked } of take_backs) {
    await client.post("/v1/games/{game}/take-backs/{asked}/answer", { game, asked }, { agrees: true });
  }
  if (decisions.length) await client.decide(game, choose);
}

for await (const waiting of client.waiting()) {
  await act(waiting).catch((error) => {
    if (!(error instanceof Problem)) throw error;
    console.error(`${waiting.game} at version ${waiting.version}: ${error.message}`);
  });
}
