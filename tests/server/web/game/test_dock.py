"""A turn is begun with the dock, on the board or by its buttons: drafted, taken back and played."""

from itertools import islice

import pytest

from emails.picture.layers import basemap_of
from emails.wording.options import MOST_SHOWN, MarchOptions
from engine import march_rules
from engine.cards import Symbol
from engine.notation.orders import write
from engine.position import Phase
from engine.provinces import provinces
from engine.rules import card_choices
from server.store.models import Draft
from tests.server.beginnings import begin_once
from tests.server.desk import Collector
from tests.server.web.played import advance, known, say
from tests.server.web.site import Visitor


@pytest.fixture
def game(place) -> str:
    """A game of three in which guards stand, at the beginning of a turn."""

    def advanced() -> str:
        game = place.start_game("Anna", "Ben", "Cleo")
        advance(place, game, lambda now: now.table.turn >= 9 and now.table.phase is Phase.CARD)
        return game

    return begin_once(place.context, Collector(), advanced)


def asked(visitor) -> str:
    return " ".join(visitor.page.xpath("string(//*[@class='ask'])").split())


def marched(place, game, kind: str = "choose") -> Visitor:
    """A browser in which a card was chosen and a march drafted."""
    visitor = place.look(game)
    return visitor.tap(offer(visitor, "card", kind)).tap("do")


def offer(visitor, name: str = "do", begins: str = "take") -> str:
    """The first thing of a kind that the dock offers."""
    return next(value for kind, value in visitor.offers() if kind == name and value.startswith(begins))


def test_what_was_done_last_is_undone_first_or_all_at_once(place, game):
    before, visitor = place.stored(), marched(place, game)
    [begun] = place.rows(Draft.words)
    assert place.stored() == before
    assert begun.startswith("choose ")
    assert "march" in begun
    assert visitor.page.xpath("//*[@class='drafted']")
    step = offer(visitor)
    visitor.tap(step)
    assert place.rows(Draft.words) == [f"{begun}; {step}"]
    visitor.tap("undo")
    assert place.rows(Draft.words) == [begun]
    visitor.tap("undo")
    assert place.rows(Draft.words) == []
    assert visitor.page.xpath("//button[@aria-pressed='true']/@value") == [begun.split("; ")[0]]
    visitor = marched(place, game).tap("over")
    assert place.rows(Draft.words) == []
    assert not visitor.page.xpath("//*[@class='drafted']")


def test_another_way_takes_the_place_of_the_one_that_was_drafted(place, game):
    for kind in ("choose", "play"):
        visitor = marched(place, game, kind)
        ways = visitor.page.xpath("//*[@class='ways']//button/@value")
        if ways:
            visitor.tap(ways[-1])
            assert place.rows(Draft.words) == [ways[-1]]
        visitor.tap("over")


def test_what_reveals_a_card_plays_all_that_stands_before_it(place, game):
    visitor = marched(place, game)
    before = place.stored()[0]
    visitor.tap("draw")
    assert visitor.title == "Your turn goes on"
    assert place.stored()[0] == before + 1
    assert place.rows(Draft.words) == []
    assert "You drew a" in asked(visitor)
    assert not visitor.page.xpath("//*[@class='drafted']")


def test_the_card_after_a_march_can_be_turned_up_alone(place, game):
    visitor = marched(place, game)
    assert visitor.page.xpath("//button[@name='play'][@value='']")
    visitor.tap("")
    assert place.table(game).phase is Phase.ACTIONS
    assert place.table(game).actions_left == 2


def last_step(visitor) -> str:
    """What the first button plays that draws nothing and does something."""
    played = [value for name, value in visitor.offers() if name == "play"]
    return next(value for value in played if value not in ("", "draw", "end"))


def test_a_complete_turn_asks_for_its_end_alone(place, game):
    visitor = marched(place, game)
    visitor.tap(offer(visitor))
    _, action, fields = visitor.form("//form[@id='draft']")
    visitor.post(action, **{**fields, "do": last_step(visitor)})  # as a whole turn that is chosen does it
    assert "Your turn is complete" in asked(visitor)
    turn = place.table(game).turn
    assert [one for one in visitor.offers() if one[0] == "play"][-1] == ("play", "end")
    visitor.tap("end")
    assert place.table(game).turn == turn + 1


