"""What a player wants to hear: kept, put together, and never so broken that no letter comes."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from emails.i18n import Locale, use_locale
from server.outbox.notifications import (
    InvalidPreferences,
    Preferences,
    has_own_preferences,
    load_preferences,
    preferences_changed_at,
    reset_preferences,
    set_letters_wanted,
    store_preferences,
)
from server.store.models import OutgoingLetter, Seating, StoredPreferences
from tests.server.desk import NOON, Clock


def player_of(session, game, seat=0):
    return session.get_one(Seating, (game, seat)).player


def test_a_game_goes_before_all_games_but_not_in_language_and_zone(context, game):
    other = context.start_game("Anna", "Ben")
    with context.writing() as session:
        player = player_of(session, game)
        store_preferences(session, player, None, Preferences(pace="daily", hour=7, language="en"), NOON)
        store_preferences(
            session, player, game, Preferences(pace="gathered", language="nl", zone="Europe/Amsterdam"), NOON
        )
        session.commit()
        here, there = load_preferences(session, player, game), load_preferences(session, player, other)
    assert (here.pace, there.pace, there.hour) == ("gathered", "daily", 7)
    assert {(one.language, one.zone) for one in (here, there)} == {("nl", "Europe/Amsterdam")}


def test_a_game_that_is_as_all_others_again_follows_them_but_its_letters_stay_stopped(context, game):
    with context.writing() as session:
        player = player_of(session, game)
        assert not has_own_preferences(session, player, game)
        store_preferences(session, player, game, Preferences(pace="daily"), NOON)
        set_letters_wanted(session, player, game, False, NOON)
        store_preferences(session, player, None, Preferences(pace="gathered", minutes=30), NOON)
        assert has_own_preferences(session, player, game)
        assert load_preferences(session, player, game).pace == "daily"
        reset_preferences(session, player, game, NOON)
        assert not has_own_preferences(session, player, game)
        found = load_preferences(session, player, game)
    assert (found.pace, found.minutes) == ("gathered", 30)
    assert not found.letters  # only coming back ends that


def test_wishes_leave_alone_whether_letters_come_at_all(context, game):
    with context.writing() as session:
        player = player_of(session, game)
        set_letters_wanted(session, player, None, False, NOON)
        store_preferences(session, player, None, Preferences(pace="daily", letters=True), NOON)
        assert load_preferences(session, player, game) == Preferences(pace="daily", letters=False)
        set_letters_wanted(session, player, game, True, NOON)
        assert load_preferences(session, player, game).letters
        set_letters_wanted(session, player, None, False, NOON)
        assert not load_preferences(session, player, game).letters


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"language": "tlh"}, "no mails in that language"),
        ({"zone": "Atlantis"}, "no time zone of that name"),
        ({"minutes": 4}, "5 to 1440 minutes"),
        ({"minutes": 1441}, "5 to 1440 minutes"),
        ({"hour": -1}, "from 0 to 23"),
        ({"hour": 24}, "from 0 to 23"),
    ],
)
def test_what_cannot_be_kept_is_refused_in_a_sentence(context, game, changes, reason):
    with context.writing() as session, pytest.raises(InvalidPreferences, match=reason):
        store_preferences(session, player_of(session, game), game, replace(Preferences(), **changes), NOON)


def test_a_refusal_is_said_in_the_language_of_whoever_asks():
    with use_locale(Locale("nl")), pytest.raises(InvalidPreferences, match="tijdzone"):
        Preferences(zone="Atlantis").check()


@pytest.mark.parametrize(
    "said",
    ["", "{", "[]", "null", "3", '{"pace": "never", "zone": 3}', '{"hour": true, "pace": 0, "letters": 0}'],
)
def test_what_is_stored_broken_counts_as_not_said(context, game, said):
    with context.writing() as session:
        player = player_of(session, game)
        session.add(StoredPreferences(player=player, game="", said=said))
        session.add(StoredPreferences(player=player, game=game, said=said))
        session.commit()
        assert load_preferences(session, player, game) == Preferences()
        assert preferences_changed_at(session, player, game) is None


def test_one_broken_wish_does_not_spoil_the_others(context, game):
    with context.writing() as session:
        player = player_of(session, game)
        said = json.dumps({"hour": 99, "moves": True, "unknown": 1, "since": "yesterday"})
        session.add(StoredPreferences(player=player, game="", said=said))
        session.commit()
        assert load_preferences(session, player, game) == Preferences(moves=True)


AMSTERDAM = Preferences(pace="daily", hour=8, zone="Europe/Amsterdam")


@pytest.mark.parametrize(
    ("wanted", "now", "due"),
    [
        (Preferences(), "2026-03-02 12:00", "2026-03-02 12:00"),
        (Preferences(pace="gathered"), "2026-03-02 12:00", "2026-03-02 12:00"),
        (AMSTERDAM, "2026-03-02 06:59", "2026-03-02 07:00"),
        (AMSTERDAM, "2026-03-02 07:00", "2026-03-02 07:00"),
        (AMSTERDAM, "2026-03-02 07:01", "2026-03-03 07:00"),
        (AMSTERDAM, "2026-03-28 12:00", "2026-03-29 06:00"),  # the clock has gone forward
        (AMSTERDAM, "2026-10-24 12:00", "2026-10-25 07:00"),  # and back
        (replace(AMSTERDAM, hour=2), "2026-03-28 12:00", "2026-03-29 01:00"),  # there is no 2 o'clock
        (replace(AMSTERDAM, hour=2), "2026-10-24 12:00", "2026-10-25 00:00"),  # there are two
        (replace(AMSTERDAM, hour=2), "2026-10-25 00:30", "2026-10-26 01:00"),
        (
            Preferences(pace="daily", hour=0, zone="Pacific/Kiritimati"),
            "2026-03-02 09:00",
            "2026-03-02 10:00",
        ),
    ],
)
def test_when_a_letter_is_due(wanted, now, due):
    assert wanted.letter_due_at(at(now)) == at(due)


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_letters_that_wait_follow_the_new_preferences(context, game):
    clock = Clock()
    name = "Anna" if context.seat_of(game, "Anna") == 0 else "Ben"
    due = [waiting(context).due_at]
    for hours, changes in [(0, {"pace": "daily", "hour": 20}), (1, {"hour": 18}), (1, {"pace": "at once"})]:
        with context.writing() as session:  # it arises anew, for what is due is not held back any more
            waiting_row = session.get_one(OutgoingLetter, waiting(context).id)
            waiting_row.due_at = at("2026-03-09 20:00")
            session.commit()
        context.set_preferences(game, name, now=clock.forward(hours), **changes)
        due.append(waiting(context).due_at)
    assert [f"{moment:%d %H}" for moment in due] == ["02 12", "02 20", "02 18", "02 14"]


def waiting(context):
    return context.rows_of(OutgoingLetter, OutgoingLetter.kind == "your_turn")[0]
