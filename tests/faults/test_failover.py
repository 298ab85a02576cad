"""A standby takes over while people play, and all processes find it by themselves: a URL names both servers.

Where it was synchronous, nothing that was acknowledged is lost. Where it lagged behind, letters of what is
lost play nothing, and games go on from where they stand there.
"""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.utils import parseaddr
from threading import Event
from time import monotonic

import pytest

from server.admin.backups import examine_stored_acts, set_back
from server.store.states import Role
from tests.faults.relays import Relay, relay
from tests.faults.several import Part, Several, several, two_places
from tests.faults.test_kills import live_a_while
from tests.faults.test_several_machines import go_on, line_of, playing
from tests.faults.visits import PATIENCE, Browser, Turn, fields_of, until
from tests.postgresql import USER, Cluster, durable

pytestmark = [pytest.mark.usefixtures("on_postgresql"), pytest.mark.breadth]

AGAIN_WITHIN = 20.0
"""Seconds after which all play again once a standby takes over, on a machine that does a lot besides."""
LOST = 4
"""Acts."""
SET_BACK = "The game was set back"


@contextmanager
def two_servers() -> Iterator[tuple[Cluster, Cluster, str]]:
    """A primary with an empty database, its standby, and how settings name both."""
    with durable() as primary:
        primary.execute("CREATE DATABASE games")
        with durable(primary) as standby:
            hosts = f"host={primary.folder}&host={standby.folder}"
            url = f"postgresql+psycopg://{USER}@/games?{hosts}&target_session_attrs=read-write"
            yield primary, standby, url


def acknowledge_together(primary: Cluster) -> None:
    """Let nothing be acknowledged any more that the standby lacks."""
    primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
    primary.execute("SELECT pg_reload_conf()")
    state = "SELECT sync_state FROM pg_stat_replication"
    until(lambda: primary.execute(state) == [("sync",)], "the standby keeps up")


def test_a_synchronous_standby_takes_over_under_play(tmp_path, figure):
    """The primary ends at once, as where its machine loses its power; what it has acknowledged is there."""
    with (
        two_servers() as (primary, standby, url),
        relay() as post,
        several(tmp_path, two_places(url, post), together=True) as place,
    ):
        acknowledge_together(primary)
        place.start()
        with playing(place, 9) as tables:
            go_on(tables)
            live_a_while(tables, random.Random(9))
            primary.stop("immediate")
            Event().wait(1.0)  # nobody is there who takes anything
            began = monotonic()
            standby.promote()
            go_on(tables)
            away = monotonic() - began
        line = line_of(place, post, tables, 0, 0.0, patient=False)
        assert all(part.is_there for part in place.each())
    assert away < AGAIN_WITHIN
    told = place.unavailable
    figure(f"failed over, all at play again within {away:.1f} s, told 503: {told}; {line}")


def test_while_a_synchronous_standby_is_away_nothing_is_acknowledged_and_nothing_is_lost(tmp_path):
    waits = "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'COMMIT'"
    with (
        two_servers() as (primary, standby, url),
        relay() as post,
        several(tmp_path, two_places(url, post), together=True) as place,
    ):
        acknowledge_together(primary)
        place.start()
        turn = place.turn(place.open_game("Anna", "Ben"))
        place.await_letters(PATIENCE)
        first, second = place.parts[Role.PAGES]
        link = place.link(turn, turn.lines[0])
        standby.stop()
        with ThreadPoolExecutor() as pool:
            pressed = pool.submit(first.press, link)
            until(lambda: primary.execute(waits) == [(True,)], "somebody waits")
            assert second.ask(link)[0] == 200, "pages are shown"
            assert not pressed.done()
            assert place.seq(turn.game) == turn.after
            standby.start()
            assert pressed.result(PATIENCE) == 200
        assert place.seq(turn.game) > turn.after


# --- a standby that was behind --------------------------------------------------------------------------


