"""The letters about a game that gathers its players: somebody will not play, or it is all called off."""

from __future__ import annotations

from emails.letters.contexts import InvitationContext, VacatedSeat
from emails.letters.renderer import Letter, render_letter
from emails.links import Ticket
from emails.wording import phrases


def render_called_off(made: InvitationContext) -> Letter:
    """The game of the reader will never begin: nothing in it leads there, and the page opens another one."""
    page, address = made.post.new_game_links()
    facts: dict[str, object] = {
        "reader": phrases.safe_name(made.players[made.seat]),
        "page": page,
        "address": address,
    }
    return render_letter("called_off", made.name, facts)


def render_declined(made: InvitationContext, absent: VacatedSeat) -> Letter:
    """A seat of the reader's game is free again; as its organiser they can fill it or call the game off."""
    ticket = Ticket(made.game, made.seat, made.after, "accept")
    facts: dict[str, object] = {
        "reader": phrases.safe_name(made.players[made.seat]),
        "guest": phrases.safe_name(absent.name),
        "how": absent.how,
        "joined": absent.joined,
        "page": made.post.ticket_link(ticket),
        "settings": made.post.settings_link(ticket),
    }
    return render_letter("declined", made.name, facts)
