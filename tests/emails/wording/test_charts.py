"""The course of a game as it is worked out, drawn in charts and told in words."""

import re
from io import BytesIO
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from PIL import Image

from emails.picture import palette
from emails.picture.png import render_png
from emails.wording.review_text import (
    FOOT,
    LEFT,
    LINE_GAP,
    RIGHT,
    SEAT_DASHES,
    TOP,
    BestLevy,
    GameStatistics,
    LongestMarch,
    ScoreSummary,
    compile_statistics,
    describe_scores,
    draw_chance_chart,
    draw_score_chart,
    summarize_scores,
)
from engine.board import Point
from engine.bots.reviews import Review, ReviewedTurn, Verdict
from engine.cards import EMPTY, Symbol
from engine.events import (
    AlexanderMarched,
    CardDrawn,
    Event,
    GameEnded,
    GameStarted,
    TaxesLevied,
    TurnEnded,
)
from engine.position import veil_event
from tests.emails.positions import BOARD, NAMES, NASTY_NAMES, opening, played
from tests.emails.stored_games import positions, stored

STORED = ("two-players", "three-players", "walls", "points", "points-dutch", "shortage")


def heard(log: tuple[Event, ...] | list[Event]) -> GameStatistics:
    """As a spectator hears it."""
    return compile_statistics([veil_event(event, None) for event in log])


@pytest.mark.parametrize("name", STORED)
def test_the_points_are_those_of_the_positions(name: str) -> None:
    found, ended = heard(stored(name)).scores, positions(name)
    turns = [
        position.table.scores
        for event, position in zip(stored(name), ended, strict=True)
        if isinstance(event, TurnEnded | GameEnded)
    ]
    assert list(found) == turns
    assert len(found) == ended[-1].table.turn
    assert found[-1] == ended[-1].table.scores


@pytest.mark.parametrize("name", STORED)
def test_no_march_was_longer_and_no_levy_better(name: str) -> None:
    found = heard(stored(name))
    before = dict(zip(map(id, stored(name)[1:]), positions(name), strict=False))
    marches = [event for event in stored(name) if isinstance(event, AlexanderMarched)]
    levies = [event for event in stored(name) if isinstance(event, TaxesLevied)]
    assert found.longest is not None
    first = next(march for march in marches if len(march.path) - 1 == found.longest.sides)
    assert found.longest.sides == max(len(march.path) - 1 for march in marches)
    assert found.longest == LongestMarch(
        first.seat, before[id(first)].table.turn, first.path, len(first.path) - 1, len(first.walls)
    )
    best = max(levy.gains[levy.seat] for levy in levies)
    if best:
        good = next(levy for levy in levies if levy.gains[levy.seat] == best)
        assert found.best == BestLevy(good.seat, before[id(good)].table.turn, good.card, best)
    else:
        assert found.best is None


def test_a_short_game_by_hand() -> None:
    a, b, c = (BOARD.point_names[name] for name in ("C9", "D10", "D12"))

    def march(seat: int, *path: Point) -> AlexanderMarched:
        return AlexanderMarched(seat, BOARD.places["Troy"], path, (), 0)

    game: list[Event] = [
        opening(NAMES[:2]),
        march(0, a, b),
        TaxesLevied(0, Symbol.HORSE, (2, 7)),
        CardDrawn(0, Symbol.LYRE),
        TurnEnded(0),
        march(1, b, c, b),
        TaxesLevied(1, Symbol.LYRE, (0, 5)),
        TurnEnded(1),
        march(0, b, c, b),
        TaxesLevied(0, Symbol.LYRE, (5, 9)),
        GameEnded("points", (1,)),
    ]
    assert heard(game) == GameStatistics(
        scores=((2, 7), (2, 12), (7, 21)),
        longest=LongestMarch(1, 2, (b, c, b), 2, 0),
        best=BestLevy(1, 2, Symbol.LYRE, 5),
    )
    assert heard(game[:-1]).scores == ((2, 7), (2, 12)), "the turn that goes on is not told"


