"""A player gives a game up: the caretaker plays on for the seat, the others are told, nobody waits."""

import json
from datetime import timedelta

import pytest
from sqlmodel import select

from emails.i18n import Locale, gettext, use_locale
from emails.replies.parsed_mail import parse_mail
from emails.tokens import Ticket
from engine.event_log import check_log
from server.accounts.unsubscribe import stop_letters
from server.admin import archive
from server.admin.backups import examine_stored_acts
from server.clock import keep_deadlines, tick
from server.delivery.sending import send_due_letters
from server.inbox.dispatch import process_waiting_mail
from server.inbox.game_mail import process_reply
from server.inbox.intake import store_mail
from server.lobby import leaving
from server.lobby.leaving import RESIGN_ALONE, ResignationRefused
from server.outbox import chat
from server.outbox.chat import unread_chat
from server.outbox.queue import open_unit
from server.store import projection
from server.store.context import load_boards
from server.store.event_log import HistoryCache
from server.store.game_terms import SeatRequest
from server.store.models import Act, Game, IncomingMail, OutgoingLetter, Resignation
from server.store.states import Announcement
from server.turns.dry_run import ALREADY_RESIGNED
from tests.server.beginnings import begin_game
from tests.server.desk import (
    NOON,
    begin_time,
    body,
    committed,
    game_row,
    kinds,
    names_of,
    open_game,
    play,
    resign,
    seat_of,
    set_preferences,
    start_game,
    stored_mails,
    work_until_idle,
)
from tests.server.test_clock import letters

ANNA, BEN = SeatRequest("Anna", "anna@example.org"), SeatRequest("Ben", "ben@example.org")


@pytest.fixture
def game(context, mails):
    game = begin_game(context, mails, "Anna", "Ben", "Cleo")
    mails.mails.clear()
    return game


def gives_up(context, game, name, now=NOON):
    return resign(context, game, seat_of(context, game, name), now=now)


def told(context, game, name, language="en"):
    with context.reading() as session, use_locale(Locale(language)):
        return [one.words for one in unread_chat(session, game, seat_of(context, game, name))[0]]


def acts(context, game):
    with context.reading() as session:
        return session.exec(select(Act).where(Act.game == game).order_by(Act.seq)).all()


def resigned(context):
    with context.reading() as session:
        return [(row.game, row.seat, row.at) for row in session.exec(select(Resignation))]


# --- the act --------------------------------------------------------------------------------------------


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
    play(
        context, game, 0, row.after, first_order(context, game), "link", clock()
    )  # and his letter still holds


def first_order(context, game):
    with context.reading() as session:
        table = context.history_of(session, session.get_one(Game, game)).position.table
    return [f"choose {table.display.kinds()[0]}"]


def test_resigning_twice_is_resigning_once(context, game):
    assert gives_up(context, game, "Ben")
    assert not gives_up(context, game, "Ben")
    assert len(resigned(context)) == 1
    assert len([act for act in acts(context, game) if act.said == "resign"]) == 1
    assert len(told(context, game, "Anna")) == 1


def test_the_caller_commits(context, game):
    with open_unit(context, NOON) as unit:
        assert leaving.resign(unit, game, 2, "reply")
        assert unit.session.get(Resignation, (game, 2)) is not None
    assert resigned(context) == []
    assert gives_up(context, game, names_of(context, game)[2])


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
    with context.writing() as session:
        session.get_one(Game, other).status = "over"
        session.commit()
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


def test_each_sentence_is_said_in_dutch_too(context, game):
    with use_locale(Locale("nl")), pytest.raises(ResignationRefused, match="Op die plaats speelt niemand"):
        resign(context, game, 9)
    with use_locale(Locale("nl")):
        for sentence in (RESIGN_ALONE, ALREADY_RESIGNED, chat.ANNOUNCEMENTS[Announcement.RESIGNED]):
            assert gettext(sentence) != sentence


# --- what follows ---------------------------------------------------------------------------------------


def test_a_resigned_seat_is_played_at_once_and_not_timed_out_though_its_time_is_over(context, game):
    begin_time(context, game)
    gives_up(context, game, names_of(context, game)[0])
    assert game_row(context, game).deadline is not None
    assert keep_deadlines(context, NOON + timedelta(hours=900)) == 0
    assert tick(context, NOON) == 1
    assert [act.door for act in acts(context, game)][-1] == "caretaker"


def test_out_of_his_turn_nothing_is_played_before_it_comes(context, game, mails, clock):
    gives_up(context, game, names_of(context, game)[1])
    assert tick(context, clock()) == 0
    assert game_row(context, game).turn == 1


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
    with context.writing() as session:
        chat.announce(context, session, session.get_one(Game, game), 1, Announcement.LETTERS_STOPPED, clock())
        session.commit()
    assert told(context, game, first) == []  # nobody waits for that seat any more


