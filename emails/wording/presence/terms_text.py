"""The terms of a game in words: advice, who plays for whoever is late."""

from __future__ import annotations

from emails.i18n import gettext, gettext_noop
from emails.terms import AbsenceRule, Caretaker

ADVICE = {
    True: gettext_noop("Advice: whoever is to move may ask for good turns"),
    False: gettext_noop("Advice: none"),
}
CARETAKERS = {
    Caretaker.GENTLE: gettext_noop("Whoever is late: a caretaker plays well for them, and harms nobody"),
    Caretaker.QUIET: gettext_noop("Whoever is late: a caretaker plays a quiet turn for them"),
}
MOST_DAYS_WAITED = 120
"""From when a turn began, for whoever sleeps, has days off or is away: later its time runs all the same."""
ABSENCES = {
    AbsenceRule.ALWAYS: gettext_noop(
        "However often they are late: it plays that one turn, and the seat stays theirs"
    ),
    AbsenceRule.TURN: gettext_noop(
        "Whoever is late twice in a row: the caretaker plays until they are back; others may take the seat"
    ),
    AbsenceRule.SEAT: gettext_noop(
        "Whoever is late once: the caretaker plays until they are back; others may take the seat"
    ),
}


def describe_terms(
    advice: bool,
    caretaker: Caretaker,
    absence: AbsenceRule,
    *,
    timed: bool = True,
) -> tuple[str, ...]:
    """Whether there is advice, and who plays for whoever is late and how long.

    `timed`: there is a limit to the time for a turn; without one nobody is late.
    """
    late = (gettext(CARETAKERS[caretaker]), gettext(ABSENCES[absence]), describe_bound()) if timed else ()
    return (gettext(ADVICE[advice]), *late)


def describe_bound() -> str:
    """How long a turn waits at most for a player whose clock stands still."""
    return gettext(
        "A turn waits for whoever sleeps, has a day off or is away until %(days)s days after it began; "
        "then its time runs all the same.",
        days=MOST_DAYS_WAITED,
    )
