"""Whoever waits nudges who is to move, from half of their time on: by the button or a word, once a day."""

from collections.abc import Callable
from datetime import time, timedelta

import pytest

from server.accounts.vacations import store_rest, take_vacation
from server.admin.interventions import lift_suspension, suspend_game
from server.clock import give_back_downtime
from server.lobby.votes import NudgeRefused, nudge
from server.outbox.notifications import set_letters_wanted
from server.store.event_log import GameNotRunning, GameSuspended
from server.store.models import DailyRest, OutgoingLetter
from server.store.states import MomentName
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, Collector, body, words_of
from tests.server.lobby.voting import all_pause, lift_pause

HOUR = timedelta(hours=1)
HALF = NOON + 24 * HOUR
"""When half of the time for the first turn has passed."""


@pytest.fixture
def game(context):
    """Three people; whoever is on seat 0 is to move, has the letter of their turn, and wants no reminders."""
    game = begin_game(context, Collector(), "Anna", "Ben", "Cleo")
    context.set_preferences(game, context.names_of(game)[0], reminders=False)
    return game


def ask(context, game, seat, now=HALF):
    return context.committed(now, nudge, game, seat)


def reminders(context):
    rows = context.rows_of(OutgoingLetter, OutgoingLetter.kind == "reminder")
    return [(row.seat, row.state) for row in rows]


def rest(context, game, store: Callable[..., object], *what: object) -> None:
    """Let who is to move be away, or sleep."""
    player = context.player_of(game)
    with context.changing() as session:
        store(session, player, *what, NOON)


def test_the_reminder_says_who_asks_and_goes_to_who_is_to_move_alone(context, game):
    assert ask(context, game, 1).seat == 0
    carrier = Collector()
    context.work_until_idle(carrier, HALF)
    names = context.names_of(game)
    assert [mail["To"].split("@")[0].split("<")[-1] for mail in carrier.mails] == [names[0].lower()]
    assert f"{names[1]} asks you to play, {names[0]}" in body(carrier.mails[0])
    assert "If you do not play in time" not in words_of(carrier.mails[0])


def test_whoever_is_away_is_not_nudged(context, game):
    go_away(context, game)
    with pytest.raises(NudgeRefused, match="away"):
        ask(context, game, 1)


def test_nobody_is_reminded_who_is_not_to_be(context, game):
    with pytest.raises(NudgeRefused, match="your own turn"):
        ask(context, game, 0)
    with pytest.raises(NudgeRefused, match="only who plays"):
        ask(context, game, 3)
    rest(context, game, set_letters_wanted, game, False)
    with pytest.raises(NudgeRefused, match="gets no mails"):
        ask(context, game, 1)
    context.resign(game, 0)
    with pytest.raises(NudgeRefused, match="this server plays"):
        ask(context, game, 1)
    context.resign(game, 1)
    with pytest.raises(NudgeRefused, match="only who plays"):
        ask(context, game, 1)
    assert reminders(context) == []


def pause(context, game):
    all_pause(context, game, NOON + HOUR)
    lift_pause(context, game, NOON + 11 * HOUR)


def suspend(context, game):
    context.committed(NOON + HOUR, suspend_game, game)
    context.committed(NOON + 11 * HOUR, lift_suspension, game)


def go_down(context, game):
    context.note_moment(MomentName.HEARTBEAT, NOON + HOUR)
    give_back_downtime(context, NOON + 11 * HOUR)


def go_away(context, game):
    rest(context, game, take_vacation, NOON.date(), NOON.date() + timedelta(days=2))


def sleep(context, game):
    rest(context, game, store_rest, (time(22), time(6)), frozenset())


def lift_limit(context, game):
    context.change_game(game, turn_minutes=0)


@pytest.mark.parametrize(
    ("prepare", "hours"),
    [
        (lambda *_: None, 24),
        (lift_limit, 24),
        (pause, 34),
        (suspend, 34),
        (go_down, 34),
        (sleep, 32),
        (go_away, 108),  # no time runs on the first day home either
    ],
)
def test_nobody_is_nudged_before_half_of_their_time_has_been_counted(context, game, prepare, hours):
    prepare(context, game)
    with pytest.raises(NudgeRefused, match="more than half"):
        ask(context, game, 1, NOON + (hours - 1) * HOUR)
    ask(context, game, 1, NOON + hours * HOUR)
    assert reminders(context) == [(0, "waiting")]


def test_nor_does_the_time_count_that_has_not_begun_or_of_an_outage_that_lasts(context, game):
    waiting = context.start_game("Anna", "Ben")
    assert context.game_row(waiting).turn_began_at is None
    context.note_moment(MomentName.MAILBOX_AWAY, NOON + HOUR)
    for one in (waiting, game):
        with pytest.raises(NudgeRefused, match="more than half"):
            ask(context, one, 1, HALF + 10 * HOUR)


def test_nor_in_a_game_that_does_not_go_on(context, game):
    context.change_game(game, suspended_at=NOON)
    with pytest.raises(GameSuspended):
        ask(context, game, 1)
    with pytest.raises(GameNotRunning):
        ask(context, "nosuchgm", 1)


TO_FIVE = {"sleeps_from": "12:30", "sleeps_until": "17:00"}
TWO_DAYS = {"days_off": "12"}


@pytest.mark.parametrize(("sleep", "sent"), [(TO_FIVE, True), (TWO_DAYS, False)])
def test_a_nudge_waits_for_twelve_hours_until_its_reader_is_awake_and_lapses_then(context, game, sleep, sent):
    player = context.player_of(game)
    with context.changing() as session:
        session.add(DailyRest(player=player, **sleep))
    ask(context, game, 1, HALF + HOUR)
    carrier = Collector()
    context.work_until_idle(carrier, HALF + 4.5 * HOUR)
    assert carrier.mails == []
    context.work_until_idle(carrier, HALF + 5 * HOUR)
    context.work_until_idle(carrier, HALF + 37 * HOUR)
    assert reminders(context) == [(0, "sent" if sent else "dropped")]


@pytest.mark.parametrize("hours", [16, 10])
def test_in_the_night_of_its_reader_none_leaves_before_the_morning(context, game, hours):
    context.set_preferences(game, context.names_of(game)[0], everywhere=True, zone="Europe/Amsterdam")
    ask(context, game, 1, HALF + hours * HOUR)
    carrier = Collector()
    context.work_until_idle(carrier, HALF + 18.9 * HOUR)
    assert carrier.mails == []
    context.work_until_idle(carrier, HALF + 19 * HOUR)
    assert len(carrier.mails) == 1
