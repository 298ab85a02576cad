"""Mails about time on the road that every mail goes: nothing is done wrongly, most is right, or after a yes.

For each mail a game of its players begins in which the right one is to move, as the mail says; what is found
afterwards in the database and in the answer is told as verdicts.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import cache
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlmodel import Session, col, select

from emails.letters import game_letters
from emails.names import fold_accents
from emails.terms import AbsenceRule
from emails.wording.requests import Request, RequestKind, VoteAnswer, VoteKind
from engine.board import Board
from engine.notation.orders import spell_out
from engine.plans import CardOpen, Condition, ProvinceFree
from server.commands import Actor, GoAway
from server.delivery.sending import send_due_letters
from server.lobby.votes import VoteRefused, ask_extension, ask_pause
from server.outbox.notifications import decode_row
from server.outbox.queue import open_unit
from server.store import load_boards
from server.store.game_terms import SeatRequest
from server.store.models import Act, IncomingMail, OutgoingLetter, Seating, StoredPlan
from server.store.server_facts import GameTerms
from server.store.states import Channel, MailState
from server.turns.play import read_plan
from tests.days.corpus import CONTROL, HERE, SEEN, UNSEEN, Grade, Kind, Mail, Try, Verdict, grade, load, seen
from tests.emails.replies.clerk import USELESS
from tests.server.desk import NOON, Collector, Desk, desk
from tests.server.inbox.test_mail_dispatch import answering, take

OCCUPIED_THERE = re.compile(r"(march ([^;]+); occupy) \2(?=;|$)")
BARE_CARD = re.compile(r"^(?:choose|play) ")
AN_HOUR = timedelta(hours=1)
PENDING = {Kind.MORE_TIME: VoteKind.MORE_TIME, Kind.PAUSE: VoteKind.PAUSE}
"""What is voted on by yes or no."""


def is_there(mail: Mail) -> bool:
    """Whether what a mail asks for, or answers, can be asked for at all."""
    if mail.pending is not None and mail.pending.kind not in PENDING:
        return False
    return mail.writer in mail.players and not any(_is_about_seat(mail, one) for one in _told_of(mail))


def _told_of(mail: Mail) -> tuple[Verdict, ...]:
    """What a mail asks for, and what the others were asked before."""
    return mail.verdicts if mail.pending is None else (*mail.verdicts, mail.pending)


def _is_about_seat(mail: Mail, one: Verdict) -> bool:
    """Whether it is about an empty seat, on which a number decides, or about a certain substitute."""
    if one.kind is Kind.SUBSTITUTE:
        return one.by is not None or one.who != mail.writer
    return one.kind in (Kind.GO_ON_WITHOUT, Kind.END)


@cache
def _seats(players: tuple[str, ...], turn: str) -> tuple[str, ...]:
    """The players in such an order that the right one begins."""
    for order in permutations(players):
        with TemporaryDirectory() as folder:
            context = desk(Path(folder))
            game = _open(context, order, NOON)
            if context.mover(game) == turn:
                return order
            context.database.dispose()
    raise AssertionError(players)


def _open(context: Desk, players: tuple[str, ...], now: datetime, hours: int = 96) -> str:
    requests = [SeatRequest.read(f"{name} <{_place(name)}@example.org>") for name in players]
    context.rng = random.Random(1)
    terms = GameTerms(absence=AbsenceRule.TURN)
    return context.open_game("Friday", requests, now, hours=hours, at_once=True, terms=terms)


def _place(name: str) -> str:
    """The part of an address before the @."""
    return fold_accents(name).lower().replace(" ", "-")


def travel(mail: Mail, answer: str = "") -> tuple[tuple[Verdict, ...], game_letters.AskedBack | None]:
    """What becomes of a mail, or of `answer` as a reply to the question about it; and that question."""
    with TemporaryDirectory() as folder:
        context, mails = desk(Path(folder)), Collector()
        game = _begin(context, mails, mail)
        before = _last_numbers(context)
        _send(context, mails, game, mail)
        if answer:
            send_due_letters(context, mails, mail.now)
            mail = replace(mail, now=mail.now + AN_HOUR, body=answer, subject=None, moves=None)
            before = _last_numbers(context)
            _send(context, mails, game, mail)
        found, question = _find(context, game, mail, before), _asked(context, before[0])
        context.database.dispose()
    return found, question


def _find(context: Desk, game: str, mail: Mail, before: tuple[int, int]) -> tuple[Verdict, ...]:
    with context.reading() as session:
        told = (*_told(session, game, mail, before[0]), *_done(session, mail, before[1]))
    done = {one.kind for one in told} - {Kind.TALK, Kind.NONE}
    return tuple(one for one in dict.fromkeys(told) if not done or one.kind in done)


def _asked(context: Desk, last: int) -> game_letters.AskedBack | None:
    """The question of the letters behind this number."""
    letters = context.rows_of(OutgoingLetter, col(OutgoingLetter.id) > last)
    contents = [decode_row(one) for one in letters]
    return next((one for one in contents if isinstance(one, game_letters.AskedBack)), None)


def _begin(context: Desk, mails: Collector, mail: Mail) -> str:
    """A game as the mail finds it, whose letters have left."""
    asked = mail.now - AN_HOUR
    began = asked - (26 if mail.paused else 2) * AN_HOUR  # after a day anybody may end a pause
    nudges = any(one.kind is Kind.NUDGE for one in _told_of(mail))  # from half of the time on
    hours = 6 if nudges else 96
    game = _open(context, _seats(mail.players, mail.turn), began, hours)
    for name in mail.players:
        context.set_preferences(game, name, language=mail.language, zone=str(mail.now.tzinfo), now=began)
    if any(one.kind is Kind.BACK for one in mail.verdicts):  # who returns was away
        with open_unit(context, began) as unit:
            actor = Actor(context.player_of(game, context.seat_of(game, mail.writer)), Channel.REPLY, game)
            GoAway(mail.now.date() + timedelta(days=5), began.date()).perform(unit, actor)
            unit.commit()
    send_due_letters(context, mails, began)
    if mail.paused:
        _ask(context, game, mail.players, Kind.PAUSE, began + AN_HOUR)
    if mail.pending and mail.pending.kind in PENDING:
        assert mail.pending.who is not None
        _ask(context, game, (mail.pending.who,), mail.pending.kind, asked)
    send_due_letters(context, mails, asked)
    return game


def _ask(context: Desk, game: str, names: Iterable[str], kind: Kind, now: datetime) -> None:
    ask = ask_pause if kind is Kind.PAUSE else ask_extension
    for name in names:
        with open_unit(context, now) as unit, suppress(VoteRefused):
            ask(unit, game, context.seat_of(game, name), Channel.REPLY)
            unit.commit()


def _last_numbers(context: Desk) -> tuple[int, int]:
    """Of the last letter and of the last act before the mail."""
    return max(context.rows_of(OutgoingLetter.id), default=0), max(context.rows_of(Act.seq), default=0)


def _send(context: Desk, mails: Collector, game: str, mail: Mail) -> None:
    answered = mails.to(_place(mail.writer))[-1]
    body = mail.body
    if mail.moves is not None:  # a turn that can be played there
        body = body.replace(mail.moves, "; ".join(context.turn_words(game)))
    made = answering(answered, body, Message_ID="<the-mail@example.org>")
    if mail.subject:
        made.replace_header("Subject", mail.subject)
    take(context, made, mail.now)


# --- what is found afterwards ---------------------------------------------------------------------------


def _told(session: Session, game: str, mail: Mail, last: int) -> Iterator[Verdict]:
    *_, taken = session.exec(select(IncomingMail).order_by(col(IncomingMail.id)))
    if taken.state == MailState.IGNORED:
        yield Verdict(Kind.NONE)
    assert taken.state != MailState.WAITING, mail.id
    seat = session.exec(select(Seating.seat).where(Seating.game == game, Seating.name == mail.writer)).one()
    letters = select(OutgoingLetter).where(
        OutgoingLetter.seat == seat, col(OutgoingLetter.answers).is_not(None)
    )
    for letter in session.exec(letters.where(col(OutgoingLetter.id) > last)):
        match decode_row(letter):
            case game_letters.AskedBack() as content:
                yield Verdict(Kind.ASK, about=" ".join(content.lines))
            case game_letters.Refused() as content if not content.undone:
                yield Verdict(Kind.NONE)
            case game_letters.Refused() as content:
                is_plain = any(words in content.sentence for words in USELESS)
                asks = content.question is not None or not (content.understood or is_plain)
                yield Verdict(Kind.ASK if asks else Kind.TALK, about=content.sentence)
            case game_letters.Answer() | game_letters.Shown() as content:
                for one in content.asked:
                    yield from _request(session, game, seat, mail, one)
            case _:
                pass


def _request(session: Session, game: str, seat: int, mail: Mail, one: Request) -> Iterator[Verdict]:
    """What somebody is shown who has asked for it, or whose word has done it."""
    match one.kind:
        case RequestKind.AWAY:
            first, _, last = one.about.partition(" - ")
            yield Verdict(Kind.AWAY, (date.fromisoformat(first),), (date.fromisoformat(last),))
        case RequestKind.REST:
            yield Verdict(Kind.REST)
        case RequestKind.BACK:
            yield Verdict(Kind.BACK)
        case RequestKind.WHEN:
            own = mail.turn == mail.writer
            yield Verdict(Kind.DEADLINE) if own else Verdict(Kind.WHEN, who=mail.writer)
        case RequestKind.NO_PLAN:
            yield Verdict(Kind.UNPLAN)
        case RequestKind.PLAN:
            plan = session.get(StoredPlan, (game, seat))
            yield Verdict(Kind.SHOW_PLAN) if plan is None else Verdict(Kind.PLAN, tries=_tries(plan.words))
        case RequestKind.NUDGE:
            yield Verdict(Kind.NUDGE, who=mail.turn)
        case RequestKind.MORE_TIME | RequestKind.PAUSE | RequestKind.RESUME | RequestKind.RESIGN:
            pass  # the acts tell
        case _:
            yield Verdict(Kind.ASK, about=one.kind)


def _done(session: Session, mail: Mail, last: int) -> Iterator[Verdict]:
    """What the writer did in the game, by its acts; what was played is not judged."""
    asked = mail.pending
    for act in session.exec(select(Act).where(col(Act.seq) > last)):
        facts = json.loads(act.events)
        for fact in facts:
            match fact["type"]:
                case "vote_cast" if fact["answer"] == VoteAnswer.NO:
                    yield Verdict(Kind.REFUSE, about=next(k for k, v in PENDING.items() if v == fact["vote"]))
                case "vote_cast" if asked is not None and PENDING.get(asked.kind) == fact["vote"]:
                    kind = asked.kind
                    granted = kind is Kind.MORE_TIME
                    yield (Verdict(Kind.GRANT, who=mail.turn) if granted else Verdict(Kind.AGREE, about=kind))
                case "vote_cast" if "until" in fact:
                    last = datetime.fromisoformat(fact["until"]).astimezone(mail.now.tzinfo) - AN_HOUR
                    yield Verdict(Kind.PAUSE, ends=(last.date(),))
                case "vote_cast":
                    yield Verdict(Kind(fact["vote"].replace(" ", "-")))
                case "time_withdrawn":
                    yield Verdict(Kind.REFUSE, about=Kind.MORE_TIME)
                case "time_added" if mail.turn == mail.writer:
                    yield Verdict(Kind.MORE_TIME)
                case "time_added":
                    yield Verdict(Kind.GRANT, who=mail.turn)
                case "game_resumed":
                    yield Verdict(Kind.RESUME)
                case "seat_resigned":
                    offered = any(one["type"] == "seat_offered" for one in facts)
                    looks = offered and any(one.kind is Kind.SUBSTITUTE for one in mail.verdicts)
                    yield Verdict(Kind.SUBSTITUTE, who=mail.writer) if looks else Verdict(Kind.RESIGN)
                case _:
                    pass


def without_amounts(one: Verdict, asked: Iterable[Verdict]) -> Verdict:
    """A wish without an amount of time, for a turn gets a day, and a pause without an end not asked about."""
    if one.kind not in (Kind.MORE_TIME, Kind.GRANT, Kind.PAUSE):
        return one
    named = [other for other in asked if other.kind is one.kind]
    ends = one.ends if any(other.ends for other in named) else ()
    return replace(one, hours=None, starts=(), ends=ends)


def without_defaults(one: Verdict) -> Verdict:
    """A verdict without what is so by itself: hours, whence a card comes, what is occupied."""
    tries = (
        replace(each, turn=OCCUPIED_THERE.sub(r"\1", BARE_CARD.sub("", each.turn))) for each in one.tries
    )
    return replace(one, hours=None, tries=tuple(tries))


def _tries(words: str) -> tuple[Try, ...]:
    (board,) = load_boards().values()
    return tuple(
        Try(
            tuple(_say_condition(each, board) for each in one.conditions),
            "; ".join(spell_out(order, board) for order in one.orders),
        )
        for one in read_plan(words, board).alternatives
    )


def _say_condition(condition: Condition, board: Board) -> str:
    match condition:
        case CardOpen(card):
            return f"display {card.value}"
        case ProvinceFree(place):
            return f"free {board.names[place]}"


# --- how mails are judged -------------------------------------------------------------------------------

FLOORS = {"away": 0.8, "back": 0.75, "hours": 0.7, "time": 0.5, "pause": 0.6, "when": 0.95, "traps": 0.85}
FLOORS |= {"nudge": 0.9, "plan": 0.66, "seats": 0.65}
"""For each topic how many are done right or asked about fittingly, at least; of others nothing is asked."""
SETTLED = {"away": 0.9, "back": 0.95, "hours": 0.9, "time": 0.95, "pause": 0.95, "nudge": 0.95}
SETTLED |= {"plan": 0.66, "seats": 0.8}
"""For each topic how many are so, or right by another line of the menu, at least."""
TOPICS = sorted({mail.id.partition("-")[0] for mail in SEEN})
UNSEEN_SETTLED, UNSEEN_USELESS, UNSEEN_WRONG = 0.83, 0.03, 1
"""Of the other half: how many are settled at least, and refused uselessly or done wrongly at most."""
ONCE_SEEN = {f"new-en-00{number}" for number in range(1, 5)}
"""Mails of the unseen half that a maker of the reader has seen: they do not count."""
FRESH = tuple(mail for mail in load(HERE / "fresh") if mail.id not in ONCE_SEEN)
FRESH_SETTLED, FRESH_USELESS, FRESH_MENU = 0.9, 0.01, 0.1
"""Of later mails of another hand: how many are settled at least, and useless or left to the menu at most."""


class Outcome(StrEnum):
    """What became of a mail, beside what a careful clerk would have done."""

    RIGHT = "right"
    ASKED = "asked fittingly"
    PROPOSED = "a number does it"
    """Asked with a question one of whose first lines does all that was right, and nothing else."""
    MENU = "the menu does it"
    """Asked with a question one of whose other lines, or an answer with the days, does all that was right."""
    TOLD = "the menu tells the others"
    """Nothing was asked for, and a number of the menu passes the words on."""
    HELPED = "refused helpfully"
    USELESS = "refused uselessly"
    WRONG = "done wrongly"
    NOT_THERE = "not there yet"


@dataclass(frozen=True, slots=True)
class Judged:
    """A mail and what became of it."""

    mail: Mail
    found: tuple[Verdict, ...]
    outcome: Outcome


def judge(mail: Mail) -> Judged:
    """What becomes of a mail; nobody outside the game has a way to write to it yet."""
    if mail.writer not in mail.players:
        return Judged(mail, (), Outcome.NOT_THERE)
    found, question = travel(mail)
    plain = replace(mail, verdicts=tuple(map(without_defaults, mail.verdicts)))
    match grade(plain, tuple(map(without_defaults, found))):
        case Grade.WRONG:
            outcome = Outcome.WRONG
        case _ if not is_there(mail):
            outcome = Outcome.NOT_THERE
        case Grade.RIGHT:
            outcome = Outcome.ASKED if any(one.kind is Kind.ASK for one in found) else Outcome.RIGHT
        case Grade.ASKED if question is not None:
            outcome = _try_answers(mail, question)
        case Grade.ASKED:
            outcome = Outcome.HELPED
        case _:
            outcome = Outcome.USELESS
    return Judged(mail, found, outcome)


WAYS = {kind: RequestKind(kind.replace("-", " ")) for kind in (Kind.AWAY, Kind.BACK, Kind.MORE_TIME)}
WAYS |= {kind: RequestKind(kind) for kind in (Kind.PAUSE, Kind.RESUME, Kind.NUDGE, Kind.RESIGN, Kind.WHEN)}
WAYS |= {Kind.DEADLINE: RequestKind.WHEN, Kind.GRANT: RequestKind.MORE_TIME, Kind.UNPLAN: RequestKind.NO_PLAN}
WAYS |= {Kind.SHOW_PLAN: RequestKind.PLAN, Kind.REST: RequestKind.REST}


def _try_answers(mail: Mail, question: game_letters.AskedBack) -> Outcome:
    """What the numbers of a question do that can be meant."""
    wanted = {WAYS.get(one.kind) for one in (*mail.verdicts, *mail.also)}
    votes = {one.kind for one in mail.verdicts} & {Kind.AGREE, Kind.GRANT, Kind.REFUSE}
    for number in range(1, len(question.questions) + 1):
        chosen = question.choose(number)
        assert chosen is not None
        if not chosen.asked:
            continue
        way = chosen.asked[0]
        is_answer = bool(votes) and way.about in ("yes", "no")
        if (is_answer or way.kind in wanted) and _does_right(
            mail, str(number) if question.questions else "yes"
        ):
            return Outcome.PROPOSED if number <= question.readings else Outcome.MENU
    if not question.questions and _does_right(mail, "yes"):
        return Outcome.PROPOSED
    for one in mail.verdicts:
        if one.ends and question.days is not None:
            first = one.starts[0] if one.starts else mail.now.date()
            if _does_right(mail, f"away {first} - {one.ends[0]}"):
                return Outcome.MENU
    if question.told_by and any(one.kind is Kind.TALK for one in mail.verdicts):
        return Outcome.PROPOSED if question.told_by <= question.readings else Outcome.TOLD
    return Outcome.HELPED


def _does_right(mail: Mail, answer: str) -> bool:
    """Whether an answer to what was asked did what was right; the question told how much of it there is."""
    agreed, _ = travel(mail, answer)
    verdicts, also = (
        tuple(without_amounts(one, agreed) for one in some) for some in (mail.verdicts, mail.also)
    )
    plain = replace(mail, verdicts=tuple(map(without_defaults, verdicts)), also=also)
    return grade(plain, tuple(map(without_defaults, agreed))) is Grade.RIGHT


def share_right(counts: Counter[Outcome]) -> float:
    """How many are done right, or asked about fittingly, of those whose wish is there."""
    there = counts.total() - counts[Outcome.NOT_THERE]
    right = (Outcome.RIGHT, Outcome.ASKED, Outcome.PROPOSED, Outcome.TOLD)
    return sum(counts[one] for one in right) / there


def share_settled(counts: Counter[Outcome]) -> float:
    """How many are done right or asked about fittingly, or done right by another line of the menu."""
    there = counts.total() - counts[Outcome.NOT_THERE]
    return share_right(counts) + counts[Outcome.MENU] / there


def outcomes(mails: Iterable[Mail]) -> tuple[Counter[Outcome], list[str]]:
    """How many mails became what, and which were done wrongly."""
    judged = [judge(mail) for mail in mails]
    wrong = [one.mail.id for one in judged if one.outcome is Outcome.WRONG]
    return Counter(one.outcome for one in judged), wrong


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_is_read_as_its_verdicts_say(topic):
    counts, wrong = outcomes(mail for mail in SEEN if mail.id.startswith(f"{topic}-"))
    assert wrong == []
    assert share_right(counts) >= FLOORS.get(topic, 0), counts
    assert share_settled(counts) >= SETTLED.get(topic, 0), counts


def test_mails_of_other_hands_are_read_as_well():
    counts, wrong = outcomes(CONTROL)
    assert wrong == []
    assert share_right(counts) >= 0.6, counts
    assert share_settled(counts) >= 0.88, counts


def test_mails_that_no_reader_was_made_for_are_read_nearly_as_well():
    """Nothing but totals is told of them."""
    counts, wrong = outcomes(UNSEEN)
    there = counts.total() - counts[Outcome.NOT_THERE]
    assert share_settled(counts) >= UNSEEN_SETTLED
    assert counts[Outcome.USELESS] <= UNSEEN_USELESS * there
    assert len(wrong) <= UNSEEN_WRONG


@pytest.mark.parametrize("half", [True, False], ids=["seen", "unseen"])
def test_later_mails_are_settled_by_a_number(half):
    """Failures show totals only, so that unseen mails stay unread."""
    counts, wrong = outcomes(mail for mail in FRESH if seen(mail) is half)
    there = counts.total() - counts[Outcome.NOT_THERE]
    assert len(wrong) == 0
    assert share_settled(counts) >= FRESH_SETTLED, counts
    assert counts[Outcome.USELESS] <= FRESH_USELESS * there, counts
    assert counts[Outcome.MENU] + counts[Outcome.TOLD] <= FRESH_MENU * there, counts
