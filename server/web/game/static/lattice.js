// Where points and spaces lie on the board of the page. Columns of points are 29 apart, rows 50.
const HALF = 29;
const ROW = 50;

function at(row, col) {
  const { left, top } = document.querySelector("svg.board").dataset;
  return [Number(left) + HALF * col, Number(top) + ROW * row];
}

const row = (name) => name.charCodeAt(0) - 65;

/** Where a point such as "C3" lies: [x, y]. */
export const spot = (name) => at(row(name), Number(name.slice(1)) - 1);

/** The middle of a space such as "CD4": [x, y]. */
export function heart(space) {
  const col = Number(space.slice(2)) - 1;
  const [x, y] = at(row(space), col);
  return [x, y + ((row(space) + col) % 2 ? 17 : 33)];
}

/** The path along the sides of a space. */
export function triangle(space) {
  const col = Number(space.slice(2)) - 1;
  const [x, y] = at(row(space), col);
  return (row(space) + col) % 2 ? `M${x - HALF} ${y}h58l-29 50z` : `M${x} ${y}l29 50h-58z`;
}

/** The path through points such as "A3-B4-B6". */
export const line = (path) => `M${path.split("-").map((name) => spot(name).join(" ")).join("L")}`;

/** The spaces of "CD4-6 DE5,9", one by one. */
export function spaces(rows) {
  return rows.split(" ").flatMap((one) =>
    one.slice(2).split(",").flatMap((run) => {
      const [first, last = first] = run.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, more) => one.slice(0, 2) + (first + more));
    }),
  );
}

/** How far a place [x, y] is from a way. */
export function distance([x, y], path) {
  const bends = path.split("-").map(spot);
  return Math.min(...bends.slice(1).map(([bx, by], number) => {
    const [ax, ay] = bends[number];
    const [dx, dy] = [bx - ax, by - ay];
    const share = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
    return Math.hypot(x - ax - share * dx, y - ay - share * dy);
  }));
}

/** A piece of the drawing. */
export function draw(name, attributes, ...within) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...within);
  return made;
}
