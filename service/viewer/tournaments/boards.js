/**
 * The boards of tables that are being played, which go on with their games: a few of those in sight at a time, so that
 * 60 tables ask no more of the service than six.
 * @module
 */

const EVERY = 10_000; // Milliseconds between two turns.
const AT_ONCE = 6; // Boards that one turn asks for.

/**
 * Return who has a turn now, after those who had one before.
 * @template T
 * @param {T[]} all
 * @param {number} turn its number, from 0
 * @param {number} [most]
 */
export function inTurn(all, turn, most = AT_ONCE) {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, at) => all[(turn * most + at) % all.length]);
}

/** Renew the boards of a page until it is left. @param {HTMLElement} page */
export function renewBoards(page) {
  let turn = 0;
  setInterval(() => {
    if (document.hidden) return;
    const boards = [...page.querySelectorAll("img")].filter((each) => each.dataset.board && isSeen(each));
    for (const each of inTurn(boards, turn)) renew(each).catch(() => {});
    turn += 1;
  }, EVERY);
}

/** @param {HTMLImageElement} image */
function isSeen(image) {
  const { top, bottom } = image.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

/**
 * Ask whether a board has changed, which costs little if it has not, and show its new version.
 * @param {HTMLImageElement} image
 */
async function renew(image) {
  const path = `${image.dataset.board}`;
  const answer = await fetch(path, { cache: "no-cache" });
  const version = /^"(\d+)/.exec((answer.headers.get("ETag") ?? "").replace(/^W\//, ""))?.[1];
  if (!answer.ok || !version || image.dataset.version === version) return;
  image.dataset.version = version;
  image.src = `${path}?version=${version}`;
}
