/**
 * Seats that change hands in a running game. A player offers their seat, gives it up, resigns, or takes it back.
 * Somebody takes a seat over, or the organizer puts a bot on it (TAB-LIFE-05, TAB-SEAT-01 to -07 and -11, TAB-BOT-01).
 * @module
 */

/**
 * @import { Account } from "../state/account.js"
 * @import { Room } from "../state/room.js"
 * @import { Entered, Submitted } from "../types.js"
 */

import { html, nothing } from "../vendor/lit-html.js";
import { Problem } from "../state/api.js";
import { playerIn, textIn } from "../parts/given.js";
import { chip } from "../parts/chip.js";
import { seatName } from "../parts/format.js";
import { levels } from "../parts/levels.js";
import { PanelRequest } from "./request.js";

const LEAVE = "leave";
const OFFER = "offer";
const RESIGN = "resign";

const request = new PanelRequest();

/**
 * Show which seats are open or offered, with buttons to take them over, to withdraw an offer, and to put a bot on an
 * open seat.
 * @param {Room} room
 * @param {Account} account
 */
export function givenUp(room, account) {
  const { game, seat } = room;
  if (!room.isEntered() || game?.status !== "running") return nothing;
  const isOrganizerGone = game.seats.some(
    (place) => place.player === game.organizer && game.given_up.includes(place.seat),
  );
  const mayPutBot =
    account.me && (game.organizer === account.me.id || (isOrganizerGone && seat && !game.given_up.includes(seat)));
  return game.seats
    .map((place) => place.seat)
    .filter((each) => game.given_up.includes(each) || offerOf(game, each))
    .map(
      (
        each,
      ) => html`<div class="request" role="group" aria-label=${isVacated(game, each) ? "A seat that is open" : game.given_up.includes(each) ? "A seat that was given up" : "A seat that is offered"}>
    <p>${chip(room, each)} <strong>${whatHappened(room, account, each)}</strong> ${whatFollows(game, each, Boolean(mayPutBot), isOrganizerGone)}</p>
    ${
      mayTakeOver(room, account, each)
        ? html`<div class="buttons"><button class="strong" ?disabled=${request.busy} @click=${() => accept(room, each)}>${each === seat ? "Take your seat back" : `Take over ${seatName(game, each)}`}</button></div>`
        : nothing
    }
    ${
      mayWithdraw(room, account, each)
        ? html`<div class="buttons"><button ?disabled=${request.busy} @click=${() => request.send(room, each, () => room.api.delete(`/v1/games/${room.id}/seats/${each}/offer`))}>Withdraw the offer</button></div>`
        : nothing
    }
    ${
      mayPutBot && room.ruleset && game.given_up.includes(each)
        ? html`<form class="buttons" @submit=${(/** @type {Submitted} */ event) => putBot(event, room, each)}>
      <label>Bot <select name="level">${levels(room.ruleset.bots)}</select></label>
      <button class="strong" ?disabled=${request.busy}>Let it play on</button></form>`
        : nothing
    }
    ${request.refusalIn(room, each)}</div>`,
    );
}

/**
 * Return the open offer of a seat, if there is one.
 * @param {Entered["game"]} game
 * @param {string} seat
 */
function offerOf(game, seat) {
  return game.offers.find((offer) => offer.seat === seat);
}

/**
 * Whether a seat is open because its clock ran out.
 * @param {Entered["game"]} game
 * @param {string} seat
 */
function isVacated(game, seat) {
  return Boolean(game.clocks?.seats.find((each) => each.seat === seat)?.vacated);
}

/**
 * Say why a seat is open or offered.
 * @param {Entered} room
 * @param {Account} account
 * @param {string} each the seat
 */
function whatHappened({ game, seat }, account, each) {
  const isMine = each === seat;
  const who = isMine ? "You" : seatName(game, each);
  const offer = offerOf(game, each);
  if (game.resigned.includes(each)) return `${who} resigned.`;
  if (offer) {
    const to = offer.to === null ? "to anybody" : offer.to === account.me?.id ? "to you" : "to another player";
    return isMine ? `Your seat is offered ${to}.` : `The seat of ${who} is offered ${to}.`;
  }
  if (isVacated(game, each))
    return isMine ? "Your clock left your seat open." : `The clock left the seat of ${who} open.`;
  return isMine ? "You gave up your seat." : `${who} gave up their seat.`;
}

/**
 * Say what happens until somebody takes a seat over, and who can let a bot play on.
 * @param {Entered["game"]} game
 * @param {string} each the seat
 * @param {boolean} mayPutBot whether the viewer may put a bot on it
 * @param {boolean} isOrganizerGone whether the organizer's own seat is open
 */
function whatFollows(game, each, mayPutBot, isOrganizerGone) {
  const waits = game.resigned.includes(each)
    ? "Until somebody takes the seat over, the house answers for it."
    : isVacated(game, each)
      ? "Until somebody takes the seat over, or its player takes it back, the clock answers for it."
      : "Until somebody takes the seat over, the game waits for the player as before.";
  if (!game.given_up.includes(each)) return waits;
  const bots = mayPutBot
    ? "You can let a bot play on."
    : `${isOrganizerGone ? "The players who are left" : "The organizer"} can let a bot play on.`;
  return `${bots} ${waits}`;
}

