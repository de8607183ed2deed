/**
 * The bar of the seat that looks: what it is asked, what it can answer, what came of the last command, and the way back.
 * Above it, while it is open: what a gesture means before it counts.
 * @module
 */

/**
 * @import { Labels } from "../forms/labels.js"
 * @import { Commands } from "../state/commands.js"
 * @import { At, Command, Json, JsonObject, Option, Table } from "../types.js"
 * @import { Answered } from "./answers.js"
 * @import { Move } from "./gestures.js"
 * @import { Meant, Moves } from "./moves.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { live } from "../vendor/directives/live.js";
import { repeat } from "../vendor/directives/repeat.js";
import { choicesOf, isFixed, isPlain } from "../forms/schema.js";
import { capital, plain, seatName } from "../parts/format.js";
import { linked } from "../parts/papers.js";
import { commandsOf, titleOf } from "../state/commands.js";
import { sinceOf } from "../state/since.js";
import { takeBacksOf } from "../state/take-backs.js";
import { alongIn } from "./along.js";
import { titleAmong } from "./alike.js";
import { control, hasAlong } from "./controls.js";
import { refused } from "./dispute.js";
import { gestureOf, isOnMap, isQuiet } from "./gestures.js";
import { cardsOf, deal } from "./hand.js";
import { isClear, movesIn } from "./moves.js";
import { listen } from "./pointer.js";
import { steady } from "./steady.js";
import { ending } from "./turn.js";

const FEW = 6; // So many values of one field are buttons of their own.
const MANY = 9; // So many buttons have a key each; further options are in the list beside the board.
const KEYS = "tabularium-keys";

/** What ends the turn, once it was asked for; the command whose answers are unfolded, of which options; whether the keys are shown. */
let plan = null;
let unfolded = null;
let isHelp = false;
let listening = null;

/** @param {Table} room */
export function turnBar(room) {
  const commands = commandsOf(room);
  commands.look();
  const moves = movesIn(room);
  moves.look();
  listen(moves);
  if (listening !== room) {
    listening = room;
    steady(document.getElementById("turn"));
    addEventListener("keydown", (event) => key(event, room));
  }
  if (!commands.isOpen) return nothing;
  if (plan && plan.version !== commands.version) plan = null;
  const { isAsked } = commands;
  return html`<div class="turn ${isAsked ? "asked" : ""} ${room.following ? "now" : "past"}">
    ${tray(room, commands, moves)}
    <div class="bar">
      <div class="asking">
        ${question(room, commands, moves)}
        <button class="help-button" aria-expanded=${String(isHelp)} aria-label="Keys" title="Keys" @click=${() => help(room)}>?</button>
      </div>
      ${isAsked && room.following && commands.version ? html`<div class="answers" role="group" aria-label="Answers">${choices(room, commands, moves)}</div>` : nothing}
      <div class="came" data-version=${commands.done?.version ?? nothing} aria-live=${commands.place === "form" ? "off" : "polite"}>${came(commands)}</div>
    </div>
  </div>`;
}

// --- the question ---

/**
 * @param {Table} room
 * @param {Commands} commands
 * @param {Moves} moves
 */
function question(room, commands, moves) {
  const { game, seat } = room;
  const mine = game.decisions.filter((decision) => decision.seats.includes(seat));
  const out = outOf(room);
  if (out) return html`<p class="question"><strong>You are out of the game</strong> (${out}). Watch how it ends, or <a href="/">play another one</a>.</p>`;
  if (!mine.length) {
    const others = game.decisions.flatMap((decision) => decision.seats.map((each) => seatName(game, each)));
    return html`<p class="question quiet">${others.length ? `Waiting for ${others.join(", ")}.` : "Nothing to decide now."}</p>`;
  }
  if (!room.following) {
    return html`<p class="question">It is your turn: <strong>${linked(room, mine[0].title)}</strong> You are looking at version ${room.version}.
      <button class="strong" @click=${() => room.show(room.head)}>Go to now</button></p>`;
  }
  // What is asked is read with what can be answered: the game may be behind.
  const read = commands.decisions.filter((decision) => decision.seats.includes(seat));
  const asked = read.length ? read : mine;
  return html`<p class="question"><strong>${asked.map(({ title }) => linked(room, title))}</strong> ${hint(commands, moves)}</p>`;
}

