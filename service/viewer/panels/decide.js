/**
 * The panel of a seat: its decisions, its options as forms, its answers in advance, and the outcome of its last
 * command.
 * @module
 */

/**
 * @import { Labels } from "../forms/labels.js"
 * @import { Commands } from "../state/commands.js"
 * @import { At, Command, Decision, Json, LeftAnswer, Option, Table } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { repeat } from "../vendor/directives/repeat.js";
import { capital, count, named, plain, seatName } from "../parts/format.js";
import { linked } from "../parts/papers.js";
import { titleAmong } from "../moves/alike.js";
import { refused } from "../bar/dispute.js";
import { ruleOf } from "../parts/rule.js";
import { commandsOf } from "../state/commands.js";

/** @param {Table} room */
export function decidePanel(room) {
  const commands = commandsOf(room);
  commands.look();
  if (!room.game) return nothing;
  if (room.game.status !== "running") return html`<h2>Decisions</h2><p class="quiet">${notRunning(room)}</p>`;
  return html`<h2 id="decide-title" tabindex="-1">${room.seat ? named(room.seat) : "Decisions"}</h2>
    ${waitsFor(room)} ${room.seat ? decisions(room, commands) : html`<p class="quiet">Sign in as one of the players to answer.</p>`}`;
}

/** @param {Table} room */
function notRunning(room) {
  if (room.game.status === "cancelled") return "The game was cancelled before it began.";
  return room.game.status === "over" ? "The game is over." : "The game has not begun.";
}

/** The open decisions of other seats, without those that this seat has to answer, too. @param {Table} room */
function waitsFor(room) {
  const others = room.game.decisions.filter((decision) => !decision.seats.includes(room.seat));
  return others.map(
    (decision) => html`<p class="quiet">
      ${decision.seats.map((seat) => seatName(room.game, seat)).join(", ")} ${decision.seats.length > 1 ? "are" : "is"} asked: ${linked(room, decision.title)}
    </p>`,
  );
}

/**
 * @param {Table} room
 * @param {Commands} commands
 */
function decisions(room, commands) {
  if (!commands.version)
    return html`<p class="quiet" role="status">${commands.outcome ? nothing : "…"}</p>${liveOutcome(room, commands)}`;
  const kinds = new Set(commands.decisions.map((decision) => decision.kind));
  const unasked = [...new Set(commands.options.map((option) => option.decision ?? ""))].filter(
    (kind) => !kinds.has(kind),
  );
  return html`<div class="commands" data-version=${commands.version}>
    ${pastNote(room)} ${liveOutcome(room, commands, commands.place !== "form")}
    ${[...kinds].map(
      (kind) => html`<section class="decision" aria-label=${plain(kind)}>
        ${commands.decisions.filter((decision) => decision.kind === kind).map((decision) => question(room, decision))}
        ${options(room, commands, commands.optionsFor(kind))}
      </section>`,
    )}
    ${unasked.map((kind) => atAnyTime(room, commands, commands.optionsFor(kind), !commands.options.some((each) => kinds.has(each.decision))))}
    ${commands.answers?.length ? answersInAdvance(room, commands) : nothing}
  </div>`;
}

/** A note that the page does not show the newest version; nothing when it does. @param {Table} room */
function pastNote(room) {
  if (room.following) return nothing;
  return html`<p class="note">
    You are looking at version ${room.version}. Your decisions belong to version ${room.head}, the newest.
    <button @click=${() => room.show(room.head)}>Go there</button>
  </p>`;
}

/**
 * @param {Table} room
 * @param {Decision} decision
 */
function question(room, decision) {
  return html`<h3>${linked(room, decision.title)}</h3>
    ${decision.depends ? html`<p>${linked(room, decision.depends)}</p>` : nothing}
    ${
      decision.seats.length > 1
        ? html`<p class="quiet">Still to answer: ${decision.seats.map((seat) => seatName(room.game, seat)).join(", ")}</p>`
        : nothing
    }
    ${ruleOf(room, decision.rule)}`;
}

/**
 * The options that answer no open decision, folded up unless there are no others.
 * @param {Table} room
 * @param {Commands} commands
 * @param {Option[]} found
 * @param {boolean} isAll whether there are no others
 */
function atAnyTime(room, commands, found, isAll) {
  if (!found.length) return nothing;
  return html`<details class="unasked" ?open=${isAll || found.includes(commands.option)}>
    <summary>${isAll ? "What you may do" : "At any time"}</summary>
    ${options(room, commands, found)}
  </details>`;
}

// --- answers in advance ---

const UNTIL = { "": "Only now", round: "Until this round ends", revoked: "Until I revoke it" };
/** @type {Record<string, string>} */
const ENDS = { round: "until the round ends", revoked: "until you revoke it", once: "once" };
/** @type {Record<string, string>} */
const CONDITIONS = { equals: "is", least: "at least", most: "at most" };

/**
 * @param {Table} room
 * @param {Commands} commands
 */
