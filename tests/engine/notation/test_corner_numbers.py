"""The numbers of corners: within one card they count from 1, and each ends where it says."""

from random import Random

import pytest

from engine import march_rules
from engine.actions import Ambiguous, Choose, March, Play, Unreadable
from engine.board import corners
from engine.notation.grammar import number_corners
from engine.position import Phase, View, view
from engine.rules import card_choices, play_out
from tests.engine.build import position
from tests.engine.notation.test_parser import LAND
from tests.engine.players import draw_from, game
from tests.spoken import read


def ends_of(line: str, known: View) -> set[object]:
    """Where the marches end that a line can mean."""
    try:
        found = [read(line, known)]
    except Ambiguous as refusal:
        found = [*refusal.candidates]
    assert all(isinstance(one, March) for one in found)
    return {one.path[-1] for one in found}


def test_each_number_is_the_corner_that_it_counts_to() -> None:
    seen, positions = 0, (act.before for act in game("alexandros", 3).acts)
    for now in [one for one in positions if one.table.phase is Phase.CARD][::9]:
        seat = now.table.seat
        for card in card_choices(view(now, seat)):
            if not isinstance(card, Choose | Play):
                continue
            spaces = march_rules.targets(now.table, card.card, from_display=isinstance(card, Choose))
            _, then = play_out(now, seat, card, draw_from(Random(1)))
            known, numbered = view(then, seat), number_corners(now.table, spaces)
            assert numbered == number_corners(then.table, march_rules.targets_of_chosen(then.table))
            for point, number in numbered.items():
                assert ends_of(f"march {number}", known) == {point}
                assert ends_of(f"{number}", known) == {point}
                space = next(space for space in spaces if point in corners(space))
                assert ends_of(f"march {now.table.board.names[space]} {number}", known) == {point}
                seen += 1
            with pytest.raises(Unreadable, match=f"leads to corners 1 to {len(numbered)}"):
                read(f"march {len(numbered) + 1}", known)
    assert seen > 90


def test_a_number_means_nothing_as_long_as_no_card_is_chosen() -> None:
    known = view(position(LAND, phase="card", hands=("soldier", ""), display="horse lyre"), 0)
    for line in ("2", "march 2", "march Larissa 2"):
        with pytest.raises(Unreadable, match="say the card with the number of its corner"):
            read(line, known)


def test_after_the_march_a_number_alone_means_nothing() -> None:
    known = view(position(LAND, hands=("horse lyre", "")), 0)
    for line in ("2", "march Larissa 2"):
        with pytest.raises(Unreadable, match="answer with the letter of a choice"):
            read(line, known)
