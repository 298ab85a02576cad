"""Mail addresses: which of them are one mailbox, and where whoever runs the server is written to."""

import pytest
from sqlmodel import select

from emails.i18n import Locale, use_locale
from emails.letters.lobby_letters import find_address_fault, tidy_address
from emails.replies.parsed_mail import parse_headers
from server.mail_addresses import is_same_mailbox, normalise_address
from server.store.models import Player
from tests.server.desk import desk
from tests.server.inbox.test_mail_dispatch import last_letter, reply, states
from tests.server.web.site import Site


@pytest.mark.parametrize(
    ("address", "mailbox"),
    [
        *((f"An.na_-b@{domain}", "annab@proton.me") for domain in ("protonmail.com", "proton.me", "PM.me")),
        *((f"An.na+x@{domain}", f"an.na@{domain}") for domain in ("icloud.com", "me.com", "mac.com")),
        *((f"An.na_-b+x@{domain}", "anna_-b@gmail.com") for domain in ("gmail.com", "googlemail.com")),
        ("An.na_-b+x@Example.org", "an.na_-b@example.org"),
    ],
)
def test_every_way_to_write_a_mailbox_is_that_mailbox(address, mailbox):
    assert normalise_address(address) == mailbox


@pytest.mark.parametrize(
    ("operator", "shown"), [("none", "alexandros@"), ("dirk@example.org", "postmaster@play.example.org")]
)
@pytest.mark.parametrize("page", ["/privacy", "/help"])
def test_the_pages_name_the_office_where_it_is_passed_on(tmp_path, operator, shown, page):
    context = desk(tmp_path, ALEXANDROS_OPERATOR=operator)
    visitor = Site(context).visitor().get(page)
    mailed = [link for link in visitor.page.xpath("//main//a/@href") if link.startswith("mailto:")]
    assert any(link.startswith(f"mailto:{shown}") for link in mailed), mailed
    assert "dirk@" not in visitor.text


@pytest.mark.parametrize(
    ("registered", "written", "state"),
    [
        ("cleo+alexandros@example.org", "Cleo@example.org", "played"),
        ("cleo.b@gmail.com", "cleob@googlemail.com", "played"),
        ("cleo@icloud.com", "cleo@me.com", "played"),
        ("cleo@pm.me", "c.leo@protonmail.com", "played"),
        ("cleo.b@example.org", "cleob@example.org", "refused"),
        ("cleo@icloud.com", "cleo@mac.net", "refused"),
        ("cleo@example.org", "clea+cleo@example.org", "refused"),
    ],
)
def test_a_mail_from_another_address_of_the_mailbox_is_its_players(
    context, carrier, registered, written, state
):
    game = context.start_game("Anna", "Ben")
    name = context.mover(game)
    with context.changing() as session:
        session.exec(select(Player).where(Player.name == name)).one().address = registered
    letter = last_letter(context, carrier, name)
    reply(context, letter, "\n".join(context.turn_words(game)), sender=written)
    assert states(context)[-1][0] == state


@pytest.mark.parametrize(
    ("typed", "address", "fault"),
    [
        (" Anna@exämple.org ", "Anna@xn--exmple-cua.org", None),
        ("anna@例子.广告", "anna@xn--fsqu00a.xn--4rr70v", None),
        ("anna@players.example.", "anna@players.example", None),
        ("Anna@Example.org", "Anna@Example.org", None),
        ("ünï@players.example", "ünï@players.example", "cannot be sent yet"),
        ("anna at home", "anna at home", "no mail address"),
        ("anna@b c.org", "anna@b c.org", "no mail address"),
    ],
)
def test_a_domain_in_any_script_is_taken(typed, address, fault):
    assert tidy_address(typed) == address
    with use_locale(Locale()):
        assert (fault or "") in (find_address_fault(address) or "")
        assert (fault is None) == (find_address_fault(address) is None)


def test_a_domain_in_any_script_is_the_one_in_ascii():
    author = parse_headers("From: Cleo <cleo@exämple.org>\r\n\r\ndraw".encode()).author
    assert is_same_mailbox(author, "cleo@xn--exmple-cua.org")
    assert not is_same_mailbox(author, "cleo@example.org")
