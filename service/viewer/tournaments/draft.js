/**
 * The draft of a round on a director's page: its tables, what they cost, and moving players between them.
 * @module
 */

/**
 * @import { At, DrawCost, Submitted } from "../types.js"
 * @import { Drafting } from "./drafting.js"
 * @import { Read } from "./followed.js"
 * @import { Target } from "./moving.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { count } from "../parts/format.js";
import { textIn } from "../parts/given.js";
import { tableOf } from "./moving.js";
import { partsOf } from "./rounds.js";
import { shownPoints } from "./standings.js";

const MOST_DRAFTS = 20; // Each is on the record (TAB-TRN-09).

/**
 * @param {Read} tournament
 * @param {Drafting} drafting
 * @param {() => void} again draws another draft
 */
export function draftOf(tournament, drafting, again) {
  const { draft, number, picked, refused, round } = drafting;
  return html`<h3 id="draft-title">Round ${round.number}: draft ${number}</h3>
    ${
      round.drafts.length > 1
        ? html`<p><label>Draft <select @change=${(/** @type {At<HTMLSelectElement>} */ { target }) => {
            drafting.take(Number(target.value));
            tournament.redraw();
          }}>${round.drafts.map((each) => html`<option value=${each.draft} ?selected=${each.draft === number}>${each.draft}: costs ${figure(each.cost.total)}</option>`)}</select></label></p>`
        : nothing
    }
    <p class="quiet">Drawn ${draft.by === "solver" ? "by the solver" : "by slices of the standings"}${draft.bound === null ? nothing : `; no tables could cost less than ${figure(draft.bound)}`}.
      <span id="draft-keys">Pick up a player with Enter or a click, go to another one with the arrow keys, and press Enter again: they change places. At the end of a table the player joins it. Escape puts them down.</span></p>
    <p role="status" class="draft-says">${says(tournament, drafting)}</p>
    ${refused ? html`<p class="problem">${refused.message} ${refused.problem.allowed ?? nothing} ${refused.problem.rule ? html`<span class="quiet">Rule ${refused.problem.rule}</span>` : nothing}</p>` : nothing}
    ${tablesOf(tournament, drafting)}
    ${costs(drafting)}
    <div class="buttons">
      <button type="button" ?disabled=${!drafting.before.length} @click=${() => drafting.undo()}>Take the last change back</button>
      <button type="button" ?disabled=${round.drafts.length >= MOST_DRAFTS || picked !== null} @click=${again}>Draw again</button></div>
    ${publishing(tournament, drafting)}`;
}

/**
 * Return a sentence for everybody, also for screen readers: who is picked up, where they would go, and what that costs.
 * @param {Read} tournament
 * @param {Drafting} drafting
 */
function says(tournament, { aim, draft, drawn, isChanged, picked, priced, refused }) {
  const cost = refused ? "that cannot be published" : priced ? compared(priced.cost, draft.cost) : "…";
  if (!picked) return isChanged ? `Changed: ${cost}.` : "As drawn.";
  const from = tableOf(drawn, picked);
  const who = tournament.name(picked);
  if (!aim) return `${who}, ${from === "byes" ? "who has a bye" : `of table ${from + 1}`}, is picked up.`;
  if ("player" in aim) return `${who} and ${tournament.name(aim.player)} change places: ${cost}.`;
  const where = { byes: "gets a bye", new: "gets a new table" }[aim.table] ?? `joins table ${Number(aim.table) + 1}`;
  return `${who} ${where}: ${cost}.`;
}

/**
 * Compare the cost of tables with that of the draft, in words.
 * @param {DrawCost} now
 * @param {DrawCost} before
 */
function compared(now, before) {
  const more = now.total - before.total;
  const seating = now.seats - before.seats;
  if (more) return `costs ${figure(now.total)}, ${figure(Math.abs(more))} ${more > 0 ? "more" : "less"} than the draft`;
  const seats = seating ? `, and ${Math.abs(seating)} ${seating > 0 ? "more" : "less"} for seats` : "";
  return `costs ${figure(now.total)}, as much as the draft${seats}`;
}

