"""The terms of a game in words: advice, who plays for whoever is late, how long one may be away."""

from __future__ import annotations

from emails.i18n import gettext, gettext_noop, ngettext

GENTLE, QUIET = "gentle", "quiet"
"""The caretakers, as the server stores which one plays for whoever is late."""
ADVICE = {
    True: gettext_noop("Advice: whoever is to move may ask for good turns"),
    False: gettext_noop("Advice: none"),
}
CARETAKERS = {
    GENTLE: gettext_noop("Whoever is late: a caretaker plays well for them, and harms nobody"),
    QUIET: gettext_noop("Whoever is late: a caretaker plays a quiet turn for them"),
}


ONE_TURN, WHOLE_SEAT = "turn", "seat"
"""How long a caretaker plays for whoever is late, as the server stores it."""
ABSENCES = {
    ONE_TURN: gettext_noop("Whoever is late twice in a row: the caretaker plays until they are back"),
    WHOLE_SEAT: gettext_noop("Whoever is late once: the caretaker plays until they are back"),
}


def describe_terms(
    advice: bool, caretaker: str, absence: str, vacation_days: int | None = None
) -> tuple[str, ...]:
    """Whether there is advice, who plays for whoever is late and how long, and how long one may be away."""
    kept = (gettext(ABSENCES[absence]),) if absence in ABSENCES else ()
    found = (gettext(ADVICE[advice]), gettext(CARETAKERS[caretaker]), *kept)
    if vacation_days is None:
        return found
    days = ngettext(
        "Vacation: %(number)s day in a year stops a player's clock.",
        "Vacation: %(number)s days in a year stop a player's clock.",
        vacation_days,
    )
    return (*found, days)
