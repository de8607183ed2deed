/**
 * The page from which somebody left to sign in at the provider. It is kept in this tab and in no address, so that
 * nobody else can choose where the browser goes afterwards.
 * @module
 */

const PLACE = "tabularium-return";

/** Keep the address of this page. */
export function keepPlace() {
  try {
    if (location.pathname !== "/sign-in")
      sessionStorage.setItem(PLACE, `${location.pathname}${location.search}${location.hash}`);
  } catch {
    // Without a storage the way back is the lobby.
  }
}

/** Return the page that was kept, as a path of this service; the lobby when there is none. */
export function placeBefore() {
  try {
    const place = new URL(sessionStorage.getItem(PLACE) ?? "/", location.origin);
    return place.origin === location.origin ? `${place.pathname}${place.search}${place.hash}` : "/";
  } catch {
    return "/";
  }
}