def test_the_last_action_says_that_the_turn_ends_with_it_and_plays_it(place, game):
    visitor = marched(place, game)
    assert "and end" not in visitor.text
    visitor.tap(offer(visitor))
    assert "Your last action: it ends the turn." in asked(visitor)
    assert not [name for name, _ in visitor.offers() if name == "do"]
    verbs = visitor.page.xpath("//button[contains(@class, 'verb')][not(@disabled)][@name]")
    assert all("for good" in one.text_content() for one in verbs)
    turn, acts = place.table(game).turn, place.stored()[0]
    visitor.tap(last_step(visitor))
    assert (place.table(game).turn, place.stored()[0]) == (turn + 1, acts + 1)
    assert visitor.title.startswith("It is ")


def test_of_two_windows_the_newer_counts_and_says_so(place, game):
    old = marched(place, game)
    place.look(game).tap("over")
    old.tap(offer(old))
    assert "Another window had this turn otherwise" in old.text
    [words] = place.rows(Draft.words)
    assert words.split("; ")[-1].startswith("take")


def test_a_draft_of_a_turn_that_went_on_is_gone_and_that_is_said(place, game):
    visitor = marched(place, game)
    say(place, game, "; ".join(place.rows(Draft.words)))
    visitor.tap("draw")
    assert visitor.status == 409
    assert "what you had begun on that page is gone" in visitor.text
    assert place.table(game).actions_left == 2


def test_words_that_are_typed_go_on_from_what_is_drafted(place, game):
    marched(place, game)
    visitor = place.look(game).send("//form[.//textarea]", say="draw")
    assert visitor.title == "Shall this be done?"
    visitor.press()
    assert place.table(game).actions_left == 1


def test_what_cannot_be_done_changes_nothing_and_says_why(place, game):
    visitor = marched(place, game)
    before = place.rows(Draft.words)
    _, action, fields = visitor.form("//form[@id='draft']")
    for wrong in ("dance", "choose lyre", "march Larissa", ";" * 50, "draw; " * 30):
        visitor.post(action, **{**fields, "do": wrong})
        assert visitor.status in (200, 409)
        assert place.rows(Draft.words) == before
        assert visitor.page.xpath("//*[@class='dock']")


def test_whoever_is_not_to_move_drafts_nothing(place, game):
    seat = (place.table(game).seat + 1) % 3
    visitor = marched(place, game)
    other = visitor.form("//form[@id='draft']")[2]
    visitor.tap("over")
    visitor = place.visitor().post(f"{place.link(game, seat=seat)}/draft", **{**other, "do": "choose lyre"})
    assert visitor.status == 400
    assert place.rows(Draft.words) == []


def test_a_script_gets_the_board_with_the_dock_alone(place, game):
    visitor = place.look(game)
    visitor.tap(offer(visitor, "card", ""))
    _, action, fields = visitor.form("//form[@id='march']")
    words = visitor.page.xpath("string(//button[@data-corner]/@value)")
    answer = visitor.client.post(f"{action}?part=1", data={**fields, "do": words})
    assert answer.status_code == 200
    assert answer.data.lstrip().startswith(b'<section id="play"')
    assert len(answer.data) < 60_000


def test_nobody_writes_drafts_without_end(place, game):
    place.app.config["LIMITS"]["steps"] = 3
    visitor = marched(place, game)
    visitor.tap("over").tap("do")
    assert visitor.status == 200
    kept = place.rows(Draft.words)
    visitor.tap("over")
    assert (visitor.status, place.rows(Draft.words)) == (429, kept)
    assert "Please wait for a while" in asked(visitor)


def spots(visitor, drawing: str = "board") -> list:
    return visitor.page.xpath(f"//*[@class='{drawing}']//*[@class='spot']")


def test_each_province_that_can_be_held_is_one_shape_and_a_link_to_what_is_said_of_it(place, game):
    visitor = place.look(game)
    now = known(place, game)
    drawn = visitor.page.xpath("//*[@class='land'][@data-province]")
    lands = {land.get("data-province"): land for land in drawn}
    parted = {str(one.first): one for one in provinces(now.table) if one.places}
    assert lands.keys() == parted.keys()
    assert len(parted) > 2
    for name, land in lands.items():
        assert land.get("href").endswith(f"province={name}")
        assert place.visitor().get(land.get("href")).page.xpath(f"//*[@id='province-{name}']")
        assert len(land) == 1
        said = land.get("aria-label")
        assert str(parted[name].value) in said
        holder = parted[name].holder
        whose = "Free" if holder is None else "Your" if holder == now.me else now.table.names[holder]
        assert said.startswith(whose)


