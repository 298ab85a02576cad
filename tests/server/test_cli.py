"""The command line: what it prints and loads, and the one sentence when it cannot do what is typed."""

import json
import os
import re
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from itertools import takewhile

import pytest
from click.testing import CliRunner
from sqlalchemy import create_engine, inspect
from sqlalchemy.engine import make_url
from sqlmodel import select

from emails.replies.screening import LARGEST_ACCEPTED
from emails.terms import TURN_TIMES, Tempo, TurnTime
from server.accounts.bounces import record_bounce
from server.cli import console, main
from server.delivery.relay import choose_transport
from server.delivery.sending import send_due_letters
from server.inbox import intake
from server.outbox.notifications import load_note
from server.outbox.queue import open_unit
from server.settings import file_of_database
from server.store.game_terms import terms_of
from server.store.models import Game, LocalMail, OutgoingLetter, Seating
from server.store.turn_clock import turn_time_of
from tests.breadth import first
from tests.paths import BOARD_FILE, GAMES, TOP
from tests.server.desk import DATABASE, GIVEN, NOON, body, sealed_address
from tests.server.storage import storage

TWO = ("--seat", "Anna <anna@example.org>", "--seat", "Ben <ben@example.org>")
WITH_HOUSE = ("--seat", "Anna <anna@example.org>", "--seat", "house")


def run(*arguments, given=b"", environment=None):
    return CliRunner(env=environment).invoke(main, [str(one) for one in arguments], input=given)


def new(context, *flags, seats=TWO):
    """Open a game; its id, which stands alone on the last line."""
    return context.type_in("new", "--name", "Friday", *seats, *flags).stdout.splitlines()[-1]


def is_a_sentence(result, code=2):
    return (result.exit_code, result.stdout, result.stderr.count("\n")) == (code, "", 1)


# --- logs and games -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["two-players", "three-players"])
class TestReplay:
    def test_it_prints_the_position_after_the_last_event(self, name):
        result = run("replay", GAMES / f"{name}.jsonl")
        assert result.exit_code == 0
        assert json.loads(result.stdout) == json.loads((GAMES / f"{name}.final.json").read_text())
        assert result.stdout.count("\n") == 1

    def test_every_position_with_its_legal_actions(self, name):
        log = b"".join((GAMES / f"{name}.jsonl").read_bytes().splitlines(keepends=True)[:24])
        result = run("replay", "-", "--every", "--legal", given=log)
        wanted = [json.loads(line) for line in (GAMES / f"{name}.first24.jsonl").read_text().splitlines()]
        assert [json.loads(line) for line in result.stdout.splitlines()] == wanted


@pytest.mark.parametrize("log", [b"", b"\n", b"{}", b"[]", b'"\xff"', b'{"type": "turn_ended", "seat": 0}'])
def test_a_wrong_log_ends_with_one_line_and_status_2(log):
    result = run("replay", "-", given=log)
    assert is_a_sentence(result)
    assert result.stderr.startswith("event 1: ")


def test_a_board_of_ones_own(tmp_path):
    log = GAMES / "two-players.jsonl"
    board = tmp_path / "board.toml"
    board.write_text(BOARD_FILE.read_text())
    renamed = log.read_bytes().replace(b'"board": "Alexandros"', b'"board": "Elsewhere"')
    assert run("replay", "-", given=renamed).stderr.startswith("event 1: ")
    assert run("replay", "-", "--board", board, given=renamed).exit_code == 0
    board.write_text('name = "x"\nstart = "A1"\nrows = ["?"]\nplaces = [[]]\n')
    result = run("replay", log, "--board", board)
    assert is_a_sentence(result)
    assert result.stderr.startswith("board: row 1 ")


def test_the_id_of_a_new_game_stands_alone_on_the_last_line(context):
    game = new(context)
    assert len(game) == 8
    assert "export" not in context.type_in("games").stdout
    assert game in context.type_in("games").stdout
    mail = "From: anna@example.org\nTo: new@play.example.org\n\n2 houses, name: Spring\n"
    assert context.type_in("receive", "--from", "anna@example.org", given=mail).exit_code == 0
    [line] = [line for line in context.type_in("games").stdout.splitlines() if "Spring" in line]
    assert line.split()[1] == "proposed"
    assert "only proposed" in context.type_in("export", line.split()[0]).output
    assert context.type_in("export", game).exit_code == 2
    exported = context.type_in("export", new(context, "--start")).stdout
    assert json.loads(exported.splitlines()[0])["type"] == "game_started"
    assert run("replay", "-", given=exported).exit_code == 0


