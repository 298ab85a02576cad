"""Names of players and games: allowed characters, safe display, and the names by seat at each event."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from idna.core import valid_contextj

from emails.i18n import gettext
from emails.languages.lexicon import whole_lexicon
from engine.position import View

LINKED = re.compile(
    r"@|://|\b(?:www[.]|mailto:|tel:|sms:|xn--)"
    r"|[^\W_][.。][^\W\d_]{2,}"
    r"|\d+(?:[.]\d+){3}",
    re.IGNORECASE,
)
"""Text that mail programs turn into a link: mail addresses, domains, IP addresses."""
LINK_SIGNS = re.compile(r"([.。．｡․@＠:/]|xn--)(?=\S)", re.IGNORECASE)  # noqa: RUF001
BLANK_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
VARIANT_SIGNS = re.compile("[\u180b-\u180d\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Variation selectors, which choose a form of the preceding character."""
JOINERS = "\u200c\u200d"
MOST_NEIGHBOURS = 8
ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"
ISOLATED = re.compile(f"{ISOLATE}[^{ISOLATE}{END_OF_ISOLATE}\n]*{END_OF_ISOLATE}")
RIGHT_TO_LEFT = ("R", "AL")
ALIKE_SCRIPTS = frozenset({"LATIN", "CYRILLIC", "GREEK", "COPTIC", "ARMENIAN", "CHEROKEE"})
"""Scripts with letters that look like letters of another of these scripts."""
LOOK_ALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХҺԌԚԜӀΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "ABESIJKMHOPCTYXHGQWIABEZHIKMNOPTYX",
)
ARTICLE = re.compile("(?:the|de|het) ", re.IGNORECASE)
RESERVED = frozenset(
    "alexandros server operator beheerder house huis admin administrator moderator support system systeem "
    "everyone nobody niemand you jij".split()
)
"""Names that could be taken for the server, its operator or all players."""


def fold_accents(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in plain if not unicodedata.combining(char))


def is_unseen(text: str, at: int) -> bool:
    """True if the character at `at` is invisible: a control, a blank letter, a joiner without effect."""
    char = text[at]
    if char in JOINERS:
        begin = max(0, at - MOST_NEIGHBOURS)
        return not _is_joined(text[begin : at + MOST_NEIGHBOURS], at - begin)
    if VARIANT_SIGNS.match(char):
        return not at or unicodedata.category(text[at - 1]) not in ("So", "Sm", "Lo")
    return char in BLANK_LETTERS or unicodedata.category(char)[0] == "C"


def _is_joined(text: str, at: int) -> bool:
    """True if the joiner has a visible effect: between letters (RFC 5892) or parts of an emoji."""
    around = VARIANT_SIGNS.sub("", text[:at])[-1:], text[at + 1 : at + 2]
    if all(char and unicodedata.category(char) in ("So", "Sk") for char in around):
        return True
    try:
        return valid_contextj(text, at)
    except ValueError:  # beside an unassigned character
        return False


def drop_unseen(text: str) -> str:
    """Remove invisible characters, but keep the pairs of direction marks that `isolate` adds."""
    if text.isascii() and text.isprintable():
        return text
    pairs = {at for found in ISOLATED.finditer(text) for at in (found.start(), found.end() - 1)}
    return "".join(char for at, char in enumerate(text) if at in pairs or not is_unseen(text, at))


def isolate(name: str) -> str:
    """Wrap a right-to-left name in Unicode isolates, so that the text after it keeps its direction."""
    if name.isascii() or not any(unicodedata.bidirectional(char) in RIGHT_TO_LEFT for char in name):
        return name
    return f"{ISOLATE}{name}{END_OF_ISOLATE}"


def plain_name(name: str) -> str:
    """Remove joiners and isolates, which mail headers do not need."""
    return re.sub(f"[{JOINERS}{ISOLATE}{END_OF_ISOLATE}]", "", name)


def holds_link(text: str) -> bool:
    return LINKED.search(unicodedata.normalize("NFKC", drop_unseen(text))) is not None


def break_links(text: str) -> str:
    """Insert blanks that prevent mail programs from making links of the text."""
    return re.sub(
        r"\S+", lambda found: LINK_SIGNS.sub(r"\1 ", found[0]) if holds_link(found[0]) else found[0], text
    )


def skeleton(name: str) -> str:
    """Reduce a name to its rough shape: names with equal skeletons look alike."""
    folded = unicodedata.normalize("NFKC", name).casefold().upper().translate(LOOK_ALIKES)
    plain = VARIANT_SIGNS.sub("", "".join(char for char in folded if char not in BLANK_LETTERS))
    return "".join(char for char in plain if unicodedata.category(char)[0] in "LMNS").casefold() or folded


def find_name_fault(name: str) -> str | None:
    """Return the reason why a name cannot be shown to strangers, as a clause; None for a usable name."""
    unseen = next((char for at, char in enumerate(name) if is_unseen(name, at)), "")
    if unseen:
        sign = f"U+{ord(unseen):04X} {unicodedata.name(unseen, '')}".strip()
        return gettext("a name holds only signs that can be seen: leave out %(sign)s", sign=sign)
    if holds_link(name):
        return gettext(
            "a name holds no link and no address: leave out what looks like one, "
            "and put a blank after each full stop"
        )
    return None


def find_player_name_fault(name: str) -> str | None:
    if fault := find_name_fault(name):
        return fault
    for word in re.findall(r"\w+", unicodedata.normalize("NFKC", name)):
        if len(ALIKE_SCRIPTS.intersection(unicodedata.name(char, "").split(" ")[0] for char in word)) > 1:
            return gettext("“%(word)s” mixes scripts that look alike: keep to one", word=word)
    if skeleton(ARTICLE.sub("", name, count=1)) in _reserved_skeletons():
        return gettext("nobody can be called “%(name)s”: take another name", name=name)
    return None


@cache
def _reserved_skeletons() -> frozenset[str]:
    return frozenset(map(skeleton, RESERVED | whole_lexicon().chat["everybody"]))


@dataclass(frozen=True, slots=True)
class SeatNames:
    """The players' names at one event of a game, by seat."""

    names: tuple[str, ...]
    is_readers: bool = True
    """False for an event before the reader joined the game; its report calls no player "you"."""

    def name_seats(self, view: View) -> View:
        table = replace(view.table, names=self.names)
        return replace(view, table=table, me=view.me if self.is_readers else None)


def name_seats_in_turn(view: View, turn_names: Sequence[SeatNames], turn: int) -> View:
    """Return the view with the players' names of a turn; unchanged if `turn_names` is empty."""
    return turn_names[turn - 1].name_seats(view) if turn_names else view


def names_of_last(names: Sequence[SeatNames], facts: int, later: int = 0) -> Sequence[SeatNames]:
    end = len(names) - later
    return names[end - facts : end] if facts <= end else ()
