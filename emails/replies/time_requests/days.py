"""Days, lengths of time and time zones as people write them, and requests with one of these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import cache, lru_cache
from typing import Protocol
from zoneinfo import ZoneInfo

from babel import Locale

from emails.i18n import zone_names
from emails.languages.lexicon import DateRole, Lexicon
from emails.languages.supported_languages import LANGUAGES, match_words
from emails.replies.remarks import APOSTROPHES
from emails.wording.requests import UNKNOWN_ZONE, Request, RequestKind

LONGEST = 120
DASHES = re.compile(r"[\u2010-\u2015\u2212\u2192]|->|\.\.+")


class TokenKind(StrEnum):
    NUMBER = "number"
    ORDINAL = "ordinal"
    ISO = "iso"
    PAIR = "pair"
    """Two numbers with a sign between, and perhaps a year."""
    DASH = "dash"


@dataclass(frozen=True, slots=True)
class Token:
    """A parsed word, number or sign in a date; not the token of a link."""

    kind: DateRole | TokenKind
    value: int = 0
    numbers: tuple[int, ...] = ()
    between: str = ""


def read_tokens(words: str, lexicon: Lexicon) -> tuple[Token, ...] | None:
    """Parse words of a date, and omit fillers; None if a word is unknown."""
    words, found, at = clean_words(words), list[Token](), 0
    pattern = _pattern_of(lexicon)
    while at < len(words):
        match = pattern.match(words, at)
        if match is None:
            return None
        at = match.end()
        token = _token_of(match, lexicon)
        if token is not None and token.kind is not DateRole.SKIPPED:
            found.append(token)
    return tuple(found)


def clean_words(words: str) -> str:
    """Return words in lower case with plain dashes and single blanks, without punctuation.

    Quotation marks and stars remain, because they mark examples in letters.
    """
    words = DASHES.sub(" - ", words[:LONGEST].casefold().translate(APOSTROPHES))
    words = re.sub(r"[,:;!]|(?<=\w)\.(?=\s|$)(?<!\b\w\.\w\.)", " ", words)
    return " ".join(words.split())


def part_day(word: str, lexicon: Lexicon) -> str:
    """Insert a blank between the day and the part of the day in a word such as "zondagavond"."""
    known = lexicon.dates.words
    for day, meaning in known.items():
        rest = word.removeprefix(day)
        if meaning.role in (DateRole.WEEKDAY, DateRole.DAY) and rest != word and rest in known:
            return f"{day} {rest}" if known[rest].role is DateRole.SKIPPED else word
    return word


def holds_dates(words: str, lexicon: Lexicon) -> bool:
    found = _pattern_of(lexicon).finditer(clean_words(words))
    kinds = {None if token is None else token.kind for token in (_token_of(one, lexicon) for one in found)}
    return bool(kinds & {TokenKind.ISO, TokenKind.PAIR, TokenKind.ORDINAL, *DATE_ROLES})


DATE_ROLES = frozenset(
    (
        *(DateRole.WEEKDAY, DateRole.EACH, DateRole.WEEKEND, DateRole.MONTH),
        *(DateRole.DAY, DateRole.FEAST, DateRole.EASTER, DateRole.UNIT),
    )
)


@lru_cache(maxsize=64)
def _pattern_of(lexicon: Lexicon) -> re.Pattern[str]:
    known = {*lexicon.dates.words, *(word for word, number in lexicon.numbers.items() if number)}
    phrases, endings = match_words(known), match_words(lexicon.dates.endings)
    return re.compile(
        rf"(?<!\w)(?:(?P<phrase>{phrases})(?!\w)"
        r"|(?P<iso>\d{4}-\d{1,2}-\d{1,2})(?!\d)"
        r"|(?P<pair>\d{1,2}(?P<sign>[-/.])\d{1,2}(?:(?P=sign)(?:\d{4}|\d{2}))?)(?!\d)\.?"
        rf"|(?P<ordinal>\d{{1,2}})(?:{endings})(?!\w)"
        r"|(?P<number>\d{1,4})(?!\d)\.?)"
        r"\s*|(?P<dash>[-/])\s*|\s+"
    )


def _token_of(match: re.Match[str], lexicon: Lexicon) -> Token | None:
    if phrase := match["phrase"]:
        word = lexicon.dates.words.get(phrase)
        return (
            Token(TokenKind.NUMBER, lexicon.numbers[phrase]) if word is None else Token(word.role, word.value)
        )
    if match["dash"]:
        return Token(TokenKind.DASH)
    if written := match["iso"] or match["pair"]:
        numbers = tuple(map(int, re.findall(r"\d+", written)))
        return Token(TokenKind.ISO if match["iso"] else TokenKind.PAIR, 0, numbers, match["sign"] or "")
    if match["ordinal"]:
        return Token(TokenKind.ORDINAL, int(match["ordinal"]))
    return Token(TokenKind.NUMBER, int(match["number"])) if match["number"] else None


A_DAY = timedelta(days=1)
A_WEEK = timedelta(days=7)
CENTURY = 2000
YEARS = range(2000, 2200)


class SaidDay(Protocol):
    """A day as written by a player."""

    @property
    def is_dated(self) -> bool:
        """True if a day of a month was said, such as 3 May. Such a day can be in the past."""

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        """Return the dates from `day` on that may be meant: none, one, or several if ambiguous."""


@dataclass(frozen=True, slots=True)
class WholeDate:
    day: date
    is_dated: bool = field(default=True, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        return (self.day,)


@dataclass(frozen=True, slots=True)
class DayInTime:
    days: int
    is_dated: bool = field(default=False, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        return (today + self.days * A_DAY,)


@dataclass(frozen=True, slots=True)
class DayOfMonth:
    number: int
    month: int | None = None
    is_dated: bool = field(default=True, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        return tuple(next(((one,) for one in self._days(day, 1) if one >= day), ()))

    def up_to(self, day: date) -> date | None:
        return next((one for one in self._days(day, -1) if one <= day), None)

    def _days(self, day: date, step: int) -> Iterator[date]:
        for months in range(0, 60 * step, step):  # 29 February may be four years away
            year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
            if self.month in (None, month + 1) and (found := whole_date(year, month + 1, self.number)):
                yield found


@dataclass(frozen=True, slots=True)
class SaidWeekday:
    weekday: int
    this: bool = False
    next: bool = False
    next_week: bool = False
    is_dated: bool = field(default=False, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        """Return the first such weekday from `day` on; several dates if today or next week may be meant."""
        if self.next or self.next_week:
            later = next_monday(today) + self.weekday * A_DAY
            sooner = later - A_WEEK
            return (sooner, later) if self.next and sooner > today else (later,)
        first = day + (self.weekday - day.weekday()) % 7 * A_DAY
        if first != day:
            return (first,)
        if day != today:  # the end of an interval that begins on this weekday
            return (first + A_WEEK,)
        return (first,) if self.this else (first, first + A_WEEK)


@dataclass(frozen=True, slots=True)
class DayOfEaster:
    days: int
    is_dated: bool = field(default=True, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        found = (easter_of(day.year + years) + self.days * A_DAY for years in range(2))
        return tuple(next(((one,) for one in found if one >= day), ()))


@dataclass(frozen=True, slots=True)
class EitherDay:
    days: tuple[DayOfMonth | WholeDate, ...]
    is_dated: bool = field(default=True, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        return tuple(dict.fromkeys(found for one in self.days for found in one.from_on(day, today)))


@dataclass(frozen=True, slots=True)
class CheckedDay:
    """A date written with its weekday; it matches no date if the two disagree."""

    weekday: int
    day: SaidDay

    @property
    def is_dated(self) -> bool:
        return self.day.is_dated

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        return tuple(one for one in self.day.from_on(day, today) if one.weekday() == self.weekday)


@dataclass(frozen=True, slots=True)
class EndOfUnit:
    days: int  # length of the unit: 7, 30 or 365
    month: int | None = None
    next: bool = False
    is_dated: bool = field(default=False, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        if self.next:
            after = EndOfUnit(self.days).from_on(today, today)[0] + A_DAY
            return EndOfUnit(self.days).from_on(after, after)
        if self.month is not None:
            year = day.year if self.month >= day.month else day.year + 1
            return (last_of_month(date(year, self.month, 1)),)
        if self.days == 7:
            return (next_monday(day) - A_DAY,)
        return (last_of_month(day) if self.days == 30 else date(day.year, 12, 31),)


def whole_date(year: int, month: int, number: int) -> date | None:
    full = year + CENTURY if year < 100 else year
    try:
        return date(full, month, number) if full in YEARS else None
    except ValueError:
        return None


def easter_of(year: int) -> date:
    """Return the date of Easter Sunday by the western calendar (Meeus, Jones and Butcher)."""
    golden, century, rest = year % 19, year // 100, year % 100
    shift = (century + 8) // 25
    moon = (19 * golden + century - century // 4 - (century - shift + 1) // 3 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * sunday) // 451
    month, day = divmod(moon + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def next_monday(day: date) -> date:
    return day + (7 - day.weekday()) * A_DAY


def last_of_month(day: date) -> date:
    return (day.replace(day=28) + 4 * A_DAY).replace(day=1) - A_DAY


def add_length(day: date, number: int, unit: int) -> date:
    if unit < 30:
        return day + number * unit * A_DAY
    year, month = divmod(day.year * 12 + day.month - 1 + number * (1 if unit == 30 else 12), 12)
    last = last_of_month(date(year, month + 1, 1))
    return last.replace(day=min(day.day, last.day))


DAYS_OF_LONGEST_MONTH, MONTHS = 31, 12
LARGEST_NUMBER = 99


class TokenReader:
    def __init__(self, tokens: Sequence[Token], written: str) -> None:
        self.tokens = tokens
        self.at = 0
        self._written = _number_order(tokens) or written

    @property
    def rest(self) -> Sequence[Token]:
        return self.tokens[self.at :]

    def take(self, *kinds: DateRole | TokenKind) -> Token | None:
        if not self.rest or self.rest[0].kind not in kinds:
            return None
        self.at += 1
        return self.tokens[self.at - 1]

    def take_length(self) -> tuple[int, int] | None:
        at = self.at
        introduced = self.take(DateRole.LENGTH)
        number = self.take(TokenKind.NUMBER)
        unit = self.take(DateRole.UNIT)
        if unit is None or not (number or introduced) or (number and not 0 < number.value <= LARGEST_NUMBER):
            self.at = at
            return None
        return (1 if number is None else number.value), unit.value

    def take_days_of_month(self) -> tuple[SaidDay, SaidDay] | None:
        """Read two days of one month: "3-17 August", "Friday 3 to Sunday 5 August 2027", "August 3-17"."""
        at = self.at
        _ = self.take(DateRole.FROM, DateRole.BETWEEN)
        ahead = self.take(DateRole.MONTH)
        days = self._take_two_days()
        behind = None if ahead else self.take(DateRole.MONTH)
        month = ahead or behind
        if days is None or month is None:
            self.at = at
            return None
        (first, first_weekday), (last, last_weekday) = days
        until = _day_of_month(last, month.value, self._take_year())
        crosses = first > last  # from one month into the next
        if until is None or not 0 < first <= DAYS_OF_LONGEST_MONTH or (crosses and first_weekday):
            self.at = at
            return None
        since = DayOfMonth(first, None if crosses else month.value)
        return _check_weekday(since, first_weekday), _check_weekday(until, last_weekday)

    def _take_two_days(self) -> tuple[tuple[int, Token | None], tuple[int, Token | None]] | None:
        if (pair := self.take(TokenKind.PAIR)) is not None:
            if pair.between not in ("-", "/") or len(pair.numbers) != 2:
                return None
            one, other = pair.numbers
            return (one, None), (other, None)
        first_weekday = self.take(DateRole.WEEKDAY)
        first = self.take(TokenKind.NUMBER, TokenKind.ORDINAL)
        sign = self.take(DateRole.UNTIL, DateRole.BEFORE, DateRole.AND, TokenKind.DASH)
        last_weekday = self.take(DateRole.WEEKDAY)
        last = self.take(TokenKind.NUMBER, TokenKind.ORDINAL)
        if first is None or sign is None or last is None:
            return None
        return (first.value, first_weekday), (last.value, last_weekday)

    def take_day(self) -> SaidDay | None:
        at = self.at
        found = self._take_weekday() or self._take_date()
        if found is None:
            self.at = at
        return found

    def _take_weekday(self) -> SaidDay | None:
        at = self.at
        is_this = self.take(DateRole.THIS)
        is_next = None if is_this else self.take(DateRole.NEXT)
        in_week = None
        if is_next or is_this:
            in_week = self.take(DateRole.UNIT)
            _ = in_week and self.take(DateRole.FROM)  # "next week from Monday"
        weekday = self.take(DateRole.WEEKDAY)
        if weekday is None or (in_week is not None and in_week.value != 7):
            self.at = at
            return None
        if self.rest and self.rest[0].kind is DateRole.UNIT and self.rest[0].value == 1:
            self.at += 1  # "Sunday night"
        if in_week is None and not (is_this or is_next):
            at = self.at
            if (day := self._take_date()) is not None:
                return CheckedDay(weekday.value, day)
            self.at = at
            is_next, is_this = self.take(DateRole.NEXT), self.take(DateRole.THIS)
            in_week = self.take(DateRole.UNIT) if is_next or is_this else None
            if in_week is None or in_week.value != 7:
                self.at, is_next, is_this, in_week = at, None, None, None
        whole_week = is_next is not None and in_week is not None
        return SaidWeekday(
            weekday.value,
            this=is_this is not None,
            next=is_next is not None and not whole_week,
            next_week=whole_week,
        )

    def _take_date(self) -> SaidDay | None:
        token = self.take(
            TokenKind.ISO, TokenKind.PAIR, TokenKind.ORDINAL, TokenKind.NUMBER,
            DateRole.MONTH, DateRole.DAY, DateRole.FEAST,
            DateRole.EASTER, DateRole.IN, DateRole.END_OF,
        )  # fmt: skip
        if token is None:
            return None
        match token.kind:
            case TokenKind.ISO:
                day = whole_date(*token.numbers)
                return None if day is None else WholeDate(day)
            case TokenKind.PAIR:
                return self._read_pair(token)
            case TokenKind.NUMBER | TokenKind.ORDINAL:
                month = self.take(DateRole.MONTH)
                if month is not None:
                    return _day_of_month(token.value, month.value, self._take_year())
                return _day_of_month(token.value, None, None) if token.kind is TokenKind.ORDINAL else None
            case DateRole.MONTH:
                number = self.take(TokenKind.NUMBER, TokenKind.ORDINAL)
                year = None if number is None else self._take_year()
                return None if number is None else _day_of_month(number.value, token.value, year)
            case DateRole.DAY:
                return DayInTime(token.value)
            case DateRole.FEAST:
                return DayOfMonth(token.value % 100, token.value // 100)
            case DateRole.EASTER:
                return DayOfEaster(token.value)
            case DateRole.IN:
                length = self.take_length()
                return None if length is None or length[1] > 7 else DayInTime(length[0] * length[1])
            case _:
                return self._read_end_of()

    def _read_end_of(self) -> SaidDay | None:
        _ = self.take(DateRole.THIS)
        is_next = self.take(DateRole.NEXT) is not None
        if month := self.take(DateRole.MONTH):
            return EndOfUnit(30, month.value)
        unit = self.take(DateRole.UNIT)
        return None if unit is None or unit.value == 1 else EndOfUnit(unit.value, next=is_next)

    def _take_year(self) -> int | None:
        if self.rest and self.rest[0].kind is TokenKind.NUMBER and self.rest[0].value in YEARS:
            self.at += 1
            return self.tokens[self.at - 1].value
        return None

    def _read_pair(self, token: Token) -> SaidDay | None:
        one, other, *years = token.numbers
        year = years[0] if years else None
        orders = {"day first": [(one, other)], "month first": [(other, one)]}
        both = [(one, other), (other, one)]
        pairs = [(one, other)] if token.between == "." else orders.get(self._written, both)
        found = [_day_of_month(day, month, year) for day, month in dict.fromkeys(pairs)]
        days = tuple(dict.fromkeys(day for day in found if day is not None))
        if not days:
            return None
        return days[0] if len(days) == 1 else EitherDay(days)


def _check_weekday(day: DayOfMonth | WholeDate, weekday: Token | None) -> SaidDay:
    return day if weekday is None else CheckedDay(weekday.value, day)


def _number_order(tokens: Sequence[Token]) -> str | None:
    for token in tokens:
        if token.kind is TokenKind.PAIR and max(token.numbers[:2]) > MONTHS:
            return "day first" if token.numbers[0] > MONTHS else "month first"
    return None


def _day_of_month(number: int, month: int | None, year: int | None) -> DayOfMonth | WholeDate | None:
    if not 0 < number <= DAYS_OF_LONGEST_MONTH or (month is not None and not 0 < month <= MONTHS):
        return None
    if month is None or year is None:
        leap = 2000
        is_day = month is None or whole_date(leap, month, number) is not None
        return DayOfMonth(number, month) if is_day else None
    day = whole_date(year, month, number)
    return None if day is None else WholeDate(day)


def read_amount_line(line: str, lexicon: Lexicon) -> Request | None:
    """Return the request in a line with an amount of time or days at its end; None for other lines."""
    found = _pattern_of_time_amounts(lexicon).fullmatch(clean_words(line).rstrip(" ."))
    if found is None or len(line) > LONGEST or not read_tokens(found["time"], lexicon):
        return None
    kind = RequestKind(lexicon.shown[found["asked"]])
    return Request(kind, found["time"] if kind is RequestKind.PAUSE else "")


@lru_cache(maxsize=64)
def _pattern_of_time_amounts(lexicon: Lexicon) -> re.Pattern[str]:
    kinds = (RequestKind.MORE_TIME, RequestKind.PAUSE)
    asked = match_words(tuple(phrase for phrase, kind in lexicon.shown.items() if kind in kinds))
    please = match_words(tuple(lexicon.please))
    return re.compile(rf"(?:(?:{please}) )?(?P<asked>{asked}) (?P<time>.+?)(?: (?:{please}))?")


# --- time zones -----------------------------------------------------------------------------------------

MOST_WORDS_OF_A_ZONE = 4
LONGEST_ZONE_LINE = 80
LARGE_ZONES = (
    *("Europe/Amsterdam", "Europe/London", "Europe/Athens", "America/New_York", "America/Chicago"),
    *("America/Denver", "America/Los_Angeles", "America/Halifax", "America/Sao_Paulo", "Asia/Dubai"),
    *("Asia/Kolkata", "Asia/Bangkok", "Asia/Shanghai", "Asia/Tokyo", "Australia/Adelaide"),
    *("Australia/Brisbane", "Australia/Sydney", "Pacific/Auckland", "Africa/Lagos", "Africa/Nairobi"),
)


def read_zone_line(line: str, lexicon: Lexicon) -> Request | None:
    """Return the time zone request of a line, or None. Its zone is `UNKNOWN_ZONE` if no zone has the name."""
    if len(line) > LONGEST_ZONE_LINE or line.rstrip().endswith("?"):
        return None
    words = " ".join(line.casefold().split()).rstrip(" .!")
    found = _zone_pattern(lexicon).match(words)
    if found is None:
        alone = find_zone(words) if "/" in words else None
        return None if alone is None else Request(RequestKind.ZONE, alone)
    name = words[found.end() :].strip(" \"'“”")
    if not name or len(name.split()) > MOST_WORDS_OF_A_ZONE:
        return None
    return Request(RequestKind.ZONE, find_zone(name) or UNKNOWN_ZONE)


@lru_cache(maxsize=64)
def _zone_pattern(lexicon: Lexicon) -> re.Pattern[str]:
    asking = tuple(phrase for phrase, kind in lexicon.shown.items() if kind == RequestKind.ZONE)
    return re.compile(rf"(?:{match_words(asking)})(?: ?[:=] ?| )", re.IGNORECASE)


def find_zone(name: str) -> str | None:
    return _zones_by_name().get(" ".join(name.casefold().replace("_", " ").split()))


def guess_zone(offset: timedelta, now: datetime) -> str | None:
    """Return a zone that has this offset from UTC now, preferably of a large city; None if there is none."""
    cities = (name for name in sorted(zone_names()) if "/" in name and not name.startswith("Etc/"))
    every = (*LARGE_ZONES, *cities)
    return next((name for name in every if now.astimezone(ZoneInfo(name)).utcoffset() == offset), None)


@cache
def _zones_by_name() -> Mapping[str, str]:
    found: dict[str, str] = {}
    zones = sorted(zone_names(), key=lambda name: ("/" not in name, name))
    for zone in zones:
        found[zone.casefold().replace("_", " ")] = zone
    for zone in zones:
        found.setdefault(zone.rpartition("/")[2].casefold().replace("_", " "), zone)
    for language in LANGUAGES:
        for zone, names in Locale.parse(language).time_zones.items():
            if "city" in names and zone in zone_names():
                found.setdefault(names["city"].casefold(), zone)
    return found
