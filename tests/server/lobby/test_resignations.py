"""A player gives a game up, and may be back while the seat is offered."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import select

from emails.i18n import Locale, use_locale
from emails.letters.parts import Pace
from emails.terms import AbsenceRule
from engine.event_log import check_log
from server.admin import backups
from server.admin.backups import examine_stored_acts
from server.clock import keep_deadlines, tick
from server.inbox.game_mail import process_reply
from server.inbox.received_mail import ReceivedMail
from server.lobby.leaving import ResignationRefused, take_offered_seat
from server.lobby.open_seats import SeatRefused
from server.outbox import chat
from server.outbox.queue import UnitOfWork
from server.personal_data import forget_address
from server.store import load_boards
from server.store.event_log import GameSuspended
from server.store.models import Game, IncomingMail, Resignation, Seating
from server.store.states import Announcement, GameStatus
from server.web.kit.request_context import csrf_token
from tests.server.beginnings import begin_game
from tests.server.desk import ANNA, BEN, NOON, at_once, body
from tests.server.inbox.test_mail_dispatch import reply
from tests.server.lobby.table import Table
from tests.server.test_clock import letters
from tests.server.web.bots import bot
from tests.server.web.site import Visitor


@pytest.fixture
def game(table, mails) -> Table:
    game = begin_game(table.context, mails, "Anna", "Ben", "Cleo")
    mails.mails.clear()
    return replace(table, game=game)


def gives_up(game: Table, name: str, now=NOON) -> bool:
    return game.context.resign(game.game, game.context.seat_of(game.game, name), now=now)


def told(game: Table, name: str, language: str = "en") -> list[str]:
    with use_locale(Locale(language)):
        return game.unread(game.context.seat_of(game.game, name))


def resigned(context):
    return [(row.game, row.seat, row.at) for row in context.rows_of(Resignation)]


def test_it_is_an_act_that_leaves_the_position_as_it_is(context, game, clock):
    second = game.names[1]
    before = game.row
    assert gives_up(game, second, clock.forward(1))
    last = game.acts[-1]
    assert (last.seat, last.door, last.said) == (1, "reply", "resign")
    assert json.loads(last.events) == [
        {"type": "seat_resigned", "seat": 1},
        {"type": "seat_offered", "seat": 1},
    ]
    row = game.row
    assert (row.seq, row.after) == (before.seq + 1, before.after)
    assert (row.turn, row.seat, row.deadline) == (before.turn, before.seat, before.deadline)
    assert resigned(context) == [(game.game, 1, clock())]
    context.play(
        game.game, 0, row.after, first_order(context, game.game), "link", clock()
    )  # the letter still holds


def first_order(context, game):
    return [f"choose {context.position_of(game).table.display.kinds()[0]}"]


def test_before_the_game_and_after_it_there_is_nothing_to_give_up(context, table):
    waiting = context.open_game("Friday", [ANNA, BEN], NOON)
    with pytest.raises(ResignationRefused, match="leave the invitation"):
        context.resign(waiting, 0)
    over = replace(table, game=context.start_game("Anna", "Ben"))
    for name in ("Anna", "Ben"):
        gives_up(over, name)
    over.deliver()
    assert over.row.status == "over"
    assert not gives_up(over, "Anna")  # he has, long since
    other = context.start_game("Anna", "house")
    context.change_game(other, status="over")
    with pytest.raises(ResignationRefused, match="is over"):
        gives_up(replace(table, game=other), "Anna")
    assert len(resigned(context)) == 2


@pytest.mark.parametrize("seat", ["house", 9])
def test_nobody_gives_up_for_the_house_or_for_a_seat_that_is_not_there(context, seat):
    game = context.start_game("Anna", "house")
    number = 1 - context.seat_of(game, "Anna") if seat == "house" else seat
    with pytest.raises(ResignationRefused, match="Nobody plays"):
        context.resign(game, number)
    with pytest.raises(ResignationRefused):
        context.resign("zzzzzzzz", 0)


def test_a_resigned_seat_is_played_at_once_and_not_timed_out_though_its_time_is_over(context, game):
    context.begin_time(game.game)
    gives_up(game, game.names[0])
    assert game.row.deadline is not None
    assert keep_deadlines(context, NOON + timedelta(hours=900)) == 0
    assert tick(context, NOON) == 1
    assert [act.door for act in game.acts][-1] == "caretaker"


def test_in_the_middle_of_his_turn_the_caretaker_finishes_it(context, game, mails):
    first, second, third = game.names
    context.play(game.game, 0, game.row.after, first_order(context, game.game), "link", NOON)
    gives_up(game, first)
    context.work_until_idle(mails, NOON)
    row = game.row
    assert (row.turn, row.seat) == (2, 1)
    last = game.acts[-1]
    assert (last.seat, last.door) == (0, "caretaker")
    assert not {"card_chosen", "turn_timed_out"} & {fact["type"] for fact in json.loads(last.events)}
    assert not letters(context, "time_passed")
    assert game.kinds(first) == []
    assert game.kinds(second) == ["seat_offered", "your_turn"]
    assert "has resigned, and a caretaker plays on" in body(mails.to(second)[0])
    assert game.kinds(third) == ["seat_offered"]


def test_the_others_are_told_once_each_in_his_language(context, game, clock):
    first, gone, third = game.names
    gives_up(game, gone)
    assert told(game, gone) == []
    assert told(game, first) == [f"{gone} has resigned, and a caretaker plays on for that seat."]
    assert told(game, third, "nl")[0].startswith(f"{gone} heeft opgegeven")
    game.prefer(third, messages=True)
    game.deliver()
    assert told(game, first) == []  # it stood in the letter that offers the seat
    with context.changing() as session:
        unit = UnitOfWork(context, session, clock())
        chat.announce(unit, session.get_one(Game, game.game), 1, Announcement.LETTERS_STOPPED)
    assert told(game, first) == []  # nobody waits for that seat any more


def test_a_mail_that_another_server_has_read_resigns_nobody(context, game):
    context.write_mail(game.game, "Ben", "resign")
    with context.changing() as session:
        row = session.exec(select(IncomingMail)).one()
        row.state = "played"
    (mail,) = context.stored_mails()
    token = mail.envelope_to.partition("@")[0].partition("+")[2]
    process_reply(ReceivedMail(context, row, mail, token, NOON))
    assert resigned(context) == []


def test_when_all_have_resigned_caretakers_play_to_the_end_a_bounded_piece_at_a_time(context, table, clock):
    game = replace(table, game=context.start_game("Anna", "Ben", "Cleo"))
    for name in ("Anna", "Ben", "Cleo"):
        gives_up(game, name)
    before = len(game.acts)
    done = tick(context, clock())
    assert 0 < done <= 50
    assert len(game.acts) == before + done
    game.deliver()
    row = game.row
    assert row.status == "over"
    assert {act.door for act in game.acts[before:]} == {"caretaker"}
    assert game.kinds("Anna") == game.kinds("Ben") == game.kinds("Cleo") == ["game_over"]
    assert tick(context, clock()) == 0


def test_who_has_resigned_is_worked_out_anew_from_the_acts(context, game, clock):
    gives_up(game, "Ben", clock.forward(1))
    kept = resigned(context)
    with context.changing() as session:
        session.delete(session.exec(select(Resignation)).one())
        session.add(Resignation(game=game.game, seat=context.seat_of(game.game, "Cleo"), at=NOON))
    [finding] = examine_stored_acts(context)
    assert "list of resignations" in finding
    assert "alexandros rebuild" in finding
    context.rebuild()
    assert resigned(context) == kept
    assert game.faults == []
    context.rebuild()
    assert resigned(context) == kept


def test_an_exported_log_knows_nothing_of_it_and_can_be_replayed_and_taken_in(context, game):
    for name in ("Anna", "Ben", "Cleo"):
        gives_up(game, name)
    game.deliver()
    lines = [line.encode() for line in backups.export_log(context, game.game)]
    assert not [line for line in lines if b"seat_resigned" in line]
    doors = {json.loads(line)["meta"]["door"] for line in lines if b'"meta"' in line}
    assert doors == {"server", "caretaker"}
    *_, (_, last) = check_log(lines, load_boards())
    assert last.table.over
    copy = backups.import_log(context, backups.read_log(lines), NOON, requests=[ANNA])
    with context.reading() as session:
        assert session.get(Resignation, (copy, context.seat_of(copy, "Anna"))) is None
        position = context.history_of(session, session.get_one(Game, copy)).position
        assert position == context.history_of(session, session.get_one(Game, game.game)).position
    assert game.faults == []


@pytest.fixture
def left(table) -> Table:
    """A game of three of which the second to move has resigned, and the others have heard it."""

    def with_second_resigned() -> Table:
        game = table.open(AbsenceRule.TURN, "Anna", "Ben", "Cleo")
        for name in game.names:
            game.prefer(name, messages=True)
        game.deliver()
        assert game.resign(1)
        game.deliver()
        return game

    return table.once(with_second_resigned)


def test_who_is_back_gets_daily_letters_again(left):
    left.prefer(left.names[1], pace=Pace.DAILY)
    left.deliver()
    assert left.seating(1).daily_at is None
    assert left.take_back()
    left.deliver()
    assert left.seating(1).daily_at is not None


def test_nothing_else_that_they_do_takes_it_back(context, left, place, mails):
    second = left.names[1]
    visitor = place.look(left.game, seat=1)
    assert left.resigned == [1]
    visitor.send("//form[contains(@action, '/say')]", words="Good luck to you all")
    assert visitor.status == 200
    away = place.signed_in(left.game, 1).get(place.link(left.game, seat=1) + "/away")
    away.send("//form[.//*[@name='wish']]", wish="back")
    reply(context, mails.to(second)[0], "say: I watch")
    reply(context, mails.to(second)[0], "away until Friday")
    assert not left.come_back(1)
    assert (left.resigned, left.offered, left.count("seat_returned")) == ([1], [1], 0)


def presses_return(place, game: Table, visitor: Visitor | None = None, link: str = "") -> Visitor:
    """Send the button of the second player, though no page shows it."""
    with place.app.test_request_context():
        nonce = csrf_token(f"seat {game.game} 1")
    return (visitor or place.visitor()).post((link or place.link(game.game, seat=1)) + "/return", nonce=nonce)


def test_where_the_game_is_over_or_halted_nobody_comes_back(context, left, place, clock):
    context.change_game(left.game, suspended_at=clock())
    with pytest.raises(GameSuspended):
        left.take_back()
    assert "I am back" not in place.look(left.game, seat=1).text
    context.change_game(left.game, suspended_at=None, status=GameStatus.OVER)
    with pytest.raises(ResignationRefused, match="is over"):
        left.take_back()
    assert left.count("seat_returned") == 0


def test_who_is_forgotten_does_not_come_back(context, left, place, clock):
    second = left.names[1]
    number, link = left.player(1), place.link(left.game, seat=1)
    forget_address(context, f"{second.lower()}@example.org", clock())
    with pytest.raises(ResignationRefused, match="Somebody else"):
        left.take_back(player=number)
    for one in (link, place.link(left.game, seat=1)):
        assert presses_return(place, left, link=one).status in (404, 410)
    assert (left.resigned, left.offered, left.count("seat_returned")) == ([1], [1], 0)
    assert left.faults == []


def test_they_are_back_in_the_game_of_the_mail_alone(context, table, left, mails):
    other = table.begin(AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    name = left.names[1]
    seat = other.names.index(name)
    other.resign(seat)
    reply(context, mails.to(name)[0], "back")
    assert [(one.game, one.seat) for one in context.rows_of(Resignation)] == [(other.game, seat)]


def test_a_button_with_a_ticket_alone_brings_them_back_and_looking_does_not(left, place):
    visitor = place.look(left.game, seat=1)
    assert "Until somebody else has the seat you can come back." in visitor.text
    assert place.look(left.game, "/return", seat=1).status == 405
    visitor.post(place.link(left.game, seat=1) + "/return", nonce="x")
    assert (visitor.status, left.resigned) == (400, [1])
    visitor.get(place.link(left.game, seat=1)).send("//form[contains(@action, '/return')]")
    assert (visitor.status, visitor.title, left.resigned) == (200, "You are back", [])
    presses_return(place, left, visitor)
    assert (visitor.status, left.count("seat_returned")) == (200, 1)
    visitor.click("To the game")
    assert "Nothing is needed of you now" in visitor.text


def test_not_by_links_of_before_they_were_made_new_nor_of_others(context, left, place):
    link = place.link(left.game, seat=1)
    with context.changing() as session:
        session.get_one(Seating, (left.game, 1)).generation += 1
    assert presses_return(place, left, link=link).status >= 400
    assert presses_return(place, left, link=place.link(left.game, seat=0)).status == 400
    assert left.resigned == [1]
    assert presses_return(place, left).status == 200
    assert left.resigned == []


def test_nobody_comes_back_from_a_banned_address(context, left, place):
    context.type_in("ban", f"{left.names[1].lower()}@example.org")
    assert presses_return(place, left).status == 403
    assert left.resigned == [1]


def test_a_program_brings_its_player_back(left, place):
    one = bot(place, left.game, left.names[1])
    assert [one.post(f"games/{left.game}/back").json for _ in range(2)] == [{"back": True}, {"back": False}]
    assert (left.resigned, left.count("seat_returned")) == ([], 1)


def test_once_somebody_has_the_seat_nobody_comes_back(context, left, place, mails):
    second, link, before = left.names[1], place.link(left.game, seat=1), left.player(1)
    left.take("Dirk")
    with pytest.raises(ResignationRefused, match="Somebody else"):
        left.take_back(player=before)
    assert presses_return(place, left, link=link).status == 410
    reply(context, mails.to(second)[0], "back")
    assert (left.seating(1).name, left.count("seat_returned")) == ("Dirk", 0)
    left.resign(1)
    with pytest.raises(ResignationRefused, match="Somebody else"):
        left.take_back(player=before)
    assert left.take_back()
    with pytest.raises(SeatRefused, match="its player is back"):
        left.take("Fourth")


@pytest.mark.parametrize("number", range(4))
def test_of_who_is_back_and_who_takes_the_seat_at_once_one_has_it(context, left, place, clock, number):
    dirk, second, link = left.known("Dirk"), left.names[1], place.link(left.game, seat=1)
    visitor, ends = place.visitor(), list[str]()

    def take() -> None:
        take_offered_seat(context, left.game, dirk, "Dirk", clock())
        ends.append("Dirk")

    def come() -> None:
        if presses_return(place, left, visitor, link).status == 200:
            ends.append(second)

    assert at_once(*((take, come), (come, take))[number % 2]) == []
    assert [left.seating(1).name] == ends
    assert (left.resigned, left.offered) == ([], [])
    assert left.faults == []
