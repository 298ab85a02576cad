"""The operations of the API: what each is called, what it reads, and what it does.

The routes and the OpenAPI document are made from the table `OPERATIONS`. The decorator `operation` adds a
function to the table. The commands (server/commands.py) that have an `operation` name are added too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import time
from http import HTTPMethod
from typing import Any, NamedTuple, TypeVar, get_type_hints

from flask import Response
from pydantic import BaseModel

from emails.i18n import current_locale, gettext
from emails.languages.lexicon import words_of
from emails.languages.supported_languages import ENGLISH
from emails.wording.narration import VoteOutcome
from emails.wording.phrases import capitalize_first, explain_refusal
from emails.wording.requests import VoteAnswer, VoteKind, describe_plan
from engine.actions import Ambiguous, Illegal, Unreadable
from engine.notation.orders import OrderLine, write
from engine.notation.parser import parse_lines
from engine.plans import PlannedTurn, write_plan
from server import commands
from server.accounts.vacations import list_ahead
from server.commands import Actor, Command
from server.lobby.votes import VOTED_NO_MORE, VoteRefused
from server.outbox.notifications import load_preferences
from server.outbox.queue import open_unit
from server.store.event_log import StalePosition, StartedHistory, require_started
from server.store.states import Channel
from server.store.turn_clock import away_until, load_availability
from server.turns.dry_run import LinesRefused, PlayerResigned, preview, refusal_sentence
from server.turns.play import find_plan, load_running_game, play, read_plan
from server.web.api import game_view, schemas
from server.web.api.game_view import PAGE_SIZE, FoundGame, describe_begun_game, find_game
from server.web.api.schemas import LARGEST_ACT_NUMBER, ApiError, JsonObject, OrdersError, StaleError
from server.web.game.viewers import lines_of
from server.web.kit.request_context import current_context, in_transaction, now, read
from server.web.kit.visitors import page_vocabulary

LONGEST_LINE_SHOWN = 200
GET, POST = HTTPMethod.GET, HTTPMethod.POST
AT_GAME = "/api/games/{game}"
GAME_ID: dict[str, Any] = {"type": "string", "pattern": schemas.GAME_ID_PATTERN}


class Parameter(NamedTuple):
    """A parameter of the query: an id of a game, or a whole number with limits."""

    name: str
    told: str
    schema: dict[str, Any]


def whole_number(least: int, most: int, **more: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most, **more}


SEAT = Parameter("seat", schemas.OWN_SEAT_TOLD, whole_number(0, 3))
OF_GAME = Parameter("game", "One of your games; by default all.", GAME_ID)
AFTER_TOLD = "Only the events after the act with this number."
AFTER = Parameter("after", AFTER_TOLD, whole_number(0, LARGEST_ACT_NUMBER, default=0))
PAGE_TOLD = f"The page of the list; each page has {PAGE_SIZE} games."
PAGE = Parameter("page", PAGE_TOLD, whole_number(1, 10_000, default=1))


@dataclass(frozen=True, slots=True)
class Operation:
    method: HTTPMethod
    path: str
    run: Callable[..., BaseModel | Response]
    """Called with the `FoundGame`, or the player if the path names no game; then body and query, by name.

    Its name and docstring are those of the operation in the OpenAPI document.
    """
    answer: type[BaseModel] | JsonObject
    """Schema of a successful response, or the `responses` object of the OpenAPI document."""
    body: type[schemas.Body] | None
    query: tuple[Parameter, ...]
    told: str
    """Description besides that of the docstring."""
    for_anybody: bool
    """Whether no key is needed."""

    @property
    def name(self) -> str:
        first, *rest = self.run.__name__.split("_")
        return first + "".join(map(str.title, rest))

    @property
    def is_of_game(self) -> bool:
        return self.path.startswith(AT_GAME)


OPERATIONS: list[Operation] = []
Run = TypeVar("Run", bound=Callable[..., BaseModel | Response])


def operation(
    method: HTTPMethod,
    path: str,
    *query: Parameter,
    answer: JsonObject | None = None,
    told: str = "",
    for_anybody: bool = False,
) -> Callable[[Run], Run]:
    """Enter a function into the table. Its annotations name the schemas of its body and of its answer."""

    def enter(run: Run) -> Run:
        hints = get_type_hints(run)
        body = hints.get("body")
        seat = (SEAT,) if path.startswith(AT_GAME) and body is None else ()
        shapes = answer or hints["return"], body
        OPERATIONS.append(Operation(method, path, run, *shapes, (*query, *seat), told, for_anybody))
        return run

    return enter


def perform(actor: Actor, *changes: Command) -> commands.Done:
    """Perform commands in one transaction; return the effect of the last."""
    return in_transaction(lambda unit: [one.perform(unit, actor) for one in changes][-1])


# --- games and acts -------------------------------------------------------------------------------------


operation(GET, "/api/games", PAGE)(game_view.list_games)
operation(GET, f"{AT_GAME}/advice")(game_view.get_advice)


@operation(POST, f"{AT_GAME}/acts")
def act(found: FoundGame, body: schemas.Acts) -> schemas.Done:
    """Act in a game, or preview an act.

    If a line is invalid, no line is performed. If a revealed card makes a line impossible, only this line and
    all later lines are left out.
    """
    me = found.own_seat
    if body.after != found.history.after:
        raise _stale_error(found)
    history = require_started(found.history)
    if history.position.table.over:
        raise ApiError(422, gettext("The game is over."))
    lines = lines_of("\n".join(body.lines))
    try:
        orders = parse_lines(lines, found.board, page_vocabulary())
        if me in history.resigned:  # even for a preview
            raise PlayerResigned(orders)
        if history.position.table.seat != me:
            raise LinesRefused(lines[0] if lines else "", Illegal("3.1", "it is not your turn"))
        if not lines:
            raise LinesRefused("", Illegal("3.1", "there is no action in it"))
        return _preview(found, history, lines) if body.preview else _play(found, orders)
    except LinesRefused as refused:
        raise _refusal_error(refused) from None
    except StalePosition:
        raise _stale_error(found.load_again()) from None


def _stale_error(found: FoundGame) -> ApiError:
    return StaleError(409, more={"after": found.history.after})


def _preview(found: FoundGame, history: StartedHistory, lines: Sequence[str]) -> schemas.Done:
    ahead = preview(history.position, found.own_seat, lines, page_vocabulary())
    return schemas.Done.model_validate(
        {
            "preview": True,
            "done": ahead.done,
            "undone": ahead.left,
            "why": None,
            "hidden": ahead.hidden,
            "after": history.after,
            "events": found.encode(ahead.events),
            "game": describe_begun_game(found, ahead.position, offered=False),
        }
    )


def _play(found: FoundGame, orders: Sequence[OrderLine]) -> schemas.Done:
    with open_unit(current_context(), now(), game=found.game.id) as unit:
        game = load_running_game(unit.context, unit.session, found.game.id, found.history.after)
        played = play(unit, game, found.own_seat, orders, Channel.API)
        unit.commit()
    run, since = played.run, found.load_again()
    return schemas.Done.model_validate(
        {
            "preview": False,
            "done": run.done,
            "undone": run.undone,
            "why": None if run.refusal is None else refusal_sentence(run.refusal),
            "hidden": False,
            "after": played.history.after,
            "events": found.encode(run.events),
            "game": describe_begun_game(since, require_started(since.history).position),
        }
    )


def _refusal_error(refused: LinesRefused) -> ApiError:
    refusal, resume_point = refused.refusal, refused.resume_point
    more: JsonObject = {"line": refused.line[:LONGEST_LINE_SHOWN]}
    if isinstance(refusal, Illegal):
        more["rule"] = refusal.rule
    if isinstance(refusal, Ambiguous) and resume_point is not None:
        meant = (write(one, resume_point.known.table.board) for one in refusal.candidates)
        more["candidates"] = ["; ".join((*resume_point.before, one, *resume_point.rest)) for one in meant]
        more["more"] = refusal.more
    if isinstance(refusal, Unreadable):
        more |= _describe_guesses(refusal)
    return OrdersError(422, refused.sentence, more)


def _describe_guesses(refusal: Unreadable) -> JsonObject:
    return {"did_you_mean": list(refusal.did_you_mean)} if refusal.did_you_mean else {}


# --- the seat -------------------------------------------------------------------------------------------


def _enter_command(command: type[Command]) -> None:
    def run(found: FoundGame) -> schemas.CommandDone:
        return schemas.CommandDone(told=perform(found.actor, command()).text)

    run.__name__, run.__doc__ = command.operation, command.__doc__
    operation(POST, f"{AT_GAME}/{command.operation}")(run)


for _command in Command.__subclasses__():
    if _command.operation:
        _enter_command(_command)


@operation(POST, f"{AT_GAME}/back")
def come_back(found: FoundGame) -> schemas.BackDone:
    """Return to your seat.

    No caretaker plays your seat from now on.
    """
    return schemas.BackDone(back=bool(perform(found.actor, commands.ComeBack()).outcome))


@operation(POST, f"{AT_GAME}/votes")
def cast_vote(found: FoundGame, body: schemas.Vote) -> schemas.Voted:
    """Make a request to all players, or answer a vote.

    The first 24 hours more for a turn are added at once, and a “no” of another player withdraws them. The
    next 24 hours need the “yes” of another player. The organiser can begin and end a pause alone. Any other
    pause needs the agreement of all players. After a day, players can end a pause, unless they agreed to it
    and others did not. On a vacant seat the majority of answers within three days decides: the seat waits for
    a substitute, is skipped, or the game ends as it stands. While the seat waits, an answer other than “wait”
    opens the vote again.
    """
    done = perform(found.actor, _read_vote(found, body))
    return schemas.Voted(outcome=VoteOutcome(done.outcome), told=done.text)


def _read_vote(found: FoundGame, body: schemas.Vote) -> Command:
    answer = body.answer
    match body.vote:
        case VoteKind.MORE_TIME if answer is None:
            return commands.AskMoreTime()
        case VoteKind.PAUSE if answer is None:
            return commands.AskPause(body.until)
        case VoteKind.PAUSE if answer is VoteAnswer.NO and found.game.paused_at is not None:
            return commands.EndPause()
    if answer is None:
        raise VoteRefused(gettext(VOTED_NO_MORE))
    return commands.CastVote(body.vote, answer, body.about)


PLAN_TOLD = """\
A plan is a list of whole turns, some with a condition, written as in a mail. A few seconds after your turn
has come, the first turn that is legal and whose condition holds is played. Only you see the plan.
"""


@operation(GET, f"{AT_GAME}/plan", told=PLAN_TOLD)
def get_plan(found: FoundGame) -> schemas.Plan:
    """Your plan for your next turn."""
    table = require_started(found.history).position.table
    with current_context().reading() as session:
        kept = find_plan(current_context(), session, found.game, found.own_seat)
    told = " ".join(describe_plan(kept, table))
    if kept is None:
        return schemas.Plan(plan=None, turn=None, missed=False, fits=None, told=told)
    outlook, english = kept.outlook, words_of(ENGLISH).plan_words
    return schemas.Plan(
        plan=kept.words if kept.plan is None else write_plan(kept.plan, table.board, english),
        turn=kept.turn,
        missed=kept.missed,
        fits=outlook.number if isinstance(outlook, PlannedTurn) else None,
        told=told,
    )


@operation(POST, f"{AT_GAME}/plan", told=PLAN_TOLD)
def set_plan(found: FoundGame, body: schemas.PlanWish) -> schemas.Plan:
    """Store or withdraw a plan for your next turn."""
    require_started(found.history)
    try:
        plan = None if body.plan is None else read_plan(body.plan, found.board, current_locale().language)
    except Unreadable as refused:
        sentence = f"{capitalize_first(explain_refusal(refused))}."
        raise OrdersError(422, sentence, _describe_guesses(refused)) from None
    perform(found.actor, commands.StorePlan(plan))
    return get_plan(found)


# --- the player -----------------------------------------------------------------------------------------


AVAILABILITY_TOLD = """\
During your vacation no time runs on your turns in any of your games. In games with turns of twelve hours or
more, no time runs while you sleep and on your days off, in your time zone. You can play meanwhile. Other
players see that you are away, but not your sleep hours and days off. If your zone is known and you have set
no sleep hours, those games send no reminder from 22:00 to 8:00, and a turn that would end then ends at 9:00.
"""


@operation(GET, "/api/availability", told=AVAILABILITY_TOLD)
def get_availability(player: int) -> schemas.Availability:
    """The times in which no clock runs on your turns."""
    found, ahead = read(load_availability, player), read(list_ahead, player, None, now())
    begins, ends = found.sleeps_from, found.sleeps_until
    asleep = (
        None if begins is None or ends is None else {"begins": f"{begins:%H:%M}", "ends": f"{ends:%H:%M}"}
    )
    return schemas.Availability.model_validate(
        {
            "zone": found.zone,
            "sleeps": asleep,
            "days_off": sorted(found.days_off),
            "vacations": [{"vacation": row.id, "first": row.first, "last": row.last} for row in ahead],
            "away_until": read(away_until, player, None, now()),
        }
    )


def _change_availability(player: int, *changes: Command) -> schemas.Availability:
    perform(Actor(player, Channel.API), *changes)
    return get_availability(player)


@operation(POST, "/api/availability", told=AVAILABILITY_TOLD)
def set_availability(player: int, body: schemas.AvailabilityWish) -> schemas.Availability:
    """Set your time zone, hours of sleep and days off."""
    sleeps = None
    if body.sleeps is not None:
        sleeps = time.fromisoformat(body.sleeps.begins), time.fromisoformat(body.sleeps.ends)
    rest = commands.SetRest(sleeps, frozenset(body.days_off))
    return _change_availability(player, commands.SetZone(body.zone), rest)


@operation(POST, "/api/vacations", told=AVAILABILITY_TOLD)
def take_vacation(player: int, body: schemas.VacationWish) -> schemas.Availability:
    """Take a vacation."""
    return _change_availability(player, commands.GoAway(body.last, body.first))


@operation(POST, "/api/vacations/end", told=AVAILABILITY_TOLD)
def end_vacation(player: int, body: schemas.VacationEnd) -> schemas.Availability:
    """End or cancel a vacation."""
    return _change_availability(player, commands.RemoveDays(body.vacation))


REMINDERS_TOLD = """\
Reminders are sent when half and when an eighth of the time for your turn is left, but never at night or while
no time runs.
"""


@operation(GET, "/api/reminders", OF_GAME, told=REMINDERS_TOLD)
def get_reminders(player: int, game: str | None) -> schemas.Reminders:
    """Whether you are reminded of your turns."""
    _check_own_game(player, game)
    return schemas.Reminders(reminders=read(load_preferences, player, game).reminders, game=game)


@operation(POST, "/api/reminders", told=REMINDERS_TOLD)
def set_reminders(player: int, body: schemas.ReminderWish) -> schemas.Reminders:
    """Set whether you are reminded of your turns."""
    _check_own_game(player, body.game)
    actor = Actor(player, Channel.API, body.game or "")
    perform(actor, commands.SetReminders(body.reminders, only_here=body.game is not None))
    return schemas.Reminders(reminders=body.reminders, game=body.game)


def _check_own_game(player: int, game: str | None) -> None:
    if game is not None:  # None means all games
        _ = find_game(player, game).own_seat
