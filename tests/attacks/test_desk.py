"""The operator's pages: to everybody else they are not there, and they show nobody's hand."""

from datetime import timedelta

import pytest
from sqlmodel import select

from engine.position import view
from server.retention import MOST_AT_ONCE
from server.store.models import LocalMail, OutgoingLetter, Player
from server.store.states import LetterState
from server.web.desk.desk_pages import CHECKING, MOST_PIECES, SURROUNDINGS
from tests.server.admin.test_setup_check import World
from tests.server.desk import NOON
from tests.server.web.site import Site, Visitor, site

PAGES = ("/desk", "/desk?word=Anna", "/desk/mail?address=anna@example.org", "/desk/game/{game}")
SENT = (
    ("/desk/game/{game}", {"wish": "pause"}),
    ("/desk/game/{game}", {"wish": "replace", "seat": "2", "address": "anna@example.org"}),
    ("/desk/mail", {"known": "ben@example.org", "new": "eve@example.net"}),
    ("/desk/repair", {"wish": "resend", "number": "1"}),
    ("/desk/care", {"wish": "prune"}),
    ("/desk/care", {"wish": "check"}),
)
PASSING_ON = "//form[.//button[@value='replace']]"


@pytest.fixture
def place(tmp_path) -> Site:
    return site(tmp_path, ALEXANDROS_OPERATOR="anna@example.org")


@pytest.fixture
def game(place) -> str:
    begun = place.context.begin_time(place.start_game("Anna", "Ben"))
    place.context.confirm("Anna", "Ben")  # as whoever has signed in by a mail
    return begun


def signed_in(place: Site, game: str, name: str) -> Visitor:
    return place.signed_in(game, place.seat(game, name))


def is_shut(place: Site, visitor: Visitor, game: str) -> bool:
    """Whether the desk only asks for an address, none of its other pages is there, no button works."""
    before = place.stored()
    nowhere = visitor.get("/nowhere-at-all").text
    asking = visitor.get("/signin?to=desk").text
    read = [(one.status, one.text) for one in (visitor.get(page.format(game=game)) for page in PAGES)]
    shut = read == [(200, asking)] * 2 + [(404, nowhere)] * (len(PAGES) - 2)
    sent = [visitor.post(page.format(game=game), **fields).status for page, fields in SENT]
    return shut and sent == [404] * len(SENT) and place.stored() == before


def test_the_operator_finds_reads_and_changes_what_the_commands_do(place, game):
    desk = signed_in(place, game, "Anna").get("/desk?word=Friday")
    assert desk.status == 200
    assert desk.title.startswith("The desk")
    assert game in desk.text
    assert "Ben <ben@example.org>" in desk.get("/desk?word=ben@").text
    assert f"of {game}" in desk.get("/desk/mail?address=ben@example.org").text
    assert "No player has this address" in desk.get("/desk/mail?address=cleo@example.org").text
    before = place.row(game).deadline
    desk.get(f"/desk/game/{game}")
    paused = desk.post(f"/desk/game/{game}", wish="pause", nonce=desk.nonce())
    assert "is paused: no time runs, and its players are notified" in paused.text
    assert place.row(game).deadline is None
    assert "is paused already" in desk.post(f"/desk/game/{game}", wish="pause", nonce=desk.nonce()).text
    desk.post(f"/desk/game/{game}", wish="resume", nonce=desk.nonce())
    assert place.row(game).deadline == before
    assert "has until" in desk.post(f"/desk/game/{game}", wish="extend", hours="24", nonce=desk.nonce()).text
    assert desk.get("/desk/game/aaaaaaaa").status == 404


def test_an_address_leads_to_its_mail_though_nobody_plays_with_it(place, game):
    """Who is asked for a seat that they never took, or only writes, has letters and mails as well."""
    desk = signed_in(place, game, "Anna")
    assert _mail_links(desk.get("/desk?word=cleo@example.org")) == ["/desk/mail?address=cleo@example.org"]
    assert _mail_links(desk.get("/desk?word=Cleo")) == []


def _mail_links(desk: Visitor) -> list[str]:
    return [link for _, link in desk.links() if link.startswith("/desk/mail?")]


def test_a_letter_that_failed_is_listed_and_sent_again(place, game):
    with place.changing() as session:
        letter = session.exec(select(OutgoingLetter)).first()
        letter.state, letter.why, number = LetterState.FAILED, "550 <b>no</b>", str(letter.id)
    desk = signed_in(place, game, "Anna").get("/desk")
    assert "550 <b>no</b>" in desk.text  # as words, and no tags
    assert "is sent again" in desk.post("/desk/repair", wish="resend", number=number, nonce=desk.nonce()).text
    for wrong in ("0", "", "-1", "9" * 30, "1.5", "x"):
        assert desk.post("/desk/repair", wish="retry", number=wrong, nonce=desk.nonce()).status == 409


def test_the_setup_is_looked_at(place, game):
    place.app.config[SURROUNDINGS] = lambda: World(relay_fault="no answer", mx=[])
    desk = signed_in(place, game, "Anna").get("/desk")
    told = desk.post("/desk/care", wish="check", nonce=desk.nonce()).text
    assert "wrong MX: " in told
    assert "things are ok." in told
    place.app.config[SURROUNDINGS] = World
    assert "wrong MX: " not in desk.post("/desk/care", wish="check", nonce=desk.nonce()).text
    with CHECKING:
        assert "is being looked at" in desk.post("/desk/care", wish="check", nonce=desk.nonce()).text
    assert desk.post("/desk/care", wish="check", nonce="x").status == 400
    assert desk.post("/desk/care", wish="else", nonce=desk.nonce()).status == 400


