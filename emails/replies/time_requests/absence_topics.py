"""What a mail in other words most likely says of when its writer is there, and when not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

from emails.languages.time_words import DateRole
from emails.replies.dates.absences import DateDoubt, DateQuestion, Period, read_absence, read_period
from emails.replies.dates.days import Token, read_tokens
from emails.replies.time_requests.request_sentences import has, negates, places_of, without
from emails.replies.time_requests.topic_clauses import TopicClause
from emails.replies.time_requests.topic_mail import TopicGuess, TopicMail
from emails.wording.requests import Request, RequestKind

HOUR = re.compile(r"(?<![\w.:])\d{1,2}(?!\d)")
"""A number that may be an hour of the day."""


# --- who is there and when ------------------------------------------------------------------------------


def read_back(mail: TopicMail) -> TopicGuess | None:
    """That its writer is there again, or was not away after all."""
    own = mail.words
    for one in mail.all:
        ahead = any(_lies_ahead(mail, run) for run in mail.dates_of(one.words))
        inquires = one.asks or next(places_of(one.words, own.asking), 1) == 0
        if ahead or inquires or not mail.is_own(one):
            continue
        if has(one.words, own.returned) and not _is_past(mail, one):
            return TopicGuess((Request(RequestKind.BACK),), told=(one,))
        if (
            has(one.sentence, own.cancelling)
            and has(one.words, own.absence)
            and has(one.words, own.cancelling)
        ):
            return TopicGuess((Request(RequestKind.BACK),), told=(one,))
    return None


def _is_past(mail: TopicMail, one: TopicClause) -> bool:
    return has(one.words, mail.words.past) and not has(one.words, mail.words.own)


def _lies_ahead(mail: TopicMail, run: str) -> bool:
    tokens = read_tokens(run, mail.lexicon) or ()
    return not all(one.kind is DateRole.DAY and one.value == 0 for one in tokens)


def _is_of_each_week(mail: TopicMail, run: str) -> bool:
    return any(token.kind is DateRole.EACH for token in read_tokens(run, mail.lexicon) or ())


def read_away(mail: TopicMail) -> TopicGuess | None:
    """That its writer is away, with the days of it."""
    own = mail.words
    if (journey := _read_journey(mail)) is not None:
        return journey
    cues = [one for one in mail.clauses if _tells_absence(mail, one)]
    if not cues or any(_denies_absence(mail, one) for one in mail.clauses):
        return None
    near = [run for one in cues for run in mail.dates_of(one.words)]
    sentences = dict.fromkeys(one.sentence for one in cues)
    wider = [run for one in sentences for run in mail.dates_of(one)]
    every = [run for one in dict.fromkeys(one.sentence for one in mail.clauses) for run in mail.dates_of(one)]
    strong = any(
        has(one.words, own.absent) and not (_tells_tied(mail, one) and not mail.tells_own(one))
        for one in cues
    )
    if not every and not (strong and any(_speaks_of_self(mail, one) for one in cues)):
        return None
    doubt = DateQuestion(DateDoubt.NO_END)
    for runs in (wider, near, every):
        days = _read_days(mail, runs)
        if isinstance(days, Period):
            if days.first == days.last and any(_leaves(mail, one) for one in cues):
                return TopicGuess(doubt=doubt)
            return TopicGuess((Request(RequestKind.AWAY, f"{days.first} - {days.last}"),), told=tuple(cues))
        if days.meanings:
            meant = (f"{one.first} - {one.last}" for one in days.meanings)
            return TopicGuess(tuple(Request(RequestKind.AWAY, one) for one in meant))
        doubt = days if days.doubt is DateDoubt.PASSED else doubt
    return TopicGuess(doubt=doubt)


def _speaks_of_self(mail: TopicMail, one: TopicClause) -> bool:
    """Whether a clause tells something of its writer, and not of what they have: "my army"."""
    own = tuple(word for word in mail.words.own if word not in mail.words.mine)
    return has(one.sentence, own) or not mail.tells_own(one)


def _read_journey(mail: TopicMail) -> TopicGuess | None:
    """That its writer goes on one day, and is back on another, each in a clause of its own."""
    own = mail.words
    leaving = [
        one for one in mail.clauses if has(one.words, (*own.absent, *own.going)) and _day_of(mail, one)
    ]
    returning = [one for one in mail.clauses if has(one.words, own.returning) and not _tells_stay(mail, one)]
    returning = [one for one in returning if one not in leaving[:1] and _day_of(mail, one)]
    if not leaving or not returning:
        return None
    first, back = _day_of(mail, leaving[0]), _day_of(mail, returning[-1])
    told = (leaving[0], returning[-1])
    if first is None or back is None or not all(map(mail.is_own, told)):
        return None
    if back <= first and _names_weekday(mail, told[1]):
        back += timedelta(days=7)
    if back <= first:
        return None
    if any(one.asks or mail.negated(one, (*own.absent, *own.going), behind=False) for one in told):
        return None
    known = mail.lexicon.dates.words.items()
    there = has(told[1].words, tuple(words for words, one in known if one.role is DateRole.RETURNING))
    about = f"{first} - {back - timedelta(days=1) if there else back}"
    return TopicGuess((Request(RequestKind.AWAY, about),), told=told)


def _tokens_of(mail: TopicMail, one: TopicClause) -> list[Token]:
    return [token for run in mail.dates_of(one.words) for token in read_tokens(run, mail.lexicon) or ()]


def _names_weekday(mail: TopicMail, one: TopicClause) -> bool:
    return any(token.kind is DateRole.WEEKDAY for token in _tokens_of(mail, one))


def _day_of(mail: TopicMail, one: TopicClause) -> date | None:
    """The one day that a clause tells."""
    runs = mail.dates_of(one.words)
    tokens = read_tokens(runs[0], mail.lexicon) or () if len(runs) == 1 else ()
    if not tokens or any(
        token.kind in (DateRole.UNTIL, DateRole.BEFORE, DateRole.LENGTH) for token in tokens
    ):
        return None
    plain = [token for token in tokens if token.kind is not DateRole.RETURNING]
    days = read_period(plain, mail.speaker.today, mail.lexicon.dates.written)
    return days.first if isinstance(days, Period) and days.first == days.last else None


def read_days_alone(mail: TopicMail) -> TopicGuess | None:
    """Days on which its writer most likely does not play: they are busy then, or ill, or say no to them."""
    for one in mail.clauses:
        runs = mail.dates_of(one.sentence)
        if not runs or one.asks or not has(one.sentence, mail.words.unwell):
            continue
        if has(one.sentence, mail.words.weekly):
            continue
        if mail.names(one.sentence) & mail.speaker.others or not mail.is_own(one):
            continue
        days = _read_days(mail, runs)
        if isinstance(days, Period):
            return TopicGuess((Request(RequestKind.AWAY, f"{days.first} - {days.last}"),))
    return None


def _leaves(mail: TopicMail, one: TopicClause) -> bool:
    """Whether it tells only the day on which somebody goes away."""
    return has(one.words, mail.words.going) and not has(one.words, mail.words.returning)


def _tells_tied(mail: TopicMail, one: TopicClause) -> bool:
    return has(one.words, mail.words.absent_tied)


def _tells_absence(mail: TopicMail, one: TopicClause) -> bool:
    own = mail.words
    dates = mail.dates_of(one.words)
    if one.asks and not mail.tells_own(one):
        return False
    if has(one.words, own.absent) and mail.is_own(one):
        return bool(dates) or mail.tells_own(one) or not _tells_tied(mail, one)
    ahead = any(_lies_ahead(mail, run) for run in dates)
    if ahead and not mail.speaker.moves and has(one.words, own.until_when) and mail.tells_own(one):
        return True  # "give me until Monday", though nobody waits for them
    if ahead and has(one.words, own.returning) and mail.is_own(one) and not _tells_stay(mail, one):
        return True
    unable = mail.tells_own(one) or one.words.startswith(own.negation)
    if unable and mail.negated(one, own.play) and mail.is_own(one) and (dates or mail.dates_of(one.sentence)):
        return not any(_is_of_each_week(mail, run) for run in dates)
    return False


def _tells_stay(mail: TopicMail, one: TopicClause) -> bool:
    """Whether somebody is there until some day: "home until Friday"."""
    until = any(token.kind is DateRole.UNTIL for token in _tokens_of(mail, one))
    return until and not has(one.words, mail.words.negation)


def _denies_absence(mail: TopicMail, one: TopicClause) -> bool:
    plain = tuple(word for word in mail.words.absent if word not in mail.words.absent_tied)
    return mail.is_own(one) and mail.negated(one, plain, behind=False)


def _read_days(mail: TopicMail, runs: Sequence[str]) -> Period | DateQuestion:
    """The days that runs of words tell: all together, else the one that has an end."""
    if not runs:
        return DateQuestion(DateDoubt.NO_END)
    lexicon, today = mail.lexicon, mail.speaker.today
    whole = read_absence(" ".join(runs), lexicon, today)
    if isinstance(whole, Period) or whole.meanings:
        return whole
    each = [read_absence(run, lexicon, today) for run in runs]
    periods = [one for one in each if isinstance(one, Period)]
    long = [one for one in periods if one.first != one.last]
    found = long or periods
    if len({one.last for one in found}) == 1:
        return Period(max(one.first for one in found), found[0].last)
    if len(found) > 1 and found[0].first <= found[-1].last and not long:
        return Period(found[0].first, found[-1].last)
    if found:
        return found[0]
    return next((one for one in each if isinstance(one, DateQuestion) and one.meanings), whole)


def read_rest(mail: TopicMail) -> TopicGuess | None:
    """That its writer wants no reminders, or sleeps at certain hours, or has days off in each week."""
    for one in mail.clauses:
        if _ends_reminders(mail, one):
            return TopicGuess((Request(RequestKind.NO_REMINDERS),), told=(one,))
        if _tells_sleep(mail, one) or _tells_free_days(mail, one):
            return TopicGuess((Request(RequestKind.REST),), told=(one,))
    return None


def _ends_reminders(mail: TopicMail, one: TopicClause) -> bool:
    """Whether it asks for no reminders at all, and not only at some hours or on some days."""
    lines = tuple(phrase for phrase, kind in mail.lexicon.shown.items() if kind == RequestKind.NO_REMINDERS)
    if one.asks or not has(one.words, lines) or mail.is_others(one.words):
        return False
    beside = without(one.sentence, lines)
    at_times = (
        HOUR.search(beside)
        or mail.dates_of(beside)
        or has(beside, (*mail.words.night, *mail.words.hours_of_day))
    )
    return not at_times


def _tells_sleep(mail: TopicMail, one: TopicClause) -> bool:
    own = mail.words
    others = mail.is_others(one.sentence) and not has(one.sentence, own.wish)
    if has(one.sentence, own.past) or (others and (one.asks or not mail.tells_own(one))):
        return False
    hours = len(HOUR.findall(one.words)) > 1
    if hours and has(one.words, own.awake) and mail.tells_own(one):
        return True
    tells = mail.tells_own(one) or has(one.sentence, own.wish) or hours
    return has(one.words, own.night) and tells and _speaks_of_self(mail, one)


def _tells_free_days(mail: TopicMail, one: TopicClause) -> bool:
    own, words = mail.words, one.sentence
    runs = mail.dates_of(words)
    if has(words, own.any_day) or (mail.tells_own(one) and has(words, own.every_other) and runs):
        return True
    heading = tuple(phrase for phrase, kind in mail.lexicon.shown.items() if kind == RequestKind.REST)
    if (runs or HOUR.search(words)) and next(places_of(words, heading), 1) == 0:
        return True
    each = any(_is_of_each_week(mail, run) for run in runs)
    if not (each or (runs and has(words, own.weekly))) or not mail.is_own(one):
        return False
    other = mail.is_others(words) and not has(words, own.wish)
    rests = has(words, own.free) or has(words, own.only)
    rests = rests or negates(words, own.negation, own.play)
    return rests and not other and not (one.asks and not mail.tells_own(one))
