import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { Sending } from "../../../service/viewer/moves/sending.js";
import { movesOf } from "../../../service/viewer/moves/gestures.js";
import { count, one, option } from "./options.js";

const MARCH = option("march", { from: one("rome"), to: one("ostia") }, { from: "from", to: "to" });
const HARMLESS = { canUndo: true, gone: {}, options: [] };

/** @type {Record<string, any>} a complete march from Rome to Ostia, and a service that accepts it */
let moves;
/** @type {Sending} */
let sending;
let sent;
beforeEach(() => {
  sent = [];
  const command = { type: "march", from: "rome", to: "ostia" };
  const form = { command, faults: [], get: () => undefined, set: () => {}, validate: () => true, value: command };
  const commands = {
    form,
    order: { option: MARCH, form },
    outcome: null,
    choose: () => {},
    foresee: async () => HARMLESS,
    sent: (given) => given,
    send: async (title) => {
      sent.push(title);
      commands.outcome = { kind: "done" };
    },
  };
  moves = {
    commands,
    start: "rome",
    end: "ostia",
    isReady: true,
    sentence: "March to Ostia",
    gesture: { isSending: false },
    next: { onward: null, accepted: (given) => sent.push(given) },
    room: { isGame: true, redraw: () => {} },
    forget: () => sending.forget(),
    from: () => movesOf(MARCH),
    valueOf: () => command,
  };
  sending = new Sending(/** @type {never} */ (moves));
});

const GIVEN = { start: "rome", end: "ostia", command: { type: "march", from: "rome", to: "ostia" } };

describe("what is harmless", () => {
  test("is sent at once, and the next move goes on from it", async () => {
    await sending.sendIfHarmless();
    assert.deepEqual(sent, ["March to Ostia", GIVEN]);
    assert.equal(moves.gesture.isSending, false);
  });

  test("is not sent when the player has taken it back meanwhile", async () => {
    moves.commands.foresee = async () => {
      moves.commands.form = null;
      return HARMLESS;
    };
    await sending.sendIfHarmless();
    assert.deepEqual(sent, []);
  });
});

describe("what costs something", () => {
  test("asks first, whether it costs pieces or the way back; the answer sends it", async () => {
    for (const foreseen of [
      { ...HARMLESS, gone: { legion: 2 } },
      { ...HARMLESS, canUndo: false },
    ]) {
      moves.commands.foresee = async () => foreseen;
      await sending.sendIfHarmless();
      assert.equal(sending.foreseen?.canUndo, foreseen.canUndo);
    }
    assert.deepEqual(sent, []);
    await sending.finish("vow", "war");
    assert.equal(sent.length, 2);
  });

  test("is not said of another command", async () => {
    moves.commands.foresee = async () => ({ ...HARMLESS, canUndo: false });
    await sending.sendIfHarmless();
    moves.commands.form = { ...moves.commands.form, command: { type: "march", from: "capua", to: "ostia" } };
    assert.equal(sending.foreseen, null);
  });
});

describe("nothing is sent", () => {
  test("while what has just opened by itself cannot have been read", async () => {
    sending.wait();
    await sending.send();
    assert.deepEqual(sent, []);
  });

  test("before a bid has a number", async () => {
    moves.commands.order.option = option("bid", { talents: count(0, 5) }, { as: "bid", counts: ["talents"] });
    await sending.send();
    assert.deepEqual(sent, []);
  });

  test("to explain why an area is no end: the service is asked, and its problem is kept", async () => {
    const problem = { message: "Athens is not adjacent to Rome." };
    moves.commands.foresee = async () => ({ ...HARMLESS, problem });
    moves.commands.version = 7;
    await sending.explain("athens");
    assert.equal(sending.refused, problem);
    assert.deepEqual(sending.tried, { command: { type: "march", from: "rome", to: "athens" }, version: 7 });
    assert.deepEqual(sent, []);
    sending.forgive();
    assert.equal(sending.refused, null);
  });

  test("and nothing goes on from what was refused", async () => {
    moves.commands.send = async () => {
      moves.commands.outcome = { kind: "refused" };
    };
    await sending.send();
    assert.deepEqual(sent, []);
  });
});