function answersInAdvance(room, commands) {
  return html`<section class="decision" aria-label="Answers in advance">
    <h3>You answer in advance</h3>
    <ul class="answers">
      ${(commands.answers ?? []).map(
        (each) => html`<li>
        ${answerInWords(commands, each)}
        <button ?disabled=${commands.busy} @click=${() => revoke(room, commands, each)}>Revoke</button>
      </li>`,
      )}
    </ul>
  </section>`;
}

/**
 * @param {Commands} commands
 * @param {LeftAnswer} answer
 */
function answerInWords({ labels }, { decision, command, when, until, given, ended }) {
  if (!labels) return nothing;
  const { type, ...fields } = /** @type {Command} */ (command);
  const what = Object.entries(fields).map(([name, value]) => `${labels.field(name)} ${labels.value(value)}`);
  const conditions = Object.entries(when).flatMap(([name, condition]) =>
    Object.entries(condition).map(
      ([how, value]) => `${labels.field(name)} ${CONDITIONS[how]} ${labels.value(/** @type {Json} */ (value))}`,
    ),
  );
  return html`<strong>${[named(type), ...what].join(", ")}</strong> whenever you are asked <q>${plain(decision)}</q>${
    conditions.length ? ` and ${conditions.join(" and ")}` : ""
  }, ${ENDS[until]}. <span class="quiet">${ended ? "It has ended." : `Given ${count(given, "time")}.`}</span>`;
}

/**
 * @param {Table} room
 * @param {Commands} commands
 * @param {LeftAnswer} each
 */
async function revoke(room, commands, each) {
  await commands.revoke(each);
  showOutcome(room);
}

/**
 * The fields that make the command an answer in advance, too: until when, and on which conditions.
 * @param {Commands} commands
 * @param {Option} option
 */
function advanceFields(commands, option) {
  const { until, when } = commands.advance;
  const { labels } = commands;
  if (!labels) return nothing;
  /** @param {string} name */
  const choose = (name) => (/** @type {At<HTMLSelectElement>} */ event) =>
    commands.ahead({ when: { ...when, [name]: event.target.value } });
  return html`<div class="fields ahead">
    ${choice("Answer so whenever you are asked this", UNTIL, until, (/** @type {At<HTMLSelectElement>} */ event) => commands.ahead({ until: event.target.value }))}
    ${
      until
        ? commands.aboutOf(option).map(([name, value]) => {
            const hows = Object.keys(CONDITIONS).filter((how) => how === "equals" || typeof value === "number");
            const conditions = hows.map((how) => [
              how,
              `${CONDITIONS[how]} ${labels.value(/** @type {Json} */ (value))}`,
            ]);
            return choice(
              `Only if ${labels.field(name)}`,
              { "": "is anything", ...Object.fromEntries(conditions) },
              when[name] ?? "",
              choose(name),
            );
          })
        : nothing
    }
  </div>`;
}

/**
 * @param {string} label
 * @param {Record<string, string>} choices
 * @param {string} chosen
 * @param {(event: At<HTMLSelectElement>) => void} change
 */
function choice(label, choices, chosen, change) {
  return html`<div class="line"><label>${label}
    <select @change=${change}>
      ${Object.entries(choices).map(([value, word]) => html`<option value=${value} ?selected=${value === chosen}>${word}</option>`)}
    </select></label></div>`;
}

// --- options ---

/**
 * @param {Table} room
 * @param {Commands} commands
 * @param {Option[]} all
 */
function options(room, commands, all) {
  const { area } = room;
  const here = area && !commands.form ? all.filter((option) => concerns(option, area)) : all;
  const visible = here.length ? here : all;
  const families = Map.groupBy(visible, (option) => option.command);
  return html`${visible.length < all.length ? filterNote(room, commands, visible.length, all.length) : nothing}
    ${repeat(
      families,
      ([command]) => command,
      ([command, several]) => family(room, commands, command, several, families.size),
    )}`;
}

/**
 * @param {Table} room
 * @param {Commands} commands
 * @param {number} some
 * @param {number} all
 */
function filterNote(room, commands, some, all) {
  return html`<p class="note">
    ${some} of ${all} concern ${commands.labels?.value(room.area)}.
    <button @click=${() => room.choose(null)}>Show all</button>
  </p>`;
}

/**
 * Tell whether the schema of an option names an area.
 * @param {Option} option
 * @param {string} area
 */
function concerns(option, area) {
  return textOf(option).includes(JSON.stringify(area));
}

/** The schemas of options as text. This is a cache: the page is drawn often and may have hundreds of options. */
/** @type {WeakMap<Option, string>} */
const texts = new WeakMap();

/** @param {Option} option */
function textOf(option) {
  const text = texts.get(option) ?? JSON.stringify(option.schema);
  texts.set(option, text);
  return text;
}

/**
 * All options of one command. Three or more are folded up, unless it is the only command.
 * @param {Table} room
 * @param {Commands} commands
 * @param {string} command
 * @param {Option[]} several its options
 * @param {number} families the number of commands
 */
