"""What happened, as sentences for one reader and as marks on his picture.

The reader is "you". What goes without saying (that a turn ended when its actions were spent) is not told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import assert_never

from emails import choices
from emails.marks import Marks
from emails.wording import a, begun, cards, counted, listed, places, who, whose
from engine.cards import Bag
from engine.events import (
    AlexanderMarched,
    AlexanderStayed,
    CardChosen,
    CardDrawn,
    CardOpened,
    CardTaken,
    GameEnded,
    GameStarted,
    GuardRecalled,
    ProvinceOccupied,
    ProvinceTakenOver,
    Reason,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
)
from engine.lattice import Point, Space
from engine.position import ACTIONS, Table, View
from engine.provinces import provinces
from engine.views import CardDrawnUnseen, GameStartedUnseen, Told

# --- sentences ------------------------------------------------------------------------------------------


def sentences(told: Sequence[Told], view: View) -> list[str]:
    """What happened, in order; deeds of one kind done one after the other are one sentence."""
    alike = groupby(_worth_telling(told), key=lambda fact: (type(fact), getattr(fact, "seat", None)))
    found: list[str] = []
    chosen = False
    for kind, group in ((kind, list(facts)) for (kind, _), facts in alike):
        if chosen and kind is CardOpened:  # the card that fills the gap at once (4.1)
            found[-1] += f"; {_said(group, view)}"
        else:
            found.append(_said(group, view))
        chosen = kind is CardChosen
    return [begun(sentence) + "." for sentence in found]


def _worth_telling(told: Sequence[Told]) -> Iterator[Told]:
    """All but the turns that ended because both actions were spent, as far as the facts show it."""
    spent = ACTIONS
    for number, fact in enumerate(told):
        match fact:
            case TurnEnded():
                if spent < ACTIONS or number == 0:
                    yield fact
                spent = ACTIONS
                continue
            case AlexanderMarched() | AlexanderStayed():
                spent = 0
            case CardChosen() | CardOpened() | SupplyRenewed():
                pass
            case _:
                spent += 1
        yield fact


def _said(facts: list[Told], view: View) -> str:
    """The sentence for facts of one kind and one seat: only those about cards come several at a time."""
    table, me = view.table, view.me
    found = Bag.of(fact.card for fact in facts if isinstance(fact, CardDrawn | CardTaken | CardOpened))
    match facts[0]:
        case CardDrawn(seat):
            return f"{who(table, seat, me)} drew {cards(found)} from the supply"
        case CardDrawnUnseen(seat):
            many = "a card" if len(facts) == 1 else f"{len(facts)} cards"
            return f"{who(table, seat, me)} drew {many} from the supply"
        case CardTaken(seat):
            taken = listed(f"the {card}" for card in found)
            return f"{who(table, seat, me)} took {taken} from the display"
        case CardOpened():
            return f"new in the display: {cards(found)}"
        case _:
            return "; ".join(_sentence(fact, table, me) for fact in facts)


def _sentence(fact: Told, table: Table, me: int | None) -> str:
    match fact:
        case CardChosen(seat, card, "display"):
            return f"{who(table, seat, me)} took the {card} from the display"
        case CardChosen(seat, card):
            return f"{who(table, seat, me)} discarded {a(card)} from hand"
        case AlexanderMarched(seat):
            return f"{who(table, seat, me)} {_march(fact, table)}"
        case AlexanderStayed(seat, card):
            took = f"{who(table, seat, me)} took the {card}" if card else "there was no card to take"
            return f"no march was possible: {took}, and the game ends with this turn"
        case ProvinceOccupied(seat, guards, paid):
            return f"{who(table, seat, me)} occupied a province with {_guards(guards, table)}, {_paid(paid)}"
        case ProvinceTakenOver():
            return _takeover(fact, table, me)
        case TaxesLevied(seat, card, gains):
            gained = [f"{who(table, one, me)} {gain}" for one, gain in enumerate(gains) if gain]
            scored = ", ".join(gained) or "nobody scored"
            return f"{who(table, seat, me)} levied taxes with {a(card)}: {scored}"
        case GuardRecalled(seat, place):
            return f"{who(table, seat, me)} took back the guard from {places(table, [place])}"
        case TurnEnded(seat):
            return f"{who(table, seat, me)} ended the turn early"
        case SupplyRenewed():
            return "the discard pile was shuffled and became the supply"
        case GameStarted() | GameStartedUnseen():
            order = listed(who(table, seat, me) for seat in range(len(table.names)))
            dealt = f"; you were dealt {cards(_dealt(fact, me))}" if me is not None else ""
            return f"the game began{dealt}; {cards(fact.display)} lie in the display; turns go {order}"
        case GameEnded(why, winners):
            won = listed(who(table, seat, me) for seat in winners)
            return f"the game ended{_why(why, table)}: {won} won"
        case CardDrawn() | CardDrawnUnseen() | CardTaken() | CardOpened():
            return ""  # `_told` says these
        case _:
            assert_never(fact)


def _dealt(fact: GameStarted | GameStartedUnseen, me: int | None) -> Bag:
    if isinstance(fact, GameStarted):
        return Bag() if me is None else fact.hands[me]
    return fact.hand


def _march(fact: AlexanderMarched, table: Table) -> str:
    path = "-".join(str(point) for point in fact.path)
    sides = ", ".join(str(side) for side in fact.walls)
    laid = f"laid {counted(len(fact.walls), 'wall')} ({sides})" if fact.walls else "laid no wall"
    red = (
        f", {'all' if fact.red == len(fact.walls) else fact.red} red: this is the last turn"
        if fact.red
        else ""
    )
    return f"marched to {places(table, [fact.target])} by {path} and {laid}{red}"


def _guards(guards: Sequence[Space], table: Table) -> str:
    return f"{'a guard' if len(guards) == 1 else 'guards'} on {places(table, guards)}"


def _paid(paid: Bag) -> str:
    return f"paying {cards(paid)}" if len(paid) else "paying no card"


def _takeover(fact: ProvinceTakenOver, table: Table, me: int | None) -> str:
    loser = who(table, fact.loser, me)
    removed = f"{whose(table, fact.loser, me)} {'guard' if len(fact.removed) == 1 else 'guards'}"
    given = f", of which {loser} got {cards(fact.given)}" if len(fact.given) else ""
    taken = f"{who(table, fact.seat, me)} took over {whose(table, fact.loser, me)} province"
    placed = f"with {_guards(fact.guards, table)}, {_paid(fact.paid)}{given}"
    return f"{taken} {placed}; {removed} left {places(table, fact.removed)}"


def reason(table: Table) -> str:
    """Why the game ended, as a sentence; nothing before its end."""
    return "" if table.reason is None else f"The game ended{_why(table.reason, table)}."


def _why(why: Reason, table: Table) -> str:
    match why:
        case "points":
            return f", for {table.edition.winning_score} points were reached"
        case "walls":
            return " with the turn that laid the first red wall"
        case "no march":
            return ", for no march was possible"
        case "stalemate":
            return f", for {table.idle + 1} turns had brought no wall and no point"
        case _:
            assert_never(why)


# --- marks ----------------------------------------------------------------------------------------------


def marks(told: Sequence[Told], before: Table | None, view: View, preview: tuple[Point, ...] = ()) -> Marks:
    """What the picture points out: what happened since `before`, and what the reader can decide now."""
    marched = [fact for fact in told if isinstance(fact, AlexanderMarched)]
    return Marks(
        labels=choices.labels(view),
        targets=frozenset(choices.targets(view)),
        marches=tuple((fact.seat, fact.path) for fact in marched),
        fresh=frozenset(side for fact in marched for side in fact.walls),
        changed=_changed(before, view.table) if before is not None else frozenset(),
        preview=preview,
    )


def _changed(before: Table, now: Table) -> frozenset[Space]:
    """The spaces of provinces that changed hands, and those that were cut off a larger one.

    What is left of a province that nobody holds is not marked: most of the board would be.
    """
    home = {space: province for province in provinces(before) for space in province.spaces}
    largest: dict[Space, int] = {}
    for province in provinces(now):
        was = home[province.first].first
        largest[was] = max(largest.get(was, 0), len(province.spaces))
    found: set[Space] = set()
    for province in provinces(now):
        was_part = home[province.first]
        split = len(province.spaces) < len(was_part.spaces)
        rest = province.holder is None and len(province.spaces) == largest[was_part.first]
        if province.holder != was_part.holder or (split and not rest):
            found.update(province.spaces)
    return frozenset(found)
