"""The mails of a whole game: each turn is a conversation by its subject, and all hang together."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from select import select as ready
from subprocess import DEVNULL
from tempfile import mkdtemp

import pytest

from emails.i18n import Locale, use_locale
from emails.wording import phrases
from engine.cards import Symbol
from tests.judges.court import program
from tests.newcomers import adapter
from tests.newcomers.adapter import answer

pytestmark = pytest.mark.usefixtures("small_pictures")
BEGINNING = re.compile(r"^\s*((re|fwd?|aw|antw|sv)\s*(\[\d+\])?\s*:\s*)+", re.IGNORECASE)


@dataclass
class Mailbox:
    """The mails that one player got of a game, and during which of their turns."""

    name: str
    mails: list[EmailMessage] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    """For each the number of the turn of theirs that was the last to begin; 0 before the first."""


def whole_game(
    folder: Path, name: str = "Anna", *, most: int = 10, one: bool = False, dutch: bool = False
) -> Mailbox:
    """A game in which somebody does all that brings letters: mails, mistakes, questions, chat, lateness."""
    people = ("Anna", "Ben", "Cleo")
    post = adapter.open_post(folder, *people, seed=7)
    adapter.want(post, name, moves=True, messages=True)
    if one:
        adapter.want(post, name, one_conversation=True)
    if dutch:
        adapter.want(post, *people, language="nl")
    box = Mailbox(name)
    mine, begun = 0, -1

    def put(mails: Sequence[EmailMessage]) -> None:
        nonlocal mine, begun
        for mail in mails:
            if f"{name.lower()}@" not in str(mail["To"]).lower():
                continue
            if adapter.is_turn_letter(mail) and post.position.table.turn != begun:
                mine, begun = mine + 1, post.position.table.turn
            box.mails.append(mail)
            box.turns.append(mine)

    put(post.deliver())
    tongue = "nl" if dutch else "en"
    rounds = 0
    while not post.over and mine < most:
        rounds += 1
        if post.mover != name:
            if rounds % 4 == 0 and (mails := post.carrier.to(post.mover)):
                put(post.take_in(*answer(mails[-1], "say: my secret is safe", "k9", "en", post.mover)))
                mails = post.carrier.to(post.mover)
                put(post.take_in(*answer(mails[-1], f"tell {name}: psst, hush", "k9", "en", post.mover)))
            post.play_turn()
            put(post.deliver())
            continue
        letter = [mail for mail in post.carrier.to(name) if adapter.is_turn_letter(mail)][-1]
        if mine % 5 == 1:
            put(adapter.tick(post, 43))
        if mine % 3 == 1:
            for mistake in ("xyzzy plugh", "take banana"):
                put(post.take_in(*answer(letter, mistake, "gmail-web", tongue, name)))
        if mine % 3 == 2:
            put(post.take_in(*answer(letter, "board", "gmail-web", "en", name)))
        if mine % 2 == 0 and (choices := adapter.choices_in(letter)):
            put(post.take_in(*answer(letter, choices[0].letter, "gmail-web", tongue, name)))
        if not post.over and post.mover == name:
            post.play_turn()
            put(post.deliver())
    put(adapter.tick(post, 1))
    return box


# --- how programs hang mails together -------------------------------------------------------------------


def bare(subject: str) -> str:
    return BEGINNING.sub("", " ".join(subject.split())).strip().lower()


def by_subject(mails: Sequence[EmailMessage]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for number, mail in enumerate(mails):
        found[bare(str(mail["Subject"]))].append(number)
    return dict(found)


def by_references(mails: Sequence[EmailMessage]) -> list[set[int]]:
    """Mails that hang together by Message-ID, References and In-Reply-To, through ids that nobody has too."""
    owner: dict[str, set[int]] = {}
    for number, mail in enumerate(mails):
        ids = re.findall(r"<[^<>\s]+>", f"{mail['Message-ID']} {mail['References']} {mail['In-Reply-To']}")
        joined = {number}.union(*(owner.get(one, set()) for one in ids))
        for one in ids:
            owner[one] = joined
        for key, value in owner.items():
            if value & joined:
                owner[key] = joined
    return [set(one) for one in {frozenset(value) for value in owner.values()}]


def by_gmail(mails: Sequence[EmailMessage]) -> list[list[int]]:
    """As the large web mailers do: together by References, and apart where the subject is another."""
    found: list[list[int]] = []
    for together in by_references(mails):
        parts = by_subject([mails[number] for number in sorted(together)])
        order = sorted(together)
        found += [[order[one] for one in part] for part in parts.values()]
    return found


def _unlinked(mail: EmailMessage) -> EmailMessage:
    """The same without what it says of other mails."""
    alone = deepcopy(mail)
    for name in ("References", "In-Reply-To"):
        del alone[name]
    return alone


def maildir(folder: Path, mails: Sequence[EmailMessage]) -> Path:
    place = folder / "Mail"
    for name in ("cur", "new", "tmp"):
        (place / name).mkdir(parents=True)
    for number, mail in enumerate(mails):
        (place / "cur" / f"{number:06}.x:2,").write_bytes(mail.as_bytes())
    return place


def notmuch_threads(folder: Path, mails: Sequence[EmailMessage]) -> list[int]:
    """How many mails each thread has, as notmuch sees them."""
    runs = program("notmuch", package="notmuch")
    place = maildir(folder, mails)
    config = folder / "config"
    config.write_text(
        f"[database]\npath={place}\n[user]\nname=Anna\nprimary_email=anna@example.org\n[new]\ntags=\n"
    )
    env = {**os.environ, "NOTMUCH_CONFIG": str(config), "HOME": str(folder)}

    def said(*arguments: str) -> list[str]:
        return subprocess.check_output([runs, *arguments], env=env, text=True, stderr=DEVNULL).split()

    said("new")
    threads = said("search", "--output=threads", "*")
    return sorted(int(number) for one in threads for number in said("count", one))


def kept_by_rule(mails: Sequence[EmailMessage], begins: str) -> list[str]:
    """The bare subjects of what a rule of a mail program files: all whose subject begins so, answers too."""
    found = (bare(str(mail["Subject"])) for mail in mails)
    return [subject for subject in found if subject.startswith(begins.lower())]


def neomutt_thread(folder: Path, mails: Sequence[EmailMessage], *, by_subject: bool = False) -> int:
    """How many mails hang together with the last, as neomutt sees them: by References, or `by_subject`.

    By subject it is asked about mails that name none before them, as for a program that reads no References.
    """
    runs = program("neomutt", package="neomutt")
    place, out = maildir(folder, [_unlinked(mail) for mail in mails] if by_subject else mails), folder / "out"
    rc = folder / "rc"
    rc.write_text(
        f"set folder={folder}\nset spool_file={place}\nset sort=threads\nset mbox_type=mbox\nset quit=yes\n"
        "set confirm_append=no\nset confirm_create=no\nset delete=no\nset sleep_time=0\nset wait_key=no\n"
        f"set strict_threads={'no' if by_subject else 'yes'}\nset sort_re=no\n"
        "set header_cache=''\nset move=no\nset mark_old=no\n"
        f"push '<last-entry><tag-thread><tag-prefix><copy-message>{out}<enter><quit>'\n"
    )
    main, child = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "HOME": str(folder), "LINES": "40", "COLUMNS": "120"}
    with subprocess.Popen(
        [runs, "-n", "-F", str(rc), "-f", str(place)],
        stdin=child,
        stdout=child,
        stderr=child,
        env=env,
        start_new_session=True,
    ) as ran:
        os.close(child)
        for _ in range(400):
            if ran.poll() is not None:
                break
            if ready([main], [], [], 0.1)[0]:
                try:
                    os.read(main, 65536)
                except OSError:
                    break
        if ran.poll() is None:
            ran.kill()
    os.close(main)
    return out.read_bytes().count(b"\nFrom ") + 1 if out.exists() and out.stat().st_size else 0


# --- the tests ------------------------------------------------------------------------------------------

TURN = {"your_turn", "step", "reminder", "answer", "shown", "time_passed", "plan_played"}
TURN |= {"refused", "asked_back"}
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
    assert kinds >= {"your_turn", "refused", "asked_back", "shown", "message", "news"}, kinds
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
