"""The words of languages: a dataclass for each vocabulary file, and a lexicon that merges languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from emails.languages.supported_languages import (
    ENGLISH,
    FOLDERS,
    HERE,
    LANGUAGES,
    Expressions,
    FilledPhrases,
    FilledWordList,
    InvalidLanguage,
    Name,
    Phrases,
    PhraseSet,
    Table,
    WordList,
    Words,
    join_fields,
    keys_of,
    read_file,
    read_spelled_phrases,
    read_text,
)
from engine.cards import Symbol
from engine.editions import EDITIONS
from engine.notation.orders import Verb
from engine.notation.vocabulary import OrderWords, Vocabulary, compose_vocabulary
from engine.plans import PlanVocabulary, PlanWords

# --- requests.toml --------------------------------------------------------------------------------------


class RequestKind(StrEnum):
    HELP = "help"
    BOARD = "board"
    ALL = "all"
    HAND = "hand"
    HISTORY = "history"
    RULES = "rules"
    SETTINGS = "settings"
    WHEN = "when"
    PLAN = "plan"
    NO_PLAN = "no plan"
    AWAY = "away"
    BACK = "back"
    NUDGE = "nudge"
    REST = "sleep"
    REMINDERS = "reminders"
    NO_REMINDERS = "no reminders"
    ZONE = "zone"
    NO_LETTERS = "no mails"
    NEW_LINKS = "new links"
    RESIGN = "resign"
    MORE_TIME = "more time"
    PAUSE = "pause"
    RESUME = "resume"


@dataclass(frozen=True, slots=True)
class ChatWords(Table):
    say: Words
    tell: Words
    to: Words
    everybody: Words


@dataclass(frozen=True, slots=True)
class AnswerPhrases(Table):
    """Whole lines, without punctuation, that mean yes or no; en/requests.toml explains each field."""

    yes: Phrases
    leaning: Words
    no: Phrases
    invitation: Phrases
    address: Phrases
    proposal: Phrases
    doing: Phrases
    agreeable: Phrases
    excuses: Phrases


@dataclass(frozen=True, slots=True)
class GameWords(Table):
    """The words of a mail that requests a game; en/requests.toml explains each field."""

    words: Words
    telling: Words
    neutral: Words
    names: Words
    removing: Words
    none_of: Words
    none: Words
    with_: Words
    and_: Words
    articles: Words
    own: Words
    minutes: Words
    hours: Words
    days: Words
    relaxed: Words
    lively: Words
    live: Words
    live_fast: Words
    pace: Words
    easy: Words
    steady: Words
    strong: Words
    house: Words
    players: Words
    advice: Words
    caretaker: Words
    quiet: Words
    gentle: Words
    whole_seat: Words
    each_turn_late: Words
    substitute: Words
    language: Words
    in_language: Phrases
    rules: Words
    rules_alone: Words
    game_name: Phrases
    called: Phrases
    own_name: Phrases
    settings: Words
    setting_words: Words
    seat: Words
    note: Words
    note_to: Words
    guests: Words
    no_subject: Words


@dataclass(frozen=True, slots=True)
class RequestWords(Table):
    shown: Annotated[Mapping[str, FilledPhrases], keys_of(tuple(RequestKind))]
    questions: Mapping[str, FilledPhrases]
    chat: ChatWords
    answers: AnswerPhrases
    game: GameWords
    editions: Annotated[Mapping[str, Words], keys_of(EDITIONS, needed=False)]
    edition_codes: Annotated[Mapping[str, Words], keys_of(EDITIONS, needed=False)]


@cache
def read_requests(folder: Path) -> RequestWords:
    return read_file(RequestWords, folder / "requests.toml")


# --- dates.toml -----------------------------------------------------------------------------------------


class DateRole(StrEnum):
    WEEKDAY = "weekday"
    """A day of the week; the value is 0 (Monday) to 6."""
    MONTH = "month"
    DAY = "day"
    """A day such as "tomorrow"; the value is the number of days from today."""
    FEAST = "feast"
    """A yearly day with a fixed date; the value is a hundred times the month, plus the day."""
    EASTER = "easter"
    """A yearly day counted from Easter; the value is in days after Easter Sunday: -2 is Good Friday."""
    EACH = "each"
    """A day of every week, such as "Mondays"; the value is 0 for Monday, 7 for the weekend."""
    UNIT = "unit"
    """A unit of time; the value is the length of the unit in days."""
    FROM = "from"
    UNTIL = "until"
    BEFORE = "before"
    """A word such as "before": the interval ends on the day before the named day."""
    BETWEEN = "between"
    AND = "and_"
    LENGTH = "length"
    IN = "in_"
    NEXT = "next"
    THIS = "this"
    COMING_WEEK = "coming_week"
    """A phrase with two possible meanings: the seven days from today, or the next calendar week."""
    END_OF = "end_of"
    WEEKEND = "weekend"
    RETURNING = "returning"
    SKIPPED = "skipped"


# In days; months are counted by the calendar instead.
UNITS = {"day": 1, "night": 1, "week": 7, "month": 30, "year": 365}
PLAIN_ROLES = tuple(
    role
    for role in DateRole
    if role.value not in ("weekday", "month", "day", "feast", "easter", "each", "unit")
)
NUMBER_ORDERS = {"31-12": "day first", "12-31": "month first", "": "either"}


@dataclass(frozen=True, slots=True)
class DateWord:
    role: DateRole
    value: int = 0


def _read_feast(day: str) -> int:
    if (found := re.fullmatch(r"(1[0-2]|[1-9])-([12][0-9]|3[01]|[1-9])", day)) is None:
        raise ValueError("must be a month and a day, such as 12-25")
    return 100 * int(found[1]) + int(found[2])


@dataclass(frozen=True, eq=False)
class DateWords(Table):
    """The words of dates.toml in one language or, joined, in several; en/dates.toml explains each field."""

    written: Annotated[Literal["31-12", "12-31", ""], AfterValidator(NUMBER_ORDERS.get)]
    """Order of day and month in dates; the file states the local form of 31 December."""
    endings: Phrases
    opening: Phrases
    away: Phrases
    away_after_opening: Phrases
    beside: Phrases
    weekdays: Annotated[Mapping[int, Phrases], keys_of(range(1, 8))]
    each_week: Annotated[Mapping[int, Phrases], keys_of(range(1, 9))]
    months: Annotated[Mapping[int, Phrases], keys_of(range(1, 13))]
    days: Annotated[Mapping[int, Phrases], keys_of(range(-1, 3))]
    feasts: Mapping[Annotated[int, BeforeValidator(_read_feast)], Phrases]
    easter: Mapping[int, Phrases]
    roles: Annotated[Mapping[DateRole, Phrases], keys_of(PLAIN_ROLES), Field(alias="words")]
    units: Annotated[Mapping[str, Phrases], keys_of(UNITS)]
    ordinal_words: Annotated[Mapping[int, Phrases], keys_of(range(1, 32))]

    @cached_property
    def words(self) -> Mapping[str, DateWord]:
        return dict(self.meanings())

    @cached_property
    def ordinals(self) -> Mapping[str, int]:
        return {phrase: day for day, phrases in self.ordinal_words.items() for phrase in phrases}

    def meanings(self) -> Iterator[tuple[str, DateWord]]:
        numbered = (
            (DateRole.WEEKDAY, -1, self.weekdays),
            (DateRole.EACH, -1, self.each_week),
            (DateRole.MONTH, 0, self.months),
            (DateRole.DAY, 0, self.days),
            (DateRole.FEAST, 0, self.feasts),
            (DateRole.EASTER, 0, self.easter),
        )
        for role, shift, table in numbered:
            for number, phrases in table.items():
                yield from ((phrase, DateWord(role, number + shift)) for phrase in phrases)
        for unit, phrases in self.units.items():
            yield from ((phrase, DateWord(DateRole.UNIT, UNITS[unit])) for phrase in phrases)
        for role, phrases in self.roles.items():
            yield from ((phrase, DateWord(role)) for phrase in phrases)


@cache
def read_dates(folder: Path) -> DateWords:
    file = folder / "dates.toml"
    dates, known = read_file(DateWords, file), dict[str, DateRole]()
    for phrase, meaning in dates.meanings():
        if phrase in known:
            raise InvalidLanguage(file, f"“{phrase}” is both {known[phrase]} and {meaning.role}")
        known[phrase] = meaning.role
    return dates


# --- topics.toml and votes.toml -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class TopicWords(Table):
    """The words of topics.toml in one language or, joined, in several; en/topics.toml explains each field."""

    own: Phrases
    others: Phrases
    negation: Phrases
    past: Phrases
    idle: Phrases
    greeting: Phrases
    condition: Phrases
    hedge: Phrases
    partly: Phrases
    inquiring: Phrases
    mine: Phrases
    modal: Phrases
    hours_of_day: Phrases
    homonyms: Phrases
    third: Phrases
    toward: Phrases
    whence: Phrases
    small: Phrases
    addressed: Phrases
    need: Phrases
    wish: Phrases
    asking: Phrases
    telling_when: Phrases
    game: Phrases
    turn: Phrases
    play: Phrases
    absent: Phrases
    unwell: Phrases
    absent_tied: Phrases
    returning: Phrases
    going: Phrases
    returned: Phrases
    cancelling: Phrases
    absence: Phrases
    more: Phrases
    time: Phrases
    extending: Phrases
    extended: Phrases
    late: Phrases
    until_when: Phrases
    pausing: Phrases
    resuming: Phrases
    over: Phrases
    nudging: Phrases
    mover: Phrases
    night: Phrases
    awake: Phrases
    weekly: Phrases
    plays_on: Phrases
    free: Phrases
    any_day: Phrases
    dropping: Phrases
    plan: Phrases
    showing: Phrases
    leaving_game: Phrases
    stopping: Phrases
    taking_over: Phrases
    aside: Phrases
    amount: Phrases
    only: Phrases
    every_other: Phrases
    automatic: Phrases


@dataclass(frozen=True, slots=True, eq=False)
class VoteWords(Table):
    agree: Phrases
    agree_aside: Phrases
    decline: Phrases
    depends: Phrases
    doubt: Phrases


# --- remarks.toml and other_languages.toml --------------------------------------------------------------


DOUBTS = """
    refusals halts regrets second_thoughts corrections conditionals hedges imperatives times wishing
    games uncertain
    """.split()
NUMBERS = (*map(str, range(13)), "more")


@dataclass(frozen=True, slots=True, eq=False)
class RemarkGrammar(Table):
    """What people write around orders, in one language; en/remarks.toml explains each field."""

    endings: WordList
    greetings: PhraseSet
    farewells: PhraseSet
    thanks: PhraseSet
    please: Words
    addressees: Phrases
    interjections: Words
    labels: PhraseSet
    openers: Words
    put_off: Phrases
    questions: Words
    function: Words
    persons: Words
    deictics: Words
    intent: Words
    qualities: Words
    kin: Words
    days: Words
    matters: Words
    deciding: Words
    sensitivity: Words
    levels: Words
    legal: Phrases
    doubtful: Annotated[Mapping[str, Words], keys_of(DOUBTS)]
    numbers: Annotated[Mapping[str, Words], keys_of(NUMBERS)]


@cache
def read_remarks(folder: Path) -> RemarkGrammar:
    return read_file(RemarkGrammar, folder / "remarks.toml")


@cache
def read_common_words(folder: Path) -> Words:
    return frozenset(read_text(folder / "common.txt").casefold().split())


@cache
def read_remark_weights(folder: Path) -> Mapping[str, float]:
    """Read the weight of each feature of remarks; empty if none was fitted for the language."""
    file = folder / "remark_weights.txt"
    lines = file.read_text("utf-8").splitlines() if file.exists() else ()
    return {feature: float(weight) for weight, _, feature in (line.partition(" ") for line in lines)}


@dataclass(frozen=True, slots=True)
class OtherLanguage(Table):
    greetings: PhraseSet = frozenset()
    farewells: PhraseSet = frozenset()
    addressees: Words = frozenset()
    doubtful: Words = frozenset()
    structure: Words = frozenset()
    legal: Words = frozenset()
    """Beginnings of words in legal footers."""


# --- clerk.toml -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FreeWords(Table):
    endings: Phrases
    verbs: Mapping[str, Phrases]
    particles: Mapping[str, Phrases]
    cards: Mapping[Symbol, Phrases]
    nouns: Mapping[str, Phrases]
    signs: Mapping[str, Phrases]
    numbers: Mapping[int, Phrases]
    ordinals: Mapping[int, Phrases]
    filler: Mapping[str, Phrases]


# --- programs.toml and signs.toml -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class ProgramWords(Table):
    """Patterns of lines that mail programs insert; en/programs.toml explains each field."""

    wrote: Expressions
    wrote_begins: Expressions
    headings: Expressions
    own_lines: Expressions
    reply_prefixes: Expressions
    bounced: Expressions
    automatic: Expressions


@cache
def join_programs(languages: tuple[str, ...]) -> ProgramWords:
    """Return patterns of texts that mail programs add, in `languages` and in languages without a folder."""
    files = (HERE, *(FOLDERS[language] for language in languages))
    return join_fields(tuple(read_file(ProgramWords, folder / "programs.toml") for folder in files))


def _read_cards(table: Mapping[Symbol, str]) -> Mapping[str, Symbol]:
    return {picture: symbol for symbol, pictures in table.items() for picture in pictures}


@dataclass(frozen=True, slots=True)
class SharedSigns(Table):
    """Emojis, and names of devices, with one meaning in every language; signs.toml explains each field."""

    any_card: Annotated[frozenset[str], BeforeValidator(frozenset)]
    hesitation: str
    devices: WordList
    phones: WordList
    cards: Annotated[Mapping[str, Symbol], BeforeValidator(_read_cards)]


@cache
def read_signs() -> SharedSigns:
    return read_file(SharedSigns, HERE / "signs.toml")


Word = Annotated[str, Field(pattern=r"^\S+$"), AfterValidator(str.casefold)]


@dataclass(frozen=True, slots=True)
class _OrdersFile(Table):
    give: Word
    either: Word
    joining: Words
    following: Words
    small: Words
    please: Words
    verbs: Annotated[Mapping[Verb, FilledPhrases], keys_of(Verb)]
    symbols: Annotated[Mapping[Symbol, FilledWordList], keys_of(Symbol)]


_Letters = Annotated[str, Field(pattern=r"^[^\W\d_]+$"), AfterValidator(str.casefold)]


@dataclass(frozen=True, slots=True)
class _PlacesFile(Table):
    places: Mapping[str, Annotated[tuple[_Letters, ...], BeforeValidator(str.split)]]


@cache
def read_order_words(folder: Path) -> OrderWords:
    file = folder / "orders.toml"
    places = read_file(_PlacesFile, folder / "places.toml").places
    named = {name: place for place, names in places.items() for name in names}
    found = OrderWords(**asdict(read_file(_OrdersFile, file)), places=named)
    meanings: list[tuple[str, str]] = [(verb, word) for verb, words in found.verbs.items() for word in words]
    meanings += [(symbol, word) for symbol, words in found.symbols.items() for word in words]
    meanings += [("a small word", word) for word in found.small | found.joining | found.following]
    known: dict[str, str] = {}
    for meaning, word in meanings:
        if known.setdefault(word, meaning) != meaning:
            raise InvalidLanguage(file, f"“{word}” means both {known[word]} and {meaning}")
    return found


# --- plans ----------------------------------------------------------------------------------------------


# The server prints some of these phrases, so capitals stay.
_Spelled = BeforeValidator(read_spelled_phrases)
_Starred = Annotated[str, Field(pattern=r"^[^*]*\*[^*]*$")]
_Plain = Annotated[tuple[str, ...], _Spelled, Field(min_length=1)]
_Naming = Annotated[tuple[_Starred, ...], _Spelled, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class _PlansFile(Table):
    heading: _Plain
    condition: _Plain
    otherwise: _Plain
    also: _Plain
    then: _Plain
    card: _Naming
    free: _Naming
    small: Words
    open_cards: Annotated[Mapping[Symbol, Name], keys_of(Symbol)]


@cache
def read_plan_words(folder: Path) -> PlanWords:
    return PlanWords(read_order_words(folder), **asdict(read_file(_PlansFile, folder / "plans.toml")))


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    languages: tuple[str, ...]
    orders: Vocabulary
    shown: Mapping[str, str]
    questions: Mapping[frozenset[str], str]
    """For words that stand together in a sentence, the request or the clause of the rules that answers it."""
    chat: ChatWords
    answers: AnswerPhrases
    please: Words
    thanks: Words
    numbers: Mapping[str, int]
    plans: PlanVocabulary
    dates: DateWords
    votes: VoteWords
    topics: TopicWords


@cache
def lexicon_of(language: str) -> Lexicon:
    return _compose_lexicon(tuple(dict.fromkeys((ENGLISH, language))))


def whole_lexicon() -> Lexicon:
    """Return the words of all languages, for mails from unknown senders."""
    return _compose_lexicon(tuple(LANGUAGES))


@cache
def _compose_lexicon(languages: tuple[str, ...]) -> Lexicon:
    folders = [FOLDERS[language] for language in languages]
    requests = [read_requests(folder) for folder in folders]
    remarks = [read_remarks(folder) for folder in folders]
    return Lexicon(
        languages=languages,
        orders=compose_vocabulary([read_order_words(folder) for folder in folders]),
        shown={phrase: kind for own in requests for kind, phrases in own.shown.items() for phrase in phrases},
        questions={
            frozenset(phrase.split()): about
            for own in requests
            for about, phrases in own.questions.items()
            for phrase in phrases
        },
        chat=join_fields(tuple(own.chat for own in requests)),
        answers=join_fields(tuple(own.answers for own in requests)),
        please=frozenset[str]().union(*(own.please for own in remarks)),
        thanks=frozenset[str]().union(*(own.thanks | own.please for own in remarks)),
        numbers={  # the first language wins
            word: int(number)
            for own in reversed(remarks)
            for number, words in own.numbers.items()
            if number.isdigit()
            for word in words
        },
        plans=PlanVocabulary(tuple(read_plan_words(folder) for folder in folders)),
        dates=join_fields(tuple(map(read_dates, folders))),
        votes=join_fields(tuple(read_file(VoteWords, folder / "votes.toml") for folder in folders)),
        topics=join_fields(tuple(read_file(TopicWords, folder / "topics.toml") for folder in folders)),
    )


# --- orders in the language of a reader -------------------------------------------------------------------


def order_words(language: str) -> OrderWords:
    return read_order_words(FOLDERS[language])


def plan_words(language: str) -> PlanWords:
    return read_plan_words(FOLDERS[language if language in LANGUAGES else ENGLISH])


WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


@lru_cache(maxsize=4096)
def reads_as_orders(line: str) -> bool:
    """True if a line may contain only orders; unknown capitalised words count as place names."""
    known = whole_lexicon().orders
    spoken = known.small | known.joining | known.following
    words = WORD.findall(line.replace("\u2019", "'"))
    orders = [word for word in words if word.casefold() in known.verbs or word.casefold() in known.symbols]
    begins = bool(orders) and words[0] == orders[0] and line.startswith(words[0])
    return begins and all(word[0].isupper() or word in spoken or word in orders for word in words)
