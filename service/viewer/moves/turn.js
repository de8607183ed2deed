/**
 * "Done with my turn": the commands that only decline, one after the other, as far as the service would accept them now.
 * Nothing is sent before the player has seen them.
 * @module
 */

import { named } from "../parts/format.js";
import { isQuiet } from "./gestures.js";

const LONGEST = 8;

const byRuleset = new Map();

/** Commands of a ruleset that only decline and have no fields, with what they are called, by their types. */
async function quietOf(room) {
  const { ruleset } = room.game;
  if (!byRuleset.has(ruleset)) {
    const { commands } = await room.api.get(`/v1/rulesets/${ruleset}/schemas`);
    const all = Object.values(commands.$defs ?? {}).filter((schema) => schema["x-gesture"]?.quiet);
    const plain = all.filter(({ properties, required }) => Object.keys(properties).length === 1 && required.length === 1);
    byRuleset.set(ruleset, new Map(plain.map((schema) => [schema.properties.type.const, schema["x-gesture"].called])));
  }
  return byRuleset.get(ruleset);
}

/**
 * Find what ends the turn.
 * @param {import("../state/commands.js").Commands} commands
 * @returns {Promise<{commands: object[], words: string[], canUndo: boolean}>}
 */
export async function ending(commands) {
  const { room } = commands;
  const first = commands.options.find((option) => option.decision && isQuiet(option));
  if (!first) return { commands: [], words: [], canUndo: false };
  const chain = [{ type: first.command, ...fixed(first) }];
  let { canUndo } = await commands.foresee(chain);
  const quiet = await quietOf(room);
  // Nothing can follow what cannot be taken back.
  for (let grew = canUndo; grew && canUndo && chain.length < LONGEST; ) {
    grew = false;
    for (const type of quiet.keys()) {
      if (chain.filter((command) => command.type === type).length > 1) continue;
      const next = await commands.foresee([...chain, { type }]);
      if (next.problem) continue;
      chain.push({ type });
      canUndo = next.canUndo;
      grew = true;
      break;
    }
  }
  return { commands: chain, words: chain.map(({ type }, at) => (at ? quiet.get(type) ?? named(type) : first.title)), canUndo };
}

/** The command of an option in which nothing is left to choose. */
function fixed({ schema }) {
  return Object.fromEntries(
    Object.entries(schema.properties).filter(([, field]) => "const" in field).map(([name, field]) => [name, field.const]),
  );
}
