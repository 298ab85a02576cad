"""Export and erasure of personal data.

The export is JSON of the columns that are declared for it, without secrets of other people. A player's acts
are exported with their orders and times, but without outcomes, which the game's log has. The erasure deletes
rows, removes traces of the address, and redacts names in games.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, TypeVar

from sqlalchemy import Table, and_, func, or_, tuple_
from sqlmodel import Session, SQLModel, col, delete, select, update

from emails.languages.lexicon import whole_lexicon
from emails.tokens import KeyRing
from engine.board import Board
from server.lobby.leaving import write_resignation
from server.lobby.open_seats import give_seat_back
from server.lobby.proposals import delete_player, delete_proposal
from server.mail_addresses import digest_address, normalise_address
from server.outbox.budgets import UNKNOWN, player_origin
from server.outbox.notifications import NOTE_KEY, list_notes
from server.outbox.queue import ANSWERED_KEY, SUBJECT_KEY, UnitOfWork, open_unit, read_sent_letter
from server.retention import LETTERS, delete_rows
from server.reviews import list_turns_of
from server.store.context import Context
from server.store.encrypted import (
    MailLocked,
    WithdrawalKind,
    decrypt_bytes,
    decrypt_mail,
    load_incoming_mail,
    note_withdrawal,
)
from server.store.event_log import ActRow, History, read_history, replace_acts
from server.store.game_terms import terms_of
from server.store.models import (
    Act,
    AddressConfirmation,
    Block,
    BouncingAddress,
    ChatMessage,
    Game,
    IncomingMail,
    LocalMail,
    OperatorMail,
    OutgoingLetter,
    Player,
    PreparedLetter,
    Proposal,
    RawMail,
    Seating,
    StoredPreferences,
    UnsolicitedLetter,
    table_of,
    tables_erased_with,
)
from server.store.server_facts import GAME_OPENED, EventJson
from server.store.states import Channel, ConfirmationPurpose, GameStatus, LetterState, MailState

_Json = dict[str, object]
Sections = Iterator[tuple[str, Iterable[_Json]]]
Row = TypeVar("Row", OutgoingLetter, IncomingMail, LocalMail)
StoredMail = IncomingMail | LocalMail | OperatorMail
MAIL_TABLES: tuple[Any, ...] = (IncomingMail, LocalMail, OperatorMail)
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


# --- erasure ---------------------------------------------------------------------------------------------

MESSAGES = table_of(ChatMessage)
ERASED_NAME = "a player"
SHORTEST_NAME = 2


@dataclass(frozen=True, slots=True)
class Alias:
    """The replacement for a player's names in one game."""

    names: frozenset[str]
    seats: frozenset[int]
    instead: str
    find_names: re.Pattern[str]
    find_in_orders: re.Pattern[str]
    """Finds the names that are no words of orders."""

    def for_name(self, name: str) -> str:
        return self.instead if name.casefold() in self.names else name

    def in_sentence(self, text: str) -> str:
        return self.find_names.sub(self.instead, text)

    def in_orders(self, text: str) -> str:
        return self.find_in_orders.sub(self.instead, text)


def names_pattern(names: Collection[str]) -> re.Pattern[str]:
    found = sorted((name for name in names if len(name) >= SHORTEST_NAME), key=len, reverse=True)
    either = "|".join(map(re.escape, found)) or "(?!)"
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)


def make_alias(session: Session, game: str, board: Board, names: set[str], seats: set[int]) -> Alias:
    """Choose the alias that replaces a player's names in a game.

    `names`: all names of the player; `seats`: the player's seats in this game. A name that another
    player of this game has too is not replaced.
    """
    chosen = select(Seating.seat, Seating.name).where(Seating.game == game)
    seated = {seat: name.casefold() for seat, name in session.exec(chosen)}
    others = {name for seat, name in seated.items() if seat not in seats}
    own = frozenset({name.casefold() for name in names} - others | {seated[seat] for seat in seats}) - {""}
    free = (ERASED_NAME, *(f"{ERASED_NAME} {number}" for number in range(2, 9)))
    instead = next(name for name in free if name not in others)
    words = {*(name.casefold() for name in board.places), *whole_lexicon().orders.verbs}
    return Alias(own, frozenset(seats), instead, names_pattern(own), names_pattern(own - words))


