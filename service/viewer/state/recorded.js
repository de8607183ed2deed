/**
 * The state of the page of an imported game, which another service recorded. Nobody can act in it, and it never changes.
 * @module
 */

/**
 * @import { Game, ImportDetail } from "../types.js"
 * @import { Problem } from "./api.js"
 */

import { problemOf } from "./api.js";
import { Frames } from "./frames.js";
import { Landmarks } from "./landmarks.js";
import { Room } from "./room.js";

/** The state of the page of an import. */
export class Recorded extends Room {
  /** The import; null until it was read. @type {ImportDetail | null} */
  import = null;

  /** False: an import has no clocks, cases or forks on this service, and no address below `/games`. */
  get isGame() {
    return false;
  }

  /** Read the import, and show a version of it. @param {number} [version] the last when absent */
  async enter(version = undefined) {
    try {
      this.import = await this.api.get(`/v1/imports/${this.id}`);
    } catch (error) {
      this.problem = problemOf(error);
      this.redraw();
      return;
    }
    this.game = gameOf(this.import);
    this.frames = new Frames(this.api, this.id, "imports");
    this.frames.head = this.import.events;
    this.frames.addEventListener("loaded", () => this.redraw());
    // These stay empty, because the service has no timeline of an import.
    this.landmarks = new Landmarks(this.api, this.id);
    this.show(version ?? this.head);
    this.frames.glance(this.version);
    this.dispatchEvent(new Event("entered"));
    this.ruleset = await this.api.get(`/v1/rulesets/${this.import.ruleset}`).catch(() => null);
    this.redraw();
  }

  /** Do nothing: an import has no papers and no timeline, and `enter` reads the ruleset. */
  readRest() {}
}

/** Return an import in the form of a game, for components that show games. @param {ImportDetail} detail */
function gameOf(detail) {
  const seats = detail.seats.map(({ seat, account }) => ({
    seat,
    player: account,
    name: account,
    bot: false,
    level: null,
  }));
  const { game: id, ruleset, ruleset_version } = detail;
  const game = { id, ruleset, ruleset_version, status: "over", seats };
  const progress = { title: "", version: detail.events, decisions: [], result: detail.finish, clocks: null };
  return /** @type {Game} */ (/** @type {unknown} */ ({ ...game, ...progress }));
}