def test_the_shape_of_a_province_encloses_its_spaces_and_no_others(place, game):
    visitor = place.look(game)
    now = place.table(game)
    chart = basemap_of(now.board)
    for province in provinces(now):
        if province.places:
            path = visitor.page.xpath(f"//*[@data-province='{province.first}'][@class='land']/*/@d")[0]
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


def test_cards_are_buttons_that_only_look(place, game):
    visitor, before = place.look(game), place.stored()
    now = known(place, game)
    offered = [value for name, value in visitor.offers() if name == "card"]
    assert offered == [write(card, now.table.board) for card in card_choices(now)]
    for card in offered:
        step = place.look(game).tap(card)
        assert step.page.xpath("//button[@aria-pressed='true']/@value") == [card]
        verb, symbol = card.split()
        allowed = march_rules.targets(now.table, Symbol(symbol), from_display=verb == "choose")
        assert set(step.page.xpath("//*[@class='targets']/*/@data-space")) <= set(map(str, allowed))
    assert place.stored() == before


def test_only_the_corners_of_the_card_have_discs_and_they_count_from_one(place, game):
    visitor = place.look(game)
    assert len(visitor.page.xpath("//button[@aria-pressed='true']")) == 1  # one is looked at from the start
    for card in [value for name, value in visitor.offers() if name == "card"]:
        step = place.look(game).tap(card)
        corners = step.page.xpath("//button[@data-corner]")
        assert list(labels(step).values()) == [str(number) for number in range(1, len(corners) + 1)]
        assert list(labels(step)) == [one.get("data-corner") for one in corners]
        assert {one.get("data-point") for one in spots(step)} == set(labels(step))
        assert len(spots(step, "closeup")) == len(corners)
        for one in corners:
            assert one.get("value").startswith(f"{card}; march ")
            assert one.get("value").endswith(f"-{one.get('data-corner')}")


def labels(visitor) -> dict[str, str]:
    """The discs on the board, with what stands on each."""
    drawn = visitor.page.xpath("//*[@class='board']//*[@data-label]")
    return {one.get("data-label"): one.xpath("string(*[local-name()='text'])") for one in drawn}


def test_every_way_to_a_corner_is_reached_by_taking_another_way(place, game):
    advance(place, game, lambda now: now.table.turn >= 20 and now.table.phase is Phase.CARD)
    now = known(place, game)
    tried = 0
    for card in card_choices(now):
        decision = MarchOptions(now, card)
        for corner in decision.goals:
            all_ways = set(islice(march_rules.ShortestPaths(now.table, corner), 400))
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
    now = known(place, game)
    for card in card_choices(now):
        decision = MarchOptions(now, card)
        for pick in decision.corners:
            ways = decision.find_ways(pick.corner)
            assert [way.merit for way in ways] == sorted((way.merit for way in ways), reverse=True)
            assert pick.way.words in [way.words for way in ways] or (
                decision.paths[pick.corner].count() > MOST_SHOWN
            )
            assert all(way.detail for way in ways)


def test_a_card_that_is_chosen_already_is_not_chosen_again(place, game):
    say(place, game, f"choose {place.table(game).display.kinds()[0]}")
    visitor = place.look(game)
    assert place.table(game).phase is Phase.MARCH
    assert "card" not in [name for name, _ in visitor.offers()]
    corners = visitor.page.xpath("//button[@data-corner]")
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
    advance(place, game, lambda now: now.table.phase is Phase.CARD and several(now))
    card, name = several(known(place, game))
    visitor = place.look(game, words=f"{card}; march {name}")
    assert visitor.title == "Which of these do you mean?"
    lettered = {text[0] for text, _ in visitor.choices() if text[1:3] == ": "}
    assert lettered <= set(labels(visitor).values())


def several(now) -> tuple[str, str] | None:
    """A card and the name of a target to which several ways lead with it."""
    for card in card_choices(now):
        decision = MarchOptions(now, card)
        for corner, (target, *_) in decision.goals.items():
            if 1 < decision.paths[corner].count() < 20:
                return write(card, now.table.board), now.table.board.names[target]
    return None
