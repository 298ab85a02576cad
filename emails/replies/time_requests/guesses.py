"""Guesses at the requests in a mail about time, and the check whether a guess is safe to perform."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from emails.languages.lexicon import DateRole, Lexicon
from emails.replies.remarks import is_device_line
from emails.replies.time_requests.absences import (
    FARTHEST,
    DateDoubt,
    DateQuestion,
    DateRange,
    read_absence,
)
from emails.replies.time_requests.clauses import (
    Speaker,
    TopicClause,
    TopicGuess,
    TopicMail,
    begins,
    cut_clauses,
    cut_sentences,
    has,
    negates,
    places_of,
    split_dates,
    strange_words,
    without,
    without_quotations,
)
from emails.replies.time_requests.days import Token, TokenKind, TokenReader, read_tokens
from emails.wording.requests import SEVERAL_ABSENCES, Request, RequestKind

HOUR = re.compile(r"(?<![\w.:])\d{1,2}(?!\d)")


# --- absence and return ---------------------------------------------------------------------------------


def read_back(mail: TopicMail) -> TopicGuess | None:
    """Recognise that the writer is back, or was not away after all."""
    own = mail.words
    for one in mail.all:
        ahead = any(_lies_ahead(mail, run) for run in mail.dates_of(one.words))
        if ahead or one.asks or not mail.is_own(one) or has(one.words, own["condition"]):
            continue
        if has(one.words, own["returned"]) or (
            has(one.words, own["cancelling"]) and has(one.words, own["absence"])
        ):
            return TopicGuess((Request(RequestKind.BACK),), clauses=(one,))
    return None


def _lies_ahead(mail: TopicMail, run: str) -> bool:
    tokens = read_tokens(run, mail.lexicon) or ()
    return not all(one.kind is DateRole.DAY and one.value == 0 for one in tokens)


def _is_of_each_week(mail: TopicMail, run: str) -> bool:
    return any(token.kind is DateRole.EACH for token in read_tokens(run, mail.lexicon) or ())


def read_away(mail: TopicMail) -> TopicGuess | None:
    own = mail.words
    cues = [one for one in mail.clauses if _states_absence(mail, one)]
    plain = tuple(word for word in own["absent"] if word not in own["absent_tied"])
    if not cues or any(mail.is_own(one) and mail.negated(one, plain, behind=False) for one in mail.clauses):
        return None
    dated = any(mail.dates_of(one.sentence) for one in mail.clauses)
    if not dated and not any(_speaks_of_self(mail, one) for one in cues):
        return None
    days = list_absences(mail)
    leaving = [one for one in mail.clauses if has(one.words, own["going"]) and mail.dates_of(one.words)]
    if not days:
        return TopicGuess(doubt=_find_doubt(mail, cues))
    is_open = not _lasts(days[0], timedelta()) and _names_no_end(mail, leaving)
    doubt = _find_doubt(mail, cues) if is_open else None
    return TopicGuess(days[:1], doubt, clauses=tuple(dict.fromkeys((*cues, *leaving))))


def _names_no_end(mail: TopicMail, leaving: Sequence[TopicClause]) -> bool:
    """True if the days in a mail only begin an absence: "away from Friday", "leaving on Friday"."""
    sentences = _dated_sentences(mail)
    kinds = {kind for sentence in sentences for kind in _kinds_of_days(mail, sentence)}
    ends = bool(kinds & {*ENDING, DateRole.RETURNING})
    ends = ends or any(has(one, mail.words["returning"]) for one in sentences)
    return not ends and (bool(leaving) or DateRole.FROM in kinds)


ENDING = frozenset((DateRole.UNTIL, DateRole.BEFORE))


def _kinds_of_days(mail: TopicMail, words: str) -> frozenset[DateRole | TokenKind]:
    runs = mail.dates_of(words)
    return frozenset(token.kind for run in runs for token in read_tokens(run, mail.lexicon) or ())


def _denies_return(mail: TopicMail, words: str) -> bool:
    """True for "I'm not back on Friday", not for "I'm not back until Friday"."""
    own, beside = mail.words, " ".join(split_dates(words, mail.lexicon)[1])  # "back" may count as a date
    denied = any(negates(one, own["negation"], own["returning"], behind=False) for one in (words, beside))
    return denied and not _kinds_of_days(mail, words) & ENDING


def _find_doubt(mail: TopicMail, cues: Sequence[TopicClause]) -> DateQuestion:
    """Return why the days of an absence are unclear: they have passed, or no end is named."""
    runs = [run for one in cues for run in mail.dates_of(one.sentence)]
    found = [read_absence(run, mail.lexicon, mail.speaker.today) for run in runs]
    passed = [one for one in found if isinstance(one, DateQuestion) and one.doubt is DateDoubt.PASSED]
    return passed[0] if passed else DateQuestion(DateDoubt.NO_END)


def _speaks_of_self(mail: TopicMail, one: TopicClause) -> bool:
    """Return whether a clause is about the writer, not about a thing such as "my army"."""
    own = tuple(word for word in mail.words["own"] if word not in mail.words["mine"])
    return has(one.sentence, own) or not mail.names_writer(one)


def read_days_alone(mail: TopicMail) -> TopicGuess | None:
    """Recognise days on which the writer is busy, ill or unable, and so probably does not play."""
    for one in mail.clauses:
        runs = mail.dates_of(one.sentence)
        if not runs or one.asks or not has(one.sentence, mail.words["unwell"]):
            continue
        if has(one.sentence, mail.words["weekly"]):
            continue
        if mail.names(one.sentence) & mail.speaker.others or not mail.is_own(one):
            continue
        return TopicGuess(list_absences(mail)[:1])
    return None


def _states_absence(mail: TopicMail, one: TopicClause) -> bool:
    own = mail.words
    dates = mail.dates_of(one.words)
    if one.asks and not mail.names_writer(one):
        return False
    if has(one.words, own["absent"]) and mail.is_own(one):
        return bool(dates) or mail.names_writer(one) or not has(one.words, own["absent_tied"])
    ahead = any(_lies_ahead(mail, run) for run in dates)
    if ahead and not mail.speaker.moves and has(one.words, own["until_when"]) and mail.names_writer(one):
        return True  # "give me until Monday" from a player who is not to move
    stays = _kinds_of_days(mail, one.words) & ENDING and not has(
        one.words, own["negation"]
    )  # "home until Friday"
    if ahead and has(one.words, own["returning"]) and mail.is_own(one) and not stays:
        return True
    unable = mail.names_writer(one) or one.words.startswith(own["negation"])
    if (
        unable
        and mail.negated(one, own["play"])
        and mail.is_own(one)
        and (dates or mail.dates_of(one.sentence))
    ):
        return not any(_is_of_each_week(mail, run) for run in dates)
    return False


@dataclass(frozen=True, slots=True)
class _SaidDays:
    """Days in a sentence: an interval as written, and what the sentence says of it."""

    days: DateRange
    ends: bool  # an absence ends with these days: "until Friday"
    returns: bool
    is_length: bool
    is_weekday: bool


def list_absences(mail: TopicMail) -> tuple[Request, ...]:
    """Return the absences that the days in a mail may mean, the likeliest first.

    An absence lasts from the first day to the last, or to the day before, if the writer returns on the last.
    """
    said = [one for sentence in _dated_sentences(mail) for one in _find_days(mail, sentence)]
    exact = [one for one in said if not one.is_length] or said
    if not exact:
        return ()
    today, last = mail.speaker.today, max(exact, key=lambda one: one.days.last)
    if exact[-1].returns and exact[-1].is_weekday:
        last = exact[-1]  # "on Monday, back on Friday": the Friday behind Monday
    begins = [one.days.first for one in exact if one is not last or one.days.first < one.days.last]
    first, end = min(begins, default=today if last.returns else last.days.first), last.days.last
    if last.returns and last.is_weekday and end <= min(begins, default=today):
        end += timedelta(days=7)
    through, before = DateRange(first, end), DateRange(first, max(first, end - timedelta(days=1)))
    found = [before, through] if last.returns else [through, before]
    found = found if last.returns or last.ends or first < end else [through]
    lengths = [one.days.last - one.days.first for one in said if one.is_length and exact != said]
    found += [DateRange(first, first + length) for length in lengths]
    found += [DateRange(today, end), *(one.days for one in exact)]
    far = timedelta(days=FARTHEST)
    meant = [f"{one}" for one in found if max(one.first, today) <= one.last <= max(one.first, today) + far]
    apart = [] if last.returns else _list_apart([one.days for one in exact])
    whole = [f"{one}" for one in _read_whole(mail) if one.first < one.last or not last.returns]
    return tuple(Request(RequestKind.AWAY, about) for about in dict.fromkeys((*whole, *apart, *meant)))


def _read_whole(mail: TopicMail) -> Sequence[DateRange]:
    """Return the absences that all days of the sentences mean if they are read in one."""
    runs = [run for sentence in _dated_sentences(mail) for run in mail.dates_of(sentence)]
    days = read_absence(" ".join(runs), mail.lexicon, mail.speaker.today)
    return [days] if isinstance(days, DateRange) else days.meanings


def _list_apart(intervals: Iterable[DateRange]) -> list[str]:
    """Return two absences, in one text, if the intervals form two parts with days between them."""
    parts: list[DateRange] = []
    for one in sorted(intervals):
        if parts and one.first <= parts[-1].last + timedelta(days=1):
            parts[-1] = DateRange(parts[-1].first, max(parts[-1].last, one.last))
        else:
            parts.append(one)
    is_long = any(one.first < one.last for one in parts)
    return [SEVERAL_ABSENCES.join(map(str, parts))] if is_long and len(parts) == 2 else []


def _dated_sentences(mail: TopicMail) -> list[str]:
    """Return the sentences with days of the writer that have not passed, and on which he may be away."""
    own, dated = mail.words, [one for one in mail.all if mail.dates_of(one.words)]
    wrong = {
        one.sentence
        for one in dated
        if one not in mail.clauses
        or not mail.is_own(one)
        or _plays(mail, one)
        or has(one.sentence, own["weekly"])
    }
    return [one for one in dict.fromkeys(each.sentence for each in dated) if one not in wrong]


def _plays(mail: TopicMail, one: TopicClause) -> bool:
    """True if a clause states that the writer plays today: "I'll play tonight"."""
    later = any(_lies_ahead(mail, run) for run in mail.dates_of(one.words))
    less = (*mail.words["negation"], *mail.words["absent"])
    return not later and has(one.words, mail.words["play"]) and not has(one.words, less)


def _find_days(mail: TopicMail, sentence: str) -> Iterator[_SaidDays]:
    denied, returns = _denies_return(mail, sentence), has(sentence, mail.words["returning"])
    lexicon, today = mail.lexicon, mail.speaker.today
    for run in mail.dates_of(sentence):
        tokens = read_tokens(run, lexicon) or ()
        kinds = {token.kind for token in tokens}
        if DateRole.EACH in kinds or kinds == {DateRole.MONTH}:
            continue
        found = read_absence(run, lexicon, today)
        each = [found] if isinstance(found, DateRange) else [*found.meanings]
        if not each or DateRole.RETURNING in kinds:
            each = [DateRange(one, one) for one in _scan_days(tokens, mail)]
        ends = bool(kinds & ENDING)
        is_length = DateRole.UNIT in kinds and not kinds & DAYS_NAMED
        comes_back = not denied and (returns or DateRole.RETURNING in kinds)
        for one in each:
            yield _SaidDays(one, ends or is_length, comes_back, is_length, DateRole.WEEKDAY in kinds)


def _scan_days(tokens: Sequence[Token], mail: TopicMail) -> Iterator[date]:
    reader = TokenReader(tokens, mail.lexicon.dates.written)
    while reader.rest:
        at = reader.at
        day = reader.take_day()
        if day is None:
            reader.at = at + 1
        else:
            yield from day.from_on(mail.speaker.today, mail.speaker.today)[:1]


DAYS_NAMED = frozenset(
    (
        *(DateRole.WEEKDAY, DateRole.MONTH, DateRole.DAY, DateRole.FEAST, DateRole.EASTER),
        *(TokenKind.ORDINAL, TokenKind.PAIR, TokenKind.ISO),
    )
)


def read_rest(mail: TopicMail) -> TopicGuess | None:
    """Recognise a request for no reminders, and statements about sleep hours or weekly days off."""
    for one in mail.clauses:
        if _ends_reminders(mail, one):
            return TopicGuess((Request(RequestKind.NO_REMINDERS),), clauses=(one,))
        if _states_sleep(mail, one) or _states_free_days(mail, one):
            return TopicGuess((Request(RequestKind.REST),), clauses=(one,))
    return None


def _ends_reminders(mail: TopicMail, one: TopicClause) -> bool:
    """True if a clause requests no reminders at all, not only at some hours or on some days."""
    lines = tuple(phrase for phrase, kind in mail.lexicon.shown.items() if kind == RequestKind.NO_REMINDERS)
    beside = without(one.sentence, lines)
    hours = HOUR.search(beside) or mail.dates_of(beside) or has(beside, mail.words["hours_of_day"])
    return has(one.words, lines) and not (one.asks or mail.is_others(one.words) or hours)


def _states_sleep(mail: TopicMail, one: TopicClause) -> bool:
    own = mail.words
    others = mail.is_others(one.sentence) and not has(one.sentence, own["wish"])
    if has(one.sentence, own["past"]) or (others and (one.asks or not mail.names_writer(one))):
        return False
    hours = len(HOUR.findall(one.words)) > 1
    if hours and has(one.words, own["awake"]) and mail.names_writer(one):
        return True
    tells = mail.names_writer(one) or has(one.sentence, own["wish"]) or hours
    return has(one.words, own["night"]) and tells and _speaks_of_self(mail, one)


def _states_free_days(mail: TopicMail, one: TopicClause) -> bool:
    own, words = mail.words, one.sentence
    runs = mail.dates_of(words)
    if has(words, own["any_day"]) or (mail.names_writer(one) and has(words, own["every_other"]) and runs):
        return True
    heading = tuple(phrase for phrase, kind in mail.lexicon.shown.items() if kind == RequestKind.REST)
    if (runs or HOUR.search(words)) and begins(words, heading):
        return True
    each = any(_is_of_each_week(mail, run) for run in runs)
    if not (each or (runs and has(words, own["weekly"]))) or not mail.is_own(one):
        return False
    other = mail.is_others(words) and not has(words, own["wish"])
    rests = has(words, own["free"]) or has(words, own["only"])
    rests = rests or negates(words, own["negation"], own["play"])
    return rests and not other and not (one.asks and not mail.names_writer(one))


OF_ITS_WRITER = frozenset((RequestKind.AWAY, RequestKind.BACK))
SHOWING = frozenset((RequestKind.WHEN, RequestKind.PLAN, RequestKind.REST))
OF_THE_MOVER = frozenset((RequestKind.MORE_TIME, RequestKind.NUDGE))
MOST_SENTENCES, FEW = 5, 4  # FEW words are a request even without "can we" or "please"


def is_plain(mail: TopicMail, guess: TopicGuess) -> bool:
    if len(guess.meanings) != 1 or not guess.clauses:
        return False
    sentences = dict.fromkeys(one.sentence for one in mail.all)
    kind = guess.meanings[0].kind
    if kind in SHOWING:
        return True
    hedged = any(has(one, mail.words["hedge"]) for one in sentences)
    if hedged or len(sentences) > MOST_SENTENCES:
        return False
    others = mail.speaker.others - (mail.speaker.mover if kind in OF_THE_MOVER else frozenset())
    others -= frozenset(guess.meanings[0].about.split())
    if any(mail.names(one) & others for one in sentences):
        return False
    if kind in OF_ITS_WRITER and any(has(one, mail.words["modal"]) for one in sentences):
        return False
    if kind is RequestKind.BACK and any(
        _lies_ahead(mail, run) for one in sentences for run in mail.dates_of(one)
    ):
        return False
    if kind is RequestKind.AWAY:
        if guess.doubt or _may_be_of_others(mail, guess):
            return False
        if any(_denies_absence(mail, one) for one in guess.clauses):
            return False
        if not (_has_whole_days(mail, guess) and _is_not_there(mail, guess)):
            return False
    return all(_is_certain(mail, kind, one) for one in guess.clauses)


def _may_be_of_others(mail: TopicMail, guess: TopicGuess) -> bool:
    """Return whether the days may be another person's, or passed: "I was in Paris. Back on Sunday"."""
    own, dated = mail.words, [one for one in mail.all if mail.dates_of(one.words)]
    returns_alone = not any(has(one.words, own["absent"]) for one in guess.clauses)
    if returns_alone and any(one not in mail.clauses for one in dated):
        return True
    bare = [replace(one, words=without(one.words, own["absent"])) for one in dated]  # "out of office"
    return any(has(one.words, _third_persons(mail)) or not mail.is_own(one) for one in bare)


