"""Storage periods of personal data with their reasons, and the deletion of expired data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, exists, func, inspect, or_, update
from sqlmodel import Session, SQLModel, col, select

from emails.i18n import gettext_noop
from emails.letters import lobby_letters
from server.accounts.address_change import WAY_BACK_VALID
from server.accounts.sign_in import EXPIRED_LINK_KEPT_FOR, KEY_KEPT_UNUSED_FOR, STAYS_SIGNED_IN_FOR
from server.lobby.proposals import PROPOSAL_VALID, delete_stranger, is_needed
from server.outbox import budgets
from server.outbox.chat import NO_ADDRESSEE
from server.outbox.queue import LETTERS_KEPT_FOR, NO_SEAT
from server.store.context import Context
from server.store.encrypted_mail import delete_raw_mails
from server.store.models import (
    WORDS_ANSWERED,
    AddressConfirmation,
    ApiKey,
    BouncingAddress,
    ChatMessage,
    Draft,
    Game,
    IncomingMail,
    LocalMail,
    OperatorMail,
    OutgoingLetter,
    Player,
    PreparedLetter,
    Proposal,
    SignedInBrowser,
    SignInLink,
    StoredPlan,
    StoredPreferences,
    UnsolicitedLetter,
    Visit,
)
from server.store.states import GameStatus, Hindrance, LetterState, MailState
from server.store.stored_availability import DailyRest, StoredVacation
from server.store.withdrawals import WITHDRAWALS_KEPT_FOR, delete_old_withdrawals

MAILS_KEPT_FOR = timedelta(days=30)
IGNORED_KEPT_FOR = timedelta(days=7)
OPENED_PROPOSAL_KEPT_FOR = timedelta(days=30)
DRAFTS_KEPT_FOR = timedelta(days=30)
PLANS_KEPT_FOR = timedelta(days=365)
VACATIONS_KEPT_FOR = timedelta(days=400)
VISITS_KEPT_FOR = timedelta(days=2)
STRANGERS_KEPT_FOR = timedelta(days=30)
BOUNCES_KEPT_FOR = timedelta(days=30)
FINISHED_SHOWN_FOR = timedelta(days=30)
READ_MAIL = (MailState.PLAYED, MailState.ASKED, MailState.REFUSED, MailState.IGNORED)
CLOSED_LETTERS = (LetterState.SENT, LetterState.DROPPED, LetterState.FAILED, LetterState.WITHHELD)


@dataclass(frozen=True, slots=True)
class PlayerTable:
    """A table whose rows belong to one player, and are deleted and exported with the player."""

    table: Any
    section: str
    columns: Mapping[str, str]


PLAYER_TABLES = (
    PlayerTable(
        AddressConfirmation,
        "addresses_asked_or_used_before",
        {"address": "address", "what": "purpose", "at": "at"},
    ),
    PlayerTable(
        BouncingAddress,
        "mail_came_back",
        {"address": "address", "since": "since", "why": "why", "until": "ended_at"},
    ),
    PlayerTable(StoredPreferences, "preferences", {"game": "game"}),  # the JSON column is exported too
    PlayerTable(
        DailyRest,
        "sleep_and_days_off",
        {"from": "sleeps_from", "until": "sleeps_until", "days_off": "days_off"},
    ),
    PlayerTable(
        StoredVacation,
        "vacations",
        {"game": "game", "first": "first", "last": "last", "told": "told_at", "back": "back_at"},
    ),
    PlayerTable(SignedInBrowser, "browsers", {"browser": "browser", "since": "at", "seen": "seen_at"}),
    PlayerTable(ApiKey, "keys", {"name": "name", "since": "at", "used": "used_at"}),
    PlayerTable(SignInLink, "links_to_sign_in", {"at": "at"}),
)


@dataclass(frozen=True, slots=True)
class Expiry:
    """A rule for which rows of a table expire, and when."""

    table: type[SQLModel]
    moment: Any
    """Column with the time from which the period counts. If None, `may_go` alone decides."""
    may_go: Callable[[datetime], ColumnElement[bool]] | None = None
    """Returns a further condition for expiry. Its argument is the time before which rows are old."""
    numbered: bool = False
    """Whether row numbers ascend with `moment`, so that binary search finds the expired rows."""


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """One kind of personal data with its reason and storage period, as shown on the privacy page."""

    what: str
    why: str
    until: str
    """The storage period as a sentence, with `%(days)s` for the number of days."""
    period: timedelta | None = None
    """Storage period. If None, the data is stored until its player deletes it, or as long as the game."""
    expiry: Expiry | None = None
    """Rule for deletion. If None, `delete_expired` ignores this data."""


def _is_closed_letter(before: datetime) -> ColumnElement[bool]:
    # Invitations to games that have not begun stay: they record who was invited to a seat.
    waiting = select(Game.id).where(Game.status == GameStatus.OPEN)
    invites = and_(
        col(OutgoingLetter.kind) == lobby_letters.Invitation.kind, col(OutgoingLetter.game).in_(waiting)
    )
    late = or_(col(OutgoingLetter.sent_at).is_(None), col(OutgoingLetter.sent_at) <= before)
    return and_(col(OutgoingLetter.state).in_(CLOSED_LETTERS), late, ~invites)


def _is_opened_proposal(before: datetime) -> ColumnElement[bool]:
    return exists().where(
        col(Game.id) == Proposal.game, col(Game.status) != GameStatus.PROPOSED, col(Game.opened_at) <= before
    )


def _is_closed_unsolicited_letter(before: datetime) -> ColumnElement[bool]:
    # Records of waiting letters stay: the limits on unsolicited letters count them.
    waits = exists().where(
        col(OutgoingLetter.message_id) == UnsolicitedLetter.message_id,
        col(OutgoingLetter.state) == LetterState.WAITING,
    )
    late = or_(col(UnsolicitedLetter.sent_at).is_(None), col(UnsolicitedLetter.sent_at) <= before)
    return and_(late, ~waits)


def _is_idle_stranger(before: datetime) -> ColumnElement[bool]:
    written = exists().where(
        func.lower(OutgoingLetter.recipient) == func.lower(Player.address),
        col(OutgoingLetter.queued_at) > before,
    )
    return and_(col(Player.confirmed_at).is_(None), ~is_needed(), ~written)


RETENTION: tuple[RetentionRule, ...] = (
    RetentionRule(
        gettext_noop("Your name and your mail address"),
        gettext_noop("so that mails reach you, and the others know who they play with"),
        gettext_noop("until you ask to be forgotten"),
    ),
    RetentionRule(
        gettext_noop("The same where only others gave it: you never said yes to anything, and have no seat"),
        gettext_noop(
            "so that a late answer of yours is understood; longer where you stopped our mails, so that "
            "they stay stopped"
        ),
        gettext_noop("%(days)s days after the last mail to you"),
        STRANGERS_KEPT_FOR,
        Expiry(Player, None, _is_idle_stranger),
    ),
    RetentionRule(
        gettext_noop(
            "Your games: who sat where, each move, when it was made, and what the judge thought of it later"
        ),
        gettext_noop("they are the games of the others too, and can be looked at step by step"),
        gettext_noop("for good; without your name once you are forgotten"),
    ),
    RetentionRule(
        gettext_noop("What you have begun of a turn on its page and not played yet"),
        gettext_noop("so that you can go on with it in any browser"),
        gettext_noop("until the turn is played or you start over, %(days)s days at most"),
        DRAFTS_KEPT_FOR,
        Expiry(Draft, Draft.changed_at),
    ),
    RetentionRule(
        gettext_noop("What you plan for your next turn"),
        gettext_noop("so that it is played when that turn comes"),
        gettext_noop("until that turn is played or you withdraw it, %(days)s days at most"),
        PLANS_KEPT_FOR,
        Expiry(StoredPlan, StoredPlan.changed_at),
    ),
    RetentionRule(
        gettext_noop("What you write to other players"),
        gettext_noop("so that they can read it, on the page of the game too"),
        gettext_noop("as long as the game, or until you are forgotten"),
    ),
    RetentionRule(
        gettext_noop("Your settings: language, time zone, which mails you want"),
        gettext_noop("so that mails come as you like them"),
        gettext_noop("until you ask to be forgotten"),
    ),
    RetentionRule(
        gettext_noop("When you sleep, and on which weekdays you have off"),
        gettext_noop("so that no time runs on your turns then"),
        gettext_noop("until you change it or ask to be forgotten"),
    ),
    RetentionRule(
        gettext_noop("When you are away, and when you were back"),
        gettext_noop("so that no time runs on your turns then, and the days of a year can be counted"),
        gettext_noop("%(days)s days after the last of them"),
        VACATIONS_KEPT_FOR,
        Expiry(StoredVacation, StoredVacation.ends_at),
    ),
    RetentionRule(
        gettext_noop("Mails that you sent us, encrypted, and the network they came from"),
        gettext_noop("so that none is read twice, and a fault can be found"),
        gettext_noop("%(days)s days after they came in"),
        MAILS_KEPT_FOR,
        Expiry(
            IncomingMail, IncomingMail.at, lambda _: col(IncomingMail.state).in_(READ_MAIL), numbered=True
        ),
    ),
    RetentionRule(
        gettext_noop("Mails with which nothing was done, encrypted"),
        gettext_noop("so that a fault can be found"),
        gettext_noop("%(days)s days after they came in"),
        IGNORED_KEPT_FOR,
        Expiry(
            IncomingMail,
            IncomingMail.at,
            lambda _: col(IncomingMail.state) == MailState.IGNORED,
            numbered=True,
        ),
    ),
    RetentionRule(
        gettext_noop(
            "Mails to you: when they went and what our mail server said then, what they are about, and their "
            "words"
        ),
        gettext_noop("so that your answer can be told from what it quotes, and no mail comes twice"),
        gettext_noop(
            "%(days)s days; their words until a day after your answer. That somebody was invited to a game "
            "that has not begun is known until it begins"
        ),
        LETTERS_KEPT_FOR,
        Expiry(OutgoingLetter, OutgoingLetter.queued_at, _is_closed_letter, numbered=True),
    ),
    RetentionRule(
        gettext_noop("Mails in the mailbox of this server, where it sends none, encrypted"),
        gettext_noop("so that they can be read there"),
        gettext_noop("%(days)s days"),
        LETTERS_KEPT_FOR,
        Expiry(LocalMail, LocalMail.at, numbered=True),
    ),
    RetentionRule(
        gettext_noop("A game that somebody asked for and has not confirmed, with the addresses they named"),
        gettext_noop("so that they can confirm it"),
        gettext_noop("%(days)s days after the mail about it has left"),
        PROPOSAL_VALID,
    ),
    RetentionRule(
        gettext_noop("The same of a game that was confirmed"),
        gettext_noop("so that its link and a second yes are answered"),
        gettext_noop("%(days)s days after it was opened"),
        OPENED_PROPOSAL_KEPT_FOR,
        Expiry(Proposal, None, _is_opened_proposal),
    ),
    RetentionRule(
        gettext_noop("The links in mails of a game that is over"),
        gettext_noop("so that its end can be looked at"),
        gettext_noop("%(days)s days after its end; then only those who sign in can look at it"),
        FINISHED_SHOWN_FOR,
    ),
    RetentionRule(
        gettext_noop("Which browsers you are signed in with, in a few words, and when they were here last"),
        gettext_noop("so that you stay signed in, and can sign out from another one"),
        gettext_noop("%(days)s days after the last visit"),
        STAYS_SIGNED_IN_FOR,
        Expiry(SignedInBrowser, SignedInBrowser.seen_at),
    ),
    RetentionRule(
        gettext_noop("The names of your keys for programs, and when they were used last"),
        gettext_noop("so that your programs can play, and you can end them"),
        gettext_noop("until you end them, or %(days)s days after they were used last"),
        KEY_KEPT_UNUSED_FOR,
        Expiry(
            ApiKey,
            ApiKey.at,
            lambda before: or_(col(ApiKey.used_at).is_(None), col(ApiKey.used_at) <= before),
        ),
    ),
    RetentionRule(
        gettext_noop("That a link to sign in was asked for"),
        gettext_noop("so that it works once"),
        gettext_noop("until it is used, %(days)s day at most"),
        EXPIRED_LINK_KEPT_FOR,
        Expiry(SignInLink, SignInLink.at),
    ),
    RetentionRule(
        gettext_noop("An address that you named and that has not said yes, or that you used before"),
        gettext_noop("so that it can say yes, or take you back"),
        gettext_noop("%(days)s days"),
        WAY_BACK_VALID,
        Expiry(AddressConfirmation, AddressConfirmation.at),
    ),
    RetentionRule(
        gettext_noop("That mail to you came back, and what the mail server said"),
        gettext_noop("so that nobody waits for you in vain"),
        gettext_noop("%(days)s days after mail has reached you again"),
        BOUNCES_KEPT_FOR,
        Expiry(BouncingAddress, BouncingAddress.ended_at),
    ),
    RetentionRule(
        gettext_noop("That somebody was sent a mail they had not asked for, by which player or network"),
        gettext_noop(
            "so that nobody gets many; of the address a digest is kept, which tells it to nobody who "
            "does not know it"
        ),
        gettext_noop("%(days)s days after it left, if it is to leave"),
        budgets.KEPT_FOR,
        Expiry(UnsolicitedLetter, UnsolicitedLetter.at, _is_closed_unsolicited_letter),
    ),
    RetentionRule(
        gettext_noop(
            "From which network somebody asked for a game, a seat or a link to sign in, and which player"
            " took steps on the board, asked for advice or used a program"
        ),
        gettext_noop("so that nobody does it too often"),
        gettext_noop("%(days)s days"),
        VISITS_KEPT_FOR,
        Expiry(Visit, Visit.at),
    ),
    RetentionRule(
        gettext_noop("That somebody wants no mails any more, as a digest of their address"),
        gettext_noop("so that they get none"),
        gettext_noop("for good, or until they want mails again"),
    ),
    RetentionRule(
        gettext_noop(
            "That you were forgotten, stopped mails or left an address, encrypted, as a digest of the address"
        ),
        gettext_noop("so that a backup that comes back does not undo it"),
        gettext_noop("%(days)s days: as long as a backup may be needed"),
        WITHDRAWALS_KEPT_FOR,
    ),
    RetentionRule(
        gettext_noop("Mails to the operator of this server, encrypted"),
        gettext_noop("so that they arrive"),
        gettext_noop("%(days)s days"),
        MAILS_KEPT_FOR,
        Expiry(OperatorMail, OperatorMail.at, lambda _: col(OperatorMail.state) != LetterState.WAITING),
    ),
)


LOOK_EVERY = timedelta(hours=1)
MOST_AT_ONCE = 300
EMPTIED: dict[type[SQLModel], dict[str, object]] = {
    IncomingMail: {
        "sender": "",
        "recipient": "",
        "raw": b"",
        "raw_mail": None,
        "message_id": None,
        "network": "",
        "why": "",
        "hindrance": Hindrance.NONE,
    },
    OutgoingLetter: {
        "recipient": "",
        "seat": NO_SEAT,
        "detail": "{}",
        "answers": None,
        "text": "",
        "why": "",
        "hindrance": Hindrance.NONE,
    },
    ChatMessage: {"words": "", "about": "", "addressee": NO_ADDRESSEE, "seat": None},
}
"""Values that empty the last row of a table; the row stays so that its number is not reused."""


def delete_expired(context: Context, now: datetime) -> None:
    """Delete some expired rows; when none are left, set the next cleanup in an hour."""
    if context.next_cleanup is not None and now < context.next_cleanup:
        return
    with context.reading() as session:  # the slow search blocks no writer
        due = [one for one in _expiries(now) if _expired(session, *one, 1)]
        answered = bool(_answered_letters(session, now, 1))
    if not due and not answered:
        delete_old_withdrawals(context, now)
        context.next_cleanup = now + LOOK_EVERY
        return
    context.next_cleanup = None
    with context.writing() as session:
        for expiry, before in due:
            delete_rows(session, expiry.table, _expired(session, expiry, before, MOST_AT_ONCE))
        if answered:
            letters = _answered_letters(session, now, MOST_AT_ONCE)
            session.execute(update(OutgoingLetter).where(col(OutgoingLetter.id).in_(letters)).values(text=""))
        _delete_settled_letters(session)
        session.commit()


def delete_all_expired(context: Context, now: datetime, most: int | None = None) -> dict[str, int]:
    """Delete all expired rows in several transactions; return the number of deleted rows by table.

    `most`: maximum number of transactions; None: no limit.
    """
    tables = {expiry.table for expiry, _ in _expiries(now)}
    before = _count_rows(context, tables)
    context.next_cleanup = None
    for _ in count() if most is None else range(most):
        if _is_all_deleted(context, now):
            break
    after = _count_rows(context, tables)
    return {name: before[name] - after[name] for name in sorted(before) if before[name] > after[name]}


def _is_all_deleted(context: Context, now: datetime) -> bool:
    delete_expired(context, now)
    return context.next_cleanup is not None


def _count_rows(context: Context, tables: Iterable[type[SQLModel]]) -> dict[str, int]:
    with context.reading() as session:
        return {
            str(table.__tablename__): session.exec(select(func.count()).select_from(table)).one()
            for table in tables
        }


def _expiries(now: datetime) -> list[tuple[Expiry, datetime]]:
    return [
        (rule.expiry, now - rule.period)
        for rule in RETENTION
        if rule.expiry is not None and rule.period is not None
    ]


def _expired(session: Session, expiry: Expiry, before: datetime, most: int) -> list[Any]:
    table, conditions = expiry.table, list[ColumnElement[bool]]()
    if expiry.numbered:
        conditions.append(_number_of(table) <= _last_number_before(session, expiry, before))
        conditions += [~_is_emptied(table)] if table in EMPTIED else []
    elif expiry.moment is not None:
        conditions.append(col(expiry.moment) <= before)
    if expiry.may_go is not None:
        conditions.append(expiry.may_go(before))
    keys = inspect(table).primary_key
    return list(session.execute(select(*keys).where(and_(*conditions)).limit(most)))


def _last_number_before(session: Session, expiry: Expiry, before: datetime) -> int:
    """Return the number of the last row up to a moment, or 0 if there is none.

    Binary search reads only a few rows of a table of any size.
    """
    number, moment = _number_of(expiry.table), col(expiry.moment)
    first, last = (session.execute(select(end(number))).scalar() for end in (func.min, func.max))
    if first is None or last is None:
        return 0
    low, high = first - 1, last  # rows up to `low` are old, and rows after `high` are newer
    while low < high:
        middle = (low + high + 1) // 2
        found = session.execute(
            select(number, moment).where(number <= middle).order_by(number.desc()).limit(1)
        ).first()
        if found is None or found[1] <= before:
            low = middle
        else:
            high = found[0] - 1
    return int(low)


def _is_emptied(table: type[SQLModel]) -> ColumnElement[bool]:
    number = _number_of(table)
    return and_(number == select(func.max(number)).scalar_subquery(), col(table.recipient) == "")  # type: ignore[attr-defined]


def _number_of(table: type[SQLModel]) -> Any:
    return col(table.id)  # type: ignore[attr-defined]


def delete_rows(session: Session, table: type[SQLModel], keys: list[Any]) -> None:
    """Delete rows by primary key. The caller commits.

    The last row of a table in `EMPTIED` is only emptied, so that the number of the row is not reused.
    """
    if not keys:
        return
    own = inspect(table).primary_key
    if table in EMPTIED:
        numbers, number = [one[0] for one in keys], _number_of(table)
        last = session.execute(select(func.max(number))).scalar()
        if table is OutgoingLetter:
            told = update(OutgoingLetter).where(col(OutgoingLetter.merged_into).in_(numbers))
            session.execute(told.values(merged_into=None))
            session.execute(delete(PreparedLetter).where(col(PreparedLetter.letter).in_(numbers)))
        raw_mails = []
        if table is IncomingMail:
            chosen = select(IncomingMail.raw_mail).where(col(IncomingMail.id).in_(numbers))
            raw_mails = [one for one in session.exec(chosen) if one is not None]
        if last in numbers:
            session.execute(update(table).where(number == last).values(**EMPTIED[table]))
        session.execute(delete(table).where(number.in_(numbers), number != last))
        delete_raw_mails(session, raw_mails)
        return
    if table is Player:
        for (player,) in keys:
            delete_stranger(session, player)
        return
    for key in keys:
        session.execute(
            delete(table).where(and_(*(one == value for one, value in zip(own, key, strict=True))))
        )


def _answered_letters(session: Session, now: datetime, most: int) -> list[int]:
    answered = and_(WORDS_ANSWERED, col(OutgoingLetter.due_at) <= now)
    return [one for (one,) in session.execute(select(col(OutgoingLetter.id)).where(answered).limit(most))]


def _delete_settled_letters(session: Session) -> None:
    letter = col(OutgoingLetter.id) == PreparedLetter.letter
    waits = exists().where(letter, col(OutgoingLetter.state) == LetterState.WAITING)
    session.execute(delete(PreparedLetter).where(~waits))