def test_a_game_with_open_seats_prints_the_link_that_is_passed_on(context):
    typed = ("new", "--name", "Friday", "--seat", "Anna <anna@example.org>", "--seat", "open")
    link, invited, game = context.type_in(*typed, "--join", "link", "--watch").stdout.splitlines()
    assert link.startswith("Open seats are taken at http://")
    assert (invited[:18], len(game)) == ("Invited 1 person; ", 8)
    refused = context.type_in(*typed)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "an open seat needs to say who may take it" in refused.stderr
    assert context.type_in(*typed, "--join", "xx").exit_code == 2
    assert context.type_in("rebuild").exit_code == 0


def test_the_operator_sees_from_where_letters_come_back(context):
    assert context.type_in("failing").stdout == ""
    game = new(context, "--start")
    with open_unit(context, NOON) as unit:
        to_ben = select(OutgoingLetter).where(OutgoingLetter.recipient == "ben@example.org")
        letter = unit.session.exec(to_ben).first()
        record_bounce(unit, letter, "550 5.1.1 User \x1b unknown", reported=False)
        unit.commit()
    (line,) = context.type_in("failing").stdout.splitlines()
    assert line.startswith("ben@example.org  since 2026-03-02 12:00 UTC")
    assert line.endswith(f"{game} (Ben)  550 5.1.1 User unknown")


RELAXED = TURN_TIMES[Tempo.RELAXED]


@pytest.mark.parametrize(
    ("given", "terms"),
    [
        ([], ("gentle", True, "turn", RELAXED)),
        (["--no-advice", "--quiet-caretaker"], ("quiet", False, "turn", RELAXED)),
        (["--keep-seat", "--pace", "live-15"], ("gentle", True, "seat", TurnTime(15, 15, 5))),
        (["--each-turn"], ("gentle", True, "", RELAXED)),
    ],
)
def test_the_operator_chooses_caretaker_advice_time_and_what_happens_when_it_is_over(context, given, terms):
    game = new(context, *given, seats=[*WITH_HOUSE[:3], "house:Porus"])
    with context.reading() as session:
        found = terms_of(session, game)
        time = turn_time_of(session.get_one(Game, game))
        assert (found.caretaker, found.advice, found.absence, time) == terms
        assert session.exec(select(Seating.name).where(Seating.house)).all() == ["Porus"]


def test_a_game_goes_out_and_comes_in_again(context):
    file = GAMES / "three-players.jsonl"
    game = context.type_in("import", str(file)).stdout.splitlines()[-1]
    _, *exported = context.type_in("export", game).stdout.splitlines()
    assert exported == [json.dumps(json.loads(line)) for line in file.read_text().splitlines()[1:]]
    assert context.type_in("doctor").stdout == "All is well.\n"
    assert context.type_in("rebuild").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["export", "nothing"], "no game"),
        (["new", "--name", "x", "--seat", "Anna <anna@example.org>"], "2 to 4 seats"),
        (["new", "--name", "x", "--seat", "who?", "--seat", "house"], "a seat is written like"),
        (["export", "\udcff"], "no game"),
        (["replay", "/no/such/log"], ""),
        (["replay", "-", "--board", "/"], ""),
        (["import", "/x"], ""),
    ],
)
def test_what_cannot_be_done_is_one_sentence(context, arguments, says):
    result = context.type_in(*arguments)
    assert is_a_sentence(result)
    assert says in result.stderr
    assert "Traceback" not in result.output


def test_a_line_goes_with_the_invitations_of_the_operator(context):
    refused = context.type_in("new", "--name", "Friday", *WITH_HOUSE, "--note", "see example.com")
    assert refused.exit_code != 0
    assert "holds no link" in refused.output
    game = new(context, "--note", "Shall we?", seats=WITH_HOUSE)
    with context.reading() as session:
        seat = session.exec(select(Seating.seat).where(~Seating.house)).one()
        assert load_note(session, game, seat) == "Shall we?"


# --- mails on standard input ----------------------------------------------------------------------------


def receive(context, mail=b"Subject: x\r\n\r\n", to=None):
    return context.type_in("receive", "--to", to or sealed_address(), given=mail)


