/**
 * Checks that need no rules: of an export, of events as they arrive, and of what the service signed. The checks of exports
 * are those of the Verify panel of the service's pages; `tabularium verify` also decides every command again.
 */

import type { GameEvent, UnknownEvent } from "./events.js";
import { canonical, hex, joined, sha256, unhex, utf8 } from "./page/canonical.js";
import { certify as certifyPage } from "./page/certificate.js";
import { verify as verifyPage } from "./page/verify.js";
import type { Answer } from "./types.js";

/** What was found in an export. */
export interface Verdict {
  /** True if nothing wrong was found. `unchecked` lists what was not checked. */
  ok: boolean;
  /** What is wrong, in a sentence. */
  problem?: string;
  /** The first version that is wrong, and the line of the file. */
  version?: number;
  line?: number;
  game?: string;
  case?: string;
  ruleset?: string;
  status?: string;
  /** How many versions there are, and the hash of the last one, which stands for all of the log. */
  versions: number;
  head?: string;
  /** The SHA-256 of the secret behind the dice. */
  commitment?: string;
  /** What was checked, and what was not, in sentences. */
  checked: string[];
  unchecked: string[];
  /** The rows of the log that could be read. */
  rows: readonly object[];
}

/** What a certificate says of an export. */
export interface Certified {
  ok: boolean;
  problem?: string;
  sentences: string[];
  unchecked: string[];
}

/** What else a check of an export needs to know. */
export interface Known {
  /** The answer of `GET /v1/rulesets/{ruleset}`, which says where events show dice. Without it they are not drawn again. */
  ruleset?: Answer<"/v1/rulesets/{ruleset}", "get"> | undefined;
  /** For a case: the export of its game. */
  game?: string | undefined;
}

/** Check the export of a game or a case. */
export async function verify(text: string, { ruleset, game }: Known = {}): Promise<Verdict> {
  return (await verifyPage(text, { ruleset: ruleset as never, game })) as Verdict;
}

/** Check that the service signed an export, by the log and the witnesses that a policy trusts. */
export async function certify(certificate: string, policy: string, verdict: Verdict): Promise<Certified> {
  return (await certifyPage(certificate, policy, verdict as never)) as Certified;
}

/** Checks the chain of hashes of a game, event by event, as a stream delivers them. */
export class Chain {
  readonly #game: string;
  /** The version and the hash of the last event. */
  version = 0;
  head = "";

  constructor(game: string) {
    this.#game = game;
  }

  /** Take the next event. Throws a `RangeError` if it does not follow the one before. */
  async take(event: GameEvent | UnknownEvent): Promise<void> {
    const { version, at, draws, schema, hash, event: content } = event;
    const row = { at, draws, event: content, game: this.#game, schema, version, ...("cause" in event && { cause: event.cause }) };
    const before = this.version ? unhex(this.head) : await sha256(utf8(`tabularium/1 ${this.#game}`));
    const expected = hex(await sha256(joined(before, utf8(canonical(row)))));
    if (version !== this.version + 1 || hash !== expected) {
      throw new RangeError(`version ${version} does not continue the chain after version ${this.version}`);
    }
    [this.version, this.head] = [version, hash];
  }
}
