"""Letters and links that version 0.1 has sent still lead somewhere, and the letters that waited leave.

`sent_before/` holds a database of commit 7aa88f80 (schema 0017) with running, finished, open and proposed
games, waiting letters, plans and absences, and the letters that its readers have: each kind,
sent over ten days in March 2026. It stays as it is; each later program has to open it.
"""

import json
import lzma
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from click.testing import CliRunner

from engine import bots
from server.cli import main
from server.clock import tick
from server.inbox.intake import store_mail
from server.settings import Settings
from server.store.models import IncomingMail, OutgoingLetter
from server.store.states import Channel, GameStatus, LetterState, MailState
from server.store.turn_clock import find_deadline, unavailable_times_of
from server.turn_time import count_time
from server.turns.play import play_turn
from tests.breadth import spread
from tests.server import desk
from tests.server.desk import Clock, Collector, Desk
from tests.server.web.site import Site

pytestmark = pytest.mark.breadth

FOLDER = Path(__file__).parent / "sent_before"
SENT = json.loads(lzma.decompress((FOLDER / "letters.json.xz").read_bytes()))
LETTERS = SENT["letters"]
ANSWERS = {"refused": "1", "asked_back": "yes", "invitation": "yes", "motion": "yes", "seat_claim": "yes"}
"""What a reader answers to a kind of letter; to all others with the first turn that it offers."""
SHORT_LIVED = ("/s/", "/c/", "/n/", "/u/")
"""Links that had ended when the last letter was sent: of days ago, or of a game that was proposed alone."""


def migrated(archive: Path, folder: Path, given: dict[str, str]) -> dict[str, str]:
    """Bring a database of that version to today's; the settings with which it is used."""
    file = folder / "games.sqlite"
    file.touch(0o600)
    file.write_bytes(lzma.decompress(archive.read_bytes()))
    given = given | {desk.DATABASE: f"sqlite:///{file}"}
    done = CliRunner(env=given).invoke(main, ["migrate"])
    assert done.exit_code == 0, done.output
    return given


def service(folder: Path, secret: str = SENT["secret"]) -> Site:
    """The service of that database, a moment after its last letter, with today's program."""
    given = {f"ALEXANDROS_{name.upper()}": SENT[name] for name in ("base_url", "mail_domain", "mail_from")}
    given |= {"ALEXANDROS_SECRET": secret, "ALEXANDROS_MAIL_OUT": "local"}
    given = migrated(FOLDER / "games.sqlite.xz", folder, given)
    return Site(desk.open_desk(Settings.read(given)), Clock(datetime.fromisoformat(SENT["ended"])))


@pytest.fixture
def place(tmp_path: Path) -> Site:
    return service(tmp_path)


def letters_in(place: Site, state: LetterState) -> set[int]:
    return set(place.context.rows_of(OutgoingLetter.id, OutgoingLetter.state == state))


