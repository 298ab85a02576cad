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
from emails.letters.chat_excerpts import MOST_CHAT_BYTES, chat_writers, fit_lines
from emails.letters.choice_lines import mailto_link
from emails.letters.contexts import AskedBackContext, GameLetterContext, LetterSection, UndoneLine
from emails.letters.game_letter_layout import ReportedEvents, names_when_done, render_game_letter
from emails.letters.game_over import describe_highlights, render_score_chart
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import LONGEST_SENTENCE, Letter, render_letter
from emails.letters.subjects import done_subject, passed_subject, reply_subject, subject_line
from emails.picture.palette import clean_name
from emails.plans.plan_text import explain_misfits
from emails.seat_names import SeatNames, names_of_last
from emails.wording import phrases, standings
from emails.wording.advice_text import describe_house_players
from emails.wording.finished.review_text import GameStatistics
from emails.wording.questions import OrderQuestion
from emails.wording.requests import RequestKind, request_word
from engine.events import CardOpened, SupplyRenewed, TurnEnded, TurnOver, TurnSkipped
from engine.position import VisibleEvent

# --- before the game ------------------------------------------------------------------------------------


def render_welcome(context: GameLetterContext) -> Letter:
    """The game has begun: the rules in one screen, and how to answer."""
    parts = LetterParts(rules=True, advice_first=True)
    return render_game_letter(LetterKind.WELCOME, context, parts, sections=_house_sections(context))


def _house_sections(context: GameLetterContext) -> tuple[LetterSection, ...]:
    """Who plays for the server, in a sentence each; none where nobody does who is known by a name."""
    lines = describe_house_players(context.house)
    return (LetterSection(gettext("Programs that play with you"), lines),) if lines else ()


# --- the reader's turn ----------------------------------------------------------------------------------


def render_your_turn(context: GameLetterContext) -> Letter:
    """The game waits for the reader, who has not begun their turn."""
    table = context.view.table
    plan = context.plan
    missed = explain_misfits(plan, table) if plan is not None and plan.is_missed(table) else ()
    parts = LetterParts(turn_rules=not table.walls, undone=tuple(missed))
    return render_game_letter(LetterKind.YOUR_TURN, context, parts, sections=_house_sections(context))


def render_step(context: GameLetterContext) -> Letter:
    """The reader is in the middle of their turn: what they have done in it, and what can be done now."""
    since = context.since
    begun = max((number + 1 for number, fact in enumerate(since) if isinstance(fact, TurnOver)), default=0)
    happened = ReportedEvents(since[_skip_refill(since, begun) :], since=())
    return render_game_letter(LetterKind.STEP, context, happened=happened)


def render_reminder(
    context: GameLetterContext, now: datetime, asked_by: int | None = None, *, home: bool = False
) -> Letter:
    """The deadline comes near, or the player on a seat asks its reader to play; `now` with its time zone.

    `home`: it is the reader's first day home after days away.
    """
    names = context.view.table.names
    words = {
        "asker": "" if asked_by is None else phrases.safe_name(names[asked_by]),
        "stop_word": request_word(RequestKind.NO_REMINDERS),
        "home": home,
    }
    return render_game_letter(LetterKind.REMINDER, replace(context, now=now), words=words)


def render_answer(
    context: GameLetterContext,
    done: tuple[VisibleEvent, ...],
    undone: tuple[UndoneLine, ...],
    posted: tuple[str, ...] = (),
    question: OrderQuestion | None = None,
    sections: Sequence[LetterSection] = (),
    settled: tuple[str, ...] = (),
) -> Letter:
    """What was done of what the reader wrote in a mail, what was not and why, and what can be done now.

    `posted` are sentences about what they wrote to other players, `settled` about what has come of what they
    ask of them all; `question` is what the undone could mean, and `sections` are what they asked to see. It
    tells all that a letter of their turn would.
    """
    view = context.view
    left, room = fit_lines(
        [clean_name(phrases.describe_undone(one.words, one.reason), LONGEST_SENTENCE) for one in undone],
        MOST_CHAT_BYTES,
    )
    told, _ = fit_lines([clean_name(one, 2 * LONGEST_SENTENCE) for one in posted], MOST_CHAT_BYTES - room)
    parts = LetterParts(undone=left, posted=told, turn_rules=view.my_turn and not view.table.walls)
    happened = ReportedEvents(done, _untold_after(done, context.since))
    words = {"settled": settled, "requests_done": any(one.done for one in sections)}
    return render_game_letter(LetterKind.ANSWER, context, parts, words, question, sections, happened)


def render_plan_played(
    context: GameLetterContext, done: tuple[VisibleEvent, ...], undone: tuple[UndoneLine, ...] = ()
) -> Letter:
    """What was played of the reader's plan, what was not and why, and what can be done now."""
    left = [clean_name(phrases.describe_undone(one.words, one.reason), LONGEST_SENTENCE) for one in undone]
    happened = ReportedEvents(done, _untold_after(done, context.since))
    return render_game_letter(LetterKind.PLAN_PLAYED, context, LetterParts(undone=left), happened=happened)


def render_refused(
    sentence: str,
    context: GameLetterContext | None = None,
    question: OrderQuestion | None = None,
    sections: Sequence[LetterSection] = (),
    *,
    proposed: bool = False,
) -> Letter:
    """A mail of the reader was not played; the sentence says why: too old, unreadable, not their turn.

    `proposed`: whether the question is what a mail may mean that could not be read whole.

    With a context the letter shows how the game stands now, asks the question that remains and shows what
    they asked to see; without, the game of the mail is not being played.
    """
    words = {
        "sentence": clean_name(sentence, LONGEST_SENTENCE),
        "invited": False,
        "yes": gettext("yes"),
    }
    if context is None:
        return render_letter(LetterKind.REFUSED, "", LetterParts(), words, answered=False)
    parts = LetterParts(proposed=proposed and question is not None)
    return render_game_letter(LetterKind.REFUSED, context, parts, words, question, sections)


