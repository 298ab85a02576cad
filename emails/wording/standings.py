"""Standings: the next step of the game, the leaders, holdings, and changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from emails.i18n import gettext, gettext_noop, ngettext
from emails.names import SeatNames
from emails.picture import palette
from emails.picture.layers import Overlay, basemap_of
from emails.picture.letter_picture import LetterPicture
from emails.wording import phrases
from emails.wording.texts import say
from engine.board import Point, sides
from engine.events import AlexanderMarched, EndReason, ProvinceTakenOver, TaxesLevied
from engine.position import Phase, Table, View, VisibleEvent
from engine.provinces import Province, levy_gains, province_at, provinces


@dataclass(frozen=True, slots=True)
class PlayerStanding:
    seat: int
    name: str
    called: str
    """The player's name, or "you" for the reader."""
    colour: str
    initial: str
    me: bool
    moves: bool
    won: bool
    score: int
    gained: int
    """Points since the reader's last turn."""
    levy: int
    cards: int
    guards: str
    supply: int


def player_standings(view: View, before: Table | None = None) -> list[PlayerStanding]:
    """List the players in turn order, or by points once the game is over.

    `before` is the table at the end of the reader's last turn.
    """
    table, gains = view.table, levy_gains(view.table)
    earlier = table.scores if before is None else before.scores
    found = [
        PlayerStanding(
            seat=seat,
            name=phrases.safe_name(name),
            called=phrases.name_or_you(view, seat),
            colour=palette.SEAT_COLOURS[seat],
            initial=palette.initial_of(name, seat),
            me=seat == view.me,
            moves=seat == table.seat and not table.over,
            won=seat in (table.winners or ()),
            score=table.scores[seat],
            gained=table.scores[seat] - earlier[seat],
            levy=gains[seat],
            cards=view.hand_sizes[seat],
            guards=phrases.format_places(table, table.guards[seat]) if table.guards[seat] else "",
            supply=table.guards_in_supply(seat),
        )
        for seat, name in enumerate(table.names)
    ]
    return sorted(found, key=lambda one: -one.score) if table.over else found


def describe_scores(players: Sequence[PlayerStanding]) -> str:
    """Describe the points, the highest first, and the lead in a sentence."""
    first, *others = ranked = sorted(players, key=lambda one: -one.score)
    points = phrases.format_list(
        f"{one.called} {one.score} (+{one.gained})" if one.gained else f"{one.called} {one.score}"
        for one in ranked
    )
    leaders, ahead = [one for one in ranked if one.score == first.score], first.score - others[0].score
    if len(leaders) == len(ranked):
        return gettext("Points: %(points)s.", points=points)
    if len(leaders) > 1:
        leading = gettext("%(names)s lead", names=phrases.format_list(one.called for one in leaders))
    elif first.me:
        leading = gettext("you lead by %(number)s", number=ahead)
    else:
        leading = gettext("%(name)s leads by %(number)s", name=first.name, number=ahead)
    return gettext("Points: %(points)s; %(leading)s.", points=points, leading=leading)


def warn_of_end(view: View) -> Iterator[str]:
    """Warn that a levy would end the game (7.2), as clauses without full stop."""
    table = view.table
    totals = [score + gain for score, gain in zip(table.scores, levy_gains(table), strict=True)]
    most = max(totals)
    if not table.over and most >= table.edition.winning_score:
        mine = gettext_noop("as things stand the next levy ends the game: you would have %(score)s points")
        theirs = gettext_noop(
            "as things stand the next levy ends the game: %(name)s would have %(score)s points"
        )
        yield phrases.gettext_for_seat(view, totals.index(most), mine, theirs, score=most)


def changed_provinces(view: View, before: Table | None) -> list[Province]:
    """Return the reader's scoring provinces in the table `before` that are lost or now score differently."""
    if view.me is None or before is None:
        return []
    standing = view.table.guards[view.me]
    own = [one for one in provinces(before) if one.holder == view.me and one.scores]
    return [
        one
        for one in sorted(own, key=lambda one: -one.scores)
        if one.guards[0] not in standing or province_at(view.table, one.guards[0]).scores != one.scores
    ]


def list_changes(
    view: View,
    before: Table | None,
    since: Sequence[VisibleEvent] = (),
    names: Sequence[SeatNames] = (),
) -> list[str]:
    """List the reader's losses as clauses, the worst first; `names`: the seats' names at each event."""
    done, lost, changed = _name_doers(view, since, names), list[str](), list[str]()
    takers = {
        guard: name
        for fact, name in done
        if isinstance(fact, ProvinceTakenOver) and fact.loser == view.me
        for guard in fact.removed
    }
    for province in changed_provinces(view, before):
        [guard], value = province.guards, province.scores
        place, after = phrases.name_place(view.table, guard), province_at(view.table, guard).scores
        if guard in view.table.guards[view.my_seat]:
            between = Counter(side for space in province.spaces for side in sides(space))
            cut = dict.fromkeys(
                name
                for fact, name in done
                if isinstance(fact, AlexanderMarched)
                and fact.seat != view.me
                and any(between[wall] > 1 for wall in fact.walls)
            )
            words = gettext_noop("%(place)s gives you %(after)s a levy, no longer %(before)s")
            if cut:
                words = gettext_noop(
                    "%(names)s cut %(place)s with walls: it gives you %(after)s a levy, no longer %(before)s"
                )
            builders = phrases.format_list(cut)
            changed.append(gettext(words, names=builders, place=place, after=after, before=value))
        elif guard in takers:
            words = gettext_noop("%(name)s took %(place)s from you: -%(value)s a levy")
            lost.append(gettext(words, name=takers[guard], place=place, value=value))
        else:
            lost.append(gettext("you lost %(place)s: -%(value)s a levy", place=place, value=value))
    return [*lost, *changed]


