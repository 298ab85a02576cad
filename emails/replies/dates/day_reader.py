"""Tokens read one after the other as days and lengths of time."""

from __future__ import annotations

from collections.abc import Sequence

from emails.languages.time_words import DateRole
from emails.replies.dates.date_tokens import Token, TokenKind
from emails.replies.dates.days import (
    YEARS,
    CheckedDay,
    DayInTime,
    DayOfEaster,
    DayOfMonth,
    EitherDay,
    PeriodEnd,
    SaidDay,
    SaidWeekday,
    WholeDate,
    whole_date,
)

DAYS_OF_LONGEST_MONTH, MONTHS = 31, 12
LARGEST_NUMBER = 99
"""Of days, weeks or months."""


class TokenReader:
    """Takes one thing after the other; what it cannot take it leaves."""

    def __init__(self, tokens: Sequence[Token], written: str) -> None:
        self.tokens = tokens
        self.at = 0
        self._written = _told_order(tokens) or written

    @property
    def rest(self) -> Sequence[Token]:
        """What nobody has taken."""
        return self.tokens[self.at :]

    def take(self, *kinds: DateRole | TokenKind) -> Token | None:
        """The next token, if it is of one of these kinds."""
        if not self.rest or self.rest[0].kind not in kinds:
            return None
        self.at += 1
        return self.tokens[self.at - 1]

    def take_length(self) -> tuple[int, int] | None:
        """A number and the days of a unit: "for two weeks", "3 days"; a unit behind "for" is one."""
        at = self.at
        told = self.take(DateRole.LENGTH)
        number = self.take(TokenKind.NUMBER)
        unit = self.take(DateRole.UNIT)
        if unit is None or not (number or told) or (number and not 0 < number.value <= LARGEST_NUMBER):
            self.at = at
            return None
        return (1 if number is None else number.value), unit.value

    def take_days_of_month(self) -> tuple[SaidDay, SaidDay] | None:
        """Two days of one month: "3-17 August", "3 to 17 August 2027", "August 3-17"."""
        at = self.at
        _ = self.take(DateRole.FROM, DateRole.BETWEEN)
        ahead = self.take(DateRole.MONTH)
        numbers = self._take_two_numbers()
        behind = None if ahead else self.take(DateRole.MONTH)
        month = ahead or behind
        if numbers is None or month is None:
            self.at = at
            return None
        year = self._take_year()
        last = _day_of_month(numbers[1], month.value, year)
        if last is None or not 0 < numbers[0] <= DAYS_OF_LONGEST_MONTH:
            self.at = at
            return None
        first = DayOfMonth(numbers[0], month.value if numbers[0] <= numbers[1] else None)
        return first, last

    def _take_two_numbers(self) -> tuple[int, int] | None:
        if (pair := self.take(TokenKind.PAIR)) is not None:
            return pair.numbers[:2] if pair.between == "-" and len(pair.numbers) == 2 else None
        first = self.take(TokenKind.NUMBER, TokenKind.ORDINAL)
        sign = self.take(DateRole.UNTIL, DateRole.BEFORE, DateRole.AND, TokenKind.DASH)
        last = self.take(TokenKind.NUMBER, TokenKind.ORDINAL)
        return None if first is None or sign is None or last is None else (first.value, last.value)

    def take_day(self) -> SaidDay | None:
        """A day, however it is said."""
        at = self.at
        found = self._take_weekday() or self._take_date()
        if found is None:
            self.at = at
        return found

    def _take_weekday(self) -> SaidDay | None:
        """A weekday, perhaps of next week, or with the date that it is."""
        at = self.at
        is_this = self.take(DateRole.THIS)
        is_next = None if is_this else self.take(DateRole.NEXT)
        in_week = None
        if is_next or is_this:
            in_week = self.take(DateRole.UNIT)
        weekday = self.take(DateRole.WEEKDAY)
        if weekday is None or (in_week is not None and in_week.value != 7):
            self.at = at
            return None
        self._take_night()
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

    def _take_night(self) -> None:
        """The night behind a day: "Sunday night"."""
        if self.rest and self.rest[0].kind is DateRole.UNIT and self.rest[0].value == 1:
            self.at += 1

    def _take_date(self) -> SaidDay | None:
        """A day that is no weekday alone."""
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
            return PeriodEnd(30, month.value)
        unit = self.take(DateRole.UNIT)
        return None if unit is None or unit.value == 1 else PeriodEnd(unit.value, next=is_next)

    def _take_year(self) -> int | None:
        if self.rest and self.rest[0].kind is TokenKind.NUMBER and self.rest[0].value in YEARS:
            self.at += 1
            return self.tokens[self.at - 1].value
        return None

    def _read_pair(self, token: Token) -> SaidDay | None:
        """Two numbers as a day and a month, in the order of the language or, where it has two, in both."""
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


def _told_order(tokens: Sequence[Token]) -> str | None:
    """Which of two numbers is the day, where one date tells it that has no such month; else None."""
    for token in tokens:
        if token.kind is TokenKind.PAIR and max(token.numbers[:2]) > MONTHS:
            return "day first" if token.numbers[0] > MONTHS else "month first"
    return None


def _day_of_month(number: int, month: int | None, year: int | None) -> DayOfMonth | WholeDate | None:
    """A day by its numbers; None where there is none."""
    if not 0 < number <= DAYS_OF_LONGEST_MONTH or (month is not None and not 0 < month <= MONTHS):
        return None
    if month is None or year is None:
        leap = 2000
        is_day = month is None or whole_date(leap, month, number) is not None
        return DayOfMonth(number, month) if is_day else None
    day = whole_date(year, month, number)
    return None if day is None else WholeDate(day)
