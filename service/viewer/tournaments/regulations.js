/**
 * The regulations of a tournament in sentences.
 * @module
 */

/** @import { Regulations } from "../types.js" */

import { timeOf } from "../parts/clocks.js";
import { count } from "../parts/format.js";

/** The tie-breaks in words; before them, what decides without a tie. @type {Record<string, string>} */
export const TIE_BREAKS = {
  stage: "the stage that they reached",
  points: "points",
  wins: "tables won alone",
  places: "first places, then second, and so on",
  meetings: "points at tables with others with whom they tie",
  opponents: "the mean of the points of all whom they met",
  penalties: "fewer penalties",
  lot: "the lot of the last round",
};

/** How the rounds of a stage are drawn or played, by its type. @type {Record<string, string>} */
const STAGES = {
  swiss: "in which players with the same points meet",
  random: "drawn by lot",
  "round-robin": "in which everybody meets everybody",
  heats: "of heats",
  "knock-out": "of a knock-out",
  "final-table": "at a final table",
};

/**
 * Return the regulations in sentences.
 * @param {Regulations} regulations
 * @param {string} ruleset the title of the ruleset
 */
export function sentences(regulations, ruleset) {
  const {
    stages,
    sizes,
    points,
    bye,
    clock,
    check_in: checkIn,
    late,
    agreed,
    unfinished,
    confirmed_after: hours,
  } = regulations;
  return [
    `It is played by the rules of ${ruleset}, at tables of ${sizes.join(" or ")}.`,
    clock ? `In each game a player has ${timeOf(clock)}.` : "Its games have no clock.",
    ...stages.map(
      (stage) =>
        `There ${stage.rounds === 1 ? "is" : "are"} ${count(stage.rounds, "round")} ${STAGES[stage.type]}${detail(stage)}.`,
    ),
    ...points
      .map(
        (each) => `A table of ${each.length} earns ${each.join("–")}. Those who tie share the points of their places.`,
      )
      .slice(0, 1),
    ...points.slice(1).map((each) => `A table of ${each.length} earns ${each.join("–")}.`),
    `A bye earns ${bye}.`,
    `These decide between players with the same points, in this order: ${(regulations.tie_breaks ?? []).map((each) => TIE_BREAKS[each]).join("; ")}.`,
    checkIn === "once" ? "Players check in once." : "Players check in before each round.",
    late === 1
      ? "Nobody enters after the first round was published."
      : `Players can enter until round ${late} is published.`,
    regulations.points_of_substitutes === "replaced"
      ? "Where a substitute is seated, the player whom they replace gets the points of the seat."
      : "Where a substitute is seated, they get the points of the seat.",
    agreed === "tied" ? "An agreed end is a tie of all." : "An agreed end counts as it was agreed.",
    `A game that does not end may be adjudicated after ${count(unfinished?.days ?? 90, "day")}.`,
    `A result counts when a director confirms it, or after ${count(hours ?? 24, "hour")}; in the last round only by a director.`,
  ];
}

/** @param {Regulations["stages"][number]} stage */
function detail(stage) {
  switch (stage.type) {
    case "heats":
      return `, of which the best ${stage.best} count`;
    case "knock-out":
      return `; the first ${stage.advance} of each table play on`;
    case "final-table":
      return ` of the best ${stage.size}`;
    default:
      return "";
  }
}
