"""Export of personal data as JSON: selected columns, without tokens or secrets of other people.

A player's acts are exported with their orders and times, but without outcomes, which the game's log has.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import TypeVar

from sqlalchemy import or_
from sqlmodel import Session, col, select

from emails.replies.parsed_mail import parse_mail
from emails.tokens import mask_tokens
from server.mail_addresses import digest_address
from server.outbox.budgets import player_origin
from server.outbox.letter_kinds import list_notes
from server.outbox.queue import read_relay_reply
from server.privacy.erasure import Mailboxes, find_people
from server.privacy.retention import PLAYER_TABLES, PlayerTable
from server.reviews import list_turns_of
from server.store.context import Context
from server.store.encrypted_mail import MailLocked, load_incoming_mail
from server.store.game_terms import terms_of
from server.store.models import (
    Act,
    Block,
    ChatMessage,
    Draft,
    Game,
    IncomingMail,
    LocalMail,
    OutgoingLetter,
    Player,
    Proposal,
    Seating,
    StoredPlan,
    StoredPreferences,
    UnsolicitedLetter,
)

_Json = dict[str, object]
Sections = Iterator[tuple[str, Iterable[_Json]]]
Row = TypeVar("Row", OutgoingLetter, IncomingMail)
PIECE = 50
"""Letters or mails read at a time, since their tables hold months of all players' mail."""


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
    own = Mailboxes.of([one.address for one in people])
    mailboxes = Mailboxes(given.addresses | own.addresses)
    digests = [digest_address(one) for one in mailboxes.addresses]
    blocks = session.exec(select(Block).where(col(Block.value).in_(digests)))
    sent = session.exec(select(UnsolicitedLetter).where(col(UnsolicitedLetter.address).in_(digests)))
    unasked: list[_Json] = [
        {"at": _format_moment(one.at), "sent": _format_moment(one.sent_at)} for one in sent
    ]
    blocked: list[_Json] = [{"since": _format_moment(one.at), "by": one.origin} for one in blocks]
    yield "players", [_describe_player(session, one) for one in people]
    yield "letters", _letters(session, mailboxes)
    yield "mails", _mails(context, session, mailboxes)
    yield "mailbox", _mailbox(session, mailboxes)
    yield "letters_not_asked_for", unasked
    yield "named_in_games_asked_for", _proposals(session, mailboxes)
    yield "never_written_to", blocked


def _in_pieces(session: Session, table: type[Row]) -> Iterator[Row]:
    last = 0
    while rows := session.exec(
        select(table).where(col(table.id) > last).order_by(col(table.id)).limit(PIECE)
    ).all():
        yield from rows
        last = rows[-1].id or 0
        session.expunge_all()


def _format_moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")


def _describe_player(session: Session, player: Player) -> _Json:
    caused = select(UnsolicitedLetter.at).where(UnsolicitedLetter.origin == player_origin(player.id).text)
    seats = session.exec(select(Seating).where(Seating.player == player.id))
    return {
        "name": player.name,
        "address": player.address,
        "confirmed": _format_moment(player.confirmed_at),
        **{one.section: _describe_rows(session, player, one) for one in PLAYER_TABLES},
        "letters_caused": [_format_moment(at) for at in session.exec(caused)],
        "games": [_describe_seat(session, one) for one in seats.all()],
    }


def _describe_rows(session: Session, player: Player, data: PlayerTable) -> list[_Json]:
    found: list[_Json] = []
    for row in session.exec(select(data.table).where(data.table.player == player.id)):
        entry = {name: _format_value(getattr(row, column)) for name, column in data.columns.items()}
        if data.table is StoredPreferences:
            entry |= json.loads(row.said)
        if "game" in entry:
            entry["game"] = entry["game"] or "all"
        found.append(entry)
    return found


def _format_value(value: object) -> object:
    if isinstance(value, datetime):
        return _format_moment(value)
    return value.isoformat() if isinstance(value, date) else value


