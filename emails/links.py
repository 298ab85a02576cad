"""The links and reply addresses of letters, each with a sealed token (tokens.py)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

import idna

from emails.keys import KeyRing, Purpose
from emails.tokens import (
    Ticket,
    confirmation_code,
    seal_bounce,
    seal_game,
    seal_reply,
    seal_ticket,
    seal_unsubscribe,
    seal_unwanted,
    sign_in_code,
)

INBOX_ADDRESS = re.compile(r"(?:(?:play|stop|confirm|bounce)\+|(?:new|nieuw)(?:\+|@))", re.IGNORECASE)
"""How the addresses begin at which the house takes mail; all others of its domain may be people's."""

OFFICE_ADDRESS = re.compile(r"(?:postmaster|abuse)@", re.IGNORECASE)
"""How those begin that every domain must have (RFC 2142); the operator gets what is written there."""

TOKEN = re.compile(
    r"(/(?:[cjnstux]|new)/|\b(?:play|stop|confirm|bounce|new|nieuw)(?:\+|%2b))[a-z2-7]{12,}", re.IGNORECASE
)
"""A token, and what stands before it in a link or an address; less than so much of one opens nothing."""
MASK = "..."
"""In the signs of which all words are read: an ellipsis would become three dots in an answer alone."""


def mask_tokens(text: str) -> str:
    """The text with a sign in the place of each token; what was masked before stays as it is."""
    return TOKEN.sub(rf"\1{MASK}", text)


@lru_cache(maxsize=1000)
def normalise_domain(domain: str) -> str:
    """A domain in the letters of the net (RFC 5891), in lower case and without a dot at its end."""
    domain = domain.strip().rstrip(".").lower()
    try:
        return idna.encode(domain, uts46=True).decode()
    except idna.IDNAError:
        return domain


def is_inbox_address(address: str, domain: str) -> bool:
    """Whether the house takes mail at an address; `domain` is its own."""
    return INBOX_ADDRESS.match(address) is not None and address.lower().endswith("@" + domain.lower())


def is_office_address(address: str, domain: str) -> bool:
    """Whether an address is that of an office of the domain."""
    return OFFICE_ADDRESS.match(address) is not None and address.lower().endswith("@" + domain.lower())


