"""A player gives a game up, and may be back while the seat is offered."""

import json
from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import select

from emails.i18n import Locale, use_locale
from emails.replies.parsed_mail import parse_mail
from emails.terms import AbsenceRule
from emails.wording.requests import VoteAnswer, VoteKind
from engine.event_log import check_log
from server.admin import archive
from server.admin.backups import examine_stored_acts
from server.clock import keep_deadlines, tick
from server.inbox.game_mail import process_reply
from server.lobby.leaving import ResignationRefused, come_back, take_back_resignation, take_offered_seat
from server.lobby.open_seats import SeatRefused
from server.outbox import chat
from server.privacy.erasure import forget_address
from server.store import projection
from server.store.boards import load_boards
from server.store.models import Act, Game, IncomingMail, Resignation, Seating
from server.store.refusals import GameSuspended
from server.store.states import Announcement, Channel, GameStatus
from server.web.kit.request_context import csrf_token
from tests.server.beginnings import begin_game, begin_once
from tests.server.desk import (
    ANNA,
    BEN,
    NOON,
    at_once,
    begin_time,
    body,
    change_game,
    changing,
    committed,
    game_row,
    kinds,
    names_of,
    open_game,
    play,
    player_of,
    position_of,
    projected,
    resign,
    rows_of,
    seat_of,
    set_preferences,
    start_game,
    stored_mails,
    type_in,
    unread,
    words_of,
    work_until_idle,
    write_mail,
)
from tests.server.inbox.test_mail_dispatch import reply
from tests.server.lobby.test_seat_returns import begun, kept, opened, plays
from tests.server.lobby.test_substitutes import known, offered, seating
from tests.server.lobby.voting import answers
from tests.server.test_clock import letters
from tests.server.web.bots import bot
from tests.server.web.site import Visitor


@pytest.fixture
def game(context, mails):
    game = begin_game(context, mails, "Anna", "Ben", "Cleo")
    mails.mails.clear()
    return game


def gives_up(context, game, name, now=NOON):
    return resign(context, game, seat_of(context, game, name), now=now)


def told(context, game, name, language="en"):
    with use_locale(Locale(language)):
        return unread(context, game, seat_of(context, game, name))


def acts(context, game):
    return rows_of(context, Act, Act.game == game)


def resigned_seats(context) -> list[int]:
    return rows_of(context, Resignation.seat)


def resigned(context):
    return [(row.game, row.seat, row.at) for row in rows_of(context, Resignation)]


def test_it_is_an_act_that_leaves_the_position_as_it_is(context, game, clock):
    second = names_of(context, game)[1]
    before = game_row(context, game)
    assert gives_up(context, game, second, clock.forward(1))
    last = acts(context, game)[-1]
    assert (last.seat, last.door, last.said) == (1, "reply", "resign")
    assert json.loads(last.events) == [
        {"type": "seat_resigned", "seat": 1},
        {"type": "seat_offered", "seat": 1},
    ]
    row = game_row(context, game)
    assert (row.seq, row.after) == (before.seq + 1, before.after)
    assert (row.turn, row.seat, row.deadline) == (before.turn, before.seat, before.deadline)
    assert resigned(context) == [(game, 1, clock())]
    play(context, game, 0, row.after, first_order(context, game), "link", clock())  # the letter still holds


def first_order(context, game):
    return [f"choose {position_of(context, game).table.display.kinds()[0]}"]


def test_resigning_twice_is_resigning_once(context, game):
    assert gives_up(context, game, "Ben")
    assert not gives_up(context, game, "Ben")
    assert len(resigned(context)) == 1
    assert len([act for act in acts(context, game) if act.said == "resign"]) == 1
    assert len(told(context, game, "Anna")) == 1


