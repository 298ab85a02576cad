"""Mail to the lobby: requests for a new game or for a vacant seat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlmodel import Session

from emails.i18n import Locale, gettext, gettext_noop, use_locale
from emails.languages.supported_languages import ENGLISH
from emails.letters import account_letters, game_letters
from emails.letters.account_letters import SEAT_TAKEN
from emails.letters.lobby_letters import GameRequest, Guest, game_request_from_json, has_changes
from emails.replies import game_requests
from emails.replies.screening import Screening
from emails.tokens import ForgedToken, Purpose
from server.accounts.sign_in import player_at, player_of_mailbox, queue_seat_letter
from server.inbox.intake import unseal_request
from server.inbox.mail_requests import ask_zone_once
from server.inbox.received_mail import (
    Closing,
    ReceivedMail,
    close_mail,
    find_letter_replied_to,
    ignore_mail,
    queue_answer,
    queue_to_outsider,
    reason_to_ignore,
    says_yes,
)
from server.lobby import proposals
from server.lobby.leaving import offered_seats, take_over
from server.lobby.open_seats import SeatRefused, ask_for_seat
from server.lobby.proposals import (
    is_proposal_limit_reached,
    is_refusal_limit_reached,
    propose,
    repeat_proposal,
)
from server.mail_addresses import is_reserved_address, is_same_mailbox
from server.monitoring import AttemptChannel
from server.outbox.budgets import COME_BACK_TOMORROW, BudgetSpent, Origin, is_player_banned
from server.outbox.notifications import DEFAULTS, confirm_player, load_preferences
from server.outbox.queue import UnitOfWork
from server.store.event_log import Refusal, StalePosition, check_not_suspended
from server.store.game_terms import GameNotOpened, SeatRequest
from server.store.models import Game, OutgoingLetter, Player, Proposal, Seating
from server.store.states import Channel, GameStatus, MailState

CANNOT_BE_ANSWERED = "its sender cannot be answered"
WANTS_NO_LETTERS = "its sender wants no letters"
ASKS_NOTHING_ELSE = "it answers a proposal without changes"
ENOUGH_ANSWERS = "its sender has reached the limit of answers"
PROPOSAL_GONE = gettext_noop("The mail that you answered is too old, and nothing of it is known any more.")
REPLACED_BY_NEWER = gettext_noop(
    "You have asked for something else since the mail that you answered. This is the last:"
)
UNPROVEN = gettext_noop(
    "We could not prove that the answer is yours, so nothing of it was done. The button on the page opens "
    "the game."
)
NOT_UNDERSTOOD = gettext_noop(
    "Your answer was not understood. To open the game, answer with the one word “%(word)s”."
)


@dataclass(frozen=True, slots=True)
class LobbyMail(ReceivedMail):
    """A mail to new@ from a sender who can be answered."""

    game: str
    """Game named by the token of the mail's address; empty without a token."""
    writer: Guest

    @property
    def origin(self) -> Origin:
        return self.origin_of(self.writer.address)


def process_request(received: ReceivedMail) -> None:
    """Process a mail to new@, depending on its token: about a vacant seat, or about a new game."""
    context, parsed, token, unknown = received.context, received.parsed, received.token, False
    try:
        purpose, game, player = unseal_request(token, context.links.keys)
    except ForgedToken:
        purpose, game, player, unknown = Purpose.PROPOSAL_REPLY, "", 0, bool(token)
    if purpose is not Purpose.PROPOSAL_REPLY:
        with context.reading() as session:
            unknown = session.get(Game, game) is None
    why, writer = reason_to_ignore(received, unknown), game_requests.find_sender(parsed)
    if why is not None or writer is None or is_reserved_address(writer.address, context.settings):
        ignore_mail(received, why or CANNOT_BE_ANSWERED)
        return
    mail = LobbyMail(context, received.row, parsed, token, received.now, game, writer)
    match purpose:
        case Purpose.JOIN:
            _offer_seat(mail)
        case Purpose.CLAIM:
            _claim(mail, player)
        case _:
            _process_game_request(mail)


# --- new games ------------------------------------------------------------------------------------------


def _process_game_request(mail: LobbyMail) -> None:
    with mail.context.reading() as session:
        letter = find_letter_replied_to(session, mail.parsed)
    sent = None if letter is None else letter.text or None
    agreed, spent = bool(mail.game) and game_requests.accepts_proposal(mail.parsed, sent), False

    def confirm(unit: UnitOfWork) -> Closing:
        proposals.confirm_proposal(unit, mail.game, Channel.REPLY, mail.row)
        return MailState.PLAYED, ""

    try:
        if agreed and not mail.is_unproven and _is_confirmation(mail):
            close_mail(mail, confirm)
            return
    except GameNotOpened:
        pass  # the answer gives the reason
    except BudgetSpent:
        spent = True
    close_mail(mail, lambda unit: _answer_request(unit, mail, agreed, spent), origin=mail.origin)


