"""The letters: one function for each kind, which picks what is said from what its reader knows.

A letter is complete in plain text and in HTML. At a glance it says what is needed of its reader, then what
happened, what can be done and how the game stands. renderer.py renders it, in the language spoken; mime.py
makes it a mail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from emails.i18n import gettext
from emails.letters.chat_excerpts import MOST_CHAT_BYTES, chat_writers, excerpt_chat, fit_lines
from emails.letters.contexts import (
    AskedBackContext,
    GameLetterContext,
    InvitationContext,
    LetterSection,
    UndoneLine,
)
from emails.letters.game_letter import mailto_link, render_game_letter, turn_limit_text, with_printable_names
from emails.letters.game_over import describe_highlights, render_score_chart
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import Letter, render_letter, subject_line
from emails.picture.palette import clean_name
from emails.tokens import Ticket
from emails.wording import phrases, standings
from emails.wording.narration import explain_end, narrate_events
from emails.wording.questions import OrderQuestion
from emails.wording.requests import RequestKind
from emails.wording.statistics import GameStatistics
from engine.events import CardOpened, SupplyRenewed, TurnEnded
from engine.position import BLACK_WALLS
from engine.views import VisibleEvent

LONGEST_SENTENCE = 600
"""Characters of a sentence that may repeat what a stranger wrote."""


# --- before the game ------------------------------------------------------------------------------------


def render_invitation(made: InvitationContext) -> Letter:
    """Somebody asks the reader to play; the link accepts."""
    accepts = Ticket(made.game, made.seat, made.after, "accept")
    declines = replace(accepts, words="decline")
    word = gettext("accept")
    parts = LetterParts(
        time=turn_limit_text(made.hours),
        actions=made.edition.actions_per_turn,
        winning=made.edition.winning_score,
        black=BLACK_WALLS,
        page=made.links.ticket_link(accepts),
        mail=mailto_link(made.links.reply_address(accepts, made.letter), subject_line(made.name), word),
        example=word,
        decline=made.links.ticket_link(declines),
        unwanted=made.links.unwanted,
        rules=True,
        advice_first=True,
    )
    others = _distinct_names([name for seat, name in enumerate(made.players) if seat != made.seat])
    words = {"others": others, "reader": phrases.safe_name(made.players[made.seat])}
    return render_letter(LetterKind.INVITATION, made.name, parts, words)


def _distinct_names(names: Sequence[str]) -> list[str]:
    """The other players; several free seats are named once."""
    return list(dict.fromkeys(map(phrases.safe_name, names)))


def render_accepted(made: InvitationContext, awaited: tuple[str, ...]) -> Letter:
    """The reader has accepted by mail, and these players have not yet."""
    page = made.links.ticket_link(Ticket(made.game, made.seat, made.after, "accept"))
    words = {"reader": phrases.safe_name(made.players[made.seat]), "awaited": _distinct_names(awaited)}
    parts = LetterParts(page=page, unwanted=made.links.unwanted)
    return render_letter(LetterKind.ACCEPTED, made.name, parts, words)


def render_welcome(sheet: GameLetterContext) -> Letter:
    """The game has begun: the rules in one screen, and how to answer."""
    return render_game_letter(LetterKind.WELCOME, sheet, LetterParts(rules=True, advice_first=True))


# --- the reader's turn ----------------------------------------------------------------------------------


def render_your_turn(sheet: GameLetterContext) -> Letter:
    """The game waits for the reader, who has not begun their turn."""
    return render_game_letter(LetterKind.YOUR_TURN, sheet, LetterParts(rules=not sheet.view.table.walls))


def render_step(sheet: GameLetterContext) -> Letter:
    """The reader is in the middle of their turn: what they have done in it, and what can be done now."""
    since = sheet.since
    begun = max((number + 1 for number, fact in enumerate(since) if isinstance(fact, TurnEnded)), default=0)
    done = narrate_events(since[_skip_refill(since, begun) :], sheet.view)
    return render_game_letter(LetterKind.STEP, sheet, LetterParts(done=done, since=()))


def render_reminder(sheet: GameLetterContext, now: datetime) -> Letter:
    """The deadline comes near; `now` with its time zone."""
    left = int((sheet.deadline - now).total_seconds() // 3600) if sheet.deadline else sheet.hours
    return render_game_letter(LetterKind.REMINDER, sheet, words={"left": phrases.format_hours(max(0, left))})


def render_answer(
    sheet: GameLetterContext,
    done: tuple[VisibleEvent, ...],
    undone: tuple[UndoneLine, ...],
    posted: tuple[str, ...] = (),
    question: OrderQuestion | None = None,
    sections: Sequence[LetterSection] = (),
) -> Letter:
    """What was done of what the reader wrote in a mail, what was not and why, and what can be done now.

    `posted` are sentences about what they wrote to other players; `question` is what the undone could mean,
    and `sections` are what they asked to see. It tells all that a letter of their turn would.
    """
    view = sheet.view
    left, room = fit_lines(
        [clean_name(phrases.describe_undone(one.words, one.reason), LONGEST_SENTENCE) for one in undone],
        MOST_CHAT_BYTES,
    )
    told, _ = fit_lines([clean_name(one, 2 * LONGEST_SENTENCE) for one in posted], MOST_CHAT_BYTES - room)
    parts = LetterParts(
        done=narrate_events(done, view),
        undone=left,
        posted=told,
        since=narrate_events(_untold_after(done, sheet.since), view),
        rules=view.my_turn and not view.table.walls,
    )
    return render_game_letter(LetterKind.ANSWER, sheet, parts, question=question, sections=sections)


def render_refused(
    sentence: str,
    sheet: GameLetterContext | None = None,
    question: OrderQuestion | None = None,
    sections: Sequence[LetterSection] = (),
) -> Letter:
    """A mail of the reader was not played; the sentence says why: too old, unreadable, not their turn.

    With a sheet the letter shows how the game stands now, asks the question that remains and shows what they
    asked to see; without, the game of the mail is not being played.
    """
    words = {"sentence": clean_name(sentence, LONGEST_SENTENCE)}
    if sheet is None:
        return render_letter(LetterKind.REFUSED, "", LetterParts(), words)
    return render_game_letter(LetterKind.REFUSED, sheet, words=words, question=question, sections=sections)


def render_shown(sheet: GameLetterContext, sections: Sequence[LetterSection]) -> Letter:
    """What the reader asked to see in a mail that said nothing else."""
    return render_game_letter(LetterKind.SHOWN, sheet, sections=sections)


def render_asked_back(made: AskedBackContext) -> Letter:
    """Is it the reader who wrote this mail, and do they mean it? Nothing is done before they say yes."""
    word = gettext("yes")
    parts = LetterParts(
        page=made.page, mail=mailto_link(made.reply, subject_line(made.game), word), settings=made.settings
    )
    words = {
        "reader": phrases.safe_name(made.name),
        "lines": [clean_name(line, 2 * LONGEST_SENTENCE) for line in made.lines],
        "resigning": made.wish == RequestKind.RESIGN,
        "renewing": made.wish == RequestKind.NEW_LINKS,
        "unproven": made.unproven,
        "word": word,
    }
    return render_letter(LetterKind.ASKED_BACK, made.game, parts, words)


# --- what the others do ---------------------------------------------------------------------------------


def render_news(sheet: GameLetterContext) -> Letter:
    """Others have played: the last turn first, and under it what came before it since the reader's own."""
    since = sheet.since
    ends = [number + 1 for number, fact in enumerate(since) if isinstance(fact, TurnEnded)]
    begun = _skip_refill(since, ends[-2] if len(ends) > 1 else 0) if ends else len(since)
    seats = set(_seats(since[begun:]))
    table = sheet.view.table
    parts = LetterParts(
        done=narrate_events(since[begun:], sheet.view),
        since=narrate_events(since[:begun], sheet.view) if [*_seats(since[:begun])] else (),
    )
    actor = phrases.safe_name(table.names[seats.pop()]) if len(seats) == 1 else ""
    return render_game_letter(LetterKind.NEWS, sheet, parts, {"actor": actor})


