"""Mails that ask for something, that give a game up, and orders beside which something doubtful stands."""

import pytest

from server.accounts.unsubscribe import stop_letters
from server.clock import tick
from server.store.models import Game, Resignation
from tests.breadth import first
from tests.server.beginnings import begin_game
from tests.server.desk import (
    NOON,
    changing,
    committed,
    desk,
    game_row,
    names_of,
    rows_of,
    seat_of,
    set_preferences,
)
from tests.server.inbox.test_mail_dispatch import (
    answer_to,
    body,
    last_letter,
    mover,
    reply,
    states,
    turn_words,
)


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben", "Cleo")


@pytest.fixture
def name(context, game):
    return mover(context, game)


@pytest.fixture
def says(context, carrier, name):
    """Let the first player to move reply to their last letter; the kind of the answer, and its words."""
    return lambda words: answer_to(context, carrier, name, words)


def resigned(context):
    return rows_of(context, Resignation.seat)


@pytest.mark.parametrize(
    ("words", "shown"),
    first(
        4,
        [
            ("?", "What you can write"),
            ("Help.", "What you can write"),
            ("board", "How the game stands"),
            ("my cards", "Your cards and what they can do"),
            ("history please", "The game so far"),
            ("rules", "The game in two minutes"),
            ("rules 5.9", "Rule 5.9: You can take over"),
            ("settings", "Language: English. Time zone: UTC."),
            ("my cards, please", "Your cards and what they can do"),
        ],
    ),
)
def test_whoever_asks_is_shown_it_in_turn_and_out_of_turn(context, game, carrier, words, shown):
    before = game_row(context, game).seq
    for name in names_of(context, game)[:2]:
        kind, text = answer_to(context, carrier, name, words)
        assert (kind, shown in text) == ("shown", True)
    assert game_row(context, game).seq == before


def test_several_are_shown_in_their_order_and_what_is_played_is_played(context, game, says):
    card, march = turn_words(context, game)
    kind, text = says(f"{card}\n{march}\nrules 5.11\nhand")
    assert (kind, game_row(context, game).seq) == ("answer", 3)
    assert 0 < text.index("Rule 5.11") < text.index("Your cards and what they can do")


def test_what_is_asked_for_is_shown_although_an_order_is_refused(says):
    kind, text = says("levy taxes\nrules 5.11")
    assert (kind, "Rule 5.11" in text) == ("refused", True)


@pytest.mark.parametrize(
    "words", first(3, ["resign", "I resign.", "Ik geef op!", "OPGEVEN", "Hi,\n\nresign\n\nRegards"])
)
def test_a_mail_that_says_nothing_else_gives_the_game_up_after_a_yes(context, game, name, says, words):
    set_preferences(context, game, name, language="en" if "resign" in words else "nl")
    kind, text = says(words)
    assert (kind, resigned(context)) == ("asked_back", [])
    assert "you give your seat up" in text or "je je plaats opgeeft" in text
    kind, text = says("yes")
    assert kind == "shown"
    assert "== You have resigned ==" in text or "== Je hebt opgegeven ==" in text
    assert resigned(context) == [seat_of(context, game, name)]
    assert tick(context, NOON) == 1
    assert mover(context, game) != name


@pytest.mark.parametrize(
    "words", ["I don't want to play any more", "I no longer want to play", "I want to stop", "ik wil stoppen"]
)
def test_whoever_wants_to_stop_is_asked_whether_they_give_the_game_up(context, game, name, says, words):
    """And is asked for no more time ("any more"), and offered no march that a "yes" would play."""
    set_preferences(context, game, name, language="nl" if words.startswith("ik") else "en")
    kind, text = says(words)
    assert (kind, resigned(context)) == ("asked_back", [])
    assert "you give your seat up" in text or "geef je je plaats op" in text.casefold()
    assert says("no")[0] != "shown"
    assert resigned(context) == []


@pytest.mark.parametrize("more", ["draw", "board", "say: sorry", "resign"])
def test_with_anything_else_it_is_refused_and_nothing_is_done(context, says, more):
    kind, text = says(f"resign\n{more}")
    assert (kind, resigned(context)) == ("refused", [])
    assert "in a mail of its own" in text
    assert "You have resigned" not in text


def test_whoever_has_resigned_plays_no_more_but_may_ask(context, game, carrier, name, says):
    card, _ = turn_words(context, game)
    letter = last_letter(context, carrier, name)
    says("resign")
    says("yes")
    reply(context, letter, card)
    refused = " ".join(body(last_letter(context, carrier, name)).split())
    assert f"“{card}”: you have resigned from this game" in refused
    kind, text = says("history")
    assert (kind, "Turn 1, you" in text) == ("shown", False)
    assert [state for state, _ in states(context)] == ["asked", "played", "refused", "played"]