def _name_doers(
    view: View, since: Sequence[VisibleEvent], names: Sequence[SeatNames]
) -> list[tuple[VisibleEvent, str]]:
    called = [one.names for one in names] or [view.table.names] * len(since)
    return [
        (fact, phrases.safe_name(known[seat]))
        for fact, known in zip(since, called, strict=True)
        if (seat := getattr(fact, "seat", None)) is not None
    ]


def list_levies(view: View, since: Sequence[VisibleEvent], names: Sequence[SeatNames] = ()) -> Iterator[str]:
    """Yield a clause for each levy of another player, with the reader's gain from it, if any."""
    for fact, name in _name_doers(view, since, names):
        if view.me is not None and isinstance(fact, TaxesLevied) and fact.seat != view.me:
            gain = fact.gains[view.me]
            if gain:
                yield gettext("%(name)s levied: you +%(gain)s", name=name, gain=gain)
            else:
                yield gettext("%(name)s levied: nothing for you", name=name)


def summarize_game(view: View) -> str:
    """Describe the position for the reader in one sentence, for the preview in a mailbox."""
    table = view.table
    if table.winners is not None:
        won = phrases.format_seats(view, table.winners)
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
    return say("board.picture", view=view, corners=[f"{label} ({point})" for point, label in labels.items()])


def picture_alt_text(view: View, pointed: Overlay, picture: LetterPicture) -> str:
    table = view.table
    chart, box = basemap_of(table.board), picture.area.box
    rows = [name for name, _, y in chart.rows if box.top <= y <= box.bottom]
    columns = [name for name, _, x in chart.columns if box.left <= x <= box.right]
    guards = [
        f"{phrases.name_or_you(view, seat)} {len(standing)}"
        for seat, standing in enumerate(table.guards)
        if standing
    ]
    return say(
        "board.part_picture",
        table=table,
        first=rows[0] + columns[0],
        last=rows[-1] + columns[-1],
        overview=picture.overview,
        guards=guards,
        labels=pointed.labels,
    )


MOST_FREE = 12
"""Highest number of free provinces listed, the most valuable first; the picture shows all."""


@dataclass(frozen=True, slots=True)
class ProvinceStanding:
    """A province with symbol spaces, as listed in letters and on pages."""

    province: Province
    name: str
    """The name of the province's holder; empty for a free province."""
    contents: str


def province_standings(view: View, most_free: int | None = MOST_FREE) -> list[ProvinceStanding]:
    """List the held provinces, each holder's best first, then the best free ones; `most_free` None: all."""
    found = [province for province in provinces(view.table) if province.places]
    held = [province for province in found if province.holder is not None]
    free = [province for province in found if province.holder is None]
    held.sort(key=lambda province: (province.holder, -province.value))
    free.sort(key=lambda province: -province.value)
    return [describe_province(view.table, province) for province in (*held, *free[:most_free])]


def describe_province(table: Table, province: Province) -> ProvinceStanding:
    size, borne = phrases.format_spaces(len(province.spaces)), len(province.places)
    name = "" if province.holder is None else phrases.safe_name(table.names[province.holder])
    if borne > 6:
        contents = gettext("%(spaces)s, %(number)s with a symbol", spaces=size, number=borne)
        return ProvinceStanding(province, name, contents)
    named = phrases.format_list(
        f"{table.board.names[place]} ({phrases.symbol_name(table.board.symbol_at(place))})"
        for place in province.places
    )
    return ProvinceStanding(province, name, f"{size}: {named}")


def explain_end(table: Table) -> str:
    """Explain the end of the game in a sentence; empty before the end."""
    return "" if table.reason is None else phrases.capitalize_first(end_phrase(table.reason, table)) + "."


END_PHRASES: Mapping[EndReason, str] = {
    "points": gettext_noop("the game ended, because %(number)s points were reached"),
    "walls": gettext_noop("the game ended with the turn that laid the first red wall"),
    "no march": gettext_noop("the game ended, because no march was possible"),
    "stalemate": gettext_noop("the game ended, because %(number)s turns had brought no wall and no point"),
    "agreement": gettext_noop("the game ended as it stood, because those who still played wanted it"),
}


def end_phrase(why: EndReason, table: Table) -> str:
    number = table.edition.winning_score if why == "points" else table.idle + 1
    return gettext(END_PHRASES[why], number=number)
