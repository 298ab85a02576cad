// Guards are placed by tapping places on the board, cards for the loser chosen by plus and minus; at each change
// the server says what that comes to. The form does the same without it.
import { draw, heart, triangle } from "./lattice.js";
import { enlarge, whole } from "./zoom.js";

/** Points around these spaces, as zoom.js takes them. */
const around = (spaces) => spaces.flatMap((space) => {
  const col = Number(space.slice(2));
  return [`${space[0]}${col - 2}`, `${space[1]}${col + 2}`];
});

/** One province with its form: its places on the board, and its sum. */
class Place {
  constructor(details, board, address, steps, signal) {
    this.details = details;
    this.form = details.querySelector("form");
    this.board = board;
    this.address = address;
    this.signal = signal;
    this.come = this.form.querySelector(".come");
    this.boxes = [...this.form.querySelectorAll("input[data-space]")];
    this.gifts = [...this.form.querySelectorAll("input[data-kind]")];
    this.chosen = details.open && this.gifts.length > 0; // cards that were sent in are not changed
    this.asking = null;
    this.layer = null;
    for (const input of this.gifts) {
      const [less, more] = steps.content.cloneNode(true).children;
      const [label] = input.labels;
      label.id = `${input.id}-name`;
      less.setAttribute("aria-describedby", label.id);
      more.setAttribute("aria-describedby", label.id);
      input.before(less);
      input.after(more);
    }
    details.addEventListener("toggle", () => (details.open ? this.open() : this.close()), { signal });
    this.form.addEventListener("change", () => this.changed(), { signal });
    this.form.addEventListener("input", (event) => this.given(event.target), { signal });
    this.form.addEventListener("click", (event) => this.clicked(event.target), { signal });
    if (details.open) {
      this.open();
    }
  }

  open() {
    this.form.classList.add("placing");
    if (this.board && !this.layer) {
      this.layer = draw("g", { class: "sites", "aria-hidden": "true" }); // the boxes of the form say the same
      for (const box of this.boxes) {
        const { space } = box.dataset;
        const [cx, cy] = heart(space);
        const site = draw(
          "g", { class: "site", "data-space": space },
          draw("path", { d: triangle(space) }), draw("circle", { cx, cy, r: 12 }),
        );
        site.addEventListener("click", () => box.click());
        this.layer.append(site);
      }
      this.board.append(this.layer);
      enlarge(this.board, around(this.boxes.map((box) => box.dataset.space)));
    }
    this.changed();
  }

  close() {
    this.form.classList.remove("placing");
    if (this.layer) {
      this.layer.remove();
      this.layer = null;
      whole(this.board);
    }
    this.asking?.abort();
  }

  clicked(target) {
    if (target.matches(".step")) {
      const input = target.parentElement.querySelector("input");
      input.value = Math.min(input.max, Math.max(input.min, Number(input.value) + Number(target.dataset.step)));
      this.given(input);
    }
  }

  given(input) {
    if (this.gifts.includes(input)) {
      this.chosen = true;
      this.changed();
    }
  }

  changed() {
    for (const site of this.layer?.children ?? []) {
      const box = this.boxes.find((one) => one.dataset.space === site.dataset.space);
      site.classList.toggle("taken", box.checked);
    }
    this.ask();
  }

  /** Ask the server what it comes to; the last question wins. */
  async ask() {
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    const asked = new URLSearchParams(new FormData(this.form));
    if (!this.chosen) {
      this.gifts.forEach((input) => asked.delete(input.name));
    }
    try {
      const answer = await fetch(`${this.address}?${asked}`, { signal: asking.signal });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const sum = answer.ok && page.querySelector(".sum");
      if (sum && asking === this.asking && !this.signal.aborted) {
        this.told(sum);
      }
    } catch {
      this.come.hidden = this.come.hidden || !asking.signal.aborted; // the server is away: the next page tells
    }
  }

  told(sum) {
    this.come.replaceChildren(sum);
    this.come.hidden = false;
    const [most, given] = [sum.dataset.most, sum.dataset.given].map((counts) => counts.split(" "));
    for (const input of this.gifts) {
      if (!this.chosen) {
        input.value = given[input.dataset.kind];
      }
      const [less, more] = input.parentElement.querySelectorAll(".step");
      less.disabled = Number(input.value) <= 0;
      more.disabled = Number(input.value) >= Number(most[input.dataset.kind]);
    }
  }
}

export function start(main, signal) {
  const details = main.querySelector("details.place");
  if (details) {
    details.querySelector(".onboard").hidden = false;
    new Place(details, main.querySelector("svg.board"), details.dataset.sum, details.querySelector("template"), signal);
  }
}
