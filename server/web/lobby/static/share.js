// The link to an open seat: copied, or passed on by whatever the browser offers. Without it the link stands
// there to be copied by hand.
function offer() {
  for (const part of document.querySelectorAll(".share[data-link]")) {
    const { link, title, words } = part.dataset;
    const status = part.querySelector("[role=status]");
    const copy = part.querySelector("[data-does=copy]");
    const share = part.querySelector("[data-does=share]");
    part.querySelector("input").addEventListener("focus", (event) => event.target.select());
    if (navigator.clipboard) {
      copy.hidden = false;
      copy.addEventListener("click", () =>
        navigator.clipboard.writeText(link).then(
          () => { status.textContent = copy.dataset.done; },
          () => part.querySelector("input").focus(), // it is marked there, to be copied by hand
        ));
    }
    if (navigator.share) {
      share.hidden = false;
      share.addEventListener("click", () => navigator.share({ title, text: words, url: link }).catch(() => {}));
    }
  }
}

document.querySelector("main").addEventListener("exchanged", offer);
offer();
