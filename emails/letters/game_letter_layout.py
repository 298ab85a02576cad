"""A letter about a running game, whatever its kind: the points, the board, choices, links.

A letter has one screen. What else there is comes when it is asked for (`RequestKind`), or always, for whoever
wants it so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from emails.i18n import gettext
from emails.letters.board_parts import (
    BOARD_PICTURE,
    KINDS_ASKING_TO_PLAY,
    KINDS_WITH_PLAN,
    LetterForm,
    choose_form,
    describe_game,
    draw_board,
    show_board,
)
from emails.letters.chat_excerpts import example_recipient, excerpt_chat
from emails.letters.choice_lines import GameLinks, LetterChoices, list_letter_choices, question_lines
from emails.letters.contexts import GameLetterContext, LetterSection
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import Letter, Picture, render_letter, translate_order
from emails.letters.subjects import game_subject
from emails.picture import palette
from emails.plans.plan_text import plan_heading
from emails.seat_names import names_of_last
from emails.wording import phrases, standings
from emails.wording.narration import narrate_events, tell_turns
from emails.wording.options import Option
from emails.wording.phrases import use_place_names
from emails.wording.questions import OrderQuestion
from emails.wording.requests import RequestKind, request_word
from emails.wording.standings import describe_scores, list_changes, list_levies, list_scores, warn_of_end
from emails.wording.times.deadlines import (
    describe_reserve,
    format_deadline,
    format_remaining,
    tell_mover_deadline,
    tell_pause,
    tell_whose_turn,
)
from emails.wording.times.turn_outlooks import tell_outlook
from engine.events import TurnOver
from engine.plans.rehearsal import has_next_turn
from engine.position import BLACK_WALLS, VisibleEvent

LONGEST_EXAMPLE = 60
"""Characters of an order that is shown as an example: it stands in one line."""
LONGEST_LINE = 4000
"""Characters of a line of a section."""
NO_PARTS = LetterParts()
NO_WORDS: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ReportedEvents:
    """The events that a letter tells."""

    done: tuple[VisibleEvent, ...] = ()
    """What it is about above all."""
    since: tuple[VisibleEvent, ...] | None = None
    """The rest; None: all that happened since the reader's last turn."""
    done_last: bool = False
    """Whether `done` came after the rest."""


ALL_SINCE = ReportedEvents()


def render_game_letter(
    kind: LetterKind,
    context: GameLetterContext,
    parts: LetterParts = NO_PARTS,
    words: Mapping[str, object] = NO_WORDS,
    question: OrderQuestion | None = None,
    sections: Sequence[LetterSection] = (),
    happened: ReportedEvents = ALL_SINCE,
    subject: str = "",
) -> Letter:
    """Render a letter of this kind about a game, beside its own parts and words.

    One that asks a question letters nothing else: whoever answers with a number means the question.
    `subject`: where the kind alone does not say it.
    """
    context = with_printable_names(context)
    form = choose_form(kind, context)
    links = GameLinks(context, subject or game_subject(kind, context))
    choices = list_letter_choices(context, question, turns=form.turns, every=form.every)
    board = draw_board(context, form, choices.turns, links, happened.done) if form.board else None
    shown = describe_game(context.view, form)
    with use_place_names(None if board is None or context.everything else board.picture.named):
        choices = choices.renamed(context.view, context.suggestions)
        parts = _link_plan(kind, _add_links(parts, links), links)
        parts = _link_time(kind, _show_standing(parts, context), links)
        parts = _add_news(parts, context, form, happened)
        reasons = form.news or kind is LetterKind.REFUSED
        parts = _add_choices(_add_question(parts, question, links), choices, links, reasons=reasons)
        parts = show_board(parts, context, form, board)
    parts = replace(parts, sections=[_clean_section(section) for section in sections])
    letter = render_letter(
        kind,
        context.name,
        parts,
        {**shown, "when_late": context.when_late, **words},
        choices.groups,
        _choice_linker(links),
        links.subject,
        answered=not context.view.table.over,
    )
    pictures = () if board is None else (Picture(BOARD_PICTURE, board.picture.svg, parts.alt),)
    return replace(letter, pictures=pictures, choices=choices.meant)


