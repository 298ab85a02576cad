"""The command line: what it prints, and the one sentence when it cannot."""

import json
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlmodel import select

from emails.replies.screening import LARGEST_ACCEPTED
from emails.terms import TURN_TIMES, Tempo, TurnTime
from server.accounts.bounces import record_bounce
from server.cli import main
from server.delivery.relay import choose_transport
from server.delivery.sending import send_due_letters
from server.inbox import intake
from server.outbox.letter_kinds import load_note
from server.outbox.queue import open_unit
from server.store.game_terms import terms_of
from server.store.models import Game, LocalMail, OutgoingLetter, Seating
from server.store.turn_clock import turn_time_of
from tests.paths import BOARD_FILE, GAMES
from tests.server.desk import NOON, desk, names_of, sealed_address, stored_mails
from tests.server.storage import storage


def run(*arguments, given=b"", **environment):
    environment = {f"ALEXANDROS_{name.upper()}": text for name, text in environment.items()}
    return CliRunner(env=environment).invoke(main, [str(one) for one in arguments], input=given)


def office(settings):
    return desk(Path(), ALEXANDROS_DATABASE=settings["database"])


@pytest.fixture
def settings(tmp_path):
    return {
        "database": storage().place(tmp_path),
        "base_url": "http://127.0.0.1:8000",
        "secret": "a secret of more than sixteen letters",
        "mail_out": "local",
        "mail_from": "Alexandros <alexandros@example.org>",
        "mail_domain": "play.example.org",
    }


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


WRONG = [
    (b"", 1),
    (b"\n", 1),
    (b"{}", 1),
    (b"[]", 1),
    (b'"\xff"', 1),
    (b'{"type": "turn_ended", "seat": 0}', 1),
]


@pytest.mark.parametrize(("log", "number"), WRONG)
def test_a_wrong_log_ends_with_one_line_and_status_2(log, number):
    result = run("replay", "-", given=log)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"event {number}: ")
    assert result.stderr.count("\n") == 1


def test_a_board_of_ones_own(tmp_path):
    log = GAMES / "two-players.jsonl"
    board = tmp_path / "board.toml"
    board.write_text(BOARD_FILE.read_text())
    renamed = log.read_bytes().replace(b'"board": "Alexandros"', b'"board": "Elsewhere"')
    assert run("replay", "-", given=renamed).stderr.startswith("event 1: ")
    assert run("replay", "-", "--board", board, given=renamed).exit_code == 0
    board.write_text('name = "x"\nstart = "A1"\nrows = ["?"]\nplaces = [[]]\n')
    result = run("replay", log, "--board", board)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("board: row 1 ")


def test_the_id_of_a_new_game_stands_alone_on_the_last_line(settings):
    seats = ["--seat", "Anna <anna@example.org>", "--seat", "Ben <ben@example.org>"]
    result = run("new", "--name", "Friday", *seats, **settings)
    assert result.exit_code == 0
    game = result.stdout.splitlines()[-1]
    assert len(game) == 8
    assert "export" not in run("games", **settings).stdout
    assert game in run("games", **settings).stdout
    mail = b"From: anna@example.org\nTo: new@play.example.org\n\n2 houses, name: Spring\n"
    assert run("receive", "--from", "anna@example.org", given=mail, **settings).exit_code == 0
    [line] = [line for line in run("games", **settings).stdout.splitlines() if "Spring" in line]
    assert line.split()[1] == "proposed"
    assert "only proposed" in run("export", line.split()[0], **settings).output
    assert run("export", game, **settings).exit_code == 2
    started = run("new", "--name", "Now", *seats, "--start", **settings).stdout.splitlines()[-1]
    exported = run("export", started, **settings)
    assert json.loads(exported.stdout.splitlines()[0])["type"] == "game_started"
    assert run("replay", "-", given=exported.stdout_bytes).exit_code == 0


def test_a_game_with_open_seats_prints_the_link_that_is_passed_on(settings):
    seats = ["--seat", "Anna <anna@example.org>", "--seat", "open"]
    result = run("new", "--name", "Friday", *seats, "--join", "link", "--watch", **settings)
    link, invited, game = result.stdout.splitlines()
    assert link.startswith("Open seats are taken at http://")
    assert (invited[:18], len(game)) == ("Invited 1 person; ", 8)
    refused = run("new", "--name", "Friday", *seats, **settings)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "an open seat needs to say who may take it" in refused.stderr
    assert run("new", "--name", "Friday", *seats, "--join", "xx", **settings).exit_code == 2
    assert run("rebuild", **settings).exit_code == 0


