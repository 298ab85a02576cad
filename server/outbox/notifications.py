"""Notifications and their payloads, sets of kinds of letters, preferences, and reasons not to send."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any, cast
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter
from sqlalchemy import and_, bindparam, delete, insert, update
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from emails.i18n import UTC_ZONE, gettext, zone_names
from emails.languages.supported_languages import LANGUAGES
from emails.letters import account_letters, game_letters  # noqa: F401, the kinds of all families are part of sets
from emails.letters.declaration import KINDS, Declared, Payload, Policy, Situation
from emails.letters.game_letters import Answer, GameOver, Reminder, Step, Welcome, YourTurn
from emails.letters.lobby_letters import Invitation
from emails.letters.parts import LetterPreferences, Pace
from server.store.event_log import Refusal, RefusalCode
from server.store.models import IncomingMail, OutgoingLetter, Player, Seating, StoredPreferences, table_of
from server.store.schedule import look_at_games_of_mover, look_at_seats_of_player
from server.store.states import GameStatus, Hindrance, LetterState
from server.store.turn_clock import move_vacation_ends

NOTE_KEY = "note"


@cache
def _adapter_of(declared: type[Payload]) -> TypeAdapter[Payload]:
    return TypeAdapter(declared)


def encode_payload(payload: Payload) -> str:
    return _adapter_of(type(payload)).dump_json(payload, exclude_none=True).decode()


def decode_payload(declared: type[Declared], stored: str) -> Declared:
    """Decode a stored payload of a kind. Raises `ValueError` if its JSON is invalid."""
    return cast(Declared, _adapter_of(declared).validate_json(stored))


def decode_row(row: OutgoingLetter) -> Payload:
    """Decode the payload of a row. Raises `ValueError` if its JSON is invalid or its kind unknown."""
    if row.kind not in KINDS:
        raise ValueError(f"{row.kind!r:.40} is no kind of letter")
    return decode_payload(KINDS[row.kind], row.detail)


def load_note(session: Session, game: str, seat: int) -> str:
    rows = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == game, OutgoingLetter.seat == seat, OutgoingLetter.kind == Invitation.kind
    )
    last = session.exec(rows.order_by(col(OutgoingLetter.id).desc()).limit(1)).first()
    return "" if last is None else decode_payload(Invitation, last).note


def list_notes(session: Session, game: str) -> list[str]:
    rows = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == game, OutgoingLetter.kind == Invitation.kind
    )
    found = session.exec(rows.order_by(col(OutgoingLetter.id)))
    return [*dict.fromkeys(note for one in found if (note := decode_payload(Invitation, one).note))]


SIGN_IN_LINK_VALID = timedelta(minutes=10)


def kinds_where(holds: Callable[[Policy], bool]) -> tuple[str, ...]:
    return tuple(kind for kind, declared in KINDS.items() if holds(declared.policy))


COMBINABLE_KINDS = (*kinds_where(lambda one: one.rank > 0), Answer.kind)
KINDS_SHOWING_GAME = kinds_where(lambda one: one.rank > 0 or one.answers_mail)
ANSWER_KINDS = kinds_where(lambda one: one.answers_mail or one.asks_back)
GAMELESS_KINDS = kinds_where(lambda one: one.gameless)
ADDRESS_KINDS = kinds_where(lambda one: one.to_unused_address)
UNSOLICITED_KINDS = kinds_where(lambda one: one.unsolicited)
KINDS_SENT_DESPITE_UNSUBSCRIBE = kinds_where(lambda one: one.despite_unsubscribe)
KINDS_SENT_DESPITE_SUSPENSION = kinds_where(lambda one: one.despite_suspension)
KINDS_MERGED_INTO_ANSWERS = kinds_where(lambda one: 0 < one.rank < Welcome.policy.rank)


def _kinds_including(kind: str) -> tuple[str, ...]:
    rank = KINDS[kind].policy.rank
    if not rank or kind == GameOver.kind:
        return ()
    if kind in (Step.kind, YourTurn.kind):  # any kind that shows the player to move includes it
        rank = KINDS[Reminder.kind].policy.rank
    ranked = kinds_where(lambda one: one.rank >= rank)
    return (*ranked, Answer.kind) if kind in KINDS_MERGED_INTO_ANSWERS else ranked


KINDS_INCLUDING = {kind: _kinds_including(kind) for kind in KINDS}
"""For each kind of letter, the kinds that make an earlier letter of this kind obsolete."""


# Core statements for speed: they run in each act, letter and page.
PLAYERS = table_of(Player).c
SEATINGS = table_of(Seating).c
CONFIRM = update(Player).where(PLAYERS.confirmed_at.is_(None)).values(confirmed_at=bindparam("now"))
CONFIRM_PLAYER = CONFIRM.where(PLAYERS.id == bindparam("player"))
SEATED = plain_select(SEATINGS.player).where(
    SEATINGS.game == bindparam("of"), SEATINGS.seat == bindparam("at_seat")
)
STORED = table_of(StoredPreferences).c
SELECT_STORED = plain_select(STORED.game, STORED.said).where(STORED.player == bindparam("of"))
CONFIRM_SEATED = CONFIRM.where(PLAYERS.id == SEATED.scalar_subquery())


def confirm_player(session: Session, player: int, now: datetime) -> None:
    """Record that a player used a letter of the server, which confirms the address. Does not commit."""
    session.flush()
    session.connection().execute(CONFIRM_PLAYER, {"player": player, "now": now})


def confirm_seated(session: Session, game: str, seat: int, now: datetime) -> None:
    session.flush()
    session.connection().execute(CONFIRM_SEATED, {"of": game, "at_seat": seat, "now": now})


def find_letter_player(session: Session, letter: OutgoingLetter) -> Player | None:
    seating = session.get(Seating, (letter.game, letter.seat))
    return None if seating is None or seating.player is None else session.get(Player, seating.player)


SHORTEST_PAUSE, LONGEST_PAUSE = 5, 24 * 60
"""Limits, in minutes, of the interval between two letters for players who want news collected."""
SAME_IN_ALL_GAMES = ("language", "zone", "zone_asked")
PACES = {pace.value: pace for pace in Pace}
CHANGED_AT_KEY = "since"
"""Key in the stored JSON for the time of the last change, in seconds of Unix time."""


class InvalidPreferences(Refusal):
    code = RefusalCode.PREFERENCES


@dataclass(frozen=True, slots=True)
class Preferences(LetterPreferences):
    """A player's stored preferences for the letters of a game."""

    zone_asked: bool = False
    """True if the server has asked the player for the time zone by mail, which it does only once."""

    def check(self) -> Preferences:
        if self.language not in LANGUAGES:
            raise InvalidPreferences(gettext("There are no mails in that language."))
        if self.zone not in zone_names():
            raise InvalidPreferences(gettext("There is no time zone of that name."))
        if not SHORTEST_PAUSE <= self.minutes <= LONGEST_PAUSE:
            raise InvalidPreferences(
                gettext(
                    "Between two mails there are %(least)s to %(most)s minutes.",
                    least=SHORTEST_PAUSE,
                    most=LONGEST_PAUSE,
                )
            )
        if not 0 <= self.hour <= 23:
            raise InvalidPreferences(gettext("The hour of the daily mail is a whole number from 0 to 23."))
        return self

    def letter_due_at(self, now: datetime) -> datetime:
        """Return when (in UTC) a letter queued `now` is due, without the interval after an earlier letter."""
        return self.next_hour(now) if self.pace == Pace.DAILY else now

    def next_hour(self, now: datetime) -> datetime:
        """Return when (in UTC) the player's clock next shows the daily hour; `now` if it does now.

        An hour skipped by summer time is moved an hour later; of an hour that occurs twice the first counts.
        """
        return min(at for at in self._hours_around(now) if at >= now)

    def last_hour(self, now: datetime) -> datetime:
        """Return when (in UTC) the player's clock last showed the daily hour; `now` if it does now."""
        return max(at for at in self._hours_around(now) if at <= now)

    def _hours_around(self, now: datetime) -> list[datetime]:
        zone, days = ZoneInfo(self.zone), map(timedelta, range(-2, 3))
        day = now.astimezone(zone).date()
        return [datetime.combine(day + one, time(self.hour), zone).astimezone(UTC) for one in days]


