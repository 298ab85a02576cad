"""What happened in each turn, in one line: where somebody marched, what they got, what a levy brought.

The sentences of narration.py tell each action; here the actions of a turn are folded into one sentence, for
whoever has a few seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from emails.i18n import gettext, gettext_noop, ngettext
from emails.seat_names import SeatNames
from emails.wording import phrases
from engine.board import Space
from engine.cards import Bag
from engine.events import (
    AlexanderMarched,
    AlexanderStayed,
    CardChosen,
    CardDrawn,
    CardTaken,
    GameEnded,
    GuardRecalled,
    ProvinceOccupied,
    ProvinceTakenOver,
    TaxesLevied,
    TurnOver,
    TurnSkipped,
)
from engine.position import CardDrawnVeiled, Table, View, VisibleEvent
from engine.provinces import province_at

MOST_TURNS_TOLD = 6
"""Turns that are told of what happened since the reader's last one."""


TOLD_EVENTS = (
    CardChosen,
    AlexanderMarched,
    AlexanderStayed,
    CardTaken,
    CardDrawn,
    CardDrawnVeiled,
    ProvinceOccupied,
    ProvinceTakenOver,
    TaxesLevied,
    GuardRecalled,
    GameEnded,
)
"""What somebody does, and is told of a turn; the rest comes of it."""


@dataclass(frozen=True, slots=True)
class TurnNews:
    """What one seat did in a turn, which may not have ended yet."""

    number: int
    seat: int
    events: tuple[VisibleEvent, ...]
    """With the cards that filled the display after it (3.3)."""
    names: tuple[SeatNames, ...] = ()
    """Those of the seats at each of them; empty: as they are now."""

    def views_from(self, view: View) -> list[View]:
        """What the reader knows, with the names of the time of each fact."""
        return [one.name_seats(view) for one in self.names] or [view] * len(self.events)

    @property
    def is_skipped(self) -> bool:
        """Whether nobody played it."""
        return isinstance(self.events[0], TurnSkipped)


def split_turns(
    happened: Sequence[VisibleEvent],
) -> tuple[list[VisibleEvent], list[list[VisibleEvent]]]:
    """What came before anybody did anything, then each turn with the cards that fill the display after it."""
    found: list[list[VisibleEvent]] = [[]]
    ended = True
    for fact in happened:
        if ended and getattr(fact, "seat", None) is not None:
            found.append([])
            ended = False
        found[-1].append(fact)
        ended = ended or isinstance(fact, TurnOver)
    return found[0], found[1:]


def names_in_turns(happened: Sequence[VisibleEvent], names: Sequence[SeatNames]) -> tuple[SeatNames, ...]:
    """Who had the seats as each turn of a game was begun, of those at each of its facts; empty: as now."""
    began, turns = split_turns(happened)
    begun = accumulate(map(len, turns), initial=len(began))
    return tuple(names[number] for number, _ in zip(begun, turns, strict=False)) if names else ()


def list_turns(
    happened: Sequence[VisibleEvent], table: Table, later: int = 0, names: Sequence[SeatNames] = ()
) -> list[TurnNews]:
    """The turns of some facts with their numbers; so many `later` turns ended before the table was so.

    `names` are those of the seats at each fact; empty: as they are now.
    """
    began, turns = split_turns(happened)
    ended = sum(isinstance(fact, TurnOver) for fact in happened) + later
    found, told = list[TurnNews](), len(began)
    for number, events in enumerate(turns, table.turn - ended):
        called = tuple(names[told : told + len(events)])
        found.append(TurnNews(number, getattr(events[0], "seat", 0), tuple(events), called))
        told += len(events)
    return found


def tell_turns(
    happened: Sequence[VisibleEvent],
    view: View,
    *,
    later: int = 0,
    most: int = MOST_TURNS_TOLD,
    names: Sequence[SeatNames] = (),
) -> list[str]:
    """The last turns, a sentence each; before them how many are left out.

    `later` and `names`: as in `list_turns`.
    """
    turns = list_turns(happened, view.table, later, names)
    told = [tell_turn(turn, view) for turn in turns[-most:]]
    if len(turns) <= most:
        return told
    left = len(turns) - most + 1
    words = ngettext(
        "%(number)s earlier turn is not told here.", "%(number)s earlier turns are not told here.", left
    )
    return [words, *told[1:]]


def tell_turn(turn: TurnNews, view: View) -> str:
    """A turn as a sentence, in which whoever had a seat then is named."""
    name = name_mover(turn, view)
    if turn.is_skipped:
        return gettext("Turn %(turn)s: %(name)s, skipped.", turn=turn.number, name=name)
    clauses = phrases.format_list(list(_list_clauses(turn, view)) or [gettext("ended the turn")])
    return gettext("Turn %(turn)s: %(name)s %(deeds)s.", turn=turn.number, name=name, deeds=clauses)


def name_mover(turn: TurnNews, view: View) -> str:
    """Who played a turn; both where the seat was passed on in its midst."""
    known = zip(turn.events, turn.views_from(view), strict=True)
    called = [then for fact, then in known if isinstance(fact, TOLD_EVENTS)] or turn.views_from(view)[:1]
    names = (phrases.name_or_you(then.table, turn.seat, then.me) for then in called)
    return phrases.format_list(list(dict.fromkeys(names)))