def test_before_the_game_and_after_it_there_is_nothing_to_give_up(context, mails, clock):
    waiting = open_game(context, "Friday", [ANNA, BEN], NOON)
    with pytest.raises(ResignationRefused, match="leave the invitation"):
        resign(context, waiting, 0)
    over = start_game(context, "Anna", "Ben")
    for name in ("Anna", "Ben"):
        gives_up(context, over, name)
    work_until_idle(context, mails, NOON)
    assert game_row(context, over).status == "over"
    assert not gives_up(context, over, "Anna")  # he has, long since
    other = start_game(context, "Anna", "house")
    change_game(context, other, status="over")
    with pytest.raises(ResignationRefused, match="is over"):
        gives_up(context, other, "Anna")
    assert len(resigned(context)) == 2


@pytest.mark.parametrize("seat", ["house", 9])
def test_nobody_gives_up_for_the_house_or_for_a_seat_that_is_not_there(context, seat):
    game = start_game(context, "Anna", "house")
    number = 1 - seat_of(context, game, "Anna") if seat == "house" else seat
    with pytest.raises(ResignationRefused, match="Nobody plays"):
        resign(context, game, number)
    with pytest.raises(ResignationRefused):
        resign(context, "zzzzzzzz", 0)


def test_a_resigned_seat_is_played_at_once_and_not_timed_out_though_its_time_is_over(context, game):
    begin_time(context, game)
    gives_up(context, game, names_of(context, game)[0])
    assert game_row(context, game).deadline is not None
    assert keep_deadlines(context, NOON + timedelta(hours=900)) == 0
    assert tick(context, NOON) == 1
    assert [act.door for act in acts(context, game)][-1] == "caretaker"


def test_in_the_middle_of_his_turn_the_caretaker_finishes_it(context, game, mails):
    first, second, third = names_of(context, game)
    play(context, game, 0, game_row(context, game).after, first_order(context, game), "link", NOON)
    gives_up(context, game, first)
    work_until_idle(context, mails, NOON)
    row = game_row(context, game)
    assert (row.turn, row.seat) == (2, 1)
    last = acts(context, game)[-1]
    assert (last.seat, last.door) == (0, "caretaker")
    assert not {"card_chosen", "turn_timed_out"} & {fact["type"] for fact in json.loads(last.events)}
    assert not letters(context, "time_passed")
    assert kinds(mails.to(first)) == []
    assert kinds(mails.to(second)) == ["seat_offered", "your_turn"]
    assert "has resigned, and a caretaker plays on" in body(mails.to(second)[0])
    assert kinds(mails.to(third)) == ["seat_offered"]


def test_the_others_are_told_once_each_in_his_language(context, game, mails, clock):
    first, gone, third = names_of(context, game)
    gives_up(context, game, gone)
    assert told(context, game, gone) == []
    assert told(context, game, first) == [f"{gone} has resigned, and a caretaker plays on for that seat."]
    assert told(context, game, third, "nl")[0].startswith(f"{gone} heeft opgegeven")
    set_preferences(context, game, third, messages=True)
    work_until_idle(context, mails, clock())
    assert told(context, game, first) == []  # it stood in the letter that offers the seat
    with changing(context) as session:
        chat.announce(context, session, session.get_one(Game, game), 1, Announcement.LETTERS_STOPPED, clock())
    assert told(context, game, first) == []  # nobody waits for that seat any more


def test_a_mail_that_another_server_has_read_resigns_nobody(context, game):
    write_mail(context, game, "Ben", "resign")
    with changing(context) as session:
        row = session.exec(select(IncomingMail)).one()
        row.state = "played"
    (mail,) = stored_mails(context)
    token = mail.recipient.partition("@")[0].partition("+")[2]
    process_reply(context, row, parse_mail(mail.raw, mail.sender, mail.recipient), token, NOON)
    assert resigned(context) == []


