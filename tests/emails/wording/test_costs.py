"""What a province would cost its reader (5.5, 5.6, 5.9, 5.10), and the sum of what he chose for one."""

from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest

from emails.wording import costs
from emails.wording.costs import NOT_YOUR_ACTIONS, ProvinceCost, check_placement, cost_of_province
from engine.actions import Illegal, Occupy, TakeOver
from engine.board import Space
from engine.cards import SYMBOLS, Bag
from engine.notation.orders import Verb
from engine.position import Phase, Position, View, view
from engine.provinces import find_siege, province_at, provinces
from engine.rules import decide, due
from tests.emails import stored_games
from tests.engine.build import alexandros, bag, board, fence, places, position, province, spaces
from tests.engine.players import game
from tests.spoken import assert_no_orders

ROW = board("h...h.l....s..t..")
"""Two parts, once walled: one with two horses and a lyre, worth 6, one with a soldier and a temple."""
CUT = fence(ROW, spaces(ROW, "AB2 AB3 AB4 AB5 AB6 AB7 AB8 AB9 AB10"))


def row(*hands: str, guards: tuple[str, ...] = (), **more: object) -> Position:
    return position(ROW, hands=hands or ("", ""), guards=guards, walls=CUT, **more)


def of(now: Position, place: str = "Ha", me: int | None = 0) -> ProvinceCost:
    return cost_of_province(view(now, me), province(now, place))


def total(now: Position, words: str, chosen: str | None = None) -> tuple[bool, str]:
    """Whether guards and cards fit, and what is said of them; the verb is the one that the province needs."""
    guards = places(ROW, words)
    held = bool(guards) and province(now, words.split()[0]).holder is not None
    given = None if chosen is None else bag(chosen)
    found = check_placement(view(now, 0), Verb.TAKEOVER if held else Verb.OCCUPY, guards, given)
    return found.fits, " ".join(found.sentences)


# --- what a province would cost -------------------------------------------------------------------------


def test_5_6_a_free_province_is_priced_by_the_ways_to_place_guards() -> None:
    found = of(row("horse lyre", ""))
    assert found == ProvinceCost(
        True,
        (
            "You can occupy it now.",
            "Your cards do not pay for all of it: you need a guard on one of Ha or Hb.",
            "There are more ways to place your guards than these:",
        ),
        (
            "Guard on Ha: costs a horse and a lyre; scores 6 whenever taxes are levied; "
            "then no card of yours could levy taxes.",
            "Guard on Hb: costs a horse and a lyre; scores 6 whenever taxes are levied; "
            "then no card of yours could levy taxes.",
            "Guards on Ha and La: costs a horse; 2 guards in it: scores nothing.",
        ),
    )


def test_5_6_where_no_card_fits_a_guard_must_stand() -> None:
    found = of(row("", ""))
    assert found.sentences[1] == ("Your cards do not pay for all of it: you need a guard on Ha, Hb and La.")
    assert found.ways == ("Guards on Ha, Hb and La: costs no card; 3 guards in it: scores nothing.",)


def test_5_6_what_the_hand_lacks_is_named() -> None:
    assert of(row("", "", guards=("Sa Ta",))) == ProvinceCost(
        False,
        ("You cannot pay for it: your hand lacks 2 horses and a lyre, and you have only 2 guards instead.",),
    )


def test_5_6_a_large_province_is_beyond_all_reach() -> None:
    now = position(alexandros(), hands=("horse", ""))
    assert of(now, "Troy").sentences == (
        "You cannot pay for it: each of its 90 symbol spaces needs a card or a guard.",
    )


def test_5_6_without_a_guard_nothing_can_be_had() -> None:
    strip = board("h..h..h..h..l..")
    walls = fence(strip, [space for space in strip.symbols if space.col < 13])
    now = position(strip, hands=("lyre", ""), guards=("Ha Hb Hc Hd",), walls=walls)
    assert of(now, "La") == ProvinceCost(False, ("You have no guard left for it; you can take one back.",))


