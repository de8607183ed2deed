import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";

import { Games } from "../../../service/viewer/lobby/games.js";
import { Pages } from "../../../service/viewer/state/pages.js";
import { Api } from "../../../service/viewer/state/api.js";
import { settled } from "./settled.js";

test("a button that is pressed twice reads the next page once", async () => {
  const asked = /** @type {(string | undefined)[]} */ ([]);
  const pages = new Pages(async (cursor) => {
    asked.push(cursor);
    return cursor ? { items: ["c"], next: null } : { items: ["a", "b"], next: "b" };
  });
  await pages.more();
  await Promise.all([pages.more(), pages.more()]);
  assert.deepEqual([asked, pages.items, pages.next], [[undefined, "b"], ["a", "b", "c"], null]);
});

test("a page that cannot be read leaves the list as it is, says why, and can be read again", async () => {
  let away = true;
  const pages = new Pages(async () => {
    if (away) throw new Error("The service was not reached.");
    return { items: ["a"], next: null };
  });
  await assert.rejects(pages.more());
  assert.deepEqual([pages.items, pages.problem?.message], [[], "The service was not reached."]);
  away = false;
  await pages.more();
  assert.deepEqual([pages.items, pages.problem], [["a"], null]);
});

describe("the games of the lobby, when answers come late", () => {
  /** @type {{query: {text?: string, cursor?: string}, give: (page: object) => void, fail: (error: Error) => void}[]} */
  let open;
  /** @type {Games} */
  let games;

  /** Answer what was asked for with a text and a cursor. */
  async function answer(
    /** @type {string} */ text,
    /** @type {string | undefined} */ cursor,
    /** @type {object} */ page,
  ) {
    const at = open.findIndex(({ query }) => query.text === text && query.cursor === cursor);
    assert.notEqual(at, -1, `nobody asked for ${text}`);
    open.splice(at, 1)[0].give(page);
    await settled();
  }

  beforeEach(() => {
    open = [];
    mock.timers.enable({ apis: ["setTimeout"] });
    mock.method(Api.prototype, "get", (/** @type {string} */ _path, /** @type {{status?: string}} */ query) => {
      if (query?.status === "running") return Promise.resolve({ items: [] });
      /** @type {PromiseWithResolvers<object>} */
      const { promise, resolve, reject } = Promise.withResolvers();
      open.push({ query, give: resolve, fail: reject });
      return promise;
    });
    games = new Games(new Api());
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  const page = (/** @type {string} */ id, /** @type {string | null} */ next) => ({
    items: [{ id, status: "gathering", seats: [] }],
    next,
  });
  const shown = () => games.items.map(({ id }) => id);

  test("a second page that was asked for before a search is no part of what was found", async () => {
    games.read();
    await answer("", undefined, page("a", "a"));
    games.more();
    games.seek({ text: "cup" });
    await answer("cup", undefined, page("cup", null));
    await answer("", "a", page("b", null));
    assert.deepEqual(shown(), ["cup"]);
  });

  test("a second page that was asked for twice is shown once", async () => {
    games.read();
    await answer("", undefined, page("a", "a"));
    games.more();
    games.more();
    await answer("", "a", page("b", "b"));
    await answer("", "a", page("b", "b"));
    assert.deepEqual(shown(), ["a", "b"]);
  });

  test("a search that fails after a newer one was answered is forgotten", async () => {
    games.seek({ text: "club" });
    const [{ fail }] = open.splice(0, 1);
    games.seek({ text: "cup" });
    await answer("cup", undefined, page("cup", null));
    fail(new Error("away"));
    await settled();
    assert.deepEqual([shown(), games.problem], [["cup"], null]);
  });
});
