// What the march that is being chosen looks like on the board: the ways, the one that is meant, what it encloses.
import { draw, heart, line, spaces, spot, triangle } from "./lattice.js";

const PART = /^(\d+)(!|@\d)? (.+)$/;

/** The parts that a way would cut off, tinted, each with what it is worth. */
function parts(told) {
  return told.split(";").flatMap((one) => {
    const [, worth, kept = "", rows] = PART.exec(one);
    const found = spaces(rows);
    const hearts = found.map(heart);
    const [x, y] = [0, 1].map((axis) => hearts.reduce((sum, each) => sum + each[axis], 0) / hearts.length);
    const off = ([hx, hy]) => (hx - x) ** 2 + (hy - y) ** 2;
    const [tx, ty] = hearts.reduce((best, each) => (off(each) < off(best) ? each : best));
    return [
      draw("path", { class: "part", "data-kept": kept, d: found.map(triangle).join("") }),
      draw("text", { class: "worth", x: tx, y: ty + 10 }, kept === "!" ? "–" : worth),
    ];
  });
}

function sign(point, letter, link) {
  const [x, y] = spot(point);
  const drawn = draw("g", {}, draw("circle", { cx: x, cy: y, r: 18 }), draw("text", { x, y: y + 8 }, letter));
  if (!link) {
    drawn.setAttribute("class", "sign");
    return drawn;
  }
  const reach = draw("circle", { class: "reach", cx: x, cy: y, r: 28 });
  return draw("a", { class: "sign", href: link.href, "data-point": point, "aria-label": link.textContent }, reach, drawn);
}

/** Draw these ways and signs over the board, below Alexander and the numbers; `meant` is one of the ways. */
export function unfold(board, ways, meant, signs) {
  fold(board);
  const under = draw("g", { class: "unfolded" });
  const told = meant && meant.parts ? parts(meant.parts) : [];
  under.append(...told.filter((one) => one.tagName === "path"));
  for (const way of ways) {
    under.append(draw("path", { class: "possible", d: line(way.trail || way.path) }));
  }
  if (meant) {
    const d = line(meant.path || meant.trail);
    under.append(draw("path", { class: "edge", d }), draw("path", { class: "meant", d }));
  }
  under.append(...told.filter((one) => one.tagName === "text"));
  board.querySelector(".alexander").before(under);
  const over = draw("g", { class: "unfolded" });
  over.append(...signs.map((one) => sign(...one)));
  board.append(over);
}

/** Take all of that away. */
export function fold(board) {
  board.querySelectorAll(".unfolded").forEach((one) => one.remove());
}
