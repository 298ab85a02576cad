"""The mails of every kind of letter, judged by SpamAssassin and notmuch, and their size."""

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest

from emails.letters.renderer import Envelope, compose_mail, draw_pictures, make_message_id
from tests.gallery.letter_files import Specimen
from tests.gallery.samples import GAME, SAMPLE_LINKS
from tests.judges.court import gallery, program

MOST_SPAM = 1.0
MOST_BYTES, MOST_BYTES_OF_HTML = 150_000, 47_000
OTHER_GAME = "hgfedcba"
ABOUT_NO_GAME = ("confirm", "moved", "refused-no-game", "signin")


def mail(one: Specimen) -> bytes:
    return compose_mail(one.letter, one.envelope, draw_pictures(one.letter))


@pytest.mark.breadth
def test_no_letter_is_large() -> None:
    html = {name: len(one.letter.html.encode()) for name, one in gallery().items()}
    assert {name: size for name, size in html.items() if size > MOST_BYTES_OF_HTML} == {}
    whole = {name: len(mail(one)) for name, one in gallery().items()}
    assert {name: size for name, size in whole.items() if size > MOST_BYTES} == {}


# --- SpamAssassin ---------------------------------------------------------------------------------------


@pytest.mark.breadth
def test_no_letter_looks_like_spam(tmp_path: Path) -> None:
    judge = program("spamassassin", package="spamassassin")
    stored = tmp_path / "letters.mbox"
    stored.write_bytes(b"".join(map(in_mbox, gallery().values())))
    command = [judge, "--local", "--nocreate-prefs", "--cf=use_bayes 0", "--mbox", str(stored)]
    said = subprocess.run(command, env=os.environ | {"HOME": str(tmp_path)}, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    verdict = r"^X-Spam-Status: \w+, score=(\S+) required=\S+ tests=([\w,\s]+) autolearn="
    scores = re.findall(verdict, said.stdout, re.MULTILINE)
    judged = dict(zip(gallery(), scores, strict=True))
    assert {name: why for name, why in judged.items() if float(why[0]) > MOST_SPAM} == {}


def in_mbox(one: Specimen) -> bytes:
    lines = re.sub(rb"(?m)^(>*From )", rb">\1", mail(one).replace(b"\r\n", b"\n"))
    return b"From alexandros@example.org Thu Jan 14 18:00:00 2027\n" + lines + b"\n"


# --- notmuch --------------------------------------------------------------------------------------------


def correspondence(game: str) -> Iterator[tuple[str, bytes]]:
    """What lies in the mailbox of somebody who plays this game, with the id of each mail.

    All letters; an answer to the last, and a new mail that a link of a letter began; what came back.
    """
    number = 0
    letters = [one for one in gallery().values() if one.language == "en" and one.name not in ABOUT_NO_GAME]
    for number, one in enumerate(letters):
        answers = f"<{game}-{number}@anna.example.org>" if one.envelope.answers else None
        moved = in_game(one, game, number, answers)
        yield moved.envelope.message_id, mail(moved)
    for heading, to in (("answer", in_game(letters[-1], game, number, None).envelope), ("link", None)):
        written = f"<{game}-{heading}@anna.example.org>"
        yield written, by_player(written, to)
        number += 1
        heard = in_game(letters[0], game, number, written)
        yield heard.envelope.message_id, mail(heard)


def in_game(one: Specimen, game: str, number: int, answers: str | None) -> Specimen:
    """The letter as one of this game, about act number so and so."""
    envelope = replace(
        one.envelope,
        message_id=make_message_id(game, number, 0, one.letter.kind, SAMPLE_LINKS.domain),
        root=f"<{game}@{SAMPLE_LINKS.domain}>",
        answers=answers,
        earlier=(),
    )
    return replace(one, envelope=envelope)


def by_player(name: str, to: Envelope | None) -> bytes:
    made = EmailMessage()
    made["From"], made["To"], made["Message-ID"] = "anna@example.org", f"play@{SAMPLE_LINKS.domain}", name
    made["Date"] = "Thu, 14 Jan 2027 19:00:00 +0000"
    made["Subject"] = "Alexandros" if to is None else "Re: Alexandros: Spring"
    if to is not None:
        made["In-Reply-To"], made["References"] = to.message_id, f"{to.root} {to.message_id}"
    made.set_content("choose lyre\n")
    return made.as_bytes()


@pytest.mark.breadth
def test_all_letters_of_a_game_are_one_thread_and_another_game_is_another(tmp_path: Path) -> None:
    judge = program("notmuch", package="notmuch")
    inbox = tmp_path / "mail"
    for folder in ("cur", "new", "tmp"):
        (inbox / folder).mkdir(parents=True)
    games = {game: dict(correspondence(game)) for game in (GAME, OTHER_GAME)}
    for game, mails in games.items():
        for number, raw in enumerate(mails.values()):
            (inbox / "cur" / f"{game}-{number}:2,S").write_bytes(raw)
    settings = tmp_path / "settings"
    settings.write_text(f"[database]\npath={inbox}\n[user]\nname=Anna\nprimary_email=anna@example.org\n")

    def asked(*words: str) -> str:
        command = [judge, f"--config={settings}", *words]
        environment = os.environ | {"HOME": str(tmp_path)}
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    asked("new", "--quiet")
    assert asked("count", "--output=threads", "*") == "2"
    for mails in games.values():
        thread = asked("search", "--output=threads", f"id:{next(iter(mails))[1:-1]}")
        assert asked("count", thread) == str(len(mails))
