import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { movesOf } from "../../../service/viewer/moves/gestures.js";
import { NextMove, guessed, noteBegun, onwardFrom } from "../../../service/viewer/moves/onward.js";
import { one, option } from "./options.js";

const place = (area, ...ends) => ({ area, ends: new Set(ends) });
/** After a march from Rome to Ostia another can begin at either; each test has a command of its own. */
const after = (command) => ({ command, places: { end: place("ostia", "capua"), start: place("rome", "capua") } });

test("a move goes on where the last one ended, and is not sure of it", () => {
  assert.deepEqual(guessed(after("unknown")), { area: "ostia", isSure: false });
});

test("a guess that was right is sure the next time", () => {
  noteBegun(after("right"), "ostia");
  assert.deepEqual(guessed(after("right")), { area: "ostia", isSure: true });
});

test("who begins again where the last move began is understood", () => {
  noteBegun(after("again"), "rome");
  assert.deepEqual(guessed(after("again")), { area: "rome", isSure: true });
});

test("who begins where the guess could have ended had to take it back: nothing is guessed", () => {
  noteBegun(after("elsewhere"), "capua");
  assert.equal(guessed(after("elsewhere")), null);
});

test("what was done of late counts more than what was done before", () => {
  for (const area of ["ostia", "ostia", "ostia", "rome", "rome", "rome"]) noteBegun(after("changed"), area);
  assert.equal(guessed(after("changed"))?.area, "rome");
});

describe("after a command", () => {
  const march = option("march", { from: one("rome", "ostia"), to: one("capua") }, { from: "from", to: "to" });
  const from = (area) => movesOf(march).filter(({ start }) => start === area);
  const given = { start: "rome", end: "ostia", command: { type: "march" } };

  test("a move can go on where its gesture ended or began, if the same can be done there", () => {
    const capua = new Set(["capua"]);
    assert.deepEqual(onwardFrom(given, from).places, {
      end: { area: "ostia", ends: capua },
      start: { area: "rome", ends: capua },
    });
    assert.deepEqual(onwardFrom({ ...given, command: { type: "sail" } }, from).places, {});
  });

  test("the next move is guessed once, and not when the player has begun elsewhere", () => {
    const next = new NextMove();
    next.accepted(given, null);
    assert.equal(next.guess(from)?.area, "ostia");
    assert.equal(next.guess(from), null);
    next.accepted(given, null);
    next.forget();
    assert.equal(next.guess(from), null);
  });

  test("the guess is sure when the next command began there", () => {
    const next = new NextMove();
    next.accepted(given, null);
    next.guess(from);
    next.accepted({ ...given, start: "ostia" }, next.onward);
    assert.deepEqual(next.guess(from), { area: "ostia", isSure: true });
  });
});
