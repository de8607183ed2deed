/**
 * The part of a tournament's page for directors: what waits for them, drafts of rounds, results, announcements,
 * penalties, players, other directors, and closing the tournament.
 * @module
 */

/**
 * @import { AgendaTable, RoundView, Submitted, TableView } from "../types.js"
 * @import { Read } from "./followed.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { clock, count } from "../parts/format.js";
import { textIn } from "../parts/given.js";
import { orderBy } from "../parts/order.js";
import { refusal } from "../parts/rule.js";
import { Directors } from "./directors.js";
import { draftOf } from "./draft.js";
import { Drafting } from "./drafting.js";

/** The part of the page that shows messages about the tournament as a whole. */
const HERE = "director";

/** @type {Record<string, string>} */
const PENALTIES = {
  caution: "a caution: words alone",
  warning: "a warning: it counts in the tie-breaks",
  points: "minus points",
  exclusion: "an exclusion from further rounds",
};

const POLL = 500; // Milliseconds between two looks at a draft that is being drawn.

/** A director's part of the page. */
export class Director {
  /** The draft that the director works on; null while no round has one. @type {Drafting | null} */
  drafting = null;
  /** Whether the service is drawing tables. */
  isDrawing = false;
  /** For how many seconds it has been drawing. */
  waited = 0;
  #directors = new Directors();

  /** @param {Read} tournament */
  panel(tournament) {
    const { drawing } = tournament;
    this.#follow(tournament, drawing);
    return html`<section class="director" aria-labelledby="director-title"><h2 id="director-title">For directors</h2>
      ${outcome(tournament, HERE)}
      ${agendaPart(tournament)}
      ${drawing && this.drafting && !this.isDrawing ? draftOf(tournament, this.drafting, () => this.#draw(tournament)) : this.#next(tournament)}
      ${this.#cancelling(tournament)}
      ${announcing(tournament)} ${penalizing(tournament)} ${dropping(tournament)} ${entering(tournament)} ${this.#directors.panel(tournament, HERE)}</section>`;
  }

