"""Absences and reminders by mail, in what a conversation of one player does not show."""

from datetime import date, timedelta

from server.inbox import intake
from server.outbox.notifications import load_preferences
from server.store.server_facts import GameTerms
from tests.server.desk import ANNA, BEN, CLEO, NOON, words_of
from tests.server.inbox.test_mail_dispatch import answering, last_letter

PEOPLE = "Anna", "Ben", "Cleo"
HOUR = timedelta(hours=1)


def tells(context, carrier, name, text, now=NOON + HOUR):
    """The answer to a mail that somebody writes an hour after their letter."""
    mail = answering(last_letter(context, carrier, name), text)
    intake.store_mail(context, str(mail["From"]), str(mail["To"]), bytes(mail), now)
    context.work_until_idle(carrier, now)
    letter = carrier.to(name)[-1]
    return str(letter["X-Alexandros"]), words_of(letter)


def test_who_is_away_for_longer_than_an_older_game_allows_hears_until_when_time_stands(context, carrier):
    terms = GameTerms(vacation_days=5)
    game = context.open_game("Friday", [ANNA, BEN, CLEO], NOON, hours=24, at_once=True, terms=terms)
    context.work_until_idle(carrier, NOON)
    _, text = tells(context, carrier, context.mover(game), "I am away until 29 March")
    assert context.game_row(game).deadline.date() == date(2026, 3, 7)
    assert "until the end of Friday 6 March 2026" in text
    assert "first day home" not in text
    told = text.partition("While you are not there")[2].partition("You can play all the same")[0]
    assert told
    assert "29 March" not in told


def wants_reminders(context, game, name):
    with context.reading() as session:
        player = context.player_of(game, context.seat_of(game, name))
        return load_preferences(session, player, game).reminders


def test_wishes_for_reminders_hold_in_all_games_but_those_with_settings_of_their_own(
    context, game, carrier, name
):
    other = context.start_game(*context.names_of(game))
    context.set_preferences(other, name, moves=True)
    tells(context, carrier, name, "stop reminders")
    assert not wants_reminders(context, other, name), "the newest letter is of the game with its own"
    assert wants_reminders(context, game, name)
    third = context.start_game(*context.names_of(game))
    tells(context, carrier, name, "stop reminders")
    assert not wants_reminders(context, third, name)
    assert not wants_reminders(context, game, name)
