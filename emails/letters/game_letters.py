"""Letters about a running or finished game: a payload class for each kind, and the common layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator

from emails.i18n import gettext, gettext_noop
from emails.letters.declaration import (
    STRANGER_MARK,
    Payload,
    Policy,
    Situation,
    Sources,
    letter,
    require_game,
)
from emails.letters.lobby_letters import render_unclear
from emails.letters.parts import (
    BOARD_PICTURE,
    LONGEST_LINKED,
    MOST_CHAT_BYTES,
    REPLY,
    GameLetterContext,
    Layout,
    LetterParts,
    LetterSection,
    OrderLinks,
    chat_writers,
    describe_game,
    example_recipient,
    excerpt_chat,
    fit_lines,
    list_letter_choices,
    mailto_link,
    reply_subject,
    show_board,
    subject_line,
    titled_subject,
    turn_subject,
)
from emails.letters.renderer import LONGEST_SENTENCE, Letter, Picture, render_letter
from emails.names import SeatNames, name_seats_in_turn, names_of_last
from emails.picture.palette import clean_name
from emails.terms import ExpectedDays
from emails.tokens import Ticket
from emails.wording import phrases, review_text, standings
from emails.wording.advice_text import describe_bots, list_turn_choices
from emails.wording.board_text import describe_hand
from emails.wording.narration import headline_of, list_turns, names_in_turns, narrate_events, narrate_turns
from emails.wording.options import OptionGroup
from emails.wording.phrases import (
    format_deadline,
    format_minutes,
    format_remaining,
    name_past,
    translate_order,
    use_place_names,
)
from emails.wording.requests import (
    REQUESTS_OF_PRESENCE,
    REQUESTS_SHOWN_DONE,
    REQUESTS_TO_ALL,
    REQUESTS_TO_CONFIRM,
    SEVERAL_ABSENCES,
    OrderQuestion,
    Request,
    RequestKind,
    VoteKind,
    decode_question,
    encode_question,
    explain_misfits,
    orders_by_number,
    own_plan_words,
    prefix_titles,
    request_word,
)
from emails.wording.review_text import GameStatistics, compile_statistics
from emails.wording.standings import describe_scores, list_changes, list_levies, player_standings, warn_of_end
from emails.wording.texts import say, tell
from engine.board import Space
from engine.events import (
    AlexanderMarched,
    CardOpened,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
    TurnOver,
    TurnSkipped,
)
from engine.position import Phase, View, VisibleEvent
from engine.rules import has_next_turn

LONGEST_EXAMPLE = 60
MOST_BRIEF = 3
"""Maximum number of turns that a brief letter offers."""
LONGEST_LINE = 4000
NO_PARTS = LetterParts()
NO_WORDS: Mapping[str, object] = MappingProxyType({})


def _decode_request(stored: Any) -> Request:
    kind, about = stored
    return Request(RequestKind(kind), str(about))


StoredRequest = Annotated[
    Request, PlainValidator(_decode_request), PlainSerializer(lambda one: [one.kind, one.about])
]
StoredQuestion = Annotated[
    OrderQuestion, PlainValidator(decode_question), PlainSerializer(encode_question, return_type=dict)
]


@dataclass(frozen=True, slots=True)
class ReportedEvents:
    done: tuple[VisibleEvent, ...] = ()
    """The events that are the main news of the letter."""
    since: tuple[VisibleEvent, ...] | None = None
    """Further events to report; None: all since the reader's last turn."""
    done_last: bool = False


ALL_SINCE = ReportedEvents()