def redact_game(context: Context, session: Session, game: Game, alias: Alias) -> None:
    """Redact a player's names in a game: its acts, name, seats, announcements and letters.

    The caller commits. Raises `CorruptLog` if the acts were changed since they were written.
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
    told = select(ChatMessage).where(ChatMessage.game == game.id, col(ChatMessage.announcement).is_not(None))
    for message in session.exec(told):
        message.about = alias.for_name(message.about)
    _redact_letters(session, game.id, alias)
    session.flush()


def _redact_fact(alias: Alias, fact: dict[str, Any]) -> EventJson:
    meta = fact.get("meta")
    if isinstance(meta, dict) and isinstance(meta.get("said"), str):  # only in imported logs
        fact["meta"] = meta | {"said": alias.in_orders(meta["said"])}
    if isinstance(fact.get("seats"), list):
        others_sat = fact["type"] == GAME_OPENED  # others may have held the seats at the opening
        own = () if others_sat else alias.seats
        fact["seats"] = [
            alias.instead if seat in own else alias.for_name(str(name))
            for seat, name in enumerate(fact["seats"])
        ]
    if fact["type"] == GAME_OPENED:
        fact["name"] = alias.in_sentence(str(fact.get("name", "")))
    elif fact["type"] == "seat_joined" and "name" in fact:
        fact["name"] = alias.for_name(str(fact["name"]))
    return fact


def _redact_letters(session: Session, game: str, alias: Alias) -> None:
    """Redact the stored data of a game's letters, and delete their texts and an erased organiser's note."""
    seat = terms_of(session, game).seat
    first = session.exec(select(Act.events).where(Act.game == game).order_by(col(Act.seq))).first()
    names = json.loads(first)[0].get("seats", []) if first else []
    is_organiser = (
        seat is not None and seat < len(names) and alias.for_name(str(names[seat])) == alias.instead
    )
    of_game = select(OutgoingLetter).where(OutgoingLetter.game == game)
    numbers = of_game.with_only_columns(col(OutgoingLetter.id))
    session.execute(delete(PreparedLetter).where(col(PreparedLetter.letter).in_(numbers)))
    for letter in session.exec(of_game):
        said = json.loads(letter.detail)
        changed = _redact_value(alias, said)
        if is_organiser and NOTE_KEY in said:
            changed[NOTE_KEY] = ""
        letter.text = ""
        if changed != said:
            letter.detail = json.dumps(changed)


def _redact_value(alias: Alias, value: Any, key: str = "") -> Any:
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


IN_TEXT = re.compile(rb"[^\s<>\"',;:()\[\]\0]+@[\w.-]+")
MASKED_ADDRESS = "an address that was forgotten"


@dataclass(frozen=True, slots=True)
class Mailboxes:
    addresses: frozenset[str]

    @classmethod
    def of(cls, addresses: Collection[str]) -> Mailboxes:
        """Normalise addresses and omit texts without @."""
        return cls(frozenset(normalise_address(one) for one in addresses if "@" in one))

    @property
    def digests(self) -> list[str]:
        return [digest_address(one) for one in self.addresses]

    def holds(self, address: str) -> bool:
        return "@" in address and normalise_address(address) in self.addresses

    def stands_in(self, data: bytes) -> bool:
        found = (one.decode("utf-8", "replace").rstrip(".") for one in set(IN_TEXT.findall(data)))
        return any(map(self.holds, found))


def delete_letters(session: Session, seats: Collection[tuple[str, int]], recipients: Collection[str]) -> None:
    """Delete the letters to seats, and the letters to addresses."""
    to_seats = tuple_(LETTERS.c.game, LETTERS.c.seat).in_(seats)
    which = or_(to_seats, func.lower(LETTERS.c.recipient).in_([one.lower() for one in recipients]))
    ids = select(LETTERS.c.message_id).where(which)
    session.execute(delete(LocalMail).where(col(LocalMail.message_id).in_(ids)))
    session.execute(update(LETTERS).where(which).values(state=LetterState.DROPPED))
    delete_rows(session, LETTERS, which)


@dataclass(frozen=True, slots=True)
class MailSearch:
    context: Context
    mailboxes: Mailboxes
    naming: re.Pattern[str]
    _seen: dict[type[SQLModel], int] = field(default_factory=dict)

    def find_next(self, session: Session, table: Any) -> tuple[int, list[int], list[int]]:
        """Search the next `PIECE` mails of a table.

        Returns the number of searched mails, the ids of mails to delete, and the ids of mails that stay
        but whose field `why` contains the person's name.
        """
        number = col(table.id)
        chosen = select(table).where(number > self._seen.get(table, 0)).order_by(number).limit(PIECE)
        rows: Sequence[StoredMail] = session.exec(chosen).all()
        if rows:
            self._seen[table] = rows[-1].id or 0
        with_bytes = [one.raw_mail for one in rows if isinstance(one, IncomingMail)]
        read_at_once = session.exec(select(RawMail).where(col(RawMail.id).in_(with_bytes))).all()
        found = [one.id or 0 for one in rows if self._is_theirs(session, one)]
        del read_at_once  # held until here, so that the session loads each only once
        incoming = (one for one in rows if isinstance(one, IncomingMail) and one.id not in found)
        named = [one.id or 0 for one in incoming if one.why and self.naming.search(one.why)]
        return len(rows), found, named

    def _is_theirs(self, session: Session, row: StoredMail) -> bool:
        said = _open_mail(session, row, self.context.links.keys)
        if not isinstance(row, IncomingMail):
            return self.mailboxes.stands_in(said)
        kept = b"\n".join([said, f"{row.sender} {row.recipient} {row.why}".encode()])
        is_own = self.mailboxes.holds(row.sender) or self.mailboxes.stands_in(_from_line(kept))
        return is_own or (row.state != MailState.WAITING and self.mailboxes.stands_in(kept))


def delete_mails_of(search: MailSearch, writing: Session | None = None) -> None:
    """Delete the mails from a person, and processed mails of others that name the person's address.

    `writing`: session of the caller, who commits. None: each batch of mails is deleted in its own
    transaction. Mails that an earlier call with the same `search` has read are skipped.
    """
    for table in MAIL_TABLES:
        looked_at = PIECE
        while looked_at == PIECE:
            with nullcontext(writing) if writing is not None else search.context.reading() as session:
                looked_at, found, named = search.find_next(session, table)
            if not found and not named:
                continue
            with nullcontext(writing) if writing is not None else search.context.writing() as session:
                delete_rows(session, table_of(table), table_of(table).c.id.in_(found))
                session.execute(update(IncomingMail).where(col(IncomingMail.id).in_(named)).values(why=""))
                if writing is None:
                    session.commit()


def _open_mail(session: Session, row: StoredMail, keys: KeyRing) -> bytes:
    try:
        match row:
            case IncomingMail():
                kept = load_incoming_mail(session, row, keys)
            case LocalMail():
                kept = decrypt_mail(row, keys)
            case OperatorMail():
                kept = decrypt_bytes(row.raw, keys)
    except MailLocked:
        return b""
    return f"{kept.envelope_from}\0{kept.envelope_to}\0".encode() + kept.raw


def _from_line(mail: bytes) -> bytes:
    head = re.split(rb"\r?\n\r?\n", mail.rpartition(b"\0")[2] or mail, maxsplit=1)[0]
    return b" ".join(re.findall(rb"^from:(.*(?:\r?\n[ \t].*)*)", head, re.IGNORECASE | re.MULTILINE))


def delete_proposals_naming(session: Session, mailboxes: Mailboxes) -> None:
    """Delete each proposal that contains an address of `mailboxes`, and the game unless it is confirmed."""
    for proposal in find_proposals_naming(session, mailboxes):
        game = session.get_one(Game, proposal.game)
        if game.status == GameStatus.PROPOSED:
            delete_proposal(session, game)
        else:
            session.delete(proposal)
            session.flush()


def find_proposals_naming(session: Session, mailboxes: Mailboxes) -> list[Proposal]:
    proposals = session.exec(select(Proposal)).all()
    return [one for one in proposals if any(map(mailboxes.holds, _texts(json.loads(one.request))))]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def delete_addresses(session: Session, mailboxes: Mailboxes) -> None:
    tables: tuple[Any, ...] = (AddressConfirmation, BouncingAddress)
    for table in tables:
        for row in session.exec(select(table)).all():
            if mailboxes.holds(row.address):
                session.delete(row)
    session.flush()


def mask_blocks(session: Session, mailboxes: Mailboxes) -> None:
    """Mask the given addresses in the operator's list of blocks; the blocks stay in force."""
    blocks = update(Block).where(col(Block.value).in_(mailboxes.digests))
    session.execute(blocks.values(shown=MASKED_ADDRESS))


