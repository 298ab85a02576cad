"""Laws of reading: what is read was written, what is left out is certain, and nothing takes long."""

import re
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import ActionRefused, Unreadable
from engine.evolve import evolve
from engine.notation.grammar import resolve
from engine.notation.orders import Order, Verb, spell_out, write
from engine.position import Position, view
from engine.rules import decide, legal
from tests.bounded import quickest
from tests.engine.build import board, position
from tests.engine.notation.test_parser import LAND, NUMBERS, said
from tests.spoken import VOCABULARY, parse, read

KINDS = st.sampled_from([None, *Verb])
CARDS = st.lists(st.sampled_from(sorted(set(VOCABULARY.symbols.values()))), max_size=3).map(tuple)
PLACES = st.lists(st.sampled_from(sorted(LAND.symbols & LAND.names.keys())), max_size=3).map(tuple)
POINTS = st.lists(st.sampled_from(sorted(LAND.steps)), max_size=4).map(tuple)


@given(st.builds(Order, KINDS, CARDS, PLACES, POINTS))
def test_what_is_spelled_is_read_as_it_was_said(one: Order) -> None:
    try:
        found = parse(spell_out(one, LAND), LAND)
    except Unreadable:
        return  # nobody can say that
    if (one.verb is None) == (len(one.symbols) == 1 and not one.places and not one.points):
        assert found == (one,)


WORDS = [*VOCABULARY.verbs, *VOCABULARY.symbols, *VOCABULARY.small]
LINES = st.lists(
    st.sampled_from([*WORDS, *islice(LAND.places, 40), *"A3 B4 C3 C5 D4 1 2 3 7".split()])
    | st.sampled_from(
        """and then en dan or of , . + - > / ! no via from van langs by over please back terug geef give
        nr # take march lyre l""".split()
    )
    | st.text(max_size=4),
    max_size=8,
)
POSITIONS = (
    position(LAND, phase="card", hands=("soldier", ""), display="horse lyre"),
    position(LAND, phase="march", chosen="lyre"),
    position(LAND, hands=("horse lyre", ""), guards=("Troy",)),
)


@given(LINES)
def test_all_that_is_read_was_written(words: list[str]) -> None:
    """Whole, or as a number; and an action for each that is read."""
    line = " ".join(words)
    try:
        found = parse(line, LAND, NUMBERS)
    except Unreadable:
        return
    tokens = re.findall(r"#?[0-9]+|[A-Za-zÉé]+[0-9]*", line.casefold())
    numbers = {NUMBERS[token.lstrip("#")] for token in tokens if token.lstrip("#") in NUMBERS}
    orders = [order for line in numbers for order in line.split(";")]
    if [*found] == [one for order in orders for one in parse(order, LAND)]:
        return
    for one in found:
        for card in one.symbols:
            assert any(VOCABULARY.symbols.get(token) == card for token in tokens)
        for place in one.places:
            names = {name.casefold(): space for name, space in LAND.places.items()}
            assert any(names.get(token) == place for token in tokens)
        for point in map(str, one.points):
            assert point.casefold() in tokens
    assert len(found) <= len(tokens)
    places = {name.casefold() for name in LAND.places}
    points = {name.casefold() for name in LAND.point_names}
    assert sum(len(one.places) for one in found) >= sum(token in places for token in tokens)
    assert sum(len(one.symbols) for one in found) >= sum(token in VOCABULARY.symbols for token in tokens)
    assert sum(len(one.points) for one in found) == sum(token in points for token in tokens)


@given(LINES)
def test_what_is_left_out_could_be_nothing_else(words: list[str]) -> None:
    """A card that a march gains is the only one that leads there, judged by playing each."""
    line = " ".join(words)
    for now in POSITIONS:
        known = view(now, 0)
        try:
            one, *_ = parse(line, LAND, NUMBERS)
            action, more = resolve(one, known)
        except ActionRefused:
            continue
        if more:
            leading = [card for card in legal(known) if leads(now, write(card, LAND), more[0])]
            assert leading == [action]
        if one.verb is None and action in {*legal(known)}:
            card = str(one.symbols[0])
            texts = [write(other, LAND) for other in legal(known)]
            assert [text for text in texts if card in text.split()] == [write(action, LAND)]


def leads(now: Position, card: str, march: Order) -> bool:
    for event in decide(now, 0, read(card, view(now, 0)), lambda cards: cards.kinds()[0]):
        now = evolve(now, event)
    marches = (write(one, LAND).split() for one in legal(view(now, 0)))
    names = {LAND.names[place] for place in march.places}
    for _, place, path in marches:
        points = path.split("-")
        ends = [str(point) for point in march.points][-1:]
        rest = iter(points)
        passed = all(str(point) in rest for point in march.points)
        if (not names or place in names) and passed and ends in ([], points[-1:]):
            return True
    return False


@pytest.mark.parametrize(
    "line",
    [
        "draw, " * 70,
        "march " + "C3 " * 130,
        "take " * 80,
        "1 " * 200,
        "lyre " + "and " * 95,
        "«" * 400,
        "#" * 400,
        ". " * 200 + "draw",
        "draw" + " thanks" * 55,
        "takeover " + "give " * 78,
        "haal " + "troy " * 78 + "terug",
        "x" * 100_000,
    ],
)
def test_a_hostile_line_takes_a_short_time(line: str) -> None:
    assert quickest(lambda: read_or_refused(line), 0.02) < 0.05
    assert len(read_or_refused(line)) < 1000


def test_an_ordinary_line_is_judged_quickly() -> None:
    lines = [
        "march Larissa A3-B4-C5",
        "Thanks for the game, see you tomorrow",
        "draw",
        "Walls left: 40 and 10",
    ]
    assert quickest(lambda: [read_or_refused(line) for line in lines * 250], 0.05) < 0.2


def read_or_refused(line: str) -> str:
    """What a line says, or why it cannot be read."""
    try:
        return said(line, NUMBERS)
    except Unreadable as refusal:
        return str(refusal)


def test_a_point_far_away_among_millions_of_paths_is_found_from_the_card_on() -> None:
    plain = board(*("." * 40 for _ in range(19)), "." * 39 + "h", start="A1")
    now = position(plain, phase="card", display="horse horse")
    known = view(now, 0)

    def work() -> None:
        (one,) = parse("march Ha", plain)
        resolve(one, known)

    assert quickest(work) < 1
