"""Every page, judged: by axe, by html-validate, and by whether anything has to be scrolled to the side."""

import json
import re

import pytest
from playwright.sync_api import Page
from werkzeug import Response

from server.web.kit.assets import CACHE_FOREVER
from tests.browser.served import walk
from tests.browser.windows import DESKTOP
from tests.judges.court import HERE, missing, node

AXE = HERE / "node_modules/axe-core/axe.min.js"
WIDTHS = (320, 360, 768, 1280, 2560)
ALL = {"resultTypes": ["violations"]}
BY_NIGHT = {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]}
"""All rules of axe, and those of them for which it matters in which colours a page is."""
NARROW = {"viewport": {"width": 360, "height": 640}}
JUDGE = """async (options) => {
    const { violations } = await window.axe.run(document, options);
    const said = ({ target, failureSummary: why }) => `${target} ${why.replace(/\\s+/g, " ")}`;
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${said(node)}`));
}"""
SIDEWAYS = "document.documentElement.scrollWidth - window.innerWidth"


def measured(window: Page) -> list[str]:
    """What must be scrolled to the side at which width."""
    found = []
    height = window.viewport_size["height"]
    for width in WIDTHS:
        window.set_viewport_size({"width": width, "height": height})
        if (over := window.evaluate(SIDEWAYS)) > 0:
            found.append(f"{width} wide: {over} pixels must be scrolled to the side")
    return found


@pytest.mark.parametrize(
    ("language", "device", "every"),
    [
        pytest.param("en", NARROW, 8, marks=pytest.mark.breadth),
        pytest.param("en", NARROW, 1, marks=pytest.mark.long),
        pytest.param("nl", DESKTOP, 1, marks=pytest.mark.long),
    ],
)
def test_axe_has_nothing_to_say_by_day_or_night_and_nothing_is_scrolled_to_the_side(
    place, visitors, language, device, every
):
    """`every`: of how many pages one is judged."""
    if not AXE.exists():
        missing("this needs the packages of tests/judges/package.json: npm ci --prefix tests/judges")
    cached = {"Cache-Control": CACHE_FOREVER}
    place.files["/axe.js"] = Response(AXE.read_bytes(), mimetype="text/javascript", headers=cached)
    window = visitors.visitor(device, color_scheme="light")
    visitors.watches[-1].allowed |= set(range(400, 500))  # pages that say what went wrong
    wrong = []
    for number, stop in enumerate(walk(place, language)):
        if number % every:
            continue
        stop.show(window)
        window.add_script_tag(url="/axe.js")
        said = window.evaluate(JUDGE, ALL)
        window.emulate_media(color_scheme="dark")
        said += [f"by night: {one}" for one in window.evaluate(JUDGE, BY_NIGHT)]
        window.emulate_media(color_scheme="light")
        said += measured(window)
        window.set_viewport_size(device["viewport"])
        wrong += [f"{stop.name}: {one}" for one in said]
    assert not wrong, "\n".join(wrong)


@pytest.mark.breadth
def test_the_html_of_every_page_is_right(place, tmp_path):
    for number, stop in enumerate(walk(place, "en")):
        name = re.sub(r"\W+", "-", stop.name)[:60]
        (tmp_path / f"{number:03} {name}.html").write_bytes(stop.html)
    verdicts = node("read.mjs", str(tmp_path), "pages")
    assert isinstance(verdicts, dict)
    wrong = [f"{file}: {one}" for file, verdict in verdicts.items() for one in verdict["form"]]
    assert not wrong, json.dumps(wrong, indent=1)
