"""Names taken out of a game: out of its acts, its seats and what the server wrote about it.

A game stays what it was: who is forgotten was one of those who played it, so their seat is called "a player".
The digests of the acts are made anew from there on; a server that has read the game before notices by
`Game.redactions` and reads it again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import delete
from sqlmodel import Session, col, select, update

from emails.languages.lexicon import whole_lexicon
from engine.board import Board
from server.outbox.letter_kinds import NOTE_KEY
from server.outbox.queue import ANSWERED_KEY, SUBJECT_KEY
from server.store.context import Context
from server.store.event_log import ActRow, read_history, replace_acts
from server.store.facts.fact_codec import EventJson, ServerFactType
from server.store.game_terms import terms_of
from server.store.histories import History
from server.store.models import Act, ChatMessage, Game, OutgoingLetter, Seating
from server.store.work_models import PreparedLetter

NOBODY = "a player"
"""The name of whoever is forgotten; of a second one in a game with a number behind it."""
SHORTEST_NAME = 2
"""Characters of a name that is looked for within sentences."""


@dataclass(frozen=True)
class Alias:
    """What somebody is called in a game from now on."""

    names: frozenset[str]
    """What they were called there, in lower case."""
    seats: frozenset[int]
    """Where they sit."""
    instead: str
    words: frozenset[str]
    """Words of the game, in lower case: who is called so keeps that word in orders, which would say less."""

    def for_name(self, name: str) -> str:
        """A name that stands for itself."""
        return self.instead if name.casefold() in self.names else name

    def in_sentence(self, text: str) -> str:
        """A text in which the names may stand."""
        return self._find_all.sub(self.instead, text) if self.names else text

    def in_orders(self, text: str) -> str:
        """The same of what was ordered."""
        return self._find_no_words.sub(self.instead, text) if self.names else text

    @cached_property
    def _find_all(self) -> re.Pattern[str]:
        return names_pattern(self.names)

    @cached_property
    def _find_no_words(self) -> re.Pattern[str]:
        return names_pattern(self.names - self.words)


def names_pattern(names: Collection[str]) -> re.Pattern[str]:
    """What finds names within sentences."""
    found = sorted((name for name in names if len(name) >= SHORTEST_NAME), key=len, reverse=True)
    either = "|".join(map(re.escape, found)) or "(?!)"
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)


def make_alias(session: Session, game: str, board: Board, names: set[str], seats: set[int]) -> Alias:
    """What somebody is called in a game from now on, who has these seats and was called one of these.

    A name that another has in that game is theirs.
    """
    chosen = select(Seating.seat, Seating.name).where(Seating.game == game)
    seated = {seat: name.casefold() for seat, name in session.exec(chosen)}
    others = {name for seat, name in seated.items() if seat not in seats}
    own = {name.casefold() for name in names} - others | {seated[seat] for seat in seats}
    free = (NOBODY, *(f"{NOBODY} {number}" for number in range(2, 9)))
    instead = next(name for name in free if name not in others)
    words = frozenset({*(name.casefold() for name in board.places), *whole_lexicon().orders.verbs})
    return Alias(frozenset(own - {""}), frozenset(seats), instead, words)


def redact_game(context: Context, session: Session, game: Game, alias: Alias) -> None:
    """Take the names of somebody out of a game: its acts, its own name, seats, announcements and letters.

    The caller commits. Raises `CorruptLog` where the acts are not what was written.
    """
    read_history(session, game.id, context.board_of(game), History())
    session.flush()

    def change(row: ActRow, facts: list[EventJson]) -> ActRow:
        changed = [_redact_fact(alias, dict(fact)) for fact in facts]
        events = row.events if changed == facts else json.dumps(changed, separators=(",", ":"))
        return row._replace(said=alias.in_orders(row.said), events=events)

    if replace_acts(session, game.id, game.redactions + 1, change):
        session.refresh(game)
    game.name = alias.in_sentence(game.name)
    seated = select(Seating).where(Seating.game == game.id, col(Seating.seat).in_(alias.seats))
    for seating in session.exec(seated):
        seating.name = alias.instead
    _redact_announcements(session, game.id, alias)
    _redact_letters(session, game.id, alias, organiser=_is_organiser(session, game.id, alias))
    session.flush()


def _redact_fact(alias: Alias, fact: dict[str, Any]) -> EventJson:
    """One fact: names stand in how a game was opened, who joined it, and who was dealt cards."""
    if "meta" in fact and isinstance(fact["meta"], dict):  # of a log that was taken in
        said = fact["meta"].get("said")
        fact["meta"] = {**fact["meta"], **({"said": alias.in_orders(said)} if isinstance(said, str) else {})}
    if isinstance(fact.get("seats"), list):
        others_sat = fact["type"] == ServerFactType.OPENED  # others may have had the seat then
        own = () if others_sat else alias.seats
        fact["seats"] = [
            alias.instead if seat in own else alias.for_name(str(name))
            for seat, name in enumerate(fact["seats"])
        ]
    match fact["type"]:
        case ServerFactType.OPENED:
            fact["name"] = alias.in_sentence(str(fact.get("name", "")))
        case ServerFactType.JOINED if "name" in fact:
            fact["name"] = alias.for_name(str(fact["name"]))
    return fact


def _redact_announcements(session: Session, game: str, alias: Alias) -> None:
    said = select(ChatMessage).where(ChatMessage.game == game, col(ChatMessage.announcement).is_not(None))
    for message in session.exec(said):
        message.about = alias.for_name(message.about)


def _is_organiser(session: Session, game: str, alias: Alias) -> bool:
    """Whether it is somebody who has opened the game, though they may have left it since."""
    seat = terms_of(session, game).seat
    first = session.exec(select(Act.events).where(Act.game == game).order_by(col(Act.seq))).first()
    names = json.loads(first)[0].get("seats", []) if first else []
    return seat is not None and seat < len(names) and alias.for_name(str(names[seat])) == alias.instead


def _redact_letters(session: Session, game: str, alias: Alias, *, organiser: bool) -> None:
    """What letters to the others say of somebody; their words as sent are kept no longer.

    Of an `organiser` what they wrote to those whom they invited is kept no longer either.
    """
    own = update(OutgoingLetter).where(col(OutgoingLetter.game) == game)
    session.execute(own.values(text=""))
    of_game = select(OutgoingLetter.id).where(OutgoingLetter.game == game)
    session.execute(delete(PreparedLetter).where(col(PreparedLetter.letter).in_(of_game)))
    chosen = select(OutgoingLetter.id, OutgoingLetter.detail).where(OutgoingLetter.game == game)
    for number, detail in session.exec(chosen).all():
        said = json.loads(detail)
        changed = _redact_value(alias, said)
        if organiser and NOTE_KEY in said:
            changed[NOTE_KEY] = ""
        if changed != said:
            same = update(OutgoingLetter).where(col(OutgoingLetter.id) == number)
            session.execute(same.values(detail=json.dumps(changed)))


def _redact_value(alias: Alias, value: Any, key: str = "") -> Any:
    """A value of JSON with every text in it redacted."""
    match value:
        case str():
            if key in (SUBJECT_KEY, ANSWERED_KEY):
                return alias.in_sentence(value)
            return alias.for_name(value) if key == "name" else alias.in_orders(value)
        case dict():
            return {name: _redact_value(alias, part, name) for name, part in value.items()}
        case list():
            return [_redact_value(alias, part, key) for part in value]
        case _:
            return value