  /**
   * Adapt `drafting` to the round that is being drawn: begin it, go on with it, or drop it.
   * @param {Read} tournament
   * @param {RoundView | null} drawing
   */
  #follow({ api, path, redraw }, drawing) {
    if (!drawing?.drafts.length) this.drafting = null;
    else if (this.drafting?.round.number !== drawing.number)
      this.drafting = new Drafting(
        drawing,
        (body) => api.post(`${path}/rounds/${drawing.number}/publication/check`, body),
        redraw,
      );
    else if (this.drafting.round !== drawing) this.drafting.goOn(drawing);
  }

  /**
   * The button that draws the next round, or the one that closes the tournament.
   * @param {Read} tournament
   */
  #next(tournament) {
    const { agenda, detail, drawing, most } = tournament;
    const number = drawing?.number ?? detail.rounds.length + 1;
    if (drawing || detail.summary.rounds < most) {
      const here = detail.players.filter((each) => !each.out).length - (agenda?.absent.length ?? 0);
      return html`<p>${drawing ? "The lots are drawn, and the tables are not." : `${count(here, "player")} can be drawn. That closes the check-in.`}</p>
        <p><button class="strong" ?disabled=${this.isDrawing} @click=${() => this.#draw(tournament)}>${this.isDrawing ? `Being drawn … ${this.waited ? `${this.waited} s` : ""}` : `Draw round ${number}`}</button></p>`;
    }
    if (agenda?.tables.length) return html`<p>The tournament can be closed when all results count.</p>`;
    const close = () =>
      tournament.act(HERE, "The tournament is closed.", (headers) =>
        tournament.api.post(`${tournament.path}/closing`, undefined, headers),
      );
    return html`<p>All rounds are played, and all results count.</p>
      <p><button class="strong" @click=${close}>Close the tournament</button></p>`;
  }

  /** Have the service draw a draft, and wait for it. @param {Read} tournament */
  async #draw(tournament) {
    const draft = (tournament.drawing?.drafts.length ?? 0) + 1;
    this.isDrawing = true;
    tournament.redraw();
    await tournament.act(HERE, "The tables are drawn. Look at what they cost, and publish them.", async (headers) => {
      try {
        const asynchronous = { ...headers, Prefer: "respond-async" };
        const round = await tournament.api.post(`${tournament.path}/rounds`, undefined, asynchronous);
        await this.#untilDrawn(tournament, round.number, draft);
      } finally {
        Object.assign(this, { isDrawing: false, waited: 0 });
      }
    });
  }

  /**
   * Wait until a draft is drawn. Throw an error if drawing it failed.
   * @param {Read} tournament
   * @param {number} round
   * @param {number} draft
   */
  async #untilDrawn({ api, path, redraw }, round, draft) {
    const began = Date.now();
    for (;;) {
      const { status, problem } = await api.get(`${path}/rounds/${round}/drafts/${draft}`);
      if (status === "drafted") return;
      if (status === "failed") throw new Error(problem ?? "The tables were not drawn.");
      await new Promise((resolve) => setTimeout(resolve, POLL));
      this.waited = Math.round((Date.now() - began) / 1000);
      redraw();
    }
  }

  /**
   * The form that cancels the last round, while no table of it has a result.
   * @param {Read} tournament
   */
  #cancelling(tournament) {
    const last = tournament.rounds.at(-1);
    if (!last || last.status === "cancelled" || last.tables.some((each) => each.result)) return nothing;
    return foldedForm(tournament, HERE, {
      title: `Cancel round ${last.number}`,
      note: "Possible before anybody has given a command at its tables. Another round is drawn in its place, with new lots.",
      fields: reason(`cancel-${last.number}`),
      done: `Round ${last.number} is cancelled.`,
      request: (given, headers) =>
        tournament.api.post(
          `${tournament.path}/rounds/${last.number}/cancellation`,
          { reason: textIn(given, "reason") },
          headers,
        ),
    });
  }

  /**
   * What a director can do with a table of a published round.
   * @param {Read} tournament
   * @param {RoundView} round
   * @param {TableView} table
   */
  tools(tournament, round, table) {
    const about = `table-${round.number}-${table.number}`;
    if (round.status !== "published") return nothing;
    if (isParty(tournament, table)) return html`<p class="quiet">You played here: another director decides.</p>`;
    const title = table.result ? "Overrule the result" : "Give a result";
    const places = table.players.map((player, at) => {
      const id = `${about}-${at}`;
      return html`<label for=${id}>Place of ${tournament.name(player)}</label>
        <select id=${id} name=${player}>${table.players.map((_, place) => html`<option value=${place + 1} ?selected=${place === placeOf(table, player, at)}>${place + 1}</option>`)}</select>`;
    });
    return html`${table.result && !table.result.confirmed ? html`<p>${confirming(tournament, round.number, table.number, about)}</p>` : nothing}
      ${foldedForm(tournament, about, {
        title,
        note: "Players with the same place tie. The result counts at once.",
        fields: html`${places} ${reason(about)}`,
        done: "The result counts.",
        request: (given, headers) =>
          tournament.api.post(
            `${tournament.path}/rounds/${round.number}/tables/${table.number}/result`,
            {
              order: orderBy(table.players.map((player) => [player, Number(given.get(player))])),
              reason: textIn(given, "reason"),
            },
            headers,
          ),
      })}
      ${outcome(tournament, about)}`;
  }
}

/**
 * Return the place, from 0, that a player has in the result of a table; without a result, the number of their seat.
 * @param {TableView} table
 * @param {string} player
 * @param {number} at the number of their seat, from 0
 */
function placeOf({ result }, player, at) {
  if (!result) return at;
  const tied = result.order.findIndex((each) => each.includes(player));
  return result.order.slice(0, tied).flat().length;
}

/**
 * Whether the viewer of the page plays or played at a table, where they decide nothing (TAB-TRN-22).
 * @param {Read} tournament
 * @param {TableView} table
 */
