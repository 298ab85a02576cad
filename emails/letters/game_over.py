"""What a letter tells of a whole game once it is over: the points turn by turn, and what was best."""

from __future__ import annotations

from collections.abc import Sequence

from emails.i18n import gettext
from emails.letters.renderer import Picture
from emails.seat_names import SeatNames, name_seats_in_turn
from emails.wording import phrases
from emails.wording.finished import charts
from emails.wording.finished.review_text import GameStatistics
from engine.position import View

SCORES_PICTURE = "scores"
"""The name of the picture of the points."""


def render_score_chart(record: GameStatistics, view: View) -> tuple[Picture, str]:
    """The points turn by turn: drawn, and in lines for those who do not see it."""
    table = view.table
    names = [phrases.safe_name(name) for name in table.names]
    drawn = charts.draw_score_chart(
        record, names, table.edition.winning_score, gettext("turn"), gettext("points")
    )
    text = charts.describe_scores(record, names, gettext("Turn %(turn)s: %(points)s"))
    return Picture(SCORES_PICTURE, drawn, _chart_alt(record, view)), text


def _chart_alt(record: GameStatistics, view: View) -> str:
    """What the chart comes to, for who hears it."""
    found, table = charts.summarize_scores(record), view.table
    if found is None:
        return gettext("The points of each player, turn by turn.")
    standing = (f"{phrases.name_or_you(table, seat, view.me)} {points}" for seat, points in found.standing)
    leaders = (phrases.name_or_you(table, seat, view.me) for seat in found.leaders)
    return gettext(
        "The points of each player, turn by turn. After turn %(turns)s: %(standing)s. In front since turn "
        "%(since)s: %(leaders)s.",
        turns=found.turns,
        standing=phrases.format_list(standing),
        since=found.since,
        leaders=phrases.format_list(leaders),
    )


def describe_highlights(
    record: GameStatistics, view: View, turn_names: Sequence[SeatNames] = ()
) -> list[str]:
    """The longest march and the best levy, as sentences; `turn_names` as in `name_seats_in_turn`."""
    found = []
    if march := record.longest:
        then = name_seats_in_turn(view, turn_names, march.turn)
        found.append(
            gettext(
                "The longest march: %(name)s in turn %(turn)s, via %(path)s, laying %(walls)s.",
                name=phrases.name_or_you(then.table, march.seat, then.me),
                turn=march.turn,
                path="-".join(map(str, march.path)),
                walls=phrases.format_walls(march.walls),
            )
        )
    if best := record.best:
        then = name_seats_in_turn(view, turn_names, best.turn)
        found.append(
            gettext(
                "The best levy: %(name)s in turn %(turn)s, with %(card)s, for %(points)s.",
                name=phrases.name_or_you(then.table, best.seat, then.me),
                turn=best.turn,
                card=phrases.a_card(best.card),
                points=phrases.format_points(best.gain),
            )
        )
    return found
