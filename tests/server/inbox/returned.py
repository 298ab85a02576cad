"""A letter comes back: what a story of that needs, and what it looks at afterwards."""

from datetime import timedelta

from sqlmodel import select

from emails.i18n import Locale, use_locale
from engine.bots import play_to_win
from server.accounts.bounces import clear_bounce_of_seat, find_bounce_mark, record_bounce
from server.admin import backups
from server.admin.backups import examine_stored_acts
from server.clock import tick
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, intake
from server.outbox import chat
from server.outbox.chat import unread_chat
from server.store.event_log import load_acts
from server.store.models import Game, IncomingMail, OutgoingLetter
from server.turns.play import play_turn
from tests.emails.replies.reports import postfix


def envelope_of(mails, letter):
    return mails.envelopes[mails.mails.index(letter)][0]


def report(mails, letter, form=postfix, to="", **more):
    back = envelope_of(mails, letter)
    return form(to or str(letter["To"]), back, str(letter["Message-ID"]), str(letter["Reply-To"]), **more)


def comes(context, text, to, now, sender=""):
    """A mail comes in and is read; gives what became of it."""
    intake.store_mail(context, sender, to, text.replace("\n", "\r\n").encode(), now)
    dispatch.process_waiting_mail(context, now)
    row = context.rows_of(IncomingMail)[-1]
    return row.state, row.why


def halted(context, game, name):
    return context.history(game).is_clock_paused(context.seat_of(game, name))


def mended(context, game):
    """The list of games follows from the acts alone, and the doctor is content."""
    before = context.projected(game)
    context.rebuild()
    assert context.projected(game) == before
    assert list(examine_stored_acts(context)) == []
    assert not [line for line in backups.export_log(context, game) if "clock_" in line]


class ReturnedMail:
    """A game, its first mover and another player, and what happens to their letters at which hours."""

    def __init__(self, context, mails, clock, game):
        self.context, self.mails, self.clock, self.game = context, mails, clock, game
        self.name, self.seat = context.mover(game), context.game_row(game).seat
        self.others = [name for name in context.names_of(game) if name != self.name]
        self.other = self.others[0]

    @property
    def row(self):
        return self.context.game_row(self.game)

    def send(self, hours=0):
        return send_due_letters(self.context, self.mails, self.clock.forward(hours))

    def work(self, hours=0):
        self.context.work_until_idle(self.mails, self.clock.forward(hours))

    def tick(self, hours=0):
        tick(self.context, self.clock.forward(hours))

    def play(self, hours=1):
        play_turn(self.context, self.game, self.row.after, play_to_win, "link", self.clock.forward(hours))

    def says(self, words):
        """Another player writes to the first mover, to whom it is sent an hour later."""
        with self.context.changing() as session:
            game = session.get_one(Game, self.game)
            chat.post(self.context, session, game, (self.seat + 1) % 3, self.seat, words, self.clock())
        self.send(1)

    def comes(self, text, to, hours=0, sender=""):
        return comes(self.context, text, to, self.clock.forward(hours), sender)

    def answers(self, letter, sender, hours=0, **headers):
        """A letter is answered; gives what became of that mail."""
        extra = "".join(f"{name}: {value}\n" for name, value in headers.items())
        head = f"From: {sender}\nSubject: Re: x\nMessage-ID: <{len(extra)}{sender}>\n{extra}\n"
        return self.comes(f"{head}say: here I am\n", str(letter["Reply-To"]), hours, sender)

    def letter(self, name=""):
        """The last letter to a player, by default to who is to move."""
        return self.mails.to(name or self.context.mover(self.game))[-1]

    def reports(self, letter, hours=0, **more):
        """A report on a letter comes; gives what became of it."""
        return self.comes(report(self.mails, letter, **more), envelope_of(self.mails, letter), hours)

    def returns(self, hours=0, name="", **more):
        return self.reports(self.letter(name), hours, **more)

    def refused(self, hours=0, name=""):
        """The relay refuses the last letter to a player in the handover; gives a sentence for the log."""
        chosen = select(OutgoingLetter).where(OutgoingLetter.message_id == self.letter(name)["Message-ID"])

        def refuse(unit):
            row = unit.session.exec(chosen).one()
            return record_bounce(unit, row, "550 5.1.1 User unknown", reported=False)

        return self.context.committed(self.clock.forward(hours), refuse)

    def cleared(self, hours=0):
        """Mail to the first mover is known to arrive again; whether that is new."""
        return self.context.committed(self.clock.forward(hours), clear_bounce_of_seat, self.game, self.seat)

    @property
    def left(self):
        return (self.row.deadline - self.clock()) / timedelta(hours=1)

    def fails(self, name=""):
        player = self.context.player_of(self.game, self.context.seat_of(self.game, name or self.name))
        with self.context.reading() as session:
            return find_bounce_mark(session, player) is not None

    def halted(self, name="", game=""):
        return halted(self.context, game or self.game, name or self.name)

    def clock_acts(self):
        with self.context.reading() as session:
            return [row.events for row in load_acts(session, self.game) if "clock_" in row.events]

    def is_unchanged(self):
        return not self.fails() and not self.clock_acts()

    def told(self, name="", language="en", game=""):
        """What a player, by default another one, has not read yet."""
        game = game or self.game
        seat = self.context.seat_of(game, name or self.other)
        with self.context.reading() as session, use_locale(Locale(language)):
            return [one.words for one in unread_chat(session, game, seat)[0]]

    def mended(self):
        mended(self.context, self.game)