function isParty({ me }, { away, players }) {
  return players.includes(me) || away.includes(me);
}

/** What waits for directors. @param {Read} tournament */
function agendaPart(tournament) {
  if (!tournament.agenda) return nothing;
  const { absent, more, tables } = tournament.agenda;
  return html`<h3 id="agenda-title">What waits</h3>
    ${
      absent.length || tables.length
        ? html`<ul aria-labelledby="agenda-title">
      ${absent.length ? html`<li>Not checked in for the next round: ${absent.map((each) => tournament.name(each)).join(", ")}.</li>` : nothing}
      ${tables.map((each) => html`<li>${waiting(tournament, each)}</li>`)}
      ${more ? html`<li>${count(more, "more table")}.</li>` : nothing}</ul>`
        : html`<p class="quiet">Nothing.</p>`
    }`;
}

/**
 * A table that waits, and for what.
 * @param {Read} tournament
 * @param {AgendaTable} waits
 */
function waiting(tournament, waits) {
  const { absent, adjudicated_from: from, cases, flagged, game, open, round, table } = waits;
  const names = (/** @type {readonly string[]} */ players) => players.map((each) => tournament.name(each)).join(", ");
  const result = tournament.rounds.find((each) => each.number === round)?.tables[table - 1]?.result;
  const at = html`Round ${round}, table ${table}`;
  const isDue = from && new Date(from).getTime() <= Date.now();
  return html`<span>${game ? html`<a href="/games/${game}">${at}</a>` : at}:
      ${
        {
          game: html`its game is being opened.`,
          players: html`players confirm their seats.`,
          end: html`the game goes on.`,
          result: html`the game is over, and its result is being taken.`,
          confirmation: html`the result does not count yet${result ? `: ${result.order.map(names).join("; ")}` : nothing}.`,
        }[waits.waits_for]
      }
      ${absent.length ? html`Not confirmed: ${names(absent)}.` : nothing}
      ${flagged.length ? html`Out of time: ${names(flagged)}.` : nothing}
      ${open.length ? html`Open to a substitute: ${names(open)}.` : nothing}
      ${isDue ? html`It may be adjudicated.` : from ? html`<span class="quiet">It may be adjudicated from ${clock(from)}.</span>` : nothing}
      ${cases.map((each) => html` <a href="/games/${game}/desk#v=${each.about}">A case waits for a ruling</a>.`)}</span>
    ${waits.waits_for === "confirmation" ? confirming(tournament, round, table, HERE) : nothing}`;
}

/**
 * The button that confirms a result.
 * @param {Read} tournament
 * @param {number} round
 * @param {number} table
 * @param {string} about the part of the page that shows the outcome
 */
function confirming(tournament, round, table, about) {
  const found = tournament.rounds.find((each) => each.number === round)?.tables[table - 1];
  if (found && isParty(tournament, found)) return nothing;
  const confirm = () =>
    tournament.act(about, `The result of table ${table} counts.`, (headers) =>
      tournament.api.post(`${tournament.path}/rounds/${round}/tables/${table}/confirmation`, undefined, headers),
    );
  return html`<button @click=${confirm}>Confirm<span class="hidden"> the result of round ${round}, table ${table}</span></button>`;
}

/** @param {Read} tournament */
function announcing(tournament) {
  return foldedForm(tournament, HERE, {
    title: "Tell all players something",
    note: "Everybody can read it, and it stays on the record.",
    fields: html`<label for="announcement">Announcement</label>
      <input id="announcement" name="text" required maxlength="2000" autocomplete="off" />`,
    done: "The announcement is made.",
    request: (given, headers) =>
      tournament.api.post(`${tournament.path}/announcements`, { text: textIn(given, "text") }, headers),
  });
}