def render_message(sheet: GameLetterContext) -> Letter:
    """Somebody wrote to the reader, who wants to hear of it at once."""
    return render_game_letter(
        LetterKind.MESSAGE, sheet, LetterParts(messages_first=True), {"writers": chat_writers(sheet.messages)}
    )


def render_digest(sheet: GameLetterContext) -> Letter:
    """The letter of the day: how the game stands, whether anything happened or nothing did."""
    return render_game_letter(LetterKind.DIGEST, sheet)


def render_time_passed(sheet: GameLetterContext, seat: int, done: tuple[VisibleEvent, ...] = ()) -> Letter:
    """The time of `seat` was over and the server played for it, to everybody: `done` says what it did.

    Without `done` what it did must stand in `since`.
    """
    view, since = sheet.view, sheet.since
    parts = LetterParts(done=narrate_events(done, view))
    if done and since[-len(done) :] == done:
        parts = replace(parts, since=narrate_events(since[: -len(done)], view))
    elif done:
        parts = replace(parts, since=narrate_events(since, view))
        sheet = replace(sheet, since=done + since)  # for the picture
    words = {"late": phrases.safe_name(view.table.names[seat]), "mine": seat == view.me}
    return render_game_letter(LetterKind.TIME_PASSED, sheet, parts, words)


