"""An answer to an invitation: accepted, declined, or asked about; where the last accepts the game starts."""

from __future__ import annotations

from datetime import datetime

from emails.i18n import gettext
from emails.languages.lexicon import whole_lexicon
from emails.letters.kinds import LetterKind
from emails.replies.grammars import build_declining_grammar, build_invitation_grammar
from emails.replies.mail import Mail
from emails.replies.remarks.affirmations import excuses
from emails.replies.reply_reader import read_reply
from emails.replies.screening import Screening, ScreeningFate
from emails.tokens import ACCEPT_WORDS
from server.inbox import mail_questions
from server.inbox.correspondent import Correspondent
from server.inbox.reply_outcome import MailRefusal, claim_mail, close_silently, queue_answer, refuse_mail
from server.lobby.games import accept_seat
from server.lobby.open_seats import decline_invitation
from server.outbox.letter_details import AskedBackDetail
from server.outbox.unit_of_work import open_unit
from server.store.context import Context
from server.store.models import Game, IncomingMail
from server.store.refusals import GameSuspended, StalePosition
from server.store.states import Channel, MailState


def process_acceptance(
    context: Context, row: IncomingMail, mail: Mail, writer: Correspondent, verdict: Screening, now: datetime
) -> None:
    """An answer to an invitation, in any language: nobody knows yet which one its writer prefers."""
    message = read_reply(mail, build_invitation_grammar(whole_lexicon()), names=writer.names)
    if not message.doubtful and message.chat:
        sentence = gettext(
            "Nobody can be written to before the game has begun. To accept, answer with “%(word)s”.",
            word=gettext("yes"),
        )
        refuse_mail(context, row, writer, MailRefusal(sentence, meant=True), now)
        return
    if not message.says_yes:
        proven = verdict.fate != ScreeningFate.ASKED
        if proven and _declines(mail, writer) and _decline(context, row, writer, now):
            return
        sentence = gettext(
            "Nothing is done yet, for your answer may mean either. Reply with the one word “%(yes)s” to "
            "play, or “%(no)s” to decline; or use a link below.",
            yes=gettext("yes"),
            no=gettext("no"),
        )
        refuse_mail(context, row, writer, MailRefusal(sentence, message.lines), now)
        return
    if writer.letter is not None and writer.letter.kind == LetterKind.ACCEPTED:
        close_silently(
            context, row, MailState.IGNORED, "it answers the letter that says that the invitation is accepted"
        )
        return
    if verdict.fate == ScreeningFate.ASKED and not (writer.person.accepted or writer.question):
        question = AskedBackDetail(message.lines[:1], writer.ticket.after, (ACCEPT_WORDS,), unproven=True)
        mail_questions.ask_back(context, row, writer, question, now)
        return
    try:
        _accept(context, row, writer, now)
    except StalePosition:
        return  # somebody accepted in the same moment: the next round reads this mail again
    except GameSuspended as error:
        refuse_mail(context, row, writer, MailRefusal(error.sentence), now)


def _declines(mail: Mail, writer: Correspondent) -> bool:
    """Whether an answer to an invitation says no, and beside that at most why."""
    lexicon = whole_lexicon()
    message = read_reply(mail, build_declining_grammar(lexicon), names=writer.names)
    excused = message.doubt is not None and all(excuses(one, lexicon) for one in message.rest)
    plain = not message.doubtful or excused
    found = message.found
    if not plain or not found or not found[0].yes:
        return False
    return all(one.yes or excuses(one.words, lexicon) for one in found)


def _decline(context: Context, row: IncomingMail, writer: Correspondent, now: datetime) -> bool:
    """Decline an invitation, which its writer hears no more of; whether it is one that waits.

    Where somebody acts in the same moment the mail stays open, and the next round reads it again.
    """
    try:
        with open_unit(context, now) as unit:
            if incoming := claim_mail(unit, row, writer.letter):
                game, ticket = writer.game.id, writer.ticket
                if not decline_invitation(unit, game, ticket.seat, Channel.REPLY, ticket.after):
                    return False
                incoming.state, incoming.why = MailState.PLAYED, "the invitation declined"
                unit.commit()
    except StalePosition:
        pass
    return True


def _accept(context: Context, row: IncomingMail, writer: Correspondent, now: datetime) -> None:
    """Accept an invitation; where the game starts its letters are the answer."""
    seat = writer.ticket.seat
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row, writer.letter):
            started = accept_seat(unit, writer.game.id, seat, Channel.REPLY, writer.ticket.after)
            incoming.state, incoming.why = MailState.PLAYED, "the invitation accepted"
            if not started:
                game = unit.session.get_one(Game, writer.game.id)
                queue_answer(unit, game, seat, incoming, LetterKind.ACCEPTED, writer.letter)
            unit.commit()
