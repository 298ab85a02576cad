"""The way of a mail through the house: parsed once, read once, stored by one transaction, played by one.

Orders alone are played without being asked what else they may say, which is nothing.
"""

import pytest

from emails.replies.parsed_mail import parse_mail
from emails.replies.reply_reader import read_reply
from server.inbox.requests.mail_requests import (
    check_requests,
    find_grave_request,
    is_automatic,
    is_unread,
    settle_requests,
)
from server.inbox.screening import Correspondent, identify_correspondent
from server.store.context import Context
from server.store.models import IncomingMail
from tests.emails.replies.consequences import NAMES, files, grammar, shaped
from tests.profile_mail import PARSING_HEADERS, PARSING_LINES, Walk, measure_mail
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, Collector
from tests.server.inbox.test_mail_dispatch import last_letter, mover

PARSING_MAILS = ("emails/replies/parsed_mail.py", "parse_mail")


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Walk, Walk]:
    """Of the second mail: the first fills what is kept, such as the words of a language."""
    measure_mail(tmp_path_factory.mktemp("first"))
    return measure_mail(tmp_path_factory.mktemp("road"))


def test_each_line_is_parsed_once(walks: tuple[Walk, Walk]) -> None:
    stored, played = walks
    assert stored.count(PARSING_LINES) == 0
    assert played.count(PARSING_LINES) == 3  # a card, a march, a card that is drawn


def test_a_mail_is_parsed_once_where_it_is_read(walks: tuple[Walk, Walk]) -> None:
    """Whoever stores it looks for its Message-ID and whence it came."""
    stored, played = walks
    assert (stored.count(PARSING_MAILS), stored.count(PARSING_HEADERS)) == (0, 1)
    assert (played.count(PARSING_MAILS), played.count(PARSING_HEADERS)) == (1, 1)


def test_one_transaction_stores_and_one_acts(walks: tuple[Walk, Walk]) -> None:
    """Four more only read: how many mails came, which wait, this one with its bytes, and who wrote it."""
    stored, played = walks
    assert (stored.writes, stored.reads) == (1, 1)
    assert (played.writes, played.reads) == (1, 3)


@pytest.fixture
def writer(context: Context, carrier: Collector) -> Correspondent:
    """Who answers the letter of their turn."""
    game = begin_game(context, carrier, "Anna", "Ben")
    letter = last_letter(context, carrier, mover(context, game))
    token = str(letter["Reply-To"]).partition("+")[2].partition("@")[0]
    row = IncomingMail(digest="", at=NOON, sender="", recipient="", raw=b"", due_at=NOON)
    with context.reading() as session:
        found = identify_correspondent(context, session, row, parse_mail(b""), token)
    assert found is not None
    assert not found.is_asked
    return found


def test_orders_alone_say_nothing_else(context: Context, writer: Correspondent) -> None:
    """Whatever is looked for in a mail beside its orders: in mails of every program and language."""
    played = 0
    for case in (*files(), *shaped()):
        mail = parse_mail(case.raw)
        message = read_reply(mail, grammar(case.at), case.answers, NAMES)
        if not message.is_orders_alone:
            continue
        played += 1
        assert not is_automatic(writer, mail, message), case.name
        assert not is_unread(writer, message, NOON), case.name
        assert settle_requests(context, writer, message, NOON) == message, case.name
        check_requests(message, proven=True)
        assert find_grave_request(writer, message) is None, case.name
    assert played > 100
