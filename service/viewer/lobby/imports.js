/**
 * The list of games that other services recorded, the newest import first, and a form that imports one from a file.
 * @module
 */

/** @import { At } from "../types.js" */

import { html, nothing, render } from "../vendor/lit-html.js";
import { ago, clock, count, named } from "../parts/format.js";
import { endedAs } from "../parts/order.js";
import { moreButton } from "../parts/more.js";
import { Api, problemOf } from "../state/api.js";
import { Pages } from "../state/pages.js";

/** @typedef {import("../state/api.js").Problem} Problem */

const api = new Api();
const place = /** @type {HTMLElement} */ (document.getElementById("imports"));
const imports = new Pages((cursor) => api.get("/v1/imports", { limit: 20, cursor }));
/** Whether an import is under way, and why the last one failed. @type {{busy: boolean, problem: Problem | null}} */
const page = { busy: false, problem: null };

function draw() {
  const { busy, problem } = page;
  render(
    html`<h1>Games of other services</h1>
      <p class="lead">Somebody brought their exports here. Each was verified first; none counts in this service.</p>
      <ul>${imports.items.map(
        (each) => html`<li><a href="/imports/${each.id}">${each.ruleset}, ${count(each.seats.length, "seat")}</a>
        <span>${endedAs(each.finish, named)}</span>
        <span class="quiet">from ${each.origin ? html`<bdi>${each.origin}</bdi>` : "a service that nobody named"};
          <time datetime=${each.imported} title=${clock(each.imported)}>${ago(each.imported)}</time></span></li>`,
      )}</ul>
      ${imports.items.length ? nothing : html`<p>There are none yet.</p>`}
      ${moreButton(imports, draw)}
      <section aria-labelledby="import-title"><h2 id="import-title">Import a game</h2>
        <form @submit=${submit}>
          <p><label>The export of a game that is over <input type="file" name="export" accept=".jsonl,.ndjson" required></label></p>
          <p><label>Its certificate, if you have it <input type="file" name="certificate" accept=".tlog-proof,.txt"></label></p>
          <p><label>The policy of its service, with a certificate <input type="file" name="policy"></label></p>
          <button class="strong" ?disabled=${busy}>Import</button>
        </form>
        <p role="status">${busy ? "Verifying it, which takes some seconds …" : nothing}</p>
        ${problem ? html`<p class="problem" role="alert">${problem.message} ${problem.problem.allowed ?? nothing}</p>` : nothing}
      </section>`,
    place,
  );
}

/** @param {At<HTMLFormElement>} event */
async function submit(event) {
  event.preventDefault();
  const given = new FormData(event.currentTarget);
  Object.assign(page, { busy: true, problem: null });
  draw();
  try {
    const [text, certificate, policy] = await Promise.all(
      ["export", "certificate", "policy"].map((name) => textOf(given.get(name))),
    );
    const body = { export: text ?? "", ...(certificate && { certificate }), ...(policy && { policy }) };
    location.assign(`/imports/${(await api.post("/v1/games/import", body)).id}`);
  } catch (error) {
    Object.assign(page, { busy: false, problem: problemOf(error) });
    draw();
  }
}

/** @param {FormDataEntryValue | null} file @returns {Promise<string | undefined>} its text; undefined when none was chosen */
async function textOf(file) {
  return file instanceof File && file.size ? file.text() : undefined;
}

try {
  await imports.more();
  draw();
} catch (error) {
  render(html`<h1>Games of other services</h1><p class="problem" role="alert">${problemOf(error).message}</p>`, place);
}
