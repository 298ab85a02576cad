"""When a player wants to be reminded of their turn: by what of its time is left, in words and as kept."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from emails.i18n import gettext, gettext_noop
from emails.wording import phrases


class ReminderTime(StrEnum):
    """What of the time for a turn is left when its player is reminded."""

    HALF = "1/2"
    QUARTER = "1/4"
    EIGHTH = "1/8"
    DAY = "1 day"
    HOURS = "3 hours"


Reminders = tuple[ReminderTime, ...]
"""All reminders that somebody wants of a turn, each once, in the order above."""
USUAL_REMINDERS: Reminders = (ReminderTime.HALF, ReminderTime.EIGHTH)
BY_NUMBER: tuple[Reminders, ...] = ((), (ReminderTime.EIGHTH,), USUAL_REMINDERS)
"""What is kept as 0, 1 and 2."""
SEPARATOR = ", "
LEFT = {
    ReminderTime.HALF: gettext_noop("half of your time"),
    ReminderTime.QUARTER: gettext_noop("a quarter of your time"),
    ReminderTime.EIGHTH: gettext_noop("an eighth of your time"),
    ReminderTime.DAY: gettext_noop("a day"),
    ReminderTime.HOURS: gettext_noop("three hours"),
}


def order_reminders(wanted: Iterable[ReminderTime]) -> Reminders:
    """These reminders, each once and in their order."""
    chosen = frozenset(wanted)
    return tuple(one for one in ReminderTime if one in chosen)


def join_reminders(wanted: Reminders) -> str:
    """Reminders as one text, which `split_reminders` reads; empty for none."""
    return SEPARATOR.join(wanted)


def split_reminders(text: str) -> Reminders:
    """The reminders of such a text, however often it says them. Raises `ValueError`."""
    return order_reminders(map(ReminderTime, text.split(SEPARATOR))) if text else ()


def read_reminders(kept: object) -> Reminders | None:
    """Reminders from the number or the text as which they are kept; None where it says none."""
    if type(kept) is int:
        return BY_NUMBER[kept] if 0 <= kept < len(BY_NUMBER) else None
    if not isinstance(kept, str):
        return None
    try:
        return split_reminders(kept)
    except ValueError:
        return None


def write_reminders(wanted: Reminders) -> int | str:
    """Reminders as they are kept: a number where one says them."""
    return BY_NUMBER.index(wanted) if wanted in BY_NUMBER else join_reminders(wanted)


def describe_reminders(wanted: Reminders) -> str:
    """When reminders come, as a sentence."""
    if not wanted:
        return gettext("No reminders come while your time goes.")
    times = phrases.format_list(gettext(LEFT[one]) for one in wanted)
    return gettext("Reminders come when this is left: %(times)s.", times=times)