def render_game_over(sheet: GameLetterContext, record: GameStatistics) -> Letter:
    """The game has ended: who won and why, the final standing, and what the whole game was like."""
    table, me = sheet.view.table, sheet.view.me
    won = table.winners or ()
    others = [phrases.safe_name(table.names[seat]) for seat in won if seat != me]
    chart, scores = render_score_chart(record, sheet.view)
    parts = LetterParts(record=describe_highlights(record, sheet.view), scores=scores, scores_alt=chart.alt)
    words = {"won": me in won, "others": others, "why": explain_end(table)}
    letter = render_game_letter(LetterKind.GAME_OVER, sheet, parts, words)
    return replace(letter, pictures=(*letter.pictures, chart))


# --- the letters themselves -----------------------------------------------------------------------------


def render_stopped_before_start(made: InvitationContext, everywhere: bool) -> Letter:
    """The last letter, to somebody who was invited to a game that has not begun."""
    ticket = Ticket(made.game, made.seat, made.after, "accept")
    parts = LetterParts(
        page=made.links.ticket_link(ticket),
        settings=made.links.settings_link(ticket),
        unwanted=made.links.unwanted,
    )
    reader = phrases.safe_name(made.players[made.seat])
    words = {"reader": reader, "everywhere": everywhere, "begun": False, "over": False}
    return render_letter(LetterKind.STOPPED, made.name, parts, words)


def render_stopped(sheet: GameLetterContext, everywhere: bool) -> Letter:
    """The last letter, of this game or of all: what it means to get no more, and how to get them again."""
    view = with_printable_names(sheet.view)
    ticket = Ticket(sheet.game, view.my_seat, sheet.after)
    parts = LetterParts(
        summary=standings.summarize_game(view),
        time=turn_limit_text(sheet.hours),
        page=sheet.links.ticket_link(ticket),
        settings=sheet.links.settings_link(ticket),
        unwanted=sheet.links.unwanted,
        messages=excerpt_chat(sheet.messages),
    )
    reader = view.table.names[view.my_seat]
    words = {"reader": reader, "everywhere": everywhere, "begun": True, "over": view.table.over}
    return render_letter(LetterKind.STOPPED, sheet.name, parts, words)


# --- what only one kind needs ---------------------------------------------------------------------------


def _untold_after(
    done: tuple[VisibleEvent, ...], since: tuple[VisibleEvent, ...]
) -> tuple[VisibleEvent, ...]:
    """The events of `since` that `done` does not tell already.

    Where their turn goes on it stands in `since`, after what they knew when they wrote. Where it has ended,
    `since` begins at its end, with the cards that filled the display.
    """
    if not done:
        return since
    within = [end for end in range(len(done), len(since) + 1) if since[end - len(done) : end] == done]
    if within:
        return since[within[-1] :]
    ended = max((number + 1 for number, fact in enumerate(done) if isinstance(fact, TurnEnded)), default=0)
    rest = done[ended:]
    return since[len(rest) :] if ended and since[: len(rest)] == rest else since


def _skip_refill(since: tuple[VisibleEvent, ...], begun: int) -> int:
    """Where a turn begins: after the cards that filled the display at the end of the one before (3.3)."""
    while begun < len(since) and isinstance(since[begun], CardOpened | SupplyRenewed):
        begun += 1
    return begun


def _seats(since: tuple[VisibleEvent, ...]) -> Iterator[int]:
    """Whose doing each of these facts was, where it was anybody's."""
    yield from (seat for fact in since if (seat := getattr(fact, "seat", None)) is not None)