def answer(number: int, letter: dict[str, Any]) -> bytes:
    """A reply to a letter, with the letter quoted below it."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = letter["to"], letter["reply_to"], f"Re: {letter['subject']}"
    mail["Message-ID"], mail["In-Reply-To"] = f"<{number}@client.example.org>", letter["message_id"]
    quoted = "\n".join(f"> {line}" for line in letter["text"].splitlines())
    mail.set_content(f"{ANSWERS.get(letter['kind'], 'a')}\n\n{quoted}")
    return bytes(mail)


def test_each_link_leads_to_a_page_that_leads_on(place):
    lost = []
    for link in dict.fromkeys(link for letter in LETTERS for link in letter["links"]):
        visitor = place.visitor().get(link)
        ended = (404, 410) if link.startswith(SHORT_LIVED) else (410,)
        leads_on = visitor.page.xpath("//a[@href] | //main//button")
        if visitor.answer.status_code not in (200, *ended) or not leads_on:
            lost.append((link, visitor.answer.status_code, visitor.title))
    assert not lost


def test_each_answer_is_played_or_explained_and_no_letter_is_stuck(place):
    carrier, played, unanswered = Collector(), set(), set()
    waited = letters_in(place, LetterState.WAITING)
    for number, letter in reversed(list(enumerate(LETTERS))):
        if "+" not in letter["reply_to"]:
            continue
        store_mail(place.context, letter["to"], letter["reply_to"], answer(number, letter), place.clock())
        before = len(carrier.mails)
        place.context.work_until_idle(carrier, place.clock())
        row = place.context.rows_of(IncomingMail)[-1]
        assert row is not None
        assert row.state in (MailState.PLAYED, MailState.ASKED, MailState.REFUSED, MailState.IGNORED), letter[
            "kind"
        ]
        if row.state == MailState.PLAYED:
            played.add(letter["kind"])
        elif len(carrier.mails) == before:
            unanswered.add(letter["kind"])
    expected = "your_turn digest reminder refused invitation seat_claim seat_offered proposal"
    assert played >= set(expected.split())
    # An address that waits for a yes answers no other word, nor a seat whose loss was told before.
    silent = {"confirm", "moved", "move_asked", "absence", "accepted", "called_off", "seat_offered"}
    assert unanswered <= silent | {"invitation"}
    place.context.work_until_idle(carrier, place.clock.forward(24))
    assert waited
    assert not waited & letters_in(place, LetterState.WAITING)
    assert not letters_in(place, LetterState.FAILED)


FILE = Path(__file__).parent / "sent_before/clocks.sqlite.xz"
ENDED = datetime(2026, 3, 2, 16, 0, tzinfo=UTC)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
NIGHT = timedelta(hours=11)
"""By how much a deadline moves at most that falls into a night."""
MOST_TURNS = 400
CLOCKS = [
    "own reserve",
    "live of one hour",
    "asked: resume",
    "plain hours",
    "reserve",
    "own hours",
    "yearly allowance",
    "days of one game",
    "no limit",
    "turn taken by the caretaker",
    "stored plan",
    "asked: more time",
    "asked: pause",
    "asked: close the game",
    "asked: go on without",
    "asked: replace",
    "offered seat",
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clocks")
    migrated(FILE, folder, desk.GIVEN)
    return folder / "games.sqlite"


@pytest.fixture
def context(file: Path, tmp_path: Path) -> Desk:
    (tmp_path / "games.sqlite").touch(0o600)
    copyfile(file, tmp_path / "games.sqlite")
    return desk.desk(tmp_path)


def stored_before(folder: Path) -> dict[str, tuple[str, timedelta, datetime | None]]:
    """The id of each game, the time of a turn with its whole reserve, and the deadline, as stored."""
    old = folder / "before.sqlite"
    old.write_bytes(lzma.decompress(FILE.read_bytes()))
    with closing(sqlite3.connect(old)) as connection:
        rows = connection.execute("SELECT name, id, hours + bank, deadline FROM game").fetchall()
    return {
        name: (game, hours * HOUR, None if due is None else datetime.fromisoformat(due).replace(tzinfo=UTC))
        for name, game, hours, due in rows
    }


def test_the_games_are_those_of_the_file(tmp_path):
    assert stored_before(tmp_path).keys() == set(CLOCKS)


@pytest.mark.parametrize("name", spread(4, CLOCKS))
def test_a_game_keeps_its_clock_and_is_played_to_its_end(context, tmp_path, name):
    game, whole, deadline = stored_before(tmp_path)[name]
    clock, carrier, began = Clock(ENDED), Collector(), context.game_row(game)
    assert began.deadline == deadline
    if deadline is not None:
        context.work_until_idle(carrier, ENDED + MINUTE)
        with context.reading() as session:
            ends = find_deadline(session, began, ENDED)
        assert ends is not None
        assert deadline <= ends <= deadline + NIGHT
        for clock.now in (deadline - MINUTE, ends - MINUTE):
            context.work_until_idle(carrier, clock())
            assert context.game_row(game).turn == began.turn
        clock.now = ends
        context.work_until_idle(carrier, clock())
        now = context.game_row(game)
        assert now.turn > began.turn
        assert now.turn_began_at == ends
        assert now.deadline is not None
        with context.reading() as session:
            unavailable = unavailable_times_of(session, game, now.seat)
        assert count_time(ends, now.deadline, unavailable) == whole
    play_on(context, game, clock)
    assert context.game_row(game).status == GameStatus.OVER
    context.work_until_idle(carrier, clock())
    assert {str(mail["X-Alexandros"]) for mail in carrier.mails} >= {"game_over"}


def play_on(context: Desk, game: str, clock: Clock) -> None:
    """Let a game be played to its end, by its players and by caretakers."""
    for _ in range(MOST_TURNS):
        tick(context, clock())
        row = context.game_row(game)
        if row.status == GameStatus.OVER:
            return
        play_turn(context, game, row.after, bots.stand_in, Channel.WEB, clock.forward(0.3))


def test_control_under_another_secret_no_sealed_link_opens(tmp_path: Path) -> None:
    client = service(tmp_path, "another secret of more than sixteen letters").app.test_client()
    links = {link for letter in LETTERS for link in letter["links"] if link.startswith("/t/")}
    assert {client.get(link).status_code for link in links} == {404}
