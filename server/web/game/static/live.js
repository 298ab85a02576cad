// Keeps an open page up to date: asks now and then whether anything has happened, and shows it in its place
// without disturbing. All words come from the page.

const SOON = 1200; // milliseconds, while somebody looks
const SELDOM = 30000; // while nobody does, and at most while the server is away
const LOOKS = 5000; // milliseconds, while the review of a finished game is made
const MOST_LOOKS = 48;
const FADES = 6000;
let box; // one line that covers nothing; it stands outside <main>, so that an exchange leaves it there
let line; // its words, which are said aloud once
let told; // what was told last and stays true until something else is
let fading;

/** Tell something for some seconds, or once, for as long as it `stays` so. */
export function tell(words, stays = false) {
  if (stays && words === told) {
    return;
  }
  clearTimeout(fading);
  told = stays ? words : "";
  line.textContent = words;
  box.classList.toggle("told", Boolean(words));
  if (words && !stays) {
    fading = setTimeout(hush, FADES);
  }
}

function hush() {
  clearTimeout(fading);
  line.textContent = "";
  box.classList.remove("told");
}

/** The line, which is there before it has anything to tell: only what changes is said aloud. */
function build(close) {
  box = Object.assign(document.createElement("div"), { className: "live" });
  line = document.createElement("p");
  line.setAttribute("role", "status");
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "×" });
  button.setAttribute("aria-label", close);
  button.addEventListener("click", hush);
  box.append(line, button);
  document.querySelector("header.top").after(box); // below the links there, and above all that is exchanged
}

/** The page at an address; `null` where it is no longer there. */
export async function page(address, signal) {
  const answer = await fetch(address, { cache: "no-store", signal });
  if (!answer.ok) {
    throw new Error(answer.status);
  }
  return [new DOMParser().parseFromString(await answer.text(), "text/html"), answer.url];
}

/** What is typed, chosen and opened in the talk of the players, put into the new one. */
function keep(from, to) {
  for (const field of from.querySelectorAll("#talk [id][name]")) {
    const same = to.querySelector(`#${field.id}`);
    if (same) {
      same.value = field.value;
    }
  }
}

/** Everything in <main> is exchanged; focus, what is typed and where one has scrolled to stay. */
export function exchange(main, fresh, address) {
  const held = main.contains(document.activeElement) ? document.activeElement : null;
  const range = held && held.matches("textarea") ? [held.selectionStart, held.selectionEnd] : null;
  const top = scrollY;
  const over = main.querySelector("[data-over]");
  const next = fresh.querySelector("main");
  keep(main, next);
  const typed = [...next.querySelectorAll("#talk [id][name]")].map((one) => [one.id, one.value]);
  main.replaceChildren(...next.childNodes);
  for (const [id, value] of typed) {
    document.getElementById(id).value = value;
  }
  document.title = fresh.title;
  document.body.className = fresh.body.className;
  history.replaceState(null, "", address);
  if (held) {
    const link = held.getAttribute("href");
    const same = (held.id && document.getElementById(held.id)) || (link && main.querySelector(`a[href="${CSS.escape(link)}"]`));
    (same || main).focus({ preventScroll: true });
    if (same && range) {
      same.setSelectionRange(...range);
    }
  }
  const ends = fresh.querySelector("[data-over]") && !over;
  scrollTo({ top: ends ? 0 : top, behavior: "instant" }); // who won stands first
  main.dispatchEvent(new Event("exchanged"));
}

/** Only what was said is exchanged: whoever is choosing, or typing, goes on. */
function listen(main, fresh) {
  const [talk, said] = [main, fresh].map((one) => one.querySelector("#talk"));
  if (talk && said) {
    talk.querySelectorAll(":scope > :not(form)").forEach((one) => one.remove());
    talk.prepend(...[...said.children].filter((one) => one.localName !== "form"));
  }
}

/** The review of a finished game is put where the page says that it comes; whether there is one. */
function unfold(awaited, fresh) {
  const found = fresh.querySelectorAll("[data-judged], .awaited");
  awaited.replaceWith(...found);
  return found.length > 0;
}

