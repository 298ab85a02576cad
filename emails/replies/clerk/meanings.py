"""The legal actions that a clause of a mail may mean, with the facts that its words may state of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice

from emails.replies.clerk.mentions import Meaning, MeaningKind, Mention, MentionedThing
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
from engine.events import GameEnded, SupplyRenewed
from engine.evolve import evolve
from engine.notation.grammar import find_marches, number_corners
from engine.notation.orders import Order, Verb
from engine.position import Phase, Position, View, view
from engine.provinces import (
    Siege,
    find_sieges,
    levy_cards,
    levy_gains,
    loser_share,
    province_at,
    removal_cost,
    unguarded_price,
)
from engine.rules import card_choices, due, perform


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
        if isinstance(action, Draw):  # the unknown card is not added to the hand
            now, supply = self.position, self.position.supply
            table = now.table.but(actions_left=now.table.actions_left - 1)
            position = Position(table, now.hands, supply - Bag.of([any_card(supply)]))
            if not position.supply and table.discard:
                position = evolve(position, SupplyRenewed())
            return replace(self, position=position, over=table.actions_left == 0)
        position = evolve(self.position, event)
        coming = due(position)
        if coming is SupplyRenewed:
            position = evolve(position, SupplyRenewed())
        table = position.table
        spent = table.phase is Phase.ACTIONS and table.actions_left == 0
        return replace(self, position=position, over=spent or coming is GameEnded)

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


def _facts(verbs: str, nouns: str, *others: Meaning) -> frozenset[Meaning]:
    said = [(MeaningKind.VERB, verb) for verb in verbs.split()]
    said += [(MeaningKind.NOUN, noun) for noun in nouns.split()]
    return frozenset((*said, *others))


def facts_of(now: KnownPosition, action: Action, broad: bool = False) -> frozenset[Meaning]:
    """Return what words about an action may state; `broad`: also the other places of its province."""
    table = now.position.table
    match action:
        case Choose(card):
            return _facts("choose", "card display", (MeaningKind.CARD, card))
        case Play(card):
            return _facts("play", "card hand", (MeaningKind.CARD, card))
        case Stay(taken):
            return _facts(
                "stay", "card display", *_all_of(MeaningKind.CARD, () if taken is None else (taken,))
            )
        case Draw():
            return _facts("draw", "card supply again")
        case Take(card):
            return _facts("take choose", "card display", (MeaningKind.NUMBER, 1), (MeaningKind.CARD, card))
        case Levy(card):
            gain = (MeaningKind.NUMBER, levy_gains(table)[table.seat])
            return _facts("levy play", "tax hand payment card worth", (MeaningKind.CARD, card), gain)
        case Recall(place):
            return _facts("recall", "guard", (MeaningKind.PLACE, place), (MeaningKind.SIGN, "leaving"))
        case End():
            return _facts("end", "turn")
        case March(target, path):
            corner = now.corner_numbers.get(path[-1])
            return _facts(
                "march",
                "corner alexander",
                (MeaningKind.PLACE, target),
                (MeaningKind.CARD, table.board.symbol_at(target)),
                (MeaningKind.SIGN, "passing"),
                (MeaningKind.SIGN, "leaving"),
                *_all_of(MeaningKind.POINT, path),
                *_all_of(MeaningKind.CORNER, () if corner is None else (corner,)),
            )
        case Occupy(guards) | TakeOver(guards, _):
            return _facts_of_conquest(now, guards, broad)


def _all_of(kind: MeaningKind, things: Iterable[MentionedThing]) -> Iterator[Meaning]:
    return ((kind, thing) for thing in things)


def _facts_of_conquest(now: KnownPosition, guards: Sequence[Space], broad: bool) -> frozenset[Meaning]:
    table = now.position.table
    province = province_at(table, guards[0])
    holder = province.holder
    paid = unguarded_price(table, province, tuple(guards))
    if holder is not None:
        paid += removal_cost(table, province)
    places = province.places if broad else guards
    found = _facts(
        "occupy takeover" if broad or holder is not None else "occupy",
        "guard province payment card worth" + (" both" if len(guards) > 1 else ""),
        (MeaningKind.NUMBER, len(guards)),
        *_all_of(MeaningKind.NUMBER, (count for count in paid.counts if count > 1)),
        *_all_of(MeaningKind.PLACE, places),
        *_all_of(MeaningKind.CARD, paid.kinds()),
        *_all_of(MeaningKind.CARD, map(table.board.symbol_at, places)),
    )
    if holder is None:
        return found
    taken = (place for place in table.guards[holder] if place in province.places)
    signs = (MeaningKind.SIGN, "leaving"), (MeaningKind.SIGN, "giving")
    return found.union(signs, [(MeaningKind.PLAYER, holder)], _all_of(MeaningKind.PLACE, taken))


# --- clauses --------------------------------------------------------------------------------------------

# Costs of a meaning that assumes a detail which the text does not state, or names another verb.
NO_CARD, NO_CORNER, NO_WAY, NO_PLACE, NO_GIFT, OTHER_VERB = 0.4, 0.3, 0.05, 0.8, 0.15, 0.6


@dataclass(frozen=True, slots=True)
class ClauseMeaning:
    actions: tuple[Action, ...]
    facts: frozenset[Meaning]
    guess: float = 0.0


class ClauseContent:
    """What the words of a clause name."""

    def __init__(self, mentions: Sequence[Mention]) -> None:
        def all_of(kind: MeaningKind) -> list[MentionedThing]:
            return [thing for one, thing in self.meanings if one is kind]

        plain = [one for one in mentions if not one.has(MeaningKind.FILLER)]
        self.meanings = list(dict.fromkeys(meaning for one in mentions for meaning in one.meanings))
        verbs = [one.values(MeaningKind.VERB) for one in plain]
        self.sure = {one[0] for one in verbs if len(one) == 1}
        self.clear = {thing for one in plain for thing in one.values(MeaningKind.VERB)}
        self.verbs, self.nouns = set(all_of(MeaningKind.VERB)), set(all_of(MeaningKind.NOUN))
        self.cards = {one for one in all_of(MeaningKind.CARD) if isinstance(one, Symbol)}
        self.places = tuple(one for one in all_of(MeaningKind.PLACE) if isinstance(one, Space))
        self.points = tuple(one for one in all_of(MeaningKind.POINT) if isinstance(one, Point))
        self.passed = frozenset(_list_passed(mentions))
        self.numbers, self.corners = set(all_of(MeaningKind.NUMBER)), set(all_of(MeaningKind.CORNER))
        self.players = set(all_of(MeaningKind.PLAYER))
        self.gives = (MeaningKind.SIGN, "giving") in self.meanings

    def counts(self, many: int) -> bool:
        """True if the words agree with a number of things, which only one need not be stated."""
        return many == 1 or many in self.numbers or "both" in self.nouns


def _list_passed(mentions: Sequence[Mention]) -> Iterator[Point]:
    passing = False
    for mention in mentions:
        points = [one for one in mention.values(MeaningKind.POINT) if isinstance(one, Point)]
        if mention.has(MeaningKind.SIGN, "passing"):
            passing = True
        elif points and passing:
            yield from points
        else:
            passing = False


class MeaningFinder:
    """Finds the actions that a clause may mean, the ones that the letter offers before others."""

    def __init__(self, advised: Sequence[Action]) -> None:
        self.advised = advised

    def list_meanings(self, now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
        if now.over:
            yield ClauseMeaning((), _facts("end", "turn"))
            return
        match now.position.table.phase:
            case Phase.CARD:
                yield from self._list_cards(now, content)
            case Phase.MARCH:
                yield from self._list_marches(now, content)
            case Phase.ACTIONS:
                yield from self._list_actions(now, content)
                yield from self._list_recalls(now, content)
                yield from self._list_conquests(now, content)
            case _:
                return

    def _list_cards(self, now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
        by_hand = "hand" in content.nouns
        names_march = bool(content.places or content.points or content.corners) or "corner" in content.nouns
        names_march = names_march or (bool(content.cards) and "march" in content.verbs)
        choices = list(card_choices(now.known))
        for action in choices:
            facts = facts_of(now, action)
            guess = 0.0 if content.cards or len(choices) == 1 else NO_CARD
            if isinstance(action, Play) and by_hand:
                facts |= _facts("choose", "")
            elif isinstance(action, Play) and action.card in now.known.table.display:
                guess += OTHER_VERB
            if content.cards or isinstance(action, Stay):
                yield ClauseMeaning((action,), facts, guess)
            other = content.cards and action.card not in content.cards and not content.places
            after = None if other or not names_march else now.after(action)
            if after is not None:
                for march in self._list_marches(after, content):
                    yield ClauseMeaning((action, *march.actions), facts | march.facts, guess + march.guess)

    def _list_marches(self, now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
        table = now.position.table
        if table.phase is not Phase.MARCH:
            return
        places, numbered = content.places, now.corner_numbers
        targets = march_rules.targets_of_chosen(table)
        wanted = [space for space in targets if space in places or not places]
        points = tuple(one for one in content.points if one != table.alexander)
        corner = "corner" in content.nouns
        if not wanted or not (points or places or content.corners or corner or "march" in content.sure):
            return
        ends = [one for one in points if one in numbered and one not in content.passed]
        ends = ends or [one for one, number in numbered.items() if number in content.corners]
        loose = not (points or places or corner)  # a number alone may be that of something else
        ends = ends or [one for one in points if one in numbered][-1:]
        unsaid = NO_CORNER * (loose or not ends) + NO_CORNER * (not places and not ends)
        for end in ends or numbered:
            said = Order(Verb.MARCH, points=(*(one for one in points if one != end), end))
            advised = (
                one for one in self.advised if isinstance(one, March) and _goes(one, wanted, end, points)
            )
            ways = [*dict.fromkeys((*advised, *find_marches(table, wanted, said)))]
            for rank, way in enumerate(ways[:MOST_WAYS]):
                guess = unsaid + NO_WAY * (rank + (len(ways) > 1))
                yield ClauseMeaning((way,), facts_of(now, way), guess)

    def _list_actions(self, now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
        known, table = now.known, now.position.table
        yield ClauseMeaning((End(),), facts_of(now, End()))
        kinds, left = table.display.kinds(), table.actions_left
        for many in range(1, left + 1):
            if content.counts(many) and known.supply_size >= many:
                open_too = "take" in content.verbs or (many == 2 == len(table.display) and not content.verbs)
                guess = NO_CARD / 2 if open_too and "supply" not in content.nouns else 0.0
                facts = facts_of(now, Draw()) | _counted(many)
                yield ClauseMeaning((Draw(),) * many, facts, guess)
        for card in kinds:
            sure = card in content.cards or (len(kinds) == 1 and "display" in content.nouns)
            guess = 0.0 if sure else NO_CARD / 2 if len(kinds) == 1 else NO_CARD
            yield ClauseMeaning((Take(card),), facts_of(now, Take(card)), guess)
        both = tuple(map(Take, table.display))
        if len(both) == 2 <= left and (content.counts(2) or content.cards.issuperset(kinds)):
            sure = not content.nouns.isdisjoint({"both", "display"})
            guess = 0.0 if sure else NO_CARD / 2 if content.cards else NO_CARD
            yield ClauseMeaning(both, _counted(2).union(*(facts_of(now, one) for one in both)), guess)
        cards = levy_cards(table, table.seat, known.hand)
        named = "levy" in content.verbs or not content.nouns.isdisjoint({"tax", "worth"})
        for card in cards:
            only = len(cards) == 1 and "levy" in content.sure
            guess = 0.0 if card in content.cards or only else 0.1 if len(cards) == 1 else NO_CARD
            yield ClauseMeaning((Levy(card),), facts_of(now, Levy(card)), guess + OTHER_VERB * (not named))

    def _list_recalls(self, now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
        table, places = now.position.table, content.places
        if not (places or "recall" in content.verbs or "guard" in content.nouns):
            return
        own = table.guards[table.seat]
        for many in range(1, table.actions_left + 1):
            facts = _facts("", "both" if many > 1 else "", (MeaningKind.NUMBER, many))
            for chosen in combinations(own, many):
                if (content.counts(many) or many == len(places)) and set(chosen) <= set(places or own):
                    recalls = tuple(map(Recall, chosen))
                    guess = 0.0 if places or len(own) == many else NO_PLACE
                    yield ClauseMeaning(recalls, facts.union(*(facts_of(now, one) for one in recalls)), guess)

    def _list_conquests(self, now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
        conquest = {"occupy", "takeover"}
        placing = content.clear & conquest and "guard" in content.nouns
        if not (content.places or content.players or placing or content.sure & conquest):
            return
        sieges = list(find_sieges(now.position.table, now.seat, now.known.hand))
        for siege in sieges:
            named = tuple(sorted(set(content.places) & set(siege.province.places)))
            if content.places and not named:
                continue
            base = 0.0 if named else NO_CORNER if len(sieges) == 1 else NO_PLACE
            if "payment" in content.nouns:  # the guard goes to the first named place
                named = tuple(place for place in content.places if place in named)[:1]
            broad = not content.nouns.isdisjoint({"province", "payment"})
            for guards, guess in self._list_guards(now, siege, named):
                facts = facts_of(now, Occupy(guards), broad)
                if "worth" in content.nouns:
                    facts |= {(MeaningKind.NUMBER, siege.province.value)}
                if siege.province.holder is None:
                    yield ClauseMeaning((Occupy(guards),), facts, base + guess)
                    continue
                other = OTHER_VERB * bool(content.verbs and "takeover" not in content.verbs)
                for gift, more in self._list_gifts(now, siege, guards, content):
                    yield ClauseMeaning((gift,), facts, base + guess + other + more)

    def _list_guards(
        self, now: KnownPosition, siege: Siege, named: tuple[Space, ...]
    ) -> Iterator[tuple[tuple[Space, ...], float]]:
        """Yield choices of guards, those nearest to the named places first, with their costs."""
        possible = list(islice(siege.guard_places(now.position.table), MOST_PLACEMENTS))
        advised = {one.guards for one in self.advised if isinstance(one, TakeOver)}
        found: list[tuple[float, tuple[Space, ...]]] = []
        for guards in possible:
            more, fewer = len({*guards} - {*named}), len({*named} - {*guards})
            guess = 0.4 * more + 0.3 * fewer if named else 0.1 * (more - 1)
            if siege.province.holder is not None and named not in possible:
                guess = 0.0 if len(possible) == 1 else 0.1 if guards in advised else guess
            if not (fewer == 0 < more and named in possible):
                found.append((guess, guards))
        found.sort(key=lambda one: one[0])
        for rank, (guess, guards) in enumerate(found[:MOST_GUARDS]):
            yield guards, guess + (0.0 if rank == 0 else 0.05 * rank)

    def _list_gifts(
        self, now: KnownPosition, siege: Siege, guards: tuple[Space, ...], content: ClauseContent
    ) -> Iterator[tuple[TakeOver, float]]:
        table = now.position.table
        paid = siege.price(table, guards)
        gifts = [TakeOver(guards, one) for one in islice(paid.handfuls(loser_share(table, paid)), 60)]
        gifts.sort(key=lambda gift: gift not in self.advised)
        named = content.cards if content.gives else set[Symbol]()
        if named:
            gifts.sort(
                key=lambda gift: [
                    -sum(one in gift.given for one in named),
                    -sum(gift.given[one] for one in named),
                ]
            )
        for rank, gift in enumerate(gifts[:MOST_GIFTS]):
            yield gift, float(rank) if named else NO_GIFT * (rank if len(gifts) == 1 else rank + 1)


def _goes(march: March, wanted: Sequence[Space], end: Point, points: Sequence[Point]) -> bool:
    return march.target in wanted and march.path[-1] == end and set(points) <= set(march.path)


MOST_WAYS, MOST_PLACEMENTS, MOST_GUARDS, MOST_GIFTS = 4, 400, 5, 4


def _counted(many: int) -> frozenset[Meaning]:
    return _facts("", "both" if many == 2 else "", (MeaningKind.NUMBER, many))
