/**
 * The service worker: it shows what the service pushes to this browser, also when no page is open. Browsers fetch this
 * script from `/push.js`. It stores nothing.
 */

const worker = /** @type {import("./types.js").PushWorker} */ (/** @type {unknown} */ (self));

worker.addEventListener("push", (event) => event.waitUntil(show(event.data?.json())));

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

worker.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

/**
 * Show what was pushed, unless its page is visible.
 * @param {import("./types.js").Pushed | undefined} pushed
 */
async function show(pushed) {
  if (!pushed) return;
  const seen = (await windows()).some((each) => each.visibilityState === "visible" && pathOf(each.url) === pushed.url);
  if (seen) return;
  const { title, body, url, tag } = pushed;
  await worker.registration.showNotification(title, { body, tag, data: url, icon: "/favicon.ico" });
}

/** Go to a page: to a tab that shows it, or a new one. @param {string} url a path of this service */
async function open(url) {
  const there = (await windows()).find((each) => pathOf(each.url) === url);
  if (there) await there.focus();
  else await worker.clients.openWindow(url);
}

/** Send the service the new subscription of this browser. @param {import("./types.js").SubscriptionChange} change */
async function renew({ oldSubscription, newSubscription }) {
  const options = oldSubscription?.options;
  const subscription = newSubscription ?? (options && (await worker.registration.pushManager.subscribe(options)));
  if (!subscription) return;
  await fetch("/v1/notifications/push", {
    method: "POST",
    headers: { "Content-Type": "application/json", "Tabularium-Page": "1" },
    body: JSON.stringify(subscription),
    credentials: "same-origin",
  });
}

function windows() {
  return worker.clients.matchAll({ type: "window", includeUncontrolled: true });
}

/** @param {string} url */
function pathOf(url) {
  return new URL(url).pathname;
}