def test_5_8_nothing_is_said_of_the_price_of_ones_own_province() -> None:
    assert of(row("horse", "", guards=("Ha",))) == ProvinceCost(False)


def test_5_9_a_held_province_costs_its_guards_first() -> None:
    found = of(row("horse horse horse lyre", "", guards=("", "Ha")))
    assert found.sentences[0] == "You can take it over now: removing the guards there costs 2 horses."
    assert found.ways[0].startswith("Guard on Ha: costs 3 horses and a lyre; ")
    assert of(row("horse lyre", "", guards=("", "Ha"))).sentences == (
        "You cannot pay for it: removing the guards there costs 2 horses, and your hand lacks a horse.",
    )
    assert of(row("horse horse", "", guards=("Sa Ta", "Ha"))).sentences == (
        "You cannot pay for it: after 2 horses for the guards there your hand lacks 2 horses and a lyre, "
        "and you have only 2 guards instead.",
    )


def test_5_10_the_loser_gets_half_but_not_between_two() -> None:
    half = "Of the cards you play Ben gets half, rounded up; you choose which."
    assert half in of(row("horse horse lyre", "", "", guards=("", "Ha"))).sentences
    assert half not in of(row("horse horse lyre", "", guards=("", "Ha"))).sentences


def test_who_has_to_wait_reads_what_he_could_do() -> None:
    now = row("", "horse lyre", guards=("Sa",))
    assert of(now, "Ha", 1).sentences[0] == "You could occupy it with your cards and guards."
    assert (
        of(row("horse", "", phase="card")).sentences[0] == "You could occupy it with your cards and guards."
    )
    assert of(row("temple", "soldier soldier", guards=("Sa",)), "Sa", 1).sentences[0] == (
        "You could take it over with your cards and guards: removing the guards there costs 2 soldiers."
    )


def test_a_spectator_reads_what_it_costs_anybody() -> None:
    now = row("horse lyre", "", guards=("", "Ta"))
    assert of(now, "Ha", None).sentences == (
        "It costs one guard at least, and a card for each of the 2 other symbol spaces.",
    )
    assert of(now, "Ta", None).sentences == (
        "Taking it over costs 2 temples for the guards there, one guard at least, and a card of its symbol "
        "for each other symbol space.",
    )
    assert of(position(board("h......")), "Ha", None).sentences == ("It costs one guard and no card.",)


def test_after_the_end_nothing_costs_anything() -> None:
    now = row("horse lyre", "", phase="over")
    assert of(now) == of(now, "Ha", None) == ProvinceCost(False)


# --- the sum of what was chosen -------------------------------------------------------------------------


def test_5_6_the_sum_says_what_is_paid_what_it_scores_and_what_stays() -> None:
    assert total(row("horse lyre temple temple", ""), "Ha") == (
        True,
        "Costs a horse and a lyre; scores 6 whenever taxes are levied; then no card of yours could levy "
        "taxes. You keep 2 temples.",
    )
    assert total(row("lyre", ""), "Ha Hb") == (
        True,
        "Costs a lyre; 2 guards in it: scores nothing. Your hand is then empty.",
    )


def test_5_6_the_sum_says_what_is_lacking() -> None:
    assert total(row("horse", ""), "Ha") == (
        False,
        "It costs a horse and a lyre. The hand lacks a lyre to pay for it (rule 5.6).",
    )
    assert total(row("horse lyre", ""), "Ha Sa") == (
        False,
        "Ha and Sa do not lie in one province (rule 5.6).",
    )
    assert total(row("horse lyre", ""), "") == (False, "Choose where your guards are to stand; you have 4.")


