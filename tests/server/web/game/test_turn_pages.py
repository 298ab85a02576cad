"""The pages of a turn: looked at as often as one likes, done once."""

import re

import pytest

from emails.wording.options import list_options
from engine.events import CardChosen
from server.clock import tick
from server.store.game_terms import SeatRequest
from server.store.models import Act
from server.web.kit.request_context import CsrfSigner
from tests.server.desk import BEN, at_once
from tests.server.web.played import advance, first_choice, known, list_conquests, say


def test_a_game_goes_on_by_the_buttons_of_the_dock_alone(place, game):
    browsers = (place.visitor(), place.visitor())
    shown = set()
    while place.table(game).turn <= 6:
        now = place.table(game)
        browser = browsers[now.seat]
        browser.get(place.link(game))
        before = place.stored()
        for name in ("card", "do", "do"):
            offered = [value for kind, value in browser.offers() if kind == name]
            if offered:
                browser.tap(offered[(now.turn + len(offered)) % len(offered)])
        assert place.stored() == before
        shown |= {value for kind, value in browser.offers() if kind == "play"}
        browser.tap("draw" if ("play", "draw") in browser.offers() else "end")
        assert browser.status == 200
        assert place.stored()[0] == before[0] + 1
    assert {"", "draw", "end"} <= shown
    assert not [words for words in shown if words.startswith(("choose", "play", "march"))]
    assert set(place.rows(Act.door, Act.seq > 2)) == {"web"}


def test_after_a_step_the_next_choices_stand_on_the_same_page(place, game):
    visitor = place.look(game, "?look=1", first_choice(place, game)).press()
    assert visitor.title.startswith("Your turn goes on")
    assert ("play", "draw") in visitor.offers()


def test_a_card_that_came_up_is_named_when_it_is_done(place, game):
    place.dice.told = ["horse"]
    card = place.table(game).display.kinds()[0]
    visitor = place.look(game, words=f"choose {card}").press()
    assert f"You took the {card} from the display" in visitor.text
    assert "horse" in visitor.text


def test_when_the_turn_is_over_the_page_says_whose_turn_it_is(place, game):
    say(place, game, first_choice(place, game))
    waiting = place.table(game).names[1 - place.table(game).seat]
    assert place.look(game, words="end").press().title == f"It is {waiting}'s turn"


def test_the_door_is_link_when_it_came_from_a_letter_and_web_when_from_a_page(place, game):
    place.look(game, words=first_choice(place, game)).press()
    place.look(game).tap("draw")
    assert place.rows(Act.door, Act.seq > 2) == ["link", "web"]


def test_what_lines_do_until_a_hidden_card_is_shown_and_the_rest_is_named(place, game):
    say(place, game, first_choice(place, game))
    visitor = place.look(game, words="draw; take lyre; end")
    assert "nobody has seen yet" in visitor.text
    assert "take lyre; end" in visitor.text


def test_the_preview_of_a_draw_says_what_is_drawn_and_what_is_left(place, game):
    say(place, game, first_choice(place, game))
    for left, then in ((2, "Then you have 1 action left."), (1, "Your turn is then over")):
        assert place.table(game).actions_left == left
        for more in ("", "?look=1"):
            text = place.look(game, more, words="draw").text
            assert "You draw a card that nobody has seen yet from the supply" in text
            assert then in text
            assert "You end your turn" not in text
        if left == 2:
            say(place, game, "draw")


def test_what_a_card_made_impossible_is_reported_and_what_was_done_stands(place, game):
    say(place, game, first_choice(place, game))
    place.dice.told = ["horse"]
    card = next(card for card in ("temple", "lyre", "soldier") if card not in place.table(game).display)
    visitor = place.look(game, words=f"draw; take {card}").press()
    assert "It is done" in visitor.text
    assert "Not done:" in visitor.text
    assert f"There is no {card} in the display ( rule 5.1 )" in visitor.text


def test_of_two_buttons_pressed_at_once_one_acts(place, game):
    words = [first_choice(place, game, "choose"), f"choose {place.table(game).display.kinds()[-1]}"]
    visitors = [place.look(game, words=said) for said in words]
    before = place.stored()
    assert at_once(*(visitor.press for visitor in visitors)) == []
    assert sorted(visitor.status for visitor in visitors) == [200, 409]
    assert place.stored()[0] == before[0] + 1
    late = next(visitor for visitor in visitors if visitor.status == 409)
    assert "This link is old: the game went on" in late.text


