/**
 * A refusal that the seat can dispute. That opens a case about the refused command.
 * @module
 */

/**
 * @import { Tried } from "../state/commands.js"
 * @import { At, Body, CaseDetail, Table } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { refusal } from "../parts/rule.js";
import { newKey, Problem } from "../state/api.js";

/**
 * A complaint about a refusal: whether its form is open, its text, the key of the request, and its outcome.
 * @typedef {{isOpen: boolean, busy: boolean, text: string, key: string, problem: Problem | null, case: CaseDetail | null}} Complaint
 */

/** The complaint about each refusal. @type {WeakMap<Problem, Complaint>} */
const disputes = new WeakMap();

/**
 * @param {Table} room
 * @param {Problem} problem the refusal
 * @param {Tried} [tried] what was refused, and when
 */
export function refused(room, problem, tried = undefined) {
  return [
    refusal(room, problem),
    room.isGame && tried && problem.problem.rule && room.seat ? dispute(room, problem, tried) : nothing,
  ];
}

/**
 * @param {Table} room
 * @param {Problem} problem
 * @param {Tried} tried
 */
function dispute(room, problem, tried) {
  /** @type {Complaint} */
  const state = disputes.get(problem) ?? {
    isOpen: false,
    busy: false,
    text: "",
    key: newKey(),
    problem: null,
    case: null,
  };
  disputes.set(problem, state);
  if (state.case) {
    return html`<p class="outcome done" role="status">Case ${state.case.summary.number} is open.
      <a href="/games/${room.id}/desk#v=${tried.version}">See it on the judge's desk</a></p>`;
  }
  const toggle = () => {
    state.isOpen = !state.isOpen;
    if (state.isOpen) room.focusOn("complaint");
    room.redraw();
  };
  // Not a form: the form whose command was refused may be around it.
  return html`<div class="dispute" role="group" aria-label="Dispute this refusal">
    <button type="button" aria-expanded=${String(state.isOpen)} @click=${toggle}>Dispute this refusal</button>
    ${
      state.isOpen
        ? html`<div class="fields">
          <label for="complaint">Why should it have been accepted?</label>
          <textarea id="complaint" rows="3" maxlength="2000" .value=${state.text} @input=${(/** @type {At<HTMLTextAreaElement>} */ event) => (state.text = event.target.value)}
            @keydown=${(/** @type {At<HTMLTextAreaElement, KeyboardEvent>} */ event) => event.stopPropagation()}></textarea>
          <p class="hint">An official rules on it. The command is sent along, and everybody can see it unless it is a secret of your seat.
            The game goes on meanwhile.</p>
          <button type="button" class="strong" ?disabled=${state.busy} @click=${() => open(room, problem, tried, state)}>Open a case</button>
          ${state.problem ? refusal(room, state.problem) : nothing}
        </div>`
        : nothing
    }
  </div>`;
}

/**
 * @param {Table} room
 * @param {Problem} problem
 * @param {Tried} tried
 * @param {Complaint} state
 */
async function open(room, { problem }, { command, version }, state) {
  state.busy = true;
  state.problem = null;
  room.redraw();
  const body = /** @type {Body<"/v1/games/{game}/cases", "post">} */ ({
    kind: "refusal",
    version,
    rules: [problem.rule],
    command,
    statement: state.text,
  });
  try {
    state.case = await room.api.post(`/v1/games/${room.id}/cases`, body, { "Idempotency-Key": state.key });
    room.dispatchEvent(new Event("disputed"));
  } catch (found) {
    if (!(found instanceof Problem)) throw found;
    // Without an answer the request may have arrived: sending it again with the same key is safe.
    if (found.status && found.status < 500) state.key = newKey();
    state.problem = found;
  }
  state.busy = false;
  room.redraw();
}