/** Why the seat that looks is out of the game; undefined while it is not. @param {Table} room */
function outOf({ shown, seat, following, commands }) {
  return following && !commands.isAsked ? shown?.standings?.find((standing) => standing.seat === seat)?.out : undefined;
}

/**
 * What can be done on the board, in words.
 * @param {Commands} commands
 * @param {Moves} moves
 */
function hint(commands, moves) {
  if (!moves.isOpen) return nothing;
  const { labels } = commands;
  if (moves.isSending) return html`<span class="quiet">${moves.told()}${summary(commands.option, commands.form?.value ?? {}, labels)} …</span>`;
  if (moves.isComplete) return nothing;
  if (moves.shown.length) return html`<span class="shown">${preview(labels, moves)}</span>`;
  if (moves.start === null) {
    const kinds = new Set(moves.all.map(({ option }) => plain(option.command)));
    return html`<span class="quiet">Point at an outlined area: ${[...kinds].join(", ")}.</span>`;
  }
  return html`<span class="quiet">From ${labels.value(moves.start)}: point at where it ends.</span>`;
}

/**
 * What the area that is pointed at would mean.
 * @param {Labels} labels
 * @param {Moves} moves
 */
function preview(labels, moves) {
  const told = new Map(moves.shown.map((move) => {
    const value = moves.valueOf(move);
    return [moves.say(move.option, value, move.end), summary(move.option, value, labels)];
  }));
  return [...told].slice(0, 2).map(([words, along], at) => html`${at ? ", or " : nothing}${words}${along}`);
}

// --- the answers ---

/**
 * The answers that need no board: `{label, quiet, act}`.
 * @param {Commands} commands
 * @param {Moves} moves
 */
function answersOf(commands, moves) {
  const begun = moves.start === null || moves.isComplete ? [] : answersThere(commands, moves);
  if (begun.length && !moves.isGuess) return begun;
  // What was pointed at is shown above.
  if (moves.isComplete) return [];
  const asked = new Set(commands.decisions.map(({ kind }) => kind));
  const open = commands.options.filter((option) => asked.has(option.decision) && !isOnMap(option));
  const all = open.flatMap((option) => buttonsOf(option, commands, moves).map((/** @type {string} */ answer) => ({ ...answer, command: option.command })));
  // A gesture that began by itself is in nobody's way, and what can be done with it is always there.
  if (begun.length) {
    const others = folded(all, commands.room, MANY - begun.length);
    return [...others.slice(0, MANY - begun.length), ...begun, ...others.slice(MANY - begun.length)];
  }
  return folded(all, commands.room, MANY).sort((one, other) => Number(one.quiet ?? false) - Number(other.quiet ?? false));
}

/**
 * What can be done where a gesture has begun.
 * @param {Commands} commands
 * @param {Moves} moves
 */