@dataclass(frozen=True)
class Lost:
    """A turn that nobody knows of any more: what its letter offers, and its page as it was shown."""

    turn: Turn
    link: str
    address: str
    fields: dict[str, str]


def play_acts(place: Several, game: str, number: int, part: Part) -> None:
    for _ in range(number):
        turn = place.turn(game)
        assert part.press(place.link(turn, turn.lines[0])) == 200
        assert place.seq(game) > turn.after


def show_game(place: Several, game: str) -> None:
    turn = place.turn(game)
    for part in place.parts[Role.PAGES]:
        assert part.ask(place.link(turn, ""))[0] == 200


def look_at_turn(place: Several, post: Relay, game: str) -> Lost:
    """What its player has of the turn, and would play it with."""
    turn = place.turn(game)
    link = place.link(turn, turn.lines[0])
    status, page = place.parts[Role.PAGES][0].ask(link)
    assert status == 200
    [*_, letter] = post.to(f"{turn.name.lower()}@example.org")
    address = parseaddr(message_from_bytes(letter.raw)["Reply-To"])[1]
    return Lost(turn, link, address, fields_of(page))


def lose_acts(place: Several, post: Relay, primary: Cluster, standby: Cluster, game: str) -> Lost:
    """Let the standby miss the last acts, and take over; the turn that they had led to."""
    kept = primary.execute("SELECT pg_current_wal_flush_lsn()::text")[0][0]
    reached = f"SELECT pg_last_wal_replay_lsn() >= '{kept}'"
    until(lambda: standby.execute(reached) == [(True,)], "the standby has all until now")
    standby.stop()
    play_acts(place, game, LOST, place.parts[Role.PAGES][0])
    show_game(place, game)
    place.await_letters(PATIENCE)
    lost = look_at_turn(place, post, game)
    primary.stop("immediate")
    standby.start()
    standby.promote()
    assert place.seq(game) == lost.turn.after - LOST
    return lost


def try_lost(place: Several, lost: Lost) -> None:
    """Press the link, on a page that is still open too, and answer the letter: nothing is played."""
    before = place.acts(lost.turn.game)
    for part in place.parts[Role.PAGES]:
        assert SET_BACK in part.ask(lost.link)[1]
        with closing(Browser(part.port, PATIENCE)) as browser:
            status, page = browser.post(lost.link, lost.fields)
        assert (status, SET_BACK in page) == (410, True)
        answer = place.next_message_id()
        assert part.answer(lost.address, lost.turn, answer) == 250
        until(lambda known=answer: place.stored_mails()[known] != "waiting", "the answer is read")
    assert place.acts(lost.turn.game) == before


def test_what_a_standby_lacked_is_played_by_no_old_letter(tmp_path, figure):
    """All processes go on as they are, though they have games at hand of which the last acts are gone."""
    with (
        two_servers() as (primary, standby, url),
        relay() as post,
        several(tmp_path, two_places(url, post), together=True) as place,
    ):
        place.start()
        game = place.open_game("Anna", "Ben")
        first, second = place.parts[Role.PAGES]
        play_acts(place, game, 3, first)
        lost = lose_acts(place, post, primary, standby, game)
        play_acts(place, game, LOST, first)
        play_acts(place, game, 2, second)  # it knew other acts of these numbers
        try_lost(place, lost)
        assert list(examine_stored_acts(place.context)) == []
        assert set_back(place.context, datetime.now(UTC)).games == 1
        place.let_claims_end()
        place.await_letters(PATIENCE)
        told = [letter for letter in post.taken() if b"stands again where it stood" in letter.raw]
        assert {letter.recipient for letter in told} == {"anna@example.org", "ben@example.org"}
        play_acts(place, game, 2, first)
        answers = sum(SET_BACK.encode() in letter.raw for letter in post.taken())
        assert answers > 0
    figure(f"{LOST} acts lost, {answers} answers say so, and none is played by its letter")
