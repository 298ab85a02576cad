// On narrow screens the board can be enlarged to the part that matters now.
import { spot } from "./lattice.js";

const ROOM = 56;
const narrow = matchMedia("(max-width: 43.99rem)");
let near = false; // whether somebody asked for it, who goes from step to step of a history

function show(board, box) {
  board.dataset.whole ??= board.getAttribute("viewBox");
  board.setAttribute("viewBox", box || board.dataset.whole);
  board.toggleAttribute("data-near", Boolean(box));
  stand(board);
}

/** The button that lies over the board stands in the corner of it where it hides least of what can be touched. */
function stand(board) {
  const place = board.closest(".stage")?.querySelector(".zoom");
  if (!place) {
    return;
  }
  const { left, right, top, bottom } = board.getBoundingClientRect();
  const { width, height } = place.getBoundingClientRect();
  const spots = [...board.querySelectorAll(".spot, .site")].map((one) => one.getBoundingClientRect());
  const hidden = ([, x, y]) => spots.filter((one) =>
    one.right > x && one.left < x + width && one.bottom > y && one.top < y + height).length;
  const corners = [
    ["", right - width, top], ["left", left, top],
    ["low", right - width, bottom - height], [["left", "low"].join(" "), left, bottom - height],
  ];
  const least = Math.min(...corners.map(hidden));
  [place.dataset.corner] = corners.find((one) => hidden(one) === least);
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

/** On a narrow screen the part that the board itself calls the one that matters now. */
export const approach = (board) => narrow.matches && show(board, board.dataset.box);

/** The button beside a board. A turn exchanges both at each step, and watches those of now itself. */
export function watch(main, signal) {
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
  } else {
    stand(board);
  }
  narrow.addEventListener("change", () => whole(board), { signal });
}

export const start = (main, signal) => main.querySelector("#play") || watch(main, signal);