function answersThere(commands, moves) {
  const { stays } = moves;
  // Where a gesture began by itself, nobody has looked there yet: one button, which asks before it sends.
  const isEach = !moves.isGuess && stays.length <= FEW;
  const each = stays.map((move) => ({ value: `here/${commands.options.indexOf(move.option)}`, label: `${there(commands, moves, move)}${aside(commands, moves, move)}`, act: () => moves.stay(move.option) }));
  const one = stays.slice(0, 1).map((move) => ({ value: "here", label: `${there(commands, moves, move)} …`, act: () => moves.stay() }));
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
function there({ labels }, { start }, { option }) {
  const title = titleOf(option);
  return title.includes(labels.value(start)) ? title : `Here: ${title}`;
}

/**
 * What comes along where there is no choice, since it is sent at once; otherwise that there is something to choose.
 * @param {Commands} commands
 * @param {Moves} moves
 * @param {Move} move
 */
function aside({ labels }, moves, move) {
  if (!isClear(move)) return " …";
  const said = things(move.option, moves.valueOf(move), labels).join(", ");
  return said && `: ${said}`;
}

/**
 * Many answers: those of one command are behind one button. So are cards, which have room above the bar.
 * @param {Table} room
 * @param {boolean} most
 * @param {Answered[]} all
 */
function folded(all, room, most) {
  const families = [...Map.groupBy(all, ({ command }) => command).values()];
  const { options } = room.commands;
  // When it was given, what else can be done comes first again.
  if (unfolded?.options !== options) unfolded = null;
  const inside = families.find(([{ command }]) => command === unfolded?.command);
  const isMany = all.length > most;
  if (families.length === 1 || !(isMany || all.some(({ dealt }) => dealt))) return all;
  /** @param {Command} command */
  const unfold = (command) => () => {
    unfolded = command && { command, options };
    room.redraw();
  };
  if (inside) return [...inside, { label: "Back", key: "Esc", act: unfold(null) }];
  return families.flatMap((family) => (family[0].dealt || (isMany && family.length > 1) ? { label: `${familyName(family)} …`, value: family[0].command, quiet: false, act: unfold(family[0].command) } : family));
}

/** @param {Answered[]} family */
function familyName(family) {
  const [first, ...others] = new Set(family.map(({ dealt }) => dealt && titleOf(dealt.option)));
  return first && !others.length ? first : capital(plain(family[0].command));
}

/**
 * @param {Option} option
 * @param {Commands} commands
 * @param {Moves} moves
 */
function buttonsOf(option, commands, moves) {
  const title = titleOf(option);
  const value = String(commands.options.indexOf(option));
  const asked = commands.room.isGame && cardsOf(option);
  if (asked) return asked.cards.map((card) => ({ label: card, value: asked.isOpen ? `${value}/${card}` : value, quiet: false, dealt: { option, card }, act: () => moves.give(option, { [asked.name]: card }) }));
  if (isPlain(option)) return [{ label: title, value, quiet: isQuiet(option), act: () => moves.give(option) }];
  const { properties } = option.schema;
  const free = Object.keys(properties).filter((name) => !isFixed(properties[name]));
  const [name] = free;
  const values = properties[name].type === "boolean" ? [true, false] : properties[name].enum;
  if (free.length > 1 || !values || values.length > FEW) {
    return [{ label: `${title} …`, value, quiet: false, isOpen: commands.option === option, option, act: () => (commands.option === option ? moves.back() : moves.open(option)) }];
  }
  const { labels } = commands;
  const words = {
    /** @param {Json} value */
    boolean: (value) => `${labels.field(name)}: ${labels.value(value)}`,
    /** @param {Json} value */
    number: (value) => labels.amount(value, name),
    string: labels.value,
  };
  /** @param {Json} value */
  const word = (value) => words[typeof value](value);
  const lead = commands.options.filter(({ decision }) => decision === option.decision).length > 1 ? `${title}: ` : "";
  return values.map((each) => ({ label: `${lead}${word(each)}`, value: `${value}/${each}`, quiet: false, act: () => moves.give(option, { [name]: each }) }));
}

/**
 * @param {string} answer
 * @param {Answered[]} all
 * @param {Answered[]} quiet
 */
function keyOf(answer, all, [quiet]) {
  const at = all.indexOf(answer);
  if (answer !== quiet && at >= MANY) return nothing;
  return html`<kbd aria-hidden="true">${answer === quiet ? "." : (answer.key ?? at + 1)}</kbd>`;
}

/**
 * @param {Table} room
 * @param {Commands} commands
 * @param {Moves} moves
 */
function choices(room, commands, moves) {
  const all = answersOf(commands, moves);
  const shown = all.filter(({ dealt }) => !dealt).slice(0, MANY);
  const quiet = all.filter((answer) => answer.quiet);
  // What is asked is one command, with something to fill in: it is open at once.
  const loud = all.filter((answer) => !answer.quiet);
  const isOne = loud.length && loud.every(({ option }) => option?.command === loud[0].option?.command && option);
  // In a lesson there is something to be read first, which the form would lie over on a phone.
  if (isOne && room.isGame && !moves.all.length && !commands.form && moves.closed !== commands.options) {
    const options = loud.map(({ option }) => option);
    queueMicrotask(() => moves.present(options[0], options, commands.said));
  }
  // Each keeps its button: what is pressed while the answers change must not become another answer.
  return html`${repeat(shown, ({ value = "", label }) => `${value} ${label}`, (answer) => html`<button class="answer-button" data-answer=${answer.value ?? nothing} aria-expanded=${"isOpen" in answer ? String(answer.isOpen) : nothing}
      ?disabled=${commands.busy} @click=${answer.act}>${answer.label} ${keyOf(answer, all, quiet)}</button>`)}
    ${all.length > MANY && !all[0].dealt ? html`<span class="quiet">and ${all.length - MANY} more in the list under Decide</span>` : nothing}
    ${room.isGame && quiet.length && (moves.start === null || moves.isGuess) ? html`<button class="answer-button" ?disabled=${commands.busy} @pointerenter=${(/** @type {At<HTMLElement, PointerEvent>} */ { pointerType }) => passOver(room, commands, pointerType)}
      @pointerleave=${() => passBy(room)} @click=${() => endOrShow(room, commands)}>Done with my turn … <kbd aria-hidden="true">e</kbd></button>` : nothing}`;
}

// --- above the bar ---

/**
 * @param {Table} room
 * @param {Commands} commands
 * @param {Moves} moves
 */
function tray(room, commands, moves) {
  if (plan) return planTray(room, commands);
  if (moves.refused) {
    return html`<div class="tray">${refused(room, moves.refused, moves.tried)}
      <p class="quiet">Nothing was sent.</p>
      <div class="buttons"><button @click=${() => ((moves.refused = null), room.redraw())}>Close</button></div></div>`;
  }
  if (commands.place === "bar" && commands.form && !moves.isSending) return moves.isReady ? picker(room, commands, moves) : beforehand(commands, moves);
  if (isHelp) return helpTray(room);
  return cardTray(room, commands, moves);
}

/**
 * Cards of which a click gives one.
 * @param {Table} room
 * @param {Commands} commands
 * @param {Moves} moves
 */
function cardTray(room, commands, moves) {
  if (!commands.isAsked || !room.following || commands.form) return nothing;
  const cards = answersOf(commands, moves).map((answer, at) => ({ ...answer, key: at < MANY ? at + 1 : 0 })).filter(({ dealt }) => dealt);
  return cards.length ? html`<div class="tray picker">${deal(room, commands, cards)}</div>` : nothing;
}

/**
 * What comes along, while it is open where the gesture ends.
 * @param {Commands} commands
 * @param {Moves} moves
 */
function beforehand(commands, moves) {
  const { form, option, labels } = commands;
  const { ways } = moves;
  return html`<div class="tray picker before" role="group" aria-label="What comes along" data-before=${commands.options.indexOf(option)}>
    <p class="means" role="status"><strong>From ${labels.value(moves.start)}</strong>${summary(option, form.value, labels)}</p>
    <div class="buttons">${allOrNone(moves)}</div>
    ${ways.length > 1 ? html`<div class="meant" role="group" aria-label="What you do">${ways.map((way) => radio("way", way, titleOf(way.option), titleOf(way.option) === titleOf(option), commands, () => moves.prepare(way, true)))}</div>` : nothing}
    <div class="controls">${control(form, option, decided(option, true))}</div>
  </div>`;
}

/** What comes along, in one click: all, none, one kind alone, or what came along lately. @param {Moves} moves */
function allOrNone(moves) {
  const { labels, option } = moves.commands;
  return html`<button type="button" @click=${() => moves.take(true)}>All</button><button type="button" @click=${() => moves.take(false)}>None</button>
    ${moves.alone.map(({ word, value }) => html`<button type="button" data-only=${word} @click=${() => moves.put(value)}>Only ${labels.field(word)}</button>`)}
    ${moves.lately.map((/** @type {Json} */ value) => html`<button type="button" data-again=${JSON.stringify(alongIn(option, value))} @click=${() => moves.put(value)}>Again ${things(option, value, labels).join(", ")}</button>`)}`;
}

/**
 * The fields that are decided by pointing. A piece that was chosen by its place can be another one that is there, and of several areas more can be chosen.
 * @param {Option} option
 * @param {boolean} isPointed
 */
function decided(option, isPointed) {
  const { places = {}, from, to, between } = gestureOf(option);
  /** @param {string} name */
  const isOpenStill = (name) => option.schema.properties[name].type === "object" || (option.schema.properties[name].enum ?? []).some((/** @type {Json} */ value) => value in places);
  return new Set([from, to, between].filter((name) => name && isPointed && !isOpenStill(name)));
}

/**
 * @param {Table} room
 * @param {Commands} commands
 * @param {Moves} moves
 */
function picker(room, commands, moves) {
  const { form, option } = commands;
  const [fault] = form.faults;
  const { last } = moves;
  const isAsked = new Set([...decided(option, moves.meant.length > 0), ...(last ? [last.name] : [])]);
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    moves.send();
  };
  return html`<form class="tray picker" novalidate aria-label=${titleOf(option)} @submit=${submit}>
    <p class="means" role="status"><strong>${moves.told()}</strong>${summary(option, form.value, commands.labels)}</p>
    ${cost(commands.labels, moves)}
    <div class="buttons">
      ${last ? lasts(commands, moves, last) : html`<button type="submit" class="strong" ?disabled=${commands.busy}>Send <kbd aria-hidden="true">↵</kbd></button>`}
      ${hasAlong(option) ? allOrNone(moves) : nothing}
      <button type="button" @click=${() => moves.back()}>Cancel <kbd aria-hidden="true">Esc</kbd></button>
      <span class="hint" role="status">${fault && form.asked ? `Not yet: ${fault.message}` : nothing}</span>
    </div>
    ${moves.meant.length > 1
      ? html`<div class="meant" role="group" aria-label="What you do">${moves.meant.map((move) => radio("meant", move, titleAmong(move.option, moves.meant.map((each) => each.option), commands.labels), move.option === option, commands, () => moves.mean(move)))}</div>`
      : nothing}
    <div class="controls">${control(form, option, isAsked)}</div>
    ${said(room, commands)}
  </form>`;
}

