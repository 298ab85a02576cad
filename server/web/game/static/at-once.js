// The player has acted in this browser before, so the link in the letter acts at once. Going back does not, and
// neither does a browser that only fetches the page ahead.
"use strict";
function act() {
  const entry = performance.getEntriesByType("navigation")[0];
  if (entry && entry.type === "navigate") {
    document.getElementById("at-once").requestSubmit();
  }
}

if (document.prerendering) {
  document.addEventListener("prerenderingchange", act, { once: true });
} else {
  act();
}