/**
 * The tables. The Tab key reaches one of their buttons, and arrow keys lead to the others.
 * @param {Read} tournament
 * @param {Drafting} drafting
 */
function tablesOf(tournament, drafting) {
  const { aim, drawn, picked, priced } = drafting;
  const { items } = tournament.standings;
  const points = new Map(items.map((each) => [each.player, each.played ? `${shownPoints(each.points)} points` : ""]));
  const clubs = new Map(tournament.detail.players.map((each) => [each.player, each.club ?? ""]));
  const players = [...drawn.tables.flat(), ...drawn.byes];
  const isOnPage = picked !== null || players.includes(drafting.reached);
  const tabStop = isOnPage ? drafting.reached : players[0];
  /** @param {string} player */
  const playerButton = (player) =>
    html`<li><button type="button" data-player=${player} aria-pressed=${String(player === picked)} class=${isAim(aim, { player }) ? "aim" : ""} tabindex=${player === tabStop ? 0 : -1}
      @click=${() => choose(drafting, { player })}>${tournament.name(player)} <span class="quiet">${[points.get(player), clubs.get(player)].filter(Boolean).join(", ")}</span></button></li>`;
  /** @param {number | "byes" | "new"} table @param {string} words */
  const placeButton = (table, words) =>
    picked && (table === "new" || tableOf(drawn, picked) !== table)
      ? html`<li><button type="button" data-table=${table} class="free ${isAim(aim, { table }) ? "aim" : ""}" tabindex=${`#${table}` === tabStop ? 0 : -1} @click=${() => choose(drafting, { table })}>${words}</button></li>`
      : nothing;
  return html`<div role="group" aria-labelledby="draft-title" aria-describedby="draft-keys"
      @keydown=${(/** @type {KeyboardEvent} */ event) => keys(event, drafting)}
      @focusin=${(/** @type {FocusEvent} */ event) => look(event, drafting, true)}
      @pointerover=${(/** @type {PointerEvent} */ event) => event.pointerType === "mouse" && look(event, drafting, false)}>
    <ol class="tables drafted">${drawn.tables.map((table, at) => {
      const cost = aim ? null : priced?.tables[at];
      return html`<li><h4>Table ${at + 1} <span class="quiet">${count(table.length, "player")}${cost ? `, costs ${figure(cost.total)}` : nothing}</span></h4>
        <ul>${table.map(playerButton)} ${placeButton(at, `To table ${at + 1}`)}</ul></li>`;
    })}
    ${drawn.byes.length || picked ? html`<li><h4>Without a table</h4><ul>${drawn.byes.map(playerButton)} ${placeButton("byes", "A bye")} ${placeButton("new", "A new table")}</ul></li>` : nothing}</ol></div>`;
}

/** @param {Target | null} aim @param {Target} target */
function isAim(aim, target) {
  return JSON.stringify(aim) === JSON.stringify(target);
}

/**
 * Pick up a player, or put the one who is picked up at a place. The focus goes with that player.
 * @param {Drafting} drafting
 * @param {Target} target
 */
function choose(drafting, target) {
  const { picked } = drafting;
  if (picked) {
    drafting.put(target);
    drafting.reach(picked); // Their button gets the focus.
    focusOn(picked);
  } else if ("player" in target) {
    drafting.pick(target.player);
  }
}

/** @param {string} player */
function focusOn(player) {
  /** @type {HTMLElement | null} */ (document.querySelector(`.drafted [data-player="${CSS.escape(player)}"]`))?.focus();
}

/**
 * Have the move to the button under the focus or the pointer priced.
 * @param {Event} event
 * @param {Drafting} drafting
 * @param {boolean} isFocus whether the button got the focus, which is then noted
 */
