"""A letter comes back: what a story of that needs, and what it looks at afterwards."""

from sqlmodel import select

from emails.i18n import Tongue, speaking
from server.accounts.addresses import ask_address, confirmed
from server.accounts.undeliverable import marked
from server.admin import archive
from server.admin.doctor import examine
from server.inbox import incoming, intake
from server.outbox.chat import unheard
from server.store import projection
from server.store.event_log import acts
from server.store.models import Confirmation, Game, Incoming, Player, Seating
from tests.emails.replies.reports import postfix
from tests.server.desk import game_row, names_of, seat_of

OTHER = "second@example.org"


def mover(office, game):
    """Who is to move, whose letter comes back in most of these stories."""
    return names_of(office, game)[game_row(office, game).seat]


def envelope_of(mails, letter):
    """Where a letter comes back."""
    return mails.envelopes[mails.mails.index(letter)][0]


def report(mails, letter, form=postfix, to="", **more):
    """What a mail server says of a letter."""
    back = envelope_of(mails, letter)
    return form(to or str(letter["To"]), back, str(letter["Message-ID"]), str(letter["Reply-To"]), **more)


def comes(office, text, to, now, sender=""):
    """A mail comes in and is read; gives what became of it."""
    intake.take_in(office, sender, to, text.replace("\n", "\r\n").encode(), now)
    incoming.process(office, now)
    with office.reading() as session:
        row = session.exec(select(Incoming).order_by(Incoming.id.desc())).first()
        return row.state, row.why


def returns(office, mails, game, now, name="", form=postfix, **more):
    """The last letter to a player comes back."""
    letter = mails.to(name or mover(office, game))[-1]
    return comes(office, report(mails, letter, form, **more), envelope_of(mails, letter), now)


def player_of(office, game, name):
    with office.reading() as session:
        return session.get_one(Player, session.get_one(Seating, (game, seat_of(office, game, name))).player)


def fails(office, game, name):
    with office.reading() as session:
        return marked(session, player_of(office, game, name).id) is not None


def halted(office, game, name):
    with office.reading() as session:
        return office.history(session, session.get_one(Game, game)).halted(seat_of(office, game, name))


def doors(office, game):
    with office.reading() as session:
        return [row.events for row, _ in acts(session, game) if "clock_" in row.events]


def told(office, game, name, language="en"):
    with office.reading() as session, speaking(Tongue(language)):
        return [one.words for one in unheard(session, game, seat_of(office, game, name))[0]]


def kinds(mails, name):
    return [str(mail["X-Alexandros"]) for mail in mails.to(name)]


def second(office, game, name, now, address=OTHER):
    """A player names a second address and confirms it."""
    ask_address(office, game, seat_of(office, game, name), address, now, second=True)
    with office.reading() as session:
        asked = select(Confirmation).where(Confirmation.address == address).order_by(Confirmation.at)
        code = session.exec(asked).all()[-1].code
    return confirmed(office, code, now)


def mended(office, game):
    """The list of games follows from the acts alone, and the doctor is content."""
    before = game_row(office, game).model_dump()
    projection.rebuild(office)
    assert game_row(office, game).model_dump() == before
    assert list(examine(office)) == []
    assert not [line for line in archive.export(office, game) if "clock_" in line]


def write(mails, letter, sender, **headers):
    extra = "".join(f"{name}: {value}\n" for name, value in headers.items())
    return f"From: {sender}\nSubject: Re: x\nMessage-ID: <{len(extra)}{sender}>\n{extra}\nsay: here I am\n"


def unchanged(office, game, name):
    return not fails(office, game, name) and not doors(office, game)


def words(letter):
    """What a letter says, its lines joined."""
    return " ".join(letter.get_body(("plain",)).get_content().split())
