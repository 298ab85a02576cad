// Says once that a player has their turn before them, where its time waits for its letter, and shows when it ends.
import { page } from "./live.js";

export function start(main, signal) {
  const here = main.querySelector("[data-seen]");
  if (!here) {
    return;
  }
  let said = false;

  async function say() {
    if (said || document.hidden) { // also while a browser only fetches the page ahead
      return;
    }
    said = true;
    try {
      const body = new URLSearchParams({ nonce: here.dataset.nonce });
      const answer = await fetch(here.dataset.seen, { method: "POST", body, signal });
      const old = main.querySelector("#time");
      if (answer.ok && old) {
        const [fresh] = await page(location.href, signal);
        old.replaceWith(fresh.querySelector("#time") || "");
      }
    } catch {
      said = false; // the server is away: again when somebody looks again
    }
  }

  say();
  document.addEventListener("visibilitychange", say, { signal });
}
