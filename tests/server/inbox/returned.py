"""A letter comes back: what a story of that needs, and what it looks at afterwards."""

from sqlmodel import select

from emails.i18n import Locale, use_locale
from server.accounts.bounces import find_bounce_mark, record_bounce
from server.admin import archive
from server.admin.backups import examine_stored_acts
from server.inbox import dispatch, intake
from server.outbox.chat import unread_chat
from server.outbox.queue import open_unit
from server.store import projection
from server.store.event_log import load_acts
from server.store.models import Game, IncomingMail, OutgoingLetter, Player, Seating
from tests.emails.replies.reports import postfix
from tests.server.desk import mover, projected, seat_of


def envelope_of(mails, letter):
    """Where a letter comes back."""
    return mails.envelopes[mails.mails.index(letter)][0]


def report(mails, letter, form=postfix, to="", **more):
    """What a mail server says of a letter."""
    back = envelope_of(mails, letter)
    return form(to or str(letter["To"]), back, str(letter["Message-ID"]), str(letter["Reply-To"]), **more)


def comes(context, text, to, now, sender=""):
    """A mail comes in and is read; gives what became of it."""
    intake.store_mail(context, sender, to, text.replace("\n", "\r\n").encode(), now)
    dispatch.process_waiting_mail(context, now)
    with context.reading() as session:
        row = session.exec(select(IncomingMail).order_by(IncomingMail.id.desc())).first()
        return row.state, row.why


def returns(context, mails, game, now, name="", form=postfix, **more):
    """The last letter to a player comes back."""
    letter = mails.to(name or mover(context, game))[-1]
    return comes(context, report(mails, letter, form, **more), envelope_of(mails, letter), now)


def refused(context, mails, game, now, name=""):
    """The relay refuses the last letter to a player while it is handed over; gives a sentence for the log."""
    letter = mails.to(name or mover(context, game))[-1]
    with open_unit(context, now) as unit:
        chosen = select(OutgoingLetter).where(OutgoingLetter.message_id == str(letter["Message-ID"]))
        row = unit.session.exec(chosen).one()
        sentence = record_bounce(unit, row, "550 5.1.1 User unknown", reported=False)
        unit.commit()
    return sentence


def player_of(context, game, name):
    with context.reading() as session:
        return session.get_one(Player, session.get_one(Seating, (game, seat_of(context, game, name))).player)


def fails(context, game, name):
    with context.reading() as session:
        return find_bounce_mark(session, player_of(context, game, name).id) is not None


def halted(context, game, name):
    with context.reading() as session:
        return context.history_of(session, session.get_one(Game, game)).is_clock_paused(
            seat_of(context, game, name)
        )


def doors(context, game):
    with context.reading() as session:
        return [row.events for row, _ in load_acts(session, game) if "clock_" in row.events]


def told(context, game, name, language="en"):
    with context.reading() as session, use_locale(Locale(language)):
        return [one.words for one in unread_chat(session, game, seat_of(context, game, name))[0]]


def kinds(mails, name):
    return [str(mail["X-Alexandros"]) for mail in mails.to(name)]


def mended(context, game):
    """The list of games follows from the acts alone, and the doctor is content."""
    before = projected(context, game)
    projection.rebuild(context)
    assert projected(context, game) == before
    assert list(examine_stored_acts(context)) == []
    assert not [line for line in archive.export_log(context, game) if "clock_" in line]


def write(mails, letter, sender, **headers):
    extra = "".join(f"{name}: {value}\n" for name, value in headers.items())
    return f"From: {sender}\nSubject: Re: x\nMessage-ID: <{len(extra)}{sender}>\n{extra}\nsay: here I am\n"


def unchanged(context, game, name):
    return not fails(context, game, name) and not doors(context, game)


def words(letter):
    """What a letter says, its lines joined."""
    return " ".join(letter.get_body(("plain",)).get_content().split())
