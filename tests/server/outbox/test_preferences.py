"""What a player wants to hear: kept, put together, and never so broken that no letter comes."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlmodel import select

from emails.i18n import Tongue, speaking
from server.outbox.preferences import (
    NotWanted,
    Wants,
    is_own,
    keep,
    keep_letters,
    keep_nothing,
    said_at,
    wants,
)
from server.store.models import Game, Outgoing, Player, Preference, Seating
from tests.server.desk import NOON, Clock, desk, game_row, seat_of, start_game, wish


@pytest.fixture
def game(office):
    return start_game(office, "Anna", "Ben")


def player_of(session, game, seat=0):
    return session.get_one(Seating, (game, seat)).player


def test_who_has_said_nothing_gets_the_letter_of_his_turn_at_once_in_english(office, game):
    with office.reading() as session:
        assert wants(session, player_of(session, game), game) == Wants()
    assert Wants() == Wants("en", "UTC", "at once", 60, 8, False, False, True, True)


def test_a_game_goes_before_all_games_but_not_in_language_and_zone(office, game):
    other = start_game(office, "Anna", "Ben")
    with office.writing() as session:
        player = player_of(session, game)
        keep(session, player, "", Wants(pace="daily", hour=7, language="en"), NOON)
        keep(session, player, game, Wants(pace="gathered", language="nl", zone="Europe/Amsterdam"), NOON)
        session.commit()
        here, there = wants(session, player, game), wants(session, player, other)
    assert (here.pace, there.pace, there.hour) == ("gathered", "daily", 7)
    assert here.tongue == there.tongue == Tongue("nl", "Europe/Amsterdam")


def test_a_game_that_is_as_all_others_again_follows_them_but_its_letters_stay_stopped(office, game):
    with office.writing() as session:
        player = player_of(session, game)
        assert not is_own(session, player, game)
        keep(session, player, game, Wants(pace="daily"), NOON)
        keep_letters(session, player, game, False, NOON)
        keep(session, player, "", Wants(pace="gathered", minutes=30), NOON)
        assert is_own(session, player, game)
        assert wants(session, player, game).pace == "daily"
        keep_nothing(session, player, game, NOON)
        assert not is_own(session, player, game)
        found = wants(session, player, game)
    assert (found.pace, found.minutes) == ("gathered", 30)
    assert not found.letters  # only coming back ends that


def test_wishes_leave_alone_whether_letters_come_at_all(office, game):
    with office.writing() as session:
        player = player_of(session, game)
        keep_letters(session, player, "", False, NOON)
        keep(session, player, "", Wants(pace="daily", letters=True), NOON)
        assert wants(session, player, game) == Wants(pace="daily", letters=False)
        keep_letters(session, player, game, True, NOON)
        assert wants(session, player, game).letters
        keep_letters(session, player, "", False, NOON)
        assert not wants(session, player, game).letters


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"language": "tlh"}, "no letters in that language"),
        ({"zone": "Atlantis"}, "no time zone of that name"),
        ({"pace": "never"}, "at once, gathered, or once a day"),
        ({"minutes": 4}, "5 to 1440 minutes"),
        ({"minutes": 1441}, "5 to 1440 minutes"),
        ({"hour": -1}, "from 0 to 23"),
        ({"hour": 24}, "from 0 to 23"),
    ],
)
def test_what_cannot_be_kept_is_refused_in_a_sentence(office, game, changes, reason):
    with office.writing() as session, pytest.raises(NotWanted, match=reason):
        keep(session, player_of(session, game), game, replace(Wants(), **changes), NOON)


def test_a_refusal_is_said_in_the_language_of_whoever_asks():
    with speaking(Tongue("nl")), pytest.raises(NotWanted, match="tijdzone"):
        Wants(zone="Atlantis").checked()


@pytest.mark.parametrize(
    "said",
    ["", "{", "[]", "null", "3", '{"pace": "never", "zone": 3}', '{"hour": true, "pace": 0, "letters": 0}'],
)
def test_what_is_stored_broken_counts_as_not_said(office, game, said):
    with office.writing() as session:
        player = player_of(session, game)
        session.add(Preference(player=player, game="", said=said))
        session.add(Preference(player=player, game=game, said=said))
        session.commit()
        assert wants(session, player, game) == Wants()
        assert said_at(session, player, game) is None


def test_one_broken_wish_does_not_spoil_the_others(office, game):
    with office.writing() as session:
        player = player_of(session, game)
        said = json.dumps({"hour": 99, "moves": True, "unknown": 1, "since": "yesterday"})
        session.add(Preference(player=player, game="", said=said))
        session.commit()
        assert wants(session, player, game) == Wants(moves=True)


AMSTERDAM = Wants(pace="daily", hour=8, zone="Europe/Amsterdam")


@pytest.mark.parametrize(
    ("wanted", "now", "due"),
    [
        (Wants(), "2026-03-02 12:00", "2026-03-02 12:00"),
        (Wants(pace="gathered"), "2026-03-02 12:00", "2026-03-02 12:00"),
        (AMSTERDAM, "2026-03-02 06:59", "2026-03-02 07:00"),
        (AMSTERDAM, "2026-03-02 07:00", "2026-03-02 07:00"),
        (AMSTERDAM, "2026-03-02 07:01", "2026-03-03 07:00"),
        (AMSTERDAM, "2026-03-28 12:00", "2026-03-29 06:00"),  # the clock has gone forward
        (AMSTERDAM, "2026-10-24 12:00", "2026-10-25 07:00"),  # and back
        (replace(AMSTERDAM, hour=2), "2026-03-28 12:00", "2026-03-29 01:00"),  # there is no 2 o'clock
        (replace(AMSTERDAM, hour=2), "2026-10-24 12:00", "2026-10-25 00:00"),  # there are two
        (replace(AMSTERDAM, hour=2), "2026-10-25 00:30", "2026-10-26 01:00"),
        (Wants(pace="daily", hour=0, zone="Pacific/Kiritimati"), "2026-03-02 09:00", "2026-03-02 10:00"),
    ],
)
def test_when_a_letter_is_due(wanted, now, due):
    assert wanted.due(at(now)) == at(due)


def test_the_hour_that_was_last(office):
    assert AMSTERDAM.last_hour(at("2026-03-29 05:59")) == at("2026-03-28 07:00")
    assert AMSTERDAM.last_hour(at("2026-03-29 06:00")) == at("2026-03-29 06:00")


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_letters_that_wait_follow_the_new_wishes(office, game):
    clock = Clock()
    name = "Anna" if seat_of(office, game, "Anna") == 0 else "Ben"
    due = [waiting(office).due_at]
    for hours, changes in [(0, {"pace": "daily", "hour": 20}), (1, {"hour": 18}), (1, {"pace": "at once"})]:
        with office.writing() as session:  # it arises anew, for what is due is not held back any more
            waiting_row = session.get_one(Outgoing, waiting(office).id)
            waiting_row.due_at = at("2026-03-09 20:00")
            session.commit()
        wish(office, game, name, now=clock.forward(hours), **changes)
        due.append(waiting(office).due_at)
    assert [f"{moment:%d %H}" for moment in due] == ["02 12", "02 20", "02 18", "02 14"]


def waiting(office):
    with office.reading() as session:
        return session.exec(select(Outgoing).where(Outgoing.kind == "turn")).one()


def test_a_database_of_old_tables_alone_is_served_on(tmp_path):
    old = desk(tmp_path)
    game = start_game(old, "Anna", "Ben")
    new = ("preference", "message", "heard", "confirmation")
    with old.database.begin() as connection:
        for table in new:
            connection.exec_driver_sql(f"DROP TABLE {table}")
    old.database.dispose()
    office = desk(tmp_path)
    assert game_row(office, game).status == "running"
    wish(office, game, "Anna", moves=True)
    with office.reading() as session:
        assert {row.game for row in session.exec(select(Preference))} == {"", game}
        assert session.exec(select(Game)).one().id == game
        assert len(session.exec(select(Player)).all()) == 2
