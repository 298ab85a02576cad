"""No time runs on a turn before its player can know of it: from the act that passes it to its letter."""

from datetime import timedelta

import pytest
from sqlmodel import select

from engine.bots import play_to_win
from server import clock as keeper
from server.delivery.relay import RelayAway
from server.outbox.preferences import set_letters_wanted
from server.store import projection
from server.store.models import OutgoingLetter, Seating
from server.store.schedule import AT_ONCE, look_at_game_next
from server.store.states import LetterState
from server.turns.play import play_turn
from server.web.game import live_updates
from tests.server.desk import (
    NOON,
    Collector,
    begin_time,
    changing,
    game_row,
    names_of,
    projected,
    set_preferences,
    start_game,
    work_until_idle,
)
from tests.server.web.site import site

HOUR = timedelta(hours=1)
BEGINS = "The time for this turn begins when its mail has left."


class Relay(Collector):
    """A relay that is away for a while."""

    away = True

    def send(self, sender, recipient, raw):
        if self.away:
            raise RelayAway("it does not answer")
        super().send(sender, recipient, raw)


@pytest.fixture
def post():
    return Relay()


def times(context, game):
    row = game_row(context, game)
    return row.turn_began_at, row.deadline


def pass_turn(context, game, now, channel="link"):
    play_turn(context, game, game_row(context, game).after, play_to_win, channel, now)


@pytest.mark.parametrize(
    "wanted", [{"pace": "daily"}, {"pace": "gathered"}, {"letters": False}], ids=["daily", "gathered", "none"]
)
def test_a_delay_that_its_reader_chose_is_theirs(context, post, wanted):
    game = start_game(context, "Anna", "Ben")
    post.away = False
    work_until_idle(context, post, NOON)
    stop = not wanted.pop("letters", True)
    next_player = names_of(context, game)[1]
    if stop:
        stop_letters(context, game, 1)
    else:
        set_preferences(context, game, next_player, **wanted)
    pass_turn(context, game, NOON + HOUR)
    assert times(context, game) == (NOON + HOUR, NOON + 49 * HOUR)


def stop_letters(context, game, seat):
    with changing(context) as session:
        player = session.get_one(Seating, (game, seat)).player
        set_letters_wanted(session, player, game, False, NOON)


@pytest.mark.parametrize("state", [LetterState.DROPPED, LetterState.FAILED])
def test_where_no_letter_comes_any_more_time_runs_all_the_same(context, post, state):
    """Whatever became of it: the clock looks for it once a minute."""
    game = start_game(context, "Anna", "Ben")
    work_until_idle(context, post, NOON)
    with changing(context) as session:
        for row in session.exec(select(OutgoingLetter)):
            row.state = state
    keeper.tick(context, NOON + timedelta(minutes=1))
    assert times(context, game)[0] == NOON + timedelta(minutes=1)


@pytest.fixture
def place(tmp_path):
    return site(tmp_path)


@pytest.fixture
def unheard(place, post):
    game = start_game(place.context, "Anna", "Ben")
    work_until_idle(place.context, post, NOON)
    return game


def test_who_says_something_on_their_page_knows_of_it_and_who_looks_may_be_a_scanner(place, unheard):
    place.clock.forward(3)
    visitor = place.visitor().get(place.link(unheard))
    assert times(place.context, unheard) == (None, None)
    visitor.send("//form[contains(@action, '/say')]", words="hello")
    assert times(place.context, unheard) == (NOON + 3 * HOUR, NOON + 51 * HOUR)


def test_what_another_player_says_begins_nothing(place, unheard):
    visitor = place.visitor().get(place.link(unheard, seat=1))
    visitor.send("//form[contains(@action, '/say')]", words="hello")
    assert times(place.context, unheard) == (None, None)


def say_seen(visitor, **changes):
    """What the script of the page says that a visitor has before them; the status of the answer."""
    (about,) = visitor.page.xpath("//nav[@data-seen]")
    fields = {"nonce": about.get("data-nonce")} | changes
    return visitor.client.post(about.get("data-seen"), data=fields).status_code


def test_who_has_their_turn_before_them_knows_of_it_once(place, unheard):
    stored = place.stored()
    visitor = place.visitor().get(place.link(unheard))
    place.clock.forward(3)
    assert say_seen(visitor) == 204
    place.clock.forward(1)
    assert say_seen(visitor) == 204
    assert times(place.context, unheard) == (NOON + 3 * HOUR, NOON + 51 * HOUR)
    assert place.stored() == stored
    shown = visitor.get(place.link(unheard)).text
    assert "Wednesday afternoon, 4 March, 16:00 UTC (our mail is down: no time runs)" in shown
    assert not visitor.page.xpath("//*[@data-seen]")


def test_no_other_page_says_that_a_turn_is_seen_and_none_for_another_site(place, unheard):
    visitor = place.visitor()
    for link in (
        place.link(unheard, seat=1),
        f"{place.link(unheard)}/history",
        f"{place.link(unheard)}/sheet",
    ):
        assert not visitor.get(link).page.xpath("//*[@data-seen]")
    visitor.get(place.link(unheard))
    assert say_seen(visitor, nonce="x") == 400
    visitor.client.environ_base["HTTP_SEC_FETCH_SITE"] = "cross-site"
    assert say_seen(visitor) == 400
    assert times(place.context, unheard) == (None, None)


def test_pages_are_seen_only_so_often(place, unheard, monkeypatch):
    monkeypatch.setattr(live_updates, "SEEN_PER_HOUR", 0)
    assert say_seen(place.visitor().get(place.link(unheard))) == 429
    assert times(place.context, unheard) == (None, None)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_page_says_that_no_time_runs_only_where_that_lasts(place, unheard, seat):
    page = place.visitor().get(place.link(unheard, seat=seat)).text
    assert "Wednesday afternoon, 4 March, 12:00 UTC" in page
    assert BEGINS not in page
    place.clock.forward(0.1)
    page = place.visitor().get(place.link(unheard, seat=seat)).text
    assert BEGINS in page
    assert "4 March" not in page


@pytest.mark.parametrize("begun", [False, True])
def test_a_list_that_is_worked_out_anew_knows_when_time_began(context, post, begun):
    game = start_game(context, "Anna", "Ben")
    post.away = not begun
    work_until_idle(context, post, NOON + 5 * HOUR)
    before = projected(context, game)
    assert (before["deadline"] is not None) is begun
    projection.rebuild(context)
    assert projected(context, game) == before


def test_a_look_that_was_slow_does_not_put_off_a_clock_that_began_meanwhile(context):
    game = start_game(context, "Anna", "Ben")
    seen = game_row(context, game)
    begin_time(context, game)
    with changing(context) as session:
        look_at_game_next(session, seen, NOON + timedelta(hours=30))
    assert game_row(context, game).due_at == AT_ONCE
