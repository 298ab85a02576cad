"""What people ask for beside orders, and how they say yes and no: the requests.toml of each language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from emails.languages.toml_tables import Phrases, TomlTable, Words, read_fields, read_file
from engine.editions import EDITIONS

SHOWN = frozenset(
    (
        *("help", "board", "all", "hand", "history", "rules", "settings", "when", "plan", "no plan"),
        *(
            "away",
            "back",
            "sleep",
            "reminders",
            "no reminders",
            "zone",
            "nudge",
            "new links",
            "resign",
            "more time",
            "pause",
            "resume",
        ),
    )
)
"""What can be asked for in a game."""


@dataclass(frozen=True, slots=True)
class ChatWords:
    """How a line begins that is said to other players."""

    say: Words
    tell: Words
    to: Words
    everybody: Words


@dataclass(frozen=True, slots=True)
class AnswerPhrases:
    """Lines that say yes or no and nothing else, without their signs."""

    yes: Phrases
    leaning: Words
    """The first word of a line that leans towards yes."""
    no: Phrases
    invitation: Phrases
    """What says yes to this question alone, as the two below."""
    address: Phrases
    proposal: Phrases
    doing: Phrases
    """What says yes to a letter that asks whether orders are to be done, beside "1"."""
    agreeable: Phrases
    """What may stand behind a yes to an invitation, and does not change it."""
    excuses: Phrases
    """What may stand behind a no to one."""


@dataclass(frozen=True, slots=True)
class GameWords:
    """The words of a mail that asks for a game."""

    words: Words
    """What needs no answer where it is not understood."""
    telling: Words
    """What tells the language too, but needs an answer."""
    neutral: Words
    """What needs no answer, and does not tell the language."""
    names: Words
    """Words that are names where they begin with a capital."""
    removing: Words
    none_of: Words
    """Before something, that there is to be none of it."""
    none: Words
    """Behind the name of something and a colon, that there is to be none of it."""
    with_: Words
    and_: Words
    articles: Words
    own: Words
    minutes: Words
    hours: Words
    days: Words
    weeks: Words
    relaxed: Words
    lively: Words
    live: Words
    live_fast: Words
    pace: Words
    """Beside one of these four, how fast a game is to go."""
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
    """Behind "caretaker:", that it keeps the seat of whoever is late."""
    each_turn_late: Words
    """Likewise, that it plays each turn that is late, and no more."""
    substitute: Words
    """Likewise, that after two of them a substitute is looked for."""
    language: Words
    in_language: Phrases
    """Before the name of a language in which it is to be played."""
    rules: Words
    rules_alone: Words
    """What stands for rules only behind the name of an edition."""
    game_name: Phrases
    called: Phrases
    own_name: Phrases
    settings: Words
    """Before a colon these show that a line is about a game, and not about its writer's holiday."""
    setting_words: Words
    """These show it everywhere."""
    seat: Words
    note: Words
    note_to: Words
    guests: Words
    no_subject: Words


@dataclass(frozen=True, slots=True)
class RequestWords:
    """The requests of one language."""

    shown: Mapping[str, Phrases]
    """For each thing that can be asked for in a game its phrases; the first is the one that letters name."""
    chat: ChatWords
    answers: AnswerPhrases
    game: GameWords
    editions: Mapping[str, Words]
    """For each edition by name what stands before "rules" where it is meant, and behind "rules:"."""
    edition_codes: Mapping[str, Words]
    """What stands only behind "rules:"."""


@cache
def read_requests(folder: Path) -> RequestWords:
    """The requests of the language of a folder. Raises `InvalidLanguage`."""
    file = read_file(folder / "requests.toml")
    tables = ("shown", "chat", "answers", "game", "editions", "edition_codes")
    file.check_keys(frozenset(tables))
    shown = file.table("shown")
    shown.check_keys(SHOWN)
    for key in sorted(SHOWN):
        if not shown.phrases(key):
            raise shown.refuse(key, "is empty")
    return RequestWords(
        {key: shown.phrases(key) for key in sorted(SHOWN)},
        read_fields(ChatWords, file.table("chat")),
        read_fields(AnswerPhrases, file.table("answers")),
        read_fields(GameWords, file.table("game")),
        _read_editions(file.table("editions")),
        _read_editions(file.table("edition_codes")),
    )


def _read_editions(table: TomlTable) -> Mapping[str, Words]:
    table.check_keys(EDITIONS, needed=False)
    return {name: table.words(name) for name in table.content}
