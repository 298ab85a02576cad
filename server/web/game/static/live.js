// Keeps an open page up to date: asks now and then whether anything has happened, and shows it in its place
// without disturbing. All words come from the page.

const SOON = 1200; // milliseconds, while somebody looks
const SELDOM = 30000; // while nobody does, and at most while the server is away
const FADES = 8000;
let line; // what is said aloud: it stands outside <main>, so that an exchange leaves it there
let fading;

function tell(words, stays = false) {
  clearTimeout(fading);
  line.textContent = words;
  if (words && !stays) {
    fading = setTimeout(() => tell(""), FADES);
  }
}

/** The page at an address; `null` where it is no longer there. */
async function page(address, signal) {
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
function exchange(main, fresh, address) {
  const held = main.contains(document.activeElement) ? document.activeElement : null;
  const range = held && held.matches("textarea") ? [held.selectionStart, held.selectionEnd] : null;
  const top = scrollY;
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
  scrollTo({ top, behavior: "instant" });
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

export function start(main, signal) {
  const here = main.querySelector("[data-pulse]");
  if (!here || here.dataset.over) {
    return;
  }
  if (!line) {
    line = document.createElement("p");
    line.className = "live";
    line.setAttribute("role", "status");
    document.body.append(line);
  }
  const known = { after: Number(here.dataset.after), said: Number(here.dataset.said) };
  let timer;
  let failed = 0;
  let asking = false;

  async function show(heard) {
    if (here.dataset.apart) { // this page stays as it is, and says that there is more
      const more = main.querySelector("#more");
      if (heard.after !== known.after && more) {
        more.hidden = false;
        tell(more.textContent.trim());
      }
    } else if (heard.after !== known.after) {
      const [fresh, address] = await page(heard.page, signal);
      const news = fresh.querySelector("[data-pulse]");
      if (news && Number(news.dataset.after) !== heard.after) {
        return; // somebody was quicker still: the next answer leads to the page of now
      }
      exchange(main, fresh, address);
      tell(`${news ? news.dataset.news : ""} ${main.querySelector("h1").textContent.trim()}`);
    } else if (heard.said !== known.said) {
      const [fresh] = await page(heard.page, signal);
      listen(main, fresh);
      tell(here.dataset.spoken);
    }
    Object.assign(known, heard);
  }

  async function ask() {
    if (asking) {
      return;
    }
    clearTimeout(timer);
    asking = true;
    try {
      const answer = await fetch(here.dataset.pulse, { cache: "no-store", signal });
      if (answer.status === 404) {
        return; // the game is gone
      }
      if (!answer.ok) {
        throw new Error(answer.status);
      }
      await show(await answer.json());
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
    if (!signal.aborted && !known.over) {
      timer = setTimeout(ask, document.hidden ? SELDOM : Math.min(SELDOM, SOON * 2 ** failed));
    }
  }

  timer = setTimeout(ask, SOON);
  signal.addEventListener("abort", () => clearTimeout(timer));
  document.addEventListener("visibilitychange", () => document.hidden || ask(), { signal });
}