def _third_persons(mail: TopicMail) -> tuple[str, ...]:
    """Return the words for people other than the writer and those whom a mail may address."""
    return tuple(who for who in mail.words["others"] if who not in mail.words["addressed"])


def _denies_absence(mail: TopicMail, one: TopicClause) -> bool:
    """Return whether a clause negates its absence or return, perhaps with days between the two words."""
    beside = " ".join(split_dates(one.words, mail.lexicon)[1])
    denied = negates(beside, mail.words["negation"], mail.words["absent"], behind=False)
    return denied or _denies_return(mail, one.words)


def _is_certain(mail: TopicMail, kind: RequestKind, one: TopicClause) -> bool:
    """Return whether a clause requests this for certain: it has no other person, unknown word or denial."""
    own = mail.words
    before = {RequestKind.AWAY: own["toward"], RequestKind.BACK: own["whence"]}.get(kind, ())
    if strange_words(one, mail.lexicon, mail.names(one.words), before):
        return False
    other = has(one.words, _third_persons(mail))
    if kind in OF_ITS_WRITER:
        if one.asks or other or not (mail.names_writer(one) or not mail.is_others(one.sentence)):
            return False
        return _states_days(mail, one) if kind is RequestKind.AWAY else not mail.negated(one, own["returned"])
    named = mail.names(one.sentence)
    if has(one.sentence, own["past"]) or begins(one.sentence, own["inquiring"]) or (other and not named):
        return False
    late = kind is RequestKind.MORE_TIME and has(one.words, own["late"])
    wants = late or has(one.words, own["wish"]) or len(one.sentence.split()) <= FEW
    denied = has(one.words, own["negation"]) and not late
    match kind:
        case RequestKind.NO_REMINDERS:
            return True
        case RequestKind.NUDGE | RequestKind.NO_PLAN:
            return not denied and not mail.dates_of(one.sentence)
        case RequestKind.MORE_TIME:
            for_mover = mail.speaker.moves or (named and not one.asks)
            return bool(for_mover) and (wants or mail.names_writer(one)) and not (denied or _has_amount(mail))
        case _:
            return wants and not (denied or has(one.words, own["mine"]) or _has_amount(mail))


