"""Absences in words: days, their effects, questions about time, and caretakers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from babel.dates import format_date

from emails.i18n import UTC_ZONE, current_locale, gettext, gettext_noop
from emails.terms import AbsenceRule, Caretaker
from emails.wording.phrases import format_list, safe_name
from emails.wording.requests import STAYS_RESIGNED, WAS_AWAY, WAS_KEPT, Request, RequestKind, request_word

A_MONDAY = date(2024, 1, 1)


@dataclass(frozen=True, slots=True)
class ExpectedDays:
    """What a letter has asked about an absence, so that a reply that is only a date can be understood."""

    firsts: tuple[date, ...] = ()  # possible first days; empty if the letter asks for the first day
    alone: bool = False


def format_day(day: date) -> str:
    """Format a day as "Friday 27 November 2026"."""
    return format_date(day, "EEEE d MMMM y", locale=current_locale().language)


def format_weekday(day: int) -> str:
    """Return the name of a weekday, 0 for Monday."""
    return format_date(A_MONDAY + timedelta(days=day), "EEEE", locale=current_locale().language)


def format_near_day(day: date, today: date) -> str:
    """Format a day of the next week as a weekday, other days with day and month."""
    if 0 <= (day - today).days < 7:
        return format_date(day, "EEEE", locale=current_locale().language)
    form = "d MMMM" if day.year == today.year else "d MMMM y"
    return format_date(day, form, locale=current_locale().language)


def format_days(first: date, last: date) -> str:
    if first == last:
        return gettext("on %(day)s", day=format_day(first))
    return gettext("from %(first)s to %(last)s", first=format_day(first), last=format_day(last))


def describe_away(name: str, last: date | None, today: date) -> str:
    """Return a sentence for the others that a player is away until `last`; empty for None."""
    if last is None:
        return ""
    if last == today:
        return gettext("%(name)s is away today.", name=name)
    return gettext("%(name)s is away until %(day)s.", name=name, day=format_near_day(last, today))


@dataclass(frozen=True, slots=True)
class DaysAway:
    first: date
    last: date
    home: date | None = None  # first day at home, on which the player's clock does not run


@dataclass(frozen=True, slots=True)
class AbsenceNote:
    today: date
    """Today in the player's zone; all days of the note are in that zone."""
    zone: str
    days: tuple[DaysAway, ...] = ()
    sleep: tuple[time, time] | None = None
    night: tuple[time, time] | None = None
    """The assumed night of a player who has set no sleep hours; None if their zone is unknown."""
    days_off: tuple[int, ...] = ()
    """Weekdays off, from 0 for Monday."""


def name_city(zone: str) -> str:
    return zone.rpartition("/")[2].replace("_", " ")


def ask_for_zone() -> str:
    return gettext(
        "Your time zone is not known, so all times are in UTC. Write “%(word)s” and your city, such as "
        "“%(word)s New York”, and they are by your clock.",
        word=request_word(RequestKind.ZONE),
    )


def ask_about_zone(zone: str, now: datetime) -> str:
    local = now.astimezone(ZoneInfo(zone))
    return gettext(
        "Is it %(time)s where you are, as in %(city)s?", time=f"{local:%H:%M}", city=name_city(zone)
    )


ALL_GAMES = gettext_noop("That holds in all your games.")


def describe_absence(note: AbsenceNote) -> Iterator[str]:
    if note.zone == UTC_ZONE:
        yield ask_for_zone()
    if not note.days:
        yield gettext("You have told of no days away, so time runs on your turns.")
        return
    for one in note.days:
        yield from _describe_days(one, note)
    yield gettext(ALL_GAMES)
    yield gettext("The others see that you are not there.")
    yield gettext("You can play all the same.")
    yield gettext(
        "To undo it reply “%(back)s”, or remove the days on the page of your settings: its link stands at "
        "the end of this mail.",
        back=request_word(RequestKind.BACK),
    )


