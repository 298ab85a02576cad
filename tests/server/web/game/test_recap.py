"""What happened since a reader's last turn: a list that leads into the history, and frames of the board."""

from itertools import pairwise

import pytest

from emails.picture.board_picture import draw_board
from engine.events import AlexanderMarched, ProvinceOccupied, TurnEnded
from engine.evolve import replay
from engine.position import view
from tests.server.web.played import move, played, watched
from tests.server.web.site import Site, Visitor, site


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return site(tmp_path_factory.mktemp("recap"))


@pytest.fixture(scope="module")
def game(place) -> str:
    """A game of three in which some turns were played."""
    return watched(place, played(place, "Anna", "Ben", "Cleo", turns=12))


def looks(place, game) -> list[tuple[int | None, Visitor]]:
    """Each reader to whom something is new, with the page of the game."""
    found = [(seat, place.look(game, seat=seat)) for seat in (0, 1, 2)]
    found = [one for one in (*found, (None, place.visitor().get(f"/g/{game}"))) if lines(one[1])]
    assert len(found) >= 3
    return found


def lines(visitor) -> list[tuple[str, str]]:
    return visitor.links("//section[@id='since']//a[@data-deed]")


def frames(visitor) -> dict[str, list]:
    answer = visitor.client.get(visitor.page.xpath("string(//@data-frames)"))
    assert answer.status_code == 200
    return dict(answer.get_json())


def step_of(link: str) -> int:
    return int(link.rpartition("at=")[2].partition("&")[0])


def test_it_tells_each_reader_what_happened_since_their_last_turn(place, game):
    events = place.context.facts(game)
    for seat, visitor in looks(place, game):
        ends = [at for at, one in enumerate(events) if isinstance(one, TurnEnded)]
        own = [at for at in ends if getattr(events[at], "seat", None) == seat]
        begun = own[-1] + 1 if seat is not None else ends[-2] + 1
        told = " ".join(words for words, _ in lines(visitor))
        for kind, verb in ((AlexanderMarched, "marched"), (ProvinceOccupied, "occupied")):
            assert told.count(verb) == sum(isinstance(one, kind) for one in events[begun:])
        assert all(begun <= step_of(link) < len(events) for _, link in lines(visitor))


def test_each_line_leads_to_the_step_that_it_tells_of(place, game):
    _, visitor = looks(place, game)[0]
    steps = [step_of(link) for _, link in lines(visitor)]
    assert all(one < other for one, other in pairwise(steps))
    for words, link in lines(visitor):
        shown = str(place.visitor().get(link).page.xpath("string(//*[@id='step'])"))
        assert words.partition(";")[0].rstrip(".") in shown or "new in the display" in words


def test_the_frames_are_the_board_after_each_deed(place, game):
    events, board = place.context.facts(game), place.table(game).board
    for seat, visitor in looks(place, game):
        found, told = frames(visitor), lines(visitor)
        assert len(found["frames"]) == len(told) + 1
        assert len(found["deeds"]) == len(told)
        begun = int(visitor.page.xpath("string(//@data-begun)"))
        before = view(replay(board, events[:begun]), seat)
        drawn = [found["layers"][layer] for layer in found["frames"][0]]
        assert all(layer in draw_board(before) for layer in drawn if "data-own" not in layer)
        for frame, (_, link) in zip(found["frames"][1:], told, strict=True):
            after = view(replay(board, events[: step_of(link) + 1]), seat)
            layers = "".join(found["layers"][layer] for layer in frame)
            for part in ("alexander", "guards", "values", "seats"):
                assert part_of(draw_board(after), part) == part_of(layers, part)


def part_of(drawing: str, name: str) -> str:
    """A layer of a drawing, up to the next."""
    return drawing.partition(f'<g class="{name}"')[2].partition('<g class="')[0].removesuffix("</svg>")


def test_no_layer_is_sent_twice_and_the_ground_never(place, game):
    _, visitor = looks(place, game)[0]
    found = frames(visitor)
    assert len(set(found["layers"])) == len(found["layers"])
    assert not any('class="ground"' in layer for layer in found["layers"])
    assert found["kept"] == 2
    assert sum(map(len, found["layers"])) < 120_000


def test_what_somebody_has_done_in_a_turn_of_theirs_is_not_told_as_news(place):
    game = played(place, "Anna", "Ben", turns=4)
    mover = place.table(game).seat
    before = [words for words, _ in lines(place.look(game, seat=mover))]
    move(place, game)
    if place.table(game).seat == mover:
        assert [words for words, _ in lines(place.look(game, seat=mover))] == before


def test_the_history_begins_there_too(place, game):
    for seat, visitor in looks(place, game):
        begun = int(visitor.page.xpath("string(//@data-begun)"))
        link = f"/g/{game}/history" if seat is None else f"{place.link(game, seat=seat)}/history"
        assert place.visitor().get(link).page.xpath("string(//*[@id='step']/@data-step)") == str(begun)
        last = place.visitor().get(f"{link}?at=last")
        shown = int(last.page.xpath("string(//*[@id='step']/@data-step)"))
        assert shown == len(place.context.facts(game)) - 1
        assert not last.page.xpath("//*[contains(@class, 'refused')]")


def test_where_nothing_has_happened_nothing_is_told(place):
    game = place.start_game("Anna", "Ben")
    visitor = place.look(game)
    assert not lines(visitor)
    assert not visitor.page.xpath("//*[@data-frames]")
    assert visitor.client.get(f"{place.link(game)}/recap").get_json()["deeds"] == []


def test_a_preview_has_no_animation_of_what_was_before(place, game):
    assert not place.look(game, "?look=1", words="draw").page.xpath("//*[@data-frames]")


def test_a_game_that_is_not_to_be_watched_has_none_for_others(place):
    game = played(place, "Anna", "Ben", turns=2)
    assert place.visitor().client.get(f"/g/{game}/recap").status_code == 404