def render_game_letter(
    payload: Payload,
    context: GameLetterContext,
    parts: LetterParts = NO_PARTS,
    words: Mapping[str, object] = NO_WORDS,
    question: OrderQuestion | None = None,
    sections: Sequence[LetterSection] = (),
    happened: ReportedEvents = ALL_SINCE,
    subject: str = "",
) -> Letter:
    context = with_printable_names(context)
    view, layout = context.view, payload.layout
    links = OrderLinks(context, subject or game_subject(payload, context))
    decides = view.my_turn and layout.for_turn
    whole = context.everything or RequestKind.BOARD in context.shown
    begins = view.my_turn and context.changed and view.table.phase is Phase.CARD
    brief = layout.brief and not (whole or begins or RequestKind.ALL in context.shown)
    if brief:  # only a reader who plays on after a march needs the board
        walled = any(isinstance(one, AlexanderMarched) and one.walls for one in happened.done)
        has_news = view.my_turn and walled
    else:
        has_news = context.everything or context.changed or decides or layout.always_drawn
    parts = replace(parts, brief=brief)
    choices = list_letter_choices(context, question, MOST_BRIEF if brief else None, turns=layout.lists_turns)
    described = describe_game(view, whole=whole, brief=has_news and not whole)
    pictures: tuple[Picture, ...] = ()
    named: frozenset[Space] | None = None
    if has_news or whole:
        parts, picture = show_board(parts, links, choices.turns, happened.done, whole=whole, first=decides)
        pictures = (Picture(BOARD_PICTURE, picture.svg, parts.alt),)
        named = None if context.everything else picture.named
    with use_place_names(named):
        turns = list_turn_choices(view, context.suggestions)[: len(choices.turns)]
        reasons = (has_news and not brief) or layout.gives_reasons
        parts = replace(parts, choices=turns, reasons=reasons)
        parts = _add_events(parts, context, happened, has_news=has_news or context.changed)
        parts = _add_actions(_add_standing(parts, context), layout, links)
    if question is not None:
        groups = (OptionGroup("", question.choices),)
        [asked] = prefix_titles(groups, orders_by_number(groups))
        parts = replace(parts, asked=asked.choices, other_meanings=question.more, common=question.common)
    printed = [
        (clean_name(one.heading), [clean_name(line, LONGEST_LINE) for line in one.lines]) for one in sections
    ]
    rendered = render_letter(
        payload.kind,
        context.name,
        replace(parts, sections=printed),
        {**described, **words},
        choices.groups,
        links.subject,
        answered=not view.table.over,
    )
    return replace(rendered, pictures=pictures, choices=choices.meant)


def game_subject(payload: Payload, context: GameLetterContext, happened: str = "") -> str:
    if context.one_conversation:
        return subject_line(context.name)
    return titled_subject(context, happened) if happened else payload.subject(context)


def _add_events(
    parts: LetterParts, context: GameLetterContext, happened: ReportedEvents, *, has_news: bool
) -> LetterParts:
    view, done, is_last = context.view, happened.done, happened.done_last
    since = context.since if happened.since is None else happened.since
    named = names_of_last(context.seat_names, len(done), len(events_after(done, context.since)))
    named_since = names_of_last(context.seat_names, len(since), len(done) if is_last else 0)
    if context.everything:
        told = narrate_events(done, view, named)
        return replace(parts, done=told, since=narrate_events(since, view, named_since))
    if not has_news:
        since, named_since = (), ()
    later = sum(isinstance(fact, TurnOver) for fact in (done if is_last else since))
    return replace(
        parts,
        done=narrate_turns(done, view, later=0 if is_last else later, names=named),
        since=narrate_turns(since, view, later=later if is_last else 0, names=named_since),
    )


def events_after(done: tuple[VisibleEvent, ...], since: tuple[VisibleEvent, ...]) -> tuple[VisibleEvent, ...]:
    """Return the events at the end of `since` that happened after the events in `done`."""
    within = range(len(since), 0, -1) if done else ()
    ends = (end for end in within if since[max(0, end - len(done)) : end] == done[-end:])
    return since[next(ends, 0) :]


def names_when_done(context: GameLetterContext, done: tuple[VisibleEvent, ...]) -> tuple[str, ...]:
    named = names_of_last(context.seat_names, 1, len(events_after(done, context.since)))
    return named[0].names if named else context.view.table.names


def _add_standing(parts: LetterParts, context: GameLetterContext) -> LetterParts:
    view, table, now = context.view, context.view.table, context.now
    scores = player_standings(view, context.before)
    names = names_of_last(context.seat_names, len(context.since))
    changes = [*list_changes(view, context.before, context.since, names), *warn_of_end(view)]
    if parts.brief and not parts.since:
        changes = []
    deadline = "" if context.deadline is None else format_deadline(context.deadline)
    left = format_remaining(context.deadline - now) if context.deadline and now and view.my_turn else ""
    since, mover = name_past(context.turn_since, now), table.names[table.seat]
    waits = not (view.my_turn or table.over)
    return replace(
        parts,
        context=context,
        view=view,
        messages=excerpt_chat(context.messages),
        friend=example_recipient(view, context.messages),
        summary=standings.summarize_game(view),
        standing="" if parts.brief and view.my_turn else describe_scores(scores),
        scores_strip=scores,
        changes=changes,
        news=[*list_levies(view, context.since, names), *changes],
        deadline=deadline if view.my_turn else "",
        reserve=say("time.reserve_left", reserve=context.reserve, now=now) if left else "",
        left=left,
        paused=say("time.pause", ends=context.pause_ends) if context.pause_ends else "",
        time=format_minutes(context.turn_time.minutes),
        waited=say("time.waiting", name=mover, since=since, deadline=deadline) if waits else "",
        outlook=say("time.next_turn", outlook=context.next_turn, now=now),
        first=table.turn <= len(table.names),
    )