/**
 * Why a command was not sent at once.
 * @param {Labels} labels
 * @param {Moves} moves
 */
function cost(labels, { foreseen }) {
  if (!foreseen) return nothing;
  const gone = Object.entries(foreseen.gone).map(([kind, number]) => labels.amount(number, kind));
  return html`<p class="cost" role="alert">${gone.length ? `You lose ${gone.join(", ")}.` : nothing} ${foreseen.canUndo ? nothing : "You cannot take this back."}</p>`;
}

/**
 * What was left to choose, as buttons that send it: Enter gives the one that was chosen already.
 * @param {Commands} commands
 * @param {Moves} moves
 * @param {{name: string, values: Json[]}} last
 */
function lasts({ form, labels, busy }, moves, { name, values }) {
  return values.map((value) => {
    const isChosen = (form.get([name]) ?? false) === value;
    return html`<button type=${isChosen ? "submit" : "button"} class="strong" data-last=${`${name}/${value}`} ?disabled=${busy} @click=${(/** @type {At<HTMLElement, MouseEvent>} */ event) => {
      event.preventDefault();
      moves.finish(name, value);
    }}>${labels.field(name)}: ${labels.value(value)} ${isChosen ? html`<kbd aria-hidden="true">↵</kbd>` : nothing}</button>`;
  });
}

