"""What the page of a turn gives whoever marches, step by step and without script."""

from itertools import islice

import pytest

from emails.picture.basemap import COLUMN_WIDTH, ROW_HEIGHT, basemap_of
from engine import march_rules
from engine.cards import Symbol
from engine.notation.orders import write
from engine.position import Phase, view
from engine.provinces import provinces
from engine.rules import card_choices
from server.web.game.turn_state import MOST_WAYS, MarchDecision
from tests.server.beginnings import begin_once
from tests.server.desk import Collector, start_game
from tests.server.web.game.test_turn_pages import advance, say, table
from tests.server.web.site import Visitor


@pytest.fixture
def game(place) -> str:
    """A game of three in which provinces have formed."""

    def advanced() -> str:
        game = start_game(place.context, "Anna", "Ben", "Cleo")
        advance(place, game, lambda now: now.turn >= 9 and now.phase is Phase.CARD)
        return game

    return begin_once(place.context, Collector(), advanced)


def links(visitor: Visitor, where: str) -> list:
    return visitor.page.xpath(where)


def spots(visitor: Visitor, drawing: str = "board") -> list:
    return links(visitor, f"//*[@class='{drawing}']//*[@class='spot']")


# --- the board ------------------------------------------------------------------------------------------


def test_the_board_says_where_everything_lies(place, game):
    board = links(place.visitor().get(place.link(game)), "//*[@class='board']")[0]
    now = table(place, game)
    left, top = int(board.get("data-left")), int(board.get("data-top"))
    for point in now.board.steps:
        assert basemap_of(now.board).locate(point) == (
            left + COLUMN_WIDTH * point.col,
            top + ROW_HEIGHT * point.row,
        )
    assert board.get("data-stands") == str(now.alexander)
    x, y, width, height = map(float, board.get("data-box").split())
    whole = [float(number) for number in board.get("viewbox").split()]
    assert 0 <= x <= x + width <= whole[2]
    assert 0 <= y <= y + height <= whole[3]


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


def labels(visitor: Visitor) -> dict[str, str]:
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
