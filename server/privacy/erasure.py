"""Somebody is forgotten: what is kept of them alone goes, and in what belongs to others they are "a player".

Games that are played go on, with a caretaker on their seat, and seats of games that wait are given back. What
cannot go is told: `WHAT_STAYS`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, tuple_
from sqlmodel import Session, col, select, update

from emails.i18n import gettext_noop
from server.lobby.leaving import write_resignation
from server.lobby.open_seats import give_seat_back
from server.lobby.proposals import delete_proposal
from server.mail_addresses import digest_address
from server.outbox.budgets import UNKNOWN, player_origin
from server.outbox.queue import UnitOfWork, open_unit
from server.privacy.cleanup import delete_rows
from server.privacy.redaction import make_alias, names_pattern, redact_game
from server.privacy.traces import (
    Mailboxes,
    MailSearch,
    delete_addresses,
    delete_letters,
    delete_mails_of,
    delete_proposals_naming,
    find_letters_to,
    find_recipients,
    mask_blocks,
)
from server.store.context import Context
from server.store.facts.fact_codec import ServerFactType
from server.store.models import (
    Act,
    AddressConfirmation,
    BouncingAddress,
    ChatMessage,
    Game,
    OutgoingLetter,
    Player,
    ReadMarker,
    Seating,
    StoredPreferences,
)
from server.store.session_models import ApiKey, SignedInBrowser, SignInLink
from server.store.states import Channel, ConfirmationPurpose, GameStatus
from server.store.stored_availability import DailyRest, StoredVacation
from server.store.unasked_models import UnaskedLetter
from server.store.withdrawals import WithdrawalKind, note_withdrawal
from server.store.work_models import Draft, StoredPlan

OF_THE_PLAYER = (
    StoredPreferences,
    DailyRest,
    StoredVacation,
    AddressConfirmation,
    BouncingAddress,
    SignInLink,
    SignedInBrowser,
    ApiKey,
)
"""The tables of which the rows of a player go with them."""
WHAT_GOES: Sequence[str] = (
    gettext_noop(
        "your name, your addresses, your settings, the browsers you are signed in with and your keys"
    ),
    gettext_noop("what you wrote to other players, the mails you sent us, and our mails to you"),
    gettext_noop(
        "your seats: a caretaker plays on for you, and in games that wait others can have your seat"
    ),
)
WHAT_STAYS: Sequence[str] = (
    gettext_noop(
        "the moves and when they were made, under the name “a player”: others played those games too"
    ),
    gettext_noop("what others wrote, even if the name stands in it, and mails that have left"),
    gettext_noop(
        "perhaps other names under which you were invited, in the logs of games whose seat you gave back"
    ),
    gettext_noop("logs of games that somebody has downloaded, and copies of the database from before"),
    gettext_noop(
        "where this server fetches its mail from a mailbox: your mails there, for 7 days after they came in"
    ),
    gettext_noop("a digest of the address for 31 days, so that nobody can have many mails sent there"),
    gettext_noop("where the address is never to be written to: that, as a digest of it"),
    gettext_noop("a sealed digest of the address, so that no copy of the database brings you back"),
)


@dataclass(frozen=True, slots=True)
class ErasureScope:
    """What an erasure looks for and where, found beforehand because that takes long."""

    names: frozenset[str]
    games: frozenset[str]
    """In which somebody called so may have given a seat back."""
    mailboxes: Mailboxes
    recipients: frozenset[str]
    """Their addresses as they stand on letters."""


def forget_address(context: Context, address: str, now: datetime) -> None:
    """Forget whoever plays with an address, however it is written, and every place where it stands.

    Nothing happens where nobody does. Commits, in pieces: where it is cut short they are there still, and are
    to be forgotten once more. Raises `CorruptLog`: a game cannot be read, and all but mails stays.
    """
    with context.reading() as session:
        people = [one.id for one in find_people(session, Mailboxes.of([address]))]
    _forget(context, people, Channel.OPERATOR, now, [address])


def forget_player(context: Context, player: int, now: datetime) -> None:
    """Forget a player who asks for it. Twice is once. Commits and raises as above."""
    _forget(context, [player], Channel.WEB, now)


def forget_again(context: Context, players: Sequence[int], now: datetime) -> None:
    """Forget players who came back with a backup. Commits and raises as above."""
    _forget(context, players, Channel.OPERATOR, now, noting=False)


def find_people(session: Session, mailboxes: Mailboxes) -> list[Player]:
    """Who plays with an address."""
    return [one for one in session.exec(select(Player)).all() if mailboxes.holds(one.address)]


def _forget(
    context: Context,
    players: Sequence[int],
    channel: Channel,
    now: datetime,
    given: Collection[str] = (),
    *,
    noting: bool = True,
) -> None:
    """Look for somebody everywhere, and then take them out; `noting`: so that no backup brings them back.

    All that takes long is looked for before the transaction that keeps others from writing.
    """
    with context.reading() as session:
        found = _look_for(session, players, given)
    search = MailSearch(context, found.mailboxes, names_pattern(found.names))
    delete_mails_of(search)
    with open_unit(context, now) as unit:
        session, seats = unit.session, list[tuple[str, int]]()
        for player in _load_people(session, players):
            seats += _give_up_games(unit, player, found.games, channel)
            _delete_player(session, player)
        delete_letters(session, _find_letters(session, seats, found.recipients))
        delete_mails_of(search, session)
        delete_proposals_naming(session, found.mailboxes)
        delete_addresses(session, found.mailboxes)
        mask_blocks(session, found.mailboxes)
        for mailbox in found.mailboxes.addresses if noting else ():
            note_withdrawal(context, session, WithdrawalKind.ERASURE, digest_address(mailbox), now=now)
        unit.commit()


def _look_for(session: Session, players: Sequence[int], given: Collection[str]) -> ErasureScope:
    addresses, names, games = list(given), set[str](), set[str]()
    for player in _load_people(session, players):
        own = _names_of(session, player)
        names |= own
        addresses += _addresses_of(session, player)
        games |= _games_left(session, own)
    mailboxes = Mailboxes.of(addresses)
    recipients = {*find_recipients(session, mailboxes), *addresses}
    return ErasureScope(frozenset(names), frozenset(games), mailboxes, frozenset(recipients))


def _load_people(session: Session, players: Sequence[int]) -> list[Player]:
    """Those of the players who are there."""
    return list(session.exec(select(Player).where(col(Player.id).in_(players))))


def _names_of(session: Session, player: Player) -> set[str]:
    """What a player is called, here and in each game."""
    return {player.name, *session.exec(select(Seating.name).where(Seating.player == player.id))}


def _addresses_of(session: Session, player: Player) -> list[str]:
    """The addresses that are a player's, or were: not those that they only named."""
    back = col(AddressConfirmation.purpose) == ConfirmationPurpose.WAY_BACK
    return [
        player.address,
        *session.exec(select(BouncingAddress.address).where(BouncingAddress.player == player.id)),
        *session.exec(
            select(AddressConfirmation.address).where(AddressConfirmation.player == player.id, back)
        ),
    ]


