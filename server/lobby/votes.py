"""Votes on more time for a turn, a pause, or a vacant seat; nudges.

More time: the first request in a turn moves its deadline by 24 hours at once. A "no" before the original
deadline takes this time back. Another 24 hours need the "yes" of one other player.

Pause: the organiser may begin and end a pause alone. Other players need the agreement of all to begin one.
A pause stops all clocks for at most thirty days. Seven days must pass between two pauses.

Vacant seat: the majority of answers within three days decides.

Answers are log entries: of two simultaneous answers one is retried, so each decision is carried out once.

Nudge: a reminder to the player to move, requested by a waiting player after half of the turn's time; each
game allows one a day. A nudge waits for a few hours while the recipient sleeps or has a day off
(server/outbox/notifications.py), and is dropped if the turn ends before. Absent players are not nudged.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from functools import partial
from typing import assert_never
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, select

from emails.i18n import gettext, gettext_noop
from emails.letters import game_letters
from emails.names import plain_name
from emails.wording import phrases
from emails.wording.narration import VoteOutcome
from emails.wording.phrases import format_deadline
from emails.wording.requests import SEAT_ANSWERS, VoteAnswer, VoteKind
from engine.rules import close_game, skip_turns
from server.outbox.chat import announce_change, announce_to
from server.outbox.notifications import Notification, decode_payload
from server.outbox.queue import Person, UnitOfWork, load_people, open_unit
from server.reviews import letters_of_end
from server.store.context import Context
from server.store.event_log import (
    GameNotRunning,
    History,
    Refusal,
    RefusalCode,
    StartedHistory,
    check_not_suspended,
    require_started,
)
from server.store.game_terms import organiser_seat, terms_of
from server.store.models import Game, OfferedSeat, OutgoingLetter
from server.store.server_facts import (
    LONGEST_PAUSE,
    VOTE_OPEN_FOR,
    ActFact,
    GamePaused,
    GameResumed,
    SeatPassedOver,
    TimeAdded,
    TimeWithdrawn,
    Vote,
    VoteCast,
)
from server.store.states import Announcement, Channel, GameStatus, LetterState
from server.store.turn_clock import (
    counted_until,
    find_turn_start,
    leave_night,
    load_seat_availability,
    protection_of,
    rest_of,
    time_left,
    whole_time,
)
from server.turn_time import after_protected, count_back, last_day_away, protected_intervals
from server.turns.play import record_act

EXTENSION_HOURS = 24
MOST_EXTENSIONS = 2
RESPECTED_FOR = timedelta(hours=24)  # then a player who did not agree to a pause may end it
BETWEEN_PAUSES = timedelta(days=7)
NO_LIMIT = gettext_noop("In this game a turn takes as long as its player likes.")
VOTED_NO_MORE = gettext_noop("That is not voted on any more.")
YES_OR_NO = (VoteAnswer.YES, VoteAnswer.NO)


# --- voters ---------------------------------------------------------------------------------------------


class VoteRefused(Refusal):
    code = RefusalCode.VOTE


def voters(session: Session, game: str, history: StartedHistory) -> frozenset[int]:
    return frozenset(seat for seat in load_people(session, game) if not history.is_vacant(seat))


def load_voted_game(unit: UnitOfWork, game_id: str, seat: int | None) -> tuple[Game, StartedHistory]:
    """Return a running game in which a seat may vote. `seat` is None for an organiser who does not play.

    Raises `VoteRefused`, `GameSuspended` and `GameNotBegun`.
    """
    game = unit.session.get(Game, game_id, populate_existing=True)
    if game is None:
        raise VoteRefused(gettext("This game is no longer here."))
    check_not_suspended(game)
    history = require_started(unit.history_of(game))
    if game.status != GameStatus.RUNNING:
        raise VoteRefused(gettext("The game is over."))
    if seat is None and terms_of(unit.session, game_id).seat is not None:
        raise VoteRefused(gettext("Those who play agree on that among themselves."))
    if seat is not None and seat not in voters(unit.session, game_id, history):
        raise VoteRefused(gettext("You do not play in this game any more."))
    return game, history


def is_organiser(session: Session, game: str, history: StartedHistory, seat: int | None) -> bool:
    """Return whether `seat` is the organiser's. None stands for an organiser who does not play."""
    return seat is None or seat == organiser_seat(session, game, history)


