"""The operator's desk: who plays, what went to somebody and why not, how a game stands."""

from datetime import timedelta

import pytest
from sqlmodel import select

from server.accounts.addresses import CONFIRMATION_VALID, confirm_address, request_move
from server.accounts.bounces import record_bounce
from server.accounts.unsubscribe import unsubscribe_by_header
from server.admin.game_sheets import describe_sheet
from server.admin.interventions import ask_new_address, pause_game, suspend_game
from server.admin.reports import MOST_FOUND, describe_correspondence, find_by_word
from server.delivery.sending import send_due_letters
from server.outbox.queue import open_unit
from server.store.game_terms import SeatRequest
from server.store.models import OutgoingLetter, Player
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, Collector, sealed_address
from tests.server.inbox.test_mail_dispatch import reply


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben")


def suspend(context, game):
    context.committed(NOON, suspend_game, game)


def find(context, word):
    with context.reading() as session:
        return [one.line for one in find_by_word(session, word, NOON)]


def why(context, address, now=NOON, most=40):
    return list(describe_correspondence(context, address, now, most))


@pytest.mark.parametrize(
    "word", ["Anna", "ANN", "anna@example.org", "Anna+tag@EXAMPLE.org", "<anna@example.org>", "{number}"]
)
def test_a_player_is_found_by_name_address_and_number(context, game, word):
    context.confirm("Anna", "Ben")
    anna = player_called(context, "Anna")
    line = f"player {anna.id}  Anna <anna@example.org>  {game} seat {context.seat_of(game, 'Anna') + 1}"
    assert line in find(context, word.format(number=anna.id))


def test_of_whoever_has_accepted_and_played_nothing_it_says_so(context, game):
    """They may well have answered a mail, with what could not be read or was only a question."""
    assert "<anna@example.org>, has accepted or played nothing yet  " in find(context, "anna@example.org")[0]
    context.confirm("Anna")
    assert "<anna@example.org>  " in find(context, "anna@example.org")[0]


def player_called(context, name):
    return context.rows_of(Player, Player.name == name)[0]


@pytest.mark.parametrize("word", ["Friday", "frid", "{game}", "{GAME}"])
def test_a_game_is_found_by_its_id_and_a_part_of_its_name(context, game, word):
    word = word.format(game=game, GAME=game.upper())
    (line,) = find(context, word)
    assert line.startswith(f"{game}  running   turn   1  Friday")


def test_a_line_of_what_was_found_leads_on_as_it_stands_there(context, game):
    copied = "Anna <anna@example.org>"
    assert find(context, copied) == find(context, "anna@example.org") != []
    assert why(context, copied) == why(context, "anna@example.org") != []


def test_a_game_that_is_paused_is_listed_as_such(context, game):
    pause_game(context, game, NOON)
    (line,) = find(context, game)
    assert line == f"{game}  running   turn   1  Friday  paused since 2026-03-02 12:00 UTC"
    assert context.type_in("games").stdout == f"{line}\n"
    suspend(context, game)
    assert find(context, game)[0].endswith("Friday  suspended since 2026-03-02 12:00 UTC")


@pytest.mark.parametrize("word", ["", "%", "_", "nobody@example.org", "\0", "9" * 40, "' OR 1=1 --"])
def test_what_names_nothing_finds_nothing(context, game, word):
    assert find(context, word) == []


def test_more_than_a_screen_is_not_listed(context):
    for number in range(MOST_FOUND + 2):
        context.open_game(f"Friday {number}", [SeatRequest.read("house"), SeatRequest.read("house")], NOON)
    found = find(context, "Friday")
    assert len(found) == MOST_FOUND + 1
    assert found[-1] == "There are more than 20: write more of the word."


def test_it_tells_in_the_order_of_time_what_was_sent_and_how_an_answer_was_read(context, carrier, game):
    anna = carrier.to("Anna")[-1]
    reply(context, anna, "choose nothing at all")
    context.work_until_idle(carrier, NOON + timedelta(hours=1))
    lines = why(context, "anna@example.org")
    times = [line[:16] for line in lines if line.startswith("2026-")]
    assert times == sorted(times)
    (mail,) = [line for line in lines if "  mail " in line]
    assert "to play@  refused with an answer: " in mail
    assert any(f" of {game}  sent" in line for line in lines)
    assert any(f"refused of {game}  sent" in line for line in lines)


def test_it_says_first_what_holds_letters_up(context, carrier, game):
    with open_unit(context, NOON) as unit:
        letter = unit.session.exec(
            select(OutgoingLetter).where(OutgoingLetter.recipient == "ben@example.org")
        ).first()
        record_bounce(unit, letter, "550 5.1.1 User \x1b unknown", reported=False)
        unit.commit()
    context.type_in("ban", "example.org")
    lines = why(context, "Ben@Example.org")
    assert lines[0].startswith(f"player {player_called(context, 'Ben').id}  Ben <ben@example.org>")
    banned = "example.org is banned: no letters are sent there, and mail from there is ignored."
    assert f"ben@example.org: {banned}" in lines
    assert "Letters to ben@example.org come back since 2026-03-02 12:00: 550 5.1.1 User unknown" in lines
    assert any(line.endswith("refused for good: 550 5.1.1 User unknown") for line in lines)


