import assert from "node:assert/strict";
import { test } from "node:test";

import { Labels } from "../../../service/viewer/forms/labels.js";
import { amount, scored } from "../../../service/viewer/parts/format.js";

test("halves are written as halves", () => {
  assert.deepEqual([12, 12.5, 0.5, 0, -0.5, -3.5].map(scored), ["12", "12½", "½", "0", "-½", "-3½"]);
});

test("one thing is not several, whether a ruleset names it for one or for several", () => {
  const ones = ["general", "galley", "city", "fortress", "tax", "talent"];
  const several = ["generals", "galleys", "cities", "fortresses", "taxes", "talents"];
  for (const nouns of [ones, several]) {
    assert.deepEqual(
      nouns.map((noun) => amount(1, noun)),
      ones.map((one) => `1 ${one}`),
    );
    assert.deepEqual(
      nouns.map((noun) => amount(2, noun)),
      several.map((many) => `2 ${many}`),
    );
  }
});

test("what has no plural, the ruleset says", () => {
  const labels = new Labels([], { "red-infantry": "red infantry" }, {}, ["infantry", "papyrus"]);
  for (const number of [1, 2]) {
    assert.equal(labels.amount(number, "red-infantry"), `${number} red infantry`);
    assert.equal(labels.counted(number, "papyrus"), `${number} papyrus`);
  }
  assert.equal(labels.counted(2, "legion"), "2 legions");
});

test("a piece with a name is called by it", () => {
  const labels = new Labels([], { "senator-iii": "Senator III", number: "cards", amount: "talents" });
  assert.equal(labels.amount(1, "senator-iii"), "Senator III");
  assert.equal(labels.amount(5, "legion"), "5 legions");
  assert.equal(labels.amount(3, "number"), "3 cards");
  assert.equal(labels.amount(1, "amount"), "1 talent");
  assert.equal(labels.field("amount"), "Talents");
});
