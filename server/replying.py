"""What a mail to a game says, is done: an invitation accepted, orders played, words told to other players.

A mail is done whole or not at all. Where an order of it is refused nothing of it is told to the others, and
where something cannot be told nothing of it is played. Only what a card that comes up makes impossible is
left out (8.3); then the words are told. Everything is answered once, in the language of its writer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session, col, select

from emails import wording
from emails.chat import forgets_colon, is_chat, parted, remark, swallowed
from emails.links import Ticket
from emails.replies import read_reply
from emails.tongue import say
from engine.actions import Refusal
from engine.board import Board
from engine.notation import parse
from server import messages
from server.games import accept
from server.log import Stale
from server.messages import NotSaid
from server.occasions import Occasion
from server.office import Office
from server.outbox import Person, people, queue
from server.play import NoGame, play
from server.tables import Game, Incoming, Seating
from server.trying import Refused

ACCEPTED = frozenset(
    ("accept", "i accept", "yes", "ja", "ik doe mee", "ja ik doe mee", "ik accepteer", "akkoord")
)
"""The lines that accept an invitation, in small letters and without signs."""
MOST_SHOWN = 80
"""Characters of a line that an answer repeats."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Who a mail is from, as the ticket in its address shows."""

    game: Game
    ticket: Ticket
    person: Person
    names: tuple[str, ...]
    """Of the people who play."""


def accept_by(office: Office, row: Incoming, writer: Writer, now: datetime) -> None:
    """An answer to an invitation."""
    reply = read_reply(row.raw, is_command=accepts, names=writer.names)
    if not reply.doubtful and any(is_chat(line) for line in reply.lines):
        sentence = say("Nobody can be written to before the game has begun. To accept, answer with “accept”.")
        refuse(office, row, writer, sentence, now)
        return
    if reply.doubtful or not reply.lines or not accepts(reply.lines[0]):
        sentence = say("To accept the invitation, answer it with the one word “accept”.")
        refuse(office, row, writer, sentence, now)
        return
    try:
        started = accept(office, writer.game.id, writer.ticket.seat, now, door="reply")
    except Stale:
        return  # somebody accepted in the same moment: the next round reads this mail again
    if started:
        close(office, row, "played", "")  # the letters of the start are the answer
    else:
        _finish(office, row, writer, "played", "", Occasion(writer.ticket.seat, "accepted"), now)


def plainly(line: str) -> str:
    """A line in small letters, its signs left out."""
    return " ".join("".join(char if char.isalnum() else " " for char in line.casefold()).split())


def accepts(line: str) -> bool:
    """Whether a line accepts an invitation."""
    return plainly(line) in ACCEPTED


def play_by(office: Office, row: Incoming, writer: Writer, sent: str | None, now: datetime) -> None:
    """A mail to a game that has begun; `sent` is the text of the letter it answers, if known."""
    board = office.board_of(writer.game)

    def is_order(line: str) -> bool:
        try:
            parse(line, board)
        except Refusal:
            return False
        return True

    reply = read_reply(row.raw, sent, is_order, writer.names)
    if reply.doubtful or not reply.lines:
        refuse(office, row, writer, reply.why, now)
        return
    orders, talk = parted(reply.lines)
    try:
        _judge(talk, board)
        if orders:
            _play(office, row, writer, orders, talk, now)
        else:
            _tell_alone(office, row, writer, talk, now)
    except NotSaid as error:
        sentence = str(error)
        if orders:
            sentence += " " + say("Nothing of your mail was done.")
        refuse(office, row, writer, sentence, now, reply.lines)
    except (Stale, NoGame, Refused) as error:
        sentence = _why(error)
        if talk:
            sentence += " " + say("Nothing was told to the other players either.")
        refuse(office, row, writer, sentence, now, reply.lines)


def _play(
    office: Office, row: Incoming, writer: Writer, orders: Sequence[str], talk: Sequence[str], now: datetime
) -> None:
    """Play orders and tell what stands with them. Raises what `play` raises, and `NotSaid`."""
    ticket = writer.ticket

    def also(session: Session, game: Game) -> list[str]:
        return _tell(office, session, game, ticket.seat, talk, now)

    play(office, ticket.game, ticket.seat, ticket.after, orders, "reply", now, row.id, also)


