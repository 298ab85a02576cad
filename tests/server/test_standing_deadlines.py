"""Letter, page, list of games, API and `when` name the deadline that counts, also while our mail is down.

After each standstill the player to move hears of the new one, once.
"""

import re
from datetime import datetime, timedelta
from email.message import EmailMessage
from itertools import count
from random import Random

import pytest

from emails.i18n import Locale, use_locale
from emails.wording.deadlines import format_deadline
from server.clock import give_back_downtime, tick
from server.delivery.relay import RelayRecord
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, intake
from server.outbox.outages import end_absence
from server.store.models import Game
from server.store.schedule import read_moment, write_moment
from server.store.states import MomentName
from server.store.turn_clock import shown_deadline
from tests.faults.rooms import AwayRelay
from tests.server.desk import (
    NOON,
    Collector,
    body,
    changing,
    game_row,
    mover,
    start_timed_game,
    work_until_idle,
)
from tests.server.web.account.test_my_games_page import as_player
from tests.server.web.bots import bot
from tests.server.web.site import site

HOUR = timedelta(hours=1)
TIME = re.compile(r'<time datetime="([^"]+)"')
DOWN = "our mail is down: no time runs"
TOLD = "Your turn has got more time: until"
OF_THE_GAME = ("welcome", "your_turn", "shown", "message")
NUMBERS = count()
"""Of mails."""
ABSENCES = [MomentName.RELAY_AWAY, MomentName.MAILBOX_AWAY]


@pytest.fixture
def place(tmp_path):
    return site(tmp_path)


@pytest.fixture
def carrier():
    return Collector()


@pytest.fixture
def game(place, carrier):
    game = start_timed_game(place.context, "Anna", "Ben")
    work_until_idle(place.context, carrier, NOON)
    with changing(place.context) as session:
        write_moment(session, MomentName.HEARTBEAT, NOON)
    return game


def go_away(place, name):
    with changing(place.context) as session:
        write_moment(session, name, place.clock())


def come_back(place, name):
    with place.context.reading() as session:
        known = read_moment(session, name)
    if known is not None:
        tick(place.context, place.clock())


def minutes(moment):
    return moment.replace(second=0, microsecond=0)


def named_on_pages(place, game, name):
    """The deadlines that the pages and the API name to the player to move."""
    page = place.visitor().get(place.link(game))
    [at] = TIME.findall(page.answer.text.partition('id="time"')[2].partition("</p>")[0])
    mine = as_player(place, name).get("/me")
    row = mine.answer.text.partition('<li class="turn">')[2].partition("</p>\n")[0]
    listed = TIME.findall(row.partition("whose")[2])[0]
    program = bot(place, game, name)
    shown, summary = program.get(f"games/{game}").json, program.get("games").json["games"][0]
    assert shown["stands_still"] == summary["stands_still"] == (DOWN in page.text) == (DOWN in mine.text)
    return {
        minutes(datetime.fromisoformat(one)) for one in (at, listed, shown["deadline"], summary["deadline"])
    }


def ask_when(place, carrier, name):
    last = next(mail for mail in reversed(carrier.to(name)) if mail["X-Alexandros"] in OF_THE_GAME)
    mail = EmailMessage()
    mail["From"], mail["To"] = str(last["To"]), str(last["Reply-To"])
    mail["Message-ID"] = f"<{next(NUMBERS)}@client.example.org>"
    mail.set_content("when\n")
    envelope = f"{name.lower()}@example.org"
    intake.store_mail(place.context, envelope, str(mail["To"]), bytes(mail), place.clock())
    dispatch.process_waiting_mail(place.context, place.clock())
    send_due_letters(place.context, carrier, place.clock())
    answers = [mail for mail in carrier.to(name) if mail["X-Alexandros"] == "shown"]
    return " ".join(body(answers[-1]).split())


def counting(place, game):
    with place.context.reading() as session:
        return minutes(shown_deadline(session, session.get_one(Game, game), place.clock()))


def written(moment):
    with use_locale(Locale("en", "UTC")):
        return format_deadline(moment)


@pytest.mark.parametrize("name", ABSENCES)
def test_while_mail_is_down_the_deadline_moves_on_wherever_it_stands(place, game, name):
    whose, told = mover(place.context, game), game_row(place.context, game).deadline
    place.clock.now = NOON + 20 * HOUR
    go_away(place, name)
    assert named_on_pages(place, game, whose) == {told}
    place.clock.now = NOON + 50 * HOUR
    assert named_on_pages(place, game, whose) == {told + 30 * HOUR}
    assert DOWN in place.visitor().get(place.link(game)).text


def test_a_letter_that_leaves_then_says_so(place, game, carrier):
    whose, told = mover(place.context, game), game_row(place.context, game).deadline
    go_away(place, MomentName.MAILBOX_AWAY)
    place.clock.now = NOON + 10 * HOUR
    answer = ask_when(place, carrier, whose)
    assert written(told + 10 * HOUR) in answer
    assert "Our mail is down just now: no time runs until it works again." in answer


def test_the_first_letter_after_the_relay_was_away_names_the_new_deadline(place, game, carrier):
    whose, told = mover(place.context, game), game_row(place.context, game).deadline
    place.clock.now = NOON + 47 * HOUR
    go_away(place, MomentName.RELAY_AWAY)
    place.clock.now = NOON + 69 * HOUR
    answer = ask_when(place, carrier, whose)
    assert written(told + 22 * HOUR) in answer
    assert written(told) not in answer


