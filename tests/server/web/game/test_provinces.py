"""Provinces on a page: what each is and costs, the forms for guards, and the sum of guards and cards."""

import re
from itertools import islice
from urllib.parse import urlencode

import pytest
from lxml import html
from lxml.html import HtmlElement

from emails.wording import costs
from emails.wording.costs import NOT_YOUR_ACTIONS
from emails.wording.options import Option, conquest_options
from emails.wording.phrases import format_cards
from engine.actions import TakeOver
from engine.cards import SYMBOLS
from engine.notation import grammar
from engine.position import Phase, view
from engine.provinces import Siege, conquests, find_sieges
from server.web.game.dock import list_price_tags
from server.web.game.preview import Conquest
from tests.breadth import first
from tests.server.beginnings import begin_once
from tests.server.desk import ANNA, BEN, Collector
from tests.server.web.played import advance, known, list_conquests
from tests.server.web.site import Visitor


def forms(visitor) -> dict[str, HtmlElement]:
    """The forms for guards, by the names of their provinces, in the order of the page."""
    found = visitor.page.xpath("//form[@class='conquest']")
    return {one.get("id").removeprefix("guards-"): one for one in found}


def looked_at(place, game, name: str) -> Visitor:
    """The page of the turn with what it says of a province."""
    return place.look(game, f"?province={name}")


def test_every_province_with_symbols_says_what_it_is_and_costs(place):
    game, _ = begun(place, "takeover")
    now = known(place, game)
    for land, price in costs.province_costs(now):
        visitor = looked_at(place, game, str(land.province.first))
        words = " ".join(visitor.page.xpath("//*[@class='dock']")[0].text_content().split())
        assert f"worth {land.province.value}" in words
        assert land.contents in words
        ways = (said for way in price.ways for said in (way.title, way.detail))
        assert all(sentence in words for sentence in (*price.sentences, *ways))
        assert bool(forms(visitor)) == bool(price.ways)
        several = len(land.province.guards)
        assert (f"{several} guards: scores 0" in words) == (several > 1)


def test_a_tag_on_the_board_says_what_a_province_that_would_score_costs(place):
    game = place.start_game("Anna", "Ben", "Cleo")
    advance(place, game, lambda now: any(price for _, price in list_price_tags(now)))
    now = known(place, game)
    tags = list_price_tags(now)
    drawn = place.look(game).page.xpath("//*[@class='tag']/*[local-name()='text']/text()")
    assert drawn == [str(len(price)) for _, price in tags]
    for province, price in tags:
        assert province.holder != now.me
        assert now.hand.covers(price)


def test_who_waits_reads_what_he_could_do_and_gets_no_form(place):
    game, _ = begun(place, "takeover")
    now = known(place, game)
    seat = (now.table.seat + 1) % 3
    visitor = place.look(game, seat=seat)
    assert not forms(visitor)
    other = view(place.position(game), seat)
    for land, price in costs.province_costs(other):
        [told] = visitor.page.xpath(f"//li[@id='province-{land.province.first}']")
        assert all(one in " ".join(told.text_content().split()) for one in price.sentences)


def test_the_first_way_to_each_province_that_can_be_had_is_one_button(place):
    game = place.start_game("Anna", "Ben", "Cleo")
    advance(place, game, lambda now: len(list_conquests(now)) > 2)
    names = sieges_by_name(known(place, game))
    assert len(names) > 2
    for name in names:
        visitor = looked_at(place, game, name)
        assert list(forms(visitor)) == [name]
        words = visitor.page.xpath("string(//*[@class='land-panel']/button/@value)")
        before = place.stored()
        visitor.tap(words)
        assert (visitor.status, place.stored()) == (200, before)
        assert ("undo", "1") in visitor.offers()
        visitor.tap("over")


def sieges_by_name(now) -> dict[str, Siege]:
    return {str(one.province.first): one for one in find_sieges(now.table, now.table.seat, now.hand)}


def test_every_way_of_guards_that_can_be_paid_is_a_way_to_tick(place):
    game, conquest = begun(place, "takeover")
    now = known(place, game)
    siege = sieges_by_name(now)[conquest.name]
    form = forms(looked_at(place, game, conquest.name))[conquest.name]
    boxes = {one.get("value"): one.get("data-space") for one in form.xpath(".//input[@type='checkbox']")}
    names = now.table.board.names
    assert boxes == {names[space]: str(space) for space in siege.province.places}
    for guards in siege.guard_places(now.table):
        assert {names[space] for space in guards} <= set(boxes)


def test_a_form_that_does_not_fit_comes_back_as_it_was_sent(place):
    game, conquest = begun(place, "takeover")
    names = [site.name for site in conquest.sites]
    given = {f"give-{symbol}": most for _, symbol, most, _ in conquest.gifts}
    query = urlencode({"place": "takeover", "guard": names[:1], **given}, doseq=True)
    visitor = place.look(game, f"?{query}")
    assert "Nothing was done" in visitor.text
    assert re.search(r"take back|lacks", visitor.text)
    form = forms(visitor)[conquest.name]
    assert form.xpath("ancestor::details/@open")
    assert form.xpath(".//input[@checked]/@value") == names[:1]
    assert {one.get("name"): int(one.get("value")) for one in form.xpath(".//input[@type='number']")} == given


