"""Reports for the operator: what a word finds, the mail of an address, work that waits or failed."""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from emails.letters import game_letters
from emails.letters.parts import Pace
from emails.picture.palette import clean_name
from server.accounts.addresses import ends_at
from server.admin.game_sheets import describe_game, describe_letter, describe_wait
from server.delivery.claims import MAY_LEAVE, is_due
from server.mail_addresses import digest_address
from server.outbox.budgets import find_address_block, find_banned_domain, room_of_server
from server.outbox.notifications import decode_payload, load_preferences
from server.outbox.queue import read_sent_letter
from server.store.context import Context
from server.store.models import (
    LONGEST_REASON,
    AddressConfirmation,
    BouncingAddress,
    Game,
    IncomingMail,
    OutgoingLetter,
    Player,
    Seating,
    StoredVacation,
    UnsolicitedLetter,
    count_rows,
)
from server.store.schedule import GONE_AFTER, read_moment, when_at_work
from server.store.states import (
    BlockOrigin,
    ConfirmationPurpose,
    GameStatus,
    Hindrance,
    LetterState,
    MailState,
    MomentName,
    Role,
)
from server.store.turn_clock import list_absences, load_availability

MOST_FOUND = 20
MOST_GAMES_NAMED = 8
LONGEST_WORD = 200
ADDRESS_IN_LINE = re.compile(r"<([^<>\s]+@[^<>\s]+)>")
LARGEST_NUMBER = 2**31 - 1
"""Largest row number that an integer column of PostgreSQL can hold."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    line: str
    game: str = ""
    address: str = ""


def find_by_word(session: Session, word: str, now: datetime) -> Iterator[SearchHit]:
    """Yield the games and players whose id, name or address contains a word."""
    word = pick_address(word)[:LONGEST_WORD]
    if not word or "\0" in word:
        return
    named = or_(col(Game.id) == word.lower(), col(Game.name).icontains(word, autoescape=True))
    games = select(Game).where(named).order_by(col(Game.opened_at).desc()).limit(MOST_FOUND + 1)
    players = select(Player).where(_names_player(word)).order_by(col(Player.id)).limit(MOST_FOUND + 1)
    for hits in (
        [SearchHit(describe_game(session, one, now), game=one.id) for one in session.exec(games).all()],
        [
            SearchHit(describe_player(session, one), address=one.address)
            for one in session.exec(players).all()
        ],
    ):
        yield from hits[:MOST_FOUND]
        if len(hits) > MOST_FOUND:
            yield SearchHit(f"There are more than {MOST_FOUND}: write more of the word.")


def pick_address(text: str) -> str:
    found = ADDRESS_IN_LINE.search(text)
    return text.strip().strip("<>") if found is None else found.group(1)


def players_at(session: Session, address: str) -> list[Player]:
    same = select(Player).where(Player.mailbox == digest_address(address))
    return list(session.exec(same.order_by(col(Player.id))))


def describe_player(session: Session, player: Player) -> str:
    seats = select(Seating).join(Game, col(Game.id) == Seating.game).where(Seating.player == player.id)
    latest = seats.order_by(col(Game.opened_at).desc(), col(Game.id)).limit(MOST_GAMES_NAMED + 1)
    places = [f"{one.game} seat {one.seat + 1}" for one in session.exec(latest)]
    if len(places) > MOST_GAMES_NAMED:
        places[MOST_GAMES_NAMED:] = ["…"]
    stranger = "" if player.confirmed_at else ", has accepted or played nothing yet"
    where = ", ".join(places) or "in no game"
    return f"player {player.id}  {clean_name(player.name)} <{player.address}>{stranger}  {where}"


def _names_player(word: str) -> ColumnElement[bool]:
    ways = [
        col(Player.name).icontains(word, autoescape=True),
        col(Player.address).icontains(word, autoescape=True),
    ]
    if "@" in word:
        ways.append(col(Player.mailbox) == digest_address(word))
    if word.isdecimal() and int(word) <= LARGEST_NUMBER:
        ways.append(col(Player.id) == int(word))
    return or_(*ways)


MOST_LISTED = 40
MOST_VACATIONS = 3
MOST_ADDRESSES = 20
READ_AS: Mapping[MailState, str] = {
    MailState.WAITING: "not read yet",
    MailState.PLAYED: "read and performed",
    MailState.ASKED: "read, confirmation requested",
    MailState.REFUSED: "refused with an answer",
    MailState.IGNORED: "ignored without an answer",
}
HALTS: Mapping[BlockOrigin, str] = {
    BlockOrigin.READER: "its reader wants no unsolicited letters.",
    BlockOrigin.OPERATOR: "it is banned: no letters are sent there, and mail from there is ignored.",
}


def describe_correspondence(
    context: Context, address: str, now: datetime, most: int = MOST_LISTED
) -> Iterator[str]:
    """Yield lines about the players with an address, the reasons why letters to them wait, and their mail.

    Lists the latest letters and mails, at most `most` in all. Yields nothing if the address is unknown.
    """
    address = pick_address(address).lower()
    if not address or "\0" in address:
        return
    with context.reading() as session:
        players = players_at(session, address)
        known = _addresses_of(session, address, players)
        traces = _trace_all(session, known, now, most)
        for player in players:
            yield describe_player(session, player)
            yield from _describe_preferences(session, player)
            yield from _describe_availability(session, player, now)
        if players or traces:
            yield from _describe_hindrances(context, session, known, [one.id for one in players], now)
        yield from (f"{at:%Y-%m-%d %H:%M}  {line}".rstrip() for at, line in traces)
        if players and not traces:
            yield "No stored mail or letter is from or to it."
        if len(traces) == most:
            yield f"Only the latest {most} are listed; --last lists more."


def _addresses_of(session: Session, address: str, players: Sequence[Player]) -> list[str]:
    numbers = [one.id for one in players]
    marked = session.exec(select(BouncingAddress.address).where(col(BouncingAddress.player).in_(numbers)))
    found = [address, *(one.address for one in players), *marked]
    return list(dict.fromkeys(one.lower() for one in found))[:MOST_ADDRESSES]


# --- reasons why letters wait -----------------------------------------------------------------------------


def _describe_preferences(session: Session, player: Player) -> Iterator[str]:
    going = select(Seating.game).join(Game, col(Game.id) == Seating.game)
    going = going.where(Seating.player == player.id, Game.status == GameStatus.RUNNING)
    for game in (None, *session.exec(going.limit(MOST_ADDRESSES))):
        wanted = load_preferences(session, player.id, game)
        of_what = "of any game" if game is None else f"of {game}"
        if not wanted.letters:
            yield f"The player wants no letters {of_what}."
        elif wanted.pace == Pace.DAILY:
            yield f"The player wants the letters {of_what} once a day, at {wanted.hour}:00 ({wanted.zone})."
        elif wanted.pace == Pace.GATHERED:
            yield f"The player wants the letters {of_what} gathered, {wanted.minutes} minutes apart."


def _describe_availability(session: Session, player: Player, now: datetime) -> Iterator[str]:
    found = load_availability(session, player.id)
    begins, ends = found.sleeps_from, found.sleeps_until
    told = [] if begins is None or ends is None else [f"{begins:%H:%M} to {ends:%H:%M}"]
    told += [calendar.day_name[day] for day in sorted(found.days_off)]
    ahead = select(StoredVacation).where(StoredVacation.player == player.id, StoredVacation.ends_at > now)
    ahead = ahead.where(col(StoredVacation.back_at).is_(None)).order_by(col(StoredVacation.first))
    days = [
        f"{one.first} to {one.last}{f' in {one.game}' if one.game else ''}"
        for one in session.exec(ahead.limit(MOST_VACATIONS + 1))
    ]
    told += ["…" if number == MOST_VACATIONS else one for number, one in enumerate(days)]
    if told:
        yield f"No time runs on their turns: {', '.join(told)} ({found.zone})."


def _describe_hindrances(
    context: Context, session: Session, addresses: Sequence[str], players: Sequence[int], now: datetime
) -> Iterator[str]:
    for address in addresses:
        if domain := find_banned_domain(session, address):
            yield f"{address}: {domain} is banned: no letters are sent there, and mail from there is ignored."
        elif (origin := find_address_block(session, address)) is not None:
            yield f"{address}: {HALTS[origin]}"
    marked = col(BouncingAddress.player).in_(players), col(BouncingAddress.ended_at).is_(None)
    for one in session.exec(select(BouncingAddress).where(*marked)):
        why = clean_name(one.why, LONGEST_REASON)
        yield f"Letters to {one.address} come back since {one.since:%Y-%m-%d %H:%M}: {why}"
    games = select(Game.id, Game.suspended_at).join(Seating, col(Seating.game) == Game.id)
    games = games.where(col(Game.suspended_at).is_not(None), col(Seating.player).in_(players))
    for game, since in session.exec(games.distinct().order_by(col(Game.id))):
        when = f"suspended since {since:%Y-%m-%d %H:%M}"
        yield f"{game} is {when}: none of its letters leaves before `suspend --lift`."
    yield from _describe_open_questions(session, players, now)
    away = read_moment(session, MomentName.RELAY_AWAY)
    if away is not None:
        yield f"The relay takes no letters since {away:%Y-%m-%d %H:%M}: all letters wait."
    if room_of_server(session, context.settings.unasked_per_day, now) <= 0:
        yield "The daily limit of unsolicited letters is reached: more of them wait."


def _describe_open_questions(session: Session, players: Sequence[int], now: datetime) -> Iterator[str]:
    asked = select(AddressConfirmation, Player).join(Player, col(Player.id) == AddressConfirmation.player)
    asked = asked.where(col(Player.id).in_(players), col(AddressConfirmation.confirmed_at).is_(None))
    asked = asked.where(AddressConfirmation.purpose != ConfirmationPurpose.WAY_BACK)
    for asking, player in session.exec(asked.order_by(col(AddressConfirmation.at))):
        if now >= ends_at(asking) or asking.address.lower() == player.address.lower():
            continue
        when = f"{asking.at:%Y-%m-%d %H:%M}"
        if asking.purpose is ConfirmationPurpose.MOVE:
            yield f"{player.address} was asked on {when} to approve a move to {asking.address}, and has not."
        else:
            yield f"{asking.address} was asked on {when} to confirm, and has not."


# --- letters and mails ------------------------------------------------------------------------------------


def _trace_all(
    session: Session, addresses: Sequence[str], now: datetime, most: int
) -> list[tuple[datetime, str]]:
    to_them = func.lower(OutgoingLetter.recipient).in_(addresses)
    newest = select(OutgoingLetter).where(to_them).order_by(col(OutgoingLetter.id).desc()).limit(most)
    letters = session.exec(newest).all()
    answered = [one.answers for one in letters if one.answers]
    from_them = or_(
        func.lower(IncomingMail.sender).in_(addresses), col(IncomingMail.message_id).in_(answered)
    )
    chosen = select(IncomingMail).where(from_them).order_by(col(IncomingMail.id).desc()).limit(most)
    traces = [(one.sent_at or one.queued_at, describe_letter(one, now)) for one in letters]
    traces += [(one.at, _describe_mail(one, addresses)) for one in session.exec(chosen)]
    traces.reverse()  # at equal times a mail comes before the letter that answers it
    return sorted(traces, key=lambda trace: trace[0])[-most:]


def _describe_mail(mail: IncomingMail, addresses: Sequence[str]) -> str:
    stranger = mail.sender.lower() not in addresses
    sender = f" from {clean_name(mail.sender)}" if stranger else ""
    why = f": {clean_name(mail.why, LONGEST_REASON)}" if mail.why else ""
    name = clean_name(mail.recipient.partition("@")[0])
    return f"mail {mail.id}{sender} to {name}@  {READ_AS[mail.state]}{why}"


# --- waiting and failed work ------------------------------------------------------------------------------


def count_unclear_mails(session: Session) -> Iterator[str]:
    """Yield a line for each kind of content that was not fully understood."""
    rows = session.exec(select(OutgoingLetter.detail).where(OutgoingLetter.kind == game_letters.Refused.kind))
    refused = [(decode_payload(game_letters.Refused, row), read_sent_letter(row).chosen) for row in rows]
    kinds = Counter(content.understood for content, _ in refused if content.understood)
    for kind, mails in kinds.most_common():
        same = [one for one in refused if one[0].understood == kind]
        asked = sum(content.proposed for content, _ in same)
        counts = sorted(Counter(number for _, number in same if number).items())
        chosen = ", ".join(f"{number}: {times}" for number, times in counts) or "none"
        yield f"{kind}  {mails} mails  {asked} asked  chosen {chosen}"


def list_bouncing_addresses(session: Session) -> Iterator[str]:
    """Yield a line for each marked address: the first bounce, the player's unfinished games, the reason."""
    marked = select(BouncingAddress).where(col(BouncingAddress.ended_at).is_(None))
    for one in session.exec(marked.order_by(col(BouncingAddress.since))).all():
        playing = select(Game.id, Seating.name).join(Seating, col(Seating.game) == Game.id)
        going = col(Game.status).not_in((GameStatus.OVER, GameStatus.CANCELLED))
        rows = session.exec(playing.where(Seating.player == one.player, going))
        games, why = ", ".join(f"{game} ({name})" for game, name in rows), clean_name(one.why, LONGEST_REASON)
        yield f"{one.address}  since {one.since:%Y-%m-%d %H:%M} UTC  {games}  {why}".rstrip()


