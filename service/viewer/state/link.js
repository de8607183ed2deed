/**
 * The page's address: it names the version that is shown, so that people can send it to each other.
 * @module
 */

/** @import { Room } from "./room.js" */

/** Return what the address asks for: `#v=123`, or `?version=123`; `&with=100` to compare; `&area=rome`. */
export function linked() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const query = new URLSearchParams(location.search);
  /** @param {string | null} text */
  const number = (text) => (/^[1-9]\d{0,9}$/.test(text ?? "") ? Number(text) : undefined);
  return {
    version: number(fragment.get("v") ?? query.get("version")),
    against: number(fragment.get("with")),
    area: fragment.get("area") ?? undefined,
  };
}

/** Return the address of what a room shows. @param {Pick<Room, "version" | "against" | "area">} room */
export function linkTo(room) {
  const fragment = new URLSearchParams({ v: `${room.version}` });
  if (room.against !== null) fragment.set("with", `${room.against}`);
  if (room.area !== null) fragment.set("area", room.area);
  return `${location.origin}${location.pathname}#${fragment}`;
}

/** Keeps the page's address in step with what a room shows. While the room follows the game, the address names no version. */
export class Address {
  #timer = 0;

  /** @param {Pick<Room, "head" | "version" | "following" | "against" | "area">} room */
  constructor(room) {
    this.room = room;
  }

  /** Change the address to what the room shows, in a moment. */
  update() {
    clearTimeout(this.#timer);
    const { room } = this;
    const before = location.href;
    this.#timer = setTimeout(() => {
      // The person has followed a link meanwhile, which the page has not read yet.
      if (location.href !== before) return;
      const plain = room.following && room.against === null && room.area === null;
      const wanted = plain ? location.pathname : linkTo(room);
      if (room.head && wanted !== location.href) history.replaceState(null, "", wanted);
    }, 300);
  }
}
