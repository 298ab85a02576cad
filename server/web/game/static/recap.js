// What happened since the reader's last turn, on the board: played deed by deed, and each line of its list with
// the place it tells of. The server draws the board as it was after each deed, and says where a deed was done.
import { distance, draw, heart, line, spot, triangle } from "./lattice.js";

const SPEEDS = { slow: 0.5, normal: 1, fast: 2.5 };
const MARCH = 240; // milliseconds a side
const SEEN = 1300; // milliseconds that a deed on the board stands, and one with cards alone
const TOLD = 800;
const NEAR = 24; // how far from a way it is still meant
const still = matchMedia("(prefers-reduced-motion: reduce)");
const loaded = new Map(); // frames, by where they came from

/** What is remembered while the browser's tab is open; nothing where it remembers nothing. */
const memory = {
  get(key) {
    try {
      return sessionStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      sessionStorage.setItem(key, value);
    } catch {
      // then it is played again
    }
  },
};

class Replay {
  constructor(main, bar, signal) {
    const links = [...main.querySelectorAll("a[data-deed]")];
    Object.assign(this, { main, bar, signal, links, run: null, lit: null });
    this.words = bar.querySelector(".words");
    this.speed = bar.querySelector("select");
    this.speed.value = memory.get("replay-speed") || "normal";
  }

  get board() {
    return this.main.querySelector("svg.board");
  }

  /** The frames, asked for once. */
  frames() {
    const { frames } = this.bar.dataset;
    if (!loaded.has(frames)) {
      const found = fetch(frames).then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(answer.status))));
      found.catch(() => loaded.delete(frames));
      loaded.set(frames, found);
    }
    return loaded.get(frames);
  }

  // --- as an animation ---

  /** Up to which deed it has been shown in this tab; `null` where the game was not looked at yet. */
  get shown() {
    const [begun, many] = (memory.get(this.bar.dataset.key) || "").split(":");
    return begun ? (begun === this.bar.dataset.begun ? Number(many) : 0) : null;
  }

  /** Play what was not shown yet, unless its reader wants no motion; of a game that is over only what was seen to happen. */
  begin() {
    const from = this.shown ?? (this.bar.dataset.over ? this.links.length : 0);
    if (from >= this.links.length || still.matches) {
      this.note();
      return;
    }
    const go = () => document.hidden || this.run || this.signal.aborted || this.play(from);
    document.addEventListener("visibilitychange", go, { once: true, signal: this.signal });
    go();
  }

  note() {
    memory.set(this.bar.dataset.key, `${this.bar.dataset.begun}:${this.links.length}`);
  }

  async play(from) {
    this.unlight();
    this.note();
    const run = new AbortController();
    this.run = run;
    this.bar.toggleAttribute("data-playing", true);
    try {
      const told = await this.frames();
      const { board } = this;
      if (run.signal.aborted || this.signal.aborted || !board) {
        return;
      }
      const drawing = board.querySelector("#board");
      const before = { board, drawing, drawn: [...drawing.children], box: board.getAttribute("viewBox") };
      run.signal.addEventListener("abort", () => restore(before), { once: true });
      board.setAttribute("viewBox", board.dataset.whole || before.box);
      board.setAttribute("data-replay", "");
      const show = (number) => exchange(before, told, number);
      show(from);
      for (let number = from; number < told.deeds.length; number += 1) {
        await this.step(told.deeds[number], number, show, run.signal);
      }
    } catch {
      // it was stopped, or the server is away: the board stands as it is now
    } finally {
      if (this.run === run) {
        this.stop();
      }
    }
  }

  async step(deed, number, show, signal) {
    this.tell(number);
    const { board } = this;
    if (deed.path && !still.matches) {
      await this.march(board, deed, signal);
    }
    show(number + 1);
    const flash = shape(deed, "flash");
    board.append(flash);
    try {
      await pause(deed.path || deed.spaces.length ? SEEN / this.pace : TOLD / this.pace, signal);
    } finally {
      flash.remove();
    }
  }

  /** Alexander walks his way, and leaves a trail in the colour of who sent him. */
  async march(board, deed, signal) {
    const stops = deed.path.split("-");
    const duration = (MARCH * (stops.length - 1)) / this.pace;
    const trail = draw("path", { class: "walked", d: line(deed.path), pathLength: 1, stroke: `var(--seat-${deed.seat})` });
    const sun = board.querySelector("#board .alexander");
    sun.before(trail);
    const walk = sun.animate(
      stops.map((stop) => ({ transform: `translate(${spot(stop).map((each) => `${each}px`).join(",")})` })),
      { duration, fill: "forwards" },
    );
    trail.animate([{ strokeDashoffset: 1 }, { strokeDashoffset: 0 }], { duration, fill: "forwards" });
    await pause(duration, signal).finally(() => walk.cancel());
  }

  get pace() {
    return SPEEDS[this.speed.value] || 1;
  }

  /** The board is again as it is now. */
  stop() {
    this.run?.abort();
    this.run = null;
    this.bar.removeAttribute("data-playing");
    this.tell(null);
  }

  /** The line that is shown or meant, in the list and in the bar. */
  tell(number) {
    this.links.forEach((link, each) => link.classList.toggle("told-now", each === number));
    this.words.textContent = number === null ? "" : this.links[number].textContent;
  }

  // --- as a list ---

  async light(link) {
    this.lit = link;
    const told = await this.frames();
    if (this.lit !== link || this.run || !this.board) {
      return;
    }
    this.board.querySelector(":scope > .lit")?.remove();
    this.board.append(shape(told.deeds[link.dataset.deed], "lit"));
    this.tell(Number(link.dataset.deed));
  }

  unlight() {
    this.lit = null;
    this.board?.querySelector(":scope > .lit")?.remove();
    this.tell(null);
  }

  /** The lines that tell of what one points at on the board. */
  async point(isThere) {
    const told = await this.frames();
    if (!this.run && !this.lit) {
      const found = told.deeds.map(isThere);
      this.links.forEach((link, each) => link.classList.toggle("told-now", found[each]));
      const last = found.lastIndexOf(true);
      this.words.textContent = last < 0 ? "" : this.links[last].textContent;
    }
  }

  pointed(event) {
    if (!event.target.closest("svg.board")) {
      return;
    }
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.board.getScreenCTM().inverse());
    this.point((deed) => isNear([at.x, at.y], deed)).catch(() => {});
  }

  focused(event) {
    const [link, land] = ["a[data-deed]", "a.land"].map((name) => event.target.closest(name));
    if (link) {
      this.light(link).catch(() => {});
    } else if (land) {
      const area = land.querySelector("path");
      const within = ([x, y]) => area.isPointInFill(new DOMPoint(x, y));
      this.point((deed) => deed.spaces.some((space) => within(heart(space)))).catch(() => {});
    }
  }

  /** A finger has nothing to point with: its first tap on a line shows the place, and the next follows the link. */
  clicked(event) {
    const link = event.target.closest("a[data-deed]");
    if (!link || event.pointerType !== "touch" || link === this.tapped) {
      return;
    }
    event.preventDefault();
    this.tapped = link;
    this.light(link).catch(() => {});
    this.board.scrollIntoView({ block: "center" });
  }
}

