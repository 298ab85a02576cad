// Shows beside the board what the page says about a province, while it is pointed at or reached by keyboard, and
// until it is closed where it was clicked or tapped.
const wide = matchMedia("(min-width: 70rem)");

const place = (event) => `${event.screenX} ${event.screenY}`;

/** How much of the foot of the screen something else needs that stays there. */
function foot(main) {
  const stays = [...main.querySelectorAll(".tray, .placing .reckoning")].filter(
    (one) => ["fixed", "sticky"].includes(getComputedStyle(one).position),
  );
  const tops = stays.map((one) => one.getBoundingClientRect()).filter((box) => box.bottom >= innerHeight - 2);
  return Math.max(0, ...tops.map((box) => innerHeight - box.top));
}

export function start(main, signal) {
  const panel = main.querySelector(".looked-at");
  const figure = main.querySelector("figure.map");
  if (!panel || !figure) {
    return;
  }
  const shown = panel.querySelector(".shown");
  let land = null;
  let pinned = false;
  let leaving = false;
  let pressed = "";
  figure.parentElement.append(panel);

  const hide = () => {
    if (land) {
      land.classList.remove("open");
      leaving = true;
      if (panel.contains(document.activeElement)) {
        land.focus({ preventScroll: true });
      }
      leaving = false;
    }
    land = null;
    pinned = false;
    panel.hidden = true;
  };
  const show = (one, pin) => {
    const told = main.querySelector(`#province-${one.dataset.province}`);
    if (!told) {
      return;
    }
    if (one !== land) {
      hide();
      land = one;
      land.classList.add("open");
      shown.replaceChildren(...[...told.childNodes].map((node) => node.cloneNode(true)));
      const [here, all] = [land.getBoundingClientRect(), figure.getBoundingClientRect()];
      panel.classList.toggle("right", here.left + here.right < all.left + all.right);
    }
    pinned = pin;
    panel.classList.toggle("pinned", pin);
    panel.hidden = false;
    panel.scrollTop = 0;
    panel.style.setProperty("--foot", `${foot(main)}px`);
  };
  const leave = (one) => {
    if (!pinned && one === land) {
      hide();
    }
  };
  for (const one of figure.querySelectorAll("a.land")) {
    const on = (kind, act) => one.addEventListener(kind, act, { signal });
    one.setAttribute("aria-describedby", `province-${one.dataset.province}`);
    on("pointermove", (event) => {
      const moved = place(event) !== pressed; // not under a mouse at rest, when the panel above it goes
      if (event.pointerType === "mouse" && moved && one !== land && !pinned && !main.querySelector(".placing")) {
        show(one, false);
      }
    });
    on("pointerleave", () => leave(one));
    on("focus", () => !leaving && one.matches(":focus-visible") && show(one, false));
    on("blur", () => leave(one));
    on("click", (event) => {
      if (event.detail === 0) {
        hide(); // by keyboard: on to the element itself
        return;
      }
      event.preventDefault();
      if (pinned && one === land) {
        hide();
      } else {
        show(one, true);
        if (!wide.matches) {
          figure.scrollIntoView({ block: "start" }); // above the panel, which stands at the foot of the screen
        }
      }
    });
  }
  panel.querySelector(".close").addEventListener("click", hide, { signal });
  shown.addEventListener("click", (event) => event.target.closest("a") && hide(), { signal });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && land) {
      hide();
      event.preventDefault(); // one thing at a time
    }
  }, { signal, capture: true });
  const down = (event) => {
    pressed = place(event);
    if (pinned && !panel.contains(event.target) && !event.target.closest("a.land")) {
      hide();
    }
  };
  document.addEventListener("pointerdown", down, { signal });
}
