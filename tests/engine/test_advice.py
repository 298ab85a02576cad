"""Advice and reviews: every number in them comes true, and they rest on what a player could know."""

from collections.abc import Iterator
from itertools import count
from random import Random

import pytest

from engine.actions import Choose, Draw, End, Levy, March, Take
from engine.bots.advice import (
    MOST_DEFICIT,
    PRICE,
    GameWin,
    HandSizeChange,
    LevyChange,
    LevyGain,
    LossRisk,
    Suggestion,
    TakeoverCost,
    suggest_turns,
    suggest_turns_at_sight,
)
from engine.bots.reviews import (
    PlayedTurn,
    Review,
    ReviewedTurn,
    Swing,
    Verdict,
    chances,
    foreseeable,
    harvests,
    largest_swing,
    largest_swings,
    played_turns,
    review_turn,
)
from engine.cards import ONE, Bag, Symbol
from engine.events import TaxesLevied
from engine.position import Phase, Position, view
from engine.provinces import levy_gains, province_at, removal_cost
from engine.rules import play_out
from tests.engine.players import BOARDS, draw_from, game, shuffled
from tests.engine.test_bots import known_to_mover, parted, positions


def openings(name: str, seeds: range, every: int) -> Iterator[Position]:
    """Some positions of random games in which a turn begins."""
    return (now for now in positions(name, seeds, every) if now.table.phase is Phase.CARD)


def check_truth(now: Position, one: Suggestion) -> None:
    """Play a suggestion with other dice and hold its reasons against what came of it."""
    me, before = now.table.seat, levy_gains(now.table)
    cards, after, levied = len(now.hands[me]), now, []
    for action in one.actions:
        assert not after.table.over
        (event, *_), after = play_out(after, me, action, draw_from(Random(9)))
        levied += [event.gains] if isinstance(event, TaxesLevied) else []
    income = levy_gains(after.table)
    for reason in one.reasons:
        match reason:
            case GameWin(score):
                assert after.table.winners is not None
                assert me in after.table.winners
                assert after.table.scores[me] == score
            case LevyGain(gain, rival):
                assert any(
                    gains[me] == gain and max(gains[:me] + gains[me + 1 :]) == rival for gains in levied
                )
            case LevyChange(mine, rivals):
                changes = [now_worth - was for was, now_worth in zip(before, income, strict=True)]
                assert mine == changes[me]
                assert dict(rivals) == {
                    seat: change for seat, change in enumerate(changes) if change and seat != me
                }
            case TakeoverCost(place, card, chance):
                assert removal_cost(after.table, province_at(after.table, place)) == Bag.of([card] * PRICE)
                assert 0 <= chance <= 1
            case LossRisk(chance):
                assert 0 <= chance <= 1
                assert income[me]
            case HandSizeChange(was, held):
                assert (cards, len(after.hands[me])) == (was, held)


def check_suggestions(name: str, seeds: range, every: int) -> int:
    """Check the suggestions in some positions of random games, and return how many they were."""
    seen = 0
    for now in openings(name, seeds, every):
        for one in suggest_turns(known_to_mover(now), 3):
            check_truth(now, one)
            seen += 1
    return seen


@pytest.mark.breadth
@pytest.mark.parametrize("name", ["alexandros", "towers", "lake", "crowd", "plain", "strip"])
def test_every_number_in_a_suggestion_comes_true(name: str) -> None:
    assert check_suggestions(name, range(6), 7)


@pytest.mark.long
def test_every_number_in_five_thousand_suggestions_comes_true() -> None:
    seen = 0
    for seed in range(2000, 4000):
        seen += check_suggestions("alexandros", range(seed, seed + 1), 9)
        if seen >= 5000:
            return


def test_at_sight_turns_differ_and_every_number_comes_true() -> None:
    for now in openings("alexandros", range(3), 5):
        found = suggest_turns_at_sight(known_to_mover(now), 5)
        assert found
        assert len({one.gist for one in found}) == len(found)
        for one in found:
            check_truth(now, one)


def test_suggestions_have_distinct_marches_and_reasons() -> None:
    for now in openings("alexandros", range(3), 9):
        found = suggest_turns(known_to_mover(now), 3)
        marches = [action for one in found for action in one.actions if isinstance(action, March)]
        assert len(set(marches)) == len(found)
        assert len({one.gist for one in found}) == len(found)
        assert all(one.gain > found[0].gain - MOST_DEFICIT for one in found)
        assert all(one.reasons for one in found)
        assert [one.gain for one in found] == sorted((one.gain for one in found), reverse=True)