def _states_days(mail: TopicMail, one: TopicClause) -> bool:
    own = mail.words
    cues = (*own["absent"], *own["going"], *own["returning"], *own["negation"], *mail.dates_of(one.words))
    return (mail.names_writer(one) or begins(one.words, cues)) and not has(one.sentence, own["past"])


def _has_amount(mail: TopicMail) -> bool:
    words = " ".join(dict.fromkeys(one.sentence for one in mail.all))
    digits = any(sign.isdigit() for sign in words)
    return digits or bool(mail.dates_of(words)) or has(words, mail.words["amount"])


def _has_whole_days(mail: TopicMail, guess: TopicGuess) -> bool:
    if SEVERAL_ABSENCES in guess.meanings[0].about:
        return False
    runs: list[str] = []
    for sentence in dict.fromkeys(one.sentence for one in mail.all):
        dates, words = split_dates(sentence, mail.lexicon)
        runs += dates
        digits = any(sign.isdigit() for word in words for sign in word)
        if dates and (digits or has(" ".join(words), (*mail.words["partly"], *mail.words["homonyms"]))):
            return False
    beside = [run for one in guess.clauses for run in mail.dates_of(one.words)]
    if all(_states(mail, [run], guess) or _begins_or_ends(mail, run, guess) for run in runs):
        return True
    return all(_states(mail, some, guess) for some in (runs, beside))


