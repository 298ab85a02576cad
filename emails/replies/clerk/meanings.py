"""The legal actions that a clause of a mail may mean, including turns that the letter offered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
from engine.position import Phase, Position, Table, View, view
from engine.provinces import Siege, find_sieges, levy_cards, levy_gains, loser_share, province_at
from engine.rules import card_choices, due, perform


@dataclass(frozen=True, slots=True)
class KnownPosition:
    """A position during a turn, with only the facts that its player can know."""

    position: Position
    seat: int
    over: bool = False
    advised: frozenset[Action] = frozenset()
    """The marches and conquests that the letter offers."""

    @property
    def known(self) -> View:
        return view(self.position, self.seat)

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


# Costs of a meaning that assumes a detail which the text does not state, or names another verb.
NO_CARD, NO_CORNER, NO_WAY, NO_PLACE, NO_GIFT, OTHER_VERB = 0.4, 0.3, 0.05, 0.8, 0.15, 0.6


@dataclass(frozen=True, slots=True)
class ClauseMeaning:
    actions: tuple[Action, ...]
    facts: frozenset[Meaning]
    guess: float


@dataclass(frozen=True, slots=True)
class ClauseContent:
    mentions: tuple[Mention, ...]
    verbs: frozenset[str]
    cards: frozenset[Symbol]
    places: tuple[Space, ...]
    points: tuple[Point, ...]
    passed: frozenset[Point]
    numbers: frozenset[int]
    corners: frozenset[int]
    players: frozenset[int]
    nouns: frozenset[str]
    gives: bool

    @classmethod
    def of(cls, mentions: Sequence[Mention]) -> ClauseContent:
        def all_of(kind: MeaningKind) -> list[MentionedThing]:
            return list(dict.fromkeys(value for one in mentions for value in one.values(kind)))

        return cls(
            tuple(mentions),
            frozenset(map(str, all_of(MeaningKind.VERB))),
            frozenset(one for one in all_of(MeaningKind.CARD) if isinstance(one, Symbol)),
            tuple(one for one in all_of(MeaningKind.PLACE) if isinstance(one, Space)),
            tuple(one for one in all_of(MeaningKind.POINT) if isinstance(one, Point)),
            frozenset(_list_passed(mentions)),
            frozenset(one for one in all_of(MeaningKind.NUMBER) if isinstance(one, int)),
            frozenset(one for one in all_of(MeaningKind.CORNER) if isinstance(one, int)),
            frozenset(one for one in all_of(MeaningKind.PLAYER) if isinstance(one, int)),
            frozenset(map(str, all_of(MeaningKind.NOUN))),
            any(one.has(MeaningKind.SIGN, "giving") for one in mentions),
        )

    @property
    def clear(self) -> frozenset[str]:
        return frozenset(
            str(value)
            for one in self.mentions
            if not one.has(MeaningKind.FILLER)
            for value in one.values(MeaningKind.VERB)
        )

    def says(self, verb: str) -> bool:
        return any(
            one.values(MeaningKind.VERB) == [verb] for one in self.mentions if not one.has(MeaningKind.FILLER)
        )

    def wants(self, *verbs: str) -> bool:
        return not self.verbs or not self.verbs.isdisjoint(verbs)


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


def _facts(verbs: str, nouns: str, *others: Meaning) -> frozenset[Meaning]:
    said = [(MeaningKind.VERB, verb) for verb in verbs.split()]
    said += [(MeaningKind.NOUN, noun) for noun in nouns.split()]
    return frozenset((*said, *others))


def facts_of_action(
    action: Choose | Play | Stay | Draw | Take | Levy | Recall | End,
) -> frozenset[Meaning]:
    match action:
        case Choose(card):
            return _facts("choose", "card display", (MeaningKind.CARD, card))
        case Play(card):
            return _facts("play", "card hand", (MeaningKind.CARD, card))
        case Stay(taken):
            cards = () if taken is None else ((MeaningKind.CARD, taken),)
            return _facts("stay", "card display", *cards)
        case Draw():
            return _facts("draw", "card supply again")
        case Take(card):
            one = (MeaningKind.NUMBER, 1)
            return _facts("take choose", "card display", one, (MeaningKind.CARD, card))
        case Levy(card):
            return _facts("levy play", "tax hand payment card", (MeaningKind.CARD, card))
        case Recall(place):
            return _facts("recall", "guard", (MeaningKind.PLACE, place), (MeaningKind.SIGN, "leaving"))
        case End():
            return _facts("end", "turn")


def list_action_meanings(now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
    """Yield the meanings of a clause as an action that is not about a province, such as a draw or a levy."""
    known, table = now.known, now.position.table
    if content.wants("draw"):
        for many in range(1, table.actions_left + 1):
            said = many == 1 or many in content.numbers or "both" in content.nouns
            if said and known.supply_size >= many:
                counted = _facts("", "both" if many > 1 else "", (MeaningKind.NUMBER, many))
                open_too = "take" in content.verbs or (many == 2 == len(table.display) and not content.verbs)
                guess = NO_CARD / 2 if open_too and "supply" not in content.nouns else 0.0
                yield ClauseMeaning((Draw(),) * many, facts_of_action(Draw()) | counted, guess)
    kinds = table.display.kinds()
    if content.wants("take", "choose"):
        for card in kinds:
            sure = card in content.cards or (len(kinds) == 1 and "display" in content.nouns)
            guess = 0.0 if sure else NO_CARD / 2 if len(kinds) == 1 else NO_CARD
            yield ClauseMeaning((Take(card),), facts_of_action(Take(card)), guess)
        both = tuple(Take(card) for card in table.display)
        said = "both" in content.nouns or 2 in content.numbers or content.cards.issuperset(kinds)
        if len(both) == 2 and table.actions_left > 1 and said:
            together = _facts("", "both", (MeaningKind.NUMBER, 2))
            sure = not content.nouns.isdisjoint({"both", "display"})
            guess = 0.0 if sure else NO_CARD / 2 if content.cards else NO_CARD
            yield ClauseMeaning(both, together.union(*map(facts_of_action, both)), guess)
    if content.wants("levy") or not content.nouns.isdisjoint({"tax", "worth"}):
        cards = levy_cards(table, table.seat, known.hand)
        gain = levy_gains(table)[table.seat]
        worth = _facts("", "worth", (MeaningKind.NUMBER, gain))
        named = "levy" in content.verbs or not content.nouns.isdisjoint({"tax", "worth"})
        for card in cards:
            only = len(cards) == 1 and content.says("levy")
            guess = 0.0 if card in content.cards or only else 0.1 if len(cards) == 1 else NO_CARD
            guess += 0.0 if named else OTHER_VERB
            yield ClauseMeaning((Levy(card),), worth.union(facts_of_action(Levy(card))), guess)
    if content.wants("recall") or "guard" in content.nouns:
        yield from _list_recalls(table, content)
    if "end" in content.verbs:
        yield ClauseMeaning((End(),), facts_of_action(End()), 0.0)


def _list_recalls(table: Table, content: ClauseContent) -> Iterator[ClauseMeaning]:
    own = table.guards[table.seat]
    for many in range(1, table.actions_left + 1):
        counted = _facts("", "both" if many > 1 else "", (MeaningKind.NUMBER, many))
        said = many == 1 or many in content.numbers or "both" in content.nouns or many == len(content.places)
        for places in combinations(own, many) if said else ():
            if not content.places or set(places) <= set(content.places):
                guess = 0.0 if content.places or len(own) == many else NO_PLACE
                recalls = tuple(map(Recall, places))
                yield ClauseMeaning(recalls, counted.union(*map(facts_of_action, recalls)), guess)


MOST_GIFTS = 4
MOST_LARGER = 3
MOST_PLACEMENTS = 400


def list_conquest_meanings(now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
    table, known = now.position.table, now.known
    if not (content.wants("occupy", "takeover") or content.places):
        return
    placing = not content.clear.isdisjoint({"occupy", "takeover"}) and "guard" in content.nouns
    is_named = bool(content.places or content.players) or placing
    if not (is_named or content.says("occupy") or content.says("takeover")):
        return
    sieges = list(find_sieges(table, table.seat, known.hand))
    for siege in sieges:
        holder = siege.province.holder
        named = tuple(sorted(set(content.places) & set(siege.province.places)))
        if content.places and not named:
            continue
        if not content.places and content.players and holder not in content.players:
            continue
        base = 0.0 if content.places else 0.3 if len(sieges) == 1 else NO_PLACE
        if "payment" in content.nouns:  # the guard goes to the first named place
            named = tuple(place for place in content.places if place in named)[:1]
        for guards, guess in _placements(now, siege, named):
            yield from _list_ways(now, siege, guards, base + guess, content)


def _placements(
    now: KnownPosition, siege: Siege, named: tuple[Space, ...]
) -> Iterator[tuple[tuple[Space, ...], float]]:
    table = now.position.table
    possible = list(islice(siege.guard_places(table), MOST_PLACEMENTS))
    if siege.province.holder is not None and named not in possible:
        advised = {one.guards for one in now.advised if isinstance(one, TakeOver)}
        sure = possible if len(possible) == 1 else [guards for guards in possible if guards in advised]
        yield from ((guards, 0.0 if len(possible) == 1 else 0.1) for guards in sure)
        possible = [guards for guards in possible if guards not in sure]
    if named and named in possible:
        yield named, 0.0
    larger = [guards for guards in possible if set(guards) > set(named)]
    larger.sort(key=len)
    if named not in possible or not named:
        for rank, guards in enumerate(larger[:MOST_LARGER]):
            yield guards, (0.4 if named else 0.0) + 0.1 * rank
    for many in range(len(named) - 1, 0, -1):
        for guards in combinations(named, many):
            if guards in possible:
                yield guards, 0.3
    if named:
        others = [guards for guards in possible if not set(guards) & set(named)]
        for guards in sorted(others, key=len)[:1]:
            yield guards, NO_PLACE


def _list_ways(
    now: KnownPosition, siege: Siege, guards: tuple[Space, ...], guess: float, content: ClauseContent
) -> Iterator[ClauseMeaning]:
    table = now.position.table
    paid, holder = siege.price(table, guards), siege.province.holder
    facts = _facts(
        "occupy",
        "guard province payment card worth" + (" both" if len(guards) > 1 else ""),
        (MeaningKind.NUMBER, len(guards)),
        *([(MeaningKind.NUMBER, siege.province.value)] if "worth" in content.nouns else []),
        *((MeaningKind.NUMBER, count) for count in paid.counts if count > 1),
        *((MeaningKind.PLACE, place) for place in guards),
        *((MeaningKind.CARD, card) for card in paid.kinds()),
        *((MeaningKind.CARD, table.board.symbol_at(place)) for place in guards),
    )
    if "province" in content.nouns or "payment" in content.nouns:
        facts |= {(MeaningKind.PLACE, place) for place in siege.province.places}
    if holder is None:
        yield ClauseMeaning((Occupy(guards),), facts, guess)
        return
    signs = (MeaningKind.SIGN, "leaving"), (MeaningKind.SIGN, "giving")
    taken = ((MeaningKind.PLACE, place) for place in table.guards[holder] if place in siege.province.places)
    facts |= _facts("takeover", "", (MeaningKind.PLAYER, holder), *signs, *taken)
    other = OTHER_VERB if content.verbs and "takeover" not in content.verbs else 0.0
    gifts = list(islice(paid.handfuls(loser_share(table, paid)), 60))
    gifts.sort(key=lambda gift: TakeOver(guards, gift) not in now.advised)
    named = content.cards if content.gives else frozenset[Symbol]()
    if named:
        gifts.sort(
            key=lambda gift: [-sum(card in gift for card in named), -sum(gift[card] for card in named)]
        )
    for rank, given in enumerate(gifts[:MOST_GIFTS]):
        gift = float(rank) if named else NO_GIFT * (rank if len(gifts) == 1 else rank + 1)
        yield ClauseMeaning((TakeOver(guards, given),), facts, guess + other + gift)


MOST_WAYS = 4


def list_card_meanings(now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
    known = now.known
    names_march = bool(content.places or content.points or "corner" in content.nouns)
    names_march = names_march or (bool(content.cards) and "march" in content.verbs)
    choices = list(card_choices(known))
    for action in choices:
        guess = 0.0 if content.cards else NO_CARD if len(choices) > 1 else 0.1
        facts = facts_of_action(action)
        if isinstance(action, Stay):
            yield ClauseMeaning((action,), facts, guess)
            continue
        if isinstance(action, Play) and action.card in known.table.display and "hand" not in content.nouns:
            guess += 0.5
        if "hand" in content.nouns:
            facts |= _facts("choose", "")
        if content.cards and action.card not in content.cards and not content.places:
            continue
        if content.cards:
            yield ClauseMeaning((action,), facts, guess)
        if names_march or content.corners:
            after = now.after(action)
            if after is not None:
                for march in list_march_meanings(after, content):
                    yield ClauseMeaning((action, *march.actions), facts | march.facts, guess + march.guess)


def list_march_meanings(now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
    table = now.position.table
    targets = march_rules.targets_of_chosen(table)
    wanted = tuple(space for space in targets if not content.places or space in content.places)
    if not wanted:
        return
    numbered = number_corners(table, targets)
    points = tuple(dict.fromkeys(point for point in content.points if point != table.alexander))
    ends = [point for point in points if point in numbered and point not in content.passed]
    if not ends:
        ends = [one for one, number in numbered.items() if number in content.corners]
    loose = bool(ends and not points and not content.places and "corner" not in content.nouns)
    if not ends:
        ends = [point for point in points if point in numbered][-1:]
    named = points or content.places or content.cards or "corner" in content.nouns
    if not (named or content.says("march")):
        return
    said_end = bool(ends)
    for end in ends or numbered:
        said = Order(Verb.MARCH, points=(*(point for point in points if point != end), end))
        advised = [one for one in now.advised if isinstance(one, March) and _goes(one, wanted, end, points)]
        ways = list(dict.fromkeys((*advised, *find_marches(table, wanted, said))))[:MOST_WAYS]
        for rank, march in enumerate(ways):
            guess = NO_WAY * (rank + (len(ways) > 1)) + (0.0 if said_end and not loose else NO_CORNER)
            if not content.places and not said_end:
                guess += 0.3
            yield ClauseMeaning((march,), facts_of_march(table, march, numbered), guess)


def _goes(march: March, wanted: Sequence[Space], end: Point, points: Sequence[Point]) -> bool:
    return march.target in wanted and march.path[-1] == end and set(points) <= set(march.path)


def facts_of_march(table: Table, march: March, numbered: dict[Point, int]) -> frozenset[Meaning]:
    end = march.path[-1]
    found = _facts(
        "march",
        "corner alexander",
        (MeaningKind.PLACE, march.target),
        (MeaningKind.CARD, table.board.symbol_at(march.target)),
        (MeaningKind.SIGN, "passing"),
        (MeaningKind.SIGN, "leaving"),
        *((MeaningKind.POINT, point) for point in march.path),
    )
    return found | {(MeaningKind.CORNER, numbered[end])} if end in numbered else found


@dataclass(frozen=True, slots=True)
class OfferedTurn:
    """A turn that the letter offers, with what its words may be about."""

    names: frozenset[Meaning]
    """The facts of words that choose the turn as a whole."""
    actions: tuple[Action, ...]
    steps: tuple[frozenset[Meaning], ...]
    """The facts of its card and march together, and of each other action."""

    @property
    def facts(self) -> frozenset[Meaning]:
        return frozenset[Meaning]().union(*self.steps)


def names_of_choice(mark: str, number: int) -> frozenset[Meaning]:
    count = int(mark) if mark.isdigit() else number
    letter, ordinal = (MeaningKind.LETTER, mark), (MeaningKind.ORDINAL, number)
    return _facts("choose take march", "option one", letter, ordinal, (MeaningKind.NUMBER, count))


def make_offer(
    now: KnownPosition, names: frozenset[Meaning], actions: tuple[Action, ...]
) -> OfferedTurn | None:
    steps: list[frozenset[Meaning]] = []
    step: KnownPosition | None = now
    for action in actions:
        if step is None:
            return None
        table = step.position.table
        match action:
            case March():
                begun = steps.pop() if steps else frozenset[Meaning]()
                numbered = number_corners(table, march_rules.targets_of_chosen(table))
                steps.append(begun | facts_of_march(table, action, numbered))
            case Occupy(guards) | TakeOver(guards, _):
                steps.append(_facts_of_conquest(table, guards))
            case Draw():
                many = sum(isinstance(one, Draw) for one in actions)
                both = _facts("", "both" if many > 1 else "", (MeaningKind.NUMBER, many))
                steps.append(facts_of_action(action) | both)
            case Levy():
                gain = (MeaningKind.NUMBER, levy_gains(table)[table.seat])
                steps.append(facts_of_action(action) | _facts("", "worth", gain))
            case _:
                steps.append(facts_of_action(action))
        step = step.after(action)
    return None if step is None else OfferedTurn(names, actions, tuple(steps))


def _facts_of_conquest(table: Table, guards: tuple[Space, ...]) -> frozenset[Meaning]:
    province = province_at(table, guards[0])
    found = _facts("occupy takeover", "guard province", (MeaningKind.NUMBER, len(guards)))
    found |= {(MeaningKind.PLACE, place) for place in province.places}
    found |= {(MeaningKind.CARD, table.board.symbol_at(place)) for place in province.places}
    if province.holder is None:
        return found
    signs = (MeaningKind.SIGN, "leaving"), (MeaningKind.SIGN, "giving")
    return found | _facts("", "", (MeaningKind.PLAYER, province.holder), *signs)


def list_clause_meanings(now: KnownPosition, content: ClauseContent) -> Iterator[ClauseMeaning]:
    if now.over:
        if "end" in content.verbs:
            yield ClauseMeaning((), facts_of_action(End()), 0.0)
        return
    match now.position.table.phase:
        case Phase.CARD:
            yield from list_card_meanings(now, content)
        case Phase.MARCH:
            yield from list_march_meanings(now, content)
        case Phase.ACTIONS:
            yield from list_action_meanings(now, content)
            yield from list_conquest_meanings(now, content)
        case _:
            return


def near_places(now: KnownPosition) -> frozenset[Space]:
    table, known = now.position.table, now.known
    found: set[Space] = set()
    if table.phase is Phase.CARD:
        for action in card_choices(known):
            if isinstance(action, Choose | Play):
                found.update(march_rules.targets(table, action.card, from_display=isinstance(action, Choose)))
    elif table.phase is Phase.MARCH:
        found.update(march_rules.targets_of_chosen(table))
    for siege in find_sieges(table, table.seat, known.hand):
        found.update(siege.province.places)
    found.update(table.guards[table.seat])
    return frozenset(found)