# --- what is told -------------------------------------------------------------------------------------------


def _add_news(
    parts: LetterParts, context: GameLetterContext, form: LetterForm, happened: ReportedEvents
) -> LetterParts:
    """What happened, a line for each turn; for whoever wants everything a line for each action."""
    view, done = context.view, happened.done
    since = context.since if happened.since is None else happened.since
    messages, friend = excerpt_chat(context.messages), example_recipient(view, context.messages)
    parts = replace(parts, messages=messages, friend=friend)
    named = names_of_last(context.seat_names, len(done), count_after(done, context.since))
    named_since = names_of_last(context.seat_names, len(since), len(done) if happened.done_last else 0)
    if context.everything:
        told = narrate_events(done, view, named)
        return replace(parts, done=told, since=narrate_events(since, view, named_since))
    if not form.news:
        since, named_since = (), ()
    before, after = (_count_ends(done), 0) if happened.done_last else (0, _count_ends(since))
    told = tell_turns(done, view, later=after, names=named)
    return replace(parts, done=told, since=tell_turns(since, view, later=before, names=named_since))


def count_after(done: tuple[VisibleEvent, ...], since: tuple[VisibleEvent, ...]) -> int:
    """How many facts came after some, which stand in `since`, or before it and in its beginning."""
    within = range(len(since), 0, -1)
    ends = (end for end in within if since[max(0, end - len(done)) : end] == done[-end:])
    return len(since) - next(ends, 0)


def names_when_done(context: GameLetterContext, done: tuple[VisibleEvent, ...]) -> tuple[str, ...]:
    """Who had the seats when some of what happened was done."""
    named = names_of_last(context.seat_names, 1, count_after(done, context.since))
    return named[0].names if named else context.view.table.names


def _count_ends(facts: Sequence[VisibleEvent]) -> int:
    return sum(isinstance(fact, TurnOver) for fact in facts)


def _show_standing(parts: LetterParts, context: GameLetterContext) -> LetterParts:
    """Who leads, what changed for the reader, and how much time there is."""
    view, table = context.view, context.view.table
    scores = list_scores(view, context.before)
    names = names_of_last(context.seat_names, len(context.since))
    changes = _sentences((*list_changes(view, context.before, context.since, names), *warn_of_end(view)))
    timed = context.deadline is not None and view.my_turn
    return replace(
        parts,
        view=view,
        summary=standings.summarize_game(view),
        standing=describe_scores(scores),
        scores_strip=scores,
        changes=changes,
        news=_sentences(list_levies(view, context.since, names)) + changes,
        deadline=format_deadline(context.deadline) if context.deadline and timed else "",
        reserve=describe_reserve(context.reserve, context.now) if timed and context.now else "",
        left=time_left_text(context) if timed else "",
        absence=context.absence,
        stands_still=context.stands_still and not table.over,
        paused="" if context.pause_ends is None else tell_pause(context.pause_ends),
        time=turn_limit_text(context.turn_time.minutes),
        waited=_tell_waited(context),
        outlook=tell_outlook(context.next_turn, context.now) if context.now else "",
        seats=len(table.names),
        actions=table.edition.actions_per_turn,
        winning=table.edition.winning_score,
        black=BLACK_WALLS,
        first=table.turn <= len(table.names),
        manual=context.everything,
    )


def _tell_waited(context: GameLetterContext) -> str:
    """Whose turn it is, since when and until when; empty where it is the reader's or nobody's."""
    view, table = context.view, context.view.table
    if view.my_turn or table.over:
        return ""
    told = [
        tell_whose_turn(table.names[table.seat], context.turn_since, context.now),
        waited_until_text(context),
    ]
    return " ".join(filter(None, told))


def waited_until_text(context: GameLetterContext) -> str:
    """Until when another player has time for the turn; empty where no time runs, or it is the reader's."""
    view, table = context.view, context.view.table
    if context.deadline is None or view.my_turn or table.over:
        return ""
    return tell_mover_deadline(table.names[table.seat], format_deadline(context.deadline))