def _begins_or_ends(mail: TopicMail, run: str, guess: TopicGuess) -> bool:
    """True if a clause of an absence names its first day, or the day of return."""
    beside = [one.words for one in guess.clauses if run in one.words]
    reader = TokenReader(read_tokens(run, mail.lexicon) or (), mail.lexicon.dates.written)
    around = [reader.take(DateRole.FROM, DateRole.RETURNING)]
    day = reader.take_day()
    around.append(reader.take(DateRole.RETURNING))
    if day is None or reader.rest or not beside:
        return False
    returns = any(one is not None and one.kind is DateRole.RETURNING for one in around)
    first, last = map(date.fromisoformat, guess.meanings[0].about.split(" - "))
    if returns or any(has(words, mail.words["returning"]) for words in beside):
        first = last + timedelta(days=1)
    return day.from_on(mail.speaker.today, mail.speaker.today) == (first,)


def _is_not_there(mail: TopicMail, guess: TopicGuess) -> bool:
    words = mail.words
    first, _, last = guess.meanings[0].about.partition(" - ")
    if first == last and any(has(one.sentence, words["hours_of_day"]) for one in mail.all):
        return False
    if any(_may_be_weekly(mail, one) for one in guess.clauses):
        return False
    less = (*words["negation"], *words["absent"])
    there = any(has(one.words, words["play"]) and not has(one.words, less) for one in mail.all)
    return not there and not any(has(one.words, words["weekly"]) for one in mail.all)


