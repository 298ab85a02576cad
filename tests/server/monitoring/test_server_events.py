"""What happens is written: one line each, of kinds, ids, states and durations, and counted."""

import json
import logging
from datetime import timedelta
from enum import StrEnum
from inspect import signature
from typing import get_type_hints

import pytest
from prometheus_client import generate_latest

from server import clock
from server.delivery.sending import send_due_letters
from server.inbox import dispatch
from server.logs import JsonFormatter
from server.monitoring import AttemptChannel, EventLog, PartState, RowFate, WorkTable
from server.outbox.queue import open_unit
from server.store.event_log import RefusalCode
from server.store.states import Channel, LetterState, MailState
from server.thinker import ProcessLoss
from server.turns import play as playing
from tests.server.desk import NOON, Collector
from tests.server.inbox.test_new_game_mail import Post
from tests.server.test_poisoned_rows import poison
from tests.server.web.bots import bots

GAME = "abcd2345"
SECOND = timedelta(seconds=1)


class Part(StrEnum):
    DISK = "disk"


@pytest.fixture
def log(caplog) -> EventLog:
    caplog.set_level(logging.INFO, "alexandros.events")
    return EventLog()


def written(caplog) -> list[dict[str, object]]:
    """What was written, as `alexandros serve` writes it, without when."""
    found = [json.loads(JsonFormatter().format(one)) for one in caplog.records]
    assert all(one.pop("at") and one.pop("log") == "events" for one in found)
    return found


def test_each_event_is_one_line(log, caplog):
    log.note_act(GAME, 17, 0, Channel.REPLY, 0.0042)
    log.note_mail(5, MailState.PLAYED, 0.006, SECOND)
    log.note_letter(9, GAME, "your_turn", LetterState.SENT, 0.05, SECOND)
    log.note_operator_mail(1, LetterState.SENT, 0.2)
    log.note_refusal(RefusalCode.ORDERS, AttemptChannel.MAIL, GAME)
    log.note_refusal(RefusalCode.ADDRESS, AttemptChannel.PAGE)
    log.note_relay_back(12.5)
    log.note_clock_jump(-SECOND)
    log.note_downtime(SECOND)
    log.note_lost_thinker(ProcessLoss.TOO_LONG)
    log.note_health(Part.DISK, PartState.WELL, 3)
    info, warning = {"level": "info"}, {"level": "warning"}
    assert written(caplog) == [
        info | {"event": "act", "game": GAME, "act": 17, "seat": 0, "by": "reply", "ms": 4},
        info | {"event": "mail", "mail": 5, "state": "played", "ms": 6, "waited_ms": 1000},
        info
        | {"event": "letter", "game": GAME, "letter": 9, "kind": "your_turn", "state": "sent"}
        | {"ms": 50, "waited_ms": 1000},
        info | {"event": "operator-mail", "mail": 1, "state": "sent", "ms": 200},
        info | {"event": "refusal", "game": GAME, "code": "orders", "by": "mail"},
        info | {"event": "refusal", "code": "address", "by": "page"},
        warning | {"event": "relay", "state": "back", "ms": 12500},
        warning | {"event": "clock-jump", "to": "back", "ms": 1000},
        warning | {"event": "downtime", "ms": 1000},
        warning | {"event": "thinker-lost", "why": "too-long"},
        warning | {"event": "health", "part": "disk", "state": "well", "ms": 3000},
    ]


def test_what_fails_is_an_error_with_its_trace_and_without_what_was_stored(log, caplog):
    try:
        int("well played, Ben")
    except ValueError:
        log.note_failed_row(WorkTable.OUTGOING, 3, RowFate.SET_ASIDE)
    log.note_failed_game(GAME, RowFate.PUT_OFF)
    log.note_health(Part.DISK, PartState.FAILING, 0)
    row, game, health = written(caplog)
    trace = row.pop("trace")
    assert "test_server_events.py" in trace
    assert trace.endswith("ValueError: invalid literal for int() with base 10: '…'")
    error = {"level": "error"}
    assert row == error | {"event": "row-failed", "table": "outgoing", "row": 3, "fate": "set-aside"}
    assert game == error | {"event": "row-failed", "game": GAME, "table": "game", "fate": "put-off"}
    assert health == error | {"event": "health", "part": "disk", "state": "failing", "ms": 0}


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("127.0.0.1:587 refused the letter: 554 5.7.1 <anna@example.org> is gone.", "554 5.7.1"),
        ("[::1]:25 is not ready: 421 Anna is asleep.", "421"),
        ("127.0.0.1:25 broke off: Connection unexpectedly closed.", "no reply"),
    ],
)
def test_of_the_words_of_a_relay_the_codes_are_written(log, caplog, said, code):
    try:
        raise ValueError(said)
    except ValueError:
        log.note_relay_away(said)
    (line,) = written(caplog)
    assert line["reason"] == code
    assert "Anna" not in caplog.text
    assert "anna" not in caplog.text