def step(rng, place, game, carrier):
    """One thing that happens to a server and to the player to move."""
    name = rng.choice(ABSENCES)
    match rng.randrange(5):
        case 0:
            if not is_away(place, name):
                go_away(place, name)
        case 1:
            place.clock.now += rng.uniform(0.1, 30) * HOUR
            give_back_downtime(place.context, place.clock())
        case 2:
            come_back_from(place, name)
        case _:
            place.clock.now += rng.uniform(0.01, 9) * HOUR
            write_heartbeat(place)
    if not is_away(place, MomentName.RELAY_AWAY):
        send_due_letters(place.context, carrier, place.clock())


def write_heartbeat(place):
    with changing(place.context) as session:
        write_moment(session, MomentName.HEARTBEAT, place.clock())


def is_away(place, name):
    with place.context.reading() as session:
        return read_moment(session, name) is not None


def come_back_from(place, name):
    with changing(place.context) as session:
        end_absence(place.context, session, name, place.clock())


@pytest.mark.parametrize("seed", range(4))
def test_in_every_state_all_name_the_same_deadline(place, game, carrier, seed):
    rng, whose = Random(seed), mover(place.context, game)
    for _ in range(8):
        step(rng, place, game, carrier)
        deadline = counting(place, game)
        if deadline <= place.clock():
            break
        assert named_on_pages(place, game, whose) == {deadline}
        if not is_away(place, MomentName.RELAY_AWAY):
            assert written(deadline) in ask_when(place, carrier, whose)
            assert counting(place, game) == deadline


def times_told(carrier, name):
    return sum(TOLD in " ".join(body(mail).split()) for mail in carrier.to(name))


def test_after_the_server_was_down_the_player_to_move_hears_the_new_deadline_once(place, game, carrier):
    whose, other = mover(place.context, game), {"Anna", "Ben"} - {mover(place.context, game)}
    told, now = game_row(place.context, game).deadline, NOON + 71 * HOUR
    give_back_downtime(place.context, now)
    work_until_idle(place.context, carrier, now)
    letter = " ".join(body(carrier.to(whose)[-1]).split())
    assert f"{TOLD} {written(game_row(place.context, game).deadline)}" in letter
    assert game_row(place.context, game).deadline == told + 71 * HOUR
    give_back_downtime(place.context, now + timedelta(minutes=1))
    work_until_idle(place.context, carrier, now + timedelta(minutes=1))
    assert times_told(carrier, whose) == 1
    assert times_told(carrier, *other) == 0


def test_a_short_stop_is_not_told(place, game, carrier):
    give_back_downtime(place.context, NOON + timedelta(minutes=9))
    work_until_idle(place.context, carrier, NOON + timedelta(minutes=9))
    assert times_told(carrier, mover(place.context, game)) == 0


@pytest.mark.parametrize("name", ABSENCES)
def test_so_they_do_after_mail_was_down(place, game, carrier, name):
    whose, told = mover(place.context, game), game_row(place.context, game).deadline
    go_away(place, name)
    place.clock.now = NOON + 22 * HOUR
    come_back(place, name)
    assert not is_away(place, name)
    work_until_idle(place.context, carrier, place.clock())
    assert game_row(place.context, game).deadline == told + 22 * HOUR
    assert times_told(carrier, whose) == 1


def test_a_letter_that_waited_for_the_relay_tells_it_and_no_other_comes(place, game, carrier):
    whose, away = mover(place.context, game), AwayRelay()
    away.is_away = True
    place.clock.now = NOON + 25 * HOUR
    work_until_idle(place.context, away, place.clock())
    place.clock.now = NOON + 44 * HOUR
    work_until_idle(place.context, carrier, place.clock())
    assert not is_away(place, MomentName.RELAY_AWAY)
    letters = carrier.to(whose)[-2:]
    assert [str(mail["X-Alexandros"]) for mail in letters] == ["your_turn", "reminder"]
    assert written(game_row(place.context, game).deadline) in " ".join(body(letters[-1]).split())


def test_of_two_standstills_in_a_row_the_last_deadline_is_told(place, game, carrier):
    whose = mover(place.context, game)
    give_back_downtime(place.context, NOON + 5 * HOUR)
    give_back_downtime(place.context, NOON + 9 * HOUR)
    work_until_idle(place.context, carrier, NOON + 9 * HOUR)
    assert times_told(carrier, whose) == 1
    assert written(game_row(place.context, game).deadline) in " ".join(body(carrier.to(whose)[-1]).split())


def test_a_relay_that_puts_off_one_letter_is_away_until_it_takes_one():
    record = RelayRecord()
    record.note_taken(1)
    change = record.note_refused("anna@example.org", 2, "450 later", final=False)
    assert change is not None
    assert change.away
    assert not change.refuses_all
    back = record.note_taken(2)
    assert back is not None
    assert not back.away


def test_a_letter_that_is_put_off_while_others_are_taken_tells_nothing_of_the_relay():
    record = RelayRecord()
    record.note_refused("anna@example.org", 1, "452 mailbox full", final=False)
    record.note_taken(2)
    assert record.note_refused("anna@example.org", 1, "452 mailbox full", final=False) is None
    assert record.seconds_away == 0
    assert record.note_refused("ben@example.org", 3, "450 later", final=False).away
