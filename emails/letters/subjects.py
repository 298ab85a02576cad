"""The subjects of letters: by them programs show one conversation for each turn of the reader.

The letter of a turn, its reminders, the questions about it and what became of its orders share one subject;
the turns of others have theirs. It says what a stranger may read who sees it on a locked screen: no card, and
nothing that is told to one alone. Whoever wants one conversation for a whole game has one subject.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from emails.i18n import gettext, gettext_noop
from emails.letters.chat_excerpts import chat_writers
from emails.letters.contexts import GameLetterContext
from emails.letters.kinds import LetterKind
from emails.names import isolate
from emails.seat_names import names_of_last
from emails.wording import phrases
from emails.wording.narration import headline_of, list_turns
from engine.events import TurnOver, TurnSkipped

REPLY = "Re: "
"""Before the subject of an answer, as mail programs have it in every language."""
STRANGER_SUBJECTS = {
    LetterKind.PROPOSAL: gettext_noop("[Alexandros] A game waits for your yes"),
    LetterKind.ACCEPTED: gettext_noop("[Alexandros] You are in the game"),
    LetterKind.CALLED_OFF: gettext_noop("[Alexandros] The game is called off"),
    LetterKind.WELCOME: gettext_noop("[Alexandros] Your game by mail has begun"),
    LetterKind.SUBSTITUTE: gettext_noop("[Alexandros] The seat is yours"),
    LetterKind.STOPPED: gettext_noop("[Alexandros] No more mails"),
}
FIRST_NAME = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)?")
"""A name that can advertise nothing, and leads nowhere."""
LONGEST_FIRST_NAME = 16
ANSWERS = frozenset({LetterKind.ANSWER, LetterKind.REFUSED, LetterKind.SHOWN, LetterKind.ASKED_BACK})
"""Kinds that answer a mail."""


def subject_line(name: str) -> str:
    """The subject of a letter that stands in no conversation about a turn; `name` is empty for no game."""
    return f"Alexandros: {phrases.safe_name(name)}" if name else "Alexandros"


def invitation_subject(asker: str, game: str) -> str:
    """The subject of an invitation: who asks, and to which game.

    To somebody who has confirmed nothing no `game` is named, and of its organiser at most one first name.
    """
    if game:
        if not asker:
            return subject_line(game)
        name = phrases.safe_name(asker)
        return gettext("%(game)s: %(name)s asks you to play", game=phrases.safe_name(game), name=name)
    if len(asker) <= LONGEST_FIRST_NAME and FIRST_NAME.fullmatch(asker):
        return gettext("[Alexandros] %(name)s asks you to a game by mail", name=isolate(asker))
    return gettext("[Alexandros] An invitation to a game by mail")


def stranger_subject(kind: LetterKind, answered: str = "") -> str:
    """The subject of a letter to somebody who has confirmed nothing: it holds nobody else's words.

    `answered`: that of the letter which they answered.
    """
    if answered and kind in ANSWERS:
        return reply_subject(answered)
    return gettext(STRANGER_SUBJECTS.get(kind, gettext_noop("[Alexandros] A game by mail")))


def reply_subject(subject: str) -> str:
    """The subject of an answer to a mail with this one."""
    return subject if subject.startswith(REPLY) else REPLY + subject


def game_subject(kind: LetterKind, context: GameLetterContext, happened: str = "") -> str:
    """The subject of a letter about a game that has begun; `happened`: else it goes by its kind."""
    if context.one_conversation:
        return subject_line(context.name)
    if happened:
        return _titled(context, happened)
    if kind not in ANSWERS:
        return _occasion_subject(kind, context)
    own, answered = turn_subject(context), context.answered.removeprefix(REPLY)
    if not context.view.my_turn:
        return reply_subject(answered or own)
    return reply_subject(own) if answered in ("", own) else own  # it is the first letter of that turn


def turn_subject(context: GameLetterContext) -> str:
    """The subject of the reader's turn, or where it is not theirs of their last one."""
    table = context.view.table
    ended = sum(isinstance(fact, TurnOver) for fact in context.since)
    turn = table.turn if context.view.my_turn else table.turn - ended - 1
    if turn < 1:
        return _titled(context, gettext("the game has begun"))
    return _titled(context, _numbered(gettext("your turn"), turn))


def done_subject(context: GameLetterContext, clauses: Sequence[str]) -> str:
    """The subject of a letter that answers no mail and tells what was done; empty where it has another."""
    if context.one_conversation or context.answered or not clauses:
        return ""
    return _titled(context, clauses[0])


def passed_subject(context: GameLetterContext, happened: str) -> str:
    """The subject of a letter about a turn that ran out: `happened` says whose; empty: the reader's."""
    if context.one_conversation:
        return subject_line(context.name)
    if context.view.my_turn or not happened:
        return turn_subject(context)
    skipped = sum(1 for _ in takewhile(lambda fact: isinstance(fact, TurnSkipped), reversed(context.since)))
    return _titled(context, _numbered(happened, context.view.table.turn - 1 - skipped))


def _occasion_subject(kind: LetterKind, context: GameLetterContext) -> str:
    """The subject of a letter that answers nothing."""
    view = context.view
    match kind:
        case LetterKind.MESSAGE:
            return _titled(context, _message_subject(context))
        case LetterKind.GAME_OVER:
            return _titled(context, _winners_subject(context))
        case LetterKind.ABSENCE:
            return _titled(context, gettext("a caretaker keeps your seat"))
        case LetterKind.SUBSTITUTE:
            return _titled(context, gettext("the seat is yours"))
        case LetterKind.SEAT_OFFERED:
            return _titled(context, gettext("a seat is free"))
        case LetterKind.STOPPED:
            return _titled(context, gettext("no more mails"))
        case LetterKind.WELCOME if not view.my_turn:
            return _titled(context, gettext("the game has begun"))
        case LetterKind.NEWS | LetterKind.DIGEST if not view.my_turn:
            return _news_subject(context)
        case _:
            return turn_subject(context)


def _message_subject(context: GameLetterContext) -> str:
    names = chat_writers(context.messages)
    if not names:
        return gettext("a message for you")
    return gettext("a message from %(names)s", names=phrases.format_list(names))


def _winners_subject(context: GameLetterContext) -> str:
    table, me = context.view.table, context.view.me
    won = table.winners or ()
    if me in won and len(won) == 1:
        return gettext("you have won")
    names = phrases.format_list(phrases.name_or_you(table, seat, me) for seat in won)
    return gettext("won by %(names)s", names=names)


def _news_subject(context: GameLetterContext) -> str:
    """What the last turn brought."""
    names = names_of_last(context.seat_names, len(context.since))
    told = list_turns(context.since, context.view.table, names=names)
    turns = [one for one in told if not one.is_skipped]
    if not turns:
        return _titled(context, gettext("how it stands"))
    last = turns[-1]
    return _titled(context, _numbered(headline_of(last, context.view), last.number))


def _numbered(happened: str, turn: int) -> str:
    """With the number that the turn has in the game, as the news and the history count."""
    return gettext("%(deed)s (turn %(turn)s)", deed=happened, turn=turn)


def _titled(context: GameLetterContext, words: str) -> str:
    return gettext("%(game)s: %(words)s", game=phrases.safe_name(context.name), words=words)
