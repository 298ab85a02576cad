"""A language that was put into a folder a moment ago: a game is asked for and played in it by mail."""

import re

import pytest
from sqlmodel import select

from server.outbox.notifications import load_preferences
from server.store.models import ChatMessage, Game, IncomingMail, Player
from tests.emails.languages.inventing import (
    CODE,
    LANGUAGE,
    NAME,
    Inventor,
    invent_sentences,
    invent_words,
    spoken,
)
from tests.post.test_a_game import orders
from tests.server.desk import body
from tests.server.inbox.test_new_game_mail import Post, games
from tests.spoken import translate_orders

ENGLISH = re.compile(r"\b(?:the|your|turn|choose|march|cards?|points?|mails?)\b", re.IGNORECASE)
ANSWERED = ("your_turn", "proposal", "invitation")
"""Kinds of letters that are answered above their marker."""


def position_of(context, game):
    with context.reading() as session:
        return context.history_of(session, session.get_one(Game, game)).position


def open_in(post: Post, inventor: Inventor) -> str:
    """A game of two that is asked for and accepted in the language; its id."""
    requests = (f"{inventor.say('language')}: {NAME}", inventor.say("30 hours"), inventor.say("no advice"))
    asked = "\n".join(("Ben <ben@example.org>", *requests))
    proposal = post.proposed(asked)
    assert LANGUAGE["marker"] in body(proposal)
    assert (
        post.answer(proposal, f"{inventor.say('yes please')}!\n\n{inventor.say('many thanks')}\nAnna")
        == "played"
    )
    assert post.answer(post.to("ben"), inventor.say("I accept")) == "played"
    (game,) = games(post.context, "running")
    with post.context.reading() as session:
        players = session.exec(select(Player)).all()
        assert {load_preferences(session, player.id, "").language for player in players} == {CODE}
    return game


def play_in(post: Post, inventor: Inventor, game: str, most: int) -> None:
    for turn in range(most):
        position, name = position_of(post.context, game), post.context.mover(game)
        if position.table.over:
            return
        lines = [translate_orders(line, CODE) for line in orders(position)]
        lines.append(f"{inventor.say('say')}: {turn}")
        text = "\n".join((f"{inventor.say('hello')},\n", *lines, "", inventor.say("best wishes"), name))
        state = post.answer(post.to(name.lower()), text)
        assert state == "played", body(post.to(name.lower()))
        assert position_of(post.context, game).table.turn > position.table.turn or (
            position_of(post.context, game).table.over
        )


def told(context) -> list[str]:
    return [one.words for one in context.rows_of(ChatMessage)]


def test_a_turn_is_played_by_mail_with_nothing_but_the_words_of_a_language(context, tmp_path):
    folder = tmp_path / CODE
    inventor = invent_words(folder)
    post = Post(context)
    with spoken(folder):
        game = open_in(post, inventor)
        play_in(post, inventor, game, 1)
        assert position_of(context, game).table.turn == 2
        assert told(context) == ["0"]
        name = context.mover(game).lower()
        assert post.answer(post.to(name), "trek") == "asked"


@pytest.mark.breadth
def test_a_whole_game_is_played_by_mail_in_a_language_of_a_moment_ago(context, tmp_path):
    folder = tmp_path / CODE
    inventor = invent_words(folder)
    invent_sentences(folder, inventor)
    post = Post(context)
    with spoken(folder):
        game = open_in(post, inventor)
        play_in(post, inventor, game, 400)
        assert position_of(context, game).table.over
        for mail in post.carrier.mails[1:]:
            own = re.sub(r"http\S+", "", body(mail))
            assert own.startswith(LANGUAGE["marker"]) or str(mail["X-Alexandros"]) not in ANSWERED
            assert not ENGLISH.findall(own), own
    with context.reading() as session:
        mails = session.exec(select(IncomingMail)).all()
        assert {mail.state for mail in mails} == {"played"}
    assert told(context) == [str(number) for number in range(len(mails) - 3)]
