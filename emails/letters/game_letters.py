"""Letters about a running or finished game: one function for each kind, and the common layout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from emails.i18n import gettext
from emails.letters.contexts import (
    MOST_CHAT_BYTES,
    AskedBackContext,
    GameLetterContext,
    InvitationContext,
    LetterSection,
    UndoneLine,
    chat_writers,
    example_recipient,
    excerpt_chat,
    fit_lines,
)
from emails.letters.kinds import LetterKind
from emails.letters.parts import (
    BOARD_PICTURE,
    KINDS_ASKING_TO_PLAY,
    KINDS_WITH_PLAN,
    GameLinks,
    LetterChoices,
    LetterForm,
    LetterParts,
    choose_form,
    describe_game,
    done_subject,
    draw_board,
    game_subject,
    list_letter_choices,
    mailto_link,
    passed_subject,
    question_lines,
    reply_subject,
    show_board,
    subject_line,
)
from emails.letters.renderer import LONGEST_SENTENCE, Letter, Picture, render_letter, translate_order
from emails.names import SeatNames, name_seats_in_turn, names_of_last
from emails.picture.palette import clean_name
from emails.tokens import ACCEPT_WORDS, Ticket
from emails.wording import phrases, review_text, standings
from emails.wording.advice_text import describe_bots
from emails.wording.board_text import describe_hand
from emails.wording.deadlines import (
    describe_mover_deadline,
    describe_outlook,
    describe_pause,
    describe_reserve,
    describe_whose_turn,
    format_deadline,
    format_remaining,
)
from emails.wording.narration import narrate_events, narrate_turns
from emails.wording.options import Option
from emails.wording.phrases import use_place_names
from emails.wording.plan_text import explain_misfits, plan_heading
from emails.wording.questions import OrderQuestion
from emails.wording.requests import RequestKind, VoteKind, request_word
from emails.wording.review_text import GameStatistics
from emails.wording.standings import describe_scores, list_changes, list_levies, list_scores, warn_of_end
from engine.events import CardOpened, SupplyRenewed, TurnEnded, TurnOver, TurnSkipped
from engine.plans import has_next_turn
from engine.position import BLACK_WALLS, View, VisibleEvent

LONGEST_EXAMPLE = 60
LONGEST_LINE = 4000
NO_PARTS = LetterParts()
NO_WORDS: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ReportedEvents:
    done: tuple[VisibleEvent, ...] = ()
    """The events that are the main news of the letter."""
    since: tuple[VisibleEvent, ...] | None = None
    """Further events to report; None: all since the reader's last turn."""
    done_last: bool = False


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
    """Render a letter about a game from the parts and words of its kind; `subject` replaces the usual one."""
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
    printed = [
        (clean_name(one.heading), [clean_name(line, LONGEST_LINE) for line in one.lines]) for one in sections
    ]
    parts = replace(parts, sections=printed)

    def link(choice: Option) -> tuple[str, str]:
        return links.play(choice.words), links.mail(translate_order(choice.words)) if choice.words else ""

    letter = render_letter(
        kind,
        context.name,
        parts,
        {**shown, "when_late": context.when_late, **words},
        choices.groups,
        link,
        links.subject,
        answered=not context.view.table.over,
    )
    pictures = () if board is None else (Picture(BOARD_PICTURE, board.picture.svg, parts.alt),)
    return replace(letter, pictures=pictures, choices=choices.meant)


def _add_news(
    parts: LetterParts, context: GameLetterContext, form: LetterForm, happened: ReportedEvents
) -> LetterParts:
    """Add the events to a letter: a line for each turn, or for each action if the reader wants everything."""
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
    told = narrate_turns(done, view, later=after, names=named)
    return replace(parts, done=told, since=narrate_turns(since, view, later=before, names=named_since))


def count_after(done: tuple[VisibleEvent, ...], since: tuple[VisibleEvent, ...]) -> int:
    """Return the number of events after `done`, which is contained in `since` or overlaps its start."""
    within = range(len(since), 0, -1)
    ends = (end for end in within if since[max(0, end - len(done)) : end] == done[-end:])
    return len(since) - next(ends, 0)


def names_when_done(context: GameLetterContext, done: tuple[VisibleEvent, ...]) -> tuple[str, ...]:
    named = names_of_last(context.seat_names, 1, count_after(done, context.since))
    return named[0].names if named else context.view.table.names


def _count_ends(facts: Sequence[VisibleEvent]) -> int:
    return sum(isinstance(fact, TurnOver) for fact in facts)