def test_a_double_click_acts_once_and_says_it_is_done(place, game):
    visitor = place.look(game, words=first_choice(place, game))
    _, action, fields = visitor.form("//form[@method='post']")
    before = place.stored()
    answers = [visitor.client.post(action, data=fields) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [303, 303, 303]
    assert place.stored()[0] == before[0] + 1
    assert "It is done" in visitor.get(answers[2].location).text


def test_a_page_that_was_overtaken_does_nothing(place, game):
    visitor = place.look(game, words=first_choice(place, game))
    say(place, game, f"choose {place.table(game).display.kinds()[-1]}")
    before = place.stored()
    visitor.press()
    assert visitor.status == 409
    assert place.stored() == before
    assert visitor.title == "It is your turn"
    assert visitor.get(place.link(game)).offers()


def test_a_nonce_is_good_for_its_own_page_and_a_day(place, game):
    words = first_choice(place, game)
    other = place.look(game, words=f"choose {place.table(game).display.kinds()[0]}").nonce()
    visitor = place.look(game, words=words)
    own, before = visitor.nonce(), place.stored()
    assert visitor.post(place.link(game, words), nonce=other).status == 400
    place.clock.forward(25)
    assert visitor.post(place.link(game, words), nonce=own).status == 400
    assert place.stored() == before
    place.clock.forward(-2)
    assert visitor.post(place.link(game, words), nonce=own).status == 200


def test_a_button_on_a_link_without_words_does_nothing(place, game):
    token = place.token(game)
    good = CsrfSigner(f"play {token}", place.context.links.keys, place.clock()).sign("").decode()
    assert place.visitor().post(f"/t/{token}", nonce=good).status == 400


@pytest.mark.parametrize("token", ["x", "a" * 40, "é", "A2" * 1200, "%00", "..", "<script>"])
def test_garbage_is_a_page_that_says_so(place, game, token):
    visitor = place.visitor().get(f"/t/{token}")
    assert visitor.status == 404
    assert visitor.post(f"/t/{token}", nonce="x").status in (404, 400)


def test_capitals_do_no_harm(place, game):
    assert place.visitor().get(f"/t/{place.token(game).upper()}").offers()


@pytest.mark.parametrize("path", ["", "/advice"])
@pytest.mark.parametrize("behind", [").", "%E2%80%AC", "%E2%80%8B.", "%C2%A0"])
def test_signs_behind_a_link_do_no_harm(place, game, path, behind):
    visitor = place.visitor()
    expected = visitor.get(place.link(game) + path).title
    assert visitor.get(place.link(game) + path + behind).title == expected
    assert visitor.get(place.link(game) + path + behind + "x").status == 404


def test_a_seat_that_is_not_there(place, game):
    assert place.look(game, seat=7).status == 404


def test_an_old_link_shows_what_happened_and_leads_to_the_turn(place, game):
    old, reader = place.history(game).after, place.table(game).seat
    say(place, game, first_choice(place, game))
    visitor = place.look(game, seat=reader, after=old)
    assert "This link is old: the game went on" in visitor.text
    assert "You marched to" in visitor.text
    assert visitor.get(place.link(game)).offers()


def test_somebody_else_sees_that_it_is_not_his_turn_and_no_secret(place, game):
    say(place, game, first_choice(place, game))
    place.dice.told = ["temple"]
    say(place, game, "draw")
    waiting = 1 - place.table(game).seat
    visitor = place.look(game, seat=waiting)
    assert visitor.title == f"It is {place.table(game).names[place.table(game).seat]}'s turn"
    assert "drew a card from the supply" in visitor.text
    assert not visitor.offers()
    assert not place.look(game, words="draw", seat=waiting).page.xpath("//section[@class='preview']")


def test_words_are_typed_looked_at_and_done(place, game):
    card = place.table(game).display.kinds()[0]
    visitor = place.look(game)
    visitor.send("//form[.//textarea]", say=f"  Take the {card.upper()}?")
    assert "Nothing was done" in visitor.text
    visitor.send("//form[.//textarea]", say=f"take the {card.upper()}")
    assert visitor.title == "Shall this be done?"
    visitor.press()
    assert isinstance(place.history(game).events[-2][1], CardChosen)


def test_words_that_are_refused_stay_in_the_box_with_the_rule(place, game):
    visitor = place.look(game).send("//form[.//textarea]", say="draw\nend")
    assert visitor.page.xpath("string(//textarea)").strip() == "draw; end"
    assert re.search(r"“draw” is not done\. .* \( ?rule \d", visitor.text)
    assert visitor.offers()


def test_own_words_are_met_with_the_turns_that_they_may_mean(place, game):
    card = place.table(game).display.kinds()[0]
    visitor = place.look(game, words=f"hmm, I'd love that {card}, and then a card please")
    assert visitor.title == "Which of these do you mean?"
    assert visitor.page.xpath("//section[@id='choices']//a")


def test_words_that_are_too_long_or_none_at_all(place, game):
    visitor = place.look(game)
    assert "too long" in visitor.send("//form[.//textarea]", say="draw;" * 400).text
    assert "Say what to do" in visitor.get(place.link(game)).send("//form[.//textarea]", say=" ; ").text
    assert visitor.get(place.link(game) + "?say=%ED%A0%80%00").status == 200


def test_names_and_words_are_escaped(place):
    game = place.open_game("<i>&", [SeatRequest("<b>Anna</b>", "anna@example.org"), BEN], at_once=True)
    answer = place.visitor().client.get(place.link(game, "march <script>alert(1)</script>"))
    assert not [one for one in (b"<script>alert", b"<b>Anna", b"<i>&") if one in answer.data]


def test_words_that_mean_several_things_ask_which(place, game):
    offered = (one.words for group in list_options(known(place, game)) for one in group.choices)
    card, march = next(one for one in offered if one.count("-") >= 2).split("; ")
    visitor = place.look(game, words=f"{card}; march {march.split()[1]}")
    assert visitor.title == "Which of these do you mean?"
    offered = visitor.choices()
    assert len(offered) > 1
    before = place.stored()
    for _, link in offered:
        assert place.visitor().get(link).title == "Shall this be done?"
    assert place.stored() == before
    assert place.visitor().get(offered[-1][1]).press().title.startswith("Your turn goes on")


@pytest.mark.parametrize(("verb", "said"), [("occupy", "occupied a province"), ("takeover", "took over")])
def test_guards_are_placed_by_ticking(place, verb, said):
    game = place.start_game("Anna", "Ben", "Cleo")
    advance(place, game, lambda now: verb in [one.verb for one in list_conquests(now)])
    conquest = next(one for one in list_conquests(known(place, game)) if one.verb == verb)
    form = f"//form[.//input[@name='place'][@value='{verb}']]"
    shown = f"{place.link(game)}?province={conquest.name}"
    visitor = place.visitor().get(shown)
    visitor.send(form, guard=[])
    assert (visitor.status, "Choose where your guard" in visitor.text) == (409, True)
    visitor.get(shown)
    assert bool(visitor.page.xpath(f"{form}//input[@type='number']")) == (verb == "takeover")
    before = place.stored()
    visitor.send(form)
    assert place.stored() == before
    visitor.tap("end")
    assert said in visitor.text


def test_a_link_to_a_corner_shows_the_ways_there(place, game):
    card = next(value for name, value in place.look(game).offers() if name == "card")
    visitor = place.visitor().get(f"{place.link(game)}?card={card.replace(' ', '+')}")
    spots = [link for _, link in visitor.links("//*[local-name()='a'][@class='spot']")]
    assert spots
    corner = re.search(r"corner=(\w+)", spots[0])[1]
    for link in (spots[0], f"{place.link(game)}?corner={corner}"):
        ways = [value for name, value in visitor.get(link).offers() if name == "do"]
        assert ways
        assert all(way.endswith(f"-{corner}") for way in ways)
    assert place.look(game, "?corner=Z99").offers()


def test_how_much_time_is_left_stands_beside_the_deadline_and_the_tab_says_whose_turn_it_is(place, game):
    place.context.begin_time(game, place.clock())
    mover = place.table(game).seat
    for gone, left in ((0, "2 days"), (20, "28 hours"), (27.5, "30 minutes")):
        place.clock.forward(gone)
        for seat in (0, 1):
            visitor = place.look(game, seat=seat)
            assert f"({left} left)" in visitor.text
            mark = "(your turn) " if seat == mover else ""
            assert str(visitor.page.xpath("string(//title)")).startswith(f"{mark}Friday")


def test_time_that_ran_out_is_told(place, game):
    old, reader = place.history(game).after, place.table(game).seat
    place.context.begin_time(game)
    tick(place.context, place.clock.forward(49))
    assert place.row(game).after > old
    assert "ran out of time" in place.look(game, seat=reader, after=old).text
