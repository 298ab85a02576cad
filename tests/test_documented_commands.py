"""Every command that a document names is typed where there is something for it to do, and does what it says.

Each has a small server of its own: a game that runs, a letter that came back, a mail that was not understood,
a game that is over. What the document writes in capitals is what stands there.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlmodel import select

from server.cli import main
from server.inbox import dispatch, intake
from server.store.models import OutgoingLetter
from server.store.states import LetterState
from tests.breadth import first
from tests.paths import GAMES, TOP
from tests.server.admin.test_repairs import fail
from tests.server.beginnings import begin_game, begin_once
from tests.server.desk import NOON, Clock, Collector, Desk, desk
from tests.server.inbox.test_mail_dispatch import last_letter
from tests.server.lobby.table import known
from tests.test_documents import BLOCK, DOCUMENTS, IN_A_LINE


@dataclass(frozen=True)
class Expected:
    """What a command that a document names ends with, and one fact that it prints."""

    fact: str
    """An expression that is found in what it prints, with each run of blanks as one."""
    code: int = 0
    first: str = ""
    """What has to be typed before it, so that there is something for it to do."""
    given: str = ""
    about: str = "ben@example.org"
    resigned: bool = False
    """Whether whoever sits on the second seat has given the game up."""
    alone: bool = False
    """Whether nobody else may have the database open."""
    log: bool = False
    """Whether the log of a game that is over has been exported."""


MAIL = (
    "To: new@play.example.org\nFrom: anna@example.org\nMessage-ID: <2@example.org>\n\nBen <ben@example.org>\n"
)
ENDED = GAMES / "two-players.jsonl"
BACKUP, RESTORE = "backup COPY", "restore --replace COPY"
NEW = 'new --name "Friday" --seat "Anna <anna@example.org>" --seat "Ben <ben@example.org>" --seat house:easy'
EXPECTED = {
    NEW: Expected("Invited 2 people; it starts when all have accepted."),
    "games": Expected("GAME running turn 1 Friday"),
    "find WORD": Expected("GAME running turn 1 Friday"),
    "why ADDRESS": Expected("mail 1 to play@ refused with an answer: “march Nowhere”"),
    "show GAME": Expected("letters: 2 failed, 1 sent, 2 waiting"),
    "letters --failed": Expected("refused for good: 550 no such mailbox"),
    "resend LETTER": Expected("letter LETTER to ben@example.org is sent again"),
    "retry MAIL": Expected("mail 1 is read again; before: “march Nowhere”"),
    "pause GAME": Expected("GAME is paused: no time runs"),
    "resume GAME": Expected("GAME goes on", first="pause GAME"),
    "extend GAME HOURS": Expected("Ben has until "),
    "replace GAME SEAT ADDRESS": Expected("> plays on for Cleo in GAME, and all", about="dirk@example.org"),
    "address ADDRESS NEW": Expected("ben@example.net gets a confirmation request"),
    "offer GAME": Expected("2 Cleo", first="offer GAME 2", resigned=True),
    "ban WHAT": Expected("example.net is banned."),
    "ban somebody@example.org example.net 192.0.2.0/24 2001:db8::/48": Expected("2001:db8::/48 is banned."),
    "allow WHAT": Expected("example.net is allowed again.", first="ban example.net"),
    "suspend GAME": Expected("GAME is suspended."),
    "failing": Expected(r"anna@example.org since 2026-03-02 12:00 UTC GAME \(Anna\)"),
    "understood": Expected("nothing 1 mails 0 asked"),
    "data ADDRESS": Expected('"address": "ben@example.org"'),
    "data somebody@example.org": Expected(r'"players": \[\]'),
    "forget ADDRESS": Expected("No player here has the address ben@example.org any more.", given="y\n"),
    "forget --yes somebody@example.org": Expected(
        "No player here has the address somebody@example.org any more"
    ),
    "export GAME": Expected('"type": "game_started"'),
    "import FILE": Expected(r"^\w{8}$"),
    "replay LOG": Expected('"phase": "over"', log=True),
    "verify LOG": Expected(r"^1-\w{20} 2-", log=True),
    "verify LOG --head HEAD": Expected("^HEAD: ", code=1, log=True),
    "receive": Expected("^$", given=MAIL),
    "receive --to RECIPIENT --from SENDER": Expected("^$", given=MAIL),
    "migrate": Expected("has version", alone=True),
    "doctor": Expected("2 letters wait, the oldest due one for", code=1),
    "prune": Expected("Nothing else has expired."),
    "rebuild": Expected("2 games rebuilt"),
    BACKUP: Expected("2 games are copied to COPY"),
    RESTORE: Expected("The database is restored", first=BACKUP, alone=True),
    "restore --came-back-otherwise": Expected("The database is restored"),
    "secret": Expected(r"^[\w-]{43}$"),
    "--version": Expected("alexandros 0."),
}
ELSEWHERE = {
    "serve": "it runs until it is stopped: tests/server/test_serving.py starts it",
    "serve --only pages": "the same: tests/server/test_roles.py",
    "serve --only mail": "the same: tests/server/test_roles.py",
    "serve --only letters": "the same: tests/server/test_roles.py",
    "serve --only clock": "the same: tests/server/test_roles.py",
    "serve --only house": "the same: tests/server/test_roles.py",
    "demo": "it runs until it is stopped: tests/server/test_serving.py starts it",
    "check": "it asks the public DNS: tests/server/admin/test_setup_check.py answers it",
    "new": "the name of the command alone: with its arguments it stands above",
    "COMMAND": "any command",
}
"""Why each of the others is not typed here."""


def named() -> set[str]:
    """The commands that documents name, without the name of the program and what is said beside them."""
    found = set()
    for text in (file.read_text("utf-8") for file in DOCUMENTS):
        lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
        found |= {line for line in lines if line.startswith("alexandros ")} | set(IN_A_LINE.findall(text))
    return {line.removeprefix("alexandros ").partition("  #")[0].strip() for line in found}


def test_the_commands_that_need_no_settings_are_told() -> None:
    """All others say which are missing; the demo, which would run on, makes its own."""
    text = " ".join((TOP / "config/settings.md").read_text("utf-8").split())
    (told,) = re.findall(r"All subcommands but (.*?) need the same settings", text)
    needless = set()
    for line in sorted((EXPECTED.keys() | ELSEWHERE.keys()) - {"demo", "new", "COMMAND"}):
        command, *words = shlex.split(re.sub(r"\b[A-Z]+\b", "1", line))
        said = CliRunner().invoke(main, [command, *words], input="y\n").output
        if "ALEXANDROS_DATABASE is not set" not in said:
            needless.add(command)
    assert needless == {word.split()[0] for word in re.findall(r"`([^`]+)`", told)} - {"demo"}


@dataclass(frozen=True)
class House:
    """A small server, and what the words in capitals stand for there."""

    context: Desk
    words: dict[str, str]

    def fill(self, text: str) -> str:
        """An expression with what stands here in the place of each word in capitals."""
        for word, here in self.words.items():
            text = text.replace(word, re.escape(here))
        return text

    def type(self, line: str, given: str = "") -> tuple[int, str]:
        """Type a command; how it ends, and all that it prints."""
        arguments = [self.words.get(word, word) for word in shlex.split(line)]
        result = self.context.type_in(*arguments, given=given)
        return result.exit_code, " ".join(result.output.split())


def set_up(context: Desk, carrier: Collector) -> str:
    """Let there be something for each command to do; the two games and the letter, between blanks."""
    game = begin_game(context, carrier, "Anna", "Ben", "Cleo")
    known(context, "Dirk", Clock())
    context.confirm("Dirk")
    to = str(last_letter(context, carrier, "Ben")["Reply-To"])
    mail = f"From: Ben <ben@example.org>\r\nTo: {to}\r\nMessage-ID: <1@example.org>\r\n\r\nmarch Nowhere"
    intake.store_mail(context, "ben@example.org", to, mail.encode(), NOON)
    unclear = mail.replace("<1@", "<2@").replace("march Nowhere", "perhaps a temple, or a horse, to Athens")
    intake.store_mail(context, "ben@example.org", to, unclear.encode(), NOON)
    dispatch.process_waiting_mail(context, NOON)
    ended = context.type_in("import", str(ENDED)).output.split()[-1]
    fail(context, "anna@example.org")
    return f"{game} {ended} {give_up(context, game)}"


def give_up(context: Desk, game: str) -> int | None:
    """The letter of the turn has failed, though letters to its reader do not come back; its number."""
    with context.writing() as session:
        same = OutgoingLetter.game == game, OutgoingLetter.kind == "your_turn"
        letter = session.exec(select(OutgoingLetter).where(*same)).one()
        letter.state, letter.why, number = LetterState.FAILED, "554 not now", letter.id
        session.commit()
    return number


@pytest.fixture
def house(tmp_path: Path) -> House:
    context, carrier = desk(tmp_path), Collector()
    game, ended, letter = begin_once(context, carrier, lambda: set_up(context, carrier)).split()
    words = {"NEW": "ben@example.net", "WORD": "Friday", "WHAT": "example.net"}
    words |= {"GAME": game, "ENDED": ended, "SEAT": "2", "HOURS": "24", "MAIL": "1", "FILE": str(ENDED)}
    words |= {"HEAD": f"1-{'a' * 20}", "RECIPIENT": "new@play.example.org", "SENDER": "anna@example.org"}
    words |= {"LETTER": letter, "LOG": str(tmp_path / "ended.jsonl"), "COPY": str(tmp_path / "copy.db")}
    return House(context, words)


def test_each_command_that_a_document_names_is_typed_here_or_elsewhere_and_no_other() -> None:
    assert EXPECTED.keys() | ELSEWHERE.keys() == named()
    assert not EXPECTED.keys() & ELSEWHERE.keys()


@pytest.mark.parametrize("line", first(12, EXPECTED))
def test_a_command_that_a_document_names_does_what_it_says(house: House, line: str) -> None:
    expected = EXPECTED[line]
    house.words["ADDRESS"] = expected.about
    if expected.resigned:
        house.context.resign(house.words["GAME"], 1)
    if expected.log:
        Path(house.words["LOG"]).write_text(house.context.type_in("export", house.words["ENDED"]).stdout)
    if expected.first:
        assert house.type(expected.first)[0] == 0
    if expected.alone:
        house.context.database.dispose()
    code, said = house.type(line, expected.given)
    assert code == expected.code, said
    assert re.search(house.fill(expected.fact), said), said
