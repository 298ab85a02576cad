"""Stored states and kinds; each value is the text in its column."""

from __future__ import annotations

from enum import StrEnum

NO_SEAT = 255
"""Seat number of a letter whose recipient has left the seat."""
NO_ADDRESSEE = -1
"""Addressee of a message that was cancelled before a letter contained it."""


class GameStatus(StrEnum):
    PROPOSED = "proposed"
    """Requested but not confirmed: without acts, and only the organiser has a seat."""
    OPEN = "open"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


BEGUN = frozenset({GameStatus.RUNNING, GameStatus.OVER})


class MailState(StrEnum):
    WAITING = "waiting"
    PLAYED = "played"
    ASKED = "asked"
    REFUSED = "refused"
    IGNORED = "ignored"
    """Processed without effect and without an answer."""


class Channel(StrEnum):
    """The way an act came in; no value may change, since the log's digest covers it."""

    LINK = "link"
    """Button pressed on the page that a letter links to."""
    REPLY = "reply"
    WEB = "web"
    API = "api"
    HOUSE = "house"
    PLAN = "plan"
    CARETAKER = "caretaker"
    CLOCK = "clock"
    """Missed deadline, or expired reservation of a seat."""
    OPERATOR = "operator"
    SERVER = "server"


PERSONAL_CHANNELS = frozenset({Channel.LINK, Channel.REPLY, Channel.WEB, Channel.API})


class LetterState(StrEnum):
    WAITING = "waiting"
    SENT = "sent"
    DROPPED = "dropped"
    FAILED = "failed"
    WITHHELD = "withheld"
    """Not sent, since the recipient wants no letters; an invitation is sent once letters are wanted."""


class Hindrance(StrEnum):
    NONE = ""
    RELAY = "relay"
    """The attempt failed because of the relay; the next one follows once the relay accepts any letter."""
    PERHAPS_TAKEN = "doubt"
    """The relay may have accepted the letter; sent again when due, or earlier if a relay outage ends."""
    CAME_BACK = "returned"
    """The relay accepted the letter, but a bounce mail reported that it was not delivered."""
    OUR_FAULT = "ours"
    """A bounce mail reported the letter's return, caused by a fault of this server."""
    SET_ASIDE = "aside"
    BARRED = "barred"
    """An unsolicited letter that must not be sent; its originator is not informed."""


class ConfirmationPurpose(StrEnum):
    ADDRESS = "address"
    WAY_BACK = "back"
    MOVE = "move"
    """The current address is asked whether the player may move to another address."""


class BlockKind(StrEnum):
    ADDRESS = "address"
    DOMAIN = "domain"
    NETWORK = "network"


class BlockOrigin(StrEnum):
    READER = "reader"
    """The recipient of an unwanted letter blocked unsolicited mail."""
    OPERATOR = "operator"
    """The operator banned mail to and from an address, a domain or a network."""


class Announcement(StrEnum):
    LETTERS_STOPPED = "stopped"
    LETTERS_RESUMED = "back"
    MAIL_BOUNCED = "returned"
    BOUNCE_REPORTED = "return reported"
    MAIL_ARRIVES = "reached"
    MAIL_BOUNCED_UNTIMED = "returned timeless"
    MAIL_ARRIVES_UNTIMED = "reached timeless"
    CLOCK_PAUSE_ENDED = "patience ended"
    REPORTED_PAUSE_ENDED = "day ended"
    RESIGNED = "resigned"
    TIME_ADDED = "time added"
    GAME_RESUMED = "resumed"
    PAUSED_UNTIL = "paused until"
    TURN_GOES_ON = "turn goes on"
    VOTE_DECLINED = "motion declined"
    VOTE_REFUSED = "motion refused"
    MORE_TIME_REFUSED = "more time refused"
    TIME_GRANTED = "time granted"
    TIME_WITHDRAWN = "time withdrawn"
    TURN_SHORTENED = "turn shortened"
    SEAT_KEPT = "seat kept"
    SEAT_RETURNED = "seat returned"
    TURNS_WAIT = "turns wait"
    SEAT_TAKEN_OVER = "seat taken over"
    PAUSED_BY_OPERATOR = "paused by operator"
    RESUMED_BY_OPERATOR = "resumed by operator"
    TIME_BY_OPERATOR = "time by operator"
    REPLACED_BY_OPERATOR = "replaced by operator"
    SEAT_PASSED_OVER = "seat passed over"
    SET_BACK = "set back"


class OperatorMatter(StrEnum):
    """Topics of letters to the operator; the stored values begin the subject lines."""

    RELAY_AWAY = "The relay takes no letters"
    LETTERS_REFUSED = "Letters are refused"
    LETTERS_WAIT = "Letters wait for tomorrow"
    """More unsolicited letters are due than the daily limit permits."""
    DESK_LINK = "A link to the desk"
    TO_POSTMASTER = "Mail to postmaster@"
    TO_ABUSE = "Mail to abuse@"


FORWARDED = (OperatorMatter.TO_POSTMASTER, OperatorMatter.TO_ABUSE)


class MomentName(StrEnum):
    """Names of the times that the server stores."""

    HEARTBEAT = "heartbeat"
    RELAY_AWAY = "relay-away"
    MAILBOX_AWAY = "mailbox-away"
    MAILBOX_READ = "mailbox-read"
    """All mail that was in the mailbox at this time has been fetched."""
    OUTAGE = "outage"
    """Start of overlapping outages; stored if an outage ends while another lasts, until all have ended."""
    GIVEN_BACK = "given-back"
    """End of the last outage for which turns got more time; earlier outages do not extend turns again."""
    BACKED_UP = "backed-up"
    SET_BACK = "set-back"
    """Time of the last restore of a backup. Message-IDs contain it, since letter ids are used again."""
    PROBED = "probed"
    # `AT_`: last reports that some process performs a `Role` without a fault
    AT_PAGES = "at-pages"
    AT_MAIL = "at-mail"
    AT_LETTERS = "at-letters"
    AT_CLOCK = "at-clock"
    AT_HOUSE = "at-house"


class Role(StrEnum):
    """A kind of work of the server; the value is its name on the command line.

    By default a process has all roles. With PostgreSQL any number of processes may share the roles.
    """

    PAGES = "pages"
    MAIL = "mail"
    LETTERS = "letters"
    """Renders letters with their pictures, and sends them."""
    CLOCK = "clock"
    """Enforces deadlines, plays turns that players planned in advance, and does scheduled chores."""
    HOUSE = "house"
    """Plays the turns of bots (players of the house), and reviews finished games."""


Roles = frozenset[Role]
EVERY_ROLE: Roles = frozenset(Role)


def read_roles(text: str) -> Roles:
    """Parse roles separated by commas. Raises `ValueError`."""
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in EVERY_ROLE:
            raise ValueError(f"“{word}” is not a role; the roles are {', '.join(Role)}")
    return frozenset(map(Role, words))
