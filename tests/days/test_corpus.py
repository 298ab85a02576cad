"""The mails about time, plans and seats are what their README.md says."""

import tomllib
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from tests.days.corpus import EVERYBODY, IDLE, MAILS, SEEN, UNSEEN, Grade, Kind, Mail, Verdict, grade
from tests.paths import BOARD_FILE

PENDING = {"more-time", "pause", "resume", "substitute", "go-on-without", "end"}
"""What the others may be asked to agree to."""
SYMBOLS = {"temple", "amphora", "horse", "lyre", "soldier"}


def told(mail: Mail) -> tuple[Verdict, ...]:
    """All verdicts of a mail, those as right too."""
    return (*mail.verdicts, *mail.also)


def by_id(name: str) -> Mail:
    (found,) = [mail for mail in MAILS if mail.id == name]
    return found


# --- the whole ------------------------------------------------------------------------------------------


def test_ids_are_unique() -> None:
    assert len({mail.id for mail in MAILS}) == len(MAILS)


def test_there_are_enough_of_each_language() -> None:
    languages = Counter(mail.language for mail in MAILS)
    assert languages.keys() == {"en", "nl"}
    assert languages["en"] >= 270
    assert languages["nl"] >= 130


def test_at_least_a_hundred_are_traps() -> None:
    assert sum(mail.id.startswith("traps-") for mail in MAILS) >= 100


def test_the_halves_are_about_equal_and_hold_every_mail_once() -> None:
    assert Counter(SEEN) + Counter(UNSEEN) == Counter(MAILS)
    assert abs(len(SEEN) - len(UNSEEN)) <= len(MAILS) / 10
    for language in ("en", "nl"):
        halves = [sum(mail.language == language for mail in half) for half in (SEEN, UNSEEN)]
        assert abs(halves[0] - halves[1]) <= sum(halves) / 5


def test_every_kind_occurs_in_both_halves() -> None:
    for half in (SEEN, UNSEEN):
        assert {verdict.kind for mail in half for verdict in mail.verdicts} == set(Kind)


def test_mails_come_on_every_day_of_the_week_and_near_both_changes_of_the_clock() -> None:
    assert {mail.now.weekday() for mail in MAILS} == set(range(7))
    day = timedelta(days=1)
    shifts = set()
    for mail in MAILS:
        before, after = ((mail.now.replace(tzinfo=None) + step) for step in (-day, day))
        zone = mail.now.tzinfo
        earlier, later = before.replace(tzinfo=zone).utcoffset(), after.replace(tzinfo=zone).utcoffset()
        assert earlier is not None, mail.id
        assert later is not None, mail.id
        shifts.add(later - earlier)
    assert shifts == {timedelta(hours=-1), timedelta(0), timedelta(hours=1)}, mail.id


# --- each mail ------------------------------------------------------------------------------------------


def test_only_the_four_of_the_house_occur() -> None:
    for mail in MAILS:
        assert set(mail.players) <= set(EVERYBODY), mail.id
        assert mail.turn in mail.players, mail.id
        assert mail.writer in mail.players or any(one.by == mail.writer for one in mail.verdicts), mail.id
        assert {one.who for one in told(mail)} <= {None, *mail.players}, mail.id


def test_the_moment_exists() -> None:
    for mail in MAILS:
        there = mail.now.astimezone(ZoneInfo("UTC")).astimezone(mail.now.tzinfo)
        assert there.replace(tzinfo=None) == mail.now.replace(tzinfo=None), mail.id


def test_there_is_a_body_and_the_moves_stand_in_it() -> None:
    for mail in MAILS:
        assert mail.body.strip(), mail.id
        assert mail.moves is None or mail.moves in mail.body, mail.id
        assert mail.moves is None or mail.turn == mail.writer, mail.id


def test_dates_are_ahead_and_in_order() -> None:
    for mail in MAILS:
        for one in told(mail):
            days = (*one.starts, *one.ends)
            assert all(mail.now.date() <= day <= mail.now.date() + timedelta(days=366) for day in days), (
                mail.id
            )
            assert all(start <= end for start in one.starts for end in one.ends), mail.id
            assert len(set(one.starts)) == len(one.starts), mail.id
            assert len(set(one.ends)) == len(one.ends), mail.id
            assert one.kind in {Kind.AWAY, Kind.MORE_TIME, Kind.GRANT, Kind.PAUSE} or not days, mail.id
            assert one.kind is not Kind.AWAY or (one.starts and one.ends), mail.id


