"""Contexts of letters: what a reader may know of a game, an invitation or a proposal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters import lobby_letters
from emails.letters.contexts import GameLetterContext, InvitationContext, UnreadChat
from emails.letters.kinds import LetterKind
from emails.tokens import LinkBuilder
from emails.wording import phrases
from emails.wording.absences import AbsenceNote, DaysAway, describe_away, describe_own_absence
from engine.bots.advice import Suggestion
from engine.editions import EDITIONS
from engine.events import TurnEnded
from engine.evolve import replay
from engine.position import Table, VisibleEvent, veil_event, view
from engine.seal import begin_chain
from server.accounts.vacations import away_until, local_today
from server.outbox.letter_kinds import FIRST_KINDS, KINDS_SHOWING_GAME
from server.outbox.preferences import DEFAULTS, Preferences
from server.outbox.queue import has_changed_since_letter, read_sent_letter
from server.store.context import Context
from server.store.event_log import History, StartedHistory, load_acts, logged_facts
from server.store.game_terms import OPEN_SEAT_NAME, find_pause_end, organiser_seat
from server.store.models import Game, OutgoingLetter, Proposal, Seating
from server.store.schedule import read_moment
from server.store.states import GameStatus, LetterState, MomentName
from server.store.stored_availability import load_availability
from server.store.turn_clock import find_deadline, find_reserve, find_turn_start, shown_deadline, turn_time_of
from server.time_control.availability import days_home, list_days_away, night_of
from server.turns.dry_run import load_draft
from server.turns.next_turns import AskingSeat, foresee_turn
from server.turns.plans import load_plan
from server.turns.turn_advice import suggest


def tell_head(context: Context, session: Session, game: Game) -> str:
    """Return the head of a game's committed log; empty if the game has no key for it, or no log yet."""
    if not game.proof_key:
        return ""
    seq, link = context.chains.get(game.id) or (0, begin_chain(game.id))
    if seq > game.seq:  # the game was set back
        seq, link = 0, begin_chain(game.id)
    for row, _ in load_acts(session, game.id, seq) if seq < game.seq else ():
        seq, link = row.seq, link.extend(logged_facts(row))
    context.chains.put(game.id, (seq, link))
    return link.head(game.proof_key) if link.lines else ""


@dataclass(frozen=True, slots=True)
class LetterRequest:
    """A row of the outbox that is being written as a letter, with the data this needs."""

    context: Context
    session: Session
    game: Game
    history: History
    row: OutgoingLetter
    links: LinkBuilder
    now: datetime
    preferences: Preferences = DEFAULTS

    @property
    def answered(self) -> str:
        return read_sent_letter(self.row.detail).answered


def build_game_letter_context(
    asked: LetterRequest, history: StartedHistory, messages: tuple[UnreadChat, ...] = ()
) -> GameLetterContext:
    """Return what a seat may know of a started game, with the events since its last turn."""
    game, seat = asked.game, asked.row.seat
    deadline = _told_deadline(asked)
    since, before = events_since_last_turn(asked.context, game, history, seat)
    return GameLetterContext(
        game=game.id,
        name=game.name,
        view=view(history.position, seat),
        since=since,
        before=before,
        after=history.after,
        deadline=deadline,
        turn_since=find_turn_start(asked.session, game, history),
        pause_ends=find_pause_end(game, history),
        stands_still=read_moment(asked.session, MomentName.MAILBOX_AWAY) is not None,
        turn_time=turn_time_of(game),
        reserve=find_reserve(asked.session, game, deadline, asked.now) if seat == game.seat else None,
        links=asked.links,
        messages=messages,
        letter=asked.row.id or 0,
        now=asked.now,
        answered=asked.answered,
        changed=has_changed_since_letter(asked.context, asked.session, game, seat),
        suggestions=_suggestions(asked),
        absence=tell_mover_away(asked.session, game, seat, asked.now),
        draft=load_draft(asked.session, game, seat),
        plan=load_plan(asked.session, game, history, seat),
        everything=asked.preferences.everything,
        one_conversation=asked.preferences.one_conversation,
        bots=_house_names(asked, history.position.table),
        next_turn=foresee_turn(asked.session, AskingSeat(game, history, seat), asked.now),
        holder=history.holder_code(seat),
        head=tell_head(asked.context, asked.session, game),
        seat_names=history.list_seat_names(seat),
    )


def _told_deadline(asked: LetterRequest) -> datetime | None:
    """Return the deadline: exact for the player to move, as on the pages for the others."""
    if asked.row.seat == asked.game.seat:  # a turn's clock starts when its letter leaves
        return find_deadline(asked.session, asked.game, asked.now, begins=asked.now)
    return shown_deadline(asked.session, asked.game, asked.now)


