"""The letters about a player's addresses and browsers: they are about no game, and lead to none."""

from __future__ import annotations

from emails.i18n import gettext, gettext_noop
from emails.letters.choice_lines import mailto_link
from emails.letters.contexts import (
    AccountEvent,
    AddressChangeContext,
    ConfirmationContext,
    MoveContext,
    NoticeContext,
    ReplacedContext,
    SeatClaimContext,
    SeatRefusedContext,
    SignInContext,
)
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import Letter, render_letter
from emails.letters.subjects import subject_line
from emails.picture.palette import clean_name
from emails.wording import phrases

LONGEST_SHOWN_ADDRESS = 600
"""Characters of an address that somebody has typed."""
NOTICE_SUBJECTS = {
    AccountEvent.SIGNED_IN: gettext_noop("a new sign-in"),
    AccountEvent.KEY_MADE: gettext_noop("a new key"),
    AccountEvent.ADDRESS_ASKED: gettext_noop("another address"),
}
"""The ends of the subjects of notices."""
SEAT_TAKEN = gettext_noop("Somebody has taken that seat already, or its player is back.")
"""Why somebody cannot have a seat for which they asked."""


def render_confirm(made: ConfirmationContext) -> Letter:
    """Is this your address? Nothing else is sent to it before its reader says so, on the page or by mail."""
    mail = mailto_link(made.reply, subject_line(""), gettext("yes"))
    parts = LetterParts(page=made.page, mail=mail, unwanted=made.unwanted)
    address = clean_name(made.address, LONGEST_SHOWN_ADDRESS)
    words = {
        "reader": phrases.safe_name(made.name),
        "address": address,
        "due": phrases.format_time(made.due_at) if made.due_at else "",
    }
    return render_letter(LetterKind.CONFIRM, "", parts, words)


def render_move_asked(made: MoveContext) -> Letter:
    """To the address in use: may the mails go to another? Its reader says yes or no on the page."""
    parts = LetterParts(page=made.page, mail=mailto_link(made.reply, subject_line(""), gettext("yes")))
    words = {
        "reader": phrases.safe_name(made.name),
        "address": clean_name(made.address, LONGEST_SHOWN_ADDRESS),
        "due": phrases.format_time(made.due_at) if made.due_at else "",
        "at": phrases.format_time(made.at),
        "browser": made.browser,
    }
    return render_letter(LetterKind.MOVE_ASKED, "", parts, words)


def render_moved(made: AddressChangeContext) -> Letter:
    """To the old address: letters go to another now, and the page or an answer brings them back."""
    mail = mailto_link(made.reply, subject_line(""), gettext("yes")) if made.reply else ""
    parts = LetterParts(page=made.page, mail=mail, example=gettext("yes"))
    words = {
        "reader": phrases.safe_name(made.name),
        "address": clean_name(made.address, LONGEST_SHOWN_ADDRESS),
    }
    return render_letter(LetterKind.MOVED, "", parts, words, answered=bool(made.reply))


def render_signin(made: SignInContext) -> Letter:
    """With this link the reader signs in; it is good for ten minutes, and once."""
    parts = LetterParts(page=made.page, unwanted=made.unwanted)
    words = {"reader": phrases.safe_name(made.name)}
    return render_letter(LetterKind.SIGNIN, gettext("sign in"), parts, words, answered=False)


def render_seat_claim(made: SeatClaimContext) -> Letter:
    """Whoever would play on for somebody takes the seat by an answer, or by a link that signs them in."""
    subject = gettext("a free seat")
    mail = mailto_link(made.reply, subject_line(subject), gettext("yes"))
    words = {"reader": phrases.safe_name(made.name), "title": phrases.safe_name(made.game)}
    parts = LetterParts(page=made.page, unwanted=made.unwanted, mail=mail, example=gettext("yes"))
    return render_letter(LetterKind.SEAT_CLAIM, subject, parts, words)


def render_notice(made: NoticeContext) -> Letter:
    """Something was done in the reader's name: what, when, where, and what to do if it was not they."""
    words = {
        "reader": phrases.safe_name(made.name),
        "event": made.event.name.lower(),
        "at": phrases.format_time(made.at),
        "browser": made.browser,
        "about": clean_name(made.about, LONGEST_SHOWN_ADDRESS),
    }
    subject = gettext(NOTICE_SUBJECTS[made.event])
    return render_letter(LetterKind.NOTICE, subject, LetterParts(page=made.page), words, answered=False)


def render_replaced(made: ReplacedContext) -> Letter:
    """Somebody else plays on for the reader: kindly."""
    words = {
        "reader": phrases.safe_name(made.name),
        "title": phrases.safe_name(made.game),
        "loss": made.loss.value,
    }
    parts = LetterParts(page=made.page)
    return render_letter(LetterKind.REPLACED, gettext("your seat"), parts, words, answered=False)


def render_seat_refused(made: SeatRefusedContext) -> Letter:
    """The reader has not got the seat for which they asked by mail."""
    parts = LetterParts(page=made.page, unwanted=made.unwanted)
    words = {"reader": phrases.safe_name(made.name), "why": made.why}
    return render_letter(LetterKind.SEAT_REFUSED, gettext("a free seat"), parts, words, answered=False)
