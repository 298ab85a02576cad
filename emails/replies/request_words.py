"""The words and phrases by which people ask for a game by mail, in every language that is known.

Whoever asks is nobody yet whose language is known, so that it is told by these words too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from emails.languages.lexicon import whole_lexicon
from emails.languages.programs import join_programs
from emails.languages.request_phrases import GameWords, read_requests
from emails.languages.supported_languages import LANGUAGES, folder_of, read_language
from emails.languages.toml_tables import Words, join_fields, match_words
from emails.terms import Tempo
from engine.bots.characters import CHARACTERS, Strength, find_bot_choice
from engine.editions import EDITIONS, Edition

NONE: Words = frozenset()
TITLE_WORDS = frozenset("alexandros leo colovini".split())
"""What the game is called, and by whom it is."""
PARTICLES = frozenset("de van der den ten ter het von la le di da el al bin 't".split())
"""Small words within names."""
MOST_BOT_SEATS = 99
"""Seats that are noted; a game has fewer."""
TOKEN = re.compile(r"[^\s<>()\[\],;:\"“”]+")
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|'t")  # noqa: RUF001


@dataclass(frozen=True, slots=True, eq=False)
class HousePatterns:
    """How a line asks for players of the house, and what they do."""

    strengths: Mapping[str, Strength]
    """By each word for it."""
    seats: re.Pattern[str]
    """Such as "2 houses", "a strong house", "house: strong", "house: Roxana and Darius", "house: none"."""
    whom: re.Pattern[str]
    """One of whom is asked for there."""
    before_name: re.Pattern[str]
    """What is none of the name of somebody with an address: "house Ben <ben@example.org>"."""
    advice: re.Pattern[str]
    caretaker: re.Pattern[str]
    absence: re.Pattern[str]
    """For how long it plays."""


@dataclass(frozen=True, slots=True, eq=False)
class TimePatterns:
    """How a line says how long a turn may take."""

    minutes: Mapping[str, int]
    """How many minutes each word for a time has."""
    limit: re.Pattern[str]
    tempo: re.Pattern[str]
    tempos: Mapping[str, Tempo]
    """The tempo of each word for one."""


@dataclass(frozen=True, slots=True, eq=False)
class RequestPatterns:
    """What a mail is read by that asks for a game."""

    words: GameWords
    """Those of all languages."""
    fillers: Words
    """Words that need no answer, beside the names of the editions."""
    editions: Mapping[str, Words]
    """For each edition by name what stands before "rules" where it is meant, and behind "rules:"."""
    edition_codes: Mapping[str, Words]
    """What stands only behind "rules:"."""
    own_words: Mapping[str, Words]
    """For each language the words that tell it."""
    languages: Mapping[str, str]
    """Each language by its code and by what it is called."""
    house: HousePatterns
    time: TimePatterns
    language: re.Pattern[str]
    game_name: re.Pattern[str]
    own_name: re.Pattern[str]
    removal: re.Pattern[str]
    game_setting: re.Pattern[str]
    """In a line of other words, what shows that it is about a game and not about its writer's holiday."""
    list_number: re.Pattern[str]
    """What stands before an item of a list."""
    reply_prefix: re.Pattern[str]
    guest_note: re.Pattern[str]


def patterns() -> RequestPatterns:
    """What is read in the languages that are known."""
    return _compose_patterns(tuple(LANGUAGES))


