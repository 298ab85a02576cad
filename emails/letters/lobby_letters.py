"""The letters about a game that gathers its players: who is asked, is in, will not play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from emails.i18n import gettext
from emails.letters.board_parts import BOARD_PICTURE
from emails.letters.choice_lines import mailto_link
from emails.letters.contexts import InvitationContext, VacatedSeat
from emails.letters.game_letter_layout import turn_limit_text
from emails.letters.game_prospects import estimate_length, format_span
from emails.letters.guest_notes import LONGEST_NOTE
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import LONGEST_SENTENCE, Letter, Picture, render_letter
from emails.letters.subjects import invitation_subject, reply_subject
from emails.picture.board_picture import draw_board
from emails.picture.palette import clean_name
from emails.tokens import ACCEPT_WORDS, DECLINE_WORDS, Ticket
from emails.wording import phrases
from emails.wording.times.deadlines import name_reserve
from engine.board import Board
from engine.cards import EMPTY
from engine.editions import Edition
from engine.events import GameStarted
from engine.evolve import start
from engine.position import view


def render_invitation(made: InvitationContext) -> Letter:
    """Somebody asks the reader to play: two buttons, and a word for each, say yes or no.

    Who can say that it was not wanted is a stranger, whose subject holds no words of others.
    """
    accepts = Ticket(made.game, made.seat, made.after, ACCEPT_WORDS)
    declines = replace(accepts, words=DECLINE_WORDS)
    yes, no = gettext("yes"), gettext("no")
    address = made.links.reply_address(accepts, made.letter)
    subject = invitation_subject(made.asker, "" if made.links.unwanted else made.name)
    names = tuple(map(phrases.safe_name, made.players))
    people = len(made.players) - made.house
    length = estimate_length(len(made.players), people, made.turn_time.minutes)
    parts = LetterParts(
        guest_note=clean_name(made.note.translate(phrases.TAMED_SIGNS), LONGEST_NOTE),
        time=turn_limit_text(made.turn_time.minutes),
        page=made.links.ticket_link(accepts),
        decline=made.links.ticket_link(declines),
        mail=mailto_link(address, subject, yes),
        example=yes,
        rules_page=made.links.rules_link(),
        unwanted=made.links.unwanted,
        alt="" if made.board is None else gettext("The board before the first turn, with Alexander on it."),
    )
    words = {
        "asker": phrases.safe_name(made.asker) if made.asker else "",
        "others": _distinct_names([name for seat, name in enumerate(made.players) if seat != made.seat]),
        "reader": names[made.seat],
        "no": no,
        "reserve": name_reserve(made.turn_time),
        "turns": length.turns,
        "own": length.own,
        "span": format_span(length, made.turn_time.minutes),
    }
    letter = render_letter(LetterKind.INVITATION, made.name, parts, words, subject=subject)
    if made.board is None:
        return letter
    drawn = draw_start(
        made.board, made.edition, ["" if seat in made.free else name for seat, name in enumerate(names)]
    )
    return replace(letter, pictures=(Picture(BOARD_PICTURE, drawn, parts.alt),))


def render_unclear(made: InvitationContext, sentence: str, answered: str) -> Letter:
    """A mail of the reader to an invitation says neither yes nor no: the sentence, and both buttons.

    `answered`: the subject of what they answered.
    """
    accepts = Ticket(made.game, made.seat, made.after, ACCEPT_WORDS)
    parts = LetterParts(
        page=made.links.ticket_link(accepts),
        decline=made.links.ticket_link(replace(accepts, words=DECLINE_WORDS)),
        unwanted=made.links.unwanted,
    )
    words = {
        "sentence": clean_name(sentence, LONGEST_SENTENCE),
        "invited": True,
        "yes": "",
    }
    subject = reply_subject(answered) if answered else ""
    return render_letter(LetterKind.REFUSED, made.name, parts, words, subject=subject)


def draw_start(board: Board, edition: Edition, names: Sequence[str]) -> str:
    """The board before the first turn; nobody sees a card on it, so none are dealt.

    Whoever is not known yet has an empty name.
    """
    shown = tuple(name or "?" for name in names)
    dealt = GameStarted(board.name, edition.name, shown, (EMPTY,) * len(names), EMPTY)
    return draw_board(view(start(board, dealt), None))


def _distinct_names(names: Sequence[str]) -> list[str]:
    """The other players; several free seats are named once."""
    return list(dict.fromkeys(map(phrases.safe_name, names)))


def render_accepted(made: InvitationContext, awaited: tuple[str, ...]) -> Letter:
    """The reader has accepted by mail, and these players have not yet."""
    page = made.links.ticket_link(Ticket(made.game, made.seat, made.after, ACCEPT_WORDS))
    words = {"reader": phrases.safe_name(made.players[made.seat]), "awaited": _distinct_names(awaited)}
    parts = LetterParts(page=page, unwanted=made.links.unwanted)
    return render_letter(LetterKind.ACCEPTED, made.name, parts, words)


def render_called_off(made: InvitationContext) -> Letter:
    """The game of the reader will never begin: nothing in it leads there, and the page opens another one."""
    page, address = made.links.new_game_links()
    words = {"reader": phrases.safe_name(made.players[made.seat]), "address": address}
    parts = LetterParts(page=page, unwanted=made.links.unwanted)
    return render_letter(LetterKind.CALLED_OFF, made.name, parts, words, answered=False)


def render_declined(made: InvitationContext, absent: VacatedSeat) -> Letter:
    """A seat of the reader's game is free again; as its organiser they can fill it or call the game off."""
    ticket = Ticket(made.game, made.seat, made.after, ACCEPT_WORDS)
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