# --- open votes -----------------------------------------------------------------------------------------


def list_votes(session: Session, game: Game, history: StartedHistory, now: datetime) -> tuple[Vote, ...]:
    if game.status != GameStatus.RUNNING or game.suspended_at is not None:
        return ()
    return tuple(
        one for one in history.agreements.votes.values() if _is_open(session, game, history, one, now)
    )


def unanswered_votes(
    session: Session, game: Game, history: StartedHistory, seat: int, now: datetime
) -> tuple[Vote, ...]:
    found = list_votes(session, game, history, now)
    if not found or seat not in voters(session, game.id, history):
        return ()
    turn = history.position.table.turn
    return tuple(one for one in found if seat not in one.answers and not one.has_lapsed(turn, now))


def _is_open(session: Session, game: Game, history: StartedHistory, vote: Vote, now: datetime) -> bool:
    if vote.kind is not VoteKind.EMPTY_SEAT and vote.has_lapsed(history.position.table.turn, now):
        return False
    match vote.kind:
        case VoteKind.MORE_TIME if vote.done:
            return _is_before_old_deadline(session, game, now)
        case VoteKind.MORE_TIME:
            asked = voters(session, game.id, history) - {vote.seat}
            return game.deadline is not None and bool(asked - vote.seats_with(VoteAnswer.NO))
        case VoteKind.PAUSE:
            ends_later = vote.until is None or now < vote.until
            return ends_later and not history.agreements.is_paused
        case VoteKind.EMPTY_SEAT:
            return _is_empty(history, vote.seat)
        case _:
            assert_never(vote.kind)


def _is_before_old_deadline(session: Session, game: Game, now: datetime) -> bool:
    mover = load_seat_availability(session, game.id, game.seat)
    if mover is None or game.deadline is None or game.turn_began_at is None:
        return False
    protected = protection_of(game, partial(protected_intervals, mover), now)
    counted = count_back(game.deadline, timedelta(hours=EXTENSION_HOURS), protected)
    return counted_until(session, game, now) < leave_night(game, mover, counted, game.turn_began_at)


def _is_empty(history: StartedHistory, seat: int) -> bool:
    return history.is_vacant(seat) and seat in history.offers and seat not in history.skipped


def find_seat_vote_end(context: Context, session: Session, game: Game) -> datetime | None:
    """Return the earliest time at which a vote will skip a vacant seat or end the game; None if none will."""
    if session.exec(select(OfferedSeat.seat).where(OfferedSeat.game == game.id).limit(1)).first() is None:
        return None
    history = require_started(context.history_of(session, game))
    asked, found = voters(session, game.id, history), history.agreements.votes.values()
    ends = (
        one.at + VOTE_OPEN_FOR
        for one in found
        if _is_empty(history, one.seat) and _find_majority(one, asked) in (VoteAnswer.GO_ON, VoteAnswer.END)
    )
    return min(ends, default=None)


def answers_of(kind: VoteKind) -> tuple[VoteAnswer, ...]:
    return SEAT_ANSWERS if kind is VoteKind.EMPTY_SEAT else YES_OR_NO


# --- more time ------------------------------------------------------------------------------------------


def ask_extension(
    unit: UnitOfWork, game_id: str, seat: int, channel: Channel, times: int | None = None
) -> VoteOutcome:
    """Request 24 hours more for the current turn; the first request takes effect at once.

    `times`: number of extensions of this turn when the player made the request. If another was added since
    then, the request does nothing. None: not known. Raises `VoteRefused`, `GameSuspended`, `GameNotBegun`,
    and `StalePosition` on a concurrent change.
    """
    game, history = load_voted_game(unit, game_id, seat)
    table, before = history.position.table, count_extensions(history)
    if times not in (None, before):
        return VoteOutcome.ADDED
    check_extension(unit.session, game, history, seat, unit.now)
    if before and seat == table.seat and voters(unit.session, game.id, history) - {seat}:
        _open_vote(unit, game, history, VoteCast(seat, VoteKind.MORE_TIME, VoteAnswer.YES), channel)
        return VoteOutcome.ASKED
    fact = TimeAdded(table.seat, EXTENSION_HOURS, seat)
    record_act(unit, game, history, seat, channel, VoteKind.MORE_TIME, [fact])
    if before:
        announce_change(unit, game, history, Announcement.TIME_ADDED, but=seat)
        return VoteOutcome.ADDED
    others = voters(unit.session, game.id, history) - {seat, table.seat}
    _ask(unit, game, others, game_letters.Vote(VoteKind.MORE_TIME, seat, done=True))
    if seat != table.seat:
        announce_change(unit, game, history, Announcement.TIME_ADDED, only=table.seat)
    return VoteOutcome.ADDED


