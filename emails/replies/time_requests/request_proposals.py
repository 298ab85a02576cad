"""What is put to the writer of a mail about time: what its sentences say, and what they most likely mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from emails.languages.lexicon import Lexicon
from emails.replies.dates.periods import DateDoubt, DateQuestion
from emails.replies.time_requests.asked_amounts import add_last_day
from emails.replies.time_requests.plain_guesses import SHOWING
from emails.replies.time_requests.request_reader import TimeRequests
from emails.replies.time_requests.speakers import Speaker
from emails.replies.time_requests.topic_mail import TopicGuess
from emails.replies.time_requests.topics import guess_request
from emails.wording.requests import Request, RequestKind

MOST_MEANINGS = 3


@dataclass(frozen=True, slots=True)
class ProposedMeanings:
    """What is put to somebody; of these one, or nothing."""

    meanings: tuple[tuple[Request, ...], ...] = ()
    """The best first; each that follows is one request."""
    done: tuple[Request, ...] = ()
    """What only shows something, or is plain: it needs no question."""
    missing: RequestKind | None = None
    doubt: DateQuestion | None = None


def propose_requests(
    lines: Sequence[str], found: TimeRequests | None, lexicon: Lexicon, speaker: Speaker
) -> ProposedMeanings:
    """What is put to the writer of some lines, of whose sentences this was `found` and is not certain."""
    proposed = _propose(guess_request(lines, lexicon, speaker), found)
    told = tuple(
        tuple(add_last_day(one, lines, lexicon, speaker) for one in meaning) for meaning in proposed.meanings
    )
    return replace(proposed, meanings=told)


def _propose(guess: TopicGuess | None, found: TimeRequests | None) -> ProposedMeanings:
    if found is None:
        return ProposedMeanings() if guess is None else _propose_guess(guess)
    if found.requests:
        if guess is not None and guess.plain and found.requests == guess.meanings:
            return ProposedMeanings(done=guess.meanings)
        return _propose_found(found.requests, guess)
    if guess is not None and guess.meanings and not _lacks_end(found):
        return _propose_guess(guess)
    if found.question is not None and len(found.question.meanings) > 1:
        return _propose_guess(_days_of(found.question))
    return ProposedMeanings(missing=found.unclear, doubt=found.question)


def _propose_guess(guess: TopicGuess) -> ProposedMeanings:
    if guess.plain:
        return ProposedMeanings(done=guess.meanings[:1])
    meanings = tuple((one,) for one in guess.meanings[:MOST_MEANINGS])
    return ProposedMeanings(meanings, missing=guess.missing, doubt=guess.doubt)


def _propose_found(requests: tuple[Request, ...], guess: TopicGuess | None) -> ProposedMeanings:
    """What sentences say for certain enough to be put, and what else they may mean."""
    kinds = {one.kind for one in requests}
    if guess is not None and _begins_later(guess.meanings, requests):
        return ProposedMeanings((guess.meanings, requests))
    others = () if guess is None else tuple(one for one in guess.meanings if one.kind not in kinds | SHOWING)
    return ProposedMeanings((requests, *((one,) for one in others[:1])))


def _begins_later(guessed: tuple[Request, ...], found: tuple[Request, ...]) -> bool:
    """Whether days away that are guessed begin with another day told, and end like those that were found."""
    match guessed, found:
        case (Request(RequestKind.AWAY, days),), (Request(RequestKind.AWAY, others),):
            return days.rpartition(" ")[2] == others.rpartition(" ")[2] and days > others
        case _:
            return False


def _lacks_end(found: TimeRequests) -> bool:
    return found.question is not None and found.question.doubt in (DateDoubt.NO_END, DateDoubt.PASSED)


def _days_of(question: DateQuestion) -> TopicGuess:
    days = (f"{one.first} - {one.last}" for one in question.meanings)
    return TopicGuess(tuple(Request(RequestKind.AWAY, one) for one in days))
