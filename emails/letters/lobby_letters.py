"""The letters about a game that gathers its players: somebody will not play, or it is all called off."""

from __future__ import annotations

from emails.letters.contexts import Absent, Invitation
from emails.letters.renderer import Letter, printed
from emails.links import Ticket
from emails.wording import phrases


def called_off(made: Invitation) -> Letter:
    """The game of the reader will never begin: nothing in it leads there, and the page opens another one."""
    page, address = made.post.another_game()
    facts: dict[str, object] = {
        "reader": phrases.shown(made.players[made.seat]),
        "page": page,
        "address": address,
    }
    return printed("called_off", made.name, facts)


def declined(made: Invitation, absent: Absent) -> Letter:
    """A seat of the game that the reader has opened is nobody's again, and he can do something about it."""
    ticket = Ticket(made.game, made.seat, made.after, "accept")
    facts: dict[str, object] = {
        "reader": phrases.shown(made.players[made.seat]),
        "guest": phrases.shown(absent.name),
        "how": absent.how,
        "joined": absent.joined,
        "page": made.post.link(ticket),
        "settings": made.post.settings(ticket),
    }
    return printed("declined", made.name, facts)
