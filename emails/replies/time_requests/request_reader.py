"""What a mail in sentences asks for about time: done where it is certain, asked about where it is not.

A request is certain where every word of its sentence is known, and nothing there or beside it negates,
doubts, asks, or speaks of somebody else or of what has passed. Of absence told in other words too its days
are put to its writer. What is no request stays what it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from emails.languages.dates import DateRole
from emails.languages.lexicon import Lexicon
from emails.languages.toml_tables import Phrases
from emails.replies.dates.date_tokens import read_tokens
from emails.replies.dates.periods import DateQuestion
from emails.replies.remarks.footers import is_device_line
from emails.replies.time_requests.absence_topics import HOUR
from emails.replies.time_requests.plain_guesses import SHOWING
from emails.replies.time_requests.request_sentences import (
    Remainder,
    RequestSentence,
    begins,
    cut_sentences,
    holds,
    take_out,
)
from emails.replies.time_requests.speakers import Speaker
from emails.replies.time_requests.told_sentences import (
    ToldSentence,
    are_certain,
    counts_beside,
    may_be_weekly,
    read_days_away,
    tells_return,
)
from emails.replies.time_requests.topic_clauses import has, without
from emails.replies.time_requests.topic_mail import is_named
from emails.wording.requests import Request, RequestKind


@dataclass(frozen=True, slots=True)
class TimeRequests:
    """What a mail asks for about time."""

    requests: tuple[Request, ...] = ()
    certain: bool = True
    """Whether it is done without a question."""
    question: DateQuestion | None = None
    """What is to be asked about the days on which its writer is away."""
    unclear: RequestKind | None = None
    """What it seems to be about, where not even a proposal can be made."""


def read_time_requests(lines: Sequence[str], lexicon: Lexicon, speaker: Speaker) -> TimeRequests | None:
    """What the lines of a mail ask for about time; None where they ask for nothing of it."""
    sentences = cut_sentences([one for at, one in enumerate(lines) if not (at and is_device_line(one))])
    if not sentences or seems_automatic(lines, lexicon):
        return None
    told = [_read_sentence(one, lexicon, speaker) for one in sentences]
    found = [one for one in told if one.kind is not None]
    if not found:
        return None
    quiet = all(one.quiet for one in told if one.kind is None)
    requests: list[Request] = []
    certain = quiet
    for one in found:
        if one.kind is not RequestKind.AWAY and one.kind is not None:
            requests.append(Request(one.kind, one.about))
            certain = certain and one.certain
    away = [one for one in told if one.kind is RequestKind.AWAY or (one.kind is None and one.dates)]
    if any(one.kind is RequestKind.AWAY for one in away):
        days = read_days_away(away, lexicon, speaker)
        if isinstance(days, DateQuestion):
            return TimeRequests(question=days, unclear=RequestKind.AWAY)
        requests.append(Request(RequestKind.AWAY, f"{days.first} - {days.last}"))
        certain = certain and all(one.certain for one in away) and are_certain(days, told, lexicon)
    if any(one.kind in WITH_TIME for one in requests):
        certain = certain and all(one.empty for one in told)
    elif not any(one.kind is RequestKind.AWAY for one in told):
        certain = certain and not any(counts_beside(one) for one in told)
    several = dict.fromkeys(requests)
    certain = certain and len({one.kind for one in several}) == len(several)
    shown = all(one.kind in SHOWING for one in requests)
    return TimeRequests(
        tuple(dict.fromkeys(requests)), certain or (shown and all(one.certain for one in found))
    )


def seems_automatic(lines: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether lines hold what programs write that answer by themselves."""
    return any(holds(" ".join(line.casefold().split()), lexicon.time_requests.automatic) for line in lines)


# --- a sentence -----------------------------------------------------------------------------------------


def _read_sentence(sentence: RequestSentence, lexicon: Lexicon, speaker: Speaker) -> ToldSentence:
    words, own = sentence.words, lexicon.time_requests
    if any(
        is_named(one, words.split(), lexicon.topics) for one in speaker.others & set(lexicon.topics.small)
    ):
        return _read_grant(sentence, lexicon, speaker) or ToldSentence(sentence, quiet=False)
    for kind, cues, beside in _plain_kinds(lexicon, speaker):
        if not holds(words, cues):
            continue
        left = take_out(words, (*cues, *beside, *own.aside, *own.own), lexicon, speaker.own)
        amount = left.dates or any(map(str.isdigit, words)) or holds(words, own.vague)
        if not left.words and (not amount or kind in WITH_TIME or kind in SHOWING):
            return ToldSentence(
                sentence, kind, certain=kind not in WITH_TIME or not (amount or _counts(left, lexicon))
            )
    if (rest := _read_rest(sentence, lexicon)) is not None:
        return rest
    if (given := _read_grant(sentence, lexicon, speaker)) is not None:
        return given
    if (away := _read_away(sentence, lexicon, speaker)) is not None:
        return away
    hold = holds(words, own.hold)
    left = take_out(words, (*own.aside, *own.own, *own.hold), lexicon, speaker.own | speaker.others)
    strange = left.words or (left.dates and _doubts(words, speaker))
    quiet = not (
        strange or holds(words, own.there) or holds(words, own.doubt) or _negates_something(words, lexicon)
    )
    return ToldSentence(
        sentence,
        quiet=quiet,
        dates=() if strange else left.dates,
        hold=hold,
        empty=not (left.words or left.dates or hold),
    )


WITH_TIME = frozenset({RequestKind.MORE_TIME, RequestKind.PAUSE})


