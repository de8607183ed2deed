/**
 * What this browser remembers of accounts, for all tabs. Its session is a cookie that no script can read; here is only
 * whether there is one. Tokens are what earlier versions of this page kept: each may be the only key to an account, so
 * it stays until it has become the session, or until somebody removes it.
 * @module
 */

const KEPT = "tabularium-accounts";
const SESSION = "tabularium-session";

/**
 * An account's token.
 * @typedef {object} Kept
 * @property {string} token
 * @property {string} name of the account
 * @property {boolean} [refused] whether the service did not know it when it was used last
 */

/** Return the accounts whose tokens are kept, the last used first. @returns {Kept[]} */
export function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(found) ? found.filter((each) => typeof each?.token === "string" && each.token) : [];
  } catch {
    return [];
  }
}

/** Return the token that a new tab uses; null when there is none, or when there is a session. */
export function lastUsed() {
  return hasSession() ? null : (kept().find((each) => !each.refused)?.token ?? null);
}

/** Whether this browser had a session when the service was last asked. */
export function hasSession() {
  try {
    return localStorage.getItem(SESSION) !== null;
  } catch {
    return false;
  }
}

/**
 * Remember whose session this browser has, so that all tabs learn of it; null for nobody's.
 * @param {string | null} player
 */
export function noteSession(player) {
  try {
    if (player === null) localStorage.removeItem(SESSION);
    else if (localStorage.getItem(SESSION) !== player) localStorage.setItem(SESSION, player);
  } catch {
    // Without a storage every tab asks for itself.
  }
}

/** Remember that the service does not know a token, so that new tabs do not use it. @param {string} token */
export function refuse(token) {
  store(kept().map((each) => (each.token === token ? { ...each, refused: true } : each)));
}

/** Remove a token for good. @param {string} token */
export function remove(token) {
  store(without(token));
}

/** Call back when another tab signs in or out, or removes a token. @param {(isSession: boolean) => void} callback */
export function onChange(callback) {
  addEventListener("storage", ({ key }) => (key === KEPT || key === SESSION) && callback(key === SESSION));
}

/** @param {string} token */
function without(token) {
  return kept().filter((each) => each.token !== token);
}

/** @param {Kept[]} accounts */
function store(accounts) {
  try {
    if (accounts.length) localStorage.setItem(KEPT, JSON.stringify(accounts));
    else localStorage.removeItem(KEPT);
  } catch {
    // Without a storage nothing was kept either.
  }
}