function family(room, commands, command, several, families) {
  const list = html`<ul class="options">
    ${repeat(several, textOf, (option) => entry(room, commands, option, titleAmong(option, several, /** @type {Labels} */ (commands.labels))))}
  </ul>`;
  if (several.length < 3 || families === 1) return list;
  return html`<details class="family" ?open=${several.includes(commands.option)}>
    <summary>${capital(plain(command))} <span class="quiet">${several.length} ways</span></summary>
    ${list}
  </details>`;
}

/**
 * @param {Table} room
 * @param {Commands} commands
 * @param {Option} option
 * @param {string} title
 */
function entry(room, commands, option, title) {
  const isOpen = commands.option === option && commands.place === "form";
  return html`<li>
    <button
      class="option"
      data-option=${commands.options.indexOf(option)}
      aria-expanded=${String(isOpen)}
      @click=${(/** @type {At<HTMLElement, MouseEvent>} */ event) => open(room, commands, isOpen ? null : option, event.currentTarget.parentElement)}
    >${title}</button>
    ${isOpen ? optionForm(room, commands, option, title) : nothing}
  </li>`;
}

/**
 * Open the form of an option, and scroll to it, because a phone has little room beside the board.
 * @param {Table} room
 * @param {Commands} commands
 * @param {Option | null} option null to close the form that is open
 * @param {Element | null} entry
 */
function open(room, commands, option, entry) {
  commands.choose(option);
  if (option) room.addEventListener("change", () => entry?.scrollIntoView({ block: "nearest" }), { once: true });
}

/**
 * The form of the option that is open.
 * @param {Table} room
 * @param {Commands} commands
 * @param {Option} option
 * @param {string} title
 */
function optionForm(room, commands, option, title) {
  const { form } = commands;
  if (!form) return nothing;
  const [first] = form.faults;
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    send(room, commands);
  };
  const check = async () => {
    await commands.check();
    showOutcome(room);
  };
  return html`<form class="order" novalidate aria-label=${title} @submit=${submit}>
    ${form.render()}
    <p class="hint" role="status">${first && form.isValidated ? `Not yet: ${first.message}` : nothing}</p>
    <div class="buttons">
      <button type="submit" class="strong" ?disabled=${commands.busy}>Send</button>
      <button type="button" ?disabled=${commands.busy} @click=${check}>Check</button>
      <button type="button" @click=${() => commands.choose(null)}>Close</button>
    </div>
    ${room.isGame && option.decision ? advanceFields(commands, option) : nothing}
    ${liveOutcome(room, commands)}
    ${ruleOf(room, option.rule)}
  </form>`;
}

/**
 * @param {Table} room
 * @param {Commands} commands
 */
async function send(room, commands) {
  await commands.send();
  // After success the form is gone: move the focus to the title, so that keyboard users go on from there.
  if (!commands.form) document.getElementById("decide-title")?.focus();
  showOutcome(room);
}

// --- the outcome ---

/**
 * The element for the outcome of the last request. There is one at the top of the panel, and one in the form of an
 * option while the form is open. Each is on the page before its outcome, so that screen readers announce the outcome.
 * @param {Table} room
 * @param {Commands} commands
 * @param {boolean} [isHere] whether this element shows the outcome
 */
function liveOutcome(room, commands, isHere = true) {
  return html`<div class="answer" aria-live="polite">${isHere ? outcome(room, commands) : nothing}</div>`;
}

/** Return the versions of a command in words. @param {{after: number, version: number}} done `after` is the version before it */
function versions({ after, version }) {
  return version > after + 1 ? `versions ${after + 1} to ${version}` : `version ${version}`;
}

/**
 * Send the command that undoes the last one.
 * @param {Table} room
 * @param {Commands} commands
 */
async function undo(room, commands) {
  commands.choose(commands.undo ?? null);
  await send(room, commands);
}

/** Draw the page again, and bring the outcome into view. @param {Table} room */
function showOutcome(room) {
  const show = () => document.querySelector(".outcome")?.scrollIntoView({ block: "nearest" });
  room.addEventListener("change", show, { once: true });
  room.redraw();
}

/**
 * @param {Table} room
 * @param {Commands} commands
 */
function outcome(room, commands) {
  const { outcome } = commands;
  if (!outcome) return nothing;
  switch (outcome.kind) {
    case "done":
      return html`<p class="outcome done">${outcome.title}: accepted as ${versions(outcome)}.
        ${commands.undo ? html`<button ?disabled=${commands.busy} @click=${() => undo(room, commands)}>Undo</button>` : nothing}</p>`;
    case "fine":
      return html`<p class="outcome done">This would be accepted.</p>`;
    case "stale":
      return html`<p class="outcome" role="alert">
        Nothing was done: the game went on to version ${commands.version} before your command arrived.
        ${outcome.why || "Send it again."}
      </p>`;
    case "lost":
      return html`<div class="outcome" role="alert">
        <p>No answer came: ${outcome.problem.message} Send it again: if it was done already, it does not happen twice.</p>
        <button class="strong" ?disabled=${commands.busy} @click=${() => commands.again()}>Send again</button>
      </div>`;
    default:
      return refused(room, outcome.problem, outcome.tried);
  }
}
