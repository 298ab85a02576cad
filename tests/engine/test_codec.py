"""Events as lines of the log: one stored line of every version, which must be read for ever."""

import json
from dataclasses import fields
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import Illegal
from engine.cards import EMPTY, Symbol
from engine.event_log import EVENT_FIELDS, EVENT_NAMES, RULESET, check, decode, describe, encode, parse
from engine.events import (
    AlexanderMarched,
    AlexanderStayed,
    CardChosen,
    CardDrawn,
    CardOpened,
    CardTaken,
    Event,
    GameClosed,
    GameEnded,
    GameStarted,
    GuardRecalled,
    InvalidEvent,
    ProvinceOccupied,
    ProvinceTakenOver,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
    TurnSkipped,
)
from engine.evolve import evolve
from engine.march_rules import new_walls
from tests.breadth import times
from tests.engine.build import after, alexandros, bag, places, position
from tests.engine.logs import good
from tests.engine.players import game

LAND = alexandros()
PATH = tuple(LAND.point_names[name] for name in ("A3", "B4", "C5"))
AEGAE, LARISSA = places(LAND, "Aegae"), places(LAND, "Larissa")
LYRE = Symbol.LYRE

STARTED = GameStarted(
    "Test", "identity-games", ("Anna", "Ben"), (bag("lyre"), bag("horse")), bag("lyre lyre")
)

STORED: dict[str, Event] = {
    '{"type": "game_closed", "winners": [0, 1]}': GameClosed((0, 1)),
    '{"type": "turn_skipped", "seat": 2}': TurnSkipped(2),
    '{"type": "game_started", "ruleset": 1, "board": "Test", "edition": "identity-games", '
    '"seats": ["Anna", "Ben"], "hands": [["lyre"], ["horse"]], "display": ["lyre", "lyre"]}': STARTED,
    '{"type": "card_chosen", "seat": 0, "card": "lyre", "source": "display"}': CardChosen(0, LYRE, "display"),
    '{"type": "card_chosen", "seat": 3, "card": "lyre", "source": "hand"}': CardChosen(3, LYRE, "hand"),
    '{"type": "alexander_marched", "seat": 0, "target": "Larissa", "path": ["A3", "B4", "C5"], '
    '"walls": ["A3-B4", "B4-C5"], "red": 1}': AlexanderMarched(
        0, LAND.places["Larissa"], PATH, new_walls(position(LAND).table, PATH), 1
    ),
    '{"type": "alexander_stayed", "seat": 1, "card": "horse"}': AlexanderStayed(1, Symbol.HORSE),
    '{"type": "alexander_stayed", "seat": 1, "card": null}': AlexanderStayed(1, None),
    '{"type": "card_drawn", "seat": 2, "card": "amphora"}': CardDrawn(2, Symbol.AMPHORA),
    '{"type": "card_taken", "seat": 2, "card": "soldier"}': CardTaken(2, Symbol.SOLDIER),
    '{"type": "province_occupied", "seat": 0, "guards": ["Aegae", "Larissa"], "paid": ["temple", "lyre"]}': (
        ProvinceOccupied(0, places(LAND, "Larissa Aegae"), bag("lyre temple"))
    ),
    '{"type": "province_taken_over", "seat": 0, "loser": 2, "removed": ["Aegae"], "guards": ["Larissa"], '
    '"paid": ["amphora", "amphora", "amphora"], "given": ["amphora", "amphora"]}': ProvinceTakenOver(
        0, 2, AEGAE, LARISSA, bag("amphora amphora amphora"), bag("amphora amphora")
    ),
    '{"type": "province_taken_over", "seat": 1, "loser": 0, "removed": ["Aegae"], "guards": ["Aegae"], '
    '"paid": ["amphora", "amphora"], "given": []}': ProvinceTakenOver(
        1, 0, AEGAE, AEGAE, bag("amphora amphora"), EMPTY
    ),
    '{"type": "taxes_levied", "seat": 0, "card": "lyre", "gains": [3, 0]}': TaxesLevied(0, LYRE, (3, 0)),
    '{"type": "guard_recalled", "seat": 0, "place": "Larissa"}': GuardRecalled(0, LAND.places["Larissa"]),
    '{"type": "turn_ended", "seat": 0}': TurnEnded(0),
    '{"type": "card_opened", "card": "temple"}': CardOpened(Symbol.TEMPLE),
    '{"type": "supply_renewed"}': SupplyRenewed(),
    '{"type": "game_ended", "reason": "points", "winners": [1]}': GameEnded("points", (1,)),
    '{"type": "game_ended", "reason": "no march", "winners": [0, 1]}': GameEnded("no march", (0, 1)),
    '{"type": "game_ended", "reason": "walls", "winners": [0]}': GameEnded("walls", (0,)),
    '{"type": "game_ended", "reason": "stalemate", "winners": [0]}': GameEnded("stalemate", (0,)),
}


def test_a_stored_line_is_read_and_written_as_it_was() -> None:
    for line, event in STORED.items():
        assert decode(parse(line.encode()), LAND) == event
        assert json.dumps(encode(event, LAND)) == line


