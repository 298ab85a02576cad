"""Kill -9 at any moment, while people play by links and by mails and the house plays too.

What was acknowledged is there, nothing is played twice, and every letter arrives: one that was in hand
arrives again, the same to the byte.
"""

import random
from dataclasses import dataclass, replace
from threading import Event
from time import monotonic

import pytest

from tests.faults import flaws
from tests.faults.house import House, town
from tests.faults.judging import (
    Deed,
    different_doubles,
    doubles,
    lost_deeds,
    surplus_acts,
    undelivered,
    wrongly_dropped,
)
from tests.faults.people import Table
from tests.faults.relays import HEALTHY, Letter, Mood, Relay
from tests.faults.visits import until

TABLES = (("Anna", "Ben", "house"), ("Cleo", "Dirk"), ("Anna", "house"))
LONGEST_LIFE = 3.0
"""Seconds; most lives end before, amid the first things that people do."""
CLAIM = 60.0
"""Seconds for which a letter waits that a sender had in hand who was killed."""


@dataclass
class Found:
    kills: int
    lost: int
    deeds: int
    letters: int
    again: int
    standing: float
    """The longest time between a kill and open doors, in seconds."""


def play_and_kill(place: House, post: Relay, kills: int, dice: random.Random) -> tuple[list[Table], Found]:
    """Let all tables play, kill the server at random moments and start it again; what was found."""
    tables = [Table(place, people, random.Random(dice.random())) for people in TABLES]
    place.start()
    for table in tables:
        table.open.set()
        table.start()
    lost, standing = 0, 0.0
    for kill in range(kills):
        live_a_while(tables, dice)
        for table in tables:
            table.open.clear()
        place.kill()
        lost += len(look_for_lost(place, tables))
        if kill % 2:
            place.let_claims_end()
        standing = max(standing, place.start())
        for table in tables:
            table.open.set()
    finish(place, tables)
    lost += len(look_for_lost(place, tables))
    deeds = [deed for table in tables for deed in table.deeds]
    return tables, Found(kills, lost, len(deeds), len(post.taken()), doubles(post.letters), standing)


def live_a_while(tables: list[Table], dice: random.Random) -> None:
    """Let people begin a few things, and a moment pass in which they are done or half done."""
    wanted, began = sum(table.tried for table in tables) + dice.randint(1, 5), monotonic()
    until(
        lambda: sum(table.tried for table in tables) >= wanted or monotonic() - began > LONGEST_LIFE,
        "people play",
    )
    Event().wait(dice.uniform(0.0, 0.15))


def look_for_lost(place: House, tables: list[Table]) -> list[Deed]:
    deeds = [deed for table in tables for deed in table.deeds]
    acts = {game: place.acts(game) for table in tables for game in table.games}
    return lost_deeds(deeds, acts, place.stored_mails())


def finish(place: House, tables: list[Table]) -> None:
    for table in tables:
        table.enough.set()
    for table in tables:
        table.thread.join(60)
        last = table.deeds[-1:], table.games[-1:]
        assert not table.thread.is_alive(), f"{table.people} are stuck: {last}, {place.log()[-2000:]}"


def judge(place: House, post: Relay, tables: list[Table], found: Found) -> str:
    deeds = [deed for table in tables for deed in table.deeds]
    acts = {game: place.acts(game) for table in tables for game in table.games}
    assert [table.wrong for table in tables] == [[] for _ in tables]
    assert all(deed.answered for deed in deeds)
    assert found.lost == 0, look_for_lost(place, tables)
    assert surplus_acts(deeds, acts) == []
    assert {*place.stored_mails().values()} <= {"played"}
    rows = list(map(dict, place.queued()))
    assert undelivered(rows, post.letters) == []
    assert wrongly_dropped(rows, post.letters) == []
    assert different_doubles(post.letters) == []
    return (
        f"{found.kills} kills, {found.deeds} deeds, {found.letters} letters: lost 0, {found.again} letters "
        f"doubled and the same, doors open again after {found.standing:.1f} s"
    )


