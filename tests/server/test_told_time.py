"""At one moment all letters and pages tell the same time for a turn, to the minute, by the reader's clock."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta

import pytest

from emails.i18n import Locale, use_locale
from emails.wording.deadlines import format_deadline, format_remaining
from engine import bots
from server.accounts.vacations import store_rest
from server.delivery.sending import send_due_letters
from server.outbox import chat
from server.outbox.preferences import Pace
from server.store.context import Context
from server.store.game_terms import SeatRequest
from server.store.models import Game, Seating
from server.store.states import Channel
from server.turns.play import play_turn
from tests.breadth import first
from tests.server.desk import (
    NOON,
    Collector,
    body,
    changing,
    confirm,
    game_row,
    kinds,
    mover,
    names_of,
    open_game,
    seat_of,
    set_preferences,
    start_game,
    start_timed_game,
    work_until_idle,
)
from tests.server.lobby.voting import all_pause, pauses
from tests.server.web.bots import Bot, bot
from tests.server.web.site import Site

READERS = {
    "Anna": ("nl", "Europe/Amsterdam"),
    "Ben": ("en", "Asia/Kathmandu"),
    "Cleo": ("nl", "America/St_Johns"),
    "Dirk": ("en", "Pacific/Auckland"),
}
"""Zones whose clocks do not differ by whole hours, and such as change to summer time and from it."""
SLEEP = time(22), time(7)
BEGINNINGS = NOON, NOON + timedelta(days=26)


def squeezed(words: str) -> str:
    return " ".join(words.replace("\u00a0", " ").split())


def let_read(context: Context, game: str, now: datetime) -> None:
    """Let each of them read in a language of theirs, by their clock, and sleep at night."""
    for name, (language, zone) in READERS.items():
        set_preferences(context, game, name, everywhere=True, now=now, language=language, zone=zone)
        with changing(context) as session:
            player = session.get_one(Seating, (game, seat_of(context, game, name))).player
            assert player is not None
            store_rest(session, player, SLEEP, frozenset({6}), now)


def told_in(words: str, name: str, deadline: datetime, at: datetime) -> list[str]:
    """What is missing where a text should tell a deadline and what is left until it."""
    with use_locale(Locale(*READERS[name])):
        told = format_deadline(deadline), format_remaining(deadline - at)
    text = squeezed(words).casefold()
    return [one for one in told if squeezed(one).casefold() not in text]


def programs_of(place: Site, game: str) -> dict[str, Bot]:
    return {name: bot(place, game, name) for name in READERS}


def pages_of(place: Site, game: str, name: str) -> dict[str, str]:
    """What a player's pages say: the turn, a plan, agreements, being away, and the list of their games."""
    seat = seat_of(place.context, game, name)
    link = place.link(game, seat=seat)
    return {
        "turn": place.visitor().get(link).text,
        "plan": place.visitor().get(f"{link}/plan").text,
        "agreements": place.visitor().get(f"{link}/agreements").text,
        "away": place.visitor().get(f"{link}/away").text,
        "away, signed in": place.signed_in(game, seat).get(f"{link}/away").text,
        "me": place.signed_in(game, seat).get("/me").text,
    }


def check_pages(place: Site, game: str, programs: Mapping[str, Bot]) -> None:
    """All pages and the calls of programs tell all readers the same deadline."""
    deadline = game_row(place.context, game).deadline
    assert deadline is not None
    for name in names_of(place.context, game):
        for page, words in pages_of(place, game, name).items():
            assert told_in(words, name, deadline, place.clock()) == [], (name, page)
            assert told_in(words, name, deadline + timedelta(minutes=1), place.clock()), (name, page)
        said = programs[name].get(f"games/{game}").json
        assert said is not None
        assert datetime.fromisoformat(said["deadline"]) == deadline
        [listed] = (one for one in programs[name].get("games").json["games"] if one["game"] == game)
        assert datetime.fromisoformat(listed["deadline"]) == deadline


@pytest.mark.breadth
@pytest.mark.parametrize(
    ("begins", "step"),
    first(1, [(BEGINNINGS[0], 1), *((begins, 0.25) for begins in BEGINNINGS)]),
    ids=["winter by the hour", "winter", "change"],
)
def test_letters_and_pages_tell_the_same_time_for_a_turn(context, begins, step):
    place, carrier = Site(context), Collector()
    place.clock.now = begins
    game = start_game(context, *READERS, now=begins)
    let_read(context, game, begins)
    reader = mover(context, game)
    set_preferences(context, game, reader, now=begins, pace=Pace.DAILY, hour=17)
    checked, programs = [], programs_of(place, game)
    while (at := place.clock.now) < begins + timedelta(days=9):
        seen = len(carrier.to(reader))
        work_until_idle(context, carrier, at)
        row = game_row(context, game)
        if mover(context, game) != reader or row.deadline is None:
            break
        for letter in carrier.to(reader)[seen:]:
            [kind] = kinds([letter])
            if kind == "notice":  # of the keys with which the calls are made
                continue
            assert told_in(body(letter), reader, row.deadline, at) == [], kind
            checked.append(kind)
            check_pages(place, game, programs)
        place.clock.forward(step)
    assert checked[0] in ("welcome", "your_turn")
    assert checked.count("reminder") == 2
    assert "digest" in checked