/**
 * One of several things that a gesture can mean.
 * @param {string} name
 * @param {Meant} meant
 * @param {string} title
 * @param {boolean} isChosen
 * @param {Commands} commands
 * @param {() => void} choose
 */
function radio(name, { option }, title, isChosen, { options }, choose) {
  return html`<label class="choice"><input type="radio" name=${name} .checked=${live(isChosen)} data-meant=${name === "meant" ? options.indexOf(option) : nothing} data-way=${name === "way" ? options.indexOf(option) : nothing} @change=${choose} />${title}</label>`;
}

/**
 * What comes along, in words.
 * @param {Option} option
 * @param {Labels} labels
 * @param {JsonObject} values
 */
function summary(option, values, labels) {
  const said = things(option, values, labels);
  return said.length ? html`: ${said.join(", ")}` : nothing;
}

/**
 * @param {Option} option
 * @param {Labels} labels
 * @param {JsonObject} values
 */
function things(option, values, labels) {
  const { pieces = [], counts = [], cards = [] } = gestureOf(option);
  return [...cards, ...pieces, ...counts].flatMap((name) => {
    const value = values[name];
    if (value === undefined || value === 0 || Number.isNaN(value)) return [];
    if (Array.isArray(value)) return value.map((item) => labels.value(item));
    if (typeof value === "object" && value !== null) {
      return Object.entries(value).filter(([, number]) => number > 0).map(([kind, number]) => labels.amount(number, kind));
    }
    if (typeof value === "string") return [labels.value(value)];
    return typeof value === "number" ? [labels.amount(value, name)] : [];
  });
}

