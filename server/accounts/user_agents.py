"""Browsers and systems by the names that people know, from what a browser says of itself.

What it says is free text that names half a dozen others too, so the first that fits counts. Of it nothing
else is kept.
"""

from __future__ import annotations

from emails.i18n import gettext

BROWSER_SIGNS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Vivaldi/": "Vivaldi",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
    "Lynx/": "Lynx",
    "w3m/": "w3m",
    "Links": "Links",
}
SYSTEM_SIGNS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "CrOS": "ChromeOS",
    "Windows": "Windows",
    "Macintosh": "Mac",
    "Linux": "Linux",
}


def summarize_agent(agent: str) -> str:
    """What is stored of a browser: its name and that of its system, such as "Firefox; Android"."""
    return f"{_first_match(BROWSER_SIGNS, agent)}; {_first_match(SYSTEM_SIGNS, agent)}"


def describe_agent(kept: str) -> str:
    """What was stored, in the language spoken: "Firefox on Android"."""
    browser, _, system = kept.partition("; ")
    if browser and system:
        return gettext("%(browser)s on %(system)s", browser=browser, system=system)
    if system:
        return gettext("a browser on %(system)s", system=system)
    return browser or gettext("a browser")


def _first_match(names: dict[str, str], agent: str) -> str:
    return next((name for sign, name in names.items() if sign in agent[:500]), "")
