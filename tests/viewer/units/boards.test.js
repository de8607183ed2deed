// Which boards of a page of tables are renewed in a turn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inTurn } from "../../../service/viewer/tournaments/boards.js";

test("a turn asks for few boards, and all have their turn", () => {
  const boards = Array.from({ length: 60 }, (_, number) => number);
  const turns = Array.from({ length: 10 }, (_, turn) => inTurn(boards, turn));
  assert.ok(turns.every((turn) => turn.length === 6));
  assert.deepEqual(turns.flat(), boards);
  assert.deepEqual(inTurn(boards.slice(0, 7), 1), [6, 0, 1, 2, 3, 4]);
});

test("a few boards are all renewed, once in each turn", () => {
  assert.deepEqual(inTurn([1, 2, 3], 5), [1, 2, 3]);
  assert.deepEqual(inTurn([], 5), []);
});
