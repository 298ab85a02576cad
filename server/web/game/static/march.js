// A march step by step: a card, a corner, a way. What can be done and what would come of it the page says itself.
import { distance } from "./lattice.js";
import { Sight, read, signs } from "./sight.js";

const NEAR = 8; // ways that are nearly as near as the nearest
const last = (path) => path.split("-").at(-1);

/** How many sides two ways have in common. */
function common(one, other) {
  const sides = (path) => path.split("-").map((point, at, all) => point + all[at + 1]);
  const those = sides(other);
  return sides(one).filter((each) => those.includes(each)).length;
}

class March {
  constructor(main, board, tray, signal) {
    const list = main.querySelector("#choices");
    Object.assign(this, { board, list, signal, card: "", corner: "", meant: null, pinned: false, failed: false });
    this.all = read(list).filter((one) => one.corner);
    this.cards = [...main.querySelectorAll("a.card[data-card]")];
    this.asked = []; // the lists of the pages that asked which way is meant; the last one counts
    if (list.dataset.signs !== undefined) {
      this.asked.push({ choices: this.all, signs: signs(list), own: true });
    }
    this.sight = new Sight(this, tray);
  }

  // --- what can be chosen ---

  /** The marches that are still meant. */
  get open() {
    const fits = (one) => (!this.card || one.card === this.card) && (!this.corner || one.corner === this.corner);
    return this.asked.at(-1)?.choices || this.all.filter(fits);
  }

  get stage() {
    const whole = this.open.every((one) => one.path);
    if (this.asked.length) {
      return whole ? "way" : "part";
    }
    if (this.cards.length && !this.card) {
      return this.corner ? "both" : "card";
    }
    if (!this.corner) {
      return "corner";
    }
    return whole ? "way" : "wait";
  }

  get canGoBack() {
    return this.asked.length ? !this.asked.at(-1).own : Boolean(this.card || this.corner);
  }

  choose(card, corner) {
    Object.assign(this, { asked: [], card, corner });
    const cards = new Set(this.open.map((one) => one.card));
    if (cards.size === 1 && corner) {
      [this.card] = cards;
    }
    this.step();
  }

  chooseCard(card) {
    const corner = this.all.some((one) => one.card === card && one.corner === this.corner) ? this.corner : "";
    this.choose(card, this.card ? "" : corner);
  }

  chooseCorner(corner) {
    const card = this.all.some((one) => one.card === this.card && one.corner === corner) ? this.card : "";
    this.choose(card, corner);
  }

  /** A choice of a page that asked. */
  take(one) {
    if (one.path) {
      this.asked.push({ choices: [one], signs: [] });
      this.step();
    } else {
      this.ask(one);
    }
  }

  /** Ask which of several ways is meant. */
  async ask(one) {
    const { asked } = this;
    const before = asked.length;
    try {
      const answer = await fetch(one.link.href, { signal: this.signal });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const list = page.querySelector("#choices[data-signs]");
      if (!list) {
        location.assign(one.link.href);
      } else if (this.asked === asked && asked.length === before && this.open.includes(one)) {
        const found = document.adoptNode(list.querySelector("ul.choices"));
        asked.push({ choices: read(found), signs: signs(list), found });
        this.step();
      }
    } catch {
      this.failed = !this.signal.aborted;
      this.sight.show();
    }
  }

  back() {
    this.was = this.corner || this.card;
    if (this.asked.length) {
      this.asked.pop();
    }
    if (this.stage === "way" || this.stage === "wait" || this.stage === "both") {
      this.corner = "";
    } else if (this.stage === "corner") {
      this.card = "";
    }
    this.step();
  }

  // --- which way is meant ---

  /** After a step: begin with the first way. */
  step() {
    const { stage, open } = this;
    Object.assign(this, { failed: false, pinned: false, meant: stage === "way" ? open[0] : null });
    this.sight.turnTo();
    this.sight.show();
    if (this.byKeys) {
      this.sight.lead();
    }
    if (stage === "wait") {
      this.ask(open[0]);
    }
  }

