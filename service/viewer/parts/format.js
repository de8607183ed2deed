/**
 * Ids, names, times and counts as a reader sees them.
 * @module
 */

/** @import { Game } from "../types.js" */

/** Return an id as it is written in a sentence: `red-general-1` is "red general 1". @param {string} id */
export function plain(id) {
  return `${id}`.replaceAll("-", " ");
}

/** Return an id as a name: `red-general-1` is "Red General 1". @param {string} id */
export function named(id) {
  return plain(id).replace(/(^|\s)\p{Ll}/gu, (letter) => letter.toUpperCase());
}

/** Return a sentence or a word with a capital letter. @param {string} text */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Return a score, which is a multiple of a half, as text: 12.5 is "12½". @param {number} figure */
export function scored(figure) {
  const whole = Math.trunc(figure);
  return whole === figure ? `${figure}` : `${figure < 0 ? "-" : ""}${Math.abs(whole) || ""}½`;
}

/**
 * Return the title of a game; if it has none, what kind of fork it is, or its id.
 * @param {{id: string, title?: string, fork?: {purpose: string, version: number} | null}} game
 */
export function gameTitle({ id, title, fork }) {
  const kind = fork && `${fork.purpose === "analysis" ? "An analysis" : "A continuation"} from version ${fork.version}`;
  return title || kind || `Game ${id}`;
}

/**
 * Return the name of a seat, with its player in brackets: "Red (Ann)", or "Red" while it is free.
 * @param {Pick<Game, "seats"> | null} game
 * @param {string} seat
 */
export function seatName(game, seat) {
  const holder = game?.seats.find((place) => place.seat === seat)?.name;
  return holder ? `${named(seat)} (${holder})` : named(seat);
}

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const WHOLE = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});

/** Return how long ago a time was: "3 minutes ago". @param {string} time */
export function ago(time, now = Date.now()) {
  const seconds = (new Date(time).getTime() - now) / 1000;
  const [unit, length] = UNITS.find(([, size]) => -seconds >= size) ?? [];
  return unit && length ? RELATIVE.format(Math.round(seconds / length), unit) : "just now";
}

/** Return a date and time in the reader's time zone. @param {string} time */
export function clock(time) {
  return WHOLE.format(new Date(time));
}

/**
 * Return a number with what it counts: "1 general", "2 legions". The noun may be a singular or a plural.
 * For words of rulesets; see `count` for words of the viewer.
 * @param {number} number
 * @param {string} noun
 * @param {string[]} [massNouns] the ruleset's words without a plural: "2 infantry"
 */
export function amount(number, noun, massNouns = []) {
  if (massNouns.some((mass) => noun.endsWith(mass))) return `${number} ${noun}`;
  return `${number} ${number === 1 ? singular(noun) : plural(noun)}`;
}

/** @param {string} noun */
function singular(noun) {
  return noun
    .replace(/ies$/, "y")
    .replace(/(ss|x|ch|sh)es$/, "$1")
    .replace(/([^s])s$/, "$1");
}

/** @param {string} noun */
function plural(noun) {
  return singular(noun)
    .replace(/([^aeiou])y$/, "$1ie")
    .replace(/(ss|x|ch|sh)$/, "$1e")
    .concat("s");
}

/**
 * Return a count with its noun: "1 event", "5,012 events". For words of the viewer: the plural only gets an s.
 * @param {number} number
 * @param {string} noun in the singular
 */
export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
