"""Questions about the meaning of a mail, with numbered answers: the likely meanings first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from emails.i18n import gettext, gettext_noop
from emails.letters import game_letters
from emails.letters.parts import LONGEST_CHAT
from emails.names import plain_name
from emails.replies.clerk.proposals import ProposalKind
from emails.replies.grammars import is_chat_without_colon
from emails.replies.remarks import is_card_or_point
from emails.replies.reply_reader import Message
from emails.replies.time_requests.absences import DateQuestion, expected_days, read_absence, read_days_answer
from emails.replies.time_requests.clauses import Speaker, TopicGuess
from emails.replies.time_requests.guesses import guess_request
from emails.terms import ExpectedDays
from emails.wording.requests import (
    Request,
    RequestKind,
    VoteAnswer,
    VoteKind,
    request_word,
)
from emails.wording.texts import say
from engine.actions import NotOffered
from engine.notation.vocabulary import names_of
from server.inbox.mail_answers import MailRefusal, Outcome, Question, is_short
from server.inbox.received_mail import GameMail
from server.lobby import votes
from server.lobby.votes import NudgeRefused, VoteRefused
from server.store.event_log import GameNotRunning, require_started
from server.store.server_facts import VoteKey
from server.store.turn_clock import away_until

MOST_WAYS, MOST_READINGS = 7, 3
MOST_SHOWN, LONGEST_SHOWN = 6, 200
LAST_DAY = ExpectedDays()
"""A reply with a day alone states the last day of an absence that begins today."""
WORD = re.compile(r"[^\W_]+")
PAUSE_UNCLEAR = gettext_noop(
    "It is not certain until when: write the last day behind “%(word)s”, with its month, or a number of days."
)


class MeaningUnclear(Exception):
    """A mail may mean one of the `readings` or something else, so its sender is asked."""

    def __init__(self, readings: Sequence[Request] = (), doubt: DateQuestion | None = None) -> None:
        super().__init__(" ".join(one.kind for one in readings))
        self.readings = readings
        self.doubt = doubt


def ask_for_meaning(
    mail: GameMail, message: Message, readings: Sequence[Request] = (), doubt: DateQuestion | None = None
) -> Question:
    """Return the question about an unclear mail.

    `readings`: what the mail may mean, the likeliest first. `doubt`: why days away in it are unclear.
    """
    table = require_started(mail.history).position.table
    meant = tuple(dict.fromkeys((*(fit_request(mail, one) for one in readings), *_list_likely(mail))))
    meant = meant[:MOST_READINGS]
    words = " ".join((*message.lines, *message.rest))[:LONGEST_CHAT]
    chat = (f"{min(mail.lexicon.chat['say'], key=len)}: {words}",) if words and len(mail.names) > 1 else ()
    ways = tuple(dict.fromkeys((*meant, *list_ways(mail))))[: MOST_WAYS - len(chat)]
    questions = [say("absences.name_way", request=one, table=table, moves=mail.moves) for one in ways]
    is_talk = not meant and doubt is None
    told_by = 0 if not chat else 1 if is_talk else len(questions) + 1
    if chat:
        questions.insert(told_by - 1, gettext("Tell the others what I wrote"))
    letter = game_letters.AskedBack(
        tuple(line[:LONGEST_SHOWN] for line in message.lines[:MOST_SHOWN]),
        mail.ticket.after,
        chat=chat,
        asked=ways[:1],
        unproven=mail.is_unproven,
        is_unsealed=mail.is_unsealed,
        questions=tuple(questions),
        others=ways[1:],
        told_by=told_by,
        readings=len(meant) or int(told_by == 1),
        days=_expect_days(mail, doubt),
    )
    return Question(letter, repeated=is_short(message.lines))


def _expect_days(mail: GameMail, doubt: DateQuestion | None) -> ExpectedDays:
    days = LAST_DAY if doubt is None else expected_days(doubt)
    return mail.days if days == LAST_DAY and mail.days is not None else days  # an earlier first day is valid


def _list_likely(mail: GameMail) -> Iterator[Request]:
    """Yield what a mail may mean besides its words: a return, an answer to a vote."""
    with mail.context.reading() as session:
        if away_until(session, mail.person.player, mail.game.id, mail.now) is not None:
            yield Request(RequestKind.BACK)
        history = require_started(mail.history)
        for one in votes.unanswered_votes(session, mail.game, history, mail.seat, mail.now):
            if one.kind is not VoteKind.EMPTY_SEAT:
                yield from vote_ways(one.key)


def list_ways(mail: GameMail) -> Iterator[Request]:
    """Yield what the sender of a mail can request at the moment, the likeliest first."""
    history, game = require_started(mail.history), mail.game
    if history.is_vacant(mail.seat):
        yield Request(RequestKind.BACK)
    yield Request(RequestKind.AWAY)
    with mail.context.reading() as session:
        if mail.moves:
            with suppress(VoteRefused):
                votes.check_extension(session, game, history, mail.seat, mail.now)
                yield Request(RequestKind.MORE_TIME)
        asked = {one.kind for one in votes.list_votes(session, game, history, mail.now)}
        with suppress(VoteRefused):
            if history.agreements.is_paused:
                votes.check_pause_end(session, game, history, mail.seat, mail.now)
                yield Request(RequestKind.RESUME)
            elif VoteKind.PAUSE not in asked:
                votes.check_pause(game, history, None, mail.now)
                yield Request(RequestKind.PAUSE)
        with suppress(NudgeRefused, GameNotRunning):
            votes.find_nudged(session, game, history, mail.seat, mail.now)
            yield Request(RequestKind.NUDGE)
    if mail.seat not in history.resigned:
        yield Request(RequestKind.RESIGN)
    yield Request(RequestKind.NO_LETTERS)
    yield Request(RequestKind.WHEN)


def vote_ways(vote: VoteKey) -> tuple[Request, Request]:
    kind = RequestKind(vote[0])
    return Request(kind, VoteAnswer.YES), Request(kind, VoteAnswer.NO)


def find_vote_way(question: game_letters.AskedBack) -> VoteKey | None:
    """Return the vote that a question offers to answer; None if there is none."""
    for one in (*question.asked, *question.others):
        if one.about in (VoteAnswer.YES, VoteAnswer.NO):
            return VoteKind(one.kind), None
    return None


def ask_until_when(mail: GameMail) -> Question:
    assert mail.question is not None
    days = mail.question.days or LAST_DAY
    asked, questions = (Request(RequestKind.AWAY),), (say("absences.ask_until_when"),)
    return Question(
        game_letters.AskedBack((), mail.ticket.after, asked=asked, questions=questions, readings=0, days=days)
    )


def ask_instead(mail: GameMail, message: Message, why: MailRefusal) -> Outcome:
    """Return the question about an unreadable mail; the refusal `why` if the mail seems to have orders."""
    lines = (*message.lines, *message.rest)
    if _says_days(mail, lines):
        return ask_until_when(mail)
    does = message.chat or message.plans or any(line.orders for line in message.found)
    seems_order = why.proposed and why.understood != ProposalKind.OFFER
    is_cut = message.doubtful and message.doubt is None
    if mail.is_unproven or does or seems_order or is_cut or not WORD.search(" ".join(lines)):
        return why
    if _names_game(mail, message):
        return why
    guess = guess_meaning(mail, message)
    readings = guess.meanings or guess.absences
    if not readings and guess.doubt is None and any("?" in line for line in lines):
        readings = (Request(RequestKind.WHEN),)
    return ask_for_meaning(mail, message, readings, guess.doubt)


def _says_days(mail: GameMail, lines: Sequence[str]) -> bool:
    """True for a day with other words, such as "14 March, I think", in reply to a question about days."""
    days = None if mail.question is None else mail.question.days
    parts = lines[0].split(",") if len(lines) == 1 else []
    return days is not None and any(read_days_answer(one, mail.lexicon, days, mail.today) for one in parts)


def guess_meaning(mail: GameMail, message: Message) -> TopicGuess:
    table = require_started(mail.history).position.table
    own, mover = _words_of(mail.person.name), _words_of(table.names[table.seat])
    others = frozenset(word for name in table.names for word in _words_of(name)) - own
    speaker = Speaker(own, others, mover, mail.today, mail.history.agreements.is_paused)
    return guess_request([*message.lines, *message.rest], mail.lexicon, speaker)


def _words_of(name: str) -> frozenset[str]:
    return frozenset(plain_name(name).casefold().split())


def _names_game(mail: GameMail, message: Message) -> bool:
    if any(one.begins_like_order or is_chat_without_colon(one.words, mail.lexicon) for one in message.found):
        return True
    places = {name.casefold() for name in names_of(mail.board, mail.lexicon.orders).places}
    words = WORD.findall(" ".join((*message.lines, *message.rest)).casefold())
    refusals = (line.refusal for line in message.found if line.refusal is not None)
    hinted = any(one.did_you_mean or isinstance(one, NotOffered) for one in refusals) and is_short(words)
    return mail.moves and (hinted or any(one in places or is_card_or_point(one) for one in words))


def read_pause_end(mail: GameMail, request: Request) -> datetime | None:
    """Return when a requested pause ends; None if the request does not say so. Raises `VoteRefused`."""
    if not request.about:
        return None
    found = read_absence(request.about, mail.lexicon, mail.today)
    if isinstance(found, DateQuestion):
        raise VoteRefused(gettext(PAUSE_UNCLEAR, word=request_word(RequestKind.PAUSE)))
    return datetime.combine(found.last + timedelta(days=1), time(), mail.zone).astimezone(UTC)


def fit_request(mail: GameMail, request: Request) -> Request:
    """Return a request; without its last day, if the request is for a pause that cannot end on that day."""
    if request.kind is not RequestKind.PAUSE or request.about in ("", VoteAnswer.YES, VoteAnswer.NO):
        return request
    with suppress(VoteRefused):
        until = read_pause_end(mail, request)
        votes.check_pause(mail.game, require_started(mail.history), until, mail.now)
        return request
    return replace(request, about="")
