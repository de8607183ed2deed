import "./page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  iconOf,
  inOrder,
  leftOf,
  pageOf,
  sentence,
  titled,
  waiting,
} from "../../../service/viewer/parts/notifications.js";

const turn = (game, falls_at = null) => ({ game, falls_at });
const about = (game, more = {}) => ({ game, case: null, kind: "game-over", seat: null, version: 7, ...more });

test("a notification is a sentence, and leads to where its matter is seen", () => {
  assert.equal(sentence(about("g1")), "The game is over.");
  assert.equal(sentence(about("g1", { kind: "flag-fell", seat: "red" })), "The time of Red is up.");
  assert.equal(sentence(about("g1", { kind: "something-new" })), "Something new.");
  assert.equal(pageOf(about("g1")), "/games/g1#v=7");
  assert.equal(pageOf(about("g1", { case: "c1" })), "/games/g1/desk");
});

test("what waits is what was not read and the games to move in, without the game that is looked at", () => {
  const state = { unread: 3, turns: [turn("g1"), turn("g2")], rulings: [] };
  const unread = [about("g1"), about("g2"), about("g2")];
  assert.equal(waiting(null, []), 0);
  assert.equal(waiting(state, unread), 5);
  assert.equal(waiting(state, unread, "g1"), 3);
  assert.equal(waiting(state, unread, "g2"), 2);
});

test("the tab shows how much waits in its title and its icon", () => {
  assert.equal(titled("Tabularium", 0), "Tabularium");
  assert.equal(titled("Tabularium", 4), "(4) Tabularium");
  assert.equal(iconOf(0), "/favicon.ico");
  assert.match(decodeURIComponent(iconOf(4)), />4<\/text>/);
  assert.match(decodeURIComponent(iconOf(120)), />99\+<\/text>/);
});

test("games are in the order in which they wait, and others behind them as they were", () => {
  const games = ["a", "b", "c", "d"].map((id) => ({ id }));
  const order = inOrder(games, [turn("d"), turn("b")]);
  assert.deepEqual(
    order.map(({ id }) => id),
    ["d", "b", "a", "c"],
  );
  assert.equal(games[0].id, "a");
});

test("the time that is left is that of the service, and never below nothing", () => {
  const now = Date.parse("2026-11-21T18:00:00Z");
  assert.equal(leftOf(turn("a", "2026-11-21T18:00:05.000000Z"), now), 5000);
  assert.equal(leftOf(turn("a", "2026-11-21T17:00:00.000000Z"), now), 0);
  assert.equal(leftOf(turn("a"), now), null);
  assert.equal(leftOf(undefined, now), null);
});