def test_a_verdict_has_the_fields_of_its_kind() -> None:
    for mail in MAILS:
        for one in told(mail):
            assert one.hours is None or (one.kind in {Kind.MORE_TIME, Kind.GRANT} and one.hours > 0), mail.id
            assert not (one.hours and one.ends), mail.id
            assert (one.who is not None) == (
                one.kind in {Kind.GRANT, Kind.NUDGE, Kind.WHEN, Kind.SUBSTITUTE, Kind.GO_ON_WITHOUT}
            ), mail.id
            assert one.by is None or one.kind is Kind.SUBSTITUTE, mail.id
            assert one.about is None or one.kind in {Kind.ASK, Kind.AGREE, Kind.REFUSE}, mail.id


def test_a_yes_or_no_answers_what_is_pending() -> None:
    for mail in MAILS:
        assert mail.pending is None or mail.pending.kind in PENDING, mail.id
        for one in mail.verdicts:
            if one.kind in {Kind.AGREE, Kind.REFUSE}:
                assert mail.pending is not None, mail.id
                assert one.about == mail.pending.kind, mail.id
            assert one.kind is not Kind.RESUME or mail.paused, mail.id


def test_no_verdict_stands_twice_and_one_that_waits_stands_alone() -> None:
    for mail in MAILS:
        assert mail.verdicts, mail.id
        assert len(set(told(mail))) == len(told(mail)), mail.id
        assert len(mail.verdicts) == 1 or not {one.kind for one in mail.verdicts} & {*IDLE, Kind.ASK}, mail.id
        assert len(mail.verdicts) == 1 or not mail.also, mail.id


def test_plans_name_places_of_the_board_with_the_symbol_of_the_card() -> None:
    board = tomllib.loads(BOARD_FILE.read_text("utf-8"))
    letters = {symbol[0]: symbol for symbol in SYMBOLS}
    bears = {
        place: letters[letter]
        for row, names in zip(board["rows"], board["places"], strict=True)
        for place, letter in zip(names, filter(letters.__contains__, row), strict=True)
    }
    plans = [one for mail in MAILS for one in mail.verdicts if one.kind is Kind.PLAN]
    for turn in [turn for plan in plans for turn in plan.tries]:
        card, *steps = turn.turn.split("; ")
        for verb, *rest in map(str.split, steps):
            assert verb in {"march", "occupy", "draw", "take", "levy", "recall", "end"}
            assert verb not in {"occupy", "recall"} or set(rest) <= bears.keys()
            assert verb not in {"take", "levy"} or set(rest) <= SYMBOLS
            assert verb != "march" or bears[rest[0]] == card.removeprefix("play ")
        assert all(condition.split()[0] in {"display", "free"} for condition in turn.conditions)
    assert all(plan.tries for plan in plans)


# --- how a reader is judged -----------------------------------------------------------------------------


def test_the_verdict_itself_is_right() -> None:
    for mail in MAILS:
        exact = tuple(replace(one, starts=one.starts[:1], ends=one.ends[-1:]) for one in mail.verdicts)
        assert grade(mail, exact) is Grade.RIGHT, mail.id
        for one in mail.also:
            exactly = replace(one, starts=one.starts[:1], ends=one.ends[:1])
            assert grade(mail, (exactly,)) is Grade.RIGHT, mail.id


def test_an_act_that_nobody_asked_for_is_wrong_and_a_question_is_not() -> None:
    mail = by_id("traps-en-01")
    friday = date(2026, 9, 18)
    away = Verdict(Kind.AWAY, (mail.now.date(),), (friday,))
    assert grade(mail, (Verdict(Kind.TALK),)) is Grade.RIGHT
    assert grade(mail, (away,)) is Grade.WRONG
    assert grade(mail, (Verdict(Kind.ASK),)) is Grade.ASKED
    assert grade(mail, (Verdict(Kind.NONE),)) is Grade.MISSED


def test_a_day_too_many_is_wrong_and_nothing_at_all_is_missed() -> None:
    mail = by_id("away-en-02")
    (right,) = mail.verdicts
    longer = replace(right, ends=(right.ends[0] + timedelta(days=1),))
    assert grade(mail, (right, Verdict(Kind.TALK))) is Grade.RIGHT
    assert grade(mail, (longer,)) is Grade.WRONG
    assert grade(mail, (Verdict(Kind.TALK),)) is Grade.MISSED
    assert grade(mail, (right, Verdict(Kind.RESIGN))) is Grade.WRONG


def test_half_of_what_was_asked_for_is_missed() -> None:
    mail = by_id("away-en-63")
    away, more = mail.verdicts
    assert grade(mail, (more, away)) is Grade.RIGHT
    assert grade(mail, (away,)) is Grade.MISSED
