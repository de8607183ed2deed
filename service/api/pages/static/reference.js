// Scalar shows the contract. Everything comes from this service: the page requests nothing from another host.

// Otherwise its validator would try to evaluate a string, which the page's policy forbids and reports.
globalThis.__zod_globalConfig = { jitless: true };

// This script comes before Scalar's, so that Scalar sees the setting above.
addEventListener("DOMContentLoaded", () => {
  Scalar.createApiReference("#reference", {
    url: "/openapi.json",
    theme: "none",
    withDefaultFonts: false,
    hideDarkModeToggle: true, // the system's setting decides, as on all other pages
    hideClientButton: true,
    showDeveloperTools: "never",
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
  });
});

// Scalar's copy buttons are pictures without a name, which screen readers need.
const nameCopyButtons = () => {
  for (const button of document.querySelectorAll("button.scalar-code-copy:not([aria-label])")) {
    button.setAttribute("aria-label", "Copy");
  }
};
new MutationObserver(nameCopyButtons).observe(document, { childList: true, subtree: true });
