"""The letters: one function for each kind, which picks what is said from what its reader knows.

A letter is complete in plain text and in HTML. At a glance it says what is needed of its reader, then what
happened, what can be done and how the game stands. printing.py prints it, in the language spoken; compose.py
makes it a mail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from emails.i18n import say
from emails.letters.chat_excerpts import MOST, remarks, repeated, writers
from emails.letters.contexts import Absent as Absent
from emails.letters.contexts import Confirmation as Confirmation
from emails.letters.contexts import Invitation as Invitation
from emails.letters.contexts import Link as Link
from emails.letters.contexts import Message as Message
from emails.letters.contexts import Moved as Moved
from emails.letters.contexts import Section as Section
from emails.letters.contexts import Sheet as Sheet
from emails.letters.contexts import Undone as Undone
from emails.letters.game_letter import about, mail, named_plainly, span
from emails.letters.game_over import course, remembered
from emails.letters.lobby_letters import called_off as called_off
from emails.letters.lobby_letters import declined as declined
from emails.letters.proposal_letter import proposal as proposal
from emails.letters.renderer import Letter as Letter
from emails.letters.renderer import printed, subject
from emails.links import Ticket
from emails.picture.palette import plain_name
from emails.wording import phrases, standings
from emails.wording.narration import reason, sentences
from emails.wording.questions import Question as Question
from emails.wording.statistics import Record
from engine.events import CardOpened, SupplyRenewed, TurnEnded
from engine.position import BLACK
from engine.views import Told

LONGEST_SENTENCE = 600
"""Characters of a sentence that may repeat what a stranger wrote."""


# --- before the game ------------------------------------------------------------------------------------


def invitation(made: Invitation) -> Letter:
    """Somebody asks the reader to play; the link accepts."""
    accepts = Ticket(made.game, made.seat, made.after, "accept")
    word = say("accept")
    facts: dict[str, object] = {
        "others": _each([name for seat, name in enumerate(made.players) if seat != made.seat]),
        "reader": phrases.shown(made.players[made.seat]),
        "time": span(made.hours),
        "winning": made.edition.winning_score,
        "black": BLACK,
        "page": made.post.link(accepts),
        "mail": mail(made.post.reply_address(accepts, made.letter), subject(made.name), word),
        "example": word,
        "rules": True,
        "advice_first": True,
    }
    return printed("invitation", made.name, facts)


def _each(names: Sequence[str]) -> list[str]:
    """Who else plays: of several seats that nobody has yet, one is named."""
    return list(dict.fromkeys(map(phrases.shown, names)))


def accepted(made: Invitation, awaited: tuple[str, ...]) -> Letter:
    """The reader has accepted by mail, and these players have not yet."""
    facts: dict[str, object] = {
        "reader": phrases.shown(made.players[made.seat]),
        "awaited": _each(awaited),
        "page": made.post.link(Ticket(made.game, made.seat, made.after, "accept")),
    }
    return printed("accepted", made.name, facts)


def welcome(sheet: Sheet) -> Letter:
    """The game has begun: the rules in one screen, and how to answer."""
    return about("welcome", sheet, rules=True, advice_first=True)


# --- the reader's turn ----------------------------------------------------------------------------------


def your_turn(sheet: Sheet) -> Letter:
    """The game waits for the reader, who has not begun his turn."""
    return about("your_turn", sheet, rules=not sheet.view.table.walls)


def step(sheet: Sheet) -> Letter:
    """The reader is in the middle of his turn: what he has done in it, and what can be done now."""
    since = sheet.since
    begun = max((number + 1 for number, fact in enumerate(since) if isinstance(fact, TurnEnded)), default=0)
    done = sentences(since[_refilled(since, begun) :], sheet.view)
    return about("step", sheet, done=done, since=())


def reminder(sheet: Sheet, now: datetime) -> Letter:
    """The deadline comes near; `now` with its time zone."""
    left = int((sheet.deadline - now).total_seconds() // 3600) if sheet.deadline else sheet.hours
    return about("reminder", sheet, left=phrases.span(max(0, left)))


def answer(
    sheet: Sheet,
    done: tuple[Told, ...],
    undone: tuple[Undone, ...],
    posted: tuple[str, ...] = (),
    question: Question | None = None,
    sections: Sequence[Section] = (),
) -> Letter:
    """What was done of what the reader wrote in a mail, what was not and why, and what can be done now.

    `posted` are sentences about what he wrote to other players; `question` is what the undone could mean,
    and `sections` are what he asked to see. It tells all that a letter of his turn would.
    """
    view = sheet.view
    left, room = repeated(
        [plain_name(phrases.undone(one.words, one.why), LONGEST_SENTENCE) for one in undone], MOST
    )
    told, _ = repeated([plain_name(one, 2 * LONGEST_SENTENCE) for one in posted], MOST - room)
    facts: dict[str, object] = {
        "done": sentences(done, view),
        "undone": left,
        "posted": told,
        "since": sentences(_after(done, sheet.since), view),
        "rules": view.my_turn and not view.table.walls,
    }
    return about("answer", sheet, question, sections, **facts)


def refused(
    sentence: str,
    sheet: Sheet | None = None,
    question: Question | None = None,
    sections: Sequence[Section] = (),
) -> Letter:
    """A mail of the reader was not played, for the reason in the sentence: too old, unreadable, not his turn.

    With a sheet the letter shows how the game stands now, asks the question that remains and shows what he
    asked to see; without, the game of the mail is not being played.
    """
    sentence = plain_name(sentence, LONGEST_SENTENCE)
    if sheet is None:
        return printed("refused", "", {"sentence": sentence})
    return about("refused", sheet, question, sections, sentence=sentence)


def shown(sheet: Sheet, sections: Sequence[Section]) -> Letter:
    """What the reader asked to see in a mail that said nothing else."""
    return about("shown", sheet, sections=sections)


# --- what the others do ---------------------------------------------------------------------------------


def news(sheet: Sheet) -> Letter:
    """Others have played: the last turn first, and under it what came before it since the reader's own."""
    since = sheet.since
    ends = [number + 1 for number, fact in enumerate(since) if isinstance(fact, TurnEnded)]
    begun = _refilled(since, ends[-2] if len(ends) > 1 else 0) if ends else len(since)
    seats = set(_seats(since[begun:]))
    table = sheet.view.table
    return about(
        "news",
        sheet,
        actor=phrases.shown(table.names[seats.pop()]) if len(seats) == 1 else "",
        done=sentences(since[begun:], sheet.view),
        since=sentences(since[:begun], sheet.view) if [*_seats(since[:begun])] else (),
    )


