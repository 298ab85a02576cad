// The dock: for each step the server gives the board with the dock as they are then, and this puts them in place.
// Nothing of the rules is known here. Without this script each step is a page, with the same buttons.
import { distance, draw, line } from "./lattice.js";
import { exchange, tell } from "./live.js";
import * as zoom from "./zoom.js";

const NEAR = 12; // how far from a way a touch still means it; the middle of a space, 17 away, means its land
const CAN = "button:not([aria-disabled])";
const FOLLOWED = [".corners>li>button", ".ways>li:not([aria-current])>button", `.verbs>${CAN}`, "button.card"];
const REST = 400; // milliseconds in which a finger that was on its way means what stood there before
const narrow = matchMedia("(max-width: 69.99rem)");
const turns = new Map(); // whole turns that were offered, by where they came from

/** What has just come, or has moved, takes no taps yet: what cannot be undone, or "all". */
function rest(place, what = "final") {
  place.dataset.resting = what;
  setTimeout(() => place.removeAttribute("data-resting"), REST);
}

class Play {
  constructor(main, signal) {
    Object.assign(this, { main, signal, inner: null, busy: null });
    this.begin();
  }

  get section() {
    return this.main.querySelector("#play");
  }

  /** What a board and a dock need that have just come. */
  begin() {
    const { main, section } = this;
    this.inner?.abort();
    this.inner = new AbortController();
    this.signal.addEventListener("abort", () => this.inner.abort(), { signal: this.inner.signal });
    zoom.watch(main, this.inner.signal);
    this.placeGuards(this.inner.signal);
    this.unfold();
    const board = section.querySelector("svg.board");
    this.makeRoom();
    const { step } = section.dataset;
    if (step || section.querySelector(".drafted")) {
      zoom.approach(board);
    }
    this.offer(section.querySelector(".turns[data-from]"));
  }

  /** Say how much of the screen the dock leaves to the board, where it stands below it. */
  makeRoom() {
    const [stage, dock] = [".stage", ".dock"].map((name) => this.section.querySelector(name).getBoundingClientRect());
    this.section.style.setProperty("--room", `${Math.round(innerHeight - dock.height - stage.top - scrollY)}px`);
  }

  /** Where there is the form for guards, what lets them be placed on the board; without it the form does. */
  async placeGuards(signal) {
    if (this.section.querySelector("details.place")) {
      const guards = await import("./guards.js").catch(() => null);
      if (guards && !signal.aborted) {
        guards.start(this.main, signal);
      }
    }
  }

  // --- ways ---

  get ways() { // while a province is looked at the board is for its places
    return this.section.matches(".asks-land") ? [] : [...this.section.querySelectorAll(".ways>li>button")];
  }

  /** The ways that could be gone instead, on the board. */
  unfold() {
    const { ways } = this;
    const others = ways.filter((one) => !one.closest("[aria-current]"));
    if (others.length) {
      const paths = others.map((one) => draw("path", { class: "possible", d: line(one.dataset.path) }));
      this.section.querySelector("svg.board").append(draw("g", { class: "unfolded" }, ...paths));
    }
  }

  /** The way that a touch of the board means, if it is not the one of now. */
  nearest(event) {
    const board = this.section.querySelector("svg.board");
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(board.getScreenCTM().inverse());
    const far = this.ways.map((one) => [distance([x, y], one.dataset.path), one]);
    const least = Math.min(...far.map(([each]) => each));
    const near = far.filter(([each]) => each <= least + 4).map(([, one]) => one);
    return least > NEAR || near.some((one) => one.closest("[aria-current]")) ? null : near[0];
  }

  // --- whole turns ---

  async offer(place) {
    if (!place) {
      return;
    }
    const { from } = place.dataset;
    try {
      if (!turns.has(from)) {
        const answer = await fetch(from, { signal: this.signal });
        turns.set(from, answer.ok ? await answer.text() : "");
      }
      const now = this.section?.querySelector(`.turns[data-from="${CSS.escape(from)}"]`);
      if (now) {
        now.innerHTML = turns.get(from);
        rest(now, "all");
      }
    } catch {
      place.replaceChildren(); // there are none then
    }
    if (!place.firstElementChild) {
      this.makeRoom();
      rest(this.section, "all");
    }
  }

  // --- steps ---

