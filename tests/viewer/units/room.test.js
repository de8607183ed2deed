import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";

import { Api } from "../../../service/viewer/state/api.js";
import { Room } from "../../../service/viewer/state/room.js";
import { settled } from "./settled.js";

/** Answers that the service has not given yet, by address, in the order in which they were asked for. */
/** @type {Map<string, ((body: object) => void)[]>} */
let open;
/** @type {(event: {version: number}) => void} */
let happens;
/** @type {Room} */
let room;

/** Give the answer that an address has waited for longest, or another one of those. */
async function answer(/** @type {string} */ address, /** @type {object} */ body, at = 0) {
  const [give] = open.get(address)?.splice(at, 1) ?? [];
  assert.ok(give, `nobody asked for ${address}`);
  give(body);
  await settled();
}

const game = (/** @type {number} */ version, more = {}) => ({
  version,
  status: "running",
  you: null,
  decisions: [],
  ...more,
});
const frames = (/** @type {number} */ after, /** @type {number} */ head) => ({
  head,
  key: { version: after, areas: {} },
  frames: Array.from({ length: head - after }, (_, at) => ({ version: after + at + 1, areas: {} })),
});

/** Have somebody enter the room, as the service shows them the game. */
async function enter(/** @type {object} */ shown) {
  const entered = room.enter();
  await answer("/v1/games/g1", shown);
  await answer("/v1/games/g1/state", { everything: false });
  await entered;
}

describe("a room whose answers come late", () => {
  beforeEach(async () => {
    open = new Map();
    mock.method(Api.prototype, "get", (/** @type {string} */ address) => {
      /** @type {PromiseWithResolvers<object>} */
      const given = Promise.withResolvers();
      open.set(address, [...(open.get(address) ?? []), given.resolve]);
      return given.promise;
    });
    mock.method(
      Api.prototype,
      "follow",
      (/** @type {string} */ _game, /** @type {number} */ _after, /** @type {typeof happens} */ onEvent) => {
        happens = onEvent;
      },
    );
    globalThis.requestAnimationFrame = (draw) => {
      queueMicrotask(() => draw(0));
      return 1;
    };
    mock.timers.enable({ apis: ["setTimeout"] });
    room = new Room(new Api(), "g1");
    await enter(game(10));
  });
  afterEach(() => {
    mock.timers.reset();
    mock.reset();
  });

  test("goes on with the game when frames know of a version before the stream tells of it", async () => {
    await answer("/v1/games/g1/frames", frames(0, 12));
    assert.equal(room.version, 10);
    happens({ version: 11 });
    happens({ version: 12 });
    assert.deepEqual([room.version, room.following], [12, true]);
  });

  test("stays at a version of the past when the game goes on", () => {
    room.show(4);
    happens({ version: 11 });
    assert.deepEqual([room.version, room.head, room.following], [4, 11, false]);
  });

  test("keeps the newest of two answers, whichever comes last", async () => {
    room.refresh();
    room.refresh();
    await answer("/v1/games/g1", game(12), 1);
    await answer("/v1/games/g1", game(11));
    assert.equal(room.game?.version, 12);
  });

  test("forgets what was asked as somebody else", async () => {
    room.refresh();
    const [late] = open.get("/v1/games/g1")?.splice(0) ?? [];
    await enter(game(11, { you: "red" }));
    late?.(game(11));
    await settled();
    assert.equal(room.seat, "red");
  });

  test("shows the end when the answer that the game is over comes before its last event", async () => {
    const refreshed = room.refresh();
    await answer("/v1/games/g1", game(11, { status: "over" }));
    await answer("/v1/games/g1", game(11, { status: "over" }));
    await answer("/v1/games/g1/state", { everything: true });
    await refreshed;
    assert.deepEqual([room.version, room.following], [11, true]);
  });
});
