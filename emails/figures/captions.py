"""Captions of the figures of the rules; all numbers are computed from the positions drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from emails.figures import rule_figures
from emails.figures.rule_figures import Drawing, FigureText, format_path
from emails.i18n import gettext, gettext_noop
from emails.wording import phrases
from emails.wording.texts import tell
from engine.board import Board, Space, corners
from engine.cards import ONE, Bag, Symbol
from engine.march_rules import MarchOutcome, ShortestPaths, new_walls, outcome_of
from engine.position import Table
from engine.provinces import levy_gains, loser_share, province_at, removal_cost, symbols_on


def _caption(figure: str, drawn: Sequence[tuple[str, Bag]] = (), **values: object) -> FigureText:
    caption, *notes = tell(f"captions.{figure}", **values)
    return FigureText(caption, tuple(notes), tuple(drawn))


def caption_figure_1(one: Drawing) -> FigureText:
    table = one.view.table
    horse, lyre = sorted(one.marks.targets)
    [other] = one.marks.changed
    return _caption(
        "figure_1",
        [(gettext("Display"), table.display)],
        horse=table.board.names[horse],
        lyre=table.board.names[lyre],
        far=_distance_to(table, horse),
        other=table.board.names[other],
        farther=_distance_to(table, other),
    )


def caption_figure_2(one: Drawing) -> FigureText:
    table, way = one.view.table, one.marks.preview
    assert ShortestPaths(table, way[-1]).count() == 1
    return _caption(
        "figure_2",
        [(gettext("Display"), table.display)],
        place=_target_name(one),
        sides=len(way) - 1,
        path=format_path(way),
        walls=len(new_walls(table, way)),
    )


def caption_figure_3(round_it: Drawing, by_coast: Drawing) -> FigureText:
    table, way = round_it.view.table, round_it.marks.preview
    [split] = outcome_of(table, way).splits
    enclosed = min(split.parts, key=lambda part: len(part.spaces))
    return _caption(
        "figure_3",
        point=way[-1],
        sides=len(way) - 1,
        walls=len(new_walls(table, way)),
        ways=ShortestPaths(table, way[-1]).count(),
        path=format_path(way),
        spaces=len(enclosed.spaces),
        symbols=len(enclosed.places),
        open=enclosed.value,
        coast=format_path(by_coast.marks.preview),
    )


def caption_figure_4(one: Drawing) -> FigureText:
    table, aims = one.view.table, sorted(one.marks.targets)
    return _caption(
        "figure_4",
        places=phrases.format_places(table, aims),
        far=_distance_to(table, aims[0]),
        points=len(one.marks.labels),
    )


def caption_figure_5(*ways: Drawing) -> FigureText:
    table, corner = ways[0].view.table, ways[0].marks.preview[-1]
    *short, (long, cut) = [(format_path(one.marks.preview), _preview_outcome(one)) for one in ways]
    return _caption(
        "figure_5",
        ways=ShortestPaths(table, corner).count(),
        point=corner,
        place=_target_name(ways[0]),
        sides=len(ways[0].marks.preview) - 1,
        short=[(way, len(told.laid)) for way, told in short],
        path=long,
        walls=len(cut.laid),
        spaces=min(len(part.spaces) for part in cut.splits[0].parts),
    )


def caption_figure_6(old: Drawing, through: Drawing) -> FigureText:
    table, corner = old.view.table, old.marks.preview[-1]
    told = _preview_outcome(through)
    return _caption(
        "figure_6",
        ways=ShortestPaths(table, corner).count(),
        point=corner,
        place=_target_name(old),
        old=format_path(old.marks.preview),
        path=format_path(through.marks.preview),
        walls=len(told.laid),
        parts=len(told.splits[0].parts),
    )


def _distance_to(table: Table, space: Space) -> int:
    far = table.board.distances_from(table.alexander)
    return min(far[corner] for corner in corners(space))


def _target_name(one: Drawing) -> str:
    return phrases.format_places(one.view.table, one.marks.targets)


def _preview_outcome(one: Drawing) -> MarchOutcome:
    return outcome_of(one.view.table, one.marks.preview)


def caption_figure_7(one: Drawing) -> FigureText:
    table = one.view.table
    whole = province_at(table, table.guards[0][0])
    paid = symbols_on(table, whole.places) - symbols_on(table, whole.guards)
    return _caption(
        "figure_7",
        [(gettext("Paid"), paid)],
        symbols=len(whole.places),
        open=whole.value,
        name=table.names[0],
        temple=table.board.names[whole.guards[0]],
        horse=table.board.names[whole.guards[1]],
        cards=phrases.format_cards(paid),
    )


def caption_figure_8(one: Drawing) -> FigureText:
    table, aims = one.view.table, one.marks.targets
    [guard] = table.guards[0]
    inside = province_at(table, guard)
    [bare] = aims & set(inside.places)
    return _caption(
        "figure_8",
        [(gettext("Display"), table.display)],
        name=table.names[0],
        value=inside.value,
        guard=table.board.names[guard],
        bare=table.board.names[bare],
        mover=table.names[table.seat],
        spaces=len(aims),
        points=len(one.marks.labels),
    )


def caption_figure_9(one: Drawing) -> FigureText:
    table = one.view.table
    [guard] = table.guards[0]
    kept, [(_, way)] = province_at(table, guard), one.marks.marches
    free = province_at(table, min(one.marks.changed))
    return _caption(
        "figure_9", mover=table.names[table.seat], point=way[-1], kept=kept.value, free=free.value
    )


def caption_figure_10(shut: Drawing, by_hand: Drawing) -> FigureText:
    table, inside = by_hand.view.table, province_at(by_hand.view.table, by_hand.view.table.guards[0][0])
    assert not outcome_of(by_hand.view.table, by_hand.marks.preview).splits
    return _caption(
        "figure_10",
        guard=phrases.format_places(table, table.guards[0]),
        places=phrases.format_places(table, sorted(shut.marks.targets), "or"),
        place=phrases.format_places(table, by_hand.marks.targets),
        value=inside.value,
    )


def caption_figure_11(before: Drawing, now: Drawing) -> FigureText:
    table = before.view.table
    whole = province_at(table, table.guards[0][0])
    [guard] = now.view.table.guards[1]
    removed = removal_cost(table, whole)
    others = symbols_on(table, whole.places) - symbols_on(table, (guard,))
    played = removed + others
    return _caption(
        "figure_11",
        [(gettext("To remove the guards"), removed), (gettext("For the other symbols"), others)],
        taker=table.names[1],
        loser=table.names[0],
        number=len(played),
        given=loser_share(table, played),
        removed=phrases.format_cards(removed),
        place=table.board.names[guard],
        cards=phrases.format_cards(others),
    )


def caption_figure_12(one: Drawing) -> FigureText:
    table, scored = one.view.table, levy_gains(one.view.table)
    held = [province_at(table, guard) for guard in table.guards[1]]
    several = next(part for part in held if len(part.guards) > 1)
    alone = sorted((part.value for part in held if len(part.guards) == 1), reverse=True)
    [anna, ben, cleo, dirk] = table.names
    return _caption(
        "figure_12",
        [(gettext("Discarded"), ONE[Symbol.SOLDIER])],
        ben=ben,
        parts=" + ".join(map(str, alone)),
        sum=scored[1],
        several=several.value,
        cleo=cleo,
        gold=scored[2],
        dirk=dirk,
        violet=scored[3],
        anna=anna,
        blue=scored[0],
    )


Captioner = Callable[..., FigureText]
FIGURES: Sequence[tuple[str, str, str, Captioner]] = (
    ("4.3", "4.2 4.3", gettext_noop("The closest space for each card"), caption_figure_1),
    ("4.5", "4.1 4.5 4.6", gettext_noop("To the eastern corner"), caption_figure_2),
    ("4.5", "4.5 4.6 5.4 5.5", gettext_noop("To the southern corner"), caption_figure_3),
    ("4.5", "4.3 4.4 4.5", gettext_noop("Three targets, nine corners"), caption_figure_4),
    ("4.5", "4.5 4.6 6.1", gettext_noop("Fewest sides, not fewest walls"), caption_figure_5),
    ("4.7", "4.2 4.7 6.1", gettext_noop("Along old walls, or through a province"), caption_figure_6),
    ("5.6", "5.5 5.6", gettext_noop("A province with six symbols"), caption_figure_7),
    ("5.7", "4.4 4.5 5.5", gettext_noop("A guard with company"), caption_figure_8),
    ("5.7", "5.6 6.1", gettext_noop("Cut in two"), caption_figure_9),
    ("5.7", "4.1 4.2", gettext_noop("A better place for the guard"), caption_figure_10),
    ("5.10", "5.9 5.10", gettext_noop("Taken over"), caption_figure_11),
    ("5.12", "5.11 5.12", gettext_noop("One pays, everybody scores"), caption_figure_12),
)
"""For each figure: number of the adjacent rule, numbers of all rules shown, title, caption function."""


@dataclass(frozen=True, slots=True)
class Figure:
    number: int
    title: str
    clause: str
    shows: tuple[str, ...]
    drawings: tuple[Drawing, ...]
    words: FigureText


def caption_figures(board: Board) -> tuple[Figure, ...]:
    drawn = rule_figures.draw_figures(board)
    return tuple(
        Figure(number, gettext(title), clause, tuple(shows.split()), drawn[number], make(*drawn[number]))
        for number, (clause, shows, title, make) in enumerate(FIGURES, 1)
    )
