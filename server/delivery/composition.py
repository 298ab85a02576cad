"""Composition of a mail from a row of the outbox: contents visible to its recipient, headers and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.utils import parseaddr

from sqlmodel import Session, col, select

from emails.i18n import gettext, use_locale
from emails.letters import account_letters, game_letters, lobby_letters
from emails.letters.account_letters import Confirm, MoveAsked, Moved, Replaced, SeatClaim, SeatRefused, SignIn
from emails.letters.declaration import AddressCode, ObsoleteLetter, Payload, SeatLoss, Sources
from emails.letters.game_letters import AskedBack, Welcome, YourTurn
from emails.letters.parts import (
    GameLetterContext,
    InvitationContext,
    LetterSection,
    UnreadChat,
    build_sections,
    reply_subject,
)
from emails.letters.renderer import (
    MOST_REFERENCES,
    Envelope,
    Letter,
    compose_mail,
    draw_pictures,
    make_thread_id,
)
from emails.names import SeatNames
from emails.terms import AbsenceNote, AbsenceRule, DaysAway
from emails.tokens import Ticket, mask_tokens
from emails.wording import phrases
from emails.wording.requests import REQUESTS_OF_PRESENCE, Request, RequestKind
from emails.wording.review_text import summarize_review
from emails.wording.texts import say
from engine.bots.reviews import harvests
from engine.editions import EDITIONS
from engine.event_log import begin_chain
from engine.events import TurnEnded
from engine.evolve import replay
from engine.position import Table, VisibleEvent, veil_event, view
from server.accounts.sign_in import describe_agent
from server.accounts.vacations import away_until, local_today
from server.mail_addresses import digest_address
from server.outbox.chat import unread_chat
from server.outbox.notifications import (
    ANSWER_KINDS,
    DEFAULTS,
    GAMELESS_KINDS,
    KINDS_SHOWING_GAME,
    DropReason,
    Preferences,
    decode_row,
    load_preferences,
)
from server.outbox.queue import has_changed_since_letter, load_people, read_sent_letter
from server.reviews import load_review
from server.store.context import Context, act_tag_of
from server.store.event_log import (
    History,
    StartedHistory,
    list_steps,
    load_acts,
    logged_facts,
    require_started,
)
from server.store.game_terms import (
    OPEN_SEAT_NAME,
    find_pause_end,
    is_return_open,
    organiser_seat,
    rule_when_late,
    terms_of,
)
from server.store.models import (
    AddressConfirmation,
    Game,
    OutgoingLetter,
    Player,
    Proposal,
    Seating,
    SignInLink,
)
from server.store.schedule import read_moment
from server.store.states import GameStatus, LetterState, MomentName
from server.store.stored_availability import load_availability
from server.store.turn_clock import find_deadline, find_reserve, find_turn_start, shown_deadline, turn_time_of
from server.turn_time import days_home, list_days_away, night_of
from server.turns.dry_run import load_draft
from server.turns.forecast import AskingSeat, foresee_turn, suggest
from server.turns.play import load_plan


def tell_head(context: Context, session: Session, game: Game) -> str:
    """Return the checksum of a game's log, which letters show; empty without acts or `proof_key`."""
    if not game.proof_key:
        return ""
    seq, link = context.chains.get(game.id) or (0, begin_chain(game.id))
    if seq > game.seq:  # the game was set back
        seq, link = 0, begin_chain(game.id)
    for row, _ in load_acts(session, game.id, seq) if seq < game.seq else ():
        seq, link = row.seq, link.extend(logged_facts(row))
    context.chains.put(game.id, (seq, link))
    return link.head(game.proof_key) if link.lines else ""


