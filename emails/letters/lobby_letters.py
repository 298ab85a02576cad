"""The letters about a game that gathers its players: somebody will not play, or it is all called off."""

from __future__ import annotations

from emails.letters.contexts import InvitationContext, VacatedSeat
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import Letter, render_letter
from emails.tokens import Ticket
from emails.wording import phrases


def render_called_off(made: InvitationContext) -> Letter:
    """The game of the reader will never begin: nothing in it leads there, and the page opens another one."""
    page, address = made.links.new_game_links()
    words = {"reader": phrases.safe_name(made.players[made.seat]), "address": address}
    return render_letter(
        LetterKind.CALLED_OFF, made.name, LetterParts(page=page, unwanted=made.links.unwanted), words
    )


def render_declined(made: InvitationContext, absent: VacatedSeat) -> Letter:
    """A seat of the reader's game is free again; as its organiser they can fill it or call the game off."""
    ticket = Ticket(made.game, made.seat, made.after, "accept")
    parts = LetterParts(
        page=made.links.ticket_link(ticket),
        settings=made.links.settings_link(ticket),
        unwanted=made.links.unwanted,
    )
    words = {
        "reader": phrases.safe_name(made.players[made.seat]),
        "guest": phrases.safe_name(absent.name),
        "how": absent.how,
        "joined": absent.joined,
    }
    return render_letter(LetterKind.DECLINED, made.name, parts, words)
