"""The mails of a whole game: each turn is a conversation by its subject, and all hang together."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from emails.i18n import Locale, use_locale
from emails.wording import phrases
from engine.cards import Symbol
from tests.newcomers import adapter
from tests.newcomers.conversations import (
    Mailbox,
    bare,
    by_gmail,
    by_references,
    by_subject,
    kept_by_rule,
    neomutt_thread,
    notmuch_threads,
    whole_game,
)

pytestmark = pytest.mark.usefixtures("small_pictures")
TURN, REST = (
    {"your_turn", "step", "reminder", "answer", "shown", "asked_back", "time_passed", "plan_played"},
    {"news", "message"},
)
PLAIN = {
    "en": ("temple", "amphora", "horse", "lyre", "soldier", "hand"),
    "nl": ("tempel", "amfora", "paard", "harp", "lier", "waterkruik", "soldaat", "hand"),
}
DUTCH = pytest.mark.parametrize("dutch", [False, True], ids=["en", "nl"])


@cache
def box(*, one: bool = False, dutch: bool = False) -> Mailbox:
    return whole_game(Path(mkdtemp()), one=one, dutch=dutch)


def show(found: Mailbox) -> str:
    return "\n".join(
        f"{turn} {adapter.kind_of(mail)}: {mail['Subject']} | {adapter.preheader(mail)}"
        for turn, mail in zip(found.turns, found.mails, strict=True)
    )


@DUTCH
def test_the_game_has_letters_of_many_kinds(dutch):
    kinds = {adapter.kind_of(mail) for mail in box(dutch=dutch).mails}
    assert kinds >= {"your_turn", "refused", "shown", "message", "news"}, kinds
    assert len(box(dutch=dutch).mails) > 30


@DUTCH
def test_each_turn_of_mine_is_one_conversation(dutch):
    found = box(dutch=dutch)
    subjects: dict[int, set[str]] = {}
    for turn, mail in zip(found.turns, found.mails, strict=True):
        if adapter.kind_of(mail) in TURN and turn:
            subjects.setdefault(turn, set()).add(bare(str(mail["Subject"])))
    several = {turn: each for turn, each in subjects.items() if len(each) != 1}
    assert not several, (several, show(found))
    heads = [next(iter(each)) for each in subjects.values()]
    assert len(set(heads)) == len(heads), (heads, show(found))


@DUTCH
def test_nothing_of_another_turn_stands_in_a_conversation(dutch):
    found = box(dutch=dutch)
    for subject, numbers in by_subject(found.mails).items():
        if {adapter.kind_of(found.mails[number]) for number in numbers} == {"message"}:
            continue  # what one person writes may be one conversation
        turns = {found.turns[number] for number in numbers}
        assert len(turns) == 1, (subject, turns, show(found))


@DUTCH
def test_by_gmail_a_turn_is_one_conversation_too(dutch):
    found = box(dutch=dutch)
    for numbers in by_gmail(found.mails):
        if {adapter.kind_of(found.mails[number]) for number in numbers} == {"message"}:
            continue
        assert len({found.turns[number] for number in numbers}) == 1, [
            found.mails[n]["Subject"] for n in numbers
        ]
    letters = [n for n, mail in enumerate(found.mails) if adapter.kind_of(mail) in TURN and found.turns[n]]
    for turn in {found.turns[n] for n in letters}:
        mine = {n for n in letters if found.turns[n] == turn}
        assert any(mine <= set(each) for each in by_gmail(found.mails)), turn


@DUTCH
def test_all_mails_of_a_game_hang_together(dutch):
    found = box(dutch=dutch)
    assert len(by_references(found.mails)) == 1
    ids = [str(mail["Message-ID"]) for mail in found.mails]
    assert len(set(ids)) == len(ids)


def test_notmuch_sees_one_thread(tmp_path):
    assert notmuch_threads(tmp_path, box().mails) == [len(box().mails)]


def test_neomutt_sees_one_thread(tmp_path):
    assert neomutt_thread(tmp_path, box().mails) == len(box().mails)


def test_neomutt_sees_a_turn_by_its_subject(tmp_path):
    """As a program does that reads no References: all mails of the last turn, and no other."""
    found = box()
    last = max(n for n, mail in enumerate(found.mails) if adapter.kind_of(mail) in TURN) + 1
    subject = bare(str(found.mails[last - 1]["Subject"]))
    alike = sum(bare(str(mail["Subject"])) == subject for mail in found.mails[:last])
    assert neomutt_thread(tmp_path, found.mails[:last], by_subject=True) == alike


@DUTCH
def test_a_rule_by_the_name_of_the_game_files_all_its_mails(dutch):
    mails = box(dutch=dutch).mails
    assert len(kept_by_rule(mails, "Friday:")) == len(mails)
    turns = [mail for mail in mails if adapter.is_turn_letter(mail)]
    filed = kept_by_rule(mails, "Friday: jouw beurt" if dutch else "Friday: your turn")
    assert {bare(str(mail["Subject"])) for mail in turns} == {*filed}


def test_whoever_wants_one_conversation_has_one(tmp_path):
    found = box(one=True)
    assert len(by_subject(found.mails)) == 1, [*by_subject(found.mails)]
    assert len(kept_by_rule(found.mails, "Alexandros: Friday")) == len(found.mails)
    for name in ("notmuch", "references", "subject"):
        (tmp_path / name).mkdir()
    assert notmuch_threads(tmp_path / "notmuch", found.mails) == [len(found.mails)]
    assert neomutt_thread(tmp_path / "references", found.mails) == len(found.mails)
    assert neomutt_thread(tmp_path / "subject", found.mails, by_subject=True) == len(found.mails)


@DUTCH
def test_subjects_say_something_and_are_short(dutch):
    for mail in box(dutch=dutch).mails:
        subject = str(mail["Subject"])
        assert "Friday" in subject, subject
        assert len(subject) <= 78, subject


@DUTCH
def test_a_list_of_mails_shows_nothing_that_a_stranger_may_not_see(dutch):
    found = box(dutch=dutch)
    for mail in found.mails:
        for what, said in (("subject", str(mail["Subject"])), ("preheader", adapter.preheader(mail))):
            if what == "preheader" and adapter.kind_of(mail) == "message":
                continue
            for word in PLAIN["nl" if dutch else "en"]:
                a_place = "|".join(("north of", "south of", "ten noorden", "ten zuiden"))
                assert not re.search(rf"\b{word}s?\b(?! ({a_place}))", said, re.IGNORECASE), (what, said)
            assert "/t/" not in said, (what, said)
            assert "hush" not in said, (what, said)
        assert "secret is safe" not in str(mail["Subject"])


@DUTCH
def test_the_preheader_says_what_the_subject_does_not(dutch):
    for mail in box(dutch=dutch).mails:
        said, subject = adapter.preheader(mail), bare(str(mail["Subject"]))
        assert said, subject
        assert bare(said) != subject
        assert not bare(said).startswith(subject), (said, subject)


def test_the_words_that_are_looked_for_are_the_words_of_cards():
    with use_locale(Locale("nl")):
        dutch = {phrases.symbol_name(one) for one in Symbol}
    assert {one.lower() for one in dutch} <= set(PLAIN["nl"]), dutch
    assert {one.value for one in Symbol} <= set(PLAIN["en"])


# --- controls -------------------------------------------------------------------------------------------


def test_control_programs_part_what_does_not_hang_together(tmp_path):
    for name in "abnm":
        (tmp_path / name).mkdir()
    one, other = (whole_game(tmp_path / name, most=2) for name in "ab")
    both = [*one.mails, *other.mails]
    assert len(by_references(both)) == 2
    assert len(notmuch_threads(tmp_path / "n", both)) == 2
    assert neomutt_thread(tmp_path / "m", both) in (len(one.mails), len(other.mails))
