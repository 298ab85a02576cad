"""Commands of players, given by mail, on a page or by the API.

Mails, forms and JSON are read as commands; commands are performed in the transaction of the caller.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import ClassVar, dataclass_transform

from emails.i18n import gettext
from emails.wording import requests
from emails.wording.narration import VoteOutcome, describe_outcome
from emails.wording.requests import RequestKind, VoteAnswer, VoteKind
from engine.plans import TurnPlan
from server.accounts import vacations
from server.accounts.addresses import renew_links
from server.accounts.unsubscribe import stop_letters
from server.accounts.vacations import VacationRefused
from server.lobby.leaving import ResignationRefused, come_back, resign, take_back_resignation
from server.lobby.votes import ask_extension, ask_pause, cast_vote, end_pause, nudge
from server.outbox.notifications import store_reminders
from server.outbox.queue import UnitOfWork
from server.store.event_log import GameSuspended, check_not_suspended, require_started
from server.store.models import Game, Seating
from server.store.states import Channel
from server.turns.play import keep_plan, withdraw_plan


@dataclass(frozen=True, slots=True)
class Actor:
    """The player who gives a command, and the seat concerned."""

    player: int
    channel: Channel
    game: str = ""
    """Empty for a command that concerns no single game."""
    seat: int = 0
    is_identified: bool = True
    """False if the only proof is a link, which may be forwarded. `GoAway` then shortens no vacation."""


@dataclass(frozen=True, slots=True)
class Organiser:
    """An organiser without a seat, who gives only the commands of pauses."""

    channel: Channel
    game: str
    seat: None = None


@dataclass(frozen=True, slots=True)
class Done:
    """The effect of a command."""

    outcome: str = ""
    """Result for programs, for example a `VoteOutcome`; empty if the command has only one result."""
    text: str = ""
    """Sentence for the player; empty if the caller words the answer."""


@dataclass_transform(frozen_default=True)
class Command(ABC):
    """A request that is performed for a seat or a player. Each subclass becomes a frozen dataclass."""

    word: ClassVar[RequestKind | None] = None
    """Kind of mailed request that gives this command without further data; None if there is none."""
    operation: ClassVar[str] = ""
    """Name of an API operation without request body, described by the class docstring; empty: none."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    @abstractmethod
    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        """Perform the command, at most once for repeated requests. Does not commit. Raises `Refusal`."""


# --- all players ----------------------------------------------------------------------------------------


def _report_vote(unit: UnitOfWork, actor: Actor | Organiser, outcome: VoteOutcome) -> Done:
    return Done(outcome, describe_outcome(outcome, unit.session.get_one(Game, actor.game).deadline))


class AskMoreTime(Command):
    """Request 24 hours more for the current turn."""

    word = RequestKind.MORE_TIME

    times: int | None = None
    """Number of extensions that the player has seen. If the turn has more by now, none is requested."""

    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        outcome = ask_extension(unit, actor.game, actor.seat, actor.channel, self.times)
        return _report_vote(unit, actor, outcome)


class AskPause(Command):
    until: datetime | None = None
    """End of the pause; None: the longest pause."""

    def perform(self, unit: UnitOfWork, actor: Actor | Organiser) -> Done:
        return _report_vote(unit, actor, ask_pause(unit, actor.game, actor.seat, actor.channel, self.until))


class EndPause(Command):
    word = RequestKind.RESUME

    def perform(self, unit: UnitOfWork, actor: Actor | Organiser) -> Done:
        return _report_vote(unit, actor, end_pause(unit, actor.game, actor.seat, actor.channel))


class CastVote(Command):
    vote: VoteKind
    answer: VoteAnswer
    about: int | None = None
    """The vacant seat that the vote is about; None in other votes."""

    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        outcome = cast_vote(unit, actor.game, actor.seat, self.vote, self.answer, actor.channel, self.about)
        return _report_vote(unit, actor, outcome)


class Nudge(Command):
    """Remind the player to move.

    The reminder is a mail; a game allows one a day, after half of the turn's time.
    """

    operation = "nudge"

    name: str = ""
    """Name of the player to move, if stated."""

    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        return Done(nudge(unit, actor.game, actor.seat, self.name).name, gettext(requests.NUDGED))


# --- presence -------------------------------------------------------------------------------------------