@pytest.mark.breadth
@pytest.mark.parametrize("seconds", ["0", "20"])
def test_a_few_kills_lose_nothing_and_double_nothing(seconds, tmp_path, figure):
    """`seconds`: how long players of the house may think, in a process of their own."""
    with town(tmp_path, start=False) as (place, post):
        place.more["HOUSE_SECONDS"] = seconds
        tables, found = play_and_kill(place, post, 10, random.Random(14))
        place.let_claims_end()
        until(lambda: not place.due(), f"all letters leave: {place.due()}")
        figure(judge(place, post, tables, found))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_three_hundred_kills_lose_nothing_and_double_nothing(seed, tmp_path, figure):
    with town(tmp_path, start=False) as (place, post):
        place.pictures = True
        tables, found = play_and_kill(place, post, 100, random.Random(seed))
        waited = until(lambda: not place.due(), "all letters leave", CLAIM + 30)
        line = judge(place, post, tables, found)
    assert waited < CLAIM + 10
    figure(f"{line}, the last letters after {waited:.0f} s")


def kill_with_a_letter_in_hand(place: House, post: Relay) -> Letter:
    """Kill the server while the relay has a letter and has not said so; the letter as it was written then."""
    place.pictures = True
    place.start()
    post.become(Mood(late=30.0))
    game = place.open_game("Anna", "Ben")
    until(lambda: len(post.letters) == 2, "both letters are with the relay")
    assert len(place.due(game)) == 2
    place.kill()
    [first, _] = post.letters
    post.recover()
    return first


def test_a_letter_in_hand_of_the_killed_leaves_again_the_same(tmp_path):
    with town(tmp_path, start=False) as (place, post):
        first = kill_with_a_letter_in_hand(place, post)
        place.let_claims_end()
        place.start()
        until(lambda: not place.due(), "both leave again")
        again = [letter for letter in post.letters if letter.message_id == first.message_id]
    assert len(again) == 2
    assert different_doubles(post.letters) == []


@pytest.mark.breadth
def test_a_letter_in_hand_of_the_killed_leaves_within_a_minute(tmp_path, figure):
    with town(tmp_path, start=False) as (place, post):
        first = kill_with_a_letter_in_hand(place, post)
        killed = monotonic()
        place.start()
        until(lambda: not place.due(), "both leave again", CLAIM + 30)
        again = [letter for letter in post.letters if letter.message_id == first.message_id]
    waited = again[-1].at - killed
    figure(f"a letter in hand of the killed left again after {waited:.0f} s")
    assert len(again) == 2
    assert waited < CLAIM + 5
    assert different_doubles(post.letters) == []


def press_and_kill(place: House, door: str) -> list[Deed]:
    """Let somebody do something, kill the server as soon as it has answered, and look; what was lost."""
    place.start()
    table = Table(place, ("Anna", "Ben"), random.Random(1))
    table.games.append(place.open_game("Anna", "Ben"))
    turn = place.turn(table.games[-1])
    mail = place.next_message_id() if door == "reply" else ""
    table.deeds.append(Deed(turn, door, turn.lines if mail else turn.lines[:1], mail))
    table.attempt(table.deeds[-1])
    assert table.deeds[-1].answered
    place.kill()
    return look_for_lost(place, [table])


def test_control_a_mail_that_is_taken_before_it_is_stored_is_missed(tmp_path):
    with town(tmp_path, flaws.takes_mail_before_it_is_stored, start=False) as (place, _):
        assert press_and_kill(place, "reply")


@pytest.mark.breadth
def test_control_an_act_that_is_answered_and_not_kept_is_missed(tmp_path):
    with town(tmp_path, flaws.forgets_acts, start=False) as (place, _):
        assert press_and_kill(place, "link")


@pytest.mark.breadth
def test_control_an_act_that_is_played_twice_and_doubles_that_differ_are_noticed(tmp_path):
    with town(tmp_path, start=False) as (place, _):
        lost = press_and_kill(place, "link")
        game = place.rows("SELECT id FROM game")[0][0]
        acts = {game: place.acts(game)}
        [deed] = [Deed(place.turn(game), "link", ("end",))]
    assert lost == []
    assert surplus_acts([deed], acts), "nobody did what was played"
    letter = Letter("anna@example.org", b"Message-ID: <1@example.org>\r\n\r\nyours\r\n", 0.0, True)
    other = replace(letter, raw=letter.raw + b"more\r\n")
    assert different_doubles([letter, letter]) == []
    assert different_doubles([letter, other]) == ["<1@example.org>"]
    row = {"message_id": "<1@example.org>", "state": "sent", "why": ""}
    assert undelivered([row], [replace(letter, taken=False)])
    assert wrongly_dropped([row | {"state": "dropped"}], [letter])
    assert Mood() == HEALTHY
