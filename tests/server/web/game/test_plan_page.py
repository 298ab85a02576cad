"""A player who waits plans a turn, in words or on the board, and reminds who is to move."""

from datetime import timedelta

import pytest

from server.store.models import OutgoingLetter
from tests.server.desk import NOON
from tests.server.planning import NEVER, SOON, acts, march_after, pass_turn, plan, plans, play_due_plans


def page(place, game, page="/plan", seat=1):
    return place.look(game, page, seat=seat)


def test_whoever_waits_is_led_there_and_plans_in_words(place, game):
    assert leads_to_plan(place.look(game, seat=1))
    turn, march = march_after(place.context, game)
    shown = page(place, game)
    assert "Play it on the board as it is now, or write it below." in shown.text
    kept = shown.send("//form[.//textarea]", words=f"plan: {march}; draw; draw", keep="1")
    assert f"“plan: {march}; draw; draw”" in kept.text
    pass_turn(place.context, game, turn)
    assert play_due_plans(place.context, SOON) == 1
    assert acts(place.context, game)[-1] == (1, "plan", f"{march}; draw; draw")


def test_it_is_played_on_the_board_as_it_is_now_and_kept_as_a_plan(place, game):
    """Each step is a page: a corner, an action, and what is begun stands in the words."""
    before = place.stored()
    marched = march_on(page(place, game))
    begun = words(marched)
    assert begun.startswith("plan: ")
    assert "march " in begun
    drawn = marched.tap("draw")
    assert words(drawn) == f"{begun}; draw"
    assert place.stored() == before
    assert plans(place.context) == []
    [keep] = drawn.page.xpath("//section[@class='dock']//button[@name='keep']")
    assert keep.get("form") == "planned"
    assert "for good" not in drawn.text
    drawn.send("//form[@id='planned']", words=words(drawn), keep="1")
    assert [one.words for one in plans(place.context)] == [f"{begun}; draw"]


def words(visitor):
    return visitor.page.xpath("string(//textarea[@id='words'])").strip()


def march_on(shown):
    """The same with the first march that its dock offers."""
    return shown.tap(next(value for _, value in shown.offers() if "march " in value))


def test_it_is_undone_and_begun_anew(place, game):
    marched = march_on(page(place, game))
    begun = words(marched)
    assert words(marched.tap("undo")) != begun
    assert words(march_on(page(place, game)).tap("over")) == ""


@pytest.mark.parametrize("here", ["/plan", ""])
def test_it_is_withdrawn(place, game, here):
    plan(place.context, game, 1, NEVER)
    shown = place.visitor().get(f"{place.link(game, seat=1)}{here}")
    assert f"“plan: {NEVER}”" in shown.text
    back = shown.send("//form[.//button[@name='withdraw']]", withdraw="1")
    assert leads_to_plan(back)
    assert NEVER not in back.text
    assert plans(place.context) == []


def leads_to_plan(shown):
    return any(link.endswith("/plan") for _, link in shown.links())


def test_it_stands_on_the_page_of_the_game_and_can_be_changed_from_there(place, game):
    plan(place.context, game, 1, NEVER)
    shown = place.look(game, seat=1)
    [told] = shown.page.xpath("//section[@id='plan']")
    assert "As the game stands now" in told.text_content()
    assert leads_to_plan(shown)
    assert words(page(place, game)) == f"plan: {NEVER}"
    assert place.look(game, seat=0).page.xpath("//section[@id='plan']") == []


def test_whoever_is_to_move_and_whoever_has_no_turn_any_more_are_not_led_there(place, game):
    assert [leads_to_plan(place.look(game, seat=seat)) for seat in (0, 1)] == [False, True]
    place.context.resign(game, 1, "web")
    assert not leads_to_plan(place.look(game, seat=1))


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("if Ben sleeps: lyre", "“Ben sleeps” is no condition that a plan knows."),
        ("", "The plan says no turn"),
        ("draw; draw", "write them in this order"),
    ],
)
def test_what_cannot_be_kept_is_told_and_the_words_stay(place, game, said, why):
    refused = page(place, game).send("//form[.//textarea]", words=said, keep="1")
    assert refused.status == 409
    assert why in refused.text
    assert words(refused) == said
    assert plans(place.context) == []


def test_in_the_own_turn_there_are_words_alone(place, game):
    shown = page(place, game, seat=place.row(game).seat)
    assert not shown.page.xpath("//form[@id='march']")
    assert shown.page.xpath("//textarea[@id='words']")
    assert place.clock.now == NOON


@pytest.mark.parametrize(
    ("language", "heading", "why"),
    [
        ("en", "Your plan is not played", "“stay; recall Troy”: “stay” cannot be done: "),
        ("nl", "Je plan is niet gespeeld", "“blijf; terug Troy”: “blijf” kan niet: "),
    ],
)
def test_the_page_of_the_turn_says_why_a_plan_was_not_played(place, game, language, heading, why):
    place.context.set_preferences(game, place.names(game)[1], everywhere=True, language=language)
    turn, _ = march_after(place.context, game)
    plan(place.context, game, 1, NEVER)
    pass_turn(place.context, game, turn)
    for now in (NOON, SOON):
        play_due_plans(place.context, now)
        before = place.stored()
        [note] = place.look(game, seat=1).page.xpath("//section[@id='missed']")
        said = " ".join(note.text_content().split())
        assert said.startswith(heading)
        assert why in said
        assert place.stored() == before
    assert not place.look(game, seat=0).page.xpath("//section[@id='missed']")


BUTTON = "//form[contains(@action, '/nudge')]"


def test_one_press_reminds_who_is_to_move_and_the_button_is_gone_for_a_day(place, game):
    place.context.begin_time(game, place.clock())
    assert not place.look(game, seat=1).page.xpath(BUTTON), "it is too early"
    place.clock.now += timedelta(days=1)
    mover = place.names(game)[0]
    assert place.row(game).seat == 0
    assert not place.look(game, seat=0).page.xpath(BUTTON)
    visitor = place.look(game, seat=1)
    assert f"{mover} is waited for since" in visitor.text
    assert visitor.page.xpath(f"string({BUTTON}//button)") == f"Remind {mover}"
    visitor.send(BUTTON)
    assert (visitor.status, visitor.title) == (200, f"{mover} gets a reminder")
    assert place.rows(OutgoingLetter.game, OutgoingLetter.kind == "reminder") == [game]
    assert not visitor.get(place.link(game, seat=1)).page.xpath(BUTTON)
    place.clock.now += timedelta(days=1, seconds=1)
    assert place.look(game, seat=1).page.xpath(BUTTON)


def test_pressed_twice_it_is_sent_once_and_without_the_form_never(place, game):
    place.context.begin_time(game, place.clock())
    place.clock.now += timedelta(days=1)
    first, second = (place.look(game, seat=1) for _ in range(2))
    assert first.send(BUTTON).status == 200
    assert second.send(BUTTON).status == 409
    assert "once a day is enough" in second.text
    assert place.visitor().post(f"{place.link(game, seat=1)}/nudge").status == 400
    assert place.rows(OutgoingLetter.game, OutgoingLetter.kind == "reminder") == [game]
