"""A reply of one letter plays what the letter it answers printed under it, and never anything else."""

from __future__ import annotations

import re
from email.message import EmailMessage
from random import Random

import pytest

from engine.actions import Action
from engine.notation.grammar import read
from engine.notation.orders import write
from tests.breadth import BREADTH, first
from tests.newcomers import adapter
from tests.newcomers.adapter import Offered, Post
from tests.newcomers.answering import PROGRAMS, answer

BOTH = ("en", "nl")
TONGUES = pytest.mark.parametrize("tongue", [pytest.param(one, marks=BREADTH) for one in BOTH])
LETTERS = [
    (program, tongue, turns)
    for program, turns in zip(PROGRAMS, (1, 6, 13, 1, 6, 13), strict=True)
    for tongue in BOTH
]
"""Answers by each program in each language, to a letter before which so many turns were played."""
pytestmark = pytest.mark.usefixtures("small_pictures")


def begun(tmp_path, turns: int, tongue: str, *people: str) -> tuple[Post, EmailMessage]:
    """A game in which so many turns were played, and the letter to whoever is to move."""
    post = adapter.open_post(tmp_path, *(people or ("Anna", "Ben")), seed=turns)
    if tongue == "nl":
        adapter.speak_dutch(post, *(people or ("Anna", "Ben")))
    post.deliver()
    mails: list[EmailMessage] = []
    for _ in range(turns):
        post.play_turn()
        mails += post.deliver()
    return post, turn_letter(post)


def turn_letter(post: Post) -> EmailMessage:
    """The newest letter of a turn to whoever is to move."""
    return [mail for mail in post.carrier.to(post.mover) if adapter.is_turn_letter(mail)][-1]


def played_words(post: Post, since: int) -> list[str]:
    """The acts since one, in words as they were understood."""
    return adapter.words_of_acts(post, since)


def offered(mail: EmailMessage) -> dict[str, Offered]:
    found = {one.letter: one for one in adapter.choices_in(mail)}
    assert found, "the letter offers nothing"
    return found


@pytest.mark.parametrize(("program", "tongue", "turns"), first(1, LETTERS))
def test_a_letter_plays_what_is_printed_under_it(tmp_path, program, tongue, turns):
    dice = Random(f"{program} {tongue}")
    post, mail = begun(tmp_path, turns, tongue)
    choices = offered(mail)
    letter = dice.choice([*choices])
    said = dice.choice([letter, letter.upper(), f"{letter}.", f" {letter} ", f"{letter})"])
    before, who = post.after, post.mover
    answers = post.take_in(*answer(mail, said, program, tongue, who))
    acts = played_words(post, before)
    assert acts == [choices[letter].words], (said, choices[letter], acts, [m["Subject"] for m in answers])


@TONGUES
def test_the_text_prints_the_same_letters_as_the_html(tmp_path, tongue):
    _, mail = begun(tmp_path, 5, tongue)
    text = adapter.words_of(mail)
    for one in offered(mail).values():
        title = one.said.split(" ", 1)[1]
        form = re.compile(rf"\s*\*?\s*{one.letter}[.):]?\s")
        line = next((line for line in text.splitlines() if form.match(line)), "")
        assert line, (one, text[:2000])
        assert title.split()[0].strip(".,:;").lower() in " ".join(text.lower().split()), (title, line)


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
    before, facts = post.after, post.facts()
    answers = post.take_in(*answer(old, letter, program, tongue, who))
    assert post.facts() == facts, played_words(post, before)
    mine = [mail for mail in answers if who.lower() in str(mail["To"]).lower()]
    assert len(mine) == 1, [mail["Subject"] for mail in answers]
    assert turn_letter(post)["Message-ID"]
    said = adapter.words_of(mine[0])
    assert len(said.split()) > 8, said


@TONGUES
def test_a_letter_out_of_turn_or_beyond_the_last_plays_nothing(tmp_path, tongue):
    post, mail = begun(tmp_path, 3, tongue)
    choices, facts, who = offered(mail), post.facts(), post.mover
    for said in ("z", "q", "ab", "0", "e5", "aa", "a b", "a or b", "a?", "not a", "a, b", "b no wait c"):
        if said in choices:
            continue
        post.take_in(*answer(mail, said, "gmail-web", tongue, who))
        assert post.facts() == facts, said
    other = next(name for name in ("Anna", "Ben") if name != who)
    theirs = post.carrier.to(other)[-1]
    post.take_in(*answer(theirs, "a", "gmail-web", tongue, other))
    assert post.facts() == facts


@TONGUES
def test_a_letter_with_more_behind_it(tmp_path, tongue):
    """`b` and then words for everybody: the turn is played, and what was said is said."""
    post, mail = begun(tmp_path, 3, tongue)
    choices, who, before = offered(mail), post.mover, post.after
    letter = [*choices][-1]
    say = "say: well played" if tongue == "en" else "zeg: well played"
    post.take_in(*answer(mail, f"{letter}\n{say}", "gmail-web", tongue, who))
    assert played_words(post, before) == [choices[letter].words]


@TONGUES
def test_the_same_reply_twice_plays_once(tmp_path, tongue):
    post, mail = begun(tmp_path, 3, tongue)
    before, sent = post.after, answer(mail, "a", "gmail-web", tongue, post.mover)
    post.take_in(*sent)
    after = post.after
    post.take_in(*sent)
    assert post.after == after > before


@TONGUES
def test_a_reply_to_somebody_elses_letter_plays_nothing(tmp_path, tongue):
    """A letter that was passed on: its ticket from another address."""
    post, mail = begun(tmp_path, 3, tongue)
    facts = post.facts()
    _, address, raw = answer(mail, "a", "gmail-web", tongue, "Dirk")
    post.take_in("dirk@example.org", address, raw)
    assert post.facts() == facts


@pytest.mark.breadth
def test_what_a_letter_prints_is_what_the_rules_allow(tmp_path):
    """How all choices of some letters begin."""
    for turns in range(2, 12, 3):
        folder = tmp_path / str(turns)
        folder.mkdir()
        post, mail = begun(folder, turns, "en")
        now = post.position
        actions = list[Action]()
        for one in offered(mail).values():
            first = one.words.split("; ")[0]
            actions.append(read(first, post.known()))
            assert write(actions[-1], now.table.board) == first
