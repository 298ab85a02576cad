"""The narration of a game: events in sentences, one line for each turn, and outcomes of votes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import accumulate, groupby
from typing import assert_never

from emails.i18n import gettext, gettext_noop, ngettext
from emails.names import SeatNames
from emails.picture.layers import Overlay
from emails.wording import options, phrases, standings
from emails.wording.phrases import format_deadline
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
    TurnOver,
    TurnSkipped,
)
from engine.position import CardDrawnVeiled, GameStartedVeiled, Table, View, VisibleEvent
from engine.provinces import province_at, provinces


@dataclass(frozen=True, slots=True)
class NarrationLine:
    """One sentence of a narration, with the indexes of the first and last event that it narrates."""

    words: str
    first: int
    last: int


def narrate_events(told: Sequence[VisibleEvent], view: View, names: Sequence[SeatNames] = ()) -> list[str]:
    """Narrate events in order, joining events of one kind. Empty `names` stand for the names in `view`."""
    return [line.words for line in narrate_lines(told, view, names)]


def narrate_lines(
    told: Sequence[VisibleEvent], view: View, names: Sequence[SeatNames] = ()
) -> list[NarrationLine]:
    """Narrate events like `narrate_events`, with the indexes of the events behind each sentence."""
    alike = groupby(
        _worth_narrating(told, view),
        key=lambda one: (type(one[1]), getattr(one[1], "seat", None), names[one[0]] if names else None),
    )
    found: list[NarrationLine] = []
    chosen = False
    for kind, called, group in ((kind, called, list(facts)) for (kind, _, called), facts in alike):
        known = view if called is None else called.name_seats(view)
        words, first, last = _narrate_group([fact for _, fact in group], known), group[0][0], group[-1][0]
        if chosen and kind is CardOpened:  # the card that fills the gap (4.1)
            words, first = f"{found[-1].words}; {words}", found.pop().first
        found.append(NarrationLine(words, first, last))
        chosen = kind is CardChosen
    return [
        NarrationLine(phrases.capitalize_first(line.words) + ".", line.first, line.last) for line in found
    ]


def _worth_narrating(told: Sequence[VisibleEvent], view: View) -> Iterator[tuple[int, VisibleEvent]]:
    """Yield events with their indexes, but no end of a turn in which all actions were used."""
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
    found = Bag.of(fact.card for fact in facts if isinstance(fact, CardDrawn | CardTaken | CardOpened))
    match facts[0]:
        case CardDrawn(seat):
            mine = gettext_noop("you drew %(cards)s from the supply")
            theirs = gettext_noop("%(name)s drew %(cards)s from the supply")
            return phrases.gettext_for_seat(view, seat, mine, theirs, cards=phrases.format_cards(found))
        case CardDrawnVeiled(seat):
            return ngettext(
                "%(name)s drew a card from the supply",
                "%(name)s drew %(number)s cards from the supply",
                len(facts),
                name=phrases.safe_name(view.table.names[seat]),
            )
        case CardTaken(seat):
            return _narrate_taking(view, seat, found)
        case CardOpened():
            return gettext("new in the display: %(cards)s", cards=phrases.format_cards(found))
        case _:
            return "; ".join(_narrate_event(fact, view) for fact in facts)


def _narrate_taking(view: View, seat: int, taken: Iterable[Symbol]) -> str:
    mine = gettext_noop("you took %(cards)s from the display")
    theirs = gettext_noop("%(name)s took %(cards)s from the display")
    return phrases.gettext_for_seat(
        view, seat, mine, theirs, cards=phrases.format_list(phrases.the_card(card) for card in taken)
    )


def _narrate_event(fact: VisibleEvent, view: View) -> str:
    match fact:
        case CardChosen(seat, card, "display"):
            return _narrate_taking(view, seat, [card])
        case CardChosen(seat, card):
            mine = gettext_noop("you discarded %(card)s from hand")
            theirs = gettext_noop("%(name)s discarded %(card)s from hand")
            return phrases.gettext_for_seat(view, seat, mine, theirs, card=phrases.a_card(card))
        case AlexanderMarched():
            return _narrate_march(fact, view)
        case AlexanderStayed(seat, card):
            return _narrate_stay(seat, card, view)
        case ProvinceOccupied(seat, guards, paid):
            mine = gettext_noop("you occupied a province with %(guards)s, %(paid)s")
            theirs = gettext_noop("%(name)s occupied a province with %(guards)s, %(paid)s")
            return phrases.gettext_for_seat(
                view, seat, mine, theirs, guards=_guards_phrase(guards, view.table), paid=_paid_phrase(paid)
            )
        case ProvinceTakenOver():
            return _narrate_takeover(fact, view)
        case TaxesLevied(seat, card, gains):
            mine = gettext_noop("you levied taxes with %(card)s: %(gains)s")
            theirs = gettext_noop("%(name)s levied taxes with %(card)s: %(gains)s")
            gained = ", ".join(
                f"{phrases.name_or_you(view, one)} {gain}" for one, gain in enumerate(gains) if gain
            )
            scored = gained or gettext("nobody scored")
            return phrases.gettext_for_seat(view, seat, mine, theirs, card=phrases.a_card(card), gains=scored)
        case GuardRecalled(seat, place):
            mine = gettext_noop("you took back the guard from %(place)s")
            theirs = gettext_noop("%(name)s took back the guard from %(place)s")
            return phrases.gettext_for_seat(
                view, seat, mine, theirs, place=phrases.name_place(view.table, place)
            )
        case TurnEnded(seat):
            mine = gettext_noop("you ended the turn early")
            theirs = gettext_noop("%(name)s ended the turn early")
            return phrases.gettext_for_seat(view, seat, mine, theirs)
        case TurnSkipped(seat):
            mine, theirs = gettext_noop("your turn was skipped"), gettext_noop("%(name)s's turn was skipped")
            return phrases.gettext_for_seat(view, seat, mine, theirs)
        case SupplyRenewed():
            return gettext("the discard pile was shuffled and became the supply")
        case GameStarted() | GameStartedVeiled():
            return _narrate_start(fact, view)
        case GameEnded(winners=winners) | GameClosed(winners):
            why = "agreement" if isinstance(fact, GameClosed) else fact.reason
            return ngettext(
                "%(ended)s: %(winners)s won",
                "%(ended)s: %(winners)s won",
                len(winners),
                ended=standings.end_phrase(why, view.table),
                winners=phrases.format_seats(view, winners),
            )
        case CardDrawn() | CardDrawnVeiled() | CardTaken() | CardOpened():
            return ""  # `_narrate_group` narrates these
        case _:
            assert_never(fact)


def _narrate_start(fact: GameStarted | GameStartedVeiled, view: View) -> str:
    display = phrases.format_cards(fact.display)
    order = phrases.format_seats(view, range(len(view.table.names)))
    if view.me is None:
        words = gettext_noop("the game began; %(display)s lie in the display; turns go %(order)s")
        return gettext(words, display=display, order=order)
    dealt = fact.hands[view.me] if isinstance(fact, GameStarted) else fact.hand
    return gettext(
        "the game began; you were dealt %(hand)s; %(display)s lie in the display; turns go %(order)s",
        hand=phrases.format_cards(dealt),
        display=display,
        order=order,
    )


def _narrate_march(fact: AlexanderMarched, view: View) -> str:
    laid, red = len(fact.walls), fact.red
    walls = phrases.format_walls(laid) if laid else gettext("no wall")
    if 0 < laid < len(fact.path) - 1:  # some sides of the path have older walls
        named = ", ".join(map(str, fact.walls))
        walls = ngettext("%(number)s wall (%(sides)s)", "%(number)s walls (%(sides)s)", laid, sides=named)
    if red and red == laid:
        walls = ngettext(
            "%(walls)s, all red: this is the last turn",
            "%(walls)s, all red: this is the last turn",
            laid,
            walls=walls,
        )
    elif red:
        walls = gettext("%(walls)s, %(red)s red: this is the last turn", walls=walls, red=red)
    return phrases.gettext_for_seat(
        view,
        fact.seat,
        gettext_noop("you marched to %(place)s via %(path)s and laid %(walls)s"),
        gettext_noop("%(name)s marched to %(place)s via %(path)s and laid %(walls)s"),
        place=phrases.name_place(view.table, fact.target),
        path="-".join(str(point) for point in fact.path),
        walls=walls,
    )


def _narrate_stay(seat: int, card: Symbol | None, view: View) -> str:
    if card is None:
        return gettext("no march was possible: there was no card to take, and the game ends with this turn")
    mine = gettext_noop("no march was possible: you took %(card)s, and the game ends with this turn")
    theirs = gettext_noop("no march was possible: %(name)s took %(card)s, and the game ends with this turn")
    return phrases.gettext_for_seat(view, seat, mine, theirs, card=phrases.the_card(card))


def _guards_phrase(guards: Sequence[Space], table: Table) -> str:
    where = phrases.format_places(table, guards)
    return ngettext("a guard on %(places)s", "guards on %(places)s", len(guards), places=where)


def _paid_phrase(paid: Bag) -> str:
    return (
        gettext("paying %(cards)s", cards=phrases.format_cards(paid))
        if len(paid)
        else gettext("paying no card")
    )


def _narrate_takeover(fact: ProvinceTakenOver, view: View) -> str:
    loser, placed = phrases.safe_name(view.table.names[fact.loser]), _guards_phrase(fact.guards, view.table)
    paid = _paid_phrase(fact.paid)
    if fact.loser == view.me:
        words = gettext_noop("%(name)s took over your province with %(guards)s, %(paid)s")
        phrase = gettext(words, name=phrases.safe_name(view.table.names[fact.seat]), guards=placed, paid=paid)
    else:
        mine = gettext_noop("you took over %(loser)s's province with %(guards)s, %(paid)s")
        theirs = gettext_noop("%(name)s took over %(loser)s's province with %(guards)s, %(paid)s")
        phrase = phrases.gettext_for_seat(
            view, fact.seat, mine, theirs, loser=loser, guards=placed, paid=paid
        )
    if len(fact.given):
        mine = gettext_noop("%(deed)s, of which you got %(cards)s")
        theirs = gettext_noop("%(deed)s, of which %(name)s got %(cards)s")
        phrase = phrases.gettext_for_seat(
            view, fact.loser, mine, theirs, deed=phrase, cards=phrases.format_cards(fact.given)
        )
    return f"{phrase}; {_removed_guards_phrase(fact, view)}"


def _removed_guards_phrase(fact: ProvinceTakenOver, view: View) -> str:
    where, many = phrases.format_places(view.table, fact.removed), len(fact.removed)
    if fact.loser == view.me:
        return ngettext("your guard left %(places)s", "your guards left %(places)s", many, places=where)
    return ngettext(
        "%(name)s's guard left %(places)s",
        "%(name)s's guards left %(places)s",
        many,
        name=phrases.safe_name(view.table.names[fact.loser]),
        places=where,
    )


def build_overlay(
    told: Sequence[VisibleEvent],
    before: Table | None,
    view: View,
    preview: tuple[Point, ...] = (),
    labels: Mapping[Point, str] | None = None,
) -> Overlay:
    """Return marks for a picture: marches in `told`, changes since `before`, path of a `preview`."""
    marched = [fact for fact in told if isinstance(fact, AlexanderMarched)]
    changed: set[Space] = set()
    earlier = provinces(view.table if before is None else before)
    home = {space: province for province in earlier for space in province.spaces}
    largest: dict[Space, int] = {}
    for province in provinces(view.table):
        first = home[province.first].first
        largest[first] = max(largest.get(first, 0), len(province.spaces))
    for province in provinces(view.table):
        was = home[province.first]
        split = len(province.spaces) < len(was.spaces)
        rest = province.holder is None and len(province.spaces) == largest[was.first]
        if province.holder != was.holder or (split and not rest):
            changed.update(province.spaces)
    return Overlay(
        labels=options.number_corners(view, None) if labels is None else labels,
        targets=frozenset(options.reachable_targets(view)) if labels is None else frozenset(),
        marches=tuple((fact.seat, fact.path) for fact in marched),
        fresh=frozenset(side for fact in marched for side in fact.walls),
        changed=frozenset(changed),
        preview=preview,
    )


MOST_NARRATED_TURNS = 6


NARRATED_EVENTS = (
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


@dataclass(frozen=True, slots=True)
class TurnNews:
    """The events of one seat in a turn, which may be unfinished."""

    number: int
    seat: int
    events: tuple[VisibleEvent, ...]
    """The events of the turn, including the refill of the display after it (3.3)."""
    names: tuple[SeatNames, ...] = ()
    """The players' names at each event; empty: the current names."""

    def views_from(self, view: View) -> list[View]:
        return [one.name_seats(view) for one in self.names] or [view] * len(self.events)


