import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { Marks, marked } from "../../../service/viewer/moves/marks.js";

const IDLE = {
  isOpen: true,
  start: null,
  end: null,
  starts: new Set(["rome", "capua"]),
  ends: new Set(),
  previewed: [],
  commands: { form: null, place: "" },
};
const BEGUN = { ...IDLE, start: "rome", ends: new Set(["ostia"]) };

describe("the marks", () => {
  test("are where a gesture can begin, then where it can end", () => {
    assert.deepEqual(marked(IDLE), { can: ["rome", "capua"], open: [], picked: [], aimed: null });
    assert.deepEqual(marked(BEGUN), { can: [], open: ["ostia"], picked: ["rome"], aimed: undefined });
  });

  test("are nothing while the seat is not asked", () => {
    assert.deepEqual(marked({ ...IDLE, isOpen: false }), { can: [], open: [], picked: [], aimed: null });
  });

  test("aim at the end that the pointer is over, and at the end itself once there is one", () => {
    assert.equal(marked({ ...BEGUN, previewed: [{ end: "ostia" }] }).aimed, "ostia");
    assert.equal(marked({ ...BEGUN, end: "capua", previewed: [{ end: "ostia" }] }).aimed, "capua");
  });

  test("are areas of a list in the form as well: all of them open, the chosen ones picked", () => {
    const list = { path: ["cities"], schema: { type: "array", items: { enum: ["ostia", "capua"] } } };
    const form = { areaFields: [list], get: () => ["capua"] };
    const { can, open, picked } = marked({ ...IDLE, commands: { form } });
    assert.deepEqual([can, open, picked], [[], ["ostia", "capua"], ["capua"]]);
  });
});

describe("the board", () => {
  let calls;
  let moves;
  beforeEach(() => {
    calls = [];
    const note =
      (name) =>
      (...what) =>
        calls.push([name, ...what]);
    const board = { svg: {}, arrow: note("arrow"), mark: note("mark"), reach: note("reach"), follow: note("follow") };
    const commands = { form: null, place: "", version: 7, isAsked: true, decisions: [{ kind: "march" }] };
    moves = { ...BEGUN, commands, room: { board, following: true }, isDragged: false, isGuess: false };
  });

  test("is marked anew only when something has changed", () => {
    const marks = new Marks(moves);
    marks.draw();
    assert.deepEqual(calls.at(-1), ["arrow", null]);
    assert.equal(calls.length, 5);
    marks.draw();
    assert.equal(calls.length, 5);
    moves.end = "ostia";
    marks.draw();
    assert.deepEqual(calls.at(-1), ["arrow", ["rome", "ostia"]]);
  });

  test("keeps the arrow of a pointer that drags", () => {
    moves.isDragged = true;
    new Marks(moves).draw();
    assert.ok(calls.every(([name]) => name !== "arrow"));
  });

  test("is moved once for each question: to what it is about, or to where a gesture can begin", () => {
    Object.assign(moves, { start: null, ends: new Set() });
    const marks = new Marks(moves);
    marks.follow();
    marks.follow();
    assert.deepEqual(calls, [["follow", ["rome", "capua"]]]);
    moves.commands.labels = { isArea: (value) => value === "ostia" };
    moves.commands.decisions = [{ kind: "retreat", about: { from: "ostia", loser: "red" } }];
    marks.follow();
    assert.deepEqual(calls.at(-1), ["follow", ["ostia"]]);
  });
});
