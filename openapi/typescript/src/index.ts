/** A client of Tabularium: requests, streams, options, proofs. `openapi/README.md` has a table of what it offers. */

export { Client, type Choice, type Sent, type Settings, type TokenSource } from "./client.js";
export { isKnown, type GameEvent, type UnknownEvent } from "./events.js";
export { accepting, every, fault, fits, sample } from "./options.js";
export { Gap, Lost, NotSignedIn, Problem, Refusal, Stale, TabulariumError } from "./problems.js";
export { signIn, signInByDevice, signOut, signedIn, type App, type DeviceCode, type Store } from "./signin.js";
export { frames, type Following, type Frame } from "./streams.js";
export type { Answer, Body, Command, Given, Item, ListPath, Method, Option, Options, Path, Played, Schema, Schemas, Waiting } from "./types.js";
export { apply, type Scene } from "./views.js";
export { Forged, delivery, type HeadersOf } from "./webhooks.js";
