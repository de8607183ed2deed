/**
 * The cases about a step, earlier rulings on its rules, and the forms for a dispute and for a ruling.
 * @module
 */

/**
 * @import { At, Body, CaseDetail, CaseRuling, CaseSummary, Ruling, Submitted } from "../types.js"
 * @import { OpenDesk } from "./desk.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { capital, clock, named, seatName } from "../parts/format.js";
import { textIn } from "../parts/given.js";
import { orderBy } from "../parts/order.js";
import { erasing, parties, refusalIn } from "./parties.js";

/** @type {Record<string, string>} */
const KINDS = {
  move: "a move should have been refused",
  slip: "a slip of the hand",
  dice: "the dice",
  time: "time",
  conduct: "conduct",
  result: "the result",
  refusal: "a command that should have been accepted",
};
/** @type {Record<string, string>} */
const DECISIONS = {
  dismissed: "dismissed: there is nothing in it",
  stands: "stands: what was done counts",
  back: "back: to the version before the step",
  pause: "pause the game",
  resume: "resume the game",
  result: "result: the final order of the seats",
  continue: "continue: the game goes on in a fork",
};
/** @type {Record<string, string>} */
const WROTE = {
  "case-opened": "Complaint of",
  "case-answered": "Answer of",
  "statement-made": "Statement of",
  appealed: "Appeal of",
};
/** @typedef {Body<"/v1/cases/{case}/rulings", "post">} NewRuling */

const WAITING = ["open", "appealed"];
const NEED_RUNNING_GAME = ["back", "pause", "resume"];
/** @type {Record<string, string>} */
const STATUS = {
  open: "waits for a ruling",
  ruled: "ruled",
  appealed: "appealed: waits for the final ruling",
  final: "ruled finally",
  settled: "settled: all agreed",
  withdrawn: "withdrawn",
};

/** The court's part of the page. @param {OpenDesk} desk */
export function cases(desk) {
  const { seen } = desk;
  return html`<section aria-labelledby="cases">
      <h2 id="cases">Cases about this step</h2>
      ${seen.cases.length ? seen.cases.map((/** @type {CaseSummary} */ summary) => oneCase(desk, summary)) : html`<p>Nobody has disputed it.</p>`}
    </section>
    ${desk.mayDispute ? disputeForm(desk) : nothing}
    ${
      seen.precedents.length
        ? html`<section aria-labelledby="before">
          <h2 id="before">Earlier rulings on these rules</h2>
          ${seen.precedents.map(
            ({ summary, rulings }) => html`<article>
              <h3><a href="/games/${summary.game}/desk#v=${summary.about}">${capital(KINDS[summary.kind] ?? summary.kind)}</a>
                <span class="quiet">${summary.rules.join(", ")}</span></h3>
              ${rulings.map(shownRuling)}
            </article>`,
          )}
        </section>`
        : nothing
    }
    ${all(desk)}`;
}

/** All cases of the game, to go from one to another. @param {OpenDesk} desk */
function all({ game, all }) {
  if (!all.length) return nothing;
  return html`<section aria-labelledby="all">
    <h2 id="all">All cases of this game</h2>
    <ul>${all.map(
      ({
        number,
        kind,
        about,
        status,
      }) => html`<li><a href="/games/${game.id}/desk#v=${about}">Case ${number}: ${KINDS[kind] ?? kind}</a>,
      version ${about} <span class="status">${STATUS[status] ?? status}</span></li>`,
    )}</ul>
  </section>`;
}

/**
 * @param {OpenDesk} desk
 * @param {CaseSummary} summary
 */
