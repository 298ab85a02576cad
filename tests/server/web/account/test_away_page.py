"""Days away and resignations on their pages: a link adds days, all else takes a sign-in."""

from datetime import date

import pytest

from server.store.models import OutgoingLetter, Resignation, StoredVacation
from server.store.turn_clock import load_availability
from tests.server.desk import ANNA, BEN
from tests.server.web.played import played

DAYS = "//form[@id='days']"
FRIDAY = date(2026, 3, 6)


def away(place, game, *, own):
    visitor = place.signed_in(game) if own else place.visitor()
    return visitor.get(place.link(game, seat=0) + "/away")


def told(place):
    return [(row.first, row.last, row.back_at is not None) for row in place.rows(StoredVacation)]


def add(place, game, first, last):
    return away(place, game, own=False).send(DAYS, first=first, last=last, wish="away")


def test_a_link_alone_tells_days_and_takes_none_back(place, game):
    page = add(place, game, "", "2026-03-06")
    assert "No time runs on your turns on these days." in page.text
    assert told(place) == [(date(2026, 3, 2), FRIDAY, False)]
    assert "To take days back sign in" in page.text
    assert not page.page.xpath("//button[starts-with(@value, 'remove')]")
    before, token = told(place), place.link(game, seat=0)
    for wish in ("remove1", "back", "rest", "x"):
        page.post(token + "/away", wish=wish, nonce=page.nonce())
        assert told(place) == before


@pytest.mark.parametrize(
    ("first", "last", "days"),
    [
        ("2026-03-11", "2026-03-12", (10, 20)),
        ("2026-03-05", "2026-03-15", (5, 20)),
        ("2026-03-15", "2026-03-25", (10, 25)),
        ("2026-03-05", "2026-03-25", (5, 25)),
    ],
)
def test_days_that_a_link_tells_shorten_none_that_were_told(place, game, first, last, days):
    away(place, game, own=True).send(DAYS, first="2026-03-10", last="2026-03-20", wish="away")
    add(place, game, first, last)
    assert told(place) == [(date(2026, 3, days[0]), date(2026, 3, days[1]), False)]


def test_a_link_of_who_was_only_invited_or_has_resigned_tells_no_days(place):
    invited, resigned = place.open_game("Friday", [ANNA, BEN]), place.start_game("Anna", "Ben")
    place.context.resign(resigned, 0, "web")
    for game in (invited, resigned):
        page = place.look(game, "/away", seat=0)
        assert not page.page.xpath(DAYS)
        link = place.link(game, seat=0) + "/away"
        assert page.post(link, last="2026-03-06", wish="away", nonce=page.nonce()).status != 200
        assert told(place) == []


def test_who_tells_days_very_often_waits(place, game):
    place.app.config["LIMITS"]["days-away"] = 1
    add(place, game, "", "2026-03-06")
    assert add(place, game, "", "2026-03-07").status == 429
    assert told(place) == [(date(2026, 3, 2), FRIDAY, False)]


def test_the_page_of_the_game_and_the_list_of_games_say_to_who_is_away_that_they_are(place, game):
    away(place, game, own=True).send(DAYS, last="2026-03-06", wish="away")
    sentence = "You are away until the end of Friday 6 March 2026"
    assert sentence in place.look(game, seat=0).text
    assert sentence not in place.look(game, seat=1).text
    assert sentence in place.signed_in(game, 0).get("/me").text


@pytest.mark.parametrize(
    ("first", "last", "sentence"),
    [("", "", "the last one is needed"), ("", "2026-03-01", "These days have passed")],
)
def test_days_that_cannot_be_kept_are_refused_with_a_sentence(place, game, first, last, sentence):
    visitor = away(place, game, own=True).send(DAYS, first=first, last=last, wish="away")
    assert visitor.status == 422
    assert sentence in visitor.text
    assert told(place) == []


def test_who_is_back_ends_it_and_who_plans_takes_it_back(place, game):
    page = away(place, game, own=True)
    page.send(DAYS, last="2026-03-06", wish="away")
    page = page.send(DAYS, first="2026-04-01", last="2026-04-02", wish="away")
    assert "from Monday 2 March 2026 to Friday 6 March 2026" in page.text
    page = page.send("//form[.//button[@value='back']]", wish="back")
    assert "You are there again" in page.text
    assert [row[2] for row in told(place)] == [True, False]
    [ahead] = place.rows(StoredVacation.id, StoredVacation.back_at == None)  # noqa: E711
    page.send("//form[.//ul]", wish=f"remove{ahead}")
    assert len(told(place)) == 1


def test_sleep_and_days_off_take_a_sign_in_and_are_bounded(place, game):
    assert not away(place, game, own=False).page.xpath("//input[@name='sleeps-from']")
    page = away(place, game, own=True)
    form = "//section[@id='rest']//form"
    rest = {"sleeps-from": "20:00", "sleeps-until": "12:00", "off5": "yes", "off6": "yes", "wish": "rest"}
    assert page.send(form, **rest).status == 422
    rest |= {"sleeps-from": "23:00", "sleeps-until": "07:00"}
    assert "are kept" in page.send(form, **rest).text
    found = place.read(load_availability, place.context.player_of(game), game)
    assert (f"{found.sleeps_from:%H}", f"{found.sleeps_until:%H}", found.days_off) == ("23", "07", {5, 6})


def page(place, game, page: str = "resign") -> str:
    return f"{place.link(game, seat=place.seat(game, 'Anna'))}/{page}"


def menu(visitor) -> list[str]:
    return [words for words, _ in visitor.links("//nav[@class='about']//a")]


def test_who_is_signed_in_resigns_by_two_clicks(place, game):
    anna = place.seat(game, "Anna")
    visitor = place.signed_in(game, anna)
    visitor.get(place.link(game, seat=anna)).click("Resign")
    assert visitor.title == "Do you want to resign?"
    assert place.rows(Resignation.seat) == []
    visitor.press()
    assert (visitor.status, visitor.title) == (200, "You have resigned")
    assert place.rows(Resignation.seat) == [anna]
    visitor.click("To the game")
    assert "You have resigned from this game" in visitor.text
    assert "Resign" not in menu(visitor)
    assert not visitor.offers()
    assert visitor.get(page(place, game)).title.endswith("'s turn")


def test_a_link_of_a_letter_alone_gives_nothing_up_and_mails_one_to_sign_in(place, game):
    visitor = place.visitor().get(page(place, game)).press()
    assert (visitor.status, place.rows(Resignation.seat)) == (200, [])
    assert "A link is on its way to a…@example.org" in visitor.text
    letters = place.rows(OutgoingLetter, OutgoingLetter.kind == "signin")
    assert [one.recipient for one in letters] == ["anna@example.org"]


def test_who_is_signed_in_resigns_no_seat_of_others(place, game):
    place.signed_in(game, place.seat(game, "Ben")).get(page(place, game)).press()
    assert place.rows(Resignation.seat) == []


def test_a_game_that_is_over_is_not_given_up(place):
    game = played(place, "Anna", "Ben")
    visitor = place.signed_in(game, place.seat(game, "Anna"))
    assert "Resign" not in menu(visitor.get(place.link(game, seat=place.seat(game, "Anna"))))
    assert "won with" in visitor.get(page(place, game)).title
