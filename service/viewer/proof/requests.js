/**
 * Requests to take moves back: the game goes back when all others agree (TAB-UNDO-04).
 * @module
 */

/** @import { LoggedEvent, Row } from "../types.js" */
/** @import { Around } from "./around.js" */

/** @typedef {{seat: string, to: number, agreed: Set<string>, open: boolean, present: boolean}} Request */

/** The requests to take moves back since the game last moved on. */
export class Requests {
  /** The requests by the version at which each was made. @type {Map<number, Request>} */
  #made = new Map();

  /**
   * Return what is wrong with a request to take moves back, or with an answer to one; undefined when nothing is.
   * @param {Row} row
   * @param {Row[]} rows the whole log
   * @param {Around} around
   */
  objection({ version, event }, rows, { players, givenUp }) {
    if (event.type === "take-back-asked") {
      const command = event.to < version - 1 ? rows[event.to]?.cause : undefined;
      if (command?.command === undefined || command.seat !== event.seat) {
        return `asks to go back to version ${event.to}, after which no command of ${event.seat} follows`;
      }
      const own = [...this.#made.values()].filter(({ seat }) => seat === event.seat);
      if (own.some(({ to, open }) => open || to === event.to))
        return `is a request that ${event.seat} has made already`;
    }
    if (event.type !== "take-back-answered") return undefined;
    const request = this.#made.get(event.asked);
    if (!request?.open) return `answers a request of version ${event.asked}, where none is open`;
    if (request.seat === event.seat && event.agrees) return "agrees to a request of its own";
    if (request.agreed.has(event.seat)) return `answers for ${event.seat} a second time`;
    /** @param {string} seat */
    const isAsked = (seat) =>
      seat !== request.seat && !request.agreed.has(seat) && !(request.present && givenUp.has(seat));
    if (event.seat !== request.seat && !isAsked(event.seat)) return `answers for ${event.seat}, which was given up`;
    const isLast = [...players.keys()].every((seat) => seat === event.seat || !isAsked(seat));
    if (event.agrees && isLast && rows[version]?.event.type !== "moves-retracted") {
      return "is the last consent that was asked for, and the game does not go back";
    }
    return undefined;
  }

  /**
   * Tell whether an event takes moves back because of the act before it: a request that needs no answer, an agreement,
   * or a seat that was given up or resigned.
   * @param {Row} row
   * @param {Row} act
   */
  goesBack({ version, event }, act) {
    if (event.type !== "moves-retracted" || event.by !== "consent" || version !== act.version + 1) return false;
    if (["seat-given-up", "seat-resigned"].includes(act.event.type)) return this.#nowAgreed(event);
    const asks = act.event.type === "take-back-asked";
    const request = this.#made.get(asks ? act.version : act.event.asked);
    return (asks || act.event.agrees === true) && request?.open === true && request.to === event.to && !event.reason;
  }

  /**
   * Tell whether a request is open that goes back to this version and does not ask seats that were given up.
   * @param {LoggedEvent} event
   */
  #nowAgreed({ to, reason }) {
    return !reason && [...this.#made.values()].some((each) => each.open && each.present && each.to === to);
  }

  /** Apply an event to the requests. @param {Row} row */
  happen({ version, event }) {
    if (event.type === "take-back-asked") {
      const { seat, to, asks } = event;
      this.#made.set(version, { seat, to, agreed: new Set(), open: true, present: asks === "present" });
    }
    if (event.type === "take-back-answered") {
      const request = this.#made.get(event.asked);
      if (event.agrees) request?.agreed.add(event.seat);
      else if (request) request.open = false;
    }
  }

  /** Forget all requests: the game moves on. */
  lapse() {
    this.#made.clear();
  }
}
