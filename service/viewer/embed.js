// The board of a game, embedded in another site. It shows what spectators see, and follows the game.

const AGAIN = 5000; // Milliseconds before the stream is requested again.

const game = document.body.dataset.game ?? "";
const board = document.querySelector("img");

/** Follow the stream until it ends. @returns {Promise<boolean>} whether to request it again */
const follow = async () => {
  // Without cookies: it is always a spectator who asks.
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

const keepFollowing = async () => {
  const isAgain = await follow().catch(() => true);
  if (isAgain) setTimeout(keepFollowing, AGAIN);
};

keepFollowing();