DEFAULTS = Preferences()
PREFERENCE_NAMES = frozenset(field.name for field in fields(Preferences))


def load_preferences(session: Session, player: int, game: str | None = None) -> Preferences:
    """Return a player's preferences for a game; None: for all games without separate preferences."""
    stored = _load_stored(session, player)
    return combine_preferences(stored.get(None), None if game is None else stored.get(game))


@lru_cache(maxsize=1024)
def combine_preferences(everywhere: str | None, here: str | None) -> Preferences:
    if everywhere is None and here is None:
        return DEFAULTS
    own = {name: value for name, value in _decode_stored(here).items() if name not in SAME_IN_ALL_GAMES}
    found = DEFAULTS
    for name, value in {**_decode_stored(everywhere), **own}.items():
        try:
            found = replace(found, **{name: value}).check()
        except InvalidPreferences:
            continue
    return found


def preferences_changed_at(session: Session, player: int, game: str) -> datetime | None:
    """Return when a player last changed preferences for a game or for all games; None if never."""
    stored = _load_stored(session, player)
    stamps = [read_json(stored.get(which)).get(CHANGED_AT_KEY) for which in (None, game)]
    moments = [stamp for stamp in stamps if isinstance(stamp, int) and 0 <= stamp < 2**40]
    return datetime.fromtimestamp(max(moments), UTC) if moments else None


