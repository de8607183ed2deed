/**
 * The dice of an event: what they showed, and, once the secret of the game is public, how they follow from it.
 * @module
 */

/** @import { Entered, EventRow, Json } from "../types.js" */

import { html, nothing } from "../vendor/lit-html.js";
import { dieFaces } from "../parts/die.js";
import { plain } from "../parts/format.js";
import { Chance, derivation } from "../proof/chance.js";
import { entropyOf, memberAt } from "../proof/draws.js";

/**
 * A roll in the form of its event, whose faces may be numbers.
 * @typedef {{die: string, draw: number, faces: Json[]}} Drawn
 */

const TOGETHER = 200; // Events that are read at once.

/** The source of the draws of finished games, by id. @type {Map<string, Promise<Chance>>} */
const chances = new Map();
/** The draws that were repeated, by game and version; empty while they are being made. @type {Map<string, {isRight: boolean, text: string}[]>} */
const repeated = new Map();

/**
 * @param {Entered} room
 * @param {EventRow} event its row of the log
 * @param {EventRow} [before] the row before it
 */
export function dice(room, event, before) {
  const rolls = rollsOf(room, event);
  const drawn = before ? event.draws - before.draws : 0;
  if (!rolls.length && !drawn) return nothing;
  return html`<section class="dice"><h3>Chance</h3>
    ${rolls.map((roll) => html`<p class="quiet">${plain(roll.die)} dice, draw ${roll.draw}:</p>${dieFaces(room, asSeen(room, event, roll))}`)}
    ${drawn ? html`<p class="quiet">${drawn === 1 ? `Draw ${event.draws}` : `Draws ${event.draws - drawn + 1} to ${event.draws}`} of the game.</p>` : nothing}
    ${rolls.length ? derivations(room, event, rolls) : nothing}
  </section>`;
}

/**
 * Return the rolls of an event. The ruleset says where the event has them.
 * @param {Entered} room
 * @param {EventRow} event
 */
function rollsOf(room, { event, type }) {
  return (room.ruleset?.chance?.[type] ?? [])
    .filter((shown) => shown.type === "dice")
    .map(({ die, at }) => /** @type {Drawn} */ ({ die, .../** @type {object} */ (memberAt(event, at)) }))
    .filter((roll) => Number.isInteger(roll.draw));
}

/**
 * Return a roll as its frame shows it, which marks the dice that hit; without such a frame, the roll of the event.
 * @param {Entered} room
 * @param {EventRow} event
 * @param {Drawn} roll
 */
function asSeen(room, { version }, roll) {
  const seen = room.frame(version)?.rolls ?? [];
  return (
    seen.find(({ die, faces }) => die === roll.die && String(faces) === String(roll.faces)) ?? {
      ...roll,
      faces: roll.faces.map(String),
    }
  );
}

/**
 * @param {Entered} room
 * @param {EventRow} event
 * @param {Drawn[]} rolls
 */
function derivations(room, event, rolls) {
  if (room.game.status !== "over") {
    return html`<p class="quiet">They come from a secret whose SHA-256 is
      <code class="hash">${room.game.commitment}</code>; it is published when the game ends.</p>`;
  }
  const id = `${room.id} ${event.version}`;
  if (!repeated.has(id)) {
    repeated.set(id, []);
    drawAgain(room, rolls).then(
      (lines) => {
        repeated.set(id, lines);
        room.redraw();
      },
      () => repeated.delete(id),
    );
  }
  return (repeated.get(id) ?? []).map(
    (line) => html`<p class="derivation ${line.isRight ? "right" : "wrong"}">
    <code>${line.text}</code> ${line.isRight ? "as the log says." : "which is not what the log says!"}</p>`,
  );
}

/**
 * Draw the dice again from the secret. Return a line for each roll, and whether it fits the log.
 * @param {Entered} room
 * @param {Drawn[]} rolls
 */
async function drawAgain(room, rolls) {
  const chance = await chanceOf(room);
  return Promise.all(
    rolls.map(async ({ die, draw, faces }) => {
      const sides = room.ruleset?.dice[die] ?? [];
      const { numbers, used } = await chance.dice(draw, faces.length, sides.length);
      const isRight = numbers.every((number, index) => sides[number - 1] === String(faces[index]));
      return {
        isRight,
        text: `${derivation(chance, { draw, numbers, used })}: ${numbers.map((number) => plain(sides[number - 1])).join(", ")},`,
      };
    }),
  );
}

/** Return the source of the draws of a game that is over. @param {Entered} room */
function chanceOf(room) {
  const known = chances.get(room.id);
  if (known) return known;
  /**
   * @param {number} after
   * @param {number} limit
   */
  const read = async (after, limit) => {
    const { items } = await room.api.get(`/v1/games/${room.id}/events`, { after, limit });
    return /** @type {EventRow[]} */ (/** @type {unknown} */ (items));
  };
  /** Return the events up to the start of the game, with the entropy that seats added to the dice. */
  const beginning = async () => {
    /** @type {EventRow[]} */
    const rows = [];
    while (rows.length < room.head && !rows.some(({ type }) => type === "game-started"))
      rows.push(...(await read(rows.length, TOGETHER)));
    return rows;
  };
  const made = Promise.all([beginning(), read(room.head - 1, 1)]).then(([first, [last]]) =>
    Chance.of(last.event.secret, room.id, entropyOf(first)),
  );
  chances.set(room.id, made);
  made.catch(() => chances.delete(room.id));
  return made;
}
