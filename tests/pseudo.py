"""A language in which every sentence is marked, so that what no catalogue knows stands out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from gettext import NullTranslations

from babel.dates import get_day_names, get_month_names
from lxml.html import HtmlElement

from emails import rule_figures
from emails.languages.lexicon import words_of
from emails.languages.supported_languages import LANGUAGES, REPLY_MARKERS
from emails.letters.parts import REPLY
from emails.wording.requests import RequestKind, letter_of, list_phrases
from engine.bots.strengths import PROFILES
from engine.cards import Symbol
from engine.editions import EDITIONS
from engine.notation.orders import Verb
from engine.plans import PlanWords
from server.store import load_boards
from tests.gallery.letter_files import CHAT
from tests.gallery.samples import CHAT_TO_EVERYBODY, IN_OWN_WORDS
from tests.spoken import VOCABULARIES

LANGUAGE = "nl"
"""The language whose place it takes: its orders and dates are not sentences, and stay."""
KEPT = re.compile(r"(%\(\w+\)s|<[^>]*>|\|)")
"""Placeholders, tags, and what parts the headings of columns."""
MARKED = re.compile(r"⟦[^⟧]*(?:⟧|$)")
ADDRESSES = re.compile(r"https?://[^\s⟦⟧]+|[^\s⟦⟧]+@[^\s⟦⟧]+")
NAMES = " ".join(["Anna Ben Cleo Dirk Friday Spring Alexandros UTC CET", *EDITIONS])
TYPED = " ".join(("draw, occupy, accept", *CHAT_TO_EVERYBODY.values(), *IN_OWN_WORDS.values()))
"""What players of the gallery have written themselves, and the one word that accepts in every language."""


class Pseudo(NullTranslations):
    """Says every sentence in ⟦English⟧; what is put into it stands outside of the marks."""

    def gettext(self, message: str) -> str:
        pieces = KEPT.split(message)
        pieces[::2] = (f"⟦{piece}⟧" if re.search(r"[^\W\d_]", piece) else piece for piece in pieces[::2])
        return "".join(pieces)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


def known() -> set[str]:
    """The words that stand for themselves in every language, and the orders and dates of this one."""
    named = [
        *LANGUAGES.values(),
        *map(VOCABULARIES[LANGUAGE].translate, (*Verb, *Symbol)),
        *(phrase for kind in RequestKind for phrase in list_phrases(kind, LANGUAGE)),
        *VOCABULARIES[LANGUAGE].give,
        *plan_phrases(LANGUAGE),
        REPLY_MARKERS[LANGUAGE],
        REPLY,
        *map(letter_of, range(200)),
        NAMES,
        *PROFILES,
        TYPED,
    ]
    drawn = rule_figures.boards_drawn(load_boards()["Alexandros"])
    named += [name for board in (*load_boards().values(), *drawn) for name in board.names.values()]
    for width in ("wide", "abbreviated"):
        named += [*get_month_names(width, locale=LANGUAGE).values()]
        named += [*get_day_names(width, locale=LANGUAGE).values()]
    named += [message.words for message in CHAT]
    return set(words(" ".join(named)))


def plan_phrases(language: str) -> Iterator[str]:
    """What the words of a plan are, which are orders too."""
    plans = words_of(language).plan_words
    for field in fields(PlanWords):
        match getattr(plans, field.name):
            case tuple() as phrases:
                yield from phrases
            case Mapping() as phrases:
                yield from phrases.values()


def words(text: str) -> list[str]:
    """The words in a text; neither one letter alone nor the name of a point is one."""
    return re.findall(r"\b[^\W\d_]{2,}\b", text.casefold())


HEADS = re.compile(r"\b[0-9]+-[a-z2-7]{20}\b")


def strange(texts: Iterable[str], allowed: Iterable[str] = ()) -> list[str]:
    """The pieces in which a word stands that no sentence holds and that is no name."""
    fine = known() | set(words(" ".join(allowed)))
    found = (
        (text, set(words(MARKED.sub(" ", ADDRESSES.sub(" ", HEADS.sub(" ", text))))) - fine) for text in texts
    )
    return [f"{' '.join(sorted(odd))}: {text[:300]}" for text, odd in found if odd]


def seen(page: HtmlElement) -> Iterator[str]:
    """What a reader sees and hears of a page, piece by piece."""
    silent = "ancestor::script or ancestor::style or ancestor::select[@name='zone']"  # zones have names
    silent += " or ancestor::dd[@lang]"  # words of orders in the language that is named there
    for text in page.xpath(f"//text()[not({silent})]"):
        yield " ".join(str(text).split())
    for text in page.xpath("//@alt | //@aria-label | //@title | //@placeholder"):
        yield str(text)
