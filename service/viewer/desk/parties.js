/**
 * What somebody can do in a case. A party can answer, make a statement, agree, withdraw and appeal. An official or an
 * administrator can remove a text.
 * @module
 */

/**
 * @import { CaseDetail, CaseStatement, Submitted } from "../types.js"
 * @import { OpenDesk } from "./desk.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { refusal } from "../parts/rule.js";

const WAITING = ["open", "appealed"];
const CLOSED = ["withdrawn", "settled", "final"];

/**
 * The forms for what the viewer's seat can do in a case now.
 * @param {OpenDesk} desk
 * @param {CaseDetail} detail
 */
export function parties(desk, detail) {
  const { case: id, seat: opener, player, status } = detail.summary;
  const { seat } = desk;
  const isOpener = player === desk.account.me?.id;
  const hasAnswered = detail.statements.some(({ kind, seat: writer }) => kind === "case-answered" && writer === seat);
  const waits = WAITING.includes(status);
  const mayAnswer = seat && waits && seat !== opener && !hasAnswered;
  const mayConsent =
    seat &&
    !desk.game.given_up.includes(seat) &&
    !CLOSED.includes(status) &&
    status !== "appealed" &&
    !detail.consents.includes(seat) &&
    !(status === "open" && seat === opener);
  return html`${mayAnswer ? writing(desk, id, "answer", "Answer the complaint", "Your answer", "Answer", "Your answer is made.") : nothing}
    ${seat && waits ? writing(desk, id, "statements", "Make a statement", "Your statement", "Make the statement", "The statement is made.") : nothing}
    ${seat && status === "ruled" ? writing(desk, id, "appeal", "Appeal against the ruling", "Why the ruling is wrong", "Appeal", "The appeal is made.", "Once in a case. Another official then rules finally; until then the ruling stands.") : nothing}
    ${mayConsent ? consent(desk, id, status) : nothing}
    ${isOpener && status === "open" ? withdrawal(desk, id) : nothing}
    ${refusalIn(desk, id)}`;
}

/**
 * The last refusal, if it belongs to this part of the page.
 * @param {OpenDesk} desk
 * @param {string} id of a case, or another value of the desk's `about`
 */
export function refusalIn(desk, id) {
  return desk.problem && desk.about === id ? refusal(desk, desk.problem) : nothing;
}

/**
 * @param {OpenDesk} desk
 * @param {string} id
 * @param {"answer" | "statements" | "appeal"} path
 * @param {string} title
 * @param {string} label
 * @param {string} button
 * @param {string} done
 */
function writing(
  desk,
  id,
  path,
  title,
  label,
  button,
  done,
  note = "Seats and officials can read it, and everybody when the game is over.",
) {
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    const statement = `${new FormData(event.target).get("statement")}`;
    return desk.send(event.target, (headers) => write(desk, id, path, { statement }, headers), done, id);
  };
  return html`<details class="writing"><summary>${title}</summary>
    <form @submit=${submit} aria-label=${title}>
      <label>${label} <textarea name="statement" required maxlength="2000" rows="4"></textarea></label>
      <p class="quiet">${note}</p>
      <button class="strong">${button}</button>
    </form></details>`;
}

/**
 * @param {OpenDesk} desk
 * @param {string} id
 * @param {string} status
 */
function consent(desk, id, status) {
  const what = status === "open" ? "complaint" : "ruling";
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    return desk.send(
      event.target,
      (headers) => desk.api.post(`/v1/cases/${id}/consent`, undefined, headers),
      "You agree.",
      id,
    );
  };
  return html`<form @submit=${submit} aria-label="Agree with the ${what}">
    <p class="quiet">When all others agree with the ${what} too, the case is settled and closed. That alone changes nothing in the game.</p>
    <button>Agree with the ${what}</button>
  </form>`;
}

/**
 * @param {OpenDesk} desk
 * @param {string} id
 */
function withdrawal(desk, id) {
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    return desk.send(
      event.target,
      (headers) => desk.api.post(`/v1/cases/${id}/withdrawal`, undefined, headers),
      "The case is withdrawn.",
      id,
    );
  };
  return html`<details class="writing"><summary>Withdraw the case</summary>
    <form @submit=${submit} aria-label="Withdraw the case">
      <p class="quiet">That closes it, and you cannot open another one about the same.</p>
      <button>Withdraw it</button>
    </form></details>`;
}

/**
 * The form that removes the text of a statement, for officials and administrators.
 * @param {OpenDesk} desk
 * @param {string} id
 * @param {CaseStatement} statement
 */
export function erasing(desk, id, { version, text }) {
  if (text === null || !desk.mayErase) return nothing;
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    return desk.send(
      event.target,
      (headers) => desk.api.delete(`/v1/cases/${id}/statements/${version}`, headers),
      "The text is removed.",
      id,
    );
  };
  return html`<details class="writing"><summary>Remove this text</summary>
    <form @submit=${submit} aria-label="Remove the text of statement ${version}">
      <p class="quiet">Nobody can read it any more, and it cannot be brought back. The log keeps that something was written.</p>
      <button>Remove it</button>
    </form></details>`;
}

/**
 * Send what a party writes in a case.
 * @param {OpenDesk} desk
 * @param {string} id
 * @param {"answer" | "statements" | "appeal"} path the last part of the address
 * @param {{statement: string}} body
 * @param {Record<string, string>} headers
 */
function write({ api }, id, path, body, headers) {
  switch (path) {
    case "answer":
      return api.post(`/v1/cases/${id}/answer`, body, headers);
    case "appeal":
      return api.post(`/v1/cases/${id}/appeal`, body, headers);
    default:
      return api.post(`/v1/cases/${id}/statements`, body, headers);
  }
}
