"""Everything that is kept about somebody, as JSON: picked fields, no tokens, and nothing secret about others.

Of acts it holds what was ordered and when, not what came of it: the log of a game tells that to whoever may
know it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import or_
from sqlmodel import Session, col, select

from emails.links import mask_tokens
from emails.replies.mail import parse_mail
from server.mail_addresses import digest_address
from server.outbox.budgets import player_origin
from server.privacy.forgetting import find_people
from server.privacy.traces import Mailboxes
from server.store.context import Context
from server.store.encrypted_mail import MailLocked, load_incoming_mail
from server.store.models import (
    Act,
    AddressConfirmation,
    BouncingAddress,
    ChatMessage,
    Game,
    IncomingMail,
    LocalMail,
    OutgoingLetter,
    Player,
    Proposal,
    Seating,
    SecondAddress,
    StoredPreferences,
)
from server.store.session_models import ApiKey, SignedInBrowser, SignInLink
from server.store.unasked_models import Block, UnaskedLetter

Json = dict[str, object]


def collect_data_at(context: Context, address: str) -> Json:
    """What is kept about whoever plays with an address, or about an address with which nobody plays."""
    with context.reading() as session:
        given = Mailboxes.of([address])
        return _collect(context, session, find_people(session, given), given)


def collect_data_of(context: Context, player: int) -> Json:
    """What is kept about a player."""
    with context.reading() as session:
        return _collect(context, session, [session.get_one(Player, player)], Mailboxes(frozenset()))


def _collect(context: Context, session: Session, people: Sequence[Player], given: Mailboxes) -> Json:
    seconds = select(SecondAddress.address).where(col(SecondAddress.player).in_([one.id for one in people]))
    own = Mailboxes.of([*(one.address for one in people), *session.exec(seconds)])
    mailboxes = Mailboxes(given.addresses | own.addresses)
    digests = [digest_address(one) for one in mailboxes.addresses]
    blocks = session.exec(select(Block).where(col(Block.value).in_(digests)))
    sent = session.exec(select(UnaskedLetter).where(col(UnaskedLetter.address).in_(digests)))
    return {
        "players": [_describe_player(session, one) for one in people],
        "letters": _letters(session, mailboxes),
        "mails": _mails(context, session, mailboxes),
        "mailbox": _mailbox(context, session, mailboxes),
        "letters_not_asked_for": [{"at": _time(one.at), "sent": _time(one.sent_at)} for one in sent],
        "named_in_games_asked_for": _proposals(session, mailboxes),
        "never_written_to": [{"since": _time(one.at), "by": one.origin} for one in blocks],
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")


def _describe_player(session: Session, player: Player) -> Json:
    def rows(table: Any) -> list[Any]:
        return list(session.exec(select(table).where(table.player == player.id)))

    caused = select(UnaskedLetter.at).where(UnaskedLetter.origin == player_origin(player.id))
    return {
        "name": player.name,
        "address": player.address,
        "confirmed": _time(player.confirmed_at),
        "second_address": [one.address for one in rows(SecondAddress)],
        "addresses_asked_or_used_before": [
            {"address": one.address, "what": one.purpose, "at": _time(one.at)}
            for one in rows(AddressConfirmation)
        ],
        "mail_came_back": [
            {"address": one.address, "since": _time(one.since), "why": one.why, "until": _time(one.ended_at)}
            for one in rows(BouncingAddress)
        ],
        "preferences": [
            {"game": one.game or "all", **json.loads(one.said)} for one in rows(StoredPreferences)
        ],
        "browsers": [
            {"browser": one.browser, "since": _time(one.at), "seen": _time(one.seen_at)}
            for one in rows(SignedInBrowser)
        ],
        "keys": [
            {"name": one.name, "since": _time(one.at), "used": _time(one.used_at)} for one in rows(ApiKey)
        ],
        "links_to_sign_in": [{"at": _time(one.at)} for one in rows(SignInLink)],
        "letters_caused": [_time(at) for at in session.exec(caused)],
        "games": [_describe_seat(session, one) for one in rows(Seating)],
    }


def _describe_seat(session: Session, seating: Seating) -> Json:
    game = session.get_one(Game, seating.game)
    acts = select(Act).where(Act.game == game.id, Act.seat == seating.seat).order_by(col(Act.seq))
    return {
        "game": game.id,
        "name": game.name,
        "status": game.status,
        "opened": _time(game.opened_at),
        "ended": _time(game.ended_at),
        "seat": seating.seat,
        "called": seating.name,
        "accepted": _time(seating.accepted_at),
        "acts": [{"at": one.at, "by": one.door, "ordered": one.said} for one in session.exec(acts)],
        "messages": _messages(session, seating),
    }


def _messages(session: Session, seating: Seating) -> list[Json]:
    """What somebody wrote, and what others or the server wrote to them alone."""
    names = dict(session.exec(select(Seating.seat, Seating.name).where(Seating.game == seating.game)).all())
    own = or_(col(ChatMessage.seat) == seating.seat, col(ChatMessage.addressee) == seating.seat)
    chosen = select(ChatMessage).where(ChatMessage.game == seating.game, own).order_by(col(ChatMessage.id))
    return [
        {
            "at": _time(one.at),
            "from": "the server" if one.seat is None else names[one.seat],
            "to": "everybody" if one.addressee is None else names[one.addressee],
            "words": one.words or f"{one.announcement}: {one.about}",
        }
        for one in session.exec(chosen)
    ]


def _letters(session: Session, mailboxes: Mailboxes) -> list[Json]:
    return [
        {
            "game": one.game,
            "kind": one.kind,
            "to": one.recipient,
            "queued": _time(one.queued_at),
            "sent": _time(one.sent_at),
            "what_became_of_it": one.state,
            "words": one.text,
        }
        for one in session.exec(select(OutgoingLetter).order_by(col(OutgoingLetter.id)))
        if mailboxes.holds(one.recipient)
    ]


def _mails(context: Context, session: Session, mailboxes: Mailboxes) -> list[Json]:
    """The mails that came from somebody, as we read them."""
    found: list[Json] = []
    for row in session.exec(select(IncomingMail).order_by(col(IncomingMail.id))):
        try:
            kept = load_incoming_mail(session, row, context.links.keys)
        except MailLocked:
            continue
        mail = parse_mail(kept.raw, kept.sender, kept.recipient)
        senders = [address for _, address in mail.headers.people("from")]
        if any(map(mailboxes.holds, [row.sender, *senders])):
            words = "\n".join(mail.text.lines)
            found.append(
                {
                    "at": _time(row.at),
                    "to": row.recipient,
                    "network": row.network,
                    "what_became_of_it": row.state,
                    "words": words,
                }
            )
    return found


def _mailbox(context: Context, session: Session, mailboxes: Mailboxes) -> list[Json]:
    """The letters to somebody in the built-in mailbox; their words stand among the letters."""
    own = [one for one in session.exec(select(LocalMail.recipient).distinct()) if mailboxes.holds(one)]
    rows = session.exec(select(LocalMail.recipient, LocalMail.at).where(col(LocalMail.recipient).in_(own)))
    return [{"to": recipient, "at": _time(at)} for recipient, at in rows]


def _proposals(session: Session, mailboxes: Mailboxes) -> list[Json]:
    """When somebody asked for a game with an address; who else was named is not theirs to know."""
    found: list[Json] = []
    for proposal in session.exec(select(Proposal)):
        if mailboxes.stands_in(mask_tokens(proposal.wishes).encode()):
            game = session.get_one(Game, proposal.game)
            found.append({"game": game.id, "at": _time(game.opened_at)})
    return found
