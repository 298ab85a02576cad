"""A program tells when its player sleeps, is off, is away and wants to be reminded."""

from datetime import UTC, date, datetime, timedelta

import pytest

from server.accounts.vacations import take_vacation
from server.cli.console import LINE
from server.outbox.notifications import load_preferences
from server.store.turn_clock import unavailable_times_of
from tests.server.desk import NOON
from tests.server.web.bots import Bot, bots, problem

REST = {"zone": "Europe/Amsterdam", "sleeps": {"begins": "23:00", "ends": "07:00"}, "days_off": [5, 6]}
NOTHING = {"zone": "UTC", "sleeps": None, "days_off": [], "vacations": [], "away_until": None}


@pytest.fixture
def game(place):
    return place.context.begin_time(place.start_game("Anna", "Ben"), NOON)


def spans(place, game, seat):
    """When the clock of a seat stands still in the next fortnight."""
    return place.read(unavailable_times_of, game, seat)(NOON, NOON + timedelta(days=14))


def test_what_is_told_is_kept_shown_and_gone_by(place, game):
    first, second = bots(place, game)
    assert first.get("availability").json == NOTHING
    assert first.post("availability", REST).json == NOTHING | REST
    assert first.get("availability").json == NOTHING | REST
    assert second.get("availability").json == NOTHING
    begins, ends = spans(place, game, 0)[0]
    assert (begins, ends) == (datetime(2026, 3, 2, 22, tzinfo=UTC), datetime(2026, 3, 3, 6, tzinfo=UTC))
    assert spans(place, game, 1) == ()
    visitor = place.signed_in(game, 0).get(place.link(game, seat=0) + "/away")
    assert visitor.page.xpath("//input[@name='sleeps-from']/@value") == ["23:00"]
    assert first.post("availability", REST | {"sleeps": None, "days_off": []}).json["sleeps"] is None
    assert spans(place, game, 0) == ()


def test_sentences_name_times_by_the_clock_of_the_caller(place, game):
    second = bots(place, game)[1]
    second.post("availability", REST | {"zone": "Asia/Tokyo"})
    place.clock.now = NOON + timedelta(hours=20)
    words = second.get(f"games/{game}").json["next_turn"]["words"]
    assert words == "Your turn: by Wednesday 21:00 at the latest."
    assert words in place.look(game, seat=1).text


def test_a_vacation_holds_in_all_games_and_can_end_before_its_day(place, game):
    other = place.start_game("Anna", "Ben")
    program = bots(place, game)[0]
    [one] = program.post("vacations", {"last": "2026-03-06"}).json["vacations"]
    assert (one["first"], one["last"]) == ("2026-03-02", "2026-03-06")
    assert program.get("availability").json["away_until"] == "2026-03-06"
    later = {"first": "2026-04-01", "last": "2026-04-02"}
    assert len(program.post("vacations", later).json["vacations"]) == 2
    seat = place.names(other).index(place.names(game)[0])
    assert spans(place, game, 0) == spans(place, other, seat) != ()
    assert program.post("vacations/end", {}).json["away_until"] is None
    gone = problem(program.post("vacations/end", {"vacation": one["vacation"]}), 422)
    assert gone["detail"] == "You have no vacation of this number that has not passed."


FAR_AHEAD = {"first": "9999-12-30", "last": "9999-12-31"}
LONG_NIGHT = {"begins": "20:00", "ends": "09:00"}


@pytest.mark.parametrize(
    ("path", "body", "why"),
    [
        ("availability", {"zone": "Mars/Base"}, "There is no time zone of that name."),
        ("availability", {"sleeps": LONG_NIGHT}, "The hours of sleep are at most 12."),
        ("availability", {"days_off": [*range(6)]}, "There are at most 5 days off in a week."),
        ("vacations", {"last": "2026-03-01"}, "These days have passed, or the last is before the first."),
        ("vacations", {"last": "2026-12-01"}, "A vacation has at most 92 days: tell the rest later."),
        ("vacations", FAR_AHEAD, "A vacation that begins so late cannot be kept yet."),
        ("vacations/end", {"vacation": 7}, "You have no vacation of this number that has not passed."),
    ],
)
def test_what_cannot_be_kept_is_told_in_a_sentence_and_nothing_is(place, game, path, body, why):
    program = bots(place, game)[0]
    given = REST | body if path == "availability" else body
    assert problem(program.post(path, given), 422)["detail"] == why
    assert program.get("availability").json == NOTHING