def split_turns(
    happened: Sequence[VisibleEvent],
) -> tuple[list[VisibleEvent], list[list[VisibleEvent]]]:
    """Return the events before the first turn, and the events from each turn's start to the next turn."""
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
    """Return the names at the first event of each turn. `names`: the names at each event, or empty."""
    began, turns = split_turns(happened)
    begun = accumulate(map(len, turns), initial=len(began))
    return tuple(names[number] for number, _ in zip(begun, turns, strict=False)) if names else ()


def list_turns(
    happened: Sequence[VisibleEvent], table: Table, later: int = 0, names: Sequence[SeatNames] = ()
) -> list[TurnNews]:
    """Return the turns of some events. `later`: number of turns that ended between the events and `table`."""
    began, turns = split_turns(happened)
    ended = sum(isinstance(fact, TurnOver) for fact in happened) + later
    found, told = list[TurnNews](), len(began)
    for number, events in enumerate(turns, table.turn - ended):
        called = tuple(names[told : told + len(events)])
        found.append(TurnNews(number, getattr(events[0], "seat", 0), tuple(events), called))
        told += len(events)
    return found


def narrate_turns(
    happened: Sequence[VisibleEvent],
    view: View,
    *,
    later: int = 0,
    names: Sequence[SeatNames] = (),
) -> list[str]:
    """Narrate the last turns in a sentence each, after a sentence with the number of omitted turns."""
    told, turns = list[str](), list_turns(happened, view.table, later, names)
    for turn in turns[-MOST_NARRATED_TURNS:]:
        name = name_mover(turn, view)
        if isinstance(turn.events[0], TurnSkipped):
            told.append(gettext("Turn %(turn)s: %(name)s, skipped.", turn=turn.number, name=name))
            continue
        deeds = phrases.format_list(list(_list_clauses(turn, view)) or [gettext("ended the turn")])
        told.append(gettext("Turn %(turn)s: %(name)s %(deeds)s.", turn=turn.number, name=name, deeds=deeds))
    if len(turns) <= MOST_NARRATED_TURNS:
        return told
    left = len(turns) - MOST_NARRATED_TURNS + 1
    words = ngettext(
        "%(number)s earlier turn is not told here.", "%(number)s earlier turns are not told here.", left
    )
    return [words, *told[1:]]