def forget_address(context: Context, address: str, now: datetime) -> None:
    """Erase the player with an address in any spelling, and all traces of the address.

    An unknown address has no player, but its traces are erased. Commits in pieces: after an interruption,
    call it again. Raises `CorruptLog` if a game cannot be read; then only mails are deleted.
    """
    with context.reading() as session:
        people = [one.id for one in find_people(session, Mailboxes.of([address]))]
    _forget(context, people, Channel.OPERATOR, now, [address])


def forget_player(context: Context, player: int, now: datetime) -> None:
    """Erase a player at their own request. Idempotent. Commits. Raises the errors of `forget_address`."""
    _forget(context, [player], Channel.WEB, now)


def forget_again(context: Context, players: Sequence[int], now: datetime) -> None:
    """Erase players whom a restored backup brought back. Commits. Raises the errors of `forget_address`."""
    _forget(context, players, Channel.OPERATOR, now, noting=False)


def find_people(session: Session, mailboxes: Mailboxes) -> list[Player]:
    return list(session.exec(select(Player).where(col(Player.mailbox).in_(mailboxes.digests))))


def _forget(
    context: Context,
    players: Sequence[int],
    channel: Channel,
    now: datetime,
    given: Collection[str] = (),
    *,
    noting: bool = True,
) -> None:
    addresses, names, games = list(given), set[str](), set[str]()
    with context.reading() as session:  # not in the transaction, since the search takes long
        for player in _load_people(session, players):
            own = _names_of(session, player)
            names |= own
            addresses += _addresses_of(session, player)
            games |= _games_left(session, own)
        mailboxes = Mailboxes.of(addresses)
        written_to = filter(mailboxes.holds, session.exec(select(OutgoingLetter.recipient).distinct()))
        recipients = {*written_to, *addresses}
    search = MailSearch(context, mailboxes, names_pattern(names))
    delete_mails_of(search)
    with open_unit(context, now) as unit:
        session, seats = unit.session, list[tuple[str, int]]()
        for player in _load_people(session, players):
            seats += _give_up_games(unit, player, games, channel)
            _delete_player(session, player)
        delete_letters(session, seats, recipients)
        delete_mails_of(search, session)
        delete_proposals_naming(session, mailboxes)
        delete_addresses(session, mailboxes)
        mask_blocks(session, mailboxes)
        for digest in mailboxes.digests if noting else ():
            note_withdrawal(context, session, WithdrawalKind.ERASURE, digest, now=now)
        unit.commit()


