"""Captions of the figures of the rules; all numbers are computed from the positions drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from emails.figures import rule_figures
from emails.figures.rule_figures import Drawing, FigureText, format_path
from emails.i18n import gettext, gettext_noop
from emails.wording import phrases
from engine.board import Board, Space, corners
from engine.cards import ONE, Symbol
from engine.march_rules import MarchOutcome, ShortestPaths, new_walls, outcome_of
from engine.position import Table
from engine.provinces import levy_gains, loser_share, province_at, removal_cost, symbols_on


def caption_figure_1(one: Drawing) -> FigureText:
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


def caption_figure_2(one: Drawing) -> FigureText:
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


def caption_figure_3(round_it: Drawing, by_coast: Drawing) -> FigureText:
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


def caption_figure_4(one: Drawing) -> FigureText:
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


def caption_figure_5(*ways: Drawing) -> FigureText:
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
                spaces=min(len(part.spaces) for part in cut.splits[0].parts),
            ),
        ),
    )


def caption_figure_6(old: Drawing, through: Drawing) -> FigureText:
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


def _target_name(one: Drawing) -> str:
    return phrases.format_places(one.view.table, one.marks.targets)


def _preview_outcome(one: Drawing) -> MarchOutcome:
    return outcome_of(one.view.table, one.marks.preview)


def caption_figure_7(one: Drawing) -> FigureText:
    table = one.view.table
    whole = province_at(table, table.guards[0][0])
    paid = symbols_on(table, whole.places) - symbols_on(table, whole.guards)
    return FigureText(
        gettext(
            "This province has %(symbols)s symbol spaces and %(open)s open ones, so it is worth %(open)s. "
            "%(name)s occupied it with guards on a temple, %(temple)s, and on the horse, %(horse)s, and "
            "paid %(cards)s for the others. A horse card, or one more temple card, could have spared "
            "one of the guards; now that there are two, the province scores nothing, and its worth stands "
            "in brackets.",
            symbols=len(whole.places),
            open=whole.value,
            name=table.names[0],
            temple=table.board.names[whole.guards[0]],
            horse=table.board.names[whole.guards[1]],
            cards=phrases.format_cards(paid),
        ),
        cards=((gettext("Paid"), paid),),
    )


def caption_figure_8(one: Drawing) -> FigureText:
    table, aims = one.view.table, one.marks.targets
    [guard] = table.guards[0]
    inside = province_at(table, guard)
    [bare] = aims & set(inside.places)
    return FigureText(
        gettext(
            "%(name)s's province is worth %(value)s. Its one guard stands on a horse space, %(guard)s, and "
            "there is an empty soldier space in it too: %(bare)s. %(mover)s, who is to move, may send "
            "Alexander to %(spaces)s spaces with the two cards of the display. They have %(points)s "
            "different corners, since two of the spaces share one.",
            name=table.names[0],
            value=inside.value,
            guard=table.board.names[guard],
            bare=table.board.names[bare],
            mover=table.names[table.seat],
            spaces=len(aims),
            points=len(one.marks.labels),
        ),
        cards=((gettext("Display"), table.display),),
    )


def caption_figure_9(one: Drawing) -> FigureText:
    table = one.view.table
    [guard] = table.guards[0]
    kept, [(_, way)] = province_at(table, guard), one.marks.marches
    free = province_at(table, min(one.marks.changed))
    return FigureText(
        gettext(
            "%(mover)s marches to the northern corner of that space, %(point)s, and the walls split the "
            "province. The eastern part keeps the guard and is worth %(kept)s. The western part, hatched, "
            "is free and worth %(free)s, and %(mover)s may occupy it in the same turn.",
            mover=table.names[table.seat],
            point=way[-1],
            kept=kept.value,
            free=free.value,
        )
    )


def caption_figure_10(shut: Drawing, by_hand: Drawing) -> FigureText:
    table, inside = by_hand.view.table, province_at(by_hand.view.table, by_hand.view.table.guards[0][0])
    assert not outcome_of(by_hand.view.table, by_hand.marks.preview).splits
    return FigureText(
        gettext(
            "It would have been better to put the guard on the soldier space, %(guard)s, because a space "
            "with a guard is no target.",
            guard=phrases.format_places(table, table.guards[0]),
        ),
        (
            gettext(
                "The cards of the display now lead only to %(places)s, and no path there builds a wall in "
                "the province.",
                places=phrases.format_places(table, sorted(shut.marks.targets), "or"),
            ),
            gettext(
                "A horse card from the hand still leads inside, to %(place)s; but its walls end there, and "
                "the province stays whole and worth %(value)s.",
                place=phrases.format_places(table, by_hand.marks.targets),
                value=inside.value,
            ),
        ),
    )


def caption_figure_11(before: Drawing, now: Drawing) -> FigureText:
    table = before.view.table
    whole = province_at(table, table.guards[0][0])
    [guard] = now.view.table.guards[1]
    removed = removal_cost(table, whole)
    others = symbols_on(table, whole.places) - symbols_on(table, (guard,))
    played = removed + others
    return FigureText(
        gettext(
            "%(taker)s takes the province of figure 7 over from %(loser)s. That costs "
            "%(taker)s %(number)s cards. Among three or four players %(loser)s receives %(given)s of them, "
            "and %(taker)s chooses which; between two players %(loser)s would receive none.",
            taker=table.names[1],
            loser=table.names[0],
            number=len(played),
            given=loser_share(table, played),
        ),
        (
            gettext("Two cards remove each of the guards: %(cards)s.", cards=phrases.format_cards(removed)),
            gettext(
                "The guard of %(taker)s goes on the lyre space, %(place)s; %(cards)s pay for the other "
                "symbols.",
                taker=table.names[1],
                place=table.board.names[guard],
                cards=phrases.format_cards(others),
            ),
        ),
        ((gettext("To remove the guards"), removed), (gettext("For the other symbols"), others)),
    )


def caption_figure_12(one: Drawing) -> FigureText:
    table, scored = one.view.table, levy_gains(one.view.table)
    held = [province_at(table, guard) for guard in table.guards[1]]
    several = next(part for part in held if len(part.guards) > 1)
    alone = sorted((part.value for part in held if len(part.guards) == 1), reverse=True)
    [anna, ben, cleo, dirk] = table.names
    return FigureText(
        gettext(
            "%(ben)s (red) pays one soldier card; it is enough that a red guard stands on a soldier "
            "space, even if the province there has two guards. %(ben)s scores %(parts)s = %(sum)s: the "
            "province worth %(several)s with two guards counts nothing. The others score too: %(cleo)s "
            "(gold) %(gold)s, %(dirk)s (violet) %(violet)s, %(anna)s (blue) %(blue)s.",
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
        ),
        cards=((gettext("Discarded"), ONE[Symbol.SOLDIER]),),
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
"""For each figure: the rule printed beside the figure, the rules that it shows, title, caption function."""


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