def _show_standing(parts: LetterParts, context: GameLetterContext) -> LetterParts:
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
        paused="" if context.pause_ends is None else describe_pause(context.pause_ends),
        time=turn_limit_text(context.turn_time.minutes),
        waited=_describe_waiting(context),
        outlook=describe_outlook(context.next_turn, context.now) if context.now else "",
        seats=len(table.names),
        actions=table.edition.actions_per_turn,
        winning=table.edition.winning_score,
        black=BLACK_WALLS,
        first=table.turn <= len(table.names),
        manual=context.everything,
    )


def _describe_waiting(context: GameLetterContext) -> str:
    """Describe whose turn it is and until when; empty in the reader's turn or after the game."""
    view, table = context.view, context.view.table
    if view.my_turn or table.over:
        return ""
    told = [
        describe_whose_turn(table.names[table.seat], context.turn_since, context.now),
        waited_until_text(context),
    ]
    return " ".join(filter(None, told))


def waited_until_text(context: GameLetterContext) -> str:
    """Return the end of another player's time for the turn; empty in the reader's turn or if no time runs."""
    view, table = context.view, context.view.table
    if context.deadline is None or view.my_turn or table.over:
        return ""
    return describe_mover_deadline(table.names[table.seat], format_deadline(context.deadline))


def _sentences(clauses: Iterable[str]) -> list[str]:
    return [f"{phrases.capitalize_first(one)}." for one in clauses]


def time_left_text(context: GameLetterContext) -> str:
    if context.deadline is None or context.now is None:
        return ""
    return format_remaining(context.deadline - context.now)


def turn_limit_text(minutes: int) -> str:
    return phrases.format_minutes(minutes) if minutes else ""


def _add_links(parts: LetterParts, links: GameLinks) -> LetterParts:
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
    view = links.context.view
    if kind not in KINDS_WITH_PLAN or view.my_turn or not has_next_turn(view.table, view.my_seat):
        return parts
    planned = links.context.plan is not None
    return replace(parts, plan=links.plan, planned=planned, plan_heading=plan_heading())


def _link_time(kind: LetterKind, parts: LetterParts, links: GameLinks) -> LetterParts:
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
    if question is None:
        return parts
    asked = [*question_lines(question, links)]
    return replace(parts, asked=asked, other_meanings=question.more, common=question.common)


def _add_choices(
    parts: LetterParts, choices: LetterChoices, links: GameLinks, *, reasons: bool
) -> LetterParts:
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


def with_printable_names(context: GameLetterContext) -> GameLetterContext:
    view = context.view
    names = tuple(phrases.safe_name(name) for name in view.table.names)
    return replace(context, view=replace(view, table=replace(view.table, names=names)))


def _parts_with_answer(context: GameLetterContext, subject: str, word: str) -> LetterParts:
    ticket = Ticket(context.game, context.view.my_seat, context.after)
    return LetterParts(
        summary=standings.summarize_game(context.view),
        page=context.links.agreements_link(ticket),
        mail=mailto_link(context.links.reply_address(ticket, context.letter), subject, word),
        settings=context.links.settings_link(ticket),
        stop=context.links.unsubscribe_links(context.game, context.view.my_seat)[0],
        unwanted=context.links.unwanted,
        messages=excerpt_chat(context.messages),
    )


# --- votes ----------------------------------------------------------------------------------------------


def render_vote(
    context: GameLetterContext,
    vote: VoteKind | None,
    seat: int,
    *,
    done: bool = False,
    until: datetime | None = None,
) -> Letter:
    """Report a request for time or a pause, or (`done`) granted time; `until`: the end of a pause."""
    context = with_printable_names(context)
    table, for_time = context.view.table, vote is VoteKind.MORE_TIME
    if done:
        happened = gettext("%(name)s has got 24 hours more", name=table.names[table.seat])
    elif for_time:
        happened = gettext("%(name)s asks for another 24 hours", name=table.names[seat])
    else:
        happened = gettext("%(name)s asks for a pause", name=table.names[seat])
    subject = game_subject(LetterKind.VOTE, context, happened)
    parts = _parts_with_answer(context, subject, gettext("no") if done else gettext("yes"))
    words = {
        "happened": happened,
        "for_time": for_time,
        "added": done,
        "waited": waited_until_text(context),
        "until": "" if until is None else format_deadline(until),
        "yes": gettext("yes"),
        "no": gettext("no"),
    }
    return render_letter(LetterKind.VOTE, context.name, parts, words, subject=subject)


# --- seats ----------------------------------------------------------------------------------------------


def render_absence(context: GameLetterContext) -> Letter:
    """Report that the caretaker plays the reader's seat until the reader takes it back."""
    context = with_printable_names(context)
    word, subject = request_word(RequestKind.BACK), game_subject(LetterKind.ABSENCE, context)
    parts = _parts_with_answer(context, subject, word)
    words = {"reader": context.view.table.names[context.view.my_seat], "word": word}
    return render_letter(LetterKind.ABSENCE, context.name, parts, words, subject=subject)