@dataclass(frozen=True, kw_only=True)
class LoadedSources(Sources):
    """A letter of the outbox, with all data needed to render it."""

    context: Context
    session: Session
    stored: Game
    history: History
    row: OutgoingLetter
    preferences: Preferences = DEFAULTS
    messages: tuple[UnreadChat, ...] = ()

    def game(self) -> GameLetterContext | None:
        if not isinstance(self.history, StartedHistory):
            return None
        return build_game_letter_context(self, self.history)

    def invitation(self) -> InvitationContext:
        return build_invitation(self)

    def proposal(self) -> str:
        return self.session.get_one(Proposal, self.game_id).request

    def awaited(self) -> tuple[str, ...]:
        missing = select(Seating.name).where(Seating.game == self.game_id, col(Seating.accepted_at).is_(None))
        names = self.session.exec(missing.order_by(col(Seating.seat)))
        return tuple(name or gettext(OPEN_SEAT_NAME) for name in names)

    def is_joined_by_link(self) -> bool:
        return bool(terms_of(self.session, self.game_id).joined_by)

    def when_late(self) -> AbsenceRule:
        rule = terms_of(self.session, self.game_id).absence
        return rule_when_late(rule, self.history, self.seat)

    def events(self) -> list[VisibleEvent]:
        return [veil_event(event, None) for _, event in self.history.events]

    def review(self, names: Sequence[SeatNames]) -> list[str]:
        history = require_started(self.history)
        review = load_review(self.context, self.session, self.row.game, history.position)
        if review is None:
            return []
        known = view(history.position, self.row.seat)
        return summarize_review(review, list(harvests(list_steps(history))), known, names)

    def sections(self, context: GameLetterContext, requests: Sequence[Request]) -> tuple[LetterSection, ...]:
        seat, history = self.seat, self.history
        heard = [veil_event(event, seat) for _, event in history.events]
        is_about_time = REQUESTS_OF_PRESENCE | {RequestKind.REST}
        note = build_absence_note(self) if is_about_time & {one.kind for one in requests} else None
        context = replace(context, can_return=is_return_open(self.stored, history, seat))
        return build_sections(requests, context, heard, self.preferences, seat in history.resigned, note)

    def address_code(self, digest: str) -> AddressCode:
        found = self.session.get_one(AddressConfirmation, digest)
        name = self.session.get_one(Player, found.player).name
        return AddressCode(name, found.address, found.due_at, found.at)

    def player_name(self, sign_in: str = "") -> str:
        if sign_in:
            return self.session.get_one(Player, self.session.get_one(SignInLink, sign_in).player).name
        seating = self.session.get_one(Seating, (self.row.game, self.row.seat))
        return self.session.get_one(Player, seating.player).name

    def describe_browser(self, agent: str) -> str:
        return describe_agent(agent)


def build_game_letter_context(sources: LoadedSources, history: StartedHistory) -> GameLetterContext:
    """Return the context of a letter about a started game, as visible to its seat."""
    game, seat = sources.stored, sources.row.seat
    if game.seat == seat:  # a turn's clock starts when its letter is sent
        deadline = find_deadline(sources.session, game, sources.now, begins=sources.now)
    else:
        deadline = shown_deadline(sources.session, game, sources.now)
    since, before = events_since_last_turn(sources.context, game, history, seat)
    is_advised = (
        seat == game.seat and sources.row.kind in KINDS_SHOWING_GAME and sources.preferences.suggestions
    )
    return GameLetterContext(
        game=game.id,
        name=game.name,
        view=view(history.position, seat),
        since=since,
        before=before,
        after=history.after,
        deadline=deadline,
        turn_since=find_turn_start(sources.session, game, history),
        pause_ends=find_pause_end(game, history),
        stands_still=read_moment(sources.session, MomentName.MAILBOX_AWAY) is not None,
        turn_time=turn_time_of(game),
        reserve=find_reserve(sources.session, game, deadline, sources.now) if seat == game.seat else None,
        links=sources.links,
        messages=sources.messages,
        letter=sources.letter,
        now=sources.now,
        answered=sources.answered,
        changed=has_changed_since_letter(sources.context, sources.session, game, seat),
        suggestions=suggest(sources.context, sources.session, game, history, seat) if is_advised else (),
        absence=tell_mover_away(sources.session, game, seat, sources.now),
        draft=load_draft(sources.session, game, seat),
        plan=load_plan(sources.session, game, history, seat),
        everything=sources.preferences.everything,
        one_conversation=sources.preferences.one_conversation,
        bots=_bot_names(sources, history.position.table),
        next_turn=foresee_turn(sources.session, AskingSeat(game, history, seat), sources.now),
        holder=history.holder_code(seat),
        head=tell_head(sources.context, sources.session, game),
        seat_names=history.list_seat_names(seat),
        resigned=frozenset(history.resigned),
        acted=tuple(veil_event(event, seat) for seq, event in history.events if seq == sources.row.seq),
        earlier_name=history.earlier_name(seat),
    )


def tell_mover_away(session: Session, game: Game, seat: int, now: datetime) -> str:
    """Return a sentence that informs a waiting seat of the mover's absence; empty if the mover is present."""
    if game.status != GameStatus.RUNNING or game.seat is None or game.seat == seat:
        return ""
    mover = session.get_one(Seating, (game.id, game.seat))
    last = away_until(session, mover.player, game.id, now)
    if last is None or mover.player is None:
        return ""
    today = local_today(session, mover.player, now)
    return say("absences.others_away", name=phrases.safe_name(mover.name), last=last, today=today)


