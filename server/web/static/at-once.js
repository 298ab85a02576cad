// The player has acted in this browser before, so the link in the letter acts at once. Going back does not.
"use strict";
const entry = performance.getEntriesByType("navigation")[0];
if (entry && entry.type === "navigate") {
  document.getElementById("at-once").requestSubmit();
}
