"""A player gives a game up: the caretaker plays on for the seat, the others are told, nobody waits."""

import json

import pytest
from sqlmodel import select

from emails.i18n import Tongue, say, speaking
from engine.logfile import check_log
from server.accounts.unsubscribe import stop
from server.admin import archive
from server.admin.doctor import examine
from server.clock import due, tick
from server.delivery.outgoing import deliver
from server.inbox.intake import take_in
from server.lobby.games import Wish, open_game
from server.lobby.resignations import ALONE, NotResigned, has_resigned, resign
from server.outbox import chat
from server.outbox.chat import unheard
from server.store import projection
from server.store.boards import boards
from server.store.event_log import Shelf
from server.store.models import Act, Game, Incoming, Outgoing, Resigned
from server.turns.play import RESIGNED, play
from server.worker import work
from tests.server.desk import (
    NOON,
    Clock,
    Collector,
    game_row,
    names_of,
    seat_of,
    start_game,
    wish,
)
from tests.server.test_clock import letters, running

ANNA, BEN = Wish("Anna", "anna@example.org"), Wish("Ben", "ben@example.org")


@pytest.fixture
def mails():
    return Collector()


@pytest.fixture
def game(office, mails):
    game = start_game(office, "Anna", "Ben", "Cleo")
    deliver(office, mails, NOON)
    mails.mails.clear()
    return game


def gives_up(office, game, name, now=NOON, mail=None):
    return resign(office, None, game, seat_of(office, game, name), now, "reply", mail)


def told(office, game, name, language="en"):
    with office.reading() as session, speaking(Tongue(language)):
        return [one.words for one in unheard(session, game, seat_of(office, game, name))[0]]


def kinds(mails):
    return [str(mail["X-Alexandros"]) for mail in mails]


def body(mail):
    return mail.get_body(("plain",)).get_content()


def acts(office, game):
    with office.reading() as session:
        return session.exec(select(Act).where(Act.game == game).order_by(Act.seq)).all()


def resigned(office):
    with office.reading() as session:
        return [(row.game, row.seat, row.at) for row in session.exec(select(Resigned))]


# --- the act --------------------------------------------------------------------------------------------


def test_it_is_an_act_that_leaves_the_position_as_it_is(office, game, clock):
    second = names_of(office, game)[1]
    before = game_row(office, game)
    assert gives_up(office, game, second, clock.forward(1))
    last = acts(office, game)[-1]
    assert (last.seat, last.door, last.said) == (1, "reply", "resign")
    assert json.loads(last.events) == [{"type": "seat_resigned", "seat": 1}]
    row = game_row(office, game)
    assert (row.seq, row.after) == (before.seq + 1, before.after)
    assert (row.turn, row.seat, row.deadline) == (before.turn, before.seat, before.deadline)
    assert resigned(office) == [(game, 1, clock())]
    play(office, game, 0, row.after, first_order(office, game), "link", clock())  # and his letter still holds


def first_order(office, game):
    with office.reading() as session:
        table = office.history(session, session.get_one(Game, game)).position.table
    return [f"choose {table.display.kinds()[0]}"]


def test_resigning_twice_is_resigning_once(office, game):
    assert gives_up(office, game, "Ben")
    assert not gives_up(office, game, "Ben")
    assert len(resigned(office)) == 1
    assert len([act for act in acts(office, game) if act.said == "resign"]) == 1
    assert len(told(office, game, "Anna")) == 1


def test_with_a_session_the_caller_commits(office, game):
    with office.writing() as session:
        assert resign(office, session, game, 2, NOON, "reply", None)
        assert has_resigned(session, game, 2)
        session.rollback()
    assert resigned(office) == []
    assert gives_up(office, game, names_of(office, game)[2])


def test_before_the_game_and_after_it_there_is_nothing_to_give_up(office, mails, clock):
    waiting = open_game(office, "Friday", [ANNA, BEN], NOON)
    with pytest.raises(NotResigned, match="leave the invitation"):
        resign(office, None, waiting, 0, NOON, "reply")
    over = start_game(office, "Anna", "Ben")
    for name in ("Anna", "Ben"):
        gives_up(office, over, name)
    work(office, mails, NOON)
    assert game_row(office, over).status == "over"
    assert not gives_up(office, over, "Anna")  # he has, long since
    other = start_game(office, "Anna", "house")
    with office.writing() as session:
        session.get_one(Game, other).status = "over"
        session.commit()
    with pytest.raises(NotResigned, match="is over"):
        gives_up(office, other, "Anna")
    assert len(resigned(office)) == 2


