"""What a mail says of its writer's plan, is done: kept instead of another one, or withdrawn."""

from __future__ import annotations

from collections.abc import Sequence

from emails.i18n import gettext, gettext_noop
from emails.languages.lexicon import plan_words
from emails.languages.supported_languages import ENGLISH
from emails.plans.plan_text import example_condition
from emails.replies.reply_reader import Message
from emails.wording import phrases
from emails.wording.requests import PLAN_KEPT, Request, RequestKind
from engine.actions import NoAction, Unreadable
from engine.board import Board
from engine.plans.plan_words import write_plan
from server.inbox.reply_outcome import LONGEST_QUOTED
from server.outbox.unit_of_work import UnitOfWork
from server.store.histories import require_started
from server.store.models import Game
from server.turns.plans import PlanRefused, keep_plan, read_plan, withdraw_plan

PLAN_ALONE = gettext_noop(
    "Write a plan in a mail without other orders, and an empty line or the end of the mail behind it."
)
PLAN_STRANGE = gettext_noop(
    "The plan is not kept: “%(word)s” was not understood in “%(line)s”. A plan is written such as “%(plan)s”."
)


def check_plan(message: Message) -> None:
    """Refuse what cannot be kept of a mail, whatever the game is like. Raises `PlanRefused`."""
    for one in message.plans:
        if one.refusal is not None:
            quoted = one.words[:LONGEST_QUOTED]
            if isinstance(one.refusal, NoAction):
                word = one.refusal.values["word"]
                raise PlanRefused(gettext(PLAN_STRANGE, word=word, line=quoted, plan=example_condition()))
            why = phrases.explain_refusal(one.refusal)
            raise PlanRefused(gettext("“%(line)s”: %(why)s", line=quoted, why=why))
    if len(message.plans) > 1 or (message.plans and message.orders):
        raise PlanRefused(gettext(PLAN_ALONE))


def canonical_plan(message: Message, board: Board) -> str:
    """What a mail plans, in words that mean the same in every language; empty where it plans nothing."""
    found = (one.plan for one in message.plans if one.plan is not None)
    return next((write_plan(plan, board, plan_words(ENGLISH)) for plan in found), "")


def do_plan_requests(
    unit: UnitOfWork, game: Game, seat: int, words: str, asked: Sequence[Request]
) -> tuple[Request, ...]:
    """Withdraw a plan, or keep one in canonical words; what is then to be shown. Raises `PlanRefused`."""
    if any(one.kind == RequestKind.NO_PLAN for one in asked):
        withdraw_plan(unit.session, game.id, seat)
    if not words:
        return tuple(asked)
    history = require_started(unit.history_of(game))
    try:
        plan = read_plan(words, history.position.table.board)
    except Unreadable as refusal:  # its question is from before plans were read as they are now
        raise PlanRefused(phrases.explain_refusal(refusal)) from None
    keep_plan(unit.session, game, history, seat, plan, unit.now)
    return (Request(RequestKind.PLAN, PLAN_KEPT), *(one for one in asked if one.kind not in PLAN_KINDS))


PLAN_KINDS = frozenset({RequestKind.PLAN, RequestKind.NO_PLAN})


def concerns_plan(message: Message) -> bool:
    """Whether a mail changes the plan of its writer."""
    return bool(message.plans) or any(one.kind == RequestKind.NO_PLAN for one in message.requests)