def _counts(left: Remainder, lexicon: Lexicon) -> bool:
    """Whether some of what was taken out tells an amount of time."""
    units = frozenset(lexicon.time_requests.amount)
    return any(word in units for piece in left.found for word in piece.split())


def _plain_kinds(lexicon: Lexicon, speaker: Speaker) -> Iterator[tuple[RequestKind, Phrases, Phrases]]:
    """The requests of which every word is to be known, with the words that tell them and those beside."""
    own = lexicon.time_requests
    yield RequestKind.PLAN, own.show_plan, ()
    yield RequestKind.NO_PLAN, own.unplan, ()
    yield RequestKind.WHEN, own.deadline, own.when_aside
    yield RequestKind.WHEN, own.when, own.when_aside
    if speaker.paused:
        yield RequestKind.RESUME, own.resume, own.resume_aside
    yield RequestKind.BACK, own.back, own.back_aside
    yield RequestKind.RESIGN, own.resign, own.resign_aside
    if speaker.moves:
        yield RequestKind.MORE_TIME, own.more_time, own.more_aside
    if not speaker.paused:
        yield RequestKind.PAUSE, own.pause, own.pause_aside


def _negates_something(words: str, lexicon: Lexicon) -> bool:
    """Whether a sentence negates something."""
    own = lexicon.time_requests
    beside = (*own.back_aside, *own.more_aside, *own.pause_aside)
    left = take_out(words, (*own.aside, *own.absent, *own.hold, *own.back, *beside), lexicon)
    return any(one in own.negation for one in left.words)


def _read_rest(sentence: RequestSentence, lexicon: Lexicon) -> ToldSentence | None:
    """Hours of sleep or days off: they are set on a page, which the answer names."""
    own, words = lexicon.time_requests, sentence.words
    if holds(words, own.past) or (has(words, lexicon.topics.past) and not has(words, lexicon.topics.wish)):
        return None
    sleeps = holds(words, own.sleep) and len(HOUR.findall(words)) > 1
    moved = holds(words, own.elsewhere) and holds(words, own.own) and not sentence.asks
    dates = take_out(words, (), lexicon).dates
    each = any(token.kind is DateRole.EACH for run in dates for token in read_tokens(run, lexicon) or ())
    free = holds(words, (*own.days_off, *own.none_off)) and (
        each or holds(words, (*own.habit, *own.none_off))
    )
    heading = tuple(phrase for phrase, kind in lexicon.shown.items() if kind == RequestKind.REST)
    listed = begins(words, heading) and bool(dates)
    return ToldSentence(sentence, RequestKind.REST) if sleeps or moved or free or listed else None


def _doubts(words: str, speaker: Speaker) -> bool:
    return any(one in speaker.others for one in words.split())


def _read_grant(sentence: RequestSentence, lexicon: Lexicon, speaker: Speaker) -> ToldSentence | None:
    """More time for whoever is to move, by somebody else."""
    if speaker.moves:
        return None
    own = lexicon.time_requests
    words = sentence.words.split()
    named = [one for one in words if one in speaker.mover]
    plain = " ".join("*" if one in speaker.mover else one for one in words)
    if not named or any(one in speaker.others - speaker.mover for one in words):
        return None
    if not _grants(plain, own.grant):
        return None
    left = take_out(plain, (*own.grant, *own.grant_aside, *own.aside), lexicon, speaker.own)
    if left.words and left.words != ("*",):
        return None
    return ToldSentence(sentence, RequestKind.MORE_TIME, " ".join(left.dates), certain=not left.dates)


def _grants(words: str, phrases: Phrases) -> bool:
    return any(one in words for one in phrases)


# --- absence --------------------------------------------------------------------------------------------


def _read_away(sentence: RequestSentence, lexicon: Lexicon, speaker: Speaker) -> ToldSentence | None:
    """That its writer is away, with the words that tell days; None where a sentence does not say so."""
    own, words = lexicon.time_requests, sentence.words
    cues = (*own.absent, *own.hold, *own.leaving)
    left = take_out(words, (*cues, *own.there, *own.aside, *own.own), lexicon, speaker.own)
    cue = any(one in cues for one in left.found)
    leaves = not any(one in own.absent for one in left.found)
    returning = any(tells_return(run, lexicon) for run in left.dates)
    if not (cue or returning) or any(one in own.there for one in left.found):
        return None
    about_own = holds(words, own.own)
    if holds(words, own.past) or (sentence.asks and not about_own):
        return None
    if sentence.asks and (_begins(words, own.asking) or any(one in own.others for one in left.words)):
        return None
    if has(words, lexicon.topics.until_then) and not returning:
        return None  # the day that it tells is the one on which they are there again
    unsure = sentence.asks or sentence.trails or may_be_weekly(words, left.dates, lexicon)
    unsure |= bool(left.words) or holds(words, own.doubt) or holds(words, own.habit)
    if not left.dates:
        goes = any(one in own.leaving for one in left.found)
        if not cue or not (holds(words, own.vague) or (goes and about_own)):
            return None
    elif (returning and not cue and len(left.words) > 2) or (not cue and not about_own and left.words):
        return None
    hold, goes = holds(words, own.hold), has(without(words, lexicon.topics.ahead), lexicon.topics.going)
    return ToldSentence(
        sentence, RequestKind.AWAY, "", not unsure, True, left.dates, left.bracketed, hold, leaves, goes
    )


def _begins(words: str, phrases: Phrases) -> bool:
    """Whether words begin with one of some phrases."""
    return any(f"{words} ".startswith(f"{one} ") for one in phrases)
