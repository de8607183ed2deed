/**
 * The answers that a seat can give, as buttons: what a click on each does, and what it is called.
 * @module
 */

/**
 * @import { Commands } from "../state/commands.js"
 * @import { Json, Option, Table } from "../types.js"
 * @import { Move } from "../moves/gestures.js"
 * @import { Moves } from "../moves/moves.js"
 */

import { isFixed, isPlain } from "../forms/schema.js";
import { capital, plain } from "../parts/format.js";
import { commandsOf } from "../state/commands.js";
import { titleOf } from "../state/options.js";
import { hasAlong, isOnMap, isQuiet } from "../moves/gestures.js";
import { cardsOf } from "./hand.js";
import { isClear } from "../moves/meaning.js";
import { openedIn } from "./opened.js";
import { things } from "../moves/words.js";

const FEW = 6; // A field with no more values than this has a button for each.
/** How many buttons have a key. All further options are in the list beside the board. */
export const MANY = 9;

/**
 * An answer: its label, what a click does, and what its button shows and opens.
 * @typedef {object} Answered
 * @property {string} label
 * @property {() => unknown} act
 * @property {string} [value] the id of its button, in `data-answer`
 * @property {boolean} [quiet] whether it only declines
 * @property {string} [key] its key, if that is not the number of the button
 * @property {boolean} [isOpen] whether its control is open
 * @property {Option} [option] whose control it opens
 * @property {string} [command]
 * @property {{option: Option, card: string}} [dealt] the card that it gives
 */

/**
 * Return the answers that need no pointing, and what can be done where a gesture has begun.
 * @param {Commands} commands
 * @param {Moves} moves
 * @returns {Answered[]}
 */
export function answersOf(commands, moves) {
  const gestureAnswers = moves.start === null || moves.isComplete ? [] : answersThere(commands, moves);
  if (gestureAnswers.length && !moves.isGuess) return gestureAnswers;
  // The tray above the bar shows a gesture that is complete.
  if (moves.isComplete) return [];
  const kinds = new Set(commands.decisions.map(({ kind }) => kind));
  const open = commands.options.filter((option) => kinds.has(option.decision) && !isOnMap(option));
  const all = open.flatMap((option) =>
    buttonsOf(option, commands, moves).map((answer) => ({ ...answer, command: option.command })),
  );
  // A gesture that began by itself hides no other answer.
  if (gestureAnswers.length) {
    const others = folded(all, commands.room, MANY - gestureAnswers.length);
    return [
      ...others.slice(0, MANY - gestureAnswers.length),
      ...gestureAnswers,
      ...others.slice(MANY - gestureAnswers.length),
    ];
  }
  return folded(all, commands.room, MANY).sort(
    (one, other) => Number(one.quiet ?? false) - Number(other.quiet ?? false),
  );
}

/**
 * What can be done where a gesture has begun.
 * @param {Commands} commands
 * @param {Moves} moves
 * @returns {Answered[]}
 */
function answersThere(commands, moves) {
  const { stays } = moves;
  // The player has not looked at a gesture that began by itself: so it has one button, which asks before it sends.
  const isEach = !moves.isGuess && stays.length <= FEW;
  const each = stays.map((move) => ({
    value: `here/${commands.options.indexOf(move.option)}`,
    label: `${titleHere(commands, moves, move)}${suffixOf(commands, moves, move)}`,
    act: () => moves.stay(move.option),
  }));
  const one = stays
    .slice(0, 1)
    .map((move) => ({ value: "here", label: `${titleHere(commands, moves, move)} …`, act: () => moves.stay() }));
  return [
    ...(isEach ? each : one),
    ...(!commands.form && moves.from(moves.start).some(({ option, end }) => end && hasAlong(option))
      ? [{ value: "along", label: "Choose what comes along", act: () => moves.prepare() }]
      : []),
    { label: "Cancel", key: "Esc", act: () => moves.back() },
  ];
}

/**
 * The title of what can be done in the area where a gesture has begun; most name the area.
 * @param {Commands} commands
 * @param {Moves} moves
 * @param {Move} move
 */