def _add_actions(parts: LetterParts, layout: Layout, links: OrderLinks) -> LetterParts:
    context, view, table = links.context, links.context.view, links.context.view.table
    made, ticket = context.links, context.ticket
    plans = layout.offers_plan and not view.my_turn and has_next_turn(table, view.my_seat)
    is_timed = layout.offers_time and parts.deadline and not parts.paused
    translated = (translate_order(turn.words) for turn in parts.choices)
    more = [RequestKind.BOARD, RequestKind.ALL, RequestKind.HELP]
    more += [RequestKind.RULES] if parts.turn_rules else []
    shown = context.shown if view.my_turn else {*context.shown, RequestKind.ALL}
    is_silent = context.everything or table.over
    return replace(
        parts,
        links=links,
        page=made.ticket_link(ticket),
        time_page=made.page_link(ticket, "agreements")
        if context.turn_time.minutes and not table.over
        else "",
        settings=made.page_link(ticket, "settings"),
        stop=context.stop,
        unwanted=made.unwanted,
        head="" if parts.brief else context.head,
        plan=made.page_link(ticket, "plan") if plans else "",
        plan_heading=f"{own_plan_words().heading[0]}:" if plans else "",
        more_time=made.page_link(ticket, "agreements") if is_timed else "",
        away=made.page_link(ticket, "away") if is_timed else "",
        example=next((words for words in translated if len(words) <= LONGEST_EXAMPLE), ""),
        drafted=translate_order("; ".join(context.draft)),
        more=[] if is_silent else [request_word(one) for one in more if one not in shown],
    )


def with_printable_names(context: GameLetterContext) -> GameLetterContext:
    view = context.view
    names = tuple(phrases.safe_name(name) for name in view.table.names)
    return replace(context, view=replace(view, table=replace(view.table, names=names)))


def _describe_briefly(
    context: GameLetterContext, page: str, subject: str = "", answer: str = ""
) -> LetterParts:
    """Return the parts of a letter without the position; `answer`: the words of a prepared mail."""
    links, ticket = context.links, context.ticket
    address = links.reply_address(ticket, context.letter)
    return LetterParts(
        summary=standings.summarize_game(context.view),
        page=page,
        mail=mailto_link(address, subject, answer) if answer else "",
        settings=links.page_link(ticket, "settings"),
        stop=context.stop,
        unwanted=links.unwanted,
        messages=excerpt_chat(context.messages),
    )


# --- votes ----------------------------------------------------------------------------------------------


@letter
class Vote(Payload):
    """Letter that asks a player to vote on a request of the player of `seat`."""

    kind = "motion"
    vote: VoteKind | None = None  # None: queued by an old version
    seat: int = 0
    done: bool = False  # 24 hours are already added; the letter only asks for objections
    until: datetime | None = None

    def is_obsolete(self, now: Situation) -> bool:
        return not now.is_running or self.vote is None or not now.is_vote_open(self.vote, self.done)

    def compose(self, sources: Sources) -> Letter:
        context = with_printable_names(require_game(sources))
        table, for_time = context.view.table, self.vote is VoteKind.MORE_TIME
        if self.done:
            happened = gettext("%(name)s has got 24 hours more", name=table.names[table.seat])
        elif for_time:
            happened = gettext("%(name)s asks for another 24 hours", name=table.names[self.seat])
        else:
            happened = gettext("%(name)s asks for a pause", name=table.names[self.seat])
        waits = context.deadline is not None and not (context.view.my_turn or table.over)
        subject = game_subject(self, context, happened)
        page = context.links.page_link(context.ticket, "agreements")
        parts = _describe_briefly(context, page, subject, gettext("no") if self.done else gettext("yes"))
        words = {
            "happened": happened,
            "for_time": for_time,
            "added": self.done,
            "mover": table.names[table.seat] if waits else "",
            "due": context.deadline,
            "until": "" if self.until is None else format_deadline(self.until),
            "yes": gettext("yes"),
            "no": gettext("no"),
        }
        return render_letter(self.kind, context.name, parts, words, subject=subject)


# --- seats ----------------------------------------------------------------------------------------------


@letter
class Absence(Payload):
    """Letter to a player for whom a caretaker plays until the player is back."""

    kind = "absence"
    occasion = gettext_noop("a caretaker keeps your seat")

    def is_obsolete(self, now: Situation) -> bool:
        return not (now.is_running and now.is_absent)

    def compose(self, sources: Sources) -> Letter:
        context = with_printable_names(require_game(sources))
        word, subject = request_word(RequestKind.BACK), game_subject(self, context)
        parts = _describe_briefly(
            context, context.links.page_link(context.ticket, "agreements"), subject, word
        )
        words = {"reader": context.view.table.names[context.view.my_seat], "word": word}
        return render_letter(self.kind, context.name, parts, words, subject=subject)