LONGEST_WAIT = timedelta(hours=1)
FAILED_OFTEN = 4  # attempts, after which a wait counts from the queuing instead of the due time
BEFORE_ALL = datetime(2000, 1, 1, tzinfo=UTC)
"""Start of plausible times. Damaged rows may hold earlier ones, which are ignored."""
NOTHING = timedelta()
FAILURES_REPORTED_FOR = timedelta(days=7)
MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Backlog:
    """Numbers and longest waits of letters, mails and games at a moment."""

    letters: int
    oldest_letter: timedelta
    """Longest wait of a letter that should have been sent; zero if there is none."""
    mails: int
    oldest_mail: timedelta
    letters_set_aside: int
    mails_set_aside: int
    running_games: int


def measure_backlog(session: Session, now: datetime) -> Backlog:
    return Backlog(
        count_rows(session, OutgoingLetter, OutgoingLetter.state == LetterState.WAITING),
        measure_oldest_letter(session, now),
        count_rows(session, IncomingMail, IncomingMail.state == MailState.WAITING),
        measure_oldest_mail(session, now),
        count_rows(session, OutgoingLetter, _is_set_aside(OutgoingLetter, LetterState.FAILED, now)),
        count_rows(session, IncomingMail, _is_set_aside(IncomingMail, MailState.REFUSED, now)),
        count_rows(session, Game, Game.status == GameStatus.RUNNING),
    )