def test_the_operator_chooses_what_happens_when_time_is_over(settings, tmp_path):
    seats = ["--seat", "Anna <anna@example.org>", "--seat", "Ben <ben@example.org>"]
    for flags, rule in (([], "turn"), (["--keep-seat"], "seat"), (["--each-turn"], "")):
        game = run("new", "--name", "Now", *seats, *flags, **settings).stdout.splitlines()[-1]
        with desk(tmp_path).reading() as session:
            assert terms_of(session, game).absence == rule


def test_the_operator_sees_from_where_letters_come_back(settings, tmp_path):
    assert run("failing", **settings).stdout == ""
    seats = ["--seat", "Anna <anna@example.org>", "--seat", "Ben <ben@example.org>"]
    game = run("new", "--name", "Now", *seats, "--start", **settings).stdout.splitlines()[-1]
    context = desk(tmp_path)
    with open_unit(context, NOON) as unit:
        letter = unit.session.exec(
            select(OutgoingLetter).where(OutgoingLetter.recipient == "ben@example.org")
        ).first()
        record_bounce(unit, letter, "550 5.1.1 User \x1b unknown", reported=False)
        unit.commit()
    (line,) = run("failing", **settings).stdout.splitlines()
    assert line.startswith("ben@example.org  since 2026-03-02 12:00 UTC")
    assert line.endswith(f"{game} (Ben)  550 5.1.1 User unknown")


@pytest.mark.parametrize(
    ("given", "terms"),
    [
        ((), ("gentle", True, TURN_TIMES[Tempo.RELAXED])),
        (("--no-advice", "--quiet-caretaker", "--pace", "live-15"), ("quiet", False, TurnTime(15, 15, 5))),
    ],
)
def test_a_game_is_opened_with_advice_and_a_gentle_caretaker_unless_the_operator_says_no(
    settings, given, terms
):
    seats = ["--seat", "Anna <anna@example.org>", "--seat", "house:Porus"]
    game = run("new", "--name", "Friday", *seats, *given, **settings).stdout.splitlines()[-1]
    context = office(settings)
    with context.reading() as session:
        found = terms_of(session, game)
        time = turn_time_of(session.get_one(Game, game))
        assert (found.caretaker, found.advice, time) == terms
        assert session.exec(select(Seating.name).where(Seating.house)).all() == ["Porus"]


