"""What happened in a turn, in one sentence: each deed once, in the order in which they were done."""

import pytest

from emails.names import SeatNames
from emails.wording.narration import TurnNews, narrate_turn
from emails.wording.standings import warn_of_end
from engine.board import side
from engine.cards import EMPTY, Bag, Symbol
from engine.events import (
    AlexanderMarched,
    CardChosen,
    CardDrawn,
    CardOpened,
    CardTaken,
    GameEnded,
    ProvinceTakenOver,
    TaxesLevied,
    TurnEnded,
)
from engine.position import View, VisibleEvent
from engine.provinces import levy_gains
from tests.emails import stored_games
from tests.emails.positions import BOARD

LYRE, HORSE = Symbol.LYRE, Symbol.HORSE
A3, B4 = (BOARD.point_names[name] for name in ("A3", "B4"))
LARISSA, AEGAE = BOARD.places["Larissa"], BOARD.places["Aegae"]
MARCH = AlexanderMarched(1, LARISSA, (A3, B4), (side(A3, B4),), 0)
TAKEOVER = ProvinceTakenOver(1, 0, (LARISSA,), (AEGAE,), Bag.of([LYRE, LYRE]), Bag.of([LYRE]))


def known(me: int, **changes: object) -> View:
    table = stored_games.positions("three-players")[0].table
    return View(table.but(**{"names": ("Anna", "Ben", "Cleo"), **changes}), me, EMPTY, (0, 0, 0), 30)


def told(*events: VisibleEvent, me: int = 2) -> str:
    return narrate_turn(TurnNews(7, 1, events), known(me)).removeprefix("Turn 7: ")


@pytest.mark.parametrize(
    ("events", "sentence"),
    [
        ((CardChosen(1, HORSE, "display"), CardOpened(LYRE)), "Ben took a horse."),
        ((CardChosen(1, HORSE, "hand"),), "Ben discarded a horse."),
        (
            (CardChosen(1, HORSE, "display"), CardOpened(LYRE), MARCH),
            "Ben marched with a horse from the display to Larissa (1 wall).",
        ),
        (
            (CardChosen(1, HORSE, "hand"), MARCH, CardTaken(1, LYRE), CardOpened(HORSE), CardTaken(1, HORSE)),
            "Ben marched with a horse from hand to Larissa (1 wall) and took a horse and a lyre.",
        ),
        (
            (MARCH, CardTaken(1, LYRE), TaxesLevied(1, HORSE, (0, 3, 0)), CardDrawn(1, LYRE), TurnEnded(1)),
            "Ben marched to Larissa (1 wall), took a lyre, levied taxes (Ben +3) and drew a lyre.",
        ),
        (
            (MARCH, CardTaken(1, LYRE), TaxesLevied(1, HORSE, (0, 3, 0)), GameEnded("points", (1,))),
            "Ben marched to Larissa (1 wall), took a lyre, levied taxes (Ben +3) and ended the game.",
        ),
    ],
)
def test_deeds_are_told_in_their_order_and_a_card_with_its_march(events, sentence) -> None:
    assert told(*events) == sentence


def test_a_takeover_names_what_its_loser_held_and_where_the_guard_stands_now() -> None:
    assert told(TAKEOVER) == "Ben took over Larissa from Anna (guard on Aegae)."
    assert told(TAKEOVER, me=0) == "Ben took over Larissa from you (guard on Aegae, you got a lyre)."


def test_a_levy_that_ends_the_game_is_told_before_it_comes() -> None:
    now = stored_games.letter_context("three-players", *stored_games.turns("three-players")[-1]).view.table
    gains = levy_gains(now)
    seat = gains.index(max(gains))
    scores = [0, 0, 0]
    scores[seat] = now.edition.winning_score - gains[seat]
    view = View(now.but(scores=tuple(scores)), seat, EMPTY, (0, 0, 0), 30)
    [warning] = warn_of_end(view)
    assert warning.endswith(f"ends the game: you would have {now.edition.winning_score} points")
    scores[seat] -= 1
    assert not [*warn_of_end(View(now.but(scores=tuple(scores)), seat, EMPTY, (0, 0, 0), 30))]


BEFORE, AFTER = SeatNames(("Anna", "Ben", "Cleo"), False), SeatNames(("Anna", "Dirk", "Cleo"))


def told_to_dirk(*facts: tuple[VisibleEvent, SeatNames]) -> str:
    events, names = tuple(fact for fact, _ in facts), tuple(then for _, then in facts)
    return narrate_turn(TurnNews(7, 1, events, names), known(1, names=AFTER.names)).removeprefix("Turn 7: ")


def test_who_had_the_seat_then_is_named_and_whoever_has_it_now_is_you_only_since() -> None:
    levy = TaxesLevied(1, HORSE, (2, 3, 0))
    assert told_to_dirk((MARCH, BEFORE), (levy, BEFORE)) == (
        "Ben marched to Larissa (1 wall) and levied taxes (Anna +2, Ben +3)."
    )
    assert told_to_dirk((MARCH, AFTER), (levy, AFTER)) == (
        "you marched to Larissa (1 wall) and levied taxes (Anna +2, you +3)."
    )


def test_a_seat_that_is_passed_on_within_a_turn_names_both() -> None:
    assert told_to_dirk((MARCH, BEFORE), (CardTaken(1, LYRE), AFTER)) == (
        "Ben and you marched to Larissa (1 wall) and took a lyre."
    )


def test_what_was_taken_over_was_theirs_who_held_it_then() -> None:
    loser = SeatNames(("Anna", "Ben", "Cleo"), False)
    turn = TurnNews(7, 1, (TAKEOVER,), (loser,))
    assert " from Anna" in narrate_turn(turn, known(0, names=("Dirk", "Ben", "Cleo")))
    assert " from you" in narrate_turn(TurnNews(7, 1, (TAKEOVER,)), known(0))
