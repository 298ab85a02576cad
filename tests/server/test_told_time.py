"""At each moment letters, pages, API and `when` tell one deadline, by the reader's clock, in outages too.

After each standstill the player to move hears of the new deadline, once.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta

import pytest

from emails.i18n import Locale, use_locale
from emails.wording.phrases import format_deadline, format_remaining
from engine import bots
from server.accounts.vacations import store_rest
from server.delivery.sending import send_due_letters
from server.outbox import chat
from server.outbox.notifications import Pace
from server.store.models import Game
from server.store.states import Channel
from server.turns.play import play_turn
from tests.breadth import first
from tests.server.desk import NOON, Desk, kinds, words_of
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
    return " ".join(words.split())


def let_read(context: Desk, game: str, now: datetime) -> None:
    """Let each of them read in a language of theirs, by their clock, and sleep at night."""
    for name, (language, zone) in READERS.items():
        context.set_preferences(game, name, everywhere=True, now=now, language=language, zone=zone)
        player = context.player_of(game, context.seat_of(game, name))
        with context.changing() as session:
            store_rest(session, player, SLEEP, frozenset({6}), now)


def told_in(words: str, name: str, deadline: datetime, at: datetime) -> list[str]:
    """What is missing where a text should tell a deadline and what is left until it."""
    with use_locale(Locale(*READERS[name])):
        told = format_deadline(deadline), format_remaining(deadline - at)
    return [one for one in told if squeezed(one).casefold() not in words.casefold()]


def pages_of(place: Site, game: str, name: str) -> dict[str, str]:
    """What a player's pages say: the turn, a plan, agreements, being away, and the list of their games."""
    seat = place.context.seat_of(game, name)
    link = place.link(game, seat=seat)
    found = {page: place.visitor().get(link + page).text for page in ("", "/plan", "/agreements", "/away")}
    signed_in = place.signed_in(game, seat)
    return found | {page: signed_in.get(page).text for page in (f"{link}/away", "/me")}


def check_pages(place: Site, game: str, programs: Mapping[str, Bot]) -> None:
    """All pages and the calls of programs tell all readers the same deadline."""
    deadline = place.context.game_row(game).deadline
    assert deadline is not None
    for name in place.context.names_of(game):
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
def test_letters_and_pages_tell_the_same_time_for_a_turn(context, place, carrier, begins, step):
    place.clock.now = begins
    game = context.start_game(*READERS, now=begins)
    let_read(context, game, begins)
    reader = context.mover(game)
    context.set_preferences(game, reader, now=begins, pace=Pace.DAILY, hour=17)
    checked, programs = [], {name: bot(place, game, name) for name in READERS}
    while (at := place.clock.now) < begins + timedelta(days=9):
        seen = len(carrier.to(reader))
        context.work_until_idle(carrier, at)
        row = context.game_row(game)
        if context.mover(game) != reader or row.deadline is None:
            break
        for letter in carrier.to(reader)[seen:]:
            [kind] = kinds([letter])
            if kind == "notice":  # of the keys with which the calls are made
                continue
            assert told_in(words_of(letter), reader, row.deadline, at) == [], kind
            checked.append(kind)
            check_pages(place, game, programs)
        place.clock.forward(step)
    assert checked[0] in ("welcome", "your_turn")
    assert checked.count("reminder") == 2
    assert "digest" in checked


def waited_until(place: Site, game: str, name: str) -> str:
    """What the page of the game tells somebody who waits, of the time of whoever is to move; else empty."""
    page = place.visitor().get(place.link(game, seat=place.context.seat_of(game, name))).page
    said = {"en": "{} has until {}.", "nl": "{} heeft de tijd tot {}."}[READERS[name][0]]
    moments = page.xpath("//p[@class='lede']/time[following-sibling::small]/text()")
    return squeezed(said.format(place.context.mover(game), moments[0])) if moments else ""


def let_chat(context: Desk, game: str, name: str, now: datetime) -> None:
    with context.changing() as session:
        chat.post(
            context, session, session.get_one(Game, game), context.seat_of(game, name), None, "Yes!", now
        )


