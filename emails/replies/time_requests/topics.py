"""What a mail about time most likely asks for that is not understood to the last word.

A topic is told by words of a few kinds that stand together in one clause, whatever stands around them. What
is past, somebody else's, negated or quoted asks for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from emails.languages.lexicon import Lexicon
from emails.replies.dates.absences import Period, read_absence
from emails.replies.remarks.classification import is_device_line
from emails.replies.time_requests.absence_topics import (
    read_away,
    read_back,
    read_days_alone,
    read_rest,
)
from emails.replies.time_requests.plain_guesses import SHOWING, is_plain
from emails.replies.time_requests.request_sentences import (
    RequestSentence,
    cut_sentences,
    has,
    places_of,
)
from emails.replies.time_requests.topic_clauses import TopicClause, cut_clauses, without_quotations
from emails.replies.time_requests.topic_mail import Speaker, TopicGuess, TopicMail
from emails.wording.requests import Request, RequestKind

POINT = re.compile(r"[a-z]\d{1,2}")


def guess_request(lines: Sequence[str], lexicon: Lexicon, speaker: Speaker) -> TopicGuess | None:
    """What the lines of a mail most likely ask for about time; None where they speak of nothing of it."""
    own = [one for at, one in enumerate(lines) if not (at and is_device_line(one))]
    sentences = cut_sentences(without_quotations(own))
    if not sentences:
        return None
    names = speaker.own | speaker.others
    sentences = [one for one in sentences if not _greets(one, lexicon)]
    told = [one for one in sentences if not _names_game(one.words, lexicon)]
    mail = TopicMail(cut_clauses(told, lexicon, names), lexicon, speaker)
    if any(has(one.sentence, lexicon.topics.idle) for one in mail.clauses):
        return None
    found = [guess for read in READERS if (guess := read(mail)) is not None]
    if not found and (likely := read_days_alone(mail)) is not None:
        found = [likely]
    whole = [one for one in found if one.meanings]
    if not whole or (not found[0].meanings and all(map(_shows, whole))):
        return found[0] if found else None
    if whole[0].meanings[0].kind is RequestKind.REST and (apart := _told_apart(whole)):
        whole = apart
    first = whole[0]
    if len(first.meanings) > 1:
        return first
    if _shows(first):
        return replace(first, plain=is_plain(mail, first))
    others = [one for guess in whole[1:] if not _shows(guess) for one in guess.meanings[:1]]
    every = tuple(dict.fromkeys((*first.meanings, *others)))[:2]
    alone = all(map(_shows, whole[1:])) and len(whole) == len(found) and len(told) == len(sentences)
    return replace(first, meanings=every, plain=alone and is_plain(mail, first))


def _greets(sentence: RequestSentence, lexicon: Lexicon) -> bool:
    """Whether a sentence wishes others something, and tells nothing of its writer."""
    return has(sentence.words, lexicon.topics.greeting) and not has(sentence.words, lexicon.topics.own)


def _names_game(words: str, lexicon: Lexicon) -> bool:
    """Whether words name a card or a point of the board, or what is done with cards, as orders do."""
    orders, said = lexicon.orders, words.split()
    ordered = not orders.cards.isdisjoint(said) and not orders.verbs.keys().isdisjoint(said)
    return ordered or any(one in orders.symbols or POINT.fullmatch(one) for one in said)


def _told_apart(guesses: Sequence[TopicGuess]) -> list[TopicGuess]:
    """The guesses after the first that are told in other sentences than it."""
    sentences = {one.sentence for one in guesses[0].told}
    return [
        one for one in guesses[1:] if one.told and sentences.isdisjoint(each.sentence for each in one.told)
    ]


def _shows(guess: TopicGuess) -> bool:
    return guess.meanings[0].kind in SHOWING


# --- the plan, and who is to move -----------------------------------------------------------------------


def _read_plan(mail: TopicMail) -> TopicGuess | None:
    own = mail.words
    for one in mail.all:
        if not has(one.words, own.plan):
            continue
        if _asks_to_see(mail, one) and (one.asks or not has(one.words, own.dropping)):
            return TopicGuess((Request(RequestKind.PLAN),), told=(one,))
        if has(one.words, own.dropping) and not has(one.words, own.past):
            return TopicGuess((Request(RequestKind.NO_PLAN),), told=(one,))
    return None


def _asks_to_see(mail: TopicMail, one: TopicClause) -> bool:
    """Whether a clause asks to be shown something: what it tells of it asks for nothing."""
    own = mail.words
    begins = any(at == 0 for at in places_of(one.words, (*own.showing, *own.inquiring)))
    return has(one.words, own.showing) and (one.asks or begins or has(one.words, own.wish))


def _read_nudge(mail: TopicMail) -> TopicGuess | None:
    own, speaker = mail.words, mail.speaker
    if speaker.moves:
        return None
    for one in sorted(mail.clauses, key=lambda one: not has(one.words, own.wish)):
        named = mail.names(one.sentence) & speaker.mover
        if not named and next(places_of(one.words, own.nudging), 2) < 2:
            named = mail.names(one.words) & speaker.others  # who is not to move: the answer says who is
        who = named or has(one.sentence, own.mover)
        if not who or not has(one.words, own.nudging) or mail.negated(one, own.nudging, behind=False):
            continue
        asked = has(one.sentence, own.wish) or named & set(one.words.split()) or has(one.words, own.mover)
        if asked and not (mail.names(one.sentence) & speaker.others - named):
            return TopicGuess((Request(RequestKind.NUDGE, " ".join(sorted(named))),), told=(one,))
    return None


def _read_when(mail: TopicMail) -> TopicGuess | None:
    own = mail.words
    for one in mail.clauses:
        begins = any(at < 2 for at in places_of(one.words, own.asking)) and not _tells_when(mail, one)
        asks = one.asks or begins or has(one.sentence, own.wish)
        about = has(one.words, own.turn) and (
            mail.tells_own(one) or (begins and not mail.is_others(one.words))
        )
        longer = has(one.words, (*own.late, *own.more)) and not begins
        beside = longer or mail.names(one.words) & mail.speaker.others
        if asks and about and has(one.sentence, own.asking) and not beside:
            return TopicGuess((Request(RequestKind.WHEN),), told=(one,))
    return None


def _tells_when(mail: TopicMail, one: TopicClause) -> bool:
    """Whether "when" is rather told than asked for: "that's when I play"."""
    return has(one.words, mail.words.telling_when) and not one.asks


# --- what is asked of all -------------------------------------------------------------------------------


def _read_more_time(mail: TopicMail) -> TopicGuess | None:
    own, speaker = mail.words, mail.speaker
    for one in mail.clauses:
        if not _asks_time(mail, one) or has(one.sentence, own.leaving_game):  # "not any more" is no more time
            continue
        if speaker.moves:
            if mail.names(one.words) & speaker.others and not mail.tells_own(one):
                return None
            return TopicGuess((Request(RequestKind.MORE_TIME),), told=(one,))
        wants = has(one.sentence, own.wish) or has(one.sentence, own.extending)
        named = mail.names(" ".join(each.words for each in mail.all)) & speaker.mover
        if (named or has(one.words, own.mover)) and wants:
            return TopicGuess((Request(RequestKind.MORE_TIME),), told=(one,))
    return None


def _asks_time(mail: TopicMail, one: TopicClause) -> bool:
    own, words = mail.words, one.words
    denied = mail.negated(one, own.more) and not has(words, own.late)
    if denied or has(words, own.asking) or mail.negated(one, own.need):
        return False
    if has(words, own.late) and mail.negated(one, own.late):
        return mail.speaker.moves
    wants = has(one.sentence, own.wish) or has(one.sentence, own.need) or _is_short(one)
    if has(words, own.until_when):
        return bool(mail.dates_of(words))
    if has(words, own.extending) and (has(words, own.extended) or _is_short(one)):
        return not mail.negated(one, own.extending) and (wants or mail.tells_own(one))
    return has(words, own.more) and has(words, own.time) and wants


def _is_short(clause: TopicClause) -> bool:
    return len(clause.sentence.split()) <= 9


def _read_pause(mail: TopicMail) -> TopicGuess | None:
    own = mail.words
    for one in mail.clauses:
        whole = has(one.sentence, own.game) or _is_short(one)
        if mail.speaker.paused:
            ends = has(one.words, own.pausing) and has(one.words, own.over)
            goes = has(one.words, own.resuming) and not mail.negated(one, own.resuming)
            if ends or (goes and (whole or has(one.sentence, own.wish))):
                return TopicGuess((Request(RequestKind.RESUME),), told=(one,))
            continue
        asked = has(one.words, own.pausing) and not mail.negated(one, own.pausing, behind=False)
        told = mail.is_own(one) or has(one.words, own.wish)
        if asked and told and whole:
            last = _find_end(mail)
            about = "" if last is None else last.isoformat()
            return TopicGuess((Request(RequestKind.PAUSE, about),), told=(one,))
    return None


def _find_end(mail: TopicMail) -> date | None:
    """The last day of a pause, where all days that are told end with one."""
    runs = [run for one in mail.clauses for run in mail.dates_of(one.words)]
    days = [read_absence(run, mail.lexicon, mail.speaker.today) for run in runs]
    ends = {one.last if isinstance(one, Period) else None for one in days}
    return ends.pop() if len(ends) == 1 else None


# --- who leaves -----------------------------------------------------------------------------------------


def _read_seat(mail: TopicMail) -> TopicGuess | None:
    own, leaving = mail.words, (*mail.words.leaving_game, *mail.words.stopping)
    for one in mail.clauses:
        whole = replace(one, words=one.sentence)  # a clause begins at what is wanted: "I want | to stop"
        if mail.names(one.sentence) & mail.speaker.others or mail.negated(whole, leaving, behind=False):
            continue
        if has(whole.words, own.stopping) and not has(whole.words, own.turn):
            return TopicGuess((Request(RequestKind.RESIGN),))
        if has(whole.words, own.leaving_game) and mail.is_own(whole):
            return TopicGuess((Request(RequestKind.RESIGN),))
        if has(one.words, own.taking_over) and (has(one.words, own.wish) or mail.tells_own(one)):
            return TopicGuess((Request(RequestKind.RESIGN),))
    return None


READERS: tuple[Callable[[TopicMail], TopicGuess | None], ...] = (
    *(
        _read_plan,
        _read_nudge,
        _read_pause,
        _read_more_time,
        read_rest,
    ),
    *(read_back, read_away, _read_when, _read_seat),
)
"""In the order in which one topic goes before another."""
