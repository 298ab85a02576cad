"""The way of a mail through the house: parsed once, read once, stored by one transaction, played by one."""

import pytest

from tests.profile_mail import PARSING_HEADERS, PARSING_LINES, Walk, measure_mail

PARSING_MAILS = ("emails/replies/mail.py", "parse_mail")


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Walk, Walk]:
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
    """Four more only read: which mails wait, this one, its bytes, and who wrote it."""
    stored, played = walks
    assert (stored.writes, stored.reads) == (1, 0)
    assert (played.writes, played.reads) == (1, 4)
