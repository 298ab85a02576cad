"""What is told of a finished game comes true when it is replayed, and no line of it can be an order."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest

from emails.i18n import UTC_ZONE, Locale, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.letters.renderer import AS_TEXT
from emails.wording.review_text import (
    MOST_PLACES,
    MOST_POINTS,
    describe_cost,
    describe_costliest,
    describe_levy,
    describe_origins,
    describe_swing,
    format_chance,
    round_cost,
    summarize_review,
    summarize_turn,
)
from engine.bots.reviews import (
    Harvest,
    Review,
    ReviewedTurn,
    Swing,
    Verdict,
    chances,
    harvests,
    largest_swing,
    played_turns,
    review_turn,
)
from engine.events import CardOpened, Event, GameEnded, SupplyRenewed, TaxesLevied, TurnEnded
from engine.notation.grammar import read_canonical
from engine.position import Position, View, view
from engine.provinces import province_at
from engine.rules import play_out
from tests.breadth import first
from tests.emails.positions import BOARD
from tests.emails.stored_games import positions, stored
from tests.spoken import looks_like_order

GAMES = ("three-players", "two-players", "points", "points-dutch", "walls")


def steps(name: str) -> list[tuple[Position, Event]]:
    return list(zip(positions(name), stored(name)[1:], strict=False))


def found(name: str) -> list[Harvest]:
    return list(harvests(steps(name)))


def known(name: str, seat: int | None = 0) -> View:
    return view(positions(name)[-1], seat)


def ends(name: str) -> list[Position]:
    """The positions after each turn."""
    told = zip(stored(name)[1:], positions(name)[1:], strict=True)
    return [after for event, after in told if isinstance(event, TurnEnded | GameEnded)]


def review_of(name: str) -> Review:
    """The chances that were so, and of each turn that another was better, by as many points as its number."""
    turns = list(played_turns(steps(name)))
    verdicts = [
        Verdict(number, turn.known.my_seat, turn.actions, turns[number - 2].actions, float(number))
        for number, turn in enumerate(turns, 1)
    ]
    reviewed = (ReviewedTurn(one, chances(after)) for one, after in zip(verdicts, ends(name), strict=True))
    return Review(chances(positions(name)[0]), tuple(reviewed))


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


@pytest.mark.parametrize("name", GAMES)
def test_where_points_came_from_is_where_they_were_scored(name: str) -> None:
    for seat, score in enumerate(positions(name)[-1].table.scores):
        line = describe_origins(found(name), seat, known(name, None))
        brought = scored(name, seat)
        told = {place: int(value) for value, place in re.findall(r"(\d+) with the guard on (\w+)", line)}
        assert told == {place: brought[place] for place in told}
        assert len(told) == min(MOST_PLACES, len(brought))
        assert sum(map(int, re.findall(r"\d+", line))) == score == brought.total()
        assert not any(value > min(told.values()) for place, value in brought.items() if place not in told)


@pytest.mark.parametrize("name", GAMES)
def test_each_levy_is_told_as_it_scored(name: str) -> None:
    for now, event in steps(name):
        if isinstance(event, TaxesLevied) and any(event.gains):
            line = describe_levy(
                [one for one in found(name) if one.turn == now.table.turn], known(name, None)
            )
            for seat, gain in enumerate(event.gains):
                assert (f"{now.table.names[seat]} +{gain} (" in line) == (gain > 0)


@pytest.mark.parametrize("name", GAMES)
def test_the_swing_is_the_largest_rise_of_the_chances(name: str) -> None:
    swing = largest_swing(review_of(name))
    assert swing is not None
    course = [chances(now) for now in (positions(name)[0], *ends(name))]
    rises = [now[seat] - was[seat] for was, now in pairwise(course[:-1]) for seat in range(len(was))]
    assert swing.after - swing.before >= max(rises)
    before, after = (format_chance(course[turn][swing.seat]) for turn in (swing.turn - 1, swing.turn))
    line = describe_swing(swing, known(name, None))
    assert line.startswith(f"Turn {swing.turn} changed ")
    assert line.endswith(f"a chance of {before} to win before it, and of {after} after it.")


def test_what_is_not_certain_is_never_told_as_if_it_were() -> None:
    assert [format_chance(one) for one in (0.0, 0.001, 0.5, 0.999, 1.0)] == ["0%", "1%", "50%", "99%", "100%"]


def test_each_reader_hears_of_the_winner_the_swing_and_their_own_dearest_turn() -> None:
    name, review = GAMES[0], review_of(GAMES[0])
    for seat in range(3):
        reader = known(name, seat)
        own = max(one.verdict.turn for one in review.turns if one.verdict.seat == seat)
        lines = summarize_review(review, found(name), reader)
        assert len(lines) == 3
        assert lines[0].startswith("Your points:") == (reader.table.winners == (seat,))
        better = f", about {own} points. Better" if own <= MOST_POINTS else ". Much better"
        assert f"The turn that cost you most: turn {own}{better}, the judge thinks: " in lines[2]


def test_who_played_best_has_no_dearest_turn() -> None:
    reader = known(GAMES[0])
    verdict = Verdict(1, 0, (), (), 0.4)
    review = Review((0.3, 0.3, 0.4), (ReviewedTurn(verdict, (0.3, 0.3, 0.4)),))
    assert len(summarize_review(review, found(GAMES[0]), reader)) == 1
    assert round_cost(verdict) == 0
    assert describe_cost(verdict, BOARD) == "The judge had no time for it."


def test_a_turn_in_a_few_words() -> None:
    told = {
        "choose lyre; march Larissa A3-B4-C3; levy horse; draw": (
            "the lyre to Larissa (C3), a levy with a horse and a card from the supply"
        ),
        "play lyre; march Larissa A3-B4-C3; take horse; take lyre": (
            "a lyre out of the hand to Larissa (C3) and a horse and a lyre from the display"
        ),
        "stay; draw; draw": "no march and 2 cards from the supply",
        "march Larissa A3-B4-C3; occupy Troy+Sparta; end": (
            "a march to Larissa (C3) and guards on Troy and Sparta"
        ),
        "takeover Troy give lyre; recall Sparta": (
            "a takeover with a guard on Troy and the guard on Sparta back in the supply"
        ),
    }
    for words, line in told.items():
        assert summarize_turn([read_canonical(one, BOARD) for one in words.split("; ")], BOARD) == line


def everything(name: str) -> Iterator[str]:
    review = review_of(name)
    for seat in (None, 0, 1):
        reader = known(name, seat)
        yield from summarize_review(review, found(name), reader)
        for one in review.turns:
            yield describe_costliest(one.verdict, reader)
            yield describe_swing(Swing(one.verdict.turn, one.verdict.seat, 0.2, 0.3), reader)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", first(1, GAMES))
def test_no_line_of_it_can_be_read_as_an_order(name: str, language: str) -> None:
    fold = AS_TEXT.filters["item"]
    with use_locale(Locale(language, UTC_ZONE)):
        for sentence in everything(name):
            assert not looks_like_order(sentence)
            assert not [line for line in fold(sentence).splitlines() if looks_like_order(line.strip())]


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_what_would_have_been_better_can_be_played_and_the_judge_says_so_again(name: str) -> None:
    begins = {
        now.table.turn: now
        for now, event in reversed(steps(name))
        if not isinstance(event, CardOpened | SupplyRenewed)
    }
    for turn in played_turns(steps(name)):
        verdict = review_turn(turn)
        assert verdict == review_turn(turn)
        now = begins[verdict.turn]
        better = verdict.best if verdict.cost else ()  # what was played may rest on a card that was drawn
        for action in better:
            if now.table.turn != verdict.turn or now.table.over:
                break
            _, now = play_out(now, verdict.seat, action, lambda bag: next(iter(bag)))
