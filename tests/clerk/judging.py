"""How mails of the corpus are answered, judged by the verdict that stands beside each."""

from __future__ import annotations

from dataclasses import dataclass
from email.message import EmailMessage
from enum import StrEnum

from emails.i18n import Locale, use_locale
from emails.languages.lexicon import lexicon_of
from emails.languages.supported_languages import ENGLISH, LANGUAGES
from emails.replies.grammars import GameGrammar
from emails.replies.parsed_mail import parse_mail
from emails.replies.reply_reader import Message, read_reply
from engine.cards import Bag, Symbol
from engine.notation.parser import parse_line
from engine.position import Position, view
from server.inbox.mail_questions import explain_refusal, reconsider
from server.inbox.reply_outcome import MailRefusal
from server.turns.dry_run import LinesRefused, simulate_orders
from tests.clerk.corpus import Mail, Orders, Verdict, board, points, position


class Outcome(StrEnum):
    """What became of a mail, beside what a careful clerk would have done."""

    PLAYED = "played right"
    PROPOSED = "proposed right as first choice"
    ASKED = "asked fittingly"
    HELPED = "refused helpfully"
    USELESS = "refused uselessly"
    MISSED = "proposed something else"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a mail is answered."""

    played: Orders = ()
    offered: tuple[Orders, ...] = ()
    sentence: str = ""
    helpful: bool = False
    """Whether a sentence says more than that nothing was understood."""


def answer(mail: Mail) -> Answer:
    """What is answered to a mail of the corpus, in the language of its writer."""
    point, now = points()[mail.point], position(mail.point)
    choices = {letter: "; ".join(orders) for letter, orders in point.choices.items()}
    language = mail.language if mail.language in LANGUAGES else ENGLISH
    with use_locale(Locale(language)):
        message = read_reply(
            parse_mail(_raw(mail, point.reader)),
            GameGrammar(board(), choices, lexicon_of(language)),
            names=now.table.names,
        )
        return _answer_message(message, now, choices)


def _answer_message(message: Message, now: Position, choices: dict[str, str]) -> Answer:
    seat = now.table.seat
    if message.doubtful and not message.orders:
        return Answer(sentence=message.reason, helpful=bool(message.lines))
    if not message.orders:
        return Answer(sentence=message.reason, helpful=bool(message.requests or message.chat))
    try:
        run = simulate_orders(now, seat, message.orders, first_card)
    except LinesRefused as error:
        why = reconsider(message, view(now, seat), choices, error, explain_refusal(error, message))
        return _answer_refusal(why, error, now)
    if message.doubtful:
        return Answer(offered=(run.done,), sentence=message.reason, helpful=True)
    return Answer(played=run.done)


def _answer_refusal(why: MailRefusal, error: LinesRefused, now: Position) -> Answer:
    offered = () if why.question is None else why.question.choices
    turns = tuple(_play(one.words, now) for one in offered)
    return Answer(offered=turns, sentence=why.sentence, helpful=not _is_useless(why.sentence, error))


def _play(words: str, now: Position) -> Orders:
    """What the number of a choice plays."""
    lines = [parse_line(one, board()) for one in words.split("; ")]
    try:
        return simulate_orders(now, now.table.seat, lines, first_card).done
    except LinesRefused:  # it is asked about in its turn
        return tuple(words.split("; "))


USELESS = ("No order was found", "geen opdracht gevonden", "is no action", "is geen actie")
"""What is said where nothing was understood."""


def _is_useless(sentence: str, error: LinesRefused) -> bool:
    guesses = getattr(error.refusal, "did_you_mean", ())
    return any(words in sentence for words in USELESS) and not guesses


def first_card(cards: Bag) -> Symbol:
    """Chance, for what nobody looks at."""
    return next(iter(cards))


def _raw(mail: Mail, reader: str) -> bytes:
    made = EmailMessage()
    made["From"] = f"{reader} <{reader.lower()}@example.org>"
    made["To"] = "game@play.example.org"
    made["Subject"] = "Re: Friday"
    made.set_content(mail.text)
    return bytes(made)


def judge(mail: Mail) -> Outcome:
    """What became of a mail.

    Whoever says a card and nothing else has said the first step of a turn, and the answer asks for the march.
    """
    given = answer(mail)
    right = {_bare(orders) for orders in (mail.orders, *mail.alternatives) if orders}
    ordered = mail.verdict in (Verdict.PLAY, Verdict.PROPOSE)
    if given.played:
        if ordered and _bare(given.played) in right:
            return Outcome.PLAYED
        alone = len(given.played) == 1 and given.played[0].startswith(("choose ", "play "))
        return Outcome.ASKED if alone and mail.verdict is Verdict.ASK else Outcome.WRONG
    offered = [_bare(orders) for orders in given.offered]
    if not ordered:
        if offered or given.helpful or mail.verdict is Verdict.TALK:
            return Outcome.ASKED if offered else Outcome.HELPED
        return Outcome.USELESS
    if offered and offered[0] in right:
        return Outcome.PROPOSED
    if any(orders in right for orders in offered):
        return Outcome.ASKED
    if offered:
        return Outcome.MISSED
    return Outcome.HELPED if given.helpful else Outcome.USELESS


def _bare(orders: Orders) -> Orders:
    """Orders without the end of a turn, which comes by itself or is said in words of its own.

    Cards that are taken one after the other come in the same order.
    """
    plain = list(orders[:-1] if orders[-1:] == ("end",) else orders)
    if len(plain) > 1 and all(one.startswith("take ") for one in plain[-2:]):
        plain[-2:] = sorted(plain[-2:])
    return tuple(plain)
