/**
 * How the page tells a player that it is their turn: in the title and icon of the tab, and by a sound and a
 * notification if they chose them. The dialog in which they choose also has the settings of their account for this
 * game.
 * @module
 */

/**
 * @import { Room } from "../state/room.js"
 * @import { At } from "../types.js"
 */

import { html, nothing, render } from "../vendor/lit-html.js";
import { gameTitle } from "../parts/format.js";
import { icon } from "../parts/icons.js";
import { showIcon } from "../parts/icon.js";
import { iconOf, GAME_KINDS, titled } from "../parts/notifications.js";

const ASKED = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="2" y="3" width="28" height="26" rx="3" fill="#8c2f1b"/><path d="M16 7v12M16 22v4" stroke="#fff" stroke-width="5" stroke-linecap="round"/></svg>')}`;

const dialog = () => /** @type {HTMLDialogElement} */ (document.getElementById("notices"));

const SETTINGS = "/v1/notifications/settings";

/** Whether the player chose "sound" or "notification" in this browser. */
const choice = {
  /** @param {string} name */
  get: (name) => {
    try {
      return localStorage.getItem(`tabularium-${name}`) === "on";
    } catch {
      return false;
    }
  },
  /**
   * @param {string} name
   * @param {boolean} isOn
   */
  set: (name, isOn) => {
    try {
      localStorage.setItem(`tabularium-${name}`, isOn ? "on" : "off");
    } catch {
      // No storage in this browser: the choice is lost when the page closes.
    }
  },
};

/**
 * Show in the tab whether a decision waits, and how much waits in other games.
 * @param {Pick<Room, "id" | "game" | "seat" | "redraw">} room
 * @param {boolean} isAsked
 * @param {number} elsewhere how many things wait for the player outside this game
 */
export function showInTab(room, isAsked, elsewhere) {
  const title = `${isAsked ? "Your turn · " : ""}${room.game ? gameTitle(room.game) : "A game"} · Tabularium`;
  document.title = titled(title, elsewhere);
  showIcon(isAsked ? ASKED : iconOf(elsewhere));
}

/** Play the sound and show the notification that the player chose, because their turn begins. @param {Pick<Room, "id" | "game" | "seat" | "redraw">} room */
export function notice(room) {
  if (choice.get("sound")) ring();
  const isAllowed = choice.get("notification") && globalThis.Notification?.permission === "granted";
  if (!isAllowed || !document.hidden) return;
  const question = room.game?.decisions.find(({ seats }) => seats.includes(room.seat))?.title ?? "";
  const notification = new Notification(`Your turn: ${room.game ? gameTitle(room.game) : ""}`, {
    body: question,
    tag: room.id,
  });
  notification.onclick = () => {
    focus();
    notification.close();
  };
}

/** Play a sound of two tones. */
function ring() {
  const audio = new AudioContext();
  for (const [at, pitch] of [
    [0, 660],
    [0.16, 880],
  ]) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.15, audio.currentTime + at);
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + at + 0.3);
    tone.connect(volume).connect(audio.destination);
    tone.start(audio.currentTime + at);
    tone.stop(audio.currentTime + at + 0.3);
  }
  setTimeout(() => audio.close(), 1000);
}

/** @param {Pick<Room, "id" | "api" | "game" | "seat" | "redraw">} room */
export function noticesButton(room) {
  const open = () => {
    render(noticesDialog(room), dialog());
    dialog().showModal();
    showAccountSettings(room);
  };
  return html`<button class="bell" aria-haspopup="dialog" title="Notices" aria-label="Notices" @click=${open}>${icon("bell")}</button>`;
}

/**
 * Add the account's settings for this game to the dialog: what its inbox, devices and e-mail tell.
 * @param {Pick<Room, "id" | "api">} room
 */
async function showAccountSettings({ id, api }) {
  const place = document.getElementById("notices-of-game");
  // An account that may not get notifications has no settings for them.
  const me = await api.get("/v1/players/me").catch(() => null);
  if (!place || !me?.scopes.includes("notify")) return;
  const settings = await api.get(SETTINGS).catch(() => null);
  if (!settings) return;
  const off = settings.games?.[id] ?? [];
  /** @param {boolean} turns @param {boolean} others */
  const save = async (turns, others) => {
    const now = await api.get(SETTINGS);
    const silent = /** @type {typeof off} */ ([...(turns ? [] : ["your-turn"]), ...(others ? [] : GAME_KINDS)]);
    const games = Object.fromEntries(Object.entries(now.games ?? {}).filter(([game]) => game !== id));
    await api.put(SETTINGS, { ...now, games: silent.length ? { ...games, [id]: silent } : games });
    draw(turns, others);
  };
  /** @param {boolean} turns @param {boolean} others */
  const draw = (turns, others) =>
    render(
      html`<fieldset><legend>Your inbox, devices and e-mail tell you about this game</legend>
      <label class="check"><input type="checkbox" .checked=${turns} @change=${() => save(!turns, others)} /> when it is my turn</label>
      <label class="check"><input type="checkbox" .checked=${others} @change=${() => save(turns, !others)} /> what else happens</label></fieldset>
      <p class="hint"><a href="/account/notices">All your notifications</a></p>`,
      place,
    );
  draw(!off.includes("your-turn"), !GAME_KINDS.every((kind) => off.includes(kind)));
}

/** @param {Pick<Room, "id" | "game" | "seat" | "redraw">} room */
export function noticesDialog(room) {
  /** @param {At<HTMLInputElement>} event */
  const sound = (event) => {
    choice.set("sound", event.target.checked);
    if (event.target.checked) ring();
  };
  /** @param {At<HTMLInputElement>} event */
  const notification = async (event) => {
    const isOn = event.target.checked && (await Notification.requestPermission()) === "granted";
    choice.set("notification", isOn);
    event.target.checked = isOn;
    room.redraw();
  };
  const permission = globalThis.Notification?.permission;
  return html`<h2 id="notices-title">When it is your turn</h2>
    <p><label class="check"><input type="checkbox" .checked=${choice.get("sound")} @change=${sound} /> Play a sound</label></p>
    ${
      permission
        ? html`<p><label class="check"><input type="checkbox" .checked=${choice.get("notification") && permission === "granted"}
        ?disabled=${permission === "denied"} @change=${notification} /> Show a notification while this tab is in the background</label></p>`
        : nothing
    }
    ${permission === "denied" ? html`<p class="hint">Your browser does not let this page show notifications. Its settings can change that.</p>` : nothing}
    <div id="notices-of-game"></div>
    <p class="hint">This browser remembers the sound and the notification for all games. The title and the icon of the tab always say when it is your turn.</p>
    <form method="dialog" class="buttons"><button>Close</button></form>`;
}
