"""Choices with their links, for the pages that ask which of several is meant."""

from __future__ import annotations

from dataclasses import dataclass, replace

from emails.tokens import Ticket
from emails.wording.options import Option
from server.web.game.ticket_context import link_of


@dataclass(frozen=True, slots=True)
class ChoiceLink:
    """A choice with the page that shows what it would do."""

    choice: Option
    link: str


def link_choice(ticket: Ticket, choice: Option) -> ChoiceLink:
    """A choice with its link."""
    return ChoiceLink(choice, link_of(replace(ticket, words=choice.words)))
