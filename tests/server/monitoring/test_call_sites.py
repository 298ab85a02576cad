"""Acts, mails, refusals and rows that fail are told of: once each, and not before they are committed."""

import logging
from datetime import timedelta

import pytest

from server import clock
from server.delivery.sending import send_due_letters
from server.inbox import dispatch
from server.outbox.queue import open_unit
from server.store.schedule import MOST_FAILURES
from server.store.states import Channel
from server.turns import play as playing
from tests.server.desk import NOON, Collector, game_row, mover, start_game
from tests.server.inbox.test_new_game_mail import Post
from tests.server.test_poisoned_rows import poison, write
from tests.server.turns.test_play import say, whole_turn
from tests.server.web.bots import bots
from tests.server.web.site import Site


@pytest.fixture
def told(caplog, context):
    """Takes what was told of one kind since it was asked last, without durations."""
    caplog.set_level(logging.INFO, "alexandros.events")

    def take(kind: str) -> list[dict[str, object]]:
        found = [dict(one.facts) for one in caplog.records if one.name == "alexandros.events"]
        caplog.clear()
        mine = [one for one in found if one.pop("event") == kind]
        assert all(isinstance(one.pop(name), int) for one in mine for name in list(one) if "ms" in name)
        return mine

    return take


def test_every_act_is_told_with_its_number_and_way(context, told):
    game = start_game(context, "Anna", "house")
    opened = told("act")
    assert [one["act"] for one in opened] == list(range(1, game_row(context, game).seq + 1))
    row = game_row(context, game)
    say(context, game, *whole_turn(context, game), "draw", "draw", "end")
    assert told("act") == [{"game": game, "act": row.seq + 1, "seat": row.seat, "by": "link"}]


def test_what_is_undone_is_not_told(context, game, told):
    with open_unit(context, NOON) as unit:
        running = playing.load_running_game(context, unit.session, game, game_row(context, game).after)
        unit.note_act(game, 99, running.row.seat, Channel.WEB)
    assert told("act") == []


def test_a_mail_is_told_of_once_it_is_read_with_what_became_of_it(context, game, told):
    post = Post(context)
    send_due_letters(context, post.carrier, NOON)
    post.answer(post.to(mover(context, game)), "; ".join([*whole_turn(context, game), "draw", "draw"]))
    post.answer(post.to(mover(context, game)), "dance")
    post.write("nonsense", to="somebody@play.example.org")
    assert told("mail") == [
        {"mail": 1, "state": "played"},
        {"mail": 2, "state": "refused"},
        {"mail": 3, "state": "ignored"},
    ]


def test_refusals_by_page_program_and_mail(context, game, told):
    place, post = Site(context), Post(context)
    send_due_letters(context, post.carrier, NOON)
    place.visitor().get(place.link(game, "dance"))
    assert told("refusal") == [{"code": "orders", "by": "page"}]
    program = bots(place, game)[game_row(context, game).seat]
    assert program.act(game, "dance").status_code == 422
    assert program.act(game, "draw", after=0).status_code == 409
    assert told("refusal") == [{"code": "orders", "by": "api"}, {"code": "stale", "by": "api"}]
    post.answer(post.to(mover(context, game)), "dance")
    assert told("refusal") == [{"code": "orders", "by": "mail", "game": game}]


def test_a_mail_that_fails_is_told_of_each_time_in_one_line_with_the_trace(
    context, game, monkeypatch, caplog
):
    def fails(*_):
        raise RuntimeError("nobody thought of this")

    monkeypatch.setitem(dispatch.PROCESSORS, "play", fails)
    write(context, game, "Anna", "board", 1)
    for tries in range(MOST_FAILURES):
        dispatch.process_waiting_mail(context, NOON + timedelta(hours=tries))
    assert [one.facts["fate"] for one in caplog.records] == ["put-off", "put-off", "set-aside"]
    assert all(one.facts["table"] == "incoming" and one.facts["row"] == 1 for one in caplog.records)
    assert all("nobody thought of this" in str(one.exc_info[1]) for one in caplog.records)


def test_a_row_that_cannot_be_read_and_a_game_that_cannot_go_on_are_told_of(context, caplog):
    game = start_game(context, "Anna", "house")
    write(context, game, "Anna", "board", 1)
    poison(context, "incoming", "at", "'some day'", game)
    poison(context, "game", "deadline", "'some day'", game)
    dispatch.process_waiting_mail(context, NOON)
    clock.keep_deadlines(context, NOON)
    assert [one.facts for one in caplog.records] == [
        {"event": "row-failed", "table": "incoming", "row": 1, "fate": "set-aside"},
        {"event": "row-failed", "game": game, "table": "game", "fate": "put-off"},
    ]
    assert all("Invalid isoformat string" in str(one.exc_info[1]) for one in caplog.records)


def test_a_letter_that_cannot_be_read_is_told_of_in_one_line_with_its_trace(context, game, caplog):
    poison(context, "outgoing", "detail", "'{'", game)
    send_due_letters(context, Collector(), NOON)
    told = [one for one in caplog.records if hasattr(one, "facts")]
    assert [one.facts for one in told if one.facts["event"] == "row-failed"] == [
        {"event": "row-failed", "table": "outgoing", "row": number, "fate": "set-aside"} for number in (1, 2)
    ]
    assert all(one.exc_info for one in told if one.facts["event"] == "row-failed")
