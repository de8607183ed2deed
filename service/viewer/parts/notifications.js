/**
 * Notifications in words, and how much waits for a player: in the tab's title and icon, and in the order of games.
 * @module
 */

/** @import { InboxSettings, InboxState, Notification, Turn } from "../types.js" */

import { capital, named, plain } from "./format.js";

const PLAIN = "/favicon.ico";
const MOST = 99; // The largest number that an icon has room for.

/** @satisfies {Partial<Record<Notification["kind"], () => string>>} */
const OF_TOURNAMENTS = {
  "player-dropped": () => "You were dropped from the tournament.",
  "round-published": () => "A round was drawn, with you in it.",
  "substitute-seated": () => "A substitute takes over a seat: yours, or the substitute is you.",
  "result-taken": () => "A result waits to be confirmed.",
  "result-confirmed": () => "The result of your table counts.",
  "result-overruled": () => "A director gave your table another result.",
  "penalty-given": () => "You got a penalty.",
  "announcement-made": () => "The directors announced something.",
  "tournament-closed": () => "The tournament is closed, and its standings are final.",
  "tournament-cancelled": () => "The tournament was cancelled.",
};

/** @type {Record<Exclude<Notification["kind"], keyof typeof OF_TOURNAMENTS>, (seat: string) => string>} */
const OF_GAMES = {
  "game-started": () => "The game has begun.",
  "flag-fell": (seat) => `The time of ${seat} is up.`,
  "take-back-asked": (seat) => `${seat} asks to take moves back.`,
  "end-proposed": (seat) => `${seat} proposes to end the game.`,
  "moves-retracted": () => "Moves were taken back.",
  "game-paused": () => "The game is paused.",
  "game-resumed": () => "The game goes on after a pause.",
  "seat-open": (seat) => `${seat} is open to a substitute.`,
  "seat-offered": (seat) => `${seat} is offered to you.`,
  "seat-assigned": (seat) => `${seat} was assigned to you.`,
  "rematch-offered": (seat) => `You are asked for a rematch, as ${seat}.`,
  "seat-taken-over": (seat) => `${seat} was taken over.`,
  "official-named": () => "You were named an official.",
  "game-over": () => "The game is over.",
  "game-cancelled": () => "The game was cancelled.",
  "case-opened": () => "A case was opened.",
  "case-answered": (seat) => `${seat} answered in a case.`,
  ruled: () => "A case was ruled on.",
  appealed: (seat) => `${seat} appealed against a ruling.`,
  "case-closed": () => "A case was closed.",
};

/** @type {Record<Notification["kind"], (seat: string) => string>} */
const WORDS = { ...OF_GAMES, ...OF_TOURNAMENTS };

/** The kinds of notifications about a game, without a player's turn. */
export const GAME_KINDS = Object.keys(OF_GAMES);

/** The kinds of notifications, in the words of the reader, for a list of switches. @type {Record<InboxSettings["off"][number], string>} */
export const KINDS = {
  "your-turn": "It is my turn",
  "game-started": "A game begins",
  "seat-assigned": "A seat was assigned to me",
  "rematch-offered": "Somebody asks me for a rematch",
  "flag-fell": "A player's time is up",
  "take-back-asked": "Somebody asks to take moves back",
  "end-proposed": "Somebody proposes to end the game",
  "moves-retracted": "Moves were taken back",
  "game-paused": "A game is paused",
  "game-resumed": "A game goes on after a pause",
  "seat-open": "A seat is open to a substitute",
  "seat-offered": "A seat is offered to me",
  "seat-taken-over": "A seat was taken over",
  "official-named": "I was named an official",
  "game-over": "A game is over",
  "game-cancelled": "A game was cancelled",
  "case-opened": "A case was opened",
  "case-answered": "Somebody answered in a case",
  ruled: "A case was ruled on",
  appealed: "Somebody appealed against a ruling",
  "case-closed": "A case was closed",
  "round-published": "A round of a tournament was drawn with me",
  "result-confirmed": "The result of my table counts",
  "result-overruled": "A director gave my table another result",
  "result-taken": "A result waits for me, who directs, to confirm it",
  "announcement-made": "The directors of a tournament announced something",
  "substitute-seated": "A substitute takes over my seat, or I am one",
  "penalty-given": "I got a penalty",
  "player-dropped": "I was dropped from a tournament",
  "tournament-closed": "A tournament is closed",
  "tournament-cancelled": "A tournament was cancelled",
};

/** Return what a notification says, in a sentence. @param {Pick<Notification, "kind" | "seat">} notification */
export function sentence({ kind, seat }) {
  return WORDS[kind]?.(seat ? named(seat) : "A seat") ?? `${capital(plain(kind))}.`;
}

/**
 * Return the address of the page that a notification is about.
 * @param {Pick<Notification, "game" | "case" | "tournament" | "version">} notification
 */
export function pageOf({ game, case: id, tournament, version }) {
  if (tournament) return `/tournaments/${tournament}`;
  return id ? `/games/${game}/desk` : `/games/${game}#v=${version}`;
}

/**
 * Return how many things wait for somebody: notifications that they have not read, and games in which it is their turn.
 * @param {InboxState | null} state
 * @param {Notification[]} unread the unread notifications that were fetched
 * @param {string} except the game that they look at, which does not count
 */
export function waiting(state, unread, except = "") {
  if (!state) return 0;
  const here = unread.filter(({ game }) => game === except).length;
  return state.unread - here + state.turns.filter(({ game }) => game !== except).length;
}

/** Return the title of a tab, with the number of things that wait, if any. @param {string} title @param {number} waits */
export function titled(title, waits) {
  return waits ? `(${waits}) ${title}` : title;
}

/** Return the address of a tab's icon, which shows how many things wait, if any. @param {number} waits */
export function iconOf(waits) {
  if (!waits) return PLAIN;
  const text = waits > MOST ? `${MOST}+` : `${waits}`;
  const size = [22, 19, 14][text.length - 1];
  return `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="2" y="3" width="28" height="26" rx="3" fill="#8c2f1b"/><text x="16" y="${16 + size * 0.36}" font-family="sans-serif" font-weight="700" font-size="${size}" text-anchor="middle" fill="#fff">${text}</text></svg>`,
  )}`;
}

/**
 * Return games in the order of `turns`; games without a turn come last.
 * @template {{id: string}} T
 * @param {T[]} games
 * @param {Turn[]} turns
 */
export function inOrder(games, turns) {
  const places = new Map(turns.map(({ game }, index) => [game, index]));
  /** @param {T} game */
  const place = ({ id }) => places.get(id) ?? Infinity;
  return [...games].sort((one, other) => (place(one) === place(other) ? 0 : place(one) - place(other)));
}

/** Return the milliseconds until the flag of a turn falls, at least 0; null if no clock runs. @param {Turn | undefined} turn @param {number} now the service's time */
export function leftOf(turn, now) {
  return turn?.falls_at ? Math.max(0, Date.parse(turn.falls_at) - now) : null;
}
