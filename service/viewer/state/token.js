/**
 * A token in a link: `#token=…`. A browser sends no server what follows the #. The page takes it out of the address at
 * once, before anything else can see or keep it.
 * @module
 */

/** @import { Api } from "./api.js" */

/**
 * Take the token out of the page's address and use it.
 * @param {Api} api
 * @returns {boolean} whether there was one
 */
export function takeToken(api) {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get("token")?.trim();
  if (token === undefined) return false;
  fragment.delete("token");
  const rest = `${fragment}`;
  history.replaceState(history.state, "", `${location.pathname}${location.search}${rest && `#${rest}`}`);
  if (token) api.token = token;
  return true;
}