def _may_be_weekly(mail: TopicMail, one: TopicClause) -> bool:
    """Return whether a clause names one weekday on which the writer does not play, perhaps every week."""
    kinds = [
        [token.kind for token in read_tokens(run, mail.lexicon) or ()] for run in mail.dates_of(one.words)
    ]
    return kinds == [[DateRole.WEEKDAY]] and has(one.words, mail.words["plays_on"])


def _states(mail: TopicMail, runs: Sequence[str], guess: TopicGuess) -> bool:
    days = read_absence(" ".join(runs), mail.lexicon, mail.speaker.today)
    return isinstance(days, DateRange) and guess.meanings[0].about == str(days)


POINT = re.compile(r"[a-z]\d{1,2}")


def guess_request(lines: Sequence[str], lexicon: Lexicon, speaker: Speaker) -> TopicGuess:
    """Return what a mail about time may request; a guess without meanings for other mails."""
    own = [one for at, one in enumerate(lines) if not (at and is_device_line(one))]
    sentences = cut_sentences(without_quotations(own))
    if not sentences:
        return TopicGuess()
    names = speaker.own | speaker.others
    topics = lexicon.topics
    sentences = [
        one for one in sentences if not has(one.words, topics["greeting"]) or has(one.words, topics["own"])
    ]
    relevant = [one for one in sentences if not _names_game(one.words, lexicon)]
    mail = TopicMail(cut_clauses(relevant, lexicon, names), lexicon, speaker)
    idle = (one for one in mail.clauses if has(one.sentence, topics["idle"]))
    if any(not mail.negated(one, topics["idle"], behind=False) for one in idle):
        return TopicGuess()
    found = [guess for read in READERS if (guess := read(mail)) is not None]
    if not found and (likely := read_days_alone(mail)) is not None:
        found = [likely]
    absences = list_absences(mail)
    whole = [one for one in found if one.meanings]
    if not whole or (not found[0].meanings and all(map(_shows, whole))):
        doubt = next((one.doubt for one in found if one.doubt is not None), None)
        return TopicGuess(absences if found else (), doubt, absences=absences)
    first = whole[0]
    others = [one for guess in whole[1:] if not _shows(guess) for one in guess.meanings[:1]]
    alone = all(map(_shows, whole[1:])) and len(whole) == len(found) and len(relevant) == len(sentences)
    kinds = {one.kind for one in (*first.meanings, *others)}
    is_long = RequestKind.REST in kinds and any(_lasts(one, timedelta(days=1)) for one in absences[:1])
    if (_shows(first) and not others and not is_long) or alone:
        first = replace(first, plain=is_plain(mail, first) and not is_long)
    pauses = RequestKind.PAUSE in kinds
    ahead = absences[:MOST_AHEAD] if (kinds & WITH_DAYS or is_long) and not pauses else ()
    behind = absences if kinds & WITH_DAYS else ()
    meanings = first.meanings if first.plain else (*ahead, *first.meanings, *others, *behind)
    return replace(first, meanings=tuple(dict.fromkeys(meanings)), absences=absences)


