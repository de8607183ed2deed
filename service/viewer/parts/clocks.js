/**
 * The clocks of a game: what each shows at a moment of the service's time, when it warns, and all of it in words. It
 * needs no page, so it is tested without one.
 * @module
 */

/** @import { Clock, Game, SeatClock } from "../types.js" */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** @type {[string, number][]} */
const UNITS = [
  ["day", DAY / SECOND],
  ["hour", HOUR / SECOND],
  ["minute", MINUTE / SECOND],
  ["second", 1],
];
const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const LOW = 0.1; // A clock warns when at most this share of its time is left.

/** The service's clocks that have a name. @type {Record<"live" | "fast" | "slow", Clock>} */
export const PRESETS = {
  live: bank(45 * 60, 3 * 60, 3600, 0),
  fast: bank(2 * 86_400, 8 * 3600, 4 * 86_400, 3),
  slow: bank(7 * 86_400, 86_400, 14 * 86_400, 14),
};

/**
 * @param {number} time
 * @param {number} increment
 * @param {number} cap
 * @param {number} days
 * @returns {Clock}
 */
function bank(time, increment, cap, days) {
  return {
    kind: "bank",
    time,
    increment,
    cap,
    grace: 2,
    at_zero: "answer",
    vacate_after: 3,
    days_off: days,
    quiet: null,
  };
}

/** Return what a clock is called: the name of a preset, or "own". @param {Clock} clock */
export function nameOf(clock) {
  const names = /** @type {(keyof typeof PRESETS)[]} */ (Object.keys(PRESETS));
  const facts = /** @type {(keyof Clock)[]} */ (Object.keys(PRESETS.live));
  return names.find((name) => facts.every((fact) => (clock[fact] ?? null) === PRESETS[name][fact])) ?? "own";
}

/**
 * Return by how many milliseconds the service's time is ahead of this device's, which may be wrong by any amount.
 * @param {Pick<Game, "now"> | null} game as it was answered just now
 * @param {number} before the result for an earlier answer, if this one does not have the time
 */
export function aheadOf(game, before = 0, here = Date.now()) {
  return game?.now ? Date.parse(game.now) - here : before;
}

/** Return how many milliseconds from 1970 until a moment are not in the quiet hours. @param {Clock["quiet"]} quiet @param {number} until */
function counted(quiet, until) {
  if (!quiet) return until;
  const [begins, ends] = [quiet.begins * MINUTE, quiet.ends * MINUTE];
  const awake = begins < ends ? [[0, begins], [ends, DAY]] : [[ends, begins]]; // biome-ignore format: a day in its parts
  const rest = until % DAY;
  const whole = awake.reduce((sum, [from, to]) => sum + to - from, 0);
  return (
    Math.floor(until / DAY) * whole +
    awake.reduce((sum, [from, to]) => sum + Math.min(Math.max(rest, from), to) - from, 0)
  );
}

/** Tell whether a moment is in the quiet hours. @param {Clock["quiet"]} quiet @param {number} time */
function isQuiet(quiet, time) {
  return Boolean(quiet) && counted(quiet, time + 1) === counted(quiet, time);
}

/**
 * What a clock shows. `left` is in milliseconds. `state` is empty for a clock that stands. Otherwise it says that the
 * clock runs (`runs`), that at most a tenth of its time is left (`low`), that the time is up and only the grace is left
 * (`grace`), that the flag is due (`due`), or that the clock does not count now (`quiet` hours, a day `off`).
 * @typedef {{seat: string, left: number, state: "" | "runs" | "low" | "grace" | "due" | "quiet" | "off"}} Shown
 */

/**
 * Return what the clocks of a game show at a moment; none for a game without clocks.
 * @param {Pick<Game, "clock" | "clocks">} game
 * @param {number} time the service's, in milliseconds since 1970
 * @returns {Shown[]}
 */
export function shownAt({ clock, clocks }, time) {
  if (!clock || !clocks) return [];
  return clocks.seats.map((each) => {
    const left = leftAt(clock, clocks.at, each, time);
    return { seat: each.seat, left, state: stateOf(clock, each, left, time) };
  });
}

/**
 * @param {Clock} clock
 * @param {string} at the time from which the clocks count
 * @param {SeatClock} of
 * @param {number} time
 */
function leftAt(clock, at, { left, runs, off_until: off }, time) {
  if (!runs) return left;
  const since = Math.max(Math.floor(Date.parse(at)), off ? Date.parse(off) : 0);
  return left - Math.max(0, counted(clock.quiet, time) - counted(clock.quiet, since));
}

/**
 * @param {Clock} clock
 * @param {SeatClock} of
 * @param {number} left
 * @param {number} time
 * @returns {Shown["state"]}
 */
function stateOf(clock, { runs, off_until: off, falls_at: falls }, left, time) {
  if (!runs) return "";
  if (falls && time >= Date.parse(falls)) return "due";
  if (off && time < Date.parse(off)) return "off";
  if (isQuiet(clock.quiet, time)) return "quiet";
  if (left <= 0) return "grace";
  return left <= LOW * clock.time * SECOND ? "low" : "runs";
}

