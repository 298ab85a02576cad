"""Requests of callers, parsed from JSON: acts, plans, votes, availability and reminders."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, time
from typing import Annotated, TypeVar

from flask import request
from pydantic import BeforeValidator, ConfigDict, Field, StrictBool, ValidationError
from sqlmodel import Session

from emails.i18n import current_locale, gettext, gettext_noop
from emails.languages.lexicon import plan_words
from emails.languages.supported_languages import ENGLISH
from emails.picture.palette import clean_name
from emails.wording.narration import VoteOutcome
from emails.wording.phrases import capitalize_first, explain_refusal, format_list
from emails.wording.plan_text import describe_plan
from emails.wording.requests import VoteAnswer, VoteKind
from engine.actions import Ambiguous, Illegal, Unreadable
from engine.events import Event
from engine.notation.orders import OrderLine, write
from engine.notation.parser import parse_lines
from engine.plans import LONGEST_PLAN, PlannedTurn, write_plan
from server import commands
from server.accounts.vacations import (
    away_until,
    list_ahead,
)
from server.commands import Actor, Command, Done
from server.lobby.votes import VOTED_NO_MORE, VoteRefused
from server.outbox.preferences import load_preferences, store_preferences
from server.outbox.queue import open_unit
from server.store.event_log import StartedHistory, require_started
from server.store.refusals import StalePosition
from server.store.states import Channel
from server.store.stored_availability import StoredVacation, load_availability
from server.time_control.availability import LONGEST_SLEEP, LONGEST_VACATION, MOST_DAYS_OFF
from server.turns.dry_run import MOST_ACTIONS, LinesRefused, PlayerResigned, preview, refusal_sentence
from server.turns.plans import read_plan
from server.turns.play import find_plan, load_running_game, play
from server.web.api.game_view import FoundGame, check_own_game, describe_begun_game, find_game
from server.web.api.schemas import (
    LARGEST_ACT_NUMBER,
    LONGEST_LINE,
    ActResult,
    Acts,
    ApiError,
    ApiShape,
    CommandResult,
    Fact,
    GameId,
    OrdersError,
    ReturnResult,
    SeatNumber,
    StaleError,
    VoteRequest,
    VoteResult,
    encode_for_seat,
)
from server.web.game.preview import lines_of
from server.web.kit.locale import page_vocabulary
from server.web.kit.request_context import current_context, in_transaction, now

LONGEST_LINE_SHOWN = 200
KEY_SENTENCES = {
    "after": gettext_noop("“after” must be a whole number: that of the last act of the game as you saw it."),
    "lines": gettext_noop(
        "“lines” must be a list of 1 to %(lines)s texts, each with at most %(most)s characters."
    ),
    "vote": gettext_noop("“vote” must be one of “more time”, “pause” and “empty seat”."),
    "answer": gettext_noop(
        "“answer” must be one of “yes”, “no”, “wait”, “go on” and “end”, or not be there."
    ),
    "about": gettext_noop("“about” must be the number of a seat, from 0 to 3, or not be there."),
    "until": gettext_noop(
        "“until” must be a moment with its zone, as 2030-08-17T18:00:00Z is written, or not be there."
    ),
    "plan": gettext_noop("“plan” must be a text with at most %(plan)s characters, or null."),
    "zone": gettext_noop("“zone” must be the name of a time zone, such as Europe/Amsterdam."),
    "sleeps": gettext_noop(
        "“sleeps” must be an object with “begins” and “ends” as 23:00 is written, or null."
    ),
    "days_off": gettext_noop("“days_off” must be a list of weekdays, from 0 for Monday to 6 for Sunday."),
    "first": gettext_noop("“first” must be a day as 2030-08-17 is written, or not be there."),
    "last": gettext_noop("“last” must be a day as 2030-08-17 is written."),
    "vacation": gettext_noop("“vacation” must be the number of a vacation of yours, or not be there."),
    "game": gettext_noop("“game” must be the id of a game of yours, or not be there."),
    "reminders": gettext_noop("“reminders” must be true or false."),
    "preview": gettext_noop("“preview” must be true or false."),
    "seat": gettext_noop("“seat” must be the number of a seat, from 0 to 3, or not be there."),
}


# --- reading --------------------------------------------------------------------------------------------


Shape = TypeVar("Shape", bound=ApiShape)


def read_body(shape: type[Shape]) -> Shape:
    """Parse the JSON body of the request. Raises `ApiError` if it does not match `shape`."""
    if request.mimetype != "application/json":
        raise ApiError(415)
    try:
        found = json.loads(
            request.get_data(cache=False).decode("utf-8"),
            parse_float=_parse_number,
            object_pairs_hook=_reject_duplicate_keys,
        )
    except (ValueError, RecursionError):
        raise ApiError(400, gettext("The body must be JSON, in UTF-8, with each key once.")) from None
    if not isinstance(found, dict):
        raise ApiError(
            400, gettext("The body must be an object, with the keys %(keys)s.", keys=_list_needed(shape))
        )
    try:
        return shape.model_validate(found)
    except ValidationError as error:
        raise ApiError(400, _key_sentence(str(*error.errors()[0]["loc"][:1]))) from None


def _list_needed(shape: type[ApiShape]) -> str:
    needed = [f"“{name}”" for name, one in shape.model_fields.items() if one.is_required()]
    return format_list(needed)


def _parse_number(text: str) -> float | int:
    """Parse 17.0 as the integer 17 (JSON Schema, section 4.2.3)."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _reject_duplicate_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse duplicate keys, which parsers treat differently (RFC 8259, section 4). Raises `ValueError`."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _key_sentence(key: str) -> str:
    if key not in KEY_SENTENCES:
        named = clean_name(key, 40)
        return gettext("“%(key)s” is no key that can stand here. Nothing was done.", key=named)
    limits = {"most": LONGEST_LINE, "lines": MOST_ACTIONS, "plan": LONGEST_PLAN}
    return gettext(KEY_SENTENCES[key], **limits)


