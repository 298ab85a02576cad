"""What the sentence of a choice promises, read with nothing but its words, is what playing it brings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from random import Random

import pytest

from emails.wording.options import Option
from engine.actions import ActionRefused, Occupy
from engine.board import Space
from engine.cards import Bag, Symbol
from engine.events import (
    AlexanderMarched,
    Event,
    GuardRecalled,
    ProvinceOccupied,
    ProvinceTakenOver,
    TaxesLevied,
)
from engine.evolve import evolve
from engine.position import Position, Table, view
from engine.rules import decide
from tests.bots.alike import asked_positions
from tests.bots.claims import CHANGES, Check, Claim, Played, changes_of, claims_in, play_words
from tests.bots.ledger import spaces_around
from tests.breadth import by_run
from tests.newcomers import adapter

# --- provinces, counted without the engine's --------------------------------------------------------------


@dataclass(frozen=True)
class Land:
    """A province: all that no wall parts."""

    spaces: frozenset[Space]
    places: tuple[Space, ...]
    value: int
    guards: tuple[tuple[int, Space], ...]


def land_at(table: Table, space: Space) -> Land:
    inside = frozenset(spaces_around(table, space))
    symbols = table.board.symbols
    places = tuple(sorted(one for one in inside if symbols[one] is not None))
    standing = tuple(
        (seat, one) for seat, all_of in enumerate(table.guards) for one in all_of if one in inside
    )
    return Land(inside, places, len(inside) - len(places), standing)


def lands(table: Table) -> list[Land]:
    left, found = set(table.board.symbols), []
    while left:
        one = land_at(table, min(left))
        left -= one.spaces
        found.append(one)
    return found


def can_occupy(now: Position, me: int, land: Land, many: int) -> bool:
    """Whether a seat can occupy a free province now with exactly so many guards, by the rules."""
    if now.table.seat != me or now.table.over or land.guards:
        return False
    for guards in combinations(land.places, many):
        try:
            decide(now, me, Occupy(guards), Bag.kinds)  # no card comes of it
        except ActionRefused:
            continue
        return True
    return False


# --- claims ---------------------------------------------------------------------------------------------

NUMBERS = {"a": 1, "an": 1, "no": 0, "one": 1, "two": 2, "three": 3, "four": 4}


def number(words: str) -> int:
    return NUMBERS.get(words, int(words) if words.isdigit() else -1)


def cards_named(words: str) -> Bag | None:
    """The cards of a list in words: "2 temples and a lyre"; None where it cannot be read."""
    if words in ("no card", "no cards"):
        return Bag.of([])
    found: list[Symbol] = []
    for part in re.split(r", | and ", words):
        many, _, named = part.partition(" ")
        symbol = next((one for one in Symbol if named in (one.value, f"{one.value}s")), None)
        if symbol is None or number(many) < 0:
            return None
        found += [symbol] * number(many)
    return Bag.of(found)


def _new_walls(one: Played) -> int:
    return len(one.after.table.walls - one.before.table.walls)


def _red(one: Played) -> int:
    return one.before.table.red - one.after.table.red


def _walls(said: Claim, one: Played) -> bool:
    return _new_walls(one) == number(said["walls"]) and _red(one) == 0


def _red_walls(said: Claim, one: Played) -> bool:
    walls, red = number(said["walls"]), number(said["red"])
    return (_new_walls(one), _red(one)) == (walls, red) and one.after.table.last_turn


def _new_lands(one: Played) -> list[Land]:
    """Free provinces after a march that were none before."""
    old = {land.spaces for land in lands(one.before.table)}
    return [land for land in lands(one.now.table) if land.spaces not in old and not land.guards]


PART = re.compile(
    r"(?P<spaces>\d+) spaces? (?:worth (?P<value>\d+) \((?P<places>[^)]*)\)|that nobody can occupy)"
)


def part_exists(part: re.Match[str], one: Played) -> Land | None:
    """The free province after a march that a part of a sentence tells of."""
    for land in _new_lands(one):
        if len(land.spaces) != int(part["spaces"]):
            continue
        if part["value"] is None:
            if not land.places:
                return land
            continue
        if land.value != int(part["value"]):
            continue
        names = {one.before.table.board.names[place] for place in land.places}
        counted = re.fullmatch(r"(\d+) symbols?", part["places"])
        if counted and int(counted[1]) == len(names):
            return land
        if set(re.split(r", | and ", part["places"])) == names:
            return land
    return None


def _closes_off(said: Claim, one: Played) -> bool:
    parts = list(PART.finditer(said["parts"]))
    rest = PART.sub("", said["parts"])
    return bool(parts) and not re.sub(r", | and ", "", rest) and all(part_exists(part, one) for part in parts)


def _occupied_at_once(said: Claim, one: Played) -> bool:
    """With one guard, so that it scores, by somebody who has the cards for it once the march is done."""
    parts = list(PART.finditer(said[0]))
    found = [land for part in parts if (land := part_exists(part, one)) is not None]
    return any(can_occupy(one.after, one.me, land, 1) and land.value for land in found)


def _splits(said: Claim, one: Played) -> bool:
    """A province of a seat falls apart, and its holder has these parts of it."""
    seat = one.me if said["name"] == "you" else one.seat_called(said["name"])
    kept = [
        (int(value), int(guards or 1))
        for value, guards in re.findall(r"(\d+)(?: with (\d+) guards)?", said["kept"])
    ]
    for land in lands(one.before.table):
        if land.value != int(said["value"]) or {holder for holder, _ in land.guards} != {seat}:
            continue
        parts = {part for space in land.spaces for part in [land_at(one.now.table, space)]}
        held = sorted((part.value, len(part.guards)) for part in parts if part.guards)
        if len(parts) > 1 and held == sorted(kept):
            free = said["free"]
            return not free or all(part_exists(part, one) for part in PART.finditer(free))
    return False


def _costs(said: Claim, one: Played) -> bool:
    return one.last(ProvinceOccupied, ProvinceTakenOver).paid == cards_named(said["cards"])


def _gives(said: Claim, one: Played) -> bool:
    event = one.last(ProvinceTakenOver)
    named = one.before.table.names[event.loser] == said["name"]
    return named and event.given == cards_named(said["cards"])


def _conquered(one: Played) -> Land:
    return land_at(one.now.table, one.last(ProvinceOccupied, ProvinceTakenOver).guards[0])


def _scores(said: Claim, one: Played) -> bool:
    land = _conquered(one)
    return len(land.guards) == 1 and land.value == int(said["value"])


def _scores_nothing(said: Claim, one: Played) -> bool:
    return len(_conquered(one).guards) == number(said["guards"]) > 1


def _worthless(said: Claim, one: Played) -> bool:
    return _conquered(one).value == 0


def _levy_cards(one: Played) -> set[Symbol]:
    standing = one.now.table.guards[one.me]
    return {
        card for place in standing if (card := one.now.table.board.symbols[place]) in one.now.hands[one.me]
    }


def _could_levy(said: Claim, one: Played) -> bool:
    cards = cards_named(said["cards"])
    return cards is not None and set(cards.kinds()) <= _levy_cards(one) and bool(one.now.table.actions_left)


def _cannot_levy(said: Claim, one: Played) -> bool:
    return not _levy_cards(one)


def _levies(said: Claim, one: Played) -> bool:
    event = one.last(TaxesLevied)
    names = one.before.table.names
    told = dict(re.findall(r"([^,]+?) \+(\d+)(?:, |$)", said[0]))
    wanted = {("you" if seat == one.me else names[seat]): str(gain) for seat, gain in enumerate(event.gains)}
    scored = [
        after - before for before, after in zip(one.before.table.scores, one.now.table.scores, strict=True)
    ]
    return told == wanted and scored == list(event.gains)


def _would_hold(said: Claim, one: Played) -> bool:
    told = cards_named(said["cards"])
    return told is not None and all(one.after.hands[one.me][card] == told[card] for card in told.kinds())


def _unknown(said: Claim, one: Played) -> bool:
    return len(one.before.supply) == int(said["supply"])


def _leaves_unused(said: Claim, one: Played) -> bool:
    return one.before.table.actions_left == int(said["actions"])


def _recalled(one: Played) -> Land:
    return land_at(one.now.table, one.last(GuardRecalled).place)


def _comes_free(said: Claim, one: Played) -> bool:
    land = _recalled(one)
    return not land.guards and land.value == int(said["value"])


def _then_scores(said: Claim, one: Played) -> bool:
    land = _recalled(one)
    return len(land.guards) == 1 and land.value == int(said["value"])


def _stay(said: Claim, one: Played) -> bool:
    return len(_recalled(one).guards) == int(said["guards"])


A_PART = r"\d+ spaces? (?:worth \d+ \([^)]*\)|that nobody can occupy)"
PARTS = rf"(?P<parts>{A_PART}(?:(?:, | and ){A_PART})*)"
A_SHARE = r"\d+(?: with \d+ guards)?"
KEPT = rf"{A_SHARE}(?:(?:, | and ){A_SHARE})*"
CLAIMS: dict[str, tuple[str, Check]] = {
    "no walls": (r"(?P<walls>no) new wall", _walls),
    "walls": (r"(?P<walls>\d+) walls?", _walls),
    "red walls": (r"(?P<walls>(?P<red>\d+)) red walls?: this is then the last turn", _red_walls),
    "some red": (r"(?P<walls>\d+) walls?, (?P<red>\d+) of them red: this is then the last turn", _red_walls),
    "at once": (r"(?:closes off|splits) .*: .*can be occupied at once", _occupied_at_once),
    "closes off": (rf"closes off {PARTS}(?::.*)?", _closes_off),
    "splits mine": (
        rf"splits your province worth (?P<value>\d+): (?P<name>you) keep (?P<kept>{KEPT})"
        r"(?:, free are then (?P<free>[^:]+))?.*",
        _splits,
    ),
    "splits theirs": (
        rf"splits (?P<name>.+?)'s province worth (?P<value>\d+): (?P=name) keeps (?P<kept>{KEPT})"
        r"(?:, free are then (?P<free>[^:]+))?.*",
        _splits,
    ),
    "costs": (r"costs (?P<cards>.+)", _costs),
    "gives": (r"(?P<name>.+?) gets (?P<cards>.+)", _gives),
    "scores nothing": (r"(?P<guards>\w+) guards in it: scores nothing.*", _scores_nothing),
    "scores": (r"scores (?P<value>\d+) whenever taxes are levied", _scores),
    "worthless": (r"worth nothing", _worthless),
    "levy": (r"then (?!no card of yours)(?P<cards>.+) could levy taxes", _could_levy),
    "no levy": (r"then no card of yours could levy taxes", _cannot_levy),
    "levies": (r"(?:[^,+]+ \+\d+)(?:, [^,+]+ \+\d+)*", _levies),
    "hold": (r"you would hold (?P<cards>.+)", _would_hold),
    "unknown": (r"an unknown card, one of (?P<supply>\d+)", _unknown),
    "left unused": (r"(?P<actions>\d+) actions? (?:is|are) left unused", _leaves_unused),
    "comes free": (r"its province, worth (?P<value>\d+), is then free", _comes_free),
    "then scores": (r"its province then scores (?P<value>\d+) whenever taxes are levied", _then_scores),
    "stay": (r"(?P<guards>\d+) guards stay in its province", _stay),
}
"""Every sentence of a single step, as a pattern, and what makes it true; all that fit have to hold."""


# --- gains and prices -----------------------------------------------------------------------------------


def has_event(one: Played, kind: type[Event]) -> bool:
    return any(isinstance(event, kind) for event in one.events)


def _levies_after_occupying(one: Played, land: Land) -> Iterator[int]:
    """How many points more a levy gives once a guard alone occupies a province after the march."""
    for place in land.places:
        try:
            [event, *_] = decide(one.after, one.me, Occupy((place,)), Bag.kinds)
        except ActionRefused:
            continue
        yield one.income(evolve(one.after, event), one.me) - one.income(one.before, one.me)


def _is_remainder(land: Land, one: Played) -> bool:
    """Whether a province is the largest part of a free one that the march split: of equal ones the first."""
    before = land_at(one.before.table, land.places[0])
    parts = dict.fromkeys(land_at(one.now.table, space) for space in sorted(before.spaces))
    return not before.guards and land == max(parts, key=lambda part: len(part.spaces))


def _changes(said: Claim, one: Played) -> bool:
    """What a step changes in later levies; a march, if the best province that it closes off is occupied."""
    told = changes_of(said, one)
    seats = range(len(one.before.hands))
    changes = {seat: one.income(one.now, seat) - one.income(one.before, seat) for seat in seats}
    mine = told.pop(one.me, 0)
    del changes[one.me]
    if told != {seat: change for seat, change in changes.items() if change}:
        return False
    alone = one.income(one.now, one.me) - one.income(one.before, one.me)
    if not has_event(one, AlexanderMarched):
        return mine == alone
    parts = [land for land in _new_lands(one) if land.places]
    best = [
        gain for land in parts if not _is_remainder(land, one) for gain in _levies_after_occupying(one, land)
    ]
    every = [gain for land in parts for gain in _levies_after_occupying(one, land)]
    return mine in (alone, *every) and mine == max([alone, *best])


def _needs_guards(said: Claim, one: Played) -> bool:
    """So many guards are the fewest, with the hand after the march, for a new province of any worth."""
    lacking = []
    for land in _new_lands(one):
        if land.value and land.places and not _is_remainder(land, one):
            symbols = Bag.of(one.now.table.board.symbol_at(place) for place in land.places)
            lacking.append(
                sum(max(0, symbols[card] - one.now.hands[one.me][card]) for card in symbols.kinds())
            )
            assert not can_occupy(one.after, one.me, land, 1)
    return max(1, min(lacking)) == int(said["guards"])


def _scores_none(said: Claim, one: Played) -> bool:
    seats = range(len(one.before.hands))
    if any(one.income(one.now, seat) != one.income(one.before, seat) for seat in seats):
        return False
    if has_event(one, AlexanderMarched):
        return not any(
            land.value and land.places and not _is_remainder(land, one) for land in _new_lands(one)
        )
    return True


def _paid(one: Played) -> int:
    return len(one.before.hands[one.me]) - len(one.now.hands[one.me])


GAINS: dict[str, tuple[str, Check]] = {
    "changes": (CHANGES, _changes),
    "needs": (r"needs (?P<guards>\d+) guards?", _needs_guards),
    "scores 0": (r"scores 0", _scores_none),
    "last turn": (r"last turn", lambda _, one: one.after.table.last_turn),
    "no wall": (r"(?P<walls>no) wall", _walls),
    "some walls": (r"(?P<walls>\d+) walls?", _walls),
    "a card": (
        r"\+1 card",
        lambda _, one: len(one.after.hands[one.me]) == len(one.before.hands[one.me]) + 1,
    ),
    "a guard": (r"\+1 guard", lambda _, one: has_event(one, GuardRecalled)),
    "a guard and changes": (
        rf"\+1 guard, {CHANGES}",
        lambda said, one: has_event(one, GuardRecalled) and _changes(said, one),
    ),
    "points": (
        r"you \+(?P<gain>\d+)",
        lambda said, one: one.last(TaxesLevied).gains[one.me] == int(said["gain"]),
    ),
}
"""What stands in two or three words beside a step."""
PRICES: dict[str, tuple[str, Check]] = {
    "no card": (r"no card", lambda _, one: _paid(one) == 0),
    "cards": (r"(?P<cards>\d+) cards?", lambda said, one: _paid(one) == int(said["cards"])),
    "a levy card": (
        r"an? (?P<card>\w+)",
        lambda said, one: one.before.hands[one.me] - one.now.hands[one.me] == Bag.of([Symbol(said["card"])]),
    ),
    "changes": (CHANGES, _changes),
}

FEW, MANY = 60, 2_000
USUAL = {"walls", "closes off", "at once", "costs", "scores", "levies", "hold", "unknown", "left unused"}
USUAL |= {"gain: changes", "gain: needs", "gain: scores 0", "gain: points", "price: cards"}
"""Kinds of claims that every few hundred positions hold."""


def lies(asked: Iterable[Position]) -> tuple[list[str], Counter[str]]:
    """What sentences promise in these positions and do not bring, and how often each kind was told."""
    found, kinds = list[str](), Counter[str]()
    for number, now in enumerate(asked):
        for step in adapter.steps_to_choose(view(now, now.table.seat)):
            if step.further or not step.words:
                continue
            where = f"position {number}: {step.title}: {step.detail}"
            try:
                played = play_words(now, step.words, Random(number))
                claims = claims_in(step.detail, CLAIMS)
                gains, prices = claims_in(step.gain, GAINS), claims_in(step.price, PRICES)
            except (ActionRefused, AssertionError) as fault:
                found.append(f"{where}: {step.words}: {fault}")
                continue
            kinds.update(one.kind for one in claims)
            kinds.update(f"gain: {one.kind}" for one in gains)
            kinds.update(f"price: {one.kind}" for one in prices)
            told = (*claims, *gains, *prices)
            found += [f"{where} [{one.kind}: {one.found[0]}]" for one in told if not one.holds(played)]
    return found, kinds


@pytest.mark.parametrize(
    ("number", "each", "seed", "usual"),
    by_run([(6, 2, 0, set())], [(FEW, 6, 40, set())], [(MANY, 12, 1000, USUAL)]),
)
def test_what_choices_promise_comes_true(record_property, number, each, seed, usual):
    found, kinds = lies(asked_positions(number, each=each, seed=seed))
    record_property("figure", f"claims of {number} positions: {dict(kinds)}, not true {len(found)}")
    assert not found, (len(found), found[:8])
    assert kinds.keys() >= usual


def test_the_dutch_sentences_promise_the_same_numbers():
    apart = []
    for now in asked_positions(200, seed=40):
        known = view(now, now.table.seat)
        both = zip(adapter.steps_to_choose(known), adapter.steps_to_choose(known, "nl"), strict=True)
        for one, other in both:
            assert one.words == other.words
            if numbers(one) != numbers(other):
                apart.append((one, other))
    assert not apart, (len(apart), apart[:5])


def numbers(one: Option) -> list[str]:
    """The figures of a choice, in whatever order a language puts them."""
    return sorted(re.findall(r"\d+", f"{one.title} {one.detail} {one.gain} {one.price}"))


# --- controls -------------------------------------------------------------------------------------------


def test_control_a_step_that_promises_too_much_is_noticed():
    now = next(one for one in asked_positions(40, each=6) if one.table.phase == "actions")
    step = next(one for one in adapter.steps_to_choose(view(now, now.table.seat)) if one.words == "draw")
    played = play_words(now, step.words, Random(1))
    assert all(one.holds(played) for one in claims_in(step.detail, CLAIMS))
    for said in ("an unknown card, one of 999", "you would hold 9 lyres", "5 actions are left unused"):
        assert [one.holds(played) for one in claims_in(said, CLAIMS)] == [False], said
    with pytest.raises(AssertionError, match="nobody can tell"):
        claims_in("wins the game", CLAIMS)
