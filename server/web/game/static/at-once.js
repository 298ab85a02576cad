// The player has chosen that links in their letters play at once in this browser. Going back does not play, and
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
