"""Mail to the lobby: requests for a new game or for a vacant seat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session

from emails.i18n import Locale, gettext, gettext_noop, use_locale
from emails.languages.lexicon import whole_lexicon
from emails.languages.supported_languages import ENGLISH
from emails.letters import account_letters, game_letters
from emails.letters.account_letters import SEAT_TAKEN
from emails.letters.lobby_letters import GameRequest, Guest, game_request_from_json, has_changes
from emails.replies import game_requests
from emails.replies.grammars import build_confirmation_grammar
from emails.replies.parsed_mail import Mail
from emails.replies.reply_reader import read_reply
from emails.replies.screening import STRANGER
from emails.tokens import ForgedToken, Purpose, unseal_game
from server.accounts.sign_in import player_at, player_of_mailbox, queue_seat_letter
from server.inbox.intake import unseal_request
from server.inbox.mail_requests import ask_zone_once, guess_zone_of_mail
from server.inbox.reply_outcome import claim_mail, close_silently, queue_answer, reason_to_ignore
from server.inbox.screening import find_letter_replied_to, is_unproven
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
from server.outbox.budgets import COME_BACK_TOMORROW, BudgetSpent, Origin, is_player_banned, mail_origin
from server.outbox.notifications import Notification
from server.outbox.preferences import DEFAULTS, confirm_player, load_preferences
from server.outbox.queue import UnitOfWork, load_people, open_unit, queue_letters
from server.security_log import AttemptChannel
from server.store.context import Context
from server.store.game_terms import GameNotOpened, SeatRequest
from server.store.models import Game, IncomingMail, OutgoingLetter, Player, Proposal, Seating
from server.store.refusals import Refusal, StalePosition, check_not_suspended
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


def process_game_request(context: Context, row: IncomingMail, mail: Mail, token: str, now: datetime) -> None:
    game, unknown = None, False
    try:
        if token:
            game = unseal_game(Purpose.PROPOSAL_REPLY, token, context.links.keys)[0]
    except ForgedToken:
        unknown = True
    writer = find_asker(context, row, mail, unknown)
    if writer is None:
        return
    with context.reading() as session:
        letter = find_letter_replied_to(session, mail)
    agreed = game is not None and game_requests.accepts_proposal(
        mail, None if letter is None else letter.text or None
    )
    unproven, spent = is_unproven(context, mail), False
    try:
        if game is not None and agreed and not unproven and _is_confirmation(context, mail, game, writer):
            _confirm_proposal(context, row, game, now)
            return
    except GameNotOpened:
        pass  # the answer gives the reason
    except BudgetSpent:
        spent = True
    except StalePosition:
        return  # a concurrent change: the next round processes this mail again
    _answer_request(context, row, _AskingMail(row, mail, writer, unproven, spent), game, agreed, now)


def find_asker(context: Context, row: IncomingMail, mail: Mail, unknown: bool) -> Guest | None:
    """Return the sender of a mail to new@; if the mail must be ignored, close it and return None."""
    why, writer = reason_to_ignore(context, row, mail, unknown), game_requests.find_sender(mail)
    if why is None and (writer is None or is_reserved_address(writer.address, context.settings)):
        why = CANNOT_BE_ANSWERED
    if why is None:
        return writer
    close_silently(context, row, MailState.IGNORED, why)
    return None


def _confirm_proposal(context: Context, row: IncomingMail, game: str, now: datetime) -> None:
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row):
            proposals.confirm_proposal(unit, game, Channel.REPLY, incoming)
            incoming.state = MailState.PLAYED
            unit.commit()


def _is_confirmation(context: Context, mail: Mail, game: str, writer: Guest) -> bool:
    with context.reading() as session:
        proposal = session.get(Proposal, game)
        if (
            proposal is None
            or session.get_one(Game, game).status != GameStatus.PROPOSED
            or proposal.replaced_by
        ):
            return False
        changed = has_changes(
            _read_changed_request(context, mail, proposal), game_request_from_json(proposal.request)
        )
        return not changed and _is_organiser(session, proposal, writer)


def _read_changed_request(context: Context, mail: Mail, proposal: Proposal) -> GameRequest:
    old = game_request_from_json(proposal.request)
    return _read_request(context, mail, old.organiser, old)


def _read_request(
    context: Context, mail: Mail, organiser: Guest, before: GameRequest | None = None, usual: str = ENGLISH
) -> GameRequest:
    settings = context.settings
    asked = game_requests.read_game_request(mail, organiser, settings.mail_domain, before, usual)
    reserved = [one for one in asked.guests if is_reserved_address(one.address, settings)]
    unreachable = dict.fromkeys((*asked.unreachable, *(one.address for one in reserved)))
    guests = tuple(one for one in asked.guests if one not in reserved)
    return replace(asked, guests=guests, unreachable=tuple(unreachable))


def _is_organiser(session: Session, proposal: Proposal, writer: Guest) -> bool:
    if session.get_one(Seating, (proposal.game, proposal.seat)).player is None:
        return False  # the organiser has left the seat
    return is_same_mailbox(proposals.organiser_of(session, proposal).address, writer.address)


@dataclass(frozen=True, slots=True)
class _AskingMail:
    row: IncomingMail
    mail: Mail
    writer: Guest
    unproven: bool
    spent: bool


def _answer_request(
    context: Context, row: IncomingMail, asking: _AskingMail, game: str | None, agreed: bool, now: datetime
) -> None:
    with open_unit(context, now, mail_origin(row.network, asking.writer.address)) as unit:
        incoming, session = claim_mail(unit, row), unit.session
        if incoming is None:
            return
        asking = replace(asking, row=incoming)
        before = None if game is None else proposals.latest_proposal(session, game)
        if before is None:
            why = _answer_new_request(unit, asking, late=game is not None)
        elif session.get_one(Game, before.game).status != GameStatus.PROPOSED:
            why = None if agreed else _answer_late_request(unit, asking, before)
        else:
            with use_locale(load_preferences(session, proposals.organiser_of(session, before).id).locale):
                why = _answer_changed_request(unit, asking, game, before)
        incoming.state = MailState.PLAYED if why is None else MailState.IGNORED
        incoming.why = why or ""
        unit.commit()


# Each of these functions answers a mail and returns None, or returns why it is not answered.


def _answer_new_request(unit: UnitOfWork, asking: _AskingMail, late: bool) -> str | None:
    context, session, writer = unit.context, unit.session, asking.writer
    player = player_of_mailbox(session, writer.address)
    wanted = DEFAULTS if player is None else load_preferences(session, player.id)
    if not wanted.letters:
        return WANTS_NO_LETTERS
    if is_proposal_limit_reached(unit, writer.address, False):
        return ENOUGH_ANSWERS
    asked = _read_request(context, asking.mail, writer, usual=wanted.language)
    with use_locale(Locale(asked.language)):
        note = gettext(PROPOSAL_GONE) if late else ""
        propose(unit, asked, None, note, asking.row)
    return None


def _answer_changed_request(
    unit: UnitOfWork, asking: _AskingMail, game: str | None, before: Proposal
) -> str | None:
    session = unit.session
    stranger = asking.unproven or not _is_organiser(session, before, asking.writer)
    asked = _read_changed_request(unit.context, asking.mail, before)
    changed = has_changes(asked, game_request_from_json(before.request))
    noted = (stranger or not changed) and proposals.count_letters(session, before) > 1
    if noted or not (changed or game_requests.leans_towards_yes(asking.mail)):
        return ASKS_NOTHING_ELSE
    organiser = proposals.organiser_of(session, before)
    if is_proposal_limit_reached(unit, organiser.address, not stranger):
        return ENOUGH_ANSWERS
    if changed and not stranger:
        propose(unit, asked, before, "", asking.row)
        return None
    note = gettext(REPLACED_BY_NEWER) if before.game != game else gettext(NOT_UNDERSTOOD, word=gettext("yes"))
    if asking.spent:
        note = gettext(COME_BACK_TOMORROW)
    if stranger:
        note = gettext(UNPROVEN) if asking.unproven else gettext(STRANGER)
    repeat_proposal(unit, before, note, asking.row, not stranger)
    return None


def _answer_late_request(unit: UnitOfWork, asking: _AskingMail, proposal: Proposal) -> str | None:
    context, session = unit.context, unit.session
    asked = _read_changed_request(context, asking.mail, proposal)
    if not has_changes(asked, game_request_from_json(proposal.request)):
        return ASKS_NOTHING_ELSE
    if is_refusal_limit_reached(session, proposal, unit.now):
        return ENOUGH_ANSWERS
    if not _is_organiser(session, proposal, asking.writer):
        return CANNOT_BE_ANSWERED
    game = session.get_one(Game, proposal.game)
    with use_locale(load_preferences(session, proposals.organiser_of(session, proposal).id, game.id).locale):
        where = f"new@{context.settings.mail_domain}"
        why = gettext(
            "This game is open already. To ask for another one, write to %(address)s.", address=where
        )
    queue_answer(unit, game, proposal.seat, asking.row, game_letters.Refused(why))
    return None


NOT_ITS_ASKER = "its sender did not request the seat"
SAYS_NO_YES = "its first line contains no yes"
SEAT_ANSWER_NOT_UNDERSTOOD = gettext_noop(
    "Your answer was not understood. To take the seat, answer the mail before this one with the one word "
    "“%(word)s”."
)
SEAT_MAIL_UNPROVEN = gettext_noop(
    "We could not prove that the answer is yours, so nothing of it was done. The page takes the seat too."
)


def process_request(context: Context, row: IncomingMail, mail: Mail, token: str, now: datetime) -> None:
    """Process a mail to new@, depending on its token: about a vacant seat, or about a new game."""
    try:
        purpose, game, player = unseal_request(token, context.links.keys)
    except ForgedToken:
        purpose, game, player = Purpose.PROPOSAL_REPLY, "", 0
    if purpose is Purpose.PROPOSAL_REPLY:
        process_game_request(context, row, mail, token, now)
        return
    with context.reading() as session:
        unknown = session.get(Game, game) is None
    writer = find_asker(context, row, mail, unknown)
    if writer is None:
        return
    asking = _SeatMail(context, row, mail, game, writer, now)
    if purpose is Purpose.JOIN:
        _offer_seat(asking)
    else:
        _claim(asking, player)


@dataclass(frozen=True, slots=True)
class _SeatMail:
    context: Context
    row: IncomingMail
    mail: Mail
    game: str
    writer: Guest
    now: datetime

    @property
    def origin(self) -> Origin:
        return mail_origin(self.row.network, self.writer.address)


def _offer_seat(asking: _SeatMail) -> None:
    with asking.context.reading() as session:
        known = player_at(session, asking.writer.address)
        usual = ENGLISH if known is None else load_preferences(session, known.id).language
    language = game_requests.guess_language(asking.mail) or usual
    wanted = SeatRequest(asking.writer.name, asking.writer.address, language)

    def ask(unit: UnitOfWork, game: Game) -> None:
        if game.status != GameStatus.RUNNING:
            ask_for_seat(unit, game, wanted)
            return
        check_not_suspended(game)
        if not offered_seats(unit.session, game.id):
            raise SeatRefused(gettext(SEAT_TAKEN))
        queue_seat_letter(unit.context, unit.session, game.id, wanted, unit.now, unit.origin)

    _do_and_close(asking, language, ask)


def _claim(asking: _SeatMail, player: int) -> None:
    context, mail = asking.context, asking.mail
    with context.reading() as session:
        letter = find_letter_replied_to(session, mail)
        known = session.get(Player, player)
        is_asker = known is not None and player_of_mailbox(session, asking.writer.address) == known
        language = load_preferences(session, player).language if known else ENGLISH
    sent = None if letter is None else letter.text
    if known is None or not is_asker:
        close_silently(context, asking.row, MailState.IGNORED, NOT_ITS_ASKER)
        return
    if not read_reply(mail, build_confirmation_grammar(whole_lexicon()), sent or None).says_yes:
        if game_requests.leans_towards_yes(mail):
            with use_locale(Locale(language)):
                _refuse(asking, language, gettext(SEAT_ANSWER_NOT_UNDERSTOOD, word=gettext("yes")))
        else:
            close_silently(context, asking.row, MailState.IGNORED, SAYS_NO_YES)
        return

    def claim(unit: UnitOfWork, game: Game) -> None:
        if is_unproven(context, mail):
            raise SeatRefused(gettext(SEAT_MAIL_UNPROVEN))
        if is_player_banned(unit.session, player):
            raise SeatRefused(gettext("The operator of this server takes nothing from this address."))
        confirm_player(unit.session, player, unit.now)
        seat = take_over(unit, game, player, known.name, Channel.REPLY, numbered=True)
        if (zone := guess_zone_of_mail(mail, unit.now)) is not None:
            incoming = unit.session.get_one(IncomingMail, asking.row.id)
            ask_zone_once(unit, game, seat, zone, incoming, letter)

    _do_and_close(asking, language, claim, letter)


def _do_and_close(
    asking: _SeatMail,
    language: str,
    work: Callable[[UnitOfWork, Game], None],
    answered: OutgoingLetter | None = None,
) -> None:
    context, row = asking.context, asking.row
    with use_locale(Locale(language)):
        try:
            with open_unit(context, asking.now, asking.origin) as unit:
                if incoming := claim_mail(unit, row, answered):
                    work(unit, unit.session.get_one(Game, asking.game))
                    incoming.state = MailState.PLAYED
                    unit.commit()
        except StalePosition:
            return  # a concurrent change: the next round processes this mail again
        except BudgetSpent:
            close_silently(context, row, MailState.IGNORED, ENOUGH_ANSWERS)
        except Refusal as error:
            context.events.note_refusal(error.code, AttemptChannel.MAIL, asking.game)
            _refuse(asking, language, error.sentence)


def _refuse(asking: _SeatMail, language: str, why: str) -> None:
    with open_unit(asking.context, asking.now, asking.origin) as unit:
        incoming = claim_mail(unit, asking.row)
        if incoming is None:
            return
        game = unit.session.get_one(Game, asking.game)
        detail = account_letters.SeatRefused(asking.writer.name, language, why)
        address, mark = asking.writer.address, f"asked{incoming.id}"
        letters = [
            Notification(seat, detail, mark=mark, recipient=address, asked=False)
            for seat in sorted(load_people(unit.session, game.id))[:1]
        ]
        queue_letters(unit.context, unit.session, game, letters, unit.now, unit.origin)
        incoming.state, incoming.why = MailState.REFUSED, why
        unit.commit()
