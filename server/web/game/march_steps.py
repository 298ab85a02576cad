"""A turn step by step: the card, the corner, the way. Without script each step is a page of its own.

`?card=…&corner=…` narrow the choices of a turn, and change nothing. Scripts narrow them on one page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from emails.i18n import gettext
from emails.picture.overlay import Overlay
from emails.tokens import Ticket
from emails.wording import phrases
from emails.wording.options import OptionGroup, list_options
from engine.actions import Choose, Play
from engine.cards import Bag, Symbol
from engine.lattice import Point
from engine.notation.grammar import write
from engine.position import Phase, View
from server.web.game.board_links import CornerLink
from server.web.game.choice_links import ChoiceLink, ChoiceSection, link_group, marches_by_corner
from server.web.game.preview import letter_ways
from server.web.game.ticket_context import link_of

MOST_CHOICES, FEW_MARCHES = 60, 8
"""Choices that a page lists for all cards together, so that it stays light; where there are more, the marches
of one card that stand path by path."""
MOST_DRAWN = 6
"""Ways to one corner that are drawn as arrows at once."""


@dataclass(frozen=True, slots=True)
class CardPick:
    """A card of the display or the hand with which a turn can begin, or cannot."""

    symbol: Symbol
    number: int
    card: str
    """Its words, such as "choose horse"; empty where no march is possible with it."""
    link: str
    title: str
    """What it does."""
    picked: bool


@dataclass(frozen=True, slots=True)
class TurnStep:
    """The choices of a turn, narrowed to the card and the corner that were chosen so far."""

    sections: tuple[ChoiceSection, ...]
    spots: dict[Point, CornerLink]
    display: tuple[CardPick, ...]
    hand: tuple[CardPick, ...]
    card: str
    corner: str
    back: str
    """One step back; empty at the first."""
    marks: Overlay

    @property
    def choice_count(self) -> int:
        """How many choices there are."""
        return sum(len(one.found) for one in self.sections)


def narrow_choices(known: View, ticket: Ticket, pointed: Overlay, card: str, corner: str) -> TurnStep:
    """The choices of a turn, narrowed to a card and a corner; one that cannot be chosen is ignored.

    `pointed` is what the picture of the turn points out.
    """
    offered = groups = list_options(known)
    picked = card if any(group.card == card for group in groups) else ""
    if not picked and sum(len(group.choices) for group in groups) > MOST_CHOICES:
        groups = list_options(known, most=FEW_MARCHES)
    if picked:
        groups = tuple(group for group in groups if group.card == picked)
        targets = frozenset(space for group in groups for space in group.targets)
        pointed = replace(pointed, targets=targets)
    sections = tuple(link_group(ticket, group) for group in groups)
    at = marches_by_corner(sections, known.table.board)
    pointed = replace(pointed, labels={point: pointed.labels[point] for point in sorted(at)})
    goal = known.table.board.point_names.get(corner)
    display, hand = _card_picks(known, ticket, offered, picked)
    spots = {
        point: _corner_link(ticket, point, pointed.labels[point], found, picked)
        for point, found in at.items()
    }
    if goal not in at:
        back = link_of(ticket) if picked else ""
        return TurnStep(sections, spots, display, hand, picked, "", back, pointed)
    kept = tuple(replace(one, found=tuple(it for it in one.found if it in at[goal])) for one in sections)
    sections, pointed = _ways_to_corner([one for one in kept if one.found], known, pointed)
    back = _narrowed_link(ticket, picked, "")
    return TurnStep(sections, spots, display, hand, picked, corner, back, pointed)


def _ways_to_corner(
    found: Sequence[ChoiceSection], known: View, pointed: Overlay
) -> tuple[tuple[ChoiceSection, ...], Overlay]:
    """The ways to one corner, where they are told apart by letters and the first ones drawn as arrows."""
    board, seat = known.table.board, known.table.seat
    ways = [one for one in found[0].found if one.path]
    paths = tuple(tuple(board.point_names[name] for name in one.path.split("-")) for one in ways)
    marked, named = letter_ways([one.choice for one in ways], paths)
    if len(found) > 1 or len(ways) < len(found[0].found) or len(ways) < 2:
        return tuple(found), pointed
    told = tuple(replace(one, choice=choice) for one, choice in zip(ways, named, strict=True))
    drawn = tuple((seat, path) for path in paths[:MOST_DRAWN])
    shown = replace(pointed, labels={**pointed.labels, **marked}, marches=drawn, fresh=frozenset())
    return (replace(found[0], found=told),), shown


def _narrowed_link(ticket: Ticket, card: str, corner: str) -> str:
    """The page of a turn with its choices narrowed."""
    asked = urlencode({name: value for name, value in (("card", card), ("corner", corner)) if value})
    return f"{link_of(ticket)}{'&' if asked else ''}{asked}#choices"


def _card_picks(
    known: View, ticket: Ticket, offered: Sequence[OptionGroup], picked: str
) -> tuple[tuple[CardPick, ...], tuple[CardPick, ...]]:
    """The cards of the display and those of the hand, where one of them is to be chosen."""
    if known.table.phase is not Phase.CARD:
        return (), ()
    headings = {group.card: group.heading for group in offered if group.card}

    def picks(bag: Bag, kind: type[Choose] | type[Play]) -> Iterator[CardPick]:
        for symbol in bag.kinds():
            words = write(kind(symbol), known.table.board)
            able = words in headings
            title = headings.get(words) or gettext(
                "%(card)s: no march is possible", card=phrases.symbol_name(symbol)
            )
            link = _narrowed_link(ticket, words, "") if able else ""
            yield CardPick(symbol, bag[symbol], words if able else "", link, title, words == picked)

    return tuple(picks(known.table.display, Choose)), tuple(picks(known.hand, Play))


def _corner_link(
    ticket: Ticket, point: Point, label: str, found: Sequence[ChoiceLink], card: str
) -> CornerLink:
    """A corner as a link: to what its one choice would do, or to its choices."""
    if len(found) == 1:
        return CornerLink(found[0].link, found[0].choice.title)
    title = gettext("Corner %(label)s (%(point)s)", label=label, point=point)
    return CornerLink(_narrowed_link(ticket, card, str(point)), title)
