import assert from "node:assert/strict";
import { test } from "node:test";

import { guessed, noteBegun } from "../../../service/viewer/moves/onward.js";

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