def message(sheet: Sheet) -> Letter:
    """Somebody wrote to the reader, who wants to hear of it at once."""
    return about("message", sheet, messages_first=True, writers=writers(sheet.messages))


def digest(sheet: Sheet) -> Letter:
    """The letter of the day: how the game stands, whether anything happened or nothing did."""
    return about("digest", sheet)


def time_passed(sheet: Sheet, seat: int, done: tuple[Told, ...] = ()) -> Letter:
    """The time of `seat` was over and the server played for it, to everybody: `done` says what it did.

    Without `done` what it did must stand in `since`.
    """
    view, since = sheet.view, sheet.since
    facts: dict[str, object] = {
        "late": phrases.shown(view.table.names[seat]),
        "mine": seat == view.me,
        "done": sentences(done, view),
    }
    if done and since[-len(done) :] == done:
        facts["since"] = sentences(since[: -len(done)], view)
    elif done:
        facts["since"] = sentences(since, view)
        sheet = replace(sheet, since=done + since)  # for the picture
    return about("time_passed", sheet, None, (), **facts)


def game_over(sheet: Sheet, record: Record) -> Letter:
    """The game has ended: who won and why, the final standing, and what the whole game was like."""
    table, me = sheet.view.table, sheet.view.me
    won = table.winners or ()
    others = [phrases.shown(table.names[seat]) for seat in won if seat != me]
    chart, said = course(record, sheet.view)
    letter = about(
        "game_over",
        sheet,
        won=me in won,
        others=others,
        why=reason(table),
        record=remembered(record, sheet.view),
        scores=said,
        scores_alt=chart.alt,
    )
    return replace(letter, pictures=(*letter.pictures, chart))


