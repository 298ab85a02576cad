"""A newer program beside this one writes values that it does not know: what has them is left to that one.

Machines are upgraded one after the other. Whatever column has members of an enum is found in the tables
themselves, so that none is forgotten; its value is replaced by one of a later time, and put back when this
program is upgraded too.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from pathlib import Path

import pytest
from sqlalchemy import Column, text
from sqlmodel import select

from emails.tokens import Ticket
from server.accounts.address_requests import request_address_confirmation
from server.delivery.operator_delivery import send_operator_mails
from server.delivery.outbox_delivery import send_due_letters
from server.inbox import mail_intake
from server.inbox.mail_dispatch import process_waiting_mail
from server.outbox.operator_mail import tell_operator
from server.roles import EVERY_ROLE
from server.store.columns import EnumColumn
from server.store.context import Context
from server.store.database import MODELS
from server.store.event_log import ActRow, digest_of
from server.store.models import Act, ChatMessage, Game, IncomingMail, OutgoingLetter
from server.store.server_moments import note_at_work, write_moment
from server.store.states import (
    Announcement,
    BlockKind,
    BlockOrigin,
    Channel,
    LetterState,
    MailState,
    MomentName,
    OperatorMatter,
)
from server.store.unasked_models import Block, OperatorMail
from tests.server.desk import Clock, Collector, desk, game_row, seat_of, start_game, work_until_idle
from tests.server.web.site import Site

NEWER = "of a later time"
COLUMNS = [
    column
    for table in MODELS.sorted_tables
    for column in table.columns
    if isinstance(column.type, EnumColumn)
]
WAITS = 0, 1, 2, 60
"""Minutes after which it is looked again what is due, while the newer program is still to come."""
SHOWN, AWAY = (200, 302, 303), 503
FAILED = {LetterState.FAILED, MailState.REFUSED}


@pytest.fixture
def place(tmp_path: Path) -> Site:
    clock = Clock()
    return Site(desk(tmp_path, ALEXANDROS_OPERATOR="operator@example.net"), clock)


def write(place: Site, game: str, name: str, words: str) -> None:
    """Let a mail of a player come in."""
    context, row = place.context, game_row(place.context, game)
    sender = f"{name.lower()}@example.org"
    to = context.links.reply_address(Ticket(game, seat_of(context, game, name), row.after))
    mail = f"From: {sender}\r\nMessage-ID: <{name}{words}@example.org>\r\n\r\n{words}\r\n"
    mail_intake.store_mail(context, sender, to, mail.encode(), place.clock())


def begin(place: Site) -> str:
    """A game in which something waits in every table that has such a column."""
    context, now = place.context, place.clock()
    game = start_game(context, "Anna", "Ben", now=now)
    request_address_confirmation(context, game, 0, "anna@new.example.org", now)
    write(place, game, "Anna", "board")
    with context.writing() as session:
        session.add(ChatMessage(game=game, at=now, words="", announcement=Announcement.RESIGNED, about="Ben"))
        block = {"kind": BlockKind.DOMAIN, "origin": BlockOrigin.OPERATOR, "value": "elsewhere.example"}
        session.add(Block(**block, shown="elsewhere.example", at=now))
        write_moment(session, MomentName.BACKED_UP, now)
        note_at_work(session, "a process", EVERY_ROLE, now)
        assert tell_operator(context, session, OperatorMatter.LETTERS_WAIT, "many", now)
        session.commit()
    return game


@contextmanager
def newer(place: Site, column: Column, game: str) -> Iterator[None]:
    """Let the rows of a game, or all where they are of none, have a value that a later program wrote."""
    table, context = column.table, place.context
    of = "id" if table.name == "game" else "game"
    where = f"{of} = '{game}'" if of in table.c else "1 = 1"
    with context.writing() as session:
        before = session.scalar(text(f"SELECT max({column.name}) FROM {table.name} WHERE {where}"))
        assert before is not None, "there is such a row"
        some = f"{where} AND {column.name} = '{before}'"
        session.execute(text(f"UPDATE {table.name} SET {column.name} = '{NEWER}' WHERE {some}"))
        session.commit()
    context.history_cache.__init__()
    yield
    with context.writing() as session:
        back = text(f"UPDATE {table.name} SET {column.name} = :old WHERE {column.name} = '{NEWER}'")
        assert session.execute(back, {"old": before}).rowcount, "it was left as it was"
        session.commit()


@contextmanager
def newer_act(place: Site, game: str) -> Iterator[None]:
    """Let the last act of a game be one with a fact that is known to a later program alone."""
    context = place.context
    with context.writing() as session:
        row = session.get_one(Game, game)
        last = session.get_one(Act, (game, row.seq))
        facts = json.dumps([{"type": NEWER, "seat": 0}])
        act = ActRow(row.seq + 1, last.at, None, Channel.SERVER, "", facts)
        session.add(Act(game=game, digest=digest_of(last.digest, game, act), **act._asdict()))
        row.seq += 1
        session.commit()
    yield
    with context.writing() as session:
        session.delete(session.get_one(Act, (game, act.seq)))
        session.get_one(Game, game).seq -= 1
        session.commit()


def paths_of(place: Site, game: str) -> list[str]:
    """Pages of a game, of its first player, and for everybody."""
    link = place.link(game, seat=0)
    return ["/", "/games", "/me", link, f"{link}/history", f"{link}/pulse"]


def fates(context: Context) -> Counter[str]:
    """In which states letters and mails are."""
    with context.reading() as session:
        states = (session.exec(select(one.state)) for one in (OutgoingLetter, OperatorMail, IncomingMail))
        return Counter(chain(*states))


def work(place: Site, carrier: Collector, minutes: int) -> None:
    """Do what is due so many minutes later, and see that it comes to an end."""
    now = place.clock.forward(minutes / 60)
    work_until_idle(place.context, carrier, now)
    assert send_due_letters(place.context, carrier, now) == 0
    assert send_operator_mails(place.context, carrier, now) == 0
    assert process_waiting_mail(place.context, now) == 0


@pytest.mark.breadth
@pytest.mark.parametrize("column", COLUMNS, ids=str)
def test_what_only_a_newer_program_knows_is_left_to_it_and_stops_nothing_else(place, column):
    game = begin(place)
    see_it_wait(place, game, newer(place, column, game), counted=column.name != "state")


def test_so_is_a_game_in_which_something_happened_that_only_a_newer_program_knows(place):
    game = begin(place)
    see_it_wait(place, game, newer_act(place, game))


def see_it_wait(place: Site, game: str, newer: AbstractContextManager[None], *, counted: bool = True) -> None:
    """See that a game waits for a newer program, and everything else goes on; then that nothing is lost.

    `counted`: meanwhile it can be counted in which states letters and mails are.
    """
    sound = start_game(place.context, "Cleo", "Dirk")
    visitors = {one: (place.signed_in(one).client, paths_of(place, one)) for one in (game, sound)}
    carrier = Collector()
    with newer:
        write(place, sound, "Cleo", "say: hello")
        for minutes in WAITS:
            work(place, carrier, minutes)
        assert {"cleo@example.org", "dirk@example.org"} <= {recipient for _, recipient in carrier.envelopes}
        assert "hello" in " ".join(mail.as_string() for mail in carrier.to("Dirk"))
        for one, (visitor, paths) in visitors.items():
            answers = {path: visitor.get(path, headers={"Accept": "text/html"}).status_code for path in paths}
            told = {path: status for path, status in answers.items() if status not in SHOWN}
            assert set(told.values()) <= ({AWAY} if one == game else set()), told
        if counted:
            assert not fates(place.context).keys() & FAILED
    work(place, carrier, 2)
    assert not fates(place.context).keys() & (FAILED | {LetterState.WAITING})
    for name in ("Anna", "Ben"):
        assert carrier.to(name), "the letters have left"
    assert len([mail for mail in carrier.mails if mail["In-Reply-To"] == "<Annaboard@example.org>"]) == 1
    assert not has_tries(place.context)


def has_tries(context: Context) -> bool:
    """Whether a mail has failed, or a letter was tried more often than once."""
    with context.reading() as session:
        tried = session.exec(select(OutgoingLetter.tries).where(OutgoingLetter.tries > 1)).first()
        return tried is not None or session.exec(select(IncomingMail.tries)).first() != 0
