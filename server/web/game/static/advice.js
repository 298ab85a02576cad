// Shows advice in its place on the page of a turn, once it is asked for; all words come from the page of it.

export function start(main, signal) {
  const asked = main.querySelector("#advice [data-waits]");
  if (!asked) {
    return;
  }

  async function ask() {
    const label = asked.textContent;
    asked.textContent = asked.dataset.waits;
    try {
      const answer = await fetch(asked.href, { signal });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = answer.redirected ? null : page.querySelector("#advice");
      if (!found) {
        location.assign(answer.url);
        return;
      }
      const section = asked.closest("#advice");
      section.replaceChildren(...document.adoptNode(found).childNodes);
      section.querySelector("h2").focus({ preventScroll: true });
    } catch {
      asked.textContent = label; // the server is away: it can be asked again
    }
  }

  asked.addEventListener("click", (event) => {
    if (!(event.ctrlKey || event.metaKey || event.shiftKey)) {
      event.preventDefault();
      ask();
    }
  }, { signal });
}
