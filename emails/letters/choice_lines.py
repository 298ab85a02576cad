"""What a letter offers, and where its links lead: whole turns, each choice where asked for, a question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from emails.letters.contexts import GameLetterContext
from emails.letters.parts import ChoiceLine
from emails.letters.subjects import reply_subject
from emails.tokens import Ticket
from emails.wording import phrases
from emails.wording.advice_text import TurnChoice, list_turn_choices
from emails.wording.options import Option, OptionGroup, list_options
from emails.wording.questions import (
    OrderQuestion,
    letter_options,
    number_options,
    orders_by_letter,
    orders_by_number,
)
from engine.bots.advice import Suggestion
from engine.position import View

LONGEST_LINKED = 1000
"""Bytes of words that are put into a link; longer ones are left to a mail."""


def mailto_link(address: str, title: str, body: str) -> str:
    """The link that writes a mail; a blank in it is %20, since not every program takes a + for one."""
    return f"mailto:{address}?subject={quote(title, safe='')}&body={quote(body, safe='')}"


@dataclass(frozen=True, slots=True)
class GameLinks:
    """Where the links of one letter lead."""

    context: GameLetterContext
    subject: str
    """Of the letter."""

    @property
    def ticket(self) -> Ticket:
        """The ticket of the reader's seat, in the position that the letter shows."""
        return Ticket(self.context.game, self.context.view.my_seat, self.context.after)

    @property
    def page(self) -> str:
        """The page of the game."""
        return self.context.links.ticket_link(self.ticket)

    @property
    def plan(self) -> str:
        """The page on which the reader plans their next turn."""
        return self.context.links.plan_link(self.ticket)

    @property
    def more_time(self) -> str:
        """The page on which the reader asks for more time."""
        return self.context.links.agreements_link(self.ticket)

    @property
    def away(self) -> str:
        """The page on which the reader says when they are away."""
        return self.context.links.away_link(self.ticket)

    @property
    def settings(self) -> str:
        """The page of the settings."""
        return self.context.links.settings_link(self.ticket)

    @property
    def stop(self) -> str:
        """The page that stops letters."""
        context = self.context
        seat = context.view.my_seat if context.holder is None else context.holder
        return context.links.unsubscribe_links(context.game, seat)[0]

    def play(self, words: str) -> str:
        """The page that shows what orders would do."""
        return self.context.links.ticket_link(replace(self.ticket, words=words))

    def mail(self, words: str) -> str:
        """What writes an answer with these words, in the conversation of the letter."""
        address = self.context.links.reply_address(self.ticket, self.context.letter)
        return mailto_link(address, reply_subject(self.subject), words)


@dataclass(frozen=True, slots=True)
class LetterChoices:
    """What a letter offers."""

    turns: tuple[TurnChoice, ...] = ()
    groups: tuple[OptionGroup, ...] = ()
    """Every choice of a single step, where the letter has them."""
    whole: bool = True
    """Whether those are whole turns, and not single steps."""
    meant: Mapping[str, str] = field(default_factory=dict)
    """What each letter or number stands for."""

    def renamed(self, view: View, suggestions: Sequence[Suggestion]) -> LetterChoices:
        """The same in words that name places as the letter's picture does."""
        return replace(self, turns=list_turn_choices(view, suggestions)) if self.turns else self

    def lines(self, links: GameLinks, *, reasons: bool) -> list[ChoiceLine]:
        """The turns as the letter lists them; without `reasons` in as few words as it can."""
        return [
            ChoiceLine(
                letter=turn.letter,
                label=turn.label if reasons else "",
                title=phrases.capitalize_first(turn.title),
                line=turn.line,
                why=turn.why if reasons else "",
                link=links.play(turn.words),
                mail=links.mail(turn.letter),
            )
            for turn in self.turns
        ]


def list_letter_choices(
    context: GameLetterContext, question: OrderQuestion | None, *, turns: bool, every: bool
) -> LetterChoices:
    """What a letter offers: a question alone, or whole turns and, with `every`, each choice.

    Whoever answers a question with a number means the question.
    """
    if question is not None:
        return LetterChoices(meant=orders_by_number((OptionGroup("", question.choices),)))
    view = context.view
    if not view.my_turn:
        return LetterChoices()
    best = list_turn_choices(view, context.suggestions) if turns or every else ()
    offered = best if turns else ()
    whole, meant = bool(context.suggestions), {turn.letter: turn.words for turn in offered}
    if not every:
        return LetterChoices(offered, whole=whole, meant=meant)
    options = list_options(view)
    meant |= orders_by_letter(options, len(best))  # a letter means one turn in every mail of a position
    return LetterChoices(offered, letter_options(options, len(best)), whole, meant)


def question_lines(question: OrderQuestion, links: GameLinks) -> Iterator[tuple[Option, str, str]]:
    """The choices of a question, each with its link and the link that writes the mail: its number."""
    found = (OptionGroup("", question.choices),)
    [group] = number_options(found)
    for number, choice in zip(orders_by_number(found), group.choices, strict=True):
        words = choice.words if len(choice.words.encode()) <= LONGEST_LINKED else ""
        yield choice, links.play(words), links.mail(number)
