"""What figures 7 to 12 of the rules show: provinces and taxes. All numbers come from what is drawn."""

from __future__ import annotations

from emails.figures.plates import Plate
from emails.figures.rule_figures import FigureText
from emails.i18n import gettext
from emails.wording import phrases
from engine import action_rules
from engine.cards import ONE, Symbol
from engine.march_rules import outcome_of
from engine.provinces import levy_gains, province_at


def caption_figure_7(one: Plate) -> FigureText:
    """Figure 7: how a province was occupied."""
    table = one.view.table
    whole = province_at(table, table.guards[0][0])
    paid = action_rules.symbols_on(table, whole.places) - action_rules.symbols_on(table, whole.guards)
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


def caption_figure_8(one: Plate) -> FigureText:
    """Figure 8: where Alexander may be sent."""
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


def caption_figure_9(one: Plate) -> FigureText:
    """Figure 9: what a march makes of a province."""
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


def caption_figure_10(shut: Plate, by_hand: Plate) -> FigureText:
    """Figure 10: how it would have been kept whole."""
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


def caption_figure_11(before: Plate, now: Plate) -> FigureText:
    """Figure 11: how a province is taken over."""
    table = before.view.table
    whole = province_at(table, table.guards[0][0])
    [guard] = now.view.table.guards[1]
    removed = action_rules.removal_cost(table, whole)
    others = action_rules.symbols_on(table, whole.places) - action_rules.symbols_on(table, (guard,))
    played = removed + others
    return FigureText(
        gettext(
            "%(taker)s takes the province of figure 7 over from %(loser)s. That costs "
            "%(taker)s %(number)s cards. Among three or four players %(loser)s receives %(given)s of them, "
            "and %(taker)s chooses which; between two players %(loser)s would receive none.",
            taker=table.names[1],
            loser=table.names[0],
            number=len(played),
            given=action_rules.loser_share(table, played),
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


def caption_figure_12(one: Plate) -> FigureText:
    """Figure 12: what a levy brings to each."""
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
