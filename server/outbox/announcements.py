"""Announcements of the server in the chat of a game, and which of them cancel each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from emails.i18n import gettext_noop
from server.store.states import Announcement

ANNOUNCEMENTS: Mapping[Announcement, str] = {
    Announcement.LETTERS_STOPPED: gettext_noop(
        "%(name)s gets no more mails of this game. When the time for a turn of that seat is over, "
        "the server plays that turn for it."
    ),
    Announcement.LETTERS_RESUMED: gettext_noop("%(name)s gets mails of this game again."),
    Announcement.MAIL_BOUNCED: gettext_noop(
        "Mail to %(name)s comes back. The clock of that seat stands still, for 14 days at most. %(name)s can "
        "still play on the page of the game, and name another address there."
    ),
    Announcement.BOUNCE_REPORTED: gettext_noop(
        "A mail says that mail to %(name)s comes back. The clock of that seat stands still, for a day at "
        "most, or for 14 days if our own mail server refuses that address too. %(name)s can still play on "
        "the page of the game, and name another address there."
    ),
    Announcement.MAIL_BOUNCED_UNTIMED: gettext_noop(
        "Mail to %(name)s comes back. %(name)s can still play on the page of the game, and name another "
        "address there."
    ),
    Announcement.MAIL_ARRIVES: gettext_noop(
        "Mail reaches %(name)s again, and the clock of that seat goes on."
    ),
    Announcement.MAIL_ARRIVES_UNTIMED: gettext_noop("Mail reaches %(name)s again."),
    Announcement.CLOCK_PAUSE_ENDED: gettext_noop(
        "Mail to %(name)s has come back for 14 days, so the clock of that seat goes on. When the time for a "
        "turn of that seat is over, the server plays that turn for it."
    ),
    Announcement.REPORTED_PAUSE_ENDED: gettext_noop(
        "The clock of %(name)s has stood still for a day because mail comes back, so it goes on. When the "
        "time for a turn of that seat is over, the server plays that turn for it."
    ),
    Announcement.RESIGNED: gettext_noop("%(name)s has resigned, and a caretaker plays on for that seat."),
    Announcement.TIME_ADDED: gettext_noop("%(name)s has got more time for this turn."),
    Announcement.GAME_RESUMED: gettext_noop("The game is resumed, and time runs again."),
    Announcement.PAUSED_UNTIL: gettext_noop(
        "The game is paused: no time runs on any turn until %(moment)s, when it goes on by itself. "
        "Turns can be played all the same."
    ),
    Announcement.TURN_GOES_ON: gettext_noop(
        "The game goes on, and it is your turn: you have until %(moment)s."
    ),
    Announcement.SEAT_KEPT: gettext_noop(
        "%(name)s has not played in time, so a caretaker plays for that seat until %(name)s is back."
    ),
    Announcement.SEAT_RETURNED: gettext_noop("%(name)s is back and plays again."),
    Announcement.TURNS_WAIT: gettext_noop(
        "%(name)s has written: no caretaker plays for that seat any more, and its turns wait for %(name)s."
    ),
    Announcement.SEAT_TAKEN_OVER: gettext_noop(
        "Somebody plays on for %(name)s, with the same cards and the same guards."
    ),
    Announcement.PAUSED_BY_OPERATOR: gettext_noop(
        "The operator of this server has paused the game: no time runs on any turn until it is resumed. "
        "Turns can be played all the same."
    ),
    Announcement.RESUMED_BY_OPERATOR: gettext_noop(
        "The operator of this server has resumed the game, and time runs again."
    ),
    Announcement.TIME_BY_OPERATOR: gettext_noop(
        "The operator of this server has given %(name)s more time for this turn."
    ),
    Announcement.REPLACED_BY_OPERATOR: gettext_noop(
        "The operator of this server has let somebody play on for %(name)s, with the same cards and the same "
        "guards."
    ),
    Announcement.SEAT_PASSED_OVER: gettext_noop(
        "The game goes on without %(name)s: the turns of that seat are skipped, and its guards stay, until "
        "%(name)s is back or somebody else plays there."
    ),
    Announcement.SET_BACK: gettext_noop(
        "The server lost its last hours. The game stands again where it stood on %(name)s (UTC): what you "
        "did after that did not count, so please do it again."
    ),
    Announcement.VOTE_DECLINED: gettext_noop("%(name)s does not agree to what was asked of all."),
    Announcement.VOTE_REFUSED: gettext_noop(
        "%(name)s does not agree to what you asked of all, so it is not done."
    ),
    Announcement.MORE_TIME_REFUSED: gettext_noop(
        "Nobody gives your turn more time: it ends as it would have."
    ),
    Announcement.TIME_GRANTED: gettext_noop("Your turn has got more time: until %(moment)s."),
    Announcement.TIME_WITHDRAWN: gettext_noop(
        "The 24 hours more of %(name)s are taken back, for another player does not agree."
    ),
    Announcement.TURN_SHORTENED: gettext_noop(
        "Another player does not agree to 24 hours more for your turn: you have until %(moment)s."
    ),
}
"""Text of each announcement. The database stores only the enum value: each reader gets a translation."""
OF_MOMENTS = frozenset(
    {
        Announcement.PAUSED_UNTIL,
        Announcement.TIME_GRANTED,
        Announcement.TURN_SHORTENED,
        Announcement.TURN_GOES_ON,
    }
)
"""Announcements that contain a time instead of a name."""
PRESSING = frozenset(
    {
        Announcement.SET_BACK,
        Announcement.VOTE_REFUSED,
        Announcement.MORE_TIME_REFUSED,
        Announcement.TIME_GRANTED,
        Announcement.TURN_SHORTENED,
        Announcement.PAUSED_UNTIL,
        Announcement.PAUSED_BY_OPERATOR,
        Announcement.TURN_GOES_ON,
    }
)
"""Announcements sent in a letter of their own, even to readers who want no letters about messages."""
OF_PRESENCE = frozenset(
    {Announcement.SEAT_KEPT, Announcement.RESIGNED, Announcement.SEAT_RETURNED, Announcement.TURNS_WAIT}
)
OPPOSITES: Mapping[Announcement, Sequence[Announcement]] = {
    Announcement.LETTERS_STOPPED: (Announcement.LETTERS_RESUMED,),
    Announcement.LETTERS_RESUMED: (Announcement.LETTERS_STOPPED,),
    Announcement.MAIL_BOUNCED: (Announcement.MAIL_ARRIVES,),
    Announcement.BOUNCE_REPORTED: (Announcement.MAIL_ARRIVES,),
    Announcement.MAIL_ARRIVES: (Announcement.MAIL_BOUNCED, Announcement.BOUNCE_REPORTED),
    Announcement.MAIL_BOUNCED_UNTIMED: (Announcement.MAIL_ARRIVES_UNTIMED,),
    Announcement.SEAT_KEPT: (Announcement.SEAT_RETURNED, Announcement.TURNS_WAIT),
    Announcement.RESIGNED: (Announcement.SEAT_RETURNED, Announcement.TURNS_WAIT),
    Announcement.SEAT_RETURNED: (Announcement.SEAT_KEPT, Announcement.RESIGNED),
    Announcement.TURNS_WAIT: (Announcement.SEAT_KEPT, Announcement.RESIGNED),
    Announcement.MAIL_ARRIVES_UNTIMED: (Announcement.MAIL_BOUNCED_UNTIMED,),
}
"""For each announcement, the earlier ones that it cancels for readers who have not received them."""