# --- games ----------------------------------------------------------------------------------------------


def _give_up_games(
    unit: UnitOfWork, player: Player, left: Collection[str], channel: Channel
) -> list[tuple[str, int]]:
    """Take a player out of all their games, those too that they have `left`; the seats that they had."""
    session, names = unit.session, _names_of(unit.session, player)
    held = list(session.exec(select(Seating.game, Seating.seat).where(Seating.player == player.id)))
    for game in sorted({game for game, _ in held} | set(left)):
        row = session.get(Game, game)
        if row is None:
            continue
        if row.status == GameStatus.PROPOSED:
            delete_proposal(session, row)
            continue
        seats = {seat for number, seat in held if number == game}
        alias = make_alias(session, game, unit.context.board_of(row), names, seats)
        redact_game(unit.context, session, row, alias)
        _delete_words_of_before(session, game, names)
        for seat in sorted(seats):
            _give_up_seat(unit, row, session.get_one(Seating, (game, seat)), alias.instead, channel)
    return held


def _delete_words_of_before(session: Session, game: str, names: Collection[str]) -> None:
    """Delete what somebody wrote in a game before another took their seat: it stands under their name."""
    said = (
        col(ChatMessage.announcement).is_(None),
        func.lower(ChatMessage.about).in_([name.lower() for name in names if name]),
    )
    which = select(col(ChatMessage.id)).where(ChatMessage.game == game, *said)
    delete_rows(session, ChatMessage, list(session.execute(which)))


def _games_left(session: Session, names: Collection[str]) -> set[str]:
    """The games in which somebody called so may have given a seat back: their log still names them."""
    left = select(Act.game).where(col(Act.events).contains(ServerFactType.LEFT.value)).distinct()
    named = select(Game.id, Act.events).join(Act, col(Act.game) == Game.id).where(col(Game.id).in_(left))
    quoted = [json.dumps(name).casefold() for name in names if name]
    return {
        game for game, events in session.execute(named) if any(name in events.casefold() for name in quoted)
    }


def _give_up_seat(unit: UnitOfWork, game: Game, seating: Seating, called: str, channel: Channel) -> None:
    """Let nobody have a seat any more: a caretaker plays on for it, or others can take it."""
    session, seat = unit.session, seating.seat
    if game.status == GameStatus.OPEN:
        give_seat_back(unit, game, seating, channel, called)
        return
    if game.status == GameStatus.RUNNING and seat not in unit.history_of(game).resigned:
        write_resignation(unit, game, unit.history_of(game), seat, channel)
    own = ChatMessage.game == game.id, ChatMessage.seat == seat, col(ChatMessage.id) > seating.chat_from
    told = (
        ChatMessage.game == game.id,
        ChatMessage.addressee == seat,
        col(ChatMessage.announcement).is_not(None),
    )
    for which in (own, told):
        delete_rows(session, ChatMessage, list(session.execute(select(col(ChatMessage.id)).where(*which))))
    for table in (ReadMarker, Draft, StoredPlan):
        session.execute(delete(table).where(col(table.game) == game.id, col(table.seat) == seat))
    seating.player, seating.epoch = None, seating.epoch + 1
    session.flush()


# --- the player -----------------------------------------------------------------------------------------


def _delete_player(session: Session, player: Player) -> None:
    """Delete a player who has no seat any more, with all that hangs on them."""
    for table in OF_THE_PLAYER:
        session.execute(delete(table).where(col(table.player) == player.id))
    caused = update(UnaskedLetter).where(col(UnaskedLetter.origin) == player_origin(player.id).text)
    session.execute(caused.values(origin=UNKNOWN.text))
    session.execute(delete(Player).where(col(Player.id) == player.id))
    session.expunge(player)


def _find_letters(
    session: Session, seats: Collection[tuple[str, int]], recipients: Collection[str]
) -> list[object]:
    """The letters to somebody: to their seats, and to their addresses wherever they sat."""
    to_seats = tuple_(col(OutgoingLetter.game), col(OutgoingLetter.seat)).in_(seats)
    found = list(session.execute(select(col(OutgoingLetter.id)).where(to_seats))) if seats else []
    return [*found, *find_letters_to(session, recipients)]
