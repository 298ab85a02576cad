"""What is told of a game and drawn of its course comes true when it is replayed, and no line is an order."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from emails.letters.renderer import AS_TEXT
from emails.picture import palette
from emails.picture.letter_picture import render_png
from emails.wording import review_text
from emails.wording.review_text import GameStatistics
from engine.board import Point
from engine.bots import reviews
from engine.cards import EMPTY, Symbol
from engine.events import (
    AlexanderMarched,
    CardDrawn,
    CardOpened,
    Event,
    GameEnded,
    GameStarted,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
)
from engine.position import Position, View, veil_event, view
from engine.provinces import province_at
from engine.rules import play_out
from tests.breadth import first
from tests.emails.picture.test_board_picture import SVG, size
from tests.emails.positions import BOARD, NAMES, NASTY_NAMES, opening, played, stored_game
from tests.spoken import looks_like_order

STORED = ("three-players", "two-players", "points", "points-dutch", "walls")


def steps(name: str) -> list[tuple[Position, Event]]:
    return list(zip(stored_game(name).positions, stored_game(name).events[1:], strict=False))


def found(name: str) -> list[reviews.Harvest]:
    return list(reviews.harvests(steps(name)))


def known(name: str, seat: int | None = 0) -> View:
    return view(stored_game(name).positions[-1], seat)


def ends(name: str) -> list[Position]:
    told = zip(stored_game(name).events[1:], stored_game(name).positions[1:], strict=True)
    return [after for event, after in told if isinstance(event, TurnEnded | GameEnded)]


def review_of(name: str) -> reviews.Review:
    """The chances that were so, and of each turn that another was better, by as many points as its number."""
    turns = list(reviews.played_turns(steps(name)))
    verdicts = [
        reviews.Verdict(number, turn.known.my_seat, turn.actions, turns[number - 2].actions, float(number))
        for number, turn in enumerate(turns, 1)
    ]
    judged = zip(verdicts, map(reviews.chances, ends(name)), strict=True)
    reviewed = tuple(reviews.ReviewedTurn(*one) for one in judged)
    return reviews.Review(reviews.chances(stored_game(name).positions[0]), reviewed)


def scored(name: str, seat: int) -> Counter[str]:
    """The points that each guard of a seat brought, worked out from the provinces at each levy."""
    brought = Counter[str]()
    for now, event in steps(name):
        if isinstance(event, TaxesLevied):
            for place in now.table.guards[seat]:
                province = province_at(now.table, place)
                if len(province.guards) == 1:
                    brought[BOARD.names[place]] += province.value
    return +brought


@pytest.mark.parametrize("name", STORED)
def test_where_points_came_from_is_where_they_were_scored(name: str) -> None:
    for seat, score in enumerate(stored_game(name).positions[-1].table.scores):
        line = review_text.describe_origins(found(name), seat, known(name, None))
        brought = scored(name, seat)
        told = {place: int(value) for value, place in re.findall(r"(\d+) with the guard on (\w+)", line)}
        assert told == {place: brought[place] for place in told}
        assert len(told) == min(review_text.MOST_PLACES, len(brought))
        assert sum(map(int, re.findall(r"\d+", line))) == score == brought.total()
        assert not any(value > min(told.values()) for place, value in brought.items() if place not in told)


@pytest.mark.parametrize("name", STORED)
def test_each_levy_is_told_as_it_scored(name: str) -> None:
    for now, event in steps(name):
        if isinstance(event, TaxesLevied) and any(event.gains):
            harvests = [one for one in found(name) if one.turn == now.table.turn]
            line = review_text.describe_levy(harvests, known(name, None))
            for seat, gain in enumerate(event.gains):
                assert (f"{now.table.names[seat]} +{gain} (" in line) == (gain > 0)


@pytest.mark.parametrize("name", STORED)
def test_the_swing_is_the_largest_rise_of_the_chances(name: str) -> None:
    swing = reviews.largest_swing(review_of(name))
    assert swing is not None
    course = [reviews.chances(now) for now in (stored_game(name).positions[0], *ends(name))]
    rises = [now[seat] - was[seat] for was, now in pairwise(course[:-1]) for seat in range(len(was))]
    assert swing.after - swing.before >= max(rises)
    turns = (swing.turn - 1, swing.turn)
    before, after = (review_text.format_chance(course[turn][swing.seat]) for turn in turns)
    line = review_text.describe_swing(swing, known(name, None))
    assert line.startswith(f"Turn {swing.turn} changed ")
    assert line.endswith(f"a chance of {before} to win before it, and of {after} after it.")


def test_each_reader_hears_of_the_winner_the_swing_and_their_own_dearest_turn() -> None:
    name, review = STORED[0], review_of(STORED[0])
    for seat in range(3):
        reader = known(name, seat)
        own = max(one.verdict.turn for one in review.turns if one.verdict.seat == seat)
        lines = review_text.summarize_review(review, found(name), reader)
        assert len(lines) == 3
        assert lines[0].startswith("Your points:") == (reader.table.winners == (seat,))
        better = f", about {own} points. Better" if own <= review_text.MOST_POINTS else ". Much better"
        assert f"The turn that cost you most: turn {own}{better}, the judge thinks: " in lines[2]


def test_who_played_best_has_no_dearest_turn() -> None:
    reader = known(STORED[0])
    verdict = reviews.Verdict(1, 0, (), (), 0.4)
    review = reviews.Review((0.3, 0.3, 0.4), (reviews.ReviewedTurn(verdict, (0.3, 0.3, 0.4)),))
    assert len(review_text.summarize_review(review, found(STORED[0]), reader)) == 1
    assert review_text.round_cost(verdict) == 0
    assert review_text.describe_cost(verdict, BOARD) == "The judge had no time for it."


def everything(name: str) -> Iterator[str]:
    review = review_of(name)
    for seat in (None, 0, 1):
        reader = known(name, seat)
        yield from review_text.summarize_review(review, found(name), reader)
        for one in review.turns:
            yield review_text.describe_costliest(one.verdict, BOARD)
            swing = reviews.Swing(one.verdict.turn, one.verdict.seat, 0.2, 0.3)
            yield review_text.describe_swing(swing, reader)


@pytest.mark.parametrize("name", first(1, STORED))
def test_no_line_of_it_can_be_read_as_an_order(name: str, language: str) -> None:
    fold = AS_TEXT.filters["item"]
    for sentence in everything(name):
        assert not looks_like_order(sentence)
        assert not [line for line in fold(sentence).splitlines() if looks_like_order(line.strip())]


@pytest.mark.long
@pytest.mark.parametrize("name", STORED)
def test_what_would_have_been_better_can_be_played_and_the_judge_says_so_again(name: str) -> None:
    deeds = [now for now, event in steps(name) if not isinstance(event, CardOpened | SupplyRenewed)]
    begins = {now.table.turn: now for now in reversed(deeds)}
    for turn in reviews.played_turns(steps(name)):
        verdict = reviews.review_turn(turn)
        assert verdict == reviews.review_turn(turn)
        now = begins[verdict.turn]
        better = verdict.best if verdict.cost else ()  # what was played may rest on a card that was drawn
        for action in better:
            if now.table.turn != verdict.turn or now.table.over:
                break
            _, now = play_out(now, verdict.seat, action, lambda bag: next(iter(bag)))


# --- the course of a game, in charts and in words --------------------------------------------------------


def heard(log: tuple[Event, ...] | list[Event]) -> GameStatistics:
    return review_text.compile_statistics([veil_event(event, None) for event in log])


@pytest.mark.parametrize("name", [*STORED, "shortage"])
def test_the_points_are_those_of_the_positions(name: str) -> None:
    found, last = heard(stored_game(name).events).scores, stored_game(name).positions[-1].table
    assert list(found) == [now.table.scores for now in ends(name)]
    assert (len(found), found[-1]) == (last.turn, last.scores)


@pytest.mark.parametrize("name", [*STORED, "shortage"])
def test_no_march_was_longer_and_no_levy_better(name: str) -> None:
    found = heard(stored_game(name).events)
    turns = [(now.table.turn, event) for now, event in steps(name)]
    marches = [(turn, one) for turn, one in turns if isinstance(one, AlexanderMarched)]
    levies = [(turn, one) for turn, one in turns if isinstance(one, TaxesLevied) and one.gains[one.seat]]
    assert found.longest == max(marches, key=lambda one: len(one[1].path))
    assert found.best == max(levies, key=lambda one: one[1].gains[one[1].seat], default=None)


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
        longest=(2, march(1, b, c, b)),
        best=(2, TaxesLevied(1, Symbol.LYRE, (0, 5))),
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
    for seat in range(4):
        assert review_text.compile_statistics([veil_event(event, seat) for event in log]) == one
    assert review_text.compile_statistics(log) == one
    assert all(all(was <= now for was, now in zip(*turns, strict=True)) for turns in pairwise(one.scores))


def test_a_record_needs_the_whole_game() -> None:
    bare = GameStarted("Alexandros", "rio-grande", NAMES, (EMPTY,) * 4, EMPTY)
    for events in ([], [TurnEnded(0)], [TurnEnded(0), bare]):
        with pytest.raises(ValueError, match="all events of a game"):
            review_text.compile_statistics(events)


MOST = 15_000
STAIRS = GameStatistics(
    tuple((min(99, turn // 6), min(95, turn // 7), turn // 40, 0) for turn in range(1, 620))
)
RACE = GameStatistics(tuple((turn, turn, turn, turn) for turn in range(1, 100)))
LINE = "Turn %(turn)s: %(points)s"


GAMES = {
    "walls": (heard(stored_game("walls").events), NAMES, 100),
    "points-dutch": (heard(stored_game("points-dutch").events), NAMES, 101),
    "two": (heard(stored_game("shortage").events), NAMES[:2], 101),
    "chance": (review_text.compile_statistics(played(NAMES, 7)[1]), NAMES, 100),
    "hundreds of turns": (STAIRS, NAMES, 100),
    "neck and neck": (RACE, NAMES, 100),
    "nasty names": (STAIRS, NASTY_NAMES, 100),
    "one turn": (GameStatistics(((3, 0),)), NAMES[:2], 100),
    "no turn": (GameStatistics(()), NAMES[:3], 100),
}


def draw(found: GameStatistics, names: Sequence[str], winning: int = 100) -> str:
    return review_text.draw_score_chart(found, names, winning, "turns", "points")


def drawn(name: str) -> str:
    return draw(*GAMES[name])


def lines(root: ElementTree.Element) -> dict[int, ElementTree.Element]:
    return {int(str(one.get("data-seat"))): one for one in root.iter(f"{SVG}path") if one.get("data-seat")}


def check_chart(svg: str, seats: int) -> tuple[list[str], list[str]]:
    """Make sure that each seat has a line of its own kind; the lines, and the words at their ends."""
    root = ElementTree.fromstring(svg)
    assert {one.tag.removeprefix(SVG) for one in root.iter()} <= set("svg g path circle rect text".split())
    assert not [key for one in root.iter() for key, _ in one.items() if key.startswith("on")]
    found = lines(root)
    assert sorted(found) == list(range(seats))
    for seat, line in found.items():
        assert line.get("stroke") == palette.SEAT_COLOURS[seat]
        assert line.get("stroke-dasharray", "") == review_text.SEAT_DASHES[seat]
    [ends] = root.findall(f".//{SVG}g[@class='ends']")
    said = [str(list(group)[-1].text) for group in ends.findall(f"{SVG}g")]
    return [str(line.get("d")) for line in found.values()], said


@pytest.mark.parametrize("name", GAMES)
def test_a_chart_is_small_as_png(name: str) -> None:
    assert len(drawn(name)) < 20_000
    picture = render_png(drawn(name))
    assert len(picture) <= MOST
    assert picture == render_png(drawn(name))
    assert size(picture) == (912, 390)


@pytest.mark.parametrize("name", GAMES)
def test_each_seat_has_a_line_of_its_own_kind_and_its_name_at_the_end(name: str) -> None:
    found, names, _ = GAMES[name]
    paths, said = check_chart(drawn(name), len(names))
    assert all(path.startswith(f"M{review_text.LEFT} ") for path in paths)
    assert all(path.endswith(f"H{review_text.RIGHT}") for path in paths)
    last = found.scores[-1] if found.scores else (0,) * len(names)
    assert sorted(int(words.split()[-1]) for words in said) == sorted(last)
    if names == NAMES:
        assert sorted(said) == sorted(f"{one} {points}" for one, points in zip(names, last, strict=True))


@pytest.mark.parametrize("name", GAMES)
def test_names_at_the_ends_do_not_overlap(name: str) -> None:
    places = [float(y) for y in re.findall(r'<g transform="translate\(454 ([\d.]+)\)"', drawn(name))]
    assert len(places) == len(GAMES[name][1])
    assert all(later - sooner >= 31 - 0.2 for sooner, later in pairwise(places))
    assert all(review_text.TOP - 10 <= place <= review_text.FOOT + 4 for place in places)


def test_names_at_the_ends_are_not_cut_to_the_same_text() -> None:
    for names in (("House 1", "House 2"), ("Alexandra the first", "Alexandra the second")):
        chart = draw(GameStatistics(((104, 100),)), names)
        said = re.findall(r'<text x="17" y="7">(.+?) \d+</text>', chart)
        assert len(set(said)) == 2
        assert all(one.startswith(names[0][0]) for one in said)


def test_lines_that_lie_on_each_other_run_side_by_side() -> None:
    paths, _ = check_chart(drawn("walls"), 4)
    starts = sorted(float(path.split("H")[0].split()[1]) for path in paths)
    assert min(later - sooner for sooner, later in pairwise(starts)) >= 4


def test_a_line_is_above_the_winning_score_only_when_it_is_reached() -> None:
    names, winning = NAMES[:2], 100
    for points in (99, 100, 101):
        found = GameStatistics(((0, 0), (points, 99)))
        root = ElementTree.fromstring(review_text.draw_score_chart(found, names, winning, "turns", "points"))
        [goal] = root.findall(f".//{SVG}path[@class='winning']")
        height = float(str(goal.get("d")).split()[1].split("H")[0])
        end = float(re.findall(r"V([\d.]+)", str(lines(root)[0].get("d")))[-1])
        assert (end <= height) == (points >= winning)


def test_the_winning_score_is_a_line_that_is_broken_off_where_nobody_came_near() -> None:
    distant = {"walls": True, "points-dutch": False, "hundreds of turns": False, "no turn": True}
    for name, far in distant.items():
        root = ElementTree.fromstring(drawn(name))
        assert root.find(f".//{SVG}path[@class='winning']") is not None
        assert (root.find(f".//{SVG}path[@class='break']") is not None) == far
        assert str(GAMES[name][2]) in [one.text for one in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", GAMES)
def test_numbers_at_the_axes_do_not_overlap(name: str) -> None:
    axes = [
        (float(str(one.get("x"))), float(str(one.get("y"))), str(one.text))
        for one in ElementTree.fromstring(drawn(name)).iter(f"{SVG}text")
        if one.get("x") and str(one.text).isdigit()
    ]
    heights = sorted(y for x, y, _ in axes if x < review_text.LEFT)
    assert all(later - sooner > 16 for sooner, later in pairwise(heights))
    across = sorted((x, words) for x, y, words in axes if y > review_text.FOOT + 20)
    assert all(later[0] - sooner[0] > 10 * len(later[1]) for sooner, later in pairwise(across))
    assert len(across) <= 8


def test_no_word_stands_on_a_chart_but_those_it_was_given() -> None:
    found, names, winning = GAMES["walls"]
    chart = ElementTree.fromstring(
        review_text.draw_score_chart(found, names, winning, "<beurt>", "punten & co")
    )
    words = {word for one in chart.iter(f"{SVG}text") for word in str(one.text).split()}
    own = {word for word in words if not word.isdigit()}
    assert own == {*names, *(name[0] for name in names), "<beurt>", "punten", "&", "co"}


def test_what_is_written_is_large_enough_for_a_telephone() -> None:
    assert min(float(size) for size in re.findall(r'font-size="([\d.]+)"', drawn("walls"))) * 320 / 608 >= 7


# --- in words -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_the_text_tells_some_turns_and_always_the_last(name: str) -> None:
    found, names, _ = GAMES[name]
    text = review_text.describe_scores(found, names, LINE)
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
    names = "Anna of Alexandria on the Nile", "Ben of Byblus by the sea coast", "Cleo of Corinth at the gulf"
    text = review_text.describe_scores(GameStatistics(((1, 2, 3),)), names, "Na beurt %(turn)s: %(points)s.")
    assert text.splitlines() == [
        "Na beurt 1: Anna of Alexandria on the Nile 1,",
        "  Ben of Byblus by the sea coast 2, Cleo of Corinth at the gulf 3.",
    ]


def told_of_chart(*scores: tuple[int, ...]) -> str:
    return review_text.describe_chart(GameStatistics(scores), known("two-players", None))


def test_what_the_chart_comes_to() -> None:
    one, other = known("two-players", None).table.names
    begun = "The points of each player, turn by turn."
    assert told_of_chart() == begun
    assert told_of_chart((0, 0), (3, 0), (3, 4), (5, 9)) == (
        f"{begun} After turn 4: {other} 9 and {one} 5. In front since turn 3: {other}."
    )
    assert told_of_chart((2, 1), (2, 2)) == (
        f"{begun} After turn 2: {one} 2 and {other} 2. In front since turn 2: {one} and {other}."
    )
    assert told_of_chart((0, 1), (0, 1)) == (
        f"{begun} After turn 2: {other} 1 and {one} 0. In front since turn 1: {other}."
    )


def review_with(*course: tuple[float, ...]) -> reviews.Review:
    """A review in which the chances went so, from before the first turn on."""
    turns = enumerate(course[1:], 1)
    return reviews.Review(
        course[0],
        tuple(reviews.ReviewedTurn(reviews.Verdict(turn, 0, (), (), 0.0), now) for turn, now in turns),
    )


REVIEWS = {
    "three": (review_with((0.3, 0.3, 0.4), (0.2, 0.5, 0.3), (0.0, 1.0, 0.0)), NAMES[:3]),
    "two": (review_with(*((turn / 99, 1 - turn / 99) for turn in range(100))), NAMES[:2]),
    "four alike": (review_with(*((0.25,) * 4 for _ in range(9))), NASTY_NAMES),
    "no turn": (review_with((0.5, 0.5)), NAMES[:2]),
}


def drawn_chances(name: str) -> str:
    review, names = REVIEWS[name]
    return review_text.draw_chance_chart(review, names, "turns", "chances")


@pytest.mark.parametrize("name", REVIEWS)
def test_the_chances_of_each_seat_are_a_line_within_the_frame_with_its_name(name: str) -> None:
    review, names = REVIEWS[name]
    paths, said = check_chart(drawn_chances(name), len(names))
    for path in paths:
        spots = [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path)]
        assert (spots[0][0], spots[-1][0]) == (review_text.LEFT, review_text.RIGHT)
        assert len(spots) == max(2, len(review.turns) + 1)
        assert all(
            review_text.TOP - 2 * review_text.LINE_GAP <= y <= review_text.FOOT + 2 * review_text.LINE_GAP
            for _, y in spots
        )
    assert len(said) == len(names)
    assert name == "four alike" or sorted(said) == sorted(names)
    assert render_png(drawn_chances(name))


def test_who_wins_stands_at_the_top() -> None:
    said = re.findall(r'<text x="17" y="7">(\w+)</text>', drawn_chances("three"))
    assert said[0] == NAMES[1]
