"""Searches for the operator: games, players, the mail of an address, and one game in detail."""

from __future__ import annotations

import calendar
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_
from sqlmodel import Session, col, func, select

from emails.letters.parts import Pace
from emails.picture.palette import clean_name
from emails.wording.texts import say
from server.accounts.addresses import ends_at
from server.accounts.bounces import LONGEST_REASON
from server.admin.backlog import describe_wait
from server.mail_addresses import digest_address
from server.outbox.budgets import find_address_block, find_banned_domain, room_of_server
from server.outbox.notifications import load_preferences
from server.outbox.queue import read_relay_reply
from server.store.context import Context
from server.store.dialects.expressions import hexed
from server.store.event_log import History
from server.store.models import (
    Act,
    AddressConfirmation,
    BouncingAddress,
    Game,
    IncomingMail,
    OutgoingLetter,
    Player,
    Seating,
    StoredVacation,
    is_unreadable,
    read_id,
)
from server.store.schedule import AT_ONCE, read_moment
from server.store.server_facts import SERVER_FACT_TYPES
from server.store.states import (
    BlockOrigin,
    ConfirmationPurpose,
    GameStatus,
    Hindrance,
    LetterState,
    MailState,
    MomentName,
)
from server.store.stored_availability import load_availability, unavailable_times_of
from server.store.turn_clock import find_deadline, is_awaiting_letter, list_absences, time_left, turn_time_of
from server.turn_time import SHARES_LEFT


def list_games(context: Context, now: datetime) -> Iterator[tuple[str, str | None]]:
    """Yield each game's id with a line about the game, or None if unreadable; the oldest game first."""
    with context.reading() as session:
        ids = session.exec(select(hexed(Game.id)).order_by(col(Game.opened_at), col(Game.id))).all()
    for number in map(read_id, ids):
        with context.reading() as session:
            try:
                game = session.get(Game, number)
                line = None if game is None else describe_game(session, game, now)
            except (ValueError, LookupError):
                yield number, None
                continue
        if line is not None or is_unreadable(number):
            yield number, line


def describe_game(session: Session, game: Game, now: datetime) -> str:
    deadline = find_deadline(session, game, now)
    until = "" if deadline is None else f"until {deadline:%Y-%m-%d %H:%M} UTC"
    if is_awaiting_letter(game):
        until = "its time starts when its letter has left"
    if game.paused_at is not None:
        until = f"paused since {game.paused_at:%Y-%m-%d %H:%M} UTC"
    if game.suspended_at is not None:
        until = f"suspended since {game.suspended_at:%Y-%m-%d %H:%M} UTC"
    return f"{game.id}  {game.status:8}  turn {game.turn:3}  {game.name}  {until}".rstrip()


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
    games = session.exec(select(Game).where(named).order_by(col(Game.opened_at).desc()).limit(MOST_FOUND + 1))
    yield from _limit_hits(SearchHit(describe_game(session, one, now), game=one.id) for one in games.all())
    players = session.exec(
        select(Player).where(_names_player(word)).order_by(col(Player.id)).limit(MOST_FOUND + 1)
    )
    yield from _limit_hits(
        SearchHit(describe_player(session, one), address=one.address) for one in players.all()
    )


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


def _limit_hits(lines: Iterator[SearchHit]) -> Iterator[SearchHit]:
    for number, line in enumerate(lines):
        if number == MOST_FOUND:
            yield SearchHit(f"There are more than {MOST_FOUND}: write more of the word.")
        else:
            yield line


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


@dataclass(frozen=True, slots=True)
class CorrespondenceEntry:
    at: datetime
    line: str


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
        yield from (f"{one.at:%Y-%m-%d %H:%M}  {one.line}".rstrip() for one in traces)
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
) -> list[CorrespondenceEntry]:
    to_them = func.lower(OutgoingLetter.recipient).in_(addresses)
    newest = select(OutgoingLetter).where(to_them).order_by(col(OutgoingLetter.id).desc()).limit(most)
    letters = session.exec(newest).all()
    answered = [one.answers for one in letters if one.answers]
    from_them = or_(
        func.lower(IncomingMail.sender).in_(addresses), col(IncomingMail.message_id).in_(answered)
    )
    chosen = select(IncomingMail).where(from_them).order_by(col(IncomingMail.id).desc()).limit(most)
    traces = [CorrespondenceEntry(one.sent_at or one.queued_at, describe_letter(one, now)) for one in letters]
    traces += [CorrespondenceEntry(one.at, _describe_mail(one, addresses)) for one in session.exec(chosen)]
    traces.reverse()  # at equal times a mail comes before the letter that answers it
    return sorted(traces, key=lambda one: one.at)[-most:]