def test_the_dock_offers_what_the_loser_of_a_province_could_get_instead(place):
    game = place.start_game("Anna", "Ben", "Cleo")

    def shared(now) -> list[tuple[Siege, Option]]:
        if now.table.phase is not Phase.ACTIONS:
            return []
        sieges = find_sieges(now.table, now.my_seat, now.hand)
        steps = ((siege, step) for siege in sieges for step in conquest_options(now, siege)[:1])
        return [(siege, gift) for siege, step in steps for gift in step.others]

    advance(place, game, shared)
    now = known(place, game)
    siege, gift = shared(now)[0]
    action = grammar.read(gift.words, now)
    assert isinstance(action, TakeOver)
    assert gift.gift == format_cards(action.given)
    visitor = looked_at(place, game, str(siege.province.first))
    last = now.table.actions_left == 1
    found = visitor.page.xpath("//*[@class='gifts-instead']//button")
    offered = [(one.get("name"), one.get("value"), one.text_content()) for one in found]
    assert ("play" if last else "do", gift.words, gift.gift) in offered
    visitor.tap(gift.words)
    assert ("took over" in visitor.text) == last


def begun(place, verb) -> tuple[str, Conquest]:
    """A game in which a province can be occupied or taken over, and that province."""

    def advanced() -> str:
        game = place.start_game("Anna", "Ben", "Cleo")
        advance(place, game, lambda now: verb in [one.verb for one in list_conquests(now)])
        return game

    game = begin_once(place.context, Collector(), advanced, verb)
    return game, next(one for one in list_conquests(known(place, game)) if one.verb == verb)


def asked(place, game, query, **more) -> tuple[bool, str]:
    """Whether what was asked for fits, and the words of the answer."""
    answer = place.visitor().client.get(f"{place.link(game, **more)}/sum?{query}")
    assert answer.status_code == 200
    piece = html.fromstring(answer.get_data(as_text=True))
    return piece.get("class") == "sum fits", " ".join(str(piece.text_content()).split())


def guards(conquest) -> str:
    return "&".join(f"guard={site.name}" for site in conquest.sites if site.ticked)


def test_the_sum_of_an_occupation_says_what_is_paid_and_kept(place):
    game, conquest = begun(place, "occupy")
    fits, said = asked(place, game, f"place=occupy&{guards(conquest)}")
    assert fits
    assert said.startswith("Costs ")
    assert "You keep" in said or "Your hand is then empty" in said


def test_the_sum_of_a_takeover_proposes_cards_and_says_when_others_do_not_fit(place):
    game, conquest = begun(place, "takeover")
    fits, said = asked(place, game, f"place=takeover&{guards(conquest)}")
    assert fits
    assert f"{conquest.loser} gets" in said
    chosen = "&".join(f"give-{symbol}={given}" for _, symbol, _, given in conquest.gifts)
    assert asked(place, game, f"place=takeover&{guards(conquest)}&{chosen}") == (fits, said)
    none = "&".join(f"give-{symbol}=0" for _, symbol, _, _ in conquest.gifts)
    fits, said = asked(place, game, f"place=takeover&{guards(conquest)}&{none}")
    assert not fits
    assert "more." in said


def test_what_fits_is_what_the_game_takes(place):
    game, conquest = begun(place, "takeover")
    now = known(place, game)
    for action in islice(conquests(now.table, sieges_by_name(now)[conquest.name]), 12):
        assert isinstance(action, TakeOver)
        names = "&".join(f"guard={now.table.board.names[space]}" for space in action.guards)
        given = "&".join(f"give-{symbol}={action.given[symbol]}" for symbol in SYMBOLS)
        assert asked(place, game, f"place=takeover&{names}&{given}")[0]
        assert place.look(game, f"?place=takeover&{names}&{given}").title == "Shall this be done?"


IMPOSSIBLE = [
    ("", NOT_YOUR_ACTIONS),
    ("place=levy&guard=Troy", NOT_YOUR_ACTIONS),
    ("place=occupy", "Choose where your guard"),
    ("place=occupy&guard=Nowhere", "There is no symbol space “Nowhere” on this board."),
    ("place=occupy&guard=%3Cb%3E&guard=%00", "There is no symbol space “<b>” on this board."),
    ("place=occupy&guard=Troy&guard=Troy", "there can be only one guard on a space"),
    ("place=takeover&guard=Troy", "that province is free"),
    ("place=takeover&guard=Troy&give-x=9999&give-horse=99999999999&give-lyre=-1", "that province is free"),
    ("place=occupy&" + "&".join(["guard=Troy"] * 500), "only one guard"),
]


@pytest.mark.parametrize(("query", "words"), first(5, IMPOSSIBLE))
def test_what_cannot_be_is_a_sentence(place, query, words):
    game, _ = begun(place, "occupy")
    fits, said = asked(place, game, query)
    assert not fits
    assert words.casefold() in said.casefold()


def test_a_long_name_is_cut_and_a_strange_one_escaped(place):
    game, _ = begun(place, "occupy")
    answer = place.visitor().client.get(f"{place.link(game)}/sum?place=occupy&guard=<script>{'x' * 4000}")
    assert b"<script>" not in answer.data
    assert len(answer.data) < 1000


def test_others_and_those_who_have_not_marched_are_told_to_wait(place):
    game = place.start_game("Anna", "Ben", "Cleo")
    wait = (False, NOT_YOUR_ACTIONS)
    assert [asked(place, game, "place=occupy&guard=Troy", seat=seat) for seat in range(3)] == [wait] * 3
    advance(place, game, list_conquests)
    other = (place.table(game).seat + 1) % 3
    assert asked(place, game, "place=occupy&guard=Troy", seat=other) == wait


def test_an_old_ticket_asks_about_the_game_as_it_is_now(place):
    game, conquest = begun(place, "occupy")
    seat = known(place, game).table.seat
    fits, _ = asked(place, game, f"place=occupy&{guards(conquest)}", seat=seat, after=1)
    assert fits


def test_a_game_that_waits_for_its_players_has_no_sum(place):
    game = place.open_game("Friday", [ANNA, BEN])
    assert asked(place, game, "place=occupy&guard=Troy", seat=0, after=0) == (False, NOT_YOUR_ACTIONS)