# --- the letters themselves -----------------------------------------------------------------------------


def stopped_before(made: Invitation, everywhere: bool) -> Letter:
    """The last letter, to somebody who was invited to a game that has not begun."""
    ticket = Ticket(made.game, made.seat, made.after, "accept")
    facts: dict[str, object] = {
        "reader": phrases.shown(made.players[made.seat]),
        "everywhere": everywhere,
        "begun": False,
        "over": False,
        "page": made.post.link(ticket),
        "settings": made.post.settings(ticket),
    }
    return printed("stopped", made.name, facts)


def stopped(sheet: Sheet, everywhere: bool) -> Letter:
    """The last letter, of this game or of all: what it means to get no more, and how to get them again."""
    view = named_plainly(sheet.view)
    assert view.me is not None
    ticket = Ticket(sheet.game, view.me, sheet.after)
    facts: dict[str, object] = {
        "reader": view.table.names[view.me],
        "everywhere": everywhere,
        "begun": True,
        "over": view.table.over,
        "summary": standings.summary(view),
        "time": span(sheet.hours),
        "page": sheet.post.link(ticket),
        "settings": sheet.post.settings(ticket),
        "messages": remarks(sheet.messages),
    }
    return printed("stopped", sheet.name, facts)


def confirm(made: Confirmation) -> Letter:
    """Is this your address? Nothing else is sent to it before its reader says so, on the page or by mail."""
    facts: dict[str, object] = {
        "reader": phrases.shown(made.name),
        "address": plain_name(made.address, LONGEST_SENTENCE),
        "page": made.page,
        "mail": mail(made.reply, subject(""), say("yes")),
        "second": made.second,
    }
    return printed("confirm", "", facts)


def moved(made: Moved) -> Letter:
    """To the old address: letters go to another now, and the page or an answer brings them back."""
    facts: dict[str, object] = {
        "reader": phrases.shown(made.name),
        "address": plain_name(made.address, LONGEST_SENTENCE),
        "page": made.page,
        "mail": mail(made.reply, subject(""), say("yes")) if made.reply else "",
        "example": say("yes"),
    }
    return printed("moved", "", facts)


def signin(made: Link) -> Letter:
    """With this link the reader signs in; it is good for half an hour, and once."""
    return printed("signin", say("sign in"), {"reader": phrases.shown(made.name), "page": made.page})


# --- what only one kind needs ---------------------------------------------------------------------------


def _after(done: tuple[Told, ...], since: tuple[Told, ...]) -> tuple[Told, ...]:
    """What happened that has not been told, when `done` is.

    Where his turn goes on it stands in `since`, after what he knew when he wrote. Where it has ended, `since`
    begins at its end, with the cards that filled the display.
    """
    if not done:
        return since
    within = [end for end in range(len(done), len(since) + 1) if since[end - len(done) : end] == done]
    if within:
        return since[within[-1] :]
    ended = max((number + 1 for number, fact in enumerate(done) if isinstance(fact, TurnEnded)), default=0)
    rest = done[ended:]
    return since[len(rest) :] if ended and since[: len(rest)] == rest else since


def _refilled(since: tuple[Told, ...], begun: int) -> int:
    """Where a turn begins: after the cards that filled the display at the end of the one before (3.3)."""
    while begun < len(since) and isinstance(since[begun], CardOpened | SupplyRenewed):
        begun += 1
    return begun


def _seats(since: tuple[Told, ...]) -> Iterator[int]:
    """Whose doing each of these facts was, where it was anybody's."""
    yield from (seat for fact in since if (seat := getattr(fact, "seat", None)) is not None)
