"""Values for the page of a finished game: winners, the course of the points, and the review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby

from emails.i18n import gettext
from emails.letters.game_letters import describe_highlights, render_score_chart
from emails.names import SeatNames, name_seats_in_turn
from emails.wording import phrases, review_text, standings
from emails.wording.narration import names_in_turns
from emails.wording.review_text import compile_statistics, draw_chance_chart
from engine.bots.reviews import Review, ReviewedTurn, harvests, largest_swing, largest_swings
from engine.events import CardOpened, SupplyRenewed
from engine.notation.orders import write
from engine.position import View, veil_event
from server.reviews import is_review_awaited, load_review
from server.store.event_log import History, StartedHistory, list_steps, require_started
from server.store.models import Game
from server.web.kit.locale import localize_orders
from server.web.kit.request_context import current_context

MOST_SWINGS = 3


def finished_game_values(game: Game, history: History, known: View) -> dict[str, object]:
    table = known.table
    won = table.winners or ()
    events = [veil_event(event, None) for _, event in history.events]
    found, begun = compile_statistics(events), require_started(history)
    names = names_in_turns(events, begun.list_seat_names(known.me))
    chart, text = render_score_chart(found, known)
    named = f'role="img" aria-label="{escape(chart.alt)}"'
    return {
        "winners": len(won),
        "names": phrases.capitalize_first(
            phrases.format_list(phrases.name_or_you(table, seat, known.me) for seat in won)
        ),
        "points": phrases.format_points(max(table.scores)),
        "mine": known.me in won,
        "reason": standings.explain_end(table),
        "course": chart.svg.replace('role="img"', named, 1),
        "course_lines": text,
        "remembered": describe_highlights(found, known, names),
        **_review_values(game, begun, known, names),
    }


# --- origins of points, and the review --------------------------------------------------------------------


def _review_values(
    game: Game, history: StartedHistory, known: View, turn_names: Sequence[SeatNames]
) -> dict[str, object]:
    with current_context().reading() as session:
        review = load_review(current_context(), session, game.id, history.position)
        awaited = review is None and is_review_awaited(session, game.id)
    steps = list_steps(history)
    found = list(harvests(steps))
    seats = range(len(known.table.names))
    return {
        "origins": [line for seat in seats if (line := review_text.describe_origins(found, seat, known))],
        "levies": [
            review_text.describe_levy(list(group), known)
            for _, group in groupby(found, key=lambda one: one.turn)
        ],
        "review": None if review is None else _build_box(review, _first_steps(history), known, turn_names),
        "review_awaited": awaited,
    }


def _first_steps(history: StartedHistory) -> Mapping[int, int]:
    found: dict[int, int] = {}
    for number, (before, event) in enumerate(list_steps(history), 1):
        if not isinstance(event, CardOpened | SupplyRenewed):
            found.setdefault(before.table.turn, number)
    return found


def _build_box(
    review: Review, at: Mapping[int, int], known: View, turn_names: Sequence[SeatNames]
) -> dict[str, object]:
    names = tuple(phrases.safe_name(name) for name in known.table.names)
    swing = largest_swing(review)
    turns = [
        _tell_turn(one, at[one.verdict.turn], name_seats_in_turn(known, turn_names, one.verdict.turn))
        for one in review.turns
    ]
    swing_text = ""
    if swing is not None:
        swing_text = review_text.describe_swing(swing, name_seats_in_turn(known, turn_names, swing.turn))
    drawn = draw_chance_chart(review, names, gettext("turn"), gettext("chances"))
    alt = gettext("The chances of each player, turn by turn, as the judge sees them.") + " " + swing_text
    worst = largest_swings((one.verdict for one in review.turns), MOST_SWINGS)
    return {
        "names": names,
        "chart": drawn.replace('role="img"', f'role="img" aria-label="{escape(alt)}"', 1),
        "swing": swing_text,
        "chances": list(map(review_text.format_chance, review.chances)),
        "turns": turns,
        "dearest": [turns[one.turn - 1] for one in worst if review_text.round_cost(one)],
    }


def _tell_turn(one: ReviewedTurn, at: int, known: View) -> dict[str, object]:
    verdict, board = one.verdict, known.table.board
    name = phrases.name_or_you(known.table, verdict.seat, known.me)
    return {
        "number": verdict.turn,
        "at": at,
        "title": gettext("Turn %(number)s: %(name)s", number=verdict.turn, name=name),
        "played": localize_orders("; ".join(write(action, board) for action in verdict.played)),
        "cost": review_text.describe_cost(verdict, board),
        "chances": list(map(review_text.format_chance, one.chances)),
    }
