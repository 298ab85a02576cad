"""Texts in files: sentences of templates (*/templates/*.words), and the rules (languages/*/rules.toml).

A text of a template is one of its macros. The clauses of the rules have the numbers of engine/README.md;
fields such as `{actions}` are replaced by the values of a game's edition. Section 9 compares the editions.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from emails import terms
from emails.i18n import UTC_ZONE, Locale, current_locale, gettext, plural_form, use_locale
from emails.languages.supported_languages import FOLDERS
from emails.wording import phrases, requests
from emails.wording.requests import RequestKind, request_word
from engine.editions import DEFAULT_EDITION, EDITIONS, Edition
from engine.position import BLACK_WALLS
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
        "BLACK_WALLS": BLACK_WALLS,
        "RequestKind": RequestKind,
        "UTC_ZONE": UTC_ZONE,
        "phrases": phrases,
        "province_at": province_at,
        "requests": requests,
        "terms": terms,
    }
    made.filters |= {
        "begun": phrases.capitalize_first,
        "city": lambda zone: zone.rpartition("/")[2].replace("_", " "),
        "clock": "{:%H:%M}".format,
        "clock_in": lambda moment, zone: f"{moment.astimezone(ZoneInfo(zone)):%H:%M}",
        "date": date.fromisoformat,
        "day": phrases.format_day,
        "deadline": phrases.format_deadline,
        "listed": phrases.format_list,
        "name_day": phrases.name_day,
        "name_latest": phrases.name_latest,
        "near_day": phrases.format_near_day,
        "ordered": phrases.translate_order,
        "remaining": phrases.format_remaining,
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


# --- the rules -----------------------------------------------------------------------------------------

COMPARED: Mapping[str, Callable[[Edition], object]] = {
    "9.1": lambda edition: edition.rim_walls,
    "9.2": lambda edition: edition.winning_score,
    "9.3": lambda edition: edition.joker_alone,
}
"""What differs between editions of the rules, by the clause of section 9 that compares it."""


@dataclass(frozen=True, slots=True)
class RuleClause:
    number: str
    text: str


@dataclass(frozen=True, slots=True)
class RulesText:
    parts: Mapping[str, str]
    clauses: tuple[RuleClause, ...]


def read_rules(language: str, edition: Edition = DEFAULT_EDITION) -> RulesText:
    return _compose_rules(FOLDERS[language], edition, tuple(EDITIONS.values()))


@cache
def _compose_rules(folder: Path, edition: Edition, editions: tuple[Edition, ...]) -> RulesText:
    read = tomllib.loads((folder / "rules.toml").read_text("utf-8"))
    with use_locale(Locale(folder.name)):
        values = {
            "actions": phrases.spell_actions(edition.actions_per_turn),
            "editions": phrases.spell_number(len(editions)),
        }
        found = tuple(
            RuleClause(number, _compare_editions(number, text, editions))
            if number in COMPARED
            else RuleClause(number, _form_for(text, edition.actions_per_turn).strip().format(**values))
            for number, text in read["clauses"].items()
        )
    return RulesText({number: title.format(**values) for number, title in read["parts"].items()}, found)


def _form_for(text: str | Mapping[str, str], actions: int) -> str:
    return text if isinstance(text, str) else text.get(str(actions), text["other"])


def _compare_editions(number: str, pieces: Mapping[str, str], editions: Sequence[Edition]) -> str:
    # Editions with an equal value share a piece; the key in `pieces` is the value, else first, next or last.
    groups: dict[object, list[Edition]] = {}
    for edition in editions:
        groups.setdefault(COMPARED[number](edition), []).append(edition)

    def written() -> Iterator[str]:
        for place, (value, alike) in enumerate(groups.items()):
            order = "first" if place == 0 else "last" if place == len(groups) - 1 else "next"
            piece = pieces.get(str(value).lower()) or pieces[order]
            yield piece.format(value=value, editions=phrases.edition_names(alike))

    return " ".join([pieces["begin"], *written()]).strip() if "begin" in pieces else "".join(written()) + "."


def find_clauses(number: str, edition: Edition = DEFAULT_EDITION) -> tuple[RuleClause, ...]:
    """Return the clause with this number, or all clauses of this part, in the current language."""
    found = read_rules(current_locale().language, edition).clauses
    return tuple(one for one in found if number in (one.number, one.number.partition(".")[0]))


def part_titles() -> Mapping[str, str]:
    return read_rules(current_locale().language).parts


def nearest_numbers(number: str) -> Sequence[str]:
    """Return the one or two existing numbers next to a missing one."""
    part, _, minor = number.partition(".")
    known = [one.number for one in read_rules(current_locale().language).clauses]
    if not minor or part not in part_titles():
        known = list(part_titles())
        number = part
    before = [one for one in known if _sort_key(one) < _sort_key(number)]
    after = [one for one in known if _sort_key(one) > _sort_key(number)]
    return [*before[-1:], *after[:1]]


def _sort_key(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split(".")))