def measure_oldest_letter(session: Session, now: datetime) -> timedelta:
    unasked = select(UnsolicitedLetter.message_id).where(col(UnsolicitedLetter.sent_at).is_(None))
    due = select(func.min(OutgoingLetter.due_at)).where(is_due(now), col(OutgoingLetter.due_at) > BEFORE_ALL)
    due = due.where(col(OutgoingLetter.message_id).not_in(unasked))
    refused = select(func.min(OutgoingLetter.queued_at)).where(
        MAY_LEAVE,
        or_(
            col(OutgoingLetter.tries) >= FAILED_OFTEN,
            and_(col(OutgoingLetter.why) != "", col(OutgoingLetter.due_at) <= now),
            col(OutgoingLetter.hindrance).in_((Hindrance.RELAY, Hindrance.PERHAPS_TAKEN)),
        ),
        col(OutgoingLetter.queued_at).between(BEFORE_ALL, now),
    )
    since: list[datetime | None] = [session.scalar(due), session.scalar(refused)]
    return max((now - at for at in since if at is not None), default=NOTHING)


def measure_oldest_mail(session: Session, now: datetime) -> timedelta:
    waiting = IncomingMail.state == MailState.WAITING
    oldest = select(func.min(IncomingMail.at)).where(waiting, col(IncomingMail.at).between(BEFORE_ALL, now))
    since: datetime | None = session.scalar(oldest)
    return NOTHING if since is None else now - since


