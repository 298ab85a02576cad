"""The pages to read: the rules with all clauses and figures, and the help."""

import re

import pytest

from emails.i18n import Locale, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.terms import USUAL_TIME, TurnTime
from emails.wording.phrases import edition_title
from emails.wording.texts import read_rules
from engine.editions import EDITIONS, differing_rules
from server.lobby.votes import EXTENSION_HOURS
from server.store import load_boards
from server.turn_time import MORNING, NIGHT_BEGINS, NIGHT_ENDS, SHORTEST_RESTED_TURN
from server.web.lobby.public_pages import EXAMPLE_TURN, clause_anchor, link_rules
from tests.emails.wording.test_rules_text import NUMBERS, named_by_refusals
from tests.engine.build import after, position
from tests.server.web.site import Visitor
from tests.spoken import VOCABULARIES, translate_orders


def opened(place, link: str) -> Visitor:
    visitor = place.visitor().get(link)
    assert visitor.status == 200
    return visitor


def said(visitor, where: str) -> str:
    return " ".join(" ".join(str(one.text_content()) for one in visitor.page.xpath(where)).split())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_clause_stands_there_under_its_number(place, language):
    visitor = opened(place, f"/rules?lang={language}")
    for one in read_rules(language).clauses:
        assert one.text in said(visitor, f"//*[@id='{clause_anchor(one.number)}']")
    found = [str(one.get("id")) for one in visitor.page.xpath("//*[@class='clause'][@id]")]
    assert found == [clause_anchor(number) for number in NUMBERS]
    assert len(NUMBERS) == 45
    titles = [said(visitor, f"//section[@id='part-{number}']/h2") for number in "123456789"]
    assert titles == [f"{number} {title}" for number, title in read_rules(language).parts.items()]


def test_every_rule_that_a_refusal_names_has_an_anchor(place):
    ids = set(map(str, opened(place, "/rules").page.xpath("//@id")))
    wanted = named_by_refusals()
    assert {"3.1", "4.9", "5.9", "7"} <= wanted
    assert not {clause_anchor(number) for number in wanted} - ids


def test_a_rule_that_a_sentence_names_becomes_a_link(place):
    with place.app.test_request_context("/"), use_locale(Locale("nl")):
        assert link_rules("kan niet (regel 4.3)") == 'kan niet (<a href="/rules?lang=nl#r4-3">regel 4.3</a>)'
    with place.app.test_request_context("/"), use_locale(Locale("en")):
        assert link_rules("no (rule 5.9) <b>") == 'no (<a href="/rules?lang=en#r5-9">rule 5.9</a>) &lt;b&gt;'
        assert link_rules("rule 7") == '<a href="/rules?lang=en#part-7">rule 7</a>'
        assert link_rules("rule 5.99 and rules 5") == "rule 5.99 and rules 5"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_have_twelve_figures_with_words_and_are_not_too_large(place, language):
    visitor = opened(place, f"/rules?lang={language}")
    figures = visitor.page.xpath("//figure")
    assert len(figures) == 12
    for number, figure in enumerate(figures, 1):
        assert str(number) in str(figure.xpath("string(./figcaption//b)"))
        drawings = figure.xpath(".//svg[@role='img']")
        assert drawings
        assert all(len(one.get("aria-label")) > 40 and one.get("viewbox") for one in drawings)
        assert figure.xpath(f".//*[@id='figure-{number}']")
    assert visitor.answer is not None
    assert len(visitor.answer.get_data()) < 250_000
    assert not visitor.page.xpath("//@style | //main//script")


def test_what_differs_between_the_editions_is_told_of_each_and_ones_own_is_marked(place):
    visitor = opened(place, "/rules")
    titles = " ".join(edition_title(edition) for edition in EDITIONS.values())
    assert titles.startswith("English (rio-grande) Dutch (identity-games)")
    assert {"4.6", "4.8", "7.2"} <= {*differing_rules()}
    for number in differing_rules():
        assert said(visitor, f"//*[@id='{clause_anchor(number)}']//dt") == titles
    assert not visitor.page.xpath("//*[@class='mine']")
    assert "100 points, or with the turn" in said(visitor, "//*[@id='brief']")
    visitor.click("Dutch (identity-games)")
    mine = visitor.page.xpath("//*[@class='mine']")
    named = [str(one.xpath("string(dt)")) for one in mine]
    assert named == ["Dutch (identity-games)"] * len(differing_rules())
    assert "101 points, or with the turn" in said(visitor, "//*[@id='brief']")
    assert not opened(place, "/rules?edition=nonsense").page.xpath("//*[@class='mine']")


def test_the_turn_that_the_help_shows_can_be_played():
    board, hands = load_boards()["Alexandros"], ("lyre amphora temple", "")
    now = position(board, phase="card", hands=hands, display="lyre horse")
    after(now, *EXAMPLE_TURN.split("; "), dice="horse horse")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_names_the_words_of_every_action_in_both_languages(place, language):
    visitor = opened(place, f"/help?lang={language}")
    assert translate_orders("choose lyre", language) in said(visitor, "//pre")
    for code, own in VOCABULARIES.items():
        words = said(visitor, f"//dd[@lang='{code}']")
        assert all(re.search(rf"\b{word}\b", words) for word in own.verbs)


def test_the_help_leads_on_to_all_it_speaks_of(place):
    visitor = opened(place, "/help")
    links = {link for _, link in visitor.links("//main//a")}
    assert {"/rules", "/new", "/games", "/signin", "/api/openapi.json", "/me/browsers"} <= links
    assert {f"mailto:new@{place.context.settings.mail_domain}", "mailto:alexandros@example.org"} <= links
    for link in sorted(links):
        if link.startswith("/"):
            assert place.visitor().get(link).status == 200, link


def test_a_refusal_on_the_page_leads_to_its_rule(place, game):
    visitor = place.look(game, words=f"choose {next(iter(place.table(game).display))}; march Sangala")
    links = [link for words, link in visitor.links("//main//a") if words.startswith("rule ")]
    assert links
    assert all(link.startswith("/rules?lang=en#r4-") for link in links)
    assert visitor.get(links[0]).page.xpath(f"//*[@id='{links[0].partition('#')[2]}']")


def test_help_tells_the_usual_time_as_it_is(place):
    page = said(opened(place, "/help"), "//section[@id='time']")
    assert TurnTime.of_hours(48, 96, 24) == USUAL_TIME
    assert EXTENSION_HOURS == 24
    assert (NIGHT_BEGINS.hour, NIGHT_ENDS.hour, MORNING.hour, SHORTEST_RESTED_TURN) == (22, 8, 9, 12 * 60)
    told = (
        "two days, if nothing is chosen",
        "a reserve for the whole game, then four days",
        "puts one day back",
        "twelve hours or more",
        "from 22:00 to 8:00",
        "ends at 9:00",
        "away until Friday",
        "more time",
        "the turn has 24 hours more at once",
    )
    assert [one for one in told if one not in page] == []
