/**
 * The page's address: it names the version that is shown, so that it can be sent to somebody.
 * @module
 */

/** @import { Room } from "./room.js" */

/** Return what the address asks for: `#v=123`, or `?version=123`; `&with=100` to compare; `&area=rome`. */
export function linked() {
  const given = new URLSearchParams(location.hash.slice(1));
  const query = new URLSearchParams(location.search);
  /** @param {string | null} text */
  const number = (text) => (/^[1-9]\d{0,9}$/.test(text ?? "") ? Number(text) : undefined);
  return {
    version: number(given.get("v") ?? query.get("version")),
    against: number(given.get("with")),
    area: given.get("area") ?? undefined,
  };
}

/** Return the address of what a room shows. @param {Pick<Room, "version" | "against" | "area">} room */
export function linkTo(room) {
  const said = new URLSearchParams({ v: `${room.version}` });
  if (room.against !== null) said.set("with", `${room.against}`);
  if (room.area !== null) said.set("area", room.area);
  return `${location.origin}${location.pathname}#${said}`;
}

/** Lets the page's address say what a room shows; nothing while it follows the game. A drag does not fill the history. */
export class Address {
  #timer = 0;

  /** @param {Pick<Room, "head" | "version" | "following" | "against" | "area">} room */
  constructor(room) {
    this.room = room;
  }

  /** Let it say what the room shows, in a moment. */
  update() {
    clearTimeout(this.#timer);
    const { room } = this;
    const before = location.href;
    this.#timer = setTimeout(() => {
      // Somebody has followed a link meanwhile. The page is told of it next, and must still find what the link says.
      if (location.href !== before) return;
      const plain = room.following && room.against === null && room.area === null;
      const wanted = plain ? location.pathname : linkTo(room);
      if (room.head && wanted !== location.href) history.replaceState(null, "", wanted);
    }, 300);
  }
}
