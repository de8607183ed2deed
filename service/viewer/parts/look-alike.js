/**
 * A mark beside a name that looks like another player's.
 * @module
 */

import { html } from "../vendor/lit-html.js";

export const lookAlike = html`<span class="tag look-alike" title="Another player of this game has a name that looks the same">look-alike</span>`;
