"""What a printed sentence of advice claims, read with nothing but its words, and whether it comes true."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from engine.board import Space
from engine.cards import Symbol
from engine.evolve import evolve
from engine.notation.grammar import read
from engine.position import Position, view
from engine.rules import decide, perform_due
from tests.bots.besieging import can_be_taken
from tests.bots.ledger import scores_of
from tests.engine.players import draw_from

NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Played:
    """A turn as it went, with cards that came by dice."""

    before: Position
    after: Position
    gains: tuple[tuple[int, ...], ...]
    """Of each levy in it, what each seat scored."""
    conquered: tuple[Space, ...]
    """Where guards were put."""

    @property
    def me(self) -> int:
        return self.before.table.seat

    def income(self, now: Position, seat: int) -> int:
        """What a levy would give a seat."""
        return sum(value for one, _, value in scores_of(now.table) if one == seat)

    def seat_called(self, name: str) -> int:
        return self.before.table.names.index(name)


def play_words(now: Position, words: str, dice: Random) -> Played:
    """Play the words of a suggestion. Raises `ActionRefused` where they cannot be done."""
    before, gains, conquered = now, list[tuple[int, ...]](), list[Space]()
    seat, chance = now.table.seat, draw_from(dice)
    for line in words.split("; "):
        for event in decide(now, seat, read(line, view(now, seat)), chance):
            kind = type(event).__name__
            gains += [event.gains] if kind == "TaxesLevied" else []  # type: ignore[union-attr]
            conquered += list(event.guards) if kind.startswith("Province") else []  # type: ignore[union-attr]
            now = evolve(now, event)
    while (due := perform_due(now, chance)) is not None:
        now = evolve(now, due)
    return Played(before, now, tuple(gains), tuple(conquered))


# --- claims ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """A part of a sentence that says something."""

    kind: str
    found: re.Match[str]
    about: int | None
    """What each levy gives for the province that it is about, where that was said just before."""

    def __getitem__(self, name: str) -> str:
        return str(self.found[name])

    def holds(self, one: Played) -> bool:
        """Whether it came true."""
        return CLAIMS[self.kind][1](self, one)

    def places(self, one: Played) -> list[Space]:
        """Where the guards stand that it may be about."""
        values = {place: value for _, place, value in scores_of(one.after.table)}
        return [place for place in one.conquered if self.about in (None, values.get(place))]


Check = Callable[[Claim, Played], bool]


def _gains_most(said: Claim, one: Played) -> bool:
    mine, rivals = int(said["mine"]), int(said["rival"])
    return any(
        gains[one.me] == mine and max(gains[: one.me] + gains[one.me + 1 :]) <= rivals for gains in one.gains
    )


def _brings(said: Claim, one: Played) -> bool:
    """Each levy gives so much for a province that was conquered."""
    return any(
        place in one.conquered and value == int(said["value"])
        for _, place, value in scores_of(one.after.table)
    )


def _brings_and_costs(said: Claim, one: Played) -> bool:
    """The loser has so much less at each levy for the province that is taken from them."""
    return _brings(said, one) and _costs(said, one)


def _costs(said: Claim, one: Played) -> bool:
    seat = one.seat_called(said["name"])
    lost = one.income(one.before, seat) - one.income(one.after, seat)
    return lost >= int(said["lost"]) > 0


def _cuts(said: Claim, one: Played) -> bool:
    seat = one.seat_called(said["name"])
    before, after = int(said["before"]), int(said["after"])
    return one.income(one.before, seat) == before and one.income(one.after, seat) <= after


def _income(said: Claim, one: Played) -> bool:
    told = int(said["before"]), int(said["after"])
    return told == (one.income(one.before, one.me), one.income(one.after, one.me))


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


def _is_safe(said: Claim, one: Played) -> bool:
    return not any(can_be_taken(one.after, one.me, place) for place in said.places(one))


def _needs(said: Claim, one: Played) -> bool:
    """So many cards of that symbol are the least that removes a guard there (5.9)."""
    symbols = {one.before.table.board.symbols[place] for place in said.places(one)}
    return Symbol(said["card"].rstrip("s")) in symbols and said["cards"] in ("2", "two")


def _is_held(said: Claim, one: Played) -> bool:
    """Something is held that scores; how likely it is kept is a chance."""
    return one.income(one.after, one.me) > 0


def _all_safe(said: Claim, one: Played) -> bool:
    held = [place for seat, place, value in scores_of(one.after.table) if seat == one.me and value]
    return bool(held) and not any(can_be_taken(one.after, one.me, place) for place in held)


CLAIMS: dict[str, tuple[str, Check]] = {
    "levy": (r"you score (?P<mine>\d+) now, others at most (?P<rival>\d+)", _gains_most),
    "taken": (r"\+(?P<value>\d+) for you each levy, -(?P<lost>\d+) for (?P<name>[^;]+?)", _brings_and_costs),
    "brings": (r"\+(?P<value>\d+) each levy", _brings),
    "costs": (r"(?P<name>[^;]+?) scores (?P<lost>\d+) less each levy", _costs),
    "cuts": (r"(?P<name>[^;]+?) then scores at most (?P<after>\d+) each levy, now (?P<before>\d+)", _cuts),
    "income": (r"each levy then gives you (?P<after>\d+), now (?P<before>\d+)", _income),
    "cards": (r"you then hold (?P<after>\d+ cards?|no cards?), now (?P<before>\d+)", _cards),
    "kept": (r"you keep (?P<after>\d+ cards?|no cards?)", _keeps),
    "wins": (r"the game ends, and nobody has more than your (?P<score>\d+) points", _wins),
    "safe": (r"nobody can take it before your next turn", _is_safe),
    "all safe": (r"nobody can take a province of yours before your next turn", _all_safe),
    "risk": (r"each province of yours stays yours with at least (?P<percent>\d+)% chance", _is_held),
    "chance": (
        r"(?P<how>[<>]?)(?P<percent>\d+)% chance a rival takes it with (?P<cards>\w+) (?P<card>\w+)",
        _needs,
    ),
}
"""Every sentence that advice is made of, as a pattern, and what makes it true."""


def claims_in(sentence: str) -> list[Claim]:
    """What a sentence claims, part by part. Raises `AssertionError` where a part is not understood."""
    claims, about = list[Claim](), None
    for clause in sentence.removesuffix(".").split("; "):
        found = [
            Claim(kind, match, about)
            for kind, (pattern, _) in CLAIMS.items()
            if (match := re.fullmatch(pattern, clause, re.IGNORECASE))
        ]
        assert found, f"nobody can tell whether this is true: {clause!r}"
        claims.append(found[0])
        if found[0].kind in ("brings", "taken"):
            about = int(found[0]["value"])
    return claims


def numbers_unread(sentence: str, claims: Sequence[Claim]) -> list[str]:
    """The numbers in a sentence that belong to no claim."""
    for one in claims:
        sentence = sentence.replace(one.found[0], "", 1)
    return NUMBER.findall(sentence)
