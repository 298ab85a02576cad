"""Why the guards of a plan do not hold, in words: what has changed since it was made, or is not as asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from emails.i18n import gettext, gettext_noop, ngettext
from emails.wording.phrases import format_list, format_points, gettext_for_seat, safe_name
from emails.wording.place_names import THE_CARD_PHRASES, name_place
from engine.plans.guard_failures import (
    AlexanderElsewhere,
    CardIsOpen,
    CardNotOpen,
    GuardFailure,
    GuardsMoved,
    LevyChanged,
    PlayerAbove,
    PlayerUnknown,
    ProvinceHeld,
    ProvinceLeft,
    ProvinceResized,
)
from engine.position import Table

MOST_FAILURES = 2
"""Of one turn that are told; of the others it is told how many there are."""


def tell_failures(failures: Sequence[GuardFailure], table: Table, me: int) -> str:
    """Why the guards of a turn do not hold, to the player on a seat; a part of a sentence."""
    told = [_tell_failure(one, table, me) for one in failures[:MOST_FAILURES]]
    left = len(failures) - len(told)
    if not left:
        return format_list(told)
    return ngettext(
        "%(reasons)s, and %(number)s more reason",
        "%(reasons)s, and %(number)s more reasons",
        left,
        reasons=", ".join(told),
    )


def _tell_failure(failure: GuardFailure, table: Table, me: int) -> str:
    match failure:
        case CardNotOpen(card, was_open):
            said = gettext(THE_CARD_PHRASES[card])
            if was_open:
                return gettext("%(card)s is no longer in the display", card=said)
            return gettext("%(card)s is not in the display", card=said)
        case CardIsOpen(card, was_open):
            said = gettext(THE_CARD_PHRASES[card])
            if was_open:
                return gettext("%(card)s is still in the display", card=said)
            return gettext("%(card)s is in the display now", card=said)
        case ProvinceHeld() | ProvinceLeft() | ProvinceResized() | GuardsMoved():
            return _tell_province(failure, table, me)
        case AlexanderElsewhere(point, wanted):
            return gettext("Alexander is at %(corner)s instead of %(wanted)s", corner=point, wanted=wanted)
        case PlayerAbove(seat, points, most):
            mine = gettext_noop("you have %(points)s, which is more than %(most)s")
            theirs = gettext_noop("%(name)s has %(points)s, which is more than %(most)s")
            return gettext_for_seat(table, seat, me, mine, theirs, points=format_points(points), most=most)
        case PlayerUnknown(name):
            return gettext("nobody in this game is called %(name)s", name=safe_name(name.title()))
        case LevyChanged(seat, gain, before):
            mine = gettext_noop("a levy now brings you %(points)s instead of %(before)s")
            theirs = gettext_noop("a levy now brings %(name)s %(points)s instead of %(before)s")
            return gettext_for_seat(table, seat, me, mine, theirs, points=format_points(gain), before=before)
        case _:
            assert_never(failure)


def _tell_province(
    failure: ProvinceHeld | ProvinceLeft | ProvinceResized | GuardsMoved, table: Table, me: int
) -> str:
    place = name_place(table, failure.place)
    match failure:
        case ProvinceHeld(_, holder, True):
            mine = gettext_noop("since you planned it, you have taken the province of %(place)s")
            theirs = gettext_noop("since you planned it, %(name)s has taken the province of %(place)s")
            return gettext_for_seat(table, holder, me, mine, theirs, place=place)
        case ProvinceHeld(_, holder, _):
            mine = gettext_noop("you hold the province of %(place)s")
            theirs = gettext_noop("%(name)s holds the province of %(place)s")
            return gettext_for_seat(table, holder, me, mine, theirs, place=place)
        case ProvinceLeft(_, holder):
            mine = gettext_noop("you no longer hold the province of %(place)s")
            theirs = gettext_noop("%(name)s no longer holds the province of %(place)s")
            return gettext_for_seat(table, holder, me, mine, theirs, place=place)
        case ProvinceResized(_, value, before):
            if value == before:
                return gettext("the province of %(place)s is not the same any more", place=place)
            return gettext(
                "the province of %(place)s is now worth %(points)s instead of %(before)s",
                place=place,
                points=format_points(value),
                before=before,
            )
        case GuardsMoved(_, holder):
            mine = gettext_noop("you have other guards in the province of %(place)s")
            theirs = gettext_noop("%(name)s has other guards in the province of %(place)s")
            return gettext_for_seat(table, holder, me, mine, theirs, place=place)
        case _:
            assert_never(failure)