def test_nothing_is_said_of_letters_that_a_resigned_player_stops(context, game):
    gives_up(context, game, "Ben")
    committed(context, NOON, stop_letters, game, seat_of(context, game, "Ben"), False)
    assert len(told(context, game, "Anna")) == 1


@pytest.mark.breadth
def test_he_gets_no_more_letters_until_the_end_and_then_that_one(context, mails, clock):
    game = start_game(context, "Anna", "Ben", hours=48)
    first, second = names_of(context, game)
    set_preferences(context, game, first, moves=True, messages=True, pace="daily", everywhere=True)
    work_until_idle(context, mails, clock())
    mails.mails.clear()
    gives_up(context, game, first, clock())
    for hour in range(100):
        if hour == 3:
            with context.writing() as session:
                row = session.get_one(Game, game)
                chat.post(context, session, row, 1, None, "Where are you?", clock())
                session.commit()
        work_until_idle(context, mails, clock.forward(1))
    assert game_row(context, game).turn > 4
    assert kinds(mails.to(first)) == []
    assert {"your_turn", "time_passed"} <= set(kinds(mails.to(second)))
    dropped = [row.why for row in rows(context) if row.seat == 0 and row.state == "dropped"]
    assert "its reader has resigned" in dropped
    gives_up(context, game, second, clock())
    for _ in range(30):
        work_until_idle(context, mails, clock.forward(1))
    assert game_row(context, game).status == "over"
    assert kinds(mails.to(first)) == ["game_over"]
    assert "Where are you?" in body(mails.to(first)[0])
    assert kinds(mails.to(second))[-1] == "game_over"


def rows(context):
    with context.reading() as session:
        return session.exec(select(OutgoingLetter)).all()


def test_a_mail_that_resigns_is_answered_in_the_language_of_its_writer(context, game, mails, clock):
    name = names_of(context, game)[2]
    set_preferences(context, game, name, language="nl")
    for number, words in enumerate(("resign", "ja", "resign")):
        store(context, game, name, number, words, mails)
        assert process_waiting_mail(context, NOON) == 1
        send_due_letters(context, mails, clock())
    assert resigned(context) == [(game, 2, NOON)]
    assert kinds(mails.to(name)) == ["asked_back", "shown", "shown"]
    for answer in mails.to(name)[1:]:
        assert "Je hebt opgegeven" in body(answer)
        told = " ".join(body(answer).split())
        assert "kun je terugkomen: antwoord “ben terug”" in told
    with context.reading() as session:
        assert {row.state for row in session.exec(select(IncomingMail))} == {"asked", "played"}


def store(context, game, name, number, words="resign", mails=None):
    """A mail to the game, not read yet; to the last letter of these, if there is one."""
    address, after = f"{name.lower()}@example.org", game_row(context, game).after
    to = context.links.reply_address(Ticket(game, seat_of(context, game, name), after, ""))
    for letter in mails.to(name)[-1:] if mails else ():
        to = str(letter["Reply-To"])
    raw = f"From: {address}\r\nMessage-ID: <{number}@example.org>\r\n\r\n{words}\r\n"
    store_mail(context, address, to, raw.encode(), NOON)


def test_a_mail_that_another_server_has_read_resigns_nobody(context, game):
    store(context, game, "Ben", 1)
    with context.writing() as session:
        row = session.exec(select(IncomingMail)).one()
        row.state = "played"
        session.commit()
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


# --- worked out from the acts ---------------------------------------------------------------------------


def test_who_has_resigned_is_worked_out_anew_from_the_acts(context, game, clock):
    gives_up(context, game, "Ben", clock.forward(1))
    kept = resigned(context)
    with context.writing() as session:
        session.delete(session.exec(select(Resignation)).one())
        session.add(Resignation(game=game, seat=seat_of(context, game, "Cleo"), at=NOON))
        session.commit()
    [finding] = examine_stored_acts(context)
    assert "list of resignations" in finding
    assert "alexandros rebuild" in finding
    projection.rebuild(context)
    assert resigned(context) == kept
    assert list(examine_stored_acts(context)) == []
    projection.rebuild(context)
    assert resigned(context) == kept


def test_another_office_reads_it_from_the_database(context, game):
    gives_up(context, game, "Ben")
    context.history_cache = HistoryCache()
    with context.reading() as session:
        history = context.history_of(session, session.get_one(Game, game))
    assert list(history.resigned) == [seat_of(context, game, "Ben")]


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


def test_a_game_that_goes_on_elsewhere_waits_for_its_player_again(context, game, mails, clock):
    gives_up(context, game, names_of(context, game)[0])
    work_until_idle(context, mails, clock())
    lines = [line.encode() for line in archive.export_log(context, game)]
    requests = [ANNA, BEN, SeatRequest("Cleo", "cleo@example.org")]
    copy = archive.import_log(context, archive.read_log(lines), NOON, requests=requests)
    assert tick(context, clock()) == 0
    assert game_row(context, copy).seat == 1