@letter
class SeatOffered(Payload):
    """Letter to the other players about a vacant seat that needs a substitute."""

    kind = "seat_offered"
    occasion = gettext_noop("a seat is free")
    seat: int

    def is_obsolete(self, now: Situation) -> bool:
        return not (now.is_running and now.is_offered(self.seat))

    def compose(self, sources: Sources) -> Letter:
        # The reader may pass the letter on, so it has no link that plays for the reader.
        context = with_printable_names(require_game(sources))
        view = context.view
        parts = replace(_describe_briefly(context, context.links.join_link(context.game)), settings="")
        words = {
            "reader": view.table.names[view.my_seat],
            "gone": view.table.names[self.seat],
            "resigned": self.seat in context.resigned,
            "address": context.links.join_address(context.game),
        }
        return render_letter(self.kind, context.name, parts, words, subject=game_subject(self, context))


@letter
class Substitute(Payload):
    kind = "substitute"
    occasion = gettext_noop("the seat is yours")
    policy = Policy(rank=10, despite_unsubscribe=True)
    layout = Layout(for_turn=True, always_drawn=True, offers_time=True)
    stranger_subject = gettext_noop("[Alexandros] The seat is yours")

    def is_obsolete(self, now: Situation) -> bool:
        return not now.is_running

    def compose(self, sources: Sources) -> Letter:
        context = require_game(sources)
        hand = tuple(describe_hand(context.view))
        sections = [LetterSection(gettext("Your cards and what they can do"), hand), *_bot_sections(context)]
        parts = LetterParts(rules=True, rules_page=context.links.rules_link())
        words = {"gone": phrases.safe_name(context.earlier_name)}
        return render_game_letter(self, context, parts, words, sections=sections)


# --- the last letter ------------------------------------------------------------------------------------


@letter
class Stopped(Payload):
    kind = "stopped"
    occasion = gettext_noop("no more mails")
    policy = Policy(despite_unsubscribe=True, despite_suspension=True, recorded=True)
    stranger_subject = gettext_noop("[Alexandros] No more mails")
    everywhere: bool

    def is_obsolete(self, now: Situation) -> bool:
        return now.wants_letters or now.is_proposed

    def compose(self, sources: Sources) -> Letter:
        game = sources.game()
        if game is None:
            return self._compose_before_start(sources)
        context = with_printable_names(game)
        view, limit = context.view, format_minutes(context.turn_time.minutes)
        parts = _describe_briefly(context, context.links.ticket_link(context.ticket))
        parts = replace(parts, stop="", time=limit)
        reader = view.table.names[view.my_seat]
        words = {"reader": reader, "everywhere": self.everywhere, "begun": True, "over": view.table.over}
        return render_letter(self.kind, context.name, parts, words, subject=game_subject(self, context))

    def _compose_before_start(self, sources: Sources) -> Letter:
        links, ticket = sources.links, sources.invitation().ticket
        parts = LetterParts(
            page=links.ticket_link(ticket),
            settings=links.page_link(ticket, "settings"),
            unwanted=links.unwanted,
        )
        reader = phrases.safe_name(sources.seat_name)
        words = {"reader": reader, "everywhere": self.everywhere, "begun": False, "over": False}
        return render_letter(self.kind, sources.title, parts, words)


SCORES_PICTURE = "scores"


def render_score_chart(record: GameStatistics, view: View) -> tuple[Picture, str]:
    table = view.table
    names = [phrases.safe_name(name) for name in table.names]
    drawn = review_text.draw_score_chart(
        record, names, table.edition.winning_score, gettext("turn"), gettext("points")
    )
    text = review_text.describe_scores(record, names, gettext("Turn %(turn)s: %(points)s"))
    return Picture(SCORES_PICTURE, drawn, review_text.describe_chart(record, view)), text


def describe_highlights(
    record: GameStatistics, view: View, turn_names: Sequence[SeatNames] = ()
) -> list[str]:
    """Describe the longest march and the best levy. `turn_names`: names in each turn; empty: as in `view`."""

    def name(found: tuple[int, AlexanderMarched | TaxesLevied] | None) -> str:
        if found is None:
            return ""
        then = name_seats_in_turn(view, turn_names, found[0])
        return phrases.name_or_you(then, found[1].seat)

    march, levy = record.longest, record.best
    return tell("scores.highlights", march=march, marcher=name(march), levy=levy, collector=name(levy))


# --- the first letter -----------------------------------------------------------------------------------


