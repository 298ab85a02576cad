"""Composition of a mail from a row of the outbox: contents visible to its recipient, headers and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.utils import parseaddr

from sqlmodel import Session, col, select

from emails.i18n import gettext, use_locale
from emails.letters import account_letters, game_letters, lobby_letters
from emails.letters.account_letters import Confirm, Moved, Replaced, SeatClaim, SeatRefused, SignIn
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
from emails.letters.renderer import MOST_REFERENCES, Envelope, compose_mail, draw_pictures
from emails.names import SeatNames
from emails.terms import AbsenceNote, AbsenceRule, DaysAway
from emails.tokens import ACCEPT_WORDS, Ticket, mask_tokens
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
from server.accounts.vacations import local_today
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
from server.store.turn_clock import (
    absent_since,
    away_until,
    find_times,
    find_turn_start,
    load_availability,
    turn_time_of,
)
from server.turn_time import days_home, list_days_away, night_of
from server.turns.dry_run import load_draft
from server.turns.forecast import AskingSeat, foresee_turns, suggest
from server.turns.play import load_plan


def tell_head(context: Context, session: Session, game: Game) -> str:
    """Return the checksum of a game's log, which letters show; empty without acts or `proof_key`."""
    if not game.proof_key:
        return ""
    seq, link = context.chains.get(game.id) or (0, begin_chain(game.id))
    if seq > game.seq:  # the game was set back
        seq, link = 0, begin_chain(game.id)
    for row in load_acts(session, game.id, seq) if seq < game.seq else ():
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
    seatings: Mapping[int, Seating]
    preferences: Preferences
    is_stranger: bool
    """True if the recipient's address is not confirmed."""
    messages: tuple[UnreadChat, ...]
    last_message: int
    """Id of the last of `messages`; 0 without messages."""

    def game(self) -> GameLetterContext | None:
        history, game, seat = self.history, self.stored, self.seat
        if not isinstance(history, StartedHistory):
            return None
        away = absent_since(self.session)
        if game.seat == seat:  # a turn's clock starts when its letter is sent
            deadline, reserve = find_times(self.session, game, away, self.now, begins=self.now)
        else:
            deadline, reserve = find_times(self.session, game, away, self.now)[0], None
        since, before = events_since_last_turn(self.context, game, history, seat)
        is_advised = (
            seat == game.seat and self.row.kind in KINDS_SHOWING_GAME and self.preferences.suggestions
        )
        return GameLetterContext(
            game=game.id,
            name=game.name,
            view=view(history.position, seat),
            since=since,
            before=before,
            after=history.after,
            deadline=deadline,
            turn_since=find_turn_start(self.session, game, history),
            pause_ends=find_pause_end(game, history),
            stands_still=read_moment(self.session, MomentName.MAILBOX_AWAY) is not None,
            turn_time=turn_time_of(game),
            reserve=reserve,
            links=self.links,
            messages=self.messages,
            letter=self.letter,
            now=self.now,
            answered=self.answered,
            changed=has_changed_since_letter(self.context, self.session, game, seat),
            suggestions=suggest(self.context, self.session, game, history, seat) if is_advised else (),
            absence=tell_mover_away(self.session, game, seat, self.now),
            draft=load_draft(self.session, game, seat),
            plan=load_plan(self.session, game, history, seat),
            everything=self.preferences.everything,
            one_conversation=self.preferences.one_conversation,
            bots=_bot_names(self, history.position.table),
            next_turn=foresee_turns(self.session, [AskingSeat(game, history, seat)], self.now)[0],
            stop=self.links.unsubscribe_links(game.id, history.holder_code(seat))[0],
            head=tell_head(self.context, self.session, game),
            seat_names=history.list_seat_names(seat),
            resigned=frozenset(history.resigned),
            acted=tuple(veil_event(event, seat) for seq, event in history.events if seq == self.row.seq),
            earlier_name=history.earlier_name(seat),
        )

    def invitation(self) -> InvitationContext:
        game, seats = self.stored, list(self.seatings.values())
        organiser = organiser_seat(self.session, game.id, self.history)
        tenure = self.history.seat_tenures.get(self.seat)
        asker = None if organiser == self.seat or (tenure is not None and tenure.joined) else organiser
        return InvitationContext(
            ticket=Ticket(game.id, self.seat, self.history.player_since(self.seat), ACCEPT_WORDS),
            players=tuple(one.name or gettext(OPEN_SEAT_NAME) for one in seats),
            edition=EDITIONS[game.edition],
            turn_time=turn_time_of(game),
            board=self.context.board_of(game),
            asker="" if asker is None else self.seatings[asker].name,
            bots=sum(one.house for one in seats),
            free=frozenset(one.seat for one in seats if not one.name),
        )

    def proposal(self) -> str:
        return self.session.get_one(Proposal, self.game_id).request

    def awaited(self) -> tuple[str, ...]:
        missing = (one for one in self.seatings.values() if one.accepted_at is None)
        return tuple(one.name or gettext(OPEN_SEAT_NAME) for one in missing)

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
        return self.session.get_one(Player, self.seatings[self.seat].player).name

    def describe_browser(self, agent: str) -> str:
        return describe_agent(agent)


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
    return tuple(one.name for one in sources.seatings.values() if one.house)


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
    player = sources.seatings[sources.seat].player
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