/**
 * Tell whether to show somebody the button that takes a seat over. The service decides whether they may.
 * @param {Entered} room
 * @param {Account} account
 * @param {string} each
 */
function mayTakeOver({ game }, { me }, each) {
  const to = offerOf(game, each)?.to ?? null;
  const isFree = to === null || to === me?.id;
  if (each === game.you) return isFree && isVacated(game, each) && !game.resigned.includes(each);
  return me && isFree && game.you === null && !game.officials.some(({ player }) => player === me.id);
}

/**
 * @param {Entered} room
 * @param {Account} account
 * @param {string} each
 */
function mayWithdraw({ game, seat }, { me }, each) {
  const isOfficial = game.officials.some(({ player }) => player === me?.id);
  return offerOf(game, each) && (isOfficial || (each === seat && !game.resigned.includes(each)));
}

/**
 * Take a seat over, and then read the game again as this seat sees it.
 * @param {Entered} room
 * @param {string} seat
 */
async function accept(room, seat) {
  await request.send(room, seat, () => room.api.post(`/v1/games/${room.id}/seats/${seat}/acceptance`));
  if (!request.problem) await room.enter(room.version);
}

/** The choices of a player who does not want to play on: offer the seat, give it up, or resign. @param {Room} room */
export function leaving(room) {
  const { game, seat } = room;
  if (
    !room.isEntered() ||
    !seat ||
    game?.status !== "running" ||
    game.fork?.purpose === "analysis" ||
    game.resigned.includes(seat)
  )
    return nothing;
  return html`${offerOf(game, seat) ? nothing : offering(room, seat)}
    ${game.given_up.includes(seat) ? nothing : givingUp(room, seat)} ${resigning(room, seat)}`;
}

/**
 * @param {Entered} room
 * @param {string} seat
 */
function offering(room, seat) {
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    const text = textIn(new FormData(event.target), "to");
    return request.send(room, OFFER, async () => {
      const to = text ? { to: playerIn(text) ?? (await findPlayer(room, text)) } : {};
      return room.api.post(`/v1/games/${room.id}/seats/${seat}/offer`, to);
    });
  };
  return html`<details class="leaving"><summary>Offer your seat</summary>
    <form @submit=${submit}>
    <p>The player who accepts plays on in your place and sees what you see. You then see what a spectator sees. Until then you
      play on, and you can withdraw the offer. Players of other seats and officials of this game cannot accept.</p>
    <p><label>To the player of this name, or with this address; leave it empty for anybody <input name="to" maxlength="200" autocomplete="off" spellcheck="false" /></label></p>
    <p><button ?disabled=${request.busy}>Offer my seat</button></p></form>
    ${request.refusalIn(room, OFFER)}</details>`;
}

/**
 * Return the id of the player with this name. Throw a `Problem` if none can be found, or several.
 * @param {Entered} room
 * @param {string} name
 */
async function findPlayer(room, name) {
  const { items } = await room.api.get("/v1/players/search", { name });
  if (items.length === 1) return items[0].id;
  const detail = items.length
    ? `${items.length} players are called ${name}.`
    : `No player who can be found is called ${name}.`;
  const allowed = "Ask them for the address of their page: it is on /account.";
  throw new Problem({ title: "The player is not known", detail, allowed }, 404);
}

/**
 * @param {Entered} room
 * @param {string} seat
 */
function givingUp(room, seat) {
  const leave = () => request.send(room, LEAVE, () => room.api.delete(`/v1/games/${room.id}/seats/${seat}`));
  return html`<details class="leaving"><summary>Give up your seat</summary>
    <p>You cannot take this back. The game waits for you as before until somebody takes your seat over, or its organizer lets a
      bot play on. From then on you see what a spectator sees.</p>
    <p><button ?disabled=${request.busy} @click=${leave}>Give up my seat</button></p>
    ${request.refusalIn(room, LEAVE)}</details>`;
}

/**
 * @param {Entered} room
 * @param {string} seat
 */
function resigning(room, seat) {
  /** @param {Submitted} event */
  const submit = (event) => {
    event.preventDefault();
    return request.send(room, RESIGN, () => room.api.post(`/v1/games/${room.id}/seats/${seat}/resignation`));
  };
  const others = room.game.seats.filter((place) => place.seat !== seat);
  const follows =
    others.length === 1
      ? `The game ends, and ${seatName(room.game, others[0].seat)} wins.`
      : "The game goes on. Nothing of yours passes to another player, the house answers for your seat with as little as possible, and somebody else may take the seat over.";
  return html`<details class="leaving"><summary>Resign</summary>
    <form @submit=${submit}><p>${follows}</p>
    <p><label><input type="checkbox" name="sure" required /> I resign, and know that I cannot take this back.</label></p>
    <p><button ?disabled=${request.busy}>Resign from this game</button></p></form>
    ${request.refusalIn(room, RESIGN)}</details>`;
}

/**
 * @param {Submitted} event
 * @param {Entered} room
 * @param {string} seat
 */
function putBot(event, room, seat) {
  event.preventDefault();
  const level = textIn(new FormData(event.target), "level");
  request.send(room, seat, () => room.api.put(`/v1/games/${room.id}/seats/${seat}/bot`, { level }));
}
