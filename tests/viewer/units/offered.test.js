import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { asBefore, changes, questionsOf } from "../../../service/viewer/state/options.js";
import { one, option } from "./options.js";

const MARCH = { ...option("march", { to: one("ostia", "capua") }), decision: "move" };
const MOVE = { kind: "move", title: "Move", about: { phase: "spring" }, seats: ["red", "blue"] };
const before = questionsOf(MARCH, [MOVE]);
const now = (decision, ...options) => changes(MARCH, before, { decisions: decision ? [decision] : [], options });

describe("what has changed for a player who chose an option", () => {
  test("is nothing while the seat is asked and offered the same, whoever else is asked", () => {
    assert.equal(now({ ...MOVE, seats: ["red"] }, structuredClone(MARCH)), "");
  });

  test("is said, the most important first", () => {
    assert.equal(now(null, MARCH), "You are no longer asked.");
    assert.equal(now({ ...MOVE, title: "Retreat" }, MARCH), "You are asked something else now.");
    assert.equal(now({ ...MOVE, about: { phase: "autumn" } }, MARCH), "What you are asked about has changed.");
    assert.equal(
      now(MOVE, { ...MARCH, schema: option("march", { to: one("ostia") }).schema }),
      "What you can choose from has changed.",
    );
    assert.equal(now(MOVE), "What you chose is no longer possible.");
  });
});

test("options that are as before are the same objects: what was begun with them goes on", () => {
  const pass = option("pass", {});
  const before = [MARCH];
  assert.equal(asBefore([structuredClone(MARCH)], before), before);
  const after = asBefore([pass, structuredClone(MARCH)], before);
  assert.equal(after[1], MARCH);
  assert.equal(after[0], pass);
});
