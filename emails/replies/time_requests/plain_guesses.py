"""Which guess about a mail is plain enough to be done: one thing, told of its writer, and for certain.

What cannot be taken back is never plain, nor what is told with a condition, of what has passed or of somebody
else, nor days of which a part may be meant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from emails.languages.time_words import DateRole
from emails.languages.toml_tables import Phrases
from emails.replies.dates.absences import Period, read_absence
from emails.replies.dates.days import read_tokens
from emails.replies.time_requests.request_sentences import has, part_dates, places_of
from emails.replies.time_requests.topic_clauses import TopicClause, strange_words
from emails.replies.time_requests.topic_mail import TopicGuess, TopicMail
from emails.wording.requests import RequestKind

OF_ITS_WRITER = frozenset((RequestKind.AWAY, RequestKind.BACK))
"""What somebody tells of their own time."""
SHOWING = frozenset((RequestKind.WHEN, RequestKind.PLAN, RequestKind.REST))
"""What only shows something."""
OF_THE_MOVER = frozenset((RequestKind.MORE_TIME, RequestKind.NUDGE))
"""What may name whoever is to move."""
MOST_SENTENCES, FEW = 5, 4
"""Of a mail that is plain, and words of a sentence that needs no word with which something is asked for."""


def is_plain(mail: TopicMail, guess: TopicGuess) -> bool:
    """Whether a guess is done without a question."""
    if len(guess.meanings) != 1 or not guess.told:
        return False
    sentences = dict.fromkeys(one.sentence for one in mail.all)
    kind = guess.meanings[0].kind
    if kind in SHOWING:
        return True
    hedged = any(has(one, mail.words.hedge) for one in sentences)
    if hedged or len(sentences) > MOST_SENTENCES:
        return False
    others = mail.speaker.others - (mail.speaker.mover if kind in OF_THE_MOVER else frozenset())
    others -= frozenset(guess.meanings[0].about.split())
    if any(mail.names(one) & others for one in sentences):
        return False
    if kind in OF_ITS_WRITER and any(has(one, mail.words.modal) for one in sentences):
        return False
    if kind is RequestKind.AWAY and not (_has_whole_days(mail, guess) and _is_not_there(mail, guess)):
        return False
    judged = _TELLING.get(kind)
    return judged is not None and all(judged(mail, one) for one in guess.told)


# --- its writer -----------------------------------------------------------------------------------------


def _tells_of_writer(mail: TopicMail, one: TopicClause) -> bool:
    """Whether a clause is about its writer and nobody else."""
    return not _has_others(mail, one) and (mail.tells_own(one) or not mail.is_others(one.sentence))


def _has_others(mail: TopicMail, one: TopicClause) -> bool:
    words = mail.words
    return has(one.words, tuple(who for who in words.others if who not in words.addressed))


def _tells_days(mail: TopicMail, one: TopicClause) -> bool:
    """Whether a clause tells that its writer is away, and besides at most where they go, or why."""
    known = (
        mail.tells_own(one) or next(places_of(one.words, _cues(mail)), 1) == 0 or _begins_with_date(mail, one)
    )
    told = known and not strange_words(one, mail.lexicon, mail.names(one.words), mail.words.toward)
    return told and _tells_of_writer(mail, one) and not one.asks and not has(one.sentence, mail.words.past)


def _cues(mail: TopicMail) -> Phrases:
    words = mail.words
    return (*words.absent, *words.going, *words.returning, *words.negation)


def _begins_with_date(mail: TopicMail, one: TopicClause) -> bool:
    return any(one.words.startswith(run) for run in mail.dates_of(one.words))


def _tells_return(mail: TopicMail, one: TopicClause) -> bool:
    strange = strange_words(one, mail.lexicon, mail.names(one.words), mail.words.whence)
    told = not strange and not mail.negated(one, mail.words.returned)
    return told and _tells_of_writer(mail, one) and not one.asks


def _has_whole_days(mail: TopicMail, guess: TopicGuess) -> bool:
    """Whether days of absence are told by all dates of a mail and by those beside them, as whole days."""
    runs: list[str] = []
    for sentence in dict.fromkeys(one.sentence for one in mail.all):
        dates, words = part_dates(sentence, mail.lexicon)
        runs += dates
        digits = any(sign.isdigit() for word in words for sign in word)
        if dates and (digits or has(" ".join(words), (*mail.words.partly, *mail.words.homonyms))):
            return False
    beside = [run for one in guess.told for run in mail.dates_of(one.words)]
    if all(_tells(mail, [run], guess) or _tells_return_behind(mail, run, guess) for run in runs):
        return True
    return all(_tells(mail, some, guess) for some in (runs, beside))


def _is_not_there(mail: TopicMail, guess: TopicGuess) -> bool:
    """Whether no clause tells that somebody can play all the same, nor of every week."""
    words = mail.words
    first, _, last = guess.meanings[0].about.partition(" - ")
    part = (*words.free_from_work, *words.hours_of_day)
    if first == last and any(has(one.sentence, part) for one in mail.all):
        return False
    if any(_may_be_weekly(mail, one) for one in guess.told):
        return False
    less = (*words.negation, *words.absent)
    there = any(has(one.words, words.play) and not has(one.words, less) for one in mail.all)
    return not there and not any(has(one.words, words.weekly) for one in mail.all)


def _may_be_weekly(mail: TopicMail, one: TopicClause) -> bool:
    """Whether it tells that somebody does not play on a weekday, which may be that of each week."""
    kinds = [
        [token.kind for token in read_tokens(run, mail.lexicon) or ()] for run in mail.dates_of(one.words)
    ]
    return kinds == [[DateRole.WEEKDAY]] and has(one.words, mail.words.plays_on)


def _tells(mail: TopicMail, runs: Sequence[str], guess: TopicGuess) -> bool:
    days = read_absence(" ".join(runs), mail.lexicon, mail.speaker.today)
    return isinstance(days, Period) and guess.meanings[0].about == f"{days.first} - {days.last}"


def _tells_return_behind(mail: TopicMail, run: str, guess: TopicGuess) -> bool:
    """Whether a run is the day behind those away, on which its writer returns."""
    days = read_absence(run, mail.lexicon, mail.speaker.today)
    returns = any(run in one.words and has(one.words, mail.words.returning) for one in guess.told)
    last = guess.meanings[0].about.rpartition(" ")[2]
    return returns and isinstance(days, Period) and f"{days.first - timedelta(days=1)}" == last


# --- what is asked of others ----------------------------------------------------------------------------


def _asks_time(mail: TopicMail, one: TopicClause) -> bool:
    words, granting = mail.words, not mail.speaker.moves
    late = has(one.words, words.late)
    if granting and (one.asks or not mail.names(one.sentence)):
        return False
    wants = has(one.words, words.wish) or mail.tells_own(one) or late or len(one.sentence.split()) <= FEW
    denied = has(one.words, words.negation) and not late
    return wants and _asks(mail, one) and not (denied or _tells_amount(mail))


def _asks_all(mail: TopicMail, one: TopicClause) -> bool:
    words = mail.words
    wants = has(one.words, words.wish) or len(one.sentence.split()) <= FEW
    denied = has(one.words, words.negation) or has(one.words, words.mine)
    return wants and _asks(mail, one) and not (denied or _tells_amount(mail))


def _tells_amount(mail: TopicMail) -> bool:
    """Whether a mail tells for how long: the game gives what it gives, so its writer is told that first."""
    words = " ".join(dict.fromkeys(one.sentence for one in mail.all))
    digits = any(sign.isdigit() for sign in words)
    return digits or bool(mail.dates_of(words)) or has(words, mail.words.amount)


def _asks_server(mail: TopicMail, one: TopicClause) -> bool:
    later = bool(mail.dates_of(one.sentence))
    return _asks(mail, one) and not later and not has(one.words, mail.words.negation)


def _asks(mail: TopicMail, one: TopicClause) -> bool:
    words = mail.words
    if has(one.sentence, words.past) or any(at == 0 for at in places_of(one.sentence, words.inquiring)):
        return False
    if strange_words(one, mail.lexicon, mail.names(one.words), ()):
        return False
    return bool(mail.names(one.sentence)) or not _has_others(mail, one)


_TELLING: Mapping[RequestKind, Callable[[TopicMail, TopicClause], bool]] = {
    RequestKind.AWAY: _tells_days,
    RequestKind.BACK: _tells_return,
    RequestKind.MORE_TIME: _asks_time,
    RequestKind.PAUSE: _asks_all,
    RequestKind.RESUME: _asks_all,
    RequestKind.NUDGE: _asks_server,
    RequestKind.NO_PLAN: _asks_server,
    RequestKind.NO_REMINDERS: _asks,
}
"""What is to be so of each clause that tells a request; what is not here is never plain."""
