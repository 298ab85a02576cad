"""Which headers of a letter are signed: those by which providers show a way out, and count complaints."""

import pytest

from server.delivery.sending import send_due_letters
from tests.deployment.shipped import postfix, words
from tests.server.desk import NOON, Collector, desk, start_game

NEVER_SIGNED = {"x-auto-response-suppress", "x-alexandros", "return-path"}
"""What others may change on the way, and nobody reads for the way out."""


def listed(key: str) -> set[str]:
    """The headers that OpenDKIM is told of."""
    return {name.lower() for name in words("mail/opendkim.conf")[key].split(",")}


@pytest.fixture(scope="module")
def letters(tmp_path_factory):
    """Letters of a game, as they leave."""
    context = desk(tmp_path_factory.mktemp("letters"), ALEXANDROS_BASE_URL="https://alexandros.example.org")
    start_game(context, "Anna", "Ben")
    carrier = Collector()
    send_due_letters(context, carrier, NOON)
    assert carrier.mails
    return carrier.mails


def test_both_headers_of_the_way_out_are_signed_and_cannot_be_added() -> None:
    both = {"list-unsubscribe", "list-unsubscribe-post"}
    assert both <= listed("SignHeaders")
    assert both <= listed("OversignHeaders") <= listed("SignHeaders")


def test_every_header_of_a_letter_is_signed(letters) -> None:
    for mail in letters:
        names = {name.lower() for name in mail}
        assert {"list-unsubscribe", "list-unsubscribe-post", "feedback-id"} <= names
        assert names - NEVER_SIGNED <= listed("SignHeaders")


def test_what_providers_count_by_is_the_kind_of_a_letter_and_nothing_of_its_reader(letters) -> None:
    for mail in letters:
        kind, _, sender = mail["Feedback-ID"].partition(":")
        assert (kind, sender) == (mail["X-Alexandros"], "alexandros")
        assert 5 <= len(sender) <= 15


def test_postfix_sends_nothing_unsigned() -> None:
    main = postfix()
    signs = words("mail/opendkim.conf")["Socket"].split("@")[0].replace(":", ":127.0.0.1:")
    assert signs in main["smtpd_milters"].split(", ")
    assert signs in main["non_smtpd_milters"].split(", ")