def check_extension(session: Session, game: Game, history: StartedHistory, seat: int, now: datetime) -> None:
    if not game.turn_minutes:
        raise VoteRefused(gettext(NO_LIMIT))
    if game.deadline is None:
        raise VoteRefused(gettext("No time runs on this turn just now, so none has to be added."))
    if count_extensions(history) >= MOST_EXTENSIONS:
        raise VoteRefused(gettext("This turn has got more time twice already."))
    vote = history.agreements.votes.get((VoteKind.MORE_TIME, None))
    if vote is None or vote.done or vote.turn != game.turn or seat != vote.seat:
        return
    if _is_open(session, game, history, vote, now):
        raise VoteRefused(gettext("The others are asked for more time already."))
    raise VoteRefused(gettext("The others do not give this turn more time."))


def count_extensions(history: StartedHistory) -> int:
    added = history.agreements.extension
    return added.times if added is not None and added.turn == history.position.table.turn else 0


# --- a pause --------------------------------------------------------------------------------------------


def ask_pause(
    unit: UnitOfWork, game_id: str, seat: int | None, channel: Channel, until: datetime | None = None
) -> VoteOutcome:
    """Request a pause of at most 30 days; the organiser's pause begins at once. Idempotent.

    `seat` is None for an organiser who does not play. Raises the errors of `ask_extension`.
    """
    game, history = load_voted_game(unit, game_id, seat)
    until = until and until.replace(microsecond=0)
    if history.agreements.is_paused:
        return VoteOutcome.PAUSED
    check_pause(game, history, until, unit.now)
    alone = voters(unit.session, game_id, history) <= {seat}
    if seat is None or alone or is_organiser(unit.session, game_id, history, seat):
        begin_pause(unit, game, history, seat, channel, until, but=seat)
        return VoteOutcome.PAUSED
    vote = history.agreements.votes.get((VoteKind.PAUSE, None))
    if vote is not None and _is_open(unit.session, game, history, vote, unit.now):
        if until not in (None, vote.until):
            raise VoteRefused(gettext("Another pause is asked for already: answer that first."))
        if seat in vote.answers:
            return VoteOutcome.ASKED
        return cast_vote(unit, game_id, seat, VoteKind.PAUSE, VoteAnswer.YES, channel)
    cast = VoteCast(seat, VoteKind.PAUSE, VoteAnswer.YES, until=until)
    _open_vote(unit, game, history, cast, channel)
    return VoteOutcome.ASKED


def check_pause(game: Game, history: StartedHistory, until: datetime | None, now: datetime) -> None:
    if not game.turn_minutes:
        raise VoteRefused(gettext(NO_LIMIT))
    if until is not None and not now < until <= now + LONGEST_PAUSE + timedelta(days=1):
        raise VoteRefused(gettext("A pause ends within thirty days."))
    last = history.agreements.pause
    if last is not None and last.ended is not None and now < last.ended + BETWEEN_PAUSES:
        moment = format_deadline(last.ended + BETWEEN_PAUSES)
        raise VoteRefused(
            gettext("The last pause is not long ago. Another can begin: %(moment)s.", moment=moment)
        )


def begin_pause(
    unit: UnitOfWork,
    game: Game,
    history: StartedHistory,
    seat: int | None,
    channel: Channel,
    until: datetime | None,
    but: int | None = None,
) -> None:
    """Pause the game, and announce the planned end of the pause to all players except seat `but`."""
    latest = unit.now.replace(microsecond=0) + LONGEST_PAUSE
    ends = latest if until is None else min(until, latest)
    record_act(unit, game, history, seat, channel, "pause", [GamePaused(ends)])
    announce_change(unit, game, history, Announcement.PAUSED_UNTIL, ends.isoformat(), but=but)


