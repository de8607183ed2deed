// The board of a game on another site: drawn for spectators, and again whenever the game goes on.

const AGAIN = 5000;

const game = document.body.dataset.game ?? "";
const board = document.querySelector("img");

/** @returns {Promise<boolean>} whether the game may go on */
const follow = async () => {
  // Without cookies: nobody is signed in here, on whatever site this is.
  const answer = await fetch(`/v1/games/${game}/events/stream`, { credentials: "omit" });
  const reader = answer.status === 200 ? answer.body?.getReader() : undefined;
  const words = new TextDecoder();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    const versions = [...words.decode(read.value, { stream: true }).matchAll(/^id: (\d+)$/gm)];
    const version = versions.at(-1)?.[1];
    if (version && board) board.src = `/embed/games/${game}/board.svg?version=${version}`;
  }
  return answer.status === 200 || answer.status >= 500;
};

const on = async () => {
  const goesOn = await follow().catch(() => true);
  if (goesOn) setTimeout(on, AGAIN);
};

on();