def describe_letter(letter: OutgoingLetter, now: datetime) -> str:
    return f"letter {letter.id}  {letter.kind} of {letter.game}  {_fate_of_letter(letter, now)}"


def _fate_of_letter(letter: OutgoingLetter, now: datetime) -> str:
    why = clean_name(letter.why, LONGEST_REASON)
    match letter.state:
        case LetterState.SENT:
            return f"sent{_relay_reply(letter, ': ')}"
        case LetterState.WAITING:
            tried = f", tried {letter.tries} times" if letter.tries > 1 else ""
            until = f" until {letter.due_at:%Y-%m-%d %H:%M}" if letter.due_at > now else ", and is due"
            return f"waits{until}{tried}" + (f": {why}" if why else "")
        case LetterState.DROPPED if letter.merged_into is not None:
            return f"merged into letter {letter.merged_into}"
        case LetterState.FAILED if letter.hindrance in (Hindrance.CAME_BACK, Hindrance.OUR_FAULT):
            return f"{why}{_relay_reply(letter, '; ')}"
        case LetterState.DROPPED | LetterState.WITHHELD:
            return f"not sent: {why}"
        case LetterState.FAILED:
            return f"refused for good: {why}"


def _relay_reply(letter: OutgoingLetter, between: str) -> str:
    """Return when and how the relay accepted a letter, after the separator `between`; empty if unknown."""
    reply = clean_name(read_relay_reply(letter.detail), LONGEST_REASON)
    if letter.sent_at is None or not reply:
        return ""
    return f"{between}the relay took it at {letter.sent_at:%H:%M}: {reply}"


def _describe_mail(mail: IncomingMail, addresses: Sequence[str]) -> str:
    stranger = mail.sender.lower() not in addresses
    sender = f" from {clean_name(mail.sender)}" if stranger else ""
    why = f": {clean_name(mail.why, LONGEST_REASON)}" if mail.why else ""
    name = clean_name(mail.recipient.partition("@")[0])
    return f"mail {mail.id}{sender} to {name}@  {READ_AS[mail.state]}{why}"


MOST_LETTERS = 10
MOST_ACTS = 10


def describe_sheet(context: Context, number: str, now: datetime) -> Iterator[str]:
    with context.reading() as session:
        game = session.get(Game, number.strip().lower()[:64]) if "\0" not in number else None
        if game is None:
            return
        history = context.history_of(session, game)
        yield describe_game(session, game, now)
        yield _describe_terms(game)
        yield from _describe_clock(session, game, history, now)
        for seating in session.exec(
            select(Seating).where(Seating.game == game.id).order_by(col(Seating.seat))
        ).all():
            yield _describe_seat(session, history, seating)
        yield from _describe_letters(session, game, now)
        yield from _describe_acts(session, game)


def _describe_terms(game: Game) -> str:
    time = say("time.for_turn", time=turn_time_of(game))
    limit = f"{time} a turn" if time else "no limit of time"
    return f"opened {game.opened_at:%Y-%m-%d %H:%M} UTC, {game.edition}, {limit}, act {game.seq}"


# --- the clock --------------------------------------------------------------------------------------------


