"""How a game stands, for a letter or a page: what it waits for, who has what, what each province is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from emails.i18n import gettext, gettext_noop, ngettext
from emails.picture import palette
from emails.picture.basemap import basemap_of
from emails.picture.letter_picture import LetterPicture
from emails.picture.overlay import Overlay
from emails.picture.picture_area import describe_area
from emails.wording import phrases
from engine.board import Point
from engine.events import EndReason
from engine.position import Phase, Table, View
from engine.provinces import Province, levy_gains, provinces

# --- in a sentence --------------------------------------------------------------------------------------


def summarize_game(view: View) -> str:
    """How the game stands for the reader, in one sentence; for the line that a mailbox shows."""
    table = view.table
    if table.winners is not None:
        won = phrases.format_list(phrases.name_or_you(table, seat, view.me) for seat in table.winners)
        return ngettext(
            "The game is over. %(winners)s won with %(points)s.",
            "The game is over. %(winners)s won with %(points)s.",
            len(table.winners),
            winners=phrases.capitalize_first(won),
            points=phrases.format_points(max(table.scores)),
        )
    if not view.my_turn:
        mover = phrases.safe_name(table.names[table.seat])
        return gettext("It is %(name)s's turn; there is nothing for you to do now.", name=mover)
    if table.phase is Phase.CARD:
        return gettext("It is your turn: %(needed)s.", needed=describe_next_step(view))
    return gettext("Your turn goes on: %(needed)s.", needed=describe_next_step(view))


def describe_next_step(view: View) -> str:
    """What the reader, whose turn it is, has to do next."""
    table = view.table
    if table.phase is Phase.CARD:
        found = [phrases.the_card(card) for card in table.display.kinds()]
        if len(view.hand):
            found.append(gettext("a card from your hand"))
        return gettext("choose %(cards)s, and march", cards=phrases.format_list(found, "or"))
    if table.phase is Phase.MARCH and table.chosen:
        return gettext("march with %(card)s", card=phrases.the_card(table.chosen))
    return ngettext("you have %(number)s action left", "you have %(number)s actions left", table.actions_left)


def board_alt_text(view: View, labels: Mapping[Point, str]) -> str:
    """What the picture of the board shows, short enough to be read out."""
    table = view.table
    sentences = [
        ngettext(
            "The board. Alexander stands on %(point)s; %(number)s wall on it.",
            "The board. Alexander stands on %(point)s; %(number)s walls on it.",
            len(table.walls),
            point=table.alexander,
        )
    ]
    for seat, standing in enumerate(table.guards):
        if standing:
            yours, theirs = (
                gettext_noop("Your guards: %(places)s."),
                gettext_noop("%(name)s's guards: %(places)s."),
            )
            where = phrases.format_places(table, standing)
            sentences.append(
                phrases.capitalize_first(
                    phrases.gettext_for_seat(table, seat, view.me, yours, theirs, places=where)
                )
            )
    if labels:
        corners = phrases.format_list(f"{label} ({point})" for point, label in labels.items())
        sentences.append(gettext("Alexander can march to corner %(corners)s.", corners=corners))
    return " ".join(sentences)


def picture_alt_text(view: View, pointed: Overlay, picture: LetterPicture) -> str:
    """What the picture of a letter shows, short enough to be read out."""
    table, chart = view.table, basemap_of(view.table.board)
    first, last = describe_area(chart, picture.area)
    sentences = [gettext("The board from %(first)s to %(last)s.", first=first, last=last)]
    if picture.overview:
        sentences.append(gettext("A small map shows all of it."))
    sentences.append(
        ngettext(
            "Alexander stands on %(point)s; %(number)s wall is on the board.",
            "Alexander stands on %(point)s; %(number)s walls are on the board.",
            len(table.walls),
            point=table.alexander,
        )
    )
    guards = [
        f"{phrases.name_or_you(table, seat, view.me)} {len(standing)}"
        for seat, standing in enumerate(table.guards)
        if standing
    ]
    if guards:
        sentences.append(gettext("Guards: %(guards)s.", guards=phrases.format_list(guards)))
    for point, label in pointed.labels.items():
        letters = phrases.format_list(label.split())
        sentences.append(gettext("%(letters)s: to %(point)s.", letters=letters, point=point))
    return " ".join(sentences)


# --- in tables ------------------------------------------------------------------------------------------

MOST_FREE = 12
"""Free provinces that are listed, the most valuable first; the picture shows them all."""


@dataclass(frozen=True, slots=True)
class PlayerStanding:
    """One player."""

    seat: int
    name: str
    colour: str
    initial: str
    """On the guards of the picture."""
    me: bool
    moves: bool
    won: bool
    score: int
    gain: int
    """What a levy would give now."""
    cards: int
    guards: str
    """Where they stand; empty for nowhere."""
    supply: int
    """Guards not on the board."""


def player_standings(view: View) -> list[PlayerStanding]:
    """The players in the order of their turns; once the game is over, by their points."""
    table, gained = view.table, levy_gains(view.table)
    found = [
        PlayerStanding(
            seat=seat,
            name=phrases.safe_name(name),
            colour=palette.SEAT_COLOURS[seat],
            initial=palette.initial_of(name, seat),
            me=seat == view.me,
            moves=seat == table.seat and not table.over,
            won=seat in (table.winners or ()),
            score=table.scores[seat],
            gain=gained[seat],
            cards=view.hand_sizes[seat],
            guards=phrases.format_places(table, table.guards[seat]) if table.guards[seat] else "",
            supply=table.guards_in_supply(seat),
        )
        for seat, name in enumerate(table.names)
    ]
    return sorted(found, key=lambda row: -row.score) if table.over else found


@dataclass(frozen=True, slots=True)
class ProvinceStanding:
    """One province with symbol spaces."""

    province: Province
    name: str
    """Of its holder; empty for a free one."""
    holder: str
    """The holder as the letter addresses the reader: "you" for the reader."""
    contents: str


def province_standings(view: View, most_free: int | None = MOST_FREE) -> list[ProvinceStanding]:
    """The provinces that are held, each holder's best first, then the best of the free ones (None: all)."""
    found = [province for province in provinces(view.table) if province.places]
    held = [province for province in found if province.holder is not None]
    free = [province for province in found if province.holder is None]
    held.sort(key=lambda province: (province.holder, -province.value))
    free.sort(key=lambda province: -province.value)
    return [_province_standing(view, province) for province in (*held, *free[:most_free])]