def store_preferences(
    session: Session, player: int, game: str | None, preferences: Preferences, now: datetime
) -> None:
    """Store a player's preferences for a game; None: for all games without separate preferences. No commit.

    Language and zone always apply to all games. The stored preference `letters` is kept: it is set only in
    server/accounts/unsubscribe.py, which also informs the other players. Waiting letters are rescheduled.
    Raises `InvalidPreferences`.
    """
    preferences.check()
    given: dict[str, object] = {
        name: value for name, value in asdict(preferences).items() if name != "letters"
    }
    stored = _load_stored(session, player)
    if game is not None:
        shared = {name: given.pop(name) for name in SAME_IN_ALL_GAMES}
        _store_json(session, player, None, {**_decode_stored(stored.get(None)), **shared}, now)
    _store_json(session, player, game, {**_decode_stored(stored.get(game)), **given}, now)
    if _decode_stored(stored.get(None)).get("zone", UTC_ZONE) != preferences.zone:
        move_vacation_ends(session, player)
    look_at_seats_of_player(session, player)
    look_at_games_of_mover(session, player)
    _reschedule_waiting_letters(session, player, now)


def store_reminders(
    session: Session, player: int, game: str, wanted: bool, only_here: bool, now: datetime
) -> None:
    own = game if only_here or has_own_preferences(session, player, game) else None
    before = load_preferences(session, player, own)
    store_preferences(session, player, own, replace(before, reminders=wanted), now)


def reset_preferences(session: Session, player: int, game: str, now: datetime) -> None:
    """Delete a player's separate preferences for a game; stopped letters stay stopped. Does not commit."""
    stored = _decode_stored(_load_stored(session, player).get(game))
    _store_json(session, player, game, {name: stored[name] for name in stored if name == "letters"}, now)
    look_at_seats_of_player(session, player)
    look_at_games_of_mover(session, player)
    _reschedule_waiting_letters(session, player, now)


def has_own_preferences(session: Session, player: int, game: str) -> bool:
    """Return whether a player has separate preferences for this game, apart from stopped letters."""
    return bool(
        _decode_stored(_load_stored(session, player).get(game)).keys() - {"letters", *SAME_IN_ALL_GAMES}
    )


def set_letters_wanted(session: Session, player: int, game: str | None, letters: bool, now: datetime) -> None:
    """Store whether a player wants any letters, of one game or (None) of all. Does not commit."""
    stored = _load_stored(session, player)
    for other, text in stored.items():
        if other is not None and game is None:
            rest = {name: value for name, value in _decode_stored(text).items() if name != "letters"}
            _store_json(session, player, other, rest, now)
    _store_json(session, player, game, {**_decode_stored(stored.get(game)), "letters": letters}, now)
    look_at_seats_of_player(session, player)


def _load_stored(session: Session, player: int) -> dict[str | None, str]:
    """Return a player's stored preferences as JSON, by game; None: for all games."""
    return {game or None: said for game, said in session.connection().execute(SELECT_STORED, {"of": player})}


def _store_json(
    session: Session, player: int, game: str | None, values: Mapping[str, object], now: datetime
) -> None:
    own = game or ""
    session.execute(
        delete(StoredPreferences).where(
            col(StoredPreferences.player) == player, col(StoredPreferences.game) == own
        )
    )
    if values:
        kept = {**values, CHANGED_AT_KEY: int(now.timestamp())}
        row = {"said": json.dumps(kept), "letters_stopped": values.get("letters") is False}
        session.execute(insert(StoredPreferences).values(player=player, game=own, **row))


