"""Letters that come back: nobody who is not reached loses his turn, and nobody waits for ever."""

import pytest

from server.accounts.addresses import confirm_address, request_address_confirmation
from server.admin.reports import list_bouncing_addresses
from server.store.models import BouncingAddress
from tests.emails.replies.reports import FORMS
from tests.server import desk
from tests.server.desk import NOON
from tests.server.inbox.returned import envelope_of, report

# --- the clock stops -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_letter_that_comes_back_stops_the_clock_whatever_program_says_so(story, form):
    state, why = story.returns(form=form)
    assert (state, why.split(":")[0]) == ("played", "A letter came back")
    assert story.fails()
    assert story.halted()
    assert story.row.deadline is None
    story.mended()


def test_the_others_are_told_once_each_in_his_language(context, story):
    context.set_preferences(story.game, story.others[1], language="nl", everywhere=True)
    story.returns()
    story.returns(form=FORMS[1])
    for other in story.others:
        (english,) = story.told(other)
        (dutch,) = story.told(other, "nl")
        assert english.startswith(f"A mail says that mail to {story.name} comes back.")
        assert "stands still, for a day at most, or for 14 days if our own" in english
        assert dutch != english
    assert story.told(story.name) == []


def test_the_same_report_twice_is_one(context, story):
    story.returns()
    acts_before = story.row.seq
    story.returns(1)
    letter = story.letter()
    again = story.comes(report(story.mails, letter) + "\n", envelope_of(story.mails, letter))
    assert again == ("played", "The return of that letter is already recorded.")
    assert story.row.seq == acts_before
    assert context.rows_of(BouncingAddress.since) == [NOON]


def test_in_all_his_games_and_in_those_that_begin_later(context, story, clock):
    other = context.start_game(story.name, "Dirk", now=clock())
    story.returns()
    third = context.start_game(story.name, "Dirk", now=clock())
    story.tick(1)
    assert all(story.halted(game=one) for one in (story.game, other, third))
    assert not story.halted("Dirk", other)
    assert len(story.told("Dirk", game=other)) == 1
    before = story.row.seq
    story.tick(1)
    assert story.row.seq == before


def test_a_game_without_a_limit_tells_the_others_all_the_same(context, story):
    context.change_game(story.game, turn_minutes=0, deadline=None)
    story.returns()
    (words,) = story.told()
    assert words.startswith(f"Mail to {story.name} comes back. {story.name} can still play on the page")
    story.tick(15 * 24)
    assert len(story.told()) == 1


def test_what_mail_reports_stops_a_clock_once_in_a_game(context, story, clock):
    story.returns()
    story.cleared(1)
    story.send()
    story.returns(24 * 4)
    assert story.fails()
    assert not story.halted()
    later = context.start_game(story.name, "Dirk", now=clock())
    story.tick()
    assert story.halted(game=later)
    before = story.told()
    story.cleared(48)
    assert story.told() == before
    story.mended()


def test_a_refusal_by_the_relay_stops_it_for_longer_and_again(story):
    story.returns()
    story.work(24)
    assert not story.halted()
    assert story.refused(1).startswith("A letter came back: ")
    assert story.halted()
    assert story.refused(1) == "A letter came back again."
    story.returns()  # says nothing new
    story.tick(24 * 12)
    assert story.halted()
    story.cleared()
    story.send()
    story.refused(24 * 4)
    assert story.halted()
    story.mended()


# --- the clock goes on -----------------------------------------------------------------------------------


def test_a_letter_to_an_address_that_was_only_typed_gives_nothing_back(context, story, clock):
    request_address_confirmation(context, story.game, story.seat, "typed@example.org", clock.forward(2))
    story.send()
    story.returns(4, name="typed")
    story.refused(6, name=story.name)
    story.cleared(1)
    assert story.left == 36
    story.mended()


def test_a_report_on_a_letter_of_an_earlier_turn_gives_nothing_back(context, story):
    letter = story.letter()
    story.play()
    while context.mover(story.game) != story.name:
        story.play()
    story.send()
    story.reports(letter, 6)
    story.cleared()
    assert story.left == 42
    story.mended()


def test_a_mail_from_that_address_shows_that_it_is_good(story):
    letter = story.letter()
    story.returns(1)
    story.answers(letter, "stranger@example.org")
    assert story.fails()
    story.answers(letter, str(letter["To"]), **{"Auto-Submitted": "auto-replied"})
    assert story.fails()
    story.answers(letter, str(letter["To"]))
    assert not story.fails()
    assert not story.halted()


def test_a_new_address_that_is_confirmed_lets_the_clock_go_on(context, story, mails, clock):
    story.returns()
    request_address_confirmation(context, story.game, story.seat, "new@example.org", clock())
    mails.mails.clear()
    story.send()
    assert [mail["To"] for mail in mails.mails if mail["X-Alexandros"] == "confirm"] == ["new@example.org"]
    (code,) = context.confirmation_codes()
    context.committed(clock(), confirm_address, code)
    assert not story.halted()
    mails.mails.clear()
    story.send()
    assert desk.kinds(mails.to("new")) == ["your_turn", "shown"]


def test_a_letter_that_was_under_way_already_proves_nothing(context, story):
    letter = story.letter()
    context.set_preferences(story.game, story.name, messages=True)
    story.says("hello")
    story.reports(letter, 0.1)
    story.work(24 * 4)
    assert story.fails()


def test_a_report_that_a_later_letter_was_delivered_clears(story):
    letter = story.letter()
    story.returns()
    story.reports(letter, action="delivered", status="2.0.0")
    assert story.fails()  # that letter is the one that came back
    story.work(24 * 14)
    story.returns(action="delivered", status="2.0.0")
    assert not story.fails()


def test_the_operator_sees_who_is_not_reached(context, story):
    with context.reading() as session:
        assert not list(list_bouncing_addresses(session))
    story.returns()
    with context.reading() as session:
        [line] = list_bouncing_addresses(session)
    since, games = f"since {NOON:%Y-%m-%d %H:%M} UTC", f"{story.game} ({story.name})"
    assert line.startswith(f"{story.name.lower()}@example.org  {since}  {games}  ")
    assert "User unknown" in line
