"""One sentence of a mail as what it tells about time, and the days that several sentences tell together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from emails.languages.dates import DateRole
from emails.languages.lexicon import Lexicon
from emails.replies.dates.absence_lines import read_absence
from emails.replies.dates.date_tokens import read_tokens
from emails.replies.dates.periods import DateDoubt, DateQuestion, Period
from emails.replies.time_requests.request_sentences import RequestSentence, holds
from emails.replies.time_requests.speakers import Speaker
from emails.replies.time_requests.topic_clauses import has
from emails.wording.requests import RequestKind


@dataclass(frozen=True, slots=True)
class ToldSentence:
    """One sentence."""

    sentence: RequestSentence
    kind: RequestKind | None = None
    about: str = ""
    certain: bool = True
    quiet: bool = True
    """Whether nothing in it could change what other sentences tell."""
    dates: tuple[str, ...] = ()
    bracketed: tuple[str, ...] = ()
    hold: bool = False
    """Whether it asks that the turns of its writer wait."""
    leaves: bool = False
    """Whether it tells only that they go away."""
    goes: bool = False
    """Whether of one day it would tell that they go away on it."""
    empty: bool = True
    """Whether nothing but courtesies stands in it."""


def may_be_weekly(words: str, runs: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether it tells that somebody does not play on a weekday, which may be that of each week."""
    kinds = [[token.kind for token in read_tokens(run, lexicon) or ()] for run in runs]
    return kinds == [[DateRole.WEEKDAY]] and has(words, lexicon.topics.plays_on)


def counts_beside(told: ToldSentence) -> bool:
    """Whether a sentence without a request tells days or numbers, as one that goes on with another does."""
    return told.kind is None and (bool(told.dates) or any(map(str.isdigit, told.sentence.words)))


def read_days_away(away: Sequence[ToldSentence], lexicon: Lexicon, speaker: Speaker) -> Period | DateQuestion:
    """The days on which their writer is away; a question where they disagree, or tell only of going."""
    days = _read_days(away, lexicon, speaker)
    leaves = _leaves(away) or (any(one.goes for one in away) and not _says_end(away, lexicon))
    if leaves and isinstance(days, Period) and days.first == days.last:
        return DateQuestion(DateDoubt.NO_END)
    return days


def are_certain(days: Period, told: Sequence[ToldSentence], lexicon: Lexicon) -> bool:
    """Whether some sentences leave no doubt that whole days are meant, and when they end."""
    away = [one for one in told if one.kind is RequestKind.AWAY or (one.kind is None and one.dates)]
    topics = lexicon.topics
    part = (*topics.free_from_work, *topics.hours_of_day)
    if days.first == days.last and any(holds(one.sentence.words, part) for one in away):
        return False
    return not _leaves(away) or any(one.hold for one in told) or _says_end(away, lexicon)


def _leaves(away: Sequence[ToldSentence]) -> bool:
    return all(one.leaves for one in away if one.kind is RequestKind.AWAY)


def tells_return(run: str, lexicon: Lexicon) -> bool:
    """Whether some words tell the day on which somebody is there again."""
    tokens = read_tokens(run, lexicon) or ()
    return len(tokens) > 1 and any(one.kind is DateRole.RETURNING for one in tokens)


def _says_end(away: Sequence[ToldSentence], lexicon: Lexicon) -> bool:
    """Whether some sentences tell when their writer is there again."""
    return any(tells_return(run, lexicon) for one in away for run in one.dates)


def _read_days(away: Sequence[ToldSentence], lexicon: Lexicon, speaker: Speaker) -> Period | DateQuestion:
    """The days that some sentences tell together; a question where they do not agree."""
    runs = [run for one in away for run in one.dates]
    if not runs:
        return DateQuestion(DateDoubt.NO_END)
    whole = read_absence(" ".join(runs), lexicon, speaker.today)
    if len(runs) == 1 or isinstance(whole, Period):
        return whole
    bracketed = [run for one in away for run in one.bracketed]
    outside = read_absence(" ".join(one for one in runs if one not in bracketed), lexicon, speaker.today)
    if bracketed and isinstance(outside, Period):
        inside = [read_absence(run, lexicon, speaker.today) for run in bracketed]
        same = [one.first for one in inside if isinstance(one, Period) and one.last == outside.last]
        return Period(max([outside.first, *same]), outside.last)
    every = [read_absence(run, lexicon, speaker.today) for run in runs]
    if doubt := next((one for one in every if isinstance(one, DateQuestion)), None):
        return DateQuestion(DateDoubt.UNCLEAR) if doubt.doubt is DateDoubt.NO_END else doubt
    periods = [one for one in every if isinstance(one, Period)]
    if len({one.last for one in periods}) > 1:
        return DateQuestion(DateDoubt.UNCLEAR)
    return Period(max(one.first for one in periods), periods[0].last)
