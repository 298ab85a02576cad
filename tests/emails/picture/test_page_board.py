"""The board on a page while a corner is chosen: discs stand on their corners, and every goal has its name."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from emails.picture.basemap import basemap_of
from emails.picture.board_picture import draw_board
from emails.picture.overlay import Overlay
from emails.wording.narration import build_overlay
from emails.wording.options import reachable_targets
from engine import march_rules
from engine.board import Space
from engine.position import View
from tests.emails import stored_games
from tests.emails.picture.test_letter_picture import GAMES, covers, overlap, sight_of, symbol_of
from tests.emails.positions import BOARD

FEW, MANY = 10, 200
PHONE = 360
"""Pixels: how wide a telephone shows a close-up."""
ROOM = 130
"""Units around the corners in a close-up."""


def chosen_cards(many: int) -> Iterator[tuple[View, Overlay]]:
    """The marks of so many pages on which a card is chosen, by chance one of those that lead somewhere."""
    dice = Random(many)
    starts = [(name, *one) for name in GAMES for one in stored_games.turns(name)]
    for name, at, seat in dice.choices(starts, k=many):
        made = stored_games.letter_context(name, at, seat)
        table = made.view.table
        by_symbol: dict[object, list[Space]] = {}
        for space in reachable_targets(made.view):
            by_symbol.setdefault(BOARD.symbols[space], []).append(space)
        targets = [
            space for space in reachable_targets(made.view) if space in dice.choice([*by_symbol.values()])
        ]
        corners = sorted({one for space in targets for one in march_rules.reachable_corners(table, space)})
        pointed = build_overlay(made.since, made.before, made.view)
        labels = {corner: str(number) for number, corner in enumerate(corners, 1)}
        if labels:
            yield made.view, replace(pointed, targets=frozenset(targets), labels=labels)


def check(many: int) -> None:
    chart, named, offered = basemap_of(BOARD), 0, 0
    for known, pointed in chosen_cards(many):
        seen = sight_of(draw_board(known, pointed))
        where = known.table.turn
        assert set(seen.discs) == set(pointed.labels.values()), where
        spots = [chart.locate(point) for point in (*pointed.labels, known.table.alexander)]
        across = max(x for x, _ in spots) - min(x for x, _ in spots) + ROOM
        for point, label in pointed.labels.items():
            x, y, _, radius = seen.discs[label]
            assert (x, y) == chart.locate(point)
            assert 2 * radius * PHONE / across >= 12, (where, across)
            for goal in pointed.targets & set(BOARD.spaces_at[point]):
                assert not covers(seen.discs[label], symbol_of(goal)), (where, label)
                if BOARD.names[goal] in seen.names:
                    assert not covers(seen.discs[label], seen.names[BOARD.names[goal]][1]), (where, label)
        for high, box in seen.names.values():
            assert high * PHONE / across >= 9 or across > 650, (where, across)
            assert not any(overlap(box, symbol) for symbol in seen.symbols), where
        named += len(pointed.targets & {BOARD.places[name] for name in seen.names})
        offered += len(pointed.targets)
    assert named == offered, (named, offered)


def test_discs_leave_free_what_they_lead_to() -> None:
    check(FEW)


@pytest.mark.breadth
def test_discs_leave_free_what_they_lead_to_in_many_positions() -> None:
    check(MANY)