def _is_confirmation(mail: LobbyMail) -> bool:
    with mail.context.reading() as session:
        proposal = session.get(Proposal, mail.game)
        if proposal is None or not _is_organiser(session, proposal, mail.writer):
            return False
        _, changed = _read_changes(mail, proposal)
        return not changed


def _read_changes(mail: LobbyMail, proposal: Proposal) -> tuple[GameRequest, bool]:
    old = game_request_from_json(proposal.request)
    asked = _read_request(mail, old.organiser, old)
    return asked, has_changes(asked, old)


def _read_request(
    mail: LobbyMail, organiser: Guest, before: GameRequest | None = None, usual: str = ENGLISH
) -> GameRequest:
    settings = mail.context.settings
    asked = game_requests.read_game_request(mail.parsed, organiser, settings.mail_domain, before, usual)
    reserved = [one for one in asked.guests if is_reserved_address(one.address, settings)]
    unreachable = dict.fromkeys((*asked.unreachable, *(one.address for one in reserved)))
    guests = tuple(one for one in asked.guests if one not in reserved)
    return replace(asked, guests=guests, unreachable=tuple(unreachable))


def _is_organiser(session: Session, proposal: Proposal, writer: Guest) -> bool:
    if session.get_one(Seating, (proposal.game, proposal.seat)).player is None:
        return False  # the organiser has left the seat
    return is_same_mailbox(proposals.organiser_of(session, proposal).address, writer.address)


def _answer_request(unit: UnitOfWork, mail: LobbyMail, agreed: bool, spent: bool) -> Closing:
    session = unit.session
    before = proposals.latest_proposal(session, mail.game) if mail.game else None
    if before is None:
        why = _answer_new_request(unit, mail)
    elif session.get_one(Game, before.game).status != GameStatus.PROPOSED:
        why = None if agreed else _answer_late_request(unit, mail, before)
    else:
        with use_locale(load_preferences(session, proposals.organiser_of(session, before).id)):
            why = _answer_changed_request(unit, mail, before, spent)
    return (MailState.PLAYED, "") if why is None else (MailState.IGNORED, why)


# Each of these functions answers a mail and returns None, or returns why it is not answered.


def _answer_new_request(unit: UnitOfWork, mail: LobbyMail) -> str | None:
    player = player_of_mailbox(unit.session, mail.writer.address)
    wanted = DEFAULTS if player is None else load_preferences(unit.session, player.id)
    if not wanted.letters:
        return WANTS_NO_LETTERS
    if is_proposal_limit_reached(unit, mail.writer.address, False):
        return ENOUGH_ANSWERS
    asked = _read_request(mail, mail.writer, usual=wanted.language)
    with use_locale(Locale(asked.language)):
        propose(unit, asked, None, gettext(PROPOSAL_GONE) if mail.game else "", mail.row)
    return None


def _answer_changed_request(unit: UnitOfWork, mail: LobbyMail, before: Proposal, spent: bool) -> str | None:
    session = unit.session
    stranger = mail.is_unproven or not _is_organiser(session, before, mail.writer)
    asked, changed = _read_changes(mail, before)
    noted = (stranger or not changed) and proposals.count_letters(session, before) > 1
    if noted or not (changed or game_requests.leans_towards_yes(mail.parsed)):
        return ASKS_NOTHING_ELSE
    organiser = proposals.organiser_of(session, before)
    if is_proposal_limit_reached(unit, organiser.address, not stranger):
        return ENOUGH_ANSWERS
    if changed and not stranger:
        propose(unit, asked, before, "", mail.row)
        return None
    if stranger:
        note = gettext(UNPROVEN) if mail.is_unproven else Screening.STRANGER.sentence
    elif spent:
        note = gettext(COME_BACK_TOMORROW)
    elif before.game != mail.game:
        note = gettext(REPLACED_BY_NEWER)
    else:
        note = gettext(NOT_UNDERSTOOD, word=gettext("yes"))
    repeat_proposal(unit, before, note, mail.row, not stranger)
    return None


