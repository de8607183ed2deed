/**
 * The pictures of the boards of a tournament, which are renewed as their games go on. Each turn renews at most six of
 * those in sight, so that 60 tables cost the service no more than six.
 * @module
 */

const EVERY = 10_000; // Milliseconds between two turns.
const AT_ONCE = 6; // The most boards that one turn renews.

/**
 * Return the items that a turn takes: at most `most`, and each turn goes on where the one before it ended.
 * @template T
 * @param {T[]} all
 * @param {number} turn its number, from 0
 * @param {number} [most]
 */
export function inTurn(all, turn, most = AT_ONCE) {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, at) => all[(turn * most + at) % all.length]);
}

/** Start renewing the boards of a page, which goes on until the page is left. @param {HTMLElement} page */
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
 * Ask whether a board has changed, and show its new version. A board that has not changed is not sent again.
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