def tell_player_away(session: Session, player: int | None, game: str | None, now: datetime) -> str:
    """Return a sentence about a player's own absence in one game or (None) all; empty if not absent."""
    return say("absences.own_away", last=away_until(session, player, game, now))


FIRST_KINDS = (Welcome.kind, YourTurn.kind)


def _bot_names(sources: LoadedSources, table: Table) -> tuple[str, ...]:
    row, session = sources.row, sources.session
    is_first_round = row.kind in FIRST_KINDS and table.turn <= len(table.names)
    if not is_first_round and row.kind != game_letters.Substitute.kind:
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
    """Return the events since a seat's last turn, as the seat sees them, and the game state before them."""
    events = [event for _, event in history.events]
    begun = 1
    for number in range(len(events) - 1, 0, -1):
        event = events[number]
        if isinstance(event, TurnEnded) and event.seat == seat:
            begun = number + 1
            break
    key = (game.id, history.redactions, begun)
    before = context.tables.get(key)
    if before is None:
        before = replay(context.board_of(game), events[:begun]).table
        context.tables.put(key, before)
    return tuple(veil_event(event, seat) for event in events[begun:]), before


def build_absence_note(sources: LoadedSources) -> AbsenceNote | None:
    """Return the recipient's days away as they apply to the game; None for a vacant seat."""
    session, game, now = sources.session, sources.stored.id, sources.now
    player = session.get_one(Seating, (game, sources.row.seat)).player
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


def build_invitation(sources: LoadedSources) -> InvitationContext:
    session, game, row = sources.session, sources.stored, sources.row
    seats = session.exec(select(Seating).where(Seating.game == game.id).order_by(col(Seating.seat))).all()
    organiser = organiser_seat(session, game.id, sources.history)
    tenure = sources.history.seat_tenures.get(row.seat)
    asker = None if organiser == row.seat or (tenure is not None and tenure.joined) else organiser
    return InvitationContext(
        game=game.id,
        name=game.name,
        players=tuple(one.name or gettext(OPEN_SEAT_NAME) for one in seats),
        seat=row.seat,
        edition=EDITIONS[game.edition],
        turn_time=turn_time_of(game),
        links=sources.links,
        board=sources.context.board_of(game),
        letter=row.id or 0,
        after=sources.history.player_since(row.seat),
        asker="" if asker is None else seats[asker].name,
        bots=sum(one.house for one in seats),
        free=frozenset(one.seat for one in seats if not one.name),
    )


def build_envelope(sources: LoadedSources, payload: Payload, after: int) -> Envelope:
    """Return the envelope and headers of a letter about the position after act `after`.

    A letter of the kind `Refused` has an empty bounce address, so that no bounce mail returns. A letter that
    belongs to no game has no address or link of a game.
    """
    settings, links, game, row = sources.context.settings, sources.links, sources.stored, sources.row
    about = Envelope(
        sender=settings.mail_from,
        bounce="" if row.kind == game_letters.Refused.kind else links.bounce_address(row.id or 0),
        recipient=row.recipient,
        reply_to=links.reply_address(Ticket(game.id, row.seat, after), row.id or 0),
        message_id=row.message_id,
        root=make_thread_id(game.id, settings.mail_domain),
        answers=row.answers,
        list_id=f"{game.id}.{settings.mail_domain}",
        unsubscribe=links.unsubscribe_links(game.id, sources.history.holder_code(row.seat)),
        replied=row.answers is not None or row.kind in ANSWER_KINDS,
        date=sources.now,
        earlier=_earlier_message_ids(sources.session, row),
    )
    if (
        row.kind == lobby_letters.Proposal.kind
    ):  # perhaps not requested by its recipient, so it must not bounce
        return replace(about, bounce="", reply_to=links.proposal_links(game.id)[1])
    if row.kind not in GAMELESS_KINDS:
        return about
    answers = parseaddr(settings.mail_from)[1]
    match payload:
        case Confirm() | MoveAsked() | Moved() if payload.mark:
            answers = links.confirm_links(payload.mark, payload.digest)[1]
        case SeatClaim(taker=taker):
            answers = links.claim_address(game.id, taker)
        case Replaced(loss=loss) if loss is not SeatLoss.LATE:
            earlier = replace(links, generation=links.generation - 1)  # before the new player got the seat
            answers = earlier.reply_address(Ticket(game.id, row.seat, after), row.id or 0)
    return replace(about, reply_to=answers, root="", list_id="", unsubscribe=(), earlier=())


def _earlier_message_ids(session: Session, row: OutgoingLetter) -> tuple[str, ...]:
    sent = select(OutgoingLetter.message_id).where(
        OutgoingLetter.game == row.game,
        OutgoingLetter.seat == row.seat,
        OutgoingLetter.state == LetterState.SENT,
    )
    last = (
        sent.where(col(OutgoingLetter.kind).not_in(GAMELESS_KINDS))
        .order_by(col(OutgoingLetter.id).desc())
        .limit(MOST_REFERENCES)
    )
    return tuple(reversed(session.exec(last).all()))


