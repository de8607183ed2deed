import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";

import { Api } from "../../../service/viewer/state/api.js";
import { Followed } from "../../../service/viewer/tournaments/followed.js";

/** @type {(url: string, request: RequestInit) => Response | Promise<Response>} */
let service;
/** @type {string[]} */
let asked;
beforeEach(() => {
  asked = [];
  globalThis.addEventListener = () => undefined;
  Object.assign(globalThis.document, { addEventListener: () => undefined, hidden: false, activeElement: null });
  globalThis.document.getElementById = () => null;
  mock.method(globalThis, "fetch", async (/** @type {string} */ url, /** @type {RequestInit} */ request) => {
    asked.push(url);
    return service(url, request);
  });
});
afterEach(() => mock.reset());

/** @param {unknown} body */
const json = (body) => new Response(JSON.stringify(body));

/** @param {number} version @param {object} event */
const frame = (version, event) => `id: ${version}\ndata: ${JSON.stringify({ version, event })}\n\n`;

describe("the stream of a tournament", () => {
  test("goes on after the last event when it breaks off", async () => {
    const from = [];
    service = (_, { headers }) => {
      from.push(headers?.["Last-Event-ID"]);
      if (from.length === 1) return new Response(frame(4, {}) + frame(5, {}));
      return from.length === 2 ? new Response(frame(6, {})) : new Response(null, { status: 204 });
    };
    const versions = [];
    const states = [];
    mock.method(Math, "random", () => -1); // no rest between two tries
    await new Api().followTournament(
      "t1",
      3,
      ({ version }) => versions.push(version),
      (state) => states.push(state),
      new AbortController().signal,
    );
    assert.deepEqual(from, ["3", "5", "6"]);
    assert.deepEqual(versions, [4, 5, 6]);
    assert.deepEqual(states, ["live", "lost", "live", "lost", "ended"]);
  });
});

describe("a tournament that is followed", () => {
  const path = "/v1/tournaments/t1";
  const state = { version: 9, rounds: [1, 2, 3] };
  /** @type {(event: {version: number, event: object}) => void} */
  let happens;
  /** @type {Followed} */
  let followed;
  beforeEach(async () => {
    Object.assign(state, { version: 9 });
    service = (url) => {
      const number = Number(url.split("/rounds/")[1]);
      if (number) return json({ number, status: "published", drafts: [], tables: [], read: state.version });
      if (url !== path) return json({ items: [] });
      const rounds = state.rounds.map((each) => ({ number: each, status: "published", tables: 1, waiting: 0 }));
      return json({ summary: { version: state.version, status: "running" }, rounds, players: [], directors: [] });
    };
    const api = new Api();
    mock.method(api, "followTournament", (_, after, onEvent) => {
      assert.equal(after, 9);
      happens = onEvent;
    });
    mock.method(globalThis, "setInterval", () => 0);
    followed = new Followed(api, /** @type {never} */ ({ me: null }), "t1", () => undefined);
    await followed.read();
    followed.follow();
    asked = [];
  });

  const settled = () => new Promise((resolve) => setTimeout(resolve, 300));

  test("reads the round in which something happened, and the last, and no other", async () => {
    state.version = 10;
    happens({ version: 10, event: { type: "result-confirmed", round: 1, table: 1 } });
    await settled();
    assert.deepEqual(asked.sort(), [
      path,
      `${path}/crosstable`,
      `${path}/rounds/1`,
      `${path}/rounds/3`,
      `${path}/standings`,
    ]);
    assert.deepEqual(
      followed.rounds.map((each) => /** @type {any} */ (each).read),
      [10, 9, 10],
    );
  });

  test("reads a round also when somebody else's event comes after what was read", async () => {
    state.version = 10;
    await followed.read();
    asked = [];
    happens({ version: 10, event: { type: "result-confirmed", round: 2, table: 1 } });
    await settled();
    assert.deepEqual(asked, [path, `${path}/rounds/2`]);
  });

  test("reads nothing for what it knows, and many events at once", async () => {
    happens({ version: 9, event: { type: "announcement-made" } });
    await settled();
    assert.deepEqual(asked, []);
    state.version = 12;
    for (const version of [10, 11, 12]) happens({ version, event: { type: "player-entered" } });
    await settled();
    assert.equal(asked.filter((each) => each === path).length, 1);
  });
});
