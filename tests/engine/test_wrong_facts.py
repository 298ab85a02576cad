"""Logs whose facts cannot stand where they do: another was due, wrong walls, an illegal action."""

import json
from collections.abc import Callable

import pytest

from tests.engine.logs import Event, first_of, good, last_position, wrong

# --- what is due and who is on turn ---------------------------------------------------------------------


def test_an_event_where_another_was_due() -> None:
    events = good("points")
    expected = {"card_opened": "4.1", "supply_renewed": "5.3", "game_ended": "7", "turn_ended": "3.3"}
    for kind, rule in expected.items():
        for at, event in enumerate(events):
            by_itself = kind != "turn_ended" or events[at - 3]["type"] == "alexander_marched"  # two actions
            if event["type"] != kind or not by_itself:
                continue
            wrong([*events[:at], {"type": "card_drawn", "seat": 0, "card": "horse"}], at, f"(rule {rule})")
            break


@pytest.mark.parametrize("kind", ["card_opened", "supply_renewed", "game_ended", "turn_ended"])
def test_what_comes_by_itself_comes_only_when_it_is_due(kind: str) -> None:
    event = {
        "card_opened": {"card": "horse"},
        "supply_renewed": {},
        "game_ended": {"reason": "walls", "winners": [0]},
        "turn_ended": {"seat": 0},
    }[kind]
    wrong([good()[0], {"type": kind, **event}], 1, "rule")


def test_nothing_of_a_turn_may_be_left_out() -> None:
    """Actions may be: a turn can end early. What leads up to them and what follows by itself may not."""
    events = good("points")
    needed = {"card_chosen", "alexander_marched", "card_opened", "supply_renewed", "turn_ended"}
    for at, event in enumerate(events):
        if event["type"] in needed and at % 3 == 0:
            wrong([*events[:at], *events[at + 1 : at + 2]], at)


def test_nothing_is_told_twice() -> None:
    events = good("points")
    for at in range(0, len(events), 3):
        if events[at]["type"] not in ("card_drawn", "card_opened", "taxes_levied"):
            wrong([*events[: at + 1], events[at]], at + 1)


def test_the_last_turn_ends_with_the_game_alone() -> None:
    events = good()
    over = events[-1]
    seat = events[-2]["seat"] if "seat" in events[-2] else events[-3]["seat"]
    wrong([*events[:-1], {"type": "turn_ended", "seat": seat}], len(events) - 1)
    wrong([*events[:-1], {"type": "turn_ended", "seat": seat}, over], len(events) - 1)
    wrong([*events, over], len(events), "over")
    wrong([*events, {"type": "turn_ended", "seat": seat}], len(events), "over")
    wrong([*events, {"type": "card_opened", "card": "horse"}], len(events), "over")


def test_the_last_turn_may_be_ended_early() -> None:
    """A game that ends by `end` after the march: the same log with the actions left out."""
    events = good()
    at = max(i for i, event in enumerate(events) if event["type"] == "alexander_marched")
    assert events[at]["red"]
    early = [*events[: at + 1], events[-1]]
    now = last_position([json.dumps(event).encode() for event in early])
    assert now.table.reason == "walls"


def test_the_wrong_seat() -> None:
    for kind in ("card_chosen", "alexander_marched", "card_drawn", "province_occupied", "taxes_levied"):
        for seat in (1, 4, -1, 10**30):
            events = good()
            at = first_of(kind, events)
            if events[at]["seat"] != seat:
                events[at]["seat"] = seat
                wrong(events[: at + 1], at, "3.1")


# --- facts that are wrong -------------------------------------------------------------------------------


def test_a_card_that_is_not_there() -> None:
    shown = good()[0]["display"]
    assert isinstance(shown, list)
    absent = next(card for card in ("temple", "amphora", "horse") if card not in shown)
    wrong([good()[0], {"type": "card_chosen", "seat": 0, "card": absent, "source": "display"}], 1, "4.1")
    events = good("shortage")
    drawn = [i for i, event in enumerate(events) if event["type"] in ("card_drawn", "card_opened")]
    for at in drawn[-20:]:
        now = last_position([json.dumps(event).encode() for event in events[:at]])
        for card in {"temple", "amphora", "horse", "lyre", "soldier"} - set(map(str, now.supply)):
            wrong([*events[:at], events[at] | {"card": card}], at, "supply")


def each(kind: str, change: Callable[[Event], Event], reason: str) -> None:
    """Make sure that every event of a kind is refused when it is changed so."""
    events = good("points")
    found = [i for i, event in enumerate(events) if event["type"] == kind]
    assert found
    for at in found[:6]:
        wrong([*events[:at], events[at] | change(events[at])], at, reason)


def test_wrong_walls_and_payments_and_gains() -> None:
    each("alexander_marched", lambda e: {"red": 1}, "red should be otherwise (rule 4.6)")
    each("alexander_marched", lambda e: {"red": -1}, "4.6")
    each("alexander_marched", lambda e: {"walls": [*e["walls"], "J10-K11"]}, "4.6")
    each(
        "alexander_marched",
        lambda e: {"walls": e["walls"][1:], "red": 0} if e["walls"] else {"red": 2},
        "4.6",
    )
    each("province_occupied", lambda e: {"paid": [*e["paid"], "soldier"]}, "paid should be otherwise")
    each("province_taken_over", lambda e: {"loser": e["seat"]}, "loser")
    each("province_taken_over", lambda e: {"removed": []}, "removed")
    each("province_taken_over", lambda e: {"given": []}, "5.10")
    each("province_taken_over", lambda e: {"given": e["paid"]}, "5.10")
    each("taxes_levied", lambda e: {"gains": [n + 1 for n in e["gains"]]}, "gains should be otherwise")
    each("taxes_levied", lambda e: {"gains": e["gains"][:-1]}, "gains")
    each("taxes_levied", lambda e: {"gains": [*e["gains"], 0]}, "gains")
    each("game_ended", lambda e: {"winners": []}, "7.3")
    each("game_ended", lambda e: {"winners": [0, 1, 2]}, "7.3")
    each("game_ended", lambda e: {"reason": "stalemate"}, "reason")


def test_a_march_with_the_walls_in_another_order() -> None:
    events = good()
    at = next(i for i, e in enumerate(events) if e["type"] == "alexander_marched" and len(e["walls"]) > 1)
    events[at]["walls"] = events[at]["walls"][::-1]
    wrong(events[: at + 1], at, "4.6")


def test_an_illegal_action_names_its_rule() -> None:
    opening = good("two-players")[:3]
    far = {"type": "alexander_marched", "seat": 0, "target": "Troy", "path": ["A3", "B4"]}
    wrong([*opening, far | {"walls": [], "red": 0}], 3, "(rule 4.3)")
    wrong([opening[0], {"type": "alexander_stayed", "seat": 0, "card": None}], 1, "(rule 4.9)")
    marched = good("two-players")[:4]
    wrong([*marched, {"type": "guard_recalled", "seat": 0, "place": "Troy"}], 4, "(rule 5.13)")
    wrong([*marched, {"type": "province_occupied", "seat": 0, "guards": [], "paid": []}], 4, "(rule 5.6)")
    taken = {"type": "province_taken_over", "seat": 0, "loser": 1, "removed": [], "guards": ["Troy"]}
    wrong([*marched, taken | {"paid": [], "given": []}], 4, "(rule 5.9)")
    wrong([*marched, {"type": "taxes_levied", "seat": 0, "card": "horse", "gains": [0, 0]}], 4, "(rule 5.11)")
