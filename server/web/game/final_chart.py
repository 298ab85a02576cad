"""What the page of a finished game tells: who won and why, the course of the points, what was best."""

from __future__ import annotations

from html import escape

from emails.letters.game_over import describe_highlights, render_score_chart
from emails.wording import phrases
from emails.wording.narration import explain_end
from emails.wording.statistics import compile_statistics
from engine.position import View
from engine.views import veil_event
from server.store.histories import History


def finished_game_values(history: History, known: View) -> dict[str, object]:
    """The values that finished.html needs beyond those of a scene, of a game that is over."""
    table = known.table
    won = table.winners or ()
    found = compile_statistics([veil_event(event, None) for _, event in history.events])
    chart, text = render_score_chart(found, known)
    named = f'role="img" aria-label="{escape(chart.alt)}"'
    return {
        "winners": [phrases.capitalize_first(phrases.name_or_you(table, seat, known.me)) for seat in won],
        "points": phrases.format_points(max(table.scores)),
        "mine": known.me in won,
        "reason": explain_end(table),
        "course": chart.svg.replace('role="img"', named, 1),
        "course_lines": text,
        "remembered": describe_highlights(found, known),
    }
