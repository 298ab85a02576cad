"""Orders beside which something else stands: harmless words leave them alone, all others are asked about."""

import pytest

from tests.breadth import first
from tests.server.beginnings import begin_game
from tests.server.desk import desk, game_row, names_of, set_preferences
from tests.server.inbox.test_mail_dispatch import body, last_letter, mover, reply, turn_words


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben", "Cleo")


def answered(context, carrier, name, text):
    """The answer to a mail, its lines joined."""
    reply(context, last_letter(context, carrier, name), text)
    letter = last_letter(context, carrier, name)
    return str(letter["X-Alexandros"]), " ".join(body(letter).split())


@pytest.mark.parametrize(
    "yes", first(3, ["1", "Yes, please.", "ja", "1\n\nThanks, and see you on Friday!\nAnna", "do it"])
)
def test_doubtful_orders_are_asked_about_and_played_by_a_yes(context, game, carrier, yes):
    name = mover(context, game)
    card, march = turn_words(context, game)
    before = game_row(context, game).seq
    kind, text = answered(context, carrier, name, f"{card}\n{march}\nnot sure about this")
    assert (kind, game_row(context, game).seq) == ("asked_back", before)
    assert f"“{card}” “{march}" in text
    assert "could change them: “not sure about this”." in text
    set_preferences(context, game, name, language="nl" if yes == "ja" else "en")
    kind, _ = answered(context, carrier, name, yes)
    assert (kind, game_row(context, game).seq) == ("answer", before + 1)
    reply(context, last_letter(context, carrier, name), "1")
    assert game_row(context, game).seq == before + 1


WAYS = {
    "a letter": ("", "b"),
    "a letter in words": ("", "option b please"),
    "a number": ("proposal", "2"),
    "a yes": ("proposal", "yes"),
    "several lines": ("", "{card}\n{march}\ndraw"),
    "one line": ("", "{card}; {march}; draw"),
    "commas": ("", "{card}, {march}, draw"),
}
REASONS = {"none": ("", ""), "not proven": ("dmarc=fail", ""), "doubt": ("", "\n\nno wait, perhaps not")}


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("way", WAYS)
def test_a_turn_is_asked_about_however_it_is_said(tmp_path, carrier, way, reason):
    (before, words), (verdict, beside) = WAYS[way], REASONS[reason]
    context = desk(tmp_path, ALEXANDROS_MAIL_AUTHSERV="mx.example.org")
    game = begin_game(context, carrier, "Anna", "Ben")
    name = mover(context, game)
    card, march = turn_words(context, game)

    def send(text, verdict):
        given = f"mx.example.org; {verdict} header.from=example.org"
        reply(context, last_letter(context, carrier, name), text, Authentication_Results=given)
        letter = last_letter(context, carrier, name)
        return str(letter["X-Alexandros"]), body(letter)

    if before:
        send(
            f"I would like the {card.split()[1]} over to {march.split()[1]} and a card I guess", "dmarc=pass"
        )
    start = game_row(context, game).seq
    kind, text = send(words.format(card=card, march=march) + beside, verdict or "dmarc=pass")
    if reason == "none":
        assert (kind, game_row(context, game).seq) == ("answer", start + 1)
        return
    if (way, reason) == ("a yes", "doubt"):
        assert kind == "refused"  # a yes with a doubt is none
        return
    assert (kind, game_row(context, game).seq) == ("asked_back", start), text
    kind, text = send("yes", "dmarc=fail")
    assert (kind, game_row(context, game).seq) == ("answer", start + 1), text


@pytest.mark.parametrize(
    "no", first(4, ["no", "1?", "1\n\nno wait", "yes, but not now", "yes...", "maybe", "2"])
)
def test_without_a_clear_yes_they_are_not_played(context, game, carrier, no):
    name = mover(context, game)
    card, _ = turn_words(context, game)
    answered(context, carrier, name, f"{card}\n\nlet me think")
    before = game_row(context, game).seq
    answered(context, carrier, name, no)
    assert game_row(context, game).seq == before


def test_other_orders_are_a_good_answer_to_the_question(context, game, carrier):
    name = mover(context, game)
    card, _ = turn_words(context, game)
    answered(context, carrier, name, f"{card}\n\nlet me think")
    before = game_row(context, game).seq
    kind, _ = answered(context, carrier, name, card)
    assert (kind, game_row(context, game).seq) == ("answer", before + 1)


def test_plain_talk_beside_orders_is_no_question(context, game, carrier):
    name = mover(context, game)
    card, march = turn_words(context, game)
    friend = next(one for one in names_of(context, game) if one != name)
    above, below = (
        f"Hi {friend}, what a lovely evening!",
        f"Nice move, {friend}!\n\n{name}\nSee you on Friday",
    )
    words = f"{above}\n{card}\n{march}\n{below}"
    kind, text = answered(context, carrier, name, words)
    assert kind == "answer", text


def test_the_question_is_put_in_the_language_of_its_reader(context, game, carrier):
    name = mover(context, game)
    set_preferences(context, game, name, language="nl")
    card, _ = turn_words(context, game)
    kind, text = answered(context, carrier, name, f"{card}\n\nwacht nog even")
    assert kind == "asked_back"
    assert "Je mail geeft deze opdrachten" in text
    assert "“wacht nog even”" in text
    assert answered(context, carrier, name, "doe maar")[0] == "answer"


def test_words_for_the_others_wait_for_the_yes_too(context, game, carrier):
    name = mover(context, game)
    card, _ = turn_words(context, game)
    other = next(one for one in names_of(context, game) if one != name)
    kind, text = answered(context, carrier, name, f"{card}\nsay: here I come\n\nunless you mind")
    assert kind == "asked_back"
    assert "“say: here I come”" in text
    assert "here I come" not in body(last_letter(context, carrier, other))
    kind, text = answered(context, carrier, name, "1")
    assert kind == "answer"
