"""A turn is begun with the dock, on the board or by its buttons: drafted, taken back and played."""

from __future__ import annotations

from itertools import islice

import pytest
from sqlmodel import select

from emails.picture.basemap import basemap_of
from engine import march_rules
from engine.cards import Symbol
from engine.notation.orders import write
from engine.position import Phase, view
from engine.provinces import provinces
from engine.rules import card_choices
from server.store.models import Draft
from server.web.game import draft_pages
from server.web.game.turn_state import MOST_WAYS, MarchDecision
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


def asked(visitor) -> str:
    return " ".join(visitor.page.xpath("string(//*[@class='ask'])").split())


def marched(place, game, kind: str = "choose") -> Visitor:
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


def last_step(visitor) -> str:
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


def test_whoever_is_not_to_move_drafts_nothing(place, game):
    seat = (table(place, game).seat + 1) % 3
    visitor = marched(place, game)
    other = visitor.form("//form[@id='draft']")[2]
    visitor.tap("over")
    visitor = place.visitor().post(f"{place.link(game, seat=seat)}/draft", **{**other, "do": "choose lyre"})
    assert visitor.status == 400
    assert drafted(place) == []


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


def links(visitor, where: str) -> list:
    return visitor.page.xpath(where)


def spots(visitor, drawing: str = "board") -> list:
    return links(visitor, f"//*[@class='{drawing}']//*[@class='spot']")


def test_each_province_that_can_be_held_is_one_shape_and_a_link_to_what_is_said_of_it(place, game):
    visitor = place.visitor().get(place.link(game))
    known = view(place.history(game).position, table(place, game).seat)
    lands = {land.get("data-province"): land for land in links(visitor, "//*[@class='land'][@data-province]")}
    parted = {str(one.first): one for one in provinces(known.table) if one.places}
    assert lands.keys() == parted.keys()
    assert len(parted) > 2
    for name, land in lands.items():
        assert land.get("href").endswith(f"province={name}")
        told = place.visitor().get(land.get("href"))
        assert links(told, f"//*[@id='province-{name}']")
        assert len(land) == 1
        said = land.get("aria-label")
        assert str(parted[name].value) in said
        holder = parted[name].holder
        assert said.startswith(
            "Free" if holder is None else "Your" if holder == known.me else known.table.names[holder]
        )


def test_the_shape_of_a_province_encloses_its_spaces_and_no_others(place, game):
    visitor = place.visitor().get(place.link(game))
    now = table(place, game)
    chart = basemap_of(now.board)
    for province in provinces(now):
        if province.places:
            path = links(visitor, f"//*[@data-province='{province.first}'][@class='land']/*/@d")[0]
            inside = {space for space in now.board.symbols if within(chart.centre_of(space), path)}
            assert inside == set(province.spaces)


def within(spot: tuple[float, float], path: str) -> bool:
    """Whether a place lies within a path of straight lines, by the even-odd rule."""
    x, y = spot
    inside = False
    for shape in path.split("z")[:-1]:
        bends = [tuple(map(float, bend.split())) for bend in shape[1:].split("L")]
        for (ax, ay), (bx, by) in zip(bends, [*bends[1:], bends[0]], strict=True):
            if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
                inside = not inside
    return inside


# --- step by step, without script -----------------------------------------------------------------------


def test_cards_are_buttons_that_only_look(place, game):
    visitor, before = place.visitor().get(place.link(game)), place.stored()
    known = view(place.history(game).position, table(place, game).seat)
    offered = [value for name, value in visitor.offers() if name == "card"]
    assert offered == [write(card, known.table.board) for card in card_choices(known)]
    for card in offered:
        step = place.visitor().get(place.link(game)).tap(card)
        assert links(step, "//button[@aria-pressed='true']/@value") == [card]
        verb, symbol = card.split()
        allowed = march_rules.targets(known.table, Symbol(symbol), from_display=verb == "choose")
        assert set(links(step, "//*[@class='targets']/*/@data-space")) <= set(map(str, allowed))
    assert place.stored() == before


