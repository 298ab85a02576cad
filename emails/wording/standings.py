"""Standings: the next step of the game, the leaders, holdings, and changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from emails.i18n import gettext, gettext_noop, ngettext
from emails.names import SeatNames
from emails.picture import palette
from emails.picture.layers import Overlay, basemap_of
from emails.picture.letter_picture import LetterPicture, describe_area
from emails.wording import phrases
from emails.wording.texts import say
from engine.board import Point, Space, sides
from engine.events import AlexanderMarched, EndReason, ProvinceTakenOver, TaxesLevied
from engine.position import Phase, Table, View, VisibleEvent
from engine.provinces import Province, levy_gains, province_at, provinces


@dataclass(frozen=True, slots=True)
class PlayerScore:
    name: str
    """The player's name, or "you" for the reader."""
    me: bool
    initial: str
    colour: str
    score: int
    gained: int
    levy: int
    leads: bool


def list_scores(view: View, before: Table | None) -> list[PlayerScore]:
    """List the scores in turn order; `before` is the table at the end of the reader's last turn."""
    table, gains = view.table, levy_gains(view.table)
    earlier = table.scores if before is None else before.scores
    most = max(table.scores)
    return [
        PlayerScore(
            name=phrases.name_or_you(table, seat, view.me),
            me=seat == view.me,
            initial=palette.initial_of(table.names[seat], seat),
            colour=palette.SEAT_COLOURS[seat],
            score=score,
            gained=score - earlier[seat],
            levy=gains[seat],
            leads=score == most,
        )
        for seat, score in enumerate(table.scores)
    ]


def describe_scores(scores: Sequence[PlayerScore]) -> str:
    ranked = sorted(scores, key=lambda one: -one.score)
    points = phrases.format_list(
        f"{one.name} {one.score} (+{one.gained})" if one.gained else f"{one.name} {one.score}"
        for one in ranked
    )
    leaders = [one for one in ranked if one.leads]
    if len(leaders) == len(ranked):
        return gettext("Points: %(points)s.", points=points)
    return gettext("Points: %(points)s; %(leading)s.", points=points, leading=_leading(leaders, ranked))


def _leading(leaders: Sequence[PlayerScore], ranked: Sequence[PlayerScore]) -> str:
    if len(leaders) > 1:
        names = phrases.format_list(one.name for one in leaders)
        return gettext("%(names)s lead", names=names)
    [leader], ahead = leaders, leaders[0].score - ranked[1].score
    if leader.me:
        return gettext("you lead by %(number)s", number=ahead)
    return gettext("%(name)s leads by %(number)s", name=leader.name, number=ahead)


def warn_of_end(view: View) -> Iterator[str]:
    """Warn that a levy would end the game (7.2), as clauses without full stop."""
    table = view.table
    totals = [score + gain for score, gain in zip(table.scores, levy_gains(table), strict=True)]
    most = max(totals)
    if table.over or most < table.edition.winning_score:
        return
    yield phrases.gettext_for_seat(
        table,
        totals.index(most),
        view.me,
        gettext_noop("as things stand the next levy ends the game: you would have %(score)s points"),
        gettext_noop("as things stand the next levy ends the game: %(name)s would have %(score)s points"),
        score=most,
    )


def list_changes(
    view: View,
    before: Table | None,
    since: Sequence[VisibleEvent] = (),
    names: Sequence[SeatNames] = (),
) -> list[str]:
    """List the reader's losses as clauses, the worst first; `names`: the seats' names at each event."""
    if view.me is None or before is None:
        return []
    done = _name_doers(view, since, names)
    return [*_list_losses(view, view.me, before, done), *_shrunk(view, view.me, before, done)]


def _name_doers(
    view: View, since: Sequence[VisibleEvent], names: Sequence[SeatNames]
) -> list[tuple[VisibleEvent, str]]:
    called = [one.names for one in names] or [view.table.names] * len(since)
    return [
        (fact, phrases.safe_name(known[seat]))
        for fact, known in zip(since, called, strict=True)
        if (seat := getattr(fact, "seat", None)) is not None
    ]


def changed_places(view: View, before: Table | None) -> Iterator[Space]:
    """Yield the spaces of the reader's guards in the table `before` whose province has changed since.

    A province has changed if its score or guards differ.
    """
    if view.me is None or before is None:
        return
    for province in _scoring(before, view.me):
        if province_at(view.table, province.guards[0]).scores != province.scores or not all(
            guard in view.table.guards[view.me] for guard in province.guards
        ):
            yield from province.guards