class Postfix(Collector):
    """A relay that says under which number it has queued each letter, and odd things beside that."""

    says = "250 2.0.0 Ok: queued as 4F2B71C0A3"

    def send(self, sender, recipient, raw):
        super().send(sender, recipient, raw)
        return self.says


def test_it_tells_when_the_relay_took_a_letter_and_by_which_number_its_log_has_it(context):
    started = context.start_game("Anna", "Ben")
    send_due_letters(context, Postfix(), NOON + timedelta(minutes=4))
    (line,) = [one for one in why(context, "anna@example.org") if f" of {started}  " in one]
    assert line.endswith("  sent: the relay took it at 12:04: 250 2.0.0 Ok: queued as 4F2B71C0A3")
    said = context.type_in("why", "anna@example.org").stdout.split()
    assert " ".join(said).endswith("the relay took it at 12:04: 250 2.0.0 Ok: queued as 4F2B71C0A3")


def test_what_a_relay_says_shows_no_seal_and_is_cut_short(context):
    started = context.start_game("Anna", "Ben")
    relay = Postfix()
    relay.says = f"250 <{sealed_address()}> " + "and more " * 60
    send_due_letters(context, relay, NOON)
    (line,) = [one for one in why(context, "anna@example.org") if f" of {started}  " in one]
    told = line.partition("the relay took it at 12:00: ")[2]
    assert told.startswith("250 <play+...@play.example.org> and more and more")
    assert len(told) == 200


def test_it_says_that_its_reader_wants_no_letters(context, game):
    context.committed(NOON, unsubscribe_by_header, game, context.seat_of(game, "Ben"))
    assert f"The player wants no letters of {game}." in why(context, "ben@example.org")


def test_it_says_which_games_the_operator_has_halted_for_none_of_their_letters_leaves(context, game):
    other = context.start_game("Anna", "Cleo")
    halted = (
        f"{game} is suspended since 2026-03-02 12:00: none of its letters leaves before `suspend --lift`."
    )
    assert halted not in why(context, "anna@example.org")
    suspend(context, game)
    for name in ("anna", "ben"):
        assert halted in why(context, f"{name}@example.org")
    assert halted not in why(context, "cleo@example.org")
    assert not any(line.startswith(f"{other} is") for line in why(context, "anna@example.org"))


ASKED = "was asked on 2026-03-02 12:00 to"


def questions(context, address, now=NOON):
    return [line for line in why(context, address, now) if " was asked on " in line]


def test_it_says_which_address_was_asked_until_it_says_yes_or_cannot_any_more(context, game):
    ask_new_address(context, "anna@example.org", "anna@example.net", NOON)
    (line,) = questions(context, "anna@example.org")
    assert line == f"anna@example.net {ASKED} confirm, and has not."
    assert questions(context, "anna@example.org", NOON + CONFIRMATION_VALID) == []
    (code,) = context.confirmation_codes()
    context.committed(NOON, confirm_address, code)
    assert len(context.confirmation_codes("anna@example.org", "back")) == 1
    assert questions(context, "anna@example.net") == []


def test_of_a_move_it_says_that_the_address_in_use_was_asked(context, game):
    request_move(context, game, context.seat_of(game, "Anna"), "anna@example.net", NOON)
    (line,) = questions(context, "anna@example.org")
    assert line == f"anna@example.org {ASKED} approve a move to anna@example.net, and has not."


def test_only_the_latest_are_told(context, carrier, game):
    assert len([line for line in why(context, "anna@example.org", most=1) if line.startswith("2026")]) == 1
    assert why(context, "anna@example.org", most=1)[-1] == "Only the latest 1 are listed; --last lists more."


def test_an_address_that_nobody_knows_is_told_as_such(context, game):
    nothing = context.type_in("why", "zoe@example.org")
    assert (nothing.exit_code, nothing.stdout) == (2, "")
    assert nothing.stderr.startswith("alexandros: no player has zoe@example.org, and no stored mail")
    assert why(context, "\0") == why(context, "") == []


def test_a_game_is_shown_with_its_players_its_clock_and_its_letters(context, game):
    context.begin_time(game)
    lines = list(describe_sheet(context, game.upper(), NOON + timedelta(hours=8)))
    assert lines[0].startswith(f"{game}  running")
    assert "opened 2026-03-02 12:00 UTC" in lines[1]
    assert lines[2] == f"to move: seat {context.game_row(game).seat + 1}, {context.mover(game)}"
    assert any(line.startswith("clock: runs until 2026-03-04 12:00 UTC, 40 hours left") for line in lines)
    assert sum(line.startswith("seat ") for line in lines) == 2
    assert any(line.startswith("letters: ") for line in lines)
    assert any(line.startswith("act 1  2026-03-02 12:00  ") for line in lines)


def test_a_seat_says_what_has_become_of_its_player(context, game):
    context.resign(game, 1)
    lines = list(describe_sheet(context, game, NOON))
    (seat,) = [line for line in lines if line.startswith("seat 2 ")]
    assert seat.endswith(", has resigned, is offered to substitutes")