@dataclass(frozen=True, slots=True)
class LinkBuilder:
    """Where our pages and our mailbox are, the keys that seal, and the epoch of the seat for which it is."""

    base_url: str
    """Such as https://play.example.org, without a slash at its end."""
    domain: str
    """What follows the @ of our addresses."""
    keys: KeyRing
    epoch: int = 0
    """Of the reader's seat: each ticket of a letter is its reader's."""
    eras: tuple[tuple[int, bytes], ...] = ()
    """The eras of the acts that its tickets may name."""
    unwanted: str = ""
    """The page that ends such letters, where their reader has confirmed nothing; empty for anybody else."""

    def complete(self, ticket: Ticket) -> Ticket:
        """The ticket with the epoch of its reader's seat, and the era of its act."""
        era = ticket.era or next((era for number, era in self.eras if number == ticket.after), b"")
        return replace(ticket, epoch=self.epoch, era=era)

    def ticket_link(self, ticket: Ticket) -> str:
        """The page on which this ticket's words can be looked at and then done."""
        return f"{self.base_url}/t/{seal_ticket(self.complete(ticket), self.keys)}"

    def look_link(self, ticket: Ticket) -> str:
        """The same page, where nothing is done before its button is pressed, whatever is chosen there."""
        return f"{self.ticket_link(ticket)}?look=1"

    def reply_address(self, ticket: Ticket, letter: int = 0) -> str:
        """The address to which the reader of a letter, by its number in the outbox, answers.

        The part before the @ has at most 61 characters; 64 are allowed (RFC 5321, section 4.5.3.1.1).
        """
        return f"play+{seal_reply(self.complete(ticket), letter, self.keys)}@{self.domain}"

    def bounce_address(self, letter: int) -> str:
        """The address to which a letter comes back that cannot be delivered, by its number in the outbox.

        The part before the @ has at most 31 characters; 64 are allowed.
        """
        return f"bounce+{seal_bounce(letter, self.keys)}@{self.domain}"

    def settings_link(self, ticket: Ticket) -> str:
        """The page on which a player says which letters they want."""
        return f"{self.ticket_link(replace(ticket, words=''))}/settings"

    def plan_link(self, ticket: Ticket) -> str:
        """The page on which a player plans their next turn."""
        return f"{self.ticket_link(replace(ticket, words=''))}/plan"

    def agreements_link(self, ticket: Ticket) -> str:
        """The page on which those who play ask each other for something, and agree."""
        return f"{self.ticket_link(replace(ticket, words=''))}/agreements"

    def away_link(self, ticket: Ticket) -> str:
        """The page on which a player says when they are away."""
        return f"{self.ticket_link(replace(ticket, words=''))}/away"

    def unsubscribe_links(self, game: str, seat: int) -> tuple[str, str]:
        """The page that stops the letters of a game, and the mail that does.

        Each is short enough for a header that nobody folds: 70 characters, if `base_url` has 40 at most.
        """
        token = seal_unsubscribe(game, seat, self.keys)
        return f"{self.base_url}/u/{token}", f"mailto:stop+{token}@{self.domain}"

    def unwanted_link(self, digest: str) -> str:
        """The page that ends letters which the reader of an address has not asked for, by its digest."""
        return f"{self.base_url}/x/{seal_unwanted(digest, self.keys)}"

    def confirm_links(self, mark: str, digest: str = "") -> tuple[str, str]:
        """The page that confirms an address, and the address to which an answer confirms it.

        What `mark` and `digest` stand for, only server/accounts/address_change.py knows.
        """
        code = confirmation_code(mark, self.keys, digest)
        return f"{self.base_url}/c/{code}", f"confirm+{code}@{self.domain}"

    def sign_in_link(self, mark: str, digest: str = "") -> str:
        """The page that signs a player in.

        What `mark` and `digest` stand for, only server/accounts/sign_in.py knows.
        """
        return f"{self.base_url}/s/{sign_in_code(mark, self.keys, digest)}"

    def sessions_link(self) -> str:
        """The page of the browsers and keys of whoever is signed in; it asks others to sign in."""
        return f"{self.base_url}/me/browsers"

    def join_link(self, game: str) -> str:
        """The page on which an open seat of a game can be taken."""
        return f"{self.base_url}/j/{seal_game(Purpose.JOIN, game, self.keys)}"

    def join_address(self, game: str) -> str:
        """The address at which a free seat of a game is asked for by mail."""
        return f"new+{seal_game(Purpose.JOIN, game, self.keys)}@{self.domain}"

    def claim_address(self, game: str, player: int) -> str:
        """The address to which a player who has asked for an offered seat answers that they take it."""
        return f"new+{seal_game(Purpose.CLAIM, game, self.keys, player)}@{self.domain}"

    def games_link(self) -> str:
        """The list of games that look for players."""
        return f"{self.base_url}/games"

    def organiser_link(self, game: str, epoch: int) -> str:
        """The page of a game for whoever has opened it; `epoch`: of their seat, 0 where they do not play."""
        return f"{self.base_url}/new/{seal_game(Purpose.ORGANISER, game, self.keys, epoch)}"

    def rules_link(self) -> str:
        """The page with the rules of the game."""
        return f"{self.base_url}/rules"

    def new_game_links(self) -> tuple[str, str]:
        """The page on which anybody opens a game, and the address at which one is asked for by mail."""
        return f"{self.base_url}/new", f"new@{self.domain}"

    def proposal_links(self, game: str) -> tuple[str, str]:
        """The page that confirms a proposed game, and the address to which an answer does or changes it."""
        page = seal_game(Purpose.PROPOSAL, game, self.keys)
        reply = seal_game(Purpose.PROPOSAL_REPLY, game, self.keys)
        return f"{self.base_url}/n/{page}", f"new+{reply}@{self.domain}"