def waited_until(place: Site, game: str, name: str) -> str:
    """What the page of the game tells somebody who waits, of the time of whoever is to move; else empty."""
    page = place.visitor().get(place.link(game, seat=seat_of(place.context, game, name))).page
    said = {"en": "{} has until {}.", "nl": "{} heeft de tijd tot {}."}[READERS[name][0]]
    moments = page.xpath("//p[@class='lede']/time[following-sibling::small]/text()")
    return squeezed(said.format(mover(place.context, game), moments[0])) if moments else ""


def let_chat(context: Context, game: str, name: str, now: datetime) -> None:
    with changing(context) as session:
        chat.post(
            context, session, session.get_one(Game, game), seat_of(context, game, name), None, "Yes!", now
        )


@pytest.fixture
def heard(context: Context) -> tuple[Site, str, Collector]:
    """A game all of whose players hear of each turn and of each word; they sleep at night."""
    place = Site(context)
    game = start_game(context, *READERS)
    let_read(context, game, NOON)
    confirm(context, *READERS)
    for name in READERS:
        set_preferences(context, game, name, messages=True, moves=True)
    return place, game, Collector()


@pytest.mark.breadth
def test_letters_to_those_who_wait_tell_the_time_as_their_page_does(context, heard):
    place, game, carrier = heard
    found = set()
    for number in range(1, 4):
        place.clock.forward(7 * number)
        at = place.clock()
        play_turn(context, game, game_row(context, game).after, bots.stand_in, Channel.WEB, at)
        for _ in ("the turn", "a word, 20 minutes later"):
            seen = {name: len(carrier.to(name)) for name in READERS}
            work_until_idle(context, carrier, place.clock())
            for name, many in seen.items():
                for letter in carrier.to(name)[many:]:
                    told = squeezed(body(letter))
                    if name == mover(context, game):
                        assert f"{name} has until" not in told
                        assert f"{name} heeft de tijd tot" not in told
                        continue
                    assert (sentence := waited_until(place, game, name))
                    assert sentence in told, (name, kinds([letter]))
                    found.add((name, *kinds([letter])))
            place.clock.forward(1 / 3)
            let_chat(context, game, mover(context, game), place.clock())
        work_until_idle(context, carrier, place.clock())
    assert {kind for _, kind in found} >= {"news", "message"}
    assert {name for name, _ in found} == set(READERS)


def test_where_no_time_runs_no_letter_tells_those_who_wait_of_any(context, heard):
    """In a pause, and while the letter of the turn has not left for long."""
    place, game, carrier = heard
    work_until_idle(context, carrier, NOON)
    late = mover(context, game)
    [name, *_] = (one for one in READERS if one != late)

    def tells_time(at: datetime) -> bool:
        place.clock.now = at
        seen = len(carrier.to(name))
        let_chat(context, game, late, at)
        work_until_idle(context, carrier, at)
        [letter] = carrier.to(name)[seen:]
        sentence = waited_until(place, game, name)
        assert not sentence or sentence in squeezed(body(letter))
        told = "has until" in squeezed(body(letter)) or "heeft de tijd tot" in squeezed(body(letter))
        assert told == bool(sentence)
        return told

    assert tells_time(NOON + timedelta(hours=1))
    all_pause(context, game, NOON + timedelta(hours=2))
    assert not tells_time(NOON + timedelta(hours=3))


def test_nobody_is_told_until_when_a_player_of_the_house_has_time(context):
    """Its turn takes moments, and waits for nobody."""
    place, carrier = Site(context), Collector()
    seats = [SeatRequest.read(one) for one in ("Anna <anna@example.org>", "house:easy")]
    game = open_game(context, "Friday", seats, NOON, hours=48, at_once=True)
    confirm(context, "Anna")
    anna = seat_of(context, game, "Anna")
    if game_row(context, game).seat == anna:
        play_turn(context, game, game_row(context, game).after, bots.stand_in, Channel.REPLY, NOON)
    send_due_letters(context, carrier, NOON)
    assert carrier.to("Anna")
    assert game_row(context, game).seat != anna
    page = place.visitor().get(place.link(game, seat=anna)).text
    assert f"It is {mover(context, game)}'s turn" in page
    for told in (page, *(body(mail) for mail in carrier.mails)):
        assert "has until" not in squeezed(told)


def test_every_page_that_tells_of_a_pause_tells_its_end_by_the_clock_of_its_reader(context):
    place = Site(context)
    game = start_timed_game(context, *READERS)
    let_read(context, game, NOON)
    until = NOON + timedelta(days=3, hours=7, minutes=13)
    pauses(context, game, 0, NOON, until)
    for name in names_of(context, game)[1:]:  # it is asked for, and begins with the last yes
        seat = seat_of(context, game, name)
        with use_locale(Locale(*READERS[name])):
            told = squeezed(format_deadline(until))
        assert told in squeezed(place.visitor().get(f"{place.link(game, seat=seat)}/agreements").text), name
    for seat in range(1, len(READERS)):
        pauses(context, game, seat, NOON, until)
    for name in names_of(context, game):
        link = place.link(game, seat=seat_of(context, game, name))
        with use_locale(Locale(*READERS[name])):
            told = squeezed(format_deadline(until))
        for page in ("", "/agreements"):
            assert told in squeezed(place.visitor().get(link + page).text), (name, page)