def test_only_the_corners_of_the_card_have_discs_and_they_count_from_one(place, game):
    visitor = place.visitor().get(place.link(game))
    assert len(links(visitor, "//button[@aria-pressed='true']")) == 1  # one is looked at from the start
    for card in [value for name, value in visitor.offers() if name == "card"]:
        step = place.visitor().get(place.link(game)).tap(card)
        corners = links(step, "//button[@data-corner]")
        assert list(labels(step).values()) == [str(number) for number in range(1, len(corners) + 1)]
        assert list(labels(step)) == [one.get("data-corner") for one in corners]
        assert {one.get("data-point") for one in spots(step)} == set(labels(step))
        assert len(spots(step, "closeup")) == len(corners)
        for one in corners:
            assert one.get("value").startswith(f"{card}; march ")
            assert one.get("value").endswith(f"-{one.get('data-corner')}")


def labels(visitor) -> dict[str, str]:
    """The discs on the board, with what stands on each."""
    drawn = links(visitor, "//*[@class='board']//*[@data-label]")
    return {one.get("data-label"): one.xpath("string(*[local-name()='text'])") for one in drawn}


def test_every_way_to_a_corner_is_reached_by_taking_another_way(place, game):
    advance(place, game, lambda now: now.turn >= 20 and now.phase is Phase.CARD)
    known = view(place.history(game).position, table(place, game).seat)
    tried = 0
    for card in card_choices(known):
        decision = MarchDecision(known, card)
        for corner in decision.goals:
            all_ways = set(islice(march_rules.ShortestPaths(known.table, corner), 400))
            found, ahead = set(), [decision.find_ways(corner)[0].path]
            while ahead:
                path = ahead.pop()
                if path not in found:
                    found.add(path)
                    ahead += [way.path for way in decision.list_ways(path)]
            assert all_ways <= found
            tried += len(all_ways)
    assert tried > 20


def test_the_best_of_the_ways_stands_first_and_each_says_what_it_does(place, game):
    known = view(place.history(game).position, table(place, game).seat)
    for card in card_choices(known):
        for pick in MarchDecision(known, card).corners:
            ways = MarchDecision(known, card).find_ways(pick.corner)
            assert [way.merit for way in ways] == sorted((way.merit for way in ways), reverse=True)
            assert pick.way.words in [way.words for way in ways] or pick.ways > MOST_WAYS
            assert all(way.detail for way in ways)


def test_a_card_that_is_chosen_already_is_not_chosen_again(place, game):
    say(place, game, f"choose {table(place, game).display.kinds()[0]}")
    visitor = place.visitor().get(place.link(game))
    assert table(place, game).phase is Phase.MARCH
    assert "card" not in [name for name, _ in visitor.offers()]
    corners = links(visitor, "//button[@data-corner]")
    assert corners
    assert all(one.get("value").startswith("march ") for one in corners)


@pytest.mark.parametrize(
    "asked", ["?card=choose+nothing", "?card=%3Cb%3E", "?corner=Z9", "?card=draw&corner=A3", "?province=zz"]
)
def test_a_card_or_corner_that_cannot_be_chosen_is_as_good_as_none(place, game, asked):
    link = place.link(game)
    whole, narrowed = place.visitor().get(link), place.visitor().get(link + asked)
    assert narrowed.offers() == whole.offers()


def test_a_question_gives_letters_that_stand_on_the_board(place, game):
    advance(place, game, lambda now: now.phase is Phase.CARD and several(place, game))
    card, name = several(place, game)
    visitor = place.visitor().get(place.link(game, f"{card}; march {name}"))
    assert visitor.title == "Which of these do you mean?"
    lettered = {text[0] for text, _ in visitor.choices() if text[1:3] == ": "}
    assert lettered <= set(labels(visitor).values())


def several(place, game) -> tuple[str, str] | None:
    """A card and the name of a target to which several ways lead with it."""
    known = view(place.history(game).position, table(place, game).seat)
    for card in card_choices(known):
        for pick in MarchDecision(known, card).corners:
            if 1 < pick.ways < 20:
                return write(card, known.table.board), known.table.board.names[pick.target]
    return None
