// What one sees of a march while it is chosen: the script filters what stands on the page and never makes it up.
import { fold, unfold } from "./unfold.js";
import { enlarge, whole } from "./zoom.js";

/** The choices of a list, with what the page tells of each. */
export function read(list) {
  return [...list.querySelectorAll("a.choice")].map((link) => {
    const { path = "", parts = "", trail = "", corner = path.split("-").at(-1) } = link.dataset;
    const { card = "" } = link.closest("[data-card]")?.dataset || {};
    return { link, card, path, parts, trail, corner };
  });
}

/** The points of a list that have letters: [point, letter]. */
export const signs = (list) => list.dataset.signs.split(" ").filter(Boolean).map((one) => one.split(":"));

export class Sight {
  constructor(march, tray) {
    Object.assign(this, { march, tray, figure: march.board.closest("figure"), cards: march.cards[0]?.closest("section") });
  }

  /** Look at the part of the board that matters now. */
  turnTo() {
    const { march } = this;
    const { board, card } = march;
    if (march.stage === "card") {
      whole(board);
      return;
    }
    const those = [...march.open, ...march.all.filter((one) => !card || one.card === card)];
    const points = those.flatMap((one) => [one.corner, ...(one.path || one.trail).split("-")]);
    if (enlarge(board, [board.dataset.stands, ...points.filter(Boolean)]) && march.canGoBack) {
      (march.stage === "both" ? this.cards : this.figure).scrollIntoView();
    }
  }

  show() {
    const { march } = this;
    const { stage, board, open, meant } = march;
    const last = march.asked.at(-1);
    this.tray.dataset.stage = board.dataset.stage = stage;
    this.tray.toggleAttribute("data-idle", !meant && !march.canGoBack);
    this.showCards();
    this.showCorners(stage);
    this.showList(last);
    if (stage === "way" || stage === "part") {
      const at = new Map(open.map((one) => [one.trail.split("-").at(-1), one.link]));
      unfold(board, open, meant, (last?.signs || []).map(([point, letter]) => [point, letter, at.get(point)]));
    } else {
      fold(board);
    }
    this.say(march.failed ? "away" : stage);
    const [go, turner, undo] = [".go", ".turner", ".undo"].map((name) => this.tray.querySelector(name));
    go.hidden = !meant;
    go.href = meant ? meant.link.href : "#choices";
    turner.hidden = stage !== "way" || open.length < 2;
    turner.querySelector(".which").textContent = `${open.indexOf(meant) + 1} / ${open.length}`;
    undo.hidden = !march.canGoBack;
  }

  /** In the tray: what the way that is meant would do, or what there is to choose. */
  say(stage) {
    const { card, list, meant } = this.march;
    const made = document.createElement("div");
    if (meant) {
      made.append(...[...meant.link.childNodes].map((one) => one.cloneNode(true)));
    } else {
      made.append(this.tray.querySelector(`template[data-say="${stage}"]`).content.cloneNode(true));
      const heading = stage === "corner" && card && list.querySelector(`[data-card="${card}"] h3`);
      if (heading) {
        made.prepend(Object.assign(document.createElement("b"), { textContent: heading.textContent }));
      }
    }
    const said = this.tray.querySelector(".said");
    if (said.textContent !== made.textContent) {
      said.replaceChildren(made);
    }
  }

  showCards() {
    const { all, corner, card, cards } = this.march;
    for (const one of cards) {
      const name = one.dataset.card;
      one.classList.toggle("apart", !card && corner && !all.some((each) => each.corner === corner && each.card === name));
      one.toggleAttribute("aria-current", false);
      if (name === card) {
        one.setAttribute("aria-current", "true");
      }
    }
  }

  showCorners(stage) {
    const { all, asked, board, card, corner, list, open } = this.march;
    const corners = new Set(all.filter((one) => !card || one.card === card).map((one) => one.corner));
    const passed = new Set(stage === "way" ? open.flatMap((one) => one.path.split("-")) : []);
    const off = (point) => !corners.has(point) || passed.has(point) || asked.length > 0;
    for (const spot of board.querySelectorAll(".spot")) {
      spot.setAttribute("tabindex", stage === "card" ? -1 : 0);
      spot.toggleAttribute("data-off", off(spot.dataset.point));
    }
    for (const label of board.querySelectorAll("[data-label]")) {
      const point = label.dataset.label;
      label.toggleAttribute("data-off", point !== corner && off(point) && !asked[0]?.own);
    }
    const groups = [...list.querySelectorAll("[data-targets]")].filter((one) => !card || one.dataset.card === card);
    const targets = groups.flatMap((one) => one.dataset.targets.split(" "));
    for (const space of board.querySelectorAll(".targets [data-space]")) {
      space.toggleAttribute("data-off", targets.length > 0 && !targets.includes(space.dataset.space));
    }
  }

  showList(last) {
    const { all, card, corner, list, open } = this.march;
    const [marches, shown] = [all, open].map((those) => new Set(those.map((one) => one.link)));
    for (const group of list.querySelectorAll(":scope > details")) {
      const links = [...group.querySelectorAll("a.choice")].filter((link) => marches.has(link));
      links.forEach((link) => link.parentNode.toggleAttribute("hidden", !shown.has(link)));
      group.hidden = Boolean(last?.found) || (links.length > 0 && !links.some((link) => shown.has(link)));
      group.open ||= Boolean(card || corner);
    }
    const asked = list.querySelector(":scope > .asked");
    if (asked !== (last?.found || null)) {
      asked?.remove();
      last?.found?.classList.add("asked");
      list.append(last?.found || "");
    }
  }

  /** While one points at a choice of the list, it is shown on the board. */
  peek(target) {
    const { march } = this;
    const link = target.closest("a.choice");
    const one = link && [...march.open, ...march.all].find((each) => each.link === link);
    if (one && (one.path || one.trail)) {
      unfold(march.board, [], one, []);
    }
  }

  /** Whoever goes by keyboard goes on where the next step is. */
  lead() {
    const { march, tray } = this;
    const on = (name) => march.board.querySelector(`${name}:not([data-off])`);
    const next = {
      way: () => tray.querySelector(".go"),
      part: () => on(".sign[href]"),
      corner: () => on(`[data-point="${march.was}"]`) || on(".spot"),
      card: () => march.cards.find((card) => card.dataset.card === march.was) || march.cards[0],
      both: () => march.cards.find((card) => !card.classList.contains("apart")),
      wait: () => tray.querySelector(".undo"),
    }[march.stage]();
    next?.focus({ preventScroll: true });
  }
}
