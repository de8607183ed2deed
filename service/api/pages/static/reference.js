// Scalar shows the contract. Everything comes from this service, and nothing is asked of another host.

// Its validator would otherwise try whether it may evaluate strings, which the page's policy forbids and reports.
globalThis.__zod_globalConfig = { jitless: true };

// This script is before Scalar's, so that the line above holds.
addEventListener("DOMContentLoaded", () => {
  Scalar.createApiReference("#reference", {
    url: "/openapi.json",
    theme: "none",
    withDefaultFonts: false,
    hideDarkModeToggle: true, // as the system has it, like all other pages
    hideClientButton: true,
    showDeveloperTools: "never",
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
  });
});

// Scalar's copy buttons are pictures without a name; a screen reader needs one.
const nameCopyButtons = () => {
  for (const button of document.querySelectorAll("button.scalar-code-copy:not([aria-label])")) {
    button.setAttribute("aria-label", "Copy");
  }
};
new MutationObserver(nameCopyButtons).observe(document, { childList: true, subtree: true });
