"""What the server stores about people: the rules for how long, and the declarations of tables and columns.

The privacy page, the deletion of expired rows, the export and the erasure of a person are made from these
declarations (server/personal_data.py, server/retention.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Any, Literal

from emails.i18n import gettext_noop

STAYS = object()
"""Marks a column whose value stays when its row is emptied."""


@dataclass(frozen=True, eq=False)
class Retention:
    """One kind of personal data with its reason and storage period, as shown on the privacy page."""

    what: str
    why: str
    until: str
    """The storage period as a sentence, with `%(days)s` for the number of days."""
    days: int = 0
    """Storage period; 0: the data is stored until its player deletes it, or as long as the game."""

    @property
    def period(self) -> timedelta:
        return timedelta(days=self.days)


def keep(
    *rules: Kept, since: str = "", erased_with: Literal["player", "seat", ""] = "", export: str = ""
) -> dict[str, Any]:
    """Return the arguments of a table that declare its rules.

    `since`: column with the time from which the storage periods count. `erased_with`: whose erasure deletes
    the rows. `export`: section of the export.
    """
    return {"info": {"rules": rules, "since": since, "erased_with": erased_with, "export": export}}


def personal(export: str = "", *, emptied: object = STAYS, **column: Any) -> dict[str, Any]:
    """Return the arguments of a column that declare its personal data.

    `export`: name in the export. `emptied`: value that replaces it in the last row of a table, which is not
    deleted, so that its number is not reused. `column`: further arguments of the column.
    """
    return {"info": {"export": export, "emptied": emptied}, **column}


class Kept(Retention, Enum):
    """All rules, in the order of the privacy page."""

    NAMES = (
        gettext_noop("Your name and your mail address"),
        gettext_noop("so that mails reach you, and the others know who they play with"),
        gettext_noop("until you ask to be forgotten"),
    )
    STRANGERS = (
        gettext_noop("The same where only others gave it: you never said yes to anything, and have no seat"),
        gettext_noop(
            "so that a late answer of yours is understood; longer where you stopped our mails, so that "
            "they stay stopped"
        ),
        gettext_noop("%(days)s days after the last mail to you"),
        30,
    )
    GAMES = (
        gettext_noop(
            "Your games: who sat where, each move, when it was made, and what the judge thought of it later"
        ),
        gettext_noop("they are the games of the others too, and can be looked at step by step"),
        gettext_noop("for good; without your name once you are forgotten"),
    )
    DRAFTS = (
        gettext_noop("What you have begun of a turn on its page and not played yet"),
        gettext_noop("so that you can go on with it in any browser"),
        gettext_noop("until the turn is played or you start over, %(days)s days at most"),
        30,
    )
    PLANS = (
        gettext_noop("What you plan for your next turn"),
        gettext_noop("so that it is played when that turn comes"),
        gettext_noop("until that turn is played or you withdraw it, %(days)s days at most"),
        365,
    )
    MESSAGES = (
        gettext_noop("What you write to other players"),
        gettext_noop("so that they can read it, on the page of the game too"),
        gettext_noop("as long as the game, or until you are forgotten"),
    )
    SETTINGS = (
        gettext_noop("Your settings: language, time zone, which mails you want"),
        gettext_noop("so that mails come as you like them"),
        gettext_noop("until you ask to be forgotten"),
    )
    REST = (
        gettext_noop("When you sleep, and on which weekdays you have off"),
        gettext_noop("so that no time runs on your turns then"),
        gettext_noop("until you change it or ask to be forgotten"),
    )
    VACATIONS = (
        gettext_noop("When you are away, and when you were back"),
        gettext_noop("so that no time runs on your turns then, and the days of a year can be counted"),
        gettext_noop("%(days)s days after the last of them"),
        400,
    )
    MAILS = (
        gettext_noop("Mails that you sent us, encrypted, and the network they came from"),
        gettext_noop("so that none is read twice, and a fault can be found"),
        gettext_noop("%(days)s days after they came in"),
        30,
    )
    IGNORED_MAILS = (
        gettext_noop("Mails with which nothing was done, encrypted"),
        gettext_noop("so that a fault can be found"),
        gettext_noop("%(days)s days after they came in"),
        7,
    )
    LETTERS = (
        gettext_noop(
            "Mails to you: when they went and what our mail server said then, what they are about, and their "
            "words"
        ),
        gettext_noop("so that your answer can be told from what it quotes, and no mail comes twice"),
        gettext_noop(
            "%(days)s days; their words until a day after your answer. That somebody was invited to a game "
            "that has not begun is known until it begins"
        ),
        30,
    )
    LOCAL_MAILS = (
        gettext_noop("Mails in the mailbox of this server, where it sends none, encrypted"),
        gettext_noop("so that they can be read there"),
        gettext_noop("%(days)s days"),
        30,
    )
    PROPOSALS = (
        gettext_noop("A game that somebody asked for and has not confirmed, with the addresses they named"),
        gettext_noop("so that they can confirm it"),
        gettext_noop("%(days)s days after the mail about it has left"),
        7,
    )
    OPENED_PROPOSALS = (
        gettext_noop("The same of a game that was confirmed"),
        gettext_noop("so that its link and a second yes are answered"),
        gettext_noop("%(days)s days after it was opened"),
        30,
    )
    OLD_LINKS = (
        gettext_noop("The links in mails of a game that is over"),
        gettext_noop("so that its end can be looked at"),
        gettext_noop("%(days)s days after its end; then only those who sign in can look at it"),
        30,
    )
    BROWSERS = (
        gettext_noop("Which browsers you are signed in with, in a few words, and when they were here last"),
        gettext_noop("so that you stay signed in, and can sign out from another one"),
        gettext_noop("%(days)s days after the last visit"),
        90,
    )
    KEYS = (
        gettext_noop("The names of your keys for programs, and when they were used last"),
        gettext_noop("so that your programs can play, and you can end them"),
        gettext_noop("until you end them, or %(days)s days after they were used last"),
        365,
    )
    SIGN_IN_LINKS = (
        gettext_noop("That a link to sign in was asked for"),
        gettext_noop("so that it works once"),
        gettext_noop("until it is used, %(days)s day at most"),
        1,
    )
    ADDRESSES = (
        gettext_noop("An address that you named and that has not said yes, or that you used before"),
        gettext_noop("so that it can say yes, or take you back"),
        gettext_noop("%(days)s days"),
        30,
    )
    BOUNCES = (
        gettext_noop("That mail to you came back, and what the mail server said"),
        gettext_noop("so that nobody waits for you in vain"),
        gettext_noop("%(days)s days after mail has reached you again"),
        30,
    )
    UNSOLICITED = (
        gettext_noop("That somebody was sent a mail they had not asked for, by which player or network"),
        gettext_noop(
            "so that nobody gets many; of the address a digest is kept, which tells it to nobody who "
            "does not know it"
        ),
        gettext_noop("%(days)s days after it left, if it is to leave"),
        31,
    )
    VISITS = (
        gettext_noop(
            "From which network somebody asked for a game, a seat or a link to sign in, and which player"
            " took steps on the board, asked for advice or used a program"
        ),
        gettext_noop("so that nobody does it too often"),
        gettext_noop("%(days)s days"),
        2,
    )
    BLOCKS = (
        gettext_noop("That somebody wants no mails any more, as a digest of their address"),
        gettext_noop("so that they get none"),
        gettext_noop("for good, or until they want mails again"),
    )
    WITHDRAWALS = (
        gettext_noop(
            "That you were forgotten, stopped mails or left an address, encrypted, as a digest of the address"
        ),
        gettext_noop("so that a backup that comes back does not undo it"),
        gettext_noop("%(days)s days: as long as a backup may be needed"),
        400,
    )
    OPERATOR_MAILS = (
        gettext_noop("Mails to the operator of this server, encrypted"),
        gettext_noop("so that they arrive"),
        gettext_noop("%(days)s days"),
        30,
    )


WHAT_GOES = (
    gettext_noop(
        "your name, your addresses, your settings, the browsers you are signed in with and your keys"
    ),
    gettext_noop("what you wrote to other players, the mails you sent us, and our mails to you"),
    gettext_noop(
        "your seats: a caretaker plays on for you, and in games that wait others can have your seat"
    ),
)
WHAT_STAYS = (
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