def headline_of(turn: TurnNews, view: View) -> str:
    """The weightiest action of a turn in a few words that strangers may read."""
    table, name = view.table, name_mover(turn, view)
    found: dict[type[VisibleEvent], VisibleEvent] = {type(fact): fact for fact in reversed(turn.events)}
    words, places = gettext_noop("%(name)s has played"), ""
    if isinstance(taken := found.get(ProvinceTakenOver), ProvinceTakenOver):
        words, places = gettext_noop("%(name)s took over %(places)s"), _places(table, taken.removed)
    elif isinstance(held := found.get(ProvinceOccupied), ProvinceOccupied):
        words, places = gettext_noop("%(name)s occupied %(places)s"), _places(table, held.guards)
    elif TaxesLevied in found:
        words = gettext_noop("%(name)s levied taxes")
    elif isinstance(march := found.get(AlexanderMarched), AlexanderMarched):
        words, places = gettext_noop("%(name)s marched to %(places)s"), _places(table, [march.target])
    return phrases.capitalize_first(gettext(words, name=name, places=places))


# --- the actions of a turn --------------------------------------------------------------------------------


def _list_clauses(turn: TurnNews, view: View) -> Iterator[str]:
    """What somebody did, each as a verb with its objects, in the order in which it was done.

    The card of a march is told with it; cards that were got one after the other are told together.
    """
    table, chosen = view.table, list[CardChosen]()
    known = zip(turn.events, turn.views_from(view), strict=True)
    for kind, group in groupby(
        (one for one in known if isinstance(one[0], TOLD_EVENTS)), key=lambda one: type(one[0])
    ):
        facts = list(group)
        if kind in (CardTaken, CardDrawn, CardDrawnVeiled):
            yield _cards([fact for fact, _ in facts])
            continue
        for fact, then in facts:
            match fact:
                case CardChosen():
                    chosen.append(fact)
                case AlexanderMarched():
                    yield _march(fact, chosen.pop() if chosen else None, table)
                case AlexanderStayed():
                    yield gettext("could not march")
                case ProvinceOccupied(seat, guards):
                    where = _places(table, guards) + _details(_brings(table, seat, guards))
                    yield gettext("occupied %(places)s", places=where)
                case ProvinceTakenOver():
                    yield _takeover(fact, then)
                case TaxesLevied(_, _, gains):
                    scored = (
                        f"{phrases.name_or_you(then.table, seat, then.me)} +{gain}"
                        for seat, gain in enumerate(gains)
                        if gain
                    )
                    gained = ", ".join(scored) or gettext("nobody scored")
                    yield gettext("levied taxes (%(gains)s)", gains=gained)
                case GuardRecalled(_, place):
                    yield gettext("took back the guard on %(place)s", place=_places(table, [place]))
                case GameEnded():
                    yield gettext("ended the game")
                case _:
                    pass
    yield from map(_choice, chosen)


def _choice(fact: CardChosen) -> str:
    """The card for a march that has not been done yet."""
    if fact.source == "display":
        return gettext("took %(cards)s", cards=phrases.a_card(fact.card))
    return gettext("discarded %(card)s", card=phrases.a_card(fact.card))


def _march(fact: AlexanderMarched, chosen: CardChosen | None, table: Table) -> str:
    """A march with its card, where that was chosen in the same turn."""
    laid, place = len(fact.walls), _places(table, [fact.target])
    if laid:
        walls = phrases.format_walls(laid)
        place += _details([gettext("%(walls)s: the last turn", walls=walls) if fact.red else walls])
    if chosen is None:
        return gettext("marched to %(place)s", place=place)
    card = phrases.a_card(chosen.card)
    if chosen.source == "display":
        return gettext("marched with %(card)s from the display to %(place)s", card=card, place=place)
    return gettext("marched with %(card)s from hand to %(place)s", card=card, place=place)


def _takeover(fact: ProvinceTakenOver, view: View) -> str:
    """A takeover of what its loser held, by the name that it had, and where the guards stand now."""
    table, details = view.table, list[str]()
    if set(fact.guards) != set(fact.removed):
        where = _places(table, fact.guards)
        details.append(
            ngettext("guard on %(places)s", "guards on %(places)s", len(fact.guards), places=where)
        )
    details += _brings(table, fact.seat, fact.guards)
    if fact.loser == view.me and len(fact.given):
        details.append(gettext("you got %(cards)s", cards=phrases.format_cards(fact.given)))
    where, name = _places(table, fact.removed), phrases.safe_name(table.names[fact.loser])
    if fact.loser == view.me:
        return gettext("took over %(places)s from you", places=where) + _details(details)
    return gettext("took over %(places)s from %(loser)s", places=where, loser=name) + _details(details)


def _brings(table: Table, seat: int, guards: Sequence[Space]) -> list[str]:
    """What a conquest gives in each levy, where its guard still stands alone."""
    province = province_at(table, guards[0])
    if province.holder != seat or not province.scores:
        return []
    return [gettext("+%(value)s a levy", value=province.scores)]


def _details(told: Sequence[str]) -> str:
    return f" ({', '.join(told)})" if told else ""


def _cards(facts: Sequence[VisibleEvent]) -> str:
    """The cards that were got in one way, of those drawn unseen how many."""
    found = Bag.of(fact.card for fact in facts if isinstance(fact, CardTaken | CardDrawn))
    match facts[0]:
        case CardTaken():
            return gettext("took %(cards)s", cards=phrases.format_cards(found))
        case CardDrawn():
            return gettext("drew %(cards)s", cards=phrases.format_cards(found))
        case _:
            return ngettext("drew a card", "drew %(number)s cards", len(facts))


def _places(table: Table, spaces: Sequence[Space]) -> str:
    return phrases.format_places(table, spaces)
