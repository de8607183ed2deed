import assert from "node:assert/strict";
import { test } from "node:test";

import { endedAs, inWords, orderBy, placesOf } from "../../../service/viewer/parts/order.js";

const named = (seat) => seat.toUpperCase();

test("after two seats that share the first place comes the third", () => {
  assert.deepEqual(placesOf([["red", "blue"], ["green"]]), [
    { place: 1, seats: ["red", "blue"] },
    { place: 3, seats: ["green"] },
  ]);
});

test("places make an order, whatever numbers are left out", () => {
  const places = [
    ["red", 3],
    ["blue", 1],
    ["green", 3],
  ];
  assert.deepEqual(orderBy(places), [["blue"], ["red", "green"]]);
  assert.equal(inWords(orderBy(places), named), "1. BLUE; 2. RED and GREEN");
  assert.equal(inWords([["red", "blue"]], named), "all tie");
});

test("a game ends in words", () => {
  const order = [["blue"], ["red"], ["green"]];
  const ends = [
    [{ how: "won", winners: ["blue"], order }, "Won by BLUE. In order: 1. BLUE; 2. RED; 3. GREEN."],
    [{ how: "won", winners: ["blue"], order: [["blue"], ["red", "green"]] }, "Won by BLUE."],
    [{ how: "flag", winners: ["blue"], order: [["blue"], ["red"]] }, "Won by BLUE on time."],
    [{ how: "resigned", winners: ["blue"], order: [["blue"], ["red"]] }, "Won by BLUE by resignation."],
    [{ how: "agreed", winners: [], order }, "Ended by agreement: 1. BLUE; 2. RED; 3. GREEN."],
    [{ how: "abandoned", winners: [], order: [["blue", "red"]] }, "Abandoned: nobody played any more."],
    [{ how: "won", winners: [], order: [["blue", "red"]] }, "Nobody won."],
    [null, "Nobody won."],
  ];
  for (const [result, said] of ends) assert.equal(endedAs(result, named), said);
});