def name_mover(turn: TurnNews, view: View) -> str:
    """Name the player of a turn, or both players if the seat changed hands during it."""
    known = zip(turn.events, turn.views_from(view), strict=True)
    called = [then for fact, then in known if isinstance(fact, NARRATED_EVENTS)] or turn.views_from(view)[:1]
    names = (phrases.name_or_you(then, turn.seat) for then in called)
    return phrases.format_list(list(dict.fromkeys(names)))


def headline_of(turn: TurnNews, view: View) -> str:
    """Describe the main action of a turn in a few words, without private facts."""
    name = name_mover(turn, view)
    found: dict[type[VisibleEvent], VisibleEvent] = {type(fact): fact for fact in reversed(turn.events)}
    words, spaces = gettext_noop("%(name)s has played"), tuple[Space, ...]()
    if isinstance(taken := found.get(ProvinceTakenOver), ProvinceTakenOver):
        words, spaces = gettext_noop("%(name)s took over %(places)s"), taken.removed
    elif isinstance(held := found.get(ProvinceOccupied), ProvinceOccupied):
        words, spaces = gettext_noop("%(name)s occupied %(places)s"), held.guards
    elif TaxesLevied in found:
        words = gettext_noop("%(name)s levied taxes")
    elif isinstance(march := found.get(AlexanderMarched), AlexanderMarched):
        words, spaces = gettext_noop("%(name)s marched to %(places)s"), (march.target,)
    places = phrases.format_places(view.table, spaces)
    return phrases.capitalize_first(gettext(words, name=name, places=places))