@pytest.fixture
def heard(context: Desk, place: Site) -> str:
    """A game all of whose players hear of each turn and of each word; they sleep at night."""
    game = context.start_game(*READERS)
    let_read(context, game, NOON)
    context.confirm(*READERS)
    for name in READERS:
        context.set_preferences(game, name, messages=True, moves=True)
    return game


@pytest.mark.breadth
def test_letters_to_those_who_wait_tell_the_time_as_their_page_does(context, place, carrier, heard):
    game, found = heard, set()
    for number in range(1, 4):
        place.clock.forward(7 * number)
        at = place.clock()
        play_turn(context, game, context.game_row(game).after, bots.stand_in, Channel.WEB, at)
        for _ in ("the turn", "a word, 20 minutes later"):
            seen = {name: len(carrier.to(name)) for name in READERS}
            context.work_until_idle(carrier, place.clock())
            for name, many in seen.items():
                for letter in carrier.to(name)[many:]:
                    told = words_of(letter)
                    if name == context.mover(game):
                        assert f"{name} has until" not in told
                        assert f"{name} heeft de tijd tot" not in told
                        continue
                    assert (sentence := waited_until(place, game, name))
                    assert sentence in told, (name, kinds([letter]))
                    found.add((name, *kinds([letter])))
            place.clock.forward(1 / 3)
            let_chat(context, game, context.mover(game), place.clock())
        context.work_until_idle(carrier, place.clock())
    assert {kind for _, kind in found} >= {"news", "message"}
    assert {name for name, _ in found} == set(READERS)


def test_where_no_time_runs_no_letter_tells_those_who_wait_of_any(context, place, carrier, heard):
    """In a pause, and while the letter of the turn has not left for long."""
    game, late = heard, context.mover(heard)
    context.work_until_idle(carrier, NOON)
    [name, *_] = (one for one in READERS if one != late)

    def tells_time(at: datetime) -> bool:
        place.clock.now = at
        seen = len(carrier.to(name))
        let_chat(context, game, late, at)
        context.work_until_idle(carrier, at)
        [letter] = carrier.to(name)[seen:]
        sentence = waited_until(place, game, name)
        assert not sentence or sentence in words_of(letter)
        told = "has until" in words_of(letter) or "heeft de tijd tot" in words_of(letter)
        assert told == bool(sentence)
        return told

    assert tells_time(NOON + timedelta(hours=1))
    all_pause(context, game, NOON + timedelta(hours=2))
    assert not tells_time(NOON + timedelta(hours=3))


def test_nobody_is_told_until_when_a_player_of_the_house_has_time(context, place, carrier):
    """Its turn takes moments, and waits for nobody."""
    game = context.start_game("Anna", "house:easy")
    context.confirm("Anna")
    anna = context.seat_of(game, "Anna")
    if context.game_row(game).seat == anna:
        play_turn(context, game, context.game_row(game).after, bots.stand_in, Channel.REPLY, NOON)
    send_due_letters(context, carrier, NOON)
    assert carrier.to("Anna")
    assert context.game_row(game).seat != anna
    page = place.visitor().get(place.link(game, seat=anna)).text
    assert f"It is {context.mover(game)}'s turn" in page
    for told in (page, *map(words_of, carrier.mails)):
        assert "has until" not in told


def test_every_page_that_tells_of_a_pause_tells_its_end_by_the_clock_of_its_reader(context, place):
    game = context.start_timed_game(*READERS)
    let_read(context, game, NOON)
    until = NOON + timedelta(days=3, hours=7, minutes=13)
    pauses(context, game, 0, NOON, until)

    def check(names: Sequence[str], *pages: str) -> None:
        for name in names:
            link = place.link(game, seat=context.seat_of(game, name))
            with use_locale(Locale(*READERS[name])):
                told = squeezed(format_deadline(until))
            for page in pages:
                assert told in place.visitor().get(link + page).text, (name, page)

    check(context.names_of(game)[1:], "/agreements")  # it is asked for, and begins with the last yes
    for seat in range(1, len(READERS)):
        pauses(context, game, seat, NOON, until)
    check(context.names_of(game), "", "/agreements")
