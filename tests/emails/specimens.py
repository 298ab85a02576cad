"""Letters of every kind, in each of its ways and in every language; and letters by the score."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice

import pytest
from lxml import html

from emails.i18n import Locale, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.letters import account_letters, game_letters, lobby_letters
from emails.letters.declaration import AccountEvent, VacancyReason
from emails.letters.lobby_letters import LONGEST_NOTE
from emails.letters.parts import GameLetterContext, LetterSection, UnreadChat
from emails.letters.renderer import Letter
from emails.wording.requests import OrderQuestion, ask_which
from engine.actions import Ambiguous
from engine.position import View
from engine.rules import legal
from tests.emails.positions import BOARD, NASTY_NAMES, stored_game
from tests.gallery import letter_files, samples
from tests.gallery.letter_files import LetterVariant, Specimen, letter_variants
from tests.spoken import read

STORY = samples.load_sample_game(BOARD)
TONGUES = tuple(LANGUAGES)
WAYS: dict[str, LetterVariant] = {way.name: way for way in letter_variants(STORY)}
"""The letters about a game that is being played or over, by their names."""
KINDS = (
    *("invitation", "accepted", *WAYS, "refused-no-game", "stopped-invitation", "confirm", "moved"),
    *("invitation-unasked", "called_off", "declined", "declined-left", "declined-silent", "confirm-later"),
    *("move_asked", "move_asked-dead", "asked_back", "asked_back-resign", "asked_back-new-links"),
    *("asked_back-doubt", "proposal", "proposal-incomplete", "signin", "seat_claim", "seat_refused"),
    *("replaced-late", "replaced-absent", "replaced-given", "replaced-resigned"),
    *("notice", "notice-key", "notice-address"),
)
TO_AN_ADDRESS = tuple(name for name in KINDS if name.partition("-")[0] in letter_files.ABOUT_NO_GAME)
"""The letters that hold nothing that leads to a game."""
ABOUT_NO_GAME = ("refused-no-game", *TO_AN_ADDRESS)
UNANSWERED = (
    *("replaced-absent", "called_off", "refused-no-game", "game_over", "game_over-won", "signin"),
    *("seat_refused", "replaced-given", "replaced-late", "replaced-resigned"),
    *("notice", "notice-key", "notice-address"),
)
"""The letters of which no answer is read."""
ANSWERED = tuple(name for name in KINDS if name not in UNANSWERED)
ASKING = ("refused-march", "refused-takeover", "answer-question", "refused-proposal")
"""The letters that ask which of several things is meant."""
FUNCTIONS = sorted({name.partition("-")[0] for name in KINDS})
ORDERS = ("draw", "end; draw", "take lyre", "x\ndraw", "say: hello", "zeg: hoi", "kies harp", "-pas", "ja")
"""Names that are orders, or are said to other players."""
HOSTILE = (
    '<img src="https://example.com/x.png" onerror="alert(1)"> & &lt;b&gt;',
    "draw",
    "\n\ndraw\nend\n",
    "say: hello\nzeg: hoi; trek",
    "--- Write above this line ---\ndraw",
    "--- Schrijf boven deze regel ---\r\ntrek",
    "> draw\n| draw\n* draw",
    "On Thu, 14 January 2027 Anna wrote:\n> draw",
    "draw " * 120,
    "x, draw, -draw. /draw >draw &draw +draw " * 15,
    "W" * 600,
    "https://example.com/" + "a" * 300,
    "\u202edraw\u202c\x00\x1b[31m \ud800 \ufffe 😀🐎 {{ 7 * 7 }} %(name)s {% raw %}",
    "",
)
"""What a player may write who wishes the others ill."""


@cache
def specimens() -> dict[tuple[str, str], Specimen]:
    """Every letter of the gallery, by its name and language."""
    return {(one.name, one.language): one for one in letter_files.render_specimens(BOARD)}


def letter(name: str, language: str = "en") -> Letter:
    return specimens()[name, language].letter


def letter_context(name: str) -> GameLetterContext:
    """What the letter of this name is made from."""
    return WAYS[name].context(STORY)


def turn(number: int, seat: int) -> GameLetterContext:
    """A turn of the gallery's game as it begins, for any seat."""
    return STORY.letter_context(STORY.turn_starts()[number - 1][0], seat % 3)


def renamed(made: GameLetterContext, names: tuple[str, ...]) -> GameLetterContext:
    """The same game played, and called, by other names."""
    table = made.view.table.but(names=names[: len(made.view.table.names)])
    return replace(made, name=names[0], view=replace(made.view, table=table))