function look({ target }, drafting, isFocus) {
  const button = target instanceof Element ? target.closest("button") : null;
  if (!button) return;
  const { player, table } = button.dataset;
  if (isFocus) drafting.reach(player ?? `#${table}`);
  if (player !== undefined) drafting.look({ player });
  else drafting.look({ table: table === "byes" || table === "new" ? table : Number(table) });
}

/**
 * Escape puts a player down. Arrow keys, Home and End move the focus between the buttons.
 * @param {KeyboardEvent} event
 * @param {Drafting} drafting
 */
function keys(event, drafting) {
  const { picked } = drafting;
  if (event.key === "Escape" && picked) {
    drafting.release();
    focusOn(picked);
  }
  const group = /** @type {HTMLElement} */ (event.currentTarget);
  const focused = /** @type {HTMLButtonElement} */ (event.target);
  const lists = [...group.querySelectorAll("ul")].map((each) => [...each.querySelectorAll("button")]);
  const all = lists.flat();
  const list = lists.findIndex((each) => each.includes(focused));
  const across = (/** @type {number} */ step) => {
    const next = lists[list + step];
    return next?.[Math.min(lists[list].indexOf(focused), next.length - 1)];
  };
  /** @type {Record<string, () => HTMLElement | undefined>} */
  const targets = {
    ArrowDown: () => all[all.indexOf(focused) + 1],
    ArrowUp: () => all[all.indexOf(focused) - 1],
    ArrowRight: () => across(1),
    ArrowLeft: () => across(-1),
    Home: () => all[0],
    End: () => all.at(-1),
  };
  if (!(event.key in targets) || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  targets[event.key]()?.focus();
}

/** The costs of the draft and of the tables as they are now, part by part. @param {Drafting} drafting */
function costs({ draft, priced }) {
  const now = priced?.cost ?? null;
  const parts = partsOf(draft.cost, now ?? draft.cost);
  if (!parts.length) return html`<p>The tables cost nothing.</p>`;
  return html`<table class="costs"><caption class="hidden">What the tables cost</caption>
    <thead><tr><th scope="col">For</th><th scope="col" class="number">Draft</th><th scope="col" class="number">Now</th></tr></thead>
    <tbody>${parts.map(
      ({ part, what }) =>
        html`<tr><th scope="row">${what}</th><td class="number">${figure(draft.cost[part])}</td><td class="number">${now ? changed(now[part], draft.cost[part]) : "–"}</td></tr>`,
    )}</tbody></table>`;
}

/** @param {number} number */
function figure(number) {
  return number.toLocaleString("en");
}

/** A figure, in bold when it is not the one before. @param {number} now @param {number} before */
function changed(now, before) {
  return now === before ? figure(now) : html`<strong>${figure(now)}</strong>`;
}

/**
 * The form that publishes the round with these tables.
 * @param {Read} tournament
 * @param {Drafting} drafting
 */
function publishing(tournament, drafting) {
  const { drawn, isChanged, number, picked, refused, round } = drafting;
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    const given = textIn(new FormData(event.target), "reason");
    const body = isChanged ? { draft: number, drawn, reason: given } : { draft: number };
    drafting.stop();
    const done = `Round ${round.number} is published. Its games are being opened.`;
    return tournament.act(
      "director",
      done,
      (headers) => tournament.api.post(`${tournament.path}/rounds/${round.number}/publication`, body, headers),
      event.target,
    );
  };
  return html`<form @submit=${submit} aria-label="Publish round ${round.number}">
    ${
      isChanged
        ? html`<label for="draft-reason">Why you change the tables, which everybody can read</label>
      <input id="draft-reason" name="reason" required maxlength="2000" autocomplete="off" />`
        : nothing
    }
    <div class="buttons"><button class="strong" ?disabled=${picked !== null || refused !== null}>${isChanged ? "Publish the changed tables" : "Publish"}</button></div></form>`;
}
