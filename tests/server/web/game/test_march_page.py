"""What the page of a turn gives whoever marches: step by step by links, and what a script needs to know."""

import re
from collections.abc import Iterator

import pytest
from lxml.html import HtmlElement

from emails.picture.basemap import COLUMN_WIDTH, ROW_HEIGHT, basemap_of
from engine import marching
from engine.cards import Symbol
from engine.lattice import Space
from engine.position import Phase
from engine.provinces import Province, provinces
from engine.views import view
from server.web.game.choice_links import encode_parts
from tests.server.desk import start_game
from tests.server.web.game.test_turn_pages import advance, say, table
from tests.server.web.site import Visitor

KINDS = re.compile(r"(\d+)(!|@\d)? (.+)")


@pytest.fixture
def game(place) -> str:
    """A game of three in which provinces have formed."""
    game = start_game(place.context, "Anna", "Ben", "Cleo")
    advance(place, game, lambda now: now.turn >= 9 and now.phase is Phase.CARD)
    return game


def links(visitor: Visitor, where: str) -> list:
    return visitor.page.xpath(where)


def choices(visitor: Visitor) -> list:
    return links(visitor, "//a[@class='choice']")


def card_of(choice: HtmlElement) -> str:
    """The card of the group in which a choice stands; empty where it has none."""
    return str(choice.xpath("string(ancestor::details/@data-card)"))


def cards(visitor: Visitor) -> dict[str, str]:
    """The cards that can be chosen, with their links."""
    found = links(visitor, "//*[@data-step='card']//a[@data-card]")
    return {card.get("data-card"): card.get("href") for card in found}


def spots(visitor: Visitor, drawing: str = "board") -> list:
    return links(visitor, f"//*[@class='{drawing}']//*[@class='spot']")


def spaces(rows: str) -> Iterator[str]:
    """The spaces of "CD4-6 DE5,9", as lattice.js reads them."""
    for row in rows.split():
        for run in row[2:].split(","):
            first, _, last = run.partition("-")
            yield from (f"{row[:2]}{number}" for number in range(int(first), int(last or first) + 1))


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
    ids = set(links(visitor, "//@id"))
    for name, land in lands.items():
        assert land.get("href") == f"#province-{name}"
        assert f"province-{name}" in ids
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


# --- what a script is told --------------------------------------------------------------------------------


def test_each_march_tells_its_card_its_path_and_what_it_would_cut_off(place, game):
    visitor = place.visitor().get(place.link(game))
    now, shown = table(place, game), 0
    for one in choices(visitor):
        group = one.xpath("ancestor::details")[0]
        assert group.get("data-card") in cards(visitor)
        if one.get("data-path") is None:
            assert one.get("data-corner") in now.board.point_names
            continue
        path = tuple(now.board.point_names[name] for name in one.get("data-path").split("-"))
        assert path[0] == now.alexander
        apart = [part for split in marching.outcome_of(now, path).splits for part in split.cut_off]
        told = [KINDS.fullmatch(part).groups() for part in one.get("data-parts", "").split(";") if part]
        for (worth, kept, rows), part in zip(told, apart, strict=True):
            assert int(worth) == part.value
            assert list(spaces(rows)) == list(map(str, part.spaces))
            assert kept == (f"@{part.holder}" if part.holder is not None else None if part.places else "!")
        shown += len(told)
    assert shown


def test_the_parts_are_told_in_few_letters(place, game):
    row = tuple(Space(2, col) for col in (3, 4, 5, 8))
    part = Province((*row, Space(3, 4)), row[:1], 1, row[:1])
    split = marching.ProvinceSplit(part, (part,))
    assert encode_parts(marching.MarchOutcome((), 0, (split,))) == "4@1 CD4-6,9 DE5"


def test_a_group_of_choices_tells_its_card_and_its_targets(place, game):
    visitor = place.visitor().get(place.link(game))
    now = table(place, game)
    groups = links(visitor, "//section[@id='choices']/details[@data-card]")
    assert {group.get("data-card") for group in groups} == set(cards(visitor))
    for group in groups:
        verb, symbol = group.get("data-card").split()
        allowed = marching.targets(now, Symbol(symbol), from_display=verb == "choose")
        assert set(group.get("data-targets").split()) <= set(map(str, allowed))