def describe_backlog(context: Context, now: datetime) -> Iterator[str]:
    """Yield a sentence for the operator for each kind of work that waits too long or was given up."""
    looks = (_describe_roles, _describe_absences, _describe_waiting, _describe_put_off, _describe_set_aside)
    for look in (*looks, _describe_failed):
        with context.reading() as session:
            try:
                yield from look(session, now)
            except ValueError as error:  # a damaged row does not hide the rest
                yield f"some letters or mails cannot be read: {error}"


def _describe_roles(session: Session, now: datetime) -> Iterator[str]:
    last = {role: when_at_work(session, role) for role in Role}
    missed = [role for role, at in last.items() if at is None or now - at > GONE_AFTER]
    for role in missed if len(missed) < len(last) else ():
        since = "" if (at := last[role]) is None else f" since {at:%Y-%m-%d %H:%M} UTC"
        yield f"no process does the work of the role {role}{since}"


def _describe_absences(session: Session, _: datetime) -> Iterator[str]:
    for what, since in list_absences(session):
        yield f"{what} since {since:%Y-%m-%d %H:%M} UTC"


def _describe_waiting(session: Session, now: datetime) -> Iterator[str]:
    found = measure_backlog(session, now)
    if found.oldest_letter > LONGEST_WAIT:
        yield f"{found.letters} letters wait, the oldest due one for {describe_wait(found.oldest_letter)}"
    if found.oldest_mail > LONGEST_WAIT:
        yield f"{found.mails} mails are unread, the oldest for {describe_wait(found.oldest_mail)}"


