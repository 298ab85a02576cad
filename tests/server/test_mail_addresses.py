"""Mail addresses: which of them are one mailbox, and where whoever runs the server is written to."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.mail_addresses import normalise_address
from tests.server.desk import desk
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
def test_every_way_to_write_a_mailbox_is_that_mailbox(address: str, mailbox: str) -> None:
    assert normalise_address(address) == mailbox


@pytest.mark.parametrize(
    ("operator", "shown"), [("none", "alexandros@"), ("dirk@example.org", "postmaster@play.example.org")]
)
@pytest.mark.parametrize("page", ["/privacy", "/help"])
def test_the_pages_name_the_office_where_it_is_passed_on(
    tmp_path: Path, operator: str, shown: str, page: str
) -> None:
    context = desk(tmp_path, ALEXANDROS_OPERATOR=operator)
    visitor = Site(context).visitor().get(page)
    mailed = [link for link in visitor.page.xpath("//main//a/@href") if link.startswith("mailto:")]
    assert any(link.startswith(f"mailto:{shown}") for link in mailed), mailed
    assert "dirk@" not in visitor.text