MOST_AHEAD = 2
WITH_DAYS = frozenset((RequestKind.AWAY, RequestKind.MORE_TIME, RequestKind.PAUSE))


def _lasts(request: Request, length: timedelta) -> bool:
    """True if more days than `length` lie between the first and the last day of an absence."""
    first, _, last = request.about.rpartition(", ")[2].partition(" - ")
    return date.fromisoformat(last) - date.fromisoformat(first) > length


def _names_game(words: str, lexicon: Lexicon) -> bool:
    """True if words name a card or a point, as orders do."""
    return any(one in lexicon.orders.symbols or POINT.fullmatch(one) for one in words.split())


def _shows(guess: TopicGuess) -> bool:
    return guess.meanings[0].kind in SHOWING


# --- the plan, and the player to move -------------------------------------------------------------------


def _read_plan(mail: TopicMail) -> TopicGuess | None:
    own = mail.words
    for one in mail.all:
        if not has(one.words, own["plan"]):
            continue
        opens = begins(one.words, (*own["showing"], *own["inquiring"]))
        asks_to_see = has(one.words, own["showing"]) and (one.asks or opens or has(one.words, own["wish"]))
        if asks_to_see and (one.asks or not has(one.words, own["dropping"])):
            return TopicGuess((Request(RequestKind.PLAN),), clauses=(one,))
        if has(one.words, own["dropping"]) and not has(one.words, own["past"]):
            return TopicGuess((Request(RequestKind.NO_PLAN),), clauses=(one,))
    return None