@pytest.mark.parametrize("seat", ["house", 9])
def test_nobody_gives_up_for_the_house_or_for_a_seat_that_is_not_there(office, seat):
    game = start_game(office, "Anna", "house")
    number = 1 - seat_of(office, game, "Anna") if seat == "house" else seat
    with pytest.raises(NotResigned, match="Nobody plays"):
        resign(office, None, game, number, NOON, "reply")
    with pytest.raises(NotResigned):
        resign(office, None, "zzzzzzzz", 0, NOON, "reply")


def test_each_sentence_is_said_in_dutch_too(office, game):
    with speaking(Tongue("nl")), pytest.raises(NotResigned, match="Op die plaats speelt niemand"):
        resign(office, None, game, 9, NOON, "reply")
    with speaking(Tongue("nl")):
        for sentence in (ALONE, RESIGNED, chat.OF_THE_SERVER[chat.GIVEN_UP]):
            assert say(sentence) != sentence


# --- what follows ---------------------------------------------------------------------------------------


def test_the_clock_plays_a_resigned_seat_at_once_and_before_its_time(office):
    game = running(deadline=None)
    assert due([game], frozenset(), NOON) == []
    [found] = due([game], frozenset(), NOON, frozenset({("aaaaaaaa", 0)}))
    assert (found.what, found.seat) == ("caretaker", 0)
    [late] = due([running()], frozenset(), Clock().forward(900), frozenset({("aaaaaaaa", 0)}))
    assert late.what == "caretaker"
    assert due([running(seat=1)], frozenset(), NOON, frozenset({("aaaaaaaa", 0)})) == []
    assert due([running()], frozenset(), NOON, frozenset({("bbbbbbbb", 0)})) == []


def test_out_of_his_turn_nothing_is_played_before_it_comes(office, game, mails, clock):
    gives_up(office, game, names_of(office, game)[1])
    assert tick(office, clock()) == 0
    assert game_row(office, game).turn == 1


def test_in_the_middle_of_his_turn_the_caretaker_finishes_it(office, game, mails):
    first, second, third = names_of(office, game)
    play(office, game, 0, game_row(office, game).after, first_order(office, game), "link", NOON)
    gives_up(office, game, first)
    work(office, mails, NOON)
    row = game_row(office, game)
    assert (row.turn, row.seat) == (2, 1)
    last = acts(office, game)[-1]
    assert (last.seat, last.door) == (0, "caretaker")
    assert not {"card_chosen", "turn_timed_out"} & {fact["type"] for fact in json.loads(last.events)}
    assert not letters(office, "time_passed")
    assert kinds(mails.to(first)) == []
    assert kinds(mails.to(second)) == ["your_turn"]
    assert "has resigned, and a caretaker plays on" in body(mails.to(second)[0])
    assert kinds(mails.to(third)) == []


def test_the_others_are_told_once_each_in_his_language(office, game, mails, clock):
    first, gone, third = names_of(office, game)
    gives_up(office, game, gone)
    assert told(office, game, gone) == []
    assert told(office, game, first) == [f"{gone} has resigned, and a caretaker plays on for that seat."]
    assert told(office, game, third, "nl")[0].startswith(f"{gone} heeft opgegeven")
    wish(office, game, third, messages=True)
    work(office, mails, clock())
    assert told(office, game, first) != []  # it stands in his next letter
    with office.writing() as session:
        chat.announce(office, session, session.get_one(Game, game), 1, chat.STOPPED, clock())
        session.commit()
    assert len(told(office, game, first)) == 1  # nobody waits for that seat any more


def test_nothing_is_said_of_letters_that_a_resigned_player_stops(office, game):
    gives_up(office, game, "Ben")
    stop(office, game, seat_of(office, game, "Ben"), False, NOON)
    assert len(told(office, game, "Anna")) == 1


def test_he_gets_no_more_letters_until_the_end_and_then_that_one(office, mails, clock):
    game = start_game(office, "Anna", "Ben", hours=48)
    first, second = names_of(office, game)
    wish(office, game, first, moves=True, messages=True, pace="daily", everywhere=True)
    work(office, mails, clock())
    mails.mails.clear()
    gives_up(office, game, first, clock())
    for hour in range(100):
        if hour == 3:
            with office.writing() as session:
                row = session.get_one(Game, game)
                chat.post(office, session, row, 1, None, "Where are you?", clock())
                session.commit()
        work(office, mails, clock.forward(1))
    assert game_row(office, game).turn > 4
    assert kinds(mails.to(first)) == []
    assert {"your_turn", "time_passed"} <= set(kinds(mails.to(second)))
    dropped = [row.why for row in rows(office) if row.seat == 0 and row.state == "dropped"]
    assert "its reader has resigned" in dropped
    gives_up(office, game, second, clock())
    for _ in range(30):
        work(office, mails, clock.forward(1))
    assert game_row(office, game).status == "over"
    assert kinds(mails.to(first)) == ["game_over"]
    assert "Where are you?" in body(mails.to(first)[0])
    assert kinds(mails.to(second))[-1] == "game_over"


