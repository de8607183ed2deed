// What modules of the viewer, and lit-html, ask of a page when they are loaded.

globalThis.document = { createTreeWalker: () => ({}), createComment: () => ({}), addEventListener: () => {} };
globalThis.location = new URL("https://service.example/games/game-1");
globalThis.sessionStorage = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
