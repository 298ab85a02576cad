// The scripts of every page with a board. Each finds what is its own within <main>, and does nothing where it
// finds nothing; the pages say everything without them.
import * as advice from "./advice.js";
import * as dock from "./dock.js";
import * as live from "./live.js";
import * as recap from "./recap.js";
import * as seen from "./seen.js";
import * as zoom from "./zoom.js";

const PARTS = [zoom, dock, live, recap, seen, advice];
const RARE = { ".looked-at": "./lands.js" }; // by what they are for: they come where it is on the page
let running = new AbortController();

/** Begin, or begin anew when what <main> holds was exchanged. */
export function begin(main) {
  running.abort();
  running = new AbortController();
  for (const part of PARTS) {
    part.start(main, running.signal);
  }
  const { signal } = running;
  for (const [what, part] of Object.entries(RARE)) {
    if (main.querySelector(what)) {
      import(part).then((come) => signal.aborted || come.start(main, signal), () => {});
    }
  }
}

const main = document.querySelector("main");
main.addEventListener("exchanged", () => begin(main));
begin(main);