def _judge(talk: Sequence[str], board: Board) -> None:
    """Raise `NotSaid` where what is said to others may hold an order, or words for somebody else."""
    for line in talk:
        if piece := swallowed(line, board):
            raise NotSaid(
                say(
                    "A message goes on to the end of its line, so “%(words)s” would be sent with it: "
                    "put orders and other messages on lines of their own.",
                    words=piece[:MOST_SHOWN],
                )
            )


def _why(error: Exception) -> str:
    """Why orders are refused, as a sentence or two."""
    if isinstance(error, Refused) and forgets_colon(error.line):
        line = error.line[:MOST_SHOWN]
        return say("“%(line)s” needs a colon before the words that are to be sent.", line=line)
    if isinstance(error, Refused):
        line, why = error.line[:MOST_SHOWN], wording.refusal(error.refusal)
        sentence = say("“%(line)s”: %(why)s", line=line, why=why)
        return sentence if sentence.endswith("?") else f"{sentence}."
    if isinstance(error, Stale):
        return say("This answers an older letter: the game has moved on since.")
    return say("This game is not being played.")


# --- words for other players ----------------------------------------------------------------------------


def _tell_alone(office: Office, row: Incoming, writer: Writer, talk: Sequence[str], now: datetime) -> None:
    """A mail that only tells others something, whatever position its letter was about. Raises `NotSaid`."""
    with office.writing() as session:
        incoming = session.get_one(Incoming, row.id)
        if incoming.state != "waiting":
            return  # another server has read it
        game = session.get_one(Game, writer.game.id)
        posted = _tell(office, session, game, writer.ticket.seat, talk, now)
        incoming.state = "played"
        detail = {"done": [], "undone": [], "why": "", "posted": posted}
        queue(office, session, game, [Occasion(writer.ticket.seat, "answer", detail, incoming)], now)
        session.commit()
    office.wake()


def _tell(
    office: Office, session: Session, game: Game, seat: int, talk: Sequence[str], now: datetime
) -> list[str]:
    """Tell others what these lines say, and give a sentence about each. Raises `NotSaid`."""
    chosen = select(Seating.name).where(Seating.game == game.id).order_by(col(Seating.seat))
    names = list(session.exec(chosen)) if talk else []
    posted = []
    for line in talk:
        said = remark(line, names)
        if said.name:
            raise NotSaid(_unknown(session, game, seat, said.name))
        to = said.seat
        messages.post(office, session, game, seat, to, said.words, now)
        if to is None:
            posted.append(say("You told everybody: “%(words)s”", words=said.words))
        else:
            name = wording.shown(names[to])
            posted.append(say("You told only %(name)s: “%(words)s”", name=name, words=said.words))
            if not people(session, game.id)[to].wants.letters:
                posted[-1] += ". " + say(
                    "%(name)s gets no letters, and can read it only on the page of the game.", name=name
                )
    return posted


def _unknown(session: Session, game: Game, seat: int, name: str) -> str:
    """That nobody is called so, and who can be told something."""
    others = [wording.shown(one.name) for one in people(session, game.id).values() if one.seat != seat]
    if not others:
        return say("Nobody but you reads mail in this game.")
    names = wording.listed(others, "or")
    return say(
        "Nobody here is called %(name)s: you can tell %(names)s.", name=wording.shown(name), names=names
    )


# --- what became of a mail ------------------------------------------------------------------------------


def refuse(
    office: Office, row: Incoming, writer: Writer, sentence: str, now: datetime, lines: Sequence[str] = ()
) -> None:
    """Tell the address on file that nothing of a mail was done, and why."""
    detail = {"sentence": sentence, "undone": list(lines)}
    _finish(office, row, writer, "refused", sentence, Occasion(writer.ticket.seat, "refused", detail), now)


def _finish(
    office: Office, row: Incoming, writer: Writer, state: str, why: str, occasion: Occasion, now: datetime
) -> None:
    """Note what became of a mail and queue its answer, once."""
    with office.writing() as session:
        incoming = session.get_one(Incoming, row.id)
        if incoming.state != "waiting":
            return  # another server has read it
        incoming.state, incoming.why = state, why
        game = session.get_one(Game, writer.game.id)
        queue(office, session, game, [replace(occasion, mail=incoming)], now)
        session.commit()


def close(office: Office, row: Incoming, state: str, why: str) -> None:
    """Note what became of a mail that gets no answer."""
    with office.writing() as session:
        incoming = session.get_one(Incoming, row.id)
        if incoming.state == "waiting":
            incoming.state, incoming.why = state, why
        session.commit()