def render_seat_offered(context: GameLetterContext, seat: int, resigned: bool = False) -> Letter:
    """Offer a vacant seat, without links to the reader's own seat, because the letter may be forwarded."""
    context = with_printable_names(context)
    view = context.view
    parts = LetterParts(
        summary=standings.summarize_game(view),
        page=context.links.join_link(context.game),
        stop=context.links.unsubscribe_links(context.game, view.my_seat)[0],
        unwanted=context.links.unwanted,
        messages=excerpt_chat(context.messages),
    )
    words = {
        "reader": view.table.names[view.my_seat],
        "gone": view.table.names[seat],
        "resigned": resigned,
        "address": context.links.join_address(context.game),
    }
    subject = game_subject(LetterKind.SEAT_OFFERED, context)
    return render_letter(LetterKind.SEAT_OFFERED, context.name, parts, words, subject=subject)


def render_substitute(context: GameLetterContext, gone: str) -> Letter:
    """Welcome a substitute with their cards and choices; `gone` is the previous player's name."""
    sections = [LetterSection(gettext("Your cards and what they can do"), tuple(describe_hand(context.view)))]
    if bots := describe_bots(context.bots):
        sections.append(LetterSection(gettext("Programs that play with you"), bots))
    parts = LetterParts(rules=True, rules_page=context.links.rules_link())
    words = {"gone": phrases.safe_name(gone)}
    return render_game_letter(LetterKind.SUBSTITUTE, context, parts, words, sections=sections)


# --- the last letter ------------------------------------------------------------------------------------


def render_stopped_before_start(made: InvitationContext, everywhere: bool) -> Letter:
    ticket = Ticket(made.game, made.seat, made.after, ACCEPT_WORDS)
    parts = LetterParts(
        page=made.links.ticket_link(ticket),
        settings=made.links.settings_link(ticket),
        unwanted=made.links.unwanted,
    )
    reader = phrases.safe_name(made.players[made.seat])
    words = {"reader": reader, "everywhere": everywhere, "begun": False, "over": False}
    return render_letter(LetterKind.STOPPED, made.name, parts, words)


def render_stopped(context: GameLetterContext, everywhere: bool) -> Letter:
    context = with_printable_names(context)
    view, ticket = context.view, Ticket(context.game, context.view.my_seat, context.after)
    parts = LetterParts(
        summary=standings.summarize_game(view),
        time=turn_limit_text(context.turn_time.minutes),
        page=context.links.ticket_link(ticket),
        settings=context.links.settings_link(ticket),
        unwanted=context.links.unwanted,
        messages=excerpt_chat(context.messages),
    )
    reader = view.table.names[view.my_seat]
    words = {"reader": reader, "everywhere": everywhere, "begun": True, "over": view.table.over}
    subject = game_subject(LetterKind.STOPPED, context)
    return render_letter(LetterKind.STOPPED, context.name, parts, words, subject=subject)


SCORES_PICTURE = "scores"


def render_score_chart(record: GameStatistics, view: View) -> tuple[Picture, str]:
    table = view.table
    names = [phrases.safe_name(name) for name in table.names]
    drawn = review_text.draw_score_chart(
        record, names, table.edition.winning_score, gettext("turn"), gettext("points")
    )
    text = review_text.describe_scores(record, names, gettext("Turn %(turn)s: %(points)s"))
    return Picture(SCORES_PICTURE, drawn, _chart_alt(record, view)), text


def _chart_alt(record: GameStatistics, view: View) -> str:
    found, table = review_text.summarize_scores(record), view.table
    if found is None:
        return gettext("The points of each player, turn by turn.")
    standing = (f"{phrases.name_or_you(table, seat, view.me)} {points}" for seat, points in found.standing)
    leaders = (phrases.name_or_you(table, seat, view.me) for seat in found.leaders)
    return gettext(
        "The points of each player, turn by turn. After turn %(turns)s: %(standing)s. In front since turn "
        "%(since)s: %(leaders)s.",
        turns=found.turns,
        standing=phrases.format_list(standing),
        since=found.since,
        leaders=phrases.format_list(leaders),
    )


def describe_highlights(
    record: GameStatistics, view: View, turn_names: Sequence[SeatNames] = ()
) -> list[str]:
    """Describe the longest march and the best levy; `turn_names`: see `name_seats_in_turn`."""
    found = []
    if march := record.longest:
        then = name_seats_in_turn(view, turn_names, march.turn)
        found.append(
            gettext(
                "The longest march: %(name)s in turn %(turn)s, via %(path)s, laying %(walls)s.",
                name=phrases.name_or_you(then.table, march.seat, then.me),
                turn=march.turn,
                path="-".join(map(str, march.path)),
                walls=phrases.format_walls(march.walls),
            )
        )
    if best := record.best:
        then = name_seats_in_turn(view, turn_names, best.turn)
        found.append(
            gettext(
                "The best levy: %(name)s in turn %(turn)s, with %(card)s, for %(points)s.",
                name=phrases.name_or_you(then.table, best.seat, then.me),
                turn=best.turn,
                card=phrases.a_card(best.card),
                points=phrases.format_points(best.gain),
            )
        )
    return found