def _province_standing(view: View, province: Province) -> ProvinceStanding:
    table, holder = view.table, province.holder
    contents = _describe_contents(table, province)
    if holder is None:
        return ProvinceStanding(province, "", "", contents)
    return ProvinceStanding(
        province,
        phrases.safe_name(table.names[holder]),
        phrases.name_or_you(table, holder, view.me),
        contents,
    )


def _describe_contents(table: Table, province: Province) -> str:
    """The size of a province and what lies in it."""
    size, borne = phrases.format_spaces(len(province.spaces)), len(province.places)
    if borne > 6:
        return gettext("%(spaces)s, %(number)s with a symbol", spaces=size, number=borne)
    named = []
    for place in province.places:
        symbol = table.board.symbol_at(place)
        named.append(f"{table.board.names[place]} ({phrases.symbol_name(symbol)})")
    return f"{size}: {phrases.format_list(named)}"


def explain_end(table: Table) -> str:
    """Why the game ended, as a sentence; nothing before its end."""
    return "" if table.reason is None else phrases.capitalize_first(end_phrase(table.reason, table)) + "."


def end_phrase(why: EndReason, table: Table) -> str:
    """Why the game ended."""
    match why:
        case "points":
            words = gettext_noop("the game ended, because %(number)s points were reached")
            return gettext(words, number=table.edition.winning_score)
        case "walls":
            return gettext("the game ended with the turn that laid the first red wall")
        case "no march":
            return gettext("the game ended, because no march was possible")
        case "stalemate":
            words = gettext_noop("the game ended, because %(number)s turns had brought no wall and no point")
            return gettext(words, number=table.idle + 1)
        case "agreement":
            return gettext("the game ended as it stood, because those who still played wanted it")
        case _:
            assert_never(why)