/**
 * What was wrong with what was sent from here.
 * @param {Table} room
 * @param {Commands} commands
 */
function said(room, commands) {
  const { said } = commands;
  if (said?.kind === "refused") return refused(room, said.problem, said.tried);
  if (said?.kind === "stale") return html`<p role="alert">Nothing was done: the game went on before your command arrived. ${said.why || "Send it again."}</p>`;
  if (said?.kind === "lost") {
    return html`<p role="alert">No answer came. Send it again: if it was done already, it does not happen twice.
      <button type="button" ?disabled=${commands.busy} @click=${() => commands.again()}>Send again</button></p>`;
  }
  return nothing;
}

// --- what came of it ---

/** @param {Commands} commands */
function came(commands) {
  const { said, undo, busy, done } = commands;
  if (outOf(commands.room)) return nothing;
  const what = done && inside(done.title);
  return html`${done ? html`<span>${done.title}: done.</span>` : nothing}
    ${undo && done ? html`<button ?disabled=${busy} @click=${() => takeBack(commands, undo)}>Undo ${what}</button>` : askBack(commands)}
    ${said?.kind === "refused" && !commands.form ? html`<span role="alert">${said.problem.message}</span>` : nothing}`;
}

/** A title in the middle of a sentence. @param {string} title */
function inside(title) {
  return `${title.slice(0, 1).toLowerCase()}${title.slice(1)}`;
}

/** What cannot be undone can be taken back when all others agree. @param {Commands} commands */
function askBack(commands) {
  const { room, done, version, busy } = commands;
  const requests = takeBacksOf(room);
  if (!done?.isMove || version < done.version || commands.canUndo(done.after) || !requests.mayAsk) return nothing;
  const ask = () => requests.ask(done.after);
  return html`<button ?disabled=${busy || requests.busy} title="It happens when all others agree" @click=${ask}>Ask to take it back</button>
    ${requests.problem ? html`<span role="alert">${requests.problem.message}</span>` : nothing}`;
}

