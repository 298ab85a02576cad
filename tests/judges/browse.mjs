// Opens the HTML files of a folder in headless Chromium, narrow and wide, light and dark: axe judges each, and
// what shows only once it is drawn is measured. Prints {file: [what is wrong]} as JSON.
// Arguments: the folder, and where Chromium is.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [folder, chromium] = process.argv.slice(2);
const FLAGS = [
  "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
  "disable-component-update", "disable-sync", "disable-default-apps", "disable-extensions", "mute-audio",
];
const NARROWEST = 320; // where nothing may have to be scrolled to the side (WCAG 2.2, 1.4.10)
const WIDTHS = { narrow: 360, wide: 800 };
const HEIGHT = 800;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf-8");
// All rules of axe but these two: a letter is shown within the page of a mail program, which has the landmarks.
const RULES = { region: { enabled: false }, "landmark-one-main": { enabled: false } };
const WANTED = ["violations", "incomplete"];
const ALL = { rules: RULES, resultTypes: WANTED };
const COLOURS = { runOnly: ["color-contrast", "link-in-text-block"], resultTypes: WANTED };

// --- what runs in the page ------------------------------------------------------------------------------

/** What axe has against the page, and what it cannot decide: a letter leaves nothing to doubt. */
async function judge(options) {
  const { violations, incomplete } = await window.axe.run(document, options);
  return [...violations, ...incomplete].flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary.replace(/\s+/g, " ")}`),
  );
}

/** Every link is at least 44 pixels high and wide, and 8 apart from the next; every picture is there. */
function measure() {
  const found = [];
  const links = [...document.querySelectorAll("a[href]")].map((link) => {
    const { left, top, right, bottom, width, height } = link.getBoundingClientRect();
    const name = (link.ariaLabel ?? link.textContent).trim().slice(0, 50);
    if (width < 44 || height < 44) found.push(`“${name}” is only ${width} wide and ${height} high`);
    return { name, left, top, right, bottom };
  });
  links.forEach((one, at) => {
    for (const other of links.slice(at + 1)) {
      const across = Math.max(one.left, other.left) - Math.min(one.right, other.right);
      const down = Math.max(one.top, other.top) - Math.min(one.bottom, other.bottom);
      if (Math.max(across, down) < 7.9) found.push(`“${one.name}” and “${other.name}” are too close`);
    }
  });
  for (const image of document.images) if (!image.naturalWidth) found.push(`${image.src} is not drawn`);
  return found;
}

/** A tap on the number of a corner leads there where the picture has its full size, and nowhere elsewhere. */
function tap() {
  const found = [];
  const picture = document.querySelector("img[usemap]");
  for (const area of document.querySelectorAll("area")) {
    const share = picture.getBoundingClientRect().width / picture.getAttribute("width");
    const [x, y] = area.coords.split(",").map((number) => number * share);
    picture.scrollIntoView();
    window.scrollBy(0, y - 100);
    const { left, top } = picture.getBoundingClientRect();
    const hit = document.elementFromPoint(left + x, top + y);
    if (share === 1 ? hit !== area : hit?.tagName === "AREA") found.push(`a tap on ${area.alt} misses`);
  }
  return found;
}

const sideways = () => document.documentElement.scrollWidth - window.innerWidth;

// --- what drives it -------------------------------------------------------------------------------------

const browser = await puppeteer.launch({
  executablePath: chromium,
  args: FLAGS.map((flag) => `--${flag}`),
});
const page = await browser.newPage();
const found = {};
for (const file of readdirSync(folder).filter((name) => name.endsWith(".html")).sort()) {
  const said = (found[file] = []);
  const add = (where, sentences) => said.push(...sentences.map((one) => `${where}: ${one}`));
  await page.setViewport({ width: NARROWEST, height: HEIGHT });
  await page.goto(pathToFileURL(resolve(join(folder, file))).href);
  await page.evaluate(AXE);
  const over = await page.evaluate(sideways);
  if (over > 0) add(`${NARROWEST} wide`, [`${over} pixels must be scrolled to the side`]);
  for (const [name, width] of Object.entries(WIDTHS)) {
    await page.setViewport({ width, height: HEIGHT });
    for (const scheme of ["light", "dark"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      add(`${name} and ${scheme}`, await page.evaluate(judge, scheme === "light" ? ALL : COLOURS));
    }
    add(name, [...(await page.evaluate(measure)), ...(await page.evaluate(tap))]);
  }
}
await browser.close();
console.log(JSON.stringify(found));
