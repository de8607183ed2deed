import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { Gesture } from "../../../service/viewer/moves/gesture.js";

const SEEN = true;
const UNSEEN = false;
const MARCH = /** @type {never} */ ({ option: { command: "march" }, fix: {} });

/** What can be pointed at while nothing is complete: gestures begin in Rome and Capua, and end in Ostia and Capua. */
const OPEN = {
  starts: new Set(["rome", "capua"]),
  ends: new Set(["ostia", "capua"]),
  isComplete: false,
  takes: () => false,
};
const COMPLETE = { ...OPEN, isComplete: true };

/** @type {Gesture} */
let gesture;
beforeEach(() => {
  gesture = new Gesture();
});

describe("idle", () => {
  test("a start begins, anything else is looked at", () => {
    assert.equal(gesture.state, "idle");
    assert.equal(gesture.pointed("rome", SEEN, OPEN), "begin");
    assert.equal(gesture.pointed("ostia", SEEN, OPEN), "look");
    assert.equal(gesture.pointed(null, SEEN, OPEN), "cancel");
  });
});

describe("from", () => {
  beforeEach(() => gesture.begin("rome"));

  test("an end that was seen is meant; one that a finger found is asked about", () => {
    assert.equal(gesture.state, "from");
    assert.equal(gesture.pointed("ostia", SEEN, OPEN), "end, meant");
    assert.equal(gesture.pointed("ostia", UNSEEN, OPEN), "end");
  });

  test("an end that is a start, too, is an end", () =>
    assert.equal(gesture.pointed("capua", SEEN, OPEN), "end, meant"));
  test("its start takes it back", () => assert.equal(gesture.pointed("rome", SEEN, OPEN), "back"));
  test("what is no end is explained", () => assert.equal(gesture.pointed("athens", SEEN, OPEN), "explain"));

  test("another start that is no end begins there", () => {
    assert.equal(gesture.pointed("capua", SEEN, { ...OPEN, ends: new Set(["ostia"]) }), "begin");
  });
});

describe("from, where it began by itself", () => {
  test("another start may mean that one: its end is only asked about", () => {
    gesture.begin("rome", { isGuess: true });
    assert.equal(gesture.pointed("capua", SEEN, OPEN), "end");
    assert.equal(gesture.pointed("ostia", SEEN, OPEN), "end, meant");
  });

  test("its end is meant where the guess was right the last time", () => {
    gesture.begin("rome", { isGuess: true, isSure: true });
    assert.equal(gesture.pointed("capua", SEEN, OPEN), "end, meant");
  });

  test("its start is begun by hand, not taken back", () => {
    gesture.begin("rome", { isGuess: true });
    assert.equal(gesture.pointed("rome", SEEN, OPEN), "begin");
  });
});

describe("along", () => {
  test("what comes along is chosen before the end, and ends as before", () => {
    gesture.begin("rome");
    gesture.isPrepared = true;
    assert.equal(gesture.state, "along");
    assert.equal(gesture.pointed("ostia", SEEN, OPEN), "end, meant");
    assert.equal(gesture.pointed("rome", SEEN, OPEN), "back");
    gesture.begin("capua");
    assert.equal(gesture.state, "from", "what was chosen in Rome does not come from Capua");
  });
});

describe("to", () => {
  beforeEach(() => {
    gesture.begin("rome");
    gesture.endAt("ostia", [MARCH]);
  });

  test("its end sends it", () => {
    assert.equal(gesture.state, "to");
    assert.equal(gesture.pointed("ostia", SEEN, COMPLETE), "send");
    assert.equal(gesture.pointed("ostia", UNSEEN, COMPLETE), "send");
  });

  test("another end is the end instead, its start takes a step back", () => {
    assert.equal(gesture.pointed("capua", SEEN, COMPLETE), "end, meant");
    assert.equal(gesture.pointed("rome", SEEN, COMPLETE), "back");
  });

  test("an area that its command takes besides is picked", () => {
    assert.equal(gesture.pointed("capua", SEEN, { ...COMPLETE, takes: (area) => area === "capua" }), "pick");
  });

  test("one step back is where it began, two are nowhere", () => {
    assert.equal(gesture.before, "rome");
    gesture.begin(gesture.before);
    assert.equal(gesture.state, "from");
    assert.equal(gesture.before, null);
    gesture.begin(gesture.before);
    assert.equal(gesture.state, "idle");
  });

  test("where it points at one area only, that area sends it", () => {
    gesture.begin("capua");
    gesture.endAt(null, [MARCH]);
    assert.equal(gesture.pointed("capua", SEEN, COMPLETE), "send");
  });
});

describe("confirmed", () => {
  test("whatever is pointed at waits for the answer, whether it is forgotten or not", () => {
    gesture.begin("rome");
    gesture.endAt("ostia", [MARCH]);
    gesture.isSending = true;
    for (const area of ["rome", "ostia", "athens", null]) assert.equal(gesture.pointed(area, SEEN, COMPLETE), "wait");
    gesture.forget();
    assert.equal(gesture.state, "confirmed");
    gesture.isSending = false;
    assert.equal(gesture.state, "idle");
  });
});
