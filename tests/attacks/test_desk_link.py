"""A stranger would know who the operator is, and sit down at the desk by a link that is not theirs."""

import re
import sqlite3
from time import monotonic

import pytest

from server.delivery.sending import send_operator_mails
from server.store.models import SignedInBrowser
from server.web.kit.visitors import EVEN_ANSWER_SECONDS
from tests.server.desk import Collector, body
from tests.server.web.site import Site, Visitor, site

OPERATOR = "operator@example.net"
ADDRESSES = (OPERATOR, "anna@example.org", "stranger@example.org", f"x{OPERATOR}", "operator+x@example.net")
FORM = "//main//form"


@pytest.fixture
def place(tmp_path) -> Site:
    made = site(tmp_path, ALEXANDROS_OPERATOR=OPERATOR)
    made.context.begin_time(made.context.start_game("Anna", "Ben"))
    made.context.confirm("Anna", "Ben")
    return made


def told(visitor: Visitor) -> tuple[int, str, str, list[str]]:
    """All that a browser is told by an answer, but for the cookie that is sealed anew for each."""
    assert visitor.answer is not None
    heads = [f"{name}: {value}" for name, value in visitor.answer.headers if name != "Set-Cookie"]
    return visitor.status, visitor.answer.request.full_path, visitor.answer.get_data(as_text=True), heads


def asks(place: Site, address: str) -> Visitor:
    return place.visitor().get("/desk").send(FORM, address=address)


def mailed(place: Site) -> Collector:
    carrier = Collector()
    while send_operator_mails(place.context, carrier, place.clock(), 50):
        pass
    return carrier


def link_of(place: Site) -> str:
    asks(place, OPERATOR)
    found = re.search(r"/s/[a-z2-7]{32}", body(mailed(place).mails[-1]))
    assert found
    return found[0]


def test_whichever_address_is_typed_the_answer_is_the_same_to_the_byte(place):
    answers = [told(asks(place, one)) for one in ADDRESSES]
    assert all(one == answers[0] for one in answers)
    again = [told(asks(place, OPERATOR)) for _ in range(15)]  # more than are mailed
    assert all(one == answers[0] for one in again)
    assert mailed(place).envelopes == [("", OPERATOR)] * 2


def test_whether_there_is_an_operator_is_not_told(place, tmp_path):
    (tmp_path / "other").mkdir()
    without = site(tmp_path / "other")
    without.context.begin_time(without.context.start_game("Anna", "Ben"))
    pages = [told(one.visitor().get("/desk"))[:2] for one in (place, without)]
    assert pages[0] == pages[1]
    assert told(asks(place, OPERATOR)) == told(asks(without, OPERATOR))
    assert mailed(without).mails == []


def test_it_takes_as_long_whichever_address_is_typed(place):
    for address in ADDRESSES[:3]:
        visitor = place.visitor().get("/desk")
        began = monotonic()
        visitor.send(FORM, address=address)
        assert monotonic() - began >= EVEN_ANSWER_SECONDS


def test_as_many_may_be_asked_for_whichever_address_is_typed(place):
    place.app.config["LIMITS"]["sign-ins"] = 2
    for address in (OPERATOR, "stranger@example.org"):
        visitor = place.visitor()
        assert [visitor.get("/desk").send(FORM, address=address).status for _ in range(3)] == [200, 200, 429]
        place.clock.forward(1.1)


def test_the_link_is_good_once_for_ten_minutes_and_in_the_browser_that_shows_it(place):
    link = link_of(place)
    thief = place.visitor().get(link)
    stolen = thief.nonce()
    operator = place.visitor()
    assert operator.post(link, nonce=stolen).status == 400  # the button of another browser
    assert operator.get(link).press().title == "The desk"
    assert thief.post(link, nonce=stolen).status == 404
    assert thief.get("/desk").page.xpath("//input[@name='address']")
    assert thief.get("/desk/mail?address=anna@example.org").status == 404
    late = link_of(place)
    place.clock.forward(1 / 6)
    assert thief.get(late).status == 404


def test_a_link_of_somebody_else_opens_no_desk_though_they_asked_for_it_there(place):
    anna = asks(place, "anna@example.org")
    assert mailed(place).mails == []
    for damaged in ("/s/" + "a" * 32, link_of(place)[:-1], link_of(place)[:-1] + "!"):
        assert anna.get(damaged).status == 404
    assert not place.rows(SignedInBrowser)


def test_looking_at_the_link_changes_nothing(place):
    link = link_of(place)
    for _ in range(3):
        assert place.visitor().get(link).title == "Sign in as Operator?"
    assert not place.rows(SignedInBrowser)


def test_no_link_to_the_desk_lies_in_the_database(place):
    code = link_of(place).removeprefix("/s/")
    file = place.context.database.url.database
    assert file
    with sqlite3.connect(file) as db:
        dump = "\n".join(db.iterdump())
        blobs = [raw for (raw,) in db.execute("SELECT raw FROM operatormail")]
    assert "operatormail" in dump
    assert blobs
    assert code not in dump
    assert not any(code.encode() in raw or b"/s/" in raw for raw in blobs)
