/**
 * The cases about a step, earlier rulings on its rules, and the forms for a dispute and for a ruling.
 * @module
 */

import { html, nothing } from "../vendor/lit-html.js";
import { capital, clock, named, plain, seatName } from "../parts/format.js";

const KINDS = {
  move: "a move should have been refused",
  slip: "a slip of the hand",
  dice: "the dice",
  time: "time",
  conduct: "conduct",
  result: "the result",
};
const DECISIONS = {
  dismissed: "dismissed: there is nothing in it",
  stands: "stands: what was done counts",
  back: "back: to the version before the step",
  pause: "pause the game",
  resume: "resume the game",
  result: "result: the final order of the seats",
};
const WAITING = ["open", "appealed"];

/** @param {import("./desk.js").Desk} desk */
export function cases(desk) {
  const { seen } = desk;
  return html`<section aria-labelledby="cases">
      <h2 id="cases">Cases about this step</h2>
      ${seen.cases.length ? seen.cases.map((summary) => oneCase(desk, summary)) : html`<p>Nobody has disputed it.</p>`}
    </section>
    ${desk.mayDispute ? dispute(desk) : nothing}
    ${seen.precedents.length
      ? html`<section aria-labelledby="before">
          <h2 id="before">Earlier rulings on these rules</h2>
          ${seen.precedents.map(
            ({ summary, rulings }) => html`<article>
              <h3><a href="/games/${summary.game}/desk#v=${summary.about}">${capital(KINDS[summary.kind] ?? summary.kind)}</a>
                <span class="quiet">${summary.rules.join(", ")}</span></h3>
              ${rulings.map(ruled)}
            </article>`,
          )}
        </section>`
      : nothing}`;
}

function oneCase(desk, summary) {
  const { case: id, status, kind, number, seat } = summary;
  const detail = desk.details.get(id);
  return html`<article class="case" aria-label="Case ${number}">
    <h3>Case ${number}: ${KINDS[kind] ?? kind} <span class="status">${status}</span></h3>
    <p class="quiet">Opened by ${seat ? seatName(desk.game, seat) : "an official"}, <time datetime=${summary.created}>${clock(summary.created)}</time>.
      <a href="/v1/cases/${id}/export">Export</a></p>
    ${detail?.refusal ? html`<p class="problem">Decided again: ${detail.refusal.detail} <span class="quiet">Rule ${detail.refusal.rule}</span></p>` : nothing}
    ${(detail?.statements ?? []).map(
      ({ seat: writer, text, erased, at }) => html`<blockquote>
        <p>${text ?? (erased ? "Erased." : "Only seats and officials may read this.")}</p>
        <footer class="quiet">${writer ? seatName(desk.game, writer) : "An official"}, ${clock(at)}</footer>
      </blockquote>`,
    )}
    ${(detail?.rulings ?? []).map(ruled)}
    ${desk.isOfficial && WAITING.includes(status) ? ruling(desk, id) : nothing}
  </article>`;
}

function ruled({ ruling, at, is_final: isFinal }) {
  return html`<p class="ruling">${isFinal ? "Ruled finally" : "Ruled"}: <strong>${ruling.decision}</strong>. ${ruling.reason}
    <span class="quiet">${ruling.cited.join(", ")}; ${clock(at)}</span></p>`;
}

function cited(desk, isOne) {
  return html`<fieldset>
    <legend>Rules that it rests on${isOne ? ", at least one" : ""}</legend>
    ${desk.seen.rules.map(({ id, title }) => html`<label><input type="checkbox" name="rules" value=${id} /> ${id}: ${title}</label>`)}
  </fieldset>`;
}

function dispute(desk) {
  const submit = (event) => {
    const given = read(event);
    const body = { kind: given.get("kind"), version: desk.seen.version, statement: given.get("statement"), rules: given.getAll("rules") };
    return desk.send(event.target, `/v1/games/${desk.game.id}/cases`, body, "The case is open.");
  };
  return html`<section aria-labelledby="dispute">
    <h2 id="dispute">Dispute this step</h2>
    <form @submit=${submit}>
      <label>What it is about
        <select name="kind">${Object.entries(KINDS).map(([kind, words]) => html`<option value=${kind}>${capital(words)}</option>`)}</select></label>
      ${cited(desk, false)}
      <label>Your statement <textarea name="statement" required maxlength="2000" rows="4"></textarea></label>
      <p class="quiet">Seats and officials can read it, and everybody when the game is over. The game goes on meanwhile.</p>
      <button class="strong">Open a case</button>
    </form>
  </section>`;
}

function ruling(desk, id) {
  const { seen, game } = desk;
  const possible = Object.entries(DECISIONS).filter(([kind]) => kind !== "back" || seen.way_back);
  const submit = (event) => {
    const given = read(event);
    const decision = given.get("decision");
    const body = { decision, rules: given.getAll("rules"), reason: given.get("reason"), ...desk.head };
    if (decision === "back") body.to = seen.way_back.to;
    if (decision === "result") body.order = order(game.seats.map(({ seat }) => [seat, Number(given.get(`place-${seat}`))]));
    return desk.send(event.target, `/v1/cases/${id}/rulings`, body, "The ruling is made.");
  };
  return html`<form @submit=${submit} aria-label="Rule on this case">
    <label>Decision
      <select name="decision" @change=${(event) => desk.decide(id, event.target.value)}>
        ${possible.map(([kind, words]) => html`<option value=${kind}>${capital(words)}</option>`)}
      </select></label>
    ${desk.decision.get(id) === "result"
      ? html`<fieldset><legend>Places; seats that tie have the same</legend>
          ${game.seats.map(({ seat }, index) => html`<label>${named(seat)} <input type="number" name="place-${seat}" min="1" max=${game.seats.length} value=${index + 1} required /></label>`)}
        </fieldset>`
      : nothing}
    ${cited(desk, true)}
    <label>Reason <textarea name="reason" required maxlength="2000" rows="3"></textarea></label>
    <p class="quiet">The reason is public, and stays in the log. It rests on version ${desk.head?.version}: when the game goes on meanwhile, nothing happens.</p>
    <button class="strong">Rule</button>
  </form>`;
}

/** The seats by their places, those that tie together. */
function order(places) {
  const taken = [...new Set(places.map(([, place]) => place))].sort((one, other) => one - other);
  return taken.map((mine) => places.filter(([, place]) => place === mine).map(([seat]) => seat));
}

function read(event) {
  event.preventDefault();
  return new FormData(event.target);
}
