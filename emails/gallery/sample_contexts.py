"""What the letters are made from that show no game: invitations, proposals, questions, notices."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from emails.gallery.sample_game import EDITION, GAME, HOURS, NAME, NOW, SAMPLE_LINKS
from emails.i18n import current_locale
from emails.letters.contexts import (
    AccountEvent,
    AddressChangeContext,
    AskedBackContext,
    ConfirmationContext,
    InvitationContext,
    MoveContext,
    NoticeContext,
    SeatClaimContext,
    SignInContext,
)
from emails.letters.lobby_letters import GameRequest, Guest, ProposalContext
from emails.terms import TurnTime
from emails.tokens import Ticket
from emails.wording.requests import RequestKind

LOCAL_PARTS = ("anna", "ben", "cleo")
MARK = "a" * 32
"""From which the code of a letter to an address follows."""
UNWANTED = SAMPLE_LINKS.unwanted_link("a1" * 16)
"""What letters show to somebody who has confirmed nothing."""


def sample_invitation(
    names: tuple[str, ...] = ("Anna", "Ben", "Cleo"), name: str = NAME
) -> InvitationContext:
    """An invitation to the game."""
    return InvitationContext(
        GAME,
        name,
        names,
        0,
        EDITION,
        TurnTime.of_hours(HOURS, 96, 24),
        SAMPLE_LINKS,
        asker=names[-1],
        house=len(names) - 2,
    )


def sample_proposal(
    names: tuple[str, ...] = ("Anna", "Ben", "Cleo"), unread: tuple[str, ...] = (), name: str = NAME
) -> ProposalContext:
    """The game as its organiser asked for it."""
    people = zip(names, LOCAL_PARTS, strict=False)
    organiser, *guests = (Guest(one, f"{place}@example.org") for one, place in people)
    asked = GameRequest(organiser, tuple(guests), houses=("easy",) if guests else (), edition=EDITION.name)
    asked = replace(asked, language=current_locale().language, unread=unread)
    stop = SAMPLE_LINKS.unsubscribe_links(GAME, 0)[0]
    return ProposalContext(asked, name, "", *SAMPLE_LINKS.proposal_links(GAME), stop, UNWANTED)


def sample_confirmation(
    name: str = "Anna",
    address: str = "anna@new.example.org",
    due_at: datetime | None = None,
) -> ConfirmationContext:
    """A question about a new address."""
    return ConfirmationContext(name, address, *SAMPLE_LINKS.confirm_links(MARK), due_at, UNWANTED)


def sample_move(
    name: str = "Anna", address: str = "anna@new.example.org", due_at: datetime | None = None
) -> MoveContext:
    """What the address in use is asked before its player moves."""
    return MoveContext(name, address, *SAMPLE_LINKS.confirm_links(MARK), due_at, NOW, "Firefox")


def sample_notice(event: AccountEvent, name: str = "Anna", about: str = "") -> NoticeContext:
    """What a player is told that was done in their name."""
    return NoticeContext(name, event, NOW, "Firefox", about, SAMPLE_LINKS.sessions_link())


def sample_question(
    name: str = "Anna",
    lines: tuple[str, ...] = ("choose lyre; march Larissa", "say: well played"),
    request: RequestKind | None = None,
    unproven: bool = True,
    doubt: str = "",
) -> AskedBackContext:
    """What a player is asked of a mail in their name."""
    ticket = Ticket(GAME, 0, 1)
    page = "" if request else SAMPLE_LINKS.look_link(replace(ticket, words="choose lyre; march Larissa"))
    reply, settings = SAMPLE_LINKS.reply_address(ticket, 1), SAMPLE_LINKS.settings_link(ticket)
    return AskedBackContext(NAME, name, lines, request, unproven, page, reply, settings, doubt)


def sample_address_change(name: str = "Anna", address: str = "anna@new.example.org") -> AddressChangeContext:
    """What the address before it is told."""
    return AddressChangeContext(name, address, *SAMPLE_LINKS.confirm_links(MARK))


def sample_sign_in(name: str = "Anna") -> SignInContext:
    """What somebody is mailed who wants to sign in."""
    return SignInContext(name, SAMPLE_LINKS.sign_in_link("a mark"))


def sample_seat_claim(name: str = "Anna") -> SeatClaimContext:
    """What somebody is mailed who wants to play on for somebody in a game."""
    reply = SAMPLE_LINKS.claim_address(GAME, 1)
    return SeatClaimContext(name, SAMPLE_LINKS.sign_in_link("a mark"), NAME, reply)