/** The drawing of a board as a frame has it; what hardly changes is taken from the board of now. */
function exchange({ drawing, drawn }, told, number) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "g");
  made.innerHTML = told.frames[number].map((layer) => told.layers[layer]).join("");
  for (const layer of made.querySelectorAll("[data-own]")) {
    const own = drawn.filter((one) => one.matches(`.${layer.dataset.own}`));
    layer.prepend(...own.flatMap((one) => [...one.cloneNode(true).childNodes]));
  }
  const { named } = Object.fromEntries(drawn.map((one) => [one.getAttribute("class"), one]));
  drawing.replaceChildren(...drawn.slice(0, told.kept), ...made.childNodes, ...(named ? [named] : []));
}

function restore({ board, drawing, drawn, box }) {
  drawing.replaceChildren(...drawn);
  board.removeAttribute("data-replay");
  board.setAttribute("viewBox", box);
}

/** Where a deed was done: its spaces and its way. */
function shape(deed, name) {
  const made = draw("g", { class: name });
  if (deed.spaces.length) {
    made.append(draw("path", { class: "where", d: deed.spaces.map(triangle).join("") }));
  }
  if (deed.path) {
    made.append(draw("path", { class: "way-there", d: line(deed.path) }));
  }
  return made;
}

function isNear(at, deed) {
  const [x, y] = at;
  return deed.spaces.some((space) => {
    const [sx, sy] = heart(space);
    return Math.hypot(x - sx, y - sy) < NEAR;
  }) || (deed.path.includes("-") && distance(at, deed.path) < NEAR / 2);
}

function pause(milliseconds, signal) {
  return new Promise((done, stopped) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      stopped(new Error("stopped"));
    }, { once: true });
  });
}

export function start(main, signal) {
  const bar = main.querySelector(".replay");
  if (!bar || !main.querySelector("svg.board")) {
    return;
  }
  const replay = new Replay(main, bar, signal);
  const on = (where, name, does, more = {}) => where.addEventListener(name, does, { signal, ...more });
  const quit = (event) => {
    if (!replay.run || event.target.closest?.(".replay") || ["Tab", "Shift"].includes(event.key)) {
      return;
    }
    replay.stop();
    if (event.key === "Escape") {
      event.preventDefault();
    }
  };
  on(document, "pointerdown", quit, { capture: true });
  on(document, "keydown", quit, { capture: true });
  on(bar.querySelector("button"), "click", () => (replay.run ? replay.stop() : replay.play(0)));
  on(replay.speed, "change", () => memory.set("replay-speed", replay.speed.value));
  on(main, "pointerover", (event) => event.pointerType === "mouse" && replay.focused(event));
  on(main, "pointerout", (event) => event.target.closest("a[data-deed], svg.board") && !replay.run && replay.unlight());
  on(main, "pointermove", (event) => event.pointerType === "mouse" && !replay.lit && replay.pointed(event));
  on(main, "pointerup", (event) => event.pointerType === "touch" && replay.pointed(event));
  on(main, "focusin", (event) => replay.focused(event));
  on(main, "focusout", () => replay.run || replay.unlight());
  on(main, "click", (event) => replay.clicked(event));
  signal.addEventListener("abort", () => replay.stop());
  replay.begin();
}