def test_there_is_a_stored_line_of_every_event() -> None:
    assert {type(event) for event in STORED.values()} == set(Event.__args__)
    assert {EVENT_NAMES[type(event)] for event in STORED.values()} == set(EVENT_FIELDS)
    assert RULESET == 1


def test_the_fields_of_the_log_are_the_fields_of_the_facts() -> None:
    for make, shape in EVENT_FIELDS.values():
        assert isinstance(make, type)
        assert [field.name for field in fields(make)] == list(shape)
    assert set(EVENT_NAMES) == set(Event.__args__)
    assert issubclass(InvalidEvent, ValueError)


def test_the_order_of_the_keys_is_free() -> None:
    for line, event in STORED.items():
        assert decode(dict(reversed(json.loads(line).items())), LAND) == event


def test_a_position_is_described_with_these_keys_and_no_others() -> None:
    now = after(position(LAND, phase="card", hands=("temple", "")), "choose lyre", dice="soldier")
    described = describe(now)
    assert (
        list(described)
        == """
        phase turn seat actions_left levied last_turn idle chosen due alexander black red walls
        display supply discard hands scores guards provinces winners
        """.split()
    )
    assert json.loads(json.dumps(described)) == described
    assert (described["phase"], described["chosen"], described["due"]) == ("march", "lyre", None)
    assert described["hands"] == [["temple", "lyre"], []]
    assert described["provinces"] == [
        {"first": "AB3", "spaces": 202, "value": 112, "places": list(LAND.places), "holder": None}
    ]


def test_what_may_be_done_is_described_on_demand_sorted_and_empty_where_something_is_due() -> None:
    now = position(LAND, phase="card", hands=("temple", ""))
    assert describe(now, with_legal=True)["legal"] == ["choose horse", "choose lyre", "play temple"]
    waiting = position(LAND, phase="card", display="horse")
    assert (describe(waiting)["due"], describe(waiting, with_legal=True)["legal"]) == ("card_opened", [])
    over = position(LAND, phase="over")
    assert (describe(over)["due"], describe(over, with_legal=True)["legal"]) == (None, [])


def test_between_a_winning_levy_and_the_end() -> None:
    now = position(LAND, actions_left=1, scores=(100, 3), levied=True)
    described = describe(now, with_legal=True)
    found = [described[key] for key in ("phase", "actions_left", "due", "legal")]
    assert found == ["actions", 1, "game_ended", []]


def test_when_the_game_is_over_the_last_values_stay() -> None:
    now = position(LAND, turn=9, seat=1, levied=True, last_turn=True, red=7, idle=4, scores=(3, 5))
    described = describe(after(now, "draw", "end", dice="horse"))
    kept = {"turn": 9, "seat": 1, "levied": True, "last_turn": True, "idle": 4}
    assert {key: described[key] for key in kept} == kept
    assert (described["phase"], described["actions_left"], described["winners"]) == ("over", 0, [1])
    assert described["chosen"] is None


def test_walls_are_sorted_by_row_and_number() -> None:
    now = position(LAND, walls="C15-C17 C5-D6 A3-B4 C3-C5 C5-D4")
    assert describe(now)["walls"] == ["A3-B4", "C3-C5", "C5-D4", "C5-D6", "C15-C17"]


# --- whatever stands in a log ---------------------------------------------------------------------------

NAMES = [*LAND.places, *LAND.point_names, *LAND.side_names]
WORDS = st.sampled_from([*EVENT_FIELDS, *Symbol, *NAMES, "display", "hand", "points", "walls"])
LEAVES = st.none() | st.booleans() | st.integers(-3, 80) | st.integers() | st.floats() | st.text() | WORDS
VALUES = LEAVES | st.lists(LEAVES, max_size=6) | st.lists(WORDS, max_size=4)
EVENTS = [*good("walls"), *good("points")]


@given(st.integers(0, len(EVENTS) - 1), st.integers(0, 6), VALUES)
def test_whatever_stands_in_a_field_is_read_or_refused_in_one_sentence(
    at: int, key: int, value: object
) -> None:
    event = dict(EVENTS[at])
    event[[*event][key % len(event)]] = value
    try:
        sentence = json.dumps(encode(decode(event, LAND), LAND))
        assert json.loads(sentence) == event
    except InvalidEvent as error:
        sentence = str(error)
    assert len(sentence.splitlines()) == 1


@given(st.integers(0, 10**9), st.integers(0, 6), VALUES)
@settings(max_examples=times(3))
def test_whatever_is_told_next_is_accepted_or_refused_in_one_sentence(
    seed: int, key: int, value: object
) -> None:
    """A fact of a game with one field changed, told at a random moment of a random game on the same board."""
    now = Random(seed).choice(game("alexandros", seed % 6).acts).before
    event = dict(EVENTS[seed % len(EVENTS)])
    if seed % 2 and "seat" in event:
        event["seat"] = now.table.seat
    if seed % 5:
        event[[*event][key % len(event)]] = value
    sentence = "accepted"
    try:
        fact = decode(event, LAND)
        check(now, fact)
        evolve(now, fact)
    except (InvalidEvent, Illegal) as error:
        sentence = str(error)
    assert len(sentence.splitlines()) == 1
