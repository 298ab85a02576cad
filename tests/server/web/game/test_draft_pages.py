"""A turn is begun with the dock: what is drafted, taken back and played, and that nobody else sees it."""

from __future__ import annotations

import pytest
from sqlmodel import select

from engine.position import Phase
from server.store.models import Draft
from server.web.game import draft_pages
from tests.server.beginnings import begin_once
from tests.server.desk import Collector, start_game
from tests.server.web.game.test_turn_pages import advance, say, table
from tests.server.web.site import Visitor


@pytest.fixture
def game(place) -> str:
    """A game of three in which guards stand, at the beginning of a turn."""

    def advanced() -> str:
        game = start_game(place.context, "Anna", "Ben", "Cleo")
        advance(place, game, lambda now: now.turn >= 9 and now.phase is Phase.CARD)
        return game

    return begin_once(place.context, Collector(), advanced)


def drafted(place) -> list[str]:
    with place.context.reading() as session:
        return list(session.exec(select(Draft.words)))


def asked(visitor: Visitor) -> str:
    return " ".join(visitor.page.xpath("string(//*[@class='ask'])").split())


def marched(place, game: str, kind: str = "choose") -> Visitor:
    """A browser in which a card was chosen and a march drafted."""
    visitor = place.visitor().get(place.link(game))
    visitor.tap(next(value for name, value in visitor.offers() if name == "card" and value.startswith(kind)))
    return visitor.tap("do")


def test_a_march_is_drafted_and_nothing_of_it_is_played(place, game):
    before = place.stored()
    visitor = marched(place, game)
    assert place.stored() == before
    [words] = drafted(place)
    assert words.startswith("choose ")
    assert "march" in words
    assert ("play", "draw") in visitor.offers()
    assert visitor.page.xpath("//*[@class='drafted']")


def test_it_is_there_in_another_browser_and_for_nobody_else(place, game):
    offers = marched(place, game).offers()
    assert place.visitor().get(place.link(game)).offers() == offers
    mover = table(place, game).seat
    for seat in range(3):
        if seat != mover:
            other = place.visitor().get(place.link(game, seat=seat))
            assert not other.offers()
            assert not other.page.xpath("//*[@class='drafted']")


def test_others_get_the_same_bytes_whether_a_turn_is_begun_or_not(place, game):
    seat = (table(place, game).seat + 1) % 3
    link = place.link(game, seat=seat)
    client = place.visitor().client
    pages = (link, f"{link}/pulse", f"{link}/history", f"{link}/play")
    before = [client.get(page) for page in pages]
    marched(place, game)
    after = [client.get(page) for page in pages]
    nonce = b'name="nonce"'
    for one, other in zip(before, after, strict=True):
        assert one.status_code == other.status_code
        assert one.headers.get("ETag") == other.headers.get("ETag")
        lines = [[line for line in it.data.splitlines() if nonce not in line] for it in (one, other)]
        assert lines[0] == lines[1]


def test_what_was_done_last_is_undone_first(place, game):
    visitor = marched(place, game)
    [begun] = drafted(place)
    step = next(value for name, value in visitor.offers() if name == "do" and value.startswith("take"))
    visitor.tap(step)
    assert drafted(place) == [f"{begun}; {step}"]
    visitor.tap("undo")
    assert drafted(place) == [begun]
    visitor.tap("undo")
    assert drafted(place) == []
    assert visitor.page.xpath("//button[@aria-pressed='true']/@value") == [begun.split("; ")[0]]


def test_all_is_undone_at_once(place, game):
    visitor = marched(place, game)
    visitor.tap("over")
    assert drafted(place) == []
    assert not visitor.page.xpath("//*[@class='drafted']")


def test_another_way_takes_the_place_of_the_one_that_was_drafted(place, game):
    place.visitor()
    for kind in ("choose", "play"):
        visitor = marched(place, game, kind)
        ways = visitor.page.xpath("//*[@class='ways']//button/@value")
        if ways:
            visitor.tap(ways[-1])
            assert drafted(place) == [ways[-1]]
        visitor.tap("over")


def test_what_reveals_a_card_plays_all_that_stands_before_it(place, game):
    visitor = marched(place, game)
    before = place.stored()[0]
    visitor.tap("draw")
    assert visitor.title == "Your turn goes on"
    assert place.stored()[0] == before + 1
    assert drafted(place) == []
    assert "You drew a" in asked(visitor)
    assert not visitor.page.xpath("//*[@class='drafted']")


def test_the_card_after_a_march_can_be_turned_up_alone(place, game):
    visitor = marched(place, game)
    assert visitor.page.xpath("//button[@name='play'][@value='']")
    visitor.tap("")
    assert table(place, game).phase is Phase.ACTIONS
    assert table(place, game).actions_left == 2


def last_step(visitor: Visitor) -> str:
    """What the first button plays that draws nothing and does something."""
    played = [value for name, value in visitor.offers() if name == "play"]
    return next(value for value in played if value not in ("", "draw", "end"))