/** @param {Read} tournament */
function penalizing(tournament) {
  return foldedForm(tournament, HERE, {
    title: "Give a penalty",
    note: "",
    fields: html`${players(tournament, "penalty", (each) => each.player !== tournament.me)}
      <label for="penalty-sort">Penalty</label>
      <select id="penalty-sort" name="sort">${Object.entries(PENALTIES).map(([sort, what]) => html`<option value=${sort}>${what}</option>`)}</select>
      <label for="penalty-points">Points that it takes away, if it is of points</label>
      <input id="penalty-points" name="points" inputmode="numeric" autocomplete="off" value="0" required pattern="[0-9]{1,4}" />
      ${reason("penalty")}`,
    done: "The penalty is given.",
    request: (given, headers) =>
      tournament.api.post(
        `${tournament.path}/penalties`,
        {
          player: textIn(given, "player"),
          sort: /** @type {"caution"} */ (textIn(given, "sort")),
          points: Number(given.get("points")),
          reason: textIn(given, "reason"),
        },
        headers,
      ),
  });
}

/** @param {Read} tournament */
function dropping(tournament) {
  return foldedForm(tournament, HERE, {
    title: "Drop a player",
    note: "They are drawn in no further round. What they have earned stays.",
    fields: html`${players(tournament, "drop", (each) => !each.out)} ${reason("drop")}`,
    done: "The player is dropped.",
    request: (given, headers) =>
      tournament.api.post(
        `${tournament.path}/drops`,
        { player: textIn(given, "player"), reason: textIn(given, "reason") },
        headers,
      ),
  });
}

/**
 * The form that sets the round until whose publication players can enter.
 * @param {Read} tournament
 */
function entering(tournament) {
  const { api, detail, drawing, most, path } = tournament;
  if (drawing || detail.summary.rounds >= most) return nothing;
  const { late = 1 } = detail.regulations;
  return foldedForm(tournament, HERE, {
    title: "Late entries",
    note: `Now players can enter until round ${late} is published. This changes the regulations, which is on the record.`,
    fields: html`<label for="late">Players can enter until this round is published</label>
      <input id="late" name="late" type="number" required min="1" max=${most} .value=${`${Math.max(late, Math.min(most, detail.summary.rounds + 1))}`} />`,
    done: "The regulations are changed.",
    request: (given, headers) =>
      api.put(`${path}/regulations`, { ...detail.regulations, late: Number(given.get("late")) }, headers),
  });
}

/**
 * The choice of a player.
 * @param {Read} tournament
 * @param {string} id
 * @param {(player: Read["detail"]["players"][number]) => boolean} isListed
 */
function players({ detail }, id, isListed) {
  return html`<label for="${id}-player">Player</label>
    <select id="${id}-player" name="player">${detail.players.filter(isListed).map((each) => html`<option value=${each.player}>${each.name ?? each.player}</option>`)}</select>`;
}

/** @param {string} id */
function reason(id) {
  return html`<label for="${id}-reason">Reason, which everybody can read</label>
    <input id="${id}-reason" name="reason" required maxlength="2000" autocomplete="off" />`;
}

/**
 * A form that is folded up at first.
 * @param {Read} tournament
 * @param {string} about the part of the page that shows the outcome
 * @param {{title: string, note: string, fields: unknown, done: string,
 *   request: (given: FormData, headers: Record<string, string>) => Promise<unknown>}} form `done` is the message after success
 */
function foldedForm(tournament, about, { title, note, fields, done, request }) {
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    return tournament.act(about, done, (headers) => request(given, headers), event.target);
  };
  return html`<details class="writing"><summary>${title}</summary>
    <form @submit=${submit} aria-label=${title}>${note ? html`<p class="quiet">${note}</p>` : nothing}${fields}
      <div class="buttons"><button class="strong">${title}</button></div></form></details>`;
}

/**
 * What was done or refused in a part of the page.
 * @param {Read} tournament
 * @param {string} about
 */
function outcome(tournament, about) {
  const { api, detail, done, problem, redraw } = tournament;
  const isHere = tournament.about === about;
  const reader = { api, game: { ruleset: detail.summary.ruleset }, redraw };
  return html`<p role="status" id="did-${about}" tabindex="-1">${isHere && done ? done : nothing}</p>
    ${isHere && problem ? refusal(reader, problem) : nothing}`;
}
