// Draws the way of a march on the board while its choice is pointed at. The page says everything without it.
"use strict";
const board = document.querySelector("svg.board");
const layer = board && board.querySelector(".alexander"); // he and the numbers stay on top

function pointed(path) {
  const corners = path.split("-").map((name) => board.querySelector(`circle[data-point="${name}"]`));
  if (corners.some((corner) => corner === null)) {
    return null;
  }
  const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  const spots = corners.map((corner) => `${corner.getAttribute("cx")},${corner.getAttribute("cy")}`);
  line.setAttribute("points", spots.join(" "));
  line.setAttribute("class", "pointed");
  return line;
}

function clear() {
  board.querySelectorAll(".pointed").forEach((line) => line.remove());
}

if (layer) {
  for (const choice of document.querySelectorAll("a.choice[data-path]")) {
    const draw = () => {
      clear();
      const line = pointed(choice.dataset.path);
      if (line) {
        layer.before(line);
      }
    };
    choice.addEventListener("mouseenter", draw);
    choice.addEventListener("focus", draw);
    choice.addEventListener("mouseleave", clear);
    choice.addEventListener("blur", clear);
  }
}