def render_shown(
    context: GameLetterContext, sections: Sequence[LetterSection], *, unasked: bool = False
) -> Letter:
    """What was done of what a mail asked for that said nothing else, and what it asked to see.

    `unasked`: they did not ask, and are shown how the game stands all the same.
    """
    clauses = [one.done for one in sections if one.done]
    words, subject = {"clauses": clauses, "unasked": unasked}, done_subject(context, clauses)
    return render_game_letter(LetterKind.SHOWN, context, words=words, sections=sections, subject=subject)


def render_asked_back(made: AskedBackContext) -> Letter:
    """Is it the reader who wrote this mail, and do they mean it? Nothing is done before they say yes."""
    word = gettext("yes")
    parts = LetterParts(
        page=made.page, mail=mailto_link(made.reply, subject_line(made.game), word), settings=made.settings
    )
    words = {
        "reader": phrases.safe_name(made.name),
        "lines": [clean_name(line, 2 * LONGEST_SENTENCE) for line in made.lines],
        "resigning": made.request == RequestKind.RESIGN,
        "back": request_word(RequestKind.BACK),
        "renewing": made.request == RequestKind.NEW_LINKS,
        "unproven": made.unproven,
        "doubt": clean_name(made.doubt, LONGEST_SENTENCE),
        "questions": [clean_name(one, LONGEST_SENTENCE) for one in made.questions],
        "word": word,
        "zone": request_word(RequestKind.ZONE),
    }
    subject = reply_subject(made.answered) if made.answered else ""
    return render_letter(LetterKind.ASKED_BACK, made.game, parts, words, subject=subject)


# --- what the others do ---------------------------------------------------------------------------------


def render_news(context: GameLetterContext) -> Letter:
    """Others have played: the last turn first, and under it what came before it since the reader's own."""
    since = context.since
    ends = [number + 1 for number, fact in enumerate(since) if isinstance(fact, TurnEnded)]
    begun = _skip_refill(since, ends[-2] if len(ends) > 1 else 0) if ends else len(since)
    today = [SeatNames(context.view.table.names)] * len(since)
    named = names_of_last(context.seat_names, len(since)) or today
    actors = {named[number].names[seat] for number, seat in _seats(since) if number >= begun}
    earlier = since[:begun] if any(number < begun for number, _ in _seats(since)) else ()
    actor = phrases.safe_name(actors.pop()) if len(actors) == 1 else ""
    happened = ReportedEvents(since[begun:], earlier, done_last=True)
    return render_game_letter(LetterKind.NEWS, context, words={"actor": actor}, happened=happened)


def render_message(context: GameLetterContext) -> Letter:
    """Somebody wrote to the reader, who wants to hear of it at once."""
    words = {"writers": chat_writers(context.messages)}
    return render_game_letter(LetterKind.MESSAGE, context, LetterParts(messages_first=True), words)


def render_digest(context: GameLetterContext) -> Letter:
    """The letter of the day: how the game stands, whether anything happened or nothing did."""
    return render_game_letter(LetterKind.DIGEST, context)


def render_time_passed(context: GameLetterContext, seat: int, done: tuple[VisibleEvent, ...] = ()) -> Letter:
    """The time of `seat` was over and the server played for it, to everybody: `done` says what it did.

    Without `done` what it did must stand in `since`.
    """
    view, since = context.view, context.since
    mine, name = seat == view.me, phrases.safe_name(names_when_done(context, done)[seat])
    subject = passed_subject(context, "" if mine else gettext("%(name)s ran out of time", name=name))
    told = ReportedEvents(done, since)
    if done and since[-len(done) :] == done:
        told = ReportedEvents(done, since[: -len(done)], done_last=True)
    elif done:
        context = replace(context, since=done + since)  # for the picture
    words = {"late": name, "mine": mine}
    return render_game_letter(LetterKind.TIME_PASSED, context, words=words, happened=told, subject=subject)


def render_game_over(
    context: GameLetterContext,
    record: GameStatistics,
    reviewed: Sequence[str] = (),
    turn_names: Sequence[SeatNames] = (),
) -> Letter:
    """The game has ended: who won and why, the final standing, and what the whole game was like.

    `reviewed`: what the judge thinks of it, in sentences. `turn_names`: as in `name_seats_in_turn`.
    """
    table, me = context.view.table, context.view.me
    won = table.winners or ()
    others = [phrases.safe_name(table.names[seat]) for seat in won if seat != me]
    chart, scores = render_score_chart(record, context.view)
    lines = [*describe_highlights(record, context.view, turn_names), *reviewed]
    parts = LetterParts(record=lines, scores=scores, scores_alt=chart.alt)
    words = {"won": me in won, "others": others, "why": standings.explain_end(table)}
    letter = render_game_letter(LetterKind.GAME_OVER, context, parts, words)
    return replace(letter, pictures=(*letter.pictures, chart))


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
    """Where a turn begins: after the cards that filled the display at the end of the one before (3.3).

    And after those that nobody played.
    """
    while begun < len(since) and isinstance(since[begun], CardOpened | SupplyRenewed | TurnSkipped):
        begun += 1
    return begun


def _seats(since: tuple[VisibleEvent, ...]) -> Iterator[tuple[int, int]]:
    """The facts that were anybody's doing, each by its number among these, and whose it was."""
    done = ((at, fact) for at, fact in enumerate(since) if not isinstance(fact, TurnSkipped))
    yield from ((at, seat) for at, fact in done if (seat := getattr(fact, "seat", None)) is not None)