def test_5_10_the_sum_says_when_the_cards_for_the_loser_do_not_fit() -> None:
    now = row("horse horse lyre temple", "", "", guards=("", "Ha"))
    fits, said = total(now, "Ha Hb")
    assert fits
    assert "; Ben gets a horse and a lyre; " in said
    assert total(now, "Ha Hb", "horse horse") == (True, said.replace("a horse and a lyre; 2", "2 horses; 2"))
    costs = "It costs 2 horses and a lyre. "
    assert total(now, "Ha Hb", "") == (False, f"{costs}Ben gets 2 of these cards: choose 2 more.")
    assert total(now, "Ha Hb", "horse") == (False, f"{costs}Ben gets 2 of these cards: choose 1 more.")
    assert total(now, "Ha Hb", "horse horse lyre") == (
        False,
        f"{costs}Ben gets only 2 of these cards: take back 1.",
    )
    assert total(now, "Ha Hb", "horse temple") == (
        False,
        f"{costs}Ben can only get cards that you play: take back a temple.",
    )
    two = row("horse horse lyre temple", "", guards=("", "Ha"))
    assert total(two, "Ha Hb", "horse")[1].endswith(
        "Between two players nobody gets cards: all are discarded."
    )


def test_what_was_played_and_what_fits_is_told_for_the_buttons() -> None:
    now = row("horse horse lyre temple", "", "", guards=("", "Ha"))
    found = check_placement(view(now, 0), Verb.TAKEOVER, places(ROW, "Ha Hb"), None)
    assert (found.most, found.given) == (bag("horse horse lyre"), bag("horse lyre"))


def test_guards_are_placed_in_ones_own_turn_after_the_march() -> None:
    for now, me in ((row("horse lyre", ""), 1), (row("horse lyre", "", phase="card"), 0)):
        found = check_placement(view(now, me), Verb.OCCUPY, places(ROW, "Ha"), None)
        assert (found.fits, found.sentences) == (False, (NOT_YOUR_ACTIONS,))


# --- what is said and what is allowed are the same ------------------------------------------------------


def decisions(name: str, seed: int) -> Iterator[Position]:
    """Positions of a random game in which somebody acts after a march."""
    for act in game(name, seed).acts:
        if act.before.table.phase is Phase.ACTIONS and due(act.before) is None:
            yield act.before


def allowed(now: Position, action: Occupy | TakeOver) -> bool:
    try:
        decide(now, now.table.seat, action, lambda cards: next(iter(cards)))
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
                assert found.within == able == bool(found.ways)
                own = me is not None and land.province.holder == me
                assert bool(found.sentences) != own
        known = view(now, now.table.seat)
        for guards, given in chances(known, dice):
            held = bool(guards) and province_at(now.table, guards[0]).holder is not None
            action = TakeOver(guards, given) if held else Occupy(guards)
            said = check_placement(
                known, Verb.TAKEOVER if held else Verb.OCCUPY, guards, given if held else None
            )
            assert said.fits == allowed(now, action)
            taken += said.fits
            if held:
                suggested = check_placement(known, Verb.TAKEOVER, guards, None)
                assert suggested.fits == allowed(now, TakeOver(guards, suggested.given))
    assert taken


def chances(known: View, dice: Random) -> Iterator[tuple[tuple[Space, ...], Bag]]:
    """Guards and cards by chance, mostly within one province."""
    parts = [part.places for part in provinces(known.table) if part.places]
    for _ in range(12):
        among = dice.choice(parts) if dice.random() < 0.95 else tuple(known.table.board.names)
        guards = tuple(sorted(dice.sample(among, min(len(among), dice.randint(0, 3)))))
        yield guards, Bag.of(dice.choice(SYMBOLS) for _ in range(dice.randint(0, 3)))


# --- words ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("language")
def test_nothing_that_is_said_is_an_order() -> None:
    for now in stored_games.positions("three-players")[::9]:
        for me in (0, 1, None):
            known = view(now, me)
            for _, found in costs.province_costs(known):
                assert_no_orders((*found.sentences, *found.ways), known.table.board)


def test_a_hoarded_hand_is_priced_at_once() -> None:
    strip = board("tahls" * 3, start="A1")
    now = position(strip, hands=(" ".join(["temple amphora horse lyre soldier"] * 4), ""))
    found = of(now, "Ta")
    assert found.within
    assert len(found.ways) == costs.MOST_WAYS
    assert check_placement(view(now, 0), Verb.OCCUPY, places(strip, "Ta"), None).fits
