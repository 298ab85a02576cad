"""Absences: the days of absence in a line, or in the answer to a question about days."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import lru_cache

from emails.languages.lexicon import DateRole, Lexicon
from emails.languages.supported_languages import match_words
from emails.replies.time_requests.days import (
    A_DAY,
    A_WEEK,
    LONGEST,
    DayOfMonth,
    EndOfUnit,
    SaidDay,
    SaidWeekday,
    Token,
    TokenKind,
    TokenReader,
    WholeDate,
    add_length,
    clean_words,
    last_of_month,
    next_monday,
    part_day,
    read_tokens,
)
from emails.terms import ExpectedDays

FARTHEST = 300  # days; without a year, a date farther in the future is probably a past one
LONGEST_RUNNING = 92
"""Maximum number of days that an announced absence may have lasted already."""
MOST_MEANINGS = 3


@dataclass(frozen=True, slots=True, order=True)
class DateRange:
    """Days of absence, both limits included."""

    first: date
    last: date

    def __str__(self) -> str:
        return f"{self.first} - {self.last}"


class DateDoubt(StrEnum):
    UNCLEAR = "unclear"
    NO_END = "no end"
    PASSED = "passed"
    SEVERAL = "several"


@dataclass(frozen=True, slots=True)
class DateQuestion:
    doubt: DateDoubt
    meanings: tuple[DateRange, ...] = ()
    firsts: tuple[date, ...] = ()


@dataclass(frozen=True, slots=True)
class SaidRange:
    """An absence as written: from a day or from now, until a day or for a length of time."""

    first: SaidDay | None = None
    last: SaidDay | None = None
    is_before: bool = False  # the absence ends the day before `last`, as in "back on Friday"
    number: int = 0
    unit: int = 0
    adjacent: bool = False  # as in "Friday and Saturday": `last` must be the day after `first`


@dataclass(frozen=True, slots=True)
class NamedRange:
    role: DateRole
    next: bool = False
    unit: int = 0
    month: int = 0


def read_date_range(tokens: Sequence[Token], today: date, written: str) -> DateRange | DateQuestion:
    """Return the days that the words of a line (`tokens`) describe, or a question about the days.

    `written`: the order of day and month in numbers; see `DateWords`.
    """
    reader = TokenReader(tokens, written)
    said = read_named_range(reader) or read_said_range(reader)
    if said is None or reader.rest:
        return DateQuestion(DateDoubt.UNCLEAR)
    if isinstance(said, NamedRange):
        return decide(_named_meanings(said, today), today)
    if said.last is None and not said.number:
        firsts = () if said.first is None else said.first.from_on(today, today)
        return DateQuestion(DateDoubt.NO_END, firsts=firsts)
    found = decide(find_meanings(said, today), today)
    if isinstance(found, DateRange) and _may_be_two_days(tokens):
        return DateQuestion(DateDoubt.UNCLEAR)
    is_whole = isinstance(said.last, WholeDate)
    if isinstance(found, DateRange) and not is_whole and (found.last - found.first).days > FARTHEST:
        return DateQuestion(DateDoubt.UNCLEAR)  # the end is probably before the beginning
    return found


def _may_be_two_days(tokens: Sequence[Token]) -> bool:
    """True if the words are only a pair of numbers: two days, or a day and a month ("away 12-14")."""
    if len(tokens) != 1 or tokens[0].kind is not TokenKind.PAIR or tokens[0].between != "-":
        return False
    first, *others = tokens[0].numbers
    return len(others) == 1 and first < others[0]


# --- intervals as written -------------------------------------------------------------------------------


def read_named_range(reader: TokenReader) -> NamedRange | None:
    """Read the name of a week, weekend or month; for other words reset the reader and return None."""
    at = reader.at
    _ = reader.take(DateRole.LENGTH)  # "for the rest of the week"
    named = reader.take(DateRole.IN) is not None
    while reader.take(DateRole.THIS):
        named = True  # "this whole week"
    is_next = reader.take(DateRole.NEXT) is not None
    named = named or is_next
    if reader.take(DateRole.COMING_WEEK):
        found = NamedRange(DateRole.COMING_WEEK)
    elif reader.take(DateRole.WEEKEND):
        found = NamedRange(DateRole.WEEKEND, is_next)
    elif named and (unit := reader.take(DateRole.UNIT)) and unit.value in (7, 30):
        found = NamedRange(DateRole.UNIT, is_next, unit.value)
    elif not is_next and (month := reader.take(DateRole.MONTH)):
        found = NamedRange(DateRole.MONTH, month=month.value)
    else:
        reader.at = at
        return None
    if reader.rest:
        reader.at = at
        return None
    return found


def read_said_range(reader: TokenReader) -> SaidRange | None:
    """Read "from ... until ..." or a length of time; None for other words."""
    at = reader.at
    _ = reader.take(DateRole.LENGTH), reader.take(DateRole.WEEKEND)  # "the weekend of 20 to 22 March"
    if (days := reader.take_days_of_month()) is not None:
        return SaidRange(*days)
    reader.at = at
    opened = reader.take(DateRole.FROM) or reader.take(DateRole.BETWEEN)
    said = SaidRange()
    if length := reader.take_length():
        said = replace(said, number=length[0], unit=length[1])
        first = reader.take_day() if reader.take(DateRole.FROM) else None
        return replace(said, first=first)
    if (day := reader.take_day()) is not None:
        if len(reader.rest) == 1 and reader.take(DateRole.RETURNING):
            return SaidRange(last=day, is_before=True)
        said = replace(said, first=day)
    elif opened:
        return None
    return _read_end(reader, said, opened)


def _read_end(reader: TokenReader, said: SaidRange, opened: Token | None) -> SaidRange | None:
    if length := reader.take_length():
        return replace(said, number=length[0], unit=length[1])
    joined = reader.take(DateRole.AND)
    between = opened is not None and opened.kind is DateRole.BETWEEN
    before = reader.take(DateRole.BEFORE) or reader.take(DateRole.RETURNING)
    if not (joined or before or reader.take(DateRole.UNTIL) or reader.take(TokenKind.DASH)):
        alone = said.first is not None and opened is None
        return replace(said, last=said.first) if alone else said
    last = reader.take_day()
    if last is None:
        return None
    is_before = before is not None and not (said.first is not None and before.kind is DateRole.BEFORE)
    return replace(said, last=last, is_before=is_before, adjacent=joined is not None and not between)


# --- meanings of intervals ------------------------------------------------------------------------------


def decide(meanings: Iterator[DateRange], today: date) -> DateRange | DateQuestion:
    """Return the only date range that has not passed, or a question if there is none or several."""
    every = set(meanings)
    found = sorted(one for one in every if max(one.first, today) <= one.last)
    match found:
        case []:
            return DateQuestion(
                DateDoubt.PASSED if any(one.last < today for one in every) else DateDoubt.UNCLEAR
            )
        case [one]:
            return replace(one, first=max(one.first, today))
        case _:
            return DateQuestion(DateDoubt.SEVERAL, tuple(found[:MOST_MEANINGS]))


def find_meanings(said: SaidRange, today: date) -> Iterator[DateRange]:
    if said.first is None:
        yield from _ends(said, today, today, today)
        return
    if isinstance(said.first, DayOfMonth) and (
        isinstance(said.last, WholeDate) or (said.first.month is None and isinstance(said.last, DayOfMonth))
    ):
        for last in said.last.from_on(today, today):
            day = said.first.up_to(last)
            if day is not None and not (said.first.month is None and day < today):
                yield DateRange(day, last)
        return
    if said.first is said.last:
        for day in said.first.from_on(today, today):
            passed = _has_rather_passed(said.first, day, today)
            meant = add_length(day, -1, 365) if passed else day
            yield DateRange(meant, meant)
        return
    starts = [today - LONGEST_RUNNING * A_DAY, today] if said.first.is_dated else [today]
    for start in starts:
        found = [
            interval
            for first in said.first.from_on(start, today)
            if _is_near(first, today) or isinstance(said.first, WholeDate)
            for interval in _ends(said, first, today, first)
            if interval.last >= today
        ]
        if found:
            yield from found
            return


def _ends(said: SaidRange, first: date, today: date, since: date) -> Iterator[DateRange]:
    if said.last is None:
        from_now = said.first is None  # the rest of today is not a whole day
        last = add_length(first, said.number, said.unit)
        yield DateRange(first, last if from_now else last - A_DAY)
        return
    if said.first is None and _is_todays_name(said.last, today):  # "until Friday", on a Friday
        yield from (DateRange(today, today), DateRange(today, today + A_WEEK))
        return
    for day in said.last.from_on(since, today):
        if said.first is None and _has_rather_passed(said.last, day, today):
            yield DateRange(add_length(day, -1, 365), add_length(day, -1, 365))
            continue
        last = day - A_DAY if said.is_before and not isinstance(said.last, EndOfUnit) else day
        if not said.adjacent or last == first + A_DAY:
            yield DateRange(first, last)


def _is_todays_name(said: SaidDay, today: date) -> bool:
    bare = isinstance(said, SaidWeekday) and not (said.this or said.next or said.next_week)
    return bare and said.from_on(today, today)[0] == today


def _is_near(day: date, today: date) -> bool:
    return (day - today).days <= FARTHEST


def _has_rather_passed(said: SaidDay, day: date, today: date) -> bool:
    # A date without a year that is far ahead is rather the date one year earlier.
    return said.is_dated and not isinstance(said, WholeDate) and not _is_near(day, today)


def _named_meanings(said: NamedRange, today: date) -> Iterator[DateRange]:
    monday = next_monday(today)
    match said.role:
        case DateRole.WEEKEND:
            sunday = monday - A_DAY
            first = DateRange(max(sunday - A_DAY, today), sunday)
            second = DateRange(sunday - A_DAY + A_WEEK, sunday + A_WEEK)
            if not said.next:
                yield first
            else:
                yield second
                if today < sunday - A_DAY:
                    yield first
        case DateRole.COMING_WEEK:
            yield DateRange(monday, monday + A_WEEK - A_DAY)
            yield DateRange(today, today + A_WEEK - A_DAY)
        case DateRole.UNIT if said.unit == 7:
            yield (
                DateRange(monday, monday + A_WEEK - A_DAY) if said.next else DateRange(today, monday - A_DAY)
            )
        case DateRole.UNIT:
            begins = last_of_month(today) + A_DAY if said.next else today
            yield DateRange(begins, last_of_month(begins))
        case DateRole.MONTH:
            year = today.year if said.month >= today.month else today.year + 1
            begins = date(year, said.month, 1)
            if _is_near(begins, today):
                yield DateRange(begins, last_of_month(begins))
        case _:
            raise ValueError(said.role)


def read_absence_line(line: str, lexicon: Lexicon) -> str | None:
    """Return the dates of an absence line, empty if it has none; None for other lines."""
    if len(line) > LONGEST or line.rstrip().endswith("?"):
        return None
    words = clean_words(line)
    first, *others = words.split() or [""]
    if others and {*others} == {first}:
        return None  # "Back! Back!" takes something back
    dates = _find_dates(words, lexicon)
    if dates is None:
        return _find_return(words, lexicon)
    tokens = read_tokens(dates, lexicon)
    return None if tokens is None or _states_less(words, tokens, lexicon) else dates


def _states_less(words: str, tokens: Sequence[Token], lexicon: Lexicon) -> bool:
    reader = TokenReader(tokens, lexicon.dates.written)
    if reader.take_day() is None or reader.rest:
        return False
    topics = lexicon.topics
    return _any_of((*topics["going"], *topics["hours_of_day"])).search(words) is not None


@lru_cache(maxsize=256)
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{match_words(words)})(?!\w)")


def read_absence(dates: str, lexicon: Lexicon, today: date) -> DateRange | DateQuestion:
    tokens = read_tokens(dates, lexicon)
    if tokens is None:
        return DateQuestion(DateDoubt.UNCLEAR)
    if not tokens:
        return DateQuestion(DateDoubt.NO_END)
    return read_date_range(tokens, today, lexicon.dates.written)


def _find_dates(words: str, lexicon: Lexicon) -> str | None:
    for pattern in _patterns_of(lexicon):
        if found := pattern.fullmatch(words):
            return (found["dates"] or "").strip()
    return None


def _find_return(words: str, lexicon: Lexicon) -> str | None:
    """Return the dates of a line with a day of return, such as "back on Monday"; None for other lines."""
    opening = _any_of((*lexicon.dates.opening, *lexicon.dates.beside))
    dates = " ".join(opening.sub(" ", words).split())
    tokens = read_tokens(dates, lexicon) or ()
    returns = len(tokens) > 1 and any(one.kind is DateRole.RETURNING for one in tokens)
    return dates if returns else None


@lru_cache(maxsize=64)
def _patterns_of(lexicon: Lexicon) -> tuple[re.Pattern[str], ...]:
    dates = lexicon.dates
    beside = rf"(?:(?:{match_words(dates.beside)}) )*"
    behind = rf"(?: (?:{match_words(dates.beside)}))*"
    opening, away = match_words(dates.opening), match_words(dates.away)
    absent = match_words((*dates.away, *dates.away_after_opening))
    lines = (
        rf"{beside}(?:(?:{away})|(?:{opening}) {beside}(?:{absent})){behind}(?P<dates> .+?)??{behind}",
        rf"{beside}(?:{opening}) {beside}(?P<dates>.+?) {beside}(?:{absent}){behind}",
        rf"{beside}(?P<dates>.+?) {beside}(?:(?:{opening}) {beside}(?:{absent})|(?:{away})){behind}",
    )
    return tuple(re.compile(line) for line in lines)


def expected_days(question: DateQuestion) -> ExpectedDays:
    match question.doubt:
        case DateDoubt.NO_END:
            return ExpectedDays(question.firsts)
        case DateDoubt.SEVERAL:
            return ExpectedDays(tuple(sorted({one.first for one in question.meanings})))
        case _:
            return ExpectedDays(alone=True)


def read_days_answer(
    line: str, lexicon: Lexicon, expected: ExpectedDays, today: date
) -> DateRange | DateQuestion | None:
    """Return the days in an answer to a question about days; None for other lines."""
    if len(line) > LONGEST or line.rstrip().endswith("?"):
        return None
    in_sentence = read_absence_line(line, lexicon)
    words = _words_of_answer(line, lexicon) if in_sentence is None else in_sentence
    tokens = read_tokens(words, lexicon)
    if not tokens:
        return None
    if read_named_range(TokenReader(tokens, lexicon.dates.written)) is not None:
        return DateQuestion(DateDoubt.UNCLEAR)  # "next week" may mean its first or its last day
    said = _read_end_alone(tokens, lexicon, bare=in_sentence is None)
    if said is None:
        return read_date_range(tokens, today, lexicon.dates.written)
    found = decide(_meanings(said, expected, today), today)
    named = said.last is not None and not isinstance(said.last, WholeDate)
    if isinstance(found, DateRange) and named and (found.last - found.first).days > FARTHEST:
        return DateQuestion(DateDoubt.PASSED)  # a past day, such as "3 March" a week later
    return found


def _read_end_alone(tokens: tuple[Token, ...], lexicon: Lexicon, *, bare: bool) -> SaidRange | None:
    reader = TokenReader(tokens, lexicon.dates.written)
    said = read_said_range(reader)
    if said is None or reader.rest or (said.last is None and not said.number):
        return None
    if said.first is None:
        return said
    return replace(said, first=None) if bare and said.first is said.last else None


def _meanings(said: SaidRange, expected: ExpectedDays, today: date) -> Iterator[DateRange]:
    if not expected.firsts:
        yield from find_meanings(said, today)
    for first in expected.firsts:
        yield from find_meanings(replace(said, first=WholeDate(first)), today)
    if expected.alone and said.last is not None:
        yield from find_meanings(replace(said, first=said.last), today)


def _words_of_answer(line: str, lexicon: Lexicon) -> str:
    dates = lexicon.dates
    words = _any_of((*dates.beside, *lexicon.please)).sub(" ", clean_words(line))
    ordinals = match_words(tuple(dates.ordinals))
    ending = dates.endings[0]
    words = re.sub(
        rf"(?<![\w-])(?:{ordinals})(?![\w-])", lambda found: f"{dates.ordinals[found[0]]}{ending}", words
    )
    return " ".join(part_day(word, lexicon) for word in words.split())
