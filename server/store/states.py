"""The states and kinds that are stored: each value is the text in its column."""

from __future__ import annotations

from enum import StrEnum


class GameStatus(StrEnum):
    """How far a game is."""

    PROPOSED = "proposed"
    """Asked for by a mail that nobody has confirmed: it has no acts, and only its organiser is seated."""
    OPEN = "open"
    """Waiting until every seat is taken and everybody has accepted."""
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"
    """Called off before it began."""

    @property
    def has_begun(self) -> bool:
        """Whether cards have been dealt: there is a position."""
        return self in (GameStatus.RUNNING, GameStatus.OVER)


class MailState(StrEnum):
    """What has become of a mail that came in."""

    WAITING = "waiting"
    """Nobody has read it yet."""
    PLAYED = "played"
    """What it says is done."""
    ASKED = "asked"
    """Its player has been asked whether they mean it."""
    REFUSED = "refused"
    """Its writer has been told why nothing is done."""
    IGNORED = "ignored"
    """Nothing is done, and nobody is told."""


class Channel(StrEnum):
    """The way by which an act came in; the digest of the log covers it, so that no value may change."""

    LINK = "link"
    """The button behind a link in a letter."""
    REPLY = "reply"
    """An answer by mail."""
    WEB = "web"
    """The pages."""
    API = "api"
    """A program that acts for a player."""
    HOUSE = "house"
    """A seat that the server plays."""
    PLAN = "plan"
    """What a player had planned before their turn came."""
    CARETAKER = "caretaker"
    """A seat whose player has resigned."""
    CLOCK = "clock"
    """A turn whose time has passed, and a seat that was held for too long."""
    OPERATOR = "operator"
    """The command line."""
    SERVER = "server"
    """The server itself: a game that begins, a clock that stops or goes on."""


PERSONAL_CHANNELS = frozenset({Channel.LINK, Channel.REPLY, Channel.WEB, Channel.API})
"""Those by which the player of a seat acts."""


class LetterState(StrEnum):
    """What has become of a letter in the outbox."""

    WAITING = "waiting"
    """To be sent, at once or later."""
    SENT = "sent"
    DROPPED = "dropped"
    """Not sent: its occasion had passed, or another letter told it."""
    FAILED = "failed"
    """It could not be written or delivered, or it came back."""
    WITHHELD = "withheld"
    """Not sent, for its reader wants no letters; an invitation waits until they want them again."""


class Hindrance(StrEnum):
    """What hindered a letter or a mail, where something follows from it; beside it stand the words."""

    NONE = ""
    RELAY = "relay"
    """The relay was away or at fault: a letter that waits may leave as soon as the relay takes others."""
    PERHAPS_TAKEN = "doubt"
    """The relay may have the letter: it is sent again when its time comes, or an absence has ended."""
    CAME_BACK = "returned"
    """A mail reports that the letter came back; else the relay itself has refused one that failed."""
    OUR_FAULT = "ours"
    """A mail reports that the letter came back, for a fault that is not its recipient's."""
    SET_ASIDE = "aside"
    """It could not be worked at: the server's own messages say why."""
    BARRED = "barred"
    """A letter that nobody asked for may not go to its reader; who has caused it hears no more."""


class ConfirmationPurpose(StrEnum):
    """What follows when an address says yes."""

    ADDRESS = "address"
    """The letters of its player go there."""
    WAY_BACK = "back"
    """They go there again, as they did before."""
    MOVE = "move"
    """Asked of the address in use: another may be asked whether it is this player's."""


class BlockKind(StrEnum):
    """What a block is about."""

    ADDRESS = "address"
    DOMAIN = "domain"
    """And all below it."""
    NETWORK = "network"


class BlockOrigin(StrEnum):
    """Who wants it, and so how far it goes."""

    READER = "reader"
    """The reader of a letter that was not wanted: nothing is sent to them that they do not ask for."""
    OPERATOR = "operator"
    """Nothing is sent there at all, and nothing that comes from there is heard."""


class Announcement(StrEnum):
    """What the server says to the players of a game among their messages."""

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
    """What a mail to the operator is about.

    The texts are stored as earlier programs wrote them, and never change; its subject is what
    server/delivery/sending.py says of it.
    """

    RELAY_AWAY = "The relay takes no letters"
    LETTERS_REFUSED = "Letters are refused"
    LETTERS_WAIT = "Letters wait for tomorrow"
    """More are due than the server sends in a day to people who did not ask."""
    DESK_LINK = "A link to the desk"
    TO_POSTMASTER = "Mail to postmaster@"
    """It was written to that office of ours, and is passed on."""
    TO_ABUSE = "Mail to abuse@"

    @property
    def is_passed_on(self) -> bool:
        """Whether somebody else has written it."""
        return self in FORWARDED


FORWARDED = (OperatorMatter.TO_POSTMASTER, OperatorMatter.TO_ABUSE)
"""The mails to the operator that somebody else has written."""


class MomentName(StrEnum):
    """What the server remembers of itself beyond a stop."""

    HEARTBEAT = "heartbeat"
    """It was last at work."""
    RELAY_AWAY = "relay-away"
    """The relay takes no letters since then."""
    MAILBOX_AWAY = "mailbox-away"
    """The mailbox from which mail is fetched cannot be read since then."""
    MAILBOX_READ = "mailbox-read"
    """When the last look into it began after which all that lay there was stored."""
    OUTAGE = "outage"
    """An outage began of which a part has ended and another lasts: all of it is given back at its end."""
    GIVEN_BACK = "given-back"
    """When time was last given back: nothing that was lost before is owed any more."""
    BACKED_UP = "backed-up"
    """This copy of the database was made."""
    SET_BACK = "set-back"
    """It last came back to what it was earlier; no letter of since then has the Message-ID of a lost one."""
    PROBED = "probed"
    """It was last tried whether anything can be written."""
    AT_PAGES = "at-pages"
    AT_MAIL = "at-mail"
    AT_LETTERS = "at-letters"
    AT_CLOCK = "at-clock"
    AT_HOUSE = "at-house"
    """A process that has this role was last well at work."""
