"""Lines as people write them: several actions, abbreviations, numbers; and what is refused on purpose."""

import re
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import Refusal, Unreadable
from engine.evolve import evolve
from engine.lines import begins
from engine.notation import read, resolve, steps, write
from engine.position import Position
from engine.reading import BARE, NO_NUMBERS, Said, parse, spelled
from engine.rules import decide, legal
from engine.views import view
from engine.words import COMMON, SMALL, SYMBOLS_READ, VERBS
from tests.bounded import quickest
from tests.engine.build import alexandros, board, position

LAND = alexandros()
NUMBERS = {"1": "C5", "2": "C3", "3": "occupy Memphis", "4": "choose lyre; march Larissa C5", "12": "end"}


def said(line: str, numbers: dict[str, str] | None = None) -> str:
    """The actions of a line in full words."""
    return "; ".join(spelled(one, LAND) for one in parse(line, LAND, numbers or NO_NUMBERS))


def why(line: str, numbers: dict[str, str] | None = None) -> str:
    """Why a line cannot be read."""
    with pytest.raises(Unreadable) as caught:
        parse(line, LAND, numbers or NO_NUMBERS)
    return str(caught.value)


def guesses(line: str) -> tuple[str, ...]:
    with pytest.raises(Unreadable) as caught:
        parse(line, LAND)
    return caught.value.did_you_mean


# --- several actions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("choose lyre, march Larissa C3, draw", "choose lyre; march Larissa C3; draw"),
        ("Choose lyre. March to Larissa, corner C3. Draw!", "choose lyre; march Larissa C3; draw"),
        ("lyre and march to Larissa then draw", "lyre; march Larissa; draw"),
        ("trek en neem harp", "draw; take lyre"),
        ("kies harp, dan marcheer Larissa C3 en daarna trek", "choose lyre; march Larissa C3; draw"),
        ("draw + take lyre", "draw; take lyre"),
        ("draw plus take lyre and then end turn", "draw; take lyre; end"),
        ("draw next stop", "draw; end"),
        ("choose lyre march Larissa C3", "choose lyre; march Larissa C3"),
        ("draw & draw", "draw; draw"),
        ("take lyre, take Troy back", "take lyre; recall Troy"),
        ("take Troy back and take lyre", "recall Troy; take lyre"),
        ("trek terug Troy", "recall Troy"),
        ("trek en terug Troy", "draw; recall Troy"),
        ("trek, terug Troy", "draw; recall Troy"),
        ("haal de stadhouder terug uit Troy, neem paard", "recall Troy; take horse"),
        (
            "neem Aegae en Larissa over geef paard en harp, trek",
            "takeover Aegae+Larissa give horse+lyre; draw",
        ),
        ("occupy Aegae, Larissa and Troy then levy lyre", "occupy Aegae+Larissa+Troy; levy lyre"),
        ("bezet Aegae plus Troy, hef harp", "occupy Aegae+Troy; levy lyre"),
        ("draw, thanks", "draw"),
        ("draw and end, thank you very much!", "draw; end"),
        ("trek, alvast bedankt", "draw"),
        ('"draw"', "draw"),
        ("\u2018choose lyre, draw\u2019", "choose lyre; draw"),
        ("„trek“", "draw"),
        ("«trek en stop»", "draw; end"),
    ],
)
def test_one_line_may_hold_several_actions(line: str, meant: str) -> None:
    assert said(line) == meant


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("draw or take lyre", "say which one of them you mean"),
        ("trek of neem harp", "say which one of them you mean"),
        ("choose lyre or horse", "say which one of them you mean"),
        ("lyre of harp", "say which one of them you mean"),
        ("march Larissa of C5", "say which one of them you mean"),
        ("marcheer C5 of Larissa", "say which one of them you mean"),
        ("occupy Troy or Aegae", "say which one of them you mean"),
        ("1 or 2", "“1” is an answer only on a line of its own: say it in words here"),
        ("1. choose lyre", "leave out the number before “choose”"),
        ("2) march Larissa C3", "leave out the number before “march”"),
        ("(3) draw", "leave out the number before “draw”"),
        ("march Larissa C3, 2. draw", "leave out the number before “draw”"),
        ("choose lyre 2 march Larissa", "leave out the number before “march”"),
        ("draw draw", "put a comma before “draw” if it is an action of its own"),
        ("ga naar Troy terug", "put a comma before “terug” if it is an action of its own"),
        ("march Larissa C3 and", "say what comes after “and”"),
        ("trek, dan", "say what comes after “dan”"),
        ("and draw", "“and” is no action"),
        ("then draw", "“then” is no action"),
        ("march A3 then B4", "“b4” is no action"),
        ("march Larissa, then Troy", "“troy” is no action"),
        ("neem een kaart terug Troy", "say recall and the place of the guard"),
        ("take, Troy", "say take and one symbol"),
        ("lyre horse", "say the card alone, or the card and the corner"),
        ("lyre Larissa", "say the card alone, or the card and the corner"),
        ("the lyre", "“the” is no action"),
        ("Stop!", "“!” is no word of an action"),
        ("trek en stop!", "“!” is no word of an action"),
        ("draw?", "“?” is no word of an action"),
        ("“draw”", "““draw”” is no word of an action"),
        ('"draw', '“"draw” is no word of an action'),
        ("draw not", "“not” is no place, point or symbol"),
        ("do not draw", "“do” is no action"),
        ("don't draw", "“don” is no action"),
        ("trek niet", "“niet” is no place, point or symbol"),
        ("if lyre draw", "“if” is no action"),
        ("draw unless stop", "“unless” is no place, point or symbol"),
        ("trek als klaar", "“als” is no place, point or symbol"),
        ("- draw", "“-” is no word of an action"),
        ("* draw", "“*” is no word of an action"),
        ("> draw", "“>” is no word of an action"),
        ("thanks", "“thanks” is no action"),
        ("march", "say march, a place, and the corner or the path"),
    ],
)
def test_what_is_refused_on_purpose(line: str, sentence: str) -> None:
    for numbers in (None, NUMBERS):
        assert why(line, numbers) == sentence


