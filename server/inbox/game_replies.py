"""What a mail to a game says, is done: an invitation accepted, orders played, words told to other players.

A mail is done whole or not at all. Where an order of it is refused nothing of it is told to the others, and
where something cannot be told nothing of it is played. Only what a card that comes up makes impossible is
left out (8.3); then the words are told. What it asks to be shown is shown in any case. Everything is answered
once, in the language of its writer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from emails import i18n
from emails.i18n import PLAIN, say, speaking
from emails.letters.renderer import in_words
from emails.replies.affirmations import says_yes
from emails.replies.chat_lines import forgets_colon, is_chat
from emails.replies.reply_reader import Judge, read_reply
from emails.replies.screening import EXPIRED, Verdict, screen
from emails.wording import phrases, questions
from emails.wording.requests import Request, requested
from engine.actions import Ambiguous, Unreadable
from engine.actions import Refusal as Refusing
from engine.board import Board
from engine.notation.parser import Numbers, parse
from engine.notation.tokens import begins
from server.accounts import undeliverable
from server.inbox import correspondent, returned_mail
from server.inbox.chat_relay import MOST_SHOWN, judge, tell
from server.inbox.correspondent import Writer
from server.inbox.reply_outcome import Refusal, answer, close, finish, refuse
from server.lobby.games import accept
from server.lobby.resignations import ALONE, NotResigned, has_resigned, resign
from server.outbox.chat import NotSaid
from server.store.context import Office
from server.store.event_log import Stale
from server.store.models import Game, Incoming
from server.turns.dry_run import NUMBER, Refused
from server.turns.play import RESIGNED, NoGame, play

RENUMBERED = i18n.sentence(
    "A later mail of this game has other numbers: answer that one, or write in words what you want."
)
ACCEPTED = frozenset(
    " ".join(phrase.split())
    for phrase in """
    i ll play, yes i ll play, i will play, count me in, i am in, i m in,
    ik doe mee, ja ik doe mee, ik doe graag mee, ja ik doe graag mee, ik speel mee
    """.split(",")
)
"""The lines that accept an invitation beside those of `assent.YES`."""


@dataclass(frozen=True, slots=True)
class Said:
    """The lines of a mail, by what they are."""

    lines: tuple[str, ...]
    """All of them."""
    orders: tuple[str, ...]
    talk: tuple[str, ...]
    """What is said to other players."""
    asked: tuple[Request, ...]
    """What its writer wants to be shown, or done outside the rules."""

    @classmethod
    def sorted(cls, lines: Sequence[str]) -> Said:
        """Tell the lines apart."""
        talk = tuple(line for line in lines if is_chat(line))
        found = {line: asked for line in lines if line not in talk and (asked := requested(line))}
        orders = tuple(line for line in lines if line not in talk and line not in found)
        return cls(tuple(lines), orders, talk, tuple(found.values()))


def reply(office: Office, row: Incoming, token: str, now: datetime) -> None:
    """An answer to a letter of a game: screened, read, and done as far as the table of screening lets it."""
    with office.reading() as session:
        writer = correspondent.writer(office, session, row, token)
        facts = correspondent.facts(session, row, writer, now)
    with speaking(PLAIN if writer is None else writer.person.wants.tongue):
        verdict = screen(row.raw, row.sender, facts)
        if verdict.fate == "returned":
            returned_mail.bounce(office, row, token, now)
            return
        if writer is None or verdict.fate == "ignored":
            close(office, row, "ignored", verdict.sentence)
        elif verdict.fate == "told":
            refuse(office, row, writer, Refusal(verdict.sentence), now)
        else:
            undeliverable.heard_from(
                office, writer.game.id, writer.ticket.seat, correspondent.senders(row), now
            )
            if writer.game.status == "open":
                accept_by(office, row, writer, now)
            else:
                play_by(office, row, writer, verdict, now)


def accept_by(office: Office, row: Incoming, writer: Writer, now: datetime) -> None:
    """An answer to an invitation."""
    found = read_reply(row.raw, is_command=accepts, names=writer.names)
    if not found.doubtful and any(is_chat(line) for line in found.lines):
        sentence = say("Nobody can be written to before the game has begun. To accept, answer with “accept”.")
        refuse(office, row, writer, Refusal(sentence, meant=True), now)
        return
    if found.doubtful or not found.lines or not accepts(found.lines[0]):
        sentence = say("To accept the invitation, answer it with the one word “accept”.")
        refuse(office, row, writer, Refusal(sentence), now)
        return
    if writer.letter is not None and writer.letter.kind == "accepted":
        close(office, row, "ignored", "it answers the letter that says that the invitation is accepted")
        return
    try:
        started = accept(office, writer.game.id, writer.ticket.seat, now, "reply", writer.ticket.after)
    except Stale:
        return  # somebody accepted in the same moment: the next round reads this mail again
    if started:
        close(office, row, "played", "")  # the letters of the start are the answer
    else:
        finish(office, row, writer, "played", "", "accepted", {}, now)


def accepts(line: str) -> bool:
    """Whether a line accepts an invitation."""
    return says_yes(line, ACCEPTED)


def play_by(office: Office, row: Incoming, writer: Writer, verdict: Verdict, now: datetime) -> None:
    """A mail to a game that has begun."""
    board, sent = office.board_of(writer.game), "" if writer.letter is None else writer.letter.text
    is_command = _judge_of(board, writer.numbers)
    found = read_reply(row.raw, sent or None, is_command, writer.names)
    meant = any(is_command(line) or is_chat(line) or _meant(line, board) for line in found.lines)
    if found.doubtful or not found.lines:
        refuse(office, row, writer, Refusal(found.why, found.lines, meant), now)
        return
    said = Said.sorted(found.lines)
    try:
        judge(said.talk, board)
        if any(one.kind == "resign" for one in said.asked):
            _resign(office, row, writer, said, now)
        elif said.orders and _has_resigned(office, writer):
            raise Refused(said.orders[0], Refusing(RESIGNED))
        elif said.orders and verdict.fate == "heard":
            raise Expired(verdict.sentence)
        elif any(number in writer.renumbered for line in said.orders for number in NUMBER.findall(line)):
            raise Expired(say(RENUMBERED))
        elif said.orders:
            _play(office, row, writer, said, now)
        else:
            _without_orders(office, row, writer, said, now)
    except (NotSaid, NotResigned, Expired, Stale, NoGame, Refused) as error:
        refuse(office, row, writer, _refusal(error, said, meant), now)


class Expired(Exception):
    """Orders come too late: the position has passed, or other numbers hold; the sentence says so."""


def _judge_of(board: Board, numbers: Numbers) -> Judge:
    """Whether a line can be read: as orders, or as a wish to be shown something."""

    def is_command(line: str) -> bool:
        try:
            return requested(line) is not None or bool(parse(line, board, numbers))
        except Refusing:
            return False

    return is_command


def _meant(line: str, board: Board) -> bool:
    """Whether a line that cannot be read was meant for the game: it begins like orders, or is misspelt."""
    try:
        return begins(line) or bool(parse(line, board))
    except Unreadable as refusal:
        return bool(refusal.did_you_mean)


def _play(office: Office, row: Incoming, writer: Writer, said: Said, now: datetime) -> None:
    """Play orders and tell what stands with them. Raises what `play` raises, and `NotSaid`."""
    ticket = writer.ticket

    def also(session: Session, game: Game) -> Mapping[str, object]:
        return _more(office, session, game, ticket.seat, said, now)

    play(
        office,
        ticket.game,
        ticket.seat,
        ticket.after,
        said.orders,
        "reply",
        now,
        row.id,
        also,
        writer.numbers,
    )


def _resign(office: Office, row: Incoming, writer: Writer, said: Said, now: datetime) -> None:
    """Give the game up. Raises `NotResigned`."""
    if len(said.lines) > 1:
        raise NotResigned(say(ALONE))
    resign(office, None, writer.game.id, writer.ticket.seat, now, "reply", row)


def _has_resigned(office: Office, writer: Writer) -> bool:
    with office.reading() as session:
        return has_resigned(session, writer.game.id, writer.ticket.seat)


def _without_orders(office: Office, row: Incoming, writer: Writer, said: Said, now: datetime) -> None:
    """A mail that only says or asks something, whatever position its letter was about. Raises `NotSaid`."""
    with office.writing() as session:
        incoming = session.get_one(Incoming, row.id)
        if incoming.state != "waiting":
            return  # another server has read it
        game = session.get_one(Game, writer.game.id)
        detail: dict[str, object] = {"done": [], "undone": [], "why": ""}
        detail |= _more(office, session, game, writer.ticket.seat, said, now)
        incoming.state = "played"
        answer(office, session, incoming, writer, "answer" if said.talk else "shown", detail, now)
        session.commit()
    office.wake()


def _more(
    office: Office, session: Session, game: Game, seat: int, said: Said, now: datetime
) -> dict[str, object]:
    """Tell the others what is said to them; what the answer says beside what was played. Raises `NotSaid`."""
    return {"posted": tell(office, session, game, seat, said.talk, now), "asked": _asked(said)}


def _asked(said: Said) -> list[list[str]]:
    return [[one.kind, one.about] for one in said.asked]


def _refusal(error: Exception, said: Said, meant: bool) -> Refusal:
    """Why nothing of a mail was done, as a sentence or two, and what its writer is asked."""
    sentence, question = str(error), None
    if isinstance(error, NotSaid) and said.orders:
        sentence += " " + say("Nothing of your mail was done.")
    elif isinstance(error, Refused):
        line = (error.line if error.line in said.lines else in_words(error.line))[:MOST_SHOWN]
        sentence = _why(error, line)
        if isinstance(error.refusal, Ambiguous) and error.halt is not None:
            halt = error.halt
            question = questions.question(error.refusal, halt.known, halt.before, halt.rest)
            sentence = say("“%(line)s” could mean several things.", line=line)
    elif isinstance(error, Stale):
        sentence = say(EXPIRED)
    elif isinstance(error, NoGame):
        sentence = say("This game is not being played.")
    if said.talk and not isinstance(error, NotSaid):
        sentence += " " + say("Nothing was told to the other players either.")
    return Refusal(sentence, said.lines, meant, question, _asked(said))


def _why(error: Refused, line: str) -> str:
    """Why a line is refused."""
    if forgets_colon(error.line):
        return say("“%(line)s” needs a colon before the words that are to be sent.", line=line)
    sentence = say("“%(line)s”: %(why)s", line=line, why=phrases.refusal(error.refusal))
    return sentence if sentence.endswith("?") else f"{sentence}."
