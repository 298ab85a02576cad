"""The words of languages: a dataclass for each vocabulary file, and a lexicon that merges languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from emails.languages.supported_languages import (
    ENGLISH,
    FOLDERS,
    HERE,
    LANGUAGES,
    Expressions,
    FilledPhrases,
    FilledWordList,
    Name,
    Phrases,
    PhraseSet,
    Table,
    WordList,
    Words,
    by_phrase,
    join,
    keys_of,
    literals,
    read_folder,
)
from engine.cards import Symbol
from engine.notation.orders import Verb
from engine.notation.vocabulary import Vocabulary
from engine.plans import PlanWords

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


ChatKey = Literal["say", "tell", "to", "everybody"]
ChatWords = Annotated[Mapping[ChatKey, PhraseSet], keys_of(literals(ChatKey))]

AnswerKey = Literal[
    "yes", "leaning", "no", "invitation", "address", "proposal", "doing", "agreeable", "excuses"
]
AnswerPhrases = Annotated[Mapping[AnswerKey, Phrases], keys_of(literals(AnswerKey))]
"""Whole lines, without punctuation, that mean yes or no; en/requests.toml explains each key."""

_AnyWord = Literal[
    "words", "telling", "neutral", "names", "removing", "none_of", "none", "with_", "and_", "own"
]
_TimeWord = Literal["minutes", "hours", "days", "relaxed", "lively", "live", "live_fast", "pace"]
_HouseWord = Literal["easy", "steady", "strong", "house", "players", "advice", "caretaker", "quiet", "gentle"]
_LateWord = Literal["whole_seat", "each_turn_late", "substitute"]
_NameWord = Literal["articles", "game_name", "called", "own_name", "seat", "note", "note_to", "guests"]
_RuleWord = Literal[
    "language", "in_language", "rules", "rules_alone", "settings", "setting_words", "no_subject"
]
GameKey = _AnyWord | _TimeWord | _HouseWord | _LateWord | _NameWord | _RuleWord
GameWords = Annotated[Mapping[GameKey, PhraseSet], keys_of(literals(GameKey))]
"""The words of a mail that requests a game; en/requests.toml explains each key."""


@dataclass(frozen=True, slots=True)
class RequestWords(Table):
    shown: Annotated[Mapping[str, FilledPhrases], keys_of(tuple(RequestKind))]
    questions: Mapping[str, FilledPhrases]
    chat: ChatWords
    answers: AnswerPhrases
    game: GameWords
    editions: Mapping[str, PhraseSet]
    edition_codes: Mapping[str, PhraseSet]


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
        return by_phrase(self.meanings())

    @cached_property
    def ordinals(self) -> Mapping[str, int]:
        return {phrase: day for day, phrases in self.ordinal_words.items() for phrase in phrases}

    def meanings(self) -> Iterator[tuple[DateWord, Phrases]]:
        numbered = (
            (DateRole.WEEKDAY, -1, self.weekdays),
            (DateRole.EACH, -1, self.each_week),
            (DateRole.MONTH, 0, self.months),
            (DateRole.DAY, 0, self.days),
            (DateRole.FEAST, 0, self.feasts),
            (DateRole.EASTER, 0, self.easter),
        )
        for role, shift, table in numbered:
            yield from ((DateWord(role, number + shift), phrases) for number, phrases in table.items())
        yield from ((DateWord(DateRole.UNIT, UNITS[unit]), phrases) for unit, phrases in self.units.items())
        yield from ((DateWord(role), phrases) for role, phrases in self.roles.items())


# --- topics.toml and votes.toml -------------------------------------------------------------------------

_Person = Literal["own", "others", "mine", "third", "addressed", "mover"]
_Manner = Literal[
    "negation", "past", "condition", "hedge", "partly", "inquiring", "modal", "asking", "telling_when"
]
_Beside = Literal[
    "idle", "greeting", "homonyms", "toward", "whence", "small", "aside", "automatic", "hours_of_day"
]
_Need = Literal["need", "wish", "more", "time", "amount", "extending", "extended", "late", "until_when"]
_Play = Literal["game", "turn", "play", "plan", "showing", "dropping", "nudging", "leaving_game", "stopping"]
_Absence = Literal[
    "absent", "unwell", "absent_tied", "absence", "going", "returning", "returned", "cancelling"
]
_Pause = Literal["pausing", "resuming", "over", "taking_over"]
_Rest = Literal["night", "awake", "weekly", "plays_on", "free", "any_day", "only", "every_other"]
Topic = _Person | _Manner | _Beside | _Need | _Play | _Absence | _Pause | _Rest
TopicWords = Annotated[Mapping[Topic, Phrases], keys_of(literals(Topic))]
"""The words of topics.toml in one language or, joined, in several; en/topics.toml explains each key."""

Vote = Literal["agree", "agree_aside", "decline", "depends", "doubt"]
VoteWords = Annotated[Mapping[Vote, Phrases], keys_of(literals(Vote))]


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
def read_weights(folder: Path, name: str) -> Mapping[str, float]:
    """Read a file of weights of features; empty if none was fitted for the language."""
    file = folder / name
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

ProgramLine = Literal[
    "wrote", "wrote_begins", "headings", "own_lines", "reply_prefixes", "bounced", "automatic"
]
ProgramWords = Annotated[Mapping[ProgramLine, Expressions], keys_of(literals(ProgramLine))]
"""Patterns of lines that mail programs insert; en/programs.toml explains each key."""


def _read_cards(table: Mapping[Symbol, str]) -> Mapping[str, Symbol]:
    return by_phrase(table.items())


@dataclass(frozen=True, slots=True)
class SharedSigns(Table):
    """Emojis, and names of devices, with one meaning in every language; signs.toml explains each field."""

    any_card: Annotated[frozenset[str], BeforeValidator(frozenset)]
    hesitation: str
    devices: WordList
    phones: WordList
    cards: Annotated[Mapping[str, Symbol], BeforeValidator(_read_cards)]


# --- orders.toml and plans.toml ---------------------------------------------------------------------------

_Letters = Annotated[str, Field(pattern=r"^[^\W\d_]+$"), AfterValidator(str.casefold)]


@dataclass(frozen=True, slots=True)
class OrdersFile(Table):
    give: FilledWordList
    either: FilledWordList
    joining: Words
    following: Words
    small: Words
    please: Words
    verbs: Annotated[Mapping[Verb, FilledPhrases], keys_of(Verb)]
    symbols: Annotated[Mapping[Symbol, FilledWordList], keys_of(Symbol)]
    places: Mapping[str, Annotated[tuple[_Letters, ...], BeforeValidator(str.split)]]

    def meanings(self) -> Iterator[tuple[str, Iterable[str]]]:
        yield from self.verbs.items()
        yield from self.symbols.items()
        yield "a small word", self.small | self.joining | self.following


def _check_stars(phrases: tuple[str, ...]) -> tuple[str, ...]:
    if any(phrase.count("*") != 1 for phrase in phrases):
        raise ValueError("each phrase must have one star")
    return phrases


_Naming = Annotated[FilledPhrases, AfterValidator(_check_stars)]


@dataclass(frozen=True, slots=True)
class PlansFile(Table):
    heading: FilledPhrases
    condition: FilledPhrases
    otherwise: FilledPhrases
    also: FilledPhrases
    then: FilledPhrases
    card: _Naming
    free: _Naming
    small: Words
    open_cards: Annotated[Mapping[Symbol, Name], keys_of(Symbol)]


# --- whole languages --------------------------------------------------------------------------------------

Checked = TypeVar("Checked", OrdersFile, DateWords)


def _check(words: Checked) -> Checked:
    by_phrase(words.meanings(), unique=True)
    return words


@dataclass(frozen=True, eq=False)
class LanguageWords:
    """The words of a language, in a field for each file."""

    orders: Annotated[OrdersFile, AfterValidator(_check)]
    plans: PlansFile
    requests: RequestWords
    dates: Annotated[DateWords, AfterValidator(_check)]
    votes: VoteWords
    topics: TopicWords
    remarks: RemarkGrammar
    clerk: FreeWords
    programs: ProgramWords

    @cached_property
    def vocabulary(self) -> Vocabulary:
        own = asdict(self.orders)
        for table in ("verbs", "symbols", "places"):
            own[table] = by_phrase(own[table].items())
        return Vocabulary(**own)

    @cached_property
    def plan_words(self) -> PlanWords:
        return PlanWords(self.vocabulary, **asdict(self.plans))


@dataclass(frozen=True, eq=False)
class SharedWords:
    """The files beside the folders of languages."""

    programs: ProgramWords
    signs: SharedSigns
    other_languages: Mapping[str, OtherLanguage]


@cache
def shared_words() -> SharedWords:
    return read_folder(SharedWords, HERE)


@cache
def words_of(language: str) -> LanguageWords:
    """Return the words of a language; of English for a language without a folder."""
    return read_folder(LanguageWords, FOLDERS.get(language, FOLDERS[ENGLISH]))


@cache
def join_programs(languages: tuple[str, ...]) -> ProgramWords:
    """Return patterns of texts that mail programs add, in `languages` and in languages without a folder."""
    return join([shared_words().programs, *(words_of(language).programs for language in languages)])


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
    plans: PlanWords
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
    every = [words_of(language) for language in languages]
    words, plans = join(every), join([own.plan_words for own in every])
    questions = by_phrase(words.requests.questions.items())
    numbers = by_phrase(words.remarks.numbers.items())
    return Lexicon(
        languages=languages,
        orders=plans.orders,
        shown=by_phrase(words.requests.shown.items()),
        questions={frozenset(phrase.split()): about for phrase, about in questions.items()},
        chat=words.requests.chat,
        answers=words.requests.answers,
        please=words.remarks.please,
        thanks=words.remarks.thanks | words.remarks.please,
        numbers={word: int(number) for word, number in numbers.items() if number.isdigit()},
        plans=plans,
        dates=words.dates,
        votes=words.votes,
        topics=words.topics,
    )


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