def end_pause(unit: UnitOfWork, game_id: str, seat: int | None, channel: Channel) -> VoteOutcome:
    """Resume a paused game.

    Raises the errors of `load_voted_game` and `check_pause_end`, and `StalePosition` on a concurrent change.
    """
    game, history = load_voted_game(unit, game_id, seat)
    check_pause_end(unit.session, game, history, seat, unit.now)
    record_act(unit, game, history, seat, channel, "resume", [GameResumed()])
    announce_change(unit, game, history, Announcement.GAME_RESUMED, but=seat)
    return VoteOutcome.RESUMED


def check_pause_end(
    session: Session, game: Game, history: StartedHistory, seat: int | None, now: datetime
) -> None:
    agreements = history.agreements
    if agreements.pause is None or agreements.pause_ends is None:
        raise VoteRefused(gettext("The game is not paused: time runs."))
    if is_organiser(session, game.id, history, seat):
        return
    if seat in agreements.pause_agreed and not voters(session, game.id, history) <= agreements.pause_agreed:
        moment = format_deadline(agreements.pause_ends)
        raise VoteRefused(gettext("You have agreed to this pause. It ends: %(moment)s.", moment=moment))
    free = agreements.pause.began + RESPECTED_FOR
    if now < free:
        moment = format_deadline(free)
        raise VoteRefused(
            gettext("You can end this pause once it has lasted a day: %(moment)s.", moment=moment)
        )


def end_long_pause(context: Context, game_id: str, now: datetime) -> None:
    """Resume a game whose pause has reached its end. Commits."""
    with open_unit(context, now) as unit:
        game = unit.session.get_one(Game, game_id, populate_existing=True)
        history = require_started(unit.history_of(game))
        ends = history.agreements.pause_ends
        if ends is None or now < ends:
            return
        record_act(unit, game, history, None, Channel.CLOCK, "", [GameResumed()])
        announce_change(unit, game, history, Announcement.GAME_RESUMED)
        unit.commit()


# --- answering ------------------------------------------------------------------------------------------


def cast_vote(
    unit: UnitOfWork,
    game_id: str,
    seat: int,
    kind: VoteKind,
    answer: VoteAnswer,
    channel: Channel,
    about: int | None = None,
) -> VoteOutcome:
    """Record a seat's answer to an open vote, and carry out a resulting decision. Idempotent.

    `about`: the seat, in a vote on a vacant seat. Raises the errors of `ask_extension`.
    """
    game, history = load_voted_game(unit, game_id, seat)
    vote = history.agreements.votes.get((kind, about))
    if answer not in answers_of(kind):
        raise VoteRefused(gettext("That is no answer to this vote."))
    if vote is None or not _is_open(unit.session, game, history, vote, unit.now):
        raise VoteRefused(gettext(VOTED_NO_MORE))
    if kind is VoteKind.MORE_TIME and seat in (vote.seat, game.seat):
        raise VoteRefused(gettext("The others answer that, for you have asked, or it is your turn."))
    asks_again = kind is VoteKind.EMPTY_SEAT and vote.has_lapsed(history.position.table.turn, unit.now)
    known = VoteAnswer.WAIT if asks_again else vote.answers.get(seat)
    if answer is known:
        return VoteOutcome.NOTED
    if vote.done and answer is VoteAnswer.NO:
        fact = TimeWithdrawn(history.position.table.seat, EXTENSION_HOURS, seat)
        record_act(unit, game, history, seat, channel, VoteAnswer.NO, [fact])
        announce_change(unit, game, history, Announcement.TIME_WITHDRAWN, but=seat)
        return VoteOutcome.WITHDRAWN
    cast = VoteCast(seat, kind, answer, about)
    said = answer if about is None else f"{answer}: {history.position.table.names[about]}"
    record_act(unit, game, history, seat, channel, said, [cast])
    if answer is VoteAnswer.NO:
        return _tell_refusal(unit, game, vote, seat)
    outcome = settle_votes(unit, game, but=seat)
    if outcome is None and asks_again:
        others = voters(unit.session, game_id, history) - {seat}
        detail = game_letters.SeatOffered(vote.seat)
        unit.tell(game, [Notification(one, detail, mark=f"-{vote.seat}") for one in sorted(others)])
        return VoteOutcome.ASKED
    return outcome or VoteOutcome.NOTED


def settle_votes(unit: UnitOfWork, game: Game, but: int | None = None) -> VoteOutcome | None:
    """Carry out the decisions of a game's votes; return the last decision, if any.

    Seat `but` gets no announcement, since its player sees the outcome.
    """
    outcome = None
    if game.status != GameStatus.RUNNING or game.suspended_at is not None:
        return None
    for vote in require_started(unit.history_of(game)).agreements.votes.values():
        history = require_started(unit.history_of(game))
        if not history.position.table.over:
            outcome = _settle(unit, game, history, vote, but) or outcome
    return outcome