def _describe_put_off(session: Session, _: datetime) -> Iterator[str]:
    tried = select(OutgoingLetter.id, OutgoingLetter.why).where(
        OutgoingLetter.state == LetterState.WAITING, OutgoingLetter.why != ""
    )
    found = session.exec(tried.order_by(col(OutgoingLetter.id)).limit(MOST_NAMED + 1)).all()
    if found:
        numbers = _list_numbers([number for number, _ in found])
        yield f"letters that wait after an error: {numbers}; {found[-1][1]}"


def _describe_set_aside(session: Session, _: datetime) -> Iterator[str]:
    asides: dict[str, SelectOfScalar[int | None]] = {
        "mails": select(col(IncomingMail.id)).where(
            IncomingMail.state == MailState.REFUSED, IncomingMail.hindrance == Hindrance.SET_ASIDE
        ),
        "letters": select(col(OutgoingLetter.id)).where(
            OutgoingLetter.state == LetterState.FAILED, OutgoingLetter.hindrance == Hindrance.SET_ASIDE
        ),
    }
    for name, chosen in asides.items():
        numbers = session.exec(chosen.order_by("id").limit(MOST_NAMED + 1)).all()
        if numbers:
            yield f"{name} given up after errors: {_list_numbers(numbers)}"


def _list_numbers(numbers: Sequence[int | None]) -> str:
    named = ", ".join(map(str, numbers[:MOST_NAMED]))
    return f"{named}, …" if len(numbers) > MOST_NAMED else named


def _describe_failed(session: Session, now: datetime) -> Iterator[str]:
    why, last = col(OutgoingLetter.why), func.max(col(OutgoingLetter.id))
    failed = select(OutgoingLetter.why, func.count(), last).where(
        OutgoingLetter.state == LetterState.FAILED,
        col(OutgoingLetter.queued_at) > now - FAILURES_REPORTED_FOR,
        col(OutgoingLetter.hindrance).not_in((Hindrance.CAME_BACK, Hindrance.SET_ASIDE)),
    )
    for reply, number, letter in session.exec(failed.group_by(why).order_by(last.desc()).limit(MOST_NAMED)):
        game = session.exec(select(OutgoingLetter.game).where(OutgoingLetter.id == letter)).one()
        letters = "1 letter was" if number == 1 else f"{number} letters were"
        said = clean_name(reply, LONGEST_REASON)
        yield f"{letters} refused for good within a week, the last of game {game}: {said}"


def _is_set_aside(
    table: type[OutgoingLetter] | type[IncomingMail], state: str, now: datetime
) -> ColumnElement[bool]:
    late = col(table.due_at) > now - FAILURES_REPORTED_FOR
    return and_(col(table.state) == state, late, col(table.hindrance) == Hindrance.SET_ASIDE)
