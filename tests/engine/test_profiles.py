"""The players of the house: always legal, on any board, by nothing but what their seat knows."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from random import Random

import pytest

from engine.actions import Action, Draw, Levy, Play, Recall, TakeOver
from engine.bots import play_to_win
from engine.bots.strengths import (
    PROFILES,
    Profile,
    Strength,
    assign_profiles,
    draw_in_order,
    find_bot_choice,
    plan_steadily,
    play_easily,
    sample_position,
    seed_dice,
)
from engine.bots.turns import best_turns, until_reveal
from engine.cards import DECK, Bag, Symbol
from engine.editions import EDITIONS
from engine.position import Phase, Position, View, view
from engine.provinces import levy_gains, partition_board
from engine.rules import decide, play_out
from tests.breadth import first
from tests.engine.players import BOARDS, draw_from, game, shuffled
from tests.engine.test_bots import hoarded, known_to_mover, parted, played, positions, taste
from tests.next_actions import play_gently, play_steadily, play_strongly

BOTS: dict[str, Callable[[View], Action]] = {
    "easy": play_easily,
    "steady": play_steadily,
    "strong": partial(play_strongly, breadths=(6,)),
    "caretaker": play_gently,
}


def acting(name: str, seeds: range, every: int) -> Iterator[Position]:
    """Some positions of random games in which somebody can act."""
    return (now for now in positions(name, seeds, every) if not now.table.over)


@pytest.mark.parametrize("name", first(2, BOARDS))
@pytest.mark.parametrize("bot", BOTS)
def test_what_they_do_is_legal_in_the_positions_of_random_games(bot: str, name: str) -> None:
    few = bot == "strong"
    for now in acting(name, range(2 if few else 5), 41 if few else 17):
        assert decide(now, now.table.seat, BOTS[bot](known_to_mover(now)), draw_from(Random(1)))


@pytest.mark.parametrize("name", BOARDS)
def test_a_turn_thought_out_can_be_done_as_it_stands(name: str) -> None:
    for now in acting(name, range(4), 17):
        for turn in best_turns(known_to_mover(now))[:6]:
            then, seat, number = now, now.table.seat, now.table.turn
            for action in turn.actions:
                assert not then.table.over
                assert (then.table.seat, then.table.turn) == (seat, number)
                _, then = play_out(then, seat, action, draw_from(Random(2)))
            assert then.table.over or then.table.turn == number + 1


@pytest.mark.parametrize(
    ("seats", "edition"), first(2, zip((4, 2, 3, 3, 2, 4), [*EDITIONS] * 3, strict=True))
)
def test_their_games_end(edition: str, seats: int) -> None:
    tastes = [taste(BOTS[bot]) for bot in ("steady", "easy", "caretaker", "steady")][:seats]
    assert played(seats, *tastes, edition=edition).last.table.over


@pytest.mark.parametrize("bot", first(3, sorted(BOTS, key=lambda bot: bot == "strong")))
def test_they_choose_by_what_their_seat_knows_alone(bot: str) -> None:
    dice = Random(5)
    few = bot == "strong"
    for now in acting("alexandros", range(2 if few else 4), 67 if few else 23):
        action = BOTS[bot](known_to_mover(now))
        for _ in range(2):
            assert BOTS[bot](known_to_mover(shuffled(now, now.table.seat, dice))) == action


@pytest.mark.long
def test_steady_chooses_the_same_in_two_thousand_pairs_that_its_seat_cannot_tell_apart() -> None:
    dice = Random(11)
    for now in islice(acting("alexandros", range(1000, 2000), 9), 2000):
        known = known_to_mover(now)
        assert play_steadily(known_to_mover(shuffled(now, now.table.seat, dice))) == play_steadily(known)


def test_a_world_is_a_position_that_the_reader_cannot_tell_from_the_true_one() -> None:
    dice = Random(3)
    for now in acting("alexandros", range(6), 17):
        known = known_to_mover(now)
        world, order = sample_position(known, seed_dice(known))
        assert view(world, known.me) == known
        assert sum(world.hands, world.supply + world.table.display + world.table.discard) == DECK
        assert Bag.of(order) == world.supply
        other = known_to_mover(shuffled(now, now.table.seat, dice))
        assert seed_dice(known) == seed_dice(other)


def test_cards_fall_in_the_order_of_a_world_and_then_by_its_dice() -> None:
    chance = draw_in_order([Symbol.LYRE, Symbol.HORSE], seed_dice(known_to_mover(parted())))
    assert chance(Bag.of([Symbol.LYRE, Symbol.HORSE])) is Symbol.LYRE
    assert chance(Bag.of([Symbol.HORSE])) is Symbol.HORSE
    assert chance(Bag.of([Symbol.TEMPLE])) is Symbol.TEMPLE


@pytest.mark.parametrize("bot", BOTS)
def test_a_hoarded_hand_is_no_matter(bot: str) -> None:
    for now in hoarded():
        assert decide(now, 0, BOTS[bot](known_to_mover(now)), draw_from(Random(1)))


def test_a_plan_holds_until_a_card_is_revealed() -> None:
    now = next(acting("alexandros", range(1), 1))
    known = known_to_mover(now)
    turn = plan_steadily(known)
    begun = until_reveal(known, turn)
    assert begun == turn.actions[: len(begun)]
    assert isinstance(begun[0], Play) or len(begun) == 1


# --- how they play --------------------------------------------------------------------------------------


@pytest.mark.parametrize("bot", ["steady", "strong"])
def test_they_levy_when_that_wins(bot: str) -> None:
    now = parted(guards=("Ha", "Hb"), hands=("horse", "lyre"), scores=(97, 50), actions_left=1)
    assert BOTS[bot](known_to_mover(now)) == Levy(Symbol.HORSE)


@pytest.mark.parametrize("bot", [BOTS["steady"], BOTS["strong"], play_to_win])
def test_they_do_not_levy_for_a_rival_who_would_win_by_it(bot: Callable[[View], Action]) -> None:
    now = parted(guards=("Hb", "Ha"), hands=("horse", "lyre"), scores=(50, 97))
    assert not isinstance(bot(known_to_mover(now)), Levy)


def test_they_take_back_a_guard_that_keeps_its_province_from_scoring() -> None:
    now = parted(guards=("Ta Hb", "Ha Sa"), hands=("", ""))
    assert any(isinstance(action, Recall) for action in plan_steadily(known_to_mover(now)).actions)


def test_the_beginner_takes_over_nothing() -> None:
    for seed in range(4):
        acts = played(seed, *[taste(play_easily)] * 2).acts
        assert not any(isinstance(act.action, TakeOver) for act in acts)


def test_the_caretaker_takes_nothing_from_anybody_if_it_can() -> None:
    lost = 0
    for now in acting("alexandros", range(8), 9):
        if now.table.phase is not Phase.CARD:
            continue
        seat, number, before = now.table.seat, now.table.turn, levy_gains(now.table)
        while not now.table.over and now.table.turn == number:
            _, now = play_out(now, seat, play_gently(known_to_mover(now)), draw_from(Random(1)))
        lost += sum(was > gain for was, gain in zip(before, levy_gains(now.table), strict=True))
    assert lost <= 2


def test_what_the_judge_works_out_step_by_step_is_what_then_stands() -> None:
    """A turn without draws leads to the provinces, incomes and hand that its plan foresaw."""
    seen = 0
    for now in acting("alexandros", range(6), 9):
        for turn in best_turns(known_to_mover(now))[:4]:
            then, seat, number = now, now.table.seat, now.table.turn
            if any(isinstance(action, Draw) for action in turn.actions):
                continue
            for action in turn.actions:
                _, then = play_out(then, seat, action, draw_from(Random(2)))
            assert then.table.over or then.table.turn == number + 1
            assert then.hands[seat].counts == turn.after.hand
            assert levy_gains(then.table) == turn.after.incomes
            assert then.table.standing == turn.after.standing
            assert then.table.scores == turn.after.scores
            assert sorted(turn.after.extents) == sorted(partition_board(then.table.board, then.table.walled))
            assert tuple(map(len, then.hands))[:seat] == turn.after.sizes[:seat]
            seen += 1
    assert seen > 20


# --- who they are ---------------------------------------------------------------------------------------


def test_everybody_at_a_table_has_another_name() -> None:
    for strength in Strength:
        names = [one.name for one in assign_profiles([strength] * 3, ["anna"])]
        assert len(set(names)) == 3
        assert {PROFILES[name].strength for name in names} == {strength}
    assert assign_profiles([Strength.EASY], ["philip"])[0].name != "Philip"


def test_whoever_is_wished_by_name_plays_and_the_others_make_room() -> None:
    roxana = PROFILES["Roxana"]
    assert [one.name for one in assign_profiles([Strength.STEADY, roxana])] == ["Seleucus", "Roxana"]
    assert [one.name for one in assign_profiles([roxana, roxana])] == ["Roxana", "Seleucus"]
    assert [one.name for one in assign_profiles([roxana], ["ROXANA"])] == ["Seleucus"]


def test_where_nobody_of_a_strength_is_left_somebody_almost_like_it_plays() -> None:
    others = [one.name for one in PROFILES.values() if one.strength is Strength.STRONG]
    assert assign_profiles([Strength.STRONG], others)[0].strength is Strength.STEADY
    assert len({one.name for one in assign_profiles([Strength.EASY] * 4)}) == 4
    with pytest.raises(ValueError, match="no name is left"):
        assign_profiles([Strength.EASY], PROFILES)


@pytest.mark.parametrize("word", [*Strength, *PROFILES, " STRONG ", "roxana"])
def test_a_word_means_a_strength_or_somebody(word: str) -> None:
    found = find_bot_choice(word)
    assert isinstance(found, Strength | Profile)
    called = found.name if isinstance(found, Profile) else found.value
    assert called.casefold() == word.strip().casefold()


def test_other_words_mean_nobody() -> None:
    assert [find_bot_choice(word) for word in ("", "House", "strongest")] == [None] * 3


def test_each_strength_has_three_names() -> None:
    assert Counter(one.strength for one in PROFILES.values()) == dict.fromkeys(Strength, 3)


def test_a_profile_plans_as_its_strength_does() -> None:
    for now in islice(acting("alexandros", range(1), 15), 3):
        known = known_to_mover(now)
        assert PROFILES["Philip"].plan(known) == (play_easily(known),)
        assert PROFILES["Roxana"].plan(known) == until_reveal(known, plan_steadily(known))


def test_games_are_what_the_seed_says() -> None:
    assert game("alexandros", 3) == game.__wrapped__("alexandros", 3)