function titleHere({ labels }, { start }, { option }) {
  const title = titleOf(option);
  return title.includes(labels?.value(start) ?? "") ? title : `Here: ${title}`;
}

/**
 * Return what follows the title on a button: what comes along, or "…" when the player has to choose something first.
 * @param {Commands} commands
 * @param {Moves} moves
 * @param {Move} move
 */
function suffixOf({ labels }, moves, move) {
  if (!labels || !isClear(move)) return " …";
  const words = things(move.option, moves.valueOf(move), labels).join(", ");
  return words && `: ${words}`;
}

/**
 * Fold many answers: those of one command go behind one button. So do cards, which the tray shows.
 * @param {Table} room
 * @param {number} most
 * @param {Answered[]} all
 * @returns {Answered[]}
 */
function folded(all, room, most) {
  const families = [...Map.groupBy(all, ({ command }) => command).values()];
  const { options } = commandsOf(room);
  const opened = openedIn(room);
  // The options have changed: show all commands again.
  if (opened.unfolded?.options !== options) opened.unfolded = null;
  const inside = families.find(([{ command }]) => command === opened.unfolded?.command);
  const isMany = all.length > most;
  if (families.length === 1 || !(isMany || all.some(({ dealt }) => dealt))) return all;
  /** @param {string | null} command */
  const unfold = (command) => () => {
    opened.unfolded = command === null ? null : { command, options };
    room.redraw();
  };
  if (inside) return [...inside, { label: "Back", key: "Esc", act: unfold(null) }];
  return families.flatMap((family) =>
    family[0].dealt || (isMany && family.length > 1)
      ? {
          label: `${familyName(family)} …`,
          value: family[0].command,
          quiet: false,
          act: unfold(family[0].command ?? null),
        }
      : family,
  );
}

/** @param {Answered[]} family */
function familyName(family) {
  const [first, ...others] = new Set(family.map(({ dealt }) => dealt && titleOf(dealt.option)));
  return first && !others.length ? first : capital(plain(family[0].command ?? ""));
}

/**
 * @param {Option} option
 * @param {Commands} commands
 * @param {Moves} moves
 * @returns {Answered[]}
 */
function buttonsOf(option, commands, moves) {
  const title = titleOf(option);
  const value = String(commands.options.indexOf(option));
  const single = commands.room.isGame && cardsOf(option);
  if (single)
    return single.cards.map((card) => ({
      label: card,
      value: single.isOpen ? `${value}/${card}` : value,
      quiet: false,
      dealt: { option, card },
      act: () => moves.sending.give(option, { [single.name]: card }),
    }));
  if (isPlain(option)) return [{ label: title, value, quiet: isQuiet(option), act: () => moves.sending.give(option) }];
  const { properties } = option.schema;
  const free = Object.keys(properties).filter((name) => !isFixed(properties[name]));
  const [name] = free;
  const field = properties[name];
  const values = field.type === "boolean" ? [true, false] : "enum" in field ? field.enum : undefined;
  if (free.length > 1 || !values || values.length > FEW) {
    return [
      {
        label: `${title} …`,
        value,
        quiet: false,
        isOpen: commands.option === option,
        option,
        act: () => (commands.option === option ? moves.back() : moves.open(option)),
      },
    ];
  }
  const { labels } = commands;
  if (!labels) return [];
  /** @type {Record<string, (value: Json) => string>} */
  const words = {
    /** @param {Json} value */
    boolean: (value) => `${labels.field(name)}: ${labels.value(value)}`,
    /** @param {Json} value */
    number: (value) => labels.amount(Number(value), name),
    string: labels.value,
  };
  /** @param {Json} value */
  const word = (value) => words[typeof value](value);
  const lead = commands.options.filter(({ decision }) => decision === option.decision).length > 1 ? `${title}: ` : "";
  return values.map((each) => ({
    label: `${lead}${word(each)}`,
    value: `${value}/${each}`,
    quiet: false,
    act: () => moves.sending.give(option, { [name]: each }),
  }));
}