def _answer_late_request(unit: UnitOfWork, mail: LobbyMail, proposal: Proposal) -> str | None:
    session = unit.session
    _, changed = _read_changes(mail, proposal)
    if not changed:
        return ASKS_NOTHING_ELSE
    if is_refusal_limit_reached(session, proposal, unit.now):
        return ENOUGH_ANSWERS
    if not _is_organiser(session, proposal, mail.writer):
        return CANNOT_BE_ANSWERED
    game = session.get_one(Game, proposal.game)
    with use_locale(load_preferences(session, proposals.organiser_of(session, proposal).id, game.id)):
        where = f"new@{mail.context.settings.mail_domain}"
        why = gettext(
            "This game is open already. To ask for another one, write to %(address)s.", address=where
        )
    queue_answer(unit, game, proposal.seat, mail.row, game_letters.Refused(why))
    return None


# --- vacant seats ---------------------------------------------------------------------------------------

NOT_ITS_ASKER = "its sender did not request the seat"
SAYS_NO_YES = "its first line contains no yes"
SEAT_ANSWER_NOT_UNDERSTOOD = gettext_noop(
    "Your answer was not understood. To take the seat, answer the mail before this one with the one word "
    "“%(word)s”."
)
SEAT_MAIL_UNPROVEN = gettext_noop(
    "We could not prove that the answer is yours, so nothing of it was done. The page takes the seat too."
)


def _offer_seat(mail: LobbyMail) -> None:
    with mail.context.reading() as session:
        known = player_at(session, mail.writer.address)
        usual = ENGLISH if known is None else load_preferences(session, known.id).language
    language = game_requests.guess_language(mail.parsed) or usual
    wanted = SeatRequest(mail.writer.name, mail.writer.address, language)

    def ask(unit: UnitOfWork, game: Game) -> None:
        if game.status != GameStatus.RUNNING:
            ask_for_seat(unit, game, wanted)
            return
        check_not_suspended(game)
        if not offered_seats(unit.session, game.id):
            raise SeatRefused(gettext(SEAT_TAKEN))
        queue_seat_letter(unit, game, wanted)

    _do_or_refuse(mail, language, ask)


def _claim(mail: LobbyMail, player: int) -> None:
    with mail.context.reading() as session:
        letter = find_letter_replied_to(session, mail.parsed)
        known = session.get(Player, player)
        is_asker = known is not None and player_of_mailbox(session, mail.writer.address) == known
        language = load_preferences(session, player).language if known else ENGLISH
    if known is None or not is_asker:
        ignore_mail(mail, NOT_ITS_ASKER)
        return
    name, agreed = known.name, says_yes(mail)
    if not agreed and not game_requests.leans_towards_yes(mail.parsed):
        ignore_mail(mail, SAYS_NO_YES)
        return

    def claim(unit: UnitOfWork, game: Game) -> None:
        if not agreed:
            raise SeatRefused(gettext(SEAT_ANSWER_NOT_UNDERSTOOD, word=gettext("yes")))
        if mail.is_unproven:
            raise SeatRefused(gettext(SEAT_MAIL_UNPROVEN))
        if is_player_banned(unit.session, player):
            raise SeatRefused(gettext("The operator of this server takes nothing from this address."))
        confirm_player(unit.session, player, unit.now)
        seat = take_over(unit, game, player, name, Channel.REPLY, numbered=True)
        ask_zone_once(unit, game, seat, mail, letter)

    _do_or_refuse(mail, language, claim, letter)


def _do_or_refuse(
    mail: LobbyMail,
    language: str,
    work: Callable[[UnitOfWork, Game], None],
    answered: OutgoingLetter | None = None,
) -> None:
    def do(unit: UnitOfWork) -> Closing:
        work(unit, unit.session.get_one(Game, mail.game))
        return MailState.PLAYED, ""

    def refuse(unit: UnitOfWork, why: str) -> Closing:
        game, address = unit.session.get_one(Game, mail.game), mail.writer.address
        letter = account_letters.SeatRefused(mail.writer.name, language, why)
        queue_to_outsider(unit, game, letter, address, f"asked{mail.row.id}")
        return MailState.REFUSED, why

    with use_locale(Locale(language)):
        try:
            close_mail(mail, do, answered, mail.origin)
        except StalePosition:
            raise  # a concurrent change: this mail is processed again
        except BudgetSpent:
            ignore_mail(mail, ENOUGH_ANSWERS)
        except Refusal as error:
            mail.context.events.note_refusal(error.code, AttemptChannel.MAIL, mail.game)
            why = error.sentence
            close_mail(mail, lambda unit: refuse(unit, why), origin=mail.origin)
