/** Events, and those that this version of the contract does not know yet. */

import { AROUND, OF_RULESET } from "./known.js";
import type { Schemas } from "./types.js";

/** An event as the contract describes it: look at its `ruleset` first, then at the `type` of `event`. */
export type GameEvent = Schemas["EventView"];

/** An event of a type or a ruleset that is newer than this client. */
export type UnknownEvent = Pick<GameEvent, "version" | "type" | "at" | "schema" | "draws" | "hash"> & {
  ruleset: string;
  event: { type: string; [field: string]: unknown };
};

/** Tell whether the contract of this client describes an event. You get the others all the same. */
export function isKnown(event: GameEvent | UnknownEvent): event is GameEvent {
  const own = OF_RULESET[event.ruleset];
  return own !== undefined && (own.includes(event.type) || AROUND.includes(event.type));
}
