"""The one way to move: button, link, reply, house and clock all come through here.

`play` has lines run on a scratch position (dry_run.py), and writes the act, the game's row and every letter
it causes in one transaction. It knows no Flask and no mail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from sqlalchemy import bindparam, select, update
from sqlmodel import Session

from emails.i18n import say, sentence
from emails.letters.renderer import in_words
from emails.wording import phrases, questions
from engine import codec
from engine.actions import Action, Ambiguous, Illegal, Refusal
from engine.notation.parser import NO_NUMBERS, Numbers
from engine.position import Position, View
from server.outbox.notifications import HALF_PLAYED, Occasion
from server.outbox.queue import queue
from server.store.context import Office
from server.store.event_log import TIMED_OUT, Fact, History, Stale, append
from server.store.models import CANCELLED, Game, Incoming
from server.store.projection import follow
from server.turns.dry_run import Refused, Run, run_lines, run_turn

RESIGNED = sentence("you have resigned from this game, and a caretaker plays for you")
"""Said of each order of such a player."""


class NoGame(Exception):
    """There is no such game, or it is not running."""


@dataclass(frozen=True, slots=True)
class Played:
    """An accepted message: what was done and where the game is now."""

    run: Run
    history: History


def play(
    office: Office,
    game_id: str,
    seat: int,
    after: int,
    lines: Sequence[str],
    door: str,
    now: datetime,
    mail: int | None = None,
    also: Also | None = None,
    numbers: Numbers = NO_NUMBERS,
) -> Played:
    """Do what a player says, in the position after act `after`.

    `mail` is the incoming mail that says it, `also` what else it does in the same transaction; what that
    raises undoes all. `numbers`: what each stands for in the letter that is answered. Raises `NoGame`,
    `log.Stale` when the game has moved on since the player saw it, or `Refused` with the line and the reason;
    then nothing was done.
    """
    said = "; ".join(lines)
    with office.writing() as session:
        game, history, position = _running(office, session, game_id, after)
        if seat in history.resigned:
            raise Refused(said, Refusal(RESIGNED))
        run = run_lines(position, seat, lines, office.dice, numbers)
        if not run.done:
            raise Refused(said, Illegal("3.1", "there is no action in it"))
        incoming = None if mail is None else session.get_one(Incoming, mail)
        return Played(
            run,
            _write(
                office, session, game, history, Deed(seat, door, said, run, mail=incoming, also=also), now
            ),
        )


def play_turn(
    office: Office, game_id: str, after: int, choose: Callable[[View], Action], door: str, now: datetime
) -> Played:
    """Play the rest of the turn for its seat: a house seat's, or one whose time has passed (door `clock`).

    Raises `NoGame` or `log.Stale`.
    """
    with office.reading() as session:
        _, _, position = _running(office, session, game_id, after)
    seat = position.table.seat
    run = run_turn(position, choose, office.dice)  # takes its time, so nobody else is kept waiting meanwhile
    own: tuple[Fact, ...] = ({"type": TIMED_OUT, "seat": seat},) if door == "clock" else ()
    with office.writing() as session:
        game, history, _ = _running(office, session, game_id, after)
        deed = Deed(seat, door, "; ".join(run.done), run, own)
        return Played(run, _write(office, session, game, history, deed, now))


# Plain statements: through the ORM the row of the game alone would take half of the time of an act.
GAME = Game.__table__  # type: ignore[attr-defined]
FOUND = select(GAME).where(GAME.c.id == bindparam("game"))
PROJECTED = ("seq", "after", "status", "turn", "seat", "turn_began_at", "deadline", "reminded")
MOVED = (
    update(GAME)
    .where(GAME.c.id == bindparam("game"))
    .values({name: bindparam(f"new_{name}") for name in PROJECTED})
)


def _running(office: Office, session: Session, game_id: str, after: int) -> tuple[Game, History, Position]:
    row = session.connection().execute(FOUND, {"game": game_id}).mappings().first()
    if row is None or row["status"] in ("open", CANCELLED):
        raise NoGame(game_id)
    game = Game(**row)
    history = office.history(session, game)
    if history.after != after:
        raise Stale
    assert history.position is not None
    return game, history, history.position


Also = Callable[[Session, Game], Mapping[str, object]]
"""Something that is done with an act; gives what the answer says of it, in the language of its reader."""


@dataclass(frozen=True, slots=True)
class Deed:
    """An act before it is written."""

    seat: int
    door: str
    said: str
    run: Run
    own: tuple[Fact, ...] = ()
    """The server's own facts, which come first."""
    mail: Incoming | None = None
    also: Also | None = None


def _write(
    office: Office, session: Session, game: Game, history: History, deed: Deed, now: datetime
) -> History:
    """Write an act with its letters, commit, and wake whoever has to go on."""
    board, before = office.board_of(game), history.position
    history = append(
        session,
        game.id,
        board,
        history,
        at=now,
        seat=deed.seat,
        door=deed.door,
        said=deed.said,
        facts=[*deed.own, *(codec.encode(event, board) for event in deed.run.events)],
    )
    follow(game, history, now)
    moved = {f"new_{name}": getattr(game, name) for name in PROJECTED}
    session.connection().execute(MOVED, {"game": game.id, **moved})
    if deed.mail is not None:
        deed.mail.state = "played"
    more = deed.also(session, game) if deed.also is not None else {}
    letters = letters_of(history, before, deed.door, deed.seat, deed.run, deed.mail, more)
    queue(office, session, game, letters, now)
    session.commit()
    office.shelf.put(game.id, history)
    office.wake()
    return history


NOTHING: Mapping[str, object] = MappingProxyType({})


def _report(run: Run, after: int) -> dict[str, object]:
    """What became of the orders of a mail, in the language of its writer."""
    undone = [in_words(words) for words in run.undone]
    report: dict[str, object] = {"done": run.done, "undone": undone, "why": "", "after": after}
    if run.refusal is not None:
        report["why"] = phrases.refusal(run.refusal)
    if isinstance(run.refusal, Ambiguous) and run.halt is not None:
        asked = questions.question(run.refusal, run.halt.known, run.halt.before, run.halt.rest)
        report |= {"why": say("it could mean several things"), "question": questions.encoded(asked)}
    return report


def letters_of(
    history: History,
    before: Position | None,
    door: str,
    actor: int | None,
    run: Run,
    mail: Incoming | None,
    more: Mapping[str, object] = NOTHING,
) -> Iterator[Occasion]:
    """The letters that an act causes: to whom, and about what; `more`: what the answer says beside."""
    assert history.position is not None
    table = history.position.table
    everybody = range(len(table.names))
    if mail is not None and actor is not None:
        yield Occasion(actor, "answer", {**_report(run, history.after), **more}, mail)
    if door == "clock":
        detail = {"seat": actor, "done": run.done}
        yield from (Occasion(seat, "time_passed", detail) for seat in everybody)
    if table.over:
        yield from (Occasion(seat, "over") for seat in everybody)
        return
    if before is None:
        yield from (Occasion(seat, "welcome") for seat in everybody if seat != table.seat)
    if actor != table.seat:  # he sees what he does himself, on the page or in the answer
        yield Occasion(table.seat, "turn")
    elif mail is None:  # in the middle of his turn
        yield Occasion(table.seat, "step", later=HALF_PLAYED)
    if before is not None and table.turn != before.table.turn and door != "clock":
        yield from (Occasion(seat, "news") for seat in everybody if seat not in (actor, table.seat))
