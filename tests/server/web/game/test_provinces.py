"""The provinces on a page: what each is and costs, and the forms in which guards are placed."""

import re
from urllib.parse import urlencode

from lxml.html import HtmlElement

from emails.wording import costs
from emails.wording.phrases import format_cards
from engine.actions import TakeOver
from engine.notation import grammar
from engine.position import Phase, view
from engine.provinces import Siege, find_sieges, provinces
from server.web.game.dock import TakeoverGift, list_placements, list_price_tags
from tests.server.desk import start_game
from tests.server.web.conquests import list_conquests
from tests.server.web.game.test_placement_form import advance, begun, known
from tests.server.web.site import Visitor


def listed(visitor: Visitor) -> dict[str, str]:
    """The provinces of a page by their names, each with its words."""
    found = visitor.page.xpath("//li[starts-with(@id, 'province-')]")
    return {one.get("id").removeprefix("province-"): " ".join(one.text_content().split()) for one in found}


def forms(visitor: Visitor) -> dict[str, HtmlElement]:
    """The forms for guards, by the names of their provinces, in the order of the page."""
    return {
        one.get("id").removeprefix("guards-"): one for one in visitor.page.xpath("//form[@class='conquest']")
    }


def looked_at(place, game, name: str) -> Visitor:
    """The page of the turn with what it says of a province."""
    return place.visitor().get(f"{place.link(game)}?province={name}")


def test_every_province_with_symbols_says_what_it_is_and_costs(place):
    game, _ = begun(place, "takeover")
    now = known(place, game)
    for land, price in costs.province_costs(now):
        visitor = looked_at(place, game, str(land.province.first))
        words = " ".join(visitor.page.xpath("//*[@class='dock']")[0].text_content().split())
        assert f"worth {land.province.value}" in words
        assert land.contents in words
        assert all(sentence in words for sentence in (*price.sentences, *price.ways))
        assert bool(forms(visitor)) == price.within
        several = len(land.province.guards)
        assert (f"{several} guards: scores 0" in words) == (several > 1)


def test_every_province_of_the_board_leads_to_its_words(place):
    game, _ = begun(place, "occupy")
    visitor = place.visitor().get(place.link(game))
    links = visitor.page.xpath("//*[local-name()='a'][@data-province]")
    found = {str(one.first) for one in provinces(known(place, game).table) if one.places}
    assert {one.get("href").rpartition("province=")[2] for one in links} == found


def test_a_tag_on_the_board_says_what_a_province_that_would_score_costs(place):
    game = start_game(place.context, "Anna", "Ben", "Cleo")
    advance(place, game, lambda: any(one.price and one.scores for one in list_price_tags(known(place, game))))
    tags = [one for one in list_price_tags(known(place, game)) if one.price is not None and one.scores]
    drawn = (
        place.visitor().get(place.link(game)).page.xpath("//*[@class='tag']/*[local-name()='text']/text()")
    )
    assert drawn == [str(len(one.price)) for one in tags]
    now = known(place, game)
    for tag in tags:
        assert tag.province.holder != now.me
        assert now.hand.covers(tag.price)


def test_who_waits_reads_what_he_could_do_and_gets_no_form(place):
    game, _ = begun(place, "takeover")
    now = known(place, game)
    seat = (now.table.seat + 1) % 3
    visitor = place.visitor().get(place.link(game, seat=seat))
    assert not forms(visitor)
    other = view(place.history(game).position, seat)
    for land, price in costs.province_costs(other):
        assert all(one in listed(visitor)[str(land.province.first)] for one in price.sentences)


def test_nobody_reads_what_another_could_pay(place):
    game, _ = begun(place, "takeover")
    position = place.history(game).position
    waiting = [seat for seat in range(3) if seat != position.table.seat]
    words = [listed(place.visitor().get(place.link(game, seat=seat))) for seat in waiting]
    assert words[0] != words[1]
    for seat in range(3):
        assert view(position, seat).hand != view(position, None).hand


def test_the_first_way_to_each_province_that_can_be_had_is_one_button(place):
    game = start_game(place.context, "Anna", "Ben", "Cleo")
    advance(place, game, lambda: len(list_conquests(known(place, game))) > 2)
    now = known(place, game)
    sieges = {str(one.province.first): one for one in find_sieges(now.table, now.table.seat, now.hand)}
    assert len(sieges) > 2
    for name in sieges:
        visitor = looked_at(place, game, name)
        assert list(forms(visitor)) == [name]
        words = visitor.page.xpath("string(//*[@class='land-panel']/button/@value)")
        before = place.stored()
        visitor.tap(words)
        assert (visitor.status, place.stored()) == (200, before)
        assert ("undo", "1") in visitor.offers()
        visitor.tap("over")


def test_every_way_of_guards_that_can_be_paid_is_a_way_to_tick(place):
    game, conquest = begun(place, "takeover")
    now = known(place, game)
    visitor = looked_at(place, game, conquest.name)
    siege = next(
        one
        for one in find_sieges(now.table, now.table.seat, now.hand)
        if str(one.province.first) == conquest.name
    )
    form = forms(visitor)[conquest.name]
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
    game, conquest = begun(place, "takeover")
    names = [site.name for site in conquest.sites]
    given = {f"give-{symbol}": most for _, symbol, most, _ in conquest.gifts}
    query = urlencode({"place": "takeover", "guard": names[:1], **given}, doseq=True)
    visitor = place.visitor().get(f"{place.link(game)}?{query}")
    assert "Nothing was done" in visitor.text
    assert re.search(r"take back|lacks", visitor.text)
    form = forms(visitor)[conquest.name]
    assert form.xpath("ancestor::details/@open")
    assert form.xpath(".//input[@checked]/@value") == names[:1]
    assert {one.get("name"): int(one.get("value")) for one in form.xpath(".//input[@type='number']")} == given


def test_the_page_says_where_the_sum_is_asked_for(place):
    game, conquest = begun(place, "occupy")
    visitor = looked_at(place, game, conquest.name)
    (address,) = visitor.page.xpath("//details[@id='guards']/@data-sum")
    name = next(site.name for site in conquest.sites if site.ticked)
    answer = visitor.client.get(f"{address}?place=occupy&guard={name}")
    assert answer.status_code == 200
    assert b'class="sum ' in answer.data


def gift_buttons(visitor: Visitor) -> list[tuple[str, str, str]]:
    """The names, values and words of the buttons that hand over something else."""
    found = visitor.page.xpath("//*[@class='gifts-instead']//button")
    return [(str(one.get("name")), str(one.get("value")), str(one.text_content())) for one in found]


def test_the_dock_offers_what_the_loser_of_a_province_could_get_instead(place):
    game = start_game(place.context, "Anna", "Ben", "Cleo")

    def shared() -> list[tuple[Siege, TakeoverGift]]:
        now = known(place, game)
        if now.table.phase is not Phase.ACTIONS:
            return []
        sieges = find_sieges(now.table, now.my_seat, now.hand)
        return [
            (siege, gift) for siege in sieges for step in list_placements(now, siege) for gift in step.gifts
        ]

    advance(place, game, shared)
    siege, gift = shared()[0]
    now = known(place, game)
    action = grammar.read(gift.words, now)
    assert isinstance(action, TakeOver)
    assert gift.cards == format_cards(action.given)
    visitor = looked_at(place, game, str(siege.province.first))
    last = now.table.actions_left == 1
    assert ("play" if last else "do", gift.words, gift.cards) in gift_buttons(visitor)
    visitor.tap(gift.words)
    assert ("took over" in visitor.text) == last
