/**
 * The page on which a game is created with all that its rules let a creator choose.
 * @module
 */

/** @import { RulesetSummary } from "../types.js" */

import { html, render } from "../vendor/lit-html.js";
import { accountForms } from "../parts/account-forms.js";
import { Account } from "../state/account.js";
import { Api } from "../state/api.js";
import { takeToken } from "../state/token.js";
import { newGame } from "./new-game.js";

const api = new Api();
takeToken(api);
const account = new Account(api);
const place = /** @type {HTMLElement} */ (document.getElementById("begin"));
/** @type {{rulesets: RulesetSummary[]}} */
const page = { rulesets: [] };
place.replaceChildren(); // The text that the page shows until its scripts have loaded.

function draw() {
  render(
    html`${newGame(api, account, page.rulesets, draw)}
      <section aria-label="Your account">
        ${account.me ? accountForms(account) : html`<details ?open=${Boolean(account.message)}><summary>I have an account</summary>${accountForms(account)}</details>`}
      </section>`,
    place,
  );
}

account.addEventListener("change", draw);
account.read();
page.rulesets = await api.get("/v1/rulesets", { limit: 100 }).then(
  ({ items }) => items,
  () => [],
);
draw();