def test_a_page_of_the_other_steps_has_no_cards_to_choose(place, game):
    say(place, game, f"choose {table(place, game).display.kinds()[0]}")
    visitor = place.visitor().get(place.link(game))
    assert table(place, game).phase is Phase.MARCH
    assert not cards(visitor)
    assert links(visitor, "//*[@class='tray']/@data-stage") == ["corner"]
    assert {card_of(one) for one in choices(visitor)} == {""}
    advance(place, game, lambda now: now.phase is Phase.ACTIONS)
    assert not links(place.visitor().get(place.link(game)), "//*[@class='tray']")


# --- step by step without script ----------------------------------------------------------------------------


def test_a_march_is_chosen_step_by_step_by_links_alone(place, game):
    visitor = place.visitor().get(place.link(game))
    before = place.stored()
    for card, link in cards(visitor).items():
        step = place.visitor().get(link)
        assert {card_of(one) for one in choices(step)} == {card}
        assert links(step, "//*[@data-step='card']//a[@aria-current]/@data-card") == [card]
        ends = {one.get("data-corner") or one.get("data-path").rpartition("-")[2] for one in choices(step)}
        assert {spot.get("data-point") for spot in spots(step)} == ends
        assert len(spots(step, "closeup")) == len(ends)
        targets = links(step, "//*[@class='targets']/*/@data-space")
        assert sorted(targets) == sorted(links(step, "//details/@data-targets")[0].split())
        for spot in spots(step):
            at = place.visitor().get(spot.get("href"))
            assert at.status == 200
            if "corner=" in spot.get("href"):
                assert {one.get("data-path", "").rpartition("-")[2] for one in choices(at)} <= {
                    spot.get("data-point"),
                    "",
                }
                assert at.click("One step back").title == step.title
    assert place.stored() == before


def test_ways_to_a_corner_have_letters_on_the_board_and_arrows(place, game):
    advance(place, game, lambda now: now.phase is Phase.CARD and several(place, game))
    card, corner = several(place, game)
    at = place.visitor().get(f"{place.link(game)}?card={card.replace(' ', '+')}&corner={corner}")
    titles = [text for text, _ in at.choices()]
    assert len(titles) > 1
    letters = [title[0] for title in titles if title[1:3] == ": "]
    drawn = links(at, "//*[@class='labels']/*/*[local-name()='text']/text()")
    assert set(letters) <= set(drawn)
    assert len(links(at, "//*[@class='marches']/*")) == min(6, len(titles))


def several(place, game) -> tuple[str, str] | None:
    """A card and a corner to which several ways lead with it."""
    found: dict[tuple[str, str], int] = {}
    for one in choices(place.visitor().get(place.link(game))):
        if one.get("data-path") and card_of(one):
            key = card_of(one), one.get("data-path").rpartition("-")[2]
            found[key] = found.get(key, 0) + 1
    return next((key for key, many in found.items() if many > 1), None)


@pytest.mark.parametrize(
    "asked", ["?card=choose+nothing", "?card=%3Cb%3E", "?corner=Z9", "?card=draw&corner=A3"]
)
def test_a_card_or_corner_that_cannot_be_chosen_is_as_good_as_none(place, game, asked):
    link = place.link(game)
    whole, narrowed = place.visitor().get(link), place.visitor().get(link + asked)
    assert narrowed.choices() == whole.choices()
    assert not links(narrowed, "//*[@class='back']")


def test_a_question_page_gives_the_letters_and_where_they_stand(place, game):
    advance(place, game, lambda now: now.phase is Phase.CARD and several(place, game))
    card, _ = several(place, game)
    group = links(place.visitor().get(place.link(game)), f"//details[@data-card='{card}']")[0]
    board = table(place, game).board
    names = [name for space, name in board.names.items() if str(space) in group.get("data-targets").split()]
    visitor = place.visitor().get(place.link(game, f"{card}; march {names[0]}"))
    assert visitor.title == "Which of these do you mean?"
    assert all(one.get("data-path") for one in choices(visitor))
    for sign in links(visitor, "//section[@id='choices']/@data-signs")[0].split():
        point, letter = sign.split(":")
        (meant,) = [one for one in choices(visitor) if one.text_content().startswith(f"{letter}: ")]
        assert point in meant.get("data-path").split("-")
