"""Who leads, and what changed for the reader since their last turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from emails.i18n import gettext, gettext_noop
from emails.picture import palette
from emails.seat_names import SeatNames
from emails.wording import phrases
from engine.board import Space, sides
from engine.events import AlexanderMarched, ProvinceTakenOver, TaxesLevied
from engine.position import Table, View, VisibleEvent
from engine.provinces import Province, levy_gains, province_at, provinces


@dataclass(frozen=True, slots=True)
class PlayerScore:
    """What one player has."""

    name: str
    """"you" for the reader."""
    me: bool
    initial: str
    """On the guards of the picture."""
    colour: str
    score: int
    gained: int
    """Since the reader's last turn."""
    levy: int
    """What a levy would give now."""
    leads: bool


def list_scores(view: View, before: Table | None) -> list[PlayerScore]:
    """The players in the order of their turns; `before`: the table at the end of the reader's last turn."""
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
    """Who has how many points, with what each gained, and who leads: one sentence."""
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
    """Who is in front, and by how much where it is one."""
    if len(leaders) > 1:
        names = phrases.format_list(one.name for one in leaders)
        return gettext("%(names)s lead", names=names)
    [leader], ahead = leaders, leaders[0].score - ranked[1].score
    if leader.me:
        return gettext("you lead by %(number)s", number=ahead)
    return gettext("%(name)s leads by %(number)s", name=leader.name, number=ahead)


def warn_of_end(view: View) -> Iterator[str]:
    """That a levy ends the game (7.1), where it does as things stand: a clause without full stop."""
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


# --- what changed for the reader ----------------------------------------------------------------------------


def list_changes(
    view: View,
    before: Table | None,
    since: Sequence[VisibleEvent] = (),
    names: Sequence[SeatNames] = (),
) -> list[str]:
    """What others did to what each levy gives the reader, the worst first: clauses without full stop.

    `names` are those of the seats at each fact of `since`; empty: as they are now.
    """
    if view.me is None or before is None:
        return []
    done = _name_doers(view, since, names)
    return [*_list_losses(view, view.me, before, done), *_shrunk(view, view.me, before, done)]


def _name_doers(
    view: View, since: Sequence[VisibleEvent], names: Sequence[SeatNames]
) -> list[tuple[VisibleEvent, str]]:
    """Each fact that somebody did, with what they were called."""
    called = [one.names for one in names] or [view.table.names] * len(since)
    return [
        (fact, phrases.safe_name(known[seat]))
        for fact, known in zip(since, called, strict=True)
        if (seat := getattr(fact, "seat", None)) is not None
    ]


def changed_places(view: View, before: Table | None) -> Iterator[Space]:
    """The places of which these changes speak."""
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
    """Provinces that somebody took over."""
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
        place, value = _name_places(view, province), province.scores
        name = takers.get(province.guards[0])
        if name is None:
            yield gettext("you lost %(place)s: -%(value)s a levy", place=place, value=value)
        else:
            yield gettext(
                "%(name)s took %(place)s from you: -%(value)s a levy", name=name, place=place, value=value
            )


def _shrunk(view: View, me: int, before: Table, since: Sequence[tuple[VisibleEvent, str]]) -> Iterator[str]:
    """Provinces that a march has cut."""
    now = {guard: province for province in provinces(view.table) for guard in province.guards}
    for province in _scoring(before, me):
        kept = now.get(province.guards[0])
        if kept is None or kept.holder != me or kept.scores == province.scores:
            continue
        place = _name_places(view, province)
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
    """The others who have laid walls between the spaces of what was one province."""
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
    """Taxes that others levied, with what they brought the reader: clauses without full stop.

    `names`: as in `list_changes`.
    """
    for fact, name in _name_doers(view, since, names):
        if view.me is not None and isinstance(fact, TaxesLevied) and fact.seat != view.me:
            gain = fact.gains[view.me]
            if gain:
                yield gettext("%(name)s levied: you +%(gain)s", name=name, gain=gain)
            else:
                yield gettext("%(name)s levied: nothing for you", name=name)


def _scoring(table: Table, seat: int) -> list[Province]:
    """The provinces that score for a seat, the best first."""
    found = [one for one in provinces(table) if one.holder == seat and one.scores]
    return sorted(found, key=lambda one: -one.scores)


def _name_places(view: View, province: Province) -> str:
    places: Sequence[Space] = province.guards
    return phrases.format_places(view.table, places)
