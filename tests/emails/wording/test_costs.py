"""What a province is said to cost its reader is what the engine allows (phrases/costs.toml has the words)."""

import re
from collections.abc import Iterator
from itertools import combinations, islice
from random import Random

import pytest

from emails.wording import costs
from emails.wording.costs import check_placement, cost_of_province
from emails.wording.options import MOST_WAYS
from engine.actions import Illegal, Occupy, TakeOver
from engine.board import Space
from engine.cards import SYMBOLS, Bag
from engine.notation.orders import Verb
from engine.position import Phase, Position, View, view
from engine.provinces import find_siege, province_at, provinces
from engine.rules import decide, due
from tests.emails.positions import first_card, stored_game
from tests.emails.wording.test_told import on_row
from tests.engine.build import bag, board, places, position, province
from tests.engine.players import game
from tests.spoken import assert_no_orders


def test_what_was_played_and_what_fits_is_told_for_the_buttons() -> None:
    now = on_row({"hands": ["horse horse lyre temple", "", ""], "guards": ["", "Ha"]})
    found = check_placement(view(now, 0), Verb.TAKEOVER, places(now.table.board, "Ha Hb"), None)
    assert (found.most, found.given) == (bag("horse horse lyre"), bag("horse lyre"))


def decisions(name: str, seed: int) -> Iterator[Position]:
    """Positions of a random game in which somebody acts after a march."""
    for act in game(name, seed).acts:
        if act.before.table.phase is Phase.ACTIONS and due(act.before) is None:
            yield act.before


def allowed(now: Position, action: Occupy | TakeOver) -> bool:
    try:
        decide(now, now.table.seat, action, first_card)
    except Illegal:
        return False
    return True


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["alexandros", "crowd", "strip"])
def test_what_can_be_paid_is_exactly_what_the_engine_allows(name: str, seed: int) -> None:
    dice, taken = Random(seed), 0
    for now in islice(decisions(name, seed), 120):
        for me in (*range(len(now.hands)), None):
            known = view(now, me)
            for land, found in costs.province_costs(known):
                able = me is not None and find_siege(now.table, me, known.hand, land.province) is not None
                assert able == bool(found.ways)
                own = me is not None and land.province.holder == me
                assert bool(found.sentences) != own
        known = view(now, now.table.seat)
        for guards, given in chances(known, dice):
            held = bool(guards) and province_at(now.table, guards[0]).holder is not None
            action = TakeOver(guards, given) if held else Occupy(guards)
            verb = Verb.TAKEOVER if held else Verb.OCCUPY
            said = check_placement(known, verb, guards, given if held else None)
            assert said.fits == allowed(now, action)
            taken += said.fits
            if held:
                suggested = check_placement(known, Verb.TAKEOVER, guards, None)
                assert suggested.fits == allowed(now, TakeOver(guards, suggested.given))
    assert taken


NEEDED = re.compile(r"Your cards do not pay for all of it: you need (.+)\.")
MUST = re.compile(r"(?:a guard|guards) on (?:(?P<number>one|\d+) of )?(?P<places>.+)")


def musts(sentences: tuple[str, ...]) -> list[tuple[int, set[str]]]:
    """How many of which places must have a guard, as the sentences of a price say it."""
    found = []
    for clause in (
        one for said in sentences if (told := NEEDED.fullmatch(said)) for one in told[1].split("; ")
    ):
        must = MUST.fullmatch(clause)
        assert must, clause
        among = set(re.split(r", | and | or ", must["places"]))
        number = must["number"] or str(len(among))
        found.append((1 if number == "one" else int(number), among))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_guards_that_are_said_to_be_needed_are_those_that_the_engine_needs(seed: int) -> None:
    tried = 0
    for now in islice(decisions("alexandros", seed), 60):
        known, names = view(now, now.table.seat), now.table.board.names
        for land, found in costs.province_costs(known):
            if land.province.holder is not None or not found.ways or len(land.province.places) > 8:
                continue
            needed = musts(found.sentences)
            for many in range(1, now.table.guards_in_supply(now.table.seat) + 1):
                for guards in combinations(land.province.places, many):
                    named = {names[guard] for guard in guards}
                    fits = all(len(named & among) >= number for number, among in needed)
                    assert fits == allowed(now, Occupy(guards))
                    tried += bool(needed)
    assert tried


def chances(known: View, dice: Random) -> Iterator[tuple[tuple[Space, ...], Bag]]:
    """Guards and cards by chance, mostly within one province."""
    parts = [part.places for part in provinces(known.table) if part.places]
    for _ in range(12):
        among = dice.choice(parts) if dice.random() < 0.95 else tuple(known.table.board.names)
        guards = tuple(sorted(dice.sample(among, min(len(among), dice.randint(0, 3)))))
        yield guards, Bag.of(dice.choice(SYMBOLS) for _ in range(dice.randint(0, 3)))


@pytest.mark.usefixtures("language")
def test_nothing_that_is_said_is_an_order() -> None:
    for now in stored_game("three-players").positions[::9]:
        for me in (0, 1, None):
            known = view(now, me)
            for _, found in costs.province_costs(known):
                ways = (f"{way.title}: {way.detail}." for way in found.ways)
                assert_no_orders((*found.sentences, *ways), known.table.board)


def test_a_hoarded_hand_is_priced_at_once() -> None:
    strip = board("tahls" * 3, start="A1")
    now = position(strip, hands=(" ".join(["temple amphora horse lyre soldier"] * 4), ""))
    found = cost_of_province(view(now, 0), province(now, "Ta"))
    assert len(found.ways) == MOST_WAYS
    assert check_placement(view(now, 0), Verb.OCCUPY, places(strip, "Ta"), None).fits
