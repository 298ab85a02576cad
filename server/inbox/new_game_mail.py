"""A mail asks for a game, or answers the letter that says what was understood of such a mail.

Whoever wrote first may have used somebody else's name, so answers go to that address alone and are few. Who
answers a letter of ours has got it: their yes opens the game, and another request makes a new proposal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session

from emails.i18n import Locale, gettext, gettext_noop, use_locale
from emails.keys import ForgedToken, Purpose
from emails.languages.supported_languages import ENGLISH
from emails.letters.proposal_letter import GameRequest, Guest, game_request_from_json, has_changes
from emails.replies import game_requests
from emails.replies.mail import Mail
from emails.replies.screening import STRANGER
from emails.tokens import unseal_game
from server.accounts.sign_in import player_of_mailbox
from server.inbox.correspondent import find_letter_replied_to
from server.inbox.reply_outcome import claim_mail, close_silently, queue_answer, reason_to_ignore
from server.inbox.screening_facts import is_unproven
from server.lobby import proposals
from server.lobby.proposals import (
    is_proposal_limit_reached,
    is_refusal_limit_reached,
    propose,
    repeat_proposal,
)
from server.mail_addresses import is_reserved_address, is_same_mailbox
from server.outbox.budgets import COME_BACK_TOMORROW, BudgetSpent, mail_origin
from server.outbox.letter_details import RefusedDetail
from server.outbox.preferences import DEFAULTS, load_preferences
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.store.context import Context
from server.store.models import Game, IncomingMail, Seating
from server.store.refusals import StalePosition
from server.store.seats import GameNotOpened
from server.store.states import Channel, GameStatus, MailState
from server.store.unasked_models import Proposal

CANNOT_BE_ANSWERED = "its writer cannot be answered"
WANTS_NO_LETTERS = "its writer wants no letters"
ASKS_NOTHING_ELSE = "it answers a proposal, and asks for nothing else"
ENOUGH_ANSWERS = "its writer has got enough answers for now"
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
    """Do what a mail to new@ says; with a token in that address it answers a proposal."""
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
        pass  # the answer says why
    except BudgetSpent:
        spent = True
    except StalePosition:
        return  # it is opened in the same moment: the next round reads this mail again
    _answer_request(context, row, _AskingMail(row, mail, writer, unproven, spent), game, agreed, now)


def find_asker(context: Context, row: IncomingMail, mail: Mail, unknown: bool) -> Guest | None:
    """Who asks for something by a mail to new@; None where nothing is done, and the mail is closed so."""
    why, writer = reason_to_ignore(context, row, mail, unknown), game_requests.find_sender(mail)
    if why is None and (writer is None or is_reserved_address(writer.address, context.settings)):
        why = CANNOT_BE_ANSWERED
    if why is None:
        return writer
    close_silently(context, row, MailState.IGNORED, why)
    return None


def _confirm_proposal(context: Context, row: IncomingMail, game: str, now: datetime) -> None:
    """Open the game that was proposed, and close the mail that says yes to it. Raises what opening does."""
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row):
            proposals.confirm_proposal(unit, game, Channel.REPLY, incoming)
            incoming.state = MailState.PLAYED
            unit.commit()


def _is_confirmation(context: Context, mail: Mail, game: str, writer: Guest) -> bool:
    """Whether a mail that says yes says nothing else, and its writer may say it."""
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
    """What is asked for after a mail that answers a proposal."""
    old = game_request_from_json(proposal.request)
    return _read_request(context, mail, old.organiser, old)


def _read_request(
    context: Context, mail: Mail, organiser: Guest, before: GameRequest | None = None, usual: str = ENGLISH
) -> GameRequest:
    """What a mail asks for; those at whose address nobody can play are not among its guests."""
    settings = context.settings
    asked = game_requests.read_game_request(mail, organiser, settings.mail_domain, before, usual)
    reserved = [one for one in asked.guests if is_reserved_address(one.address, settings)]
    unreachable = dict.fromkeys((*asked.unreachable, *(one.address for one in reserved)))
    guests = tuple(one for one in asked.guests if one not in reserved)
    return replace(asked, guests=guests, unreachable=tuple(unreachable))


def _is_organiser(session: Session, proposal: Proposal, writer: Guest) -> bool:
    if session.get_one(Seating, (proposal.game, proposal.seat)).player is None:
        return False  # they have given their seat back
    return is_same_mailbox(proposals.organiser_of(session, proposal).address, writer.address)


@dataclass(frozen=True, slots=True)
class _AskingMail:
    """A mail that asks for a game, and is to be answered."""

    row: IncomingMail
    mail: Mail
    writer: Guest
    unproven: bool
    """Whether the operator's mail server was to show that it is its writer's, and does not."""
    spent: bool
    """Whether it says yes, and its writer has had as many people written to today as anybody may."""


def _answer_request(
    context: Context, row: IncomingMail, asking: _AskingMail, game: str | None, agreed: bool, now: datetime
) -> None:
    """Answer a mail that opens no game, if it may be answered."""
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


# Each of these answers a mail (None), or says why it is not answered.


def _answer_new_request(unit: UnitOfWork, asking: _AskingMail, late: bool) -> str | None:
    """A mail that asks for a game; `late`: it answers a proposal that is no more."""
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
    """A mail that answers a proposal, and may ask for something else.

    A program that answers by itself does not, whatever it writes, and is left without an answer; one that
    happens to begin with a yes is told once in how far it was not understood.
    """
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
    """A mail that would change a game which is open already."""
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
    queue_answer(unit, game, proposal.seat, asking.row, RefusedDetail(why))
    return None
