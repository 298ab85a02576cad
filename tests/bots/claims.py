"""What a printed sentence of advice claims, read with nothing but its words, and whether it comes true."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from random import Random
from typing import TypeVar

from engine import march_rules
from engine.actions import Action, Choose, Draw, Play, Recall, Take
from engine.board import Space
from engine.bots import stand_in
from engine.cards import SYMBOLS, Bag, Symbol
from engine.events import (
    AlexanderMarched,
    Event,
    GuardRecalled,
    ProvinceOccupied,
    ProvinceTakenOver,
    TaxesLevied,
)
from engine.evolve import evolve
from engine.notation.grammar import read
from engine.position import Phase, Position, view
from engine.provinces import conquests, find_siege, province_at, removal_cost, symbols_on
from engine.rules import card_choices, decide, due, perform_due, play_out
from tests.bots.alike import hidden_cards, mixed
from tests.bots.ledger import scores_of
from tests.emails.positions import first_card
from tests.engine.players import draw_from

Chance = Callable[[Bag], Symbol]
MOST_MARCHES = 400


def worst_world(now: Position, me: int, rival: int, place: Space) -> Position:
    """A world in which a rival holds what taking the province of a place costs, as far as that can be."""
    province = province_at(now.table, place)
    wanted = [*removal_cost(now.table, province), *symbols_on(now.table, province.places)]
    rest, hand = list(hidden_cards(now, me)), list[Symbol]()
    for card in [*wanted, *rest]:
        if len(hand) < len(now.hands[rival]) and card in rest:
            rest.remove(card)
            hand.append(card)
    hands = []
    for seat, old in enumerate(now.hands):
        others = Bag.of(rest.pop() for _ in old) if seat not in (me, rival) else old
        hands.append(Bag.of(hand) if seat == rival else others)
    return Position(now.table, tuple(hands), Bag.of(rest))


def outcomes(now: Position, action: Action) -> Iterator[Position]:
    """The positions after an action, one for each card that may come up first."""
    drawn: list[Symbol] = []

    def pick(wanted: Symbol, bag: Bag) -> Symbol:
        drawn.append(wanted)
        return wanted if wanted in bag else first_card(bag)

    for card in SYMBOLS:
        yield done(now, action, partial(pick, card))
        if not drawn:
            return


def after_marches(now: Position) -> Iterator[Position]:
    """The positions after the card and the march of whoever is to move."""
    for choice in card_choices(view(now, now.table.seat)):
        if not isinstance(choice, Choose | Play):
            continue
        for chosen in outcomes(now, choice):
            spaces = march_rules.targets_of_chosen(chosen.table)
            for march in islice(march_rules.marches(chosen.table, spaces), MOST_MARCHES):
                yield from outcomes(chosen, march)


def first_actions(now: Position) -> Iterator[Action]:
    """What makes a take-over possible that was not: another card, or a guard in supply."""
    if len(now.supply):
        yield Draw()
    yield from (Take(card) for card in now.table.display.kinds())
    yield from (Recall(place) for place in now.table.guards[now.table.seat])


def takes_now(now: Position, rival: int, place: Space) -> bool:
    """Whether a rival whose turn it is can take the province with the next action."""
    table = now.table
    if table.phase is not Phase.ACTIONS or table.seat != rival:
        return False
    siege = find_siege(table, rival, now.hands[rival], province_at(table, place))
    if siege is None or siege.province.holder in (None, rival):
        return False
    return bool(decide(now, rival, next(conquests(table, siege)), first_card))


def takes(now: Position, rival: int, place: Space) -> bool:
    """Whether a rival who has marched can take the province with one of two actions."""
    if takes_now(now, rival, place):
        return True
    if now.table.phase is not Phase.ACTIONS or now.table.actions_left < 2:
        return False
    return any(takes_now(later, rival, place) for one in first_actions(now) for later in outcomes(now, one))


def can_be_taken(now: Position, me: int, place: Space) -> bool:
    """Whether some rival can take the province of a place before its holder is to move again.

    A yes was played through in a world that the holder cannot tell from this one. `now`: their turn is over.
    """
    while not now.table.over and now.table.seat != me:
        rival = now.table.seat
        world = worst_world(now, me, rival, place)
        if any(takes(marched, rival, place) for marched in after_marches(world)):
            return True
        now = after_quiet_turn(now)
    return False


def follow_due(now: Position, chance: Chance) -> Position:
    """The position once all is done that follows by itself."""
    while (kind := due(now)) is not None:
        now = evolve(now, perform_due(now, kind, chance))
    return now


def after_quiet_turn(now: Position) -> Position:
    """The position once whoever is to move has done as little as can be."""
    turn = now.table.turn
    while not now.table.over and now.table.turn == turn:
        now = done(now, stand_in(view(now, now.table.seat)), first_card)
    return now


def done(now: Position, action: Action, chance: Chance) -> Position:
    return play_out(now, now.table.seat, action, chance)[1]


def gathers(now: Position, card: Symbol, many: int, chance: Chance) -> bool:
    """Whether a rival who is to move holds so many of a card while one action is left."""
    seat = now.table.seat
    choices = list(card_choices(view(now, seat)))
    wanted = [one for one in choices if isinstance(one, Choose) and one.card is card]
    harmless = [one for one in choices if isinstance(one, Choose)]
    played = [one for one in choices if isinstance(one, Play) and one.card is not card]
    chosen = [*wanted, *harmless, *played][:1]
    if not chosen:
        return False
    now = done(now, chosen[0], chance)
    if now.table.phase is Phase.MARCH:
        [march] = islice(march_rules.marches(now.table, march_rules.targets_of_chosen(now.table)), 1)
        now = done(now, march, chance)
    if now.table.phase is not Phase.ACTIONS or now.table.seat != seat:
        return False
    if now.hands[seat][card] < many:
        if card in now.table.display:
            now = done(now, Take(card), chance)
        elif len(now.supply):
            now = done(now, Draw(), chance)
    return now.hands[seat][card] >= many


def frequency(after: Position, me: int, card: Symbol, many: int, *, worlds: int, seed: int) -> float:
    """In how many of so many worlds that a player cannot tell apart some rival comes to hold the cards."""
    dice, found = Random(seed), 0
    for _ in range(worlds):
        now = mixed(after, me, dice)
        while not now.table.over and now.table.seat != me:
            if gathers(now, card, many, draw_from(dice)):
                found += 1
                break
            now = after_quiet_turn(now)
    return found / worlds


NUMBER = re.compile(r"\d+")
EventType = TypeVar("EventType", bound=Event)


OWN = (AlexanderMarched, ProvinceOccupied, ProvinceTakenOver, TaxesLevied, GuardRecalled)
"""What a player does who plays words; what else happens follows by itself."""


@dataclass(frozen=True)
class Played:
    """Words as they were played, with cards that came by dice."""

    before: Position
    now: Position
    """When the last action is done, before anything that follows by itself."""
    after: Position
    """When all is done that follows by itself."""
    events: tuple[Event, ...]

    @property
    def me(self) -> int:
        return self.before.table.seat

    @property
    def gains(self) -> list[tuple[int, ...]]:
        return [one.gains for one in self.events if isinstance(one, TaxesLevied)]

    @property
    def conquered(self) -> list[Space]:
        conquests = [one for one in self.events if isinstance(one, ProvinceOccupied | ProvinceTakenOver)]
        return [place for one in conquests for place in one.guards]

    def last(self, *kinds: type[EventType]) -> EventType:
        return next(one for one in reversed(self.events) if isinstance(one, kinds))

    def income(self, now: Position, seat: int) -> int:
        return sum(value for one, _, value in scores_of(now.table) if one == seat)

    def seat_called(self, name: str) -> int:
        return self.before.table.names.index(name)


def play_words(now: Position, words: str, dice: Random) -> Played:
    """Play the words of a choice or a suggestion. Raises `ActionRefused` where they cannot be done."""
    before, done, seat, chance, events = now, now, now.table.seat, draw_from(dice), list[Event]()
    for line in words.split("; "):
        now = follow_due(now, chance)
        for event in decide(now, seat, read(line, view(now, seat)), chance):
            now = evolve(now, event)
            done = now if isinstance(event, OWN) else done
            events.append(event)
    return Played(before, done, follow_due(now, chance), tuple(events))


# --- claims ---------------------------------------------------------------------------------------------


Check = Callable[["Claim", Played], bool]


@dataclass(frozen=True)
class Claim:
    """A part of a sentence that says something."""

    kind: str
    found: re.Match[str]
    check: Check

    def __getitem__(self, name: str | int) -> str:
        return self.found[name] or ""

    def holds(self, one: Played) -> bool:
        return self.check(self, one)

    def places(self, one: Played) -> list[Space]:
        """The places that it names. Raises `KeyError` for the name of no place."""
        return [one.before.table.board.places[name] for name in re.split(", | and ", self["place"])]


def _gains_most(said: Claim, one: Played) -> bool:
    mine, rivals = int(said["mine"]), int(said["rival"])
    return any(
        gains[one.me] == mine and max(gains[: one.me] + gains[one.me + 1 :]) <= rivals for gains in one.gains
    )


def changes_of(said: Claim, one: Played) -> dict[int, int]:
    """The points that each seat has more at each later levy, as a claim says it, without those of nobody."""
    found = {one.seat_called(name): int(change) for name, change in RIVAL.findall(said["rivals"])}
    return found | ({one.me: int(said["mine"])} if said["mine"] else {})


RIVAL = re.compile(r"([^,]+?) ([+-]\d+)(?:, |$)")
CHANGES = r"(?=\S)(?P<mine>[+-]\d+)?(?:, )?(?P<rivals>[^,;+-]+ [+-]\d+(?:, [^,;+-]+ [+-]\d+)*)? a levy"


def _changes(said: Claim, one: Played) -> bool:
    """Each seat whose points at a levy the whole turn changes is named with the change, and no other."""
    seats = range(len(one.before.hands))
    changes = {seat: one.income(one.after, seat) - one.income(one.before, seat) for seat in seats}
    told = changes_of(said, one)
    return told == {seat: change for seat, change in changes.items() if change or seat in told}


def _number(words: str) -> int:
    return 0 if words.startswith("no ") else int(words.split()[0])


def _cards(said: Claim, one: Played) -> bool:
    held = len(one.after.hands[one.me]), len(one.before.hands[one.me])
    return held == (_number(said["after"]), int(said["before"]))


def _keeps(said: Claim, one: Played) -> bool:
    return len(one.after.hands[one.me]) == len(one.before.hands[one.me]) == _number(said["after"])


def _wins(said: Claim, one: Played) -> bool:
    table = one.after.table
    return table.over and table.scores[one.me] == int(said["score"]) == max(table.scores)


def _are_conquered(said: Claim, one: Played) -> bool:
    """Return whether the turn conquered each place that the claim names, and each scores."""
    scoring = {place for _, place, value in scores_of(one.after.table) if value}
    return {*said.places(one)} <= scoring.intersection(one.conquered)


def _are_safe(said: Claim, one: Played) -> bool:
    """Return whether no rival can take a conquered place that the claim names."""
    taken = (can_be_taken(one.after, one.me, place) for place in said.places(one))
    return _are_conquered(said, one) and not any(taken)


def _needs(said: Claim, one: Played) -> bool:
    """So many cards of that symbol are the least that removes a guard there (5.9)."""
    found = [one.before.table.board.symbols[place] for place in said.places(one)]
    least = found == [Symbol(said["card"].rstrip("s"))] and said["cards"] in ("2", "two")
    return least and _are_conquered(said, one)


def _is_held(said: Claim, one: Played) -> bool:
    """Something is held that scores; how likely it is kept is a chance."""
    return one.income(one.after, one.me) > 0


def _all_safe(said: Claim, one: Played) -> bool:
    held = [place for seat, place, value in scores_of(one.after.table) if seat == one.me and value]
    return bool(held) and not any(can_be_taken(one.after, one.me, place) for place in held)


CLAIMS: dict[str, tuple[str, Check]] = {
    "levy": (r"you score (?P<mine>\d+) now, others at most (?P<rival>\d+)", _gains_most),
    "changes": (CHANGES, _changes),
    "cards": (r"you then hold (?P<after>\d+ cards?|no cards?), now (?P<before>\d+)", _cards),
    "kept": (r"you keep (?P<after>\d+ cards?|no cards?)", _keeps),
    "wins": (r"the game ends, and nobody has more than your (?P<score>\d+) points", _wins),
    "safe": (r"nobody can take (?P<place>(?!your provinces).+) before your next turn", _are_safe),
    "all safe": (r"nobody can take your provinces before your next turn", _all_safe),
    "risk": (r"you keep each province with at least (?P<percent>\d+)% chance", _is_held),
    "chance": (
        r"(?P<how>[<>]?)(?P<percent>\d+)% chance a rival takes (?P<place>.+) "
        r"with (?P<cards>\w+) (?P<card>\w+)",
        _needs,
    ),
}
"""Every sentence that advice is made of, as a pattern, and what makes it true; all that fit have to hold."""


def claims_in(sentence: str, known: Mapping[str, tuple[str, Check]] = CLAIMS) -> list[Claim]:
    """What a sentence claims, part by part. Raises `AssertionError` where a part is not understood."""
    claims = list[Claim]()
    for clause in filter(None, sentence.removesuffix(".").split("; ")):
        found = [
            Claim(kind, match, check)
            for kind, (pattern, check) in known.items()
            if (match := re.fullmatch(pattern, clause, re.IGNORECASE))
        ]
        assert found, f"nobody can tell whether this is true: {clause!r}"
        claims += found
    return claims


def numbers_unread(sentence: str, claims: Sequence[Claim]) -> list[str]:
    """The numbers in a sentence that belong to no claim."""
    for one in claims:
        sentence = sentence.replace(one.found[0], "", 1)
    return NUMBER.findall(sentence)
