"""A reply of one letter plays what the letter it answers printed under it, and never anything else."""

from __future__ import annotations

import re
from email.message import EmailMessage
from random import Random

import pytest

from engine.notation.grammar import read
from engine.notation.orders import write
from tests.newcomers import adapter
from tests.newcomers.adapter import PROGRAMS, Offered, Post, answer

BOTH = ("en", "nl")
TONGUES = pytest.mark.parametrize("tongue", BOTH)
LETTERS = [
    (program, tongue, turns)
    for program, turns in zip(PROGRAMS, (1, 6, 13, 1, 6, 13), strict=True)
    for tongue in BOTH
]
"""Answers by each program in each language, to a letter before which so many turns were played."""
pytestmark = pytest.mark.usefixtures("small_pictures")


def begun(tmp_path, turns: int, tongue: str) -> tuple[Post, EmailMessage]:
    """A game in which so many turns were played, and the letter to whoever is to move."""
    post = adapter.open_post(tmp_path, "Anna", "Ben", seed=turns)
    adapter.want(post, "Anna", "Ben", language=tongue)
    post.deliver()
    for _ in range(turns):
        post.play_turn()
        post.deliver()
    return post, turn_letter(post)


def turn_letter(post: Post) -> EmailMessage:
    """The newest letter of a turn to whoever is to move."""
    return [mail for mail in post.carrier.to(post.mover) if adapter.is_turn_letter(mail)][-1]


def offered(mail: EmailMessage) -> dict[str, Offered]:
    found = {one.letter: one for one in adapter.choices_in(mail)}
    assert found, "the letter offers nothing"
    return found


def played(post: Post, *sent: object) -> list[str]:
    """What a mail plays, in words as it was understood; where that is nothing, nothing happens at all."""
    before, happened = post.after, post.context.facts(post.game)
    post.take_in(*sent)
    acts = adapter.words_of_acts(post, before)
    assert acts or post.context.facts(post.game) == happened
    return acts


@pytest.mark.parametrize(("program", "tongue", "turns"), LETTERS)
def test_a_letter_plays_what_is_printed_under_it(tmp_path, program, tongue, turns):
    dice = Random(f"{program} {tongue}")
    post, mail = begun(tmp_path, turns, tongue)
    choices = offered(mail)
    letter = dice.choice([*choices])
    said = dice.choice([letter, letter.upper(), f"{letter}.", f" {letter} ", f"{letter})"])
    assert played(post, *answer(mail, said, program, tongue, post.mover)) == [choices[letter].words], said


@TONGUES
def test_the_text_prints_the_same_letters_as_the_html(tmp_path, tongue):
    _, mail = begun(tmp_path, 5, tongue)
    text = adapter.words_of(mail)
    for one in offered(mail).values():
        title = one.said.split(" ", 1)[1]
        form = re.compile(rf"\s*\*?\s*{one.letter}[.):]?\s")
        assert [line for line in text.splitlines() if form.match(line)], (one, text[:2000])
        assert title.split()[0].strip(".,:;").lower() in " ".join(text.lower().split()), title


@TONGUES
@pytest.mark.parametrize("program", ["gmail-web", "outlook-classic", "k9"])
def test_an_old_letter_plays_nothing(tmp_path, program, tongue):
    """Neither the turn it offered then nor what the newest letter prints under the same letter."""
    post, old = begun(tmp_path, 4, tongue)
    who, letter = post.mover, next(iter(offered(old)))
    for _ in range(2):
        post.play_turn()
        post.deliver()
    assert post.mover == who
    assert turn_letter(post)["Message-ID"] != old["Message-ID"]
    before = len(post.carrier.to(who))
    assert played(post, *answer(old, letter, program, tongue, who)) == []
    [told] = post.carrier.to(who)[before:]
    assert len(adapter.words_of(told).split()) > 8


@TONGUES
def test_no_other_letter_and_no_other_reader_plays_anything(tmp_path, tongue):
    """A letter that is not offered, or not alone; one out of turn; and one that was passed on."""
    post, mail = begun(tmp_path, 3, tongue)
    who = post.mover
    for said in ("z", "q", "ab", "0", "e5", "aa", "a b", "a or b", "a?", "not a", "a, b", "b no wait c"):
        if said not in offered(mail):
            assert played(post, *answer(mail, said, "gmail-web", tongue, who)) == [], said
    other = next(name for name in ("Anna", "Ben") if name != who)
    theirs = post.carrier.to(other)[-1]
    assert played(post, *answer(theirs, "a", "gmail-web", tongue, other)) == []
    assert played(post, *answer(mail, "a", "gmail-web", tongue, "Dirk")) == []


@TONGUES
def test_a_letter_with_words_for_everybody_behind_it_plays_its_turn(tmp_path, tongue):
    post, mail = begun(tmp_path, 3, tongue)
    letter, choice = [*offered(mail).items()][-1]
    say = "say: well played" if tongue == "en" else "zeg: well played"
    sent = answer(mail, f"{letter}\n{say}", "gmail-web", tongue, post.mover)
    assert played(post, *sent) == [choice.words]


@TONGUES
def test_the_same_reply_twice_plays_once(tmp_path, tongue):
    post, mail = begun(tmp_path, 3, tongue)
    sent = answer(mail, "a", "gmail-web", tongue, post.mover)
    assert played(post, *sent)
    after = post.after
    post.take_in(*sent)
    assert post.after == after


def test_what_a_letter_prints_is_what_the_rules_allow(tmp_path):
    """How all choices of some letters begin."""
    for turns in range(2, 12, 3):
        folder = tmp_path / str(turns)
        folder.mkdir()
        post, mail = begun(folder, turns, "en")
        for one in offered(mail).values():
            first = one.words.split("; ")[0]
            assert write(read(first, post.known()), post.position.table.board) == first
