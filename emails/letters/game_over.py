"""What a letter tells of a whole game once it is over: the points turn by turn, and what was best."""

from __future__ import annotations

from emails.i18n import say
from emails.letters.renderer import Picture
from emails.wording import phrases, score_chart
from emails.wording.statistics import Record
from engine.position import View

SCORES = "scores"
"""The name of the picture of the points."""


def course(record: Record, view: View) -> tuple[Picture, str]:
    """The points turn by turn: drawn, and in lines for those who do not see it."""
    table = view.table
    names = [phrases.shown(name) for name in table.names]
    drawn = score_chart.chart(record, names, table.edition.winning_score, say("turn"), say("points"))
    said = score_chart.chart_text(record, names, say("Turn %(turn)s: %(points)s"))
    return Picture(SCORES, drawn, _alt(record, view)), said


def _alt(record: Record, view: View) -> str:
    """What the chart comes to, for who hears it."""
    found, table = score_chart.course(record), view.table
    if found is None:
        return say("The points of each player, turn by turn.")
    standing = (f"{phrases.who(table, seat, view.me)} {points}" for seat, points in found.standing)
    leaders = (phrases.who(table, seat, view.me) for seat in found.leaders)
    return say(
        "The points of each player, turn by turn. After turn %(turns)s: %(standing)s. In front since turn "
        "%(since)s: %(leaders)s.",
        turns=found.turns,
        standing=phrases.listed(standing),
        since=found.since,
        leaders=phrases.listed(leaders),
    )


def remembered(record: Record, view: View) -> list[str]:
    """The longest march and the best levy, as sentences."""
    found, table = [], view.table
    if march := record.longest:
        found.append(
            say(
                "The longest march: %(name)s in turn %(turn)s, via %(path)s, laying %(walls)s.",
                name=phrases.who(table, march.seat, view.me),
                turn=march.turn,
                path="-".join(map(str, march.path)),
                walls=phrases.walls(march.walls),
            )
        )
    if best := record.best:
        found.append(
            say(
                "The best levy: %(name)s in turn %(turn)s, with %(card)s, for %(points)s.",
                name=phrases.who(table, best.seat, view.me),
                turn=best.turn,
                card=phrases.a(best.card),
                points=phrases.points(best.gain),
            )
        )
    return found
