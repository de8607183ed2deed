import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { again, alone, completed, lastField, taken, takesExactly } from "../../../service/viewer/moves/completing.js";
import { remember } from "../../../service/viewer/moves/along.js";
import { movesOf } from "../../../service/viewer/moves/gestures.js";
import { count, one, option } from "./options.js";

/** A march from Rome, with up to three legions and two galleys: at most four of them. */
const march = (command, more = {}) =>
  option(
    command,
    { from: one("rome"), to: one("ostia", "capua"), legions: count(0, 3), galleys: count(0, 2), ...more },
    { from: "from", to: "to", counts: ["legions", "galleys"] },
  );
const MARCH = march("march");
const [TO_OSTIA] = movesOf(MARCH);

describe("a completed command", () => {
  test("begins with the fields that pointing decided, and with all that can come along", () => {
    assert.deepEqual(completed(TO_OSTIA, null), { type: "march", from: "rome", to: "ostia", legions: 3, galleys: 2 });
  });

  test("takes along what was chosen before, where the option allows it", () => {
    assert.equal(completed(TO_OSTIA, { legions: 1, galleys: 0 }).legions, 1);
    assert.equal(completed(TO_OSTIA, { legions: 7 }).legions, 3);
  });

  test("takes exactly what was chosen, whether nothing is 0 or left out", () => {
    assert.ok(takesExactly({ legions: 1, galleys: 0 }, { legions: 1, galleys: undefined }));
    assert.ok(!takesExactly({ legions: 1, galleys: 1 }, { legions: 1, galleys: 0 }));
  });
});

describe("one click", () => {
  const value = completed(TO_OSTIA, null);

  test("takes all or none along, and leaves alone what pointing decided", () => {
    assert.deepEqual(taken(MARCH, value, [TO_OSTIA], false), { ...value, legions: 0, galleys: 0 });
    assert.deepEqual(taken(MARCH, { ...value, legions: 0 }, [TO_OSTIA], true), value);
    const decided = { option: MARCH, fix: { legions: 3 } };
    assert.equal(taken(MARCH, value, [decided], false).legions, 3);
  });

  test("takes one kind alone, where there are several", () => {
    const choices = alone(MARCH, value).map((choice) => [choice.name, choice.value.legions, choice.value.galleys]);
    assert.deepEqual(choices, [
      ["legions", 3, 0],
      ["galleys", 0, 2],
    ]);
    const legions = option("walk", { legions: count(0, 3) }, { to: "to", counts: ["legions"] });
    assert.deepEqual(alone(legions, { type: "walk", legions: 3 }), []);
  });

  test("takes what came lately, but not what all, none or the form itself take", () => {
    const raid = march("raid");
    const [move] = movesOf(raid);
    const sent = (legions) => remember(raid, { type: "raid", legions, galleys: 1 }, ["legions", "galleys"]);
    for (const legions of [1, 2]) sent(legions);
    const choices = again(raid, { ...completed(move, null), legions: 2, galleys: 1 }, [move]);
    assert.deepEqual(
      choices.map(({ legions, galleys }) => [legions, galleys]),
      [[1, 1]],
    );
  });
});

describe("the last open field", () => {
  const vow = (field, required = ["vow"]) => {
    const made = march("vow", { vow: field });
    return { ...made, schema: { ...made.schema, required } };
  };

  test("has a button for each of its few values", () => {
    assert.equal(lastField(MARCH, ["rome"]), null);
    assert.deepEqual(lastField(vow(one("peace", "war")), ["rome"]), { name: "vow", values: ["peace", "war"] });
    assert.equal(lastField(vow(one(..."abcdefg")), ["rome"]), null, "seven are too many");
  });

  test("is none where it may be left out; only of yes and no is that one of them", () => {
    assert.equal(lastField(vow(one("peace", "war"), []), ["rome"]), null);
    assert.deepEqual(lastField(vow({ type: "boolean" }, []), ["rome"]), { name: "vow", values: [true, false] });
  });

  test("is none where another one is open", () => {
    const both = march("vow", { vow: one("peace", "war"), oath: one("yes", "no") });
    assert.equal(lastField(both, ["rome"]), null);
  });

  test("offers only the pieces that are where the gesture begins or ends", () => {
    const fields = { fleet: one("f1", "f2", "f3"), port: one("ostia") };
    const places = { f1: "rome", f2: "rome", f3: "capua" };
    const embark = option("embark", fields, { from: "fleet", to: "port", places }, ["fleet"]);
    assert.deepEqual(lastField(embark, ["rome", "ostia"]), { name: "fleet", values: ["f1", "f2"] });
  });
});