def _describe_days(days: DaysAway, note: AbsenceNote) -> Iterator[str]:
    if days.first <= note.today:
        yield gettext(
            "No time runs on your turns from now until the end of %(day)s, by your clock (%(zone)s).",
            day=format_day(days.last),
            zone=note.zone,
        )
    else:
        yield gettext(
            "No time runs on your turns %(days)s, by your clock (%(zone)s).",
            days=format_days(days.first, days.last),
            zone=note.zone,
        )
    if days.home is not None:
        yield gettext("Nor does it on your first day home, %(day)s.", day=format_day(days.home))


def describe_own_absence(last: date | None) -> str:
    """Return a sentence for the player who is away until `last`; empty for None."""
    if last is None:
        return ""
    return gettext(
        "You are away until the end of %(day)s: no time runs on your turns.",
        day=format_day(last),
    )


def describe_return(note: AbsenceNote, been: str) -> Iterator[str]:
    """Describe what a player's return changes, then coming absences.

    `been`: states before the return: "away", "kept" (replaced by the caretaker), "resigned" (for good).
    """
    if WAS_KEPT in been:
        yield gettext("You are back: your turns are yours again, and the others are told.")
    if WAS_AWAY in been:
        yield gettext(
            "Time runs on your turns again; a turn that waits for you has what was left of it, and six hours "
            "at least, unless the whole turn is shorter or would have ended sooner anyway."
        )
        yield gettext(ALL_GAMES)
    if STAYS_RESIGNED in been:
        yield gettext(
            "You have resigned from this game, and that stays so, unless the others offer your seat."
        )
    if not been:
        yield gettext("You were not away, so nothing has changed.")
    if note.days:
        days = format_list(format_days(one.first, one.last) for one in note.days)
        yield gettext("You are still to be away %(days)s.", days=days)
        if note.zone == UTC_ZONE:
            yield ask_for_zone()


SLEEP = gettext_noop(
    "No time runs on your turns from %(begins)s to %(ends)s every day, by your clock (%(zone)s), in games "
    "whose turns have twelve hours or more."
)
NIGHT = gettext_noop(
    "From %(begins)s to %(ends)s by your clock (%(zone)s) no reminder comes and no turn of yours ends, in "
    "games whose turns have twelve hours or more."
)


def describe_sleep_hours(note: AbsenceNote) -> Iterator[str]:
    if note.zone == UTC_ZONE:
        yield ask_for_zone()
    hours, words = (note.night, NIGHT) if note.sleep is None else (note.sleep, SLEEP)
    if hours is not None:
        begins, ends = (f"{one:%H:%M}" for one in hours)
        yield gettext(words, begins=begins, ends=ends, zone=note.zone)
    if note.days_off:
        days = format_list(map(format_weekday, note.days_off))
        yield gettext(
            "Each week no time runs on your turns on %(days)s, in games whose turns have twelve hours or "
            "more.",
            days=days,
        )


def mention_sleep_page(link: str) -> str:
    return gettext("Nights and weekends are set on your page: %(link)s", link=link)


def ask_until_when() -> str:
    return gettext(
        "Until when are you not there? Reply with the last day, such as “%(day)s” or “%(date)s”, or with all "
        "of the days, such as “%(days)s”.",
        day=gettext("Friday"),
        date=gettext("4 December"),
        days=gettext("away 3-17 August"),
    )


def ask_anew(passed: bool) -> str:
    why = gettext("That day has passed.") if passed else gettext("Your answer was not understood.")
    return f"{why} {ask_until_when()}"


def explain_answered() -> str:
    return gettext(
        "The question when you are not there is answered already, so nothing has changed. To tell of other "
        "days reply with a line such as “%(away)s”; “%(back)s” ends those that you have told of.",
        away=gettext("away until Friday"),
        back=request_word(RequestKind.BACK),
    )


def explain_too_late(asked_on: date) -> str:
    return gettext(
        "The question when you are not there was asked on %(day)s, too long ago for a day alone to answer "
        "it, so nothing has changed. Reply with a line such as “%(away)s”.",
        day=format_day(asked_on),
        away=gettext("away until Friday"),
    )