def test_a_game_goes_out_and_comes_in_again(settings, tmp_path):
    game = run("import", GAMES / "three-players.jsonl", **settings).stdout.splitlines()[-1]
    log = tmp_path / "log.jsonl"
    log.write_text(run("export", game, **settings).stdout)
    assert log.read_text() == "".join(
        json.dumps(json.loads(line)) + "\n" if number else log.read_text().splitlines(keepends=True)[0]
        for number, line in enumerate((GAMES / "three-players.jsonl").read_text().splitlines())
    )
    assert run("doctor", **settings).stdout == "All is well.\n"
    assert run("rebuild", **settings).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["export", "nothing"], "no game"),
        (["new", "--name", "x", "--seat", "Anna <anna@example.org>"], "2 to 4 seats"),
        (["new", "--name", "x", "--seat", "who?", "--seat", "house"], "a seat is written like"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(settings, arguments, says):
    result = run(*arguments, **settings)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.output


def test_a_mail_server_hears_whether_to_keep_a_mail(settings):
    nobody = run("receive", given=b"Subject: nothing for us\r\n\r\n", **settings)
    assert (nobody.exit_code, nobody.stderr.count("\n")) == (67, 1)
    for address in ("play+x@example.org", "postmaster@play.example.org", "play+x@play.example.org"):
        elsewhere = run("receive", "--to", address, given=b"Subject: x\r\n\r\n", **settings)
        assert (elsewhere.exit_code, elsewhere.stderr.count("\n")) == (67, 1)
    del settings["secret"]
    later = run("receive", given=b"To: play+x@play.example.org\r\n\r\n", **settings)
    assert (later.exit_code, later.stderr.count("\n")) == (75, 1)


def test_whatever_keeps_a_mail_from_being_stored_it_is_to_come_again(settings, monkeypatch):
    def fails(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("server.inbox.intake.store_mail", fails)
    later = run("receive", "--to", sealed_address(), given=b"Subject: x\r\n\r\n", **settings)
    assert (later.exit_code, later.stderr.count("\n")) == (75, 1)


@pytest.mark.parametrize(("limit", "most"), [("MOST_TO_SEALED", 2), ("MOST_SEALED_BYTES", 4_000)])
def test_what_is_above_the_limits_of_an_hour_is_to_come_again(settings, monkeypatch, limit, most):
    monkeypatch.setattr(intake, limit, most)
    assert hand_in_three(settings) == [0, 0, 75]
    assert len(stored_mails(office(settings))) == 2


def hand_in_three(settings):
    mails = [f"Subject: {number}\r\n\r\n{'x' * 2_000}".encode() for number in range(3)]
    return [run("receive", "--to", sealed_address(), given=mail, **settings).exit_code for mail in mails]


def test_a_mail_that_is_too_large_is_sent_back_as_at_the_other_doors(settings):
    large = b"Subject: x\r\n\r\n" + b"x" * LARGEST_ACCEPTED
    back = run("receive", "--to", sealed_address(), given=large, **settings)
    assert (back.exit_code, back.stderr.count("\n")) == (65, 1)
    assert stored_mails(office(settings)) == []
    cut = run("receive", "--to", sealed_address(), given=large[:LARGEST_ACCEPTED], **settings)
    assert cut.exit_code == 0


def test_a_mail_that_is_stored_is_not_sent_back_whatever_goes_wrong_then(settings, monkeypatch):
    def fails(*_: object) -> None:
        raise RuntimeError("not now")

    monkeypatch.setattr("server.inbox.dispatch.process_waiting_mail", fails)
    stored = run("receive", "--to", sealed_address(), given=b"Subject: x\r\n\r\n", **settings)
    assert (stored.exit_code, stored.stderr) == (0, "")


@pytest.mark.parametrize(
    "arguments", [["replay", "/no/such/log"], ["replay", "-", "--board", "/"], ["import", "/x"]]
)
def test_a_file_that_cannot_be_read_is_one_sentence(settings, arguments):
    result = run(*arguments, **settings)
    assert (result.exit_code, result.stderr.count("\n"), result.stdout) == (2, 1, "")


def test_halves_of_characters_are_no_trace(settings):
    assert run("export", "\udcff", **settings).exit_code == 2
    mail = b"From: anna@example.org\r\n\r\ndraw"
    assert run("receive", "--to", "play+\udcff@play.example.org", given=mail, **settings).exit_code == 67
    known = ("--to", "new@play.example.org", "--from", "\udcff")
    assert run("receive", *known, given=mail, **settings).exit_code == 0


def kept(folder, name):
    """The mails in the built-in mailbox for a person, the oldest first."""
    rows = stored_mails(desk(folder), LocalMail)
    mails = [message_from_bytes(row.raw, policy=policy.default) for row in rows]
    return [mail for mail in mails if f"{name.lower()}@" in str(mail["To"])]


def test_a_mail_on_standard_input_is_played_and_answered(settings, tmp_path):
    seats = ["--seat", "Anna <anna@example.org>", "--seat", "Ben <ben@example.org>"]
    game = run("new", "--name", "Friday", *seats, "--start", **settings).stdout.splitlines()[-1]
    send_due_letters(desk(tmp_path), choose_transport(desk(tmp_path), lambda: NOON), datetime.now(UTC))
    mover = names_of(desk(tmp_path), game)[0]
    letter = kept(tmp_path, mover)[-1]
    assert "  * a." in letter.get_body(("plain",)).get_content()
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = letter["To"], letter["Reply-To"], "Re: Friday"
    mail["Message-ID"] = "<1@client.example.org>"
    mail.set_content("a")
    assert run("receive", given=bytes(mail), **settings).exit_code == 0
    assert run("receive", "--to", str(letter["Reply-To"]), given=bytes(mail), **settings).exit_code == 0
    exported = [json.loads(line)["type"] for line in run("export", game, **settings).stdout.splitlines()]
    assert exported[:4] == ["game_started", "card_chosen", "card_opened", "alexander_marched"]
    assert kept(tmp_path, mover)[-1]["In-Reply-To"] == "<1@client.example.org>"


@pytest.mark.parametrize(
    "mail", [b"", b"\0", b"To: play+x@play.example.org\r\n\r\ndraw", b"\xff\xfe" * 2_000_000]
)
def test_a_mail_that_is_none_is_taken_without_complaint(settings, mail):
    result = run("receive", "--to", sealed_address(), given=mail, **settings)
    assert result.exit_code == 0
    assert "Traceback" not in result.output


def test_a_line_goes_with_the_invitations_of_the_operator(settings):
    seats = ["--seat", "Anna <anna@example.org>", "--seat", "house"]
    refused = run("new", "--name", "Friday", *seats, "--note", "see example.com", **settings)
    assert refused.exit_code != 0
    assert "holds no link" in refused.output
    game = run("new", "--name", "Friday", *seats, "--note", "Shall we?", **settings).stdout.splitlines()[-1]
    context = office(settings)
    with context.reading() as session:
        seat = session.exec(select(Seating.seat).where(~Seating.house)).one()
        assert load_note(session, game, seat) == "Shall we?"


def test_control_three_mails_within_the_limits_are_taken(settings):
    assert hand_in_three(settings) == [0, 0, 0]