@letter
class Welcome(Payload):
    kind = "welcome"
    policy = Policy(rank=7)
    layout = Layout(for_turn=True, always_drawn=True)
    stranger_subject = gettext_noop("[Alexandros] Your game by mail has begun")

    @classmethod
    def subject(cls, context: GameLetterContext) -> str:
        if context.view.my_turn:
            return turn_subject(context)
        return titled_subject(context, gettext("the game has begun"))

    def is_obsolete(self, now: Situation) -> bool:
        return now.is_over

    def compose(self, sources: Sources) -> Letter:
        context, parts = require_game(sources), LetterParts(rules=True, advice_first=True)
        return render_game_letter(self, context, parts, sections=_bot_sections(context))


def _bot_sections(context: GameLetterContext) -> tuple[LetterSection, ...]:
    lines = describe_bots(context.bots)
    return (LetterSection(gettext("Programs that play with you"), lines),) if lines else ()


# --- the reader's turn ----------------------------------------------------------------------------------


@letter
class Step(Payload):
    """Letter about the recipient's turn, which was unfinished when the letter was queued."""

    kind = "step"
    policy = Policy(rank=5, waits=True)
    layout = Layout(for_turn=True, offers_time=True)

    def is_obsolete(self, now: Situation) -> bool:
        return not now.is_running or now.is_turn_over

    def compose(self, sources: Sources) -> Letter:
        context = require_game(sources)
        table, plan, since = context.view.table, context.plan, context.since
        if table.phase is Phase.CARD:
            missed = explain_misfits(plan, table) if plan is not None and plan.is_missed(table) else ()
            parts = LetterParts(turn_rules=not table.walls, undone=tuple(missed))
            return render_game_letter(YourTurn(), context, parts, sections=_bot_sections(context))
        ends = (number + 1 for number, fact in enumerate(since) if isinstance(fact, TurnOver))
        begun = max(ends, default=0)
        happened = ReportedEvents(since[_skip_refill(since, begun) :], since=())
        return render_game_letter(Step(), context, happened=happened)


@letter
class YourTurn(Step):
    kind = "your_turn"
    message_mark = "turn"
    policy = Policy(rank=6, waits=True, despite_bounce=True)


@letter
class Reminder(Payload):
    kind = "reminder"
    policy = Policy(rank=4)
    layout = Layout(for_turn=True, offers_time=True)
    asked_by: int | None = None
    """Seat of the player who nudged; None for a reminder of the deadline."""
    home: bool = False
    """True on the recipient's day of return from an absence."""

    def is_obsolete(self, now: Situation) -> bool:
        is_stale = self.asked_by is not None and now.is_nudge_stale()
        return not now.is_running or now.is_turn_over or is_stale

    def compose(self, sources: Sources) -> Letter:
        context = replace(require_game(sources), now=sources.now)
        names = context.view.table.names
        words = {
            "asker": "" if self.asked_by is None else phrases.safe_name(names[self.asked_by]),
            "stop_word": request_word(RequestKind.NO_REMINDERS),
            "home": self.home,
            "when_late": sources.when_late(),
        }
        return render_game_letter(self, context, words=words)


# --- answers to mails ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reply(Payload):
    """Letter that answers a mail about a game."""

    policy = Policy(despite_unsubscribe=True, answers_mail=True)

    @classmethod
    def subject(cls, context: GameLetterContext) -> str:
        """Return the answered subject after "Re:", except in the first letter of another turn."""
        own, answered = turn_subject(context), context.answered.removeprefix(REPLY)
        if answered.startswith(STRANGER_MARK):
            answered = ""  # it named no game
        if not context.view.my_turn:
            return reply_subject(answered or own)
        return reply_subject(own) if answered in ("", own) else own


@letter
class Answer(Reply):
    """Letter about the effects of a mail with orders or chat."""

    kind = "answer"
    layout = Layout(offers_plan=True, brief=True)
    done: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    why: str = ""
    after: int | None = None  # number of the log entry after which `question` was asked; None: no question
    question: StoredQuestion | None = None
    posted: tuple[str, ...] = ()
    asked: tuple[StoredRequest, ...] = ()
    settled: tuple[str, ...] = ()
    """One sentence about each vote that the mail started, answered or ended."""

    @property
    def is_needless(self) -> bool:
        return not (self.undone or self.posted or self.asked or self.settled)

    def compose(self, sources: Sources) -> Letter:
        context, why, question = _with_requests(require_game(sources), self.asked), self.why, self.question
        if question is not None and self.after != context.after:
            question, why = None, gettext("%(why)s, and the game has moved on since", why=why)
        done = context.acted if self.done else ()
        sections = sources.sections(context, self.asked) if self.asked else ()
        undone, room = fit_lines(_describe_undone(self.undone, why), MOST_CHAT_BYTES)
        posted = [clean_name(one, 2 * LONGEST_SENTENCE) for one in self.posted]
        told, _ = fit_lines(posted, MOST_CHAT_BYTES - room)
        is_first = context.view.my_turn and not context.view.table.walls
        parts = LetterParts(undone=undone, posted=told, turn_rules=is_first)
        happened = ReportedEvents(done, events_after(done, context.since))
        words = {"settled": self.settled, "requests_done": any(one.done for one in sections)}
        return render_game_letter(self, context, parts, words, question, sections, happened)