# --- before the game ------------------------------------------------------------------------------------


def render_welcome(context: GameLetterContext) -> Letter:
    parts = LetterParts(rules=True, advice_first=True)
    return render_game_letter(LetterKind.WELCOME, context, parts, sections=_bot_sections(context))


def _bot_sections(context: GameLetterContext) -> tuple[LetterSection, ...]:
    lines = describe_bots(context.bots)
    return (LetterSection(gettext("Programs that play with you"), lines),) if lines else ()


# --- the reader's turn ----------------------------------------------------------------------------------


def render_your_turn(context: GameLetterContext) -> Letter:
    table = context.view.table
    plan = context.plan
    missed = explain_misfits(plan, table) if plan is not None and plan.is_missed(table) else ()
    parts = LetterParts(turn_rules=not table.walls, undone=tuple(missed))
    return render_game_letter(LetterKind.YOUR_TURN, context, parts, sections=_bot_sections(context))


def render_step(context: GameLetterContext) -> Letter:
    """Show the reader's unfinished turn: the actions so far and the choices now."""
    since = context.since
    begun = max((number + 1 for number, fact in enumerate(since) if isinstance(fact, TurnOver)), default=0)
    happened = ReportedEvents(since[_skip_refill(since, begun) :], since=())
    return render_game_letter(LetterKind.STEP, context, happened=happened)


def render_reminder(
    context: GameLetterContext, now: datetime, asked_by: int | None = None, *, home: bool = False
) -> Letter:
    """Remind the reader of their turn; `asked_by`: the nudging seat; `home`: the reader's first day back."""
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
    """Report the effects of a mail; `posted`: sentences about chat; `settled`: sentences about votes."""
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
    """Report that a mail was not played, and the reason; `proposed`: the question guesses at its meaning."""
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
    """Answer the requests of a mail; `unasked`: without requests, so the letter shows the position."""
    clauses = [one.done for one in sections if one.done]
    words, subject = {"clauses": clauses, "unasked": unasked}, done_subject(context, clauses)
    return render_game_letter(LetterKind.SHOWN, context, words=words, sections=sections, subject=subject)


def render_asked_back(made: AskedBackContext) -> Letter:
    """Ask the reader to confirm a mail; nothing is done before a "yes"."""
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
    """Report turns of others: the last turn first, then the earlier ones since the reader's own turn."""
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
    words = {"writers": chat_writers(context.messages)}
    return render_game_letter(LetterKind.MESSAGE, context, LetterParts(messages_first=True), words)


def render_digest(context: GameLetterContext) -> Letter:
    return render_game_letter(LetterKind.DIGEST, context)


def render_time_passed(context: GameLetterContext, seat: int, done: tuple[VisibleEvent, ...] = ()) -> Letter:
    """Report that `seat` ran out of time; `done` holds the caretaker's actions not in `since`."""
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
    """Announce the end of the game; `reviewed`: findings; `turn_names`: see `name_seats_in_turn`."""
    table, me = context.view.table, context.view.me
    won = table.winners or ()
    others = [phrases.safe_name(table.names[seat]) for seat in won if seat != me]
    chart, scores = render_score_chart(record, context.view)
    lines = [*describe_highlights(record, context.view, turn_names), *reviewed]
    parts = LetterParts(record=lines, scores=scores, scores_alt=chart.alt)
    words = {"won": me in won, "others": others, "why": standings.explain_end(table)}
    letter = render_game_letter(LetterKind.GAME_OVER, context, parts, words)
    return replace(letter, pictures=(*letter.pictures, chart))


def _untold_after(
    done: tuple[VisibleEvent, ...], since: tuple[VisibleEvent, ...]
) -> tuple[VisibleEvent, ...]:
    """Return the events of `since` that `done` does not contain.

    During the turn, `since` contains `done`. After it, `since` begins with the refill of the display, with
    which `done` ends.
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
    """Return the index at which a turn begins: after skipped turns and refills of the display (3.3)."""
    while begun < len(since) and isinstance(since[begun], CardOpened | SupplyRenewed | TurnSkipped):
        begun += 1
    return begun


def _seats(since: tuple[VisibleEvent, ...]) -> Iterator[tuple[int, int]]:
    done = ((at, fact) for at, fact in enumerate(since) if not isinstance(fact, TurnSkipped))
    yield from ((at, seat) for at, fact in done if (seat := getattr(fact, "seat", None)) is not None)
