"""Pictures of every page: `python -m tests.browser.shots FOLDER`.

Each shows a whole page, on a telephone and on a desk, by day and by night; its name says what it
shows.
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page

from tests.browser.served import served, walk
from tests.browser.windows import PHONE, Visitors, chromium

DESK = {"viewport": {"width": 1440, "height": 900}}
DEVICES = {"phone": PHONE | {"device_scale_factor": 1}, "desktop": DESK}
SCHEMES = ("light", "dark")


def shoot(folder: Path, language: str = "en") -> int:
    """Write a picture of every page in all four looks; the number of pages."""
    folder.mkdir(parents=True, exist_ok=True)
    number = 0
    with TemporaryDirectory() as kept, chromium() as browser, served(Path(kept)) as place:
        visitors = Visitors(browser, place.address)
        windows: dict[str, Page] = {}
        for device, given in DEVICES.items():
            for scheme in SCHEMES:
                windows[f"{device}-{scheme}"] = visitors.visitor(given, color_scheme=scheme)
        for number, stop in enumerate(walk(place, language), 1):
            name = re.sub(r"\W+", "-", stop.name).strip("-")[:60]
            for look, window in windows.items():
                stop.show(window)
                window.screenshot(path=folder / f"{number:03}-{name}-{look}.png", full_page=True)
        for context in visitors.contexts:
            context.close()
    return number


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.browser.shots FOLDER")
    pages = shoot(Path(sys.argv[1]))
    sys.stdout.write(f"{pages} pages, {len(DEVICES) * len(SCHEMES)} pictures each, are in {sys.argv[1]}\n")
