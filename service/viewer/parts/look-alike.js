/**
 * The mark beside a name that looks the same as the name of another player or official.
 * @module
 */

import { html } from "../vendor/lit-html.js";

export const lookAlike = html`<span class="tag look-alike" title="Somebody else in this game has a name that looks the same">look-alike</span>`;
