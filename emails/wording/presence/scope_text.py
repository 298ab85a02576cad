"""Where days away hold, in words: letters and pages say it by the same function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from emails.i18n import gettext, ngettext
from emails.wording.phrases import format_list, safe_name


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


def is_same_scope(days: Sequence[DaysAway]) -> bool:
    """Whether all of some days away hold in the same games."""
    return len({one.scope for one in days}) <= 1
