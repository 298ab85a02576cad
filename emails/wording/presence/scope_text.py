"""Where days away hold, in words: letters and pages say it by the same function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from emails.i18n import gettext, ngettext
from emails.wording.phrases import format_list, safe_name
from emails.wording.presence.day_text import format_day

MOST_GAMES_TOLD = 3
"""Other games of which it is told from when time runs there."""


@dataclass(frozen=True, slots=True)
class AbsenceScope:
    """Where days away hold: in one game, or in all that their player plays, now and later."""

    game: str = ""
    """The name of the one; empty: they hold in all."""
    but: tuple[str, ...] = ()
    """Of all games the names of those in which they were taken back."""


EVERYWHERE = AbsenceScope()


@dataclass(frozen=True, slots=True)
class DaysAway:
    """Days on which a player is away: the first and the last of them, and where they hold."""

    first: date
    last: date
    scope: AbsenceScope = EVERYWHERE


@dataclass(frozen=True, slots=True)
class ExceededGame:
    """A game that allows fewer days away in the year than its player has told."""

    id: str
    name: str
    runs_from: date
    """The first day away on which time runs."""


def describe_scope(scope: AbsenceScope, *, named: bool = True) -> str:
    """Where days away hold, as a part of a sentence.

    `named`: whether other games may be named; whoever has a link alone may not be the player.
    """
    if scope.game:
        return gettext("in “%(game)s” alone", game=safe_name(scope.game))
    if not scope.but:
        return gettext("in all your games")
    if not named:
        return ngettext("in all your games but one", "in all your games but %(number)s", len(scope.but))
    games = format_list(f"“{safe_name(name)}”" for name in scope.but)
    return gettext("in all your games but %(games)s", games=games)


def tell_scope(scope: AbsenceScope, *, named: bool = True) -> str:
    """The same as a sentence."""
    return gettext("That holds %(where)s.", where=describe_scope(scope, named=named))


def tell_exceeded(games: Sequence[ExceededGame]) -> Iterator[str]:
    """From when time runs in other games that allow fewer days: a line for each, of many for the first."""
    for one in games[:MOST_GAMES_TOLD]:
        yield gettext(
            "In “%(game)s” time runs from %(day)s on: it allows no more days in the year.",
            game=safe_name(one.name),
            day=format_day(one.runs_from),
        )
    if (more := len(games) - MOST_GAMES_TOLD) > 0:
        yield ngettext(
            "And %(number)s more of your games allows no more days either.",
            "And %(number)s more of your games allow no more days either.",
            more,
        )


def is_same_scope(days: Sequence[DaysAway]) -> bool:
    """Whether all of some days away hold in the same games."""
    return len({one.scope for one in days}) <= 1