  /** Ask for the next state and show it. `sent`: what a form says; none to look only. */
  async go(address, sent = null) {
    if (this.busy?.sent) {
      return;
    }
    this.busy?.abort.abort();
    const abort = new AbortController();
    this.busy = { abort, sent };
    this.asker = document.activeElement; // whoever has gone on meanwhile is not taken back
    this.section.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, {
        body: sent, cache: "no-store", method: sent ? "POST" : "GET", signal: abort.signal,
      });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (this.signal.aborted || abort.signal.aborted) {
        return;
      }
      this.busy = null;
      if (page.querySelector("main")) {
        exchange(this.main, page, answer.url);
        [...this.main.querySelectorAll("#play")].forEach((come) => rest(come));
      } else {
        this.show(page.querySelector("#play"));
      }
    } catch {
      if (!abort.signal.aborted) {
        this.busy = null;
        this.section.removeAttribute("aria-busy");
        this.say(this.section.querySelector(".ask").dataset.away);
      }
    }
  }

  say(words) {
    const ask = this.section.querySelector(".ask");
    ask.querySelector(".said")?.remove();
    ask.prepend(Object.assign(document.createElement("p"), { className: "said", textContent: words }));
    this.main.querySelector("#asked").textContent = words;
  }

  show(fresh) {
    const { section } = this;
    const held = section.contains(document.activeElement) ? document.activeElement : null;
    rest(fresh);
    section.replaceWith(fresh);
    history.replaceState(null, "", fresh.dataset.at);
    this.begin();
    if (narrow.matches && fresh.getBoundingClientRect().top < 0) {
      scrollTo({ top: 0, behavior: "instant" }); // to the board
    }
    this.main.querySelector("#asked").textContent = fresh.querySelector(".ask").textContent.trim();
    if (held) {
      const [all, asked] = [[...fresh.querySelectorAll("button, a.land")], held === this.asker];
      const same = all.find((one) => one.name === held.name && one.value === held.value
        && one.dataset.province === held.dataset.province);
      const leads = asked && (held.matches(".land") || (held.matches(".card") && held.form?.id === "pick"));
      const next = FOLLOWED.map((one) => fresh.querySelector(one)).find(Boolean);
      ((leads ? next : same) || next || fresh.querySelector(".ask")).focus({ preventScroll: true });
    }
  }

  look(query) {
    const { part } = this.section.dataset;
    return this.go(`${part}?${query}`);
  }

  /** Show what is drafted now, which was done elsewhere; whoever places guards is not disturbed. */
  async follow() {
    if (this.busy || this.section.querySelector("details.place[open]")) {
      return;
    }
    const { at, begun, elsewhere } = this.section.dataset;
    const asked = new URL(at, location.href).searchParams;
    ["look", "card", "corner"].forEach((one) => asked.delete(one));
    const shown = this.look(asked);
    this.asker = null; // nobody has asked: the focus stays where it is
    await shown;
    if (this.section?.dataset.begun !== begun) {
      tell(elsewhere);
    }
  }

  /** Show a list over the dock, above what opens it: that stays where it is, under the finger. */
  lift(more) {
    const { top } = more.querySelector("summary").getBoundingClientRect();
    more.style.setProperty("--foot", `${Math.round(innerHeight - top)}px`);
    rest(more, "all");
  }

  // --- what people do ---

  submitted(event) {
    const { target: form, submitter } = event;
    if (!form.closest("#play")) {
      return;
    }
    event.preventDefault();
    const said = new FormData(form, submitter);
    if (form.method === "get") {
      said.delete("look");
      this.look(new URLSearchParams(said));
    } else {
      this.go(`${form.getAttribute("action")}?part=1`, new URLSearchParams(said));
    }
  }

  clicked(event) {
    const on = (name) => event.target.closest(name);
    if (!on("#play") || event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    if (on(".more > summary")) {
      this.lift(on(".more"));
    }
    const [spotted, land, close, opens, cannot] = [".spot", "a.land", "a.close", "[data-opens]", "[data-why]"].map(on);
    const way = on("svg.board") && event.detail ? this.nearest(event) : null;
    if (spotted) {
      const corner = this.section.querySelector(`[data-corner="${spotted.dataset.point}"]`);
      if (!corner) {
        return;
      }
      corner.click();
    } else if (way) {
      way.click();
    } else if (land || close) {
      this.look(new URL((land || close).getAttribute("href"), location.href).searchParams);
    } else if (cannot) {
      this.say(cannot.dataset.why);
    } else if (opens) {
      const heading = this.section.querySelector(`#${opens.dataset.opens}`);
      this.lift(heading.closest("details"));
      heading.closest("details").open = true;
      heading.nextElementSibling.querySelector("button").focus();
    } else {
      return;
    }
    event.preventDefault();
  }

  pressed(event) {
    const more = this.section?.querySelector(".more[open]");
    const back = more?.querySelector("summary") || this.section?.querySelector("a.close") || this.section?.querySelector('[name="undo"]');
    if (event.key === "Escape" && back && !event.defaultPrevented) {
      event.preventDefault();
      back.click();
    }
  }
}

export function start(main, signal) {
  if (!main.querySelector("#play")) {
    return;
  }
  const play = new Play(main, signal);
  const on = (where, name, does) => where.addEventListener(name, does, { signal });
  on(main, "submit", (event) => play.submitted(event));
  on(main, "click", (event) => play.clicked(event));
  on(document, "keydown", (event) => play.pressed(event));
  on(main, "begun", () => play.follow());
}