function oneCase(desk, summary) {
  const { case: id, status, kind, number, seat } = summary;
  const detail = desk.details.get(id);
  return html`<article class="case" aria-label="Case ${number}">
    <h3>Case ${number}: ${KINDS[kind] ?? kind} <span class="status">${STATUS[status] ?? status}</span></h3>
    <p class="quiet">Opened by ${seat ? seatName(desk.game, seat) : "an official"}, <time datetime=${summary.created}>${clock(summary.created)}</time>.
      <a href="/v1/cases/${id}/export" download>Export</a> · <a href="/v1/cases/${id}/certificate" download>Certificate</a></p>
    ${detail?.command ? html`<p>The command: <code>${JSON.stringify(detail.command)}</code></p>` : nothing}
    ${detail?.refusal ? html`<p class="problem">Decided again: ${detail.refusal.detail} <span class="quiet">Rule ${detail.refusal.rule}</span></p>` : nothing}
    ${(detail?.statements ?? []).map(
      (statement) => html`<blockquote>
        <p>${statement.text ?? (statement.erased ? "Erased." : "Only seats and officials may read this.")}</p>
        <footer class="quiet">${WROTE[statement.kind]} ${statement.seat ? seatName(desk.game, statement.seat) : "an official"}, ${clock(statement.at)}
          ${erasing(desk, id, statement)}</footer>
      </blockquote>`,
    )}
    ${(detail?.rulings ?? []).map(shownRuling)}
    ${detail?.consents.length ? html`<p>Agreed with the ${detail.rulings.length ? "ruling" : "complaint"}: ${detail.consents.map((each) => seatName(desk.game, each)).join(", ")}.</p>` : nothing}
    ${detail ? parties(desk, detail) : nothing}
    ${desk.isOfficial && WAITING.includes(status) ? (detail && whyNotRule(desk, detail)) || rulingForm(desk, id) : nothing}
  </article>`;
}

/**
 * A note that says why this official cannot rule on a case; undefined if they can.
 * @param {OpenDesk} desk
 * @param {CaseDetail} detail
 */
function whyNotRule({ account }, { summary, rulings }) {
  if (summary.player === account.me?.id)
    return html`<p class="note">You opened this case: another official rules on it.</p>`;
  if (summary.status === "appealed" && rulings.at(-1)?.player === account.me?.id) {
    return html`<p class="note">The appeal is against your own ruling: another official rules finally.</p>`;
  }
  return undefined;
}

/** @param {CaseRuling} ruling */
function shownRuling({ ruling, at, is_final: isFinal }) {
  return html`<p class="ruling">${isFinal ? "Ruled finally" : "Ruled"}: <strong>${ruling.decision}</strong>${effect(ruling)}. ${ruling.reason}
    <span class="quiet">${ruling.cited.join(", ")}; ${clock(at)}</span></p>`;
}

/** Say where a ruling leads: to a version, another game, or an order of seats. @param {Ruling} ruling */
function effect({ decision, to, order }) {
  if (decision === "back") return `, to version ${to}`;
  if (decision === "continue") return html`, <a href="/games/${to}">in another game</a>`;
  return decision === "result"
    ? `: ${(order ?? []).map((tied) => tied.map(named).join(" with ")).join(", then ")}`
    : nothing;
}

/**
 * @param {OpenDesk} desk
 * @param {boolean} isRequired
 */
function cited(desk, isRequired) {
  return html`<fieldset>
    <legend>Rules that it rests on${isRequired ? ", at least one" : ""}</legend>
    ${desk.seen.rules.map(({ id, title }) => html`<label><input type="checkbox" name="rules" value=${id} /> ${id}: ${title}</label>`)}
  </fieldset>`;
}

/** @param {OpenDesk} desk */
function disputeForm(desk) {
  /** @param {Submitted} event */
  const submit = (event) => {
    const given = read(event);
    const kind = /** @type {Body<"/v1/games/{game}/cases", "post">["kind"]} */ (textIn(given, "kind"));
    const body = { kind, version: desk.seen.version, statement: `${given.get("statement")}`, rules: rulesIn(given) };
    return desk.send(
      event.target,
      (headers) => desk.api.post(`/v1/games/${desk.game.id}/cases`, body, headers),
      "The case is open.",
      "dispute",
    );
  };
  return html`<section aria-labelledby="dispute">
    <h2 id="dispute">Dispute this step</h2>
    <form @submit=${submit}>
      <label>What it is about
        <select name="kind">${Object.entries(KINDS)
          .filter(([kind]) => kind !== "refusal" && (kind !== "result" || desk.game.status === "over"))
          .map(([kind, words]) => html`<option value=${kind}>${capital(words)}</option>`)}</select></label>
      ${cited(desk, false)}
      <label>Your statement <textarea name="statement" required maxlength="2000" rows="4"></textarea></label>
      <p class="quiet">Seats and officials can read it, and everybody when the game is over. The game goes on meanwhile.</p>
      <button class="strong">Open a case</button>
      ${refusalIn(desk, "dispute")}
    </form>
  </section>`;
}

