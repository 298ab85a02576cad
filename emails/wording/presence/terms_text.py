"""The terms of a game in words: advice, and the caretaker."""

from __future__ import annotations

from emails.i18n import gettext, gettext_noop
from emails.terms import AbsenceRule, Caretaker

ADVICE = {
    True: gettext_noop("Advice: the player to move may ask for good turns"),
    False: gettext_noop("Advice: none"),
}
CARETAKERS = {
    Caretaker.GENTLE: gettext_noop("A caretaker plays well for a player who is late, and harms nobody"),
    Caretaker.QUIET: gettext_noop("A caretaker plays a quiet turn for a player who is late"),
}
MOST_DAYS_WAITED = 120
"""The most days that a turn waits for a player who sleeps, has days off or is away."""
ABSENCES = {
    AbsenceRule.ALWAYS: gettext_noop(
        "However often they are late: it plays that one turn, and the seat stays theirs"
    ),
    AbsenceRule.TURN: gettext_noop(
        "After two late turns in a row the caretaker plays until the player is back; others may take the seat"
    ),
    AbsenceRule.SEAT: gettext_noop(
        "After one late turn the caretaker plays until the player is back; others may take the seat"
    ),
}


def describe_terms(
    advice: bool,
    caretaker: Caretaker,
    absence: AbsenceRule,
    *,
    timed: bool = True,
) -> tuple[str, ...]:
    """Describe whether there is advice, and how the caretaker plays and for how long.

    `timed`: turns have a time limit; without one no player is ever late.
    """
    late = (gettext(CARETAKERS[caretaker]), gettext(ABSENCES[absence]), describe_bound()) if timed else ()
    return (gettext(ADVICE[advice]), *late)


def describe_bound() -> str:
    """Describe how long a turn waits at most for a player whose clock is stopped."""
    return gettext(
        "A turn waits for a player who sleeps, has a day off or is away until %(days)s days after it began; "
        "then its time runs all the same.",
        days=MOST_DAYS_WAITED,
    )
