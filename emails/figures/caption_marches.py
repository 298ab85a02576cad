"""What figures 1 to 6 of the rules show: how Alexander moves. All numbers come from what is drawn."""

from __future__ import annotations

from emails.figures.plates import Plate, path
from emails.figures.rule_figures import Words
from emails.i18n import say
from emails.wording import phrases
from engine.lattice import Space, corners
from engine.marching import Outcome, Ways, new_walls, outcome
from engine.position import Table
from engine.provinces import Province


def first(one: Plate) -> Words:
    """Figure 1: one target for each card, and one too far away."""
    table = one.view.table
    horse, lyre = sorted(one.marks.targets)
    [other] = one.marks.changed
    return Words(
        say(
            "The game begins. The closest horse is %(horse)s and the closest lyre is %(lyre)s, each %(far)s "
            "sides from Alexander. The horse of %(other)s, which is hatched, is %(farther)s sides away, and "
            "so nobody can march there now.",
            horse=table.board.names[horse],
            lyre=table.board.names[lyre],
            far=_far(table, horse),
            other=table.board.names[other],
            farther=_far(table, other),
        ),
        cards=((say("Display"), table.display),),
    )


def second(one: Plate) -> Words:
    """Figure 2: a corner with one path."""
    table, way = one.view.table, one.marks.preview
    assert Ways(table, way[-1]).count() == 1
    return Words(
        say(
            "The lyre was chosen, and a soldier took its place in the display before anything else. To the "
            "eastern corner of %(place)s only one path has no more than %(sides)s sides: %(path)s. It "
            "builds %(walls)s walls.",
            place=_target(one),
            sides=len(way) - 1,
            path=path(way),
            walls=len(new_walls(table, way)),
        ),
        cards=((say("Display"), table.display),),
    )


def third(round_it: Plate, by_coast: Plate) -> Words:
    """Figure 3: a corner with three, of which one encloses something."""
    table, way = round_it.view.table, round_it.marks.preview
    [split] = outcome(table, way).splits
    enclosed = min(split.parts, key=lambda part: len(part.spaces))
    return Words(
        say(
            "He might go to the southern corner as well, %(point)s. That is %(sides)s sides away and takes "
            "%(walls)s walls, whichever of the %(ways)s shortest paths is taken; but what they enclose is "
            "not the same.",
            point=way[-1],
            sides=len(way) - 1,
            walls=len(new_walls(table, way)),
            ways=Ways(table, way[-1]).count(),
        ),
        (
            say(
                "%(path)s encloses a province of %(spaces)s spaces. %(symbols)s of them bear symbols and "
                "%(open)s are open, so it is worth %(open)s.",
                path=path(way),
                spaces=len(enclosed.spaces),
                symbols=len(enclosed.places),
                open=enclosed.value,
            ),
            say("%(path)s follows the coast and encloses nothing.", path=path(by_coast.marks.preview)),
        ),
    )


def fourth(one: Plate) -> Words:
    """Figure 4: several targets."""
    table, aims = one.view.table, sorted(one.marks.targets)
    return Words(
        say(
            "The next player marches from there with the soldier. %(places)s are all %(far)s sides away and "
            "no empty soldier space is closer, so any of them will do, and any of their corners: %(points)s "
            "different points.",
            places=phrases.places(table, aims),
            far=_far(table, aims[0]),
            points=len(one.marks.labels),
        )
    )


def fifth(*ways: Plate) -> Words:
    """Figure 5: paths that need fewer walls and more."""
    table, corner = ways[0].view.table, ways[0].marks.preview[-1]
    *short, (long, cut) = [(path(one.marks.preview), _cut(one)) for one in ways]
    return Words(
        say(
            "There are %(ways)s shortest paths to corner %(point)s of %(place)s, and each has %(sides)s "
            "sides. All of them may be taken: how many walls they need does not matter.",
            ways=Ways(table, corner).count(),
            point=corner,
            place=_target(ways[0]),
            sides=len(ways[0].marks.preview) - 1,
        ),
        (
            *(
                say(
                    "%(path)s runs along one wall that stands already and needs %(walls)s new ones.",
                    path=way,
                    walls=len(told.laid),
                )
                for way, told in short
            ),
            say(
                "%(path)s needs %(walls)s new walls and cuts off the largest province, %(spaces)s spaces.",
                path=long,
                walls=len(cut.laid),
                spaces=len(_smaller(cut).spaces),
            ),
        ),
    )


def sixth(old: Plate, through: Plate) -> Words:
    """Figure 6: paths over old walls and through a province."""
    table, corner = old.view.table, old.marks.preview[-1]
    told = _cut(through)
    return Words(
        say(
            "There are %(ways)s shortest paths to %(point)s, a corner of %(place)s that touches a wall; a "
            "space is empty all the same as long as no wall stands on its sides.",
            ways=Ways(table, corner).count(),
            point=corner,
            place=_target(old),
        ),
        (
            say("%(path)s follows walls all the way and builds nothing.", path=path(old.marks.preview)),
            say(
                "%(path)s builds %(walls)s walls through the closed province and splits it into %(parts)s.",
                path=path(through.marks.preview),
                walls=len(told.laid),
                parts=len(told.splits[0].parts),
            ),
        ),
    )


def _far(table: Table, space: Space) -> int:
    far = table.board.distances(table.alexander)
    return min(far[corner] for corner in corners(space))


def _target(one: Plate) -> str:
    return phrases.places(one.view.table, one.marks.targets)


def _cut(one: Plate) -> Outcome:
    return outcome(one.view.table, one.marks.preview)


def _smaller(told: Outcome) -> Province:
    return min(told.splits[0].parts, key=lambda part: len(part.spaces))