def _list_losses(
    view: View, me: int, before: Table, since: Sequence[tuple[VisibleEvent, str]]
) -> Iterator[str]:
    standing = view.table.guards[me]
    takers = {
        guard: name
        for fact, name in since
        if isinstance(fact, ProvinceTakenOver) and fact.loser == me
        for guard in fact.removed
    }
    for province in _scoring(before, me):
        if any(guard in standing for guard in province.guards):
            continue
        place, value = phrases.format_places(view.table, province.guards), province.scores
        name = takers.get(province.guards[0])
        if name is None:
            yield gettext("you lost %(place)s: -%(value)s a levy", place=place, value=value)
        else:
            yield gettext(
                "%(name)s took %(place)s from you: -%(value)s a levy", name=name, place=place, value=value
            )


def _shrunk(view: View, me: int, before: Table, since: Sequence[tuple[VisibleEvent, str]]) -> Iterator[str]:
    now = {guard: province for province in provinces(view.table) for guard in province.guards}
    for province in _scoring(before, me):
        kept = now.get(province.guards[0])
        if kept is None or kept.holder != me or kept.scores == province.scores:
            continue
        place = phrases.format_places(view.table, province.guards)
        cut = list(_wall_builders(province, me, since))
        if not cut:
            yield gettext(
                "%(place)s gives you %(after)s a levy, no longer %(before)s",
                place=place,
                after=kept.scores,
                before=province.scores,
            )
            continue
        yield gettext(
            "%(names)s cut %(place)s with walls: it gives you %(after)s a levy, no longer %(before)s",
            names=phrases.format_list(cut),
            place=place,
            after=kept.scores,
            before=province.scores,
        )


def _wall_builders(province: Province, me: int, since: Sequence[tuple[VisibleEvent, str]]) -> Iterator[str]:
    """Yield the names of other players who built walls inside a former province."""
    between = Counter(side for space in province.spaces for side in sides(space))
    found = (
        name
        for fact, name in since
        if isinstance(fact, AlexanderMarched)
        and fact.seat != me
        and any(between[wall] > 1 for wall in fact.walls)
    )
    yield from dict.fromkeys(found)


def list_levies(view: View, since: Sequence[VisibleEvent], names: Sequence[SeatNames] = ()) -> Iterator[str]:
    """Yield a clause for each levy of another player, with the reader's gain from it, if any."""
    for fact, name in _name_doers(view, since, names):
        if view.me is not None and isinstance(fact, TaxesLevied) and fact.seat != view.me:
            gain = fact.gains[view.me]
            if gain:
                yield gettext("%(name)s levied: you +%(gain)s", name=name, gain=gain)
            else:
                yield gettext("%(name)s levied: nothing for you", name=name)


def _scoring(table: Table, seat: int) -> list[Province]:
    found = [one for one in provinces(table) if one.holder == seat and one.scores]
    return sorted(found, key=lambda one: -one.scores)


def summarize_game(view: View) -> str:
    """Describe the position for the reader in one sentence, for the preview in a mailbox."""
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
    first, last = describe_area(basemap_of(table.board), picture.area)
    guards = [
        f"{phrases.name_or_you(table, seat, view.me)} {len(standing)}"
        for seat, standing in enumerate(table.guards)
        if standing
    ]
    return say(
        "board.part_picture",
        table=table,
        first=first,
        last=last,
        overview=picture.overview,
        guards=guards,
        labels=pointed.labels,
    )


MOST_FREE = 12
"""Highest number of free provinces listed, the most valuable first; the picture shows all."""


@dataclass(frozen=True, slots=True)
class PlayerStanding:
    seat: int
    name: str
    colour: str
    initial: str
    me: bool
    moves: bool
    won: bool
    score: int
    gain: int
    cards: int
    guards: str
    supply: int


def player_standings(view: View) -> list[PlayerStanding]:
    """List the players in turn order, or by points once the game is over."""
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
    """A province with symbol spaces, as listed in letters and on pages."""

    province: Province
    name: str
    """The name of the province's holder, never "you"; empty for a free province."""
    holder: str
    """The holder's name, or "you" for the reader; empty for a free province."""
    contents: str


def province_standings(view: View, most_free: int | None = MOST_FREE) -> list[ProvinceStanding]:
    """List the held provinces, each holder's best first, then the best free ones; `most_free` None: all."""
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
    size, borne = phrases.format_spaces(len(province.spaces)), len(province.places)
    if borne > 6:
        return gettext("%(spaces)s, %(number)s with a symbol", spaces=size, number=borne)
    named = []
    for place in province.places:
        symbol = table.board.symbol_at(place)
        named.append(f"{table.board.names[place]} ({phrases.symbol_name(symbol)})")
    return f"{size}: {phrases.format_list(named)}"


def explain_end(table: Table) -> str:
    """Explain the end of the game in a sentence; empty before the end."""
    return "" if table.reason is None else phrases.capitalize_first(end_phrase(table.reason, table)) + "."


def end_phrase(why: EndReason, table: Table) -> str:
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
