/**
 * Notifications in this browser: its subscription to what the service pushes.
 * @module
 */

/** @import { Answer } from "../types.js" */
/** @import { Api } from "./api.js" */

const WORKER = "/push.js";
const DEVICES = "/v1/notifications/push";
const MARK = 40; // Hexadecimal digits.

/** Whether this browser can get notifications. Browsers allow them only to pages with HTTPS, or on localhost. */
export function canBeTold() {
  return "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;
}

/** Return the devices of an account, and which of them this browser is. @param {Api} api */
export async function devicesOf(api) {
  const [listed, own] = await Promise.all([api.get(DEVICES), subscription()]);
  const mark = own && (await markOf(own.endpoint));
  return { ...listed, own: listed.items.find((each) => each.mark === mark) ?? null };
}

/**
 * Switch notifications on in this browser. Throws an error that says why that is not possible.
 * @param {Api} api
 * @param {string} key of the service
 */
export async function switchOn(api, key) {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("Your browser does not let this page show notifications. Its settings can change that.");
  await navigator.serviceWorker.register(WORKER);
  const { pushManager } = await navigator.serviceWorker.ready;
  // A subscription that was made with another key of the service does not work any more.
  const before = await pushManager.getSubscription();
  if (before && textOf(before.options.applicationServerKey) !== key) await before.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint = "", keys = {} } = made.toJSON();
  await api.post(DEVICES, { endpoint, keys: { p256dh: keys.p256dh ?? "", auth: keys.auth ?? "" } });
}

/** Switch notifications off in this browser. @param {Api} api */
export async function switchOff(api) {
  const own = await subscription();
  if (!own) return;
  const mark = await markOf(own.endpoint);
  await own.unsubscribe();
  const { items } = await api.get(DEVICES);
  const device = items.find((each) => each.mark === mark);
  if (device) await remove(api, device.id);
}

/** Unsubscribe this browser from pushes, even if nobody is signed in. */
export async function unsubscribe() {
  await (await subscription())?.unsubscribe();
}

/** Switch notifications off on a device. @param {Api} api @param {string} device */
export async function remove(api, device) {
  await api.delete(`${DEVICES}/${device}`);
}

async function subscription() {
  if (!canBeTold()) return null;
  const registration = await navigator.serviceWorker.getRegistration("/");
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** Return the mark by which the service knows an endpoint. @param {string} endpoint */
async function markOf(endpoint) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`push\0${endpoint}`));
  return [...new Uint8Array(digest)]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, MARK);
}

/** @param {ArrayBuffer | null} bytes */
function textOf(bytes) {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
