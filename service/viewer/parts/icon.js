/**
 * The icon of the tab.
 * @module
 */

/** Show an icon in the tab. @param {string} wanted its address */
export function showIcon(wanted) {
  const link =
    document.querySelector("link[rel=icon]") ??
    document.head.appendChild(Object.assign(document.createElement("link"), { rel: "icon" }));
  if (link.getAttribute("href") !== wanted) link.setAttribute("href", wanted);
}