def test_a_mail_server_hears_whether_to_keep_a_mail(context):
    assert is_a_sentence(context.type_in("receive", given=b"Subject: nothing for us\r\n\r\n"), 67)
    for address in ("play+x@example.org", "postmaster@play.example.org", "play+x@play.example.org"):
        assert is_a_sentence(receive(context, to=address), 67)
    mail = b"To: play+x@play.example.org\r\n\r\n"
    assert is_a_sentence(context.type_in("receive", given=mail, secret=""), 75)


@pytest.mark.parametrize(
    ("function", "told"), [("intake.store_mail", (75, "", 1)), ("dispatch.process_waiting_mail", (0, "", 0))]
)
def test_whatever_goes_wrong_a_mail_is_to_come_again_unless_it_is_stored(
    context, monkeypatch, function, told
):
    def fails(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(f"server.inbox.{function}", fails)
    result = receive(context)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == told
    assert len(context.stored_mails()) == (told[0] == 0)


@pytest.mark.parametrize(
    ("limit", "most", "last"),
    [("MOST_TO_SEALED", 2, 75), ("MOST_SEALED_BYTES", 4_000, 75), ("MOST_TO_SEALED", 3, 0)],
    ids=["number", "bytes", "control"],
)
def test_what_is_above_the_limits_of_an_hour_is_to_come_again(context, monkeypatch, limit, most, last):
    monkeypatch.setattr(intake, limit, most)
    mails = [f"Subject: {number}\r\n\r\n{'x' * 2_000}".encode() for number in range(3)]
    assert [receive(context, mail).exit_code for mail in mails] == [0, 0, last]
    assert len(context.stored_mails()) == (2 if last else 3)


def test_a_mail_that_is_too_large_is_sent_back_as_at_the_other_doors(context):
    large = b"Subject: x\r\n\r\n" + b"x" * LARGEST_ACCEPTED
    assert is_a_sentence(receive(context, large), 65)
    assert context.stored_mails() == []
    assert receive(context, large[:LARGEST_ACCEPTED]).exit_code == 0


def test_halves_of_characters_are_no_trace(context):
    mail = b"From: anna@example.org\r\n\r\ndraw"
    assert receive(context, mail, to="play+\udcff@play.example.org").exit_code == 67
    known = ("--to", "new@play.example.org", "--from", "\udcff")
    assert context.type_in("receive", *known, given=mail).exit_code == 0


@pytest.mark.parametrize(
    "mail", [b"", b"\0", b"To: play+x@play.example.org\r\n\r\ndraw", b"\xff\xfe" * 2_000_000]
)
def test_a_mail_that_is_none_is_taken_without_complaint(context, mail):
    result = receive(context, mail)
    assert result.exit_code == 0
    assert "Traceback" not in result.output


def kept(context, name):
    """The mails in the built-in mailbox for a person, the oldest first."""
    mails = [message_from_bytes(row.raw, policy=policy.default) for row in context.stored_mails(LocalMail)]
    return [mail for mail in mails if f"{name.lower()}@" in str(mail["To"])]


def test_a_mail_on_standard_input_is_played_and_answered(context):
    game = new(context, "--start")
    send_due_letters(context, choose_transport(context, lambda: NOON), datetime.now(UTC))
    mover = context.names_of(game)[0]
    letter = kept(context, mover)[-1]
    assert "  * a." in body(letter)
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = letter["To"], letter["Reply-To"], "Re: Friday"
    mail["Message-ID"] = "<1@client.example.org>"
    mail.set_content("a")
    assert context.type_in("receive", given=bytes(mail)).exit_code == 0
    assert receive(context, bytes(mail), to=str(letter["Reply-To"])).exit_code == 0
    exported = [json.loads(line)["type"] for line in context.type_in("export", game).stdout.splitlines()]
    assert exported[:4] == ["game_started", "card_chosen", "card_opened", "alexander_marched"]
    assert kept(context, mover)[-1]["In-Reply-To"] == "<1@client.example.org>"


# --- what a command loads, its help and the version -----------------------------------------------------

HEAVY = "flask sqlalchemy sqlmodel pydantic jinja2 babel PIL lxml waitress".split()
TYPED = """
import json, sys
from server.cli import main
try:
    main(sys.argv[1:], prog_name="alexandros")
except SystemExit as end:
    assert not end.code, end.code
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


LIGHT = [
    ["replay", str(GAMES / "two-players.jsonl"), "--every", "--legal"],
    ["--help"],
    ["--version"],
    ["secret"],
    *([name, "--help"] for name in ("replay", "letters", "new", "serve")),
]


def modules_loaded_by(*arguments: str, **environment: str) -> set[str]:
    path = os.pathsep.join([str(TOP), os.environ.get("PYTHONPATH", "")])
    typed = [sys.executable, "-c", TYPED, *arguments]
    given = {**os.environ, "PYTHONPATH": path, **environment}
    ended = subprocess.run(typed, env=given, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return set(json.loads(ended.stderr.splitlines()[-1]))


@pytest.mark.parametrize("arguments", first(2, LIGHT))
def test_a_short_command_loads_neither_web_nor_database(arguments: list[str]) -> None:
    loaded = modules_loaded_by(*arguments)
    assert "server.cli.games" in loaded
    assert not loaded & {*HEAVY}


def test_a_command_that_shows_a_game_loads_no_templates_and_one_database_system(context) -> None:
    game, url = new(context, "--start"), context.settings.database
    place = {DATABASE: url.render_as_string(hide_password=False)}
    for arguments in (["games"], ["show", game]):
        loaded = modules_loaded_by(*arguments, **GIVEN, **place)
        assert "server.admin.game_sheets" in loaded
        assert not loaded & {"flask", "jinja2", "PIL", "lxml", "waitress"}
        if url.get_backend_name() == "sqlite":
            assert "sqlalchemy.dialects.postgresql" not in loaded


@pytest.mark.parametrize(
    ("time", "said"),
    [
        (TurnTime(0), "no limit of time"),
        (TurnTime.of_hours(12), "12 hours a turn"),
        (TURN_TIMES[Tempo.RELAXED], "2 days a turn, 4 days in reserve, refilled by 24 hours"),
    ],
)
def test_the_sheet_of_a_game_shows_its_time_limit(context, time, said) -> None:
    game = new(context, "--start")
    with context.writing() as session:
        row = session.get_one(Game, game)
        row.turn_minutes, row.bank_minutes, row.refill_minutes = time.minutes, time.bank, time.refill
        session.commit()
    shown = " ".join(context.type_in("show", game).stdout.split())
    assert f", rio-grande, {said}, act 2 " in shown


def words_typed(line: str) -> list[str]:
    """The words of an example, up to what the shell does with them."""
    return [*takewhile(lambda word: word[0] not in "|<>", shlex.split(line))]


@pytest.mark.parametrize("name", sorted(main.commands))
def test_the_help_of_each_command_ends_with_an_example_that_can_be_typed(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"], prog_name="alexandros", terminal_width=80)
    assert result.exit_code == 0
    head, found, examples = result.stdout.partition("\n  Example:\n")
    assert found, head
    for line in examples.strip().splitlines():
        program, typed, *arguments = words_typed(line)
        assert program == "alexandros"
        main.commands[typed].make_context(typed, arguments)  # raises where it cannot be typed so
    assert f"alexandros {name}" in examples


def test_the_help_of_the_whole_names_every_command() -> None:
    shown = CliRunner().invoke(main, ["--help"]).stdout
    assert all(re.search(rf"^  {name} +\w", shown, re.MULTILINE) for name in main.commands)
    assert "alexandros demo" in shown


def test_the_version_names_the_commit_that_is_checked_out() -> None:
    git = ["git", "-c", f"safe.directory={TOP}", "rev-parse", "HEAD"]
    commit = subprocess.run(git, cwd=TOP, check=True, capture_output=True, text=True).stdout.strip()
    shown = CliRunner().invoke(main, ["--version"])
    assert shown.exit_code == 0
    assert re.fullmatch(rf"alexandros \S+, commit {commit[:12]}\n", shown.stdout)


def test_a_version_without_a_commit_is_no_error(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(console, "HOME", tmp_path)
    monkeypatch.setattr(console, "PACKAGE", "no-such-package")
    shown = CliRunner().invoke(main, ["--version"])
    assert (shown.exit_code, shown.stdout) == (0, "alexandros unknown version, unknown commit\n")
    (tmp_path / ".git").write_text("gitdir: /nowhere/at/all")
    assert CliRunner().invoke(main, ["--version"]).stdout == shown.stdout


def test_an_installed_wheel_knows_the_commit_it_was_built_of(monkeypatch, tmp_path) -> None:
    metadata = tmp_path / "no_such_package-1.2.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.4\nName: no-such-package\nVersion: 1.2\n")
    (tmp_path / "commit").write_text("0123456789abcdef0123456789abcdef01234567\n")
    monkeypatch.setattr(console, "HOME", tmp_path)
    monkeypatch.setattr(console, "PACKAGE", "no-such-package")
    monkeypatch.syspath_prepend(tmp_path)
    shown = CliRunner().invoke(main, ["--version"])
    assert shown.stdout == "alexandros 1.2, commit 0123456789ab\n"


# --- no command but those that begin something makes a database: its path may be mistyped -----------------

MAKING = {
    "new": ["--name", "Friday", *WITH_HOUSE],
    "import": [str(GAMES / "two-players.jsonl")],
    "migrate": [],
}
ELSEWHERE = {
    "serve": "it makes one, and runs until it is stopped: tests/server/test_serving.py",
    "demo": "it makes one of its own: tests/server/test_serving.py",
    "check": "it says so among other things: tests/server/admin/test_setup_check.py",
    "secret": "it needs none",
    "replay": "it needs none",
    "verify": "it needs none",
}
NEEDLESS = {"letters every-letter", "restore games-monday.db", "restore --replace games-monday.db"}
"""What needs none of commands that are typed here otherwise."""
MAIL = "To: new@play.example.org\nFrom: anna@example.org\n\nBen <ben@example.org>\n"


def examples_of(name):
    lines = [line.strip().removeprefix("alexandros ") for line in main.commands[name].epilog.splitlines()[2:]]
    return [words_typed(line) for line in lines if line not in NEEDLESS and shlex.split(line)[0] == name]


def run_on(database, *arguments):
    given = MAIL if arguments[0] == "receive" else "y\n"
    return run(*arguments, given=given, environment=GIVEN | {DATABASE: database})


def is_made(database):
    file = file_of_database(make_url(database))
    if file is not None:
        return file.exists()
    engine = create_engine(database)
    try:
        return bool(inspect(engine).get_table_names())
    finally:
        engine.dispose()


@pytest.fixture
def nothing(tmp_path):
    return storage().bare(tmp_path)


@pytest.mark.systems
def test_a_command_that_finds_no_database_says_so_and_makes_none(nothing):
    place = str(file_of_database(make_url(nothing)) or make_url(nothing).render_as_string())
    names = main.commands.keys() - MAKING.keys() - ELSEWHERE.keys()
    for arguments in (one for name in sorted(names) for one in examples_of(name) or [[name]]):
        result = run_on(nothing, *arguments)
        assert f"there is no database of this program at {place}: check" in result.stderr, arguments
        assert result.exit_code == (75 if arguments[0] == "receive" else 2), arguments
        assert not is_made(nothing), arguments


@pytest.mark.systems
@pytest.mark.parametrize("name", MAKING)
def test_a_command_that_begins_something_makes_the_database(nothing, name):
    assert run_on(nothing, name, *MAKING[name]).exit_code == 0
    assert is_made(nothing)
    assert run_on(nothing, "doctor").exit_code in (0, 1)


@pytest.mark.file
def test_a_file_without_tables_is_no_database_and_stays_empty(tmp_path):
    (tmp_path / "empty.db").touch()
    said = run_on(f"sqlite:///{tmp_path / 'empty.db'}", "games").stderr
    assert "there is no database of this program" in said
    assert (tmp_path / "empty.db").read_bytes() == b""


@pytest.mark.file
@pytest.mark.parametrize("name", MAKING)
def test_a_database_that_cannot_be_made_is_refused_with_its_folder_and_the_cause(tmp_path, name):
    missing = tmp_path / "none"
    said = run_on(f"sqlite:///{missing / 'games.db'}", name, *MAKING[name]).stderr
    assert f"unable to open database file: there is no folder {missing}, or" in said
    assert f"{tmp_path} is a folder" in run_on(f"sqlite:///{tmp_path}", name, *MAKING[name]).stderr
    (tmp_path / "text.db").write_text("This is a text, and of some length; a database it is not." * 20)
    said = run_on(f"sqlite:///{tmp_path / 'text.db'}", name, *MAKING[name]).stderr
    assert said.endswith("cannot be used: file is not a database\n"), "SQLite's own words are enough"
