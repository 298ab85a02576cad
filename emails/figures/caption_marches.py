"""What figures 1 to 6 of the rules show: how Alexander moves. All numbers come from what is drawn."""

from __future__ import annotations

from emails.figures.plates import Plate, format_path
from emails.figures.rule_figures import FigureText
from emails.i18n import gettext
from emails.wording import phrases
from engine.board import Space, corners
from engine.march_rules import MarchOutcome, ShortestPaths, new_walls, outcome_of
from engine.position import Table
from engine.provinces import Province


def caption_figure_1(one: Plate) -> FigureText:
    """Figure 1: one target for each card, and one too far away."""
    table = one.view.table
    horse, lyre = sorted(one.marks.targets)
    [other] = one.marks.changed
    return FigureText(
        gettext(
            "The game begins. The closest horse is %(horse)s and the closest lyre is %(lyre)s, each %(far)s "
            "sides from Alexander. The horse of %(other)s, which is hatched, is %(farther)s sides away, and "
            "so nobody can march there now.",
            horse=table.board.names[horse],
            lyre=table.board.names[lyre],
            far=_distance_to(table, horse),
            other=table.board.names[other],
            farther=_distance_to(table, other),
        ),
        cards=((gettext("Display"), table.display),),
    )


def caption_figure_2(one: Plate) -> FigureText:
    """Figure 2: a corner with one path."""
    table, way = one.view.table, one.marks.preview
    assert ShortestPaths(table, way[-1]).count() == 1
    return FigureText(
        gettext(
            "The lyre was chosen, and a soldier took its place in the display before anything else. To the "
            "eastern corner of %(place)s only one path has no more than %(sides)s sides: %(path)s. It "
            "builds %(walls)s walls.",
            place=_target_name(one),
            sides=len(way) - 1,
            path=format_path(way),
            walls=len(new_walls(table, way)),
        ),
        cards=((gettext("Display"), table.display),),
    )


def caption_figure_3(round_it: Plate, by_coast: Plate) -> FigureText:
    """Figure 3: a corner with three, of which one encloses something."""
    table, way = round_it.view.table, round_it.marks.preview
    [split] = outcome_of(table, way).splits
    enclosed = min(split.parts, key=lambda part: len(part.spaces))
    return FigureText(
        gettext(
            "He might go to the southern corner as well, %(point)s. That is %(sides)s sides away and takes "
            "%(walls)s walls, whichever of the %(ways)s shortest paths is taken; but what they enclose is "
            "not the same.",
            point=way[-1],
            sides=len(way) - 1,
            walls=len(new_walls(table, way)),
            ways=ShortestPaths(table, way[-1]).count(),
        ),
        (
            gettext(
                "%(path)s encloses a province of %(spaces)s spaces. %(symbols)s of them bear symbols and "
                "%(open)s are open, so it is worth %(open)s.",
                path=format_path(way),
                spaces=len(enclosed.spaces),
                symbols=len(enclosed.places),
                open=enclosed.value,
            ),
            gettext(
                "%(path)s follows the coast and encloses nothing.", path=format_path(by_coast.marks.preview)
            ),
        ),
    )


def caption_figure_4(one: Plate) -> FigureText:
    """Figure 4: several targets."""
    table, aims = one.view.table, sorted(one.marks.targets)
    return FigureText(
        gettext(
            "The next player marches from there with the soldier. %(places)s are all %(far)s sides away and "
            "no empty soldier space is closer, so any of them will do, and any of their corners: %(points)s "
            "different points.",
            places=phrases.format_places(table, aims),
            far=_distance_to(table, aims[0]),
            points=len(one.marks.labels),
        )
    )


def caption_figure_5(*ways: Plate) -> FigureText:
    """Figure 5: paths that need fewer walls and more."""
    table, corner = ways[0].view.table, ways[0].marks.preview[-1]
    *short, (long, cut) = [(format_path(one.marks.preview), _preview_outcome(one)) for one in ways]
    return FigureText(
        gettext(
            "There are %(ways)s shortest paths to corner %(point)s of %(place)s, and each has %(sides)s "
            "sides. All of them may be taken: how many walls they need does not matter.",
            ways=ShortestPaths(table, corner).count(),
            point=corner,
            place=_target_name(ways[0]),
            sides=len(ways[0].marks.preview) - 1,
        ),
        (
            *(
                gettext(
                    "%(path)s runs along one wall that stands already and needs %(walls)s new ones.",
                    path=way,
                    walls=len(told.laid),
                )
                for way, told in short
            ),
            gettext(
                "%(path)s needs %(walls)s new walls and cuts off the largest province, %(spaces)s spaces.",
                path=long,
                walls=len(cut.laid),
                spaces=len(_smaller_part(cut).spaces),
            ),
        ),
    )


def caption_figure_6(old: Plate, through: Plate) -> FigureText:
    """Figure 6: paths over old walls and through a province."""
    table, corner = old.view.table, old.marks.preview[-1]
    told = _preview_outcome(through)
    return FigureText(
        gettext(
            "There are %(ways)s shortest paths to %(point)s, a corner of %(place)s that touches a wall; a "
            "space is empty all the same as long as no wall stands on its sides.",
            ways=ShortestPaths(table, corner).count(),
            point=corner,
            place=_target_name(old),
        ),
        (
            gettext(
                "%(path)s follows walls all the way and builds nothing.", path=format_path(old.marks.preview)
            ),
            gettext(
                "%(path)s builds %(walls)s walls through the closed province and splits it into %(parts)s.",
                path=format_path(through.marks.preview),
                walls=len(told.laid),
                parts=len(told.splits[0].parts),
            ),
        ),
    )


def _distance_to(table: Table, space: Space) -> int:
    far = table.board.distances_from(table.alexander)
    return min(far[corner] for corner in corners(space))


def _target_name(one: Plate) -> str:
    return phrases.format_places(one.view.table, one.marks.targets)


def _preview_outcome(one: Plate) -> MarchOutcome:
    return outcome_of(one.view.table, one.marks.preview)


def _smaller_part(told: MarchOutcome) -> Province:
    return min(told.splits[0].parts, key=lambda part: len(part.spaces))