def test_the_key_of_letters_is_looked_for_by_no_name_that_is_sent(place, game):
    place.app.config[SURROUNDINGS] = World
    desk = signed_in(place, game, "Anna").get("/desk")
    told = desk.post("/desk/care", wish="check", selector="s1", nonce=desk.nonce()).text
    assert "? DKIM: not checked" in told
    assert "ALEXANDROS_MAIL_SELECTOR" in told


def test_what_has_been_kept_long_enough_is_deleted(place, game):
    desk = signed_in(place, game, "Anna").get("/desk")
    assert "Nothing has expired." in desk.post("/desk/care", wish="prune", nonce=desk.nonce()).text
    with place.changing() as session:
        for number in range(MOST_PIECES * MOST_AT_ONCE + 1):
            one = LocalMail(at=NOON - timedelta(days=4000), recipient="", message_id=f"<{number}@x>", raw=b"")
            session.add(one)
    told = desk.post("/desk/care", wish="prune", nonce=desk.nonce()).text
    assert f"Find {MOST_PIECES * MOST_AT_ONCE} kept There is more" in told
    told = desk.post("/desk/care", wish="prune", nonce=desk.nonce()).text
    assert "Find 1 kept" in told
    assert "There is more" not in told


def test_somebody_plays_on_for_a_seat(place, game):
    place.start_game("Cleo", "Dirk")
    place.context.confirm("Cleo")
    desk = signed_in(place, game, "Anna").get(f"/desk/game/{game}")
    seat = str(place.seat(game, "Ben") + 1)
    for wrong, address in (("9", "cleo@example.org"), ("", "cleo@example.org"), (seat, "dirk@example.org")):
        sent = {"wish": "replace", "seat": wrong, "address": address, "nonce": desk.nonce()}
        assert desk.post(f"/desk/game/{game}", **sent).status == 409
    desk.get(f"/desk/game/{game}").send(PASSING_ON, seat=seat, address="Cleo@example.org", wish="replace")
    assert "Cleo <cleo@example.org> plays on for Ben" in desk.text
    assert place.seat(game, "Cleo") == int(seat) - 1
    shown = desk.get(f"/desk/game/{game}").text.lower()
    assert not any(card in shown for card in hand_of(place, game, "Cleo"))


def test_a_player_moves_to_another_address_once_it_has_said_yes(place, game):
    desk = signed_in(place, game, "Anna").get("/desk/mail?address=ben@example.org")
    desk.send("//form[@action='/desk/mail'][@method='post']", new="ben@example.net")
    told = "ben@example.net gets a confirmation request; until it confirms, letters go to ben@example.org"
    assert told in desk.text
    desk.get("/desk/mail?address=ben@example.org")
    desk.send("//form[@action='/desk/mail'][@method='post']", new="anna@example.org")
    assert desk.status == 409
    assert "the address of another player here" in desk.text
    assert place.rows(Player.address, Player.name == "Ben") == ["ben@example.org"]
    assert "New address" not in desk.get("/desk/mail?address=nobody@example.net").text


def hand_of(place: Site, game: str, name: str) -> set[str]:
    return {card.name.lower() for card in view(place.position(game), place.seat(game, name)).hand}


def test_to_anybody_else_the_desk_is_not_there(place, game):
    assert is_shut(place, place.visitor(), game)
    assert is_shut(place, signed_in(place, game, "Ben"), game)
    assert not is_shut(place, signed_in(place, game, "Anna"), game)  # the control


def test_without_an_operator_there_is_no_desk(tmp_path):
    place = site(tmp_path)
    game = place.start_game("Anna", "Ben")
    assert is_shut(place, signed_in(place, game, "Anna"), game)


def test_an_address_that_is_written_alike_opens_nothing(place, game):
    ben = signed_in(place, game, "Ben")
    with place.changing() as session:
        session.exec(select(Player).where(Player.name == "Ben")).one().address = "anna+tag@example.org"
    assert is_shut(place, ben, game)


def test_who_has_moved_from_the_address_is_the_operator_no_more(place, game):
    anna = signed_in(place, game, "Anna")
    with place.changing() as session:
        session.exec(select(Player).where(Player.name == "Anna")).one().address = "anna@example.net"
    assert is_shut(place, anna, game)


def test_a_browser_that_is_left_somewhere_shows_nothing_after_an_hour(place, game):
    desk = signed_in(place, game, "Anna").get("/desk")
    nonce, before = desk.nonce(), place.stored()
    place.clock.forward(1.1)
    assert "ben@example.org" not in desk.get("/desk?word=Ben").text
    assert "ben@example.org" not in desk.get(f"/desk/game/{game}").text
    assert "is paused" not in desk.post(f"/desk/game/{game}", wish="pause", nonce=nonce).text
    assert place.stored() == before


def test_a_button_of_another_page_does_nothing(place, game):
    desk = signed_in(place, game, "Anna").get("/desk")
    before = place.stored()
    for nonce in ("", "x", signed_in(place, game, "Ben").get("/me/browsers").nonce()):
        for page, fields in SENT:
            assert desk.post(page.format(game=game), nonce=nonce, **fields).status == 400
    assert desk.post(f"/desk/game/{game}", wish="rewrite", nonce=desk.get("/desk").nonce()).status == 400
    assert place.stored() == before


def test_no_hand_is_shown_to_the_operator(place, game):
    desk = signed_in(place, game, "Anna")
    hand = hand_of(place, game, "Ben")
    shown = " ".join(desk.get(page.format(game=game)).text for page in PAGES).lower()
    assert hand
    assert not any(card in shown for card in hand)