/**
 * @param {Commands} commands
 * @param {Option} undo
 */
async function takeBack(commands, undo) {
  const { after, title } = commands.done;
  commands.choose(undo, null, "bar");
  if (!commands.form) return;
  // Several that were sent together are taken back together.
  if (choicesOf(undo.schema.properties.to).includes(after)) commands.form.value.to = after;
  await commands.send(`Undo ${inside(title)}`);
}

// --- done with my turn ---

/**
 * Show what ends the turn; while a mouse is over the button, or until it is taken back.
 * @param {Table} room
 * @param {Commands} commands
 */
async function planned(room, commands, isPassing = false) {
  const begun = (plan = { version: commands.version, words: null, commands: [], isPassing });
  room.redraw();
  const found = await ending(commands).catch(() => null);
  if (plan === begun) plan = found?.commands.length ? Object.assign(begun, found) : null;
  room.redraw();
}

/**
 * Do what is shown, if it can be taken back or there is nothing else to do; otherwise show it, and ask once more.
 * @param {Table} room
 * @param {Commands} commands
 */
function endOrShow(room, commands) {
  if (plan?.words && plan.isPassing && (plan.canUndo || commands.isOnly)) return endTurn(commands, plan);
  if (plan) plan.isPassing = false;
  else planned(room, commands);
  room.redraw();
}

/**
 * A mouse that is over the button sees what it does; not in place of what is being chosen, under which the button may have come by itself.
 * @param {Table} room
 * @param {Commands} commands
 * @param {string} pointerType
 */
function passOver(room, commands, pointerType) {
  if (pointerType === "mouse" && !commands.form) planned(room, commands, true);
}

/** @param {Table} room */
function passBy(room) {
  if (plan?.isPassing) plan = null;
  room.redraw();
}

/**
 * Do what was shown. The plan may be gone by now, for instance since the mouse has left the button that showed it.
 * @param {Commands} commands
 */
function endTurn(commands, shown) {
  if (shown.version !== commands.version) return;
  plan = null;
  commands.giveAll(shown.commands, shown.words.join(", "));
}

/**
 * @param {Table} room
 * @param {Commands} commands
 */
function planTray(room, commands) {
  const shown = plan;
  const close = () => {
    plan = null;
    room.redraw();
  };
  return html`<div class="tray plan" role="group" aria-label="Done with my turn">
    <p role="status">${shown.words ? html`<strong>This does, in one step:</strong>` : "Looking at what ends your turn …"}</p>
    ${shown.words ? html`<ol>${shown.words.map((word) => html`<li>${word}</li>`)}</ol>` : nothing}
    <div class="buttons">
      ${shown.words ? html`<button class="strong" ?disabled=${commands.busy} @click=${() => endTurn(commands, shown)}>Do this <kbd aria-hidden="true">↵</kbd></button>` : nothing}
      <button @click=${close}>Cancel <kbd aria-hidden="true">Esc</kbd></button>
    </div>
  </div>`;
}

// --- keys ---

/** @param {Table} room */
function help(room) {
  isHelp = !isHelp;
  room.redraw();
}

