"""What a letter shows of the rules: the game in two minutes, or what stands under a number."""

from __future__ import annotations

from collections.abc import Iterator

from emails.i18n import gettext
from emails.letters.contexts import LetterSection
from emails.letters.renderer import AS_TEXT
from emails.wording import rules_text
from emails.wording.phrases import format_list
from emails.wording.requests import RequestKind, request_word
from engine.editions import Edition
from engine.position import BLACK_WALLS, View


def rules_section(view: View, about: str) -> LetterSection:
    """The game in two minutes, or one clause, or a whole part."""
    if not about:
        return LetterSection(gettext("The game in two minutes"), tuple(_rules_summary_lines(view)))
    found = rules_text.find_clauses(about, view.table.edition)
    if not found:
        near = format_list(rules_text.nearest_numbers(about), "or")
        words = gettext(
            "There is no rule %(number)s; the nearest is %(numbers)s.", number=about, numbers=near
        )
        return LetterSection(gettext("From the rules"), (words,))
    title = rules_text.part_titles()[found[0].number.partition(".")[0]]
    lines = [gettext("Rule %(number)s: %(text)s", number=one.number, text=one.text) for one in found]
    if any(one.number.startswith("9.") or "(9." in one.text for one in found):
        lines.append(gettext("The edition of this game is %(edition)s.", edition=view.table.edition.name))
    return LetterSection(gettext("From the rules: %(part)s", part=title), tuple(lines))


def summarise_rules(edition: Edition, seats: int = 0) -> Iterator[str]:
    """The game in a few sentences, as it is played by an edition; by so many `seats`, or by any number."""
    template = AS_TEXT.get_template("common.words")
    facts = {
        "seats": seats,
        "actions": edition.actions_per_turn,
        "winning": edition.winning_score,
        "black": BLACK_WALLS,
    }
    text = "".join(template.blocks["rules"](template.new_context(facts)))
    yield from filter(None, map(str.strip, text.splitlines()))


def _rules_summary_lines(view: View) -> Iterator[str]:
    yield from summarise_rules(view.table.edition, len(view.table.names))
    yield gettext(
        "To read one rule, write for example “%(words)s” on a line of its own.",
        words=f"{request_word(RequestKind.RULES)} 5.9",
    )
    parts = (f"{title} ({number})" for number, title in rules_text.part_titles().items())
    yield gettext(
        "With “%(words)s” you get a whole part; the parts are: %(parts)s.",
        words=f"{request_word(RequestKind.RULES)} 5",
        parts="; ".join(parts),
    )
