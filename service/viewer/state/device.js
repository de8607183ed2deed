/**
 * The tokens that this browser keeps, for all tabs, until somebody removes them: a token may be the only key to an
 * account. Which of them a tab looks with is the tab's own business.
 * @module
 */

const KEPT = "tabularium-accounts";

/**
 * An account's token.
 * @typedef {object} Kept
 * @property {string} token
 * @property {string} name of the account
 * @property {boolean} [refused] whether the service did not know it when it was used last
 */

/** Return what is kept, what was used last first. @returns {Kept[]} */
export function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(found) ? found.filter((each) => typeof each?.token === "string" && each.token) : [];
  } catch {
    return [];
  }
}

/** Return the token with which a new tab looks; empty when there is none. */
export function lastUsed() {
  return kept().find((each) => !each.refused)?.token ?? "";
}

/** Keep a token. @param {Kept} account @returns {boolean} false when this browser keeps nothing */
export function keep(account) {
  return store([account, ...without(account.token)]);
}

/** Remember that the service does not know a token, so that new tabs do not look with it. */
export function refuse(token) {
  store(kept().map((each) => (each.token === token ? { ...each, refused: true } : each)));
}

/** Remove a token for good. */
export function remove(token) {
  store(without(token));
}

/** Call back when another tab keeps or removes a token. */
export function onChange(callback) {
  addEventListener("storage", ({ key }) => key === KEPT && callback());
}

function without(token) {
  return kept().filter((each) => each.token !== token);
}

function store(accounts) {
  try {
    if (accounts.length) localStorage.setItem(KEPT, JSON.stringify(accounts));
    else localStorage.removeItem(KEPT);
    return true;
  } catch {
    return false;
  }
}