@cache
def _compose_patterns(codes: tuple[str, ...]) -> RequestPatterns:
    requests = [read_requests(folder_of(code)) for code in codes]
    every = {code: own.game for code, own in zip(codes, requests, strict=True)}
    known = join_fields(tuple(every.values()))
    called = {name: code for code in codes for name in read_language(folder_of(code)).called}
    own_codes = {code.casefold(): code for code in codes}
    naming = rf"(?:{match_words(known.language)})[^:=]{{0,20}}[:=] ?"
    rules, with_ = match_words(known.rules), match_words(known.with_)
    mine = match_words(known.articles | known.own)
    own_name = match_words(known.own_name).replace("'", "['\u2019]")
    return RequestPatterns(
        words=known,
        fillers=known.words | known.neutral | TITLE_WORDS | PARTICLES,
        editions=_join_words([own.editions for own in requests]),
        edition_codes=_join_words([own.edition_codes for own in requests]),
        own_words={code: own.words | own.telling for code, own in every.items()},
        languages=called | own_codes,
        house=_compose_house(known),
        time=_compose_time(known),
        language=_compile(
            rf"\b{naming}(?P<code>{match_words(tuple(own_codes))})\b"
            rf"|(?:\b{naming}|\b(?:{match_words(known.in_language)}) |^)"
            rf"(?P<language>{match_words(tuple(called))})\b(?! (?:{rules}))"
        ),
        game_name=_compile(
            rf"(?:^|[,;.])\W*(?:{match_words(known.game_name)}) ?[:=] ?(?P<name>[^,;]+)"
            rf"|\b(?:is )?(?:{match_words(known.called)}) (?:[\"“](?P<quoted>[^\"“”]+)[\"”]"
            rf"|(?P<called>[^,;.]+?)(?= (?:{with_}) |[,;.]|$))"
        ),
        own_name=_compile(rf"\b(?:{own_name}) (?P<name>[^\s,;.!@<>()]+(?: [^\s,;.!@<>()]+){{0,3}})"),
        removal=_compile(
            rf"\b(?:{match_words(known.removing)}) (?P<name>[^,;]+?)"
            rf"(?=[,;.!]?\s*$|[,;]| (?:{match_words(known.and_)}) )"
        ),
        game_setting=_compile(
            rf"\b(?:{match_words(known.settings)})\b[^:=]{{0,20}}[:=]|\b(?:{match_words(known.setting_words)})\b"
        ),
        list_number=_compile(rf"^\W*(?:(?:{match_words(known.seat)}) ?)?\d{{1,2}} ?[.):](?=\s)"),
        reply_prefix=_compile(
            rf"^(?:(?:{'|'.join(join_programs(tuple(LANGUAGES)).reply_prefixes)})\s*:\s*)+"
        ),
        guest_note=_compile(
            rf"^\W*(?:(?:{mine}) )?(?:{match_words(known.note)})"
            rf"(?: (?:{match_words(known.note_to)}) (?:(?:{mine}) )?(?:{match_words(known.guests)}))?"
            r" ?[:=]\s*(?P<words>.*)$"
        ),
    )


def _count_pattern() -> str:
    """A number, in digits or in a word."""
    return rf"(?P<count>\d{{1,5}}|{match_words(tuple(whole_lexicon().numbers))})"


def _compose_house(known: GameWords) -> HousePatterns:
    words = {Strength.EASY: known.easy, Strength.STEADY: known.steady, Strength.STRONG: known.strong}
    strengths = {word: strength for strength, own in words.items() for word in own}
    strength, article = match_words(tuple(strengths)), match_words(known.articles)
    whom = rf"(?:{strength}|{'|'.join(CHARACTERS)})\b"
    house = rf"(?:{match_words(known.house)})\b(?: (?:{match_words(known.players)}))?"
    none_of, none = match_words(known.none_of), rf"{match_words(known.none)}|0"
    care, manner = match_words(known.caretaker), match_words(known.quiet | known.gentle)
    mine = "".join(rf"(?<!{re.escape(word)} )" for word in sorted(known.own))
    return HousePatterns(
        strengths=strengths,
        seats=_compile(
            rf"{mine}(?:\b(?P<none>{none_of}) )?(?:\b{_count_pattern()} )?(?:(?:{article}) )?"
            rf"(?:\b(?P<how>{strength}) )?\b{house}(?! (?:{match_words(known.rules)})\b)"
            rf"(?: ?[:=] ?(?P<off>{none})\b"
            rf"|(?: ?[:=] ?| \(?)(?P<whom>{whom}(?:(?:, ?| (?:{match_words(known.and_)}|&) ){whom})*)\)?)?"
        ),
        whom=_compile(whom),
        before_name=_compile(
            rf"(?:{_count_pattern()} )?(?:(?:{strength}) )?{house}(?: (?:{strength}))?(?= )"
        ),
        advice=_compile(
            rf"\b(?:(?P<none>{none_of}) |(?:{match_words(known.with_)}) |)(?:{match_words(known.advice)})\b"
            rf"(?: ?[:=] ?(?P<off>{none})\b)?"
        ),
        caretaker=_compile(
            rf"\b(?:(?:{article}) )?(?:(?P<how>{manner}) (?:{care})|(?:{care}) ?[:=] ?(?P<said>{manner}))\b"
        ),
        absence=_compile(
            rf"\b(?:{care}) ?[:=] ?"
            rf"(?:(?P<seat>{match_words(known.whole_seat)})|(?P<turn>{match_words(known.each_turn_late)})"
            rf"|{match_words(known.substitute)})\b"
        ),
    )


