// Renews the list of mails when one has come, and gives a letter the height it needs.
"use strict";
const list = document.getElementById("newest");
const letter = document.querySelector("iframe.letter");

async function look() {
  if (!document.hidden) {
    try {
      const answer = await fetch(list.dataset.ask, { cache: "no-store" });
      const { newest } = await answer.json();
      if (String(newest) !== list.dataset.newest) {
        location.replace(location.pathname + location.search.replace(/[?&]sent=[^&]*/, ""));
        return;
      }
    } catch {
      // The server is away; it is asked again.
    }
  }
  setTimeout(look, 2000);
}

function fit() {
  const whole = letter.contentDocument && letter.contentDocument.documentElement;
  if (whole && whole.scrollHeight > 100) {
    letter.height = whole.scrollHeight + 24;
  }
}

if (list) {
  setTimeout(look, 2000);
}
if (letter) {
  letter.addEventListener("load", fit);
  addEventListener("resize", fit);
  fit();
}
