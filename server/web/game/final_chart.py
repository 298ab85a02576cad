"""What the page of a finished game tells: who won and why, the course of the points, what was best."""

from __future__ import annotations

from html import escape

from emails.letters.game_over import course, remembered
from emails.wording import phrases
from emails.wording.narration import reason
from emails.wording.statistics import record
from engine.position import View
from engine.views import told
from server.store.event_log import History


def ending(history: History, known: View) -> dict[str, object]:
    """The values that finished.html needs beyond those of a scene, of a game that is over."""
    table = known.table
    won = table.winners or ()
    found = record([told(event, None) for _, event in history.facts])
    chart, said = course(found, known)
    named = f'role="img" aria-label="{escape(chart.alt)}"'
    return {
        "winners": [phrases.begun(phrases.who(table, seat, known.me)) for seat in won],
        "points": phrases.points(max(table.scores)),
        "mine": known.me in won,
        "reason": reason(table),
        "course": chart.svg.replace('role="img"', named, 1),
        "course_lines": said,
        "remembered": remembered(found, known),
    }