/** @param {Table} room */
function helpTray(room) {
  /** @param {At<HTMLInputElement>} event */
  const change = (event) => {
    localStorage.setItem(KEYS, event.target.checked ? "on" : "off");
    room.redraw();
  };
  const rows = [
    ["Tab, Shift+Tab", "on the board: to the next or last area that can act or be pointed at"],
    ["arrows", "to the area beside"],
    ["Enter", "begin there; end there, which sends it if it can be taken back; send what is shown"],
    ["Shift+Enter", "end there, and choose what comes along"],
    ["c", "to what comes along, and back to the board"],
    ["0 … 9, arrows", "in a row of numbers: so many"],
    ["a, n", "take all along, or as little as can be"],
    ["Esc", "take back one step of the move"],
    ["←, →", "anywhere else: back and on in the game"],
    ["s", "what happened since your last move: all of it, then move by move, then back to now"],
    ["u", "take back what you sent last"],
    ["1 … 9", "the answers, in their order"],
    [".", "the answer that changes nothing"],
    ["e", "done with my turn: shows what it does, and Enter or e does it"],
  ];
  return html`<div class="tray help"><h3>Keys</h3>
    <dl>${rows.map(([name, does]) => html`<div><dt><kbd>${name}</kbd></dt><dd>${does}</dd></div>`)}</dl>
    <label><input type="checkbox" .checked=${live(hasKeys())} @change=${change} /> Letters, digits and the dot work wherever you are on the page</label>
    <p class="quiet">With a mouse: click where it begins and where it ends, or drag. That sends it where you can take it back; with Shift you choose first what comes along. Every answer is also a form under Decide.</p></div>`;
}

function hasKeys() {
  try {
    return localStorage.getItem(KEYS) !== "off";
  } catch {
    return true;
  }
}

/**
 * @param {Table} room
 * @param {At<Element, KeyboardEvent>} event
 */
function key(event, room) {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  const commands = commandsOf(room);
  const moves = movesIn(room);
  if (!commands.isOpen || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    if (plan || isHelp) [plan, isHelp] = [null, false];
    else if (!moves.back()) {
      if (!unfolded) return;
      unfolded = null;
    }
    room.redraw();
    return event.preventDefault();
  }
  if (event.target.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]")) return;
  if (hasKeys() && keyAlong(event, room, commands, moves)) return event.preventDefault();
  if (event.target.closest("input")) return;
  if ((event.key === "Enter" || (event.key === "e" && hasKeys())) && plan?.words && !event.target.closest("button, a, summary")) {
    document.querySelector("#turn .plan .strong")?.click();
    return event.preventDefault();
  }
  if (event.key === "Enter" && moves.isReady && !event.target.closest("button, a, summary, [data-area]")) {
    moves.send();
    return event.preventDefault();
  }
  if (event.key === "?" && hasKeys()) {
    help(room);
    return event.preventDefault();
  }
  if (event.key === "s" && hasKeys() && sinceOf(room).step()) return event.preventDefault();
  if (!hasKeys() || !room.following || commands.busy || moves.isReady || commands.place === "form") return;
  if (event.key === "u" && commands.undo && commands.done) {
    takeBack(commands, commands.undo);
    return event.preventDefault();
  }
  if (!commands.isAsked) return;
  const all = answersOf(commands, moves);
  const quiet = all.find((answer) => answer.quiet);
  const answer = event.key === "." ? quiet : all.slice(0, MANY)[Number(event.key) - 1];
  if (event.key === "e" && quiet && room.isGame) planned(room, commands);
  else if (answer) answer.act();
  else return;
  event.preventDefault();
}

/**
 * Keys for what comes along.
 * @param {At<Element, KeyboardEvent>} event
 * @param {Table} room
 * @param {Commands} commands
 * @param {Moves} moves
 * @returns {boolean} whether this was one
 */
function keyAlong({ key, target }, room, commands, moves) {
  const { start } = moves;
  if (key === "c" && start !== null && target.closest("#turn .tray")) {
    room.board.focus(start);
    return true;
  }
  if (key === "c" && start !== null && !commands.form) moves.prepare();
  if (commands.place !== "bar" || !commands.form || !hasAlong(commands.option)) return false;
  if (key === "a" || key === "n") moves.take(key === "a");
  // The control may be drawn only after this.
  else if (key === "c") requestAnimationFrame(() => document.querySelector("#turn .tray .controls :is(input:checked, input)")?.focus());
  else return false;
  return true;
}