def tell_mover_away(session: Session, game: Game, seat: int, now: datetime) -> str:
    """Return a sentence for a waiting seat if the player to move is away; else empty."""
    if game.status != GameStatus.RUNNING or game.seat is None or game.seat == seat:
        return ""
    mover = session.get_one(Seating, (game.id, game.seat))
    last = away_until(session, mover.player, game.id, now)
    if last is None or mover.player is None:
        return ""
    return describe_away(phrases.safe_name(mover.name), last, local_today(session, mover.player, now))


def tell_player_away(session: Session, player: int | None, game: str | None, now: datetime) -> str:
    """Return a sentence for a player who is away, in one game or (None) in all; else empty."""
    return describe_own_absence(away_until(session, player, game, now))


def _suggestions(asked: LetterRequest) -> tuple[Suggestion, ...]:
    is_their_turn = asked.game.seat == asked.row.seat
    if not is_their_turn or asked.row.kind not in KINDS_SHOWING_GAME or not asked.preferences.suggestions:
        return ()
    return suggest(asked.context, asked.session, asked.game, asked.history, asked.row.seat)


def _house_names(asked: LetterRequest, table: Table) -> tuple[str, ...]:
    row, session = asked.row, asked.session
    is_first_round = row.kind in FIRST_KINDS and table.turn <= len(table.names)
    if not is_first_round and row.kind != LetterKind.SUBSTITUTE:
        return ()
    welcomed = select(OutgoingLetter.id).where(
        OutgoingLetter.game == row.game,
        OutgoingLetter.seat == row.seat,
        col(OutgoingLetter.kind).in_(FIRST_KINDS),
        OutgoingLetter.state == LetterState.SENT,
    )
    if is_first_round and session.exec(welcomed).first() is not None:
        return ()
    names = select(Seating.name).where(Seating.game == row.game, col(Seating.house))
    return tuple(session.exec(names.order_by(col(Seating.seat))))


def events_since_last_turn(
    context: Context, game: Game, history: History, seat: int
) -> tuple[tuple[VisibleEvent, ...], Table | None]:
    """Return the events since the end of a seat's last turn, as it sees them, and the table before."""
    events = [event for _, event in history.events]
    begun = 1
    for number in range(len(events) - 1, 0, -1):
        event = events[number]
        if isinstance(event, TurnEnded) and event.seat == seat:
            begun = number + 1
            break
    before = replay(context.board_of(game), events[:begun]).table
    return tuple(veil_event(event, seat) for event in events[begun:]), before


def build_absence_note(asked: LetterRequest) -> AbsenceNote | None:
    """Return the reader's days away as they apply to the game; None for a vacant seat."""
    session, game, now = asked.session, asked.game.id, asked.now
    player = session.get_one(Seating, (game, asked.row.seat)).player
    if player is None:
        return None
    today = local_today(session, player, now)
    availability = load_availability(session, player, game)
    home, rest = set(days_home(availability)), load_availability(session, player)
    days = tuple(
        DaysAway(first, last, after if (after := last + timedelta(days=1)) in home else None)
        for first, last in list_days_away(availability)
        if last >= today
    )
    return AbsenceNote(today, rest.zone, days, rest.sleep, night_of(rest).sleep, tuple(sorted(rest.days_off)))


def build_invitation(asked: LetterRequest, note: str = "") -> InvitationContext:
    session, game, row = asked.session, asked.game, asked.row
    seats = session.exec(select(Seating).where(Seating.game == game.id).order_by(col(Seating.seat))).all()
    organiser = organiser_seat(session, game.id, asked.history)
    tenure = asked.history.seat_tenures.get(row.seat)
    asker = None if organiser == row.seat or (tenure is not None and tenure.joined) else organiser
    return InvitationContext(
        game=game.id,
        name=game.name,
        players=tuple(one.name or gettext(OPEN_SEAT_NAME) for one in seats),
        seat=row.seat,
        edition=EDITIONS[game.edition],
        turn_time=turn_time_of(game),
        links=asked.links,
        board=asked.context.board_of(game),
        letter=row.id or 0,
        after=asked.history.player_since(row.seat),
        asker="" if asker is None else seats[asker].name,
        note=note,
        bots=sum(one.house for one in seats),
        free=frozenset(one.seat for one in seats if not one.name),
    )


def build_proposal(asked: LetterRequest, note: str) -> lobby_letters.ProposalContext:
    session, game, row = asked.session, asked.game, asked.row
    request = lobby_letters.game_request_from_json(session.get_one(Proposal, game.id).request)
    page, reply = asked.links.proposal_links(game.id)
    stop = asked.links.unsubscribe_links(game.id, row.seat)[0]
    unwanted = asked.links.unwanted
    return lobby_letters.ProposalContext(request, game.name, note, page, reply, stop, unwanted)


def names_awaited(session: Session, game: Game) -> tuple[str, ...]:
    missing = select(Seating.name).where(Seating.game == game.id, col(Seating.accepted_at).is_(None))
    names = session.exec(missing.order_by(col(Seating.seat)))
    return tuple(name or gettext(OPEN_SEAT_NAME) for name in names)
