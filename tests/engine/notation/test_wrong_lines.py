"""Logs whose lines are no facts: bad JSON, wrong fields, a wrong start."""

import json

import pytest

from engine.event_log import check_log
from tests.engine.build import alexandros
from tests.engine.logs import Event, changed, first_of, good, last_position, refusal, wrong

OPENING = [json.dumps(event).encode() for event in good()[:2]]

# --- lines that are no JSON -----------------------------------------------------------------------------

NO_JSON = {
    "empty": b"",
    "blank": b"  \t",
    "half": b'{"type": "turn_ended", "seat": 0',
    "two": b'{"type": "turn_ended", "seat": 0} {"type": "turn_ended", "seat": 0}',
    "single quotes": b"{'type': 'turn_ended', 'seat': 0}",
    "not a number": b'{"type": "turn_ended", "seat": NaN}',
    "infinite": b'{"type": "turn_ended", "seat": -Infinity}',
    "not UTF-8": b'{"type": "turn_ended", "seat": 0, "meta": "\xff"}',
    "half a character": '{"type": "turn_ended", "seat": 0, "meta": "é"}'.encode()[:-3] + b'"}',
    "UTF-16": '{"type": "turn_ended", "seat": 0}'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbf{"type": "turn_ended", "seat": 0}',
    "line break in a text": b'{"type": "turn_ended", "seat": 0, "meta": "a\rb"}',
    "nested too deep": b'{"meta": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "too many digits": b'{"type": "turn_ended", "seat": ' + b"1" * 5000 + b"}",
}


@pytest.mark.parametrize("line", NO_JSON.values(), ids=NO_JSON)
def test_bad_json(line: bytes) -> None:
    assert "bad JSON" in str(refusal([line]))
    assert "bad JSON" in str(refusal([*OPENING, line]))


@pytest.mark.parametrize("value", ["[]", "null", '"turn_ended"', "3", "true"])
def test_an_event_is_an_object(value: str) -> None:
    assert "JSON object" in str(refusal([value.encode()]))
    assert "JSON object" in str(refusal([*OPENING, value.encode()]))


def test_an_empty_log_is_wrong_at_event_1() -> None:
    assert refusal([]).number == 1


def test_whatever_can_be_read_can_be_refused() -> None:
    """Deep values make no more trouble in a refusal than in reading them."""
    for depth in (1, 10, 500, *range(900, 1000, 3)):
        deep = b"[" * depth + b"]" * depth
        for line in (
            b'{"type": "card_opened", "card": %s}' % deep,
            b'{"type": "turn_ended", "seat": %s}' % deep,
            b'{"type": %s}' % deep,
            b'{"type": "turn_ended", "seat": 0, "more": %s}' % deep,
        ):
            refusal([*OPENING, line])


# --- shapes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["", "Turn_Ended", "turn ended", "card", None, 3, ["turn_ended"]])
def test_unknown_type(kind: object) -> None:
    wrong([*good()[:2], {"type": kind, "seat": 0}], 2, "unknown event type")
    wrong([*good()[:2], {"seat": 0}], 2, "unknown event type")


def test_every_field_is_needed() -> None:
    for at in {str(event["type"]): i for i, event in enumerate(good())}.values():
        for key in good()[at]:
            if key != "type":
                events = good()[: at + 1]
                del events[at][key]
                wrong(events, at, key)


def test_no_further_field_but_meta() -> None:
    for at in {str(event["type"]): i for i, event in enumerate(good())}.values():
        events = good()[: at + 1]
        events[at]["more"] = 1
        wrong(events, at, "unknown field 'more'")
    events = good()
    for event in events:
        event["meta"] = {"who": "Anna", "when": [1.5, None, True]}
    assert last_position([json.dumps(event).encode() for event in events]).table.over


def test_a_key_of_another_event_is_unknown_too() -> None:
    changed("turn_ended", "unknown field", card="horse")
    changed("card_opened", "unknown field", seat=0)
    changed("card_chosen", "unknown field", ruleset=1)


def test_numbers_are_integers() -> None:
    for number in (True, False, 0.0, 1.0, "0", None, [0], -0.0):
        changed("card_chosen", "whole number", seat=number)
        changed("alexander_marched", "whole number", red=number)
    for number in (True, 1.0, "1", 2, 0, None):
        changed("game_started", "ruleset", ruleset=number)
    changed("taxes_levied", "whole number", gains=[0.0, 0, 0, 0])
    changed("game_ended", "whole number", winners=[True])


@pytest.mark.parametrize("symbol", ["Horse", "horses", "", None, 3, ["horse"], {}])
def test_symbols(symbol: object) -> None:
    changed("card_opened", "a symbol", card=symbol)
    changed("game_started", "a symbol", display=["horse", symbol])


def test_places_points_and_sides() -> None:
    marched = good()[first_of("alexander_marched")]
    path, laid = marched["path"], marched["walls"]
    assert isinstance(path, list)
    assert isinstance(laid, list)
    changed("alexander_marched", "a place", target="Atlantis")
    changed("alexander_marched", "a place", target=str(marched["target"]).lower())
    changed("alexander_marched", "a point", path=[path[0], "Z99"])
    changed("alexander_marched", "a point", path=[point.lower() for point in path])
    changed("alexander_marched", "a list", path="-".join(path))
    first, second = laid[0].split("-")
    changed("alexander_marched", "a side", walls=[f"{second}-{first}", *laid[1:]])
    changed("alexander_marched", "a side", walls=["A3-C3"])


def test_lists_stand_in_canonical_order() -> None:
    changed("game_started", "canonical order", display=["lyre", "horse"])
    for kind, key in (("province_taken_over", "paid"), ("province_taken_over", "given")):
        at = next(i for i, e in enumerate(good()) if e["type"] == kind and len({*e[key]}) > 1)
        events = good()[: at + 1]
        events[at][key] = events[at][key][::-1]
        wrong(events, at, "canonical order")
    at = next(i for i, e in enumerate(good()) if e["type"] == "province_occupied" and len(e["guards"]) > 1)
    events = good()[: at + 1]
    guards = events[at]["guards"]
    for other in (guards[::-1], [guards[0], guards[0]]):
        events[at]["guards"] = other
        wrong(events, at, "reading order")


def test_one_of_few_words() -> None:
    for edition in ("winning-moves", {}, ["rio-grande"]):
        changed("game_started", "edition", edition=edition)
    changed("card_chosen", "source", source="supply")
    changed("game_ended", "reason", reason="resigned")
    changed("game_started", "must be a text", seats=["Anna", 3])


# --- the start ------------------------------------------------------------------------------------------


def test_a_log_starts_once_and_at_the_start() -> None:
    wrong(good()[1:], 0, "rule 2.2")
    wrong([good()[0], good()[0]], 1, "rule 2.2")


def test_an_unknown_board_is_a_wrong_event_1_unless_one_is_given() -> None:
    changed("game_started", "no board", board="Atlantis")
    renamed = [json.dumps(good()[0] | {"board": "Atlantis"}).encode()]
    assert len(list(check_log(renamed, {}, alexandros()))) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"seats": ["Anna"], "hands": [["horse"]]},
        {"seats": ["Anna"] * 5, "hands": [["horse"]] * 5},
        {"hands": [["horse"]] * 3},
        {"hands": [["horse"]] * 5},
        {"hands": [["horse"]] * 3 + [[]]},
        {"hands": [["horse"]] * 3 + [["horse", "lyre"]]},
        {"display": ["horse"]},
        {"display": []},
        {"display": ["horse", "horse", "lyre"]},
    ],
)
def test_a_wrong_deal(fields: Event) -> None:
    changed("game_started", "rule", **fields)


def test_names_of_seats_are_not_looked_at() -> None:
    for names in (["", "", "", ""], ["Anna"] * 4, ["a\nb", "\ud800", "é" * 1000, "b"]):
        events = good()
        events[0]["seats"] = names
        assert last_position([json.dumps(event).encode() for event in events]).table.names == tuple(names)