def test_when_all_have_resigned_caretakers_play_to_the_end_a_bounded_piece_at_a_time(context, mails, clock):
    game = start_game(context, "Anna", "Ben", "Cleo")
    for name in ("Anna", "Ben", "Cleo"):
        gives_up(context, game, name)
    before = len(acts(context, game))
    done = tick(context, clock())
    assert 0 < done <= 50
    assert len(acts(context, game)) == before + done
    work_until_idle(context, mails, clock())
    row = game_row(context, game)
    assert row.status == "over"
    assert {act.door for act in acts(context, game)[before:]} == {"caretaker"}
    assert kinds(mails.to("Anna")) == kinds(mails.to("Ben")) == kinds(mails.to("Cleo")) == ["game_over"]
    assert tick(context, clock()) == 0


def test_who_has_resigned_is_worked_out_anew_from_the_acts(context, game, clock):
    gives_up(context, game, "Ben", clock.forward(1))
    kept = resigned(context)
    with changing(context) as session:
        session.delete(session.exec(select(Resignation)).one())
        session.add(Resignation(game=game, seat=seat_of(context, game, "Cleo"), at=NOON))
    [finding] = examine_stored_acts(context)
    assert "list of resignations" in finding
    assert "alexandros rebuild" in finding
    projection.rebuild(context)
    assert resigned(context) == kept
    assert list(examine_stored_acts(context)) == []
    projection.rebuild(context)
    assert resigned(context) == kept


def test_an_exported_log_knows_nothing_of_it_and_can_be_replayed_and_taken_in(context, game, mails, clock):
    for name in ("Anna", "Ben", "Cleo"):
        gives_up(context, game, name)
    work_until_idle(context, mails, clock())
    lines = [line.encode() for line in archive.export_log(context, game)]
    assert not [line for line in lines if b"seat_resigned" in line]
    doors = {json.loads(line)["meta"]["door"] for line in lines if b'"meta"' in line}
    assert doors == {"server", "caretaker"}
    *_, (_, last) = check_log(lines, load_boards())
    assert last.table.over
    copy = archive.import_log(context, archive.read_log(lines), NOON, requests=[ANNA])
    with context.reading() as session:
        assert session.get(Resignation, (copy, seat_of(context, copy, "Anna"))) is None
        position = context.history_of(session, session.get_one(Game, copy)).position
        assert position == context.history_of(session, session.get_one(Game, game)).position
    assert list(examine_stored_acts(context)) == []


@pytest.fixture
def left(context, mails, clock) -> str:
    """A game of three of which the second to move has resigned, and the others have heard it."""
    return left_by(context, mails, clock, AbsenceRule.TURN)


def left_by(context, mails, clock, rule: AbsenceRule) -> str:
    def with_second_resigned() -> str:
        game = opened(context, rule, "Anna", "Ben", "Cleo")
        for name in names_of(context, game):
            set_preferences(context, game, name, messages=True)
        work_until_idle(context, mails, clock())
        gives_up_seat(context, game, clock)
        work_until_idle(context, mails, clock())
        return game

    return begin_once(context, mails, with_second_resigned, rule, clock=clock)


def gives_up_seat(context, game, clock, seat: int = 1) -> None:
    assert resign(context, game, seat, Channel.WEB, clock())


def takes_back(context, game, clock, seat: int = 1) -> bool:
    player = player_of(context, game, seat)
    return committed(context, clock(), take_back_resignation, game, seat, player, Channel.WEB)


def returns(context) -> int:
    return sum("seat_returned" in events for events in rows_of(context, Act.events))


def test_their_turns_are_theirs_again_and_the_others_hear_it(context, left, mails, clock):
    assert (resigned_seats(context), offered(context)) == ([1], [1])
    assert takes_back(context, left, clock)
    assert not takes_back(context, left, clock)
    assert (resigned_seats(context), offered(context), kept(context), returns(context)) == ([], [], [], 1)
    first, second, third = names_of(context, left)
    work_until_idle(context, mails, clock.forward(1))
    for name in (first, third):
        assert any(f"{second} is back and plays again" in words_of(one) for one in mails.to(name))
    plays(context, left)
    work_until_idle(context, mails, clock.forward(1))
    assert game_row(context, left).seat == 1
    assert kinds(mails.to(second))[-1] == "your_turn"
    assert game_row(context, left).deadline is not None
    plays(context, left)
    assert list(examine_stored_acts(context)) == []
    before = projected(context, left)
    projection.rebuild(context)
    assert projected(context, left) == before
    assert list(examine_stored_acts(context)) == []


