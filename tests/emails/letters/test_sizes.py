"""How large mails are, and that a letter of a turn has one screen and one conversation."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import cycle, islice
from random import Random

import pytest

from emails.i18n import Locale, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.letters import game_letters
from emails.letters.contexts import LONGEST_CHAT, GameLetterContext, UndoneLine, UnreadChat
from emails.letters.parts import REPLY, invitation_subject
from emails.letters.renderer import (
    Envelope,
    Letter,
    compose_mail,
    draw_pictures,
    encode_text,
    encoded_size,
    make_message_id,
    make_thread_id,
)
from emails.letters.sections import build_sections
from emails.tokens import Ticket
from emails.wording.questions import OrderQuestion, ask_which
from emails.wording.requests import Request, RequestKind
from engine.actions import Ambiguous
from engine.bots import play_to_win
from engine.evolve import evolve, start
from engine.position import View, view
from engine.rules import deal, decide, legal, perform_due
from tests.breadth import first
from tests.emails import stored_games
from tests.emails.positions import BOARD
from tests.emails.specimens import STORY, letter, letter_context
from tests.engine.build import PEOPLE
from tests.engine.players import draw_from
from tests.gallery.letter_files import CHAT
from tests.gallery.samples import GAME, NOW, SAMPLE_LINKS, SampleGame, compose

MOST_WORDS, MOST_WITH_BOARD = 350, 600
HEADINGS = {"en": "\n== The board ==\n", "nl": "\n== Het bord ==\n"}
FIRST_RULES = {"en": "\n== The game in two minutes ==", "nl": "\n== Het spel in twee minuten =="}


@pytest.mark.parametrize("which", first(1, ["three-players", "two-players"]))
def test_a_letter_of_a_turn_has_few_words_before_the_board_and_with_it(which: str) -> None:
    decisions = (*stored_games.turns(which)[1::3], *stored_games.actions(which)[1::3])
    for (at, seat), language in zip(decisions, cycle(HEADINGS), strict=False):
        with use_locale(Locale(language)):
            text = game_letters.render_your_turn(stored_games.letter_context(which, at, seat)).text
        before, board, _ = text.partition(HEADINGS[language])
        assert board
        assert len(before.split()) <= MOST_WORDS
        assert len(text.partition(FIRST_RULES[language])[0].split()) <= MOST_WITH_BOARD


def test_the_letters_of_a_turn_share_a_subject_and_those_of_others_have_theirs() -> None:
    names = ("your_turn", "step", "reminder", "digest-turn", "answer", "refused", "refused-march", "shown")
    assert {letter(name).subject.removeprefix(REPLY) for name in names} == {"Spring: your turn (turn 16)"}
    assert {name for name in names if letter(name).subject.startswith(REPLY)} == set(names[4:])
    assert letter("news").subject == "Spring: Anna occupied Pura (turn 16)"
    assert letter("message").subject == "Spring: a message from Ben and Cleo"
    assert letter("time_passed-mine").subject == "Spring: your turn (turn 13)"


def test_an_answer_stands_where_the_letter_stood_that_was_answered() -> None:
    waiting = replace(letter_context("news"), answered="Spring: Anna occupied Pura (turn 16)")
    assert game_letters.render_shown(waiting, ()).subject == "Re: Spring: Anna occupied Pura (turn 16)"
    next_turn = replace(
        STORY.letter_context(*STORY.turn_starts()[18]), answered="Spring: your turn (turn 16)"
    )
    assert game_letters.render_answer(next_turn, (), ()).subject == "Spring: your turn (turn 19)"


def test_whoever_wants_one_conversation_has_one_subject() -> None:
    for name in ("your_turn", "news", "message", "game_over"):
        made = replace(letter_context(name), one_conversation=True)
        assert compose(game_letters.Message(), made).subject == "Alexandros: Spring"
        assert compose(game_letters.Digest(), made).subject == "Alexandros: Spring"


def test_what_is_told_to_one_alone_stands_in_no_subject_and_no_preview() -> None:
    made = letter("message")
    preview = made.html.partition('class="preheader"')[2].partition("</div>")[0]
    assert CHAT[0].words in preview
    assert CHAT[1].words not in preview
    assert CHAT[1].words not in made.subject


# --- invitations ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asker", "game", "said"),
    [
        ("Anna", "Friday", "Friday: Anna asks you to play"),
        ("", "Friday", "Alexandros: Friday"),
        ("Anna", "", "[Alexandros] Anna asks you to a game by mail"),
        ("Anne-Marie", "", "[Alexandros] Anne-Marie asks you to a game by mail"),
        ("Cheap Pills", "", "[Alexandros] An invitation to a game by mail"),
        ("example.org", "", "[Alexandros] An invitation to a game by mail"),
        ("A" * 17, "", "[Alexandros] An invitation to a game by mail"),
        ("", "", "[Alexandros] An invitation to a game by mail"),
    ],
)
def test_an_invitation_says_who_asks_and_to_strangers_at_most_by_a_first_name(
    asker: str, game: str, said: str
) -> None:
    assert invitation_subject(asker, game) == said


MOST, MOST_OF_PNG, MOST_OF_HTML = 150_000, 80_000, 60_000
NAMES = {
    "latin": ("Anna", "Ben", "Cleo", "Dirk"),
    "cyrillic": ("Екатерина", "Владислав", "Александра", "Константин"),
    "greek": tuple(letter * 40 for letter in "αβγδ"),
    "kanji": tuple(letter * 40 for letter in "字山川水"),
    "emoji": tuple(letter * 40 for letter in "😀🐎🎲🏛"),
    "signs": tuple(letter * 40 for letter in "&'\"&"),
}
"""Names of at most forty letters, which is what a player may be called."""


@cache
def played(seed: int, edition: str) -> SampleGame:
    """A game of four that the house plays from its beginning to its end."""
    dice = Random(seed)
    chance = draw_from(dice)
    first = deal(BOARD, edition, PEOPLE[:4], draw_from(dice))
    log, now = [first], start(BOARD, first)
    positions = [now]
    while not now.table.over:
        due = perform_due(now, chance)
        known = view(now, now.table.seat)
        for event in (due,) if due is not None else decide(now, known.table.seat, play_to_win(known), chance):
            now = evolve(now, event)
            log.append(event)
            positions.append(now)
    return SampleGame(tuple(log), tuple(positions))


def letter_contexts(
    story: SampleGame, names: tuple[str, ...], every: int, first: int
) -> Iterator[GameLetterContext]:
    """Some moments of a game, and its end, with all that players may write between two letters."""
    told = tuple(
        UnreadChat(names[number % 4], names[number % 4][-1] * LONGEST_CHAT, False) for number in range(5)
    )
    points = [*story.turn_starts(), *story.action_starts()]
    for number, (at, seat) in enumerate((*points[first::every], (len(story.events), 0))):
        made = story.letter_context(at, seat)
        table = made.view.table.but(names=names)
        messages = told if number % 3 or made.view.table.over else ()
        yield replace(made, name=names[0], view=replace(made.view, table=table), messages=messages)


def written(made: GameLetterContext, story: SampleGame) -> Iterator[Letter]:
    """The largest letters in a position."""
    if made.view.table.over:
        yield compose(game_letters.GameOver(), made, happened=story.told_to(0))
        return
    whole = replace(made, everything=True)
    yield (
        game_letters.render_your_turn(whole)
        if made.view.table.phase == "card"
        else game_letters.render_step(whole)
    )
    if made.after % 4 == 2:
        yield compose(game_letters.Substitute(), replace(whole, earlier_name="&" * 60))
    made = replace(made, shown=frozenset({RequestKind.BOARD, RequestKind.ALL}))
    if made.after % 4 == 0:
        yield compose(game_letters.Message(), made)
        yield game_letters.render_answer(
            made, (), (UndoneLine("&" * 600, "why"),) * 20, ("“" + "&" * 600 + "”",) * 29
        )
        yield game_letters.render_shown(
            made, build_sections([Request(kind) for kind in RequestKind], made, story.told_to(0))
        )
        yield game_letters.render_refused("&" * 600, made, asked(made.view))


def asked(known: View) -> OrderQuestion:
    """A question about the end of a mail that has said much before it."""
    meant = Ambiguous("x", tuple(islice(legal(known), 7)))
    return ask_which(meant, known, ("choose lyre", "march Hecatompylos A3-B4-C3-D4-E5-F6-G7") * 9, ())


def raw(letter: Letter, after: int) -> bytes:
    """A letter as a mail that refers to as many others as one does."""
    domain = SAMPLE_LINKS.domain
    envelope = Envelope(
        sender="Alexandros <alexandros@example.org>",
        bounce="alexandros@example.org",
        recipient="anna@example.org",
        reply_to=SAMPLE_LINKS.reply_address(Ticket(GAME, 0, after)),
        message_id=make_message_id(GAME, after, 0, letter.kind, domain),
        root=make_thread_id(GAME, domain),
        answers="<" + "a" * 100 + "@" + "b" * 100 + ">",
        list_id=f"{GAME}.{domain}",
        unsubscribe=SAMPLE_LINKS.unsubscribe_links(GAME, 0),
        replied=True,
        date=NOW,
        earlier=tuple(make_message_id(GAME, seq, 0, "digest", "x" * 20 + domain) for seq in range(10)),
    )
    pngs = draw_pictures(letter)
    assert all(len(png) <= MOST_OF_PNG for png in pngs.values())
    return compose_mail(letter, envelope, pngs)


def weigh(which: str, edition: str, every: int, first: int = 0) -> None:
    """Weigh the letters of some moments of a game, in one language after the other."""
    story, languages = played(len(edition), edition), cycle(LANGUAGES)
    for made in letter_contexts(story, NAMES[which], every, first):
        with use_locale(Locale(next(languages))):
            for letter in written(made, story):
                assert len(letter.html.encode()) <= MOST_OF_HTML, (letter.kind, made.after)
                assert len(raw(letter, made.after)) <= MOST, (letter.kind, made.after)


@pytest.mark.parametrize("which", first(1, ["emoji", "latin", "kanji", "greek", "cyrillic", "signs"]))
def test_no_mail_of_a_game_of_four_is_large(which: str) -> None:
    weigh(which, "identity-games", 23, 5 + len(which))


@pytest.mark.long
@pytest.mark.parametrize("edition", ["identity-games", "rio-grande"])
@pytest.mark.parametrize("which", NAMES)
def test_no_mail_of_any_turn_of_a_game_of_four_is_large(which: str, edition: str) -> None:
    weigh(which, edition, 1)


def test_words_are_coded_in_the_shorter_way() -> None:
    assert encode_text("Hello Zoë, well played = \n" * 9)[0] == "quoted-printable"
    assert encode_text("Ἀλέξανδρος " * 20)[0] == "base64"
    for words in ("", "a", "Zoë\n", "αβγ\n" * 300):
        assert encoded_size(words) <= len(words.encode()) * 1.6 + 90


def test_what_does_not_fit_stands_on_the_page() -> None:
    story = played(len("identity-games"), "identity-games")
    [made, *_] = letter_contexts(story, NAMES["greek"], 40, 31)
    told = (UnreadChat("Ben", "β" * 600, False),) * 6
    letter = game_letters.render_your_turn(replace(made, messages=told, everything=True))
    for part in (letter.text, letter.html):
        assert "more on the page" in part
    assert "3 older messages stand on the page" in letter.text
    assert letter.text.count("  * choose ") >= 1
