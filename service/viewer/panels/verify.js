/**
 * The panel that verifies: this game as any stranger gets it, or an export from a file.
 * @module
 */

import { html, nothing } from "../vendor/lit-html.js";
import { count } from "../parts/format.js";
import { BEYOND, verify } from "../proof/verify.js";

const checks = new WeakMap();

/** @param {import("../state/room.js").Room} room */
export function verifyPanel(room) {
  if (!checks.has(room)) checks.set(room, new Check(room));
  const check = checks.get(room);
  return html`<h2>Verify</h2>
    <p>
      Your browser reads the public log. It computes the hash chain again and checks who did what and when. After the end
      of the game, it draws all dice again from the secret that was committed to before the start.
    </p>
    <div class="buttons">
      <button class="strong" ?disabled=${check.running} @click=${() => check.game()}>Verify</button>
      <label class="file"
        >or an export from your disk
        <input
          type="file"
          accept=".jsonl,.ndjson,application/x-ndjson"
          ?disabled=${check.running}
          @change=${(event) => check.file(event.target)}
      /></label>
    </div>
    <p>
      <a href="/v1/games/${room.id}/export" download>Save the export</a>: the whole public log in a file. Anybody can check
      it elsewhere, with this page or <code>tabularium verify</code>.
    </p>
    ${explanation()}
    <div role="status">${check.running ? progress(check) : nothing} ${check.verdict ? result(room, check) : nothing}</div>`;
}

const FIELDS = [
  ["Hashes, versions, the digest of the file", "computed again", "computed again"],
  ["Ruleset, board and documents", "those of the first event", "those of the first event, and playable"],
  ["Time", "valid, in UTC, never backwards", "valid, in UTC, never backwards"],
  ["Account and seat of each act", "whoever holds the seat; for a ruling, an official on a case, or the organizer", "the same"],
  ["Command, and the events that follow", "not checked", "decided again by the rules"],
  ["Dice, shuffles, salts", "drawn again after the end", "drawn again after the end"],
  ["Hidden values", "fit their commitments", "fit their commitments, and are what was sealed"],
];

/** What each check looks at: a summary of `openapi/verification.md`. */
function explanation() {
  return html`<details class="explanation">
    <summary>What is checked, and what cannot be</summary>
    <table>
      <thead>
        <tr><th scope="col">In the log</th><th scope="col">This page</th><th scope="col"><code>tabularium verify</code></th></tr>
      </thead>
      <tbody>
        ${FIELDS.map(([what, here, there]) => html`<tr><th scope="row">${what}</th><td>${here}</td><td>${there}</td></tr>`)}
      </tbody>
    </table>
    <p>No export can show:</p>
    <ul>${BEYOND.map((line) => html`<li>${line}</li>`)}</ul>
    <p>
      <code>openapi/verification.md</code> in the source of this service lists every field of an export and what is checked
      of it.
    </p>
  </details>`;
}

/** What is being verified, and what came of it. */
class Check {
  constructor(room) {
    this.room = room;
    this.running = false;
    this.done = 0;
    this.verdict = null;
    this.source = "";
    this.milliseconds = 0;
    /** What the service says of the same version: "same", "other", or "" when it does not know the game. */
    this.compared = "";
  }

  /** Verify the room's game. It is fetched without a token: what a stranger gets must be enough. */
  async game() {
    await this.#run(`Game ${this.room.id}`, async () => {
      const answer = await fetch(`/v1/games/${this.room.id}/export`);
      if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
      return answer.text();
    });
  }

  async file(input) {
    const [file] = input.files;
    if (!file) return;
    await this.#run(file.name, () => file.text());
    input.value = "";
  }

  async #run(source, read) {
    Object.assign(this, { source, running: true, done: 0, verdict: null, compared: "" });
    this.room.redraw();
    try {
      if (!globalThis.crypto?.subtle) throw new Error("browsers compute hashes on HTTPS and on localhost only");
      const text = await read();
      const began = performance.now();
      const ruleset = await this.#ruleset(text);
      this.verdict = await verify(text, { ruleset, progress: (done, total) => this.#progress(done, total) });
      this.milliseconds = Math.round(performance.now() - began);
      performance.measure("verify", { start: began, detail: { versions: this.verdict.versions } });
      if (this.verdict.ok) await this.#compare();
    } catch (error) {
      this.verdict = { ok: false, problem: `This could not be checked: ${error.message}.`, versions: 0, failed: true };
    } finally {
      this.running = false;
      this.room.redraw();
    }
  }

  #progress(done, total) {
    this.done = done / total;
    this.room.redraw();
  }

  /** Read the ruleset that the first line names: it says where events show dice. None when the service has no such. */
  async #ruleset(text) {
    const named = /"ruleset":"([a-z0-9-]+)","ruleset_version":\d+\}\n/.exec(text)?.[1];
    if (named === this.room.ruleset?.id) return this.room.ruleset;
    return named && this.room.api.get(`/v1/rulesets/${named}`).catch(() => undefined);
  }

  /** Compare the head with what the service has at that version: a log may be sound and not be the one that was played. */
  async #compare() {
    const { game, versions, head } = this.verdict;
    const page = await this.room.api
      .get(`/v1/games/${encodeURIComponent(game)}/events`, { after: versions - 1, limit: 1 })
      .catch(() => ({ items: [] }));
    const [event] = page.items;
    this.compared = event ? (event.hash === head ? "same" : "other") : "";
  }
}

function progress(check) {
  return html`<label>Verifying … <progress max="1" value=${check.done}></progress></label>`;
}

function result(room, check) {
  const { verdict, source } = check;
  return verdict.ok && check.compared !== "other" ? seal(check) : broken(room, check, verdict, source);
}

function seal({ verdict, source, milliseconds, compared }) {
  return html`<div class="seal">
    <h3><span aria-hidden="true">✓</span> Sealed</h3>
    <p>${source}: ${count(verdict.versions, "version")} in ${milliseconds} ms.</p>
    <dl class="facts">
      <div><dt>head</dt><dd><code class="hash">${verdict.head}</code></dd></div>
      <div><dt>commitment to the dice</dt><dd><code class="hash">${verdict.commitment}</code></dd></div>
    </dl>
    <p>${COMPARED[compared]}</p>
    <h4>Checked here</h4>
    <ul>${verdict.checked.map((line) => html`<li>${line}</li>`)}</ul>
    <h4>Not checked here</h4>
    <ul>${verdict.unchecked.map((line) => html`<li>${line}</li>`)}</ul>
    <h4>What no export can show</h4>
    <ul>${BEYOND.map((line) => html`<li>${line}</li>`)}</ul>
  </div>`;
}

const COMPARED = {
  same: "The service has the same head at this version. If you noted down the head earlier, compare it with this one.",
  "": "This service does not know the game. Compare the head with one that you trust.",
};

function broken(room, { compared }, verdict, source) {
  const { version, line } = verdict;
  if (verdict.failed) return html`<p class="outcome refused" role="alert">${verdict.problem}</p>`;
  const other = "The log is consistent, but this service has another log of this game: its head at this version differs.";
  return html`<div class="outcome refused" role="alert">
    <h3><span aria-hidden="true">✗</span> ${version ? `Version ${version} is wrong` : "This log is wrong"}</h3>
    <p>${source}: ${compared === "other" ? other : verdict.problem}</p>
    <p class="quiet">${line ? `Line ${line}. ` : ""}Nothing was checked beyond this.</p>
    ${version && verdict.game === room.id
      ? html`<button @click=${() => room.show(version)}>Show version ${version}</button>`
      : nothing}
  </div>`;
}