# --- performing -----------------------------------------------------------------------------------------


def perform_acts(player: int, game_id: str) -> ActResult:
    """Perform or preview the orders of a caller. If it raises `ApiError`, nothing was performed."""
    acts = read_body(Acts)
    found = find_game(player, game_id, acts.seat)
    me, history = _current_seat(found, acts)
    lines = lines_of("\n".join(acts.lines))
    try:
        orders = parse_lines(lines, found.board, page_vocabulary())
        if me in history.resigned:  # even for a preview
            raise PlayerResigned(orders)
        if history.position.table.seat != me:
            raise LinesRefused(lines[0] if lines else "", Illegal("3.1", "it is not your turn"))
        if not lines:
            raise LinesRefused("", Illegal("3.1", "there is no action in it"))
        if acts.preview:
            return _preview_acts(found, history, me, lines)
        return _play_acts(player, found, me, orders)
    except LinesRefused as refused:
        raise _refusal_error(refused) from None
    except StalePosition:
        raise _stale_error(find_game(player, game_id, acts.seat)) from None


def _current_seat(found: FoundGame, acts: Acts) -> tuple[int, StartedHistory]:
    seat = found.own_seat
    if acts.after != found.history.after:
        raise _stale_error(found)
    history = require_started(found.history)
    if history.position.table.over:
        raise ApiError(422, gettext("The game is over."))
    return seat, history


def _stale_error(found: FoundGame) -> ApiError:
    return StaleError(409, more={"after": found.history.after})


def _preview_acts(found: FoundGame, history: StartedHistory, me: int, lines: Sequence[str]) -> ActResult:
    ahead = preview(history.position, me, lines, page_vocabulary())
    return ActResult(
        preview=True,
        done=list(ahead.done),
        undone=list(ahead.left),
        why=None,
        hidden=ahead.hidden,
        after=history.after,
        events=_visible_facts(found, ahead.events),
        game=describe_begun_game(found, ahead.position, offered=False),
    )