def test_who_gets_no_letters_is_answered_all_the_same(context, game, carrier, name, says):
    last_letter(context, carrier, name)
    committed(context, NOON, stop_letters, game, seat_of(context, game, name), False)
    assert [says("resign")[0], says("yes")[0]] == ["asked_back", "shown"]


@pytest.mark.parametrize("words", ["", "no", "why?", "yes and no", "never\nyes", "draw"])
def test_anything_but_yes_leaves_it_undone(context, says, words):
    says("resign")
    says(words)
    assert resigned(context) == []


def test_a_question_answered_with_no_is_left_and_with_half_a_yes_asked_again(
    context, game, carrier, name, says
):
    says("resign")
    question, sent = last_letter(context, carrier, name), len(carrier.mails)
    says("no, thank you")
    assert len(carrier.mails) == sent
    assert "with the one word “yes”" in says("yes, but only if Ben agrees")[1]
    assert resigned(context) == []
    reply(context, question, "yes")
    assert resigned(context) == [seat_of(context, game, name)]


def test_the_position_may_have_moved_on_and_the_game_may_not_have_ended(context, game, carrier, says):
    other = names_of(context, game)[1]
    answer_to(context, carrier, other, "resign")
    question = last_letter(context, carrier, other)
    says("\n".join([*turn_words(context, game), "draw; draw"]))
    for status, words, gone in (("over", "yes", []), ("running", "Yes", [1])):
        with changing(context) as session:
            session.get_one(Game, game).status = status
        reply(context, question, words)
        assert resigned(context) == gone
        assert ("The game is over" in body(last_letter(context, carrier, other))) == (status == "over")


@pytest.mark.parametrize(
    "yes", first(3, ["1", "Yes, please.", "ja", "1\n\nThanks, and see you on Friday!\nAnna", "do it"])
)
def test_doubtful_orders_are_asked_about_and_played_by_a_yes(context, game, name, says, yes):
    card, march = turn_words(context, game)
    before = game_row(context, game).seq
    kind, text = says(f"{card}\n{march}\nnot sure about this")
    assert (kind, game_row(context, game).seq) == ("asked_back", before)
    assert f"“{card}” “{march}" in text
    assert "could change them: “not sure about this”." in text
    set_preferences(context, game, name, language="nl" if yes == "ja" else "en")
    assert says(yes)[0] == "answer"
    assert game_row(context, game).seq == before + 1
    says("1")
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
    name, (card, march) = mover(context, game), turn_words(context, game)

    def send(text, verdict):
        given = f"mx.example.org; {verdict} header.from=example.org"
        return answer_to(context, carrier, name, text, Authentication_Results=given)[0]

    if before:
        wish = f"I would like the {card.split()[1]} over to {march.split()[1]} and a card I guess"
        send(wish, "dmarc=pass")
    start = game_row(context, game).seq
    kind = send(words.format(card=card, march=march) + beside, verdict or "dmarc=pass")
    if reason == "none":
        assert (kind, game_row(context, game).seq) == ("answer", start + 1)
        return
    if (way, reason) == ("a yes", "doubt"):
        assert kind == "refused", "a yes with a doubt is none"
        return
    assert (kind, game_row(context, game).seq) == ("asked_back", start)
    assert send("yes", "dmarc=fail") == "answer"
    assert game_row(context, game).seq == start + 1


@pytest.mark.parametrize(
    ("answer", "plays"),
    [
        *first(
            4, [(no, 0) for no in ("no", "1?", "1\n\nno wait", "yes, but not now", "yes...", "maybe", "2")]
        ),
        ("{card}", 1),
    ],
)
def test_a_clear_yes_or_other_orders_alone_play(context, game, says, answer, plays):
    card, _ = turn_words(context, game)
    says(f"{card}\n\nlet me think")
    before = game_row(context, game).seq
    says(answer.format(card=card))
    assert game_row(context, game).seq == before + plays


def test_plain_talk_beside_orders_is_no_question(context, game, name, says):
    card, march = turn_words(context, game)
    friend = names_of(context, game)[1]
    above, below = (
        f"Hi {friend}, what a lovely evening!",
        f"Nice move, {friend}!\n\n{name}\nSee you on Friday",
    )
    kind, text = says(f"{above}\n{card}\n{march}\n{below}")
    assert kind == "answer", text


def test_words_for_the_others_wait_for_the_yes_too(context, game, carrier, says):
    card, _ = turn_words(context, game)
    kind, text = says(f"{card}\nsay: here I come\n\nunless you mind")
    assert (kind, "“say: here I come”" in text) == ("asked_back", True)
    assert "here I come" not in body(last_letter(context, carrier, names_of(context, game)[1]))
    assert says("1")[0] == "answer"