# --- abbreviations --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("l", "lyr"),
        ("lyr", "lyr"),
        ("hor", "hors"),
        ("l C5", "lyr; march C5"),
        ("L Larissa C5", "lyr; march Larissa C5"),
        ("c l", "choose lyre"),
        ("take l", "take lyre"),
        ("neem p", "take horse"),
        ("take ho", "take horse"),
        ("take ha", "take lyre"),
        ("m Larissa C3", "march Larissa C3"),
        ("m Lari C3", "march Larissa C3"),
        ("g C3", "march C3"),
        ("M Larissa C3", "march Larissa C3"),
        ("dr", "draw"),
        ("occ Mem", "occupy Memphis"),
        ("bez Mem+Tro", "occupy Memphis+Troy"),
        ("vero Aeg geef ho+l", "takeover Aegae give horse+lyre"),
        ("l, m Lari C3, dr", "lyr; march Larissa C3; draw"),
        ("dr, r Troy", "draw; recall Troy"),
        ("march Gaza C3", "march Gaza C3"),
    ],
)
def test_an_abbreviation_that_can_mean_one_thing_is_read(line: str, meant: str) -> None:
    assert said(line) == meant


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("h", {"horse", "harp", "haal", "hef"}),
        ("take h", {"horse", "harp"}),
        ("take s", {"soldier", "stadhuis"}),
        ("s C3", {"stay", "speel", "stop", "soldier", "stadhuis"}),
        ("levy t", {"temple", "taxes"}),
        ("neem k", {"kruik", "kaart", "kaarten"}),
        ("march Gaz C3", {"Gaza", "Gazaca"}),
        ("march Art C3", set()),
        ("march Ale C3", set()),
        ("occupy Troy, dra", {"draw", "Drapsaca"}),
        ("draw, ta", set()),
        ("do", set()),
        ("klaa", {"klaar"}),
        ("go Alexa", {"alexander", "Alexandria"}),
    ],
)
def test_one_that_can_mean_several_is_asked(line: str, named: set[str]) -> None:
    assert set(guesses(line)) <= named | ({*guesses(line)} if not named else set())
    assert len(guesses(line)) >= min(2, len(named))


@pytest.mark.parametrize("line", "L|L.|l.|M. Larissa|R. Troy|r. troy|T|A. C. Gaza|dr Troy".split("|"))
def test_an_initial_is_no_abbreviation(line: str) -> None:
    assert why(line, NUMBERS)


