/**
 * One step of a game, for judges: the question, what was done, the rules, the alternatives, the dice, and what going
 * back would cost.
 * @module
 */

/**
 * @import { Game, Inspection, JudgingDraw } from "../types.js"
 * @import { OpenDesk } from "./desk.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { capital, clock, count, named, plain, seatName } from "../parts/format.js";

/** @param {OpenDesk} desk */
export function step(desk) {
  const { game, seen } = desk;
  const actor = seen.seat ? seatName(game, seen.seat) : "";
  const act = seen.command
    ? html`${actor} gave the command <em>${plain(seen.command)}</em>.`
    : "No seat's command began this step.";
  return html`<section aria-labelledby="what">
      <h2 id="what">${seen.heading || "Around the table"}</h2>
      ${seen.before ? position(game, seen.before) : nothing}
      ${seen.decisions.map(
        ({
          title,
          seats,
          rule,
        }) => html`<p>${seats.map((/** @type {string} */ seat) => seatName(game, seat)).join(", ")} had to answer:
          “${title}” <span class="quiet">${rule}</span></p>`,
      )}
      <p>${act} <time class="quiet" datetime=${seen.at}>${clock(seen.at)}</time></p>
      <ol class="happened" start=${seen.before + 1}>
        ${seen.events.map(
          ({
            text,
            counts,
            rules,
            event,
          }) => html`<li value=${event.version} class=${event.version === seen.version ? "asked" : ""}>
            ${text} ${counts ? nothing : html`<strong>Taken back since.</strong>`}
            ${rules.length ? html`<span class="quiet">${rules.join(", ")}</span>` : nothing}
          </li>`,
        )}
      </ol>
    </section>
    ${rules(seen)} ${alternatives(seen)} ${draws(seen)} ${wayBack(game, seen)}`;
}

/**
 * @param {Game} game
 * @param {number} version
 */
function position(game, version) {
  return html`<figure>
    <a href="/games/${game.id}#v=${version}">
      <img src="/v1/games/${game.id}/board.svg?version=${version}" alt="The board at version ${version}" loading="lazy" />
    </a>
    <figcaption class="quiet">The board before the step, as a spectator sees it. The link leads to the game.</figcaption>
  </figure>`;
}

/** The rules in full. Those that this project ruled on are unfolded. @param {Inspection} seen */
function rules(seen) {
  if (!seen.rules.length) return nothing;
  return html`<section aria-labelledby="rules">
    <h2 id="rules">The rules</h2>
    ${seen.rules.map(
      (rule) => html`<details class="rule" ?open=${rule.ours}>
        <summary>Rule ${rule.id}: ${rule.title}${rule.ours ? html` <strong>(our ruling)</strong>` : nothing}</summary>
        ${rule.standing ? html`<p class="quiet">${capital(rule.standing)}</p>` : nothing}
        <p>${rule.text}</p>
        ${rule.ambiguity ? html`<p>What the source leaves open: ${rule.ambiguity}</p>` : nothing}
        ${rule.ruling ? html`<p class="ruling">Ruled${rule.ours ? " by this project" : ""}: ${rule.ruling}</p>` : nothing}
        <p class="quiet">${rule.source}</p>
      </details>`,
    )}
  </section>`;
}

/** @param {Inspection} seen */
function alternatives(seen) {
  if (!seen.command) return nothing;
  const options = seen.alternatives?.options;
  return html`<section aria-labelledby="else">
    <h2 id="else">What else could have been done</h2>
    ${
      !options
        ? html`<p>That is hidden from you until the game is over: it may show what a seat has in hand.</p>`
        : options.length
          ? html`<ul>${options.map(({ command, title, rule }) => html`<li>${title || named(command)} <span class="quiet">${rule}</span></li>`)}</ul>`
          : html`<p>Nothing.</p>`
    }
  </section>`;
}

/** @param {Inspection} seen */
function draws(seen) {
  if (!seen.draws.length) return nothing;
  return html`<section aria-labelledby="dice">
    <h2 id="dice">Dice and lots</h2>
    ${seen.draws.map(
      (draw) => html`<div class="draw">
        <p>Draw ${draw.draw}${draw.die ? ` (${plain(draw.die)})` : ", a shuffle"}: <strong>${draw.shown.join(", ") || "hidden"}</strong></p>
        ${
          draw.probability !== null
            ? html`<p class="quiet">Likelihood of these faces: ${percent(draw.probability)}. Of the likeliest: ${percent(draw.likeliest ?? 0)}.</p>`
            : nothing
        }
        ${draw.again ? drawnAgain(draw) : nothing}
      </div>`,
    )}
    <p class="quiet">${
      seen.secret
        ? "The game is over: its secret is public, and the service drew again from it. The Verify panel of the game does the same in your browser."
        : "When the game is over, its secret is published and every draw can be repeated. Until then it stays secret."
    }
      ${Object.keys(seen.entropy).length ? `Seats that added entropy to the dice: ${Object.keys(seen.entropy).map(named).join(", ")}.` : "No seat added entropy to the dice."}</p>
  </section>`;
}

/** @param {JudgingDraw} draw */
function drawnAgain({ again, shown, raw }) {
  if (!again) return nothing;
  const isSame = again.join() === shown.join();
  return html`<p class=${isSame ? "" : "problem"}>Drawn again: ${isSame ? "the same" : again.join(", ")}${raw ? html`, from the bytes <code>${raw}</code>` : nothing}.</p>`;
}

/** @param {number} likelihood */
function percent(likelihood) {
  return likelihood < 0.0001
    ? `1 in ${Math.round(1 / likelihood).toLocaleString("en")}`
    : `${(likelihood * 100).toPrecision(3)} %`;
}

/**
 * @param {Game} game
 * @param {Inspection} seen
 */
function wayBack(game, { way_back: way }) {
  if (!way) return nothing;
  return html`<section aria-labelledby="back">
    <h2 id="back">What going back to version ${way.to} would cost</h2>
    <p>It would take away ${count(way.commands, "command")} and draw ${count(way.draws, "draw")} of chance anew.</p>
    ${
      way.taken.length
        ? html`<details><summary>The commands</summary><ol>${way.taken.map(({ version, seat, command }) => html`<li value=${version}>${seat ? seatName(game, seat) : "an official"}: ${plain(command)}</li>`)}</ol></details>`
        : nothing
    }
    ${
      way.learnt.length
        ? html`<p>What would not be forgotten:</p><ul>${way.learnt.map(({ seat, secrets }) => html`<li>${seatName(game, seat)} has since seen ${count(secrets, "hidden value")}.</li>`)}</ul>`
        : html`<p>No seat has since seen anything that was hidden from it.</p>`
    }
  </section>`;
}