def _play_acts(player: int, found: FoundGame, me: int, orders: Sequence[OrderLine]) -> ActResult:
    with open_unit(current_context(), now(), game=found.game.id) as unit:
        game = load_running_game(unit.context, unit.session, found.game.id, found.history.after)
        played = play(unit, game, me, orders, Channel.API)
        unit.commit()
    run, since = played.run, find_game(player, found.game.id, me)
    return ActResult(
        preview=False,
        done=list(run.done),
        undone=list(run.undone),
        why=None if run.refusal is None else refusal_sentence(run.refusal),
        hidden=False,
        after=played.history.after,
        events=_visible_facts(found, run.events),
        game=describe_begun_game(since, require_started(since.history).position),
    )


def _visible_facts(found: FoundGame, events: Sequence[Event]) -> list[Fact]:
    return [Fact.model_validate(encode_for_seat(event, found.me, found.board)) for event in events]


def _refusal_error(refused: LinesRefused) -> ApiError:
    refusal, resume_point = refused.refusal, refused.resume_point
    more: dict[str, object] = {"line": refused.line[:LONGEST_LINE_SHOWN]}
    if isinstance(refusal, Illegal):
        more["rule"] = refusal.rule
    if isinstance(refusal, Ambiguous) and resume_point is not None:
        meant = (write(one, resume_point.known.table.board) for one in refusal.candidates)
        more["candidates"] = ["; ".join((*resume_point.before, one, *resume_point.rest)) for one in meant]
        more["more"] = refusal.more
    if isinstance(refusal, Unreadable) and refusal.did_you_mean:
        more["did_you_mean"] = list(refusal.did_you_mean)
    return OrdersError(422, refused.sentence, more)


WRITTEN_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
LONGEST_ZONE = 64


def _read_day(given: object) -> date:
    """Parse a date in the form of RFC 3339 only. Raises `ValueError`."""
    if not isinstance(given, str) or not WRITTEN_DAY.fullmatch(given):
        raise ValueError
    return date.fromisoformat(given)


Day = Annotated[date, BeforeValidator(_read_day)]
TimeOfDay = Annotated[str, Field(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$", examples=["23:00"])]
Weekday = Annotated[int, Field(ge=0, le=6, description="A weekday: 0 is Monday, 6 is Sunday.")]
Zone = Annotated[
    str,
    Field(
        max_length=LONGEST_ZONE,
        description="A time zone by its name in the IANA database.",
        examples=["Europe/Amsterdam"],
    ),
]
VacationNumber = Annotated[
    int, Field(ge=1, le=LARGEST_ACT_NUMBER, description="The number of a vacation, needed to end it.")
]


class SleepHours(ApiShape):
    """Your hours of sleep, every day."""

    model_config = ConfigDict(title="Sleep", strict=True)

    begins: TimeOfDay
    ends: TimeOfDay


class AvailabilityRequest(ApiShape):
    """Your weekly availability, which replaces the stored one."""

    model_config = ConfigDict(
        title="AvailabilityWish",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "zone": "Europe/Amsterdam",
                    "sleeps": {"begins": "23:00", "ends": "07:00"},
                    "days_off": [5, 6],
                }
            ]
        },
    )

    zone: Zone
    sleeps: Annotated[
        SleepHours | None,
        Field(description=f"Your hours of sleep, {int(LONGEST_SLEEP.total_seconds()) // 3600} at most."),
    ]
    days_off: Annotated[
        list[Weekday],
        Field(max_length=7, description=f"The weekdays that you have off, {MOST_DAYS_OFF} at most."),
    ]


class VacationRequest(ApiShape):
    """Days on which you are away.

    These days replace a stored vacation that contains them, and extend a vacation that only partly overlaps
    them.
    """

    model_config = ConfigDict(
        title="VacationWish",
        strict=True,
        json_schema_extra={"examples": [{"first": "2030-08-03", "last": "2030-08-17"}]},
    )

    last: Annotated[
        Day, Field(description=f"Your last day away, in your zone, of {LONGEST_VACATION} at most.")
    ]
    first: Day | None = None
    """Your first day away; by default today."""