def ask_clearer() -> str:
    return gettext(
        "It is not certain when you are not there. Reply with the days alone, such as “%(one)s” or "
        "“%(other)s”.",
        one=gettext("away until Friday"),
        other=gettext("away 3-17 August"),
    )


def ask_about_past() -> str:
    return gettext(
        "These days have passed. If you mean those of another year, write it too: “%(one)s”.",
        one=gettext("away until 5 August 2030"),
    )


def ask_which_days(days: list[tuple[date, date]]) -> str:
    meant = format_list((format_days(first, last) for first, last in days), "or")
    first, last = (day.isoformat() for day in days[-1])
    same = len({first for first, _ in days}) == 1
    return gettext(
        "Which days do you mean: %(days)s? Reply with the date, such as “%(one)s”.",
        days=meant,
        one=gettext("away until %(day)s", day=last)
        if same
        else gettext("away %(first)s - %(last)s", first=first, last=last),
    )


def ask_yes_or_no() -> str:
    return gettext(
        "It is not certain whether you agree. Reply with the one word “%(yes)s” or “%(no)s”.",
        yes=gettext("yes"),
        no=gettext("no"),
    )


def ask_whether(request: Request, mover: str, *, moves: bool) -> str:
    """Return the question whether the reader makes this request; `moves`: it is the reader's turn."""
    match request.kind:
        case RequestKind.AWAY:
            first, _, last = request.about.partition(" - ")
            days = format_days(date.fromisoformat(first), date.fromisoformat(last))
            return gettext(
                "Shall no time run on your turns %(days)s, while you are away, in all your games?", days=days
            )
        case RequestKind.BACK:
            return gettext("Are you back, and shall time run on your turns again?")
        case RequestKind.MORE_TIME if moves:
            return gettext("Do you want 24 more hours for your turn?")
        case RequestKind.NUDGE:
            return gettext("Shall %(name)s be reminded that we wait for them?", name=safe_name(mover))
        case RequestKind.NO_PLAN:
            return gettext("Shall your plan be dropped?")
        case RequestKind.RESIGN:
            return gettext(
                "Do you give your seat up, so that a caretaker plays until somebody else takes it, or until "
                "you write “%(word)s”?",
                word=request_word(RequestKind.BACK),
            )
        case _:
            return _ask_about_all(request, mover)


def _ask_about_all(request: Request, mover: str) -> str:
    match request.kind:
        case RequestKind.MORE_TIME:
            return gettext("Shall %(name)s get 24 more hours?", name=safe_name(mover))
        case RequestKind.PAUSE if request.about:
            last = format_day(date.fromisoformat(request.about))
            return gettext("Shall the others be asked for a pause from now until %(day)s?", day=last)
        case RequestKind.PAUSE:
            return gettext("Shall the others be asked for a pause? It lasts thirty days at most.")
        case RequestKind.RESUME:
            return gettext("Shall the pause end, so that time runs again?")
        case _:
            return gettext("Do you mean “%(word)s”?", word=request_word(request.kind))


ADVICE = {
    True: gettext_noop("Advice: the player to move may ask for good turns"),
    False: gettext_noop("Advice: none"),
}
CARETAKERS = {
    Caretaker.GENTLE: gettext_noop("A caretaker plays well for a player who is late, and harms nobody"),
    Caretaker.QUIET: gettext_noop("A caretaker plays a quiet turn for a player who is late"),
}
MOST_DAYS_WAITED = 120
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
    """Describe the terms on advice, caretaker and absences; `timed`: turns have a time limit."""
    late = (gettext(CARETAKERS[caretaker]), gettext(ABSENCES[absence]), describe_bound()) if timed else ()
    return (gettext(ADVICE[advice]), *late)


def describe_bound() -> str:
    return gettext(
        "A turn waits for a player who sleeps, has a day off or is away until %(days)s days after it began; "
        "then its time runs all the same.",
        days=MOST_DAYS_WAITED,
    )