@pytest.mark.parametrize(
    ("path", "body", "key"),
    [
        ("availability", {"zone": "UTC", "sleeps": None}, "days_off"),
        ("availability", REST | {"days_off": [7]}, "days_off"),
        ("availability", REST | {"sleeps": {"begins": "23:00", "ends": "7:00"}}, "sleeps"),
        ("vacations", {}, "last"),
        ("vacations", {"last": "2026-02-30"}, "last"),
        ("vacations", {"last": "2026-03-06", "game": "Friday"}, "game"),
        ("vacations/end", {"days": 3}, "days"),
    ],
)
def test_what_has_another_shape_is_told_by_its_key(place, game, path, body, key):
    program = bots(place, game)[0]
    assert f"“{key}”" in problem(program.post(path, body), 400)["detail"]
    assert program.get("availability").json == NOTHING


@pytest.mark.parametrize("given", [{"answer": "x"}, {"until": "Friday"}, {"about": 9}])
def test_each_key_of_a_vote_has_its_sentence(place, game, given):
    said = problem(bots(place, game)[0].post(f"games/{game}/votes", {"vote": "pause"} | given), 400)
    assert f"“{next(iter(given))}” must be" in said["detail"]


def test_it_is_its_players_alone(place, game):
    other = place.start_game("Cleo", "Dirk")
    program, nobody = bots(place, game)[0], Bot(place)
    program.post("vacations", {"last": "2026-03-06"})
    for answer in (nobody.get("availability"), nobody.post("availability", REST)):
        assert problem(answer, 401)
    stranger = bots(place, other)[0]
    number = program.get("availability").json["vacations"][0]["vacation"]
    assert problem(stranger.post("vacations/end", {"vacation": number}), 422)
    assert program.get("availability").json["away_until"] == "2026-03-06"


def test_the_operator_is_told_in_one_line_by_why_and_can_change_nothing_of_it(place, game):
    program, name = bots(place, game)[0], place.names(game)[0].lower()
    asked = ["why", f"{name}@example.org"]
    assert "No time runs" not in place.context.type_in(*asked).stdout
    program.post("availability", REST)
    today = datetime.now(UTC).date()
    player, moment = place.context.player_of(game), datetime.now(UTC)
    with place.changing() as session:
        take_vacation(session, player, today, today + timedelta(days=2), moment)
        take_vacation(session, player, date(today.year + 1, 1, 7), date(today.year + 1, 1, 8), moment)
    told = " ".join(place.context.type_in(*asked).stdout.split())
    days = f"{today} to {today + timedelta(days=2)}, {today.year + 1}-01-07 to {today.year + 1}-01-08"
    rest = "No time runs on their turns: 23:00 to 07:00, Saturday, Sunday"
    assert f"{rest}, {days} (Europe/Amsterdam)." in told
    assert all(len(line) <= LINE for line in place.context.type_in(*asked).stdout.splitlines())


def test_what_is_told_is_kept_and_shown(place, game):
    first, second = bots(place, game)
    assert first.get("reminders").json == {"reminders": True, "game": None}
    assert first.post("reminders", {"reminders": False}).json == {"reminders": False, "game": None}
    assert first.get("reminders").json["reminders"] is False
    assert first.get(f"reminders?game={game}").json == {"reminders": False, "game": game}
    assert second.get("reminders").json["reminders"] is True
    here = {"reminders": True, "game": game}
    assert first.post("reminders", here).json == here
    assert first.get("reminders").json["reminders"] is False
    player = place.context.player_of(game)
    assert place.read(load_preferences, player, game).reminders
    assert not place.read(load_preferences, player).reminders


@pytest.mark.parametrize("body", [{}, {"reminders": ["1/2"]}, {"reminders": 2}, {"reminders": None}])
def test_what_is_no_choice_changes_nothing(place, game, body):
    first = bots(place, game)[0]
    problem(first.post("reminders", body), 400)
    assert first.get("reminders").json["reminders"] is True


def test_who_does_not_sit_in_a_game_sets_nothing_there(place, game):
    other = place.start_game("Cleo", "Dirk")
    first = bots(place, game)[0]
    sent = first.post("reminders", {"reminders": False, "game": other})
    for answer in (sent, first.get(f"reminders?game={other}")):
        assert answer.status_code in (403, 404)
    assert Bot(place).post("reminders", {"reminders": False}).status_code == 401
