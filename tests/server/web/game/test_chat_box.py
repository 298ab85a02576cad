"""What players write to each other on the pages: seen by whom it is for, escaped, said once."""

import pytest

from server.store.models import ChatMessage
from server.web.game.draft_pages import MESSAGES_SHOWN
from tests.breadth import first
from tests.server.desk import ANNA, BEN, NOON

FORM = "//form[contains(@action, '/say')]"


@pytest.fixture
def game(place) -> str:
    return place.start_game("Anna", "Ben", "Cleo")


def talk(visitor) -> str:
    return " ".join(str(visitor.page.xpath("string(//*[@id='talk'])")).split())


def stored(place) -> list[tuple[int | None, int | None, str]]:
    return [(one.seat, one.addressee, one.words) for one in place.rows(ChatMessage)]


@pytest.mark.parametrize("seat", [0, 1])
def test_words_for_everybody_are_read_by_everybody(place, game, seat):
    """On the page of the turn and on that of those who wait."""
    visitor = place.look(game, seat=seat).send(FORM, words="Hello; draw\nmarch Troy")
    assert visitor.status == 200
    assert "You" in talk(visitor)
    for reader in range(3):
        assert "Hello; draw march Troy" in talk(place.look(game, seat=reader))
    assert place.names(game)[seat] in talk(place.look(game, seat=2))
    assert [row[:2] for row in stored(place)] == [(seat, None)]


def test_words_for_one_are_read_by_him_alone_and_marked(place, game):
    place.look(game, seat=0).send(FORM, to="2", words="psst")
    assert f"only to {place.names(game)[2]}" in talk(place.look(game, seat=0))
    assert "only to you" in talk(place.look(game, seat=2))
    assert "psst" not in place.look(game, seat=1).text
    assert stored(place) == [(0, 2, "psst")]


def test_it_can_be_said_with_an_old_ticket_and_one_that_says_something(place, game):
    for more in ({"after": 0}, {"after": 1}):
        visitor = place.look(game, seat=1, **more)
        visitor.send(FORM, words=f"late {more}")
        assert visitor.status == 200
    assert len(stored(place)) == 2


def test_it_can_be_said_after_the_game_by_whoever_is_signed_in(place, game):
    _, action, fields = place.look(game, seat=1).form(FORM)
    place.context.change_game(game, status="over")
    bearer = place.look(game, seat=1)
    assert not bearer.page.xpath(FORM)
    assert bearer.post(action, **{**fields, "words": "well played"}).status == 403
    assert stored(place) == []
    player = place.signed_in(game, 1)
    assert player.get(place.link(game, seat=1)).send(FORM, words="well played").status == 200
    assert stored(place) == [(1, None, "well played")]


def test_a_button_pressed_twice_says_it_once(place, game):
    visitor = place.look(game, seat=0)
    _, action, fields = visitor.form(FORM)
    for _ in range(2):
        assert visitor.post(action, **{**fields, "words": "hello"}).status == 200
    assert len(stored(place)) == 1
    place.clock.forward(1)
    visitor.post(action, **{**fields, "words": "hello"})
    assert len(stored(place)) == 2


UNSAID = [
    ({"words": ""}, 422),
    ({"words": " \n\t\u200b"}, 422),
    ({"words": "x" * 601}, 422),
    ({"words": "x" * 10_000}, 422),
    ({"words": "hello", "to": "0"}, 422),
    ({"words": "hello", "to": "7"}, 422),
    ({"words": "hello", "to": "two"}, 422),
    ({"words": "hello", "nonce": ""}, 400),
    ({"words": "hello", "nonce": "6530.AAAA"}, 400),
]


@pytest.mark.parametrize(("changes", "status"), first(5, UNSAID))
def test_what_cannot_be_said_is_told_beside_the_box_and_stays_in_it(place, game, changes, status):
    visitor = place.look(game, seat=0).send(FORM, **changes)
    assert visitor.status == status
    assert stored(place) == []
    assert visitor.page.xpath("string(//*[@id='talk-wrong'])")
    assert changes["words"].strip()[:600] in visitor.page.xpath("string(//*[@id='talk-words'])")


HOSTILE = [
    "<script>alert(1)</script>",
    "draw",
    "</p></li></ol><form action=//evil.example>",
    "{{ 7*7 }} {% raw %} %(name)s",
    "http://evil.example/ javascript:alert(1)",
    "a\u202egnol\u2066b",
    "&lt;b&gt; & \" '",
    "e\u0301 👍 مرحبا",
    "end\r\n.\r\nmarch Troy\0",
]


@pytest.mark.parametrize("words", first(4, HOSTILE))
def test_hostile_words_are_words(place, game, words):
    acts = place.stored()[0]
    assert place.look(game, seat=0).send(FORM, words=words).status == 200
    assert place.stored()[0] == acts
    for seat in range(3):
        shown = place.look(game, seat=seat)
        assert shown.status == 200
        assert not shown.page.xpath("//*[@id='talk']//script | //ol[@class='said']//a | //ol//form")
        assert "\u202e" not in shown.text
        assert "49" not in talk(shown)


def test_600_characters_are_not_too_many(place, game):
    assert place.look(game, seat=0).send(FORM, words="ж" * 600).status == 200
    assert stored(place) == [(0, None, "ж" * 600)]


def test_the_last_50_are_shown_the_newest_last(place, game):
    with place.changing() as session:
        for number in range(MESSAGES_SHOWN + 5):
            session.add(ChatMessage(game=game, at=NOON, seat=1, words=f"number {number}."))
    shown = talk(place.look(game, seat=0))
    assert "number 4." not in shown
    assert shown.index("number 5.") < shown.index("number 53.") < shown.index(f"number {MESSAGES_SHOWN + 4}.")
    assert "42 earlier messages" in shown


def test_against_the_house_alone_there_is_nobody_to_write_to(place):
    game = place.start_game("Anna", "house", "house")
    assert not place.look(game, seat=place.names(game).index("Anna")).page.xpath(FORM)


def test_before_the_game_nothing_is_said(place):
    game = place.open_game("Friday", [ANNA, BEN])
    assert place.look(game, seat=0, after=0).status == 200
    assert place.visitor().post(place.link(game, seat=0, after=0) + "/say", words="hello").status == 409
    assert stored(place) == []