def test_a_complete_turn_asks_for_its_end_alone(place, game):
    visitor = marched(place, game)
    visitor.tap(next(value for name, value in visitor.offers() if name == "do" and value.startswith("take")))
    _, action, fields = visitor.form("//form[@id='draft']")
    visitor.post(action, **{**fields, "do": last_step(visitor)})  # as a whole turn that is chosen does it
    assert "Your turn is complete" in asked(visitor)
    turn = table(place, game).turn
    assert [one for one in visitor.offers() if one[0] == "play"][-1] == ("play", "end")
    visitor.tap("end")
    assert table(place, game).turn == turn + 1


def test_the_last_action_says_that_the_turn_ends_with_it_and_plays_it(place, game):
    visitor = marched(place, game)
    assert "and end" not in visitor.text
    visitor.tap(next(value for name, value in visitor.offers() if name == "do" and value.startswith("take")))
    assert "Your last action: it ends the turn." in asked(visitor)
    assert not [name for name, _ in visitor.offers() if name == "do"]
    verbs = visitor.page.xpath("//button[contains(@class, 'verb')][not(@disabled)][@name]")
    assert all("for good" in one.text_content() for one in verbs)
    turn, acts = table(place, game).turn, place.stored()[0]
    visitor.tap(last_step(visitor))
    assert (table(place, game).turn, place.stored()[0]) == (turn + 1, acts + 1)
    assert visitor.title.startswith("It is ")


def test_of_two_windows_the_newer_counts_and_says_so(place, game):
    old = marched(place, game)
    new = place.visitor().get(place.link(game))
    new.tap("over")
    old.tap(next(value for name, value in old.offers() if name == "do" and value.startswith("take")))
    assert "Another window had this turn otherwise" in old.text
    [words] = drafted(place)
    assert words.split("; ")[-1].startswith("take")


def test_a_draft_of_a_turn_that_went_on_is_gone_and_that_is_said(place, game):
    visitor = marched(place, game)
    say(place, game, "; ".join(drafted(place)))
    visitor.tap("draw")
    assert visitor.status == 409
    assert "what you had begun on that page is gone" in visitor.text
    assert table(place, game).actions_left == 2


def test_words_that_are_typed_go_on_from_what_is_drafted(place, game):
    marched(place, game)
    visitor = place.visitor().get(place.link(game)).send("//form[.//textarea]", say="draw")
    assert visitor.title == "Shall this be done?"
    visitor.press()
    assert table(place, game).actions_left == 1


def test_what_cannot_be_done_changes_nothing_and_says_why(place, game):
    visitor = marched(place, game)
    before = drafted(place)
    _, action, fields = visitor.form("//form[@id='draft']")
    for wrong in ("dance", "choose lyre", "march Larissa", ";" * 50, "draw; " * 30):
        visitor.post(action, **{**fields, "do": wrong})
        assert visitor.status in (200, 409)
        assert drafted(place) == before
        assert visitor.page.xpath("//*[@class='dock']")


@pytest.mark.parametrize("nonce", ["", "x", "6543210.AAAA"])
def test_a_step_without_a_good_token_is_none(place, game, nonce):
    visitor = marched(place, game)
    _, action, fields = visitor.form("//form[@id='draft']")
    before = place.stored(), drafted(place)
    for step in ("play", "undo"):
        visitor.post(action, **{**fields, "nonce": nonce, step: "end"})
        assert (visitor.status, (place.stored(), drafted(place))) == (400, before)


def test_whoever_is_not_to_move_drafts_nothing(place, game):
    seat = (table(place, game).seat + 1) % 3
    visitor = marched(place, game)
    other = visitor.form("//form[@id='draft']")[2]
    visitor.tap("over")
    visitor = place.visitor().post(f"{place.link(game, seat=seat)}/draft", **{**other, "do": "choose lyre"})
    assert visitor.status == 400
    assert drafted(place) == []


def test_looks_change_nothing(place, game):
    marched(place, game)
    before = (place.stored(), drafted(place))
    visitor = place.visitor().get(place.link(game))
    for link in {link for _, link in visitor.links() if link.startswith("/t/")}:
        visitor.client.get(link)
    part = str(visitor.page.xpath("string(//*[@id='play']/@data-part)"))
    for query in ("", "?card=play+lyre", "?province=AB3", "?part=1&do=draw"):
        assert visitor.client.get(part + query).status_code == 200
    assert (place.stored(), drafted(place)) == before


def test_a_script_gets_the_board_with_the_dock_alone(place, game):
    visitor = place.visitor().get(place.link(game))
    visitor.tap(next(value for name, value in visitor.offers() if name == "card"))
    _, action, fields = visitor.form("//form[@id='march']")
    words = visitor.page.xpath("string(//button[@data-corner]/@value)")
    answer = visitor.client.post(f"{action}?part=1", data={**fields, "do": words})
    assert answer.status_code == 200
    assert answer.data.lstrip().startswith(b'<section id="play"')
    assert len(answer.data) < 60_000


def test_nobody_writes_drafts_without_end(place, game, monkeypatch):
    monkeypatch.setattr(draft_pages, "STEPS_PER_HOUR", 3)
    visitor = marched(place, game)
    visitor.tap("over").tap("do")
    assert visitor.status == 200
    kept = drafted(place)
    visitor.tap("over")
    assert (visitor.status, drafted(place)) == (429, kept)
    assert "Please wait for a while" in asked(visitor)
