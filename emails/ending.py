"""What a letter tells of a whole game once it is over: the points turn by turn, and what was best."""

from __future__ import annotations

from emails import scores, wording
from emails.printing import Picture
from emails.record import Record
from emails.tongue import say
from engine.position import View

SCORES = "scores"
"""The name of the picture of the points."""


def course(record: Record, view: View) -> tuple[Picture, str]:
    """The points turn by turn: drawn, and in lines for those who do not see it."""
    table = view.table
    names = [wording.shown(name) for name in table.names]
    drawn = scores.chart(record, names, table.edition.winning_score, say("turn"), say("points"))
    said = scores.chart_text(record, names, say("Turn %(turn)s: %(points)s"))
    return Picture(SCORES, drawn, _alt(record, view)), said


def _alt(record: Record, view: View) -> str:
    """What the chart comes to, for who hears it."""
    found, table = scores.course(record), view.table
    if found is None:
        return say("The points of each player, turn by turn.")
    standing = (f"{wording.who(table, seat, view.me)} {points}" for seat, points in found.standing)
    leaders = (wording.who(table, seat, view.me) for seat in found.leaders)
    return say(
        "The points of each player, turn by turn. After turn %(turns)s: %(standing)s. In front since turn "
        "%(since)s: %(leaders)s.",
        turns=found.turns,
        standing=wording.listed(standing),
        since=found.since,
        leaders=wording.listed(leaders),
    )


def remembered(record: Record, view: View) -> list[str]:
    """The longest march and the best levy, as sentences."""
    found, table = [], view.table
    if march := record.longest:
        found.append(
            say(
                "The longest march: %(name)s in turn %(turn)s, via %(path)s, laying %(walls)s.",
                name=wording.who(table, march.seat, view.me),
                turn=march.turn,
                path="-".join(map(str, march.path)),
                walls=wording.walls(march.walls),
            )
        )
    if best := record.best:
        found.append(
            say(
                "The best levy: %(name)s in turn %(turn)s, with %(card)s, for %(points)s.",
                name=wording.who(table, best.seat, view.me),
                turn=best.turn,
                card=wording.a(best.card),
                points=wording.points(best.gain),
            )
        )
    return found