class VacationEnd(ApiShape):
    """Stored days away that you cancel or end."""

    model_config = ConfigDict(strict=True, json_schema_extra={"examples": [{"vacation": 12}]})

    vacation: VacationNumber | None = None
    """The number of a current or future vacation; by default the current one."""


class VacationView(ApiShape):
    """Days on which you are away, including first and last."""

    model_config = ConfigDict(title="Vacation")

    vacation: VacationNumber
    first: date
    last: date


class AvailabilityView(ApiShape):
    """The times in which no clock runs on your turns, in your time zone."""

    model_config = ConfigDict(title="Availability")

    zone: Zone
    sleeps: SleepHours | None
    days_off: list[Weekday]
    vacations: list[VacationView]
    """Current and future vacations, which apply in all your games."""
    away_until: date | None
    """The last day of your current vacation; null if there is none."""


def show_availability(player: int) -> AvailabilityView:
    with current_context().reading() as session:
        return _describe(session, player)


def set_availability(player: int) -> AvailabilityView:
    """Store a caller's availability. Raises `ApiError`, `InvalidPreferences` and `VacationRefused`."""
    body = read_body(AvailabilityRequest)
    sleeps = None
    if body.sleeps is not None:
        sleeps = time.fromisoformat(body.sleeps.begins), time.fromisoformat(body.sleeps.ends)
    rest = commands.SetRest(sleeps, frozenset(body.days_off))
    return _change_availability(player, commands.SetZone(body.zone), rest)


def take_days(player: int) -> AvailabilityView:
    body = read_body(VacationRequest)
    return _change_availability(player, commands.GoAway(body.last, body.first))


def end_days(player: int) -> AvailabilityView:
    return _change_availability(player, commands.RemoveDays(read_body(VacationEnd).vacation))


def _change_availability(player: int, *changes: Command) -> AvailabilityView:
    with open_unit(current_context(), now()) as unit:
        for change in changes:
            change.perform(unit, Actor(player, Channel.API))
        unit.commit()
        return _describe(unit.session, player)


def _describe(session: Session, player: int) -> AvailabilityView:
    found = load_availability(session, player)
    begins, ends = found.sleeps_from, found.sleeps_until
    asleep = (
        None if begins is None or ends is None else SleepHours(begins=f"{begins:%H:%M}", ends=f"{ends:%H:%M}")
    )
    return AvailabilityView(
        zone=found.zone,
        sleeps=asleep,
        days_off=sorted(found.days_off),
        vacations=[_describe_vacation(row) for row in list_ahead(session, player, None, now())],
        away_until=away_until(session, player, None, now()),
    )


def _describe_vacation(row: StoredVacation) -> VacationView:
    assert row.id is not None
    return VacationView(vacation=row.id, first=row.first, last=row.last)


Wanted = Annotated[StrictBool, Field(description="Whether the two reminders of a turn are sent.")]


class ReminderRequest(ApiShape):
    """Whether you want reminders of your turns."""

    model_config = ConfigDict(title="ReminderWish", json_schema_extra={"examples": [{"reminders": False}]})

    reminders: Wanted
    game: GameId | None = None
    """One of your games; by default all games without settings of their own."""


class ReminderView(ApiShape):
    """Whether you get reminders of your turns."""

    model_config = ConfigDict(title="Reminders")

    reminders: Wanted
    game: GameId | None
    """The game; null for all games without settings of their own."""


def show_reminders(player: int, game: str | None) -> ReminderView:
    check_own_game(player, game)
    with current_context().reading() as session:
        return ReminderView(reminders=load_preferences(session, player, game).reminders, game=game)


def set_reminders(player: int) -> ReminderView:
    body = read_body(ReminderRequest)
    check_own_game(player, body.game)
    with open_unit(current_context(), now()) as unit:
        wanted = replace(load_preferences(unit.session, player, body.game), reminders=body.reminders)
        store_preferences(unit.session, player, body.game, wanted, unit.now)
        unit.commit()
    return ReminderView(reminders=body.reminders, game=body.game)