def test_a_game_in_which_nothing_happened() -> None:
    assert heard([opening(NAMES)]) == GameStatistics((), None, None)
    assert heard([opening(NAMES), TurnEnded(0)]) == GameStatistics(((0, 0, 0, 0),), None, None)
    zero = TaxesLevied(0, Symbol.HORSE, (0, 4))
    assert heard([opening(NAMES[:2]), zero, TurnEnded(0)]) == GameStatistics(((0, 4),), None, None)


def test_any_reader_makes_the_same_record() -> None:
    log = played(NAMES, 7)[1]
    one = heard(log)
    assert all(compile_statistics([veil_event(event, seat) for event in log]) == one for seat in range(4))
    assert compile_statistics(log) == one
    assert all(all(was <= now for was, now in zip(*turns, strict=True)) for turns in pairwise(one.scores))


def test_a_record_needs_the_whole_game() -> None:
    bare = GameStarted("Alexandros", "rio-grande", NAMES, (EMPTY,) * 4, EMPTY)
    for events in ([], [TurnEnded(0)], [TurnEnded(0), bare]):
        with pytest.raises(ValueError, match="whole game"):
            compile_statistics(events)


SVG = "{http://www.w3.org/2000/svg}"
MOST = 15_000
"""Bytes of the PNG of a chart."""
STAIRS = GameStatistics(
    tuple((min(99, turn // 6), min(95, turn // 7), turn // 40, 0) for turn in range(1, 620))
)
RACE = GameStatistics(tuple((turn, turn, turn, turn) for turn in range(1, 100)))
LINE = "Turn %(turn)s: %(points)s"


def of(name: str) -> GameStatistics:
    return compile_statistics([veil_event(event, None) for event in stored(name)])


GAMES = {
    "walls": (of("walls"), NAMES, 100),
    "points-dutch": (of("points-dutch"), NAMES, 101),
    "two": (of("shortage"), NAMES[:2], 101),
    "chance": (compile_statistics(played(NAMES, 7)[1]), NAMES, 100),
    "hundreds of turns": (STAIRS, NAMES, 100),
    "neck and neck": (RACE, NAMES, 100),
    "nasty names": (STAIRS, NASTY_NAMES, 100),
    "one turn": (GameStatistics(((3, 0),)), NAMES[:2], 100),
    "no turn": (GameStatistics(()), NAMES[:3], 100),
}


def drawn(name: str) -> str:
    found, names, winning = GAMES[name]
    return draw_score_chart(found, names, winning, "turns", "points")


def root_of(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def lines(root: ElementTree.Element) -> dict[int, ElementTree.Element]:
    """The line of each seat."""
    return {int(str(one.get("data-seat"))): one for one in root.iter(f"{SVG}path") if one.get("data-seat")}


@pytest.mark.parametrize("name", GAMES)
def test_a_chart_is_a_plain_document_and_small_as_png(name: str) -> None:
    root = root_of(drawn(name))
    assert {one.tag.removeprefix(SVG) for one in root.iter()} <= set("svg g path circle rect text".split())
    assert not [key for one in root.iter() for key, _ in one.items() if key.startswith("on")]
    assert len(drawn(name)) < 20_000
    picture = render_png(drawn(name))
    assert len(picture) <= MOST
    assert picture == render_png(drawn(name))
    with Image.open(BytesIO(picture)) as image:
        assert image.size == (912, 390)


@pytest.mark.parametrize("name", GAMES)
def test_each_seat_has_a_line_of_its_own_kind_and_its_name_at_the_end(name: str) -> None:
    found, names, _ = GAMES[name]
    root = root_of(drawn(name))
    kinds = lines(root)
    assert sorted(kinds) == list(range(len(names)))
    for seat, line in kinds.items():
        assert line.get("stroke") == palette.SEAT_COLOURS[seat]
        assert line.get("stroke-dasharray", "") == SEAT_DASHES[seat]
        assert str(line.get("d")).startswith(f"M{LEFT} ")
        assert str(line.get("d")).endswith(f"H{RIGHT}")
    ends = root.find(f".//{SVG}g[@class='ends']")
    assert ends is not None
    said = [str(list(group)[-1].text) for group in ends.findall(f"{SVG}g")]
    last = found.scores[-1] if found.scores else (0,) * len(names)
    assert sorted(int(words.split()[-1]) for words in said) == sorted(last)
    if names == NAMES:
        assert sorted(said) == sorted(f"{one} {points}" for one, points in zip(names, last, strict=True))


@pytest.mark.parametrize("name", GAMES)
def test_names_at_the_ends_do_not_overlap(name: str) -> None:
    places = [float(y) for y in re.findall(r'<g transform="translate\(454 ([\d.]+)\)"', drawn(name))]
    assert len(places) == len(GAMES[name][1])
    assert all(later - sooner >= 31 - 0.2 for sooner, later in pairwise(places))
    assert all(TOP - 10 <= place <= FOOT + 4 for place in places)


def test_names_at_the_ends_are_not_cut_to_the_same_text() -> None:
    for names in (("House 1", "House 2"), ("Alexandra the first", "Alexandra the second")):
        chart = draw_score_chart(GameStatistics(((104, 100),)), names, 100, "turns", "points")
        said = re.findall(r'<text x="17" y="7">(.+?) \d+</text>', chart)
        assert len(set(said)) == 2
        assert all(one.startswith(names[0][0]) for one in said)


def test_lines_that_lie_on_each_other_run_side_by_side() -> None:
    starts = sorted(
        float(str(line.get("d")).split("H")[0].split()[1]) for line in lines(root_of(drawn("walls"))).values()
    )
    assert min(later - sooner for sooner, later in pairwise(starts)) >= 4


def test_a_line_is_above_the_winning_score_only_when_it_is_reached() -> None:
    names, winning = NAMES[:2], 100
    for points in (99, 100, 101):
        found = GameStatistics(((0, 0), (points, 99)))
        root = root_of(draw_score_chart(found, names, winning, "turns", "points"))
        goal = root.find(f".//{SVG}path[@class='winning']")
        assert goal is not None
        height = float(str(goal.get("d")).split()[1].split("H")[0])
        end = float(re.findall(r"V([\d.]+)", str(lines(root)[0].get("d")))[-1])
        assert (end <= height) == (points >= winning)


def test_the_winning_score_is_a_line_that_is_broken_off_where_nobody_came_near() -> None:
    for name, far in (
        ("walls", True),
        ("points-dutch", False),
        ("hundreds of turns", False),
        ("no turn", True),
    ):
        root = root_of(drawn(name))
        assert root.find(f".//{SVG}path[@class='winning']") is not None
        assert (root.find(f".//{SVG}path[@class='break']") is not None) == far
        assert str(GAMES[name][2]) in [one.text for one in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", GAMES)
def test_numbers_at_the_axes_do_not_overlap(name: str) -> None:
    axes = [
        (float(str(one.get("x"))), float(str(one.get("y"))), str(one.text))
        for one in root_of(drawn(name)).iter(f"{SVG}text")
        if one.get("x") and str(one.text).isdigit()
    ]
    heights = sorted(y for x, y, _ in axes if x < LEFT)
    assert all(later - sooner > 16 for sooner, later in pairwise(heights))
    across = sorted((x, words) for x, y, words in axes if y > FOOT + 20)
    assert all(later[0] - sooner[0] > 10 * len(later[1]) for sooner, later in pairwise(across))
    assert len(across) <= 8


def test_no_word_stands_on_a_chart_but_those_it_was_given() -> None:
    found, names, winning = GAMES["walls"]
    words = {
        str(one.text)
        for one in root_of(draw_score_chart(found, names, winning, "<beurt>", "punten & co")).iter(
            f"{SVG}text"
        )
    }
    own = {word for said in words for word in said.split() if not word.isdigit()}
    assert own == {*names, *(name[0] for name in names), "<beurt>", "punten", "&", "co"}


def test_what_is_written_is_large_enough_for_a_telephone() -> None:
    assert min(float(size) for size in re.findall(r'font-size="([\d.]+)"', drawn("walls"))) * 320 / 608 >= 7


# --- in words -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_the_text_tells_some_turns_and_always_the_last(name: str) -> None:
    found, names, _ = GAMES[name]
    text = describe_scores(found, names, LINE)
    assert all(len(line) <= 78 for line in text.splitlines())
    told_turns = [int(turn) for turn in re.findall(r"^Turn (\d+):", text, re.MULTILINE)]
    assert told_turns == sorted(set(told_turns))
    assert len(told_turns) <= 12
    assert told_turns[-1:] == [len(found.scores)][: len(found.scores)]
    if names == NAMES:
        for turn in told_turns:
            points = zip(names, found.scores[turn - 1], strict=True)
            line = f"Turn {turn}: " + ", ".join(f"{name} {score}" for name, score in points)
            assert line in text.splitlines()


def test_a_line_that_is_too_long_is_broken_between_players() -> None:
    names = (
        "Anna of Alexandria on the Nile",
        "Ben of Byblus by the sea coast",
        "Cleo of Corinth at the gulf",
    )
    text = describe_scores(GameStatistics(((1, 2, 3),)), names, "Na beurt %(turn)s: %(points)s.")
    assert text.splitlines() == [
        "Na beurt 1: Anna of Alexandria on the Nile 1,",
        "  Ben of Byblus by the sea coast 2, Cleo of Corinth at the gulf 3.",
    ]


def test_what_the_chart_comes_to() -> None:
    assert summarize_scores(GameStatistics(())) is None
    assert summarize_scores(GameStatistics(((0, 0), (3, 0), (3, 4), (5, 9)))) == ScoreSummary(
        4, ((1, 9), (0, 5)), (1,), 3
    )
    assert summarize_scores(GameStatistics(((2, 1), (2, 2)))) == ScoreSummary(2, ((0, 2), (1, 2)), (0, 1), 2)
    assert summarize_scores(GameStatistics(((0, 1), (0, 1)))) == ScoreSummary(2, ((1, 1), (0, 0)), (1,), 1)
    found = summarize_scores(GAMES["points-dutch"][0])
    assert found is not None
    assert found.leaders == (3,)
    assert found.standing[0] == (3, 114)


def review_of(*course: tuple[float, ...]) -> Review:
    """A review in which the chances went so, from before the first turn on."""
    turns = enumerate(course[1:], 1)
    return Review(course[0], tuple(ReviewedTurn(Verdict(turn, 0, (), (), 0.0), now) for turn, now in turns))


REVIEWS = {
    "three": (review_of((0.3, 0.3, 0.4), (0.2, 0.5, 0.3), (0.0, 1.0, 0.0)), NAMES[:3]),
    "two": (review_of(*((turn / 99, 1 - turn / 99) for turn in range(100))), NAMES[:2]),
    "four alike": (review_of(*((0.25,) * 4 for _ in range(9))), NASTY_NAMES),
    "no turn": (review_of((0.5, 0.5)), NAMES[:2]),
}


def drawn_chances(name: str) -> str:
    review, names = REVIEWS[name]
    return draw_chance_chart(review, names, "turns", "chances")


@pytest.mark.parametrize("name", REVIEWS)
def test_each_seat_has_a_line_of_its_own_kind_within_the_frame(name: str) -> None:
    review, names = REVIEWS[name]
    found = lines(root_of(drawn_chances(name)))
    assert sorted(found) == list(range(len(names)))
    for seat, line in found.items():
        assert line.get("stroke") == palette.SEAT_COLOURS[seat]
        assert line.get("stroke-dasharray", "") == SEAT_DASHES[seat]
        spots = [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", str(line.get("d")))]
        assert (spots[0][0], spots[-1][0]) == (LEFT, RIGHT)
        assert len(spots) == max(2, len(review.turns) + 1)
        assert all(TOP - 2 * LINE_GAP <= y <= FOOT + 2 * LINE_GAP for _, y in spots)


@pytest.mark.parametrize("name", REVIEWS)
def test_it_is_a_plain_document_with_the_names(name: str) -> None:
    root = root_of(drawn_chances(name))
    assert {one.tag.removeprefix(SVG) for one in root.iter()} <= set("svg g path circle rect text".split())
    assert render_png(drawn_chances(name))
    ends: ElementTree.Element | None = root.find(f".//{SVG}g[@class='ends']")
    assert ends is not None
    said = [str(list(group)[-1].text) for group in ends.findall(f"{SVG}g")]
    assert len(said) == len(REVIEWS[name][1])
    if name != "four alike":
        assert sorted(said) == sorted(REVIEWS[name][1])


def test_who_wins_stands_at_the_top() -> None:
    said = re.findall(r'<text x="17" y="7">(\w+)</text>', drawn_chances("three"))
    assert said[0] == NAMES[1]
