"""Export of personal data as JSON: the columns that are declared for it, without secrets of other people.

A player's acts are exported with their orders and times, but without outcomes, which the game's log has.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import Any, TypeVar

from sqlalchemy import Table, or_
from sqlmodel import Session, col, select

from server.outbox.budgets import player_origin
from server.outbox.notifications import list_notes
from server.outbox.queue import read_sent_letter
from server.privacy.erasure import PIECE, Mailboxes, find_people, find_proposals_naming
from server.reviews import list_turns_of
from server.store.context import Context
from server.store.encrypted import MailLocked, load_incoming_mail
from server.store.game_terms import terms_of
from server.store.models import (
    Act,
    Block,
    ChatMessage,
    Game,
    IncomingMail,
    LocalMail,
    OutgoingLetter,
    Player,
    Proposal,
    Seating,
    StoredPreferences,
    UnsolicitedLetter,
    table_of,
    tables_erased_with,
)

_Json = dict[str, object]
Sections = Iterator[tuple[str, Iterable[_Json]]]
Row = TypeVar("Row", OutgoingLetter, IncomingMail, LocalMail)


def collect_data_at(context: Context, address: str) -> _Json:
    with context.reading() as session:
        given = Mailboxes.of([address])
        people = find_people(session, given)
        return {name: list(found) for name, found in _collect(context, session, people, given)}


def write_data_of(context: Context, player: int) -> Iterator[str]:
    with context.reading() as session:
        begin = "{"
        people = [session.get_one(Player, player)]
        for name, found in _collect(context, session, people, Mailboxes(frozenset())):
            yield f"{begin}\n{json.dumps(name)}: ["
            for number, entry in enumerate(found):
                yield f"{',' if number else ''}\n{json.dumps(entry, ensure_ascii=False, indent=2)}"
            yield "]"
            begin = ","
        yield "\n}\n"


def _collect(context: Context, session: Session, people: Sequence[Player], given: Mailboxes) -> Sections:
    mailboxes = Mailboxes.of([*given.addresses, *(one.address for one in people)])
    unasked, blocks = table_of(UnsolicitedLetter), table_of(Block)
    sent = _mails_to(session, OutgoingLetter, mailboxes)
    letters = (one | {"relay_reply": read_sent_letter(str(one["relay_reply"])).relay_reply} for one in sent)
    yield "players", [_describe_player(session, one) for one in people]
    yield "letters", letters
    yield "mails", _mails_from(context, session, mailboxes)
    yield "mailbox", _mails_to(session, LocalMail, mailboxes)
    yield "letters_not_asked_for", _rows(session, unasked, unasked.c.address.in_(mailboxes.digests))
    yield "named_in_games_asked_for", _proposals(session, mailboxes)
    yield "never_written_to", _rows(session, blocks, blocks.c.value.in_(mailboxes.digests))


def _rows(session: Session, table: Table, *which: Any) -> list[_Json]:
    return [_describe(table, one) for one in session.execute(table.select().where(*which))]


def _describe(table: Table, row: Any) -> _Json:
    """Return the exported columns of a row, by their names in the export."""
    columns = [one for one in table.columns if one.info.get("export")]
    entry = {one.info["export"]: _format_value(getattr(row, one.name)) for one in columns}
    if entry.get("game") == "":
        entry["game"] = "all"
    return entry | (json.loads(row.said) if table is table_of(StoredPreferences) else {})


def _format_value(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return value.isoformat() if isinstance(value, date) else value


def _in_pieces(session: Session, table: type[Row]) -> Iterator[Row]:
    last = 0
    while rows := session.exec(
        select(table).where(col(table.id) > last).order_by(col(table.id)).limit(PIECE)
    ).all():
        yield from rows
        last = rows[-1].id or 0
        session.expunge_all()


def _describe_player(session: Session, player: Player) -> _Json:
    caused = select(UnsolicitedLetter.at).where(UnsolicitedLetter.origin == player_origin(player.id).text)
    seats = session.exec(select(Seating).where(Seating.player == player.id))
    return {
        **_describe(table_of(Player), player),
        **{
            table.info["export"]: _rows(session, table, table.c.player == player.id)
            for table in tables_erased_with("player")
        },
        "letters_caused": [_format_value(at) for at in session.exec(caused)],
        "games": [_describe_seat(session, one) for one in seats.all()],
    }


def _describe_seat(session: Session, seating: Seating) -> _Json:
    game, seat = session.get_one(Game, seating.game), seating.seat
    acts = select(Act).where(Act.game == game.id, Act.seat == seat).order_by(col(Act.seq))
    opened = terms_of(session, game.id).seat == seat
    return {
        **_describe(table_of(Game), game),
        **_describe(table_of(Seating), seating),
        "to_those_invited": list_notes(session, game.id) if opened else [],
        "acts": [_describe(table_of(Act), one) for one in session.exec(acts)],
        **{
            table.info["export"]: _rows(session, table, table.c.game == game.id, table.c.seat == seat)
            for table in tables_erased_with("seat")
            if table.info["export"]
        },
        "review": list_turns_of(session, game.id, seat),
        "messages": _messages(session, seating),
    }


def _messages(session: Session, seating: Seating) -> list[_Json]:
    names = dict(session.exec(select(Seating.seat, Seating.name).where(Seating.game == seating.game)).all())
    own = or_(col(ChatMessage.seat) == seating.seat, col(ChatMessage.addressee) == seating.seat)
    chosen = select(ChatMessage).where(ChatMessage.game == seating.game, own)
    chosen = chosen.where(col(ChatMessage.id) > seating.chat_from).order_by(col(ChatMessage.id))
    return [
        {
            "at": _format_value(one.at),
            "from": "the server" if one.seat is None else names[one.seat],
            "to": "everybody" if one.addressee is None else names[one.addressee],
            "words": one.words or f"{one.announcement}: {one.about}",
        }
        for one in session.exec(chosen)
    ]


def _mails_to(session: Session, table: type[Row], mailboxes: Mailboxes) -> Iterator[_Json]:
    return (
        _describe(table_of(table), one)
        for one in _in_pieces(session, table)
        if mailboxes.holds(one.recipient)
    )


def _mails_from(context: Context, session: Session, mailboxes: Mailboxes) -> Iterator[_Json]:
    for row in _in_pieces(session, IncomingMail):
        try:
            mail = load_incoming_mail(session, row, context.links.keys)
        except MailLocked:
            continue
        senders = [address for _, address in mail.headers.people("from")]
        if any(map(mailboxes.holds, [row.sender, *senders])):
            yield _describe(table_of(IncomingMail), row) | {"words": "\n".join(mail.text.lines)}


def _proposals(session: Session, mailboxes: Mailboxes) -> list[_Json]:
    """List the requested games that name the address; other addresses in the requests are omitted."""
    found: list[_Json] = []
    for proposal in find_proposals_naming(session, mailboxes):
        opened_at = session.get_one(Game, proposal.game).opened_at
        found.append(_describe(table_of(Proposal), proposal) | {"at": _format_value(opened_at)})
    return found