def rows(office):
    with office.reading() as session:
        return session.exec(select(Outgoing)).all()


def test_a_mail_that_resigns_is_answered_in_the_language_of_its_writer(office, game, mails, clock):
    name = names_of(office, game)[2]
    wish(office, game, name, language="nl")
    assert gives_up(office, game, name, mail=mail(office, 1))
    assert not gives_up(office, game, name, mail=mail(office, 2))
    deliver(office, mails, clock())
    assert kinds(mails.to(name)) == ["shown", "shown"]
    for answer in mails.to(name):
        assert "Je hebt opgegeven" in body(answer)
        assert "Dit kun je niet terugdraaien." in " ".join(body(answer).split())
    with office.reading() as session:
        assert {row.state for row in session.exec(select(Incoming))} == {"played"}


def mail(office, number):
    take_in(
        office, f"someone{number}@example.org", "play+x@play.example.org", f"mail {number}".encode(), NOON
    )
    with office.reading() as session:
        return session.exec(select(Incoming).where(Incoming.sender.startswith(f"someone{number}"))).one()


def test_a_mail_that_another_server_has_read_resigns_nobody(office, game):
    row = mail(office, 1)
    with office.writing() as session:
        session.get_one(Incoming, row.id).state = "played"
        session.commit()
    assert not gives_up(office, game, "Ben", mail=row)
    assert resigned(office) == []


def test_when_all_have_resigned_caretakers_play_to_the_end_a_bounded_piece_at_a_time(office, mails, clock):
    game = start_game(office, "Anna", "Ben", "Cleo")
    for name in ("Anna", "Ben", "Cleo"):
        gives_up(office, game, name)
    before = len(acts(office, game))
    done = tick(office, clock())
    assert 0 < done <= 50
    assert len(acts(office, game)) == before + done
    work(office, mails, clock())
    row = game_row(office, game)
    assert row.status == "over"
    assert {act.door for act in acts(office, game)[before:]} == {"caretaker"}
    assert kinds(mails.to("Anna")) == kinds(mails.to("Ben")) == kinds(mails.to("Cleo")) == ["game_over"]
    assert tick(office, clock()) == 0


# --- worked out from the acts ---------------------------------------------------------------------------


def test_who_has_resigned_is_worked_out_anew_from_the_acts(office, game, clock):
    gives_up(office, game, "Ben", clock.forward(1))
    kept = resigned(office)
    with office.writing() as session:
        session.delete(session.exec(select(Resigned)).one())
        session.add(Resigned(game=game, seat=seat_of(office, game, "Cleo"), at=NOON))
        session.commit()
    [finding] = examine(office)
    assert "others have resigned" in finding
    assert "alexandros rebuild" in finding
    projection.rebuild(office)
    assert resigned(office) == kept
    assert list(examine(office)) == []
    projection.rebuild(office)
    assert resigned(office) == kept


def test_another_office_reads_it_from_the_database(office, game):
    gives_up(office, game, "Ben")
    office.shelf = Shelf()
    with office.reading() as session:
        history = office.history(session, session.get_one(Game, game))
    assert list(history.resigned) == [seat_of(office, game, "Ben")]


def test_an_exported_log_knows_nothing_of_it_and_can_be_replayed_and_taken_in(office, game, mails, clock):
    for name in ("Anna", "Ben", "Cleo"):
        gives_up(office, game, name)
    work(office, mails, clock())
    lines = [line.encode() for line in archive.export(office, game)]
    assert not [line for line in lines if b"seat_resigned" in line]
    doors = {json.loads(line)["meta"]["door"] for line in lines if b'"meta"' in line}
    assert doors == {"server", "caretaker"}
    *_, (_, last) = check_log(lines, boards())
    assert last.table.over
    copy = archive.take_in(office, archive.read_record(lines), NOON, wishes=[ANNA])
    with office.reading() as session:
        assert not has_resigned(session, copy, seat_of(office, copy, "Anna"))
        position = office.history(session, session.get_one(Game, copy)).position
        assert position == office.history(session, session.get_one(Game, game)).position
    assert list(examine(office)) == []


def test_a_game_that_goes_on_elsewhere_waits_for_its_player_again(office, game, mails, clock):
    gives_up(office, game, names_of(office, game)[0])
    work(office, mails, clock())
    lines = [line.encode() for line in archive.export(office, game)]
    wishes = [ANNA, BEN, Wish("Cleo", "cleo@example.org")]
    copy = archive.take_in(office, archive.read_record(lines), NOON, wishes=wishes)
    assert tick(office, clock()) == 0
    assert game_row(office, copy).seat == 1