def _reschedule_waiting_letters(session: Session, player: int, now: datetime) -> None:
    held = (
        select(OutgoingLetter)
        .join(
            Seating, and_(col(Seating.game) == OutgoingLetter.game, col(Seating.seat) == OutgoingLetter.seat)
        )
        .where(Seating.player == player, OutgoingLetter.state == LetterState.WAITING)
        .where(
            OutgoingLetter.tries == 0, OutgoingLetter.kind != game_letters.Step.kind
        )  # a letter of this kind waits for something else
        .where(OutgoingLetter.due_at > now)
    )
    for row in session.exec(held):
        row.due_at = load_preferences(session, player, row.game).letter_due_at(now)


def _decode_stored(text: str | None) -> dict[str, Any]:
    found = {**read_json(text)}
    if (pace := PACES.get(found.pop("pace", None))) is not None:
        found["pace"] = pace
    if isinstance(reminders := found.get("reminders"), int | str):
        found["reminders"] = bool(reminders)  # old rows store a number or a text
    return {
        name: value
        for name, value in found.items()
        if name in PREFERENCE_NAMES and type(value) is type(getattr(DEFAULTS, name))
    }


def read_json(text: str | None) -> dict[str, Any]:
    """Return a stored JSON object; empty if the text is none."""
    try:
        found = json.loads(text) if text else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class Notification:
    """An occasion for a letter to one seat."""

    seat: int
    payload: Payload
    mail: IncomingMail | None = None
    mark: str = ""
    """Mark that distinguishes the letter from others of its kind about one act."""
    recipient: str = ""
    """Recipient's address; empty for the player's stored address."""
    later: timedelta = timedelta(0)
    answered: str = ""
    """If the letter answers a reply to an earlier letter: subject of the earlier letter, if known."""
    asked: bool | None = None
    """Whether the recipient requested the letter; None: as usual for letters of this kind."""

    pressing: bool = False
    """True for a message that gets a letter of its own, whatever the recipient's preferences."""


class DropReason(StrEnum):
    """Reasons why a letter is not sent, as shown to the operator."""

    OUTDATED = "its occasion has passed"
    TOLD_ELSEWHERE = "another letter contains it"
    NO_LETTERS = "its recipient wants no letters"
    BOUNCES = "letters to its recipient are returned"
    RESIGNED = "its recipient has resigned"
    BLOCKED = "its recipient is blocked"
    READER_FULL = "its recipient's limit of unsolicited letters is reached"
    ORIGIN_FULL = "its origin's limit of unsolicited letters is reached"

    @property
    def state(self) -> LetterState:
        return LetterState.WITHHELD if self is DropReason.NO_LETTERS else LetterState.DROPPED

    @property
    def hindrance(self) -> Hindrance:
        barred = (DropReason.BLOCKED, DropReason.READER_FULL, DropReason.ORIGIN_FULL)
        return Hindrance.BARRED if self in barred else Hindrance.NONE


def outcome_of(reason: DropReason | None) -> dict[str, object]:
    """Return the state columns for a letter that is dropped for `reason`, or waits if `reason` is None."""
    if reason is None:
        return {"state": LetterState.WAITING, "why": "", "hindrance": Hindrance.NONE}
    return {"state": reason.state, "why": reason, "hindrance": reason.hindrance}


def describe_situation(
    status: GameStatus, preferences: Preferences, *, is_mover: bool, is_pressing: bool
) -> dict[str, bool]:
    """Return the facts that decide whether a letter is sent; `is_pressing`: a message needs a letter."""
    wants_daily = preferences.pace == Pace.DAILY
    return {
        "is_proposed": status == GameStatus.PROPOSED,
        "is_open": status == GameStatus.OPEN,
        "is_running": status == GameStatus.RUNNING,
        "is_over": status == GameStatus.OVER,
        "wants_letters": preferences.letters,
        "wants_news": preferences.moves and not wants_daily,
        "wants_daily": wants_daily,
        "wants_messages": preferences.messages or is_pressing,
        "is_mover": is_mover,
    }


def reason_to_drop(payload: Payload, now: Situation) -> DropReason | None:
    policy = payload.policy
    if now.is_blocked:
        return DropReason.BLOCKED
    if not (now.wants_letters or policy.despite_unsubscribe):
        return DropReason.NO_LETTERS
    if now.is_bouncing and not policy.despite_bounce:
        return DropReason.BOUNCES
    if now.has_resigned and now.is_running and not policy.despite_unsubscribe:
        return DropReason.RESIGNED
    if (now.has_seat_changed and not policy.to_former_player) or payload.is_obsolete(now):
        return DropReason.OUTDATED
    return DropReason.TOLD_ELSEWHERE if now.is_shown_since else None
