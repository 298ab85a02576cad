"""Before a game begins: seats change hands, the organiser and the players hear of it, or all is off."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError

from emails.i18n import Locale, use_locale
from emails.tokens import Ticket, seal_unsubscribe, unseal_ticket
from engine.event_log import check_log
from server.accounts import addresses, sign_in
from server.accounts.sign_in import MOST_AT_ONCE
from server.accounts.unsubscribe import UnsubscribeRefused, seat_of_token, stop_letters
from server.admin import backups
from server.admin.backups import examine_stored_acts
from server.clock import tick
from server.delivery.claims import CLAIM_LASTS, claim_letter
from server.delivery.composition import GameMovedOn, write_letter
from server.lobby import open_seats
from server.lobby.open_seats import SeatRefused, cancel_game, fill_with_bots
from server.lobby.proposals import MOST_REMATCHES_CANCELLED, open_rematch
from server.store import load_boards
from server.store.event_log import History
from server.store.game_terms import (
    GameNotOpened,
    GameTerms,
    SeatRequest,
    list_joinable_games,
    list_watchable_games,
    terms_of,
)
from server.store.models import Act, Game, IncomingMail, OutgoingLetter, Player, Seating, StoredTerms
from tests.server.beginnings import begin_once
from tests.server.desk import (
    ANNA,
    BEN,
    BY_LINK,
    CLEO,
    DIRK,
    HOUSE,
    HOUSE_NAMES,
    NOON,
    OPEN_SEAT,
    Collector,
    at_once,
    kinds,
    words_of,
)
from tests.server.inbox.test_mail_dispatch import reply
from tests.server.inbox.test_new_game_mail import Post, games
from tests.server.storage import storage


def opened(context, *people: SeatRequest, name: str = "Friday", now=NOON, terms=BY_LINK) -> str:
    return context.open_game(name, [ANNA, *people], now, organiser=ANNA.address, terms=terms)


@pytest.fixture
def game(context) -> str:
    return opened(context, OPEN_SEAT)


def names(context, game) -> list[str]:
    return sorted(context.rows_of(Seating.name, Seating.game == game))


def said(context, game) -> list[tuple[str, list[str]]]:
    """What the acts of a game say, and the kinds of their facts."""
    rows = context.rows_of(Act, Act.game == game)
    return [(row.said, [fact["type"] for fact in json.loads(row.events)]) for row in rows]


def player(context, asked) -> int:
    with context.changing() as session:
        known = Player(address=asked.address, name=asked.name)
        session.add(known)
        session.flush()
        return known.id


def waiting(context, game) -> list[tuple[str, str]]:
    """The letters of a game that will be sent: their kinds and to whom."""
    rows = context.rows_of(OutgoingLetter, OutgoingLetter.game == game, OutgoingLetter.state == "waiting")
    return [(row.kind, row.recipient.partition("@")[0]) for row in rows]


def test_a_stranger_gets_a_letter_and_joins_by_accepting(context, game, mails):
    open_seats.hold_seat(context, game, BEN, NOON)
    seat = context.seat_of(game, "Ben")
    assert context.game_row(game).status == "open"
    context.work_until_idle(mails, NOON)
    (letter,) = mails.to("Ben")
    assert "“yes” or “no”" in letter.get_body(("plain",)).get_content()
    reply(context, letter, "accept")
    assert context.game_row(game).status == "running"
    assert context.names_of(game)[seat] == "Ben"


SIX = [SeatRequest(f"Guest {number}", f"guest{number}@example.org", "nl") for number in range(6)]


def told(mails: Collector) -> list[list[str]]:
    """What the six were told, each in the order of their mails."""
    refusal = "Je hebt die plaats niet gekregen"
    return [
        ["refused" if refusal in words_of(mail) else "invited" for mail in mails.to(f"guest{number}")]
        for number in range(6)
    ]


def work(context, mails, now) -> None:
    tick(context, now)
    context.work_until_idle(mails, now)


@pytest.mark.parametrize("ends", ["begins", "is called off"])
def test_who_asks_while_all_seats_are_kept_waits_and_gets_one_letter(context, game, mails, clock, ends):
    for one in (*SIX, *SIX):
        open_seats.hold_seat(context, game, one, NOON)
    work(context, mails, NOON)
    assert told(mails) == [["invited"], [], [], [], [], []]
    work(context, mails, clock.forward(24))
    assert told(mails) == [["invited"], ["invited"], [], [], [], []]
    leave(context, game, "Guest 1", clock())
    work(context, mails, clock())
    assert told(mails) == [["invited"], ["invited"], ["invited"], [], [], []]
    seat = context.seat_of(game, "Guest 2")
    if ends == "begins":
        context.accept_invitation(game, seat, clock(), context.history(game).seq)
    else:
        cancel_game(context, game, clock())
    work(context, mails, clock())
    assert told(mails)[3:] == [["refused"]] * 3
    why = {"begins": "Alle plaatsen van dit spel zijn bezet", "is called off": "Het spel is afgelast"}[ends]
    assert why in words_of(mails.to("guest5")[0])
    work(context, mails, clock.forward(24 * 8))
    assert [len(mails) for mails in told(mails)[3:]] == [1, 1, 1]


def test_the_list_is_short_and_who_was_seated_meanwhile_hears_nothing(context, game):
    guests = [SeatRequest(f"X{number}", f"x{number}@example.org") for number in range(12)]
    for one in guests:
        open_seats.hold_seat(context, game, one, NOON)
    assert waiting(context, game) == [("invitation", "x0"), *(("seat_refused", f"x{n}") for n in range(1, 9))]
    with context.changing() as session:
        one = session.get_one(Player, session.get_one(Seating, (game, context.seat_of(game, "X0"))).player)
        one.address = "X3+tag@example.org"
    context.accept_invitation(game, context.seat_of(game, "X0"), NOON, context.history(game).seq)
    assert "x3" not in [to for _, to in waiting(context, game)]


def test_when_a_seat_is_free_again_tells_nobody_who_plays_already(context, clock):
    """Ben asks an hour after an address that plays already, or does not: both times he is invited at once."""
    found = []
    for first in (ANNA, CLEO):
        game = opened(context, OPEN_SEAT, now=clock())
        open_seats.hold_seat(context, game, replace(first, name="Somebody"), clock())
        open_seats.hold_seat(context, game, BEN, clock.forward(1))
        held = []
        for hours in (22, 1):
            tick(context, clock.forward(hours))
            held.append(("invitation", "ben") in waiting(context, game))
        found.append(held)
        clock.forward(24)
    assert found == [[False, True]] * 2


def test_of_two_who_join_for_the_last_seat_at_once_one_gets_it(context):
    people = [(player(context, one), one.name) for one in (BEN, CLEO)]
    for number in range(8):
        game, took = opened(context, OPEN_SEAT, name=f"Game {number}"), []

        def press(who, game=game, took=took) -> None:
            took.append(open_seats.join_game(context, game, who[0], who[1], NOON))

        assert at_once(*(partial(press, who) for who in people)) == []
        assert len(took) == 1
        assert context.game_row(game).status == "running"
    assert list(examine_stored_acts(context)) == []


def test_a_seat_that_is_not_accepted_within_a_day_is_free_again(context, game, clock, mails):
    open_seats.hold_seat(context, game, BEN, clock())
    seat = context.seat_of(game, "Ben")
    tick(context, clock.forward(23.9))
    assert names(context, game) == ["Anna", "Ben"]
    tick(context, clock.forward(0.2))
    assert names(context, game) == ["", "Anna"]
    assert said(context, game)[-1] == ("", ["seat_left"])
    tick(context, clock())
    assert len(said(context, game)) == 3
    context.work_until_idle(mails, clock())
    assert mails.to("Ben") == []  # the letter waited all the time, and is past
    with pytest.raises(GameNotOpened, match="no such invitation"):
        context.accept_invitation(game, seat, clock(), after=2)


def test_whom_the_organiser_has_invited_may_take_his_time(context, clock):
    game = opened(context, BEN, OPEN_SEAT)
    open_seats.join_game(context, game, player(context, CLEO), "Cleo", NOON)
    tick(context, clock.forward(24 * 30))
    assert names(context, game) == ["Anna", "Ben", "Cleo"]


def test_whoever_has_left_is_not_whoever_joins_after_him(context, game, mails, clock):
    open_seats.hold_seat(context, game, BEN, clock())
    context.work_until_idle(mails, clock())
    seat, old = context.seat_of(game, "Ben"), context.history(game)
    (letter,) = mails.to("Ben")
    open_seats.leave_seat(context, game, seat, old.player_since(seat), clock())
    open_seats.hold_seat(context, game, CLEO, clock())
    assert context.seat_of(game, "Cleo") == seat
    with pytest.raises(GameNotOpened, match="somebody else has that seat"):
        context.accept_invitation(game, seat, clock(), after=old.player_since(seat))
    reply(context, letter, "accept", now=clock())
    open_seats.leave_seat(context, game, seat, old.player_since(seat), clock())  # it is hers
    with pytest.raises(UnsubscribeRefused):
        seat_of_token(context, game, old.holder_code(seat))
    assert seat_of_token(context, game, context.history(game).holder_code(seat)) == seat
    assert names(context, game) == ["Anna", "Cleo"]
    assert context.game_row(game).status == "open"
    context.accept_invitation(game, seat, clock(), after=context.history(game).player_since(seat))
    assert context.game_row(game).status == "running"
    context.work_until_idle(mails, clock.forward(1))
    assert len(mails.to("Ben")) == 1
    stop = mails.to("Cleo")[-1]["List-Unsubscribe"]
    assert seal_unsubscribe(game, context.history(game).holder_code(seat), context.links.keys) in stop


def test_nobody_leaves_a_game_that_has_begun_and_it_is_not_called_off(context):
    game = context.start_game("Anna", "Ben")
    with pytest.raises(SeatRefused, match="has begun"):
        open_seats.leave_seat(context, game, 0, 1, NOON)
    with pytest.raises(SeatRefused, match="has begun"):
        cancel_game(context, game, NOON)


def test_a_seat_changes_hands_only_so_often(context, game, monkeypatch):
    monkeypatch.setattr(open_seats, "MOST_SEAT_CHANGES", 4)
    for _ in range(2):
        open_seats.hold_seat(context, game, BEN, NOON)
        leave(context, game, "Ben")
    with pytest.raises(SeatRefused, match="too often"):
        open_seats.hold_seat(context, game, BEN, NOON)


def test_the_house_takes_the_open_seats_and_then_those_of_who_has_not_answered(context, mails, clock):
    game = opened(context, BEN, OPEN_SEAT, SeatRequest("", None))
    ben = context.seat_of(game, "Ben")
    for _ in range(2):
        fill_with_bots(context, game, "open", NOON)
    assert names(context, game) == ["Anna", "Ben", *sorted(HOUSE_NAMES[:2])]
    assert context.game_row(game).status == "open"
    for _ in range(2):
        fill_with_bots(context, game, "awaited", NOON)
    assert names(context, game) == ["Anna", *sorted(HOUSE_NAMES)]
    assert context.game_row(game).status == "running"
    assert [one[0] for one in said(context, game)] == ["", "house open", "house awaited", ""]
    with pytest.raises(GameNotOpened):
        context.accept_invitation(game, ben, NOON)
    context.work_until_idle(mails, clock())
    assert {recipient for _, recipient in mails.envelopes} == {ANNA.address}
    assert context.rows_of(Seating.player, Seating.house) == [None] * 3


def test_the_house_does_not_play_alone(context):
    game = context.open_game("Friday", [ANNA, BEN], NOON)
    with pytest.raises(SeatRefused, match="Somebody must play"):
        fill_with_bots(context, game, "awaited", NOON)
    nobody = context.open_game("Friday", [OPEN_SEAT, OPEN_SEAT], NOON, terms=BY_LINK)
    with pytest.raises(SeatRefused, match="Somebody must play"):
        fill_with_bots(context, nobody, "open", NOON)


def test_a_game_that_is_called_off_never_begins(context, game, mails, clock):
    open_seats.hold_seat(context, game, BEN, NOON)
    for _ in range(2):
        cancel_game(context, game, NOON)
    assert said(context, game)[-1] == ("cancel", ["game_cancelled"])
    assert len(said(context, game)) == 3
    assert context.game_row(game).status == "cancelled"
    with pytest.raises(GameNotOpened):
        context.accept_invitation(game, context.seat_of(game, "Ben"), NOON, after=2)
    with pytest.raises(SeatRefused, match="called off"):
        open_seats.hold_seat(context, game, CLEO, NOON)
    with pytest.raises(SeatRefused, match="called off"):
        fill_with_bots(context, game, "awaited", NOON)
    open_seats.leave_seat(context, game, 0, 0, NOON)
    context.work_until_idle(mails, clock.forward(48))
    assert mails.mails == []
    with pytest.raises(GameNotOpened, match="not started"):
        list(backups.export_log(context, game))
    context.rebuild()
    assert context.game_row(game).status == "cancelled"
    assert list(examine_stored_acts(context)) == []


def test_how_games_were_opened_is_worked_out_anew(context):
    terms = GameTerms("all", watched=True)
    game = context.open_game("Friday", [ANNA, OPEN_SEAT], NOON, organiser=ANNA.address, terms=terms)
    with context.reading() as session:
        before = terms_of(session, game).model_dump()
    with context.changing() as session:
        session.execute(delete(StoredTerms))
    with context.reading() as session:
        assert not terms_of(session, game).watched
    context.rebuild()
    with context.reading() as session:
        assert terms_of(session, game).model_dump() == before
        assert terms_of(session, game).watched


def test_a_game_of_before_says_nothing_of_all_this_and_goes_on(context):
    """Its first act has no keys beyond those it always had, and there is no row of how it was opened."""
    game = context.open_game("Friday", [ANNA, BEN], NOON)
    with context.changing() as session:
        first = json.loads(session.get_one(Act, (game, 1)).events)[0]
        session.execute(delete(StoredTerms))
    assert set(first) == {"type", "name", "board", "edition", "hours", "seats"}
    with context.reading() as session:
        assert (terms_of(session, game).joined_by, terms_of(session, game).watched) == ("", False)
        assert not open_seats.is_joinable(context, session, session.get_one(Game, game))
    tick(context, NOON)
    assert [context.accept_invitation(game, seat, NOON) for seat in (0, 1)] == [False, True]


def test_the_log_of_a_game_whose_seats_changed_hands_is_as_any_other(context, game):
    open_seats.hold_seat(context, game, BEN, NOON)
    seat = context.seat_of(game, "Ben")
    open_seats.leave_seat(context, game, seat, 2, NOON)
    open_seats.join_game(context, game, player(context, CLEO), "Cleo", NOON)
    lines = [line.encode() for line in backups.export_log(context, game)]
    (started,) = [event for event, _ in check_log(lines, load_boards())]
    assert sorted(started.seats) == ["Anna", "Cleo"]
    assert list(examine_stored_acts(context)) == []
    context.history_cache.put(game, History())
    assert context.history(game).player_since(seat) == 4


def test_strangers_find_the_games_that_anybody_may_join_or_watch_and_no_others(context, clock):
    for name, terms in (("Private", GameTerms()), ("By link", BY_LINK), ("Full", GameTerms("all"))):
        opened(context, BEN if name != "By link" else OPEN_SEAT, name=name, terms=terms)
    free = opened(context, BEN, OPEN_SEAT, name="Free", terms=GameTerms("all", watched=True))
    with context.reading() as session:
        (one,) = list_joinable_games(session, clock(), 50)
        assert (one.game.id, sorted(one.names), one.free) == (free, ["Anna", "Ben"], 1)
        assert list_watchable_games(session, 50) == []
    context.accept_invitation(free, context.seat_of(free, "Ben"), clock())
    fill_with_bots(context, free, "open", clock())
    with context.reading() as session:
        assert list_joinable_games(session, clock(), 50) == []
        assert [one.game.id for one in list_watchable_games(session, 50)] == [free]
    old = opened(context, OPEN_SEAT, name="Old", terms=GameTerms("all"))
    with context.reading() as session:
        assert [one.game.id for one in list_joinable_games(session, clock(), 50)] == [old]
        assert list_joinable_games(session, clock.forward(24 * 31), 50) == []


@pytest.fixture
def invited(context, mails) -> str:
    """A game of Anna, who has opened it, and of Ben and Cleo, who have got their invitations."""

    def with_invitations() -> str:
        made = opened(context, BEN, CLEO)
        context.work_until_idle(mails, NOON)
        return made

    return begin_once(context, mails, with_invitations)


def links(mail) -> list[str]:
    return re.findall(r"https?://\S+", mail.get_body(("plain",)).get_content())


def since(context, game, name: str) -> int:
    return context.history(game).player_since(context.seat_of(game, name))


def leave(context, game, name: str, now=NOON) -> None:
    open_seats.leave_seat(context, game, context.seat_of(game, name), since(context, game, name), now)


def rows(context, game, kind: str) -> list[OutgoingLetter]:
    return context.rows_of(OutgoingLetter, OutgoingLetter.game == game, OutgoingLetter.kind == kind)


@pytest.mark.parametrize("accepts", [False, True])
def test_an_invited_player_may_decline_or_leave_and_the_organiser_hears_what_he_can_do(
    context, mails, clock, accepts
):
    game = opened(context, BEN, DIRK)
    seat = context.seat_of(game, "Ben")
    if accepts:
        context.accept_invitation(game, seat, NOON)
    for _ in range(2):
        open_seats.leave_seat(context, game, seat, 0, NOON)
    assert said(context, game)[-1] == ("leave" if accepts else "decline", ["seat_left"])
    assert [one[0] for one in said(context, game)].count("decline") <= 1
    assert names(context, game) == ["", "Anna", "Dirk"]
    with context.reading() as session:
        assert open_seats.names_of_leavers(session, game) == ["Ben"]
    context.work_until_idle(mails, clock())
    assert (kinds(mails.to("Ben")), kinds(mails.to("Dirk"))) == ([], ["invitation"])
    (letter,) = mails.to("Anna")
    assert letter["X-Alexandros"] == "declined"
    told = "Ben was in “Friday” and has given" if accepts else "Ben was invited to “Friday” and does not want"
    assert told in words_of(letter)
    assert "pass on a link to the seat" in words_of(letter)
    ticket = unseal_ticket(links(letter)[0].rpartition("/")[2], context.links.keys)
    assert ticket == Ticket(game, context.seat_of(game, "Anna"), 0, "accept")


def test_the_organiser_hears_of_a_seat_that_was_asked_for_in_vain(context, mails, clock):
    game = opened(context, OPEN_SEAT)
    open_seats.hold_seat(context, game, BEN, clock())
    context.work_until_idle(mails, clock())
    tick(context, clock.forward(24.1))
    context.work_until_idle(mails, clock())
    context.work_until_idle(mails, clock())
    assert kinds(mails.to("Anna")) == ["declined"]
    assert "Ben asked for a seat in “Friday” but did not accept it within a day." in words_of(
        mails.to("Anna")[0]
    )


def test_whoever_joins_and_leaves_twice_is_told_of_twice(context, mails, clock):
    game = opened(context, OPEN_SEAT)
    for _ in range(2):
        open_seats.hold_seat(context, game, BEN, clock())
        leave(context, game, "Ben", clock())
        context.work_until_idle(mails, clock())
    assert kinds(mails.to("Anna")) == ["declined", "declined"]
    assert len({mail["Message-ID"] for mail in mails.to("Anna")}) == 2


def test_what_nothing_can_be_done_about_any_more_is_not_told(context, invited, mails, clock):
    leave(context, invited, "Ben")
    open_seats.hold_seat(context, invited, DIRK, NOON)  # before the letter has left
    context.work_until_idle(mails, clock())
    leave(context, invited, "Cleo")
    fill_with_bots(context, invited, "open", clock())
    context.work_until_idle(mails, clock())
    leave(context, invited, "Dirk")
    cancel_game(context, invited, clock())
    context.work_until_idle(mails, clock())
    assert kinds(mails.to("Anna")) == []
    assert [row.state for row in rows(context, invited, "declined")] == ["dropped"] * 3


def test_the_organiser_hears_nothing_of_what_he_does_himself(context, invited, mails, clock):
    fill_with_bots(context, invited, "awaited", NOON)
    other = opened(context, BEN, name="Saturday")
    leave(context, other, "Anna")
    open_seats.hold_seat(context, other, CLEO, NOON)  # she has his seat now, and has opened nothing
    leave(context, other, "Ben")
    context.work_until_idle(mails, clock())
    assert rows(context, invited, "declined") == rows(context, other, "declined") == []


def test_an_organiser_who_does_not_play_or_wants_no_letters_hears_nothing(context, invited, mails, clock):
    apart = context.open_game("Saturday", [ANNA, BEN], NOON, terms=BY_LINK)
    leave(context, apart, "Ben")
    context.committed(NOON, stop_letters, invited, context.seat_of(invited, "Anna"), False)
    leave(context, invited, "Ben")
    context.work_until_idle(mails, clock())
    assert kinds(mails.to("Anna")) == ["invitation", "stopped"]


@pytest.mark.parametrize(("kind", "name"), [("invitation", "Ben"), ("declined", "Anna")])
def test_a_claimed_letter_is_not_written_for_the_next_player(context, mails, kind, name):
    game = opened(context, BEN, CLEO)
    if kind == "declined":
        leave(context, game, "Ben")
    (row,) = [one for one in rows(context, game, kind) if one.recipient == f"{name.lower()}@example.org"]
    claimed = claim_letter(context, row, NOON)
    leave(context, game, name)
    with pytest.raises(GameMovedOn):
        write_letter(context, claimed.row, claimed.seq, NOON)
    open_seats.hold_seat(context, game, DIRK, NOON)
    context.work_until_idle(mails, NOON + 2 * CLAIM_LASTS)
    assert kind not in kinds(mails.to(name))


DEEDS = {
    "leave": lambda context, game: leave(context, game, "Ben"),
    "call off": lambda context, game: cancel_game(context, game, NOON),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_letter_is_stored_with_its_act_or_neither_is(context, invited, deed):
    context.accept_invitation(invited, context.seat_of(invited, "Ben"), NOON)
    with context.changing() as session:
        storage().refuse_rows(session, "outgoing")
    with pytest.raises(IntegrityError, match="full"):
        DEEDS[deed](context, invited)
    assert len(context.rows_of(Act, Act.game == invited)) == 2
    assert context.game_row(invited).status == "open"
    assert context.player_of(invited, context.seat_of(invited, "Ben"))


def test_everybody_who_is_in_hears_that_a_game_is_called_off_and_nobody_else_does(
    context, invited, mails, clock
):
    context.accept_invitation(invited, context.seat_of(invited, "Ben"), NOON)
    for _ in range(2):
        cancel_game(context, invited, NOON)
    context.work_until_idle(mails, clock.forward(48))
    assert (kinds(mails.to("Anna")), kinds(mails.to("Ben"))) == ([], ["invitation", "called_off"])
    assert kinds(mails.to("Cleo")) == ["invitation"]
    letter = mails.to("Ben")[-1]
    assert "“Friday” was called off by its organiser before it began." in words_of(letter)
    assert "new@play.example.org" in words_of(letter)
    assert links(letter) == ["http://127.0.0.1:8000/new"]
    html = letter.get_body(("html",)).get_content()
    assert not re.search(r"/[tuj]/|mailto:", html)
    assert letter["References"].split()[0] == mails.to("Ben")[0]["References"].split()[0]


def test_whoever_has_the_seat_of_one_who_was_invited_before_him_was_not_invited_by_that(
    context, invited, mails
):
    leave(context, invited, "Ben")
    open_seats.hold_seat(context, invited, DIRK, NOON)
    cancel_game(context, invited, NOON)
    context.work_until_idle(mails, NOON)
    assert (kinds(mails.to("Ben")), kinds(mails.to("Dirk"))) == (["invitation"], [])


def test_where_the_organiser_does_not_play_or_no_more_all_who_are_in_hear_it(context, mails, clock):
    apart = context.open_game("Friday", [ANNA, BEN], NOON)
    context.work_until_idle(mails, NOON)
    context.accept_invitation(apart, context.seat_of(apart, "Anna"), NOON)
    cancel_game(context, apart, NOON)
    context.work_until_idle(mails, clock())
    assert kinds(mails.to("Anna")) == ["invitation", "called_off"]
    assert kinds(mails.to("Ben")) == ["invitation"]
    left = opened(context, BEN, name="Saturday")
    leave(context, left, "Anna")
    open_seats.hold_seat(context, left, CLEO, NOON)
    context.work_until_idle(mails, NOON)
    context.accept_invitation(left, context.seat_of(left, "Cleo"), NOON, since(context, left, "Cleo"))
    cancel_game(context, left, NOON)
    context.work_until_idle(mails, clock())
    assert kinds(mails.to("Cleo")) == ["invitation", "called_off"]


@pytest.fixture
def joinable(context) -> str:
    return opened(context, BEN, OPEN_SEAT)


def number_of(context, name: str) -> int:
    [found] = context.rows_of(Player.id, Player.name == name)
    return found


def links_sent(context, address: str = "ben@example.org") -> int:
    """How many letters with links went to an address."""
    wanted = OutgoingLetter.kind == "signin", OutgoingLetter.recipient == address
    return len(context.rows_of(OutgoingLetter, *wanted))


def test_whoever_has_left_all_his_seats_can_still_confirm_his_address(context, joinable):
    seat = context.seat_of(joinable, "Ben")
    addresses.request_address_confirmation(context, joinable, seat, "ben@example.com", NOON)
    open_seats.leave_seat(context, joinable, seat, 0, NOON)
    (code,) = context.confirmation_codes()
    assert context.committed(NOON, addresses.confirm_address, code).address == "ben@example.com"
    context.work_until_idle(post := Collector(), NOON)
    assert not [mail for mail in post.mails if mail["X-Alexandros"] == "moved"]


def test_the_letter_to_an_address_that_was_left_hangs_on_no_seat_that_can_be_given_back(context, joinable):
    other = context.start_game("Ben", "Cleo")
    seat = context.seat_of(joinable, "Ben")
    ben = context.player_of(joinable, seat)
    assert context.player_of(other, context.seat_of(other, "Ben")) == ben
    addresses.request_address_confirmation(context, joinable, seat, "thief@example.com", NOON)
    (code,) = context.confirmation_codes()
    context.committed(NOON, addresses.confirm_address, code)
    open_seats.leave_seat(context, joinable, seat, 0, NOON)  # before the postman comes
    context.work_until_idle(post := Collector(), NOON)
    (told,) = [mail for mail in post.to("Ben") if mail["X-Alexandros"] == "moved"]
    assert "thief@example.com" in told.get_body(("plain",)).get_content()


def test_a_mail_about_a_proposal_whose_organiser_has_left_is_read_once(context):
    post = Post(context)
    letter = post.proposed("Ben <ben@example.org>\nCleo <cleo@example.org>")
    post.answer(letter, "yes")
    [game] = games(context, "open")
    open_seats.leave_seat(context, game, context.seat_of(game, "Anna"), 0, NOON)
    post.answer(letter, "24 hours")
    assert not context.rows_of(IncomingMail, IncomingMail.state == "waiting")


def test_the_links_that_one_player_asked_for_do_not_count_for_the_next_on_his_seat(context, joinable):
    seat = context.seat_of(joinable, "Ben")
    context.confirm("Ben")
    for _ in range(MOST_AT_ONCE + 2):
        sign_in.request_link(context, "ben@example.org", NOON)
    assert links_sent(context) == MOST_AT_ONCE
    open_seats.leave_seat(context, joinable, seat, 0, NOON)
    context.start_game("Cleo", "Dirk")
    open_seats.join_game(context, joinable, number_of(context, "Cleo"), "Cleo", NOON)
    open_seats.join_game(context, joinable, number_of(context, "Dirk"), "Dirk", NOON)
    for name in ("cleo@example.org", "dirk@example.org"):
        sign_in.request_link(context, name, NOON)
        assert links_sent(context, name) == 1
    context.start_game("Ben", "Cleo")  # and he, too, has got his links although his seat is another's
    sign_in.request_link(context, "ben@example.org", NOON)
    assert links_sent(context) == MOST_AT_ONCE


def test_a_game_that_cannot_be_read_does_not_stop_the_clock_of_the_others(context, joinable, caplog):
    other = opened(context, OPEN_SEAT, name="Sunday")
    for one in (joinable, other):
        open_seats.hold_seat(context, one, CLEO, NOON)
    context.tamper(joinable)
    running = context.start_timed_game("Anna", "Dirk", hours=24)
    tick(context, NOON + timedelta(hours=25))
    with context.reading() as session:
        assert all(one.name != "Cleo" for one in open_seats.seats_of(session, other))
    assert context.game_row(running).turn == 2
    assert joinable in caplog.text


def test_a_seat_that_is_worn_out_does_not_bar_the_next_open_one(context, monkeypatch):
    monkeypatch.setattr(open_seats, "MOST_SEAT_CHANGES", 2)
    game = context.open_game(
        "Friday", [ANNA, OPEN_SEAT, OPEN_SEAT], NOON, organiser=ANNA.address, terms=BY_LINK
    )
    open_seats.hold_seat(context, game, BEN, NOON)
    worn = context.seat_of(game, "Ben")
    leave(context, game, "Ben")
    open_seats.hold_seat(context, game, BEN, NOON)
    assert context.seat_of(game, "Ben") != worn


def test_a_rematch_is_called_off_and_asked_for_anew_only_so_often(context):
    game = context.start_game("Anna", "Ben")
    context.change_game(game, status="over")
    for _ in range(MOST_REMATCHES_CANCELLED):
        made = open_rematch(context, game, 0, NOON)
        cancel_game(context, made.game, NOON)
    with pytest.raises(open_seats.SeatRefused, match="called off"), use_locale(Locale()):
        open_rematch(context, game, 0, NOON)


def test_somebody_who_has_a_name_of_the_house_plays_again_with_another_of_it(context):
    anna = SeatRequest(HOUSE, "anna@example.org")
    game = context.open_game("Friday", [anna, OPEN_SEAT], NOON, organiser=anna.address, terms=BY_LINK)
    fill_with_bots(context, game, "open", NOON)
    context.change_game(game, status="over")
    made = open_rematch(context, game, context.seat_of(game, HOUSE), NOON)
    names = context.rows_of(Seating.name, Seating.game == made.game)
    assert sorted(names) == sorted(HOUSE_NAMES[:2])