@pytest.mark.parametrize("given", ["anna@example.org", "Anna", "abcd234", "../../a", "abcd2345\n"])
def test_what_is_no_id_of_a_game_and_no_kind_of_letter_is_not_written(log, caplog, given):
    log.note_act(given, 1, 0, Channel.WEB, 0)
    log.note_letter(9, GAME, given, LetterState.SENT, 0.05, SECOND)
    act, letter = written(caplog)
    assert act["game"] == letter["kind"] == "?"


PLACES_FOR_CHECKED_TEXT = {("note_relay_away", "reason"), ("note_health", "error"), ("note_letter", "kind")}


def test_there_is_no_place_for_words():
    """The facts of each event are numbers, moments, members of enums and the ids of games."""
    for name in [name for name in dir(EventLog) if name.startswith("note_")]:
        method = getattr(EventLog, name)
        kinds = get_type_hints(method)
        for given in list(signature(method).parameters)[1:]:
            if (name, given) in {
                ("note_relay_away", "reason"),
                ("note_health", "error"),
                ("note_letter", "kind"),
            } or given == "game":
                continue
            kind = kinds[given]
            assert kind in (int, int | None, float, timedelta) or issubclass(kind, StrEnum), (name, given)


def test_where_nobody_asked_for_all_events_only_bad_news_is_written(caplog):
    log = EventLog()
    log.note_act(GAME, 1, 0, Channel.WEB, 0)
    log.note_relay_away("connection refused")
    assert caplog.messages == ["events event=relay state=away reason=no reply"]


def test_what_is_written_is_counted_too(log):
    log.note_act(GAME, 17, 0, Channel.REPLY, 0.004)
    log.note_letter(9, GAME, "your_turn", LetterState.FAILED, 0.05, SECOND)
    log.note_letter(9, GAME, "your_turn", LetterState.SENT, 0.05, SECOND)
    value = log.metrics.registry.get_sample_value
    assert value("alexandros_acts_total", {"by": "reply"}) == 1
    assert value("alexandros_act_seconds_sum") == 0.004
    assert value("alexandros_letters_total", {"kind": "your_turn", "state": "sent"}) == 1
    assert value("alexandros_letter_wait_seconds_count") == 1
    log.note_lost_thinker(ProcessLoss.DIED)
    assert value("alexandros_thinkers_lost_total", {"why": "died"}) == 1


def test_no_game_stands_in_what_is_counted(log):
    log.note_act(GAME, 17, 0, Channel.REPLY, 0.004)
    log.note_letter(9, GAME, "your_turn", LetterState.SENT, 0.05, SECOND)
    log.note_failed_game(GAME, RowFate.PUT_OFF)
    assert GAME not in generate_latest(log.metrics.registry).decode()


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
    game = context.start_game("Anna", "house")
    opened = told("act")
    assert [one["act"] for one in opened] == list(range(1, context.game_row(game).seq + 1))
    row = context.game_row(game)
    context.say(game, *context.turn_words(game), "draw", "draw", "end")
    assert told("act") == [{"game": game, "act": row.seq + 1, "seat": row.seat, "by": "link"}]


def test_what_is_undone_is_not_told(context, game, told):
    with open_unit(context, NOON) as unit:
        running = playing.load_running_game(context, unit.session, game, context.game_row(game).after)
        unit.add_act(game, running.history, running.row.seat, Channel.WEB)
    assert told("act") == []


def test_a_mail_is_told_of_once_it_is_read_with_what_became_of_it(context, game, told):
    post = Post(context)
    send_due_letters(context, post.carrier, NOON)
    post.answer(post.to(context.mover(game)), "; ".join([*context.turn_words(game), "draw", "draw"]))
    post.answer(post.to(context.mover(game)), "march Nowhere")
    post.write("nonsense", to="somebody@play.example.org")
    assert told("mail") == [
        {"mail": 1, "state": "played"},
        {"mail": 2, "state": "refused"},
        {"mail": 3, "state": "ignored"},
    ]


def test_refusals_by_page_program_and_mail(context, game, place, told):
    post = Post(context)
    send_due_letters(context, post.carrier, NOON)
    place.visitor().get(place.link(game, "dance"))
    assert told("refusal") == [{"code": "orders", "by": "page"}]
    program = bots(place, game)[context.game_row(game).seat]
    assert program.act(game, "dance").status_code == 422
    assert program.act(game, "draw", after=0).status_code == 409
    assert told("refusal") == [{"code": "orders", "by": "api"}, {"code": "stale", "by": "api"}]
    post.answer(post.to(context.mover(game)), "march Nowhere")
    assert told("refusal") == [{"code": "orders", "by": "mail", "game": game}]


def test_a_row_that_cannot_be_read_and_a_game_that_cannot_go_on_are_told_of(context, caplog):
    game = context.start_game("Anna", "house")
    context.write_mail(game, "Anna", "board")
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