def _load_people(session: Session, players: Sequence[int]) -> list[Player]:
    return list(session.exec(select(Player).where(col(Player.id).in_(players))))


def _names_of(session: Session, player: Player) -> set[str]:
    return {player.name, *session.exec(select(Seating.name).where(Seating.player == player.id))}


def _addresses_of(session: Session, player: Player) -> list[str]:
    """Return a player's present and former addresses, without new ones that await confirmation."""
    back = col(AddressConfirmation.purpose) == ConfirmationPurpose.WAY_BACK
    return [
        player.address,
        *session.exec(select(BouncingAddress.address).where(BouncingAddress.player == player.id)),
        *session.exec(
            select(AddressConfirmation.address).where(AddressConfirmation.player == player.id, back)
        ),
    ]


def _give_up_games(
    unit: UnitOfWork, player: Player, left: Collection[str], channel: Channel
) -> list[tuple[str, int]]:
    session, names = unit.session, _names_of(unit.session, player)
    is_theirs = func.lower(MESSAGES.c.about).in_([name.lower() for name in names if name])
    before = and_(MESSAGES.c.announcement.is_(None), is_theirs)  # messages of a former player of a seat
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
        delete_rows(session, MESSAGES, and_(MESSAGES.c.game == game, before))
        for seat in sorted(seats):
            _give_up_seat(unit, row, session.get_one(Seating, (game, seat)), alias.instead, channel)
    return held


def _games_left(session: Session, names: Collection[str]) -> set[str]:
    left = select(Act.game).where(col(Act.events).contains("seat_left")).distinct()
    named = select(Game.id, Act.events).join(Act, col(Act.game) == Game.id).where(col(Game.id).in_(left))
    quoted = [json.dumps(name).casefold() for name in names if name]
    return {
        game for game, events in session.execute(named) if any(name in events.casefold() for name in quoted)
    }


def _give_up_seat(unit: UnitOfWork, game: Game, seating: Seating, called: str, channel: Channel) -> None:
    session, seat = unit.session, seating.seat
    if game.status == GameStatus.OPEN:
        give_seat_back(unit, game, seating, channel, called)
        return
    if game.status == GameStatus.RUNNING and seat not in unit.history_of(game).resigned:
        write_resignation(unit, game, unit.history_of(game), seat, channel)
    own = and_(MESSAGES.c.seat == seat, MESSAGES.c.id > seating.chat_from)
    told = and_(MESSAGES.c.addressee == seat, MESSAGES.c.announcement.is_not(None))
    delete_rows(session, MESSAGES, and_(MESSAGES.c.game == game.id, or_(own, told)))
    for table in tables_erased_with("seat"):
        session.execute(delete(table).where(table.c.game == game.id, table.c.seat == seat))
    seating.player, seating.generation = None, seating.generation + 1
    session.flush()


def _delete_player(session: Session, player: Player) -> None:
    caused = update(UnsolicitedLetter).where(col(UnsolicitedLetter.origin) == player_origin(player.id).text)
    session.execute(caused.values(origin=UNKNOWN.text))
    delete_player(session, player.id)
    session.expunge(player)