def _with_requests(context: GameLetterContext, asked: Sequence[Request]) -> GameLetterContext:
    return replace(context, shown=frozenset(one.kind for one in asked))


def _describe_undone(lines: Sequence[str], why: str) -> list[str]:
    """Describe the lines of a mail that were not carried out; the first with the reason."""
    found = (phrases.describe_undone(line, "" if number else why) for number, line in enumerate(lines))
    return [clean_name(line, LONGEST_SENTENCE) for line in found]


@letter
class PlanPlayed(Payload):
    """Letter about a turn that the server played by the reader's plan (orders stored before the turn)."""

    kind = "plan_played"
    policy = Policy(rank=9)
    layout = Layout(for_turn=True, offers_plan=True)
    undone: tuple[str, ...] = ()
    why: str = ""

    def compose(self, sources: Sources) -> Letter:
        context = require_game(sources)
        parts = LetterParts(undone=_describe_undone(self.undone, self.why))
        happened = ReportedEvents(context.acted, events_after(context.acted, context.since))
        return render_game_letter(self, context, parts, happened=happened)


@letter
class Refused(Reply):
    """Letter about a mail that had no effect, with the reason."""

    kind = "refused"
    policy = replace(Reply.policy, despite_suspension=True)
    layout = Layout(offers_plan=True, gives_reasons=True)
    sentence: str
    undone: tuple[str, ...] = ()
    in_a_row: int = 1
    """Number of refusals in a row, including this one."""
    after: int | None = None
    question: StoredQuestion | None = None
    asked: tuple[StoredRequest, ...] = ()
    ended: bool = False
    proposed: bool = False
    understood: str = ""

    def tells_the_same(self, other: Refused) -> bool:
        return replace(self, in_a_row=other.in_a_row) == other

    def compose(self, sources: Sources) -> Letter:
        sentence, question, game = self.sentence, self.question, sources.game()
        if game is None and sources.is_open:
            return render_unclear(sources, sentence)
        if game is not None and question is not None and self.after != game.after:
            question = None
            sentence += " " + gettext("The game has moved on since, so there is nothing to ask about it now.")
        words = {"sentence": clean_name(sentence, LONGEST_SENTENCE), "invited": False, "yes": gettext("yes")}
        if game is None:
            return render_letter(self.kind, "", LetterParts(), words, answered=False)
        context, shown = _with_requests(game, self.asked), REQUESTS_SHOWN_DONE
        sections = sources.sections(context, [one for one in self.asked if one.kind not in shown])
        parts = LetterParts(proposed=self.proposed and question is not None)
        return render_game_letter(self, context, parts, words, question, sections)


@letter
class Shown(Reply):
    """Letter that answers a mail with requests, but without orders and chat."""

    kind = "shown"
    layout = Layout(brief=True)
    asked: tuple[StoredRequest, ...]
    unasked: bool = False
    """True if the operator caused the letter, without a mail from the player."""

    def compose(self, sources: Sources) -> Letter:
        context = _with_requests(require_game(sources), self.asked)
        sections = sources.sections(context, self.asked)
        clauses = [one.done for one in sections if one.done]
        words, subject = {"clauses": clauses, "unasked": self.unasked}, ""
        if clauses and not (context.one_conversation or context.answered):
            subject = titled_subject(context, clauses[0])
        return render_game_letter(self, context, words=words, sections=sections, subject=subject)