/**
 * @param {OpenDesk} desk
 * @param {string} id
 */
function rulingForm(desk, id) {
  const { seen, game } = desk;
  const possible = Object.entries(DECISIONS).filter(([kind]) => {
    if (NEED_RUNNING_GAME.includes(kind) && game.status !== "running") return false;
    if (kind === "back") return seen.way_back;
    if (kind === "pause" || kind === "resume") return (game.paused === null) === (kind === "pause");
    return kind !== "continue" || game.status === "over";
  });
  /** @param {Submitted} event */
  const submit = (event) => {
    const given = read(event);
    const decision = /** @type {NewRuling["decision"]} */ (textIn(given, "decision"));
    /** @type {NewRuling} */
    const body = {
      decision,
      rules: rulesIn(given),
      reason: `${given.get("reason")}`,
      ...(desk.head ?? { version: 0, hash: "" }),
    };
    if (decision === "back") body.to = seen.way_back?.to;
    if (decision === "continue") body.to = textIn(given, "fork");
    if (decision === "result")
      body.order = orderBy(game.seats.map(({ seat }) => [seat, Number(given.get(`place-${seat}`))]));
    return desk.send(
      event.target,
      (headers) => desk.api.post(`/v1/cases/${id}/rulings`, body, headers),
      "The ruling is made.",
      id,
    );
  };
  return html`<form @submit=${submit} aria-label="Rule on this case">
    <label>Decision
      <select name="decision" @change=${(/** @type {At<HTMLSelectElement>} */ event) => desk.decide(id, event.target.value)}>
        ${possible.map(([kind, words]) => html`<option value=${kind}>${capital(words)}</option>`)}
      </select></label>
    ${
      desk.decision.get(id) === "result"
        ? html`<fieldset><legend>Places; seats that tie have the same</legend>
          ${game.seats.map(({ seat }, /** @type {number} */ index) => html`<label>${named(seat)} <input type="number" name="place-${seat}" min="1" max=${game.seats.length} value=${index + 1} required /></label>`)}
        </fieldset>`
        : nothing
    }
    ${desk.decision.get(id) === "continue" ? continuation(desk) : nothing}
    ${cited(desk, true)}
    <label>Reason <textarea name="reason" required maxlength="2000" rows="3"></textarea></label>
    <p class="quiet">The reason is public, and stays in the log. The ruling rests on version ${desk.head?.version}: if the game has gone on since, the service refuses it.</p>
    <button class="strong" ?disabled=${desk.decision.get(id) === "continue" && !desk.continuations.length}>Rule</button>
  </form>`;
}

/**
 * The choice of a fork in which a game that is over goes on, and a button that makes a fork from before the step.
 * @param {OpenDesk} desk
 */
function continuation(desk) {
  const { continuations, seen } = desk;
  return html`<fieldset><legend>The fork in which it goes on, with new dice</legend>
    ${
      continuations.length
        ? html`<label>Fork <select name="fork" required>${continuations.map(
            ({ id, fork, status }) => html`<option value=${id}>
          from version ${fork?.version}, ${status}</option>`,
          )}</select></label>`
        : html`<p>There is none yet.</p>`
    }
    ${seen.before ? html`<button type="button" @click=${() => desk.makeContinuation()}>Make one from version ${seen.before}</button>` : nothing}
  </fieldset>`;
}

/** Return the ids of the rules that were ticked. @param {FormData} given */
function rulesIn(given) {
  return given.getAll("rules").map(String);
}

/** Return what was filled in, instead of letting the browser send it. @param {Submitted} event */
function read(event) {
  event.preventDefault();
  return new FormData(event.target);
}
