"""The legal actions that a clause of a mail may mean, with the facts that its words may state of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement, groupby, islice

from emails.replies.clerk.mentions import Meaning, MeaningKind, Mention, list_values
from engine import march_rules
from engine.actions import (
    Action,
    Choose,
    Draw,
    End,
    Illegal,
    Levy,
    March,
    Occupy,
    Play,
    Recall,
    Stay,
    Take,
    TakeOver,
)
from engine.board import Point, Space
from engine.cards import EMPTY, Bag, Symbol, any_card
from engine.events import GameEnded, SupplyRenewed, TurnEnded
from engine.evolve import evolve
from engine.notation.grammar import find_marches, number_corners
from engine.notation.orders import Order, Verb
from engine.position import Phase, Position, Table, View, view
from engine.provinces import (
    Siege,
    find_sieges,
    levy_gains,
    loser_share,
    province_at,
    removal_cost,
    unguarded_price,
)
from engine.rules import card_choices, due, perform, simple_actions


@dataclass(frozen=True)
class KnownPosition:
    """A position during a turn, with only the facts that its player can know."""

    position: Position
    seat: int
    over: bool = False

    @cached_property
    def known(self) -> View:
        return view(self.position, self.seat)

    @cached_property
    def corner_numbers(self) -> Mapping[Point, int]:
        table = self.position.table
        marching = table.phase is Phase.MARCH
        return number_corners(table, march_rules.targets_of_chosen(table)) if marching else {}

    def after(self, action: Action) -> KnownPosition | None:
        if self.over:
            return None
        try:
            event = perform(self.position, action, any_card)
        except Illegal:
            return None
        if isinstance(action, End):
            return replace(self, over=True)
        position = evolve(self.position, event)
        if isinstance(action, Draw):  # the unknown card is not added to the hand
            position = Position(position.table, self.position.hands, position.supply)
        if due(position) is SupplyRenewed:
            position = evolve(position, SupplyRenewed())
        return replace(self, position=position, over=due(position) in (TurnEnded, GameEnded))

    def after_all(self, actions: Sequence[Action]) -> KnownPosition | None:
        now: KnownPosition | None = self
        for action in actions:
            if now is None:
                return None
            now = now.after(action)
        return now


def look_out(known: View) -> KnownPosition:
    seat = known.my_seat
    hands = tuple(known.hand if one == seat else EMPTY for one in range(len(known.table.names)))
    return KnownPosition(Position(known.table, hands, Bag((known.supply_size, 0, 0, 0, 0))), seat)


# --- facts ----------------------------------------------------------------------------------------------


def _facts(verbs: str, nouns: str = "", signs: str = "") -> frozenset[Meaning]:
    said = (MeaningKind.VERB, verbs), (MeaningKind.NOUN, nouns), (MeaningKind.SIGN, signs)
    return frozenset((kind, word) for kind, words in said for word in words.split())


FACTS: Mapping[type[Action], frozenset[Meaning]] = {
    Choose: _facts("choose", "card display"),
    Play: _facts("play", "card hand"),
    Stay: _facts("stay", "card display"),
    Draw: _facts("draw", "card supply again"),
    Take: _facts("take choose", "card display") | {(MeaningKind.NUMBER, 1)},
    Levy: _facts("levy play", "tax hand payment card worth"),
    Recall: _facts("recall", "guard", "leaving"),
    End: _facts("end", "turn"),
    March: _facts("march", "corner alexander", "passing leaving"),
    Occupy: _facts("occupy", "guard province payment card worth"),
    TakeOver: _facts("occupy takeover", "guard province payment card worth", "leaving giving"),
}
"""What words about any action of a type may state."""


def facts_of(now: KnownPosition, action: Action, broad: bool = False) -> frozenset[Meaning]:
    """Return what words about an action may state; `broad`: also the other places of its province."""
    table = now.position.table
    found = FACTS[type(action)].union(_details(action))
    match action:
        case Levy():
            return found | {(MeaningKind.NUMBER, levy_gains(table)[table.seat])}
        case March(target, path):
            corner = (MeaningKind.CORNER, now.corner_numbers.get(path[-1], 0))
            return found | {(MeaningKind.CARD, table.board.symbol_at(target)), corner}
        case Occupy(guards) | TakeOver(guards, _):
            return found.union(_facts_of_conquest(table, guards, broad))
    return found


def _details(action: Action) -> Iterator[Meaning]:
    """Yield what distinguishes an action from others of its type."""
    match action:
        case Choose(card) | Play(card) | Take(card) | Levy(card) | Stay(Symbol() as card):
            yield MeaningKind.CARD, card
        case Recall(place):
            yield MeaningKind.PLACE, place
        case March(target, path):
            yield MeaningKind.PLACE, target
            yield from ((MeaningKind.POINT, point) for point in path)
        case Occupy(guards) | TakeOver(guards, _):
            yield from ((MeaningKind.PLACE, place) for place in guards)


def _facts_of_conquest(table: Table, guards: Sequence[Space], broad: bool) -> Iterator[Meaning]:
    province = province_at(table, guards[0])
    places = province.places if broad else guards
    paid = unguarded_price(table, province, tuple(guards))
    if province.holder is not None:
        paid += removal_cost(table, province)
        places = *places, *province.guards
        yield MeaningKind.PLAYER, province.holder
    if len(guards) > 1:
        yield MeaningKind.NOUN, "both"
    yield MeaningKind.NUMBER, len(guards)
    yield from ((MeaningKind.NUMBER, count) for count in paid.counts if count > 1)
    yield from ((MeaningKind.PLACE, place) for place in places)
    yield from ((MeaningKind.CARD, card) for card in (*paid.kinds(), *map(table.board.symbol_at, places)))


# --- clauses --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ClauseMeaning:
    actions: tuple[Action, ...]
    facts: frozenset[Meaning]
    guess: float = 0.0


class ClauseContent:
    """What the words of a clause name."""

    def __init__(self, mentions: Sequence[Mention]) -> None:
        plain = [one for one in mentions if not one.has(MeaningKind.FILLER)]
        verbs = [one.values(MeaningKind.VERB) for one in plain]
        self.sure = {one[0] for one in verbs if len(one) == 1}
        self.clear = list_values(plain, MeaningKind.VERB)
        self.meanings = list(dict.fromkeys(meaning for one in mentions for meaning in one.meanings))
        self.verbs = list_values(mentions, MeaningKind.VERB)
        self.nouns = list_values(mentions, MeaningKind.NOUN)
        self.numbers = list_values(mentions, MeaningKind.NUMBER)
        self.corners = list_values(mentions, MeaningKind.CORNER)
        self.players = list_values(mentions, MeaningKind.PLAYER)
        things = [thing for _, thing in self.meanings]
        self.cards = {one for one in things if isinstance(one, Symbol)}
        self.places = [one for one in things if isinstance(one, Space)]
        self.points = [one for one in things if isinstance(one, Point)]

    def counts(self, many: int) -> bool:
        """True if the words agree with a number of things, which only one need not be stated."""
        return many == 1 or many in self.numbers or "both" in self.nouns

    def states(self, some: Sequence[Action]) -> bool:
        """True if the words state what distinguishes each action from others of its type."""
        details = {detail for one in some for detail in _details(one)}
        return bool(details) and details.issubset(self.meanings)

    def cost_unsaid(self, some: Sequence[Action], possible: Sequence[Action]) -> float:
        """Return the cost of details that the words do not state, of all possible actions of a type."""
        details = {detail for one in some for detail in _details(one)}
        unsaid = not details.issubset(self.meanings)
        if unsaid and len(possible) > len(some):
            return max(UNSAID[kind] for kind, _ in details)
        sure = self.nouns & {"both", "display"} or self.sure & {"recall", "levy"}
        return ONLY if details and not sure and (unsaid or len(some) > 1) else 0.0


# Costs of a meaning that assumes a detail which the text does not state, or names another verb.
NO_CORNER, NO_WAY, NO_GIFT, OTHER_VERB = 0.3, 0.05, 0.15, 0.6
UNSAID = {MeaningKind.CARD: 0.4, MeaningKind.PLACE: 0.8}
ONLY = 0.2
"""Cost of the only possible detail, if the verb may be another one."""
MOST_WAYS, MOST_PLACEMENTS, MOST_GUARDS, MOST_GIFTS = 4, 400, 5, 4


class MeaningFinder:
    """Finds the actions that a clause may mean, the ones that the letter offers before others."""

    def __init__(self, advised: Sequence[Action]) -> None:
        self.advised = advised

    def list_meanings(self, now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
        phase = now.position.table.phase
        if now.over:
            yield ClauseMeaning((), FACTS[End])
        elif phase is Phase.CARD:
            yield from self._list_cards(now, content)
        elif phase is Phase.MARCH:
            yield from self._list_marches(now, content)
        else:
            yield from self._list_simple(now, content)
            yield from self._list_conquests(now, content)

    def _list_cards(self, now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
        names_march = bool(content.places or content.points or content.corners) or "corner" in content.nouns
        names_march = names_march or (bool(content.cards) and "march" in content.verbs)
        choices = list(card_choices(now.known))
        for action in choices:
            facts, guess = facts_of(now, action), content.cost_unsaid([action], choices)
            if isinstance(action, Play) and "hand" in content.nouns:
                facts |= _facts("choose")
            elif isinstance(action, Play) and action.card in now.known.table.display:
                guess += OTHER_VERB
            if content.cards or isinstance(action, Stay):
                yield ClauseMeaning((action,), facts, guess)
            after = now.after(action) if names_march else None
            if after is not None and not isinstance(action, Stay):
                for march in self._list_marches(after, content):
                    yield ClauseMeaning((action, *march.actions), facts | march.facts, guess + march.guess)

    def _list_marches(self, now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
        table, numbered = now.position.table, now.corner_numbers
        targets = march_rules.targets_of_chosen(table)
        wanted = [space for space in targets if space in content.places or not content.places]
        points = [one for one in content.points if one != table.alexander]
        corner = "corner" in content.nouns
        counted = [one for one, number in numbered.items() if number in content.corners]
        ends = (corner and counted) or [one for one in points if one in numbered] or counted
        loose = not (points or content.places or corner)  # a number alone may be that of something else
        if loose and not content.corners and "march" not in content.sure:
            return
        unsaid = NO_CORNER * (loose or not ends) + NO_CORNER * (not content.places and not ends)
        for end in ends or numbered:
            said = Order(Verb.MARCH, points=(*(one for one in points if one != end), end))
            ways = [
                one
                for one in dict.fromkeys((*self.advised, *find_marches(table, wanted, said)))
                if isinstance(one, March)
                and one.target in wanted
                and one.path[-1] == end
                and {*points} <= {*one.path}
            ][:MOST_WAYS]
            for rank, way in enumerate(ways):
                yield ClauseMeaning((way,), facts_of(now, way), unsaid + NO_WAY * (rank + (len(ways) > 1)))

    def _list_simple(self, now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
        table = now.position.table
        for kind, group in groupby(simple_actions(now.known), type):
            actions = list(group)
            for many in range(1, table.actions_left + 1 if kind in REPEATED else 2):
                number = _facts("", "both" if many == 2 else "") | {(MeaningKind.NUMBER, many)}
                other = 0.0
                if kind is Levy and "levy" not in content.verbs and not content.nouns & {"tax", "worth"}:
                    other = OTHER_VERB
                elif kind is Draw and "supply" not in content.nouns:
                    pair = many == 2 == len(table.display) and not content.verbs
                    other = ONLY * (pair or "take" in content.verbs)
                told = kind is Draw or not FACTS[kind].isdisjoint(content.meanings)
                for some in combinations_with_replacement(actions, many):
                    if (told and content.counts(many)) or content.states(some):
                        facts = number.union(*(facts_of(now, one) for one in some))
                        yield ClauseMeaning(some, facts, other + content.cost_unsaid(some, actions))

    def _list_conquests(self, now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
        conquest = {"occupy", "takeover"}
        named = content.places or content.players or content.sure & conquest
        if not named and not ("guard" in content.nouns and content.clear & conquest):
            return
        sieges = list(find_sieges(now.position.table, now.seat, now.known.hand))
        for siege in sieges:
            places = [place for place in content.places if place in siege.province.places]
            if content.places and not places:
                continue
            guess = 0.0 if places else NO_CORNER if len(sieges) == 1 else UNSAID[MeaningKind.PLACE]
            if "payment" in content.nouns:  # the guard goes to the first named place
                del places[1:]
            broad = bool(content.nouns & {"province", "payment"})
            for guards, unsaid in self._list_guards(now, siege, places):
                facts = facts_of(now, Occupy(guards), broad)
                if siege.province.holder is None:
                    yield ClauseMeaning((Occupy(guards),), facts, guess + unsaid)
                    continue
                other = OTHER_VERB * bool(content.verbs and "takeover" not in content.verbs)
                for gift, more in self._list_gifts(now, siege, guards, content):
                    yield ClauseMeaning((gift,), facts | FACTS[TakeOver], guess + unsaid + other + more)

    def _list_guards(
        self, now: KnownPosition, siege: Siege, named: Sequence[Space]
    ) -> Iterator[tuple[tuple[Space, ...], float]]:
        """Yield choices of guards, those nearest to the named places first, with their costs."""
        possible = list(islice(siege.guard_places(now.position.table), MOST_PLACEMENTS))
        if any({*guards} == {*named} for guards in possible):
            possible = [guards for guards in possible if not {*guards} > {*named}]
        else:  # the places of the holder's guards may say only which province is meant
            named = [place for place in named if place not in siege.province.guards]

        def cost(guards: tuple[Space, ...]) -> float:
            more, fewer = len({*guards} - {*named}), len({*named} - {*guards})
            return 0.4 * more + 0.3 * fewer if named else 0.1 * (more - 1)

        for rank, guards in enumerate(sorted(possible, key=cost)[:MOST_GUARDS]):
            yield guards, cost(guards) + 0.05 * rank

    def _list_gifts(
        self, now: KnownPosition, siege: Siege, guards: tuple[Space, ...], content: ClauseContent
    ) -> Iterator[tuple[TakeOver, float]]:
        table = now.position.table
        paid = siege.price(table, guards)
        gifts = [TakeOver(guards, one) for one in islice(paid.handfuls(loser_share(table, paid)), 60)]
        named = content.cards if (MeaningKind.SIGN, "giving") in content.meanings else set[Symbol]()

        def rank(gift: TakeOver) -> tuple[int, int, bool]:
            cards = [gift.given[one] for one in named]
            return cards.count(0), -sum(cards), gift not in self.advised

        for at, gift in enumerate(sorted(gifts, key=rank)[:MOST_GIFTS]):
            yield gift, float(at) if named else NO_GIFT * (at + (len(gifts) > 1))


REPEATED = frozenset({Draw, Take, Recall})