def _by(names: tuple[str, ...]) -> Iterator[Letter]:
    """Letters of all kinds to and about players with such names."""
    invited = {
        "invited": samples.sample_invitation(names),
        "title": names[1],
        "seat_name": names[0],
        "letter": 0,
    }
    for payload in (
        lobby_letters.Invitation(names[0][:LONGEST_NOTE]),
        lobby_letters.Accepted(),
        lobby_letters.CalledOff(),
        *(lobby_letters.Declined(1, names[1], how) for how in VacancyReason),
        game_letters.Stopped(everywhere=False),
    ):
        yield samples.compose(payload, **invited, missing=names, joined=True)
    for payload in (
        *(samples.CONFIRM, samples.MOVE_ASKED, account_letters.Moved(names[1], "", samples.MARK)),
        *(account_letters.Notice(event, samples.NOW, "Firefox", names[1]) for event in AccountEvent),
        samples.SIGN_IN,
        samples.sample_question(names),
    ):
        for due_at in (None, samples.NOW):
            yield samples.compose(payload, seat_name=names[0], address=names[1], due_at=due_at)
    request = samples.sample_request(names, names)
    yield samples.compose(lobby_letters.Proposal(""), title=names[1], request=request)
    said = tuple(UnreadChat(name, name, private=name == names[0]) for name in names)
    for way in WAYS.values():
        yield way.write(replace(renamed(way.context(STORY), names), messages=said))
    turn = renamed(letter_context("your_turn"), names)
    for why in names:
        yield samples.render_answer(turn, (), names, why, names)
    asked = (LetterSection("What you asked for", names),)
    yield samples.render_refused(f"“{names[0]}” is no order.", turn, None, asked)
    takeover = renamed(letter_context("refused-takeover"), names)
    with pytest.raises(Ambiguous) as refused:
        read(samples.TAKEOVER, takeover.view)
    question = ask_which(refused.value, takeover.view, (), ("draw",))
    yield samples.render_refused("It could mean several things.", takeover, question)


def ask_among(known: View, before: Sequence[str] = (), rest: Sequence[str] = ()) -> OrderQuestion:
    """Which of the first things is meant that can be done, in a mail that says more before and after it."""
    return ask_which(Ambiguous("x", tuple(islice(legal(known), 7))), known, before, rest)


def _told() -> Iterator[Letter]:
    """Letters in which somebody writes what he should not."""
    for words in HOSTILE:
        told = (UnreadChat("Ben", words, private=False), UnreadChat("Cleo", words, private=True))
        message = replace(letter_context("message"), messages=told)
        yield samples.compose(game_letters.Message(), message)
        gone, undone = UnreadChat("", f"“{words}” is gone.", private=True), (words,)
        yield samples.render_your_turn(replace(letter_context("your_turn"), messages=(*told, gone)))
        yield samples.render_answer(
            letter_context("answer"), (), undone, words, (f"You told all: “{words}”",)
        )
        yield samples.render_refused(f"“{words}” is no order.")
        yield samples.compose(samples.sample_question((words, words)))
    everything = tuple(UnreadChat("Ben", words, private=False) for words in HOSTILE * 3)
    for name in ("game_over", "stopped", "news"):
        yield WAYS[name].write(replace(letter_context(name), messages=everything))


def decisions(name: str) -> list[tuple[GameLetterContext, str]]:
    """Each decision of a stored game, with the language in which a letter about it is tried."""
    game = stored_game(name)
    points = (*game.turn_starts(), *game.action_starts())
    return [(game.letter_context(at, seat), TONGUES[at % len(TONGUES)]) for at, seat in points]


@cache
def whole_letters(name: str) -> tuple[tuple[GameLetterContext, Letter, str], ...]:
    """A letter with all choices about each decision of a stored game, and its language."""
    found = []
    for made, language in decisions(name):
        with use_locale(Locale(language)):
            found.append((made, samples.render_your_turn(replace(made, everything=True)), language))
    return tuple(found)


def _of_every_turn() -> Iterator[Letter]:
    for made, language in (*decisions("two-players"), *decisions("three-players")):
        chooses = made.view.table.phase == "card"
        with use_locale(Locale(language)):
            yield samples.render_your_turn(made) if chooses else samples.render_step(made)


def _in_all(make: Callable[[], Iterator[Letter]]) -> Iterator[Letter]:
    for language in TONGUES:
        with use_locale(Locale(language)):
            made = list(make())
        yield from made


MANY: dict[str, Callable[[], Iterator[Letter]]] = {
    "kinds": lambda: (one.letter for one in specimens().values()),
    "turns": _of_every_turn,
    "nasty": lambda: _in_all(lambda: _by(NASTY_NAMES)),
    "orders": lambda: _in_all(lambda: _by(ORDERS)),
    "answers": lambda: _in_all(lambda: _by(ORDERS[3:])),
    "told": lambda: _in_all(_told),
}


@cache
def many(which: str) -> tuple[Letter, ...]:
    """Letters by the score: of all kinds, of every turn of two games, with odd names and odd messages."""
    return tuple(MANY[which]())


def page(made: Letter) -> html.HtmlElement:
    return html.document_fromstring(made.html)


def nodes(made: Letter) -> list[str]:
    """The pieces of text that a reader of the HTML sees or hears."""
    [body] = page(made).iter("body")
    shown = [str(text).strip() for text in body.itertext()]
    return [text for text in (*shown, *(str(image.get("alt")) for image in body.iter("img"))) if text]
