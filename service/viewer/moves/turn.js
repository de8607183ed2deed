/**
 * "Done with my turn": the commands that only decline, one after the other, as far as the service would accept them now.
 * Nothing is sent before the player has seen them.
 * @module
 */

/**
 * @import { Commands } from "../state/commands.js"
 * @import { Option } from "../types.js"
 */

import { titleOf } from "../state/commands.js";
import { isQuiet } from "./gestures.js";

const LONGEST = 8;

/**
 * Find what ends the turn.
 * @param {Commands} commands
 * @returns {Promise<{commands: object[], words: string[], canUndo: boolean}>}
 */
export async function ending(commands) {
  const chain = [];
  const words = [];
  /** @param {string} type */
  const often = (type) => chain.filter((command) => command.type === type).length > 1;
  let { options } = commands;
  let canUndo = true;
  // Nothing can follow what cannot be taken back.
  while (canUndo && chain.length < LONGEST) {
    const option = options.find((each) => each.decision && isQuiet(each) && !often(each.command));
    if (!option) break;
    const foreseen = await commands.foresee([...chain, { type: option.command, ...fixed(option) }], true);
    if (foreseen.problem) break;
    ({ canUndo, options } = foreseen);
    chain.push({ type: option.command, ...fixed(option) });
    words.push(titleOf(option));
  }
  return { commands: chain, words, canUndo: chain.length > 0 && canUndo };
}

/** The command of an option in which nothing is left to choose. @param {Option} option */
function fixed({ schema }) {
  return Object.fromEntries(
    Object.entries(schema.properties).filter(([, field]) => "const" in field).map(([name, field]) => [name, field.const]),
  );
}
