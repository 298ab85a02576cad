// Steps through a game without loading pages anew: by keys, by the slider, or by itself.
import { begin } from "./table.js";

const PACES = { slow: 2400, normal: 1200, fast: 500 }; // milliseconds a step
const KEPT = 60; // steps that are kept at hand
const PARTS = ["h1", ".eyebrow", "#step", ".map", ".steps", ".cardrow", ".below"];
const main = document.querySelector("main");
const slider = main.querySelector("#at");
const button = main.querySelector("#run");
const pace = main.querySelector("#pace");
const pages = new Map();
let wanted; // the step that is to be shown, while its page is on its way
let playing; // its timer

function fetched(at) {
  if (!pages.has(at)) {
    const address = new URL(location.href);
    address.searchParams.set("at", at);
    const found = fetch(address).then(async (answer) => {
      if (!answer.ok) {
        throw new Error(answer.status);
      }
      return [await answer.text(), address];
    });
    found.catch(() => pages.delete(at));
    pages.set(at, found);
    if (pages.size > KEPT) {
      pages.delete(pages.keys().next().value);
    }
  }
  return pages.get(at);
}

/** Mark a step in the list of turns, and unfold its turn. */
function point(at) {
  for (const one of main.querySelectorAll(".all-turns [aria-current]")) {
    one.removeAttribute("aria-current");
  }
  const here = main.querySelector(`.all-turns [data-at="${at}"]`);
  const list = main.querySelector(".all-turns");
  for (const one of list.querySelectorAll("details")) {
    one.open = one.contains(here);
  }
  here.setAttribute("aria-current", "step");
  list.scrollTop += here.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 3;
}

function exchange(fresh) {
  for (const part of PARTS) {
    const [old, now] = [main, fresh].map((one) => one.querySelector(part));
    const held = old.contains(document.activeElement) ? document.activeElement.dataset.way : null;
    for (const name of now.getAttributeNames()) {
      old.setAttribute(name, now.getAttribute(name));
    }
    old.replaceChildren(...now.childNodes);
    if (held) {
      (old.querySelector(`[data-way="${held}"]`) || slider).focus({ preventScroll: true });
    }
  }
}

/** Show a step; of several that are wanted one after the other the last. */
async function show(at) {
  wanted = at;
  let found;
  try {
    found = await fetched(at);
  } catch {
    stop(); // the server is away: the page stays as it is
    return;
  }
  if (wanted !== at) {
    return;
  }
  const [text, address] = found;
  exchange(new DOMParser().parseFromString(text, "text/html"));
  slider.value = at;
  point(at);
  history.replaceState(null, "", address);
  begin(main);
  for (const near of [at + 1, at - 1]) {
    if (near >= 0 && near <= Number(slider.max)) {
      fetched(near).catch(() => {});
    }
  }
}

function shown() {
  return Number(main.querySelector("#step").dataset.step);
}

function turn(on) {
  button.querySelector(".go").hidden = on;
  button.querySelector(".halt").hidden = !on;
}

function stop() {
  clearTimeout(playing);
  playing = undefined;
  turn(false);
}

async function play() {
  const last = Number(slider.max);
  await show(shown() < last ? shown() + 1 : Number(slider.dataset.since));
  if (playing === undefined) {
    return;
  }
  if (shown() < last) {
    playing = setTimeout(() => play(), PACES[pace.value]);
  } else {
    stop();
  }
}

button.hidden = false;
pace.hidden = false;
main.querySelector(".slider .show").hidden = true;
slider.addEventListener("input", () => show(Number(slider.value)));
button.addEventListener("click", () => {
  if (playing !== undefined) {
    stop();
  } else {
    turn(true);
    playing = 0;
    play();
  }
});
main.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-at]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
    event.preventDefault();
    stop();
    show(Number(link.dataset.at));
  }
});
document.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const field = event.target.closest("input, textarea, select");
  if (!by || field || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) {
    return;
  }
  const at = (wanted ?? shown()) + by;
  if (at >= 0 && at <= Number(slider.max)) {
    event.preventDefault();
    stop();
    show(at);
  }
});
