"""A letter of a turn has one screen, and each turn of its reader is one conversation by its subject."""

from dataclasses import replace

import pytest

from emails.letters import game_letters
from emails.letters.parts import REPLY, invitation_subject
from tests.breadth import first
from tests.emails import stored_games
from tests.emails.specimens import STORY, letter, letter_context
from tests.gallery.letter_files import CHAT

MOST_WORDS, MOST_WITH_BOARD = 350, 600


@pytest.mark.parametrize("which", first(1, ["three-players", "two-players"]))
def test_a_letter_of_a_turn_has_few_words_before_the_board_and_with_it(which: str) -> None:
    for at, seat in (*stored_games.turns(which)[1::3], *stored_games.actions(which)[1::3]):
        text = game_letters.render_your_turn(stored_games.letter_context(which, at, seat)).text
        before, board, _ = text.partition("\n== The board ==\n")
        assert board
        assert len(before.split()) <= MOST_WORDS
        assert len(text.partition("\n== The game in two minutes ==")[0].split()) <= MOST_WITH_BOARD


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
        assert game_letters.render_message(made).subject == "Alexandros: Spring"
        assert game_letters.render_digest(made).subject == "Alexandros: Spring"


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
