"""A game that the operator halts: nobody plays or writes, nothing leaves, its clock stands still."""

from datetime import timedelta

import pytest
from sqlmodel import select

from server.accounts.bounces import clear_bounce, record_bounce
from server.admin.interventions import lift_suspension, suspend_game
from server.clock import tick
from server.delivery.sending import send_due_letters
from server.lobby.open_seats import fill_with_bots, hold_seat
from server.store.event_log import GameSuspended
from server.store.models import Game, OutgoingLetter, Player
from server.store.server_facts import GameTerms
from tests.server.desk import ANNA, BEN, NOON, OPEN_SEAT, body, kinds
from tests.server.inbox.test_new_game_mail import Post
from tests.server.web.bots import bots, deal_lyre, problem

HALTED = "The operator of this server has halted this game. Nothing was done."
IN_A_LINE = "The operator has halted this game."


@pytest.fixture
def post(context):
    return Post(context)


def halt(context, game, now=NOON):
    return context.committed(now, suspend_game, game)


def lift(context, game, now=NOON):
    return context.committed(now, lift_suspension, game)


def waiting(context):
    return len(context.rows_of(OutgoingLetter, OutgoingLetter.state == "waiting"))


def opened(context, **said):
    return context.open_game("Friday", said.pop("seats", [ANNA, BEN]), NOON, **said)


def test_the_operator_halts_a_game_and_lets_it_go_on_and_twice_is_once(context, game):
    assert context.type_in("suspend", game).stdout == f"{game} is suspended.\n"
    assert context.type_in("suspend", game).stdout == f"{game} was suspended already.\n"
    assert "suspended since" in context.type_in("games").stdout
    assert context.type_in("suspend", game, "--lift").stdout == f"{game} goes on.\n"
    assert context.type_in("suspend", game, "--lift").stdout == f"{game} was not suspended.\n"
    assert "suspended" not in context.type_in("games").stdout


def test_a_link_of_a_letter_plays_nothing(context, place):
    game = deal_lyre(place)
    stored = place.stored()
    visitor = place.visitor().get(place.link(game, "choose lyre"))
    halt(context, game)
    visitor.press()
    assert (visitor.status, place.stored()) == (409, stored)
    assert HALTED in visitor.text
    lift(context, game)
    assert visitor.get(place.link(game, "choose lyre")).press().status == 200
    assert place.stored() != stored


def test_a_program_is_told_so(context, place):
    game = deal_lyre(place)
    before = context.game_row(game)
    halt(context, game)
    first, _ = bots(place, game)
    body = f'{{"after": {before.after}, "lines": ["choose lyre"]}}'
    assert problem(first.send(game, body), 422)["detail"] == HALTED
    assert context.game_row(game).seq == before.seq


def test_a_mail_is_told_so_and_that_letter_leaves(context, post):
    game = context.start_game("Anna", "Ben")
    send_due_letters(context, post.carrier, NOON)
    name, after = context.mover(game), context.game_row(game).after
    letter = post.to(name)
    halt(context, game)
    assert post.answer(letter, "hand") == "refused"
    assert HALTED in body(post.to(name))
    assert post.answer(letter, "say: hello") == "refused"
    assert context.game_row(game).after == after
    lift(context, game)
    assert post.answer(letter, "hand") == "played"


def test_letters_wait_and_leave_when_it_goes_on(context, game, mails):
    halt(context, game)
    context.work_until_idle(mails, NOON + timedelta(days=10))
    assert not mails.mails
    assert waiting(context) == 2
    lift(context, game, NOON + timedelta(days=10))
    context.work_until_idle(mails, NOON + timedelta(days=10))
    assert sorted(kinds(mails.mails)) == ["welcome", "your_turn"]


def test_invitations_wait_and_those_to_a_game_called_off_are_dropped(context, mails):
    game = opened(context)
    halt(context, game)
    context.work_until_idle(mails, NOON)
    assert not mails.mails
    with context.changing() as session:
        session.get_one(Game, game).status = "cancelled"
        session.get_one(Game, game).suspended_at = None
    context.work_until_idle(mails, NOON)
    assert not mails.mails
    assert waiting(context) == 0


@pytest.mark.parametrize("when", ["halted", "lifted"])
def test_a_list_that_is_worked_out_anew_keeps_the_halt_and_the_time_that_was_left(context, game, clock, when):
    context.begin_time(game)
    halt(context, game, clock.forward(20))
    clock.forward(500)
    if when == "lifted":
        lift(context, game, clock())
    before = context.projected(game)
    context.rebuild()
    assert context.projected(game) == before
    if when == "halted":
        lift(context, game, clock())
    assert context.game_row(game).deadline - clock() == timedelta(hours=28)