def build_envelope(sources: LoadedSources, payload: Payload, after: int) -> Envelope:
    """Return the envelope and headers of a letter about the position after act `after`.

    A letter of the kind `Refused` has an empty bounce address, so that no bounce mail returns. A letter that
    belongs to no game has no address or link of a game.
    """
    settings, links, game, row = sources.context.settings, sources.links, sources.stored, sources.row
    sent = select(OutgoingLetter.message_id).where(
        OutgoingLetter.game == row.game,
        OutgoingLetter.seat == row.seat,
        OutgoingLetter.state == LetterState.SENT,
        col(OutgoingLetter.kind).not_in(GAMELESS_KINDS),
    )
    last_sent = sent.order_by(col(OutgoingLetter.id).desc()).limit(MOST_REFERENCES)
    earlier = sources.session.exec(last_sent).all()
    about = Envelope(
        sender=settings.mail_from,
        bounce="" if row.kind == game_letters.Refused.kind else links.bounce_address(row.id or 0),
        recipient=row.recipient,
        reply_to=links.reply_address(Ticket(game.id, row.seat, after), row.id or 0),
        message_id=row.message_id,
        root=f"<{game.id}@{settings.mail_domain}>",
        answers=row.answers,
        list_id=f"{game.id}.{settings.mail_domain}",
        unsubscribe=links.unsubscribe_links(game.id, sources.history.holder_code(row.seat)),
        replied=row.answers is not None or row.kind in ANSWER_KINDS,
        date=sources.now,
        earlier=tuple(reversed(earlier)),
    )
    if (
        row.kind == lobby_letters.Proposal.kind
    ):  # perhaps not requested by its recipient, so it must not bounce
        return replace(about, bounce="", reply_to=links.proposal_links(game.id)[1])
    if row.kind not in GAMELESS_KINDS:
        return about
    answers = parseaddr(settings.mail_from)[1]
    match payload:
        case Confirm() | Moved() if payload.mark:
            answers = links.confirm_links(payload.mark, payload.digest)[1]
        case SeatClaim(taker=taker):
            answers = links.claim_address(game.id, taker)
        case Replaced(loss=loss) if loss is not SeatLoss.LATE:
            replaced = replace(links, generation=links.generation - 1)  # before the new player got the seat
            answers = replaced.reply_address(Ticket(game.id, row.seat, after), row.id or 0)
    return replace(about, reply_to=answers, root="", list_id="", unsubscribe=(), earlier=())


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
        sources = _load_sources(context, session, game, row, payload, now)
        history, preferences = sources.history, sources.preferences
        with use_locale(preferences):
            try:
                letter = payload.compose(sources)
            except ObsoleteLetter:
                raise LetterNotWanted(DropReason.OUTDATED) from None
            is_harmless = payload.policy.gameless or row.kind == lobby_letters.Invitation.kind
            # Otherwise the subject may quote another person.
            if not is_harmless and (sources.is_stranger or row.kind == lobby_letters.Proposal.kind):
                is_answer = sources.answered and row.kind in ANSWER_KINDS
                subject = reply_subject(sources.answered) if is_answer else gettext(payload.stranger_subject)
                letter = replace(letter, subject=subject)
        is_about_position = isinstance(history, StartedHistory) and not payload.policy.gameless
        after = history.after if is_about_position else history.player_since(row.seat)
        around = build_envelope(sources, payload, after)
    raw = compose_mail(letter, around, draw_pictures(letter) if preferences.pictures else None)
    heard = sources.last_message if is_about_position else 0
    return FinishedLetter(around.bounce, raw, mask_tokens(letter.text), heard, letter.choices, letter.subject)


def _load_sources(
    context: Context, session: Session, game: Game, row: OutgoingLetter, payload: Payload, now: datetime
) -> LoadedSources:
    seatings = {
        one.seat: one
        for one in session.exec(select(Seating).where(Seating.game == game.id).order_by(col(Seating.seat)))
    }
    history = context.history_of(session, game)
    reader = load_people(session, game.id).get(row.seat)
    preferences, is_confirmed = DEFAULTS, False
    if reader is not None:
        preferences, is_confirmed = reader.preferences, reader.confirmed
    match payload:
        case Replaced(language=language):
            preferences, is_confirmed = replace(DEFAULTS, language=language), True
        case SeatRefused(language=language):
            preferences, is_confirmed = replace(DEFAULTS, language=language), False
        case SignIn(digest=digest):
            if (link := session.get(SignInLink, digest)) is not None:
                player = session.get_one(Player, link.player)
                preferences = load_preferences(session, player.id)
                is_confirmed = player.confirmed_at is not None
    is_stranger = row.kind == account_letters.Confirm.kind or not is_confirmed
    numbers = {history.after, history.player_since(row.seat)}
    if isinstance(payload, AskedBack):
        numbers.add(payload.after)
    with use_locale(preferences):
        messages, last_message = unread_chat(session, game.id, row.seat)
    return LoadedSources(
        context=context,
        session=session,
        stored=game,
        history=history,
        row=row,
        seatings=seatings,
        preferences=preferences,
        is_stranger=is_stranger,
        messages=messages,
        last_message=last_message,
        game_id=game.id,
        title=game.name,
        seat=row.seat,
        seat_name=seatings[row.seat].name,
        letter=row.id or 0,
        answered=read_sent_letter(row.detail).answered,
        one_conversation=preferences.one_conversation,
        links=replace(
            context.links,
            generation=seatings[row.seat].generation,
            act_tags=tuple((one, act_tag_of(context, session, game.id, one)) for one in sorted(numbers)),
            unwanted=context.links.unwanted_link(digest_address(row.recipient)) if is_stranger else "",
        ),
        now=now,
        is_open=game.status == GameStatus.OPEN,
        is_cancelled=game.status == GameStatus.CANCELLED,
    )