def test_who_resigns_and_is_back_before_anybody_hears_is_not_spoken_of(context, mails, clock):
    game = begun(context, mails, clock, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    for _ in range(2):
        gives_up_seat(context, game, clock)
        assert any("has resigned" in one for one in unread(context, game, 0))
        takes_back(context, game, clock)
        assert unread(context, game, 0) == unread(context, game, 2) == []
    mails.mails.clear()
    work_until_idle(context, mails, clock.forward(1))
    assert "seat_offered" not in kinds(mails.mails)
    assert not any("has resigned" in words_of(one) or "is back" in words_of(one) for one in mails.mails)


def test_who_is_passed_over_plays_again(context, left, place, clock):
    for seat in (0, 2):
        answers(context, left, seat, VoteKind.EMPTY_SEAT, VoteAnswer.GO_ON, clock(), 1)
    assert place.history(left).skipped == {1}
    takes_back(context, left, clock)
    assert place.history(left).skipped == frozenset()
    assert list(examine_stored_acts(context)) == []


def test_nothing_else_that_they_do_takes_it_back(context, left, place, mails, clock):
    second = names_of(context, left)[1]
    visitor = place.look(left, seat=1)
    assert resigned_seats(context) == [1]
    visitor.send("//form[contains(@action, '/say')]", words="Good luck to you all")
    assert visitor.status == 200
    away = place.signed_in(left, 1).get(place.link(left, seat=1) + "/away")
    away.send("//form[.//*[@name='wish']]", wish="back")
    reply(context, letter_of(mails, second), "say: I watch")
    reply(context, letter_of(mails, second), "away until Friday")
    assert not committed(context, clock(), come_back, left, 1, Channel.WEB)
    assert (resigned_seats(context), offered(context), returns(context)) == ([1], [1], 0)


def letter_of(mails, name: str) -> EmailMessage:
    """A letter of the game that somebody has got before they resigned."""
    return mails.to(name)[0]


def presses_return(place, visitor, game, seat: int = 1, link: str = "") -> Visitor:
    """The button is sent, though no page shows it."""
    with place.app.test_request_context():
        nonce = csrf_token(f"return {game} {seat}")
    return visitor.post((link or place.link(game, seat=seat)) + "/return", nonce=nonce)


def test_where_the_game_is_over_or_halted_nobody_comes_back(context, left, place, clock):
    change_game(context, left, suspended_at=clock())
    with pytest.raises(GameSuspended):
        takes_back(context, left, clock)
    assert "I am back" not in place.look(left, seat=1).text
    change_game(context, left, suspended_at=None, status=GameStatus.OVER)
    with pytest.raises(ResignationRefused, match="is over"):
        takes_back(context, left, clock)
    assert returns(context) == 0


def test_who_is_forgotten_does_not_come_back(context, left, place, clock):
    second = names_of(context, left)[1]
    number, link = player_of(context, left, 1), place.link(left, seat=1)
    forget_address(context, f"{second.lower()}@example.org", clock())
    with pytest.raises(ResignationRefused, match="Somebody else"):
        committed(context, clock(), take_back_resignation, left, 1, number, Channel.WEB)
    for one in (link, place.link(left, seat=1)):
        assert presses_return(place, place.visitor(), left, link=one).status in (404, 410)
    assert (resigned_seats(context), offered(context), returns(context)) == ([1], [1], 0)
    assert list(examine_stored_acts(context)) == []


def test_in_the_game_of_the_mail_alone(context, left, mails, clock):
    other = begun(context, mails, clock, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    name = names_of(context, left)[1]
    seat = names_of(context, other).index(name)
    gives_up_seat(context, other, clock, seat)
    reply(context, letter_of(mails, name), "back")
    assert [(one.game, one.seat) for one in rows_of(context, Resignation)] == [(other, seat)]


def test_by_a_button_with_a_ticket_alone_and_not_by_looking(context, left, place, clock):
    visitor = place.look(left, seat=1)
    assert "Until somebody else has the seat you can come back." in visitor.text
    assert place.look(left, "/return", seat=1).status == 405
    visitor.post(place.link(left, seat=1) + "/return", nonce="x")
    assert (visitor.status, resigned_seats(context)) == (400, [1])
    visitor.get(place.link(left, seat=1)).send("//form[contains(@action, '/return')]")
    assert (visitor.status, visitor.title, resigned_seats(context)) == (200, "You are back", [])
    presses_return(place, visitor, left)
    assert (visitor.status, returns(context)) == (200, 1)
    visitor.click("To the game")
    assert "Nothing is needed of you now" in visitor.text


def test_not_by_links_of_before_they_were_made_new_nor_of_others(context, left, place, clock):
    link = place.link(left, seat=1)
    with changing(context) as session:
        session.get_one(Seating, (left, 1)).generation += 1
    assert presses_return(place, place.visitor(), left, link=link).status >= 400
    assert presses_return(place, place.visitor(), left, link=place.link(left, seat=0)).status == 400
    assert resigned_seats(context) == [1]
    assert presses_return(place, place.visitor(), left).status == 200
    assert resigned_seats(context) == []


def test_nobody_comes_back_from_a_banned_address(context, left, place):
    type_in(context, "ban", f"{names_of(context, left)[1].lower()}@example.org")
    assert presses_return(place, place.visitor(), left).status == 403
    assert resigned_seats(context) == [1]


def test_by_a_program(context, left, place):
    one = bot(place, left, names_of(context, left)[1])
    assert [one.post(f"games/{left}/back").json for _ in range(2)] == [{"back": True}, {"back": False}]
    assert (resigned_seats(context), returns(context)) == ([], 1)


def test_once_somebody_has_the_seat_nobody_comes_back(context, left, place, mails, clock):
    second, link, before = names_of(context, left)[1], place.link(left, seat=1), player_of(context, left, 1)
    take_offered_seat(context, left, known(context, "Dirk", clock), "Dirk", clock())
    with pytest.raises(ResignationRefused, match="Somebody else"):
        committed(context, clock(), take_back_resignation, left, 1, before, Channel.WEB)
    assert presses_return(place, place.visitor(), left, link=link).status == 410
    reply(context, letter_of(mails, second), "back")
    assert (seating(context, left, 1).name, returns(context)) == ("Dirk", 0)
    gives_up_seat(context, left, clock)
    with pytest.raises(ResignationRefused, match="Somebody else"):
        committed(context, clock(), take_back_resignation, left, 1, before, Channel.WEB)
    assert takes_back(context, left, clock)
    with pytest.raises(SeatRefused, match="its player is back"):
        take_offered_seat(context, left, known(context, "Fourth", clock), "Fourth", clock())


@pytest.mark.parametrize("number", range(4))
def test_of_who_is_back_and_who_takes_the_seat_at_once_one_has_it(context, left, place, clock, number):
    dirk, second, link = known(context, "Dirk", clock), names_of(context, left)[1], place.link(left, seat=1)
    visitor, ends = place.visitor(), list[str]()

    def take() -> None:
        take_offered_seat(context, left, dirk, "Dirk", clock())
        ends.append("Dirk")

    def come() -> None:
        if presses_return(place, visitor, left, link=link).status == 200:
            ends.append(second)

    assert at_once(*((take, come), (come, take))[number % 2]) == []
    assert [seating(context, left, 1).name] == ends
    assert (resigned_seats(context), offered(context)) == ([], [])
    assert list(examine_stored_acts(context)) == []