def test_neither_the_house_nor_the_letter_of_the_day_comes(context, clock, mails):
    game = context.start_game("Anna", "house")
    context.set_preferences(game, "Anna", pace="daily")
    halt(context, game)
    seq = context.game_row(game).seq
    context.work_until_idle(mails, clock.forward(60))
    assert context.game_row(game).seq == seq
    assert not mails.mails


def a_bounce(context, game, name, now):
    def fail(unit):
        letters = select(OutgoingLetter).where(OutgoingLetter.recipient == f"{name.lower()}@example.org")
        letter = unit.session.exec(letters.where(OutgoingLetter.kind == "your_turn")).first()
        letter.sent_at = now
        record_bounce(unit, letter, "no such mailbox", reported=False)

    context.committed(now, fail)


def test_mail_that_comes_back_meanwhile_stops_the_clock_when_the_game_goes_on(context, game, clock, mails):
    context.work_until_idle(mails, clock())
    halt(context, game, clock.forward(20))
    a_bounce(context, game, context.mover(game), clock.forward(1))
    seq = context.game_row(game).seq
    tick(context, clock.forward(1))
    assert context.game_row(game).seq == seq
    lift(context, game, clock())
    assert context.game_row(game).deadline is None
    tick(context, clock.forward(14 * 24))
    assert context.game_row(game).deadline is not None


def test_mail_that_arrives_meanwhile_starts_the_clock_when_the_game_goes_on(context, game, clock, mails):
    context.work_until_idle(mails, clock())
    name = context.mover(game)
    a_bounce(context, game, name, clock.forward(20))
    assert context.game_row(game).deadline is None
    halt(context, game, clock.forward(1))
    player = context.rows_of(Player, Player.name == name)[0]

    def arrive(unit):
        clear_bounce(unit, unit.session.get_one(Player, player.id), player.address)

    context.committed(clock.forward(100), arrive)
    assert context.game_row(game).deadline is None
    lift(context, game, clock())
    assert context.game_row(game).deadline - clock() == timedelta(hours=28)


def test_a_game_that_waits_does_not_begin(context):
    game = opened(context)
    context.accept_invitation(game, 0, NOON)
    halt(context, game)
    with pytest.raises(GameSuspended):
        context.accept_invitation(game, 1, NOON)
    with pytest.raises(GameSuspended):
        fill_with_bots(context, game, "awaited", NOON)
    assert context.game_row(game).status == "open"
    lift(context, game)
    assert context.accept_invitation(game, 1, NOON)


def test_nobody_joins_a_game_that_is_halted_nor_finds_it_in_the_list(context, place):
    game = opened(context, terms=GameTerms("all"), seats=[ANNA, OPEN_SEAT])
    assert "Friday" in place.visitor().get("/games").text
    halt(context, game)
    assert "Friday" not in place.visitor().get("/games").text
    with pytest.raises(GameSuspended):
        hold_seat(context, game, BEN, NOON)
    link = context.links.join_link(game).removeprefix(context.settings.base_url)
    assert IN_A_LINE in place.visitor().get(link).text


def test_who_accepts_by_mail_is_told_so(context, post):
    game = opened(context)
    send_due_letters(context, post.carrier, NOON)
    letter = post.to("ben")
    halt(context, game)
    assert post.answer(letter, "accept") == "refused"
    assert HALTED in body(post.to("ben"))


def test_each_page_says_so_in_one_line(context, game, place):
    links = [f"{place.link(game)}/history", *(place.link(game, seat=seat) for seat in (0, 1))]
    links.append(context.links.organiser_link(game, 0).removeprefix(context.settings.base_url))
    mine = place.signed_in(game)
    halt(context, game)
    for link in links:
        assert place.visitor().get(link).text.count(IN_A_LINE) == 1, link
    assert mine.get("/me").text.count(IN_A_LINE) == 1
    lift(context, game)
    for link in links:
        assert "halted" not in place.visitor().get(link).text, link


def test_the_invitation_says_so(context, place):
    game = opened(context)
    link = place.link(game, "accept", seat=1, after=1)
    halt(context, game)
    visitor = place.visitor().get(link)
    assert visitor.text.count(IN_A_LINE) == 1
    assert HALTED in visitor.press().text


def test_no_time_runs_and_it_goes_on_with_what_was_left(context, game, clock, mails):
    context.begin_time(game)
    tick(context, clock.forward(20))
    halt(context, game, clock())
    assert context.game_row(game).deadline is None
    tick(context, clock.forward(500))
    assert context.game_row(game).turn == 1
    lift(context, game, clock())
    row = context.game_row(game)
    assert row.deadline - clock() == timedelta(hours=28)
    tick(context, clock.forward(27.9))
    assert context.game_row(game).turn == 1
    tick(context, clock.forward(0.1))
    assert context.game_row(game).turn == 2
