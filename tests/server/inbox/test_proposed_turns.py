"""Mails in people's own words are answered with the turns that they may mean, and a number plays one."""

import json

import pytest

from tests.server.beginnings import begin_game
from tests.server.desk import type_in
from tests.server.inbox.test_answers import done, letters, position
from tests.server.inbox.test_mail_dispatch import body, last_letter, mover, reply, states


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben")


def first_turn(context, game, name):
    """The orders of the first turn that the letter offers to a player."""
    [row] = [one for one in letters(context, "your_turn") if f"{name.lower()}@" in one.recipient]
    return json.loads(row.detail)["numbers"]["a"].split("; ")


def test_a_mail_in_own_words_is_answered_with_what_it_may_mean(context, game, carrier):
    name = mover(context, game)
    card, march, *_ = first_turn(context, game, name)
    symbol, place, end = card.split()[1], march.split()[1], march.split("-")[-1]
    letter = last_letter(context, carrier, name)
    reply(
        context,
        letter,
        f"Hmm, let me see: I'd like the {symbol}, over to {place} at the {end} corner, and a card please!",
    )
    asked = last_letter(context, carrier, name)
    assert done(context, game) == []
    reply(context, asked, "yes")
    [words] = done(context, game)
    assert words == "1"
    assert str(position(context, game).table.alexander) == end
    shown = type_in(context, "understood").stdout
    assert shown == "proposal  1 mails  1 asked  chosen 1: 1\n"
    counted = context.events.metrics.registry.get_sample_value
    assert counted("alexandros_understood_total", {"kind": "proposal", "outcome": "chosen"}) == 1


def test_a_yes_is_good_once(context, game, carrier):
    name = mover(context, game)
    [card, march, *_] = first_turn(context, game, name)
    letter = last_letter(context, carrier, name)
    reply(
        context,
        letter,
        f"I'd like to {march.split()[0]} to {march.split()[1]} using {card.split()[1]} I guess",
    )
    asked = last_letter(context, carrier, name)
    reply(context, asked, "2")
    reply(context, asked, "yes")
    assert len(done(context, game)) == 1
    assert "Your mail was not played" in body(last_letter(context, carrier, name))


def test_talk_is_told_that_it_orders_nothing(context, game, carrier):
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), "What a lovely evening, the cherries are ripe")
    assert "No order was found in your mail." in body(last_letter(context, carrier, name))
    assert done(context, game) == []
    assert states(context)[-1][0] == "refused"
