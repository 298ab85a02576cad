"""How tests vote: all agree to a pause, a turn gets more time, a pause is lifted, what acts say of it."""

import json
from datetime import datetime

from emails.wording.narration import VoteOutcome
from emails.wording.requests import VoteAnswer, VoteKind
from server.admin import interventions
from server.lobby import votes
from server.lobby.votes import voters
from server.store.context import Context
from server.store.models import Act
from server.store.states import Channel


def pauses(
    context: Context, game: str, seat: int | None, now: datetime, until: datetime | None = None
) -> VoteOutcome:
    return context.committed(now, votes.ask_pause, game, seat, Channel.WEB, until)


def extends(context: Context, game: str, seat: int, now: datetime) -> VoteOutcome:
    return context.committed(now, votes.ask_extension, game, seat, Channel.WEB)


def answers(
    context: Context,
    game: str,
    seat: int,
    kind: VoteKind,
    answer: VoteAnswer,
    now: datetime,
    about: int | None = None,
) -> VoteOutcome:
    return context.committed(now, votes.cast_vote, game, seat, kind, answer, Channel.WEB, about)


def all_pause(context: Context, game: str, now: datetime, until: datetime | None = None) -> None:
    with context.reading() as session:
        seats = sorted(voters(session, game, context.history(game)))
    for seat in seats:
        pauses(context, game, seat, now, until)


def lift_pause(context: Context, game: str, now: datetime) -> None:
    """Time runs again, whoever may say so by then."""
    interventions.resume_game(context, game, now)


def written(context: Context, game: str, kind: str) -> int:
    """How often the acts of a game say that something has happened."""
    acts = context.rows_of(Act.events, Act.game == game)
    return sum(fact["type"] == kind for events in acts for fact in json.loads(events))