export function start(main, signal) {
  const here = main.querySelector("[data-pulse]");
  const awaited = main.querySelector(".awaited");
  if (!here || (here.dataset.over && !awaited)) {
    return;
  }
  if (/\d minu/.test(main.querySelector("time + small")?.textContent)) {
    import("./minutes.js").then(({ count }) => count(main, signal));
  }
  if (!box) {
    build(here.dataset.close);
  }
  const known = { after: Number(here.dataset.after), said: Number(here.dataset.said) };
  let timer;
  let failed = 0;
  let asking = false;
  let looks = 0; // of a finished game
  let taken = null; // the draft of another window that was asked for

  /** The turn that the reader has begun elsewhere goes on here: once two answers agree, for steps are under way too. */
  function follow(heard) {
    if (!play() || heard.begun === play().dataset.begun) {
      taken = null;
    } else if (heard.begun === known.begun && heard.begun !== taken) {
      taken = heard.begun;
      main.dispatchEvent(new Event("begun"));
    }
  }

  const play = () => main.querySelector("#play");

  /** Whether no step was taken here since `shown` was: a step's own answer says more than what is heard meanwhile. */
  const rests = (shown) => play() === shown && !shown?.hasAttribute("aria-busy");

  async function show(heard, shown) {
    if (here.dataset.apart) { // this page stays as it is, and says that there is more
      const more = main.querySelector("#more");
      if (heard.after !== known.after && more) {
        more.hidden = false;
        tell(more.textContent.trim());
      }
    } else if (heard.after !== known.after) {
      const [fresh, address] = await page(heard.page, signal);
      const news = fresh.querySelector("[data-pulse]");
      if ((news && Number(news.dataset.after) !== heard.after) || !rests(shown)) {
        return; // there is something newer: the next answer leads to the page of now
      }
      exchange(main, fresh, address);
      tell(`${main.querySelector("h1").textContent.trim()}. ${news ? news.dataset.news : ""}`);
    } else if (heard.said !== known.said) {
      const [fresh] = await page(heard.page, signal);
      listen(main, fresh);
      tell(here.dataset.spoken);
    }
    if (awaited && heard.after === known.after && !heard.awaited) {
      const [fresh] = await page(heard.page, signal);
      if (unfold(awaited, fresh)) {
        tell(awaited.dataset.made);
      }
    }
    if (heard.after === known.after) {
      follow(heard);
    }
    Object.assign(known, heard);
  }

  async function ask() {
    if (asking) {
      return;
    }
    clearTimeout(timer);
    asking = true;
    const shown = play();
    try {
      const answer = await fetch(here.dataset.pulse, { cache: "no-store", signal });
      if (answer.status === 404) {
        return; // the game is gone
      }
      if (!answer.ok) {
        throw new Error(answer.status);
      }
      const heard = await answer.json();
      if (rests(shown)) {
        await show(heard, shown);
      }
      if (failed > 1) {
        tell("");
      }
      failed = 0;
    } catch {
      if (!signal.aborted && ++failed > 1) {
        tell(here.dataset.away, true);
      }
    } finally {
      asking = false;
    }
    const ends = known.over || here.dataset.over;
    if (!signal.aborted && (!ends || (awaited && known.awaited !== false && ++looks < MOST_LOOKS))) {
      const pause = ends ? LOOKS : SOON;
      timer = setTimeout(ask, document.hidden ? SELDOM : Math.min(SELDOM, pause * 2 ** failed));
    } else if (awaited && looks >= MOST_LOOKS) {
      awaited.textContent = awaited.dataset.late; // whoever comes back to the page makes it look once more
    }
  }

  timer = setTimeout(ask, here.dataset.over ? LOOKS : SOON);
  signal.addEventListener("abort", () => clearTimeout(timer));
  document.addEventListener("visibilitychange", () => document.hidden || ask(), { signal });
}