@dataclass(frozen=True, slots=True)
class FinishedLetter:
    sender: str
    """Envelope sender; empty for letters that must not bounce."""
    raw: bytes
    text: str
    """Plain text without tokens, stored so that quotations of the letter can be recognised."""
    heard: int
    """Number of the last chat message in the letter; 0 without messages."""
    choices: Mapping[str, str]
    subject: str


class LetterNotWanted(Exception):
    """The letter must be dropped, for `reason`."""

    def __init__(self, reason: DropReason) -> None:
        super().__init__(reason)
        self.reason = reason


class GameMovedOn(Exception):
    """The game has had an act since the letter was claimed, so the letter must be claimed again."""


def write_letter(context: Context, row: OutgoingLetter, seq: int | None, now: datetime) -> FinishedLetter:
    """Render a letter that was found relevant after act `seq` of its game.

    Raises `GameMovedOn` if the game has had a later act, and `LetterNotWanted` if the game has not begun.
    """
    payload = decode_row(row)
    with context.reading() as session:
        game = session.get_one(Game, row.game)
        if game.seq != seq:
            raise GameMovedOn
        # All seats in one query; the references prevent that the session loads each seat again.
        kept = {one.seat: one for one in session.exec(select(Seating).where(Seating.game == row.game))}
        history = context.history_of(session, game)
        preferences, confirmed = _load_reader(session, row, payload)
        with use_locale(preferences.locale):
            messages, heard = unread_chat(session, game.id, row.seat)
            is_stranger = row.kind == account_letters.Confirm.kind or not confirmed
            named = {history.after, history.player_since(row.seat)}
            if isinstance(payload, AskedBack):
                named.add(payload.after)
            links = replace(
                context.links,
                generation=kept[row.seat].generation,
                act_tags=tuple((one, act_tag_of(context, session, game.id, one)) for one in sorted(named)),
                unwanted=context.links.unwanted_link(digest_address(row.recipient)) if is_stranger else "",
            )
            sources = LoadedSources(
                context=context,
                session=session,
                stored=game,
                history=history,
                row=row,
                preferences=preferences,
                messages=messages,
                game_id=game.id,
                title=game.name,
                seat=row.seat,
                seat_name=kept[row.seat].name,
                letter=row.id or 0,
                answered=read_sent_letter(row.detail).answered,
                one_conversation=preferences.one_conversation,
                links=links,
                now=now,
                is_open=game.status == GameStatus.OPEN,
                is_cancelled=game.status == GameStatus.CANCELLED,
            )
            try:
                letter = payload.compose(sources)
            except ObsoleteLetter:
                raise LetterNotWanted(DropReason.OUTDATED) from None
            if is_stranger or row.kind == lobby_letters.Proposal.kind:
                letter = replace(letter, subject=_stranger_subject(payload, letter, sources.answered))
            is_about_position = isinstance(history, StartedHistory) and not payload.policy.gameless
            after = history.after if is_about_position else history.player_since(row.seat)
        around = build_envelope(sources, payload, after)
    pngs = draw_pictures(letter) if preferences.pictures else None
    raw = compose_mail(letter, around, pngs)
    heard = heard if is_about_position else 0
    return FinishedLetter(around.bounce, raw, mask_tokens(letter.text), heard, letter.choices, letter.subject)


def _stranger_subject(payload: Payload, letter: Letter, answered: str) -> str:
    if payload.policy.gameless or payload.kind == lobby_letters.Invitation.kind:  # quotes no other person
        return letter.subject
    if answered and payload.kind in ANSWER_KINDS:
        return reply_subject(answered)
    return gettext(payload.stranger_subject)


def _load_reader(session: Session, row: OutgoingLetter, payload: Payload) -> tuple[Preferences, bool]:
    """Return the preferences of a letter's recipient, and whether the recipient's address is confirmed."""
    match payload:
        case Replaced(language=language):
            return replace(DEFAULTS, language=language), True
        case SeatRefused(language=language):
            return replace(DEFAULTS, language=language), False
        case SignIn(digest=digest) | SeatClaim(digest=digest):
            if (link := session.get(SignInLink, digest)) is not None:
                player = session.get_one(Player, link.player)
                return load_preferences(session, player.id), player.confirmed_at is not None
    reader = load_people(session, row.game).get(row.seat)
    return (DEFAULTS, False) if reader is None else (reader.preferences, reader.confirmed)
