"""What happened, as sentences for one reader and as marks on his picture.

The reader is "you". What goes without saying (that a turn ended when its actions were spent) is not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import assert_never

from emails.i18n import say, say_many, sentence
from emails.picture.overlay import Marks
from emails.wording import options, phrases
from emails.wording.phrases import a, begun, cards, listed, places, say_of, shown, the, who
from engine.cards import Bag, Symbol
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
            mine = sentence("you drew %(cards)s from the supply")
            theirs = sentence("%(name)s drew %(cards)s from the supply")
            return say_of(table, seat, me, mine, theirs, cards=cards(found))
        case CardDrawnUnseen(seat):
            return say_many(
                "%(name)s drew a card from the supply",
                "%(name)s drew %(number)s cards from the supply",
                len(facts),
                name=shown(table.names[seat]),
            )
        case CardTaken(seat):
            return _took(table, seat, me, found)
        case CardOpened():
            return say("new in the display: %(cards)s", cards=cards(found))
        case _:
            return "; ".join(_sentence(fact, table, me) for fact in facts)


def _took(table: Table, seat: int, me: int | None, taken: Iterable[Symbol]) -> str:
    mine = sentence("you took %(cards)s from the display")
    theirs = sentence("%(name)s took %(cards)s from the display")
    return say_of(table, seat, me, mine, theirs, cards=listed(the(card) for card in taken))


def _sentence(fact: Told, table: Table, me: int | None) -> str:
    match fact:
        case CardChosen(seat, card, "display"):
            return _took(table, seat, me, [card])
        case CardChosen(seat, card):
            mine = sentence("you discarded %(card)s from hand")
            theirs = sentence("%(name)s discarded %(card)s from hand")
            return say_of(table, seat, me, mine, theirs, card=a(card))
        case AlexanderMarched():
            return _march(fact, table, me)
        case AlexanderStayed(seat, card):
            return _stayed(seat, card, table, me)
        case ProvinceOccupied(seat, guards, paid):
            mine = sentence("you occupied a province with %(guards)s, %(paid)s")
            theirs = sentence("%(name)s occupied a province with %(guards)s, %(paid)s")
            return say_of(table, seat, me, mine, theirs, guards=_guards(guards, table), paid=_paid(paid))
        case ProvinceTakenOver():
            return _takeover(fact, table, me)
        case TaxesLevied(seat, card, gains):
            mine = sentence("you levied taxes with %(card)s: %(gains)s")
            theirs = sentence("%(name)s levied taxes with %(card)s: %(gains)s")
            gained = ", ".join(f"{who(table, one, me)} {gain}" for one, gain in enumerate(gains) if gain)
            scored = gained or say("nobody scored")
            return say_of(table, seat, me, mine, theirs, card=a(card), gains=scored)
        case GuardRecalled(seat, place):
            mine = sentence("you took back the guard from %(place)s")
            theirs = sentence("%(name)s took back the guard from %(place)s")
            return say_of(table, seat, me, mine, theirs, place=table.board.names[place])
        case TurnEnded(seat):
            mine, theirs = sentence("you ended the turn early"), sentence("%(name)s ended the turn early")
            return say_of(table, seat, me, mine, theirs)
        case SupplyRenewed():
            return say("the discard pile was shuffled and became the supply")
        case GameStarted() | GameStartedUnseen():
            return _start(fact, table, me)
        case GameEnded(why, winners):
            return say_many(
                "%(ended)s: %(winners)s won",
                "%(ended)s: %(winners)s won",
                len(winners),
                ended=_ended(why, table),
                winners=listed(who(table, seat, me) for seat in winners),
            )
        case CardDrawn() | CardDrawnUnseen() | CardTaken() | CardOpened():
            return ""  # `_said` says these
        case _:
            assert_never(fact)


def _start(fact: GameStarted | GameStartedUnseen, table: Table, me: int | None) -> str:
    display, order = cards(fact.display), listed(who(table, seat, me) for seat in range(len(table.names)))
    if me is None:
        words = sentence("the game began; %(display)s lie in the display; turns go %(order)s")
        return say(words, display=display, order=order)
    dealt = fact.hands[me] if isinstance(fact, GameStarted) else fact.hand
    return say(
        "the game began; you were dealt %(hand)s; %(display)s lie in the display; turns go %(order)s",
        hand=cards(dealt),
        display=display,
        order=order,
    )


def _march(fact: AlexanderMarched, table: Table, me: int | None) -> str:
    return say_of(
        table,
        fact.seat,
        me,
        sentence("you marched to %(place)s via %(path)s and laid %(walls)s"),
        sentence("%(name)s marched to %(place)s via %(path)s and laid %(walls)s"),
        place=table.board.names[fact.target],
        path="-".join(str(point) for point in fact.path),
        walls=_laid(fact),
    )


def _laid(fact: AlexanderMarched) -> str:
    if not (laid := len(fact.walls)):
        return say("no wall")
    sides = ", ".join(str(side) for side in fact.walls)
    walls = say_many("%(number)s wall (%(sides)s)", "%(number)s walls (%(sides)s)", laid, sides=sides)
    if laid == len(fact.path) - 1:  # every side of the path, and that is told
        walls = phrases.walls(laid)
    if not fact.red:
        return walls
    if fact.red == laid:
        return say_many(
            "%(walls)s, all red: this is the last turn",
            "%(walls)s, all red: this is the last turn",
            laid,
            walls=walls,
        )
    return say("%(walls)s, %(red)s red: this is the last turn", walls=walls, red=fact.red)


def _stayed(seat: int, card: Symbol | None, table: Table, me: int | None) -> str:
    if card is None:
        return say("no march was possible: there was no card to take, and the game ends with this turn")
    mine = sentence("no march was possible: you took %(card)s, and the game ends with this turn")
    theirs = sentence("no march was possible: %(name)s took %(card)s, and the game ends with this turn")
    return say_of(table, seat, me, mine, theirs, card=the(card))


def _guards(guards: Sequence[Space], table: Table) -> str:
    where = places(table, guards)
    return say_many("a guard on %(places)s", "guards on %(places)s", len(guards), places=where)


def _paid(paid: Bag) -> str:
    return say("paying %(cards)s", cards=cards(paid)) if len(paid) else say("paying no card")


def _takeover(fact: ProvinceTakenOver, table: Table, me: int | None) -> str:
    loser, placed, paid = shown(table.names[fact.loser]), _guards(fact.guards, table), _paid(fact.paid)
    if fact.loser == me:
        words = sentence("%(name)s took over your province with %(guards)s, %(paid)s")
        said = say(words, name=shown(table.names[fact.seat]), guards=placed, paid=paid)
    else:
        mine = sentence("you took over %(loser)s's province with %(guards)s, %(paid)s")
        theirs = sentence("%(name)s took over %(loser)s's province with %(guards)s, %(paid)s")
        said = say_of(table, fact.seat, me, mine, theirs, loser=loser, guards=placed, paid=paid)
    if len(fact.given):
        mine = sentence("%(deed)s, of which you got %(cards)s")
        theirs = sentence("%(deed)s, of which %(name)s got %(cards)s")
        said = say_of(table, fact.loser, me, mine, theirs, deed=said, cards=cards(fact.given))
    return f"{said}; {_gone(fact, table, me)}"


def _gone(fact: ProvinceTakenOver, table: Table, me: int | None) -> str:
    where, many = places(table, fact.removed), len(fact.removed)
    if fact.loser == me:
        return say_many("your guard left %(places)s", "your guards left %(places)s", many, places=where)
    return say_many(
        "%(name)s's guard left %(places)s",
        "%(name)s's guards left %(places)s",
        many,
        name=shown(table.names[fact.loser]),
        places=where,
    )


def reason(table: Table) -> str:
    """Why the game ended, as a sentence; nothing before its end."""
    return "" if table.reason is None else begun(_ended(table.reason, table)) + "."


def _ended(why: Reason, table: Table) -> str:
    match why:
        case "points":
            words = sentence("the game ended, because %(number)s points were reached")
            return say(words, number=table.edition.winning_score)
        case "walls":
            return say("the game ended with the turn that laid the first red wall")
        case "no march":
            return say("the game ended, because no march was possible")
        case "stalemate":
            words = sentence("the game ended, because %(number)s turns had brought no wall and no point")
            return say(words, number=table.idle + 1)
        case _:
            assert_never(why)


# --- marks ----------------------------------------------------------------------------------------------


def marks(told: Sequence[Told], before: Table | None, view: View, preview: tuple[Point, ...] = ()) -> Marks:
    """What the picture points out: what happened since `before`, and what the reader can decide now."""
    marched = [fact for fact in told if isinstance(fact, AlexanderMarched)]
    return Marks(
        labels=options.labels(view),
        targets=frozenset(options.targets(view)),
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
