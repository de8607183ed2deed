/**
 * The clocks in full, and what players can do about them: give time, take a day off, claim a flag.
 * @module
 */

/**
 * @import { Account } from "../state/account.js"
 * @import { Shown } from "../parts/clocks.js"
 * @import { Room } from "../state/room.js"
 * @import { Entered, Submitted } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { chip } from "../parts/chip.js";
import { settings } from "../parts/clock-settings.js";
import { textIn } from "../parts/given.js";
import { clock as moment, seatName } from "../parts/format.js";
import { PanelRequest } from "./request.js";
import { clockOf, shown } from "../parts/ticking.js";

const MOST = 60; // The largest number of minutes, hours or days that can be given.
const UNITS = { minutes: 60, hours: 3600, days: 86_400 };

const request = new PanelRequest();

/** The clocks in full, beside the scores. @param {Room} room */
export function clocksPart(room) {
  const { game } = room;
  if (!room.isEntered() || !game?.clock || game.status !== "running") return nothing;
  const all = shown(room);
  return html`<section class="clocks" aria-labelledby="clocks-title"><h3 id="clocks-title">Clocks</h3>
    <ul class="seats">${all.map(
      (each) => html`<li>${chip(room, each.seat)} ${seatName(game, each.seat)}: ${clockOf(room, each.seat)}
      <span class="quiet">${facts(room, each)}</span></li>`,
    )}</ul>
    ${settings(game.clock)}
    ${room.seat ? [giving(room), dayOff(room)] : nothing}
    ${request.refusalIn(room, "clock")}</section>`;
}

/**
 * Return what else is known of a clock: when it falls, its day off, and its flags.
 * @param {Entered} room
 * @param {Shown} shown
 */
function facts({ game }, { seat }) {
  const clock = game.clocks?.seats.find((each) => each.seat === seat);
  if (!clock) return "";
  return [
    clock.runs ? `runs; at zero at ${clock.falls_at ? moment(clock.falls_at) : "some time"}` : "stands",
    clock.off_until ? `day off until ${moment(clock.off_until)}` : "",
    clock.flags ? `ran out ${clock.flags === 1 ? "once" : `${clock.flags} times`}` : "",
  ]
    .filter(Boolean)
    .join("; ");
}

/** The form that gives another seat time. @param {Entered} room */
function giving(room) {
  const { game, seat } = room;
  const others = game.seats.filter((place) => place.seat !== seat);
  /** @param {Submitted} event */
  const give = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const seconds = Number(textIn(form, "many")) * UNITS[/** @type {keyof typeof UNITS} */ (textIn(form, "unit"))];
    request.send(room, "clock", () =>
      room.api.post(`/v1/games/${room.id}/time`, { seat: textIn(form, "to"), seconds }),
    );
  };
  return html`<details><summary>Give a player time</summary>
    <form class="buttons" @submit=${give}>
      <label>To <select name="to">${others.map((place) => html`<option value=${place.seat}>${seatName(game, place.seat)}</option>`)}</select></label>
      <input name="many" type="number" min="1" max=${MOST} value="10" required aria-label="How much" />
      <select name="unit" aria-label="Unit">${Object.keys(UNITS).map((unit) => html`<option>${unit}</option>`)}</select>
      <button ?disabled=${request.busy}>Give</button></form>
    <p class="quiet">Your own clock does not change.</p></details>`;
}

/** The button that takes a day off, while the seat has one. @param {Entered} room */
function dayOff(room) {
  const mine = room.game.clocks?.seats.find((each) => each.seat === room.seat);
  if (!mine?.days_off || mine.off_until) return nothing;
  const take = () => request.send(room, "clock", () => room.api.post(`/v1/games/${room.id}/days-off`));
  return html`<details><summary>Take a day off</summary>
    <p>For 24 hours your clock does not count. You have ${mine.days_off === 1 ? "one day" : `${mine.days_off} days`} left.</p>
    <p><button ?disabled=${request.busy} @click=${take}>Take a day off</button></p></details>`;
}

/**
 * The clocks of other seats that ran out, in a game whose flags fall only when claimed. A button for those who may
 * claim.
 * @param {Entered} room
 * @param {Account} account
 */
export function claims(room, account) {
  const { game } = room;
  if (game.clock?.at_zero !== "claim") return [];
  const due = shown(room).filter(({ state, seat }) => state === "due" && seat !== room.seat);
  const mayClaim = Boolean(room.seat) || game.officials.some(({ player }) => player === account.me?.id);
  return due.map(({ seat }) => {
    const claim = () => request.send(room, "claim", () => room.api.post(`/v1/games/${room.id}/flags/${seat}`));
    return html`<div class="request" role="group" aria-label="A clock that ran out">
      <p>${chip(room, seat)} <strong>The time of ${seatName(game, seat)} is up.</strong> ${mayClaim ? "You can ask for the usual answer in their place, or wait for them." : "A player or an official can ask for the usual answer in their place."}</p>
      ${mayClaim ? html`<div class="buttons"><button ?disabled=${request.busy} @click=${claim}>Claim the time of ${seatName(game, seat)}</button></div>` : nothing}
      ${request.refusalIn(room, "claim")}</div>`;
  });
}
