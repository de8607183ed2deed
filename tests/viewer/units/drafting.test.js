import assert from "node:assert/strict";
import { beforeEach, describe, mock, test } from "node:test";

import { Problem } from "../../../service/viewer/state/api.js";
import { Drafting } from "../../../service/viewer/tournaments/drafting.js";
import { changes, moved, tableOf } from "../../../service/viewer/tournaments/moving.js";

const DRAWN = {
  tables: [
    ["ann", "ben"],
    ["cleo", "dan"],
  ],
  byes: ["eve"],
};

describe("moving", () => {
  test("lets two players change places, also at one table and with a bye", () => {
    assert.deepEqual(moved(DRAWN, "ann", { player: "dan" }).tables, [
      ["dan", "ben"],
      ["cleo", "ann"],
    ]);
    assert.deepEqual(moved(DRAWN, "ann", { player: "ben" }).tables, [
      ["ben", "ann"],
      ["cleo", "dan"],
    ]);
    assert.deepEqual(moved(DRAWN, "eve", { player: "dan" }), {
      tables: [
        ["ann", "ben"],
        ["cleo", "eve"],
      ],
      byes: ["dan"],
    });
  });

  test("lets a player join a table, leave for a bye, or begin a table", () => {
    assert.deepEqual(moved(DRAWN, "ann", { table: 1 }).tables, [["ben"], ["cleo", "dan", "ann"]]);
    assert.deepEqual(moved(DRAWN, "ann", { table: "byes" }), {
      tables: [["ben"], ["cleo", "dan"]],
      byes: ["eve", "ann"],
    });
    assert.deepEqual(moved(DRAWN, "eve", { table: "new" }), { tables: [...DRAWN.tables, ["eve"]], byes: [] });
  });

  test("takes a table away at which nobody is left", () => {
    const one = moved(DRAWN, "ann", { table: 1 });
    assert.deepEqual(moved(one, "ben", { table: "byes" }), { tables: [["cleo", "dan", "ann"]], byes: ["eve", "ben"] });
  });

  test("knows who sits where, and who has changed", () => {
    assert.deepEqual(
      ["ann", "dan", "eve"].map((each) => tableOf(DRAWN, each)),
      [0, 1, "byes"],
    );
    assert.equal(changes(DRAWN, DRAWN), 0);
    assert.equal(changes(DRAWN, moved(DRAWN, "ann", { player: "dan" })), 2);
  });
});

/** @type {Drafting} */
let drafting;
/** @type {{drawn: typeof DRAWN, answer: (total: number) => void, refuse: () => void, lose: () => void}[]} what was asked, and how to answer it */
let asked;
beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  asked = [];
  const price = ({ drawn }) =>
    new Promise((resolve, reject) => {
      const answer = (/** @type {number} */ total) => resolve({ cost: { total } });
      asked.push({
        drawn,
        answer,
        lose: () => reject(new Problem({}, 0)),
        refuse: () => reject(new Problem({ detail: "They must not meet.", rule: "TAB-TRN-10" }, 422)),
      });
    });
  const round = { number: 1, drafts: [{ draft: 1, drawn: DRAWN, cost: { total: 7 } }] };
  drafting = new Drafting(/** @type {never} */ (round), /** @type {never} */ (price), () => undefined);
});

const waited = () => mock.timers.tick(1000);
const answered = () => new Promise((resolve) => setImmediate(resolve));

describe("a draft that is worked on", () => {
  test("asks what would come of an aim before anybody has moved", () => {
    drafting.pick("ann");
    drafting.look({ player: "dan" });
    waited();
    assert.deepEqual(
      asked.map((each) => each.drawn.tables),
      [
        [
          ["dan", "ben"],
          ["cleo", "ann"],
        ],
      ],
    );
    assert.equal(drafting.drawn, DRAWN);
    assert.equal(drafting.isChanged, false);
  });

  test("goes by the last answer, whatever comes after it", async () => {
    waited();
    drafting.pick("ann");
    drafting.put({ player: "dan" });
    waited();
    asked[1].answer(9);
    asked[0].answer(7);
    await answered();
    assert.equal(drafting.priced?.cost.total, 9);
  });

  test("says why tables cannot be published, and forgets it when they are put back", async () => {
    drafting.pick("ann");
    drafting.put({ table: 1 });
    waited();
    asked[0].refuse();
    await answered();
    assert.deepEqual([drafting.priced, drafting.refused?.message], [null, "They must not meet."]);
    drafting.undo();
    assert.equal(drafting.isChanged, false);
    waited();
    asked[1].answer(7);
    await answered();
    assert.deepEqual([drafting.priced?.cost.total, drafting.refused], [7, null]);
  });

  test("refuses nothing because the service does not answer", async () => {
    waited();
    asked[0].lose();
    await answered();
    assert.deepEqual([drafting.priced, drafting.refused], [null, null]);
  });

  test("leaves everything as it is when a player is put down, or goes where they are", () => {
    drafting.pick("ann");
    drafting.look({ table: 0 });
    assert.equal(drafting.aim, null);
    drafting.release();
    drafting.pick("ann");
    drafting.put({ player: "ann" });
    assert.deepEqual([drafting.picked, drafting.before, drafting.drawn], [null, [], DRAWN]);
  });

  test("takes a new draft, but not in place of changes", () => {
    const { round } = drafting;
    const again = { ...round.drafts[0], draft: 2 };
    drafting.goOn({ ...round, drafts: [...round.drafts, again] });
    assert.equal(drafting.number, 2);
    drafting.pick("ann");
    drafting.put({ player: "dan" });
    drafting.goOn({ ...round, drafts: [...round.drafts, again, { ...again, draft: 3 }] });
    assert.equal(drafting.number, 2);
  });

  test("asks nothing any more while it is being published", () => {
    drafting.stop();
    waited();
    assert.deepEqual(asked, []);
  });
});
