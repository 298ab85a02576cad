"""The provinces on a page: what each is and costs, and the forms in which guards are placed."""

import re
from urllib.parse import urlencode

from lxml.html import HtmlElement

from emails.wording import costs
from engine import acting
from engine.provinces import provinces
from engine.views import view
from server.web.game.conquests import list_conquests
from tests.server.desk import start_game
from tests.server.web.game.test_placement_form import advance, begun, known
from tests.server.web.site import Visitor


def listed(visitor: Visitor) -> dict[str, str]:
    """The provinces of a page by their names, each with its words."""
    found = visitor.page.xpath("//li[starts-with(@id, 'province-')]")
    return {one.get("id").removeprefix("province-"): " ".join(one.text_content().split()) for one in found}


def forms(visitor: Visitor) -> dict[str, HtmlElement]:
    """The forms for guards, by the names of their provinces, in the order of the page."""
    return {one.get("id").removeprefix("guards-"): one for one in visitor.page.xpath("//form[@class='camp']")}


def test_every_province_with_symbols_says_what_it_is_and_costs(place):
    game, _ = begun(place, "takeover")
    now = known(place, game)
    visitor = place.visitor().get(place.link(game))
    found = listed(visitor)
    assert set(found) == {str(one.first) for one in provinces(now.table) if one.places}
    for land, price in costs.province_costs(now):
        words = found[str(land.province.first)]
        assert f"worth {land.province.value}" in words
        assert land.contents in words
        assert all(sentence in words for sentence in (*price.sentences, *price.ways))
        assert ("Place your guards" in words) == price.within
        several = len(land.province.guards)
        assert (f"{several} guards: scores 0" in words) == (several > 1)


def test_every_province_of_the_board_leads_to_its_words(place):
    game, _ = begun(place, "occupy")
    visitor = place.visitor().get(place.link(game))
    links = visitor.page.xpath("//*[local-name()='a'][@data-province]")
    assert {one.get("href") for one in links} == {f"#province-{name}" for name in listed(visitor)}


def test_who_waits_reads_what_he_could_do_and_gets_no_form(place):
    game, _ = begun(place, "takeover")
    now = known(place, game)
    seat = (now.table.seat + 1) % 3
    visitor = place.visitor().get(place.link(game, seat=seat))
    assert not forms(visitor)
    assert not visitor.page.xpath("//a[starts-with(@href, '#guards')]")
    other = view(place.history(game).position, seat)
    for land, price in costs.province_costs(other):
        assert all(one in listed(visitor)[str(land.province.first)] for one in price.sentences)


def test_nobody_reads_what_another_could_pay(place):
    game, _ = begun(place, "takeover")
    position = place.history(game).position
    words = [listed(place.visitor().get(place.link(game, seat=seat))) for seat in range(3)]
    assert words[0] != words[1] != words[2]
    for seat in range(3):
        assert view(position, seat).hand != view(position, None).hand


def test_all_provinces_that_can_be_had_stand_in_one_place_the_best_first(place):
    game = start_game(place.context, "Anna", "Ben", "Cleo")
    advance(place, game, lambda: len(list_conquests(known(place, game))) > 2)
    now = known(place, game)
    sieges = {str(one.province.first): one for one in acting.find_sieges(now.table, now.table.seat, now.hand)}
    found = forms(place.visitor().get(place.link(game)))
    assert set(found) == set(sieges)
    values = [sieges[name].province.value for name in found]
    assert values == sorted(values, reverse=True)


def test_every_way_of_guards_that_can_be_paid_is_a_way_to_tick(place):
    game, camp = begun(place, "takeover")
    now = known(place, game)
    visitor = place.visitor().get(place.link(game))
    siege = next(
        one
        for one in acting.find_sieges(now.table, now.table.seat, now.hand)
        if str(one.province.first) == camp.name
    )
    form = forms(visitor)[camp.name]
    boxes = {one.get("value"): one.get("data-space") for one in form.xpath(".//input[@type='checkbox']")}
    names = now.table.board.names
    assert boxes == {names[space]: str(space) for space in siege.province.places}
    for guards in siege.guard_places(now.table):
        assert {names[space] for space in guards} <= set(boxes)


def test_a_spectator_reads_the_general_price(place):
    from engine.cards import EMPTY

    game, _ = begun(place, "takeover")
    watching = view(place.history(game).position, None)
    assert watching.hand == EMPTY
    for _, price in costs.province_costs(watching):
        assert not price.within
        assert len(price.sentences) == 1


def test_a_form_that_does_not_fit_comes_back_as_it_was_sent(place):
    game, camp = begun(place, "takeover")
    names = [ground.name for ground in camp.grounds]
    given = {f"give-{symbol}": most for _, symbol, most, _ in camp.gifts}
    query = urlencode({"place": "takeover", "guard": names[:1], **given}, doseq=True)
    visitor = place.visitor().get(f"{place.link(game)}?{query}")
    assert "Nothing was done" in visitor.text
    assert re.search(r"take back|lacks", visitor.text)
    form = forms(visitor)[camp.name]
    assert form.xpath("ancestor::details/@open")
    assert form.xpath(".//input[@checked]/@value") == names[:1]
    assert {one.get("name"): int(one.get("value")) for one in form.xpath(".//input[@type='number']")} == given
    others = [one for name, one in forms(visitor).items() if name != camp.name]
    assert not any(one.xpath("ancestor::details/@open") for one in others)


def test_the_page_says_where_the_sum_is_asked_for(place):
    game, camp = begun(place, "occupy")
    visitor = place.visitor().get(place.link(game))
    (address,) = visitor.page.xpath("//section[@id='guards']/@data-sum")
    name = next(ground.name for ground in camp.grounds if ground.ticked)
    answer = visitor.client.get(f"{address}?place=occupy&guard={name}")
    assert answer.status_code == 200
    assert b'class="sum ' in answer.data