def _compose_time(known: GameWords) -> TimePatterns:
    lengths = ((1, known.minutes), (60, known.hours), (24 * 60, known.days))
    minutes = {word: length for length, words in lengths for word in words}
    named = {
        Tempo.RELAXED: known.relaxed,
        Tempo.LIVELY: known.lively,
        Tempo.LIVE: known.live,
        Tempo.FAST: known.live_fast,
    }
    tempos = {word: tempo for tempo, words in named.items() for word in words}
    quick, pace = match_words(tuple(tempos)).replace(r"\-", "[ -]"), match_words(known.pace)
    return TimePatterns(
        tempos=tempos,
        tempo=_compile(rf"\b(?:(?P<how>{quick}) (?:{pace})|(?:{pace}) ?[:=] ?(?P<said>{quick}))\b"),
        minutes=minutes,
        limit=_compile(rf"(?<![\w.,@-]){_count_pattern()}[ -]?(?P<unit>{match_words(tuple(minutes))})\b"),
    )


def _join_words(tables: Sequence[Mapping[str, Words]]) -> Mapping[str, Words]:
    """For each key of some tables its words in all of them."""
    return {key: NONE.union(*(table.get(key, NONE) for table in tables)) for key in set().union(*tables)}


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@lru_cache(maxsize=64)
def _edition_pattern(edition: Edition, known: RequestPatterns) -> re.Pattern[str]:
    rules = match_words(known.words.rules)
    names = "|".join(
        re.escape(name).replace(r"\ ", "[ -]?")
        for name in sorted(list_edition_words(edition), key=len, reverse=True)
    )
    found = [rf"\b(?:{names})(?: (?:{rules}))?\b"]
    called, codes = known.editions.get(edition.name, NONE), known.edition_codes.get(edition.name, NONE)
    if called:
        behind = match_words(known.words.rules | known.words.rules_alone)
        found.append(rf"\b(?:{match_words(called)}) (?:{behind})\b")
    if called | codes:
        found.append(rf"\b(?:{rules}) ?[:=] ?(?:{match_words(called | codes)})\b")
    return _compile("|".join(found))


def edition_pattern(edition: Edition) -> re.Pattern[str]:
    """By what people ask for an edition: one of its names, "English rules" or "rules: English"."""
    return _edition_pattern(edition, patterns())


def list_edition_words(edition: Edition) -> tuple[str, ...]:
    """What an edition is called in words, in small letters."""
    return (edition.name.replace("-", " ").casefold(), *edition.synonyms)


def is_filler(word: str) -> bool:
    """Whether a word in small letters needs no answer where nothing else of its line is left over."""
    named = (name for edition in EDITIONS.values() for name in list_edition_words(edition))
    return word in patterns().fillers or any(word in name.split() for name in named)


def guess_language(lines: Iterable[str]) -> str | None:
    """The language of most of the words that are of one language alone; None where that is not clear."""
    words = {word for line in lines for word in WORD.findall(line.casefold())}
    own = patterns().own_words
    counts: dict[str, int] = {}
    for code, known in own.items():
        others = frozenset[str]().union(*(own[other] for other in own if other != code))
        counts[code] = len(words & known - others)
    best = max(counts.values())
    found = [code for code, count in counts.items() if count == best]
    return found[0] if len(found) == 1 else None


def read_count(count: str) -> int:
    """A number in digits or in a word."""
    return int(count) if count.isdigit() else whole_lexicon().numbers[count.casefold()]


def read_house_seats(line: str) -> tuple[list[str] | None, str]:
    """Whom of the house a line asks for, a strength or a name a seat, and the line without that.

    None where it says nothing of the house.
    """
    seats: list[str] | None = None
    pattern = patterns().house.seats
    for found in pattern.finditer(line):
        is_none = found["none"] or found["off"]
        seats = [] if is_none or seats is None else seats
        if not is_none:
            seats += _read_bot_choices(found)
    return seats if seats is None else seats[:MOST_BOT_SEATS], pattern.sub(" , ", line)


def _read_bot_choices(found: re.Match[str]) -> list[str]:
    usual = _bot_choice(found["how"]) if found["how"] else Strength.STEADY.value
    named = [_bot_choice(word) for word in patterns().house.whom.findall(found["whom"] or "")]
    if len(named) == 1:
        known = CHARACTERS.get(named[0])
        usual = named[0] if known is None else known.strength.value
    number = read_count(found["count"] or "1")
    return named + [usual] * min(MOST_BOT_SEATS, number - len(named))


def _bot_choice(word: str) -> str:
    """A strength, or a name, as it is written down."""
    strength = patterns().house.strengths.get(word.casefold())
    if strength is not None:
        return strength.value
    known = find_bot_choice(word)
    return word if known is None or isinstance(known, Strength) else known.name
