import assert from "node:assert/strict";
import { test } from "node:test";

import { Labels } from "../../../service/viewer/forms/labels.js";
import { amount, scored } from "../../../service/viewer/parts/format.js";

test("halves are written as halves", () => {
  assert.deepEqual([12, 12.5, 0.5, 0, -0.5, -3.5].map(scored), ["12", "12½", "½", "0", "-½", "-3½"]);
});

test("one thing is not several, whether a ruleset names it for one or for several", () => {
  const ones = ["general", "galley", "city", "fortress", "tax", "infantry", "cavalry", "talent", "papyrus"];
  const several = ["generals", "galleys", "cities", "fortresses", "taxes", "infantry", "cavalry", "talents", "papyrus"];
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

test("a piece with a name is called by it", () => {
  const labels = new Labels([], { "senator-iii": "Senator III", number: "cards", amount: "talents" });
  assert.equal(labels.amount(1, "senator-iii"), "Senator III");
  assert.equal(labels.amount(5, "legion"), "5 legions");
  assert.equal(labels.amount(3, "number"), "3 cards");
  assert.equal(labels.amount(1, "amount"), "1 talent");
  assert.equal(labels.field("amount"), "Talents");
});
