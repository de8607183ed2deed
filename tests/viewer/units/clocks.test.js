import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  PRESETS,
  aheadOf,
  atZero,
  besides,
  changesIn,
  gifts,
  nameOf,
  short,
  shownAt,
  span,
  timeOf,
} from "../../../service/viewer/parts/clocks.js";

const AT = "2026-11-29T12:00:00.000250Z";
const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** A seat whose clock runs and has a minute left. */
const running = {
  seat: "red",
  left: 60 * SECOND,
  runs: true,
  falls_at: "2026-11-29T12:01:02.000000Z",
  off_until: null,
};

/** What the clock of a seat shows so many seconds after the clocks ran. */
function shown(seconds, seat = {}, clock = {}) {
  const chosen = { kind: "bank", time: 600, quiet: null, ...clock };
  const seats = [{ ...running, ...seat }];
  return shownAt({ clock: chosen, clocks: { at: AT, seats } }, Date.parse(AT) + seconds * SECOND)[0];
}

test("the service's time counts, however wrong this device's is", () => {
  const here = Date.parse("2001-01-01T00:00:00Z");
  const ahead = aheadOf({ now: AT }, 0, here);
  assert.equal(here + ahead, Date.parse(AT));
  assert.equal(aheadOf({ now: null }, ahead, here), ahead);
  assert.equal(aheadOf(null), 0);
});

describe("a clock", () => {
  test("counts down while it runs, and stands otherwise", () => {
    assert.deepEqual(
      [0, 10, 59].map((seconds) => shown(seconds).left / SECOND),
      [60, 50, 1],
    );
    assert.equal(shown(40, { runs: false }).left, 60 * SECOND);
  });

  test("warns from a tenth of its time on, and says when it is up and when its flag is due", () => {
    const states = [0, 0.1, 59, 60, 61, 62, 90].map((seconds) => shown(seconds, { left: 60_001 }).state);
    assert.deepEqual(states, ["runs", "low", "low", "low", "grace", "due", "due"]);
    assert.equal(shown(0, { runs: false, left: 5 }).state, "");
    assert.equal(shown(0, {}, { kind: "decision", time: 601 }).state, "low");
  });

  test("does not count on a day off, nor in quiet hours", () => {
    const off = { off_until: "2026-11-29T12:00:30.000000Z", falls_at: "2026-11-29T12:01:32.000000Z" };
    assert.deepEqual(shown(20, off), { seat: "red", left: 60 * SECOND, state: "off" });
    assert.ok(Math.abs(shown(40, off).left - 50 * SECOND) < 2);
    const night = { quiet: { begins: 12 * 60 + 1, ends: 12 * 60 } };
    const evening = { quiet: { begins: 12 * 60 + 1, ends: 13 * 60 } };
    const later = { left: 2 * HOUR, falls_at: "2026-11-29T15:00:00.000000Z" };
    assert.deepEqual(
      [shown(90, later, evening).state, shown(90, later, evening).left],
      ["quiet", 2 * HOUR - 60 * SECOND],
    );
    assert.equal(shown(7200, later, evening).left, HOUR - 60 * SECOND);
    assert.equal(shown(3600, later, night).left, 2 * HOUR - 60 * SECOND);
    assert.equal(shown(30, later, { quiet: { begins: 23 * 60, ends: 7 * 60 } }).left, 2 * HOUR - 30 * SECOND);
    const over = shown(20 * 3600, later, { quiet: { begins: 23 * 60, ends: 7 * 60 } });
    assert.equal(over.left, 2 * HOUR - 12 * HOUR);
  });

  test("of a game without clocks is not shown", () => {
    assert.deepEqual(shownAt({ clock: null, clocks: null }, 0), []);
    assert.deepEqual(shownAt({ clock: PRESETS.live, clocks: null }, 0), []);
  });
});

test("a clock is looked at when the next second is over, and not at all while all stand", () => {
  assert.equal(
    changesIn([
      { left: 5250, state: "runs" },
      { left: 100, state: "" },
    ]),
    270,
  );
  assert.equal(changesIn([{ left: -750, state: "grace" }]), 270);
  assert.equal(changesIn([{ left: 100, state: "" }]), 0);
});

test("what is left is written short, always by two units, and never below zero", () => {
  const written = [-5, 0, 1, 9_001, 59 * 60_000, HOUR, 25 * HOUR, 49 * HOUR + 1].map((left) => short(left));
  assert.deepEqual(written, ["0:00", "0:00", "0:01", "0:10", "59:00", "1 h 00 min", "1 d 01 h", "2 d 01 h"]);
});

test("a span in words has one unit or two", () => {
  const spans = [0, 1, 90, 3600, 5400, 86_400, 2 * 86_400 + 61].map(span);
  assert.deepEqual(spans, [
    "no time",
    "1 second",
    "1 minute 30 seconds",
    "1 hour",
    "1 hour 30 minutes",
    "1 day",
    "2 days",
  ]);
});

test("a clock says what everybody has, and what happens at zero", () => {
  assert.equal(timeOf(PRESETS.fast), "2 days, and 8 hours after each turn, up to 4 days");
  assert.equal(timeOf({ kind: "bank", time: 60 }), "1 minute in all");
  assert.equal(timeOf({ kind: "decision", time: 120 }), "2 minutes for each decision");
  assert.match(atZero({ ...PRESETS.fast }), /usual answer.* From the 3rd time on, somebody else may take the seat\.$/);
  assert.match(atZero({ at_zero: "answer", vacate_after: 0 }), /loses the least\.$/);
  assert.match(atZero({ at_zero: "answer", vacate_after: 12 }), /the 12th time/);
  assert.match(atZero({ at_zero: "claim" }), /until another player or an official asks/);
  assert.match(atZero({ at_zero: "end" }), /the other player wins/);
  assert.match(atZero({ at_zero: "vacate" }), /and somebody else may take the seat/);
});

test("quiet hours and days off are told, and a grace that is worth telling", () => {
  assert.equal(besides(PRESETS.live), "");
  assert.equal(
    besides({ days_off: 1, grace: 60 }),
    "Each player may take one day off. An answer still counts 1 minute after zero.",
  );
  assert.match(besides({ quiet: { begins: 1380, ends: 420 } }), /^No clock counts from 23:00 to 07:00 UTC/);
});

test("a player can give as much time as a clock begins with, in units that fit", () => {
  const most = (/** @type {number} */ time) => gifts({ time }).map(({ unit, most }) => `${most} ${unit}`);
  assert.deepEqual(most(45 * 60), ["45 minutes"]);
  assert.deepEqual(most(7 * 86_400), ["10080 minutes", "168 hours", "7 days"]);
  assert.deepEqual(most(30), ["30 seconds"]);
  assert.deepEqual(most(60), ["1 minutes"]);
});

test("a clock is known by the name of its preset", () => {
  for (const name of ["live", "fast", "slow"]) assert.equal(nameOf({ ...PRESETS[name] }), name);
  assert.equal(nameOf({ ...PRESETS.live, at_zero: "claim" }), "own");
  assert.equal(nameOf({ ...PRESETS.live, quiet: { begins: 0, ends: 60 } }), "own");
});
