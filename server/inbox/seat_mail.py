"""A mail asks for a free seat of a game, or answers the letter by which its writer takes one that is offered.

Whoever writes first may have used somebody else's name. So they get the letter that the page of the seat
sends too, within the same bounds, and nobody has a seat by it alone: who answers that letter has got it. Why
nobody can have the seat is told to its asker in one sentence, as the page tells it, and counted as a letter
that its reader has not asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from emails.i18n import Locale, gettext, gettext_noop, use_locale
from emails.keys import ForgedToken, Purpose
from emails.languages.lexicon import whole_lexicon
from emails.languages.supported_languages import ENGLISH
from emails.letters.account_letters import SEAT_TAKEN
from emails.letters.proposal_letter import Guest
from emails.replies import game_requests
from emails.replies.grammars import build_confirmation_grammar
from emails.replies.mail import Mail
from emails.replies.reply_reader import read_reply
from server.accounts.sign_in import player_at, player_of_mailbox, queue_seat_letter
from server.inbox.correspondent import find_letter_replied_to
from server.inbox.new_game_mail import ENOUGH_ANSWERS, find_asker, process_game_request
from server.inbox.recipients import unseal_request
from server.inbox.reply_outcome import claim_mail, close_silently
from server.inbox.requests.presence_mail import ask_zone_once, guess_zone_of_mail
from server.inbox.screening_facts import is_unproven
from server.lobby.open_seats import SeatRefused, ask_for_seat
from server.lobby.substitutes import offered_seats, take_over
from server.outbox.blocks import is_player_banned
from server.outbox.budgets import BudgetSpent, Origin, mail_origin
from server.outbox.confirmed_players import confirm_player
from server.outbox.letter_details import SeatRefusedDetail
from server.outbox.notifications import Notification
from server.outbox.preferences import load_preferences
from server.outbox.queue import load_people, queue_letters
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.security_log import AttemptChannel
from server.store.context import Context
from server.store.models import Game, IncomingMail, OutgoingLetter, Player
from server.store.refusals import Refusal, StalePosition, check_not_suspended
from server.store.seats import SeatRequest
from server.store.states import Channel, GameStatus, MailState

NOT_ITS_ASKER = "it is not from whoever asked for the seat"
SAYS_NO_YES = "it does not say yes in its first line"
NOT_UNDERSTOOD = gettext_noop(
    "Your answer was not understood. To take the seat, answer the mail before this one with the one word "
    "“%(word)s”."
)
UNPROVEN = gettext_noop(
    "We could not prove that the answer is yours, so nothing of it was done. The page takes the seat too."
)


def process_request(context: Context, row: IncomingMail, mail: Mail, token: str, now: datetime) -> None:
    """Do what a mail to new@ says: by the token in that address it is about a seat, or about a new game."""
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
    """A mail about a seat that may be done."""

    context: Context
    row: IncomingMail
    mail: Mail
    game: str
    writer: Guest
    now: datetime

    @property
    def origin(self) -> Origin:
        """Who causes the letters that it asks for."""
        return mail_origin(self.row.network, self.writer.address)


def _offer_seat(asking: _SeatMail) -> None:
    """Send whoever asks for a seat the letter with which they take it, or tell them why they cannot."""
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
    """Let whoever has asked for a seat have it, if their answer says so."""
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
                _refuse(asking, language, gettext(NOT_UNDERSTOOD, word=gettext("yes")))
        else:
            close_silently(context, asking.row, MailState.IGNORED, SAYS_NO_YES)
        return

    def claim(unit: UnitOfWork, game: Game) -> None:
        if is_unproven(context, mail):
            raise SeatRefused(gettext(UNPROVEN))
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
    """Do what a mail asks and close it, in one unit of work; or tell its writer why not."""
    context, row = asking.context, asking.row
    with use_locale(Locale(language)):
        try:
            with open_unit(context, asking.now, asking.origin) as unit:
                if incoming := claim_mail(unit, row, answered):
                    work(unit, unit.session.get_one(Game, asking.game))
                    incoming.state = MailState.PLAYED
                    unit.commit()
        except StalePosition:
            return  # somebody acts in the same moment: the next round reads this mail again
        except BudgetSpent:
            close_silently(context, row, MailState.IGNORED, ENOUGH_ANSWERS)
        except Refusal as error:
            context.events.note_refusal(error.code, AttemptChannel.MAIL, asking.game)
            _refuse(asking, language, error.sentence)


def _refuse(asking: _SeatMail, language: str, why: str) -> None:
    """Tell whoever asks for a seat why they have not got it, as far as they may be written to."""
    with open_unit(asking.context, asking.now, asking.origin) as unit:
        incoming = claim_mail(unit, asking.row)
        if incoming is None:
            return
        game = unit.session.get_one(Game, asking.game)
        detail = SeatRefusedDetail(asking.writer.name, language, why)
        address, mark = asking.writer.address, f"asked{incoming.id}"
        letters = [
            Notification(seat, detail, mark=mark, recipient=address, asked=False)
            for seat in sorted(load_people(unit.session, game.id))[:1]
        ]
        queue_letters(unit.context, unit.session, game, letters, unit.now, unit.origin)
        incoming.state, incoming.why = MailState.REFUSED, why
        unit.commit()