class PlanRequest(ApiShape):
    """A plan for your next turn."""

    model_config = ConfigDict(
        title="PlanWish",
        strict=True,
        json_schema_extra={
            "examples": [{"plan": "if the display has a horse: horse; march Larissa; draw. otherwise: stay"}]
        },
    )

    plan: Annotated[str, Field(max_length=LONGEST_PLAN)] | None
    """The plan as in a mail, which replaces the stored plan; null withdraws the stored plan."""
    seat: SeatNumber | None = None
    """Your seat; needed only if several seats of the game are yours."""


class PlanView(ApiShape):
    """Your plan for your next turn, which only you see."""

    model_config = ConfigDict(title="Plan")

    plan: str | None
    """The plan in English, whatever language you wrote; null if there is no plan."""
    turn: int | None
    """The number of the planned turn; null if there is no plan."""
    missed: bool
    """Whether your plan was not played in its turn because it did not fit the position."""
    fits: int | None
    """Which of the plan's alternatives, from 1, would be played if your turn were now; null if none."""
    told: str
    """The plan in sentences for people."""


def show_plan(player: int, game_id: str, seat: int | None) -> PlanView:
    found = find_game(player, game_id, seat)
    return _describe_plan(found, found.own_seat)


def change_plan(player: int, game_id: str) -> PlanView:
    body = read_body(PlanRequest)
    found = find_game(player, game_id, body.seat)
    seat, language = found.own_seat, current_locale().language
    require_started(found.history)
    try:
        plan = None if body.plan is None else read_plan(body.plan, found.board, language)
    except Unreadable as refused:
        more = {"did_you_mean": list(refused.did_you_mean)} if refused.did_you_mean else {}
        raise OrdersError(422, f"{capitalize_first(explain_refusal(refused))}.", more) from None
    _perform(player, found, commands.StorePlan(plan))
    return _describe_plan(found, seat)


def _describe_plan(found: FoundGame, seat: int) -> PlanView:
    table = require_started(found.history).position.table
    with current_context().reading() as session:
        kept = find_plan(current_context(), session, found.game, seat)
    told = " ".join(describe_plan(kept, table))
    if kept is None:
        return PlanView(plan=None, turn=None, missed=False, fits=None, told=told)
    outlook = kept.outlook
    return PlanView(
        plan=kept.words if kept.plan is None else write_plan(kept.plan, table.board, plan_words(ENGLISH)),
        turn=kept.turn,
        missed=kept.missed,
        fits=outlook.number if isinstance(outlook, PlannedTurn) else None,
        told=told,
    )


def _perform(player: int, found: FoundGame, command: Command) -> Done:
    actor = Actor(player, Channel.API, found.game.id, found.own_seat)
    return in_transaction(lambda unit: command.perform(unit, actor))


def vote(player: int, game_id: str) -> VoteResult:
    body = read_body(VoteRequest)
    found = find_game(player, game_id, body.seat)
    done = _perform(player, found, _read_vote(found, body))
    return VoteResult(outcome=VoteOutcome(done.outcome), told=done.text)


def _read_vote(found: FoundGame, body: VoteRequest) -> Command:
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


def nudge_mover(player: int, game_id: str, seat: int | None) -> CommandResult:
    return CommandResult(told=_perform(player, find_game(player, game_id, seat), commands.Nudge()).text)


def give_seat_up(player: int, game_id: str, seat: int | None) -> CommandResult:
    return CommandResult(told=_perform(player, find_game(player, game_id, seat), commands.Resign()).text)


def take_seat_back(player: int, game_id: str, seat: int | None) -> ReturnResult:
    """Take a seat back from the caretaker. Raises `ApiError`, `ResignationRefused` and `GameSuspended`."""
    back = _perform(player, find_game(player, game_id, seat), commands.ComeBack())
    return ReturnResult(back=bool(back.outcome))