@letter
class AskedBack(Payload):
    """Letter that asks whether to perform the requests and orders of a mail; only a yes has an effect."""

    kind = "asked_back"
    policy = Policy(despite_unsubscribe=True, asks_back=True)
    lines: tuple[str, ...]
    """Lines as written in the mail."""
    after: int
    """Number of the act that led to the position for which the orders are meant."""
    orders: tuple[str, ...] = ()
    """Orders to confirm, in full words; in a reply to an invitation, the word that accepts it."""
    chat: tuple[str, ...] = ()
    asked: tuple[StoredRequest, ...] = ()
    unproven: bool = False
    plan: str = ""
    is_unsealed: bool = False
    """True if the mail came to the sender address of letters, which anyone knows."""
    doubt: str = ""
    """Reason to doubt that the player meant the orders, as a sentence; empty if there is no doubt."""
    questions: tuple[str, ...] = ()
    """Numbered ways to answer: what an unclear mail may mean, and what the player can do now."""
    others: tuple[StoredRequest, ...] = ()
    """The requests of the further `questions`, in the same order."""
    told_by: int = 0
    """Number of the question that sends `chat`, to which no request belongs; 0 if there is none."""
    readings: int = 1
    """Number of the first questions that the mail may mean; if it is 0, a yes chooses nothing."""
    days: ExpectedDays | None = None
    """The open point about days away, which a reply with a date alone answers."""

    def choose(self, number: int) -> AskedBack | None:
        """Return the question about only the way with a number from 1; None if there is none."""
        ways: list[Request | None] = [*self.asked, *self.others]
        if self.told_by:
            ways.insert(self.told_by - 1, None)
        if not 0 < number <= len(ways):
            return None
        way = ways[number - 1]
        if way is None:
            return replace(self, asked=(), others=())
        abouts = way.about.split(SEVERAL_ABSENCES) if way.kind is RequestKind.AWAY else [way.about]
        return replace(self, asked=tuple(replace(way, about=one) for one in abouts), others=(), chat=())

    @property
    def request_kinds(self) -> frozenset[RequestKind]:
        return frozenset(one.kind for one in self.asked)

    @property
    def request(self) -> RequestKind | None:
        acting = REQUESTS_TO_CONFIRM | REQUESTS_TO_ALL
        return next((one.kind for one in self.asked if one.kind in acting), None)

    def compose(self, sources: Sources) -> Letter:
        ticket, links = Ticket(sources.game_id, sources.seat, self.after), sources.links
        orders, word = "; ".join(self.orders), gettext("yes")
        is_linked = 0 < len(orders.encode()) <= LONGEST_LINKED
        reply = links.reply_address(ticket, sources.letter)
        parts = LetterParts(
            page=f"{links.ticket_link(replace(ticket, words=orders))}?look=1" if is_linked else "",
            mail=mailto_link(reply, subject_line(sources.title), word),
            settings=links.page_link(ticket, "settings"),
        )
        words = {
            "reader": phrases.safe_name(sources.seat_name),
            "lines": [clean_name(line, 2 * LONGEST_SENTENCE) for line in self._lines()],
            "resigning": self.request == RequestKind.RESIGN,
            "back": request_word(RequestKind.BACK),
            "renewing": self.request == RequestKind.NEW_LINKS,
            "unproven": self.unproven,
            "unsealed": self.is_unsealed,
            "doubt": clean_name(self.doubt, LONGEST_SENTENCE),
            "questions": [clean_name(one, LONGEST_SENTENCE) for one in self.questions],
            "word": word,
            "asks_zone": self.request_kinds == {RequestKind.ZONE},
            "zone": request_word(RequestKind.ZONE),
        }
        is_reply = sources.answered and not sources.one_conversation
        subject = reply_subject(sources.answered) if is_reply else ""
        return render_letter(self.kind, sources.title, parts, words, subject=subject)

    def _lines(self) -> tuple[str, ...]:
        if not self.doubt or REQUESTS_OF_PRESENCE & {one.kind for one in self.asked}:
            return self.lines
        return (*map(translate_order, self.orders), *self.chat)


# --- what the others do ---------------------------------------------------------------------------------


@letter
class News(Payload):
    kind = "news"
    policy = Policy(rank=3, waits=True)
    layout = Layout(offers_plan=True)

    @classmethod
    def subject(cls, context: GameLetterContext) -> str:
        if context.view.my_turn:
            return turn_subject(context)
        names = names_of_last(context.seat_names, len(context.since))
        found = list_turns(context.since, context.view.table, names=names)
        turns = [one for one in found if not isinstance(one.events[0], TurnSkipped)]
        if not turns:
            return titled_subject(context, gettext("how it stands"))
        return titled_subject(context, headline_of(turns[-1], context.view), turns[-1].number)

    def is_obsolete(self, now: Situation) -> bool:
        return not now.is_running or now.is_mover or not now.wants_news

    def compose(self, sources: Sources) -> Letter:
        """Report the last turn first, then the earlier ones since the reader's own turn."""
        context = require_game(sources)
        since = context.since
        ends = [number + 1 for number, fact in enumerate(since) if isinstance(fact, TurnEnded)]
        begun = _skip_refill(since, ends[-2] if len(ends) > 1 else 0) if ends else len(since)
        today = [SeatNames(context.view.table.names)] * len(since)
        named = names_of_last(context.seat_names, len(since)) or today
        actors = {named[number].names[seat] for number, seat in _seats(since) if number >= begun}
        earlier = since[:begun] if any(number < begun for number, _ in _seats(since)) else ()
        actor = phrases.safe_name(actors.pop()) if len(actors) == 1 else ""
        happened = ReportedEvents(since[begun:], earlier, done_last=True)
        return render_game_letter(News(), context, words={"actor": actor}, happened=happened)