class GoAway(Command):
    """Store days away. The outcome states the first and last stored day."""

    last: date
    first: date | None = None
    """None: today in the player's time zone."""

    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        session, player, adds = unit.session, actor.player, not actor.is_identified
        first = self.first or vacations.local_today(session, player, unit.now)
        kept = vacations.take_vacation(session, player, first, self.last, unit.now, only_adds=adds)
        return Done(f"{kept.first} - {kept.last}")


class RemoveDays(Command):
    """End the current days away, or cancel the stored vacation with the id `number`."""

    number: int | None = None

    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        ended = vacations.end_vacations(unit.session, actor.player, unit.now, self.number)
        if self.number is not None and not ended:
            raise VacationRefused(gettext("You have no vacation of this number that has not passed."))
        return Done()


class ComeBack(Command):
    """Take a seat back from the caretaker.

    Words of the outcome: "away" if days away ended, "kept" if a seat was taken back, "resigned" if a
    resignation could not be taken back.
    """

    everywhere: bool = False
    """Whether to return to all seats and end the days away. An irrevocable resignation is then no error."""
    revokes: bool = True  # a resignation

    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        session, states, is_returned = unit.session, list[str](), False
        if self.everywhere and vacations.end_vacations(session, actor.player, unit.now):
            states.append(requests.WAS_AWAY)
        for kept in vacations.list_caretaken_seats(session, actor.player):
            if kept.game == actor.game:
                is_returned |= come_back(unit, kept.game, kept.seat, actor.channel)
            elif self.everywhere:
                with suppress(GameSuspended):
                    is_returned |= come_back(unit, kept.game, kept.seat, actor.channel)
        try:
            seat = actor.game, actor.seat, actor.player
            is_returned |= self.revokes and take_back_resignation(unit, *seat, actor.channel)
        except ResignationRefused:
            if not self.everywhere:
                raise
            states.append(requests.STAYS_RESIGNED)
        return Done(" ".join([*states, requests.WAS_KEPT] if is_returned else states))


class SetRest(Command):
    sleeps: tuple[time, time] | None
    days_off: frozenset[int]

    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        vacations.store_rest(unit.session, actor.player, self.sleeps, self.days_off, unit.now)
        return Done()


class SetZone(Command):
    zone: str

    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        vacations.store_zone(unit.session, actor.player, self.zone, unit.now)
        return Done()


class SetReminders(Command):
    wanted: bool
    only_here: bool = False
    """False: change all games, or only the game of the seat if that game has separate preferences."""

    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        store_reminders(unit.session, actor.player, actor.game, self.wanted, self.only_here, unit.now)
        return Done()


# --- the seat -------------------------------------------------------------------------------------------


class StorePlan(Command):
    """Store a plan for the next turn; None withdraws the plan. Also take the seat back from a caretaker."""

    plan: TurnPlan | None

    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        game = unit.session.get_one(Game, actor.game)
        check_not_suspended(game)
        come_back(unit, actor.game, actor.seat, actor.channel)
        if self.plan is None:
            withdraw_plan(unit.session, actor.game, actor.seat)
        else:
            history = require_started(unit.history_of(game))
            keep_plan(unit.session, game, history, actor.seat, self.plan, unit.now)
        return Done()


class Resign(Command):
    """Give your seat up.

    A caretaker plays your turns. You can return until another player has the seat.
    """

    word = RequestKind.RESIGN
    operation = "resign"

    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        resign(unit, actor.game, actor.seat, actor.channel)
        told = (
            gettext("A caretaker plays on for your seat, and the others are told. You can go on watching."),
            gettext("Until somebody else has the seat you can come back."),
        )
        return Done(text=" ".join(told))


class StopLetters(Command):
    everywhere: bool = False

    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        if stop_letters(unit, actor.game, actor.seat, self.everywhere):
            return Done(text=gettext("Your mails are stopped. You can turn them on again in your settings."))
        return Done(
            text=gettext("Your mails were stopped already. You can turn them on again in your settings.")
        )


class RenewLinks(Command):
    """Void all links in the player's earlier letters, and mail new links.

    The answer to a command by mail contains the new links of the seat, so this seat gets no other letter.
    """

    word = RequestKind.NEW_LINKS

    def perform(self, unit: UnitOfWork, actor: Actor) -> Done:
        seating = unit.session.get_one(Seating, (actor.game, actor.seat))
        renew_links(unit, actor.player, but=seating if actor.channel is Channel.REPLY else None)
        return Done()


WITHOUT_MORE_WORDS = {one.word: one for one in Command.__subclasses__() if one.word is not None}
