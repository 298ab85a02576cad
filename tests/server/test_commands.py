"""A command has the same effect by mail, on a page and by the API."""

from datetime import timedelta
from pathlib import Path

import pytest

from emails.terms import AbsenceRule
from server.accounts.vacations import take_vacation
from server.commands import Command
from server.outbox.notifications import load_preferences
from server.store.game_terms import SeatRequest
from server.store.models import Act, DailyRest, OutgoingLetter, Resignation, StoredPlan, StoredVacation
from server.store.server_facts import GameTerms
from tests.server.desk import NOON, Collector
from tests.server.inbox.test_mail_dispatch import reply
from tests.server.lobby.voting import all_pause, pauses
from tests.server.web.bots import bot
from tests.server.web.site import Site, site

DOORS = ("mail", "page", "api")
PLAN = "if the display has a lyre: choose lyre; march Larissa. otherwise: stay"
MY_PLAN = {"plan": PLAN}
HERE = "games/{game}/"
PAUSE = {"vote": "pause"}
MORE = {"vote": "more time"}
YES, NO = ({**PAUSE, "answer": answer} for answer in ("yes", "no"))
REST = {"wish": "rest", "sleeps-from": "23:00", "sleeps-until": "07:00", "off5": "yes"}
WEEK = {"zone": "UTC", "sleeps": {"begins": "23:00", "ends": "07:00"}, "days_off": [5]}
Form = tuple[str, dict[str, str]]
Call = tuple[str, object]
COMMANDS: dict[str, tuple[int, str, Form | None, Call]] = {
    "AskMoreTime": (0, "more time", ("agreements", {"wish": "more time"}), (HERE + "votes", MORE)),
    "AskPause": (0, "pause", ("agreements", {"wish": "pause"}), (HERE + "votes", PAUSE)),
    "EndPause": (0, "resume", ("agreements", {"wish": "resume"}), (HERE + "votes", NO)),
    "CastVote": (1, "yes", ("agreements", YES), (HERE + "votes", YES)),
    "GoAway": (
        0,
        "away until 5 March",
        ("away", {"wish": "away", "last": "2026-03-05"}),
        ("vacations", {"last": "2026-03-05"}),
    ),
    "RemoveDays": (0, "", ("away", {"wish": "remove1"}), ("vacations/end", {"vacation": 1})),
    "ComeBack": (0, "back", ("away", {"wish": "back"}), (HERE + "back", None)),
    "SetRest": (0, "", ("away", REST), ("availability", WEEK)),
    "SetReminders": (0, "no reminders", None, ("reminders", {"reminders": False})),
    "StorePlan": (1, f"plan: {PLAN}", ("plan", {"keep": "1", "words": PLAN}), (HERE + "plan", MY_PLAN)),
    "Nudge": (1, "nudge", ("nudge", {}), (HERE + "nudge", None)),
    "Resign": (1, "resign", ("resign", {}), (HERE + "resign", None)),
}
"""Seat of the player; words of the mail; page and fields of the form; operation and body of the API."""
FEWER_DOORS = {
    "RemoveDays": "a mail ends days away by the word back, and removes no others",
    "SetReminders": "a page stores them with all settings",
    "SetRest": "a mail has no words for hours of sleep",
}
NOT_COMPARED = {
    "RenewLinks": "a program has a key instead of links, and a mail is answered with the new ones",
    "StopLetters": "a page and a link stop them by a token of their own, and a program gets no mails",
    "SetZone": "a page stores it with all settings, a program with the hours of sleep",
}


def begin(place: Site, carrier: Collector, command: str) -> str:
    """Bring a game of two to a state in which the command has an effect."""
    context, clock = place.context, place.clock
    people = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben")]
    terms = GameTerms(absence=AbsenceRule.SEAT)
    game = context.open_game("Friday", people, NOON, at_once=True, hours=48, terms=terms)
    context.work_until_idle(carrier, clock())
    match command:
        case "CastVote":
            pauses(context, game, 0, clock())
        case "EndPause":
            all_pause(context, game, clock())
            clock.now += timedelta(hours=25)
        case "Nudge":
            clock.now += timedelta(hours=25)
        case "ComeBack":
            clock.now += timedelta(hours=49)
        case "RemoveDays":
            days = NOON.date() + timedelta(days=7), NOON.date() + timedelta(days=9)
            with context.writing() as session:
                take_vacation(session, context.player_of(game, 0), *days, clock())
                session.commit()
        case _:
            clock.now += timedelta(hours=1)  # a person has written, not an auto-responder
    context.work_until_idle(carrier, clock())
    return game


def perform(place: Site, carrier: Collector, game: str, command: str, door: str) -> None:
    seat, words, form, call = COMMANDS[command]
    name = place.names(game)[seat]
    match door:
        case "mail":
            reply(place.context, carrier.to(name)[-1], words, now=place.clock())
            if command == "Resign":
                place.context.work_until_idle(carrier, place.clock())
                reply(place.context, carrier.to(name)[-1], "yes", now=place.clock())
        case "page" if form is not None:
            page, fields = form
            visitor = place.signed_in(game, seat)
            link = place.link(game, seat=seat)
            shown = visitor.get(link if command == "Nudge" else f"{link}/{page}")
            assert visitor.post(f"{link}/{page}", nonce=shown.nonce(), **fields).status == 200
        case "api":
            path, body = call
            answer = bot(place, game, name).post(path.format(game=game), body)
            assert answer.status_code == 200, answer.text


def effect(place: Site, game: str) -> tuple[object, ...]:
    """Return all that a command can change, without answers to mails and notices of keys."""
    acts = [(one.seat, one.said, one.events) for one in place.rows(Act)]
    sent = [(one.kind, one.seat) for one in place.rows(OutgoingLetter) if one.answers is None]
    days = [(one.player, one.first, one.last, one.back_at) for one in place.rows(StoredVacation)]
    rest = [(one.player, one.sleeps_from, one.sleeps_until, one.days_off) for one in place.rows(DailyRest)]
    reminders = [place.read(load_preferences, 1 + seat).reminders for seat in range(2)]
    plans = [(one.seat, one.words, one.turn, one.due_at) for one in place.rows(StoredPlan)]
    row = place.row(game)
    state = row.paused_at, row.deadline, row.turn_began_at, row.seat
    return (
        acts,
        sorted(one for one in sent if one[0] != "notice"),
        days,
        rest,
        reminders,
        plans,
        place.rows(Resignation.seat),
        state,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_has_one_effect_by_all_doors(tmp_path: Path, command: str) -> None:
    found = []
    _, words, form, _ = COMMANDS[command]
    doors = [door for door, way in zip(DOORS, (words, form, True), strict=True) if way]
    assert (len(doors) < len(DOORS)) == (command in FEWER_DOORS)
    for door in doors:
        (tmp_path / door).mkdir()
        place, carrier = site(tmp_path / door), Collector()
        game = begin(place, carrier, command)
        before = effect(place, game)
        perform(place, carrier, game, command, door)
        found.append([*zip(before, effect(place, game), strict=True)])
        assert any(one != other for one, other in found[-1]), f"{door}: no effect"
    assert all(one == found[0] for one in found)


def test_each_command_is_compared_or_has_fewer_doors() -> None:
    assert sorted([*COMMANDS, *NOT_COMPARED]) == sorted(one.__name__ for one in Command.__subclasses__())
