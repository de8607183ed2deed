/**
 * Where somebody was who left for the provider to sign in. It is kept in this tab, and in no address: so nobody else
 * can choose where a page goes on to.
 * @module
 */

const PLACE = "tabularium-return";

/** Keep where this page is. */
export function keepPlace() {
  try {
    if (location.pathname !== "/sign-in")
      sessionStorage.setItem(PLACE, `${location.pathname}${location.search}${location.hash}`);
  } catch {
    // Then it is the lobby.
  }
}

/** Return where somebody was, as a path of this service. */
export function placeBefore() {
  try {
    const place = new URL(sessionStorage.getItem(PLACE) ?? "/", location.origin);
    return place.origin === location.origin ? `${place.pathname}${place.search}${place.hash}` : "/";
  } catch {
    return "/";
  }
}
