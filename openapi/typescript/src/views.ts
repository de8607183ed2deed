/** Follow the board from version to version: `GET /v1/games/{game}/frames` returns one whole scene, then the changes. */

import type { Schemas } from "./types.js";

export type Scene = Schemas["Scene"];

const WHOLE = ["links", "standings", "shelves", "battle", "round", "heading"] as const;

/** Return the scene after a frame. Throws a `RangeError` unless the frame is of the next version. */
export function apply(scene: Scene, frame: Schemas["FrameView"]): Scene {
  if (frame.version !== scene.version + 1) {
    throw new RangeError(`version ${frame.version} does not follow version ${scene.version}`);
  }
  const changed = Object.fromEntries(WHOLE.filter((name) => name in frame).map((name) => [name, frame[name]]));
  return { ...scene, ...changed, version: frame.version, areas: { ...scene.areas, ...frame.areas } };
}