  mean(one, pinned) {
    this.pinned = pinned;
    if (one !== this.meant) {
      this.meant = one;
      this.sight.show();
    }
  }

  turn(by) {
    const { open } = this;
    this.mean(open.at((open.indexOf(this.meant) + by) % open.length), true);
  }

  /** The way nearest to a place; among equals the one most like the way that was meant before. */
  nearest(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.board.getScreenCTM().inverse());
    const far = this.open.map((one) => [distance([x, y], one.path), one]);
    const least = Math.min(...far.map(([each]) => each));
    const near = far.filter(([each]) => each <= least + NEAR).map(([, one]) => one);
    const like = (one) => common(one.path, this.meant.path);
    return near.reduce((best, one) => (like(one) > like(best) ? one : best));
  }

  // --- what people do ---

  /** Whether a click was meant for us. */
  clicked(event) {
    const [card, spot, sign, turn, link, undo, board] = [
      "a.card[data-card]", ".board .spot", "a.sign", "[data-turn]", "#choices .choice", ".undo", "svg.board",
    ].map((name) => event.target.closest(name));
    const choice = link && this.open.find((one) => one.link === link);
    if (card) {
      this.chooseCard(card.dataset.card);
    } else if (spot) {
      this.chooseCorner(spot.dataset.point);
    } else if (sign) {
      this.take(this.open.find((one) => last(one.trail) === sign.dataset.point));
    } else if (choice && !choice.path) {
      if (this.asked.length) { this.take(choice); } else { this.choose(choice.card, choice.corner); }
    } else if (turn) {
      this.turn(Number(turn.dataset.turn));
    } else if (undo) {
      this.back();
    } else if (board && this.stage === "way" && event.detail) {
      this.mean(this.nearest(event), true);
    } else {
      return false;
    }
    return true;
  }

  /** What is chosen is kept with this place in the history of the browser, for whoever comes back to it. */
  keep() {
    const { card, corner, meant } = this;
    history.replaceState({ card, corner, way: meant?.path }, "");
  }

  /** Choose again what was chosen when this page was left, or before the script had come. */
  restore({ card = "", corner = "", way } = {}) {
    const fits = (one) => (!card || one.card === card) && (!corner || one.corner === corner);
    if (!(card || corner) || this.asked.length || !this.all.some(fits)) {
      this.step();
      return;
    }
    this.choose(card, corner);
    const again = this.meant && this.open.find((one) => one.path === way);
    if (again) {
      this.mean(again, true);
    }
  }

  pressed(event) {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const here = event.target === document.body || event.target.closest?.("svg.board, .tray");
    if (event.key === "Escape" && this.canGoBack && !event.defaultPrevented) {
      this.byKeys = true;
      this.back();
    } else if (by && here && this.stage === "way") {
      this.turn(by);
    } else {
      return;
    }
    event.preventDefault();
  }
}

export function start(main, signal) {
  const [board, tray] = [main.querySelector("svg.board"), main.querySelector(".tray")];
  if (!board || !tray) {
    return;
  }
  const march = new March(main, board, tray, signal);
  const on = (where, name, does) => where.addEventListener(name, does, { signal });
  on(main, "click", (event) => {
    march.byKeys = event.detail === 0;
    if (!(event.ctrlKey || event.metaKey || event.shiftKey) && march.clicked(event)) {
      event.preventDefault();
    }
    if (!event.defaultPrevented && event.target.closest("a")) {
      march.keep();
    }
  });
  on(document, "keydown", (event) => march.pressed(event));
  on(board, "pointermove", (event) => {
    if (event.pointerType === "mouse" && march.stage === "way" && !march.pinned) {
      march.mean(march.nearest(event), false);
    }
  });
  const { list, sight } = march;
  on(list, "pointerover", (event) => event.pointerType === "mouse" && sight.peek(event.target));
  on(list, "pointerleave", () => sight.show());
  on(list, "focusin", (event) => sight.peek(event.target));
  on(list, "focusout", () => sight.show());
  march.restore(history.state || Object.fromEntries(new URLSearchParams(location.search)));
}
