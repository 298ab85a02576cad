// On narrow screens the board can be enlarged to the part that matters now.
import { spot } from "./lattice.js";

const ROOM = 56;
const narrow = matchMedia("(max-width: 43.99rem)");
let near = false; // whether somebody asked for it, who goes from step to step of a history

function show(board, box) {
  board.dataset.whole ??= board.getAttribute("viewBox");
  board.setAttribute("viewBox", box || board.dataset.whole);
  board.toggleAttribute("data-near", Boolean(box));
}

/** The whole board. */
export const whole = (board) => show(board, "");

/** On a narrow screen the part of the board around these points, with some room; whether it is one. */
export function enlarge(board, points) {
  const spots = points.map(spot);
  const [xs, ys] = [spots.map(([x]) => x), spots.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs) - ROOM, Math.min(...ys) - ROOM];
  board.dataset.box = [left, top, Math.max(...xs) + ROOM - left, Math.max(...ys) + ROOM - top].join(" ");
  if (narrow.matches) {
    show(board, board.dataset.box);
  }
  return narrow.matches;
}

export function start(main, signal) {
  const board = main.querySelector("svg.board");
  const button = main.querySelector(".zoom [type]");
  if (!board || !button) {
    return;
  }
  button.addEventListener("click", () => {
    near = !board.hasAttribute("data-near");
    show(board, near && board.dataset.box);
  }, { signal });
  if (narrow.matches && (near || main.querySelector("section.preview"))) {
    show(board, board.dataset.box);
  }
  narrow.addEventListener("change", () => whole(board), { signal });
}
