/**
 * The rounds of a tournament: their tables with games and results, and what their draw cost.
 * @module
 */

/** @import { DrawCost, RoundView, TableView } from "../types.js" */

import { html, nothing } from "../vendor/lit-html.js";
import { count } from "../parts/format.js";

/** How a result came about. A game that ended by its own rules is not in it. @type {Record<string, string>} */
const HOW = {
  ruled: "by a ruling",
  flag: "because the time was up",
  resigned: "because somebody resigned",
  agreed: "by agreement",
  abandoned: "because nobody played any more",
  overruled: "as a director decided",
};

/** What each part of a draw's cost is for. Seats count only between tables that cost the same otherwise. @type {Record<string, string>} */
const COSTS = {
  sizes: "sizes of tables",
  scores: "different points at one table",
  meetings: "players who have met before",
  clubs: "players of one club",
  byes: "byes",
  seats: "seats that players had more often than others",
};

/**
 * Return the parts that are not 0 in at least one of two costs, each with what it is for.
 * @param {DrawCost} cost
 * @param {DrawCost} [other]
 * @returns {{part: keyof DrawCost, what: string}[]}
 */
export function partsOf(cost, other = cost) {
  return /** @type {[keyof DrawCost, string][]} */ (Object.entries(COSTS))
    .filter(([part]) => cost[part] || other[part])
    .map(([part, what]) => ({ part, what }));
}

/**
 * Return the parts of a cost in words.
 * @param {DrawCost} cost
 */
export function costInWords(cost) {
  const parts = partsOf(cost).map(({ part, what }) => `${cost[part]} for ${what}`);
  return parts.length ? parts.join(", ") : "nothing: nobody met before, and all points are equal at each table";
}

/**
 * @param {RoundView} round
 * @param {(player: string) => string} name
 * @param {(table: TableView) => unknown} tools what the viewer of the page can do with a table
 */
export function roundOf(round, name, tools) {
  const title = `round-${round.number}`;
  return html`<section aria-labelledby=${title}><h2 id=${title}>Round ${round.number}${round.status === "cancelled" ? " (cancelled)" : nothing}</h2>
    ${round.reason ? html`<p class="lead">${round.reason}</p>` : nothing}
    ${round.status === "drawn" ? html`<p>The lots were drawn for ${count(round.present.length, "player")}. The tables are not published yet.</p>` : nothing}
    <ol class="tables">${round.tables.map((table) => tableOf(table, name, tools))}</ol>
    ${round.byes.length ? html`<p>A bye: ${round.byes.map(name).join(", ")}.</p>` : nothing}
    ${round.cost ? html`<details><summary>How it was drawn</summary>${drawn(round, name)}</details>` : nothing}</section>`;
}

/**
 * @param {TableView} table
 * @param {(player: string) => string} name
 * @param {(table: TableView) => unknown} tools
 */
function tableOf(table, name, tools) {
  const { result } = table;
  return html`<li>
    ${table.game ? html`<a class="board" href="/games/${table.game}" aria-hidden="true" tabindex="-1"><img src="/v1/games/${table.game}/board.svg" data-board=${result?.confirmed ? nothing : `/v1/games/${table.game}/board.svg`} alt="" loading="lazy" width="160" height="120"></a>` : nothing}
    <div><h3>${table.game ? html`<a href="/games/${table.game}">Table ${table.number}</a>` : html`Table ${table.number}`}</h3>
    ${
      result
        ? html`<ol class="places">${result.order.map((tied, at) => html`<li value=${1 + result.order.slice(0, at).flat().length}>${tied.map(name).join(", ")}${tied.some((each) => result.left.includes(each)) ? html` <span class="quiet">(left)</span>` : nothing}</li>`)}</ol>
          <p class="quiet">${HOW[result.how] ? `Ended ${HOW[result.how]}. ` : nothing}${result.confirmed ? "The result counts." : "The result does not count yet."}</p>`
        : html`<p>${table.players.map(name).join(", ")}</p>`
    }
    ${table.away.length ? html`<p class="quiet">Replaced: ${table.away.map(name).join(", ")}.</p>` : nothing}
    ${tools(table)}</div></li>`;
}

/**
 * How a round was drawn: the cost, the lots and the secret.
 * @param {RoundView} round
 * @param {(player: string) => string} name
 */
function drawn({ cost, drafts, present, secret }, name) {
  return html`${
    cost
      ? html`<p>It costs ${costInWords(cost)}.
      ${count(drafts.length, "draft")} ${drafts.length === 1 ? "was" : "were"} made.</p>`
      : nothing
  }
    <p>Lots: ${present.map(name).join(", ")}.</p>
    <p>Secret: <code>${secret}</code></p>`;
}