def _read_nudge(mail: TopicMail) -> TopicGuess | None:
    own, speaker = mail.words, mail.speaker
    if speaker.moves:
        return None
    for one in sorted(mail.clauses, key=lambda one: not has(one.words, own["wish"])):
        named = mail.names(one.sentence) & speaker.mover
        if not named and next(places_of(one.words, own["nudging"]), 2) < 2:
            named = mail.names(one.words) & speaker.others  # the answer says which player is to move
        who = named or has(one.sentence, own["mover"])
        if not who or not has(one.words, own["nudging"]) or mail.negated(one, own["nudging"], behind=False):
            continue
        asked = (
            has(one.sentence, own["wish"]) or named & set(one.words.split()) or has(one.words, own["mover"])
        )
        if asked and not (mail.names(one.sentence) & speaker.others - named):
            return TopicGuess((Request(RequestKind.NUDGE, " ".join(sorted(named))),), clauses=(one,))
    return None


def _read_when(mail: TopicMail) -> TopicGuess | None:
    own = mail.words
    for one in mail.clauses:
        states = has(one.words, own["telling_when"]) and not one.asks  # "that's when I play"
        begins = any(at < 2 for at in places_of(one.words, own["asking"])) and not states
        asks = one.asks or begins
        about = has(one.words, own["turn"]) and (
            mail.names_writer(one) or (begins and not mail.is_others(one.words))
        )
        longer = has(one.words, (*own["late"], *own["more"])) and not begins
        beside = longer or mail.names(one.words) & mail.speaker.others
        if asks and about and has(one.sentence, own["asking"]) and not beside:
            return TopicGuess((Request(RequestKind.WHEN),), clauses=(one,))
    return None


# --- requests to all players ----------------------------------------------------------------------------