@letter
class Message(Payload):
    kind = "message"
    policy = Policy(rank=2, waits=True)
    layout = Layout(lists_turns=False)

    @classmethod
    def subject(cls, context: GameLetterContext) -> str:
        writers = chat_writers(context.messages)
        if not writers:  # only the server has written
            return titled_subject(context, gettext("a message for you"))
        names = phrases.format_list(writers)
        return titled_subject(context, gettext("a message from %(names)s", names=names))

    def is_obsolete(self, now: Situation) -> bool:
        is_next = now.is_over or (now.is_running and now.wants_messages)
        return not (now.has_unread and is_next)

    def compose(self, sources: Sources) -> Letter:
        context, parts = require_game(sources), LetterParts(messages_first=True)
        return render_game_letter(self, context, parts, {"writers": chat_writers(context.messages)})


@letter
class Digest(News):
    kind = "digest"
    policy = Policy(rank=1)
    layout = Layout(for_turn=True)

    def is_obsolete(self, now: Situation) -> bool:
        return not (now.is_running and now.wants_daily)

    def compose(self, sources: Sources) -> Letter:
        context = require_game(sources)
        is_news = not context.view.my_turn and context.changed
        return News().compose(sources) if is_news else render_game_letter(self, context)


@letter
class TimePassed(Payload):
    """Letter about a turn that ran out of time; `seat` had the turn."""

    kind = "time_passed"
    policy = Policy(rank=8, waits=True)
    layout = Layout(for_turn=True)
    seat: int

    def waits(self, seat: int) -> bool:
        return self.policy.waits and seat != self.seat

    def compose(self, sources: Sources) -> Letter:
        context = require_game(sources)
        done, since, is_mine = context.acted, context.since, self.seat == context.view.me
        name = phrases.safe_name(names_when_done(context, done)[self.seat])
        subject = game_subject(self, context)
        if not (is_mine or context.view.my_turn or context.one_conversation):
            skipped = takewhile(lambda fact: isinstance(fact, TurnSkipped), reversed(since))
            turn = context.view.table.turn - 1 - len(list(skipped))
            subject = titled_subject(context, gettext("%(name)s ran out of time", name=name), turn)
        told = ReportedEvents(done, since)
        if done and since[-len(done) :] == done:
            told = ReportedEvents(done, since[: -len(done)], done_last=True)
        elif done:
            context = replace(context, since=done + since)  # for the picture
        words = {"late": name, "mine": is_mine, "when_late": sources.when_late()}
        return render_game_letter(self, context, words=words, happened=told, subject=subject)


@letter
class GameOver(Payload):
    kind = "game_over"
    message_mark = "over"
    policy = Policy(rank=11, waits=True)
    layout = Layout(always_drawn=True)

    @classmethod
    def subject(cls, context: GameLetterContext) -> str:
        view, winners = context.view, context.view.table.winners or ()
        if winners == (view.me,):
            return titled_subject(context, gettext("you have won"))
        names = phrases.format_seats(view, winners)
        return titled_subject(context, gettext("won by %(names)s", names=names))

    def compose(self, sources: Sources) -> Letter:
        context, events = require_game(sources), sources.events()
        table, me = context.view.table, context.view.me
        won = table.winners or ()
        others = [phrases.safe_name(table.names[seat]) for seat in won if seat != me]
        record, names = compile_statistics(events), names_in_turns(events, context.seat_names)
        chart, scores = render_score_chart(record, context.view)
        lines = [*describe_highlights(record, context.view, names), *sources.review(names)]
        parts = LetterParts(record=lines, scores=scores, scores_alt=chart.alt)
        words = {"won": me in won, "others": others, "why": standings.explain_end(table)}
        rendered = render_game_letter(self, context, parts, words)
        return replace(rendered, pictures=(*rendered.pictures, chart))


def _skip_refill(since: tuple[VisibleEvent, ...], begun: int) -> int:
    while begun < len(since) and isinstance(since[begun], CardOpened | SupplyRenewed | TurnSkipped):
        begun += 1
    return begun


def _seats(since: tuple[VisibleEvent, ...]) -> Iterator[tuple[int, int]]:
    done = ((at, fact) for at, fact in enumerate(since) if not isinstance(fact, TurnSkipped))
    yield from ((at, seat) for at, fact in done if (seat := getattr(fact, "seat", None)) is not None)
