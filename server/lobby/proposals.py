"""Proposed games, unconfirmed players and rematches."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, delete, exists, func, not_, or_
from sqlmodel import Session, SQLModel, col, select

from emails.i18n import gettext, gettext_noop, use_locale
from emails.letters import game_letters, lobby_letters
from emails.letters.lobby_letters import (
    LONGEST_NAME,
    MOST_PLAYERS,
    GameRequest,
    game_request_from_json,
    game_request_to_json,
    validate_game_request,
)
from emails.picture.palette import clean_name
from emails.terms import USUAL_TIME, JoinedBy
from engine.bots.strengths import PROFILES, Strength
from server.lobby.games import (
    NewGame,
    accept_seat,
    add_game,
    check_new_game,
    new_game_from,
    seat_and_invite,
    seat_player,
)
from server.lobby.open_seats import SeatRefused, change_with_retries, claim_seat, is_open, seats_of
from server.outbox.budgets import (
    Origin,
    check_origin,
    is_origin_full,
    is_player_banned,
    may_get_letter,
    player_origin,
    record_attempt,
)
from server.outbox.notifications import Notification, confirm_player, load_preferences, store_preferences
from server.outbox.queue import UnitOfWork, open_unit
from server.store.context import Context
from server.store.event_log import StartedHistory, check_not_suspended
from server.store.game_terms import GameNotOpened, SeatRequest, check_addresses, terms_of
from server.store.models import (
    AddressConfirmation,
    ApiKey,
    BouncingAddress,
    Game,
    IncomingMail,
    OutgoingLetter,
    Player,
    Proposal,
    Seating,
    SignedInBrowser,
    SignInLink,
    StoredPreferences,
    StoredTerms,
    count_rows,
    tables_erased_with,
)
from server.store.personal import Kept
from server.store.server_facts import GameTerms
from server.store.states import Channel, GameStatus, LetterState
from server.store.turn_clock import turn_time_of

KEPT_FOR: tuple[type[SQLModel], ...] = (Seating, AddressConfirmation, SignInLink, SignedInBrowser, ApiKey)


def is_needed(blocked: bool = False) -> ColumnElement[bool]:
    """Return the SQL condition for players that must not be deleted, because other data needs them.

    `blocked`: whether the address is blocked. If so, bounces and unsubscriptions do not need the player.
    """
    needed = [_has_row(table) for table in KEPT_FOR]
    if not blocked:
        silent = and_(col(StoredPreferences.game) == "", col(StoredPreferences.letters_stopped).is_not(False))
        needed += [_has_row(BouncingAddress), _has_row(StoredPreferences, silent)]
    return or_(*needed)


def _has_row(table: type[SQLModel], *which: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(col(table.player) == col(Player.id), *which)  # type: ignore[attr-defined]


def must_keep_player(session: Session, player: int, blocked: bool = False) -> bool:
    kept = select(Player.id).where(Player.id == player, is_needed(blocked))
    return session.exec(kept).first() is not None


def delete_player(session: Session, player: int) -> None:
    """Delete a player without seats, with the rows of all tables that declare it."""
    for table in tables_erased_with("player"):
        session.execute(delete(table).where(table.c.player == player))
    session.execute(delete(Player).where(col(Player.id) == player))


PROPOSAL_VALID = Kept.PROPOSALS.period
MOST_REPLIES = 10
MOST_REFUSALS = 3


def is_proposal_limit_reached(unit: UnitOfWork, address: str, reply: bool) -> bool:
    """Return whether an address gets no more proposal letters for now.

    `reply`: whether a reply to a letter has proved the address. If so, the only limit is 10 letters a day.
    """
    session, now = unit.session, unit.now
    known = session.exec(select(Player.id).where(func.lower(Player.address) == address.lower())).first()
    if known is not None and not reply and not load_preferences(session, known).letters:
        return True
    if not reply and (is_origin_full(session, unit.origin, now) or not may_get_letter(session, address, now)):
        return True
    is_proposal = OutgoingLetter.kind == lobby_letters.Proposal.kind
    to_them = func.lower(OutgoingLetter.recipient) == address.lower()
    today = OutgoingLetter.queued_at > now - timedelta(days=1)
    return count_rows(session, OutgoingLetter, is_proposal, to_them, today) >= MOST_REPLIES


def is_refusal_limit_reached(session: Session, proposal: Proposal, now: datetime) -> bool:
    own = OutgoingLetter.game == proposal.game, OutgoingLetter.seat == proposal.seat
    is_refusal = OutgoingLetter.kind == game_letters.Refused.kind
    today = OutgoingLetter.queued_at > now - timedelta(days=1)
    return count_rows(session, OutgoingLetter, *own, is_refusal, today) >= MOST_REFUSALS


def propose(
    unit: UnitOfWork,
    request: GameRequest,
    before: Proposal | None = None,
    note: str = "",
    mail: IncomingMail | None = None,
) -> None:
    """Store a requested game, in place of the proposal `before`, and send the organiser a proposal letter.

    The letter shows `note`, answers `mail`, and names the organiser's seat, which is therefore drawn now.
    """
    session, now, organiser = unit.session, unit.now, request.organiser
    seat = unit.context.rng.randrange(request.seats) if request.seats <= MOST_PLAYERS else 0
    row = add_game(session, new_game_from(request, organiser.address), now, GameStatus.PROPOSED)
    asking = SeatRequest(organiser.name, organiser.address, request.language)
    player = seat_player(unit, row, seat, organiser.name, asking, None).player
    assert player is not None
    playing = select(Seating.seat).join(Game, col(Game.id) == Seating.game)
    playing = playing.where(Seating.player == player, Game.status != GameStatus.PROPOSED)
    preferences = load_preferences(session, player)
    if session.exec(playing).first() is None:
        preferences = replace(preferences, language=request.language)
        store_preferences(session, player, None, preferences, now)
    with use_locale(preferences):
        row.name = request.title
    session.add(Proposal(game=row.id, seat=seat, request=game_request_to_json(request)))
    if before is not None:
        before.replaced_by = row.id
    session.flush()
    unit.tell(row, [Notification(seat, lobby_letters.Proposal(note), mail, asked=before is not None)])


def propose_on_page(context: Context, request: GameRequest, origin: Origin, now: datetime) -> None:
    address = request.organiser.address
    wanted = check_new_game(new_game_from(request, address))
    check_addresses(wanted.seats, context.settings)
    with open_unit(context, now, origin) as unit:
        check_origin(unit.session, origin, now)
        if is_proposal_limit_reached(unit, address, False):
            record_attempt(unit.session, origin, now)
        else:
            propose(unit, request)
        unit.commit()


def repeat_proposal(unit: UnitOfWork, proposal: Proposal, note: str, mail: IncomingMail, asked: bool) -> None:
    """Answer a mail with the unchanged proposal; `asked`: False if the answer counts as unsolicited."""
    row = unit.session.get_one(Game, proposal.game)
    unit.tell(row, [Notification(proposal.seat, lobby_letters.Proposal(note), mail, asked=asked)])


def latest_proposal(session: Session, game: str) -> Proposal | None:
    found = session.get(Proposal, game)
    while found is not None and found.replaced_by:
        found = session.get(Proposal, found.replaced_by)
    return found


def count_letters(session: Session, proposal: Proposal) -> int:
    own = OutgoingLetter.game == proposal.game, OutgoingLetter.kind == lobby_letters.Proposal.kind
    return count_rows(session, OutgoingLetter, *own)


def organiser_of(session: Session, proposal: Proposal) -> Player:
    """Return the player who proposed a game; raise an error if the player has given the seat back since."""
    return session.get_one(Player, session.get_one(Seating, (proposal.game, proposal.seat)).player)


def confirm_proposal(
    unit: UnitOfWork, game: str, channel: Channel, answered: IncomingMail | None = None
) -> bool:
    """Open a proposed game for its organiser; return False if it is open already.

    `answered` is the confirming mail, if any. Raises `GameNotOpened` if the proposal has expired, is
    incomplete or replaced, or its organiser is banned; `BudgetSpent`; `StalePosition` on a concurrent change.
    """
    session = unit.session
    row, proposal = session.get(Game, game), session.get(Proposal, game)
    if row is None or proposal is None:
        raise GameNotOpened(gettext("This proposal is not there any more: it was kept for a week."))
    if row.status != GameStatus.PROPOSED:
        return False
    check_not_suspended(row)
    if proposal.replaced_by:
        raise GameNotOpened(gettext("You have asked for something else since then."))
    organiser, own = organiser_of(session, proposal), proposal.seat
    if is_player_banned(session, organiser.id):
        raise GameNotOpened(gettext("The operator of this server takes nothing from this address."))
    confirm_player(session, organiser.id, unit.now)
    unit.origin = player_origin(organiser.id)
    request = game_request_from_json(proposal.request)
    if wrong := validate_game_request(request):
        raise GameNotOpened(wrong[0])
    asked = new_game_from(request, organiser.address)
    first, *seats = asked.seats
    unit.context.rng.shuffle(seats)
    seats.insert(own, first)
    wanted = check_new_game(replace(asked, name=row.name, seats=tuple(seats)))
    check_addresses(wanted.seats, unit.context.settings)
    check_origin(session, unit.origin, unit.now, wanted.count_invited(wanted.seats[own].address))
    session.delete(session.get_one(Seating, (game, own)))
    session.flush()
    row.opened_at = unit.now
    history = seat_and_invite(unit, row, wanted, (own,), own, channel, "yes")
    if not isinstance(history, StartedHistory):
        unit.tell(row, [Notification(own, lobby_letters.Accepted(), answered)])
    return True


# --- expiry ---------------------------------------------------------------------------------------------


def delete_expired_proposals(context: Context, now: datetime) -> int:
    """Delete the proposals not confirmed within a week of their letter, with all their data.

    Returns the number of deleted proposals. A proposal whose letter is not yet sent stays.
    """
    before = now - PROPOSAL_VALID
    letters = select(OutgoingLetter.id).where(OutgoingLetter.kind == lobby_letters.Proposal.kind)
    letters = letters.where(OutgoingLetter.game == Game.id)
    has_left = letters.where(OutgoingLetter.state == LetterState.SENT).exists()
    left_early = letters.where(col(OutgoingLetter.sent_at) <= before).exists()
    waits = letters.where(OutgoingLetter.state == LetterState.WAITING).exists()
    old = select(Game).where(Game.status == GameStatus.PROPOSED, col(Game.opened_at) <= before)
    old = old.where(or_(left_early, not_(or_(has_left, waits))))
    with context.reading() as session:
        if session.exec(old).first() is None:
            return 0
    with context.writing() as session:
        games = list(session.exec(old))
        for game in games:
            delete_proposal(session, game)
        session.commit()
    return len(games)


def delete_proposal(session: Session, game: Game) -> None:
    players = list(session.exec(select(Seating.player).where(Seating.game == game.id)))
    for table in (OutgoingLetter, Seating, Proposal, StoredPreferences):
        session.execute(delete(table).where(col(table.game) == game.id))
    session.delete(game)
    session.flush()
    for player in players:
        if player is not None and not must_keep_player(session, player):
            delete_player(session, player)


MOST_REMATCHES_CANCELLED = 3
"""Number of cancelled rematches after which no further one is opened, since each sends letters to players."""
MOST_COUNTED = 1000


def find_rematch(session: Session, game: str) -> Game | None:
    chosen = (
        select(Game).join(StoredTerms, col(StoredTerms.game) == Game.id).where(StoredTerms.rematch_of == game)
    )
    return session.exec(
        chosen.where(Game.status != GameStatus.CANCELLED).order_by(col(Game.opened_at).desc())
    ).first()


def open_rematch(context: Context, game: str, seat: int, now: datetime) -> Seating:
    """Open the rematch of a finished game, or seat the player of `seat` in the existing rematch. Commits.

    Idempotent; concurrent requests open one game. The requester has accepted at once; other players are
    invited. Raises `SeatRefused` if the game is not over or no seat is left, and `BudgetSpent`.
    """
    return change_with_retries(context, game, now, lambda unit, old: _open_or_join(unit, old, seat))


def _open_or_join(unit: UnitOfWork, old: Game, seat: int) -> Seating:
    session = unit.session
    seating = session.get(Seating, (old.id, seat))
    if seating is None or seating.player is None:
        raise SeatRefused(gettext("Nobody plays on that seat."))
    check_not_suspended(old)
    unit.origin = player_origin(seating.player)
    if old.status != GameStatus.OVER:
        raise SeatRefused(gettext("This game is not over yet."))
    known = find_rematch(session, old.id)
    if known is None:
        if count_rows(session, StoredTerms, StoredTerms.rematch_of == old.id) >= MOST_REMATCHES_CANCELLED:
            sentence = gettext("The rematch was called off several times already. You can start a new game.")
            raise SeatRefused(sentence)
        return _create_rematch(unit, old, seat)
    own = next((one for one in seats_of(session, known.id) if one.player == seating.player), None)
    if own is None:
        taken = claim_seat(unit, known, seating.player, seating.name)
        return session.get_one(Seating, (known.id, taken))
    accept_seat(unit, known.id, own.seat, Channel.WEB, unit.history_of(known).player_since(own.seat))
    return own


def _create_rematch(unit: UnitOfWork, old: Game, seat: int) -> Seating:
    session = unit.session
    seats, before = seats_of(session, old.id), terms_of(session, old.id)
    requests = tuple(
        SeatRequest(
            one.name,
            None if one.player is None else session.get_one(Player, one.player).address,
            open=is_open(one),
            bot=PROFILES.get(one.name, Strength.STEADY),
        )
        for one in seats
    )
    # joined by link, so that a declined seat can be filled
    terms = GameTerms(JoinedBy.LINK, before.watched, old.id, before.caretaker, before.advice, before.absence)
    name = _rematch_name(session, old)
    time = turn_time_of(old) if old.turn_minutes else USUAL_TIME
    wanted = check_new_game(NewGame(name, requests, old.edition, time, old.board, terms)).with_seats_drawn(
        unit.context.rng
    )
    address = requests[seat].address
    check_origin(session, unit.origin, unit.now, wanted.count_invited(address))
    own = next(number for number, request in enumerate(wanted.seats) if request.address == address)
    made = add_game(session, wanted, unit.now)
    seat_and_invite(unit, made, wanted, (own,), own, Channel.WEB, "rematch")
    return session.get_one(Seating, (made.id, own))


def _rematch_name(session: Session, old: Game) -> str:
    first, times = old, 1
    while times < MOST_COUNTED:
        before = session.get(Game, terms_of(session, first.id).rematch_of)
        if before is None:
            break
        first, times = before, times + 1
    named = gettext_noop("%(name)s, again") if times == 1 else gettext_noop("%(name)s, again %(number)s")
    room = LONGEST_NAME - len(gettext(named, name="", number=times))
    return gettext(named, name=clean_name(first.name, room), number=times)
