"""Texts whose sentences a template holds: a text is a macro of a template, */templates/*.words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from emails import terms
from emails.i18n import UTC_ZONE, gettext, plural_form
from emails.wording import deadlines, phrases
from emails.wording.requests import RequestKind, request_word
from engine.provinces import province_at


def make_environment(*, html: bool, **filters: Callable[..., object]) -> Environment:
    """Return the environment of the templates of all packages, with further filters."""
    made = Environment(
        loader=FileSystemLoader(sorted(Path(__file__).parents[1].glob("*/templates"))),
        autoescape=html,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        optimized=False,  # filters translate, so their results are not constants
    )
    made.install_gettext_callables(gettext, plural_form, newstyle=True)  # type: ignore[attr-defined]
    made.globals |= {
        "RequestKind": RequestKind,
        "UTC_ZONE": UTC_ZONE,
        "phrases": phrases,
        "province_at": province_at,
        "terms": terms,
    }
    made.filters |= {
        "begun": phrases.capitalize_first,
        "city": lambda zone: zone.rpartition("/")[2].replace("_", " "),
        "clock": "{:%H:%M}".format,
        "clock_in": lambda moment, zone: f"{moment.astimezone(ZoneInfo(zone)):%H:%M}",
        "date": date.fromisoformat,
        "day": phrases.format_day,
        "deadline": deadlines.format_deadline,
        "listed": phrases.format_list,
        "name_day": deadlines.name_day,
        "name_latest": deadlines.name_latest,
        "near_day": phrases.format_near_day,
        "ordered": phrases.translate_order,
        "remaining": deadlines.format_remaining,
        "span": lambda days: phrases.format_days(days.first, days.last),
        "spelled": phrases.spell_number,
        "weekday": phrases.format_weekday,
        "word": request_word,
        **filters,
    }
    return made


TEXTS = make_environment(html=False)


def tell(text: str, **values: object) -> list[str]:
    """Return the paragraphs of a text, named such as "absences.nights": the lines that the macro writes."""
    template, _, macro = text.partition(".")
    written = getattr(TEXTS.get_template(f"{template}.words").module, macro)(**values)
    return [line.strip() for line in written.split("\n") if line.strip()]


def say(text: str, **values: object) -> str:
    """Return a text of one paragraph; empty if it says nothing."""
    return " ".join(tell(text, **values))
