"""Meanings of a clause in a position: legal actions, and turns that the letter offers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
from engine.notation import parser
from engine.notation.grammar import list_goal_corners
from engine.notation.orders import Order, Verb
from engine.position import Phase, Position, Table, View, view
from engine.provinces import Siege, find_sieges, levy_cards, levy_gains, loser_share, province_at
from engine.rules import card_choices, due, perform


@dataclass(frozen=True, slots=True)
class KnownPosition:
    """A position of a turn, with what its player can know of it."""

    position: Position
    seat: int
    over: bool = False
    """Whether the turn has ended."""

    @property
    def known(self) -> View:
        """What its player knows."""
        return view(self.position, self.seat)

    def after(self, action: Action) -> KnownPosition | None:
        """What stands after an action; None where it is not legal."""
        if self.over:
            return None
        try:
            event = perform(self.position, action, any_card)
        except Illegal:
            return None
        if isinstance(action, Draw):
            return self._after_draw()
        if isinstance(action, End):
            return replace(self, over=True)
        position = evolve(self.position, event)
        coming = due(position)
        if coming is SupplyRenewed:
            position = evolve(position, SupplyRenewed())
        table = position.table
        spent = table.phase is Phase.ACTIONS and table.actions_left == 0
        return replace(self, position=position, over=spent or coming is GameEnded)

    def after_all(self, actions: Sequence[Action]) -> KnownPosition | None:
        """What stands after several actions."""
        now: KnownPosition | None = self
        for action in actions:
            if now is None:
                return None
            now = now.after(action)
        return now

    def _after_draw(self) -> KnownPosition:
        """A card less in the supply and an action less; the card itself is not known, so it is not held."""
        position = self.position
        table = position.table.but(actions_left=position.table.actions_left - 1)
        supply = position.supply - Bag.of([any_card(position.supply)])
        made = Position(table, position.hands, supply)
        if not supply and table.discard:
            made = evolve(made, SupplyRenewed())
        return replace(self, position=made, over=table.actions_left == 0)


def look_out(known: View) -> KnownPosition:
    """What a player knows now, in a form in which their actions can be tried."""
    seat = known.my_seat
    hands = tuple(known.hand if one == seat else EMPTY for one in range(len(known.table.names)))
    return KnownPosition(Position(known.table, hands, Bag((known.supply_size, 0, 0, 0, 0))), seat)


NO_CARD, NO_CORNER, NO_WAY, NO_PLACE, NO_GIFT, OTHER_VERB = 0.4, 0.3, 0.05, 0.8, 0.15, 0.6
"""What it costs to assume what was not said."""


@dataclass(frozen=True, slots=True)
class ClauseMeaning:
    """Actions that belong together, and what mentions they explain."""

    actions: tuple[Action, ...]
    facts: frozenset[Meaning]
    guess: float
    """How much of it was not said."""


@dataclass(frozen=True, slots=True)
class ClauseContent:
    """What a clause names, sorted by kind."""

    mentions: tuple[Mention, ...]
    verbs: frozenset[str]
    cards: frozenset[Symbol]
    places: tuple[Space, ...]
    points: tuple[Point, ...]
    passed: frozenset[Point]
    """Those that are said to be passed only."""
    numbers: frozenset[int]
    corners: frozenset[int]
    players: frozenset[int]
    nouns: frozenset[str]
    gives: bool

    @classmethod
    def of(cls, mentions: Sequence[Mention]) -> ClauseContent:
        """What these mentions name."""

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
        """The verbs that are no small words too."""
        return frozenset(
            str(value)
            for one in self.mentions
            if not one.has(MeaningKind.FILLER)
            for value in one.values(MeaningKind.VERB)
        )

    def says(self, verb: str) -> bool:
        """Whether a word says this and nothing else."""
        return any(
            one.values(MeaningKind.VERB) == [verb] for one in self.mentions if not one.has(MeaningKind.FILLER)
        )

    def wants(self, *verbs: str) -> bool:
        """Whether one of these is said to be done, or nothing is said to be done."""
        return not self.verbs or not self.verbs.isdisjoint(verbs)


def _list_passed(mentions: Sequence[Mention]) -> Iterator[Point]:
    """The points right behind a word such as "via"."""
    passing = False
    for mention in mentions:
        points = [one for one in mention.values(MeaningKind.POINT) if isinstance(one, Point)]
        if mention.has(MeaningKind.SIGN, "passing"):
            passing = True
        elif points and passing:
            yield from points
        else:
            passing = False


def facts_of_action(action: Draw | Take | Levy | Recall | End) -> frozenset[Meaning]:
    """What mentions of an action explain that needs no place chosen in a province."""
    match action:
        case Draw():
            return frozenset(
                {
                    (MeaningKind.VERB, "draw"),
                    (MeaningKind.NOUN, "card"),
                    (MeaningKind.NOUN, "supply"),
                    (MeaningKind.NOUN, "again"),
                }
            )
        case Take(card):
            return frozenset(
                {
                    (MeaningKind.VERB, "take"),
                    (MeaningKind.VERB, "choose"),
                    (MeaningKind.NOUN, "card"),
                    (MeaningKind.NOUN, "display"),
                    (MeaningKind.NUMBER, 1),
                    (MeaningKind.CARD, card),
                }
            )
        case Levy(card):
            return frozenset(
                {
                    (MeaningKind.VERB, "levy"),
                    (MeaningKind.VERB, "play"),
                    (MeaningKind.NOUN, "tax"),
                    (MeaningKind.NOUN, "hand"),
                    (MeaningKind.NOUN, "payment"),
                    (MeaningKind.NOUN, "card"),
                    (MeaningKind.CARD, card),
                }
            )
        case Recall(place):
            return frozenset(
                {
                    (MeaningKind.VERB, "recall"),
                    (MeaningKind.NOUN, "guard"),
                    (MeaningKind.PLACE, place),
                    (MeaningKind.SIGN, "leaving"),
                }
            )
        case End():
            return frozenset({(MeaningKind.VERB, "end"), (MeaningKind.NOUN, "turn")})


def list_action_meanings(now: KnownPosition, asked: ClauseContent) -> Iterator[ClauseMeaning]:
    """What is done in section 5 but for provinces."""
    known, table = now.known, now.position.table
    if asked.wants("draw"):
        for many in range(1, table.actions_left + 1):
            said = many == 1 or many in asked.numbers or "both" in asked.nouns
            if said and known.supply_size >= many:
                found = {
                    *facts_of_action(Draw()),
                    (MeaningKind.NUMBER, many),
                    *([(MeaningKind.NOUN, "both")] if many > 1 else []),
                }
                yield ClauseMeaning((Draw(),) * many, frozenset(found), 0.0)
    kinds = table.display.kinds()
    if asked.wants("take", "choose"):
        for card in kinds:
            guess = 0.0 if card in asked.cards or len(kinds) == 1 else NO_CARD
            yield ClauseMeaning((Take(card),), facts_of_action(Take(card)), guess)
        both = tuple(Take(card) for card in table.display)
        if len(both) == 2 and table.actions_left > 1:
            together: frozenset[Meaning] = frozenset({(MeaningKind.NUMBER, 2), (MeaningKind.NOUN, "both")})
            yield ClauseMeaning(both, together.union(*map(facts_of_action, both)), 0.2)
    if asked.wants("levy") or not asked.nouns.isdisjoint({"tax", "worth"}):
        cards = levy_cards(table, table.seat, known.hand)
        gain = levy_gains(table)[table.seat]
        worth: frozenset[Meaning] = frozenset({(MeaningKind.NUMBER, gain), (MeaningKind.NOUN, "worth")})
        for card in cards:
            guess = 0.0 if card in asked.cards else 0.1 if len(cards) == 1 else NO_CARD
            yield ClauseMeaning((Levy(card),), worth.union(facts_of_action(Levy(card))), guess)
    if asked.wants("recall") or "guard" in asked.nouns:
        own = table.guards[table.seat]
        for place in own:
            if not asked.places or place in asked.places:
                guess = 0.0 if asked.places or len(own) == 1 else NO_PLACE
                yield ClauseMeaning((Recall(place),), facts_of_action(Recall(place)), guess)
    if "end" in asked.verbs:
        yield ClauseMeaning((End(),), facts_of_action(End()), 0.0)


MOST_GIFTS = 4
"""Ways to give cards to a loser that are thought of."""
MOST_LARGER = 3
"""Ways to place guards with more of them than are named."""
MOST_PLACEMENTS = 400


def list_conquest_meanings(now: KnownPosition, asked: ClauseContent) -> Iterator[ClauseMeaning]:
    """The provinces that can be had and that the mentions may mean."""
    table, known = now.position.table, now.known
    if not (asked.wants("occupy", "takeover") or asked.places):
        return
    placing = not asked.clear.isdisjoint({"occupy", "takeover"}) and "guard" in asked.nouns
    if not (asked.places or asked.players or placing or asked.says("occupy") or asked.says("takeover")):
        return
    sieges = list(find_sieges(table, table.seat, known.hand))
    for siege in sieges:
        holder = siege.province.holder
        named = tuple(sorted(set(asked.places) & set(siege.province.places)))
        if asked.places and not named:
            continue
        if not asked.places and asked.players and holder not in asked.players:
            continue
        base = 0.0 if asked.places else 0.3 if len(sieges) == 1 else NO_PLACE
        if "payment" in asked.nouns:  # the first that is named is where the guard goes
            named = tuple(place for place in asked.places if place in named)[:1]
        for guards, guess in _placements(table, siege, named):
            yield from _list_ways(table, siege, guards, base + guess, asked)


def _placements(
    table: Table, siege: Siege, named: tuple[Space, ...]
) -> Iterator[tuple[tuple[Space, ...], float]]:
    """Where guards may stand, those first where they are said to, with what had to be assumed."""
    possible = list(islice(siege.guard_places(table), MOST_PLACEMENTS))
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
    table: Table, siege: Siege, guards: tuple[Space, ...], guess: float, asked: ClauseContent
) -> Iterator[ClauseMeaning]:
    """The ways to get a province with these guards."""
    paid, holder = siege.price(table, guards), siege.province.holder
    facts: set[Meaning] = {
        (MeaningKind.NOUN, "guard"),
        (MeaningKind.NOUN, "province"),
        (MeaningKind.NOUN, "payment"),
        (MeaningKind.NOUN, "card"),
        (MeaningKind.NUMBER, len(guards)),
        (MeaningKind.NUMBER, siege.province.value),
        *((MeaningKind.NUMBER, count) for count in paid.counts if count > 1),
        (MeaningKind.NOUN, "worth"),
        *((MeaningKind.PLACE, place) for place in guards),
        *((MeaningKind.CARD, card) for card in paid.kinds()),
        *((MeaningKind.CARD, table.board.symbol_at(place)) for place in guards),
    }
    if "province" in asked.nouns or "payment" in asked.nouns:
        facts |= {(MeaningKind.PLACE, place) for place in siege.province.places}
    if holder is None:
        yield ClauseMeaning((Occupy(guards),), frozenset({*facts, (MeaningKind.VERB, "occupy")}), guess)
        return
    facts |= {
        (MeaningKind.VERB, "takeover"),
        (MeaningKind.PLAYER, holder),
        (MeaningKind.SIGN, "leaving"),
        (MeaningKind.SIGN, "giving"),
    }
    other = OTHER_VERB if asked.verbs and "takeover" not in asked.verbs else 0.0
    facts |= {(MeaningKind.VERB, "occupy")}
    found = paid.handfuls(loser_share(table, paid))
    for rank, given in enumerate(islice(_rank_gifts(found, asked), MOST_GIFTS)):
        told = NO_GIFT * rank if asked.gives or rank else 0.0
        yield ClauseMeaning((TakeOver(guards, given),), frozenset(facts), guess + other + told)


def _rank_gifts(found: Iterable[Bag], asked: ClauseContent) -> Iterator[Bag]:
    """Gifts, those first that hold the cards that are named."""
    gifts = list(islice(found, 60))
    if asked.gives:
        gifts.sort(key=lambda gift: [-sum(card in gift for card in asked.cards), -_count_named(gift, asked)])
    return iter(gifts)


def _count_named(gift: Bag, asked: ClauseContent) -> int:
    """How many of its cards are named."""
    return sum(gift[card] for card in asked.cards)


MOST_WAYS = 4
"""Marches to one corner that are thought of."""


def list_card_meanings(now: KnownPosition, asked: ClauseContent) -> Iterator[ClauseMeaning]:
    """A card to march with, alone or with the march."""
    known = now.known
    names_march = bool(asked.places or asked.points or "corner" in asked.nouns)
    names_march = names_march or (bool(asked.cards) and "march" in asked.verbs)
    choices = list(card_choices(known))
    for action in choices:
        guess = 0.0 if asked.cards else NO_CARD if len(choices) > 1 else 0.1
        facts = facts_of_card(action)
        if isinstance(action, Stay):
            yield ClauseMeaning((action,), facts, guess)
            continue
        if isinstance(action, Play) and action.card in known.table.display and "hand" not in asked.nouns:
            guess += 0.25
        if asked.cards and action.card not in asked.cards and not asked.places:
            continue
        if asked.cards:
            yield ClauseMeaning((action,), facts, guess)
        if names_march or asked.corners:
            after = now.after(action)
            if after is not None:
                for march in list_march_meanings(after, asked):
                    yield ClauseMeaning((action, *march.actions), facts | march.facts, guess + march.guess)


def facts_of_card(action: Choose | Play | Stay) -> frozenset[Meaning]:
    """What the choice of a card explains."""
    found: set[Meaning] = {(MeaningKind.NOUN, "card")}
    if action.card is not None:
        found.add((MeaningKind.CARD, action.card))
    match action:
        case Choose():
            found |= {(MeaningKind.VERB, "choose"), (MeaningKind.NOUN, "display")}
        case Play():
            found |= {(MeaningKind.VERB, "play"), (MeaningKind.NOUN, "hand")}
        case Stay():
            found |= {(MeaningKind.VERB, "stay"), (MeaningKind.NOUN, "display")}
    return frozenset(found)


def list_march_meanings(now: KnownPosition, asked: ClauseContent) -> Iterator[ClauseMeaning]:
    """The marches with the chosen card."""
    table = now.position.table
    targets = march_rules.targets_of_chosen(table)
    wanted = tuple(space for space in targets if not asked.places or space in asked.places)
    if not wanted:
        return
    corners = list_goal_corners(table, targets)
    numbered = {point: number for number, point in enumerate(corners, 1)}
    points = tuple(dict.fromkeys(point for point in asked.points if point != table.alexander))
    ends = [point for point in points if point in numbered and point not in asked.passed]
    ends += [corner for corner in corners if numbered[corner] in asked.corners and corner not in ends]
    if not ends and not asked.places:
        ends = [point for point in points if point in numbered]
    named = points or asked.places or asked.cards or "corner" in asked.nouns
    if not (named or asked.says("march")):
        return
    said_end = bool(ends)
    for end in ends or corners:
        said = Order(Verb.MARCH, passed=tuple(point for point in points if point != end), points=(end,))
        for rank, march in enumerate(parser.find_marches(table, wanted, said)[:MOST_WAYS]):
            guess = NO_WAY * rank + (0.0 if said_end else NO_CORNER)
            if not asked.places and not said_end:
                guess += 0.3
            yield ClauseMeaning((march,), facts_of_march(table, march, numbered), guess)


def facts_of_march(table: Table, march: March, numbered: dict[Point, int]) -> frozenset[Meaning]:
    """What a march explains, with the numbers of the corners to which its card leads."""
    end = march.path[-1]
    found: set[Meaning] = {
        (MeaningKind.VERB, "march"),
        (MeaningKind.PLACE, march.target),
        (MeaningKind.CARD, table.board.symbol_at(march.target)),
        (MeaningKind.NOUN, "corner"),
        (MeaningKind.NOUN, "alexander"),
        (MeaningKind.SIGN, "passing"),
        (MeaningKind.SIGN, "leaving"),
        *((MeaningKind.POINT, point) for point in march.path),
    }
    if end in numbered:
        found.add((MeaningKind.CORNER, numbered[end]))
    return frozenset(found)


CHOSEN = 0.6
"""How much better it is that a turn of the letter is meant by its letter."""


@dataclass(frozen=True, slots=True)
class OfferedTurn:
    """A whole turn that a letter offers, with all that mentions of it can explain."""

    mark: str
    actions: tuple[Action, ...]
    facts: frozenset[Meaning]


def make_offer(now: KnownPosition, mark: str, actions: tuple[Action, ...]) -> OfferedTurn | None:
    """A turn that is offered; None where it cannot be done."""
    facts: set[Meaning] = set()
    step: KnownPosition | None = now
    for action in actions:
        assert step is not None
        table = step.position.table
        match action:
            case Choose() | Play() | Stay():
                facts |= facts_of_card(action)
            case March():
                corners = list_goal_corners(table, march_rules.targets_of_chosen(table))
                facts |= facts_of_march(table, action, {point: at for at, point in enumerate(corners, 1)})
            case Draw() | Take() | Levy() | Recall() | End():
                facts |= facts_of_action(action)
            case Occupy(guards) | TakeOver(guards, _):
                facts |= {
                    (MeaningKind.VERB, "occupy"),
                    (MeaningKind.VERB, "takeover"),
                    (MeaningKind.NOUN, "guard"),
                    (MeaningKind.NOUN, "province"),
                }
                facts |= {(MeaningKind.PLACE, place) for place in guards}
                holder = province_at(table, guards[0]).holder
                if holder is not None:
                    facts.add((MeaningKind.PLAYER, holder))
        step = step.after(action)
        if step is None:
            return None
    facts.add((MeaningKind.NUMBER, sum(isinstance(action, Draw) for action in actions)))
    return OfferedTurn(mark, actions, frozenset(facts))


def list_clause_meanings(
    now: KnownPosition, asked: ClauseContent, choices: Sequence[OfferedTurn]
) -> Iterator[ClauseMeaning]:
    """What these mentions can mean."""
    if now.over:
        if "end" in asked.verbs:
            yield ClauseMeaning((), facts_of_action(End()), 0.0)
        return
    yield from _choices(asked, choices)
    match now.position.table.phase:
        case Phase.CARD:
            yield from list_card_meanings(now, asked)
        case Phase.MARCH:
            yield from list_march_meanings(now, asked)
        case Phase.ACTIONS:
            yield from list_action_meanings(now, asked)
            yield from list_conquest_meanings(now, asked)
        case _:
            return


def _choices(asked: ClauseContent, choices: Sequence[OfferedTurn]) -> Iterator[ClauseMeaning]:
    """The turns that the letter offers, by their letters, and by their numbers in order."""
    lettered = any(one.has(MeaningKind.LETTER) for one in asked.mentions)
    counted = any(one.has(MeaningKind.NUMBER) or one.has(MeaningKind.ORDINAL) for one in asked.mentions)
    alone = not (asked.cards or asked.places or asked.points) and any(
        one.has(MeaningKind.ORDINAL) for one in asked.mentions
    )
    if not lettered and not (counted and (alone or "option" in asked.nouns or "one" in asked.nouns)):
        return
    for number, choice in enumerate(choices, 1):
        mark = choice.mark
        facts = {
            *choice.facts,
            (MeaningKind.LETTER, mark),
            (MeaningKind.ORDINAL, number),
            (MeaningKind.NOUN, "option"),
            (MeaningKind.VERB, "choose"),
            (MeaningKind.VERB, "play"),
            (MeaningKind.VERB, "take"),
            (MeaningKind.NUMBER, int(mark) if mark.isdigit() else number),
        }
        yield ClauseMeaning(choice.actions, frozenset(facts), -CHOSEN)


def near_places(now: KnownPosition) -> frozenset[Space]:
    """The places that an action of this turn can name."""
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
