"""A game is given up by a button on a page of its own, and only by who is signed in."""

from __future__ import annotations

from sqlmodel import select

from emails.letters.kinds import LetterKind
from server.store.models import OutgoingLetter, Resignation
from tests.server.desk import seat_of
from tests.server.web.played import played
from tests.server.web.site import Site, Visitor


def seat(place: Site, game: str, name: str = "Anna") -> int:
    return seat_of(place.context, game, name)


def page(place: Site, game: str, page: str = "resign") -> str:
    """A page of Anna's."""
    return f"{place.link(game, seat=seat(place, game))}/{page}"


def resigned(place: Site) -> list[int]:
    with place.context.reading() as session:
        return list(session.exec(select(Resignation.seat)))


def menu(visitor: Visitor) -> list[str]:
    return [words for words, _ in visitor.links("//nav[@class='about']//a")]


def test_who_is_signed_in_resigns_by_two_clicks(place: Site, game: str) -> None:
    anna = seat(place, game)
    visitor = place.signed_in(game, anna)
    visitor.get(place.link(game, seat=anna)).click("Resign")
    assert visitor.title == "Do you want to resign?"
    assert resigned(place) == []
    visitor.press()
    assert (visitor.status, visitor.title) == (200, "You have resigned")
    assert resigned(place) == [anna]
    visitor.click("To the game")
    assert "You have resigned from this game" in visitor.text
    assert "Resign" not in menu(visitor)
    assert not visitor.offers()
    assert visitor.get(page(place, game)).title.endswith("'s turn")


def test_a_link_of_a_letter_alone_gives_nothing_up_and_mails_one_to_sign_in(place: Site, game: str) -> None:
    visitor = place.visitor().get(page(place, game)).press()
    assert (visitor.status, resigned(place)) == (200, [])
    assert "A link is on its way to a…@example.org" in visitor.text
    with place.context.reading() as session:
        letters = session.exec(select(OutgoingLetter).where(OutgoingLetter.kind == LetterKind.SIGNIN)).all()
    assert [one.recipient for one in letters] == ["anna@example.org"]


def test_who_is_signed_in_resigns_no_seat_of_others(place: Site, game: str) -> None:
    ben = place.signed_in(game, seat(place, game, "Ben"))
    ben.get(page(place, game)).press()
    assert resigned(place) == []


def test_a_button_of_another_page_does_nothing(place: Site, game: str) -> None:
    visitor = place.signed_in(game, seat(place, game))
    visitor.get(page(place, game)).send("//main//form", nonce="x")
    assert (visitor.status, resigned(place)) == (400, [])


def test_a_game_that_is_over_is_not_given_up(place: Site) -> None:
    game = played(place, "Anna", "Ben")
    visitor = place.signed_in(game, seat(place, game))
    assert "Resign" not in menu(visitor.get(place.link(game, seat=seat(place, game))))
    assert "won with" in visitor.get(page(place, game)).title


def test_the_settings_lead_there(place: Site, game: str) -> None:
    visitor = place.visitor().get(page(place, game, "settings")).click("Resign")
    assert visitor.title == "Do you want to resign?"
