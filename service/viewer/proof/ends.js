/**
 * Checks ends of a game that no rule book provides (TAB-END): the players agree on one, or nobody plays any more. The
 * rules are not needed for that.
 * @module
 */

/** @import { LoggedEvent, Row } from "../types.js" */
/** @import { Around } from "./around.js" */

const AGREED = "TAB-END-01";
const ABANDONED = "TAB-END-04";
/** Days after which a game is abandoned if its creator chose no other number. */
const USUAL = 90;
const DAY = 24 * 60 * 60_000;
/** These events change which seats have to agree, so proposals lapse. */
const ASKS_OTHERS = ["seat-given-up", "seat-resigned", "seat-taken-over"];

/** @typedef {{seat: string, asks: string[], round: number, agreed: Set<string>, open: boolean}} Proposal */

/** Ends of a game that do not come from its rules. */
export class Ends {
  /** The proposals to end the game, by the version at which each was made. @type {Map<number, Proposal>} */
  #proposals = new Map();
  #days = USUAL;

  /** @param {{abandoned_after?: number}} created the first event */
  constructor(created) {
    this.#days = created.abandoned_after ?? USUAL;
  }

  /**
   * Return what is wrong with an act that is about an end; undefined when nothing is.
   * @param {Row} row
   * @param {Row[]} rows the whole log
   * @param {Around} around
   */
  objection(row, rows, around) {
    if (row.event.type === "end-proposed") return this.#wrongProposal(row, rows, around);
    if (row.event.type === "end-answered") return this.#wrongAnswer(row, rows);
    if (row.event.type === "game-abandoned") return this.#tooEarly(row, rows, around);
    return undefined;
  }

  /**
   * @param {Row} row
   * @param {Row[]} rows
   * @param {Around} around
   */
  #wrongProposal({ version, event }, rows, { players, givenUp, isAnalysis }) {
    const { seat, order, round } = event;
    const asks = [event.asks].flat();
    if (isAnalysis) return "proposes to end an analysis by agreement";
    const named = order.flat();
    const isWhole = named.length === players.size && [...players.keys()].every((each) => named.includes(each));
    if (!isWhole || !order.every((group) => group.length)) {
      return "does not name each seat of the game once";
    }
    if (givenUp.has(seat)) return `proposes an end for ${seat}, which was given up`;
    const strange = asks.find((each) => each === seat || !players.has(each) || givenUp.has(each));
    if (strange !== undefined) return `asks ${strange}, which is not asked`;
    const again = [...this.#proposals.values()].some((each) => each.seat === seat && each.round === round);
    if (again) return `is a proposal of ${seat} in a round in which it has made one`;
    return asks.length || agrees(rows[version]?.event) ? undefined : "asks nobody, and the game does not end";
  }

  /**
   * @param {Row} row
   * @param {Row[]} rows
   */
  #wrongAnswer({ version, event }, rows) {
    const { seat, proposed } = event;
    const proposal = this.#proposals.get(proposed);
    if (!proposal?.open) return `answers a proposal of version ${proposed}, where none is open`;
    const own = proposal.seat === seat;
    if (event.agrees && own) return "agrees to a proposal of its own";
    if (event.agrees && proposal.agreed.has(seat)) return `agrees for ${seat} a second time`;
    if (!own && !proposal.asks.includes(seat)) return `answers for ${seat}, which is not asked`;
    const ends = agrees(rows[version]?.event);
    return this.#isLast(event) === ends ? undefined : `is${ends ? " not" : ""} the last consent that was asked for`;
  }

  /**
   * @param {Row} row
   * @param {Row[]} rows
   * @param {Around} around
   */
  #tooEarly({ version, event, at }, rows, { isAnalysis }) {
    const since = rows[version - 2].at;
    if (isAnalysis) return "abandons an analysis";
    if (event.since !== since) return `says that nothing happened since ${event.since}; it was ${since}`;
    if (Date.parse(at) - Date.parse(since) < this.#days * DAY) {
      return `abandons the game before ${this.#days} days have passed`;
    }
    return rows[version]?.event.type === "game-ended" ? undefined : "abandons the game, which does not end";
  }

  /** Tell whether an answer is the last agreement that a proposal needs. @param {LoggedEvent} event */
  #isLast({ agrees: yes, proposed, seat }) {
    const proposal = this.#proposals.get(proposed);
    return Boolean(yes && proposal?.asks.every((each) => each === seat || proposal.agreed.has(each)));
  }

  /**
   * Tell whether a game ends as an act about an end says; undefined if neither the end nor the act is such a one.
   * @param {LoggedEvent} ended
   * @param {LoggedEvent} act
   */
  endsAs(ended, act) {
    const consents = act.type === "end-answered" || act.type === "end-proposed";
    if (consents || ended.rule === AGREED) return consents && agrees(ended);
    const left = act.type === "game-abandoned";
    if (left || ended.rule === ABANDONED) return left && ended.rule === ABANDONED && !ended.winners.length;
    return undefined;
  }

  /** Apply an event to the proposals. @param {Row} row */
  happen({ version, event }) {
    const vacates = event.type === "clock-expired" && event.then === "vacate";
    if (vacates || ASKS_OTHERS.includes(event.type)) this.#proposals.clear();
    if (event.type === "end-proposed") {
      const { seat, round } = event;
      for (const [at, each] of this.#proposals) if (each.round !== round) this.#proposals.delete(at);
      this.#proposals.set(version, { seat, asks: [event.asks].flat(), round, agreed: new Set(), open: true });
    }
    if (event.type === "end-answered") {
      const proposal = this.#proposals.get(event.proposed);
      if (event.agrees) proposal?.agreed.add(event.seat);
      else if (proposal) proposal.open = false;
    }
  }
}

/** Tell whether an event ends the game by agreement, without a winner. @param {LoggedEvent} [event] */
function agrees(event) {
  return event?.type === "game-ended" && event.rule === AGREED && !event.winners.length;
}