def test_suggestions_rest_on_what_the_seat_knows() -> None:
    dice = Random(2)
    for now in openings("alexandros", range(2), 21):
        other = shuffled(now, now.table.seat, dice)
        assert suggest_turns(known_to_mover(other), 2) == suggest_turns(known_to_mover(now), 2)


def test_a_levy_that_wins_is_the_first_suggestion() -> None:
    now = parted(guards=("Ha", "Hb"), hands=("horse", "lyre"), scores=(97, 50), actions_left=1)
    (one,) = suggest_turns(known_to_mover(now), 3)  # nothing else is half as good
    assert one.reasons[0] == GameWin(100)


def test_nobody_is_advised_out_of_turn() -> None:
    now = parted()
    assert suggest_turns(view(now, 1), 3) == suggest_turns_at_sight(view(now, 1), 3) == ()
    assert suggest_turns(view(now, None), 3) == ()


# --- reviews --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOARDS)
def test_every_turn_of_a_game_is_told_once(name: str) -> None:
    one = game(name, 4)
    turns = list(played_turns(one.steps()))
    assert [turn.known.table.turn for turn in turns] == list(range(1, one.last.table.turn + 1))


def test_a_turn_is_held_against_the_best_by_what_its_player_could_know() -> None:
    dice = Random(7)
    turns = list(played_turns(game("alexandros", 3).steps()))
    for turn in turns[:: len(turns) // 3]:
        verdict = review_turn(turn, breadths=(6,))
        assert verdict.cost >= 0
        assert (verdict.turn, verdict.seat) == (turn.known.table.turn, turn.known.me)
        best_played = review_turn(PlayedTurn(turn.known, verdict.best), breadths=(6,))
        assert best_played.cost == 0
        assert largest_swings([verdict, best_played], 3) == ((verdict,) if verdict.cost else ())
    assert dice


def test_of_a_turn_that_was_played_what_came_up_was_not_foreseen() -> None:
    known = next(played_turns(game("alexandros", 3).steps())).known
    shown, *_ = known.table.display.kinds()
    hidden = next(one for one in Symbol if not known.table.display[one])
    begun = (Choose(shown),)
    for later, kept in [
        ((Draw(), Draw()), 2),
        ((Draw(), End()), 2),
        ((Draw(), Levy(shown)), 1),
        ((Take(hidden), Draw()), 0),
        ((Levy(shown), Draw()), 2),
    ]:
        assert foreseeable(known, begun + later) == begun + later[:kept]
    rest = known.table.display - ONE[shown]
    for card in rest.kinds():
        assert foreseeable(known, (*begun, Take(card))) == (*begun, Take(card))
    if not rest[shown]:
        assert foreseeable(known, (*begun, Take(shown))) == begun


def test_points_come_from_the_provinces_that_scored() -> None:
    for seed in range(6):
        one = game("alexandros", seed)
        found = list(harvests(one.steps()))
        for seat, score in enumerate(one.last.table.scores):
            gained = score - one.opening.table.scores[seat]
            assert sum(harvest.value for harvest in found if harvest.seat == seat) == gained


def test_chances_add_up_and_are_certain_at_the_end() -> None:
    one = game("alexandros", 3)
    for act in one.acts[::40]:
        assert sum(chances(act.before)) == pytest.approx(1.0)
    assert one.last.table.winners is not None
    assert {seat for seat, chance in enumerate(chances(one.last)) if chance} == set(one.last.table.winners)
    ahead = parted(guards=("Ha", "Hb"), hands=("horse", "lyre"), scores=(90, 20))
    assert chances(ahead)[0] > chances(ahead)[1]


def test_the_largest_swing_is_told_and_not_that_the_end_makes_all_certain() -> None:
    def review(first: tuple[float, float], *later: tuple[float, float]) -> Review:
        verdicts = (Verdict(turn, 0, (), (), 0.0) for turn in count(1))
        return Review(first, tuple(map(ReviewedTurn, verdicts, later)))

    assert largest_swing(review((0.5, 0.5), (0.6, 0.4), (0.7, 0.3), (1.0, 0.0))) == Swing(1, 0, 0.5, 0.6)
    assert largest_swing(review((0.5, 0.5), (0.6, 0.4), (0.0, 1.0))) == Swing(2, 1, 0.4, 1.0)
    assert largest_swing(review((0.5, 0.5), (0.5, 0.5))) is None
    assert largest_swing(review((0.5, 0.5))) is None
