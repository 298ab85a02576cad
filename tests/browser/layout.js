/**
 * Faults of a page's layout in a window of this width: text printed over other text, text that is cut off,
 * controls that no pointer reaches, buttons that are too small for a finger. What matches the selector
 * `excepted` is left out.
 */
async ([width, excepted]) => {
  const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary";
  const SLACK = 2; // pixels by which glyphs may leave their line
  const LEAST_BUTTON = 44; // pixels of a button of a form, in both directions
  const faults = new Set();
  const report = (fault, { localName, className }, text) =>
    faults.add(`${localName}.${className} “${text.trim().slice(0, 40)}” ${fault}`);

  while (innerWidth !== width) {
    await new Promise(requestAnimationFrame);
  }
  await document.fonts.ready;
  scrollTo({ top: 0, behavior: "instant" });
  const page = { left: 0, right: innerWidth, top: -Infinity, bottom: Infinity };

  const contexts = new Map();
  /** The boxes that clip what is in an element, the innermost first, and the fixed element that holds it. */
  const contextOf = (element) => {
    if (!element) {
      return { clips: [{ box: page, hides: true }], fixed: null, unseen: false };
    }
    if (!contexts.has(element)) {
      const { clips, fixed, unseen } = contextOf(element.parentElement);
      const style = getComputedStyle(element);
      const context = { clips, fixed, unseen: unseen || style.clipPath !== "none" };
      if (style.position === "fixed") {
        Object.assign(context, { clips: [], fixed: element });
      }
      if (style.overflow !== "visible") {
        const shortened = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
        const hides = /hidden|clip/.test(style.overflow) && !shortened;
        context.clips = [{ box: element.getBoundingClientRect(), hides }, ...context.clips];
      }
      contexts.set(element, context);
    }
    return contexts.get(element);
  };
  const isShown = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    !element.closest(excepted) && !contextOf(element).unseen;

  // --- text ---
  const lines = [];
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (nodes.nextNode()) {
    const node = nodes.currentNode;
    const element = node.parentElement;
    if (!node.data.trim() || !isShown(element)) {
      continue;
    }
    const { clips, fixed } = contextOf(element);
    range.selectNodeContents(node);
    for (const { left, right, top, bottom } of range.getClientRects()) {
      const quarter = (bottom - top) / 4; // ascenders and descenders of close lines may meet
      const line = { node, element, fixed, left, right, top: top + quarter, bottom: bottom - quarter };
      const clip = clips.find(({ box }) =>
        left < box.left - SLACK || right > box.right + SLACK ||
        line.top < box.top - SLACK || line.bottom > box.bottom + SLACK);
      if (!clip) {
        lines.push(line);
      } else if (clip.hides) {
        report("is cut off", element, node.data);
      }
    }
  }
  lines.sort((one, other) => one.top - other.top);
  for (const [index, one] of lines.entries()) {
    for (let next = index + 1; next < lines.length && lines[next].top < one.bottom - SLACK; next += 1) {
      const other = lines[next];
      const shared = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      if (shared > SLACK && one.node !== other.node && one.fixed === other.fixed) {
        report(`is printed over “${other.node.data.trim().slice(0, 40)}”`, one.element, one.node.data);
      }
    }
  }

  // --- controls ---
  const isHit = (control, block) => {
    control.scrollIntoView({ block, inline: "nearest", behavior: "instant" });
    const [{ left, right, top, bottom }] = control.getClientRects();
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return scrollX === 0 && (control.contains(hit) || hit?.closest("label")?.control === control);
  };
  for (const control of document.querySelectorAll(CONTROLS)) {
    const rests = getComputedStyle(control).pointerEvents === "none"; // see dock.js
    if (isShown(control) && !rests && !["center", "start", "end"].some((block) => isHit(control, block))) {
      report("is out of reach", control, control.textContent || control.name);
      scrollTo({ left: 0, behavior: "instant" });
    }
    const { width: wide, height: high } = control.getBoundingClientRect();
    if (isShown(control) && control.matches("main form button.button") && Math.min(wide, high) < LEAST_BUTTON) {
      report("is too small for a finger", control, control.textContent);
    }
  }
  return [...faults];
};