def settle_votes_of(context: Context, game_id: str, now: datetime) -> bool:
    """Carry out a game's vote decisions in a separate transaction; return whether there were any. Commits."""
    with open_unit(context, now) as unit:
        game = unit.session.get_one(Game, game_id, populate_existing=True)
        if not settle_votes(unit, game):
            return False
        unit.commit()
    return True


def _settle(
    unit: UnitOfWork, game: Game, history: StartedHistory, vote: Vote, but: int | None
) -> VoteOutcome | None:
    asked, agreed = voters(unit.session, game.id, history), vote.seats_with(VoteAnswer.YES)
    is_open = _is_open(unit.session, game, history, vote, unit.now)
    match vote.kind:
        case VoteKind.MORE_TIME if is_open and not vote.done and (giving := (agreed & asked) - {vote.seat}):
            fact = TimeAdded(history.position.table.seat, EXTENSION_HOURS, min(giving))
            record_act(unit, game, history, None, Channel.SERVER, "", [fact])
            announce_change(unit, game, history, Announcement.TIME_ADDED, but=but)
            return VoteOutcome.ADDED
        case VoteKind.PAUSE if is_open and asked and asked <= agreed:
            begin_pause(unit, game, history, None, Channel.SERVER, vote.until, but)
            return VoteOutcome.PAUSED
        case VoteKind.EMPTY_SEAT if _is_empty(history, vote.seat):
            is_over = unit.now >= vote.at + VOTE_OPEN_FOR or asked <= vote.answers.keys()
            chosen = _find_majority(vote, asked) if is_over else VoteAnswer.WAIT
            return _decide_on_seat(unit, game, history, vote.seat, chosen, but)
    return None


def _find_majority(vote: Vote, asked: frozenset[int]) -> VoteAnswer:
    counted = Counter(one for seat, one in vote.answers.items() if seat in asked)
    most = [one for one, times in counted.items() if times == max(counted.values())]
    return most[0] if len(most) == 1 else VoteAnswer.WAIT


def _decide_on_seat(
    unit: UnitOfWork, game: Game, history: StartedHistory, seat: int, chosen: VoteAnswer, but: int | None
) -> VoteOutcome | None:
    table = history.position.table
    if chosen is VoteAnswer.END:
        record_act(unit, game, history, None, Channel.SERVER, "", [close_game(table)])
        unit.tell(game, letters_of_end(unit.context, table))
        return VoteOutcome.ENDED
    if chosen is not VoteAnswer.GO_ON:
        return None
    facts: list[ActFact] = [SeatPassedOver(seat), *skip_turns(table, history.skipped | {seat})]
    history = require_started(record_act(unit, game, history, None, Channel.SERVER, "", facts))
    announce_change(unit, game, history, Announcement.SEAT_PASSED_OVER, table.names[seat], but=but)
    if history.position.table.turn != table.turn:
        unit.tell(game, [Notification(history.position.table.seat, game_letters.YourTurn())])
    return VoteOutcome.SKIPPED


# --- announcements and letters --------------------------------------------------------------------------


def _tell_refusal(unit: UnitOfWork, game: Game, vote: Vote, seat: int) -> VoteOutcome:
    history, names = require_started(unit.history_of(game)), load_people(unit.session, game.id)
    if vote.kind is VoteKind.MORE_TIME:
        still = history.agreements.votes[vote.key]
        if _is_open(unit.session, game, history, still, unit.now):
            return VoteOutcome.NOTED
        announce_change(unit, game, history, Announcement.MORE_TIME_REFUSED, only=vote.seat)
        return VoteOutcome.DECLINED
    for other in sorted(names.keys() - {seat}):
        told = Announcement.VOTE_REFUSED if other == vote.seat else Announcement.VOTE_DECLINED
        announce_to(unit, game, other, told, names[seat].name)
    return VoteOutcome.DECLINED


def _ask(unit: UnitOfWork, game: Game, seats: frozenset[int], detail: game_letters.Vote) -> None:
    unit.tell(game, [Notification(one, detail, mark=f"-{detail.vote}") for one in sorted(seats)])


