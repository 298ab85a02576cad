// Counts the last minutes of a turn down while the page stands.

/** Show in each place how many minutes are left, until the page goes. */
export function count(main, signal) {
  const unit = { style: "unit", unit: "minute", unitDisplay: "long" };
  const { format } = new Intl.NumberFormat(document.documentElement.lang, unit);
  const ends = new Map();

  function show() {
    const now = performance.now() / 60000;
    for (const left of main.querySelectorAll("time + small")) {
      left.textContent = left.textContent.replace(/(?<!\d.*)(\d+) minu\w+/, (_, minutes) => {
        ends.set(left, ends.get(left) ?? now + Number(minutes));
        return format(Math.max(0, Math.ceil(ends.get(left) - now)));
      });
    }
  }

  show();
  const timer = setInterval(show, 5000);
  signal.addEventListener("abort", () => clearInterval(timer));
}