def test_everyday_words_abbreviate_nothing() -> None:
    assert not COMMON & {*VERBS, *SYMBOLS_READ, *SMALL}
    for word in COMMON:
        lines = [word, f"draw, {word}", f"{word} horse", f"{word} Troy", f"{word} Larissa C3"]
        lines += [f"{verb} {word}" for verb in VERBS]
        for line in lines:
            with pytest.raises(Unreadable):
                parse(line, LAND, NUMBERS)


# --- numbers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    """
    1 | #1 | 1. | 1) | 1! | nr 1 | Nr. 1 | no. 1 | number 1 | nummer 1 | option 1 | keuze 1 | corner 1
    | hoek 1 | 1, please | 1 thanks | march 1 | march to corner 1 | ga naar hoek 1
    | m 1 | march nr 1 | march #1
    """.split("|"),
)
def test_a_number_stands_for_a_corner(line: str) -> None:
    assert said(line.strip(), NUMBERS) == "march C5"
    with pytest.raises(Unreadable):
        parse(line.strip(), LAND)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("march Larissa 1", "march Larissa C5"),
        ("march to corner 1 of Larissa", "march Larissa C5"),
        ("march via 2 to 1", "march C3-C5"),
        ("march 1, draw", "march C5; draw"),
        ("lyre 1", "lyre; march C5"),
        ("l 2 and draw", "lyr; march C3; draw"),
        ("3", "occupy Memphis"),
        ("4", "choose lyre; march Larissa C5"),
        ("#12", "end"),
    ],
)
def test_a_number_stands_for_orders_or_in_a_march_for_a_point(line: str, meant: str) -> None:
    assert said(line, NUMBERS) == meant


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("5", "“5” stands for nothing here: say it in words"),
        ("march 5", "“5” stands for nothing here: say it in words"),
        ("01", "“01” stands for nothing here: say it in words"),
        ("march 3", "“3” is an answer only on a line of its own: say it in words here"),
        ("draw 1", "“1” is an answer only on a line of its own: say it in words here"),
        ("1 2", "“1” is an answer only on a line of its own: say it in words here"),
        ("1, draw", "leave out the number before “draw”"),
        ("march 1 draw", "leave out the number before “draw”"),
        ("march 1. draw", "leave out the number before “draw”"),
        ("no 1", "“1” is an answer only on a line of its own: say it in words here"),
        ("nr", "“nr” is no action"),
        ("corner C5", "“corner” is no action"),
        ("1st", "“1st” is no word of an action"),
        ("march 1st", "“1st” is no word of an action"),
        ("-1", "“-1” is no word of an action"),
        ("1%", "“%” is no word of an action"),
    ],
)
def test_any_other_number_is_refused(line: str, sentence: str) -> None:
    assert why(line, NUMBERS) == sentence


# --- did you mean ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("take harpe and draww", ("draw",)),
        ("neem sodaat", ("soldaat",)),
        ("bezet Larisa", ("Larissa",)),
        ("kis paard", ("kies",)),
        ("marsh Larissa", ("march",)),
    ],
)
def test_guesses_are_in_the_language_of_the_line(line: str, words: tuple[str, ...]) -> None:
    assert set(words) <= set(guesses(line))


# --- laws -----------------------------------------------------------------------------------------------

KINDS = st.sampled_from(sorted({*VERBS.values(), BARE}))
CARDS = st.lists(st.sampled_from(sorted(set(SYMBOLS_READ.values()))), max_size=3).map(tuple)
PLACES = st.lists(st.sampled_from(sorted(LAND.symbols & LAND.names.keys())), max_size=3).map(tuple)
POINTS = st.lists(st.sampled_from(sorted(LAND.steps)), max_size=4).map(tuple)


@given(st.builds(Said, KINDS, CARDS, PLACES, POINTS, st.booleans()))
def test_what_is_spelled_is_read_as_it_was_said(one: Said) -> None:
    try:
        found = parse(spelled(one, LAND), LAND)
    except Unreadable:
        return  # nobody can say that
    if (one.verb == BARE) == (len(one.symbols) == 1 and not one.places and not one.points):
        assert found == (one if one.verb == BARE else Said(one.verb, one.symbols, one.places, one.points),)


LINES = st.lists(
    st.sampled_from(
        [*VERBS, *SYMBOLS_READ, *SMALL, *islice(LAND.places, 40), *"A3 B4 C3 C5 D4 1 2 3 7".split()]
    )
    | st.sampled_from(
        "and then en dan or of , . + - ! back terug over geef give nr # take march lyre l".split()
    )
    | st.text(max_size=4),
    max_size=8,
)
POSITIONS = (
    position(LAND, phase="card", hands=("soldier", ""), display="horse lyre"),
    position(LAND, phase="march", chosen="lyre"),
    position(LAND, hands=("horse lyre", ""), guards=("Troy",)),
)


@given(LINES, st.lists(st.integers(1, 9), max_size=8))
def test_all_that_is_read_was_written(words: list[str], lengths: list[int]) -> None:
    """Whole, as an abbreviation of nothing else, or as a number; and an action for each that is read."""
    cut = [word[:length] for word, length in zip(words, lengths, strict=False)]
    line = " ".join((*cut, *words[len(cut) :]))
    try:
        found = parse(line, LAND, NUMBERS)
    except Unreadable:
        return
    tokens = re.findall(r"#?[0-9]+|[A-Za-zÉé]+[0-9]*", line.casefold())
    numbers = {NUMBERS[token.lstrip("#")] for token in tokens if token.lstrip("#") in NUMBERS}
    orders = [one for order in numbers - LAND.point_names.keys() for one in parse_all(order)]
    if [*found] == orders:
        return
    for one in found:
        for card in one.symbols:
            assert any(meanings(token, SYMBOLS_READ, 1) == {card} for token in tokens)
        for place in one.places:
            names = {name.casefold(): space for name, space in LAND.places.items()}
            assert any(meanings(token, names, 3) == {place} for token in tokens)
        for point in map(str, one.points):
            assert point.casefold() in tokens or point in numbers
    assert len(found) <= len(tokens)
    places = {name.casefold() for name in LAND.places}
    points = {name.casefold() for name in LAND.point_names}
    assert sum(len(one.places) for one in found) >= sum(token in places for token in tokens)
    assert sum(len(one.symbols) for one in found) >= sum(token in SYMBOLS_READ for token in tokens)
    named = [token for token in tokens if token in points or token.lstrip("#") in NUMBERS]
    assert sum(len(one.points) for one in found) == len(named)


def parse_all(orders: str) -> list[Said]:
    return [one for order in orders.split(";") for one in parse(order, LAND)]


def meanings(token: str, words: dict[str, object], least: int) -> set[object]:
    """All that a token can be or abbreviate."""
    if token in words:
        return {words[token]}
    return {meaning for word, meaning in words.items() if word.startswith(token) and len(token) >= least}


@given(LINES)
def test_what_is_left_out_could_be_nothing_else(words: list[str]) -> None:
    """A card that a march gains is the only one that leads there, judged by playing each."""
    line = " ".join(words)
    for now in POSITIONS:
        known = view(now, 0)
        try:
            one, *_ = parse(line, LAND, NUMBERS)
            first, *more = steps(one, known)
            action = resolve(first, known)
        except Refusal:
            continue
        if more:
            leading = [card for card in legal(known) if leads(now, write(card, LAND), more[0])]
            assert leading == [action]
        if one.verb == BARE and action in {*legal(known)}:
            card = str(one.symbols[0])
            assert [write(other, LAND) for other in legal(known) if card in write(other, LAND).split()] == [
                write(action, LAND)
            ]


def leads(now: Position, card: str, march: Said) -> bool:
    """Whether some legal march fits after a card."""
    for event in decide(now, 0, read(card, view(now, 0)), lambda cards: cards.kinds()[0]):
        now = evolve(now, event)
    marches = (write(one, LAND).split() for one in legal(view(now, 0)))
    names = {LAND.names[place] for place in march.places}
    for _, place, path in marches:
        points = path.split("-")
        wanted = [str(point) for point in march.points]
        rest = iter(points)
        passed = all(point in rest for point in wanted)
        if (not names or place in names) and passed and (not wanted or wanted[-1] == points[-1]):
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
        steps(one, known)

    assert quickest(work) < 1


def test_begins_tells_what_may_be_an_order_by_its_first_word() -> None:
    for line in ("draw", "Lyre", "l", "dr", "3", "nr 3", "Marche", "trek je niets aan"):
        assert begins(line), line
    for line in ("Anna", "L", "L. Smith", "so", "nr", "hello", "- draw", "", "Ben"):
        assert not begins(line), line
