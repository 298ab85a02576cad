// The scripts of every page with a board. Each finds what is its own within <main>, and does nothing where it
// finds nothing; the pages say everything without them.
import * as lands from "./lands.js";
import * as live from "./live.js";
import * as march from "./march.js";
import * as zoom from "./zoom.js";

const PARTS = [zoom, march, lands, live];
let running = new AbortController();

/** Begin, or begin anew when what <main> holds was exchanged. */
export function begin(main) {
  running.abort();
  running = new AbortController();
  for (const part of PARTS) {
    part.start(main, running.signal);
  }
  const { signal } = running;
  if (main.querySelector("#guards")) { // long, and never where a card is to be chosen
    import("./guards.js").then((guards) => signal.aborted || guards.start(main, signal));
  }
}

const main = document.querySelector("main");
main.addEventListener("exchanged", () => begin(main));
begin(main);