def _describe_seat(session: Session, seating: Seating) -> _Json:
    game = session.get_one(Game, seating.game)
    acts = select(Act).where(Act.game == game.id, Act.seat == seating.seat).order_by(col(Act.seq))
    opened = terms_of(session, game.id).seat == seating.seat
    drafts = select(Draft).where(Draft.game == game.id, Draft.seat == seating.seat)
    plans = select(StoredPlan).where(StoredPlan.game == game.id, StoredPlan.seat == seating.seat)
    return {
        "game": game.id,
        "name": game.name,
        "status": game.status,
        "opened": _format_moment(game.opened_at),
        "ended": _format_moment(game.ended_at),
        "seat": seating.seat,
        "called": seating.name,
        "accepted": _format_moment(seating.accepted_at),
        "to_those_invited": list_notes(session, game.id) if opened else [],
        "acts": [{"at": one.at, "by": one.door, "ordered": one.said} for one in session.exec(acts)],
        "begun_and_not_played": [
            {"at": _format_moment(one.changed_at), "words": one.words} for one in session.exec(drafts)
        ],
        "planned": [
            {"at": _format_moment(one.changed_at), "words": one.words} for one in session.exec(plans)
        ],
        "review": list_turns_of(session, game.id, seating.seat),
        "messages": _messages(session, seating),
    }


def _messages(session: Session, seating: Seating) -> list[_Json]:
    names = dict(session.exec(select(Seating.seat, Seating.name).where(Seating.game == seating.game)).all())
    own = or_(col(ChatMessage.seat) == seating.seat, col(ChatMessage.addressee) == seating.seat)
    chosen = select(ChatMessage).where(ChatMessage.game == seating.game, own)
    chosen = chosen.where(col(ChatMessage.id) > seating.chat_from).order_by(col(ChatMessage.id))
    return [
        {
            "at": _format_moment(one.at),
            "from": "the server" if one.seat is None else names[one.seat],
            "to": "everybody" if one.addressee is None else names[one.addressee],
            "words": one.words or f"{one.announcement}: {one.about}",
        }
        for one in session.exec(chosen)
    ]


def _letters(session: Session, mailboxes: Mailboxes) -> Iterator[_Json]:
    return (
        {
            "game": one.game,
            "kind": one.kind,
            "to": one.recipient,
            "queued": _format_moment(one.queued_at),
            "sent": _format_moment(one.sent_at),
            "what_became_of_it": one.state,
            "relay_reply": read_relay_reply(one.detail),
            "words": one.text,
        }
        for one in _in_pieces(session, OutgoingLetter)
        if mailboxes.holds(one.recipient)
    )


def _mails(context: Context, session: Session, mailboxes: Mailboxes) -> Iterator[_Json]:
    for row in _in_pieces(session, IncomingMail):
        try:
            kept = load_incoming_mail(session, row, context.links.keys)
        except MailLocked:
            continue
        mail = parse_mail(kept.raw, kept.sender, kept.recipient)
        senders = [address for _, address in mail.headers.people("from")]
        if any(map(mailboxes.holds, [row.sender, *senders])):
            words = "\n".join(mail.text.lines)
            yield {
                "at": _format_moment(row.at),
                "to": row.recipient,
                "network": row.network,
                "what_became_of_it": row.state,
                "words": words,
            }


def _mailbox(session: Session, mailboxes: Mailboxes) -> list[_Json]:
    own = [one for one in session.exec(select(LocalMail.recipient).distinct()) if mailboxes.holds(one)]
    rows = session.exec(select(LocalMail.recipient, LocalMail.at).where(col(LocalMail.recipient).in_(own)))
    return [{"to": recipient, "at": _format_moment(at)} for recipient, at in rows]


def _proposals(session: Session, mailboxes: Mailboxes) -> list[_Json]:
    """List the times at which the address requested a game; other addresses in the request are omitted."""
    found: list[_Json] = []
    for proposal in session.exec(select(Proposal)):
        if mailboxes.stands_in(mask_tokens(proposal.request).encode()):
            game = session.get_one(Game, proposal.game)
            found.append({"game": game.id, "at": _format_moment(game.opened_at)})
    return found