def _read_more_time(mail: TopicMail) -> TopicGuess | None:
    own, speaker = mail.words, mail.speaker
    for one in mail.clauses:
        if not _asks_time_topics(mail, one) or has(one.sentence, own["leaving_game"]):
            continue  # "not any more" does not ask for more time
        if speaker.moves:
            if mail.names(one.words) & speaker.others and not mail.names_writer(one):
                return None
            return TopicGuess((Request(RequestKind.MORE_TIME),), clauses=(one,))
        wants = has(one.sentence, own["wish"]) or has(one.sentence, own["extending"])
        named = mail.names(" ".join(each.words for each in mail.all)) & speaker.mover
        if (named or has(one.words, own["mover"])) and wants:
            return TopicGuess((Request(RequestKind.MORE_TIME),), clauses=(one,))
    return None


def _asks_time_topics(mail: TopicMail, one: TopicClause) -> bool:
    own, words = mail.words, one.words
    denied = mail.negated(one, own["more"]) and not has(words, own["late"])
    if denied or has(words, own["asking"]) or mail.negated(one, own["need"]):
        return False
    if has(words, own["late"]) and mail.negated(one, own["late"]):
        return mail.speaker.moves
    wants = has(one.sentence, own["wish"]) or has(one.sentence, own["need"]) or _is_short(one)
    if has(words, own["until_when"]):
        return bool(mail.dates_of(words))
    if has(words, own["extending"]) and (has(words, own["extended"]) or _is_short(one)):
        return not mail.negated(one, own["extending"]) and (wants or mail.names_writer(one))
    return has(words, own["more"]) and has(words, own["time"]) and wants


def _is_short(clause: TopicClause) -> bool:
    return len(clause.sentence.split()) <= 9


def _read_pause(mail: TopicMail) -> TopicGuess | None:
    own = mail.words
    for one in mail.clauses:
        whole = has(one.sentence, own["game"]) or _is_short(one)
        if mail.speaker.paused:
            ends = has(one.words, own["pausing"]) and has(one.words, own["over"])
            goes = has(one.words, own["resuming"]) and not mail.negated(one, own["resuming"])
            if ends or (goes and (whole or has(one.sentence, own["wish"]))):
                return TopicGuess((Request(RequestKind.RESUME),), clauses=(one,))
            continue
        asked = has(one.words, own["pausing"]) and not mail.negated(one, own["pausing"], behind=False)
        meant = mail.is_own(one) or has(one.words, own["wish"])
        if asked and meant and whole:
            last = _find_end(mail)
            about = "" if last is None else last.isoformat()
            return TopicGuess((Request(RequestKind.PAUSE, about),), clauses=(one,))
    return None


def _find_end(mail: TopicMail) -> date | None:
    runs = [run for one in mail.clauses for run in mail.dates_of(one.words)]
    days = [read_absence(run, mail.lexicon, mail.speaker.today) for run in runs]
    ends = {one.last if isinstance(one, DateRange) else None for one in days}
    return ends.pop() if len(ends) == 1 else None


# --- leaving --------------------------------------------------------------------------------------------


def _read_seat(mail: TopicMail) -> TopicGuess | None:
    own, leaving = mail.words, (*mail.words["leaving_game"], *mail.words["stopping"])
    for one in mail.clauses:
        whole = replace(one, words=one.sentence)  # "I want to stop" is two clauses
        others = mail.names(one.sentence) & mail.speaker.others
        if others or mail.dates_of(one.words) or mail.negated(whole, leaving, behind=False):
            continue  # "I'm out on Friday" gives no seat up
        stops = has(whole.words, own["stopping"]) and not has(whole.words, own["turn"])
        leaves = has(whole.words, own["leaving_game"]) and mail.is_own(whole)
        hands_over = has(one.words, own["taking_over"]) and (
            has(one.words, own["wish"]) or mail.names_writer(one)
        )
        if stops or leaves or hands_over:
            return TopicGuess((Request(RequestKind.RESIGN),))
    return None


READERS: tuple[Callable[[TopicMail], TopicGuess | None], ...] = (
    *(_read_plan, _read_nudge, _read_pause, _read_more_time, read_rest),
    *(read_back, read_away, _read_when, _read_seat),
)
