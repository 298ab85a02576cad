"""What players write to each other on the pages: seen by whom it is for, escaped, said once."""

import pytest
from sqlmodel import select

from server.store.models import ChatMessage, Game
from server.web.game.chat_box import MESSAGES_SHOWN
from tests.breadth import first
from tests.server.desk import NOON, names_of, start_game
from tests.server.web.account.test_sign_in_pages import signed_in
from tests.server.web.site import Visitor

FORM = "//form[contains(@action, '/say')]"


@pytest.fixture
def game(place) -> str:
    return start_game(place.context, "Anna", "Ben", "Cleo")


def page(place, game, seat, **more) -> Visitor:
    return place.visitor().get(place.link(game, seat=seat, **more))


def talk(visitor) -> str:
    return " ".join(str(visitor.page.xpath("string(//*[@id='talk'])")).split())


def stored(place) -> list[tuple[int | None, int | None, str]]:
    with place.context.reading() as session:
        return [(one.seat, one.addressee, one.words) for one in session.exec(select(ChatMessage))]


def names(place, game) -> tuple[str, ...]:
    return place.history(game).position.table.names


@pytest.mark.parametrize("seat", [0, 1])
def test_words_for_everybody_are_read_by_everybody(place, game, seat):
    """On the page of the turn and on that of those who wait."""
    visitor = page(place, game, seat).send(FORM, words="Hello; draw\nmarch Troy")
    assert visitor.status == 200
    assert "You" in talk(visitor)
    for reader in range(3):
        assert "Hello; draw march Troy" in talk(page(place, game, reader))
    assert names(place, game)[seat] in talk(page(place, game, 2))
    assert [row[:2] for row in stored(place)] == [(seat, None)]


def test_words_for_one_are_read_by_him_alone_and_marked(place, game):
    page(place, game, 0).send(FORM, to="2", words="psst")
    assert f"only to {names(place, game)[2]}" in talk(page(place, game, 0))
    assert "only to you" in talk(page(place, game, 2))
    assert "psst" not in page(place, game, 1).text
    assert stored(place) == [(0, 2, "psst")]


def test_it_can_be_said_with_an_old_ticket_and_one_that_says_something(place, game):
    for more in ({"after": 0}, {"after": 1}):
        visitor = page(place, game, 1, **more)
        visitor.send(FORM, words=f"late {more}")
        assert visitor.status == 200
    assert len(stored(place)) == 2


def test_it_can_be_said_after_the_game_by_whoever_is_signed_in(place, game):
    _, action, fields = page(place, game, 1).form(FORM)
    with place.context.writing() as session:
        session.get_one(Game, game).status = "over"
        session.commit()
    bearer = page(place, game, 1)
    assert not bearer.page.xpath(FORM)
    assert bearer.post(action, **{**fields, "words": "well played"}).status == 403
    assert stored(place) == []
    player = signed_in(place, f"{names_of(place.context, game)[1].lower()}@example.org")
    assert player.get(place.link(game, seat=1)).send(FORM, words="well played").status == 200
    assert stored(place) == [(1, None, "well played")]


def test_a_button_pressed_twice_says_it_once(place, game):
    visitor = page(place, game, 0)
    _, action, fields = visitor.form(FORM)
    for _ in range(2):
        assert visitor.post(action, **{**fields, "words": "hello"}).status == 200
    assert len(stored(place)) == 1
    place.clock.forward(1)
    visitor.post(action, **{**fields, "words": "hello"})
    assert len(stored(place)) == 2


@pytest.mark.parametrize(
    ("changes", "status"),
    first(
        5,
        [
            ({"words": ""}, 422),
            ({"words": " \n\t\u200b"}, 422),
            ({"words": "x" * 601}, 422),
            ({"words": "x" * 10_000}, 422),
            ({"words": "hello", "to": "0"}, 422),
            ({"words": "hello", "to": "7"}, 422),
            ({"words": "hello", "to": "two"}, 422),
            ({"words": "hello", "nonce": ""}, 400),
            ({"words": "hello", "nonce": "6530.AAAA"}, 400),
        ],
    ),
)
def test_what_cannot_be_said_is_told_beside_the_box_and_stays_in_it(place, game, changes, status):
    visitor = page(place, game, 0).send(FORM, **changes)
    assert visitor.status == status
    assert stored(place) == []
    assert visitor.page.xpath("string(//*[@id='talk-wrong'])")
    assert changes["words"].strip()[:600] in visitor.page.xpath("string(//*[@id='talk-words'])")


@pytest.mark.parametrize(
    "words",
    first(
        4,
        [
            "<script>alert(1)</script>",
            "draw",
            "</p></li></ol><form action=//evil.example>",
            "{{ 7*7 }} {% raw %} %(name)s",
            "http://evil.example/ javascript:alert(1)",
            "a\u202egnol\u2066b",
            "&lt;b&gt; & \" '",
            "e\u0301 👍 مرحبا",
            "end\r\n.\r\nmarch Troy\0",
        ],
    ),
)
def test_hostile_words_are_words(place, game, words):
    acts = place.stored()[0]
    visitor = page(place, game, 0).send(FORM, words=words)
    assert visitor.status == 200
    assert place.stored()[0] == acts
    for seat in range(3):
        shown = page(place, game, seat)
        assert shown.status == 200
        assert not shown.page.xpath("//*[@id='talk']//script | //ol[@class='said']//a | //ol//form")
        assert "\u202e" not in shown.text
        assert "49" not in talk(shown)


def test_600_characters_are_not_too_many(place, game):
    assert page(place, game, 0).send(FORM, words="ж" * 600).status == 200
    assert stored(place) == [(0, None, "ж" * 600)]


def test_the_last_50_are_shown_the_newest_last(place, game):
    with place.context.writing() as session:
        for number in range(MESSAGES_SHOWN + 5):
            session.add(ChatMessage(game=game, at=NOON, seat=1, words=f"number {number}."))
        session.commit()
    shown = talk(page(place, game, 0))
    assert "number 4." not in shown
    assert shown.index("number 5.") < shown.index("number 53.") < shown.index(f"number {MESSAGES_SHOWN + 4}.")
    assert "42 earlier messages" in shown


def test_against_the_house_alone_there_is_nobody_to_write_to(place):
    game = start_game(place.context, "Anna", "house", "house")
    seat = names(place, game).index("Anna")
    assert not page(place, game, seat).page.xpath(FORM)


def test_before_the_game_nothing_is_said(place):
    from server.store.game_terms import SeatRequest
    from tests.server.desk import open_game

    requests = [SeatRequest("Anna", "anna@example.org"), SeatRequest("Ben", "ben@example.org")]
    game = open_game(place.context, "Friday", requests, NOON)
    token = place.visitor().get(f"/t/{place.token(game, seat=0, after=0)}")
    assert token.status == 200
    answer = place.visitor().post(f"/t/{place.token(game, seat=0, after=0)}/say", words="hello")
    assert answer.status == 409
    assert stored(place) == []
