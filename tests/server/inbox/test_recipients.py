"""Which addresses of the house take mail: those that we sealed, and those at which games are asked for."""

from datetime import timedelta
from pathlib import Path

import pytest

from emails.tokens import Ticket
from server.accounts import addresses
from server.inbox.intake import is_deliverable
from server.store.context import Context
from tests.emails.old_tokens import old_reply
from tests.server.desk import DOMAIN, NOON, SECRET, confirmation_codes, desk, start_game

TICKET = Ticket("a" * 8, 0, 1)


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return desk(tmp_path)


def sealed_addresses(context: Context) -> list[str]:
    game = start_game(context, "Anna", "Ben")
    addresses.request_address_confirmation(context, game, 0, "anna@post.example.org", NOON)
    links = context.links
    return [
        links.reply_address(Ticket(game, 0, 1), 1),
        links.unsubscribe_links(game, 0)[1].removeprefix("mailto:"),
        links.bounce_address(1),
        links.proposal_links(game)[1],
        f"confirm+{confirmation_codes(context)[-1]}@{DOMAIN}",
    ]


def test_what_we_have_sealed_is_taken_in_any_case(context):
    for address in sealed_addresses(context):
        assert is_deliverable(context, address), address
        assert is_deliverable(context, address.upper()), address
        assert not is_deliverable(context, address.replace(DOMAIN, "example.com")), address


def test_a_sign_that_is_another_or_missing_makes_it_none_of_ours(context):
    for address in sealed_addresses(context):
        name, _, token = address.removesuffix(f"@{DOMAIN}").partition("+")
        for at in range(len(token)):
            other = "a" if token[at] != "a" else "b"
            assert not is_deliverable(context, f"{name}+{token[:at]}{other}{token[at + 1 :]}@{DOMAIN}")
            assert not is_deliverable(context, f"{name}+{token[:at]}{token[at + 1 :]}@{DOMAIN}")
        for damaged in ("", token + "a", token[:-1], token + "\N{REPLACEMENT CHARACTER}", token * 200):
            assert is_deliverable(context, f"{name}+{damaged}@{DOMAIN}") == (name == "new" and not damaged)


@pytest.mark.parametrize("address", ["new", "nieuw", "NEW", "new+", "Nieuw+"])
def test_where_games_are_asked_for_anybody_may_write(context, address):
    assert is_deliverable(context, f"{address}@{DOMAIN}")


@pytest.mark.parametrize("address", ["", "@", "play", f"play@{DOMAIN}", f"ben@{DOMAIN}", f"news@{DOMAIN}"])
def test_what_is_none_of_the_house(context, address):
    assert not is_deliverable(context, address)


def test_an_answer_to_a_letter_from_before_tickets_could_be_withdrawn_is_taken(context):
    assert is_deliverable(context, f"play+{old_reply(TICKET, 1, SECRET.encode())}@{DOMAIN}")
    assert not is_deliverable(context, f"play+{old_reply(TICKET, 1, b'another secret of sixteen')}@{DOMAIN}")


def test_a_code_that_is_too_old_is_still_known(context):
    game = start_game(context, "Anna", "Ben")
    long_ago = NOON - timedelta(days=20)
    addresses.request_address_confirmation(context, game, 0, "anna@post.example.org", long_ago)
    assert is_deliverable(context, f"confirm+{confirmation_codes(context)[-1]}@{DOMAIN}")


@pytest.mark.parametrize("office", ["postmaster", "ABUSE"])
def test_an_office_takes_mail_where_there_is_an_operator(context, office):
    address = f"{office}@{DOMAIN}"
    assert not is_deliverable(context, address)
    settings = context.settings.model_copy(update={"operator": "operator@example.net"})
    led = Context(settings, context.database, context.links)
    assert is_deliverable(led, address)
    assert not is_deliverable(led, f"{office}+x@{DOMAIN}")
    assert not is_deliverable(led, f"{office}@example.com")
