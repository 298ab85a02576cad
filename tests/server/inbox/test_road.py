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
from tests.profile_mail import Roads, measure_roads
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, Collector
from tests.server.inbox.test_mail_dispatch import last_letter, mover

LINES = ("engine/notation/parser.py", "parse_line")
HEADERS = ("emails/replies/headers.py", "parse_head")
MAILS = ("emails/replies/parsed_mail.py", "parse_mail")


@pytest.fixture(scope="module")
def roads(tmp_path_factory: pytest.TempPathFactory) -> Roads:
    """Measure twice: the first run fills caches."""
    measure_roads(tmp_path_factory.mktemp("first"))
    return measure_roads(tmp_path_factory.mktemp("second"))


def test_each_order_is_parsed_once(roads: Roads) -> None:
    assert roads.stored.count(*LINES) == 0
    assert roads.played.count(*LINES) == 3


def test_headers_are_parsed_to_store_a_mail_and_the_whole_mail_to_play_it(roads: Roads) -> None:
    assert (roads.stored.count(*MAILS), roads.stored.count(*HEADERS)) == (0, 1)
    assert (roads.played.count(*MAILS), roads.played.count(*HEADERS)) == (1, 1)


def test_one_transaction_stores_and_one_acts(roads: Roads) -> None:
    """The other three read: which mails wait, the bytes of this one, and its sender."""
    assert (roads.stored.writes, roads.stored.reads) == (1, 1)
    assert (roads.played.writes, roads.played.reads) == (1, 3)


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