def _list_clauses(turn: TurnNews, view: View) -> Iterator[str]:
    """Yield the actions of a turn as clauses; a march includes its card, successive cards share a clause."""
    table, chosen = view.table, list[CardChosen]()
    known = zip(turn.events, turn.views_from(view), strict=True)
    for kind, group in groupby(
        (one for one in known if isinstance(one[0], NARRATED_EVENTS)), key=lambda one: type(one[0])
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
                    where = phrases.format_places(table, guards) + _details(_brings(table, seat, guards))
                    yield gettext("occupied %(places)s", places=where)
                case ProvinceTakenOver():
                    yield _takeover(fact, then)
                case TaxesLevied(_, _, gains):
                    scored = (
                        f"{phrases.name_or_you(then, seat)} +{gain}"
                        for seat, gain in enumerate(gains)
                        if gain
                    )
                    gained = ", ".join(scored) or gettext("nobody scored")
                    yield gettext("levied taxes (%(gains)s)", gains=gained)
                case GuardRecalled(_, place):
                    yield gettext(
                        "took back the guard on %(place)s", place=phrases.format_places(table, [place])
                    )
                case GameEnded():
                    yield gettext("ended the game")
                case _:
                    pass
    yield from map(_choice, chosen)


def _choice(fact: CardChosen) -> str:
    if fact.source == "display":
        return gettext("took %(cards)s", cards=phrases.a_card(fact.card))
    return gettext("discarded %(card)s", card=phrases.a_card(fact.card))


def _march(fact: AlexanderMarched, chosen: CardChosen | None, table: Table) -> str:
    laid, place = len(fact.walls), phrases.format_places(table, [fact.target])
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
    table, details = view.table, list[str]()
    if set(fact.guards) != set(fact.removed):
        where = phrases.format_places(table, fact.guards)
        details.append(
            ngettext("guard on %(places)s", "guards on %(places)s", len(fact.guards), places=where)
        )
    details += _brings(table, fact.seat, fact.guards)
    if fact.loser == view.me and len(fact.given):
        details.append(gettext("you got %(cards)s", cards=phrases.format_cards(fact.given)))
    where, name = phrases.format_places(table, fact.removed), phrases.safe_name(table.names[fact.loser])
    if fact.loser == view.me:
        return gettext("took over %(places)s from you", places=where) + _details(details)
    return gettext("took over %(places)s from %(loser)s", places=where, loser=name) + _details(details)


def _brings(table: Table, seat: int, guards: Sequence[Space]) -> list[str]:
    province = province_at(table, guards[0])
    if province.holder != seat or not province.scores:
        return []
    return [gettext("+%(value)s a levy", value=province.scores)]


def _details(told: Sequence[str]) -> str:
    return f" ({', '.join(told)})" if told else ""


def _cards(facts: Sequence[VisibleEvent]) -> str:
    found = Bag.of(fact.card for fact in facts if isinstance(fact, CardTaken | CardDrawn))
    match facts[0]:
        case CardTaken():
            return gettext("took %(cards)s", cards=phrases.format_cards(found))
        case CardDrawn():
            return gettext("drew %(cards)s", cards=phrases.format_cards(found))
        case _:
            return ngettext("drew a card", "drew %(number)s cards", len(facts))


class VoteOutcome(StrEnum):
    ADDED = "time added"
    WITHDRAWN = "time withdrawn"
    PAUSED = "paused"
    RESUMED = "resumed"
    ASKED = "asked"
    NOTED = "noted"
    DECLINED = "declined"
    SKIPPED = "skipped"
    ENDED = "ended"


OUTCOMES: Mapping[VoteOutcome, str] = {
    VoteOutcome.ADDED: gettext_noop("24 hours are added to this turn."),
    VoteOutcome.WITHDRAWN: gettext_noop("The 24 hours more are taken back."),
    VoteOutcome.PAUSED: gettext_noop("The game is paused now: no time runs on any turn."),
    VoteOutcome.RESUMED: gettext_noop("The game is resumed, and time runs again."),
    VoteOutcome.ASKED: gettext_noop("The others are asked, and you hear what comes of it."),
    VoteOutcome.NOTED: gettext_noop("Your answer is noted."),
    VoteOutcome.DECLINED: gettext_noop("It is not done, and nobody is asked any more."),
    VoteOutcome.SKIPPED: gettext_noop(
        "The game goes on: from now on the turns of that seat are skipped, and its guards stay."
    ),
    VoteOutcome.ENDED: gettext_noop("The game is over, as it stood."),
}


def describe_outcome(outcome: VoteOutcome, deadline: datetime | None) -> str:
    """Describe the outcome of a vote, and the new deadline if the vote changed it."""
    told = gettext(OUTCOMES[outcome])
    if outcome in (VoteOutcome.ADDED, VoteOutcome.WITHDRAWN) and deadline is not None:
        return f"{told} {gettext('It ends: %(moment)s.', moment=format_deadline(deadline))}"
    return told
