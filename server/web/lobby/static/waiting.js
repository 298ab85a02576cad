// The page of a game that waits for its players is kept up to date, as the pages of a game are.
import { start } from "./live.js";

const main = document.querySelector("main");
let running = new AbortController();

function begin() {
  running.abort();
  running = new AbortController();
  start(main, running.signal);
}

main.addEventListener("exchanged", begin);
begin();