/** Return the milliseconds until the next full second of any running clock; 0 when none runs. @param {Shown[]} shown */
export function changesIn(shown) {
  const running = shown.filter(({ state }) => state);
  // 20 ms more, so that the second has certainly passed.
  return running.length ? Math.min(...running.map(({ left }) => (((left % SECOND) + SECOND) % SECOND) + 20)) : 0;
}

/** Return a time that is left, short: "2 d 4 h", "5 h 07 min", "12:05". @param {number} left in milliseconds */
export function short(left) {
  const seconds = Math.max(0, Math.ceil(left / SECOND));
  /** @param {number} number */
  const two = (number) => `${number}`.padStart(2, "0");
  const [minutes, hours, days] = [60, 3600, 86_400].map((size) => Math.floor(seconds / size));
  if (days) return `${days} d ${two(hours % 24)} h`;
  if (hours) return `${hours} h ${two(minutes % 60)} min`;
  return `${minutes}:${two(seconds % 60)}`;
}

/** Return a span in words: "2 days", "1 hour 30 minutes". It names the largest unit and the next smaller one. @param {number} seconds */
export function span(seconds) {
  const at = UNITS.findIndex(([, size]) => seconds >= size);
  if (at < 0) return "no time";
  const parts = UNITS.slice(at, at + 2).map(([unit, size], index) => {
    const number = Math.floor((index ? seconds % UNITS[at][1] : seconds) / size);
    return number ? `${number} ${unit}${number === 1 ? "" : "s"}` : "";
  });
  return parts.filter(Boolean).join(" ");
}

/**
 * Return the units in which a player can give others time, the smallest first, and how many of each at most. In a game,
 * a player gives no more than the time that a clock begins with (TAB-CLK-08).
 * @param {Pick<Clock, "time">} clock
 * @returns {{unit: string, seconds: number, most: number}[]}
 */
export function gifts({ time }) {
  const units = UNITS.filter(([, size]) => size <= time).reverse();
  // Seconds are for clocks that have less than a minute.
  return (units.length > 1 ? units.slice(1) : units).map(([unit, seconds]) => ({
    unit: `${unit}s`,
    seconds,
    most: Math.floor(time / seconds),
  }));
}

/** Return how much time each player has, in a few words: "2 days, and 8 hours after each turn". @param {Clock} clock */
export function timeOf({ kind, time, increment = 0, cap = time }) {
  if (kind === "decision") return `${span(time)} for each decision`;
  return increment
    ? `${span(time)}, and ${span(increment)} after each turn, up to ${span(cap)}`
    : `${span(time)} in all`;
}

/** Return what happens when the time of a seat is up, in sentences. @param {Clock} clock */
export function atZero({ at_zero: consequence = "answer", vacate_after: after = 3 }) {
  const answer = "the service gives the usual answer for the player: it passes, stays, and loses the least";
  if (consequence === "claim")
    return `At zero nothing happens until another player or an official asks for it. Then ${answer}.`;
  if (consequence === "end") return "At zero the game ends, and the other player wins.";
  if (consequence === "vacate") return `At zero ${answer}, and somebody else may take the seat.`;
  const often = after === 1 ? "the first time" : after ? `the ${ordinal(after)} time` : "";
  return `At zero ${answer}.${often ? ` From ${often} on, somebody else may take the seat.` : ""}`;
}

/** @param {number} number */
function ordinal(number) {
  const last = number % 100 > 10 && number % 100 < 14 ? 0 : number % 10;
  return `${number}${["th", "st", "nd", "rd"][last] ?? "th"}`;
}

/** Return the other settings of a clock, in sentences: quiet hours, days off, and a grace above 2 seconds. @param {Clock} clock */
export function besides({ grace = 2, quiet = null, days_off: days = 0 }) {
  const sentences = [];
  if (quiet) {
    /** @param {number} minute */
    const local = (minute) => TIME.format(new Date(minute * MINUTE));
    /** @param {number} minute */
    const utc = (minute) => new Date(minute * MINUTE).toISOString().slice(11, 16);
    const [begins, ends] = [quiet.begins, quiet.ends];
    const same = local(begins) === utc(begins);
    const own = same ? "" : `, for you ${local(begins)} to ${local(ends)}`;
    sentences.push(`No clock counts from ${utc(begins)} to ${utc(ends)} UTC${own}.`);
  }
  if (days) sentences.push(`Each player may take ${days === 1 ? "one day" : `${days} days`} off.`);
  if (grace > 2) sentences.push(`An answer still counts ${span(grace)} after zero.`);
  return sentences.join(" ");
}

/**
 * What each state means, in words, because not everybody can tell colours apart.
 * @type {Record<Shown["state"], string>}
 */
export const MEANS = {
  "": "",
  runs: "",
  low: "little time",
  grace: "time is up",
  due: "time is up",
  quiet: "quiet hours",
  off: "day off",
};
