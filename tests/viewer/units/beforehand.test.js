import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { Beforehand } from "../../../service/viewer/moves/beforehand.js";
import { movesOf } from "../../../service/viewer/moves/gestures.js";
import { count, one, option } from "./options.js";

const fields = { from: one("rome"), to: one("ostia"), legions: count(0, 3) };
const gesture = { from: "from", to: "to", counts: ["legions"] };
const [MARCH, RAID] = ["march", "raid"].map((command) => option(command, fields, gesture));
const SCOUT = option("scout", { from: one("rome"), to: one("ostia") }, { from: "from", to: "to" });

let commands;
let form;
/** @type {Beforehand} */
let beforehand;
beforeEach(() => {
  form = { value: { type: "march", from: "rome", legions: 3 } };
  commands = { form, option: MARCH, order: { form, option: MARCH } };
  beforehand = new Beforehand(/** @type {never} */ (commands));
  beforehand.open(/** @type {never} */ (form), { legions: 3 }, false);
});

test("nothing is chosen while the form has the usual", () => {
  assert.equal(beforehand.chosen, null);
  form.value.legions = 1;
  assert.deepEqual(beforehand.chosen, { legions: 1 });
});

test("what was chosen is kept when the gesture ends, whose form is another one", () => {
  form.value.legions = 1;
  assert.deepEqual(beforehand.keep(), { legions: 1 });
  commands.form = { value: {} };
  assert.deepEqual(beforehand.chosen, { legions: 1 });
  beforehand.forget();
  assert.equal(beforehand.chosen, null);
});

describe("of several moves to one end", () => {
  const moves = [MARCH, RAID, SCOUT].flatMap(movesOf);
  const commandsIn = (some) => some.map((move) => move.option.command);

  test("those go on that go the way which the form shows, or take nothing along", () => {
    assert.deepEqual(commandsIn(beforehand.fitting(moves)), ["march", "scout"]);
  });

  test("all do where that way does not lead there, or no form is open", () => {
    const others = moves.filter((move) => move.option !== MARCH);
    assert.equal(beforehand.fitting(others), others);
    commands.form = null;
    assert.equal(beforehand.fitting(moves), moves);
  });

  test("the piece goes on that the form shows, of several in one place", () => {
    const places = { f1: "rome", f2: "rome" };
    const sail = option("sail", { fleet: one("f1", "f2"), to: one("ostia") }, { from: "fleet", to: "to", places });
    Object.assign(commands, { option: sail, order: { form, option: sail } });
    form.value.fleet = "f2";
    assert.deepEqual(
      beforehand.fitting(movesOf(sail)).map(({ fix }) => fix.fleet),
      ["f2"],
    );
  });
});
