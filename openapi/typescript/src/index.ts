/** A client of Tabularium: requests, streams, options, proofs. `openapi/README.md` has a table of what it offers. */

export { Client, type Choice, type Sent, type Settings } from "./client.js";
export { isKnown, type GameEvent, type UnknownEvent } from "./events.js";
export { accepting, every, fault, fits, sample } from "./options.js";
export { Gap, Lost, Problem, Refusal, Stale } from "./problems.js";
export { frames, type Following, type Frame } from "./streams.js";
export type { Answer, Body, Command, Given, Method, Option, Options, Path, Played, Schema, Schemas, Waiting } from "./types.js";
export { apply, type Scene } from "./views.js";
export { Forged, delivery, type HeadersOf } from "./webhooks.js";
