"""What happened, as sentences for one reader and as marks on their picture.

The reader is "you". What goes without saying (that a turn ended when its actions were spent) is not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import assert_never

from emails.i18n import gettext, gettext_noop, ngettext
from emails.picture.overlay import Overlay
from emails.seat_names import SeatNames
from emails.wording import options, phrases, standings
from emails.wording.phrases import (
    a_card,
    capitalize_first,
    format_cards,
    format_list,
    format_places,
    gettext_for_seat,
    name_or_you,
    safe_name,
    the_card,
)
from emails.wording.place_names import name_place
from engine.board import Point, Space
from engine.cards import Bag, Symbol
from engine.events import (
    AlexanderMarched,
    AlexanderStayed,
    CardChosen,
    CardDrawn,
    CardOpened,
    CardTaken,
    GameClosed,
    GameEnded,
    GameStarted,
    GuardRecalled,
    ProvinceOccupied,
    ProvinceTakenOver,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
    TurnSkipped,
)
from engine.position import CardDrawnVeiled, GameStartedVeiled, Table, View, VisibleEvent
from engine.provinces import provinces

# --- sentences ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NarrationLine:
    """One sentence of a narration, and where the first and the last fact that it tells stand among all."""

    words: str
    first: int
    last: int


def narrate_events(told: Sequence[VisibleEvent], view: View, names: Sequence[SeatNames] = ()) -> list[str]:
    """What happened, in order; actions of one kind done one after the other are one sentence.

    `names` are those of the seats at each fact; empty: as they are now.
    """
    return [line.words for line in narrate_lines(told, view, names)]


def narrate_lines(
    told: Sequence[VisibleEvent], view: View, names: Sequence[SeatNames] = ()
) -> list[NarrationLine]:
    """The same, each sentence with the facts it tells."""
    alike = groupby(
        _worth_narrating(told, view),
        key=lambda one: (type(one[1]), getattr(one[1], "seat", None), names[one[0]] if names else None),
    )
    found: list[NarrationLine] = []
    chosen = False
    for kind, called, group in ((kind, called, list(facts)) for (kind, _, called), facts in alike):
        known = view if called is None else called.name_seats(view)
        words, first, last = _narrate_group([fact for _, fact in group], known), group[0][0], group[-1][0]
        if chosen and kind is CardOpened:  # the card that fills the gap at once (4.1)
            words, first = f"{found[-1].words}; {words}", found.pop().first
        found.append(NarrationLine(words, first, last))
        chosen = kind is CardChosen
    return [NarrationLine(capitalize_first(line.words) + ".", line.first, line.last) for line in found]


def _worth_narrating(told: Sequence[VisibleEvent], view: View) -> Iterator[tuple[int, VisibleEvent]]:
    """All but the turns that ended because all actions allowed were spent, as far as the facts show it."""
    spent = allowed = view.table.edition.actions_per_turn
    for number, fact in enumerate(told):
        match fact:
            case TurnEnded():
                if spent < allowed or number == 0:
                    yield number, fact
                spent = allowed
                continue
            case AlexanderMarched() | AlexanderStayed():
                spent = 0
            case CardChosen() | CardOpened() | SupplyRenewed() | TurnSkipped():
                pass
            case _:
                spent += 1
        yield number, fact


def _narrate_group(facts: list[VisibleEvent], view: View) -> str:
    """The sentence for facts of one kind and one seat: only those about cards come several at a time."""
    table, me = view.table, view.me
    found = Bag.of(fact.card for fact in facts if isinstance(fact, CardDrawn | CardTaken | CardOpened))
    match facts[0]:
        case CardDrawn(seat):
            mine = gettext_noop("you drew %(cards)s from the supply")
            theirs = gettext_noop("%(name)s drew %(cards)s from the supply")
            return gettext_for_seat(table, seat, me, mine, theirs, cards=format_cards(found))
        case CardDrawnVeiled(seat):
            return ngettext(
                "%(name)s drew a card from the supply",
                "%(name)s drew %(number)s cards from the supply",
                len(facts),
                name=safe_name(table.names[seat]),
            )
        case CardTaken(seat):
            return _narrate_taking(table, seat, me, found)
        case CardOpened():
            return gettext("new in the display: %(cards)s", cards=format_cards(found))
        case _:
            return "; ".join(_narrate_event(fact, table, me) for fact in facts)


def _narrate_taking(table: Table, seat: int, me: int | None, taken: Iterable[Symbol]) -> str:
    mine = gettext_noop("you took %(cards)s from the display")
    theirs = gettext_noop("%(name)s took %(cards)s from the display")
    return gettext_for_seat(
        table, seat, me, mine, theirs, cards=format_list(the_card(card) for card in taken)
    )


def _narrate_event(fact: VisibleEvent, table: Table, me: int | None) -> str:
    match fact:
        case CardChosen(seat, card, "display"):
            return _narrate_taking(table, seat, me, [card])
        case CardChosen(seat, card):
            mine = gettext_noop("you discarded %(card)s from hand")
            theirs = gettext_noop("%(name)s discarded %(card)s from hand")
            return gettext_for_seat(table, seat, me, mine, theirs, card=a_card(card))
        case AlexanderMarched():
            return _narrate_march(fact, table, me)
        case AlexanderStayed(seat, card):
            return _narrate_stay(seat, card, table, me)
        case ProvinceOccupied(seat, guards, paid):
            mine = gettext_noop("you occupied a province with %(guards)s, %(paid)s")
            theirs = gettext_noop("%(name)s occupied a province with %(guards)s, %(paid)s")
            return gettext_for_seat(
                table, seat, me, mine, theirs, guards=_guards_phrase(guards, table), paid=_paid_phrase(paid)
            )
        case ProvinceTakenOver():
            return _narrate_takeover(fact, table, me)
        case TaxesLevied(seat, card, gains):
            mine = gettext_noop("you levied taxes with %(card)s: %(gains)s")
            theirs = gettext_noop("%(name)s levied taxes with %(card)s: %(gains)s")
            gained = ", ".join(
                f"{name_or_you(table, one, me)} {gain}" for one, gain in enumerate(gains) if gain
            )
            scored = gained or gettext("nobody scored")
            return gettext_for_seat(table, seat, me, mine, theirs, card=a_card(card), gains=scored)
        case GuardRecalled(seat, place):
            mine = gettext_noop("you took back the guard from %(place)s")
            theirs = gettext_noop("%(name)s took back the guard from %(place)s")
            return gettext_for_seat(table, seat, me, mine, theirs, place=name_place(table, place))
        case TurnEnded(seat):
            mine, theirs = (
                gettext_noop("you ended the turn early"),
                gettext_noop("%(name)s ended the turn early"),
            )
            return gettext_for_seat(table, seat, me, mine, theirs)
        case TurnSkipped(seat):
            mine, theirs = gettext_noop("your turn was skipped"), gettext_noop("%(name)s's turn was skipped")
            return gettext_for_seat(table, seat, me, mine, theirs)
        case SupplyRenewed():
            return gettext("the discard pile was shuffled and became the supply")
        case GameStarted() | GameStartedVeiled():
            return _narrate_start(fact, table, me)
        case GameEnded(winners=winners) | GameClosed(winners):
            why = "agreement" if isinstance(fact, GameClosed) else fact.reason
            return ngettext(
                "%(ended)s: %(winners)s won",
                "%(ended)s: %(winners)s won",
                len(winners),
                ended=standings.end_phrase(why, table),
                winners=format_list(name_or_you(table, seat, me) for seat in winners),
            )
        case CardDrawn() | CardDrawnVeiled() | CardTaken() | CardOpened():
            return ""  # `_said` says these
        case _:
            assert_never(fact)


def _narrate_start(fact: GameStarted | GameStartedVeiled, table: Table, me: int | None) -> str:
    display, order = (
        format_cards(fact.display),
        format_list(name_or_you(table, seat, me) for seat in range(len(table.names))),
    )
    if me is None:
        words = gettext_noop("the game began; %(display)s lie in the display; turns go %(order)s")
        return gettext(words, display=display, order=order)
    dealt = fact.hands[me] if isinstance(fact, GameStarted) else fact.hand
    return gettext(
        "the game began; you were dealt %(hand)s; %(display)s lie in the display; turns go %(order)s",
        hand=format_cards(dealt),
        display=display,
        order=order,
    )


def _narrate_march(fact: AlexanderMarched, table: Table, me: int | None) -> str:
    return gettext_for_seat(
        table,
        fact.seat,
        me,
        gettext_noop("you marched to %(place)s via %(path)s and laid %(walls)s"),
        gettext_noop("%(name)s marched to %(place)s via %(path)s and laid %(walls)s"),
        place=name_place(table, fact.target),
        path="-".join(str(point) for point in fact.path),
        walls=phrases.format_laid_walls(fact),
    )


def _narrate_stay(seat: int, card: Symbol | None, table: Table, me: int | None) -> str:
    if card is None:
        return gettext("no march was possible: there was no card to take, and the game ends with this turn")
    mine = gettext_noop("no march was possible: you took %(card)s, and the game ends with this turn")
    theirs = gettext_noop("no march was possible: %(name)s took %(card)s, and the game ends with this turn")
    return gettext_for_seat(table, seat, me, mine, theirs, card=the_card(card))


def _guards_phrase(guards: Sequence[Space], table: Table) -> str:
    where = format_places(table, guards)
    return ngettext("a guard on %(places)s", "guards on %(places)s", len(guards), places=where)


def _paid_phrase(paid: Bag) -> str:
    return gettext("paying %(cards)s", cards=format_cards(paid)) if len(paid) else gettext("paying no card")


def _narrate_takeover(fact: ProvinceTakenOver, table: Table, me: int | None) -> str:
    loser, placed, paid = (
        safe_name(table.names[fact.loser]),
        _guards_phrase(fact.guards, table),
        _paid_phrase(fact.paid),
    )
    if fact.loser == me:
        words = gettext_noop("%(name)s took over your province with %(guards)s, %(paid)s")
        phrase = gettext(words, name=safe_name(table.names[fact.seat]), guards=placed, paid=paid)
    else:
        mine = gettext_noop("you took over %(loser)s's province with %(guards)s, %(paid)s")
        theirs = gettext_noop("%(name)s took over %(loser)s's province with %(guards)s, %(paid)s")
        phrase = gettext_for_seat(table, fact.seat, me, mine, theirs, loser=loser, guards=placed, paid=paid)
    if len(fact.given):
        mine = gettext_noop("%(deed)s, of which you got %(cards)s")
        theirs = gettext_noop("%(deed)s, of which %(name)s got %(cards)s")
        phrase = gettext_for_seat(
            table, fact.loser, me, mine, theirs, deed=phrase, cards=format_cards(fact.given)
        )
    return f"{phrase}; {_removed_guards_phrase(fact, table, me)}"


def _removed_guards_phrase(fact: ProvinceTakenOver, table: Table, me: int | None) -> str:
    where, many = format_places(table, fact.removed), len(fact.removed)
    if fact.loser == me:
        return ngettext("your guard left %(places)s", "your guards left %(places)s", many, places=where)
    return ngettext(
        "%(name)s's guard left %(places)s",
        "%(name)s's guards left %(places)s",
        many,
        name=safe_name(table.names[fact.loser]),
        places=where,
    )


# --- marks ----------------------------------------------------------------------------------------------


def build_overlay(
    told: Sequence[VisibleEvent],
    before: Table | None,
    view: View,
    preview: tuple[Point, ...] = (),
    labels: Mapping[Point, str] | None = None,
) -> Overlay:
    """What the picture points out: what happened since `before`, and what the reader can decide now.

    With `labels` these corners alone, instead of those of the card that is chosen.
    """
    marched = [fact for fact in told if isinstance(fact, AlexanderMarched)]
    return Overlay(
        labels=options.number_corners(view, None) if labels is None else labels,
        targets=frozenset(options.reachable_targets(view)) if labels is None else frozenset(),
        marches=tuple((fact.seat, fact.path) for fact in marched),
        fresh=frozenset(side for fact in marched for side in fact.walls),
        changed=_changed_spaces(before, view.table) if before is not None else frozenset(),
        preview=preview,
    )


def _changed_spaces(before: Table, now: Table) -> frozenset[Space]:
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
