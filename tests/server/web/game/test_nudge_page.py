"""Whoever waits sees since when, and reminds who is to move by one press, once a day."""

from __future__ import annotations

from datetime import timedelta

from sqlmodel import select

from server.store.models import OutgoingLetter
from tests.server.desk import begin_time, game_row, names_of
from tests.server.web.site import Site

BUTTON = "//form[contains(@action, '/nudge')]"


def reminders(place: Site) -> int:
    with place.context.reading() as session:
        return len(session.exec(select(OutgoingLetter).where(OutgoingLetter.kind == "reminder")).all())


def test_one_press_reminds_who_is_to_move_and_the_button_is_gone_for_a_day(place: Site, game: str) -> None:
    begin_time(place.context, game, place.clock())
    assert not place.visitor().get(place.link(game, seat=1)).page.xpath(BUTTON), "it is too early"
    place.clock.now += timedelta(days=1)
    mover, waiting = names_of(place.context, game)[:2]
    assert game_row(place.context, game).seat == 0
    visitor = place.visitor().get(place.link(game, seat=1))
    assert f"{mover} is waited for since" in visitor.text
    assert visitor.page.xpath(f"string({BUTTON}//button)") == f"Remind {mover}"
    visitor.send(BUTTON)
    assert (visitor.status, visitor.title) == (200, f"{mover} gets a reminder")
    assert reminders(place) == 1
    assert not visitor.get(place.link(game, seat=1)).page.xpath(BUTTON)
    place.clock.now += timedelta(days=1, seconds=1)
    assert place.visitor().get(place.link(game, seat=1)).page.xpath(BUTTON), waiting


def test_pressed_twice_it_is_sent_once_and_without_the_form_never(place: Site, game: str) -> None:
    begin_time(place.context, game, place.clock())
    place.clock.now += timedelta(days=1)
    first, second = (place.visitor().get(place.link(game, seat=1)) for _ in range(2))
    assert first.send(BUTTON).status == 200
    assert second.send(BUTTON).status == 409
    assert "once a day is enough" in second.text
    assert place.visitor().post(f"{place.link(game, seat=1)}/nudge").status == 400
    assert reminders(place) == 1


def test_whose_turn_it_is_has_no_button(place: Site, game: str) -> None:
    begin_time(place.context, game, place.clock())
    assert not place.visitor().get(place.link(game, seat=0)).page.xpath(BUTTON)