def _sentences(clauses: Iterable[str]) -> list[str]:
    return [f"{phrases.capitalize_first(one)}." for one in clauses]


def time_left_text(context: GameLetterContext) -> str:
    """How much time is left for the turn; empty where that is not known."""
    if context.deadline is None or context.now is None:
        return ""
    return format_remaining(context.deadline - context.now)


def turn_limit_text(minutes: int) -> str:
    """The time for a turn; empty where there is no limit."""
    return phrases.format_minutes(minutes) if minutes else ""


# --- what can be done ---------------------------------------------------------------------------------------


def _add_links(parts: LetterParts, links: GameLinks) -> LetterParts:
    """What stands at the end of every letter of a game."""
    context = links.context
    timed = context.turn_time.minutes and not context.view.table.over
    return replace(
        parts,
        page=links.page,
        time_page=links.more_time if timed else "",
        settings=links.settings,
        stop=links.stop,
        unwanted=context.links.unwanted,
        head=context.head,
    )


def _link_plan(kind: LetterKind, parts: LetterParts, links: GameLinks) -> LetterParts:
    """Where whoever waits for their turn plans it."""
    view = links.context.view
    if kind not in KINDS_WITH_PLAN or view.my_turn or not has_next_turn(view.table, view.my_seat):
        return parts
    planned = links.context.plan is not None
    return replace(parts, plan=links.plan, planned=planned, plan_heading=plan_heading())


def _link_time(kind: LetterKind, parts: LetterParts, links: GameLinks) -> LetterParts:
    """Where whoever is to move by a deadline asks for more time, or says that they are away."""
    if kind not in KINDS_ASKING_TO_PLAY or not parts.deadline or parts.paused:
        return parts
    return replace(
        parts,
        more_time=links.more_time,
        away=links.away,
        time_word=request_word(RequestKind.MORE_TIME),
        away_words=gettext("away until Friday"),
    )


def _add_question(parts: LetterParts, question: OrderQuestion | None, links: GameLinks) -> LetterParts:
    """The question, where there is one."""
    if question is None:
        return parts
    asked = [*question_lines(question, links)]
    return replace(parts, asked=asked, other_meanings=question.more, common=question.common)


def _add_choices(
    parts: LetterParts, choices: LetterChoices, links: GameLinks, *, reasons: bool
) -> LetterParts:
    """What the reader can do, with what it brings, and by which words they get more."""
    context, view = links.context, links.context.view
    translated = (translate_order(turn.words) for turn in choices.turns)
    found = [RequestKind.BOARD, RequestKind.ALL, RequestKind.HELP]
    found += [RequestKind.RULES] if parts.turn_rules else []
    more = [one for one in found if view.my_turn or one is not RequestKind.ALL]
    more = [] if context.everything or view.table.over else [one for one in more if one not in context.shown]
    return replace(
        parts,
        choices=choices.lines(links, reasons=reasons),
        whole_turns=choices.whole,
        example=next((words for words in translated if len(words) <= LONGEST_EXAMPLE), ""),
        drafted=translate_order("; ".join(context.draft)),
        more=[(word, links.mail(word)) for word in map(request_word, more)],
    )


def _choice_linker(links: GameLinks) -> Callable[[Option], tuple[str, str]]:
    """What gives a choice its link, and the link that writes the mail; one of many ways is asked for."""

    def link(choice: Option) -> tuple[str, str]:
        return links.play(choice.words), links.mail(translate_order(choice.words)) if choice.words else ""

    return link


def _clean_section(section: LetterSection) -> tuple[str, list[str]]:
    """A section without signs that no letter can hold."""
    lines = [palette.clean_name(line, LONGEST_LINE) for line in section.lines]
    return palette.clean_name(section.heading), lines


def with_printable_names(context: GameLetterContext) -> GameLetterContext:
    """The same with names that are fit for a letter."""
    view = context.view
    names = tuple(phrases.safe_name(name) for name in view.table.names)
    return replace(context, view=replace(view, table=replace(view.table, names=names)))