def _describe_clock(session: Session, game: Game, history: History, now: datetime) -> Iterator[str]:
    if game.status != GameStatus.RUNNING or game.seat is None:
        return
    if game.suspended_at is not None:
        yield "suspended by `alexandros suspend`: nobody can play, and no letter leaves"
    if game.paused_at is not None:
        yield f"paused since {game.paused_at:%Y-%m-%d %H:%M} UTC: no time runs, and turns are played"
    mover = session.get(Seating, (game.id, game.seat))
    yield f"to move: seat {game.seat + 1}, {'nobody' if mover is None else clean_name(mover.name)}"
    if game.turn_minutes:
        left = time_left(game, now, unavailable_times_of(session, game.id, game.seat))
        yield f"clock: {_clock_state(session, game, history, now)}, {_describe_left(left)} left"
    passed = [f"1/{1 / share:.0f}" for mark, share in SHARES_LEFT.items() if game.reminded & mark]
    if passed:
        yield f"reminders of this turn that have passed, by what was left: {', '.join(passed)}"
    if game.due_at is not None and game.suspended_at is None:
        when = "at once" if game.due_at <= AT_ONCE else f"at {game.due_at:%Y-%m-%d %H:%M} UTC"
        yield f"next check of the clock: {when}"
    for what, since in list_absences(session):
        yield f"{what} since {since:%Y-%m-%d %H:%M} UTC: no turn loses time"


def _clock_state(session: Session, game: Game, history: History, now: datetime) -> str:
    if is_awaiting_letter(game):
        return "starts when the turn letter has left"
    deadline = find_deadline(session, game, now)
    if deadline is not None:
        passed = ", which has passed" if deadline <= now else ""
        return f"runs until {deadline:%Y-%m-%d %H:%M} UTC{passed}"
    if game.seat is not None and history.is_clock_paused(game.seat):
        return "stopped, since letters to its player bounce"
    return "stopped"


def _describe_left(left: timedelta) -> str:
    minutes = max(0, int(left.total_seconds()) // 60)
    return describe_wait(left) if minutes >= 60 else f"{minutes} minutes"


# --- the seats --------------------------------------------------------------------------------------------


def _describe_seat(session: Session, history: History, seating: Seating) -> str:
    found = f"seat {seating.seat + 1}  {clean_name(seating.name) or 'nobody'}"
    if seating.house:
        return f"{found}, played by the house"
    player = None if seating.player is None else session.get(Player, seating.player)
    if player is not None:
        found += f" <{player.address}>, player {player.id}"
    notes = []
    if player is not None and seating.accepted_at is None:
        notes.append("has not accepted")
    if seating.seat in history.resigned:
        notes.append("has resigned")
    if history.is_caretaken(seating.seat):
        notes.append("a caretaker plays until the player is back")
    if seating.seat in history.offers:
        notes.append("is offered to substitutes")
    if player is not None and _does_bounce(session, player):
        notes.append("letters come back")
    return ", ".join([found, *notes])


def _does_bounce(session: Session, player: Player) -> bool:
    marked = select(BouncingAddress.player).where(BouncingAddress.player == player.id)
    return session.exec(marked.where(col(BouncingAddress.ended_at).is_(None))).first() is not None


# --- letters and acts -------------------------------------------------------------------------------------


def _describe_letters(session: Session, game: Game, now: datetime) -> Iterator[str]:
    own = OutgoingLetter.game == game.id
    counts = session.exec(
        select(OutgoingLetter.state, func.count()).where(own).group_by(col(OutgoingLetter.state))
    )
    told = ", ".join(f"{number} {state}" for state, number in counts)
    yield f"letters: {told or 'none'}"
    stuck = col(OutgoingLetter.state).in_((LetterState.WAITING, LetterState.FAILED))
    chosen = select(OutgoingLetter).where(own, stuck).order_by(col(OutgoingLetter.id).desc())
    for letter in reversed(session.exec(chosen.limit(MOST_LETTERS)).all()):
        yield f"{describe_letter(letter, now)}, to seat {letter.seat + 1}"


def _describe_acts(session: Session, game: Game) -> Iterator[str]:
    last = select(Act).where(Act.game == game.id).order_by(col(Act.seq).desc()).limit(MOST_ACTS)
    for act in reversed(session.exec(last).all()):
        who = "the server" if act.seat is None else f"seat {act.seat + 1}"
        facts = [one.get("type") for one in json.loads(act.events)]
        own = " ".join(str(one) for one in facts if one in SERVER_FACT_TYPES)
        at = datetime.fromisoformat(act.at)
        yield f"act {act.seq}  {at:%Y-%m-%d %H:%M}  {who} by {act.door}  {own}".rstrip()
