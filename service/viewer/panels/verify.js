/**
 * The panel that verifies this game, or a case about it, from the export that anybody would get; or an export in a
 * file.
 * @module
 */

/**
 * @import { Certified } from "../proof/certificate.js"
 * @import { Memory } from "../proof/memory.js"
 * @import { Verdict } from "../proof/verify.js"
 * @import { Room } from "../state/room.js"
 * @import { At, CaseSummary } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { count } from "../parts/format.js";
import { problemOf } from "../state/api.js";
import { docketOf } from "../state/docket.js";
import { certify } from "../proof/certificate.js";
import { memoryOf } from "../proof/memory.js";
import { BEYOND, verify } from "../proof/verify.js";

/** @type {WeakMap<Room, Check>} */
const checks = new WeakMap();

/** @param {Room} room */
export function verifyPanel(room) {
  const check = checkOf(room);
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
          @change=${(/** @type {At<HTMLInputElement>} */ event) => check.file(event.target)}
      /></label>
    </div>
    <div role="status">${check.running ? progress(check) : nothing} ${check.verdict ? result(room, check) : nothing}</div>
    <p>
      <a href="/v1/games/${room.id}/export" download>Save the export</a>: the whole public log in a file. Anybody can check
      it elsewhere, with this page or <code>tabularium verify</code>.
    </p>
    ${cases(room, check)}
    ${memorySection(memoryOf(room))}
    ${explanation()}`;
}

/** Verify the game as the button does, unless a check is running. @param {Room} room */
export function verifyGame(room) {
  const check = checkOf(room);
  if (!check.running) check.game();
}

/** @param {Room} room */
function checkOf(room) {
  const check = checks.get(room) ?? new Check(room);
  checks.set(room, check);
  return check;
}

/**
 * The buttons that verify the cases about the game.
 * @param {Room} room
 * @param {Check} check
 */
function cases(room, check) {
  const { all } = docketOf(room);
  if (!all.length) return nothing;
  return html`<p class="buttons">Disputes about it:
    ${all.map((each) => html`<button ?disabled=${check.running} @click=${() => check.case(each)}>Verify case ${each.number}</button>`)}</p>`;
}

/** What this browser saw at earlier visits, and whether the service still shows it. @param {Memory} memory */
function memorySection(memory) {
  const { problem, sentences, evidence } = memory;
  const first = "At your next visit, your browser compares the service's log and this game with what it sees now.";
  return html`<h3>Seen before</h3>
    ${
      problem
        ? html`<p class="outcome refused">${problem} Either history was rewritten, or an old copy of the database was restored. Keep the evidence, and ask the service why.</p>
          <div class="buttons">
            <a href=${evidence} download="evidence.json">Save the evidence</a>
            <button @click=${() => memory.forget()}>Forget what this browser saw</button>
          </div>`
        : html`<ul class="seen">${(sentences.length ? sentences : [first]).map((line) => html`<li>${line}</li>`)}</ul>`
    }`;
}

const FIELDS = [
  ["Hashes, versions, the digest of the file", "computed again", "computed again"],
  ["Ruleset, board and documents", "those of the first event", "those of the first event, and playable"],
  ["Time", "valid, in UTC, never backwards", "valid, in UTC, never backwards"],
  [
    "Account and seat of each act",
    "the player who holds the seat; for a ruling, an official on a case, or the organizer",
    "the same",
  ],
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

/**
 * A verdict. `failed` says that the check itself failed; then `problem` says why.
 * @typedef {Verdict & {failed?: boolean}} Judged
 */

/** A check of an export, and its result. */
class Check {
  /** @param {Room} room */
  constructor(room) {
    this.room = room;
    this.running = false;
    /** The share that is checked, from 0 to 1. */
    this.done = 0;
    /** The verdict; null before it. @type {Judged | null} */
    this.verdict = null;
    /** What was checked: a game, a case, or the name of a file. */
    this.source = "";
    /** How long the check took. */
    this.milliseconds = 0;
    /** Whether the service has the same head at this version; "" if it does not know the game or case. @type {"" | "same" | "other"} */
    this.compared = "";
    /** The result of checking the certificate; null before. @type {(Certified & {stream: string}) | null} */
    this.certified = null;
    /** A policy that the visitor chose; empty for the policy that the service shows. */
    this.policy = "";
  }

  /** Check the certificate of what was verified. Wait some seconds if the service does not have it yet. */
  async certificate() {
    const { room, verdict } = this;
    if (!verdict) return;
    /** @type {`/v1/cases/${string}` | `/v1/games/${string}`} */
    const stream = verdict.case ? `/v1/cases/${verdict.case}` : `/v1/games/${verdict.game}`;
    this.certified = null;
    try {
      let text;
      for (let tries = 10; text === undefined; tries -= 1) {
        text = await room.api.text(`${stream}/certificate?version=${verdict.versions}`).catch(async (problem) => {
          if (!tries || !problem.problem?.type?.endsWith("not-logged-yet")) throw problem;
          await new Promise((done) => setTimeout(done, 1000));
        });
      }
      const policy = this.policy || (await room.api.get("/v1/transparency/key")).policy;
      this.certified = { stream, ...(await certify(text, policy, verdict)) };
    } catch (error) {
      this.certified = { stream, ok: false, problem: problemOf(error).message, sentences: [], unchecked: [] };
    }
    room.redraw();
  }

  /** Trust the policy in a file instead of the one that the service shows. @param {HTMLInputElement} input */
  async use(input) {
    this.policy = (await input.files?.[0]?.text()) ?? "";
    await this.certificate();
  }

  /** Verify the room's game, from the export that anybody gets without a token. */
  async game() {
    await this.#run(`Game ${this.room.id}`, () => fetchExport(`/v1/games/${this.room.id}`));
  }

  /** Verify a case about the room's game, from the exports that anybody gets. @param {CaseSummary} summary */
  async case({ case: id, number }) {
    await this.#run(`Case ${number}`, () => fetchExport(`/v1/cases/${id}`));
  }

  /** Verify an export in a file. @param {HTMLInputElement} input */
  async file(input) {
    const [file] = input.files ?? [];
    if (!file) return;
    await this.#run(file.name, () => file.text());
    input.value = "";
  }

  /**
   * @param {string} source what is checked, in words
   * @param {() => Promise<string>} read reads the export
   */
  async #run(source, read) {
    Object.assign(this, { source, running: true, done: 0, verdict: null, compared: "", certified: null });
    this.room.redraw();
    try {
      if (!globalThis.crypto?.subtle) throw new Error("browsers compute hashes on HTTPS and on localhost only");
      const text = await read();
      const began = performance.now();
      const [ruleset, game] = [await this.#ruleset(text), await this.#gameOf(text)];
      this.verdict = await verify(text, {
        ruleset: ruleset ?? undefined,
        game,
        progress: (done, total) => this.#progress(done, total),
      });
      this.milliseconds = Math.round(performance.now() - began);
      performance.measure("verify", { start: began, detail: { versions: this.verdict.versions } });
      if (this.verdict.ok) await this.#compare();
    } catch (error) {
      const problem = `This could not be checked: ${/** @type {Error} */ (error).message}.`;
      this.verdict = { ok: false, problem, rows: [], versions: 0, checked: [], unchecked: [], failed: true };
    } finally {
      this.running = false;
      this.room.redraw();
    }
  }

  /**
   * @param {number} done
   * @param {number} total
   */
  #progress(done, total) {
    this.done = done / total;
    this.room.redraw();
  }

  /**
   * Read the ruleset that the first line names, which says where events show dice. Return undefined if the service does
   * not have it.
   * @param {string} text
   */
  async #ruleset(text) {
    const named = /"ruleset":"([a-z0-9-]+)","ruleset_version":\d+\}\n/.exec(text)?.[1];
    if (named === this.room.ruleset?.id) return this.room.ruleset;
    return named ? this.room.api.get(`/v1/rulesets/${named}`).catch(() => undefined) : undefined;
  }

  /**
   * Read the export of the game that a case is about, which says who held the seats. Return undefined if the service
   * does not have it, or the text is no case.
   * @param {string} text
   */
  async #gameOf(text) {
    const game = /^\{"case":"c[0-9a-z]+","format":"[^"]+","game":"([^"\\]+)"\}\n/.exec(text)?.[1];
    return game ? fetchExport(`/v1/games/${encodeURIComponent(game)}`).catch(() => undefined) : undefined;
  }

  /**
   * Compare the head with the one that the service has at this version: a consistent log may be another one than that
   * of the game that was played.
   */
  async #compare() {
    const { api } = this.room;
    const { game = "", case: id, versions, head } = /** @type {Judged} */ (this.verdict);
    const last = { after: versions - 1, limit: 1 };
    const read = id
      ? api.get(`/v1/cases/${encodeURIComponent(id)}/events`, last)
      : api.get(`/v1/games/${encodeURIComponent(game)}/events`, last);
    const page = await read.catch(() => null);
    const [event] = page?.items ?? [];
    this.compared = event ? (event.hash === head ? "same" : "other") : "";
  }
}

/** Return an export as anybody gets it. Throw an error if there is none. @param {string} stream the address of a game or case */
async function fetchExport(stream) {
  const answer = await fetch(`${stream}/export`, { credentials: "omit" });
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
  return answer.text();
}

/** @param {Check} check */
function progress(check) {
  return html`<label>Verifying … <progress max="1" value=${check.done}></progress></label>`;
}

/**
 * @param {Room} room
 * @param {Check} check
 */
function result(room, check) {
  const { verdict, source } = check;
  if (!verdict) return nothing;
  return verdict.ok && check.compared !== "other" ? seal(check) : broken(room, check, verdict, source);
}

/** @param {Check} check */
function seal(check) {
  const { verdict, source, milliseconds, compared } = check;
  if (!verdict) return nothing;
  return html`<div class="seal">
    <h3><span aria-hidden="true">✓</span> Sealed</h3>
    <p>${source}: ${count(verdict.versions, "version")} in ${milliseconds} ms.</p>
    <dl class="facts">
      <div><dt>head</dt><dd><code class="hash">${verdict.head}</code></dd></div>
      ${verdict.commitment ? html`<div><dt>commitment to the dice</dt><dd><code class="hash">${verdict.commitment}</code></dd></div>` : nothing}
    </dl>
    <p>${COMPARED[compared]}</p>
    ${certificate(check)}
    <h4>Checked here</h4>
    <ul>${verdict.checked.map((/** @type {string} */ line) => html`<li>${line}</li>`)}</ul>
    <h4>Not checked here</h4>
    <ul>${verdict.unchecked.map((/** @type {string} */ line) => html`<li>${line}</li>`)}</ul>
    <h4>What no export can show</h4>
    <ul>${BEYOND.map((line) => html`<li>${line}</li>`)}</ul>
  </div>`;
}

/** The certificate: whether the service signed this log in its transparency log. @param {Check} check */
function certificate(check) {
  const { certified, compared, policy } = check;
  if (!compared) return nothing;
  return html`<h4>Certificate</h4>
    <div role="status">${certified ? outcome(certified) : html`<p>The service signs the head of every log. With its certificate you can show later that it stood by this one.</p>`}</div>
    <div class="buttons">
      <button @click=${() => check.certificate()}>Check the certificate</button>
      ${certified ? html`<a href="${certified.stream}/certificate" download>Save the certificate</a>` : nothing}
    </div>
    ${
      certified
        ? html`<label class="file">Trust a policy that you kept${policy ? nothing : ", and not the key that this service shows now"}
          <input type="file" @change=${(/** @type {At<HTMLInputElement>} */ event) => check.use(event.target)} /></label>`
        : nothing
    }`;
}

/** @param {Certified} certified */
function outcome({ ok, problem, sentences, unchecked }) {
  if (!ok) return html`<p class="outcome refused">${problem}</p>`;
  return html`<ul>${sentences.map((line) => html`<li>${line}</li>`)}</ul>
    ${unchecked.length ? html`<p>Not checked:</p><ul>${unchecked.map((line) => html`<li>${line}</li>`)}</ul>` : nothing}`;
}

/** @type {Record<string, string>} */
const COMPARED = {
  same: "The service has the same head at this version. If you noted down the head earlier, compare it with this one.",
  "": "This service does not know it. Compare the head with one that you trust.",
};

/**
 * @param {Room} room
 * @param {Check} check
 * @param {Judged} verdict
 * @param {string} source
 */
function broken(room, { compared }, verdict, source) {
  const { version, line } = verdict;
  if (verdict.failed) return html`<p class="outcome refused" role="alert">${verdict.problem}</p>`;
  const other = "The log is consistent, but this service has another log of it: its head at this version differs.";
  return html`<div class="outcome refused" role="alert">
    <h3><span aria-hidden="true">✗</span> ${version ? `Version ${version} is wrong` : "This log is wrong"}</h3>
    <p>${source}: ${compared === "other" ? other : verdict.problem}</p>
    <p class="quiet">${line ? `Line ${line}. ` : ""}Nothing was checked beyond this.</p>
    ${
      version && verdict.game === room.id && !verdict.case
        ? html`<button @click=${() => room.show(version)}>Show version ${version}</button>`
        : nothing
    }
  </div>`;
}
