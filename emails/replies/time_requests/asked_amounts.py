"""Until which day a pause is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache

from emails.languages.lexicon import Lexicon
from emails.languages.toml_tables import match_words
from emails.replies.dates.absence_lines import read_absence
from emails.replies.dates.periods import Period
from emails.replies.dates.time_amounts import HOURS_IN_DAY, units_of
from emails.replies.time_requests.request_sentences import cut_sentences
from emails.replies.time_requests.speakers import Speaker
from emails.replies.time_requests.topic_clauses import TopicClause, cut_clauses, without_quotations
from emails.replies.time_requests.topic_mail import TopicMail
from emails.wording.requests import Request, RequestKind


def add_last_day(request: Request, lines: Sequence[str], lexicon: Lexicon, speaker: Speaker) -> Request:
    """A request for a pause with the last day that some lines tell of it, where that is certain."""
    if request.kind is not RequestKind.PAUSE:
        return request
    sentences = cut_sentences(without_quotations(lines)) or []
    mail = TopicMail(cut_clauses(sentences, lexicon, speaker.own | speaker.others), lexicon, speaker)
    last = _find_end(mail)
    return replace(request, about="" if last is None else last.isoformat())


def _find_hours(mail: TopicMail, clauses: Sequence[TopicClause]) -> int | None:
    found = {hours for one in clauses for hours in _hours_in(one.words, mail.lexicon)}
    return found.pop() if len(found) == 1 else None


def _find_end(mail: TopicMail) -> date | None:
    """The last day of a pause: told as one, or by how long it is."""
    today = mail.speaker.today
    runs = [run for one in mail.clauses for run in mail.dates_of(one.words)]
    days = [read_absence(run, mail.lexicon, today) for run in runs]
    ends = {one.last for one in days if isinstance(one, Period)}
    if len(ends) == 1 and all(isinstance(one, Period) for one in days):
        return ends.pop()
    hours = None if days else _find_hours(mail, mail.clauses)
    return None if hours is None or hours < HOURS_IN_DAY else today + timedelta(days=hours // HOURS_IN_DAY)


def _hours_in(words: str, lexicon: Lexicon) -> Iterator[int]:
    for found in _amount_pattern(lexicon).finditer(words):
        number = found["number"]
        count = 1 if number is None else int(number) if number.isdecimal() else lexicon.numbers[number]
        if count:
            yield count * units_of(lexicon)[found["unit"]]


@lru_cache(maxsize=64)
def _amount_pattern(lexicon: Lexicon) -> re.Pattern[str]:
    topics = lexicon.topics
    numbers, units = match_words(tuple(lexicon.numbers)), match_words(tuple(units_of(lexicon)))
    more, single = match_words(topics.more), match_words(topics.single)
    return re.compile(
        rf"(?<![\w'-])(?:(?P<number>\d{{1,3}}|(?:{numbers})(?= )) ?|(?:{single}) )"
        rf"(?:(?:{more}) )?(?P<unit>{units})(?!\w)"
    )
