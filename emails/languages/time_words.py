"""Words about dates, time and votes: dates.toml, topics.toml and votes.toml of each language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from emails.languages.toml_tables import Phrases, TomlTable, read_fields, read_file


class DateRole(StrEnum):
    """What a phrase is for in a date."""

    WEEKDAY = "weekday"
    """With its number; 0 is Monday."""
    MONTH = "month"
    DAY = "day"
    """So many days from today."""
    FEAST = "feast"
    """A day of each year: a hundred times the month, and the day."""
    EASTER = "easter"
    """A day of each year, by its distance from Easter Sunday."""
    EACH = "each"
    """A weekday of every week, with its number; 7 is the weekend."""
    UNIT = "unit"
    """A length of time: the number of its days."""
    FROM = "from"
    UNTIL = "until"
    """Before the last day."""
    BEFORE = "before"
    """Before the first day that is not in it."""
    BETWEEN = "between"
    AND = "and_"
    LENGTH = "length"
    """Before a length of time."""
    IN = "in_"
    """Before the time from now until a day."""
    NEXT = "next"
    THIS = "this"
    COMING_WEEK = "coming_week"
    """Seven days from today, or the next week of the calendar."""
    END_OF = "end_of"
    WEEKEND = "weekend"
    RETURNING = "returning"
    """Before the day on which somebody is there again."""
    SKIPPED = "skipped"
    """What changes no date."""


UNITS = {"day": 1, "night": 1, "week": 7, "month": 30, "year": 365}
"""Days, by which a unit is named; a month is counted by the calendar all the same."""
PLAIN_ROLES = tuple(
    role
    for role in DateRole
    if role.value not in ("weekday", "month", "day", "feast", "easter", "each", "unit")
)
WRITTEN = {"31-12": "day first", "12-31": "month first", "": "either"}
"""Which of two numbers is the day, by the last day of the year as it is written."""
DAYS_OF_MONTH = range(1, 32)
KEYS = "written weekdays each_week months days feasts easter words units ordinals ordinal_words lines"
LINE_KEYS = ("opening", "away", "told", "beside")
FEAST = re.compile(r"(1[0-2]|[1-9])-([12][0-9]|3[01]|[1-9])")


@dataclass(frozen=True, slots=True)
class DateWord:
    """What a phrase means."""

    role: DateRole
    value: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class DateWords:
    """The dates of one language, or of several together."""

    written: str
    """Which of two numbers is the day, of the values of `WRITTEN`."""
    words: Mapping[str, DateWord]
    endings: Phrases
    """Behind the number of a day."""
    ordinals: Mapping[str, int]
    """The numbers of days in words: "second"."""
    opening: Phrases
    """How a line begins that tells of oneself."""
    away: Phrases
    told: Phrases
    """What means that somebody is away behind an opening alone."""
    beside: Phrases
    """What may stand in such a line and changes nothing."""


@cache
def read_dates(folder: Path) -> DateWords:
    """The dates of the language of a folder. Raises `InvalidLanguage`."""
    file = read_file(folder / "dates.toml")
    file.check_keys(frozenset(KEYS.split()))
    if (written := file.text("written")) not in WRITTEN:
        raise file.refuse("written", "is neither 31-12 nor 12-31 nor empty")
    lines = file.table("lines")
    lines.check_keys(frozenset(LINE_KEYS))
    ordinals = file.table("ordinals")
    ordinals.check_keys(frozenset(("endings",)))
    return DateWords(
        WRITTEN[written],
        dict(_phrases(file)),
        ordinals.phrases("endings"),
        dict(_ordinals(file.table("ordinal_words"))),
        *(lines.phrases(key) for key in LINE_KEYS),
    )


def _ordinals(words: TomlTable) -> Iterator[tuple[str, int]]:
    """The words for the numbers of days."""
    words.check_keys(frozenset(map(str, DAYS_OF_MONTH)))
    yield from ((phrase, number) for number in DAYS_OF_MONTH for phrase in words.phrases(str(number)))


def _phrases(file: TomlTable) -> Iterator[tuple[str, DateWord]]:
    """Every phrase with its meaning; one that stands under two keys is refused."""
    seen: set[str] = set()
    for table, key, word in _keys(file):
        for phrase in table.phrases(key):
            if phrase in seen:
                raise table.refuse(key, f"holds “{phrase}”, which stands under another key")
            seen.add(phrase)
            yield phrase, word


def _keys(file: TomlTable) -> Iterator[tuple[TomlTable, str, DateWord]]:
    numbered = (
        ("weekdays", DateRole.WEEKDAY, 7, -1),
        ("each_week", DateRole.EACH, 8, -1),
        ("months", DateRole.MONTH, 12, 0),
    )
    for name, role, most, shift in numbered:
        table = file.table(name)
        table.check_keys(frozenset(map(str, range(1, most + 1))))
        yield from ((table, str(number), DateWord(role, number + shift)) for number in range(1, most + 1))
    days = file.table("days")
    days.check_keys(frozenset(("-1", "0", "1", "2")))
    yield from ((days, key, DateWord(DateRole.DAY, int(key))) for key in ("-1", "0", "1", "2"))
    feasts = file.table("feasts")
    for key in feasts.content:
        if (found := FEAST.fullmatch(key)) is None:
            raise feasts.refuse(key, "is no month and day such as 12-25")
        yield feasts, key, DateWord(DateRole.FEAST, 100 * int(found[1]) + int(found[2]))
    easter = file.table("easter")
    for key in easter.content:
        if re.fullmatch(r"-?\d{1,2}", key) is None:
            raise easter.refuse(key, "is no number of days")
        yield easter, key, DateWord(DateRole.EASTER, int(key))
    units = file.table("units")
    units.check_keys(UNITS)
    yield from ((units, key, DateWord(DateRole.UNIT, days)) for key, days in UNITS.items())
    words = file.table("words")
    words.check_keys(frozenset(role.value for role in PLAIN_ROLES))
    yield from ((words, role.value, DateWord(role)) for role in PLAIN_ROLES)


def join_dates(values: tuple[DateWords, ...]) -> DateWords:
    """The dates of several languages together; a word of two languages means what it does in the last."""
    words = {phrase: word for value in values for phrase, word in value.words.items()}
    ordinals = {phrase: number for value in values for phrase, number in value.ordinals.items()}
    endings, *lines = (
        tuple(dict.fromkeys(one for value in values for one in getattr(value, key)))
        for key in ("endings", *LINE_KEYS)
    )
    return DateWords(values[-1].written, words, endings, ordinals, *lines)


@dataclass(frozen=True, slots=True, eq=False)
class TopicWords:
    """The words about time of one language, or of several together; "a*" is any word that begins so.

    They tell what a mail in other words is about: mostly enough to ask the right thing.
    """

    own: Phrases
    """Who speaks of themselves."""
    others: Phrases
    negation: Phrases
    past: Phrases
    idle: Phrases
    """That somebody plays all the same, or does not mean it."""
    greeting: Phrases
    """What is wished for others, or told in parting."""
    condition: Phrases
    """Before what a turn may depend on."""
    hedge: Phrases
    """With which something is told that is not so yet, or not for certain."""
    partly: Phrases
    """With which a part of some days is told."""
    inquiring: Phrases
    """With which somebody begins who wants to know something."""
    mine: Phrases
    """What only its writer has."""
    modal: Phrases
    """With which something is wished for, or only could be."""
    hours_of_day: Phrases
    """Beside one day, what makes less of it."""
    ahead: Phrases
    """With which something is told of later, and not that somebody goes away."""
    free_from_work: Phrases
    """What of one day tells that somebody has time rather than none."""
    homonyms: Phrases
    """Days and months that alone are rather something else."""
    third: Phrases
    """Behind a name that is an ordinary word too, where it is the name."""
    toward: Phrases
    """Behind which stands where somebody goes, or why."""
    whence: Phrases
    """Behind which stands where somebody has been."""
    small: Phrases
    """What stands in any sentence, and changes nothing."""
    addressed: Phrases
    """Those of the others who are asked for something."""
    need: Phrases
    """What, negated, asks for nothing."""
    wish: Phrases
    """With which something is asked for."""
    asking: Phrases
    """With which a time is asked for."""
    telling_when: Phrases
    """With which somebody rather tells a time than asks for it."""
    game: Phrases
    """What all who play have together."""
    turn: Phrases
    play: Phrases
    """What somebody cannot do who is away."""
    absent: Phrases
    unwell: Phrases
    """Beside days of which it is likely that somebody does not play on them."""
    absent_tied: Phrases
    """Of those what tells it only beside days and its writer."""
    returning: Phrases
    """Before the day on which somebody is there again."""
    going: Phrases
    returned: Phrases
    """That somebody is there again already."""
    cancelling: Phrases
    absence: Phrases
    """What is cancelled by whoever is back."""
    more: Phrases
    time: Phrases
    extending: Phrases
    extended: Phrases
    late: Phrases
    """What, negated, says that a turn takes longer."""
    until_when: Phrases
    """Before the time until which somebody wants to have."""
    pausing: Phrases
    resuming: Phrases
    over: Phrases
    """What is said of a pause that ends."""
    nudging: Phrases
    mover: Phrases
    """Whoever is to move, without their name."""
    night: Phrases
    awake: Phrases
    """Before the two times between which somebody can play, and does not sleep."""
    weekly: Phrases
    plays_on: Phrases
    """That somebody plays, or with a negation does not, on a weekday: the next one, or each of them."""
    free: Phrases
    any_day: Phrases
    """That there are no days off any more, or that the clock is another one."""
    dropping: Phrases
    plan: Phrases
    showing: Phrases
    leaving_game: Phrases
    stopping: Phrases
    """To stop, of which it is not said whether alone."""
    taking_over: Phrases
    aside: Phrases
    """Courtesies and reasons, which change nothing."""
    amount: Phrases
    """Units of time behind a number."""
    only: Phrases
    """Before the days of the week on which somebody plays."""
    every_other: Phrases
    """What makes a day of the week no fixed one."""
    automatic: Phrases
    """What programs write that answer by themselves."""


@cache
def read_topic_words(folder: Path) -> TopicWords:
    """The words about time of the language of a folder. Raises `InvalidLanguage`."""
    file = read_file(folder / "topics.toml")
    file.check_keys(frozenset(("topics",)))
    return read_fields(TopicWords, file.table("topics"))


@dataclass(frozen=True, slots=True, eq=False)
class VoteWords:
    """The words of answers to votes in one language, or in several together."""

    agree: Phrases
    agree_aside: Phrases
    """What may stand beside a yes or a no, and says what it is to."""
    decline: Phrases
    depends: Phrases
    """What makes a yes or a no depend on something."""
    doubt: Phrases
    """What beside a yes leaves it uncertain."""


@cache
def read_vote_words(folder: Path) -> VoteWords:
    """The words of answers to votes of the language of a folder. Raises `InvalidLanguage`."""
    file = read_file(folder / "votes.toml")
    file.check_keys(frozenset(("votes",)))
    return read_fields(VoteWords, file.table("votes"))
