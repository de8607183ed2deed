import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { titleAmong } from "../../../service/viewer/moves/alike.js";
import { chosenIn, isOnMap, isQuiet, movesOf } from "../../../service/viewer/moves/gestures.js";
import { goesOn, isClear, mostOf, oneOfEach } from "../../../service/viewer/moves/meaning.js";
import { fewNumbers, numbersOf, openNumbers } from "../../../service/viewer/moves/numbers.js";
import { things } from "../../../service/viewer/moves/words.js";
import { Labels } from "../../../service/viewer/forms/labels.js";
import { count, one, option, some } from "./options.js";

const places = (moves) => moves.map(({ start, end }) => [start, end]);

const MARCH = option(
  "march",
  { from: one("rome", "capua"), to: one("ostia"), legions: some("i", "ii") },
  { from: "from", to: "to", pieces: ["legions"] },
);

describe("the gestures of an option", () => {
  test("lead from each area to each", () => {
    assert.deepEqual(places(movesOf(MARCH)), [
      ["rome", "ostia"],
      ["capua", "ostia"],
    ]);
    assert.deepEqual(movesOf(MARCH)[0].fix, { from: "rome", to: "ostia" });
    assert.deepEqual(chosenIn(MARCH), ["legions"]);
  });

  test("lead both ways between two areas", () => {
    const road = option("build", { road: one("rome|ostia") }, { between: "road" });
    assert.deepEqual(places(movesOf(road)), [
      ["rome", "ostia"],
      ["ostia", "rome"],
    ]);
  });

  test("are at one area where both ends lie in one place", () => {
    const embark = option(
      "embark",
      { fleet: one("f1"), port: one("p1") },
      {
        from: "fleet",
        to: "port",
        places: { f1: "ostia", p1: "ostia" },
      },
    );
    assert.deepEqual(places(movesOf(embark)), [["ostia", null]]);
    assert.deepEqual(movesOf(embark)[0].fix, { fleet: "f1", port: "p1" });
  });

  test("decide a list with one item, and a number of pieces as far as it goes", () => {
    const raze = option("raze", { cities: some("rome", "ostia") }, { to: "cities" });
    assert.deepEqual(
      movesOf(raze).map(({ fix }) => fix),
      [{ cities: ["rome"] }, { cities: ["ostia"] }],
    );
    const feed = option(
      "feed",
      { grain: { type: "object", properties: { rome: count(0, 3) }, required: [] } },
      { to: "grain" },
    );
    assert.deepEqual(movesOf(feed)[0].fix, { grain: { rome: 3 } });
  });

  test("are none without a place, and quiet is only what leaves nothing to choose", () => {
    const pass = option("pass", {}, { quiet: true });
    assert.deepEqual(movesOf(pass), []);
    assert.ok(!isOnMap(pass) && isOnMap(MARCH));
    assert.ok(isQuiet(pass));
    assert.ok(!isQuiet(option("pass", { secret: one("yes", "no") }, { quiet: true })));
  });
});

describe("what a gesture means", () => {
  test("is clear while all that it does not decide comes along with it", () => {
    const [move] = movesOf(MARCH);
    assert.ok(isClear(move));
    const vow = option("march", { ...MARCH.schema.properties, oath: one("yes", "no") }, MARCH.schema["x-gesture"]);
    assert.ok(!isClear(movesOf(vow)[0]), "an oath is asked for");
  });

  test("goes on with the same pieces of the same command only", () => {
    assert.ok(goesOn(MARCH, { type: "march", legions: ["ii"] }));
    assert.ok(!goesOn(MARCH, { type: "march", legions: ["x"] }));
    assert.ok(!goesOn(MARCH, { type: "sail", legions: ["ii"] }));
  });

  test("is asked once for each option", () => {
    const [first, second] = movesOf(MARCH);
    assert.deepEqual(oneOfEach([first, second]), [first]);
  });
});

describe("the numbers of a bid", () => {
  test("are buttons while they are few", () => {
    assert.deepEqual(numbersOf(count(2, 4)), [2, 3, 4]);
    assert.deepEqual(fewNumbers(one(1, 5)), [1, 5]);
    assert.equal(fewNumbers(count(0, 12)).length, 13);
    assert.equal(fewNumbers(count(0, 13)), undefined);
  });

  test("are not chosen before somebody does, where nothing is one of a few", () => {
    const bid = (field) => option("bid", { talents: field }, { as: "bid", counts: ["talents"] });
    assert.deepEqual(openNumbers(bid(count(0, 5))), ["talents"]);
    assert.deepEqual(openNumbers(bid(count(1, 5))), []);
    assert.deepEqual(openNumbers(bid(count(0, 50))), []);
    assert.equal(mostOf(bid(count(0, 5)), "talents"), 5);
    assert.equal(mostOf(MARCH, "legions"), 0);
  });
});

describe("words", () => {
  const labels = new Labels([], { i: "Legion I", ii: "Legion II" });

  test("tell options of one title from each other, and only those", () => {
    const [first, second] = [one("i"), one("ii")].map((legion) => option("raise", { legion }));
    assert.equal(titleAmong(first, [first], labels), titleAmong(second, [second], labels));
    assert.match(titleAmong(first, [first, second], labels), /: Legion I$/);
    assert.match(titleAmong(second, [first, second], labels), /: Legion II$/);
  });

  test("say what comes along, and nothing of what does not", () => {
    const sail = option("sail", {}, { pieces: ["legions"], counts: ["galleys", "talents"] });
    assert.deepEqual(things(sail, { legions: ["i", "ii"], galleys: 2, talents: 0 }, labels), [
      "Legion I",
      "Legion II",
      "2 galleys",
    ]);
  });
});