def _open_vote(
    unit: UnitOfWork, game: Game, history: StartedHistory, cast: VoteCast, channel: Channel
) -> None:
    record_act(unit, game, history, cast.seat, channel, cast.vote, [cast])
    others = voters(unit.session, game.id, history) - {cast.seat}
    _ask(unit, game, others, game_letters.Vote(cast.vote, cast.seat, until=cast.until))


# --- nudges ---------------------------------------------------------------------------------------------

NUDGED_AGAIN_AFTER = timedelta(days=1)
NUDGED_WITHOUT_LIMIT_AFTER = timedelta(days=1)
"""Age from which a turn without time limit allows nudges."""
NUDGE_ALONE = gettext_noop(
    "To remind somebody takes a mail of its own, without orders, and one that is known to be yours."
)


class NudgeRefused(Refusal):
    code = RefusalCode.NUDGE


def nudge(unit: UnitOfWork, game_id: str, seat: int, named: str = "") -> Person:
    """Queue a reminder to the player to move; return that player.

    `seat`: seat of the requester. `named`: name in the request, or empty. Raises `NudgeRefused` if `named` is
    not the player to move, or another rule forbids the nudge; `GameNotRunning`; and `GameSuspended`.
    """
    game = unit.session.get(Game, game_id)
    if game is None:
        raise GameNotRunning
    person = find_nudged(unit.session, game, unit.history_of(game), seat, unit.now)
    called = plain_name(person.name).casefold()
    if named and plain_name(named).casefold() not in (called, *called.split()):
        raise NudgeRefused(gettext("it is the turn of %(name)s", name=phrases.safe_name(person.name)))
    mark = f"askedx{int(unit.now.timestamp()) // 3600}"  # two requests within an hour make one letter
    later = after_protected(unit.now, rest_of(unit.session, game, unit.now)) - unit.now
    unit.tell(game, [Notification(person.seat, game_letters.Reminder(seat), mark=mark, later=later)])
    return person


def find_nudged(session: Session, game: Game, history: History, seat: int, now: datetime) -> Person:
    """Return the player to move, if `seat` may nudge that player. Raises the errors of `nudge`."""
    if game.status != GameStatus.RUNNING or game.seat is None:
        raise GameNotRunning
    check_not_suspended(game)
    people = load_people(session, game.id)
    person, mover = people.get(game.seat), load_seat_availability(session, game.id, game.seat)
    if seat not in people or seat in history.resigned:
        raise NudgeRefused(gettext("only who plays can remind others"))
    if game.seat == seat:
        raise NudgeRefused(gettext("it is your own turn"))
    if person is None or mover is None or game.seat in history.resigned:
        raise NudgeRefused(gettext("this server plays that turn, and needs no reminder"))
    name = phrases.safe_name(person.name)
    if game.paused_at is not None:
        raise NudgeRefused(gettext("the game is paused"))
    if not person.preferences.letters:
        raise NudgeRefused(gettext("%(name)s gets no mails of this game", name=name))
    if last_day_away(mover, now.astimezone(ZoneInfo(mover.zone)).date()) is not None:
        raise NudgeRefused(gettext("%(name)s is away", name=name))
    if game.turn_minutes:
        counted = counted_until(session, game, now)
        passed = whole_time(game) - time_left(game, counted, partial(protected_intervals, mover))
        least = timedelta(minutes=game.turn_minutes) / 2
    else:
        passed, least = now - (find_turn_start(session, game, history) or now), NUDGED_WITHOUT_LIMIT_AFTER
    if passed < least:
        raise NudgeRefused(gettext("%(name)s still has more than half of the time for this turn", name=name))
    reminders = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == game.id,
        OutgoingLetter.kind == game_letters.Reminder.kind,
        OutgoingLetter.state != LetterState.DROPPED,
        col(OutgoingLetter.queued_at) > now - NUDGED_AGAIN_AFTER,
    )
    sent = [decode_payload(game_letters.Reminder, detail) for detail in session.exec(reminders)]
    if any(one.asked_by is not None for one in sent):
        raise NudgeRefused(gettext("%(name)s was reminded within a day; once a day is enough", name=name))
    return person


def may_nudge(session: Session, game: Game, history: History, seat: int, now: datetime) -> bool:
    try:
        find_nudged(session, game, history, seat, now)
    except Refusal:
        return False
    return True
